"""Data that stands outside the repository: skipped where absent, demanded in CI."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Find = Callable[[str], Path]


def _there_or_skip(path: Path, what: str) -> Path:
    if path.exists():
        return path
    reason = f"needs {what}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, which must be there in CI ({path.name} is absent)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_folder() -> Find:
    """Give a folder of the development data, ``shared/data`` beside the repository."""
    return lambda name: _there_or_skip(
        ROOT.parent / "shared" / "data" / name, f"the development data ({name})"
    )


@pytest.fixture(scope="session")
def fetched_asset() -> Find:
    """Give an asset that a run has fetched; in CI the demo runs before the tests."""
    return lambda name: _there_or_skip(
        ROOT / "resources" / "fetched" / name, f"the asset {name}, which a run fetches"
    )
