"""What is mended in a single entry of a list of many languages, by stated rules."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Marks of order and direction, soft hyphens and other characters that show nothing. The joiners
# U+200C and U+200D are not here: Persian, Hindi, Telugu and others spell with them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff]"
)
_JOINERS = "\u200c\u200d"
_SHOWN = f" {_JOINERS}"
_LIST_MARKS = ";؛；،、，,"
_SEPARATOR = re.compile(r"[;؛；]|(?<![0-9])[،、，,]|[،、，,](?![0-9])")
_SPACED_SLASH = re.compile(r"(?<=\s)[/／]|[/／](?=\s)")
_SLASH = re.compile(r"[/／]")
_QUOTES = frozenset('"“”„‟«»‹›「」『』《》〈〉﹁﹂﹃﹄＂')
_BRACKETS = {"(": ")", "（": "）", "[": "]", "［": "］", "【": "】"}
_HAS_BRACKETS = re.compile(f"[{re.escape(''.join([*_BRACKETS, *_BRACKETS.values()]))}]")


@dataclass(frozen=True)
class Finding:
    """One thing that was wrong with an entry: the problem's code, the action, a note."""

    problem: str
    action: str
    note: str = ""


def repair_entry(raw: str) -> tuple[list[str], list[Finding]]:
    """Mend an entry.

    Parameters
    ----------
    raw : str
        The entry as it stands in the file.

    Returns
    -------
    words : list of str
        The words of the entry in its order: none where it holds no word, several where several
        were written into it. Mending them again changes nothing.
    findings : list of Finding
        What was wrong; empty for an entry that stays as it is.
    """
    stray: list[str] = []
    text = _without_invisible(raw)
    if text != raw:
        stray.append("invisible characters")
    composed = unicodedata.normalize("NFC", text)
    spaced = " ".join(composed.split())
    if spaced != composed:
        stray.append("white space")
    if not spaced:
        return [], [Finding("blank", "dropped")]
    if _is_nan(spaced):
        return [], [Finding("nan", "dropped")]
    words, marks = _words(spaced)
    stray += marks
    findings = [Finding("not_nfc", "fixed")] if composed != text else []
    if len(words) > 1:
        findings.append(Finding("several_words", "fixed", f"read as {' | '.join(words)}"))
    if stray:
        action = "fixed" if words else "dropped"
        findings.append(Finding("stray", action, ", ".join(stray)))
    return words, findings


def show(raw: str) -> str:
    """Write out the characters of an entry that a table would not show, but no joiner."""
    return "".join(
        character.encode("unicode_escape", "backslashreplace").decode()
        if unicodedata.category(character)[0] in "CZ" and character not in _SHOWN
        else character
        for character in raw
    )


def _is_nan(text: str) -> bool:
    """Whether it is what a table writes for a missing value."""
    return text.casefold() == "nan"


def _without_invisible(text: str) -> str:
    """Take out what shows nothing; a joiner stays where it joins something."""
    text = _INVISIBLE.sub("", text)
    kept: list[str] = []
    for character in text:
        before = unicodedata.category(kept[-1])[0] if kept else "Z"
        if character not in _JOINERS or before in "LM":
            kept.append(character)
    return "".join(kept)


def _words(text: str) -> tuple[list[str], list[str]]:
    """Split an entry into its words and take the marks off them, until nothing is left to do."""
    marks: list[str] = []
    done: list[str] = []
    waiting = [text]
    while waiting:
        # What stood behind a mark now stands at the beginning, where a joiner joins nothing.
        word = _without_invisible(waiting.pop(0)).strip()
        if not word:
            continue
        if _is_nan(word):
            marks.append("a missing value")
            continue
        if _is_remark(word):
            marks.append("a remark in brackets")
            continue
        bare = _unquote(word)
        if bare != word:
            marks.append("quotation marks")
            waiting.insert(0, bare)
            continue
        parts = [part for part in _split(word) if part]
        if parts == [word]:
            done.append(word)
            continue
        if len(set(parts)) < 2:
            marks.append("punctuation")
        waiting[:0] = parts
    return list(dict.fromkeys(done)), list(dict.fromkeys(marks))


def _is_remark(word: str) -> bool:
    """Whether all of it stands in one pair of brackets: a note on another word, not a word."""
    close = _BRACKETS.get(word[0])
    return close is not None and word[-1] == close and word.find(close) == len(word) - 1


def _unquote(word: str) -> str:
    if len(word) > 1 and word[0] in _QUOTES and word[-1] in _QUOTES:
        return word[1:-1].strip()
    return word


def _split(word: str) -> list[str]:
    """Split at commas, semicolons and slashes, but not in 1,000, 24/7, AC/DC or km/h."""
    # A list in brackets is a remark on the word before it.
    parts = [word] if _HAS_BRACKETS.search(word) else _SEPARATOR.split(word)
    if len(parts) > 1:
        return [part.strip() for part in parts]
    trimmed = word.strip(f"{_LIST_MARKS}/／ ")
    if trimmed != word:
        return [trimmed]
    if _HAS_BRACKETS.search(word):
        return [word]
    parts = [part.strip() for part in _SPACED_SLASH.split(word)]
    if len(parts) > 1 and all(any(map(str.isalpha, part)) for part in parts):
        return parts
    parts = _SLASH.split(word)
    if len(parts) > 1 and all(map(_is_word, parts)):
        return [part.strip() for part in parts]
    return [word]


def _is_word(part: str) -> bool:
    """Whether a part beside a slash is a word, not a number, an abbreviation or a unit."""
    letters = [character for character in part if character.isalpha()]
    cased = [character for character in letters if character.lower() != character.upper()]
    if not letters or (cased and len(letters) < 2):
        return False
    return not (cased and all(character.isupper() for character in cased))
