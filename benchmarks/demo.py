"""Time and peak memory of each rule of a run, from the files that Snakemake wrote beside it.

    python benchmarks/demo.py                 # results/demo
    python benchmarks/demo.py results/ungdc

Prints a Markdown table: jobs, seconds of all jobs together, the longest job, processor seconds,
and the largest memory of one job. Jobs run side by side, so the seconds add up to more than
the run took.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd


def read_benchmarks(folder: Path) -> pd.DataFrame:
    """Read every benchmark file below a run: one row a job."""
    frames = []
    for path in sorted(folder.rglob("*.tsv")):
        rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
        frames.append(pd.read_csv(path, sep="\t", na_values="-").assign(rule=rule))
    if not frames:
        sys.exit(f"{folder}: no benchmark files; run the workflow first")
    return pd.concat(frames, ignore_index=True)


def summarise(jobs: pd.DataFrame) -> pd.DataFrame:
    """One row a rule, the most expensive first, and their sum."""
    rules = (
        jobs.groupby("rule")
        .agg(
            jobs=("s", "size"),
            seconds=("s", "sum"),
            longest=("s", "max"),
            cpu_seconds=("cpu_time", "sum"),
            peak_mb=("max_rss", "max"),
        )
        .sort_values("seconds", ascending=False)
    )
    rules.loc["all"] = {
        "jobs": len(jobs),
        "seconds": jobs["s"].sum(),
        "longest": jobs["s"].max(),
        "cpu_seconds": jobs["cpu_time"].sum(),
        "peak_mb": jobs["max_rss"].max(),
    }
    return rules


def main() -> None:
    """Print the table."""
    run = Path(sys.argv[1] if len(sys.argv) > 1 else "results/demo")
    rules = summarise(read_benchmarks(run / "benchmarks"))
    print("| rule | jobs | seconds | longest job (s) | processor seconds | peak memory (MB) |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for rule, row in rules.iterrows():
        print(
            f"| {rule} | {row['jobs']:.0f} | {row['seconds']:.0f} | {row['longest']:.0f} | "
            f"{row['cpu_seconds']:.0f} | {row['peak_mb']:.0f} |"
        )


if __name__ == "__main__":
    main()
