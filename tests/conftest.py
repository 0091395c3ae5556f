"""Data that stands outside the repository, and how tests are shared out to two workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Tests run beside each other, so that a slow example says nothing.
settings.register_profile("no_deadline", deadline=None)
settings.load_profile("no_deadline")

ROOT = Path(__file__).parents[1]
Find = Callable[[str], Path]


# before xdist reads the groups
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Share tests out to workers: the long ones first, and those of one finished run together."""
    items.sort(key=_turn)
    for item in items:
        group = (_finished_run(item), item.nodeid, str(item.path))[_turn(item)]
        item.add_marker(pytest.mark.xdist_group(group))


def _turn(item: pytest.Item) -> int:
    if _finished_run(item):
        return 0
    return 1 if ROOT / "tests" / "workflow" in item.path.parents else 2


def _finished_run(item: pytest.Item) -> str:
    """Name the fixture of the finished run that a test looks at; nothing where it has none."""
    names = [name for name in getattr(item, "fixturenames", ()) if name.startswith("finished")]
    return " ".join(names)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI nothing may be skipped, for whatever reason."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter is not None and reporter.stats.get("skipped"):
        reporter.ensure_newline()
        reporter.write_line("tests were skipped, which fails in CI", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


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
