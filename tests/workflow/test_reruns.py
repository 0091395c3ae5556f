"""What an edit reruns: all that depends on it, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from project import ROOT, edited, planned_jobs, snakemake, write_config

SCORING = {
    "score_weat": 2,
    "score_pretrained_weat": 1,
    "tabulate_weat": 1,
    "score_companions": 2,
    "score_pretrained_companions": 1,
    "tabulate_companions": 1,
    "score_resampled": 2,
    "bootstrap_documents": 2,
    "tabulate_alc": 1,
    "compare_regions": 1,
    "compare_texts": 1,
    "tabulate_differences": 1,
    "tabulate_stability": 1,
}
# The same lists under two models.
LANGUAGES = {
    "read_weathub_lists": 1,
    "encode_words": 2,
    "score_languages": 2,
    "compare_translations": 2,
    "tabulate_languages": 3,
    "tabulate_weathub": 1,
    "tabulate_sensitivity": 1,
    "tabulate_translations": 1,
    "compare_encoders": 1,
    "draw_language_pages": 1,
}
# Tables of all scores and lists.
WORDS = {"tabulate_words": 1, "tabulate_coverage": 1}
LINT = {"lint_word_lists": 1}
PAIRS = {"score_pairs": 2, "bootstrap_pairs": 2, "tabulate_alc": 1, "tabulate_evaluation": 1}
PAGES = {"record_provenance": 1, "draw_atlas": 1}
TOPICS = {
    "fit_topics": 2,
    "refit_topics": 2,
    "assess_topics": 2,
    "describe_topics": 2,
    "label_topics": 2,
    "detail_topics": 2,
    "place_topics": 1,
    "match_common_topics": 1,
    "align_topics": 2,
    "tell_genders": 1,
    "tabulate_topics": 1,
    "tabulate_topic_details": 6,
    "tabulate_common_topics": 2,
    "match_pairs": 2,
    "tabulate_pairs": 1,
    **PAIRS,
    **WORDS,
}


def weat6(project: Path) -> Path:
    return project / "resources/word_lists/weat/en/WEAT6.yaml"


def test_a_changed_word_reruns_scoring_tables_and_atlas_only(finished: Path) -> None:
    with edited(weat6(finished), lambda text: text.replace("- salary", "- wages")):
        assert planned_jobs(finished) == SCORING | LANGUAGES | WORDS | LINT | PAGES


def test_a_comment_or_another_order_of_words_reruns_nothing(finished: Path) -> None:
    def swap(text: str) -> str:
        return (
            text.replace("- salary", "- @").replace("- office", "- salary").replace("@", "office")
        )

    # One dry run sees both: either alone would plan jobs.
    with (
        edited(weat6(finished), lambda text: "# A remark\n" + text),
        edited(weat6(finished), swap),
    ):
        assert planned_jobs(finished) == {}


def test_touching_files_reruns_nothing(finished: Path) -> None:
    for folder in ("resources", "config"):
        for path in sorted((finished / folder).rglob("*")):
            os.utime(path)
    assert planned_jobs(finished) == {}


def test_a_gender_pair_leaves_corpora_and_vectors_alone(finished: Path) -> None:
    pairs = finished / "resources/word_lists/gender/en/bolukbasi52.yaml"
    with edited(pairs, lambda text: text.replace("convent", "abbey")):
        assert planned_jobs(finished) == (
            {"split_gender": 2, "tabulate_gender": 1, "embed_passages": 4} | (TOPICS | LINT | PAGES)
        )


def test_a_changed_gender_list_embeds_new_passages_only(finished: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(finished, project, symlinks=True)
    # One more document with a term that no list held before.
    corpus = project / "corpus.csv"
    corpus.write_text(
        corpus.read_text("utf-8")
        + "north9999,north,2019-01-01,"
        + "The abbess walked past old wheat and barley in the orchard. " * 4
        + "\n",
        encoding="utf-8",
    )
    pairs = project / "resources/word_lists/gender/en/bolukbasi52.yaml"
    pairs.write_text(pairs.read_text("utf-8").replace("convent", "abbess"), encoding="utf-8")
    result = snakemake(project, "--cores", "2", "--until", "embed_passages")
    assert result.returncode == 0, result.stdout + result.stderr
    for view in ("masked", "visible"):
        log = project / f"results/small/logs/embed_passages/en-north-{view}.log"
        assert "passages: 1 new, 195 from the cache" in log.read_text("utf-8")


def test_a_regional_name_reruns_region_aware_scoring_only(finished: Path) -> None:
    terms = finished / "resources/word_lists/region_aware/terms/africa.yaml"
    with edited(terms, lambda text: text.replace("Kwame", "Kwabena")):
        assert planned_jobs(finished) == (
            {"score_pretrained_pairs": 1} | PAIRS | WORDS | LINT | PAGES
        )


def test_a_pair_threshold_reruns_from_the_pairs_on(finished: Path, assets: Path) -> None:
    with edited(
        finished / "config/config.yaml", lambda text: text + "pairs: {gap_threshold: 0.02}"
    ):
        assert planned_jobs(finished) == (
            {"match_pairs": 2, "tabulate_pairs": 1, "tabulate_topic_details": 2}
            | (PAIRS | WORDS | PAGES)
        )


def test_a_new_region_leaves_the_others_alone(finished: Path, assets: Path) -> None:
    config = finished / "config/config.yaml"
    new = "- name: south\n  document_label: south\n"
    with edited(config, lambda text: text.replace(new, new + new.replace("south", "west"))):
        jobs = planned_jobs(finished)
    assert jobs["build_region"] == 2
    assert jobs["train_vectors"] == 4
    assert jobs["train_resampled_vectors"] == 2
    one = ("split_gender", "fit_topics", "refit_topics", "label_topics", "score_resampled")
    assert {jobs[rule] for rule in one} == {1}
    assert jobs["embed_passages"] == 2
    # The map of à la carte vectors is fitted on the text of all regions.
    assert (jobs["fit_alc"], jobs["score_weat"], jobs["score_pairs"]) == (2, 3, 3)
    assert "prepare_documents" not in jobs


def test_another_run_keeps_the_first(finished: Path, assets: Path, tmp_path: Path) -> None:
    other = write_config(tmp_path, assets, run="second")
    jobs = planned_jobs(finished, "--configfile", str(other))
    assert jobs["prepare_documents"] == 1
    assert "fetch_asset" not in jobs
    assert planned_jobs(finished) == {}


def test_the_standard_place_of_the_snakefile_works_too(finished: Path) -> None:
    result = snakemake(
        finished, "--snakefile", str(ROOT / "workflow/Snakefile"), "--dry-run", "--cores", "1"
    )
    printed = result.stdout + result.stderr
    assert result.returncode == 0, printed
    assert "Nothing to be done" in printed


def test_an_edited_library_function_reruns_what_uses_it(finished: Path) -> None:
    from biasatlas.plan import Plan

    module = ROOT / "src/biasatlas/topics/pairs.py"
    scripts = {name: ROOT / f"workflow/scripts/{name}.py" for name in ("match_pairs", "score_weat")}
    before = {name: Plan.code(path) for name, path in scripts.items()}
    with edited(module, lambda text: text + "\nADDED = 1\n"):
        after = {name: Plan.code(path) for name, path in scripts.items()}
    assert after["match_pairs"] != before["match_pairs"]
    assert after["score_weat"] == before["score_weat"]
