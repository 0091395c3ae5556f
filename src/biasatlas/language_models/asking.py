"""Many questions to one model: at once, at a limited rate, again after a failure, never twice."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Generator, Message, Reply, Unavailable, question_key
from biasatlas.language_models.store import ReplyStore
from biasatlas.logs import Heartbeat, Progress

if TYPE_CHECKING:
    from tenacity import RetryCallState, Retrying

logger = logging.getLogger(__name__)

# Seconds before a question is sent again for the first time; doubled from time to time.
FIRST_WAIT = 1.0
# Most seconds added by chance, so that threads that failed together do not come back together.
JITTER = 1.0


@dataclass(frozen=True)
class Question:
    """What is asked of a model.

    Attributes
    ----------
    messages : sequence of messages
    schema : mapping or None
        JSON schema of the reply.
    seed : int
        Of the reply's random numbers.
    """

    messages: Sequence[Message]
    schema: Mapping[str, Any] | None
    seed: int


@dataclass(frozen=True)
class Limits:
    """How hard a model may be asked.

    Attributes
    ----------
    parallel : int
        Most questions under way at once; fewer where the model takes fewer.
    per_minute : int or None
        Most requests a minute, evenly spaced.
    attempts : int
        Times that a question is sent before all asking stops.
    max_requests : int or None
        Most requests in all, repeated ones included.
    longest_wait : float
        Most seconds between two attempts, also where the server asks for more.
    """

    parallel: int = 4
    per_minute: int | None = None
    attempts: int = 6
    max_requests: int | None = None
    longest_wait: float = 60.0


def ask_all(
    generator: Generator,
    questions: Sequence[Question],
    store: ReplyStore,
    *,
    temperature: float,
    max_tokens: int,
    limits: Limits,
    already: int = 0,
) -> list[Reply]:
    """Answer questions from the store, and by the model where it has no reply yet.

    Equal questions are asked once, and each reply is stored as soon as it has come. After an error
    no new question is sent, and the replies under way are still waited for and stored.

    Parameters
    ----------
    generator : Generator
    questions : sequence of Question
    store : ReplyStore
    temperature : float
    max_tokens : int
        Most new tokens a reply.
    limits : Limits
    already : int
        Requests that count for `max_requests` though they are not sent here.

    Returns
    -------
    list of Reply
        In the order of the questions.

    Raises
    ------
    InputError
        When asking again would not help, a question has no reply after all attempts,
        `max_requests` is too low (nothing is sent) or used up, or the store cannot be written.
    """
    drawn: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}
    keys = _keys(generator.identity, questions, drawn)
    unique = dict(zip(keys, questions, strict=True))
    waiting = {key: one for key, one in unique.items() if store.get(key) is None}
    _check_budget(len(waiting), already, limits)

    def send(one: Question) -> Reply:
        return generator.reply(one.messages, one.schema, seed=one.seed, **drawn)

    known = len(unique) - len(waiting)
    with Progress(len(unique), "replies") as progress:
        if known:
            progress.update(known)
        run = _Run(send, store, limits, already, progress)
        try:
            run.ask(waiting, min(limits.parallel, generator.parallel, len(waiting)))
        finally:
            said = (run.answered, known, run.repeated)
            logger.info("replies: %d asked, %d from the store, %d requests repeated", *said)
    if run.failure is not None:
        raise run.failure
    return [reply for reply in map(store.get, keys) if reply is not None]


def _keys(identity: str, questions: Sequence[Question], drawn: Mapping[str, Any]) -> list[str]:
    return [
        question_key(identity, one.messages, one.schema, seed=one.seed, **drawn)
        for one in questions
    ]


def _check_budget(waiting: int, already: int, limits: Limits) -> None:
    """Refuse to begin what cannot be ended: replies may cost money."""
    most = limits.max_requests
    if waiting and most is not None and already + waiting > most:
        raise InputError(
            f"max_requests: {most} requests are too few for {waiting} questions that have no reply "
            f"yet and {already} requests before them; nothing was sent. Raise it to "
            f"{already + waiting} or more, or ask less"
        )


class _Stopped(Exception):
    """Nothing more is to be sent."""


class _Pace:
    """Gives leave to send, to all threads together: so many times a minute, none during a hold."""

    def __init__(self, per_minute: int | None) -> None:
        self._gap = 60 / per_minute if per_minute else 0.0
        self._lock = threading.Lock()
        self._next = time.monotonic()

    def wait(self, stop: threading.Event) -> None:
        """Return when it is this thread's turn, or when all is to stop."""
        while not stop.is_set():
            with self._lock:
                now = time.monotonic()
                if now >= self._next:
                    self._next = now + self._gap
                    return
                delay = self._next - now
            stop.wait(delay)

    def hold(self, seconds: float) -> None:
        """Let nobody send for some seconds."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


class _Run:
    """The state of one call of `ask_all`, shared by its threads."""

    def __init__(
        self,
        send: Callable[[Question], Reply],
        store: ReplyStore,
        limits: Limits,
        already: int,
        progress: Progress,
    ) -> None:
        self._send_question = send
        self._store = store
        self._limits = limits
        self._already = already
        self._progress = progress
        self._pace = _Pace(limits.per_minute)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._trouble = Heartbeat("replies:")
        self._waiting = 0
        self._begun: set[str] = set()
        self.sent = 0
        self.answered = 0
        self.failure: InputError | None = None

    @property
    def repeated(self) -> int:
        """Requests for a question that had been sent before."""
        return self.sent - len(self._begun)

    def ask(self, waiting: Mapping[str, Question], threads: int) -> None:
        """Ask all, or until something stops it."""
        from concurrent.futures import ThreadPoolExecutor

        self._waiting = len(waiting)
        if threads <= 1:
            # In the caller's own thread: a model of this process may be bound to it.
            for key, question in waiting.items():
                self._ask_one(key, question)
            return
        with ThreadPoolExecutor(threads) as pool:
            try:
                for future in [pool.submit(self._ask_one, *one) for one in waiting.items()]:
                    future.result()
            except BaseException:
                # A fault, or the user's Ctrl-C: the pool would else go through all questions.
                self._stop.set()
                raise

    def _ask_one(self, key: str, question: Question) -> None:
        try:
            self._store.add(key, self._attempts()(self._send, key, question))
        except _Stopped:
            return
        except Unavailable as error:
            many = self._limits.attempts
            times = f"{many} attempts" if many > 1 else "1 attempt"
            self._end(f"a question has no reply after {times}: {error}", " Run again to go on")
        except InputError as error:
            self._fail(error)
        except BaseException:
            self._stop.set()
            raise
        else:
            with self._lock:
                self.answered += 1
                self._progress.update()

    def _send(self, key: str, question: Question) -> Reply:
        """Send a question once, if and when it may be sent."""
        self._pace.wait(self._stop)
        most = self._limits.max_requests
        with self._lock:
            if self._stop.is_set():
                raise _Stopped
            spent = most is not None and self._already + self.sent >= most
            if not spent:
                self.sent += 1
                self._begun.add(key)
        if spent:
            self._end(
                f"max_requests: {most} requests are used up ({self._already} before this run, "
                f"{self.sent} in it)",
                " Raise it and run again to go on",
            )
            raise _Stopped
        return self._send_question(question)

    def _end(self, reason: str, advice: str) -> None:
        """Stop with an error that says how far things are; threads under way still store."""
        place = "" if self._store.path is None else f" in {self._store.path}"
        with self._lock:
            reason = f"{reason}. Of {self._waiting} questions {self.answered} are answered{place}"
        self._fail(InputError(f"{reason}, {self._waiting - self.answered} open.{advice}"))

    def _fail(self, error: InputError) -> None:
        with self._lock:
            if self.failure is None:
                self.failure = error
            self._stop.set()

    def _attempts(self) -> Retrying:
        """Attempts at one question; only a failure that may pass leads to another."""
        import tenacity

        return tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._limits.attempts),
            wait=tenacity.wait_exponential_jitter(
                multiplier=FIRST_WAIT, max=self._limits.longest_wait, jitter=JITTER
            ),
            retry=tenacity.retry_if_exception_type(Unavailable),
            sleep=tenacity.sleep_using_event(self._stop),
            before_sleep=self._before_sleep,
            reraise=True,
        )

    def _asked_wait(self, state: RetryCallState) -> float:
        """Seconds that the server wants to be left alone, at most what the limits allow."""
        error = None if state.outcome is None else state.outcome.exception()
        wait = error.wait if isinstance(error, Unavailable) else None
        # Written so that a NaN counts as none.
        return min(wait, self._limits.longest_wait) if wait is not None and wait > 0 else 0.0

    def _before_sleep(self, state: RetryCallState) -> None:
        # The server's wait holds every thread, this one too: the limit is that of the key.
        self._pace.hold(self._asked_wait(state))
        error = None if state.outcome is None else state.outcome.exception()
        with self._lock:
            self._trouble.beat(lambda: f"{self.repeated} requests repeated, the last for: {error}")
