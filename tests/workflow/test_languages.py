"""Tests in many languages as a user runs them: lists with faults, models that cannot read them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from project import (
    FEW_DRAWS,
    edited,
    make_project,
    planned_jobs,
    snakemake,
    write_bert,
    write_config,
)

from biasatlas.tables import read_table

# No mark of them is taken off by a tokenizer.
LETTERS = {"ar": "بتجحدرسشعفقكلمنهو", "hi": "कखगचजटडतदनपबमयरलवसह", "ru": "бвгдежзиклмнопрстуф"}
TABLES = ["weathub", "weathub_lists", "weathub_models", "sensitivity", "translations"]
TABLES += ["translation_summary", "agreement", "model_comparison"]
KEYS = ("targ1", "targ2", "attr1", "attr2")
BERT = {"name": "bert", "kind": "layers", "path": "models/bert", "group": "multilingual"}
TRAINED = {"name": "trained", "kind": "static", "train": True, "group": "monolingual"}
SECTION = {
    "languages": list(LETTERS),
    "models": [BERT, TRAINED | {"languages": ["ar"]}],
    "texts": [{"reader": "lines", "path": "texts/{language}.txt"}],
    "in_context": {"occurrences": 3, "window": 3},
    "training": {"size": 20, "min_count": 2, "buckets": 1000},
    **FEW_DRAWS,
}
# What follows in every language, whatever came before.
TABULATED = {
    "tabulate_weathub": 1,
    "tabulate_sensitivity": 1,
    "tabulate_translations": 1,
    "compare_encoders": 1,
    "draw_language_pages": 1,
}
# Positions of the model: three or more fewer words than the long entry has.
POSITIONS = 12
Sets = dict[str, list[Any]]


def made_up(language: str, name: str, n: int = 6) -> list[str]:
    """Words of a language that are always the same under one name."""
    rng = random.Random(f"{language} {name}")
    return ["".join(rng.choices(LETTERS[language], k=5)) for _ in range(n)]


def sets_of(language: str, test: str) -> Sets:
    return {key: made_up(language, f"{test} {key}") for key in KEYS}


def write_list(folder: Path, name: str, sets: Sets) -> None:
    path = folder / "data" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {key: {"category": f"About {key}", "examples": words} for key, words in sets.items()}
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def write_lists(folder: Path) -> None:
    """Write a copy of WEATHub in three languages, with the faults that such copies have."""
    for language in LETTERS:
        for test in ("weat1", "weat6", "weat7"):
            sets = sets_of(language, test)
            write_list(folder, f"{language}_gt/{test}.json", sets)
            human = {key: [*made_up(language, f"{test} human {key}", 2), *words[2:]]
                     for key, words in sets.items()}  # fmt: skip
            write_list(folder, f"{language}_human/{test}.json", human)
    faulty = sets_of("ar", "weat12")
    faulty["targ1"] += ["nan", None, "", "  "]
    write_list(folder, "ar_new/weat12.json", faulty)
    (folder / "data/ar_new/weat13.json").write_text('{"targ1": {"category"', encoding="utf-8")
    same = sets_of("hi", "weat13")
    write_list(folder, "hi_india/weat13.json", same | {"targ2": same["targ1"][::-1]})
    long = sets_of("hi", "weat6")
    long["targ1"] += [" ".join(made_up("hi", "weat6 long", POSITIONS))]
    write_list(folder, "hi_all/weat6.json", long)


def words_of(folder: Path, language: str) -> list[str]:
    """All single words in the lists of a language, as they stand in its files."""
    text = " ".join(path.read_text("utf-8") for path in sorted(folder.glob(f"data/{language}_*/*")))
    return sorted(set(re.findall(f"[{LETTERS[language]}]+", text)))


@pytest.fixture(scope="module")
def finished_languages(tmp_path_factory: pytest.TempPathFactory, assets: Path) -> Path:
    """A finished run of the target weathub. All paths are relative, so that it can be copied."""
    project = make_project(tmp_path_factory.mktemp("languages"), assets)
    write_lists(project / "lists")
    known = {one: words_of(project / "lists", one) for one in ("ar", "hi")}
    write_bert(project / "models/bert", [*known["ar"], *known["hi"]], POSITIONS)
    (project / "texts").mkdir()
    for language, words in known.items():
        rng = random.Random(language)
        lines = [" ".join(rng.choices(words, k=12)) for _ in range(80)]
        (project / f"texts/{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_config(project, assets, weathub_path="lists", weathub=SECTION)
    result = snakemake(project, "--cores", "2", "weathub")
    assert result.returncode == 0, result.stdout + result.stderr
    return project


@pytest.fixture
def copied(finished_languages: Path, tmp_path: Path) -> Path:
    """A copy of the finished run that a test may change; times of files are kept."""
    return shutil.copytree(finished_languages, tmp_path / "project")


def table(project: Path, name: str) -> pd.DataFrame:
    return read_table(name, project / f"results/small/tables/{name}.csv")


def page(project: Path, language: str) -> str:
    return (project / f"results/small/atlas/languages/{language}.html").read_text("utf-8")


def planned(project: Path) -> dict[str, int]:
    jobs = planned_jobs(project, "weathub")
    return {rule: n for rule, n in jobs.items() if rule != "weathub"}


def section(**changes: Any) -> Callable[[str], str]:
    """Change keys of the section weathub in a configuration file."""

    def change(text: str) -> str:
        config = yaml.safe_load(text)
        config["weathub"] |= changes
        return yaml.safe_dump(config, sort_keys=False)

    return change


def config_of(project: Path) -> Path:
    return project / "config/config.yaml"


# What comes out


def test_all_tables_are_there_and_nothing_is_left_to_do(finished_languages: Path) -> None:
    for name in TABLES:
        assert len(table(finished_languages, name)), name
    # No list has two forms of one word, and two languages are too few for clusters.
    for name in ("gendered_forms", "language_clusters"):
        assert not len(table(finished_languages, name))
    assert planned(finished_languages) == {}
    scores = table(finished_languages, "weathub")
    assert set(scores["language"]) == set(LETTERS)
    read = scores[(scores["language"] == "ar") & (scores["variant"] == "human")]
    assert set(read["status"]) == {"ok"}
    assert {"token_in_context", "cls_phrase", "fasttext"} < set(read["encoder"])
    assert not read[["effect_size", "p_value", "q_value", "p_holm"]].isna().any(axis=None)
    translations = table(finished_languages, "translations")
    assert set(translations.loc[translations["language"] == "hi", "n_concepts"]) == {24}
    assert set(translations.loc[translations["language"] == "hi", "n_alike"]) == {16}


def test_a_language_that_no_model_reads_is_refused_with_the_reason(
    finished_languages: Path,
) -> None:
    models = table(finished_languages, "weathub_models").set_index(["language", "model"])
    assert models["status"].to_dict() == {
        ("ar", "bert"): "ok",
        ("ar", "trained"): "ok",
        ("hi", "bert"): "ok",
        ("ru", "bert"): "refused",
    }
    reason = "0% of the words can be read: 100% hold a piece unknown to the model"
    assert models.at[("ru", "bert"), "note"] == reason
    for name in ("weathub", "translations"):
        rows = table(finished_languages, name)
        unread = rows[rows["language"] == "ru"]
        assert len(unread) == 3 * len(unread[["encoder", "space"]].drop_duplicates()) * (
            2 if name == "weathub" else 1
        )
        assert set(unread["status"]) == {"refused"}
        assert all(reason in note for note in unread["note"]), name
    for name in ("sensitivity", "agreement"):
        assert set(table(finished_languages, name)["language"]) == {"ar", "hi"}, name
    assert reason in page(finished_languages, "ru")


def test_faults_of_lists_are_told_and_only_what_cannot_be_scored_is_refused(
    finished_languages: Path,
) -> None:
    problems = table(finished_languages, "weathub_lists")
    found = {
        (row.file, row.set, row.problem, row.n, row.action)
        for row in problems.itertuples()
        if row.problem != "leak"
    }
    assert found == {
        ("ar_new/weat12.json", "x", "nan", 1, "dropped"),  # the word nan, and null
        ("ar_new/weat12.json", "x", "blank", 2, "dropped"),
        ("ar_new/weat13.json", "", "broken", 1, "refused"),
        ("hi_india/weat13.json", "x y", "same_sets", 1, "refused"),
    }
    assert len(problems[problems["problem"] == "nan"]) == 2
    scores = table(finished_languages, "weathub")
    faulty = scores[(scores["language"] == "ar") & (scores["variant"] == "new")]
    assert set(faulty["test"]) == {"WEAT12"}
    assert set(faulty["asked_x"]) == {6}
    same = scores[scores["variant"] == "india"]
    assert set(same["status"]) == {"refused"}
    assert all("sets X and Y hold the same words" in note for note in same["note"])
    assert "line 1: not JSON" in page(finished_languages, "ar")


def test_a_word_longer_than_the_model_reads_is_counted(finished_languages: Path) -> None:
    models = table(finished_languages, "weathub_models")
    long = models.set_index(["language", "model"])["n_too_long"]
    assert long.to_dict() == {
        ("ar", "bert"): 0, ("ar", "trained"): 0, ("hi", "bert"): 1, ("ru", "bert"): 0
    }  # fmt: skip
    scores = table(finished_languages, "weathub")
    rows = scores[scores["variant"] == "all"].set_index(["encoder", "space"])
    # As a phrase it has no vector; the mean of its words has.
    assert rows.at[("cls_phrase", "raw"), "n_x"] == 6
    assert len(rows.at[("cls_phrase", "raw"), "words_missing"].split()) == POSITIONS
    assert rows.at[("last_mean", "raw"), "words_missing"] == ""


def test_words_stand_from_right_to_left_where_they_are_read_so(finished_languages: Path) -> None:
    cells = {one: set(re.findall(r'<td dir="(\w+)">', page(finished_languages, one)))
             for one in LETTERS}  # fmt: skip
    assert cells == {"ar": {"rtl"}, "hi": {"ltr"}, "ru": {"ltr"}}
    word = made_up("ar", "weat1 targ1")[2]
    assert f'<span lang="ar" dir="auto">{word}</span>' in page(finished_languages, "ar")


def test_vectors_trained_on_small_texts_come_with_a_caution(finished_languages: Path) -> None:
    assert "Model trained was trained in this run" in page(finished_languages, "ar")
    scores = table(finished_languages, "weathub")
    assert set(scores.loc[scores["model"] == "trained", "encoder"]) == {"fasttext"}
    log = finished_languages / "results/small/logs/encode_words/hi-bert.log"
    assert re.search(r"[1-9]\d* of \d+ words occur in 80 texts", log.read_text("utf-8"))


# What an edit reruns


def test_an_edited_list_reruns_its_language_only(finished_languages: Path) -> None:
    path = finished_languages / "lists/data/hi_gt/weat6.json"
    word = made_up("hi", "weat6 targ1")[0]
    once = {"read_weathub_lists", "encode_words", "score_languages", "compare_translations"}
    with edited(path, lambda text: text.replace(word, word[::-1])):
        assert planned(finished_languages) == (
            dict.fromkeys(once, 1) | {"tabulate_languages": 3} | TABULATED
        )


def test_white_space_and_times_of_lists_rerun_nothing(finished_languages: Path) -> None:
    for path in (finished_languages / "lists").rglob("*.json"):
        os.utime(path)
    path = finished_languages / "lists/data/ar_human/weat1.json"
    with edited(path, lambda text: json.dumps(json.loads(text), ensure_ascii=True, indent=4)):
        assert planned(finished_languages) == {}


def test_an_edited_text_is_read_and_trained_on_again(finished_languages: Path) -> None:
    with edited(finished_languages / "texts/ar.txt", lambda text: text * 2):
        jobs = planned(finished_languages)
    assert jobs["gather_language_texts"] == jobs["train_language_vectors"] == 1
    assert jobs["encode_words"] == jobs["score_languages"] == 2
    assert "read_weathub_lists" not in jobs


def test_every_link_between_pages_leads_somewhere(finished_languages: Path) -> None:
    atlas = finished_languages / "results/small/atlas"
    pages = [atlas / "languages.html", *sorted((atlas / "languages").glob("*.html"))]
    assert len(pages) == 4
    for file in pages:
        links = set(re.findall(r'href="([^":#]+)(?:#[^"]*)?"', file.read_text("utf-8")))
        assert links
        missing = [link for link in sorted(links) if not (file.parent / link).exists()]
        assert missing == [], file.name


SETTINGS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "readable_min": (
        {"readable_min": 0.9},
        {"encode_words": 4, "score_languages": 4, "compare_translations": 4, "tabulate_languages": 1}
        | TABULATED,
    ),
    "nulls": (
        {"nulls": 21},
        {"score_languages": 4} | {k: 1 for k in TABULATED if k != "tabulate_translations"},
    ),
    "one model less": ({"models": [BERT]}, {"tabulate_languages": 1} | TABULATED),
    "one model more": (
        {"models": [*SECTION["models"], BERT | {"name": "second", "languages": ["ru"]}]},
        {"encode_words": 1, "score_languages": 1, "compare_translations": 1, "tabulate_languages": 1}
        | TABULATED,
    ),
    "one language less": ({"languages": ["ar", "hi"]}, {"tabulate_languages": 3} | TABULATED),
}  # fmt: skip


@pytest.mark.parametrize("case", SETTINGS)
def test_a_setting_reruns_what_hangs_on_it(finished_languages: Path, case: str) -> None:
    changes, expected = SETTINGS[case]
    with edited(config_of(finished_languages), section(**changes)):
        assert planned(finished_languages) == expected


def test_after_an_edit_only_what_is_new_is_worked_out(copied: Path) -> None:
    sets = sets_of("ar", "weat6")
    # Two words change places, so that no word is new, and no other test changes.
    sets["targ1"][0], sets["targ2"][0] = sets["targ2"][0], sets["targ1"][0]
    write_list(copied / "lists", "ar_gt/weat6.json", sets)
    weights = copied / "models/bert/model.safetensors"
    stat = weights.stat()
    # Damaged without a trace: who loads the model now fails.
    weights.write_bytes(b"\xff" * stat.st_size)
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    before = pd.read_parquet(copied / "results/small/weathub/ar/bert.parquet")
    result = snakemake(copied, "--cores", "1", "results/small/weathub/ar/bert.parquet")
    assert result.returncode == 0, result.stdout + result.stderr
    logs = copied / "results/small/logs"
    assert "ar: 0 words new," in (logs / "encode_words/ar-bert.log").read_text("utf-8")
    after = pd.read_parquet(copied / "results/small/weathub/ar/bert.parquet")
    edited_test = (after["variant"] == "gt") & (after["test"] == "WEAT6")
    counts = re.search(
        r"(\d+) p-values worked out, (\d+) known",
        (logs / "score_languages/ar-bert.log").read_text("utf-8"),
    )
    assert counts
    # Every word is one piece, so its mean and its first piece are the same: 12 of 20 differ.
    assert edited_test.sum() == 20
    assert [int(n) for n in counts.groups()] == [12, (~edited_test).sum() + 8]
    same = ["encoder", "space", "effect_size", "p_value"]
    pd.testing.assert_frame_equal(before.loc[~edited_test, same], after.loc[~edited_test, same])
    assert (before.loc[edited_test, "effect_size"] != after.loc[edited_test, "effect_size"]).all()


# A user's mistakes


def refusal(project: Path) -> str:
    result = snakemake(project, "--dry-run", "--cores", "1", "weathub")
    printed = result.stdout + result.stderr
    assert result.returncode != 0, printed
    assert "Traceback" not in printed
    return printed


def test_without_a_copy_of_the_lists_the_languages_are_refused(finished_languages: Path) -> None:
    def change(text: str) -> str:
        return text.replace("weathub_path: lists\n", "")

    with edited(config_of(finished_languages), change):
        printed = refusal(finished_languages)
        assert "key `weathub.languages`: value 'ar': there is no list in it" in printed
        assert "with `weathub_path` all 25 of WEATHub" in printed
    with edited(
        config_of(finished_languages), lambda text: section(languages=["en"])(change(text))
    ):
        jobs = planned(finished_languages)
    # The project's own English lists need no copy.
    assert jobs["read_weathub_lists"] == jobs["encode_words"] == 1


MISTAKES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unknown language": ({"languages": ["ar", "xx"]}, ["weathub.languages", "'xx'", "allowed: ar"]),
    "two models with one name": ({"models": [BERT, BERT]}, ["weathub.models: bert stands twice"]),
    "absent model": (
        {"models": [BERT | {"path": "models/absent"}]},
        ["weathub.models` (bert): path models/absent: there is no such file or folder"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_a_wrong_section_is_refused_before_any_job(finished_languages: Path, case: str) -> None:
    changes, expected = MISTAKES[case]
    with edited(config_of(finished_languages), section(**changes)):
        printed = refusal(finished_languages)
    for part in expected:
        assert part in printed


def write_decoder(folder: Path) -> None:
    shutil.copytree(folder.with_name("bert"), folder)
    config = {"model_type": "gpt2", "n_embd": 16, "n_layer": 1, "n_head": 2, "vocab_size": 20}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def write_half(folder: Path) -> None:
    shutil.copytree(folder.with_name("bert"), folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])


def write_slow(folder: Path) -> None:
    """A tokenizer of Python code only, as Japanese BERTs have it."""
    shutil.copytree(folder.with_name("bert"), folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    settings = {"tokenizer_class": "BertJapaneseTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def test_models_that_cannot_be_used_say_why_in_one_line(copied: Path) -> None:
    write_decoder(copied / "models/decoder")
    write_half(copied / "models/half")
    write_slow(copied / "models/slow")
    models = [
        BERT | {"name": name, "path": f"models/{name}"} for name in ("decoder", "half", "slow")
    ]
    config_of(copied).write_text(
        section(models=models)(config_of(copied).read_text("utf-8")), "utf-8"
    )
    targets = [f"results/small/weathub/ar/{model['name']}.encoded.parquet" for model in models]
    result = snakemake(copied, "--cores", "2", "--keep-going", *targets)
    printed = result.stdout + result.stderr
    assert result.returncode != 0
    assert "Traceback" not in printed
    for said in (
        "models/decoder: a model of type 'gpt2' is no encoder; allowed are models that read",
        "models/half: not a whole model (",
        "models/slow: BertJapaneseTokenizer has no fast version (tokenizer.json)",
    ):
        assert said in printed
    assert not [target for target in targets if (copied / target).exists()]
