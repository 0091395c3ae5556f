"""The workflow as a user runs it: what comes out, and the same whatever the cores."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path

from project import (
    FEWEST_REFITS,
    NO_LANGUAGES,
    SUBJECTS,
    make_project,
    planned_jobs,
    snakemake,
    write_config,
    write_corpus,
)

from biasatlas.tables import read_table

TABLES = [
    *("corpus", "gender", "word_lists", "weat", "words", "coverage", "stability", "companions"),
    *("differences", "alc", "topics", "topic_stability", "topic_examples", "topic_hierarchy"),
    *("ngrams", "common_chance", "pairs", "pair_candidates", "pair_thresholds", "evaluation"),
    *("weathub", "weathub_models", "sensitivity", "agreement"),
]


def table(project: Path, name: str):
    return read_table(name, project / f"results/small/tables/{name}.csv")


def test_everything_is_there_and_a_second_run_has_nothing_to_do(finished: Path) -> None:
    for name in TABLES:
        assert len(table(finished, name)), name
    assert planned_jobs(finished) == {}
    result = snakemake(finished, "--cores", "1")
    assert "Nothing to be done" in result.stdout + result.stderr


def test_the_planted_pair_is_found_and_scored(finished: Path) -> None:
    pairs = table(finished, "pairs")
    own = pairs[(pairs["region"] == "north") & pairs["primary"]]
    first = own[own["rank"] == 1].iloc[0]
    assert set(first["female_words"].split("; ")) <= set(SUBJECTS["school"].split())
    assert set(first["male_words"].split("; ")) <= set(SUBJECTS["football"].split())
    scores = table(finished, "evaluation")
    assert set(scores.loc[scores["origin"] == "found", "pair"]) == {"north-1"}
    assert scores.loc[scores["origin"] == "published", "pair"].nunique() == 25


def test_a_thin_region_comes_through_as_thin(finished: Path) -> None:
    gender = table(finished, "gender").set_index("region")
    assert "thin" in gender.at["south", "warning"]
    pairs = table(finished, "pairs").set_index("region")
    assert list(pairs.loc["south", "rank"]) == [0, 0]
    assert set(pairs.loc["south", "note"]) == {"no pair: the region has no topics"}
    atlas = (finished / "results/small/atlas/index.html").read_text("utf-8")
    assert gender.at["south", "warning"].split(";")[0] in atlas
    assert "no pair: the region has no topics" in atlas


def test_every_word_of_a_test_is_accounted_for(finished: Path) -> None:
    scores = table(finished, "weat")
    for row in scores.to_dict("records"):
        missing = len(row["words_missing"].split("; ")) if row["words_missing"] else 0
        twice = len(row["words_duplicate"].split("; ")) if row["words_duplicate"] else 0
        asked = sum(row[f"asked_{name}"] for name in "xyab")
        assert sum(row[f"n_{name}"] for name in "xyab") + missing + twice == asked, row["test"]


def test_the_two_parts_of_a_corpus_share_no_document(finished: Path) -> None:
    import pandas as pd

    parts = [
        pd.read_parquet(finished / f"results/small/corpora/{corpus}/en/north.parquet")
        for corpus in ("discovery", "evaluation")
    ]
    assert not set(parts[0]["document"]) & set(parts[1]["document"])
    assert parts[0]["date"].max() <= parts[1]["date"].min()


def test_provenance_names_assets_versions_and_lists(finished: Path) -> None:
    folder = finished / "results/small/provenance"
    assets = {asset["name"]: asset for asset in json.loads((folder / "assets.json").read_text())}
    assert set(assets) == {"minilm_l6_v2", "glove_6b_50d"}
    assert all(asset["licence"] and asset["sha256"] for asset in assets.values())
    assert "bertopic" in json.loads((folder / "versions.json").read_text())
    lists = json.loads((folder / "word_lists.json").read_text())
    assert {"weat/en/WEAT6", "gender/en/bolukbasi52", "region_aware/africa-P1"} <= set(lists)


def test_one_core_gives_the_same_bytes_as_four(
    finished: Path, assets: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path, assets)
    result = snakemake(project, "--cores", "1")
    assert result.returncode == 0, result.stdout + result.stderr
    names = [f"tables/{name}.csv" for name in TABLES]
    names += ["atlas/index.html", "atlas/languages/en.html"]
    same, different, lost = filecmp.cmpfiles(
        finished / "results/small", project / "results/small", names, shallow=False
    )
    assert (different, lost) == ([], [])
    assert len(same) == len(names)


def test_regions_with_nothing_one_document_or_one_gender_reach_the_atlas(
    assets: Path, tmp_path: Path
) -> None:
    project = make_project(tmp_path, assets)
    write_corpus(project / "corpus.csv", {"single": 1, "men": 90})
    corpus = (project / "corpus.csv").read_text("utf-8")
    for female, male in (("she", "he"), ("her", "his"), ("mother", "father"), ("aunt", "uncle")):
        corpus = corpus.replace(f" {female} ", f" {male} ").replace(f" {female}.", f" {male}.")
    for word in ("She", "Her", "Mother", "Aunt", "Daughter", "Sister", "daughter", "sister"):
        corpus = corpus.replace(word, "Brother")
    (project / "corpus.csv").write_text(corpus, encoding="utf-8")
    names = ["single", "men", "nobody"]
    write_config(
        project,
        assets,
        regions=[{"name": name, "document_label": name} for name in names],
        topics={"permutations": 99, "bootstrap": 100, "min_passages": 20, "refits": FEWEST_REFITS},
        stability={"resample_documents": False, "bootstrap": 100, "permutations": 99},
        weathub=NO_LANGUAGES,
        vectors={
            "seeds": [1],
            "word2vec": {"size": 20, "min_count": 2},
            "fasttext": {"size": 20, "min_count": 2, "buckets": 1000},
        },
    )
    result = snakemake(project, "--cores", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    gender = table(project, "gender").set_index("region")
    assert gender.at["nobody", "warning"] == "no passage at all"
    assert gender.at["men", "female"] == 0
    assert gender.at["men", "male"] > 0
    pairs = table(project, "pairs").set_index("region")
    assert list(pairs.loc[names, "rank"]) == [0] * 6
    scores = table(project, "weat")
    empty = scores[scores["region"] == "nobody"]
    assert set(empty["status"]) == {"refused"}
    assert all(note.startswith("refused: X has 0") for note in empty["note"])
    atlas = (project / "results/small/atlas/index.html").read_text("utf-8")
    assert "no passage at all" in atlas


def test_the_papers_settings_run_to_the_end(assets: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path, assets)
    write_config(
        project,
        assets,
        gender={"both": "duplicate"},
        topics={
            "permutations": 99,
            "bootstrap": 100,
            "alignment": "paper",
            "keywords": "keybert",
            "cluster_selection_method": "eom",
            "min_cluster_size": 15,
            "mask_gender_terms": False,
            "compare_masking": False,
            "refits": {"seeds": 0, "orders": 0, "bootstraps": 0},
        },
        pairs={"selection": "gap", "gap_threshold": 0.5},
        evaluation={"algorithms": ["fasttext"], "keep_shared": True, "terms": "paper_text"},
        stability={"resample_documents": False, "bootstrap": 100, "permutations": 99},
        weathub=NO_LANGUAGES,
        vectors={
            "algorithms": ["word2vec"],
            "seeds": [1],
            "compose_missing": True,
            "word2vec": {"size": 20, "min_count": 2},
            "fasttext": {"size": 20, "min_count": 2, "buckets": 1000},
        },
    )
    result = snakemake(project, "--cores", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    topics = table(project, "topics")
    assert (topics["gender"] == topics["gender_paper"]).all()
    found = topics[(topics["region"] == "north") & (topics["topic"] >= 0)]
    assert all(len(words.split("; ")) == 10 for words in found["keywords"])
    pairs = table(project, "pairs")
    assert set(topics["stability"]) == {"unknown"}
    kept = pairs[(pairs["rank"] > 0) & pairs["primary"]]
    assert len(kept)
    assert (kept["selection"] == "gap").all()
    assert kept["passes_gap"].all()
    scores = table(project, "evaluation")
    assert scores.loc[scores["region"] == "north", "words_composed"].ne("").any()
    # A composed word is no found word, so such rows are thin at best.
    assert "ok" not in set(scores.loc[scores["words_composed"] != "", "status"])
