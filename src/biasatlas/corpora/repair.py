r"""Repair of the characters that a wrong decoding broke in the news articles.

The articles' UTF-8 was once read as a two-byte Chinese encoding and then mended by hand. What
is left, counted in the 3,824 articles, and what each trace stood for:

============================  ==========================================================
``,"?Sen`` ``."?He``           closing quotation mark, the space after it lost
``DeVos"?highly``              apostrophe (plural or name in s) and lost space, or a
                               closing quotation mark when one is open
``end "?or`` ``end -"?or``     dash and lost space
``2010"?11``                   en dash between numbers
``"\ufffds`` ``n"t``            apostrophe
``"\ufffdWord``                opening quotation mark
``they'r`` ``I'l``             the letter after the apostrophe lost
``police.- Others`` ``of-the`` no-break space, printed as a hyphen: told after a mark or beside
                               a function word; between other words it cannot be known
``Siobh\ufffd\ufffdn``          an accented letter that cannot be known any more: left out,
                               so that the name stays one word
============================  ==========================================================

No rule joins two words: where a space may have been lost, one is put back.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_LOST = "\ufffd"
_ENDING = r"(?=(?:s|t|m|d|r|ll|ve|re|S|T|M|D|LL|VE|RE)\b)"
_Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]


def _close_or_apostrophe(match: re.Match[str]) -> str:
    """Decide for ``word"?word`` by whether a quotation is open just before."""
    before = match.string[max(0, match.start() - 200) : match.start()]
    if not before.endswith(("s", "S")):
        return '" '
    last = before.rfind('"')
    is_open = last == 0 or (last > 0 and before[last - 1] in " \n\t([")
    return '" ' if is_open else "' "


_BEFORE: tuple[_Rule, ...] = (
    (re.compile("\u00a0"), " "),
    (re.compile(rf"\s*{_LOST}+\?\s*"), " \u2013 "),
    (re.compile(rf'(?<=[A-Za-z])"{_LOST}{_ENDING}'), "'"),
    (re.compile(rf'\b([ODLdl])"{_LOST}(?=[A-Z])'), r"\1'"),
    (re.compile(rf'(?<=s)"{_LOST}(?=\s)'), "'"),
    (re.compile(rf'(?<=[.,;:!?])"{_LOST}(?=\w)'), '" '),
    (re.compile(rf'(?<=\w)"{_LOST}(?=\w)'), " \u2013 "),
    (re.compile(rf'"{_LOST}'), '"'),
    (re.compile(rf'(?<=[A-Za-z])"{_ENDING}'), "'"),
    (re.compile(r'\bO"(?=[a-z])'), "O'"),
    (re.compile(r'(?<=[a-z])"(?=[a-z])'), '" '),
)
_BROKEN_QUOTE: tuple[_Rule, ...] = (
    (re.compile(r'(?<=\d)"\?(?=\d)'), "\u2013"),
    (re.compile(r'(?<=\S)(?:"\?){2,}\s*'), '" \u2013 '),
    (re.compile(r'(?<=[^\w\s-])"\?\s*'), '" '),
    (re.compile(r'(?:^|\s+)-*"\?\s*|-"\?\s*'), " \u2013 "),
    (re.compile(r'(?<=\w)"\?\s*'), _close_or_apostrophe),
)
_AFTER: tuple[_Rule, ...] = (
    (re.compile(r"\b([Tt]hey|[Ww]e|[Yy]ou|[Ww]ho|[Ww]hat|[Tt]here)'r\b"), r"\1're"),
    (re.compile(r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t|[Tt]hat)'l\b"), r"\1'll"),
    # not after an initial: U.S.-led keeps its hyphen
    (re.compile(r"""(?<=[a-z)\]"'/.][.])-+\s*(?=[A-Za-z"'@(]|$)"""), " "),
    (re.compile(r"(?<=[A-Z]{2}[.])-+\s*(?=[A-Za-z]|$)"), " "),
    (re.compile(r"(?<=\d[.])-+\s*(?=[A-Z])"), " "),
    (re.compile(r"""(?<=\w[,;:!?])-+\s*(?=[\w"'@(]|$)"""), " "),
    (re.compile(r"(?<![-\w])(the|of|and|with|was|were|has|had|that|their|his|her)-(?=\w)"), r"\1 "),
    (re.compile(r"(?<=[a-z])-(?=(?:the|who|which|was|were|has|had|that|his|her)(?![-\w]))"), " "),
    (re.compile(r"""(?<=[.,!?]["'])-+\s*(?=[A-Za-z"'@(]|$)"""), " "),
    (re.compile(rf"{_LOST}+-(?=\w)"), " "),
    (re.compile(_LOST), ""),
)


def repair_news(text: str) -> str:
    r"""Undo the traces of the wrong decoding listed on top of this module.

    Parameters
    ----------
    text : str
        An article or title as it stands in the file.

    Returns
    -------
    str
        The repaired text; unbroken text comes back as it was.

    Examples
    --------
    >>> repair_news('an impasse,"?Sen. Smith said. DeVos"?highly didn"t')
    'an impasse," Sen. Smith said. DeVos\' highly didn\'t'
    """
    for pattern, replacement in _BEFORE:
        text = pattern.sub(replacement, text)
    if '"?' in text:
        for pattern, replacement in _BROKEN_QUOTE:
            text = pattern.sub(replacement, text)
    for pattern, replacement in _AFTER:
        text = pattern.sub(replacement, text)
    return text
