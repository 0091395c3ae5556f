"""The corpus stage as a user runs it: several sources, languages, orders and cores."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pandas as pd
import pytest
import zstandard
from project import make_project, snakemake, write_config

ENGLISH = "she he her his mother father market river garden winter letter harbour".split()
GERMAN = "Frau Mann Mutter Vater Markt Garten Winter Brief Hafen Strasse".split()


def write_sources(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Write files of four readers; some documents stand in several of them."""
    rng = random.Random(5)
    texts = [" ".join(rng.choices(ENGLISH, k=40)) + f" number {n}." for n in range(160)]
    german = [" ".join(rng.choices(GERMAN, k=40)) + f" Zahl {n}." for n in range(40)]
    web = folder / "web"
    web.mkdir(parents=True)
    for name, some in {"a_NGA": texts[:40], "b_NGA": texts[30:70], "c_GHA": texts[70:100]}.items():
        (web / f"{name}.txt.gz").write_bytes(gzip.compress("\n".join(some).encode(), mtime=0))
    posts = [
        {"id": f"p{n}", "title": "", "selftext": text, "subreddit": "Kenya", "created_utc": 1e9 + n}
        for n, text in enumerate(texts[100:130])
    ]
    lines = "\n".join(json.dumps(post) for post in posts).encode()
    (folder / "posts.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(lines))
    letters = folder / "letters" / "IND"
    letters.mkdir(parents=True)
    for n, text in enumerate([*texts[130:], *texts[:5]]):
        (letters / f"{n:02}.txt").write_text(text, encoding="utf-8")
    frame = pd.DataFrame({"land": ["Indien", "KE"] * 20, "text": german})
    frame["land"] = frame["land"].replace("Indien", "India")
    frame.to_csv(folder / "german.csv", index=False)
    return {
        "en": [
            {"reader": "geowac", "path": ["web/c*.gz", "web/a_NGA.txt.gz", "web/b_NGA.txt.gz"]},
            {"reader": "reddit", "path": "posts.jsonl.zst", "options": {"countries": {"kenya": "KE"}}},
            {"reader": "folder", "path": "letters", "options": {"country_pattern": "^([A-Z]{3})/"}},
        ],
        "de": [
            {"reader": "table", "path": "german.csv", "language": "de",
             "options": {"text": "text", "country": "land"}},
        ],
    }  # fmt: skip


def configure(
    project: Path, assets: Path, sources: list[dict[str, object]], **changes: object
) -> None:
    corpora = [{"name": "discovery", "role": "discovery", "sources": sources}]
    regions = [{"name": "africa", "continent": "Africa"}, {"name": "asia", "continent": "Asia"}]
    write_config(project, assets, corpora=corpora, regions=regions, **changes)


@pytest.fixture
def project(tmp_path: Path, assets: Path) -> Path:
    return make_project(tmp_path / "project", assets)


def results(project: Path) -> dict[str, bytes]:
    kept = [p for kind in ("tables", "corpora", "gender") for p in (project / "results/small" / kind).rglob("*.*")]  # fmt: skip
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in sorted(kept)}


def test_order_of_files_batches_and_cores_change_no_byte(project: Path, assets: Path) -> None:
    sources = write_sources(project)["en"]
    documents = {"language_min": None, "per_country": 35, "min_words": 10}
    configure(project, assets, sources, documents=documents)
    run = snakemake(project, "--cores", "4", "corpora")
    assert run.returncode == 0, run.stdout + run.stderr
    first = results(project)
    turned = [{**sources[0], "path": ["web/*.gz"]}, *sources[:0:-1]]
    configure(project, assets, turned, documents={**documents, "batch_kb": 1})
    run = snakemake(project, "--cores", "1", "corpora", "--forceall")
    assert run.returncode == 0, run.stdout + run.stderr
    assert results(project) == first
    counts = pd.read_csv(project / "results/small/tables/corpus.csv", keep_default_na=False)
    counts = counts[(counts["region"] == "") & (counts["unit"] == "document")]
    by_item = counts.groupby("item")["n"].sum().to_dict()
    # 40 + 40 + 30 web pages, 30 posts, 35 letters, of which 10 + 5 are copies
    assert by_item["read"] == 175
    countries = counts[counts["item"] == "kept"].groupby("country")["n"].sum()
    # Nigeria is full; of the five pages that India has too, chance gives each to one of them
    assert countries["NGA"] == 35
    assert (countries["GHA"], countries["KEN"]) == (30, 30)
    assert 30 <= countries["IND"] <= 35
    assert by_item["read"] == sum(n for item, n in by_item.items() if item != "read")


def test_a_language_without_tests_has_corpora_and_nothing_else(project: Path, assets: Path) -> None:
    sources = write_sources(project)
    configure(
        project, assets, [*sources["de"], {**sources["en"][0], "language": "en"}],
        languages=["de"], gender={"pairs": {"de": "basic"}},
    )  # fmt: skip
    refused = snakemake(project, "--dry-run", "--cores", "1")
    printed = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "word_lists/weat/de: there is no such folder" in printed
    assert "write tests for language de there" in printed
    run = snakemake(project, "--cores", "2", "corpora")
    assert run.returncode == 0, run.stdout + run.stderr
    gender = pd.read_csv(project / "results/small/tables/gender.csv", keep_default_na=False)
    assert set(gender["language"]) == {"de"}
    assert set(gender["word_list"]) == {"basic (not validated)"}
    assert (gender["female"] + gender["male"] + gender["both"] == gender["passages"]).all()
    assert gender["passages"].sum() == 40


def test_a_damaged_source_stops_or_is_counted(project: Path, assets: Path) -> None:
    sources = write_sources(project)["en"][:1]
    packed = project / "web/a_NGA.txt.gz"
    packed.write_bytes(packed.read_bytes()[:-200])
    configure(project, assets, sources, documents={"language_min": None, "min_words": 10})
    table = "results/small/tables/corpus.csv"
    stopped = snakemake(project, "--cores", "1", table)
    printed = stopped.stdout + stopped.stderr
    assert stopped.returncode != 0
    assert re.search(r"a_NGA\.txt\.gz: .*set documents\.damaged: keep", printed)
    assert not (project / "results/small/documents/discovery/en.parquet").exists()
    documents = {"language_min": None, "min_words": 10, "damaged": "keep"}
    configure(project, assets, sources, documents=documents)
    kept = snakemake(project, "--cores", "2", table)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    counts = pd.read_csv(project / table, keep_default_na=False)
    damaged = counts[counts["item"] == "damaged"]
    assert damaged["unit"].tolist() == ["file"]
    assert damaged["source"].tolist() == ["a_NGA.txt.gz"]


def test_options_of_readers_are_checked_before_anything_runs(project: Path, assets: Path) -> None:
    sources = write_sources(project)["en"]
    sources[0]["options"] = {"country_pattern": "(["}
    sources[1]["options"] = {"subredits": {"kenya": "KE"}}
    configure(project, assets, sources)
    refused = snakemake(project, "--dry-run", "--cores", "1")
    printed = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "country_pattern" in printed
    assert "'subredits' is unknown" in printed
    assert "Traceback" not in printed
