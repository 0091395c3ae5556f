"""The one tokenizer that vectors, topic words and coherence share."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache

import regex

from biasatlas.lexicons.character_classes import has_dotted_i

logger = logging.getLogger(__name__)

# Vowel signs, joiners and decomposed accents are parts of a word, which re's \w leaves out.
TOKEN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*")

# A letter with its marks: marks alone make no word longer, so that neither a vocalised Arabic word
# nor a decomposed accent counts as more letters than it has.
_LETTER = r"\p{L}[\p{M}\u200c\u200d]*"
# Scripts whose letters stand for a syllable or a word: two of them are a word (घर is house, 女性 is
# woman). Hiragana alone is mostly endings and particles, so it needs three as an alphabet does.
_DENSE = "".join(
    rf"\p{{{script}}}"
    for script in (
        "Han Katakana Hangul Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada "
        "Malayalam Sinhala Thai Lao Khmer Myanmar Tibetan Ethiopic"
    ).split()
)
TOPIC_WORD = regex.compile(rf"(?:{_LETTER}){{3,}}|(?=.*[{_DENSE}])(?:{_LETTER}){{2}}", regex.DOTALL)

# What a phrase does not reach over: all but letters, digits, spaces, hyphens and apostrophes.
BREAK = regex.compile(r"[^\p{L}\p{N}\p{M}\s'\u2019\u2010\u2011\u200c\u200d-]+")


def tokenize(text: str, language: str = "en") -> list[str]:
    """Lower-case tokens: runs of letters, their marks, and digits of any script.

    Parameters
    ----------
    text : str
        Chinese, Japanese and Thai text with spaces between its words, as the corpora have it.
    language : str
        ISO 639 code; it decides how Turkish and Azerbaijani I and İ are lower-cased.

    Returns
    -------
    list of str
        Apostrophes and hyphens end a token, so ``men's`` gives ``men`` and ``s``.
    """
    if has_dotted_i(language):
        text = text.replace("İ", "i").replace("I", "ı")
    return TOKEN.findall(text.lower())


@lru_cache(maxsize=1 << 16)
def is_topic_word(token: str) -> bool:
    """Whether a token is letters only, and long enough for its script to name a topic.

    At least three letters, marks not counted; two where a letter is a syllable or a word (Chinese
    characters, katakana, Korean, the scripts of India, Thai and its neighbours, Ethiopic).
    """
    return TOPIC_WORD.fullmatch(token) is not None


def topic_tokens(text: str, language: str = "en") -> list[str]:
    """Tokens that may be topic words, repeats and stop words among them, in their order."""
    return [token for token in tokenize(text, language) if is_topic_word(token)]


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words too common to name a topic, as tokens.

    English takes scikit-learn's list and words of reporting; other languages take stopwords-iso
    without the nouns of persons in it. A language without a list has none, and the log says so.

    Parameters
    ----------
    language : str
        ISO 639 code of two or three letters.
    """
    if language in ("en", "eng"):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS) | _REPORTING | _FILLERS
    from stopwordsiso import has_lang, stopwords

    code = _list_code(language)
    if not has_lang(code):
        logger.warning(
            "no list of stop words for '%s': common words may stand among topic words", language
        )
        return frozenset()
    # Not of phrases nor of doubled words: their parts may mean something (negara-negara: countries).
    words = {word for word in stopwords(code) if not regex.search(r"[\s-]", word)}
    tokens = {t for word in words for t in tokenize(unicodedata.normalize("NFC", word), language)}
    return frozenset(tokens - _PERSONS)


def _list_code(language: str) -> str:
    """Code that stopwords-iso has a language under: ``de`` for ``deu``; itself if there is none."""
    from biasatlas.corpora.language_filter import KNOWN_LANGUAGES, language_labels

    # Its Kurdish is Sorani in Arabic letters, which the language filter keeps apart from ku.
    if language == "ckb":
        return "ku"
    label = language_labels(language)[0] if language in KNOWN_LANGUAGES else language
    return "" if label == "ku" else label


# Verbs of reporting and calendar words stand in every news topic and name none of them.
_REPORTING = frozenset(
    "said say says saying told tells according added reported reports asked called also would "
    "could year years day days week weeks month months today yesterday monday tuesday wednesday "
    "thursday friday saturday sunday january february march april may june july august september "
    "october november december mr mrs ms dr per cent percent".split()
)
# Words of speech that scikit-learn's list leaves in: they made labels such as "look like".
_FILLERS = frozenset(
    "like look looks looking just did does doing done don didn doesn yes got getting going gone "
    "goes went come comes came coming make makes made making take takes took taken taking want "
    "wants wanted know knows known knew think thinks thought really thing things way ways lot "
    "let lets need needs use used using happened happen".split()
)
# Nouns of persons that stopwords-iso holds in one gender only, or in both: a list that hides man
# and shows woman would make topics look female (German, Italian; Arabic and Russian have both).
_PERSONS = frozenset("mann uomo أب أخ жена женщина мать отец".split())


def content_clauses(text: str, language: str, left_out: Collection[str]) -> list[list[str]]:
    """Words of each clause of a text in their order, ``""`` for each that is no topic word.

    A phrase is a run of neighbours in a clause, and so reaches over no comma, quotation mark or
    other such sign.

    Parameters
    ----------
    text : str
    language : str
    left_out : collection of str
        Words that count as no topic words, such as `stop_words`.
    """
    return [
        [
            token if token not in left_out and is_topic_word(token) else ""
            for token in tokenize(clause, language)
        ]
        for clause in BREAK.split(text)
    ]
