"""Opening formulas of UN speeches, which would otherwise be every region's first topic."""

from __future__ import annotations

import re

from biasatlas.corpora.passages import split_sentences

WINDOW = 15

_FORMULA = re.compile(
    r"""
      congratulat | felicitat
    | \b(?:Mr|Mrs|Ms|Madam|Madame)\.?\ (?:President|Chairman|Secretary)\b
    | \bon\ (?:your|his|her)\ (?:\S+\ ){0,5}(?:election|assumption)
    | \b(?:your|his|her)\ (?:\S+\ ){0,4}(?:election|predecessor|presidency)\b
    | \b(?:presid(?:e|ed|ing)\ over|presidency\ of|President\ of)\ (?:\S+\ ){0,4}
      (?:General\ Assembly|Assembly|session|deliberations|body)
    | \bguid(?:e|ed|ing|ance)\ (?:\S+\ ){0,4}(?:work|deliberations|proceedings|affairs)
    | \bon\ behalf\ of\ (?:my|our|the)\ (?:own\ )?(?:delegation|country|Government|people)
    | \b(?:tribute|thanks|gratitude|appreciation|thank|commend|praise|salute|homage)\b.{0,160}
      \b(?:Secretary[-\ ]General|predecessor|President)\b
    | \b(?:Secretary[-\ ]General)\b.{0,160}
      \b(?:tribute|thanks|gratitude|appreciation|efforts|dedication|leadership)\b
    | \b(?:assure|pledge|wish)\ (?:you|him|her|the\ President)\b
    | \btribute\ (?:to\ (?:you|him|her)\b|for\ (?:you|him|her)\b) | \bto\ see\ you\b
    | \b(?:under|with)\ your\ (?:\S+\ ){0,3}(?:leadership|guidance|stewardship|direction)\b
    | \byour\ (?:\S+\ ){0,3}(?:experience|wisdom|skills?|qualities|country|duties)\b
    | ^(?:It\ is|It\ gives\ me|I\ have|I\ am)\ (?:\S+\ ){0,4}(?:pleasure|privilege|honou?r(?:ed)?)\b
      .{0,80}\b(?:address|Assembly|convey|welcome|speak)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"(?:He|His|She|Her|You|Your|Under (?:your|his|her)|It bears|(?:It|This) is a|"
    r"(?:I am|We are) (?:confident|certain|sure|convinced)|(?:I|We) (?:also )?wish)\b"
)
_VOCATIVE = re.compile(
    r"\b(?:Mr\.|Madame?) President, |, (?:Mr\. President|Madame? President|Sir|Madam)(?=[,.])"
)


def strip_salutations(text: str, window: int = WINDOW) -> tuple[str, int]:
    """Drop the opening formulas of a speech.

    Among the first `window` sentences, a sentence is dropped when it addresses the President,
    congratulates, speaks on behalf of a delegation, or thanks a predecessor or the
    Secretary-General; and when it directly follows a dropped one and goes on about the same
    person ("His experience ...", "You ...", "I am confident ..."). In the rest of the speech
    only the bare address ("Mr. President, ", ", Sir,") is taken out.

    Parameters
    ----------
    text : str
        A speech with its wrapped lines joined.
    window : int
        Number of opening sentences to look at.

    Returns
    -------
    text : str
        The rest, unchanged but for the address. The window's sentences are joined by a space.
    n_dropped : int
        Number of sentences dropped.
    """
    head, tail = _split_head(text, window)
    kept: list[str] = []
    after_drop = False
    for sentence in head:
        after_drop = bool(_FORMULA.search(sentence) or (after_drop and _FOLLOWS.match(sentence)))
        if not after_drop:
            kept.append(sentence)
    rest = " ".join([*kept, tail]) if tail else " ".join(kept)
    return _VOCATIVE.sub("", rest).strip(), len(head) - len(kept)


def _split_head(text: str, window: int) -> tuple[list[str], str]:
    """Cut off the first `window` sentences without splitting the whole speech."""
    cut = 12_000 if len(text) > 12_000 else len(text)
    sentences = split_sentences(text[:cut])
    if len(sentences) <= window and cut == len(text):
        return sentences, ""
    # the last sentence of the excerpt may go on behind it
    head = sentences[: min(window, len(sentences) - 1)]
    position = 0
    for sentence in head:
        for word in sentence.split():
            position = text.index(word, position) + len(word)
    return head, text[position:].lstrip()
