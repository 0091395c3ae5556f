"""Our topic model beside plain BERTopic: processor time, memory, and whether topics agree.

    python benchmarks/topics.py embed passages.parquet embeddings.npy --encoder FOLDER \\
        --jsonl ../shared/data/regional/eval_5x6000.jsonl.gz --corpora results/ungdc/corpora
    python benchmarks/topics.py compare passages.parquet embeddings.npy --rows 20000 60000

`embed` draws the passages, mixes them and embeds them (60,000 take half an hour on one core).
`compare` fits the first rows several times with BERTopic as it comes and with ours under
BERTopic's own cluster settings, each fit in a process of its own. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd


def embed(args: argparse.Namespace) -> None:
    """Half of the passages from the regional file, half from the UN debates, in mixed order."""
    from biasatlas.encoders.sentence import SentenceEncoder

    with gzip.open(args.jsonl, "rt", encoding="utf-8") as lines:
        regional = pd.DataFrame([json.loads(line) for line in lines])[["id", "region", "text"]]
    files = sorted(args.corpora.glob("discovery/en/*.parquet"))
    debates = pd.concat(
        [
            pd.read_parquet(file, columns=["id", "text"]).assign(region=file.stem)
            for file in files
            if "counts" not in file.name
        ]
    )
    half = args.n // 2
    frame = pd.concat([regional.sample(half, random_state=1), debates.sample(half, random_state=1)])
    frame = frame.sample(frac=1, random_state=2).reset_index(drop=True)
    frame.to_parquet(args.passages)
    vectors = SentenceEncoder(args.encoder, precision=args.precision).encode(
        list(frame["text"]), "passages"
    )
    np.save(args.embeddings, vectors)


def fit_bertopic(texts: list[str], embeddings: np.ndarray, seed: int) -> list[int]:
    """BERTopic as it comes: no seed, so that every process gives other topics."""
    from bertopic import BERTopic

    return BERTopic().fit_transform(texts, embeddings)[0]


def fit_ours(texts: list[str], embeddings: np.ndarray, seed: int) -> list[int]:
    """Ours with the cluster settings that BERTopic has by default."""
    from biasatlas.topics.model import TopicSettings, fit_topics

    settings = TopicSettings(
        seed=seed, language="en", min_cluster_size=10, cluster_selection_method="eom"
    )
    return fit_topics(texts, embeddings, settings)[0]["topic"].tolist()


FITS = {"BERTopic": fit_bertopic, "ours": fit_ours}


def one(args: argparse.Namespace) -> None:
    """One fit in this process, and the same once more where all is compiled and loaded."""
    texts = pd.read_parquet(args.passages, columns=["text"])["text"].head(args.rows).tolist()
    embeddings = np.array(np.load(args.embeddings, mmap_mode="r")[: args.rows], dtype=np.float32)
    read, wall = time.process_time(), time.perf_counter()
    topics = FITS[args.who](texts, embeddings, args.seed)
    first = time.process_time() - read
    result = {"first": first, "wall": time.perf_counter() - wall, "topics": topics}
    result["gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    if args.again:
        start = time.process_time()
        FITS[args.who](texts, embeddings, args.seed)
        result["again"] = time.process_time() - start
    args.out.write_text(json.dumps(result))


def run_all(args: argparse.Namespace, rows: int) -> dict[str, list[dict]]:
    """All fits of so many rows, ours and BERTopic's by turns."""
    found: dict[str, list[dict]] = {who: [] for who in FITS}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seeds):
            for who in FITS:
                out = Path(folder) / "result.json"
                command = [sys.executable, __file__, "one", str(args.passages)]
                command += [str(args.embeddings), "--who", who, "--rows", str(rows)]
                command += ["--seed", str(seed), "--out", str(out)]
                # Once is enough to see what loading and compiling take.
                command += ["--again"] if seed == 0 and not args.once else []
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                found[who].append(json.loads(out.read_text()))
    return found


def compare(args: argparse.Namespace) -> None:
    from sklearn.metrics import adjusted_rand_score

    print("| passages | | CPU s | once more | wall s | peak GB | topics | in none |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    agreement = []
    for rows in args.rows:
        found = run_all(args, rows)
        for who, runs in found.items():
            first, wall = (np.median([run[key] for run in runs]) for key in ("first", "wall"))
            gb = max(run["gb"] for run in runs)
            counts = [len(set(run["topics"]) - {-1}) for run in runs]
            again = f"{runs[0]['again']:.1f}" if "again" in runs[0] else ""
            none = np.mean([np.mean(np.array(run["topics"]) == -1) for run in runs])
            print(
                f"| {rows:,} | {who} | {first:.1f} | {again} | {wall:.1f} "
                f"| {gb:.2f} | {min(counts)}-{max(counts)} | {none:.0%} |",
                flush=True,
            )
        labels = {who: [run["topics"] for run in runs] for who, runs in found.items()}
        pairs = {
            "BERTopic, BERTopic": combinations(labels["BERTopic"], 2),
            "ours, BERTopic": product(labels["ours"], labels["BERTopic"]),
            "ours, ours": combinations(labels["ours"], 2),
        }
        for name, some in pairs.items():
            values = [adjusted_rand_score(a, b) for a, b in some]
            agreement.append((rows, name, values))
    print("\n| passages | runs compared | ARI, mean | smallest | largest |")
    print("| ---: | --- | ---: | ---: | ---: |")
    for rows, name, values in agreement:
        print(
            f"| {rows:,} | {name} | {np.mean(values):.3f} | {min(values):.3f} | {max(values):.3f} |"
        )


def search(args: argparse.Namespace) -> None:
    """Our searches for neighbours beside UMAP's, the first call and the second."""
    from umap.umap_ import nearest_neighbors

    from biasatlas.topics.cells import cell_neighbours
    from biasatlas.topics.neighbours import exact_neighbours

    print("| passages | exact, CPU s | in cells | found | UMAP's search | once more | found |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    whole = np.load(args.embeddings, mmap_mode="r")
    for rows in args.rows:
        vectors = np.array(whole[:rows], dtype=np.float32)
        searches = {
            "exact": lambda some: exact_neighbours(some, 15).indices,
            "cells": lambda some: cell_neighbours(some, 15).indices,
            "umap": lambda some: nearest_neighbors(
                some, 15, "cosine", {}, False, np.random.RandomState(0), False, n_jobs=1
            )[0],
        }
        cells, exact = [], None
        for name in ("exact", "cells", "umap", "umap again"):
            start = time.process_time()
            found = searches[name.split()[0]](vectors)
            cells.append(f"{time.process_time() - start:.2f}")
            exact = found if exact is None else exact
            if name in ("cells", "umap again"):
                pairs = zip(exact.tolist(), found.tolist(), strict=True)
                cells.append(f"{np.mean([len({*a} & {*b}) / 15 for a, b in pairs]):.1%}")
        print(f"| {rows:,} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for name, function in (
        ("embed", embed),
        ("compare", compare),
        ("search", search),
        ("one", one),
    ):
        command = commands.add_parser(name, help=(function.__doc__ or "Compare.").splitlines()[0])
        command.add_argument("passages", type=Path)
        command.add_argument("embeddings", type=Path)
        command.set_defaults(function=function)
        if name == "embed":
            command.add_argument("--jsonl", type=Path, required=True)
            command.add_argument("--corpora", type=Path, required=True)
            command.add_argument("--encoder", type=Path, required=True)
            command.add_argument("--precision", default="bf16")
            command.add_argument("--n", type=int, default=60_000)
        elif name == "one":
            command.add_argument("--who", choices=list(FITS), required=True)
            command.add_argument("--rows", type=int, required=True)
            command.add_argument("--seed", type=int, required=True)
            command.add_argument("--again", action="store_true")
            command.add_argument("--out", type=Path, required=True)
        else:
            command.add_argument("--rows", type=int, nargs="+", default=[20_000, 60_000])
            command.add_argument("--seeds", type=int, default=3)
            command.add_argument("--once", action="store_true", help="no second fit")
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    main()
