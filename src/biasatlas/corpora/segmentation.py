"""Single spaces between words, for languages that write none: Chinese, Japanese, Thai."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

from biasatlas.errors import InputError

__all__ = ["needs_segmentation", "segment"]

# ISO 639-1, 639-2 and 639-3 codes of the languages that can be segmented.
_LANGUAGES = {
    "zh": "zh",
    "zho": "zh",
    "chi": "zh",
    "cmn": "zh",
    "ja": "ja",
    "jpn": "ja",
    "th": "th",
    "tha": "th",
}

# The segmenters need the square of the length of what has no break in it.
_LONGEST = 1000
# The rest; or up to the last end of a sentence; or to the last other mark; or as much as may be.
# jieba cuts at these marks of its own accord, so that its words stay the same.
_PIECE = re.compile(
    rf".{{1,{_LONGEST}}}\Z"
    rf"|.{{0,{_LONGEST - 1}}}[。！？｡](?![。！？｡」』）”’])"
    rf"|.{{0,{_LONGEST - 1}}}[，、；､](?![，、；､])"
    rf"|.{{{_LONGEST}}}",
    re.DOTALL,
)


def needs_segmentation(language: str) -> bool:
    """Tell whether `segment` changes text of a language.

    Parameters
    ----------
    language : str
        ISO 639 code of two or three letters.

    Returns
    -------
    bool
        Lao, Khmer, Burmese, Tibetan and Cantonese write no spaces either, but have no segmenter
        here: False.
    """
    return language in _LANGUAGES


def segment(texts: Sequence[str], language: str) -> list[str]:
    """Put single spaces between the words of texts.

    Parameters
    ----------
    texts : sequence of str
        Cleaned documents or sentences.
    language : str
        ISO 639 code. zh is cut by jieba, ja by MeCab (fugashi, with the dictionary unidic-lite),
        th by pythainlp (newmm); texts of any other language are given back as they are.

    Returns
    -------
    list of str
        As many as `texts`. Line breaks stay, punctuation is a word of its own, and no character
        is added, lost or moved but for white space. The same text gives the same words. What has
        no space in it for more than 1000 characters is cut in pieces of at most that, at the end
        of a sentence or another mark if there is one, and a word never crosses their bounds.

    Raises
    ------
    InputError
        When a package that the language needs is not installed.
    """
    if not needs_segmentation(language):
        return list(texts)
    cut = _CUTTERS[_LANGUAGES[language]]()
    return [_segment_text(text, cut) for text in texts]


def _segment_text(text: str, cut: Callable[[str], Sequence[str]]) -> str:
    # MeCab reads up to the first null character.
    lines = text.replace("\0", " ").splitlines()
    return "\n".join(" ".join(_cut_line(line, cut)) for line in lines)


def _cut_line(line: str, cut: Callable[[str], Sequence[str]]) -> list[str]:
    # Cut between the spaces that are there, so that a space is never inside a word.
    return [word for part in line.split() for piece in _PIECE.findall(part) for word in cut(piece)]


@lru_cache(maxsize=1)
def _load_chinese() -> Callable[[str], Sequence[str]]:
    with warnings.catch_warnings():
        # Its source has old escapes, which Python 3.12 warns of.
        warnings.simplefilter("ignore")
        jieba = _import("jieba", "zh")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # What `initialize` does, without its cache: that is a marshal file of a fixed name in the
    # shared temporary folder, which anyone may have put there. Building takes about a second.
    with tokenizer.get_dict_file() as file:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(file)
    tokenizer.initialized = True
    return tokenizer.lcut


@lru_cache(maxsize=1)
def _load_japanese() -> Callable[[str], Sequence[str]]:
    fugashi = _import("fugashi", "ja")
    # Named, as fugashi would take the larger `unidic` where that is installed too.
    folder = _import("unidic_lite", "ja").DICDIR
    tagger = fugashi.Tagger(f'-Owakati -r "{folder}/mecabrc" -d "{folder}"')

    def cut(text: str) -> list[str]:
        words: list[str] = tagger.parse(text).split()
        return words

    return cut


@lru_cache(maxsize=1)
def _load_thai() -> Callable[[str], Sequence[str]]:
    with _no_data_folder():
        tokenize = _import("pythainlp.tokenize", "th").word_tokenize
        tokenize("\u0e01", engine="newmm")  # loads the dictionary

    def cut(text: str) -> list[str]:
        words: list[str] = tokenize(text, engine="newmm", keep_whitespace=False)
        return words

    return cut


@contextmanager
def _no_data_folder() -> Iterator[None]:
    """Keep pythainlp from making a folder in the user's home, which nothing here needs."""
    if "PYTHAINLP_READ_MODE" in os.environ or "PYTHAINLP_READ_ONLY" in os.environ:
        yield
        return
    os.environ["PYTHAINLP_READ_ONLY"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHAINLP_READ_ONLY"]


_CUTTERS = {"zh": _load_chinese, "ja": _load_japanese, "th": _load_thai}


def _import(name: str, language: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        raise InputError(
            f"text in '{language}' has no spaces between words, and {package}, which finds the "
            "words, is not installed: pip install 'biasatlas[segmentation]'"
        ) from error
