"""The one tokenizer that vectors, topic words and coherence share."""

from __future__ import annotations

import regex

# Vowel signs, joiners and decomposed accents are parts of a word, which re's \w leaves out.
TOKEN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*")
TOPIC_WORD = regex.compile(r"[\p{L}\p{M}\u200c\u200d]{3,}")


def tokenize(text: str) -> list[str]:
    """Lower-case tokens: runs of letters, their marks, and digits of any script.

    Apostrophes and hyphens end a token, so ``men's`` gives ``men`` and ``s``.
    """
    return TOKEN.findall(text.lower())


def topic_tokens(text: str) -> list[str]:
    """Lower-case tokens of at least three letters and no digit, for topic words."""
    return [token for token in tokenize(text) if TOPIC_WORD.fullmatch(token)]


def stop_words(language: str) -> frozenset[str]:
    """Words too common to name a topic.

    English takes scikit-learn's list; a language without a list has none.
    """
    if language != "en":
        return frozenset()
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS) | _REPORTING | _FILLERS


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
