"""Log odds over documents against the paper's rule, on real text; and gender terms hidden.

    python benchmarks/alignment_evidence.py                       # the default run, half a minute
    python benchmarks/alignment_evidence.py --passages FILE       # or passages of your own regions
    python benchmarks/alignment_evidence.py --probe               # how well terms are hidden

FILE has lines of JSON with id, region and text, packed by gzip; what stands before # in an id is
the document. Prints the Markdown tables of docs/alignment.md. Seeds are fixed: the same call on
the same text prints the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from alignment.data import Region, load_passages, load_run
from alignment.evidence import (
    Repeat,
    Shuffled,
    any_discovery,
    correlate,
    hold_out,
    repeat_seeds,
    shuffle_genders,
    tell_together,
)
from alignment.fits import Fit, best_matches, fit_seeds
from alignment.masking import View, compare_views, probe_hiding
from alignment.printing import show, show_discoveries

from biasatlas.lexicons.gender_mask import hidden_terms

SEEDS = range(6)
SPLITS = 60
# Topics of which a rank correlation is shown.
FEWEST = 6
SHUFFLES = 200
PERMUTATIONS = 9_999
ROOT = Path(__file__).parents[1]
LISTS = [
    ROOT / "resources/word_lists/gender/en" / name for name in ("bolukbasi52.yaml", "extended.yaml")
]


def share(hits: float, n: int) -> str:
    return f"{hits / n:.2f}".removeprefix("0") if n else "-"


def show_repeats(names: Sequence[str], found: Sequence[Repeat]) -> None:
    rows = []
    for name, one in zip(names, found, strict=True):
        spoken = one.matched - one.silent
        rows.append(
            (
                name,
                one.topics,
                share(one.matched, one.topics),
                share(one.agree["paper"], spoken),
                share(one.agree["log odds"], spoken),
                share(one.silent, one.matched),
            )
        )
    show(
        f"Same sign under another seed, {len(SEEDS)} seeds, all pairs",
        (
            "region",
            "topics, all pairs",
            "matched",
            "paper's rule",
            "log odds",
            "matched, but the paper's rule is silent",
        ),
        rows,
    )


def show_held_out(names: Sequence[str], found: Sequence[list[dict[str, np.ndarray]]]) -> None:
    rows = []
    for name, splits in zip(names, found, strict=True):
        topics = np.mean([len(one["share"]) for one in splits])
        cells = [f"{topics:.0f}"]
        if topics < FEWEST:
            rows.append((name, *cells, "too few topics", ""))
            continue
        for rule in ("paper", "log odds"):
            mean, low, high = correlate(splits, rule)
            cells.append(f"{mean:.2f} ({low:.2f}, {high:.2f})")
        rows.append((name, *cells))
    show(
        f"Rank correlation with the female share of documents whose genders are held out, {SPLITS} "
        "splits of fixed topics: mean, middle 95% of splits",
        ("region", "topics", "paper's rule", "log odds"),
        rows,
    )


def show_shuffles(names: Sequence[str], found: Sequence[Shuffled]) -> None:
    rules: dict[str, list[np.ndarray]] = {
        **{rule: [one.calls[rule] for one in found] for rule in found[0].calls},
        "documents, q <= .10, a family a region": [tell_together([one])[0] for one in found],
        "**documents, q <= .10 over all regions**": tell_together(found),
    }
    rows = []
    for rule, calls in rules.items():
        pooled = np.concatenate(calls, axis=1).mean(axis=1)
        each = [f"{called[1:].mean():.3f}" for called in calls]
        rows.append((rule, *each, f"{pooled[1:].mean():.3f}", f"{pooled[0]:.3f}"))
    show(
        f"Share of topics that are called, genders of whole documents shuffled {SHUFFLES} times, "
        "topics fixed",
        ("rule", *names, "all", "all, real genders"),
        rows,
    )
    show_discoveries(names, any_discovery(found))


def show_views(names: Sequence[str], found: Sequence[tuple[dict[str, View], float]]) -> None:
    rows, lines = [], []
    for name, (views, by_seed) in zip(names, found, strict=True):
        hidden, shown = views["masked"], views["visible"]
        called = [
            f"{(view.gender == 'female').sum()} / {(view.gender == 'male').sum()}"
            for view in (shown, hidden)
        ]
        changed = int((hidden.match < 0.5).sum())
        rows.append((name, len(shown.match), len(hidden.match), changed, f"{by_seed:.1f}", *called))
        for label, view in (("hidden only", hidden), ("shown only", shown)):
            for topic in np.flatnonzero(view.match < 0.5):
                lines.append(
                    (
                        name,
                        label,
                        view.words[topic],
                        view.n_passages[topic],
                        view.gender[topic],
                        f"{view.match[topic]:.2f}",
                    )
                )
    show(
        "Topics with gender terms shown and hidden; changed: no match of Jaccard 0.5",
        (
            "region",
            "topics, shown",
            "topics, hidden",
            "of these changed",
            "changed by another seed, mean",
            "female / male, shown",
            "female / male, hidden",
        ),
        rows,
    )
    show(
        "The topics that change",
        ("region", "found with terms", "words", "passages", "gender", "best match"),
        lines,
    )


def changed_by_seed(fits: Sequence[Fit]) -> float:
    """Mean number of topics without a match under another seed: what masking is held against."""
    return float(np.mean([(best_matches(fits[0], one)[1] < 0.5).sum() for one in fits[1:]]))


def study(regions: Sequence[Region]) -> None:
    """Print all tables about the rules, a region a row and all of them last."""
    rng = np.random.default_rng(0)
    names = [region.name for region in regions]
    fits = [fit_seeds(region.texts, region.embeddings["masked"], SEEDS) for region in regions]
    repeats = [repeat_seeds(*pair) for pair in zip(regions, fits, strict=True)]
    pooled = Repeat(
        sum(one.topics for one in repeats),
        sum(one.matched for one in repeats),
        sum(one.silent for one in repeats),
        {name: sum(one.agree[name] for one in repeats) for name in repeats[0].agree},
    )
    show_repeats([*names, "**all**"], [*repeats, pooled])
    held = [hold_out(*pair, SPLITS, rng) for pair in zip(regions, fits, strict=True)]
    together = [
        {name: np.concatenate([one[name] for one in split]) for name in split[0]}
        for split in zip(*held, strict=True)
    ]
    show_held_out([*names, "**all**"], [*held, together])
    shuffled = [
        shuffle_genders(region, some[0], times=SHUFFLES, permutations=PERMUTATIONS, rng=rng)
        for region, some in zip(regions, fits, strict=True)
    ]
    show_shuffles(names, shuffled)
    if all("visible" in region.embeddings for region in regions):
        visible = [
            fit_seeds(region.texts, region.embeddings["visible"], range(1))[0] for region in regions
        ]
        both = {"masked": [some[0] for some in fits], "visible": visible}
        views = compare_views(regions, both, hidden_terms(LISTS), PERMUTATIONS, rng)
        by_seed = [changed_by_seed(some) for some in fits]
        show_views(names, list(zip(views, by_seed, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, default=ROOT / "results/demo", help="a finished run")
    parser.add_argument("--language", default="en")
    parser.add_argument("--passages", type=Path, help="passages of regions, in place of a run")
    parser.add_argument("--most", type=int, default=600, help="passages of each of its regions")
    parser.add_argument("--encoder", type=Path, default=ROOT / "resources/fetched/minilm_l6_v2")
    parser.add_argument(
        "--cache", type=Path, default=ROOT / "results/benchmarks/alignment_embeddings.parquet"
    )
    parser.add_argument("--probe", action="store_true", help="only: how well terms are hidden")
    arguments = parser.parse_args()
    if arguments.probe:
        found = probe_hiding(load_run(arguments.run, arguments.language), LISTS, arguments.encoder)
        show(
            "A probe for the gender of a passage (0.5: none)",
            ("gender terms", "AUC", "cosine to the passage as it is"),
            [
                (way, f"{one.auc:.3f} ± {one.deviation:.3f}", f"{one.cosine:.3f}")
                for way, one in found.items()
            ],
        )
    elif arguments.passages:
        study(
            load_passages(
                arguments.passages, LISTS, arguments.encoder, arguments.cache, arguments.most
            )
        )
    else:
        study(load_run(arguments.run, arguments.language))


if __name__ == "__main__":
    main()
