"""Questions are asked once, in any order, no faster and no more often than allowed."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from itertools import pairwise

import pytest
from faulty_server import Answer, FaultyServer, numbered
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.language_models import asking
from biasatlas.language_models.asking import Limits, Question, ask_all
from biasatlas.language_models.chat import Reply, Unavailable
from biasatlas.language_models.endpoint import EndpointGenerator
from biasatlas.language_models.store import ReplyStore, stored_count

SCHEMA = {"type": "object"}
# No test waits for longer between two attempts.
SOON = 0.005


def question(seed: int) -> Question:
    return Question([{"role": "user", "content": "A person."}], SCHEMA, seed)


def answer(seed: int) -> Reply:
    return Reply(f"person {seed}", "stop", 3, 4, "m")


class Model:
    """Answers with the seed; `fails` says what the n-th sending of a seed raises, if anything."""

    def __init__(self, fails=lambda seed, nth: None, parallel=8, identity="m 1") -> None:
        self.identity, self.parallel = identity, parallel
        self.fails = fails
        self.seen: list[int] = []
        self.most = self._open = 0
        self._lock = threading.Lock()

    def reply(self, messages, schema=None, *, seed, temperature, max_tokens) -> Reply:
        assert (messages, schema) == (question(0).messages, SCHEMA)
        assert (temperature, max_tokens) == (0.8, 50)
        with self._lock:
            self.seen.append(seed)
            nth = self.seen.count(seed)
            self._open += 1
            self.most = max(self.most, self._open)
        try:
            failure = self.fails(seed, nth)
            if failure is not None:
                raise failure
            return answer(seed)
        finally:
            with self._lock:
                self._open -= 1


def ask(model, seeds, store=None, already=0, **limits) -> list[Reply]:
    return ask_all(
        model,
        [question(seed) for seed in seeds],
        ReplyStore() if store is None else store,
        temperature=0.8,
        max_tokens=50,
        limits=Limits(**{"parallel": 4, "longest_wait": SOON} | limits),
        already=already,
    )


@settings(max_examples=40, deadline=None)
@given(
    seeds=st.lists(st.integers(0, 12), max_size=25),
    known=st.sets(st.integers(0, 12)),
    failures=st.dictionaries(st.integers(0, 12), st.integers(0, 2)),
    parallel=st.integers(1, 5),
)
def test_replies_stand_in_order_and_each_is_asked_once(seeds, known, failures, parallel):
    store = ReplyStore()
    ask(Model(), sorted(known), store)
    model = Model(lambda s, nth: Unavailable("busy") if nth <= failures.get(s, 0) else None)
    assert ask(model, seeds, store, parallel=parallel, longest_wait=0.0) == [
        answer(seed) for seed in seeds
    ]
    wanted = set(seeds) - known
    assert Counter(model.seen) == Counter({s: failures.get(s, 0) + 1 for s in wanted})
    assert model.most <= parallel


@pytest.mark.parametrize(("ours", "its"), [(3, 8), (8, 3)])
def test_as_many_at_once_as_both_sides_allow(ours, its):
    together = threading.Barrier(3)

    def fails(seed, nth):
        # Broken, and so an error, when three are never under way together.
        together.wait(timeout=20)

    model = Model(fails, parallel=its)
    ask(model, range(12), parallel=ours)
    assert model.most == 3


@pytest.mark.parametrize(("parallel", "inside"), [(1, True), (2, False)])
def test_a_model_that_takes_one_question_is_asked_in_the_callers_thread(parallel, inside):
    threads = set()
    model = Model(lambda *_: threads.add(threading.current_thread()), parallel=parallel)
    ask(model, range(4))
    assert (threads == {threading.current_thread()}) == inside


def test_all_that_decides_a_reply_is_in_its_key(tmp_path):
    with ReplyStore(tmp_path / "r.jsonl") as store:
        for identity in ("m 1", "m 2", "m 1"):
            ask(Model(identity=identity), [1, 2], store)
        assert len(store) == 4
        for number, change in enumerate([{"temperature": 0.7}, {"max_tokens": 51}]):
            model = Model()
            model.reply = lambda *_, **__: answer(9)
            given = {"temperature": 0.8, "max_tokens": 50, "limits": Limits()} | change
            ask_all(model, [question(1)], store, **given)
            assert len(store) == 5 + number


def test_the_counts_are_said(tmp_path, caplog):
    caplog.set_level("INFO", "biasatlas")
    path = tmp_path / "r.jsonl"
    with ReplyStore(path) as store:
        ask(Model(), [1, 2], store)
        model = Model(lambda seed, nth: Unavailable("busy") if seed == 3 and nth < 4 else None)
        caplog.clear()
        ask(model, [1, 2, 3, 4, 5, 3], store)
    assert "replies: 3 asked, 2 from the store, 3 requests repeated" in caplog.text
    assert caplog.text.count("replies 5/5 (100%)") == 1
    caplog.clear()
    assert ask(Model(), [5, 1], ReplyStore(path)) == [answer(5), answer(1)]
    assert "replies: 0 asked, 2 from the store, 0 requests repeated" in caplog.text
    assert ask(Model(), []) == []


@pytest.mark.parametrize("parallel", [1, 3])
def test_what_asking_again_would_not_mend_stops_at_once(tmp_path, caplog, parallel):
    """The wrong reply waits until the others are under way; these are still stored."""
    caplog.set_level("INFO", "biasatlas")
    together, stopped = threading.Barrier(parallel), threading.Event()

    def fails(seed, nth):
        if seed < parallel:
            together.wait(timeout=20)
        if seed == 0:
            return InputError("key of the server: wrong")
        # The others come after it; the run must have stopped by then.
        stopped.wait(timeout=20)
        return InputError("a later one") if seed == 1 else None

    original = asking._Run._fail

    def fail(self, error):
        original(self, error)
        stopped.set()

    with pytest.MonkeyPatch.context() as patch, ReplyStore(tmp_path / "r.jsonl") as store:
        patch.setattr(asking._Run, "_fail", fail)
        model = Model(fails)
        with pytest.raises(InputError, match=r"^key of the server: wrong$"):
            ask(model, range(40), store, parallel=parallel)
    assert sorted(model.seen) == list(range(parallel))
    stored = max(parallel - 2, 0)
    assert stored_count([store.path]) == stored
    assert f"replies: {stored} asked, 0 from the store, 0 requests repeated" in caplog.text
    again = Model()
    assert ask(again, range(40), ReplyStore(store.path)) == [answer(n) for n in range(40)]
    assert len(again.seen) == 40 - stored


def test_when_the_attempts_are_used_up_the_error_says_how_far_it_is(tmp_path):
    path = tmp_path / "r.jsonl"
    model = Model(lambda seed, nth: Unavailable(f"busy {nth}") if seed == 3 else None)
    with ReplyStore(path) as store, pytest.raises(InputError) as error:
        ask(model, range(10), store, parallel=1, attempts=3)
    assert str(error.value) == (
        "a question has no reply after 3 attempts: busy 3. "
        f"Of 10 questions 3 are answered in {path}, 7 open. Run again to go on"
    )
    assert model.seen == [0, 1, 2, 3, 3, 3]
    again = Model()
    assert ask(again, range(10), ReplyStore(path)) == [answer(n) for n in range(10)]
    assert sorted(again.seen) == list(range(3, 10))


def test_a_server_that_is_down_ends_all_threads_soon():
    model = Model(lambda seed, nth: Unavailable("no connection"))
    with pytest.raises(InputError, match=r"after 1 attempt: no connection\. Of 50 .* 50 open"):
        ask(model, range(50), attempts=1)
    assert len(model.seen) <= 4
    # The stop wakes threads that wait for another attempt.
    slow = Model(lambda seed, nth: Unavailable("busy", 3000) if seed else InputError("wrong"))
    slow.fails = lambda seed, nth, base=slow.fails: _after(slow, seed, base(seed, nth))
    with pytest.raises(InputError, match=r"^wrong$"):
        ask(slow, range(4), longest_wait=3000)
    assert sorted(slow.seen) == [0, 1, 2, 3]


def _after(model: Model, seed: int, failure: Exception) -> Exception:
    """Hold the first question back until all others have failed."""
    while (seed == 0 and model._open > 1) or len(model.seen) < 4:
        time.sleep(0.001)
    return failure


@pytest.mark.parametrize("parallel", [1, 4])
def test_requests_in_all_are_limited_repeated_ones_included(tmp_path, parallel):
    path = tmp_path / "r.jsonl"
    # Every question needs two requests.
    model = Model(lambda seed, nth: Unavailable("busy") if nth == 1 else None)
    with ReplyStore(path) as store, pytest.raises(InputError) as error:
        ask(model, range(10), store, already=5, max_requests=18, parallel=parallel)
    assert len(model.seen) == 13
    assert str(error.value).startswith(
        "max_requests: 18 requests are used up (5 before this run, 13 in it). Of 10 questions "
    )
    # Known replies take nothing of it, and what is left is enough.
    known = stored_count([path])
    again = Model()
    replies = ask(again, range(10), ReplyStore(path), already=known, max_requests=10)
    assert (replies, len(again.seen)) == ([answer(n) for n in range(10)], 10 - known)


def test_nothing_is_sent_when_the_limit_would_not_do():
    model, store = Model(), ReplyStore()
    ask(model, [1, 2], store)
    for already, most, fine in [(0, 3, True), (0, 2, False), (7, 10, True), (7, 9, False)]:
        model, fresh = Model(), ReplyStore()
        if fine:
            ask(model, [1, 2, 3, 3], fresh, already=already, max_requests=most)
            continue
        with pytest.raises(InputError, match=rf"^max_requests: {most} requests are too few for 3"):
            ask(model, [1, 2, 3, 3], fresh, already=already, max_requests=most)
        assert model.seen == []
    assert ask(Model(), [1, 2], store, already=9, max_requests=1) == [answer(1), answer(2)]


def test_a_fault_of_the_program_is_not_swallowed():
    for parallel in (1, 4):
        model = Model(lambda seed, nth: ZeroDivisionError() if seed == 5 else None)
        with pytest.raises(ZeroDivisionError):
            ask(model, range(500), parallel=parallel)
        assert len(model.seen) < 500


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_sends_no_more(tmp_path):
    def fails(seed, nth):
        if seed == 5:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.005)

    model = Model(fails)
    with ReplyStore(tmp_path / "r.jsonl") as store, pytest.raises(KeyboardInterrupt):
        ask(model, range(500), store)
    assert len(model.seen) < 500
    assert stored_count([store.path]) == len(model.seen)


class Clock:
    """Time that passes only where somebody waits; notes what was waited for."""

    def __init__(self, monkeypatch) -> None:
        self.now = 100.0
        self.waits: list[float] = []
        clock = self

        class Event(threading.Event):
            def wait(self, timeout=None):
                clock.waits.append(timeout)
                clock.now += timeout
                return self.is_set()

        monkeypatch.setattr(asking.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(asking.threading, "Event", Event)
        monkeypatch.setattr(asking, "JITTER", 0.0)


def test_waits_double_and_obey_the_server_up_to_the_longest(monkeypatch):
    clock = Clock(monkeypatch)
    asked = [None, None, None, 5.0, 40.0, float("inf"), float("nan"), -3.0, 0.0]
    model = Model(lambda seed, nth: Unavailable("busy", asked[nth - 1]) if nth < 10 else None)
    sent = []
    model.fails = lambda seed, nth, base=model.fails: sent.append(clock.now) or base(seed, nth)
    ask(model, [1], attempts=10, longest_wait=45.0)
    gaps = [later - sooner for sooner, later in pairwise(sent)]
    assert gaps == [1, 2, 4, 8, 40, 45, 45, 45, 45]


def test_the_wait_of_one_thread_holds_all(monkeypatch):
    clock = Clock(monkeypatch)
    pace, stop = asking._Pace(None), asking.threading.Event()
    pace.wait(stop)
    assert clock.now == 100
    pace.hold(7.0)
    pace.hold(3.0)
    pace.wait(stop)
    assert clock.now == 107
    stop.set()
    pace.hold(50.0)
    pace.wait(stop)
    assert clock.now == 107


def test_requests_are_spaced_evenly_and_repeated_ones_too(monkeypatch):
    clock = Clock(monkeypatch)
    sent = []
    model = Model(lambda seed, nth: Unavailable("busy") if seed == 2 and nth == 1 else None)
    model.fails = lambda seed, nth, base=model.fails: sent.append(clock.now) or base(seed, nth)
    ask(model, range(5), parallel=1, per_minute=20, longest_wait=1.0)
    assert sent == [100, 103, 106, 109, 112, 115]


def test_the_rate_is_that_of_all_threads_together():
    begin = time.monotonic()
    ask(Model(), range(9), per_minute=1_200, parallel=8)
    # A lower bound: however slow the computer is, nine requests are eight gaps apart.
    assert time.monotonic() - begin >= 8 * 60 / 1_200


def test_against_a_server_that_fails_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "sk-none-of-your-business")
    faults = ["429", "500", "drop", "half body", "502 page"]

    def script(number, body):
        return faults[number // 3 % len(faults)] if number % 3 == 0 else numbered(number, body)

    with FaultyServer(script) as server, ReplyStore(tmp_path / "r.jsonl") as store:
        generator = EndpointGenerator("m", server.url, key_from="A_KEY", parallel=4, timeout=5.0)
        replies = ask(generator, range(20), store, attempts=20)
        assert [reply.text for reply in replies] == [
            f'{{"seed": {seed}, "gender": "female"}}' for seed in range(20)
        ]
        assert server.most <= 4
        assert server.requests == 20 + sum(number % 3 == 0 for number in range(server.requests))
        sent = server.requests
        assert ask(generator, range(20), ReplyStore(store.path)) == replies
        assert server.requests == sent
    assert b"business" not in store.path.read_bytes()


def test_a_wrong_key_is_sent_once_a_thread_and_never_again():
    with FaultyServer(["401"]) as server:
        generator = EndpointGenerator("m", server.url, parallel=2, timeout=5.0)
        with pytest.raises(InputError):
            ask(generator, range(20))
        assert server.requests <= 2


def test_odd_replies_are_replies(tmp_path):
    odd = ["half json", "empty", "null", "refusal", "blocked", "filter", "other language", "long"]
    with FaultyServer([*odd, Answer()]) as server, ReplyStore(tmp_path / "r.jsonl") as store:
        generator = EndpointGenerator("m", server.url, timeout=5.0)
        replies = ask(generator, range(9), store)
        assert server.requests == 9
    finishes = ["length", *["stop"] * 3, *["blocked"] * 2, "stop", "length", "stop"]
    assert [reply.finish for reply in replies] == finishes
    assert ask(generator, range(9), ReplyStore(store.path)) == replies
