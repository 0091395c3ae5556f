"""What is odd about the words of a set, though not wrong: the warnings of the lint."""

from __future__ import annotations

import unicodedata

from biasatlas.lexicons.strict_yaml import Document, Key
from biasatlas.lexicons.word_lists import list_words
from biasatlas.tokens import tokenize

# As weat.min_words: with fewer a test is refused.
MIN_WORDS = 4
# Zero-width joiners are letters of some scripts.
_JOINERS = "\u200c\u200d"
_TARGETS = (("targets", "x"), ("targets", "y"))
_ATTRIBUTES = (("attributes", "a"), ("attributes", "b"))
_GENDERS = ("female", "male")


def warn_of_test(document: Document, terms: Document | None = None) -> None:
    """Report what is odd about a sound word list.

    Parameters
    ----------
    document : Document
        Of either kind; the warnings are added to its problems.
    terms : Document, optional
        The gender terms of its region, where the list has no attributes of its own.
    """
    attributes = _ATTRIBUTES if "attributes" in document.data else ()
    for where in (*_TARGETS, *attributes):
        _warn_of_set(document, where)
    _warn_of_shared(document, _TARGETS[0], document, _TARGETS[1])
    if attributes:
        _warn_of_shared(document, _ATTRIBUTES[0], document, _ATTRIBUTES[1])
    places: list[tuple[Document, Key]] = [(document, where) for where in attributes]
    if terms is not None and terms.sound:
        forms = terms.data["forms"]
        places += [(terms, ("forms", form, gender)) for form in forms for gender in _GENDERS]
    for target in _TARGETS:
        for other, where in places:
            _warn_of_shared(document, target, other, where, leak=True)


def warn_of_terms(document: Document) -> None:
    """Report what is odd about the sound gender terms of a region."""
    for form in document.data["forms"]:
        female, male = (("forms", form, gender) for gender in _GENDERS)
        for where in (female, male):
            _warn_of_set(document, where)
        _warn_of_shared(document, female, document, male)


def warn_of_pairs(document: Document) -> None:
    """Report what is odd about sound gender pairs, whose case never matters.

    A term may stand in several pairs, with other forms of its partner; a pair only once.
    """
    first: dict[tuple[str, ...], int] = {}
    for number, pair in enumerate(document.data["pairs"]):
        key = tuple(pair[gender].lower() for gender in _GENDERS)  # ß is not ss in the search
        before = first.setdefault(key, number)
        for gender in _GENDERS:
            place, word = ("pairs", number, gender), pair[gender]
            _warn_of_characters(document, place, word)
            if before != number:
                line = document.lines["pairs", before, gender]
                other = document.data["pairs"][before][gender]
                problem = f"repeated: the pair is also on line {line}, as '{other}'; it counts once"
                document.report(place, problem, severity="warning")


def _warn_of_set(document: Document, where: Key) -> None:
    words = list_words(document, where)
    first: dict[str, tuple[str, int]] = {}
    for place, word in words:
        _warn_of_characters(document, place, word)
        before, line = first.setdefault(word.casefold(), (word, document.lines[place]))
        if before != word:
            problem = f"same word in another case: also on line {line}, as '{before}'"
            document.report(place, problem, severity="warning")
        tokens = tokenize(word)
        if tokens != [word.lower()]:
            parts = ", ".join(tokens) or "nothing"
            problem = f"not one token: own vectors never hold it, as text is cut into {parts}"
            document.report(place, problem, severity="warning")
    _warn_of_mixed_case(document, where)
    if len(first) < MIN_WORDS:
        problem = f"few words: {len(first)} distinct; a test with fewer than {MIN_WORDS} is refused"
        document.report(where, problem, severity="warning")


def _warn_of_characters(document: Document, place: Key, word: str) -> None:
    for character in dict.fromkeys(word):
        if unicodedata.category(character)[0] == "C" and character not in _JOINERS:
            name = unicodedata.name(character, "without a name")
            problem = f"invisible character: U+{ord(character):04X} ({name.lower()})"
            document.report(place, problem, severity="warning")


def _warn_of_mixed_case(document: Document, where: Key) -> None:
    """Report generic terms with and without capitals side by side, once a set."""
    cased = [
        (place, word)
        for place, word in list_words(document, where)
        if "words" in place and word.lower() != word.upper()
    ]
    capital = [(place, word) for place, word in cased if word != word.lower()]
    if capital and len(capital) < len(cased):
        shown = ", ".join(word for _, word in capital)
        problem = f"mixed case: {len(capital)} of {len(cased)} terms have capitals: {shown}"
        document.report(capital[0][0], problem, severity="warning")


def _warn_of_shared(
    document: Document, one: Key, other: Document, where: Key, *, leak: bool = False
) -> None:
    """Report the words of a set that stand in another one too, whatever their case."""
    lines: dict[str, int] = {}
    for place, word in list_words(other, where):
        lines.setdefault(word.casefold(), other.lines[place])
    kind = "leakage: also an attribute, in" if leak else "shared by opposing sets: also in"
    file = "" if other is document else f" of {other.path.parent.name}/{other.path.name}"
    for place, word in list_words(document, one):
        if word.casefold() in lines:
            there = f"{'.'.join(map(str, where))}{file}, line {lines[word.casefold()]}"
            document.report(place, f"{kind} {there}", severity="warning")
