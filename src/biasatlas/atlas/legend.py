"""The key to the forest plots, drawn once above them."""

from __future__ import annotations

from markupsafe import Markup

from biasatlas.atlas.forest import BAND, BAND_MEDIAN

_COLOUR = "#0072B2"
_DOT = f'<circle cx="20" cy="8" r="4" fill="{_COLOUR}"/>'
_BAND = f'<rect x="4" y="2" width="32" height="12" fill="{BAND}"/>'
_SIGNS = (
    (_DOT, "one model (a seed)"),
    (f'<rect x="18.5" y="1" width="3" height="14" fill="{_COLOUR}"/>', "mean over seeds"),
    (
        f'<rect x="8" y="5" width="24" height="6" fill="{_COLOUR}" opacity="0.38"/>',
        "moves so far with other seeds or documents",
    ),
    (
        f'<path d="M2,8H38" stroke="{_COLOUR}" stroke-width="1.3"/>',
        "moves so far with other words",
    ),
    (
        f'{_BAND}<rect x="19" y="2" width="2" height="12" fill="{BAND_MEDIAN}"/>',
        "what random words give: a dot in here shows nothing",
    ),
    (
        f'<circle cx="20" cy="8" r="3.6" fill="white" stroke="{_COLOUR}" stroke-width="1.7"/>',
        "thin: too few words found",
    ),
    (
        f'<path d="M16,4L24,12M16,12L24,4" stroke="{_COLOUR}" stroke-width="1.8"/>',
        "vectors fail the control: do not believe",
    ),
)


def forest_key(clickable: bool = False, more: str = "") -> Markup:
    """Give the key as HTML.

    Parameters
    ----------
    clickable : bool
        Whether a dot opens the words behind it.
    more : str
        A sentence for everyone, printed as well.
    """
    items = Markup("").join(
        Markup(
            '<li><svg viewBox="0 0 40 16" width="40" height="16" aria-hidden="true">{}</svg>'
            "<span>{}</span></li>"
        ).format(Markup(sign), text)
        for sign, text in _SIGNS
    )
    said = Markup("<p>{}</p>").format(more) if more else Markup("")
    if clickable:
        said += Markup(
            '<p class="on-screen">Click a dot, or use the list under a panel, to see the words that '
            "drive it.</p>"
        )
    return Markup('<div class="key"><ul>{}</ul>{}</div>').format(items, said)
