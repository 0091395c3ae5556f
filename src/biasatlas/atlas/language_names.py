"""What languages, encoders, variants and spaces are called in the atlas, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from biasatlas.atlas.places import rank_test

if TYPE_CHECKING:
    import pandas as pd

FOUND = 0.05
"""Level of q_two_sided at which a cell is marked; the table agreement counts by it as well."""
BEYOND, WITHIN = "*", "°"
# The languages of WEATHub and of this project's own lists; any other is shown by its code.
_NAMES = {
    "ar": "Arabic",
    "bn": "Bengali",
    "ckb": "Central Kurdish",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "ku": "Kurmanji Kurdish",
    "mr": "Marathi",
    "nl": "Dutch",
    "pa": "Punjabi",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
RIGHT_TO_LEFT = frozenset({"ar", "ckb", "fa", "he", "ps", "sd", "ug", "ur", "yi"})
ENCODERS = {
    "layer0_mean": "word's pieces before the first layer, their mean",
    "layer0_first": "first piece, before the first layer",
    "last_first": "first piece, last layer",
    "last_mean": "mean of the pieces, last layer",
    "penultimate_first": "first piece, last layer but one",
    "penultimate_mean": "mean of the pieces, last layer but one",
    "all_first": "first piece, mean over all layers",
    "all_mean": "mean of the pieces, mean over all layers",
    "cls_phrase": "the model's vector for the whole entry (first position, last layer)",
    "token_in_context": "mean over the word's occurrences in text of the language",
    "sentence": "the entry read by a sentence encoder",
    "fasttext": "fastText vector, made from letter n-grams where the word is unknown",
    "static": "vector of a fixed vocabulary (GloVe, word2vec)",
}
_FAMILIES = {
    "layer0_mean": "before layer 1",
    "layer0_first": "before layer 1",
    "last_first": "last layer",
    "last_mean": "last layer",
    "penultimate_first": "last but one",
    "penultimate_mean": "last but one",
    "all_first": "all layers",
    "all_mean": "all layers",
    "cls_phrase": "whole entry, or in text",
    "token_in_context": "whole entry, or in text",
    "sentence": "whole entry, or in text",
    "fasttext": "one vector a word",
    "static": "one vector a word",
}
FAMILIES = tuple(dict.fromkeys(_FAMILIES.values()))
VARIANTS = {
    "original": "English original",
    "human": "human translation",
    "gt": "machine translation",
    "all": "human, gendered and local words",
    "all_plain": "human and local words, no gendered forms",
    "new": "new dimensions",
    "india": "India",
    "own": "own lists",
}
SPACES = {"raw": "raw", "standardised": "standardised"}


def language_name(language: str) -> str:
    """Give the English name of a language; its code where it is not known."""
    return _NAMES.get(language, language)


def language_label(language: str) -> str:
    """Give name and code.

    >>> language_label("ar"), language_label("xx")
    ('Arabic (ar)', 'xx')
    """
    name = _NAMES.get(language)
    return f"{name} ({language})" if name else language


def language_order(languages: Iterable[str]) -> list[str]:
    """Sort codes by the labels of the languages."""
    return sorted(set(languages), key=lambda code: (language_label(code), code))


def encoder_order(encoders: Iterable[str]) -> list[str]:
    """Sort encoders as they are listed in the documentation, unknown ones last."""
    rank = {name: place for place, name in enumerate(ENCODERS)}
    return sorted(set(encoders), key=lambda name: (rank.get(name, len(rank)), name))


def family(encoder: str) -> str:
    """Give the kind of an encoder, by which it is coloured."""
    return _FAMILIES.get(encoder, "whole entry, or in text")


def add_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Add ``language_label``, ``variant_label`` and ``space_label``, where the columns are there."""
    added = {}
    for column, name in (
        ("language", language_label),
        ("variant", lambda value: VARIANTS.get(value, value)),
        ("space", lambda value: SPACES.get(value, value)),
    ):
        if column in frame:
            added[f"{column}_label"] = frame[column].map(name).astype("str")
    return frame.assign(**added)


def orders(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Give the order in which the values of each column are shown."""
    found: dict[str, list[str]] = {}
    if "language" in frame:
        found["language_label"] = [language_label(c) for c in language_order(frame["language"])]
    if "encoder" in frame:
        found["encoder"] = encoder_order(frame["encoder"])
    if "test" in frame:
        found["test"] = sorted(set(frame["test"]), key=number_test)
    found["variant_label"] = list(VARIANTS.values())
    found["space_label"] = list(SPACES.values())
    return found


def has_null(frame: pd.DataFrame) -> pd.Series:
    """Say of rows of the table weathub whether there were pairs of other topics to hold d against."""
    band = frame["null_low"].notna() & frame["null_high"].notna()
    return band & (frame["null_n"] > 0)


def marks(frame: pd.DataFrame) -> pd.Series:
    """Mark rows of the table weathub that separate their words.

    `BEYOND` where d lies outside the null band as well, `WITHIN` where it lies inside or has no
    null: such a d is no evidence of a bias. Thin, refused and other rows have an empty text.
    """
    d = frame["effect_size"]
    separates = (frame["status"] == "ok") & d.notna() & (frame["q_two_sided"] < FOUND)
    outside = has_null(frame) & ((d < frame["null_low"]) | (d > frame["null_high"]))
    named = separates.map({True: WITHIN, False: ""}).mask(separates & outside, BEYOND)
    return named.astype("str")


def number_test(name: str) -> tuple[str, int, str]:
    """Sort key of a test: by its number, the gender tests not first as on other pages."""
    _, stem, digits, rest = rank_test(name)
    return stem, digits, rest


def page_address(language: str) -> str:
    """Give the address of a language's page, from the main page."""
    return f"languages/{quote(language, safe='')}.html"


def table_links(names: Iterable[str], up: str = "../") -> Markup:
    """Link to the tables of the run, which lie beside the atlas."""
    joined = Markup(", ").join(
        Markup('<a href="{}tables/{}.csv" download>{}.csv</a>').format(up, name, name)
        for name in names
    )
    return Markup("<p>Download the tables of the run (beside this page): {}.</p>").format(joined)
