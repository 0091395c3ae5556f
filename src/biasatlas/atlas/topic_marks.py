"""What is said of a topic wherever it stands: its name, its gender, its marks and its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

from biasatlas.atlas.charts import GENDERS, NOT_SIGNIFICANT, wrap
from biasatlas.atlas.parts import LEVEL, missing, percent

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

OUTLIERS = -1
SIDES = {"female": "more female", "male": "more male", "none": "not significant"}
PLAIN_TEXT = "#5f5f5f"
"""Ink of names of topics that lean to neither side: their dots' grey is too light to read."""
SAME_TOPIC = 0.5
"""Jaccard overlap from which two groups of passages are the same topic (Hennig 2007)."""
FLAG, CHANGES = "†", "‡"


@dataclass(frozen=True)
class Reading:
    """How the topics of a run are to be read.

    Attributes
    ----------
    level : float
        Rate of false discoveries.
    tested : bool
        Whether genders come from a test, not from the paper's rule.
    masked : bool or None
        Whether gender terms were hidden from the model; None where the run does not say.
    several : bool
        Whether there are topics in several languages.
    """

    level: float
    tested: bool
    masked: bool | None
    several: bool

    @property
    def changes(self) -> str:
        """Say what a topic does whose passages part in the other view of the text."""
        other = {True: "shown", False: "hidden", None: "shown or hidden"}[self.masked]
        return f"changes when gender terms are {other}"


def reading_of(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Reading:
    """Gather how topics are to be read from the run's settings."""
    chosen = info.get("settings", {}).get("topics", {})
    masked = chosen.get("mask_gender_terms")
    return Reading(
        level=float(chosen.get("fdr", LEVEL)),
        tested=chosen.get("alignment", "log_odds") == "log_odds",
        masked=masked if isinstance(masked, bool) else None,
        several=tables["topics"]["language"].nunique() > 1,
    )


@dataclass(frozen=True)
class Marks:
    """Reasons for care with a topic: flags of its text, doubts of stability, and circularity."""

    flags: tuple[str, ...] = ()
    unstable: bool = False
    changes: str = ""

    @property
    def sign(self) -> str:
        """Give the signs that stand behind a name in a chart."""
        return (FLAG if self.flags else "") + (CHANGES if self.changes else "")

    @property
    def texts(self) -> list[str]:
        """Give all marks in words."""
        unstable = ["unstable"] if self.unstable else []
        return [*self.flags, *unstable, *([self.changes] if self.changes else [])]


def marks_of(row: Mapping[str, Any], reading: Reading) -> Marks:
    """Tell the marks of one topic; what its flags say of stability or masking is told once."""
    flags = [flag for flag in row["flags"].split("; ") if flag]
    unstable = [flag for flag in flags if flag.startswith("unstable")]
    views = [flag for flag in flags if flag.endswith(("gender terms hidden", "gender terms shown"))]
    changes = views[0] if views else ""
    # What another seed changes as well says nothing of gender terms; NaN is under nothing.
    if row["jaccard_masking"] < SAME_TOPIC and not row["jaccard_seed"] < SAME_TOPIC:
        changes = changes or reading.changes
    return Marks(
        tuple(flag for flag in flags if flag not in unstable + views),
        row["stability"] == "unstable" or bool(unstable),
        changes,
    )


def unique_labels(part: pd.DataFrame) -> list[str]:
    """Give each topic's label, with its number where two topics share one or it is empty."""
    labels = part["label"].where(part["label"] != "", "topic").tolist()
    return [
        f"{label} (#{topic})" if labels.count(label) > 1 or label == "topic" else label
        for label, topic in zip(labels, part["topic"], strict=True)
    ]


def short_name(text: str, width: int) -> str:
    """Cut a name for a chart between words; inside a word where it has none that fits."""
    cut = wrap(text, width, lines=1)
    return cut if cut.strip(" …") else f"{text[: width - 1].strip()}…"


def side_colour(legend: bool = True, plain: str = NOT_SIGNIFICANT) -> alt.Color:
    """Give the colour of a topic by the side it leans to; `plain` where it leans to neither."""
    import altair as alt

    colours = [GENDERS["female"], GENDERS["male"], plain]
    scale = alt.Scale(domain=list(SIDES.values()), range=colours)
    if legend:
        return alt.Color("gender:N", title=None, scale=scale)
    return alt.Color("gender:N", title=None, scale=scale, legend=None)


def chip(gender: str, other: str = "neither") -> Markup:
    """Give a gender as a small coloured word; `other` where it is neither female nor male."""
    word = gender if gender in ("female", "male") else other
    return Markup('<span class="chip {}">{}</span>').format(word, word)


def stability_text(row: Mapping[str, Any]) -> str:
    """Say in plain words how far a topic comes again."""
    if row["stability"] == "unknown":
        return "not measured"
    text = row["stability"]
    if not missing(row["recovered"]):
        text += f": comes again in {percent(row['recovered'])} of document draws"
        if not missing(row["same_gender"]):
            text += f", in {percent(row['same_gender'])} leaning the same way"
    return str(text)


def topic_key(row: Mapping[str, Any], several: bool) -> str:
    """Give the name of a topic in the page's address, as in ``#topic=europe/12``."""
    place = f"{row['language']}/{row['region']}" if several else row["region"]
    return f"{place}/{row['topic']}"


class TopicLinks:
    """Links from any section to the cards of topics."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        frame = tables["topics"]
        frame = frame[frame["topic"] != OUTLIERS]
        self._several = tables["topics"]["language"].nunique() > 1
        self._known = set(zip(frame["language"], frame["region"], frame["topic"], strict=True))

    def key(self, language: str, region: str, topic: int) -> str:
        """Give the key of a topic's card; empty where there is none."""
        if (language, region, topic) not in self._known:
            return ""
        row = {"language": language, "region": region, "topic": topic}
        return topic_key(row, self._several)

    def link(self, language: str, region: str, topic: int, text: str) -> Markup:
        """Give text that leads to the card of a topic; plain text where there is no card."""
        key = self.key(language, region, topic)
        if not key:
            return escape(text)
        address = "#topic=" + quote(key, safe="/")
        return Markup('<a href="{}" dir="auto">{}</a>').format(address, text)


_DOT = '<circle cx="12" cy="8" r="5" fill="{}" stroke="{}" stroke-width="1.6"{}/>'
_INK = GENDERS["female"]


def topic_key_box(unstable: bool, flags: bool, changes: str, clickable: bool) -> Markup:
    """Give the key to the charts of topics, with those signs only that occur."""
    dots = [
        (GENDERS["female"], GENDERS["female"], "", "more female"),
        (GENDERS["male"], GENDERS["male"], "", "more male"),
        (NOT_SIGNIFICANT, NOT_SIGNIFICANT, "", "cannot be told from the rest"),
    ]
    if unstable:
        dots.append(("white", _INK, ' stroke-dasharray="2.5 2"', "hollow: unstable"))
    items = Markup("").join(
        Markup(
            '<li><svg viewBox="0 0 24 16" width="24" height="16" aria-hidden="true">{}</svg>'
            "<span>{}</span></li>"
        ).format(Markup(_DOT.format(fill, stroke, dash)), text)
        for fill, stroke, dash, text in dots
    )
    signs = [(FLAG, "carries a flag: see its card")] if flags else []
    signs += [(CHANGES, changes)] if changes else []
    items += Markup("").join(
        Markup("<li><strong>{}</strong><span>{}</span></li>").format(sign, text)
        for sign, text in signs
    )
    said = Markup("")
    if clickable:
        said = Markup('<p class="on-screen">Click a dot to see its topic.</p>')
    return Markup('<div class="key"><ul>{}</ul>{}</div>').format(items, said)
