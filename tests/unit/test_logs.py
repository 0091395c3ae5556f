"""Where log lines go, how a user's mistake looks, and progress."""

from __future__ import annotations

import logging
import time
import warnings
from pathlib import Path

import pytest

from biasatlas import logs
from biasatlas.errors import InputError
from biasatlas.logs import Heartbeat, Progress, start

ours = logging.getLogger("biasatlas.some_module")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Clock:
    clock = Clock()
    monkeypatch.setattr(logs.time, "monotonic", clock)
    caplog.set_level("INFO", logger="biasatlas")
    return clock


def without_time(text: str, prefix: str = "") -> list[str]:
    return [line.removeprefix(prefix)[9:] for line in text.splitlines()]


def test_same_lines_in_file_and_on_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "job.log"
    with start(str(path), "score_weat"):
        ours.info("first\nsecond")
        logging.getLogger("noisy").info("not shown")
        logging.getLogger("noisy").warning("shown")
    terminal = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("[score_weat] ") for line in terminal] == (
        path.read_text().splitlines()
    )
    assert all(line.startswith("[score_weat] ") for line in terminal)
    assert without_time(path.read_text())[0] == "INFO first"
    assert path.read_text().splitlines()[1] == "second"
    assert without_time(path.read_text())[2:] == ["WARNING shown"]


def test_python_warnings_are_logged(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    with start(path, "job"), warnings.catch_warnings():
        warnings.simplefilter("always")
        # catch_warnings puts the display back that start replaced.
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
    assert "UserWarning: mind the gap" in path.read_text()


def test_input_error_is_one_clean_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "job.log"
    with pytest.raises(SystemExit) as stopped, start(path, "job"):
        raise InputError(["config.yaml: a: 1", "config.yaml: b: 2"])
    assert stopped.value.code == 1
    assert stopped.value.__suppress_context__
    expected = ["ERROR 2 problems:"]
    assert without_time(path.read_text())[:1] == expected
    assert path.read_text().splitlines()[1:] == ["  - config.yaml: a: 1", "  - config.yaml: b: 2"]
    terminal = capsys.readouterr().err
    assert "[job]   - config.yaml: b: 2" in terminal
    assert "Traceback" not in terminal + path.read_text()


def test_other_error_leaves_its_traceback_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "job.log"
    with pytest.raises(ZeroDivisionError), start(path, "job"):
        _ = 1 / 0
    assert "Traceback (most recent call last)" in path.read_text()
    assert "division by zero" in path.read_text()
    assert capsys.readouterr().err == ""


def test_everything_is_put_back(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("biasatlas").level)
    with start(tmp_path / "job.log", "job"):
        assert len(root.handlers) == len(before[0]) + 2
    assert (list(root.handlers), root.level, logging.getLogger("biasatlas").level) == before


def test_no_log_file(capsys: pytest.CaptureFixture[str]) -> None:
    with start(None, "job"):
        ours.info("hello")
    assert without_time(capsys.readouterr().err, "[job] ") == ["INFO hello"]


def test_progress_speaks_now_and_then_and_at_the_end(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    progress = Progress(1500, "passages", every_seconds=15)
    for step in range(15):
        clock.now = step * 5.0
        progress.update(100)
    assert caplog.messages == [
        "passages 400/1500 (26%)",
        "passages 700/1500 (46%)",
        "passages 1000/1500 (66%)",
        "passages 1300/1500 (86%)",
        "passages 1500/1500 (100%)",
    ]
    progress.finish()
    assert len(caplog.messages) == 5


def test_progress_that_ends_early(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    with Progress(3, "files") as progress:
        progress.update()
    assert caplog.messages == ["files 1/3 (33%)"]


def test_progress_of_nothing(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    with Progress(0, "files"):
        pass
    assert caplog.messages == ["files 0/0"]


def test_heartbeat_asks_for_the_state_only_when_it_speaks(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[float] = []
    heartbeat = Heartbeat("download", every_seconds=10)
    for now in (0.0, 9.9, 10.0, 12.0, 20.0):
        clock.now = now
        heartbeat.beat(lambda: f"at {asked.append(clock.now) or clock.now:g}")  # type: ignore[func-returns-value]
    assert asked == [10.0, 20.0]
    assert caplog.messages == ["download at 10", "download at 20"]


def test_a_silent_job_says_that_it_lives(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "ALIVE_EVERY", 0.02)
    with logs.start(tmp_path / "job.log", "slow_job"):
        time.sleep(0.15)
    lines = (tmp_path / "job.log").read_text("utf-8").splitlines()
    assert sum("slow_job: running for" in line for line in lines) >= 2
