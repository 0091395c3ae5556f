"""Replies are in the file as soon as they come, and no cut, foreign line or process spoils others."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Reply
from biasatlas.language_models.store import MOST_TOKENS, ReplyStore, stored_count

ODD = 'é "quoted" \\ \u2028 \x00 \x85\r\n\t मैं राधा 👩'
RIGHT = {
    "key": "right",
    "text": "t",
    "finish": "stop",
    "prompt_tokens": 1,
    "reply_tokens": 2,
    "answered_by": "m",
}


def keep(path, *keys: str) -> None:
    with ReplyStore(path) as store:
        for key in keys:
            store.add(key, Reply(f"text of {key}", "stop", 1, 2, "m"))


def keys_in(path) -> list[str]:
    return [json.loads(line)["key"] for line in path.read_bytes().split(b"\n") if line]


def test_a_reply_comes_back_as_it_was(tmp_path):
    path = tmp_path / "sub" / "m.replies.jsonl"
    replies = {
        "a": Reply(ODD, "length", 11, 7, "m-2026"),
        "b": Reply("", "blocked"),
        "c": Reply("x" * 100_000),
    }
    with ReplyStore(path) as store:
        assert not path.exists()
        for key, reply in replies.items():
            assert store.add(key, reply) == reply
            # On the disk at once, for whoever looks.
            assert ReplyStore(path).get(key) == reply
    again = ReplyStore(path)
    assert {key: again.get(key) for key in replies} == replies
    assert (len(again), again.get("d"), path.read_bytes().count(b"\n")) == (3, None, 3)


@given(text=st.text(), by=st.text(), tokens=st.integers())
def test_any_text_can_be_kept_and_put_into_a_table(tmp_path_factory, text, by, tokens):
    path = tmp_path_factory.mktemp("store") / "r.jsonl"
    # hypothesis leaves surrogates out by itself.
    broken = f"\ud83d{text}\ude00"
    with ReplyStore(path) as store:
        kept = store.add("k", Reply(broken, "stop", tokens, -tokens, by))
    assert ReplyStore(path).get("k") == kept
    expected = f"\ufffd{text}\ufffd" if text else "\U0001f600"
    assert (kept.text, kept.answered_by) == (expected, by)
    assert kept.prompt_tokens == min(max(tokens, 0), MOST_TOKENS)
    assert kept.reply_tokens == min(max(-tokens, 0), MOST_TOKENS)


def test_the_first_reply_of_a_key_holds(tmp_path):
    path = tmp_path / "r.jsonl"
    with ReplyStore(path) as store, ReplyStore(path) as other:
        assert store.add("k", Reply("first")).text == "first"
        assert store.add("k", Reply("second")).text == "first"
        assert keys_in(path) == ["k"]
        # Another process that asked at the same time.
        assert other.add("k", Reply("its own")).text == "its own"
    assert ReplyStore(path).get("k") == Reply("first")
    assert (len(ReplyStore(path)), stored_count([path])) == (1, 2)


def test_a_last_line_cut_off_anywhere_is_dropped_and_spoils_nothing(tmp_path, caplog):
    whole = tmp_path / "whole.jsonl"
    keep(whole, "é", "b")
    data = whole.read_bytes()
    first = data.index(b"\n") + 1
    for end in range(first, len(data)):
        path = tmp_path / f"{end}.jsonl"
        path.write_bytes(data[:end])
        caplog.clear()
        complete = end == len(data) - 1
        with ReplyStore(path) as store:
            assert (len(store), stored_count([path])) == ((2, 2) if complete else (1, 1))
            assert ("its last line is cut off" in caplog.text) == (first < end < len(data) - 1)
            assert store.get("b") == (Reply("text of b", "stop", 1, 2, "m") if complete else None)
        keep(path, "b", "c")
        assert ReplyStore(path).get("é") == Reply("text of é", "stop", 1, 2, "m")
        assert [ReplyStore(path).get(key).text for key in "bc"] == ["text of b", "text of c"]
        assert path.read_bytes().startswith(data[:end])


FOREIGN = [
    b"not json",
    b"\xff\xfe\x00",
    b"\x00" * 50,
    b"null",
    b'"right"',
    b"[" * 50_000,
    b"9" * 5_000,
    b'{"a": 1}',
    json.dumps([RIGHT]).encode(),
    *(
        json.dumps(RIGHT | change).encode()
        for change in (
            {"key": None},
            {"text": 1},
            {"text": ["t"]},
            {"finish": "other"},
            {"finish": ["stop"]},
            {"prompt_tokens": "1"},
            {"prompt_tokens": 1.0},
            {"reply_tokens": True},
            {"answered_by": None},
            {"more": 1},
        )
    ),
    *(
        json.dumps({name: value for name, value in RIGHT.items() if name != left_out}).encode()
        for left_out in RIGHT
    ),
]


def test_foreign_lines_are_counted_left_out_and_left_there(tmp_path, caplog):
    path = tmp_path / "r.jsonl"
    right = json.dumps(RIGHT).encode()
    data = b"\n".join([*FOREIGN, b"", b"  ", right, b""])
    path.write_bytes(data)
    store = ReplyStore(path)
    assert (len(store), store.get("right")) == (1, Reply("t", "stop", 1, 2, "m"))
    assert f"r.jsonl: left out, as no replies: {len(FOREIGN)} lines" in caplog.text
    assert "cut off" not in caplog.text
    keep(path, "b")
    assert path.read_bytes().startswith(data)
    assert stored_count([path, tmp_path / "none.jsonl", path]) == 4


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ReplyStore() as store:
        store.add("k", Reply("t"))
    assert (store.get("k"), list(tmp_path.iterdir())) == (Reply("t"), [])


def test_a_finish_that_reading_would_not_take_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="finish 'end' is none of"):
        ReplyStore(tmp_path / "r.jsonl").add("k", Reply("t", "end"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_used_is_named(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match=r"folder: cannot be read \(Is a directory\)"):
        ReplyStore(folder)
    (tmp_path / "file").touch()
    store = ReplyStore()
    store.path = tmp_path / "file" / "r.jsonl"
    with pytest.raises(InputError, match=r"r\.jsonl: cannot be written"):
        store.add("k", Reply("t"))
    assert store.get("k") is None


def test_a_full_disk_is_said_and_the_store_goes_on_when_there_is_room(tmp_path, monkeypatch):
    import os

    path, write = tmp_path / "r.jsonl", os.write
    with ReplyStore(path) as store:
        store.add("a", Reply("t"))
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:20]))
        with pytest.raises(InputError, match="no room"):
            store.add("b", Reply("t"))
        assert store.get("b") is None
        monkeypatch.undo()
        store.add("b", Reply("t"))
        store.add("c", Reply("t"))
    assert [ReplyStore(path).get(key) for key in "abc"] == [Reply("t")] * 3


def test_threads_share_a_store(tmp_path):
    path = tmp_path / "r.jsonl"
    with ReplyStore(path) as store:

        def add(thread: int) -> None:
            for number in range(30):
                store.add(f"{thread} {number}", Reply("x" * 5_000))
                store.add(f"same {number}", Reply("y"))

        threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert len(keys_in(path)) == len(set(keys_in(path))) == len(ReplyStore(path)) == 5 * 30


APPENDING = """
import sys
from biasatlas.language_models.chat import Reply
from biasatlas.language_models.store import ReplyStore
path, name = sys.argv[1:]
with ReplyStore(path) as store:
    store.add(name, Reply("ready"))
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(100):
        store.add(f"{name} {number}", Reply("x" * 3_000))
"""


def test_two_processes_append_to_one_file(tmp_path, caplog):
    path = tmp_path / "r.jsonl"
    jobs = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDING, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in ("a", "b")
    ]
    for job in jobs:
        assert job.stdout.readline() == b"ready\n"
    for job in jobs:
        job.stdin.write(b"\n")
        job.stdin.flush()
    for job in jobs:
        job.communicate(timeout=60)
        assert job.returncode == 0
    expected = {name for n in "ab" for name in (n, *(f"{n} {number}" for number in range(100)))}
    assert set(keys_in(path)) == expected
    assert (len(ReplyStore(path)), stored_count([path]), caplog.text) == (202, 202, "")
