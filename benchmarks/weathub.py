"""Time the half of the languages: encoding, scores, p-values, and what one edit costs.

    python benchmarks/weathub.py --lists weathub/data --model resources/fetched/minilm_l6_v2
    python benchmarks/weathub.py --lists ... --model ... --small       # English, few tests
    python benchmarks/weathub.py --lists ... --model ... --sample 0.2  # every fifth language

`--lists` is WEATHub's folder `data`, `--model` a Hugging Face encoder. All stages run in one
process after another, so the ratios count; what is measured on a part is scaled to the whole, and
the table says on how much. Prints Markdown; seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from biasatlas.association.languages.score_grid import score_language
from biasatlas.association.permutation.p_value import permutation_test
from biasatlas.association.permutation.saddlepoint import saddlepoint_p
from biasatlas.association.score import Settings
from biasatlas.association.scores import effect_size, word_associations
from biasatlas.encoders.reading import describe_reading
from biasatlas.encoders.words import encode_words
from biasatlas.lexicons.weathub import read_lists, tests_of
from biasatlas.lexicons.weathub_files import list_languages

SIZES = (8, 12, 16, 20, 25, 32, 59)
DIMENSIONS = 384
# Beyond so many words certified bounds take less time than counting.
MAX_EXACT = 44
SCORED, FILES, ENCODERS = 100_000, 694, 10
Result = TypeVar("Result")


@dataclass(frozen=True)
class Stage:
    """One row of the table: what was measured, and what that makes of the whole."""

    name: str
    done: str
    seconds: float
    share: float
    target: float

    def row(self) -> str:
        """As Markdown."""
        whole = self.seconds / self.share
        met = "yes" if whole <= self.target else "no"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        return (
            f"| {self.name} | {self.done} | {self.seconds:.1f} | {whole:.0f} | {self.target:.0f} | "
            f"{met} | {peak:.0f} |"
        )


def timed(call: Callable[..., Result], *arguments: Any, **named: Any) -> tuple[Result, float]:
    """Result of one call and its processor seconds."""
    start = time.process_time()
    result = call(*arguments, **named)
    return result, time.process_time() - start


def compare_p_values(repeats: int) -> Iterator[str]:
    """Rows: the saddlepoint approximation beside the exact or certified p, by size."""
    rng = np.random.default_rng(0)
    for n in SIZES:
        tests = [(rng.normal(0.5, 1, n), rng.normal(0, 1, n)) for _ in range(repeats)]
        for method in (permutation_test, saddlepoint_p):
            method(*tests[0])  # compiled before the clock starts
        sure, slow = timed(_each, permutation_test, tests, max_exact=MAX_EXACT)
        close, fast = timed(_each, saddlepoint_p, tests)
        errors = [abs(b.p_value / a.p_value - 1) for a, b in zip(sure, close, strict=True)]
        methods = "/".join(sorted({one.method for one in sure}))
        yield (
            f"| {n} v {n} | {methods} | {1e3 * slow / repeats:.2g} | {1e3 * fast / repeats:.2g} | "
            f"{slow / fast:.1f} | {np.median(errors):.1g} | {max(errors):.1g} |"
        )


def _each(method: Callable[..., Result], tests: Sequence[Any], **settings: Any) -> list[Result]:
    return [method(*one, **settings) for one in tests]


def score_many(words: pd.DataFrame, number: int) -> Stage:
    """d and the saddlepoint p of many tests of the lists' sizes, on random vectors."""
    sizes = [
        [max(2, len(getattr(test, name).words)) for name in "xyab"]
        for _, test, _ in tests_of(words)
    ]
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(2_000, DIMENSIONS))
    chosen = [rng.choice(len(pool), sum(sizes[k % len(sizes)]), False) for k in range(number)]

    def score() -> None:
        for k, rows in enumerate(chosen):
            n_x, n_y, n_a, _ = sizes[k % len(sizes)]
            x, y, a, b = np.split(pool[rows], np.cumsum([n_x, n_y, n_a]))
            scores = word_associations(np.concatenate([x, y]), a, b)
            effect_size(scores[:n_x], scores[n_x:])
            saddlepoint_p(scores[:n_x], scores[n_x:])

    _, seconds = timed(score)
    return Stage("d and saddlepoint p", f"{number} tests", seconds, number / SCORED, 300)


def encode_languages(
    lists: dict[str, pd.DataFrame], model: Path, folder: Path
) -> tuple[dict[str, pd.DataFrame], float]:
    """Encode the lists of some languages."""
    encoded, total = {}, 0.0
    for language, words in lists.items():
        encoded[language], seconds = timed(
            encode_words,
            sorted(set(words["word"])),
            kind="layers",
            path=model,
            cache_file=folder / f"{language}.encoded.parquet",
            key=str(model),
            language=language,
        )
        total += seconds
    return encoded, total


def score_one(language: str, words: pd.DataFrame, encoded: pd.DataFrame, folder: Path) -> int:
    """Score a language with certified p and no null, and give the number of tests."""
    # Read whatever it knows of the language: the time is the same.
    reading = describe_reading(encoded, language, "model", "other", "layers", 0.0)
    scores, _ = score_language(
        words,
        encoded,
        reading,
        settings=Settings(max_exact=MAX_EXACT),
        p_cache_file=folder / f"{language}.p.parquet",
        nulls=0,
        seed=0,
        spaces=("raw",),
    )
    return len(scores)


def change_one_list(words: pd.DataFrame) -> pd.DataFrame:
    """The lists without one word of the first test."""
    first = words.index[words["refusal"] == ""][0]
    return words.drop(index=first)


def read_all(folder: Path, languages: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Words of the lists by language."""
    return {language: read_lists(folder, language).words for language in languages}


def run(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Rows of the table of stages."""
    known = list_languages(arguments.lists)
    step = max(1, round(1 / arguments.sample))
    chosen = ["en"] if arguments.small else known[::step]
    lists, seconds = timed(read_all, arguments.lists, chosen)
    files = sum(len(tests_of(words)) for words in lists.values())
    share = files / FILES
    done = f"{files} files, {len(lists)} languages"
    yield Stage("reading and mending lists", done, seconds, share, 60).row()
    everything = pd.concat(lists.values(), ignore_index=True)
    yield score_many(everything, 2_000 if arguments.small else SCORED).row()
    encoded, seconds = encode_languages(lists, arguments.model, folder)
    texts = sum(map(len, encoded.values()))
    yield Stage("encoding", f"{texts} texts", seconds, share, 600).row()
    rows = 0
    total = 0.0
    for language, words in lists.items():
        number, seconds = timed(score_one, language, words, encoded[language], folder)
        rows, total = rows + number, total + seconds
    yield Stage(
        "scores with certified p", f"{rows} tests", total, rows / (FILES * ENCODERS), 1800
    ).row()
    largest = max(lists, key=lambda language: len(lists[language]))
    changed = change_one_list(lists[largest])
    _, seconds = timed(score_one, largest, changed, encoded[largest], folder)
    yield Stage("again after one list changed", f"language {largest}", seconds, 1.0, 20).row()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lists", type=Path, required=True, help="WEATHub's folder `data`")
    parser.add_argument("--model", type=Path, required=True, help="folder of an encoder")
    parser.add_argument("--small", action="store_true", help="English, and 2,000 tests")
    parser.add_argument("--sample", type=float, default=1.0, help="share of the languages")
    arguments = parser.parse_args()
    if not 0 < arguments.sample <= 1:
        parser.error("--sample is a share above 0, at most 1")
    write = sys.stdout.write
    write("| size | method | ms | saddlepoint, ms | ratio | median relative error | largest |\n")
    write("|---|---|---|---|---|---|---|\n")
    for line in compare_p_values(5 if arguments.small else 50):
        write(line + "\n")
    write("\n| stage | measured on | CPU s | of the whole, s | target, s | met | peak, MB |\n")
    write("|---|---|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder:
        for line in run(arguments, Path(folder)):
            write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
