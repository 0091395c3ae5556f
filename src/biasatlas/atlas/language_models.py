"""Which model reads which language, and how models and languages compare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.language_names import (
    FOUND,
    add_labels,
    encoder_order,
    language_label,
    language_name,
    language_order,
)
from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    integer,
    listing,
    missing,
    number,
    percent,
    plural,
    records_of,
)

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 400


def reading_figures(models: pd.DataFrame | None) -> list[Figure]:
    """Give what share of each language's words each model reads, and why some are refused.

    Parameters
    ----------
    models : pandas.DataFrame or None
        The table weathub_models.
    """
    if models is None:
        return []
    rows = records_of(models.sort_values(["language", "model"], kind="stable"))
    names = sorted(set(models["model"]))
    cells = {(row["language"], row["model"]): _reads(row) for row in rows}
    order = language_order(models["language"])
    one = len(order) == 1
    figures = []
    if not one:
        body = [
            [language_label(code), *(cells.get((code, name), "") for name in names)]
            for code in order
        ]
        caption = (
            "Share of the words of a language's lists that a model reads: neither unknown to it nor "
            "cut into single letters. Refused: too few. Empty: the run does not ask this model. "
            "Readable is not known: an English model spells German in pieces that it knows from "
            "English, and fastText composes words that it never saw. The numbers below say into "
            "how many pieces words are cut, and how many are composed."
        )
        table = DataTable(["Language", *names], body, frozenset(names))
        figures.append(Figure(caption, table=table, title="What reads what"))
    rank = {code: place for place, code in enumerate(order)}
    headers = ["Language", "Model", "Made for", "Kind", "Words", "Read", "Unknown", "Cut to letters", "Too long", "Pieces a word", "Readable", "Status", "Why, and notes"]  # fmt: skip
    body = [
        [
            language_label(row["language"]),
            row["model"],
            row["group"],
            row["kind"],
            *(integer(row[f"n_{name}"]) for name in ("words", "read", "unknown", "letters")),
            integer(row["n_too_long"]),
            number(row["pieces_per_word"], 1),
            percent(row["readable"]),
            row["status"],
            row["note"],
        ]
        for row in sorted(rows, key=lambda row: (row["status"] == "ok", rank[row["language"]]))
    ]
    what = "model" if one else "language and model"
    refused = [
        row["model"] if one else f"{language_name(row['language'])} by {row['model']}"
        for row in rows
        if row["status"] == "refused"
    ]
    named = f" ({listing(refused)})" if 0 < len(refused) <= 6 else ""
    caption = f"Every {what}, refused ones first: {len(refused)} of {len(models):,} refused{named}."
    summary = "" if one else f"Numbers: {plural(len(body), 'row')}"
    if one:
        headers, body = headers[1:], [row[1:] for row in body]
    numbers = {"Words", "Read", "Unknown", "Cut to letters", "Too long", "Pieces a word"}
    table = DataTable(headers, body, frozenset({*numbers, "Readable"}), summary)
    title = "What reads this language" if one else ""
    figures.append(Figure(caption, table=table, title=title))
    return figures


def _reads(row: Mapping[str, Any]) -> str:
    share = percent(row["readable"])
    return f"refused ({share})" if row["status"] == "refused" else share


def _by_encoder(frame: pd.DataFrame, first: list[str], last: list[str]) -> pd.DataFrame:
    rank = {name: place for place, name in enumerate(encoder_order(frame["encoder"]))}
    placed = frame.assign(_rank=frame["encoder"].map(rank))
    return placed.sort_values([*first, "_rank", *last], kind="stable").drop(columns="_rank")


def comparison_figure(frame: pd.DataFrame | None) -> Figure | None:
    """Give each pair of models over languages, by encoder and space.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        The table model_comparison.
    """
    if frame is None:
        return None
    keys = ["model", "other_model", "encoder", "space"]
    body = []
    ordered = _by_encoder(add_labels(frame), ["model", "other_model"], ["space", "language"])
    for _, part in ordered.groupby(keys, sort=False):
        row = part.iloc[0]
        languages = language_order(part["language"])
        named = languages if len(languages) <= 4 else []
        body.append(
            [
                f"{row['model']} ({row['group']})",
                f"{row['other_model']} ({row['other_group']})",
                row["encoder"],
                row["space_label"],
                listing(map(language_label, named)) if named else str(len(languages)),
                integer(part["n_tests"].sum()),
                number(part["correlation"].median()),
                number(part["difference"].median()),
                number(part["absolute_difference"].median()),
                percent(part["sign_agreement"].median()),
                f"{int((part['q_value'] < FOUND).sum())} of {int(part['q_value'].notna().sum())}",
            ]
        )
    headers = ["Model", "Other model", "Encoder", "Space", "Languages", "Tests", "Rank correlation", "Difference", "Size of it", "Same sign", f"q < {FOUND:g}"]  # fmt: skip
    caption = (
        "Models compared on the tests and lists that both score; correlation, differences of d and "
        "agreement in sign are medians over languages. Last column: languages in which the "
        "differences are not centred on 0 (Wilcoxon over tests, Benjamini-Hochberg over the whole "
        "table). d of two models are not on one scale: trust signs and ranks before sizes."
    )
    shown = body[:_ROWS]
    more = "" if len(body) == len(shown) else f", the first of {len(body):,}"
    table = DataTable(
        headers, shown, frozenset(headers[5:]), f"Numbers: {plural(len(shown), 'row')}{more}"
    )
    return Figure(caption, table=table, title="Multilingual, monolingual and family models")


def cluster_figure(frame: pd.DataFrame | None) -> Figure | None:
    """Give the groups of languages by profile of d, for each model, encoder and space.

    Parameters
    ----------
    frame : pandas.DataFrame or None
        The table language_clusters.
    """
    if frame is None:
        return None
    body = []
    ordered = _by_encoder(add_labels(frame), ["model"], ["space", "place"])
    for _, part in ordered.groupby(["model", "encoder", "space"], sort=False):
        row = part.iloc[0]
        groups = []
        for _, one in part.groupby("cluster", sort=True):
            support = one["support"].iloc[0]
            # A language by itself has no support: nobody else could be with it again.
            said = DASH if missing(support) else percent(one["support"].mean())
            names = ", ".join(language_label(code) for code in one["language"])
            groups.append(f"{names} ({said})")
        body.append(
            [
                row["model"],
                row["encoder"],
                row["space_label"],
                integer(row["n_tests"]),
                integer(part["cluster"].nunique()),
                number(part["silhouette"].mean()),
                number(row["structure_p"]),
                number(row["cophenetic"]),
                " | ".join(groups),
            ]
        )
    headers = ["Model", "Encoder", "Space", "Tests", "Groups", "Silhouette", "p of it", "Cophenetic", "Groups in order of the tree (support)"]  # fmt: skip
    caption = (
        "Languages grouped by their profile of d over tests (average linkage, 1 less correlation). "
        "Support: how often two languages of a group are together again when tests are drawn anew; "
        "under half, the group is an accident of the tests. p: that of the silhouette against "
        "profiles whose languages are shuffled test by test, uncorrected. Groups rest on few tests and say "
        "nothing of language families."
    )
    table = DataTable(headers, body, frozenset(headers[3:8]))
    return Figure(caption, table=table, title="Languages with like profiles")


def space_figure(frame: pd.DataFrame) -> Figure | None:
    """Compare raw and standardised scores of the same cells; None where a space is missing.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table weathub.
    """
    keys = ["language", "model", "variant", "encoder", "test"]
    kept = [*keys, "effect_size", "q_two_sided", "status"]
    raw, other = (frame.loc[frame["space"] == space, kept] for space in ("raw", "standardised"))
    both = raw.merge(other, on=keys, suffixes=("", "_other"))
    scored = both["effect_size"].notna() & both["effect_size_other"].notna()
    both = both[scored & (both["status"] == "ok") & (both["status_other"] == "ok")]
    headers = ["Model", "Encoder", "Cells", "Changes sign", "Share", "Mean size of d, raw", "standardised", "Rank correlation", f"q < {FOUND:g}, raw", f"q < {FOUND:g}, standardised"]  # fmt: skip
    return _changes(
        both,
        headers,
        "Raw and standardised vectors",
        "The same cells on the model's own vectors and without what all words share (each "
        "dimension has mean 0 and deviation 1 over the words of the language's lists): what "
        "changes sign hangs on what all words have, not on these words. Thin cells are left out.",
    )


def plain_figure(frame: pd.DataFrame, forms: pd.DataFrame | None) -> list[Figure]:
    """Compare the lists with and without gendered forms, and count the forms.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table weathub.
    forms : pandas.DataFrame or None
        The table gendered_forms.
    """
    figures = []
    keys = ["language", "model", "space", "encoder", "test"]
    kept = [*keys, "effect_size", "q_two_sided", "status"]
    full, plain = (frame.loc[frame["variant"] == name, kept] for name in ("all", "all_plain"))
    both = full.merge(plain, on=keys, suffixes=("", "_other"))
    scored = both["effect_size"].notna() & both["effect_size_other"].notna()
    both = both[scored & (both["status"] == "ok") & (both["status_other"] == "ok")]
    headers = ["Model", "Encoder", "Cells", "Changes sign", "Share", "Mean size of d, with", "without", "Rank correlation", f"q < {FOUND:g}, with", f"q < {FOUND:g}, without"]  # fmt: skip
    compared = _changes(
        both,
        headers,
        "With and without gendered forms",
        "The same tests with all words, and without the forms of another word for the other gender "
        "(such as -o beside -a). A score that lives on grammatical gender changes here. Only "
        "lists in which a form was found differ; thin cells are left out.",
    )
    if compared is not None:
        figures.append(compared)
    if forms is not None:
        figures.append(_forms(forms))
    return figures


def _changes(both: pd.DataFrame, headers: list[str], title: str, caption: str) -> Figure | None:
    if both.empty:
        return None
    body = []
    for (model, encoder), part in _by_encoder(both, ["model"], []).groupby(
        ["model", "encoder"], sort=False
    ):
        one, other = part["effect_size"], part["effect_size_other"]
        changed = int(((one > 0) != (other > 0)).sum())
        # Ranks correlate as Spearman does; scipy is not needed for it.
        alike = one.rank().corr(other.rank()) if len(part) > 2 else None
        body.append(
            [
                model,
                encoder,
                integer(len(part)),
                integer(changed),
                percent(changed / len(part)),
                number(one.abs().mean()),
                number(other.abs().mean()),
                number(alike),
                integer(int((part["q_two_sided"] < FOUND).sum())),
                integer(int((part["q_two_sided_other"] < FOUND).sum())),
            ]
        )
    table = DataTable(headers, body, frozenset(headers[2:]))
    return Figure(caption, table=table, title=title)


def _forms(forms: pd.DataFrame) -> Figure:
    body = []
    for code in language_order(forms["language"]):
        part = forms[forms["language"] == code]
        pairs = part[["word", "other"]].drop_duplicates().sort_values(["other", "word"])
        some = "; ".join(f"{row.other} / {row.word}" for row in pairs.head(6).itertuples())
        rest = f" and {len(pairs) - 6} more" if len(pairs) > 6 else ""
        body.append(
            [
                language_label(code),
                integer(len(pairs)),
                integer(part["test"].nunique()),
                listing(sorted(set(part["rule"]))),
                some + rest,
            ]
        )
    headers = ["Language", "Pairs", "Tests", "Endings", "Kept / left out"]
    caption = (
        "Gendered forms found by the endings of the language. A rule of endings finds no form "
        "that changes its stem, and may take two words for one: read the list before you cite it."
    )
    table = DataTable(
        headers, body, frozenset(headers[1:3]), f"Forms found: {plural(len(body), 'language')}"
    )
    return Figure(caption, table=table, title="Gendered forms")
