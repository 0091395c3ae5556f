"""A model behind llama.cpp's own server replies as it does in the job (docs/personas.md)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import pytest

from biasatlas.language_models.endpoint import EndpointGenerator
from biasatlas.language_models.llama import find_gguf
from biasatlas.language_models.llama_generator import LlamaGenerator

CONTEXT = 256
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 30},
        "gender": {"type": "string", "enum": ["female", "male", "nonbinary"]},
    },
    "required": ["name", "gender"],
    "additionalProperties": False,
}
TOPICS = ["fashion", "football", "taxes", "the weather", "parenting", "politics", "cars", "bread"]
# Lets a server start on a busy machine.
PATIENCE = 60


def question(topic: str) -> list[dict[str, str]]:
    system = {"role": "system", "content": "You invent people."}
    text = f"Invent a person from Europe who likes {topic}. Give name and gender."
    return [system, {"role": "user", "content": text}]


@pytest.fixture(scope="module")
def server(small_model) -> Iterator[str]:
    for module in ("uvicorn", "fastapi", "sse_starlette", "starlette_context"):
        pytest.importorskip(module, reason="llama.cpp's server is not installed (make llm)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(find_gguf(small_model))]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(CONTEXT)]
    command += ["--n_threads", "1", "--n_threads_batch", "1"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ.copy()
    )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        _wait(process, f"{url}/models")
        yield url
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen, url: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"the server does not answer within {PATIENCE} seconds")


def endpoint(url: str, **settings) -> EndpointGenerator:
    return EndpointGenerator("smollm2", url, structured="json_object", **settings)


def test_a_server_gives_the_replies_of_the_job(server, small_model):
    there, here = endpoint(server), LlamaGenerator(small_model, "x", context=CONTEXT)
    asked = [(topic, SCHEMA if n % 2 else None) for n, topic in enumerate(TOPICS)]
    how = {"seed": 1, "temperature": 0, "max_tokens": 24}
    replies = [here.reply(question(topic), schema, **how) for topic, schema in asked]
    found = [there.reply(question(topic), schema, **how) for topic, schema in asked]
    assert [one.text for one in found] == [one.text for one in replies]
    assert len({one.text for one in replies}) > 4
    assert [one.finish for one in found] == [one.finish for one in replies]
    assert {one.finish for one in replies} == {"stop", "length"}
    assert [one.prompt_tokens for one in found] == [one.prompt_tokens for one in replies]
    assert [one.reply_tokens for one in found] == [one.reply_tokens for one in replies]
    assert json.loads(found[1].text)["gender"] in ("female", "male", "nonbinary")


def test_a_server_knows_the_same_probabilities_of_pronouns(server, small_model):
    there, here = endpoint(server, logprobs=True), LlamaGenerator(small_model, "x", context=CONTEXT)
    text, options = "A person from Europe is interested in fashion.", [" She", " He"]
    expected = here.continuations(text, options)
    assert there.continuations(text, options) == pytest.approx(expected, abs=1e-3)
    assert abs(expected[0] - expected[1]) > 0.01
    # What is not among the most probable tokens, the server cannot say; the job can.
    assert there.continuations(text, [" Xylophone"]) == [None]
    assert here.continuations(text, [" Xylophone"])[0] < -5
