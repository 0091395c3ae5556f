"""The numbers behind the charts of personas, and the models that answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import (
    DASH,
    DataTable,
    Figure,
    integer,
    missing,
    number,
    percent,
    plural,
    probability,
    records_of,
    with_interval,
)
from biasatlas.atlas.persona_examples import REASONS
from biasatlas.atlas.persona_scores import ALL, doubt

if TYPE_CHECKING:
    import pandas as pd

_HEADERS = (
    "Pairs",
    "Region",
    "Model",
    "Prompt",
    "Topics F / M",
    "Replies",
    "No gender",
    "Mismatch [95%]",
    "Female on neutral topics [95%]",
    "Expected",
    "Excess [95%]",
    "Effect",
    "p",
    "q",
    "Log odds ratio [95%]",
    "Correlation with log odds [95%]",
    "Labels that tell",
    "Mismatch without them",
    "Note",
)
_PROBE_HEADERS = (
    "Pairs",
    "Region",
    "Model",
    "Beginning",
    "Topics F / M",
    "Mean F / M / neutral",
    "Effect [95%]",
    "AUC",
    "Mismatch",
    "p",
    "q",
    "Correlation with log odds [95%]",
    "p of correlation",
    "q of correlation",
    "Note",
)


def _ends(row: Mapping[str, Any], name: str) -> str:
    """A share with its interval, in percent."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if missing(row[name]) or missing(low) or missing(high):
        return percent(row[name])
    return f"{percent(row[name])} [{percent(low)}, {percent(high)}]"


def _spread(row: Mapping[str, Any], name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])


def score_table(scores: pd.DataFrame) -> Figure:
    """Give all numbers of persona_scores, folded; of a single prompt form once."""
    if scores["prompt"].nunique() == 2:
        scores = scores[scores["prompt"] != ALL]
    body = []
    for row in records_of(scores):
        neutral = {**row, "neutral": row["neutral_female"]}
        body.append(
            [
                row["source"],
                row["place"],
                row["model"],
                row["prompt"],
                f"{row['n_female']} / {row['n_male']}",
                integer(row["n_replies"]),
                percent(row["undecided"]),
                _ends(row, "mismatch"),
                _ends(neutral, "neutral"),
                percent(row["expected"]),
                _spread(row, "excess"),
                number(row["effect"]),
                probability(row["p_value"], row["p_min"]),
                probability(row["q_value"]),
                _spread(row, "log_odds_ratio"),
                _spread(row, "correlation"),
                integer(row["n_gendered_labels"]),
                percent(row["mismatch_plain"]),
                doubt(row) or DASH,
            ]
        )
    numeric = frozenset(_HEADERS[4:18])
    table = DataTable(list(_HEADERS), body, numeric, f"Numbers: {plural(len(body), 'score')}")
    caption = "Every score, by region, model and prompt form."
    return Figure(caption, table=table)


def probe_table(scores: pd.DataFrame) -> Figure:
    """Give all numbers of persona_probe_scores, folded."""
    body = [
        [
            row["source"],
            row["place"],
            row["model"],
            row["template"],
            f"{row['n_female']} / {row['n_male']}",
            " / ".join(number(row[f"mean_{kind}"]) for kind in ("female", "male", "neutral")),
            _spread(row, "effect"),
            number(row["auc"]),
            percent(row["mismatch"]),
            probability(row["p_value"], row["p_min"]),
            probability(row["q_value"]),
            _spread(row, "correlation"),
            probability(row["correlation_p"]),
            probability(row["correlation_q"]),
            doubt(row) or DASH,
        ]
        for row in records_of(scores)
    ]
    numeric = frozenset(_PROBE_HEADERS[4:14])
    summary = f"Numbers: {plural(len(body), 'score')} of the probe"
    return Figure(
        "The probe, by region, model and beginning.",
        table=DataTable(list(_PROBE_HEADERS), body, numeric, summary),
    )


def models_figure(models: pd.DataFrame) -> Figure:
    """Give what each model answered, and what it took."""
    several = models["language"].nunique() > 1
    headers = ["Model", "Backend", "Source", "Answered by", "Replies", "Female", "Male"]
    headers += ["No gender", "Contradicted", "Cut off", "Tokens in / out", "Cost", "Why no gender"]
    body = []
    for row in records_of(models.sort_values(["language", "model"], kind="stable")):
        reasons = {said: row[f"n_{reason}"] for reason, said in REASONS.items()}
        source = row["source"]
        if row["revision"]:
            source += f", {row['revision']}"
        body.append(
            [
                f"{row['model']} ({row['language']})" if several else row["model"],
                row["backend"],
                source,
                row["answered_by"] or DASH,
                integer(row["n_replies"]),
                integer(row["n_female"]),
                integer(row["n_male"]),
                integer(sum(reasons.values())),
                integer(row["n_contradicted"]),
                integer(row["n_cut"]),
                f"{integer(row['prompt_tokens'])} / {integer(row['reply_tokens'])}",
                number(row["cost"]),
                "; ".join(f"{said}: {n:,}" for said, n in reasons.items() if n) or DASH,
            ]
        )
    caption = "What answered, how often without a gender and why, and what it took."
    numeric = frozenset(headers[4:12])
    return Figure(caption, table=DataTable(headers, body, numeric), title="Models")
