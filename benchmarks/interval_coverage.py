"""How often nominal 95% intervals of the effect size hold the d of the population.

    python benchmarks/interval_coverage.py               # 1,000 runs a cell, about five minutes of one core
    python benchmarks/interval_coverage.py 100           # fewer

Prints Markdown: the coverage of nine kinds of interval, then the misses and the width of the one in
use. The worlds of random numbers follow `c(w, a) = association of the groups + effect of w + effect
of a + noise`, with variances as found in GloVe for the tests of Caliskan et al. (2017): in units of
that of the effect of w on s, 2 for the effect of a and 3 for the noise. The world of GloVe draws
lists from sets of 300 neighbouring words of GloVe 6B (50 dimensions), fetched by the demo; it is
left out where that file is absent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import generalised_interval
import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from biasatlas.association.influence import leave_one_out
from biasatlas.association.intervals import effect_size_interval
from biasatlas.association.scores import effect_sizes
from biasatlas.vectors import load_vectors

Floats = NDArray[np.float64]
GLOVE = Path(__file__).parents[1] / "resources" / "fetched" / "glove_6b_50d"
TRUTHS = (0.0, 1.0, 1.6)
SIZES = ((8, 8, 8, 8), (16, 16, 16, 16), (25, 25, 25, 25))
UNEVEN = ((6, 12, 8, 25), (8, 8, 25, 25), (25, 25, 8, 8), (4, 4, 25, 25), (25, 25, 4, 4))
REPLICATES = 499
TAILS = np.array([0.025, 0.975])
WORLDS = ("normal", "heavy", "skewed", "inward", "unequal", "glove")


@dataclass(frozen=True)
class Sample:
    """Cosines of many runs, shape (runs, n_x + n_y, n_a or n_b), and the truth of each run."""

    cosines_a: Floats
    cosines_b: Floats
    n_x: int
    truth: Floats
    given: Floats

    @property
    def n_y(self) -> int:
        return self.cosines_a.shape[1] - self.n_x

    @property
    def mixing(self) -> float:
        return self.n_x * self.n_y / (self.n_x + self.n_y) ** 2

    @property
    def scores(self) -> Floats:
        return self.cosines_a.mean(axis=2) - self.cosines_b.mean(axis=2)


def to_d(cohen: Floats, mixing: float) -> Floats:
    """Effect size of WEAT from Cohen's d: over the spread of all, not that within sets."""
    return cohen / np.sqrt(1 + mixing * cohen**2)


def random_numbers(
    world: str, truth: float, sizes: tuple[int, ...], runs: int, rng: np.random.Generator
) -> Sample:
    """Draw runs from a world of random numbers, in which words vary as its name says."""
    n_x, n_y, n_a, n_b = sizes
    mixing = n_x * n_y / (n_x + n_y) ** 2
    difference = truth / np.sqrt(1 - mixing * truth**2)
    sign = np.repeat([1.0, -1.0], [n_x, n_y])

    def draw(*shape: int) -> Floats:
        if world == "heavy":
            return rng.standard_t(5, shape) / np.sqrt(5 / 3)
        if world in ("skewed", "inward"):
            return rng.exponential(size=shape) - 1
        return rng.normal(size=shape)

    words = draw(runs, n_x + n_y)
    if world == "inward":
        words = -words * sign
    if world == "unequal":
        spread = np.where(sign > 0, 1.6, 0.4)
        words = words * np.sqrt(spread / spread.mean())
    effects = [np.sqrt(2) * draw(runs, n) for n in (n_a, n_b)]
    blocks = [
        side * (sign * difference / 4 + words / 2)[:, :, None]
        + sign[:, None] * effect[:, None, :] / 2
        + np.sqrt(3) * draw(runs, n_x + n_y, effect.shape[1])
        for side, effect in zip((1, -1), effects, strict=True)
    ]
    seen = difference + effects[0].mean(axis=1) - effects[1].mean(axis=1)
    given = seen / np.sqrt(1 + 3 / n_a + 3 / n_b + mixing * seen**2)
    return Sample(blocks[0], blocks[1], n_x, np.full(runs, truth), given)


def neighbourhoods(groups: int = 60, size: int = 300) -> tuple[list[Floats], NDArray[np.int64]]:
    """Sets of words of GloVe: a word drawn at random and its nearest neighbours."""
    vectors = load_vectors(GLOVE)
    rows = [row for row, word in enumerate(vectors.words[:30_000]) if word.isalpha()]
    unit = vectors.matrix[rows].astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    centres = np.random.default_rng(0).choice(len(rows) // 3, groups, replace=False)
    nearest = np.argsort(-(unit[centres] @ unit.T), axis=1, kind="stable")[:, :size]
    return [unit[members] for members in nearest], nearest


def population_d(x: Floats, y: Floats, direction: Floats, share: float) -> Floats:
    """D of whole populations, X a `share` of them, for directions A - B, (..., dimensions)."""
    s_x, s_y = direction @ x.T, direction @ y.T
    within = share * s_x.var(axis=-1) + (1 - share) * s_y.var(axis=-1)
    difference = s_x.mean(axis=-1) - s_y.mean(axis=-1)
    return difference / np.sqrt(within + share * (1 - share) * difference**2)


def quadruples(
    groups: list[Floats], members: NDArray[np.int64], truth: float, share: float, n: int = 20
) -> list[tuple[NDArray[np.int64], float]]:
    """Quadruples of sets without a common word whose d is within .05 of `truth`, at random."""
    means = np.array([group.mean(axis=0) for group in groups])
    meet = np.array([[len(np.intersect1d(one, two)) for two in members] for one in members]) > 0
    chosen = np.random.default_rng(3)
    found: list[tuple[NDArray[np.int64], float]] = []
    while len(found) < n:
        four = chosen.choice(len(groups), 4, replace=False)
        if meet[np.ix_(four, four)].sum() > 4:
            continue
        direction = means[four[2]] - means[four[3]]
        d = float(population_d(groups[four[0]], groups[four[1]], direction, share))
        if abs(d - truth) < 0.05:
            found.append((four, d))
    return found


def from_glove(
    groups: list[Floats],
    members: NDArray[np.int64],
    truth: float,
    sizes: tuple[int, ...],
    runs: int,
    rng: np.random.Generator,
) -> Sample:
    """Draw lists with replacement from twenty quadruples of disjoint sets with d near `truth`."""
    n_x, n_y = sizes[:2]
    share = n_x / (n_x + n_y)
    parts: list[tuple[Floats, ...]] = []
    each = runs // 20
    for four, d in quadruples(groups, members, truth, share):
        x, y, a, b = (groups[one] for one in four)
        drawn = [
            group[rng.integers(len(group), size=(each, n))]
            for group, n in zip((x, y, a, b), sizes, strict=True)
        ]
        targets = np.concatenate(drawn[:2], axis=1)
        given = population_d(x, y, drawn[2].mean(axis=1) - drawn[3].mean(axis=1), share)
        cosines = [targets @ drawn[side].transpose(0, 2, 1) for side in (2, 3)]
        parts.append((*cosines, np.full(each, d), given))
    joined = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return Sample(joined[0], joined[1], n_x, joined[2], joined[3])


def cohen(sample: Sample) -> Floats:
    """Cohen's d of each run."""
    n = sample.n_x + sample.n_y
    d = effect_sizes(sample.scores, sample.n_x)
    return d * np.sqrt((n - 2) / (n - 1 - n * sample.mixing * d**2))


def noncentral_t(sample: Sample) -> Floats:
    n = sample.n_x + sample.n_y
    root = np.sqrt(n * sample.mixing)
    t = cohen(sample) * root
    ends = np.stack([special.nctdtrinc(n - 2, 1 - tail, t) for tail in TAILS])
    return to_d(ends / root, sample.mixing)


def normal_theory(sample: Sample) -> Floats:
    """Hedges & Olkin (1985): Cohen's d without its bias, and its large-sample variance."""
    n = sample.n_x + sample.n_y
    g = cohen(sample) * (1 - 3 / (4 * (n - 2) - 1))
    error = np.sqrt(1 / (n * sample.mixing) + g**2 / (2 * n))
    return to_d(g + stats.norm.ppf(TAILS)[:, None] * error, sample.mixing)


def jackknife_targets(sample: Sample) -> Floats:
    """T interval with a jackknife error over targets alone, on Fisher's z."""
    scale = np.sqrt(sample.mixing)
    ends = []
    for a, b in zip(sample.cosines_a, sample.cosines_b, strict=True):
        d = effect_sizes(a.mean(axis=1) - b.mean(axis=1), sample.n_x)
        z = [
            np.arctanh(np.clip((one + d) * scale, -1 + 1e-9, 1 - 1e-9))
            for one in influences(a, b, sample.n_x)[:2]
        ]
        variances = np.array([(len(one) - 1) * one.var() for one in z])
        freedoms = np.array([len(one) - 1 for one in z])
        df = variances.sum() ** 2 / (variances**2 / freedoms).sum()
        quantiles = stats.t.ppf(TAILS, df) * np.sqrt(variances.sum())
        ends.append(np.tanh(np.arctanh(d * scale) + quantiles) / scale)
    return np.array(ends).T


def influences(a: Floats, b: Floats, n_x: int) -> list[Floats]:
    """Influence of the words of X, Y, A and B."""
    result = leave_one_out(a, b, n_x)
    return [result.targets[:n_x], result.targets[n_x:], result.a, result.b]


@dataclass(frozen=True)
class Replicates:
    """D, Cohen's d and the error of its asinh in bootstrap replicates of one run."""

    d: Floats
    cohen: Floats
    error: Floats


def replicate(a: Floats, b: Floats, n_x: int, weights: list[Floats]) -> Replicates:
    """Bootstrap one run; weights are those of X, Y, A and B, one row a replicate."""
    w_x, w_y, w_a, w_b = weights
    n_y, n = len(a) - n_x, len(a)
    s = w_a @ a.T - w_b @ b.T
    centred, moments = [], []
    for w, part in ((w_x, s[:, :n_x]), (w_y, s[:, n_x:])):
        mean = (w * part).sum(axis=1)
        centred.append(part - mean[:, None])
        moments.append((mean, (w * centred[-1] ** 2).sum(axis=1)))
    difference = moments[0][0] - moments[1][0]
    squares = n_x * moments[0][1] + n_y * moments[1][1]
    within = np.maximum(squares / (n - 2), 1e-12)
    g = difference / np.sqrt(within)
    d = difference / np.sqrt((squares + n_x * n_y / n * difference**2) / (n - 1))
    slope = (g / (2 * within))[:, None]
    root = np.sqrt(within)[:, None]
    variance = np.zeros(len(g))
    shares = (n_x / n, n_y / n)
    for w, c, (_, v), share, sign in zip(
        (w_x, w_y), centred, moments, shares, (1, -1), strict=True
    ):
        psi = sign * c / root - slope * share * (c**2 - v[:, None])
        variance += (w * psi**2).sum(axis=1) / (w.shape[1] - 1)
    for w, block, sign in ((w_a, a, 1), (w_b, b, -1)):
        mean = w_x @ block[:n_x] - w_y @ block[n_x:]
        product = (shares[0] * w_x * centred[0]) @ block[:n_x]
        product += (shares[1] * w_y * centred[1]) @ block[n_x:]
        psi = sign * (mean / root - 2 * slope * product)
        psi -= (w * psi).sum(axis=1, keepdims=True)
        variance += (w * psi**2).sum(axis=1) / (w.shape[1] - 1)
    return Replicates(d, g, np.sqrt(variance))


def bootstraps(sample: Sample, seed: int) -> dict[str, Floats]:
    """Four bootstrap intervals of each run; all runs of a cell share their resampling weights."""
    rng = np.random.default_rng(seed)
    sizes = (sample.n_x, sample.n_y, sample.cosines_a.shape[2], sample.cosines_b.shape[2])
    weights = [rng.multinomial(n, np.full(n, 1 / n), size=REPLICATES) / n for n in sizes]
    fixed = [weights[0], weights[1], *(np.full((REPLICATES, n), 1 / n) for n in sizes[2:])]
    once = [np.full((1, n), 1 / n) for n in sizes]
    names = ("percentile", "percentile, targets", "BCa", "studentised")
    ends: dict[str, list[Floats]] = {name: [] for name in names}
    curve = np.sqrt(1 / 8)
    for a, b in zip(sample.cosines_a, sample.cosines_b, strict=True):
        n_x = sample.n_x
        seen, drawn = replicate(a, b, n_x, once), replicate(a, b, n_x, weights)
        ends["percentile"].append(np.quantile(drawn.d, TAILS))
        ends["percentile, targets"].append(np.quantile(replicate(a, b, n_x, fixed).d, TAILS))
        below = np.clip((drawn.d < seen.d).mean(), 1e-3, 1 - 1e-3)
        jack = [one.mean() - one for one in influences(a, b, n_x)]
        scaled = [(len(one) - 1) / len(one) * one for one in jack]
        skew = sum((one**3).sum() for one in scaled) / sum((one**2).sum() for one in scaled) ** 1.5
        z = special.ndtri(below) + special.ndtri(TAILS)
        level = special.ndtr(special.ndtri(below) + z / (1 - skew / 6 * z))
        ends["BCa"].append(np.quantile(drawn.d, level))
        scale = curve / np.sqrt(1 + (curve * np.concatenate([seen.cohen, drawn.cohen])) ** 2)
        centre = np.arcsinh(curve * seen.cohen)
        t = (np.arcsinh(curve * drawn.cohen) - centre) / (scale[1:] * drawn.error)
        outer = centre - np.quantile(t, TAILS[::-1]) * scale[0] * seen.error
        ends["studentised"].append(to_d(np.sinh(outer) / curve, sample.mixing))
    return {name: np.array(pairs).T for name, pairs in ends.items()}


def generalised(sample: Sample) -> Floats:
    """Generalised confidence interval of a crossed random-effects design."""
    interval = generalised_interval.effect_size_interval
    runs = zip(sample.cosines_a, sample.cosines_b, strict=True)
    return np.array([interval(a, b, sample.n_x) for a, b in runs]).T


def in_use(sample: Sample) -> Floats:
    """The interval of the tables: the jackknife over all four sets."""
    runs = zip(sample.cosines_a, sample.cosines_b, strict=True)
    return np.array([effect_size_interval(a, b, sample.n_x) for a, b in runs]).T


def size_name(sizes: tuple[int, ...]) -> str:
    return str(sizes[0]) if len(set(sizes)) == 1 else "/".join(map(str, sizes))


def cells(runs: int, all_sizes: tuple[tuple[int, ...], ...]) -> Iterator[tuple[str, Sample]]:
    """One sample for each world, truth and sizes."""
    groups = neighbourhoods() if GLOVE.is_dir() else None
    for world in WORLDS:
        if world == "glove" and groups is None:
            continue
        for truth in TRUTHS:
            for sizes in all_sizes:
                rng = np.random.default_rng(11)
                label = f"{world} | {truth:g} | {size_name(sizes)}"
                if world == "glove" and groups is not None:
                    yield label, from_glove(*groups, truth, sizes, runs, rng)
                else:
                    yield label, random_numbers(world, truth, sizes, runs, rng)


def held(ends: Floats, truth: Floats) -> str:
    return f"{((ends[0] <= truth) & (truth <= ends[1])).mean():.3f}".removeprefix("0")


def own_row(label: str, sample: Sample, ends: Floats) -> str:
    """Coverage, misses, width and coverage of the d with attributes as given."""
    above, under = (sample.truth < ends[0]).mean(), (sample.truth > ends[1]).mean()
    d = effect_sizes(sample.scores, sample.n_x).mean()
    return (
        f"| {label} | {d:.2f} | {held(ends, sample.truth)} | {above:.3f} | {under:.3f} | "
        f"{np.mean(ends[1] - ends[0]):.2f} | {held(ends, sample.given)} |"
    )


def uneven(runs: int) -> list[str]:
    """Table of the two best where the four sets differ in size, n being X/Y/A/B."""
    rows = [
        "| world | d | n | coverage | d below low | d above high | width | generalised | width |",
        "| --- |" + " ---: |" * 8,
    ]
    for label, sample in cells(runs, UNEVEN):
        own, other = in_use(sample), generalised(sample)
        above, under = (sample.truth < own[0]).mean(), (sample.truth > own[1]).mean()
        rows.append(
            f"| {label} | {held(own, sample.truth)} | {above:.3f} | {under:.3f} | "
            f"{np.mean(own[1] - own[0]):.2f} | {held(other, sample.truth)} | "
            f"{np.mean(other[1] - other[0]):.2f} |"
        )
    return rows


def main() -> None:
    """Print the tables."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    simple: dict[str, Callable[[Sample], Floats]] = {
        "generalised": generalised,
        "noncentral t": noncentral_t,
        "normal theory": normal_theory,
        "jackknife, targets": jackknife_targets,
        "jackknife": in_use,
    }
    drawn: list[str] = []
    given: list[str] = []
    own, widths, names = [], [], []
    for seed, (label, sample) in enumerate(cells(runs, SIZES)):
        ends = {name: method(sample) for name, method in simple.items()} | bootstraps(sample, seed)
        names = list(ends)
        for rows, truth in ((drawn, sample.truth), (given, sample.given)):
            rows.append(f"| {label} | {' | '.join(held(one, truth) for one in ends.values())} |")
        width = " | ".join(f"{np.mean(one[1] - one[0]):.2f}" for one in ends.values())
        widths.append(f"| {label} | {width} |")
        own.append(own_row(label, sample, ends["jackknife"]))
    error = 1.96 * np.sqrt(0.95 * 0.05 / runs)
    print(f"{runs:,} runs a cell: a true .95 shows as .95 +- {error:.3f} in 95% of cells.")
    head = f"| world | d | n | {' | '.join(names)} |\n| --- |{' ---: |' * (len(names) + 2)}"
    print("\n## Coverage, all four sets drawn\n", head, *drawn, sep="\n")
    print("\n## Coverage, attributes as given\n", head, *given, sep="\n")
    print("\n## Mean width\n", head, *widths, sep="\n")
    own_head = (
        "| world | d | n | mean estimate | coverage | d below low | d above high | width | "
        "attributes as given |\n| --- |" + " ---: |" * 8
    )
    print("\n## The interval in use\n", own_head, *own, sep="\n")
    print("\n## Sets of uneven size\n", *uneven(runs), sep="\n")


if __name__ == "__main__":
    main()
