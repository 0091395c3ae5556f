"""A reply is asked for once, and the cache knows all that decides it."""

from __future__ import annotations

import pytest

from biasatlas.language_models.chat import reply_key
from biasatlas.language_models.choice import choice_schema, read_choice
from biasatlas.language_models.replies import ReplyCache


class Echo:
    """Answers with the number of the question."""

    key, context, max_tokens = "model 1", 100, 10

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, messages, schema=None) -> str:
        self.asked += 1
        return f"{messages[-1]['content']} {self.asked}"


def ask(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_nothing_is_asked_twice_over_runs(tmp_path):
    path, chat = tmp_path / "sub" / "cache.json", Echo()
    with ReplyCache(path) as cache:
        assert [cache.ask(chat, ask(t)) for t in ("é", "b", "é")] == ["é 1", "b 2", "é 1"]
        assert (cache.asked, cache.from_cache) == (2, 1)
    before = path.read_bytes()
    with ReplyCache(path) as cache:
        assert cache.ask(chat, ask("é")) == "é 1"
        assert (cache.asked, cache.from_cache) == (0, 1)
    assert (chat.asked, path.read_bytes()) == (2, before)


def test_a_reply_is_kept_as_soon_as_it_comes(tmp_path):
    chat = Echo()
    with ReplyCache(tmp_path / "cache.json") as cache:
        cache.ask(chat, ask("a"))
        # As another job finds it when this one is killed here.
        other = ReplyCache(tmp_path / "cache.json")
        assert (other.ask(chat, ask("a")), other.from_cache, chat.asked) == ("a 1", 1, 1)


@pytest.mark.parametrize("content", ["{\n", "[]\n", '{"a": "old cache"}\n', "\xff\n"])
def test_a_spoilt_cache_is_asked_anew_and_said(tmp_path, caplog, content):
    path = tmp_path / "cache.json"
    path.write_text(content, encoding="latin-1")
    with ReplyCache(path) as cache:
        assert cache.ask(Echo(), ask("a")) == "a 1"
    assert "left out, as no replies: 1 lines" in caplog.text
    assert ReplyCache(path).ask(Echo(), ask("b")) == "b 1"
    assert ReplyCache(path).ask(Echo(), ask("a")) == "a 1"


def test_the_key_holds_model_messages_and_schema():
    chat, other = Echo(), Echo()
    other.key = "model 2"
    schema = choice_schema("label", ["a", "b"])
    keys = [reply_key(chat, ask("a"), None), reply_key(chat, ask("b"), None)]
    keys += [reply_key(other, ask("a"), None), reply_key(chat, ask("a"), schema)]
    keys += [reply_key(chat, ask("a"), choice_schema("label", ["b", "a"]))]
    assert len(set(keys)) == 5
    assert reply_key(chat, ask("a"), None) == keys[0]


def test_only_an_option_is_a_choice():
    options = ["tax return", "flood"]
    assert read_choice('{"label": "flood"}', "label", options) == "flood"
    for reply in (
        '{"label": "Flood"}',
        '{"label": "fl',
        "flood",
        '["flood"]',
        '{"other": "flood"}',
    ):
        assert read_choice(reply, "label", options) is None
    assert read_choice('{"label": ["flood"]}', "label", options) is None
