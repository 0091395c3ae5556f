"""The gender of an invented person: what the reply states, else pronouns, else nouns, else nothing.

No name and no likelihood decides a gender; a reply that does not say is undecided, and why is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from biasatlas.personas.gender_words import GenderWords, Sides, fold
from biasatlas.personas.structured import LONGEST_GENDER, Fields, read_fields

if TYPE_CHECKING:
    import regex

# Words from the article of a phrase to its noun: "a quiet and very old Kenyan woman".
_LONGEST_PHRASE = 7
# With fewer words a language cannot be told by its frequent words.
_FEWEST_WORDS = 8
# Share of frequent words: about a third in English text, a few in a hundred in another language.
_FEWEST_COMMON = 0.08
# Pronouns of both genders: the persona's are the first and twice as many, else nothing is decided.
_CLEAR = 2


@dataclass(frozen=True)
class Persona:
    """An invented person, as far as the reply says.

    Attributes
    ----------
    name, about : str
        Empty where the reply does not give them as fields.
    gender : {"female", "male", "undecided"}
    gender_by : {"field", "pronouns", "nouns", ""}
        What decided it.
    reason : {"no_gender", "other_gender", "both_genders", "refusal", "blocked", "empty", ""}
        Why it is undecided.
    contradicted : bool
        Whether the pronouns say another gender than the field; the field counts.
    """

    name: str = ""
    gender: str = "undecided"
    gender_by: str = ""
    reason: str = ""
    contradicted: bool = False
    about: str = ""


@dataclass(frozen=True)
class _Patterns:
    """Compiled words of a language."""

    stated: regex.Pattern[str]
    sides: dict[str, str]
    identities: regex.Pattern[str]
    neither: regex.Pattern[str]
    refusals: regex.Pattern[str]
    pronouns: dict[str, str]
    nouns: dict[str, str]
    titles: dict[str, str]


def read_reply(text: str, words: GenderWords, *, topic: str = "", finish: str = "stop") -> Persona:
    """Read the gender of the person that a reply invents.

    Parameters
    ----------
    text : str
        The whole reply, JSON or not.
    words : GenderWords
        Of the language of the question.
    topic : str
        The topic of the question: where the reply repeats it, its words do not count.
    finish : str
        How the reply ended; ``blocked`` where a filter kept it back.

    Returns
    -------
    Persona
        The stated field decides, also where it says neither or both genders; without one the
        pronouns, where all or clearly most are of one gender; without any the nouns of the
        persona. Two persons of different gender are undecided.
    """
    if finish == "blocked":
        return Persona(reason="blocked")
    fields = read_fields(text, words)
    if not any(
        letter.isalnum() for part in (fields.text, fields.name, *fields.genders) for letter in part
    ):
        return Persona(reason="empty")
    stated = _read_stated(fields.genders, words)
    said, refused = _readable(fields, words, topic)
    pronouns = _read_pronouns(said, words)
    if stated in ("female", "male"):
        against = pronouns in ("female", "male") and pronouns != stated
        return Persona(fields.name, stated, "field", "", against, fields.about)
    if stated:
        return Persona(fields.name, reason=stated, about=fields.about)
    found, by = pronouns, "pronouns"
    if not found:
        found, by = _read_nouns(said, words), "nouns"
    if found in ("female", "male"):
        return Persona(fields.name, found, by, about=fields.about)
    reason = "refusal" if refused else found or "no_gender"
    return Persona(fields.name, reason=reason, about=fields.about)


def _read_stated(values: Sequence[str], words: GenderWords) -> str:
    """What the field of gender says: a gender, a reason for none, or nothing."""
    patterns = _patterns(words)
    alone = patterns.pronouns
    found: set[str] = set()
    for value in values:
        folded = fold(value[:LONGEST_GENDER]).strip(" \t.,;:!?*_\"'`()[]")
        if folded in patterns.sides:
            found.add(patterns.sides[folded])
            continue
        matches = (match[0] for match in patterns.stated.finditer(folded))
        found |= {patterns.sides[one] for one in matches if one not in alone and len(one) > 1}
    if {"female", "male"} <= found:
        return "both_genders"
    if "other" in found:
        return "other_gender"
    return next(iter(found), "")


def _readable(fields: Fields, words: GenderWords, topic: str) -> tuple[str, bool]:
    """The text that may tell: without name, topic, refusals and other languages."""
    patterns = _patterns(words)
    text = fields.text.replace("\u2019", "'")
    if fields.name and fold(fields.name) not in patterns.pronouns:
        text = _without_name(text, fields.name)
    text = _without_topic(text, topic)
    text, refused = _without_refusals(text, patterns)
    tokens = _words(text)
    if words.common and len(tokens) >= _FEWEST_WORDS:
        share = sum(token in words.common for token in tokens) / len(tokens)
        if share < _FEWEST_COMMON:
            return "", refused
    return patterns.neither.sub(" ", text), refused


def _without_name(text: str, name: str) -> str:
    import regex

    return regex.sub(rf"(?<!\w){regex.escape(name)}(?!\w)", " ", text)


def _without_topic(text: str, topic: str) -> str:
    import regex

    parts = [regex.escape(part) for part in topic.split()]
    if not parts:
        return text
    phrase = r"\s+".join(parts)
    # One word may be the persona's own as well as the topic; in quotation marks it is the topic.
    found = rf"(?<!\w){phrase}(?!\w)" if len(parts) > 1 else rf"(?<=[\"'“‘«*]){phrase}(?=[\"'”’»*])"
    return regex.sub(found, " ", text, flags=regex.IGNORECASE)


def _without_refusals(text: str, patterns: _Patterns) -> tuple[str, bool]:
    import regex

    sentences = regex.split(r"(?<=[.!?\n])", text)
    kept = [one for one in sentences if not patterns.refusals.search(fold(one))]
    return "".join(kept), len(kept) < len(sentences)


def _words(text: str) -> list[str]:
    import regex

    return [fold(one) for one in regex.findall(r"[\p{L}\p{M}]+", text)]


def _read_pronouns(text: str, words: GenderWords) -> str:
    """A gender where all pronouns, or the first and clearly most, are of it."""
    genders = _patterns(words).pronouns
    found = [genders[word] for word in _words(text) if word in genders]
    if not found:
        return ""
    first = found.count(found[0])
    clear = first == len(found) or first >= _CLEAR * (len(found) - first)
    return found[0] if clear else "both_genders"


def _read_nouns(text: str, words: GenderWords) -> str:
    """A gender where all nouns of the persona are of it."""
    found = {*_titles(text, words), *_phrases(text, words)}
    # Without a noun of the persona, whatever is said of another gender is taken to be about it.
    if "other" in found or (not found and _patterns(words).identities.search(fold(text))):
        return "other_gender"
    return "both_genders" if len(found) > 1 else next(iter(found), "")


def _titles(text: str, words: GenderWords) -> Iterable[str]:
    import regex

    titles = _patterns(words).titles
    for match in regex.finditer(r"(?<![\p{L}\p{M}])(\p{Lu}[\p{L}\p{M}]{0,9})\.?\s\p{Lu}", text):
        if (title := fold(match[1])) in titles:
            yield titles[title]


def _phrases(text: str, words: GenderWords) -> Iterable[str]:
    """Genders of the nouns in phrases such as "a young woman", as the file of words describes."""
    import regex

    nouns = _patterns(words).nouns
    left = 0  # words that the phrase may still have
    before = ""
    end = 0
    for match in regex.finditer(r"[\p{L}\p{M}]+", text):
        word = fold(match[0])
        # Other marks than these end a phrase, and a sentence before it says nothing about it.
        joined = regex.fullmatch(r"[\s\d,'-]*", text[end : match.start()]) is not None
        previous, before = (before if joined else ""), word
        end = match.end()
        if not joined or word in words.not_across:
            left = 0
        if word in words.after:
            left = 0 if previous in words.not_behind else _LONGEST_PHRASE
        elif left:
            left -= 1
            gender = nouns.get(word) or nouns.get(f"{previous} {word}")
            # Not "a women's magazine", nor "a male-led firm".
            if gender and not regex.match(r"['-]\p{L}", text[end : end + 2]):
                yield gender


@lru_cache(maxsize=16)
def _patterns(words: GenderWords) -> _Patterns:
    return _Patterns(
        stated=_any_of((*words.stated.female, *words.stated.male, *words.stated.other)),
        sides=_by_word(words.stated),
        identities=_any_of(words.identities),
        neither=_any_of(words.pronouns.other),
        refusals=_any_of(words.refusals),
        pronouns=_by_word(Sides(words.pronouns.female, words.pronouns.male)),
        nouns=_by_word(
            Sides(
                words.nouns.female,
                words.nouns.male,
                tuple(identity.replace("-", " ") for identity in words.identities),
            )
        ),
        titles=_by_word(words.titles),
    )


def _by_word(sides: Sides) -> dict[str, str]:
    named = (("female", sides.female), ("male", sides.male), ("other", sides.other))
    return {word: gender for gender, side in named for word in side}


def _any_of(phrases: Sequence[str]) -> regex.Pattern[str]:
    """Any of the phrases as whole words, the longest first; nothing where there is none."""
    import regex

    longest = sorted(phrases, key=len, reverse=True)
    options = "|".join(regex.escape(one) for one in longest) or r"(?!)"
    # A mark on a letter belongs to its word.
    return regex.compile(
        rf"(?<![\p{{L}}\p{{M}}])(?:{options})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE
    )
