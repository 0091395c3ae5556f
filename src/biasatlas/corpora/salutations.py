"""Opening formulas of UN speeches, which would otherwise be every region's first topic."""

from __future__ import annotations

import re

from biasatlas.corpora.passages import split_sentences

WINDOW = 15

# The opening sentences stand in the first excerpt as a rule, else in the second.
_EXCERPTS = (4_000, 12_000)

# Each pattern with the words of which every match holds one of each group: plain `in` tests skip
# most of the patterns. In small letters; `_is_formula` says where that is not enough.
_FORMULAS: tuple[tuple[tuple[tuple[str, ...], ...], str], ...] = (
    ((("congratulat", "felicitat"),), r"congratulat|felicitat"),
    (
        (("president", "chairman", "secretary"), ("mr", "ms", "madam")),
        r"\b(?:mr|mrs|ms|madam|madame)\.?\ (?:president|chairman|secretary)\b",
    ),
    (
        (("election", "assumption"),),
        r"\bon\ (?:your|his|her)\ (?:\S+\ ){0,5}(?:election|assumption)",
    ),
    (
        (("election", "predecessor", "presidency"), ("your", "his", "her")),
        r"\b(?:your|his|her)\ (?:\S+\ ){0,4}(?:election|predecessor|presidency)\b",
    ),
    (
        (("presid",), ("assembly", "session", "deliberations", "body")),
        r"""\b(?:presid(?:e|ed|ing)\ over|presidency\ of|president\ of)\ (?:\S+\ ){0,4}
            (?:general\ assembly|assembly|session|deliberations|body)""",
    ),
    (
        (("guid",), ("work", "deliberations", "proceedings", "affairs")),
        r"""\bguid(?:e|ed|ing|ance)\ (?:\S+\ ){0,4}
            (?:work|deliberations|proceedings|affairs)""",
    ),
    (
        (("on behalf of ",),),
        r"\bon\ behalf\ of\ (?:my|our|the)\ (?:own\ )?(?:delegation|country|government|people)",
    ),
    (
        (
            ("tribute", "thank", "gratitude", "appreciation", "commend", "praise", "salute",
             "homage"),
            ("secretary", "predecessor", "president"),
        ),
        r"""\b(?:tribute|thanks|gratitude|appreciation|thank|commend|praise|salute|homage)\b
            .{0,160}\b(?:secretary[-\ ]general|predecessor|president)\b""",
    ),
    (
        (
            ("secretary",),
            ("tribute", "thanks", "gratitude", "appreciation", "efforts", "dedication",
             "leadership"),
        ),
        r"""\b(?:secretary[-\ ]general)\b.{0,160}
            \b(?:tribute|thanks|gratitude|appreciation|efforts|dedication|leadership)\b""",
    ),
    (
        (("assure", "pledge", "wish"),),
        r"\b(?:assure|pledge|wish)\ (?:you|him|her|the\ president)\b",
    ),
    ((("tribute ",),), r"\btribute\ (?:to\ (?:you|him|her)\b|for\ (?:you|him|her)\b)"),
    ((("to see you",),), r"\bto\ see\ you\b"),
    (
        ((" your ",), ("leadership", "guidance", "stewardship", "direction")),
        r"""\b(?:under|with)\ your\ (?:\S+\ ){0,3}
            (?:leadership|guidance|stewardship|direction)\b""",
    ),
    (
        (("your ",), ("experience", "wisdom", "skill", "qualities", "country", "duties")),
        r"\byour\ (?:\S+\ ){0,3}(?:experience|wisdom|skills?|qualities|country|duties)\b",
    ),
    (
        (("pleasure", "privilege", "hono"),),
        r"""^(?:it\ is|it\ gives\ me|i\ have|i\ am)\ (?:\S+\ ){0,4}
            (?:pleasure|privilege|honou?r(?:ed)?)\b.{0,80}\b(?:address|assembly|convey|welcome|speak)""",
    ),
)  # fmt: skip
_SMALL = tuple((groups, re.compile(pattern, re.VERBOSE)) for groups, pattern in _FORMULAS)
_ANY_CASE = re.compile("|".join(p for _, p in _FORMULAS), re.VERBOSE | re.IGNORECASE)
# Letters that match an i or s whatever the case, but whose small letter is another.
_ODD_CASE = re.compile("[\u0130\u0131\u017f]")
_FOLLOWS = re.compile(
    r"(?:He|His|She|Her|You|Your|Under (?:your|his|her)|It bears|(?:It|This) is a|"
    r"(?:I am|We are) (?:confident|certain|sure|convinced)|(?:I|We) (?:also )?wish)\b"
)
# Begins with a letter rather than with \b, which a search tries at every place of the text.
_VOCATIVE = re.compile(
    r"M(?<!\wM)(?:r\.|adame?) President, |"
    r", (?:Mr\. President|Madame? President|Sir|Madam)(?=[,.])"
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
    rest, n_dropped, _ = count_salutations(text, window)
    return rest, n_dropped


def count_salutations(text: str, window: int = WINDOW) -> tuple[str, int, int]:
    """Drop the opening formulas as `strip_salutations` does, and count the words too.

    Returns
    -------
    text : str
        As in `strip_salutations`.
    n_dropped, n_words : int
        Sentences dropped, and all words dropped, those of the bare address too.
    """
    head, tail = _split_head(text, window)
    kept: list[str] = []
    n_words = 0
    after_drop = False
    for sentence in head:
        after_drop = _is_formula(sentence) or (after_drop and bool(_FOLLOWS.match(sentence)))
        if after_drop:
            n_words += sentence.count(" ") + 1
        else:
            kept.append(sentence)
    rest = " ".join([*kept, tail]) if tail else " ".join(kept)
    bare, n_addresses = _VOCATIVE.subn("", rest)
    if n_addresses:
        n_words += len(rest.split()) - len(bare.split())
    return bare.strip(), len(head) - len(kept), n_words


def _is_formula(sentence: str) -> bool:
    if not sentence.isascii() and _ODD_CASE.search(sentence):
        return bool(_ANY_CASE.search(sentence))
    small = sentence.lower()
    for groups, pattern in _SMALL:
        for words in groups:
            for word in words:
                if word in small:
                    break
            else:
                break
        else:
            if pattern.search(small):
                return True
    return False


def _split_head(text: str, window: int) -> tuple[list[str], str]:
    """Cut off the first `window` sentences without splitting the whole speech."""
    for cut in _EXCERPTS:
        sentences = split_sentences(text[:cut])
        if cut >= len(text) and len(sentences) <= window:
            return sentences, ""
        # the last sentence of the excerpt may go on behind it, so another must follow
        if len(sentences) > window + 1:
            break
    head = sentences[: min(window, len(sentences) - 1)]
    n_words = sum(sentence.count(" ") + 1 for sentence in head)
    rest = text.split(None, n_words)
    return head, rest[n_words].lstrip()
