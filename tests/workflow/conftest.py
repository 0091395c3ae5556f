"""One finished run of the small project, shared by the tests that only look or dry-run."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import (
    list_words,
    make_project,
    snakemake,
    write_bert,
    write_encoder,
    write_glove,
)


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("assets")
    write_encoder(folder / "encoder")
    write_glove(folder / "glove")
    write_bert(folder / "bert", list_words("weat/en"))
    return folder


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, assets: Path) -> Path:
    project = make_project(tmp_path_factory.mktemp("project"), assets)
    result = snakemake(project, "--cores", "4")
    assert result.returncode == 0, result.stdout + result.stderr
    return project
