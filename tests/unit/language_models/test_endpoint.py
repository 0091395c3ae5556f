"""Replies over HTTP: what each fault becomes, against a real server on loopback."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import socket
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import faulty_server
import pytest
from faulty_server import PERSONA, Answer, FaultyServer, failure
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Unavailable
from biasatlas.language_models.endpoint import LONGEST_REPLY, EndpointGenerator
from biasatlas.language_models.protocol import (
    explain_failure,
    read_first_tokens,
    read_text,
    read_wait,
)

KEY = "sk-proj-Zq81LmNoPq77xyz"
MESSAGES = [{"role": "system", "content": "Invent."}, {"role": "user", "content": "A person."}]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "about": {"maxLength": 80}},
    "required": ["name", "about"],
}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Neither a proxy nor a key of whoever runs the tests."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("OPENAI_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("A_KEY", KEY)


def endpoint(server, **settings) -> EndpointGenerator:
    return EndpointGenerator("m", server.url, **{"key_from": "A_KEY", "timeout": 5.0} | settings)


def ask(generator, schema=None, seed=3, temperature=0.8, max_tokens=50):
    return generator.reply(
        MESSAGES, schema, seed=seed, temperature=temperature, max_tokens=max_tokens
    )


def fault(behaviour, **settings):
    """The error of one request, after a check that nothing was repeated or told of the key."""
    with FaultyServer([behaviour, "ok"]) as server:
        with pytest.raises((InputError, Unavailable)) as caught:
            ask(endpoint(server, **settings))
        assert server.requests == 1
    whole = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in whole
    assert caught.value.__context__ is None
    return caught.value


def test_a_reply_and_all_that_decides_it():
    with FaultyServer() as server:
        reply = ask(endpoint(server))
        asked = server.seen[0]
    assert (reply.text, reply.finish, reply.answered_by) == (PERSONA, "stop", "m-2026")
    assert (reply.prompt_tokens, reply.reply_tokens) == (11, 7)
    assert asked["path"] == "/v1/chat/completions"
    assert asked["headers"]["authorization"] == f"Bearer {KEY}"
    sampling = {"top_p": 1, "top_k": 0, "min_p": 0, "repeat_penalty": 1, "repetition_penalty": 1}
    question = {"model": "m", "messages": MESSAGES, "temperature": 0.8, "max_tokens": 50, "seed": 3}
    assert asked["body"] == question | sampling


@pytest.mark.parametrize(
    ("behaviour", "text", "finish"),
    [
        ("half json", '{"name": "Mary", "gen', "length"),
        ("empty", "", "stop"),
        ("null", "", "stop"),
        ("refusal", "I can't help with that.", "stop"),
        ("blocked", "", "blocked"),
        ("filter", "", "blocked"),
        ("other language", "मैं राधा हूँ। मुझे मधुमक्खियाँ पसंद हैं।", "stop"),
        ({"text": "x", "finish": "MAX_TOKENS"}, "x", "length"),
        ({"text": "x", "finish": None}, "x", "stop"),
        ({"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}, 3]}}, "ab", "stop"),
        ({"raw": b'\n\n\n{"choices": [{"message": {"content": "\\ud83d!"}}]}'}, "\ufffd!", "stop"),
        ({"raw": b'{"choices": [{"message": {"content": "a\xff"}}]}'}, "a\ufffd", "stop"),
        ({"raw": b'{"choices": [{"message": 7}], "usage": [], "model": 1}'}, "", "stop"),
    ],
)
def test_replies_that_are_no_fault_of_the_server_are_replies(behaviour, text, finish):
    with FaultyServer([behaviour]) as server:
        reply = ask(endpoint(server))
        assert server.requests == 1
    assert (reply.text, reply.finish) == (text, finish)
    reply.text.encode("utf-8")


def test_a_reply_of_100_kb_is_cut():
    with FaultyServer(["long", {"text": "a" * LONGEST_REPLY}]) as server:
        long, just = ask(endpoint(server)), ask(endpoint(server))
    assert (long.text, long.finish) == (("She " * 25_000)[:LONGEST_REPLY], "length")
    assert (len(just.text), just.finish) == (LONGEST_REPLY, "stop")


@pytest.mark.parametrize("value", [None, -3, 2.5, True, "7"])
def test_token_counts_that_are_none_count_0(value):
    with FaultyServer([{"top": {"usage": {"prompt_tokens": value}}}]) as server:
        assert ask(endpoint(server)).prompt_tokens == 0


@pytest.mark.parametrize(
    ("behaviour", "wait", "words"),
    [
        ("429", None, "429, Rate limit reached for requests"),
        ("429 wait", 2.0, "429, Rate limit"),
        (failure(429, "x", Retry_After="1", retry_after_ms="250"), 0.25, "429"),
        (failure(429, "x", Retry_After="soon"), None, "429"),
        (failure(429, "x", Retry_After="-4"), None, "429"),
        (failure(429, "x", Retry_After="inf"), None, "429"),
        (failure(408, "x"), None, "408"),
        (failure(409, "x"), None, "409"),
        ("500", None, "500, The server had an error"),
        ("503", 1.0, "503, Overloaded"),
        ("502 page", None, "502, Bad Gateway"),
        (Answer(status=500, raw=b""), None, "no reason given"),
        (Answer(status=500, raw=b"[" * 9000), None, "500"),
        ("drop", None, "the connection failed"),
        ("half body", None, "the connection failed"),
        ("half json body", None, "no JSON; is the address right"),
        ("page", None, "no JSON; is the address right"),
        ({"raw": b""}, None, "no JSON"),
        ({"raw": b"[1]"}, None, "no JSON"),
        ({"raw": b'{"a":' * 5000}, None, "no JSON"),
        ("no choices", None, "holds no reply"),
        ({"raw": b'{"error": {"code": 502, "message": "upstream"}}'}, None, "502, upstream"),
        ({"raw": b'{"error": "busy"}'}, None, "500, busy"),
        ({"choice": {"error": {"message": "lost"}}}, None, "broke off .lost"),
        ({"finish": "error"}, None, "broke off"),
    ],
)
def test_what_may_pass_is_unavailable(behaviour, wait, words):
    error = fault(behaviour)
    assert isinstance(error, Unavailable)
    assert error.wait == wait
    assert re.search(words, str(error))


def test_a_date_in_retry_after():
    now = datetime.now(UTC)
    later = format_datetime(now + timedelta(seconds=90), usegmt=True)
    assert 80 < read_wait({"retry-after": later}) <= 90
    assert read_wait({"retry-after": format_datetime(now - timedelta(days=1), usegmt=True)}) == 0


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("401", r"the key in the environment variable A_KEY is not accepted \(401\)"),
        ("403", r"access is refused, with the key in A_KEY \(403, Country not supported\)"),
        ("404", r"404, The model `none` does not exist; `model` or `base_url` is wrong"),
        ("400", "400, This model's maximum context length is 10 tokens"),
        ("422", "422, max_tokens: must be positive"),
        (failure(402, "Insufficient Balance"), "402, Insufficient Balance"),
        ("quota", "no quota is left"),
        (failure(413, "a\x1b[31m\n\u202eb"), r"413, a \[31m b$"),
        (failure(400, "w" * 5000), "400, w{300}$"),
        (
            Answer(status=422, raw=b'{"detail": [{"loc": ["body", 0], "msg": "bad"}]}'),
            "body.0: bad",
        ),
        (Answer(status=400, raw=b'[{"error": {"message": "Gemini says no"}}]'), "Gemini says no"),
        (Answer(status=400, raw=b'{"object": "error", "message": "vLLM"}'), "400, vLLM"),
        ({"raw": b'{"error": {"code": 401, "message": "x"}}'}, "not accepted"),
        (failure(400, "Unsupported value: 'temperature' does not support 0.8"), "not support 0.8"),
    ],
)
def test_what_does_not_pass_is_the_users_to_mend(behaviour, words):
    error = fault(behaviour)
    assert isinstance(error, InputError)
    assert re.search(words, str(error))
    assert str(error).startswith("language model m at http://127.0.0.1:")


def test_no_key_where_one_is_needed():
    error = fault("401", key_from=None)
    assert "a key is needed; name the environment variable that holds it in `key_from`" in str(
        error
    )


@pytest.mark.parametrize("status", [400, 403, 429])
@pytest.mark.parametrize("echo", [KEY, KEY[:12], KEY[-9:] + "...", f"x{KEY}y" * 9, f'"{KEY}"'])
def test_a_key_that_the_server_echoes_is_not_told(status, echo):
    error = fault(failure(status, f"The key {echo} was sent"))
    parts = [KEY[i : i + 8] for i in range(len(KEY) - 7)]
    assert not any(part in str(error) for part in parts)
    assert re.search(r"The key .*\[key\].* was sent", str(error))


def test_a_key_in_a_page_a_reply_or_a_models_name_is_not_told():
    assert KEY not in str(fault(Answer(status=502, raw=f"<p>{KEY}</p>".encode())))
    with FaultyServer([{"text": f"My key is {KEY}.", "top": {"model": f"m {KEY}"}}]) as server:
        reply = ask(endpoint(server))
    assert (reply.text, reply.answered_by) == ("My key is [key].", "m [key]")


def test_a_short_key_is_not_told_and_spoils_no_reply(monkeypatch):
    monkeypatch.setenv("A_KEY", "bees")
    error = fault(failure(400, "Who is bees?"))
    assert "Who is [key]?" in str(error)
    with FaultyServer() as server:
        assert ask(endpoint(server)).text == PERSONA


def test_a_key_stands_in_no_log_and_in_no_identity(caplog):
    caplog.set_level(logging.DEBUG)
    with FaultyServer(["ok", "401", failure(400, f"no seed {KEY}")]) as server:
        generator = endpoint(server)
        for _ in range(3):
            try:
                ask(generator)
            except (InputError, Unavailable) as error:
                logging.exception("%s", error)
        assert server.requests == 3
        assert KEY not in generator.identity + repr(generator)
    assert "does not take seed" in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "is not set"),
        (" \n", "is not set"),
        ("abc\ndefghi", "no key"),
        ("schlüssel", "no key"),
    ],
)
def test_a_variable_without_a_key(monkeypatch, value, words):
    monkeypatch.delenv("A_KEY")
    if value is not None:
        monkeypatch.setenv("A_KEY", value)
    with pytest.raises(InputError, match=f"environment variable A_KEY.*{words}") as caught:
        EndpointGenerator("m", "http://127.0.0.1:1/v1", key_from="A_KEY")
    assert "defghi" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["127.0.0.1/v1", "ftp://a/v1", "http://", "http://a:b/v1", "http://[/v1", ""]
)
def test_an_address_that_is_none(address):
    with pytest.raises(InputError, match="begins with http:// or https://"):
        EndpointGenerator("m", address)


@pytest.mark.parametrize("address", ["http://u:pass@a/v1", "http://a/v1?key=pass", "http://a#pass"])
def test_an_address_that_may_hold_a_key(address):
    with pytest.raises(InputError, match="a key stands in an environment variable") as caught:
        EndpointGenerator("m", address)
    assert "pass@" not in str(caught.value)
    assert "key=pass" not in str(caught.value)


def test_a_server_that_is_down_and_one_that_is_slow():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        generator = EndpointGenerator("m", f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        with pytest.raises(Unavailable, match=r"the connection failed .*refused"):
            ask(generator)
    error = fault("slow", timeout=0.15)
    assert isinstance(error, Unavailable)
    assert "no answer within 0.15 seconds" in str(error)


def test_others_settings_of_the_client_are_not_sent_to_this_server(monkeypatch):
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "not-yours")
    with FaultyServer() as server:
        ask(endpoint(server, key_from=None))
        assert "not-yours" not in json.dumps(server.seen)


def test_the_identity_tells_servers_and_versions_apart():
    def identity(model="m", base_url="http://a/v1", **settings):
        return EndpointGenerator(model, base_url, **settings).identity

    others = [
        identity(model="n"),
        identity(base_url="http://b/v1"),
        identity(revision="2"),
        identity(structured="none"),
        identity(base_url=None),
    ]
    assert len({identity(), *others}) == 6
    same = [identity(base_url="http://a/v1/"), identity(parallel=4, timeout=9, logprobs=True)]
    assert {*same, identity(key_from="A_KEY")} == {identity()}
    assert "api.openai.com" in identity(base_url=None)


@pytest.mark.parametrize(
    ("structured", "form"),
    [
        (
            "json_schema",
            {
                "type": "json_schema",
                "json_schema": {
                    "name": "persona",
                    "strict": True,
                    "schema": {**SCHEMA, "additionalProperties": False},
                },
            },
        ),
        ("json_object", {"type": "json_object", "schema": SCHEMA}),
        ("none", None),
    ],
)
def test_how_json_is_asked_for(structured, form):
    with FaultyServer() as server:
        generator = endpoint(server, structured=structured)
        ask(generator, SCHEMA)
        ask(generator)
        forms = [seen["body"].get("response_format") for seen in server.seen]
    assert forms == [form, None]


def rejecting(*names, message="Unrecognized request argument supplied: {}"):
    """A server that knows nothing of some parameters and says so one by one."""

    def answer(_, body):
        whole = json.dumps(body)
        for name in names:
            if f'"{name}"' in whole:
                return failure(400, message.format(name))
        return "ok"

    return answer


def spared(script, schema=None, structured="json_schema", **question):
    """Ask until there is a reply; the last request's body and the number of requests."""
    waits = []
    with FaultyServer(script) as server:
        generator = endpoint(server, structured=structured)
        for _ in range(8):
            try:
                ask(generator, schema, **question)
                break
            except Unavailable as error:
                waits.append(error.wait)
        count = server.requests
        assert waits == [0.0] * (count - 1)
        # What was left out is not tried again.
        ask(generator, schema, **question)
        assert server.requests == count + 1
        return server.seen[-1]["body"], count


def test_parameters_that_a_server_does_not_know_are_left_out_with_a_warning(caplog):
    body, count = spared(rejecting("top_k", "min_p", "seed", "top_p"))
    assert count == 4
    assert body.keys() == {"model", "messages", "temperature", "max_tokens"}
    lines = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len(lines) == 3
    assert "does not take min_p, repeat_penalty, repetition_penalty, top_k" in lines[0]


def test_questions_that_fail_at_once_give_one_warning(caplog):
    def both_come_first(number, body):
        time.sleep(0.1)
        return rejecting("seed")(number, body)

    with FaultyServer(both_come_first) as server, ThreadPoolExecutor(2) as pool:
        generator = endpoint(server)
        errors = [pool.submit(ask, generator).exception for _ in range(2)]
        assert all(isinstance(error(), Unavailable) for error in errors)
        assert server.most == 2
        assert ask(generator).text == PERSONA
    assert caplog.text.count("does not take seed") == 1


def test_openai_itself_is_not_sent_what_it_does_not_know():
    generator = EndpointGenerator("gpt", None, "A_KEY")
    sent = []

    def post(path, *, cast_to, body):
        sent.append(body)
        return b'{"choices": [{"message": {"content": "x"}}]}'

    generator._client.post = post
    assert ask(generator).text == "x"
    names = {"model", "messages", "temperature", "seed", "top_p", "max_completion_tokens"}
    assert sent[0].keys() == names


def test_another_name_for_the_most_tokens():
    text = "Unsupported parameter: '{}'. Use 'max_completion_tokens' instead."
    body, count = spared(rejecting("max_tokens", message=text), max_tokens=77)
    assert (body["max_completion_tokens"], count) == (77, 2)
    assert "max_tokens" not in body


def test_a_temperature_of_1_can_be_spared_and_no_other():
    script = rejecting("temperature", message="'{}' is not supported with this model")
    body, count = spared(script, temperature=1.0)
    assert count == 2
    assert "temperature" not in body
    with FaultyServer(script) as server, pytest.raises(InputError, match="'temperature' is not"):
        ask(endpoint(server), temperature=0.8)


def test_temperature_or_top_p():
    text = "`temperature` and `{}` cannot both be specified for this model."
    for temperature in (0.8, 1.0):
        body, count = spared(rejecting("top_p", message=text), temperature=temperature)
        assert (body["temperature"], count) == (temperature, 2)
        assert "top_p" not in body


def test_schemas_of_servers_that_know_less():
    body, count = spared(rejecting("minLength", "maxLength"), SCHEMA)
    assert count == 2
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"name": {"type": "string"}, "about": {}}
    text = "Unknown parameter: 'response_format.{}'."
    body, count = spared(rejecting("schema", message=text), SCHEMA, structured="json_object")
    assert (body["response_format"], count) == ({"type": "json_object"}, 2)


def test_a_server_without_schemas_is_not_asked_without_one_unseen():
    text = "{} is not supported"
    with (
        FaultyServer(rejecting("response_format", message=text)) as server,
        pytest.raises(InputError, match="try another `structured`"),
    ):
        ask(endpoint(server), SCHEMA)


def test_a_parameter_that_was_left_out_already_is_not_spared_for_ever():
    with FaultyServer([failure(400, "bad seed")]) as server:
        generator = endpoint(server)
        with pytest.raises(Unavailable):
            ask(generator)
        with pytest.raises(InputError, match="bad seed"):
            ask(generator)


def test_many_questions_at_once_get_their_own_replies():
    with FaultyServer(faulty_server.numbered, slow=0.05) as server:
        generator = endpoint(server, parallel=8)
        with ThreadPoolExecutor(generator.parallel) as pool:
            replies = list(pool.map(lambda seed: ask(generator, seed=seed), range(40)))
        assert server.requests == 40
        assert 2 <= server.most <= 8
    assert [json.loads(reply.text)["seed"] for reply in replies] == list(range(40))


def logprobs(tokens):
    return {"choice": {"logprobs": {"tokens": [" The"], "top_logprobs": [tokens]}}}


def test_continuations_are_the_listed_log_probabilities():
    tokens = {" She": math.log(0.25), " He": math.log(0.5), " It": 1e-9, "She": -0.1}
    with FaultyServer([logprobs(tokens | {" Xe": -9999.0, " Ze": None})]) as server:
        generator = endpoint(server, logprobs=True)
        options = [" He", " She", " They", " Xe", " Ze", " It"]
        found = generator.continuations("Asked who came, she said", options)
        asked = server.seen[0]
        assert server.requests == 1
    assert found == [math.log(0.5), math.log(0.25), None, None, None, 0.0]
    assert asked["path"] == "/v1/completions"
    assert asked["body"] == {
        "model": "m",
        "prompt": "Asked who came, she said",
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": 20,
    }


def test_continuations_in_the_form_of_llama_cpps_own_server():
    listed = [{"token": " He", "logprob": -1.5}, {"token": " She", "logprob": -2.5}, 3]
    assert read_first_tokens({"content": [{"top_logprobs": listed}]}) == {" He": -1.5, " She": -2.5}


def test_continuations_that_no_server_is_asked_for():
    with FaultyServer() as server:
        assert endpoint(server).continuations("x", [" He", " She"]) == [None, None]
        assert server.requests == 0


def test_continuations_of_a_server_that_lists_five():
    too_many = failure(400, "Invalid value for 'logprobs': must be at most 5")
    with FaultyServer([too_many, logprobs({" He": -1.0}), too_many]) as server:
        generator = endpoint(server, logprobs=True)
        with pytest.raises(Unavailable) as caught:
            generator.continuations("x", [" He"])
        assert caught.value.wait == 0
        assert generator.continuations("x", [" He"]) == [-1.0]
        assert server.seen[-1]["body"]["logprobs"] == 5
        with pytest.raises(InputError, match="at most 5"):
            generator.continuations("x", [" He"])


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("404", "needs `logprobs: false`"),
        ("ok", "sends no log probabilities; set `logprobs: false`"),
        (logprobs(None), "sends no log probabilities"),
    ],
)
def test_continuations_of_a_server_that_has_none(behaviour, words):
    with FaultyServer([behaviour]) as server, pytest.raises(InputError, match=words):
        endpoint(server, logprobs=True).continuations("x", [" He"])


def test_a_filtered_continuation_is_not_known():
    with FaultyServer(["filter", {"finish": "content_filter"}]) as server:
        generator = endpoint(server, logprobs=True)
        assert [generator.continuations("x", [" He"]) for _ in range(2)] == [[None], [None]]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "detail", "code", "content", "refusal", "top_logprobs", "loc"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_answer_is_trusted_to_have_its_form(answer):
    message, codes = explain_failure(answer)
    assert isinstance(message, str)
    assert all(isinstance(code, str) for code in codes)
    assert isinstance(read_text(answer), str)
    assert all(value <= 0 for value in read_first_tokens(answer).values())


@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: json.dumps(text).encode()))
def test_any_body_is_a_reply_or_unavailable(body):
    generator = EndpointGenerator.__new__(EndpointGenerator)
    generator._model, generator._address, generator._key = "m", "http://a", ""
    assert isinstance(generator._read(body, {}), dict | Unavailable)


def test_the_server_as_a_program(tmp_path):
    """It lives on its own, and its count is there after the client's death."""
    port, count = tmp_path / "port", tmp_path / "count"
    program = [sys.executable, faulty_server.__file__, "--port-file", str(port)]
    process = subprocess.Popen([*program, "--count-file", str(count), "500", "ok"])
    try:
        for _ in range(500):
            if port.exists():
                break
            time.sleep(0.01)
        generator = EndpointGenerator("m", f"http://127.0.0.1:{port.read_text()}/v1")
        with pytest.raises(Unavailable):
            ask(generator)
        assert ask(generator).text == PERSONA
        assert Path(count).read_text() == "2"
    finally:
        process.kill()
        process.wait()
