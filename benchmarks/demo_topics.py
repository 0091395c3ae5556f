"""The figures of a run's topics that docs/topic_pairs.md and docs/common_topics.md show.

    python benchmarks/demo_topics.py                 # results/demo
    python benchmarks/demo_topics.py results/ungdc --language en

Prints Markdown tables from the tables of a finished run; for how near common topics are, and how
well the map keeps that, also from its topics folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from alignment.printing import show

from biasatlas.topics.common import CLOSENESS, find_common
from biasatlas.topics.matrices import stack_embeddings

KINDS = {"seed": "seeds", "order": "orders", "bootstrap": "draws", "masking": "terms shown"}
RULES = ("either", "both", "same")
RECOVERED = 0.5
# Neighbours on the map among which the nearest topic should be.
NEIGHBOURS = 3
Read = Callable[[str], pd.DataFrame]


def short(value: float) -> str:
    """Two digits without the zero in front."""
    return "-" if np.isnan(value) else f"{value:.2f}".replace("0.", ".", 1)


def show_stability(read: Read) -> None:
    """Print how far the topics of each region come again."""
    found = read("topic_stability")
    passages = read("topics").groupby("region")["n_passages"].sum()
    rows = []
    for region, some in found.groupby("region", sort=True):
        kinds = some.set_index("kind").reindex(KINDS)
        rows.append(
            (
                region,
                f"{passages[region]:,}",
                some["n_topics"].iloc[0],
                some["n_stable"].iloc[0],
                short(some["outlier_share"].iloc[0]),
                *(short(value) for value in kinds["ari_mean"]),
                short(kinds["ari_clustered"]["seed"]),
                short(kinds["ari_clustered"]["bootstrap"]),
            )
        )
    times = found.groupby("kind")["n_replicates"].max()
    fits = ", ".join(f"{times.get(kind, 0)} {name}" for kind, name in KINDS.items())
    show(
        f"Stability by region; models fitted anew: {fits}",
        (
            *("region", "passages", "topics", "stable", "in no topic"),
            *(f"ARI {name}" for name in KINDS.values()),
            "ARI seeds, in a topic of both",
            "ARI draws, in a topic of both",
        ),
        rows,
    )
    lost = found.pivot(index="region", columns="kind", values="n_lost").reindex(columns=list(KINDS))
    lost.loc["all"] = lost.sum()
    show(
        "Topics without a match of Jaccard 0.5 on average",
        ("region", *KINDS.values()),
        [(region, *(f"{n:.0f}" for n in row)) for region, row in lost.iterrows()],
    )


def show_gendered(read: Read) -> None:
    """Print which topics have a gender, and how sure each of these is."""
    topics = read("topics").query("topic != -1")
    tested = topics[topics["gender"] != "none"]
    counts = [
        (gender, len(some), (some["stability"] == "stable").sum())
        for gender, some in tested.groupby("gender")
    ]
    show("Topics with a gender by the run's rule", ("gender", "topics", "stable"), counts)
    rows = [
        (
            row.region,
            row.label,
            row.gender,
            f"{row.log_odds:.1f}",
            f"{row.q_value:.3f}",
            short(row.jaccard_seed),
            short(row.recovered),
            short(row.same_gender),
            short(row.jaccard_masking),
            row.stability,
        )
        for row in tested.sort_values(["region", "log_odds"]).itertuples()
    ]
    show(
        "Each of them",
        (
            *("region", "label", "gender", "log odds", "q", "`jaccard_seed`", "`recovered`"),
            *("`same_gender`", "`jaccard_masking`", "stability"),
        ),
        rows,
    )


def show_pairs(read: Read) -> None:
    """Print the pairs of the matching with their support, and what there is of the paper's."""
    pairs = read("pairs").fillna({"note": ""})
    matching = pairs[pairs["selection"] == "matching"]
    rows = []
    for row in matching.itertuples():
        if row.rank == 0:
            rows.append((row.region, "-", "", "", "", row.note))
            continue
        support = (
            f"{short(row.support)} ({short(row.support_low)}-{short(row.support_high)}), "
            f"{row.n_draws:.0f} draws"
        )
        told = (short(row.support_topics), support, short(row.support_tested))
        rows.append((row.region, f"{row.female_label} - {row.male_label}", *told, row.note))
    show(
        "Pairs of the matching",
        ("region", "pair", "`support_topics`", "`support` (95% interval)", "`support_tested`", "note"),
        rows,
    )  # fmt: skip
    gap = pairs[(pairs["selection"] == "gap") & (pairs["rank"] > 0)]
    contrary = (gap["female_log_odds"] < 0) | (gap["male_log_odds"] > 0)
    show(
        "Pairs of the paper's selection",
        ("pairs", "a topic leans the other way by its log odds", "`support_topics` 0"),
        [(len(gap), contrary.sum(), (gap["support_topics"] == 0).sum())],
    )


def show_gap(read: Read) -> None:
    """Print how many pairs pass the paper's threshold, and how many by chance."""
    threshold = read("pairs")["gap_threshold"].iloc[0]
    found = read("pair_thresholds")
    found = found[np.isclose(found["threshold"], threshold)]
    rows = []
    for region, some in found.groupby("region", sort=True):
        rules = some.set_index("rule").loc[list(RULES)]
        cells = [
            f"{row.n_passing}, {row.chance_passing:.1f} ({row.chance_low:.0f}-{row.chance_high:.0f})"
            for row in rules.itertuples()
        ]
        rows.append((region, rules["n_candidates"].iloc[0], *cells))
    show(
        f"Pairs under a gap of {threshold:g}: passing, by chance (middle 95%)",
        ("region", "candidates", *(f"`{rule}`" for rule in RULES)),
        rows,
    )
    every = read("pair_thresholds")
    outside = every[~every["n_passing"].between(every["chance_low"], every["chance_high"])]
    show(
        "Counts outside the middle 95% of chance, all rules and thresholds",
        ("counts", "below", "above", "at the run's threshold"),
        [
            (
                len(every),
                (outside["n_passing"] < outside["chance_low"]).sum(),
                (outside["n_passing"] > outside["chance_high"]).sum(),
                np.isclose(outside["threshold"], threshold).sum(),
            )
        ],
    )


def show_common(read: Read) -> None:
    """Print the groups of common topics, and their kinds beside chance."""
    rows = []
    for group, some in read("common_topics").groupby("group", sort=True):
        members = [f"{row.region}: {row.label} ({row.gender})" for row in some.itertuples()]
        kinds = (some["kind"].iloc[0], some["kind_paper"].iloc[0])
        rows.append((group, *kinds, short(some["similarity_min"].min()), "; ".join(members)))
    show(
        "Common topics",
        ("group", "`kind`", "`kind_paper`", "least cosine", "topics (gender)"),
        rows,
    )
    show(
        "Groups of each kind, and by chance (95% band)",
        ("rule", "kind", "groups", "by chance"),
        [
            (
                row.rule,
                row.kind,
                row.n_groups,
                f"{row.expected:.1f} ({row.expected_low:.0f}-{row.expected_high:.0f})",
            )
            for row in read("common_chance").itertuples()
        ],
    )


def show_nearness(read: Read, folder: Path) -> None:
    """Print the threshold of common topics, how many pairs pass it, and what the map keeps."""
    topics = read("topics").query("topic != -1")
    means = [
        pd.read_parquet(folder / region / "means.parquet").assign(region=region)
        for region in sorted(set(topics["region"]))
    ]
    found = pd.concat(means, ignore_index=True).merge(topics, on=["region", "topic"])
    vectors = stack_embeddings(found)
    rows = []
    for closeness in (CLOSENESS, CLOSENESS - 0.1):
        groups, near = find_common(found, vectors, closeness=closeness)
        rows.append(
            (
                f"{closeness:.2f}",
                len(found),
                *(short(near[key]) for key in ("ordinary", "threshold")),
                groups["group"].nunique(),
                *(f"{100 * near[key]:.1f}%" for key in ("share_across", "share_within")),
            )
        )
    show(
        "How near common topics are",
        (
            *("closeness", "topics", "m", "threshold", "groups"),
            *("`share_across`", "`share_within`"),
        ),
        rows,
    )
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    places = found[["map_x", "map_y"]].to_numpy()
    cosine = unit @ unit.T
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(cosine, -np.inf)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBOURS]
    kept = (nearest == cosine.argmax(axis=1)[:, None]).any(axis=1)
    show(
        f"Topics whose nearest topic of all regions is among the {NEIGHBOURS} nearest on the map",
        ("topics", "kept", "share"),
        [(len(kept), kept.sum(), short(kept.mean()))],
    )


def main() -> None:
    """Print all tables of one language."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", default="results/demo", type=Path)
    parser.add_argument("--language", default="en")
    arguments = parser.parse_args()

    def read(name: str) -> pd.DataFrame:
        frame = pd.read_csv(arguments.run / "tables" / f"{name}.csv")
        return frame[frame["language"] == arguments.language]

    for part in (show_stability, show_gendered, show_pairs, show_gap, show_common):
        part(read)
    show_nearness(read, arguments.run / "topics" / arguments.language)


if __name__ == "__main__":
    main()
