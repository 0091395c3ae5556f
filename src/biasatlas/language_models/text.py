"""Text of documents in a prompt, and text of a model on a page: both are data, never markup."""

from __future__ import annotations

import regex

# Markup of chats that is several characters long: `<|im_start|>`, `[/INST]`, `<<SYS>>`, `</s>`.
_MARKUP = regex.compile(r"<\|[^<>|]{0,40}\|>|<{1,2}/?[A-Za-z_][^<>]{0,80}>{1,2}|\[/?[A-Z_]{2,20}\]")
# Every special token of a model holds one of these, so none can be written without them.
_SIGNS = regex.compile(r"[<>\[\]{}|`\\^~#*_=｜▁]")
_CONTROL = regex.compile(r"[\p{C}\p{Z}\s]+")
# Joiners are letters' parts in Persian and the Indic scripts.
_JOINERS = "\u200c\u200d"
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}'’\u200c\u200d-]*")
_QUOTED = regex.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
LONGEST_LABEL = 60


def plain_text(text: str) -> str:
    """Text of a document for a prompt: one line, no markup of a chat or a page, no control.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        Words and punctuation; a special token of a model cannot be part of it.
    """
    text = _MARKUP.sub(" ", text)
    text = _SIGNS.sub(" ", text)
    parts = regex.split(f"([{_JOINERS}])", text)
    return "".join(p if p in _JOINERS else _CONTROL.sub(" ", p) for p in parts if p).strip()


def is_label_safe(label: str) -> bool:
    """Whether a label is words and single spaces, commas or brackets, and not too long."""
    words = regex.split(r", | \(|\)$| ", label)
    return (
        len(label) <= LONGEST_LABEL
        and any(words)
        and all(not w or _WORD.fullmatch(w) for w in words)
    )


def read_free_label(reply: str, most_words: int) -> tuple[str, str]:
    """Make a label of a model's free reply, or say why it is none.

    The first line counts; of that what stands in quotation marks, else behind the last colon.

    Parameters
    ----------
    reply : str
    most_words : int

    Returns
    -------
    label : str
        Words of letters and single spaces; empty where the reply is no label.
    note : str
        Why it is none, else empty.
    """
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    if not lines:
        return "", "empty reply"
    line = lines[0]
    quoted = _QUOTED.search(line)
    line = quoted[1] if quoted else line.rpartition(":")[2]
    line = line.strip(" \t.,;:!?*_-–—'’\"")
    if _SIGNS.search(line) or "//" in line:
        return "", "reply with markup"
    words = _WORD.findall(line)
    label = " ".join(words)
    if not regex.search(r"\p{L}", label):
        return "", "reply without a word"
    if len(words) > most_words:
        return "", f"reply of {len(words)} words, {most_words} are allowed"
    if len(label) > LONGEST_LABEL:
        return "", f"reply of {len(label)} letters, {LONGEST_LABEL} are allowed"
    return label, ""
