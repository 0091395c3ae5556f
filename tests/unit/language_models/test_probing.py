"""Log probabilities of continuations, kept as replies are."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.language_models import asking
from biasatlas.language_models.asking import Limits, Question, ask_all
from biasatlas.language_models.chat import Reply, Unavailable
from biasatlas.language_models.probing import probe_all
from biasatlas.language_models.store import ReplyStore

OPTIONS = (" She", " He")
ONE = Limits(parallel=1, attempts=2)


class Model:
    """Gives what it is told to, and notes what it is asked."""

    def __init__(self, *given: object, identity: str = "m") -> None:
        self.identity = identity
        self.parallel = 1
        self.asked: list[tuple[str, list[str]]] = []
        self._given = list(given)

    def reply(self, messages, schema=None, *, seed, temperature, max_tokens) -> Reply:
        return Reply("a reply")

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        self.asked.append((text, list(options)))
        given = self._given.pop(0) if self._given else [-float(len(text + one)) for one in options]
        if isinstance(given, Exception):
            raise given
        return given  # type: ignore[return-value]


def probe(model, texts, store=None, options=OPTIONS, **changes):
    store = ReplyStore() if store is None else store
    return probe_all(model, texts, options, store, **({"limits": ONE} | changes))


def test_a_list_a_text_in_the_order_of_texts_and_options():
    model = Model()
    # Equal texts are asked once.
    assert probe(model, ["abc", "a", "abc"]) == [[-7.0, -6.0], [-5.0, -4.0], [-7.0, -6.0]]
    assert model.asked == [("abc", [" She", " He"]), ("a", [" She", " He"])]
    assert probe(model, []) == []


def test_a_model_that_cannot_say():
    assert probe(Model([None, -0.5], [None, None]), ["a", "b"]) == [[None, -0.5], [None, None]]


@settings(max_examples=40)
@given(st.lists(st.none() | st.floats(max_value=0, allow_infinity=False), min_size=1, max_size=4))
def test_probabilities_come_back_to_the_last_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("probe") / "m.jsonl"
    options = [f" {n}" for n in range(len(values))]
    for model in (Model(values), Model(InputError("asked again"))):
        with ReplyStore(path) as store:
            assert probe(model, ["a"], store, options) == [values]


def test_nothing_known_is_asked_again(tmp_path):
    path = tmp_path / "m.jsonl"
    with ReplyStore(path) as store:
        first = probe(Model(), ["a", "b"], store)
    again = Model()
    with ReplyStore(path) as store:
        assert probe(again, ["b", "c", "a"], store) == [first[1], [-5.0, -4.0], first[0]]
    assert [text for text, _ in again.asked] == ["c"]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (Model(identity="other"), OPTIONS),
        (Model(), (" He", " She")),
        (Model(), (" She",)),
        (Model(), (" She", " he")),
    ],
)
def test_another_model_and_other_continuations_are_asked_anew(model, options):
    store = ReplyStore()
    probe(Model(), ["a"], store)
    assert probe(model, ["a"], store, options) == [[-float(len(one) + 1) for one in options]]
    assert model.asked == [("a", list(options))]


def test_a_reply_to_the_same_text_is_no_probability():
    store, model = ReplyStore(), Model()
    for role in ("user", "text"):
        question = Question([{"role": role, "content": "a"}], None, 0)
        ask_all(model, [question], store, temperature=0, max_tokens=1, limits=ONE)
    assert probe(model, ["a"], store) == [[-5.0, -4.0]]
    assert len(store) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        [-1.0], [-1.0, -2.0, -3.0], [], [-1.0, 0.5], [-1.0, math.nan], [-math.inf, -1.0],
        [False, -1.0], ["-1", -1.0], None,
    ],
)  # fmt: skip
def test_what_is_no_log_probability_is_an_error_and_is_not_kept(tmp_path, wrong):
    path = tmp_path / "m.jsonl"
    with ReplyStore(path) as store:
        model = Model(InputError("a test") if wrong is None else wrong)
        with pytest.raises(InputError, match=r"a test|no list of 2 log probabilities"):
            probe(model, ["a"], store)
    # The model is mended, and the file does not stand in its way.
    with ReplyStore(path) as store:
        assert probe(Model(), ["a"], store) == [[-5.0, -4.0]]


@pytest.mark.parametrize(
    "text",
    [
        "She", "", "{}", "3", "null", "[-1]", "[-1, -2, -3]", '["-1", -2]', "[true, -1]",
        "[false, -1]", "[-1, 2]", "[NaN, -1]", "[-Infinity, -1]", "[[-1], -1]",
    ],
)  # fmt: skip
def test_a_file_that_holds_something_else_is_named(tmp_path, text):
    path = tmp_path / "m.jsonl"
    with ReplyStore(path) as store:
        probe(Model(), ["a"], store)
    row = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(row | {"text": text}) + "\n", encoding="utf-8")
    with ReplyStore(path) as store, pytest.raises(InputError) as error:
        probe(Model(), ["a"], store)
    assert str(error.value) == f"{path}: {text!r} is no list of 2 log probabilities"


def test_whole_numbers_in_a_file_are_probabilities(tmp_path):
    with ReplyStore(tmp_path / "m.jsonl") as store:
        (found,) = probe(Model([-1, 0]), ["a"], store)
    assert found == [-1.0, 0.0]
    assert [type(value) for value in found] == [float, float]


def test_a_failure_that_passes_is_tried_again(monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(asking, "JITTER", 0.0)
    model = Model(Unavailable("busy"), [-1.0, -2.0])
    assert probe(model, ["a"]) == [[-1.0, -2.0]]
    assert len(model.asked) == 2


def test_a_failure_that_stays_is_told_and_what_came_before_is_kept(tmp_path):
    with ReplyStore(tmp_path / "m.jsonl") as store:
        with pytest.raises(InputError, match="the key is wrong"):
            probe(Model([-1.0, -2.0], InputError("the key is wrong")), ["a", "b", "c"], store)
        again = Model()
        assert probe(again, ["a", "b"], store) == [[-1.0, -2.0], [-5.0, -4.0]]
    assert len(again.asked) == 1


def test_requests_are_counted_with_those_before():
    model = Model()
    limits = Limits(parallel=1, attempts=1, max_requests=5)
    with pytest.raises(InputError, match=r"5 requests are too few for 3 questions .* 3 requests"):
        probe(model, ["a", "b", "c"], limits=limits, already=3)
    assert model.asked == []
    assert len(probe(model, ["a", "b"], limits=limits, already=3)) == 2


@pytest.mark.parametrize("parallel", [1, 3])
def test_as_many_at_once_as_the_model_takes(parallel):
    # Passed only when so many are under way.
    meet = threading.Barrier(parallel)
    threads = set()

    class Slow(Model):
        def continuations(self, text, options):
            threads.add(threading.get_ident())
            meet.wait(timeout=20)
            return super().continuations(text, options)

    model = Slow()
    model.parallel = parallel
    texts = ["a", "bb", "ccc"]
    expected = [[-float(len(text + one)) for one in OPTIONS] for text in texts]
    assert probe(model, texts, limits=Limits(parallel=8, attempts=1)) == expected
    assert len(threads) == parallel
    assert (threading.get_ident() in threads) == (parallel == 1)
