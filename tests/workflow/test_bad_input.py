"""A user's mistakes: one message that names the key, the value and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from project import make_project, snakemake, write_config


@pytest.fixture
def project(tmp_path: Path, assets: Path) -> Path:
    return make_project(tmp_path, assets)


def refusal(project: Path) -> str:
    """What a dry run says when it refuses, without a traceback."""
    result = snakemake(project, "--dry-run", "--cores", "1")
    printed = result.stdout + result.stderr
    assert result.returncode != 0, printed
    assert "Traceback" not in printed
    return printed


CONFIGS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unknown key": ({"topcis": {}}, ["key `topcis`", "did you mean `topics`"]),
    "wrong value": ({"seed": "one"}, ["key `seed`", "'one'", "integer"]),
    "unquoted no": ({"languages": [False]}, ["key `languages.0`", 'in quotes, e.g. "no"']),
    "unknown continent": (
        {"regions": [{"name": "a", "continent": "Atlantis"}]},
        ["key `regions.0.continent`", "'Atlantis'", "'Africa'"],
    ),
    "unknown country": (
        {"regions": [{"name": "a", "countries": ["Narnia"]}]},
        ["Narnia"],
    ),
    "no such file": (
        {
            "corpora": [
                {
                    "name": "discovery",
                    "role": "discovery",
                    "sources": [{"reader": "table", "path": "absent.csv"}],
                }
            ]
        },
        ["absent.csv", "there is no such file"],
    ),
    "unknown asset": ({"topics": {"encoder": "bert"}}, ["key `topics.encoder`", "minilm_l6_v2"]),
    "language without lists": (
        {"languages": ["xx"]},
        ["word_lists/gender/xx/bolukbasi52.yaml", "no such file"],
    ),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_a_wrong_configuration_is_refused_before_any_job(
    project: Path, assets: Path, case: str
) -> None:
    changes, expected = CONFIGS[case]
    write_config(project, assets, **changes)
    printed = refusal(project)
    for part in expected:
        assert part in printed


def test_all_problems_come_at_once(project: Path, assets: Path) -> None:
    write_config(project, assets, seed=-1, run="Small Run", languages=[False])
    printed = refusal(project)
    assert all(f"key `{key}`" in printed for key in ("seed", "run", "languages.0"))


def replaced(old: str, new: str):
    return lambda text: text.replace(old, new, 1)


LISTS = {
    "duplicate": (replaced("- salary", "- salary\n      - salary"), "salary"),
    "unquoted no": (replaced("- salary", "- no"), "quote"),
    "tab": (replaced("      - salary", "\t- salary"), "tab"),
    "nan": (replaced("- salary", "- nan"), "nan"),
}


@pytest.mark.parametrize("case", LISTS)
def test_a_faulty_word_list_is_refused_with_its_line(project: Path, case: str) -> None:
    change, expected = LISTS[case]
    path = project / "resources/word_lists/weat/en/WEAT6.yaml"
    text = change(path.read_text("utf-8"))
    path.write_text(text, encoding="utf-8")
    printed = refusal(project)
    assert "WEAT6.yaml:" in printed
    assert expected in printed


def test_an_empty_set_is_refused(project: Path) -> None:
    path = project / "resources/word_lists/weat/en/WEAT6.yaml"
    data = yaml.safe_load(path.read_text("utf-8"))
    data["targets"]["x"]["words"] = []
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert "WEAT6.yaml:" in refusal(project)


def test_a_damaged_corpus_stops_with_one_message(project: Path) -> None:
    (project / "corpus.csv").write_text("id,region\n1,north\n", encoding="utf-8")
    result = snakemake(project, "--cores", "1", "corpora")
    printed = result.stdout + result.stderr
    assert result.returncode != 0
    assert "corpus.csv" in printed
    assert "text" in printed
    log = (project / "results/small/logs/prepare_documents/discovery-en.log").read_text("utf-8")
    assert "Traceback" not in log
    assert not (project / "results/small/documents/discovery/en.parquet").exists()
