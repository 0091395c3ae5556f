"""Time and outcome of the matched nulls: each WEAT test on a set of word vectors.

    python benchmarks/nulls.py                                 # GloVe 6B, as a run fetches it
    python benchmarks/nulls.py results/demo/vectors/discovery/en/asia/word2vec-1.bin
    python benchmarks/nulls.py --calibration                   # does similarity have to match?

The first forms print a Markdown table of effect sizes, null bands and how well the random sets
match, and some random sets. The last takes random pairs of sets as if they were tests, and
prints how often a null with and without matched similarity calls them out at 5%.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from biasatlas.association.lookup import look_up
from biasatlas.association.nulls.random_sets import MatchedNull, NullSampler, label_band
from biasatlas.association.scores import effect_size, word_associations
from biasatlas.lexicons.word_lists import AssociationTest, load_tests
from biasatlas.vectors import WordVectors, load_vectors

GLOVE = Path("resources/fetched/glove_6b_50d")
LISTS = Path("resources/word_lists/weat/en")
MIN_WORDS = 4


def found_words(test: AssociationTest, vectors: WordVectors) -> list[Sequence[str]]:
    """Words of X, Y, A, B with vectors."""
    return [look_up(getattr(test, name).words, vectors).found for name in "xyab"]


def score(words: list[Sequence[str]], vectors: WordVectors) -> float:
    """Effect size of the real sets."""
    x, y, a, b = (vectors.rows(some) for some in words)
    return effect_size(word_associations(x, a, b), word_associations(y, a, b))


def draw(
    sampler: NullSampler, name: str, words: list[Sequence[str]], n: int, match: bool
) -> MatchedNull:
    """Random sets with or without matched similarity."""
    x, y, a, b = words
    return sampler.null(name, x, y, a, b, n, match_similarity=match)


def called_significant(
    null: MatchedNull, a: Sequence[str], b: Sequence[str], vectors: WordVectors
) -> float:
    """Share of random pairs that lie outside their own band of shuffled labels."""
    outside = 0
    for d, rows_x, rows_y in zip(null.d, null.rows_x, null.rows_y, strict=True):
        rows = vectors.matrix[np.concatenate([rows_x, rows_y])].astype(np.float64)
        scores = word_associations(rows, vectors.rows(a), vectors.rows(b))
        low, high = label_band(scores[: len(rows_x)], scores[len(rows_x) :])
        outside += not low <= d <= high
    return outside / len(null.d)


def row(
    test: str, d: float, null: MatchedNull, any_two: MatchedNull, called: float, seconds: float
) -> str:
    """One line of the table."""
    placed, loose = null.summary(d), any_two.summary(d)
    asked, reached = null.coherence_asked, null.coherence.mean(axis=0)
    rank = null.log_rank.mean(axis=0)
    cells = [
        test,
        f"{d:.2f}",
        f"{placed['null_low']:.2f} {placed['null_median']:.2f} {placed['null_high']:.2f}",
        f"{placed['null_percentile']:.3f}",
        f"{placed['null_p']:.3f}",
        f"{placed['null_p_two_sided']:.3f}",
        f"{loose['null_p']:.3f}",
        f"{loose['null_p_two_sided']:.3f}",
        f"{np.median(np.abs(null.d)):.2f} {np.median(np.abs(any_two.d)):.2f}",
        f"{called:.2f}",
        f"{asked[0]:.2f} {asked[1]:.2f}",
        f"{reached[0]:.2f} {reached[1]:.2f}",
        f"{null.similarity_asked:.2f}",
        f"{null.similarity.mean():.2f} {any_two.similarity.mean():.2f}",
        f"{null.log_rank_asked[0]:.1f} {null.log_rank_asked[1]:.1f}",
        f"{rank[0]:.1f} {rank[1]:.1f}",
        f"{seconds:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def show_tests(path: Path, n: int, pool: int) -> None:
    """Print the table and some random sets."""
    vectors = load_vectors(path)
    start = time.process_time()
    sampler = NullSampler(vectors, pool=pool)
    made = time.process_time() - start
    heads = (
        "test | d | null 2.5 50 97.5% | percentile | p | two-sided | p, any two topics | two-sided"
        " | median null abs d | called | coherence | reached | similarity | reached | log rank | reached | s"
    )
    print(f"{path}: {len(vectors.words)} words, {vectors.size} dimensions\n\n| {heads} |")
    print("|" + " --- |" * len(heads.split("|")))
    examples, total = [], 0.0
    for test in load_tests(LISTS):
        words = found_words(test, vectors)
        if min(map(len, words)) < MIN_WORDS:
            continue
        start = time.process_time()
        null = draw(sampler, test.test, words, n, True)
        seconds = time.process_time() - start
        total += seconds
        any_two = draw(sampler, test.test, words, n, False)
        called = called_significant(any_two, words[2], words[3], vectors)
        print(row(test.test, score(words, vectors), null, any_two, called, seconds))
        for number in range(4):
            sets = [
                " ".join(vectors.words[i] for i in rows[number])
                for rows in (null.rows_x, null.rows_y)
            ]
            examples.append(f"{test.test}: {' | '.join(sets)}")
    print(f"\n{made:.2f} s for the sampler, {total:.2f} s for the nulls\n")
    print("\n".join(examples))


def show_calibration(path: Path, pairs: int, n: int) -> None:
    """Print how often random pairs of sets are called out at 5%, by their similarity."""
    vectors = load_vectors(path)
    real = next(test for test in load_tests(LISTS) if test.test == "WEAT8")
    words = found_words(real, vectors)
    sampler = NullSampler(vectors, pool=5_000)
    drawn = draw(sampler, "pairs", words, pairs, False)
    called = np.zeros((2, pairs))
    for number, rows in enumerate(zip(drawn.rows_x, drawn.rows_y, strict=True)):
        sets: list[Sequence[str]] = [[vectors.words[i] for i in some] for some in rows]
        d = score([*sets, *words[2:]], vectors)
        for kind, match in enumerate((False, True)):
            null = draw(sampler, f"{number}", [*sets, *words[2:]], n, match)
            called[kind, number] = null.summary(d)["null_p_two_sided"] <= 0.05
    print("| similarity | pairs | null of any two topics | null of matched similarity |")
    print("| --- | --- | --- | --- |")
    for part in (*np.array_split(np.argsort(drawn.similarity), 4), np.arange(pairs)):
        low, high = drawn.similarity[part].min(), drawn.similarity[part].max()
        shares = called[:, part].mean(axis=1)
        print(f"| {low:.2f} to {high:.2f} | {len(part)} | {shares[0]:.3f} | {shares[1]:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", nargs="?", type=Path, default=GLOVE)
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--pool", type=int, default=20_000)
    parser.add_argument("--calibration", action="store_true")
    arguments = parser.parse_args()
    if arguments.calibration:
        show_calibration(arguments.vectors, 400, 200)
    else:
        show_tests(arguments.vectors, arguments.n, arguments.pool)


if __name__ == "__main__":
    main()
