"""Do the intervals and p-values of à la carte vectors hold what they promise?

    python benchmarks/alc.py                       # text of results/demo, about ten minutes
    python benchmarks/alc.py results/ungdc --trials 20

All documents of the run together are a population whose d is known. Samples of its documents are
drawn again and again: how often does a 95% interval hold the population's d, and are p-values
of no difference, and of no gendered usage, uniform? Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from biasatlas.association.documents import corrected, differences
from biasatlas.association.documents.sums import (
    DocumentSums,
    draw_weights,
    in_parts,
    sum_documents,
    unit_vectors,
)
from biasatlas.association.documents.swap_test import swap_test
from biasatlas.association.product import Design, effect_sizes
from biasatlas.lexicons.gender_swap import load_gender_swap
from biasatlas.vectors import load_vectors
from biasatlas.vectors.alc import Transform, fit_transform
from biasatlas.vectors.contexts import sum_contexts

WINDOW, MIN_COUNT, MIN_WORDS = 6, 2, 4
# Words that news text holds often, so that samples of a few hundred documents have them all.
SETS = {
    "male": "he his him man men male boy father brother son",
    "female": "she her woman women female girl mother sister daughter wife",
    "good": "good great happy love peace success best win hope support",
    "bad": "bad attack death war killed violence crisis fear terror victims",
    "sport": "team game players season match club league coach win final",
    "family": "family children home parents school health child baby life care",
    "politics": "minister president government party parliament leader election vote policy",
    "art": "film music show star book art actress song movie fans",
    "money": "bank market economy company business trade growth prices investment companies",
    "military": "army forces troops soldiers police fighters security weapons defence",
}
TESTS = {
    "sport, family: gender": ("sport", "family", "male", "female"),
    "politics, art: gender": ("politics", "art", "male", "female"),
    "money, art: gender": ("money", "art", "male", "female"),
    "military, family: gender": ("military", "family", "male", "female"),
    "art, military: valence": ("art", "military", "good", "bad"),
    "sport, politics: valence": ("sport", "politics", "good", "bad"),
    "male, female: valence": ("male", "female", "good", "bad"),
    "money, politics: valence": ("money", "politics", "good", "bad"),
}
# The first tests compare with gendered words, the others do not.
GENDER = 4
ENDS = (np.minimum, np.maximum)


def design() -> Design:
    """The tests above; a target word that is an attribute word is dropped."""
    compiled = []
    for names in TESTS.values():
        x, y, a, b = (SETS[name].split() for name in names)
        attributes = {*a, *b}
        x, y = ([word for word in some if word not in attributes] for some in (x, y))
        compiled.append({"x": x, "y": y, "a": a, "b": b})
    return Design.of(compiled)


def take(sums: DocumentSums, drawn: np.ndarray) -> DocumentSums:
    """The drawn documents as a sample; one that is drawn twice is two documents."""
    word = np.repeat(np.arange(len(sums.words)), np.diff(sums.starts))
    order = np.argsort(sums.document, kind="stable")
    ends = np.searchsorted(sums.document[order], np.arange(len(sums.documents) + 1))
    pieces = [order[ends[one] : ends[one + 1]] for one in drawn]
    entries = np.concatenate(pieces)
    owner = np.repeat(np.arange(len(drawn)), [len(piece) for piece in pieces])
    by_word = np.argsort(word[entries], kind="stable")
    starts = np.searchsorted(word[entries][by_word], np.arange(len(sums.words) + 1))
    names = tuple(str(number) for number in range(len(drawn)))
    return replace(
        sums,
        documents=names,
        starts=starts,
        document=owner[by_word],
        sums=sums.sums[entries][by_word],
    )


def effects(sums: DocumentSums, transform: Transform, plan: Design) -> tuple:
    """d, and the words that the sample has."""
    whole = sums.weighted(np.ones((len(sums.documents), 1)))
    unit, present = unit_vectors(whole, transform, MIN_COUNT)
    return effect_sizes(unit, plan, present)[1][0], present[0]


def bootstrap(sources, bases, transform, plan, n, rng) -> list[np.ndarray]:
    """Replicates of d of each source, the same documents drawn from each."""
    parts = [[] for _ in sources]
    for size in in_parts(n):
        weights = draw_weights(len(sources[0].documents), size, rng)
        for part, sums, base in zip(parts, sources, bases, strict=True):
            unit, present = unit_vectors(sums.weighted(weights), transform)
            part.append(effect_sizes(unit, plan, present & base)[1])
    return [np.concatenate(part) for part in parts]


def intervals(d, drawn, limit) -> dict[str, np.ndarray]:
    """The interval that is used and three that are not."""
    percentile = corrected.interval(drawn)
    ends = corrected.interval(d - drawn)
    below = norm.ppf(((drawn < d).sum(axis=0) + 0.5) / (len(drawn) + 1))
    shares = norm.cdf(2 * below + norm.ppf([[0.025], [0.975]]))
    finite = np.where(np.isfinite(drawn), drawn, 0.0)
    bc = [[np.quantile(finite[:, t], one[t]) for t in range(len(d))] for one in shares]
    used = corrected.interval(corrected.corrected_draws(d, drawn, limit))
    return {"percentile": percentile, "BC": np.array(bc), "basic": d + ends, "used": used}


def coverage(population, transform, plan, sizes, trials, rng) -> pd.DataFrame:
    """How often each interval holds the population's d on the words of the sample."""
    rows = []
    n_all = len(population.documents)
    for n in sizes:
        for _ in range(trials):
            sample = take(population, rng.integers(0, n_all, n))
            d, base = effects(sample, transform, plan)
            unit, present = unit_vectors(
                population.weighted(np.ones((n_all, 1))), transform, MIN_COUNT
            )
            truth = effect_sizes(unit, plan, present & base)[1][0]
            (drawn,) = bootstrap([sample], [base], transform, plan, 300, rng)
            held = [getattr(plan, name) @ base for name in "xyab"]
            limit = corrected.largest_effect(held[0], held[1])
            share = np.min(
                [one / getattr(plan, s).sum(axis=1) for one, s in zip(held, "xyab", strict=True)], 0
            )
            ok = (np.min(held, axis=0) >= MIN_WORDS) & (share >= 0.8)
            for name, (low, high) in intervals(d, drawn, limit).items():
                for test in np.flatnonzero(ok):
                    hit = low[test] <= truth[test] <= high[test]
                    rows.append((n, name, test, truth[test], d[test], hit, high[test] - low[test]))
    columns = ["documents", "interval", "test", "truth", "d", "hit", "width"]
    return pd.DataFrame(rows, columns=columns)


def null_differences(first, second, sizes, transform, plan, trials, rng) -> np.ndarray:
    """p of the difference of two samples of the same population."""
    settings = differences.Settings(permutations=199, replicates=2)
    found = []
    for trial in range(trials):
        samples = [
            take(sums, rng.integers(0, len(sums.documents), n))
            for sums, n in zip((first, second), sizes, strict=True)
        ]
        found.append(differences.compare(*samples, plan, transform, settings, [trial]).p_value)
    return np.array(found)


def text_samples(both, draw, transform, plan, truth, trials) -> tuple[np.ndarray, np.ndarray]:
    """p of the text's part, and whether its interval holds the truth, in samples of documents."""
    p, hits = [], []
    for trial in range(trials):
        drawn = draw()
        sources = [take(sums, drawn) for sums in both]
        d, bases = zip(*(effects(sums, transform, plan) for sums in sources), strict=True)
        rng = np.random.default_rng(trial)
        one, other = bootstrap(sources, bases, transform, plan, 300, rng)
        limit = corrected.largest_effect(plan.x @ bases[0], plan.y @ bases[0])
        draws = corrected.corrected_draws((d[0] - d[1]) / 2, (one - other) / 2, limit)
        low, high = corrected.interval(draws)
        options = {"replicates": 199, "min_count": MIN_COUNT, "seed": trial}
        p.append(swap_test(*sources, plan, transform, **options))
        low, high = (
            np.where(p[-1] > 0.05, f(end, 0), end) for f, end in zip(ENDS, (low, high), strict=True)
        )
        hits.append((low <= truth) & (truth <= high))
    return np.array(p)[:, :GENDER], np.array(hits)[:, :GENDER]


def draw_documents(rng, n_all: int, sides: int, n: int) -> np.ndarray:
    """Documents with replacement, each from one of so many sides of a pooled text."""
    return rng.integers(0, n_all, n) + n_all * rng.integers(0, sides, n)


def print_p(name: str, p: np.ndarray) -> None:
    """Share of p-values below the usual levels."""
    p = p[np.isfinite(p)]
    shares = " | ".join(f"{(p <= level).mean():.3f}" for level in (0.01, 0.05, 0.1, 0.5))
    print(f"| {name} | {p.size} | {shares} |")


def read_text(run: Path) -> pd.DataFrame:
    """All passages of a run; documents of the two corpora are told apart."""
    frames = [
        pd.read_parquet(path).assign(corpus=path.parts[-3])
        for path in sorted((run / "corpora").glob("*/*/*.parquet"))
        if not path.stem.endswith(".counts")
    ]
    text = pd.concat(frames, ignore_index=True)
    return text.assign(document=text["corpus"] + "/" + text["document"])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", default="results/demo", type=Path)
    parser.add_argument("--trials", type=int, default=100)
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    text = read_text(arguments.run)
    glove = load_vectors("resources/fetched/glove_6b_50d")
    transform = fit_transform(sum_contexts(text["text"], glove, WINDOW), glove)
    swap = load_gender_swap("resources/word_lists/gender/en/extended.yaml")
    plan = design()
    third = text[text.groupby("document").cumcount() % 3 == 0]

    def sums_of(frame, **options):
        lists = frame["text"].tolist(), frame["document"].tolist()
        return sum_documents(*lists, plan.words, glove, WINDOW, **options)

    real, short, swapped = sums_of(text), sums_of(third), sums_of(text, swap=swap)
    print(f"{len(real.documents)} documents; {transform.fit}\n")
    started = time.process_time()
    bootstrap([real], [np.ones(len(plan.words), bool)], transform, plan, 1000, rng)
    print(f"1,000 replicates of all documents: {time.process_time() - started:.1f} s\n")
    table = coverage(real, transform, plan, (100, 200, 400, 1200), arguments.trials, rng)
    wide = table.groupby(["documents", "interval"])[["hit", "width", "truth", "d"]].mean()
    counts = table.groupby(["documents", "interval"]).size()
    print("| documents | interval | samples | holds d | width | true d | d |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for (n, name), row in wide.iterrows():
        values = " | ".join(f"{row[key]:.2f}" for key in ("width", "truth", "d"))
        print(f"| {n} | {name} | {counts[n, name]} | {row['hit']:.3f} | {values} |")
    print("\n| p under no effect | tests | <= .01 | <= .05 | <= .10 | <= .50 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, first, sizes in (
        ("difference, 300 and 300 documents", real, (300, 300)),
        ("difference, 160 and 800", real, (160, 800)),
        ("difference, 160 cut to a third and 800", short, (160, 800)),
        ("difference, 800 cut to a third and 160", short, (800, 160)),
    ):
        p = null_differences(first, real, sizes, transform, plan, arguments.trials, rng)
        print_p(name, p)
    # Documents of the real text first, of the swapped text after them; and the other way round.
    both = [differences.pool_documents(*pair)[0] for pair in ((real, swapped), (swapped, real))]
    n_all = len(real.documents)
    d_real, d_swapped = (effects(sums, transform, plan)[0] for sums in (real, swapped))
    held = []
    for n in (200, 800):
        for name, sides, truth in (
            ("a coin swaps each document", 2, np.zeros(len(d_real))),
            ("the real text", 1, (d_real - d_swapped) / 2),
        ):
            draw = partial(draw_documents, rng, n_all, sides, n)
            p, hits = text_samples(both, draw, transform, plan, truth, arguments.trials)
            print_p(f"text's part, {n} documents, {name}", p)
            held.append(f"| {n} | {name} | {hits.size} | {hits.mean():.3f} |")
    print("\n| documents | text | samples | interval of the text's part holds it |")
    print("| ---: | --- | ---: | ---: |", *held, sep="\n")


if __name__ == "__main__":
    main()
