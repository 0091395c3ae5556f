"""A real HTTP server on loopback that speaks the OpenAI protocol, and fails as told.

    with FaultyServer(["429", "ok"], wait="2") as server:
        ... server.url, server.requests, server.seen

The script is a list of behaviours, one a request (the last one stays), or a function of the number
of the request (from 0) and its body. A behaviour is a name of `BEHAVIOURS`, a dict (keys of `Answer`;
`text` alone is a right reply with this text) or an `Answer`. As a program it writes its port and the
count of its requests to files, so that it outlives or dies with no other process:

    python faulty_server.py --port-file p --count-file c ok 429 ok
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PERSONA = '{"name": "Mary", "gender": "female", "about": "She keeps bees."}'


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    text: str | None = PERSONA
    finish: str = "stop"
    status: int = 200
    error: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    # Bytes of the body that are sent of what was promised; None: all of them.
    cut: int | None = None
    # The body itself, instead of a completion.
    raw: bytes | None = None
    # Seconds before the answer.
    slow: float = 0.0
    # Ends the connection without an answer.
    drop: bool = False
    # Fields of the message, of the choice and of the answer beside the usual.
    message: dict[str, Any] = field(default_factory=dict)
    choice: dict[str, Any] = field(default_factory=dict)
    top: dict[str, Any] = field(default_factory=dict)


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """An error as OpenAI's servers send it."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, error=error, headers=names)


BEHAVIOURS: dict[str, Answer] = {
    "ok": Answer(),
    "429": failure(429, "Rate limit reached for requests", "rate_limit_exceeded"),
    "429 wait": failure(429, "Rate limit reached", "rate_limit_exceeded", Retry_After="2"),
    "quota": failure(429, "You exceeded your current quota", "insufficient_quota"),
    "500": failure(500, "The server had an error"),
    "503": failure(503, "Overloaded", Retry_After="1"),
    "502 page": Answer(status=502, raw=b"<html><body>Bad Gateway</body></html>"),
    "401": failure(401, "Incorrect API key provided", "invalid_api_key"),
    "403": failure(403, "Country not supported", "unsupported_country"),
    "404": failure(404, "The model `none` does not exist", "model_not_found"),
    "400": failure(400, "This model's maximum context length is 10 tokens", "context_length"),
    "422": failure(422, "max_tokens: must be positive"),
    "filter": failure(400, "The prompt was filtered", "content_filter"),
    "slow": Answer(slow=3.0),
    "drop": Answer(drop=True),
    "half body": Answer(cut=60),
    "half json body": Answer(raw=b'{"id": "1", "choices": [{"index": 0, "mess'),
    "page": Answer(raw=b"<html><body>Sign in</body></html>", headers={"Content-Type": "text/html"}),
    "no choices": Answer(raw=b'{"id": "1", "object": "chat.completion", "choices": []}'),
    "half json": Answer(text='{"name": "Mary", "gen', finish="length"),
    "empty": Answer(text=""),
    "null": Answer(text=None),
    "refusal": Answer(text=None, message={"refusal": "I can't help with that."}),
    "blocked": Answer(text=None, finish="content_filter"),
    "other language": Answer(text="मैं राधा हूँ। मुझे मधुमक्खियाँ पसंद हैं।"),
    "long": Answer(text="She " * 25_000),
}

Behaviour = str | dict[str, Any] | Answer
Script = Sequence[Behaviour] | Callable[[int, dict[str, Any]], Behaviour]


def _answer(behaviour: Behaviour) -> Answer:
    if isinstance(behaviour, Answer):
        return behaviour
    return Answer(**behaviour) if isinstance(behaviour, dict) else BEHAVIOURS[behaviour]


class FaultyServer:
    """Answers as its script says, on a free port of 127.0.0.1, from `with` to its end.

    Attributes
    ----------
    url : str
        Base address; ends in /v1.
    requests : int
        Requests that came in whole so far, answered or not.
    seen : list of dict
        Each with path, headers (names in lower case), body, time (monotonic, seconds).
    most : int
        Most requests that were open at one time.
    """

    def __init__(
        self, script: Script = ("ok",), *, slow: float = 0.0, count_file: Path | None = None
    ) -> None:
        self._script = script
        self._slow = slow
        self._count_file = count_file
        self._lock = threading.Lock()
        self._open = 0
        self._end = threading.Event()
        self.most = 0
        self.seen: list[dict[str, Any]] = []

    @property
    def requests(self) -> int:
        with self._lock:
            return len(self.seen)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FaultyServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._handle(self)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            # Slow answers must not hold up the end.
            block_on_close = False
            request_queue_size = 64

            def handle_error(self, *_: Any) -> None:
                """A client that has gone is part of the tests."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._end.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        data = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        body = json.loads(data) if data else {}
        with self._lock:
            number = len(self.seen)
            headers = {name.lower(): value for name, value in handler.headers.items()}
            seen = {"path": handler.path, "headers": headers, "body": body}
            self.seen.append({**seen, "time": time.monotonic()})
            self._open += 1
            self.most = max(self.most, self._open)
            if self._count_file is not None:
                _write(self._count_file, str(number + 1))
        try:
            if callable(self._script):
                behaviour = self._script(number, body)
            else:
                behaviour = self._script[min(number, len(self._script) - 1)]
            answer = _answer(behaviour)
            self._end.wait(answer.slow or self._slow)
        finally:
            # Counted as closed before it is sent: the client may ask again at once.
            with self._lock:
                self._open -= 1
        _send(handler, answer, body)


def _send(handler: BaseHTTPRequestHandler, answer: Answer, asked: dict[str, Any]) -> None:
    if answer.drop:
        handler.close_connection = True
        return
    data = answer.raw
    if data is None:
        sent = {"error": answer.error} if answer.error else _completion(answer, asked)
        data = json.dumps(sent, ensure_ascii=False).encode("utf-8")
    handler.send_response(answer.status)
    for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: answer.cut])
    handler.close_connection = handler.close_connection or answer.cut is not None


def _completion(answer: Answer, asked: dict[str, Any]) -> dict[str, Any]:
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{asked.get('model', '')}-2026",
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    message = {"role": "assistant", "content": answer.text} | answer.message
    choice = {"index": 0, "finish_reason": answer.finish, "message": message}
    if "prompt" in asked:
        whole["object"] = "text_completion"
        choice = {"index": 0, "finish_reason": answer.finish, "text": answer.text or ""}
    return whole | {"choices": [choice | answer.choice]} | answer.top


def numbered(number: int, body: dict[str, Any]) -> Answer:
    """A right reply that names the seed of its question, so that a mix-up shows."""
    return replace(Answer(), text=json.dumps({"seed": body.get("seed"), "gender": "female"}))


def _write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--count-file", type=Path)
    parser.add_argument("--slow", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("script", nargs="*", default=["ok"], help="behaviours; `numbered`: seeds")
    given = parser.parse_args()
    script: Script = numbered if given.script == ["numbered"] else (given.script or ["ok"])
    with FaultyServer(script, slow=given.slow, count_file=given.count_file) as server:
        _write(given.port_file, str(server.port))
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main()
