"""Time the corpus stage beside zcat and ripgrep: reading, scanning, drawing, cleaning.

    python benchmarks/corpora.py                       # about ten minutes, 3 GB of disk
    python benchmarks/corpora.py --millions 1 2        # smaller

The text is made up here: words of a Zipfian vocabulary in documents of 20 to 120 words, one in ten
an exact copy. Both sides of a ratio read the same file in the same minutes. Prints Markdown;
seconds are processor seconds of one core. Needs zcat and rg; without them their cells are empty.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from biasatlas.corpora.check import Check
from biasatlas.corpora.preparation import Preparation
from biasatlas.corpora.readers import read_source
from biasatlas.corpora.selection import Draw, draw_documents
from biasatlas.lexicons.gender_scan import scan
from biasatlas.lexicons.gender_terms import load_gender_pairs

ROOT = Path(__file__).parents[1]
TERMS = ROOT / "resources/word_lists/gender/en/bolukbasi52.yaml"
VOCABULARY, POOL, SCAN_MB = 200_000, 100_000, 200
CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопярстувшхыз")


def make_pool(seed: int = 0) -> list[str]:
    """Make halves of documents, of Zipfian words, with gender terms among the common ones."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    weights = 1.0 / np.arange(1, 27)
    lengths = np.clip(rng.poisson(6, VOCABULARY), 2, 14)
    drawn = rng.choice(letters, size=int(lengths.sum()), p=weights / weights.sum())
    ends = np.cumsum(lengths)
    words = ["".join(drawn[end - n : end]) for n, end in zip(lengths, ends, strict=True)]
    terms = load_gender_pairs(TERMS)
    for place, term in enumerate([*terms.female, *terms.male]):
        words[40 + 37 * place] = term
    words[9], words[21], words[33] = "he", "his", "she"
    chances = 1.0 / np.arange(1, VOCABULARY + 1)
    sizes = rng.integers(10, 61, POOL)
    flat = rng.choice(VOCABULARY, size=int(sizes.sum()), p=chances / chances.sum()).tolist()
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return [" ".join(words[i] for i in flat[a:b]) + "." for a, b in itertools.pairwise(starts)]


def write_documents(pool: list[str], number: int, folder: Path) -> list[Path]:
    """Write `number` documents, a million a file, as gzip: two halves each, one in ten a copy."""
    from isal import igzip

    texts = pl.Series("text", pool)
    rng = np.random.default_rng(1)
    paths = []
    for file in range(-(-number // 1_000_000)):
        path = folder / f"web_NGA_{file}.txt.gz"
        paths.append(path)
        if path.exists():
            continue
        with igzip.open(path, "wb", compresslevel=1) as out:
            for _start in range(0, 1_000_000, 50_000):
                halves = rng.integers(0, POOL, (2, 50_000))
                halves[:, ::10] = rng.integers(0, POOL, (2, 50))[:, np.arange(5_000) % 50]
                rows = pl.select(pl.concat_str(*map(texts.gather, halves), separator=" "))
                out.write("\n".join(rows.to_series().to_list()).encode() + b"\n")
    return paths


def cpu_of(command: list[str]) -> float | None:
    """Processor seconds of another program, the smaller of two runs; None where it is absent."""
    if shutil.which(command[0]) is None:
        return None
    spent = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def cpu(call: Callable[[], object], runs: int = 3) -> float:
    """Processor seconds of a call, the smallest of some runs."""
    spent = []
    for _ in range(runs):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return min(spent)


def row(name: str, mb: float, ours: float, other: str, theirs: float | None) -> str:
    """One row: MB a second of both, and the ratio."""
    beside = f"{other} {mb / theirs:.0f} MB/s" if theirs else ""
    ratio = f"{theirs / ours:.2f}" if theirs else ""
    return f"| {name} | {mb / ours:.0f} | {beside} | {ratio} |"


def time_reading(path: Path, folder: Path) -> list[str]:
    """Rows for one file as gzip, Zstandard and plain text."""
    import zstandard
    from isal import igzip

    plain = folder / "plain.txt"
    with igzip.open(path) as source, plain.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 22)
    packed = folder / "plain.txt.zst"
    with plain.open("rb") as source, packed.open("wb") as target:
        zstandard.ZstdCompressor(level=3).copy_stream(source, target)
    mb = plain.stat().st_size / 1e6

    def read(file: Path) -> None:
        for _ in read_source("lines", file):
            pass

    return [
        row("gzip to documents", mb, cpu(lambda: read(path)), "zcat", cpu_of(["zcat", str(path)])),
        row(
            "Zstandard to documents", mb, cpu(lambda: read(packed)), "zstdcat",
            cpu_of(["zstdcat", str(packed)]),
        ),
        row("plain text to documents", mb, cpu(lambda: read(plain)), "cat", cpu_of(["cat", str(plain)])),
    ]  # fmt: skip


def time_scan(pool: list[str], folder: Path) -> list[str]:
    """Rows for ASCII text, two other characters a document, and text without ASCII letters."""
    terms = load_gender_pairs(TERMS)
    listed = folder / "terms.txt"
    listed.write_text("\n".join([*terms.female, *terms.male]) + "\n", encoding="utf-8")
    size = sum(map(len, pool)) / 1e6
    kinds = {
        "gender scan, ASCII": pool,
        "gender scan, two other characters a document": [
            f"caf\u00e9 {text} \u201cna\u00efve\u201d"[: len(text) + 7] for text in pool
        ],
        "gender scan, Cyrillic": [text.translate(CYRILLIC) for text in pool],
    }
    rows = []
    for name, texts in kinds.items():
        series = pl.Series("text", texts * max(1, round(SCAN_MB / size)))
        mb = int(series.str.len_bytes().sum()) / 1e6
        path = folder / "scan.txt"
        path.write_text("\n".join(series.to_list()) + "\n", encoding="utf-8")
        scan(series.head(10), terms)
        theirs = cpu_of(["rg", "-c", "-w", "-i", "-f", str(listed), str(path)])
        rows.append(row(name, mb, cpu(lambda s=series: scan(s, terms)), "rg -c", theirs))
    return rows


def draw(millions: int, folder: Path) -> None:
    """Draw 94,000 of some million documents; print what it took. Run in a process of its own."""
    paths = sorted(folder.glob("web_NGA_*.txt.gz"))[:millions]
    cleaned = [0]
    check = Check("en", Preparation(min_words=20))

    def batches() -> Iterator[pl.DataFrame]:
        for path in paths:
            for batch in read_source("geowac", path, {"country": "NGA"}):
                yield pl.from_arrow(batch).with_columns(given_rule=pl.lit("file name"))

    def judge(rows: pl.DataFrame) -> pl.DataFrame:
        cleaned[0] += rows.height
        start = time.process_time()
        result = check(rows)
        cleaning[0] += time.process_time() - start
        return result

    cleaning = [0.0]
    start, wall = time.process_time(), time.time()
    documents, counts = draw_documents(batches, judge, Draw(94_000, seed=1, near_duplicates=0.8))
    spent, wall = time.process_time() - start, time.time() - wall
    # getrusage would count the memory of the process that started this one
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1e6
    n = sum(counts.values())
    assert documents.height == 94_000, documents.height
    print(
        f"| {n / 1e6:.0f} million | {spent:.1f} s | {wall:.1f} s | {n / spent:,.0f} | {peak:.2f} GB | "
        f"{cleaned[0]:,} ({cleaned[0] / n:.1%}) | {cleaned[0] / max(cleaning[0], 1e-9):,.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 2, 5, 8])
    parser.add_argument("--folder", type=Path, help="keep the made-up files here")
    parser.add_argument("--draw", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.draw:
        draw(arguments.draw, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        pool = make_pool()
        paths = write_documents(pool, 1_000_000 * max(arguments.millions), folder)
        print("| | MB a second | beside it | times as fast |\n| --- | ---: | --- | ---: |")
        print("\n".join([*time_reading(paths[0], folder), *time_scan(pool, folder)]), flush=True)
        print(
            "\n| documents | processor | wall | a second | peak | cleaned | cleaned a second |\n"
            "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            flush=True,
        )
        for millions in arguments.millions:
            command = [sys.executable, __file__, "--draw", str(millions), "--folder", str(folder)]
            subprocess.run(command, check=True, env=os.environ)


if __name__ == "__main__":
    main()
