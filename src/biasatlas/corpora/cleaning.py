"""Cleaning that is the same for every source."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")

# (pattern, replacement) in Rust's regex syntax, in this order.
# Rust's engine takes time in proportion to the text, whatever the text. A parser of HTML does not:
# Lexbor and its like build a tree, and a megabyte of <ul><li> takes them minutes.
_RULES: tuple[tuple[str, str], ...] = (
    (r"(?s)<!--.*?-->", " "),
    (r"(?is)<script\b[^<>]*>.*?</script\s*>", " "),
    (r"(?is)<style\b[^<>]*>.*?</style\s*>", " "),
    (r"</?[A-Za-z][^<>]*>", " "),
    (r"""(?i)\b(?:https?://|ftp://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]']""", " "),
    (r"""(?i)\b(?:pic\.twitter\.com|t\.co|bit\.ly|youtu\.be)/[^\s<>"]*[^\s<>".,;:!?)\]']""", " "),
    (r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+", " "),
    (r"(^|[^\w])@\w+", "$1 "),
    (r"(^|[\s(])/?u/[\w-]+", "$1 "),
    # joiners have a meaning in Persian and Indic scripts, none beside Latin letters or spaces
    (r"([\p{Latin}\p{P}\s])[\x{200c}\x{200d}]+", "$1"),
    (r"[\x{200c}\x{200d}]+([\p{Latin}\p{P}\s]|$)", "$1"),
    (r"^[\x{200c}\x{200d}]+", ""),
    (r"[\x{ad}\x{200b}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2064}]", ""),
    (r"[\x{2066}-\x{206f}\x{feff}\x{fffd}]", ""),
    (r"\p{Cc}", " "),
    (r"\(\s*\)|\[\s*\]", " "),
    (r"\s+", " "),
)  # fmt: skip


def clean(texts: pl.Series) -> pl.Series:
    """Mend encodings and take out what is not running text.

    In this order: mojibake (ftfy, only where a text is not ASCII), HTML entities, comments,
    scripts, styles and tags, web addresses, e-mail addresses, user names (``@name``, ``u/name``),
    zero-width and control characters, empty brackets, white space. Each removal leaves a space, so
    that no words are joined; quotation marks come out straight.

    Parameters
    ----------
    texts : polars.Series of str
        Missing values count as empty.

    Returns
    -------
    polars.Series of str
        Same length and name.
    """
    import polars as pl

    name = texts.name
    texts = texts.cast(pl.String).fill_null("")
    raw = texts.to_list()
    mended = pl.Series("text", [_mend(text) for text in raw], dtype=pl.String)
    column = pl.col("text")
    for pattern, replacement in _RULES:
        column = column.str.replace_all(pattern, replacement)
    cleaned = mended.to_frame().select(column.str.strip_chars()).to_series()
    return cleaned.rename(name)


def _mend(text: str) -> str:
    if not text.isascii():
        import ftfy

        # ftfy would take control characters out without leaving a space
        text = ftfy.fix_text(
            text, unescape_html=False, remove_control_chars=False, remove_terminal_escapes=False
        )
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text
