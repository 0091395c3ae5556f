"""Scripts on their own, with a stand-in for the object that Snakemake gives them."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasatlas.tables import read_table
from biasatlas.vectors import WordVectors, save_word2vec

ROOT = Path(__file__).parents[2]
WEAT = ROOT / "resources/word_lists/weat/en"
CONTROL = ROOT / "resources/word_lists/control/en/CONTROL1.yaml"
PARTS = ("scores", "words", "coverage")


class Named(list):
    """A list whose members may have names, as Snakemake's input and output."""

    def __init__(self, *values: str, **named: Any) -> None:
        super().__init__(values)
        self.__dict__.update(named)

    def get(self, name: str, default: Any = None) -> Any:
        return self.__dict__.get(name, default)


def run(script: str, folder: Path, **parts: Any) -> None:
    """Run a script as Snakemake would, with its log in `folder`."""
    job = {"input": Named(), "output": Named(), "params": Named(), "wildcards": Named()} | parts
    job["log"] = Named(str(folder / f"{script}.log"))
    path = ROOT / "workflow/scripts" / f"{script}.py"
    runpy.run_path(str(path), init_globals={"snakemake": SimpleNamespace(**job)})


def vectors(folder: Path) -> Path:
    words = (WEAT / "WEAT7.yaml").read_text("utf-8").split("- ")[1:]
    names = sorted({word.split()[0].lower() for word in words})
    matrix = np.random.default_rng(0).normal(size=(len(names), 12)).astype(np.float32)
    save_word2vec(WordVectors(tuple(names), matrix), folder / "own.bin")
    return folder / "own.bin"


def score(folder: Path, path: Path) -> None:
    run(
        "score_weat",
        folder,
        input=Named(
            vectors=str(path),
            tests=[str(WEAT / "WEAT6.yaml"), str(WEAT / "WEAT7.yaml")],
            controls=[str(CONTROL)],
        ),
        output=Named(**{part: str(folder / f"{part}.parquet") for part in PARTS}),
        params=Named(settings=[("nulls", 0), ("seed", 1)], models=[("own", -1)], corpus=""),
        wildcards=Named(name="own", language="en"),
    )


def test_scores_become_a_table_with_corrections(tmp_path: Path) -> None:
    score(tmp_path, vectors(tmp_path))
    run(
        "tabulate_weat",
        tmp_path,
        input=Named(scores=[str(tmp_path / "scores.parquet")]),
        output=Named(str(tmp_path / "weat.csv")),
        params=Named(gender_tests=["WEAT6", "WEAT7"], control_tests=["CONTROL1"]),
    )
    rows = read_table("weat", tmp_path / "weat.csv").set_index("test")
    assert rows.at["WEAT6", "status"] == "refused"
    assert np.isnan(rows.at["WEAT6", "p_value"])
    assert rows.at["WEAT7", "status"] == "ok"
    # The refused test is no test: the family has one member, and its q is its p.
    assert rows.at["WEAT7", "q_value"] == rows.at["WEAT7", "p_value"]
    # Vectors that lack the words of the control do not pass it, and every row says so.
    assert set(rows["control"]) == {"failed"}
    for part in ("words", "coverage"):
        run(
            "collect_table",
            tmp_path,
            input=Named(str(tmp_path / f"{part}.parquet")),
            output=Named(str(tmp_path / f"{part}.csv")),
            params=Named(table=part),
        )
    assert set(read_table("words", tmp_path / "words.csv")["test"]) == {"WEAT7"}
    coverage = read_table("coverage", tmp_path / "coverage.csv")
    assert set(coverage["test"]) == {"CONTROL1", "WEAT6", "WEAT7"}
    assert set(coverage["kind"]) == {"term", "name"}


def test_damaged_vectors_stop_the_job_with_one_message(tmp_path: Path) -> None:
    broken = tmp_path / "own.bin"
    broken.write_bytes(vectors(tmp_path).read_bytes()[:200])
    with pytest.raises(SystemExit, match="1"):
        score(tmp_path, broken)
    log = (tmp_path / "score_weat.log").read_text("utf-8")
    assert "own.bin" in log
    assert "Traceback" not in log
    assert not (tmp_path / "scores.parquet").exists()


def test_a_country_named_na_survives_the_tables(tmp_path: Path) -> None:
    columns = ["region", "country", "source", "item", "unit", "n", "rule"]
    counts = pd.DataFrame(
        [["africa", "NA", "null", "kept", "document", 3, "column"]], columns=columns
    )
    path = tmp_path / "corpora" / "news" / "en" / "africa.counts.parquet"
    path.parent.mkdir(parents=True)
    counts.to_parquet(path)
    run(
        "tabulate_corpus",
        tmp_path,
        input=Named(documents=[], regions=[str(path)]),
        output=Named(str(tmp_path / "corpus.csv")),
    )
    row = read_table("corpus", tmp_path / "corpus.csv").iloc[0]
    assert (row["corpus"], row["language"], row["country"], row["source"]) == (
        "news",
        "en",
        "NA",
        "null",
    )


def test_a_thin_region_is_counted_with_a_warning(tmp_path: Path) -> None:
    gender = pd.DataFrame(
        {"id": ["a#0", "a#1"], "document": ["a", "a"], "gender": ["female", "neither"]}
    )
    folder = tmp_path / "gender" / "en"
    folder.mkdir(parents=True)
    gender.to_parquet(folder / "north.parquet")
    gender.head(1)[["id", "document", "gender"]].to_parquet(folder / "north.used.parquet")
    run(
        "tabulate_gender",
        tmp_path,
        input=Named(
            gender=[str(folder / "north.parquet")], used=[str(folder / "north.used.parquet")]
        ),
        output=Named(str(tmp_path / "gender.csv")),
        params=Named(
            both="exclude",
            word_lists=[("en", "basic (not validated)")],
            warn_below=500,
            warn_female_below=100,
        ),
    )
    row = read_table("gender", tmp_path / "gender.csv").iloc[0]
    assert (row["region"], row["female"], row["neither"], row["female_share"]) == (
        "north",
        1,
        1,
        1.0,
    )
    assert row["warning"].count("thin") == 2
    assert row["word_list"] == "basic (not validated)"
