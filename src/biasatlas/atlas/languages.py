"""Section on languages: association tests under many encoders, models and lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.language_heatmap import heat_figure, heat_key, prepare, tests_table
from biasatlas.atlas.language_lists import problem_figures
from biasatlas.atlas.language_models import (
    cluster_figure,
    comparison_figure,
    plain_figure,
    reading_figures,
    space_figure,
)
from biasatlas.atlas.language_names import (
    BEYOND,
    ENCODERS,
    FOUND,
    WITHIN,
    encoder_order,
    has_null,
    language_label,
    language_order,
    marks,
    page_address,
    table_links,
)
from biasatlas.atlas.multiverse import PUBLISHED_MIX, agreement_figure, disagreeing, strip_figure
from biasatlas.atlas.parts import (
    EMPTY,
    DataTable,
    Figure,
    Section,
    given,
    percent,
    plural,
)
from biasatlas.atlas.sensitivity_chart import sensitivity_figures
from biasatlas.atlas.translation_chart import translation_figures

if TYPE_CHECKING:
    import pandas as pd

NOTES = [
    "d above 0 (blue): the vectors put X nearer to A than Y; below 0 (brown): the other way round. "
    "What X, Y, A and B are stands above the map.",
    "d of different encoders and models are not on one scale: their vectors fill space "
    "differently. Compare signs and ranks, and each d with its own null, not sizes between maps.",
    "The null: pairs of sets drawn from the targets of the same language's other tests, on the "
    "same vectors. The percentile on hover says where d lies among them, or that the language has "
    f"too few other tests. {BEYOND}: q under {FOUND:g} and d outside the middle 95% of them. {WITHIN}: the "
    "same q alone: other topics do as well, or there are none to compare, so no bias may be concluded.",
    "p counts partitions of the target words; q corrects p two-sided (Benjamini-Hochberg) over "
    "every row of the run's table, so over all languages, models, lists, encoders and spaces at "
    "once. Neither corrects for a bad list or a bad encoder.",
    "A translation is a list made by someone: a d that differs between languages may come "
    "from the words chosen as well as from the language or the model.",
]
TABLES = (
    "weathub",
    "weathub_models",
    "weathub_lists",
    "sensitivity",
    "translations",
    "translation_summary",
    "agreement",
    "model_comparison",
    "language_clusters",
    "gendered_forms",
)
_READ_MORE = [
    (
        "Mukherjee, Raj, Zhu & Anastasopoulos 2023, Global Voices, Local Biases (WEATHub)",
        "https://doi.org/10.18653/v1/2023.emnlp-main.981",
    ),
    (
        "Timkey & van Schijndel 2021, All Bark and No Bite",
        "https://doi.org/10.18653/v1/2021.emnlp-main.372",
    ),
]


def section(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> Section | None:
    """Show scores, encoders, models and lists of every language; None where a run has none."""
    about = info.get("languages", {})
    scores = given(tables, "weathub")
    found = [name for name in TABLES if given(tables, name) is not None]
    if not found and not about.get("left_out"):
        return None
    figures = [] if scores is None else score_figures(scores, given(tables, "agreement"))
    figures += sensitivity_figures(given(tables, "sensitivity"))
    figures += translation_figures(
        given(tables, "translations"), given(tables, "translation_summary")
    )
    figures += reading_figures(given(tables, "weathub_models"))
    others = [
        comparison_figure(given(tables, "model_comparison")),
        cluster_figure(given(tables, "language_clusters")),
    ]
    if scores is not None:
        others.append(space_figure(scores))
    figures += [figure for figure in others if figure is not None]
    if scores is not None:
        figures += plain_figure(scores, given(tables, "gendered_forms"))
    figures += problem_figures(given(tables, "weathub_lists"))
    cards = warnings(about)
    if found:
        cards += _pages(tables) + table_links(found)
    if scores is not None:
        cards += meanings(scores) + heat_key()
    return Section(
        "Languages",
        "languages",
        _finding(scores, given(tables, "agreement")),
        figures,
        cards=cards,
        notes=NOTES if scores is not None else [],
        read_more=_READ_MORE,
    )


def score_figures(scores: pd.DataFrame, agreement: pd.DataFrame | None) -> list[Figure]:
    """Give heat map, strips and agreement of rows of weathub."""
    prepared = prepare(scores)
    several = scores["language"].nunique() > 1
    figures = [
        heat_figure(prepared, "Languages by test" if several else "Encoders by test"),
    ]
    strips = strip_figure(prepared)
    agreed = agreement_figure(agreement)
    return figures + [figure for figure in (strips, agreed) if figure is not None]


def meanings(scores: pd.DataFrame) -> Markup:
    """Say what tests and encoders are, each behind a fold."""
    return tests_table(scores).html() + _encoders(scores).html()


def _encoders(scores: pd.DataFrame) -> DataTable:
    names = encoder_order(scores["encoder"])
    body = [[name, ENCODERS.get(name, "see the run's configuration")] for name in names]
    return DataTable(
        ["Encoder", "How a word becomes a vector"],
        body,
        summary=f"What the encoders are: {plural(len(body), 'encoder')}",
    )


def warnings(about: Mapping[str, Any]) -> Markup:
    """Give what the run left out and what its vectors cannot bear, as a list of warnings."""
    said = [*about.get("texts", []), *about.get("left_out", [])]
    if not said:
        return EMPTY
    items = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in said)
    return Markup('<div class="warnings"><ul>{}</ul></div>').format(items)


def _pages(tables: Mapping[str, pd.DataFrame]) -> Markup:
    codes: set[str] = set()
    for name in ("weathub", "weathub_models"):
        frame = given(tables, name)
        if frame is not None:
            codes |= set(frame["language"])
    if not codes:
        return EMPTY
    items = Markup(", ").join(
        Markup('<a href="{}">{}</a>').format(page_address(code), language_label(code))
        for code in language_order(codes)
    )
    return Markup("<p>A page for each language, with its word lists: {}.</p>").format(items)


def counts(scores: pd.DataFrame) -> str:
    """Count scores that separate their words, are thin and are refused, as part of a sentence."""
    refused = scores["effect_size"].isna()
    mark = marks(scores)
    found = scores[mark != ""]
    said = (
        f"{plural(len(scores), 'score')}: {len(found):,} separate their words (q under {FOUND:g}, "
        "two-sided, over the whole table)"
    )
    if len(found):
        distinct = len(found[["language", "model", "test"]].drop_duplicates())
        beyond = int((mark == BEYOND).sum())
        within = int((has_null(scores) & (mark == WITHIN)).sum())
        said += (
            f" in {plural(distinct, 'combination')} of language, model and test, as lists, encoders "
            f"and spaces repeat one another: {beyond:,} of the {len(found):,} lie beyond pairs of "
            f"other topics, {within:,} within, {len(found) - beyond - within:,} have no such null"
        )
    thin = int((scores["status"] == "thin").sum())
    return f"{said}; {thin:,} thin, {int(refused.sum()):,} refused"


def _finding(scores: pd.DataFrame | None, agreement: pd.DataFrame | None) -> str:
    if scores is None:
        return "The run has no association scores by language and encoder."
    size = [
        plural(scores["language"].nunique(), "language"),
        plural(scores["test"].nunique(), "test"),
        plural(scores["encoder"].nunique(), "encoder"),
        plural(scores["model"].nunique(), "model"),
    ]
    text = f"{', '.join(size)}; {counts(scores)}"
    if agreement is not None:
        split, n = disagreeing(agreement)
        if n:
            text += (
                f". The encoders of a model disagree on the sign of d in {percent(split / n)} of "
                f"{plural(n, 'cell')} ({PUBLISHED_MIX})"
            )
            if 4 * split >= n:
                text += ", so a single encoder's d is no property of a language"
    return f"{text}."
