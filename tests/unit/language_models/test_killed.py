"""A job that is killed goes on where it was: what was answered is not asked again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from faulty_server import Answer, FaultyServer, numbered

from biasatlas.language_models.store import ReplyStore, stored_count

JOB = """
import sys
from biasatlas.language_models.asking import Limits, Question, ask_all
from biasatlas.language_models.endpoint import EndpointGenerator
from biasatlas.language_models.store import ReplyStore
url, path, questions, parallel = sys.argv[1:]
generator = EndpointGenerator("m", url, parallel=int(parallel), timeout=30.0)
asked = [Question([{"role": "user", "content": "A person."}], None, n) for n in range(int(questions))]
with ReplyStore(path) as store:
    limits = Limits(parallel=int(parallel), attempts=1)
    for reply in ask_all(
        generator, asked, store, temperature=0.8, max_tokens=50, limits=limits
    ):
        print(reply.text)
"""
QUESTIONS, PARALLEL = 40, 4


def job(url: str, path) -> subprocess.Popen:
    command = [sys.executable, "-c", JOB, url, str(path), str(QUESTIONS), str(PARALLEL)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_job_asks_nothing_again_that_was_answered(tmp_path):
    path = tmp_path / "m.replies.jsonl"
    # From the half on the server keeps its clients waiting, so that all threads are caught there.
    half, reached, killed = QUESTIONS // 2, threading.Event(), threading.Event()

    def script(number, body):
        if number >= half and not killed.is_set():
            if number == half + PARALLEL - 1:
                reached.set()
            return Answer(slow=60.0)
        return numbered(number, body)

    with FaultyServer(script) as server:
        first = job(server.url, path)
        try:
            assert reached.wait(timeout=60)
        finally:
            first.kill()
            out, _ = first.communicate(timeout=60)
        assert (first.returncode, out, server.requests) == (-9, "", half + PARALLEL)
        # Each of these was on the disk before its thread asked for the next.
        assert stored_count([path]) == half
        killed.set()
        # As if one line had been under way.
        path.write_bytes(path.read_bytes()[:-9])
        second = job(server.url, path)
        out, _ = second.communicate(timeout=60)
        assert second.returncode == 0
        again = [one["body"]["seed"] for one in server.seen[half + PARALLEL :]]
    # The cut line is the one reply that was lost.
    assert len(again) == len(set(again)) == QUESTIONS - half + 1
    seeds = [json.loads(line)["seed"] for line in out.splitlines()]
    assert (seeds, len(ReplyStore(path))) == (list(range(QUESTIONS)), QUESTIONS)
