"""The page of one language: its scores, its word lists in their own script, its models."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.language_heatmap import heat_key
from biasatlas.atlas.language_lists import problem_figures
from biasatlas.atlas.language_models import (
    comparison_figure,
    plain_figure,
    reading_figures,
    space_figure,
)
from biasatlas.atlas.language_names import language_label, language_name, table_links
from biasatlas.atlas.language_words import word_cards
from biasatlas.atlas.languages import NOTES, TABLES, counts, meanings, score_figures, warnings
from biasatlas.atlas.multiverse import own_agreement
from biasatlas.atlas.parts import EMPTY, Section, given, plural
from biasatlas.atlas.sensitivity_chart import sensitivity_figures
from biasatlas.atlas.translation_chart import translation_figures
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

WORDS = ("language", "variant", "test", "description", "set", "set_name", "position", "word", "file", "refusal", "name")  # fmt: skip
_DOWNLOAD = 1_000_000
_SCORES = ("language", "model", "variant", "encoder", "space", "test", "x", "y", "a", "b", "n_x", "n_y", "n_a", "n_b", "effect_size", "effect_low", "effect_high", "p_value", "p_two_sided", "q_two_sided", "null_low", "null_high", "null_percentile", "null_n", "status", "note")  # fmt: skip


def title(language: str, info: Mapping[str, Any]) -> str:
    """Give the heading of the page."""
    return f"{language_label(language)}: {info['title']}"


def own_tables(language: str, tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give the rows of one language of the tables of languages, without empty tables."""
    return {
        name: part.reset_index(drop=True)
        for name in TABLES
        if (frame := given(tables, name)) is not None
        and "language" in frame
        and len(part := frame[frame["language"] == language])
    }


def sections(
    language: str,
    words: pd.DataFrame,
    mine: Mapping[str, pd.DataFrame],
    info: Mapping[str, Any],
) -> list[Section]:
    """Give the sections of the page; `mine` is what `own_tables` gives."""
    lacking = [name for name in WORDS if name not in words]
    if lacking:
        raise InputError(
            [f"words of {language}: the column {name!r} is missing" for name in lacking]
        )
    own = words[words["language"] == language]
    made = [
        _scores(language, mine, info),
        _translations(mine),
        _lists(language, own, mine),
        _models(mine),
        _download(own, mine),
    ]
    return [section for section in made if section is not None]


def _scores(
    language: str, mine: Mapping[str, pd.DataFrame], info: Mapping[str, Any]
) -> Section | None:
    cards = warnings(info.get("languages", {}))
    scores = mine.get("weathub")
    if scores is None:
        return Section(
            "Scores", "scores", f"The run scores nothing in {language_name(language)}.", cards=cards
        )
    figures = score_figures(scores, mine.get("agreement"))
    spaces = space_figure(scores)
    figures += [spaces] if spaces is not None else []
    figures += plain_figure(scores, mine.get("gendered_forms"))
    finding = counts(scores)
    agreed = own_agreement(mine["agreement"], language) if "agreement" in mine else ""
    return Section(
        "Scores",
        "scores",
        f"{finding}{'; ' + agreed if agreed else ''}.",
        figures,
        cards=cards + meanings(scores) + heat_key(),
        notes=NOTES,
    )


def _translations(mine: Mapping[str, pd.DataFrame]) -> Section | None:
    figures = translation_figures(mine.get("translations"), None, whole=False)
    if not figures:
        return None
    scored = mine["translations"]
    scored = scored[scored["difference"].notna()]
    alike = int(((scored["d_human"] > 0) == (scored["d_machine"] > 0)).sum())
    finding = (
        f"The two translations give one sign in {alike} of {plural(len(scored), 'comparison')} "
        "(a test under one model, encoder and space)."
    )
    return Section("Human and machine translation", "translations", finding, figures)


def _lists(language: str, own: pd.DataFrame, mine: Mapping[str, pd.DataFrame]) -> Section | None:
    problems = mine.get("weathub_lists")
    if own.empty and problems is None:
        return None
    finding = (
        f"{plural(own[['variant', 'test']].drop_duplicates().shape[0], 'list')} of "
        f"{plural(own['test'].nunique(), 'test')} with {plural(len(own), 'entry', 'entries')}."
    )
    refused = own.loc[own["refusal"] != "", ["variant", "test"]].drop_duplicates().shape[0]
    if refused:
        finding += f" {plural(refused, 'list')} refused; the reason stands with it."
    notes = [
        "Words stand as they were scored: repaired where that is marked. A line holds one concept "
        "in the machine and the human translation; in the other lists lines only count.",
        "Dotted line: names of persons, where the list marks them (WEATHub's lists do not). Marks: "
        "the word stands in two opposing sets, in a target and an attribute set, or twice; its form "
        "was repaired; it was taken from an entry of several words.",
        "No native speaker has checked these lists for this project.",
        "Boxes instead of letters mean that your computer has no font of the script; Noto fonts "
        "have all of them.",
    ]
    return Section(
        "Word lists",
        "lists",
        finding,
        problem_figures(problems),
        cards=word_cards(language, own, problems),
        notes=notes,
    )


def _models(mine: Mapping[str, pd.DataFrame]) -> Section | None:
    models = mine.get("weathub_models")
    figures = reading_figures(models)
    figures += sensitivity_figures(mine.get("sensitivity"))
    compared = comparison_figure(mine.get("model_comparison"))
    figures += [compared] if compared is not None else []
    if not figures:
        return None
    finding = "Models by what they read and how far apart they put words."
    if models is not None:
        read = int((models["status"] == "ok").sum())
        finding = (
            f"{read} of {plural(len(models), 'model')} can read the words. That a model knows the "
            "language is not tested: the fewer pieces a word is cut into, the likelier."
        )
    return Section("Models and encoders", "models", finding, figures)


def _download(own: pd.DataFrame, mine: Mapping[str, pd.DataFrame]) -> Section | None:
    links = []
    if "weathub" in mine:
        keys = ["model", "variant", "encoder", "space", "test"]
        scores = mine["weathub"].sort_values(keys, kind="stable")[list(_SCORES)]
        links.append(_csv("scores", scores))
    if len(own):
        keys = ["variant", "test", "set", "position", "word"]
        links.append(_csv("words", own.sort_values(keys, kind="stable")[list(WORDS)]))
    if not links:
        return None
    cards = Markup("<ul>{}</ul>").format(Markup("").join(links))
    found = sorted(mine)
    cards += table_links(found, "../../") if found else EMPTY
    return Section("Download", "download", "The rows behind this page.", cards=cards)


def _csv(name: str, frame: pd.DataFrame) -> Markup:
    """Give a link that holds the rows themselves; a page without its run keeps them."""
    language = str(frame["language"].iloc[0])
    text = frame.to_csv(index=False, lineterminator="\n", float_format="%.6g").encode()
    rows = plural(len(frame), "row")
    if len(text) > _DOWNLOAD:
        return Markup("<li>{}: {}, too many for this page; take the table below.</li>").format(
            name.capitalize(), rows
        )
    address = f"data:text/csv;charset=utf-8;base64,{base64.b64encode(text).decode()}"
    return Markup('<li><a href="{}" download="{}-{}.csv">{}-{}.csv</a>: {}</li>').format(
        address, language, name, language, name, rows
    )
