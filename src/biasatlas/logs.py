"""What a job tells its user: a log file, the same lines on the terminal, and progress."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from biasatlas.errors import InputError

log = logging.getLogger(__name__)

# Seconds between two signs of life of a job.
ALIVE_EVERY = 25.0
_OURS = ("biasatlas", "__main__")


class _Lines(logging.Formatter):
    """Puts a prefix in front of every line of a record, also of a message of many lines."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
        self._prefix = prefix

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(self._prefix + line for line in super().format(record).splitlines())


def _is_for_terminal(record: logging.LogRecord) -> bool:
    return not getattr(record, "file_only", False)


@contextmanager
def start(log_path: str | Path | None, job: str) -> Iterator[None]:
    """Log what happens in the block to a rule's log file and to the terminal.

    Messages of this package and of the script are shown from INFO on, those of other libraries
    from WARNING on; Python's warnings are among them.

    Parameters
    ----------
    log_path : str, Path or None
        Log file, replaced when it exists; None: the terminal only.
    job : str
        Name of the job, put in brackets in front of every line on the terminal.

    Raises
    ------
    SystemExit
        Status 1 after an InputError, whose message alone is logged: it is the user's to mend.
        Any other error is raised again, with its traceback in the log file.
    """
    handlers: list[logging.Handler] = []
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(_Lines(f"[{job}] "))
    terminal.addFilter(_is_for_terminal)
    handlers.append(terminal)
    if log_path is not None:
        Path(log_path).parent.mkdir(parents=True, exist_ok=True)
        file = logging.FileHandler(log_path, mode="w", encoding="utf-8")
        file.setFormatter(_Lines())
        handlers.append(file)
    with _installed(handlers), _alive(job):
        try:
            yield
        except InputError as error:
            log.error("%s", error)
            raise SystemExit(1) from None
        except Exception as error:
            # Python prints the traceback on the terminal itself.
            log.critical("%s", type(error).__name__, exc_info=True, extra={"file_only": True})
            raise


@contextmanager
def _alive(job: str) -> Iterator[None]:
    """Say now and then that the job still runs: a library's one long call says nothing."""
    over = threading.Event()

    def beat() -> None:
        started = time.monotonic()
        while not over.wait(ALIVE_EVERY):
            log.info("%s: running for %.0f s", job, time.monotonic() - started)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _installed(handlers: list[logging.Handler]) -> Iterator[None]:
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in _OURS}
    root_level = root.level
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    for handler in handlers:
        root.addHandler(handler)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        root.setLevel(root_level)


class Heartbeat:
    """Log a line at most every so many seconds.

    Parameters
    ----------
    what : str
        What is going on; in front of every line.
    every_seconds : float
        Least time between two lines; the first comes after as long.
    """

    def __init__(self, what: str, every_seconds: float = 15) -> None:
        self._what = what
        self._every = every_seconds
        self._last = time.monotonic()

    def beat(self, state: Callable[[], str]) -> None:
        """Log `what` and ``state()`` when it is time; `state` is called only then."""
        now = time.monotonic()
        if now - self._last >= self._every:
            self._last = now
            log.info("%s %s", self._what, state())


class Progress:
    """Log how much of a job is done: ``passages 640/1500 (43%)``.

    A line comes at most every `every_seconds`, and one at the end. Usable as a context manager,
    which says the last line also when the block ends early.

    Parameters
    ----------
    total : int
        How many there are.
    what : str
        What is counted.
    every_seconds : float
        Least time between two lines.
    """

    def __init__(self, total: int, what: str, every_seconds: float = 15) -> None:
        self._total = total
        self._what = what
        self._done = 0
        self._finished = False
        self._heartbeat = Heartbeat(what, every_seconds)

    def __enter__(self) -> Progress:
        """Start counting."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Say the last line."""
        self.finish()

    def update(self, count: int = 1) -> None:
        """Count `count` more as done; the last line is said when all are."""
        self._done += count
        if self._done >= self._total:
            self.finish()
        else:
            self._heartbeat.beat(self._state)

    def finish(self) -> None:
        """Say the last line, once."""
        if not self._finished:
            self._finished = True
            log.info("%s %s", self._what, self._state())

    def _state(self) -> str:
        share = f" ({100 * self._done // self._total}%)" if self._total else ""
        return f"{self._done}/{self._total}{share}"
