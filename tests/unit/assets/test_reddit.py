"""Reddit's official API: real PRAW against a server on the loopback address."""

from __future__ import annotations

import base64
import builtins
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from biasatlas.assets.asset import Asset, RedditSource
from biasatlas.assets.catalogue import load_catalogue
from biasatlas.assets.entries import read_entry
from biasatlas.assets.fetch import AssetError, fetch
from biasatlas.assets.place import destination
from biasatlas.assets.sources import reddit

from .conftest import make_asset, only, reason

SHIPPED = Path(__file__).parents[3] / "resources" / "assets.yaml"
ID, SECRET, AGENT = "the-id-of-the-app", "the-secret-of-the-app", "linux:biasatlas-test:v1"
TOKEN = "the-token-of-the-server"


def post(identifier: str, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "t3",
        "data": {
            "id": identifier,
            "name": f"t3_{identifier}",
            "title": f"Title {identifier}",
            "selftext": "Caf\u00e9 & more",
            "subreddit": "Africa",
            "author": "somebody_s_name",
            "created_utc": 1500000000.0,
            "score": 7,
            "num_comments": 2,
            "permalink": f"/r/africa/comments/{identifier}/",
            **changes,
        },
    }


class Server(ThreadingHTTPServer):
    """Reddit as PRAW sees it: tokens, and two pages of r/africa."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.token_status = 200
        self.listing_status = 200
        self.headers: dict[str, str] = {}
        self.seen: list[tuple[str, dict[str, list[str]], dict[str, str]]] = []
        self.released = threading.Event()
        self.released.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def answer(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        given = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode()
        status = self.server.token_status if given == f"{ID}:{SECRET}" else 401
        token = {"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600, "scope": "*"}
        self.answer(status, token if status == 200 else {"message": "Unauthorized"})

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        self.server.seen.append((parts.path, query, dict(self.headers)))
        if not self.server.released.is_set():
            self.server.released.wait(10)
            self.close_connection = True
            return
        status = self.server.listing_status
        if status != 200:
            self.answer(status, {"message": "no", "error": status}, self.server.headers)
        elif "after" in query:
            self.answer(200, listing([post("b3"), post("b1", selftext="", score=None)], None))
        else:
            self.answer(200, listing([post("c2")], "t3_c2"))


def listing(children: list[dict[str, Any]], after: str | None) -> dict[str, Any]:
    return {"kind": "Listing", "data": {"after": after, "children": children}}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    pytest.importorskip("praw", reason="PRAW, of the extra reddit, is not installed")
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    monkeypatch.setattr(reddit, "OAUTH_URL", server.url)
    monkeypatch.setattr(reddit, "REDDIT_URL", server.url)
    monkeypatch.setattr("prawcore.sessions.FiniteRetryStrategy.sleep", lambda self: None)
    for name, value in zip(reddit.CREDENTIALS, (ID, SECRET, AGENT), strict=True):
        monkeypatch.setenv(name, value)
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()


def make(source: RedditSource | None = None) -> Asset:
    source = source or RedditSource("africa")
    return make_asset(name="reddit_africa", sources=(source,), sha256=None, unverified=True)


def test_two_pages_sorted_without_authors(
    tmp_path: Path, api: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    path = destination(make(), tmp_path)
    record = fetch(make(), path)
    assert path.name == "africa-top-all-500.jsonl.gz"
    assert record.source == "reddit:r/africa-top-all-500.jsonl.gz"
    assert len(record.version) == len("2026-01-31")
    assert not record.verified
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["b1", "b3", "c2"]
    assert json.loads(lines[1]) == {
        "id": "b3",
        "title": "Title b3",
        "selftext": "Caf\u00e9 & more",
        "subreddit": "Africa",
        "created_utc": 1500000000.0,
        "score": 7,
        "num_comments": 2,
        "permalink": "/r/africa/comments/b3/",
    }
    assert "somebody" not in "".join(lines)
    (first, asked, headers), (_, then, _) = api.seen
    assert first == "/r/africa/top"
    assert asked["t"] == ["all"]
    assert asked["limit"] == ["500"]
    assert then["after"] == ["t3_c2"]
    assert headers["User-Agent"].startswith(AGENT)
    written = caplog.text + json.dumps(record.to_dict()) + "".join(lines)
    assert "trying Reddit's API, top of r/africa" in written
    assert not [secret for secret in (ID, SECRET, TOKEN) if secret in written]


def test_same_posts_same_bytes_and_limit(tmp_path: Path, api: Server) -> None:
    one, two = tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"
    fetch(make(), one)
    fetch(make(), two)
    assert one.read_bytes() == two.read_bytes()
    fetch(make(RedditSource("africa", "hot", limit=1)), two)
    assert len(gzip.decompress(two.read_bytes()).splitlines()) == 1
    assert api.seen[-1][0] == "/r/africa/hot"
    assert "t" not in api.seen[-1][1]


def test_no_praw_ini_decides_where_the_credentials_go(
    tmp_path: Path, api: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    praw_config = pytest.importorskip("praw.config")
    (tmp_path / "praw.ini").write_text(
        "[DEFAULT]\noauth_url=http://127.0.0.1:9\nreddit_url=http://127.0.0.1:9\n"
        "username=me\npassword=mine\nclient_id=other\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(praw_config.Config, "CONFIG", None)
    monkeypatch.setenv("PRAW_ALLOW_ENDPOINT_OVERRIDE", "1")
    fetch(make(), tmp_path / "out" / "a.jsonl.gz")
    assert only(tmp_path / "out") == ["a.jsonl.gz"]
    monkeypatch.undo()
    praw_config.Config.CONFIG = None


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (
            401,
            {"WWW-Authenticate": 'Bearer realm="reddit", error="invalid_token"'},
            "Reddit does not accept REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET",
        ),
        (403, {}, "r/africa is private or quarantined"),
        (404, {}, "there is no r/africa, or it is banned"),
        (
            302,
            {"Location": "https://127.0.0.1/subreddits/search"},
            "there is no subreddit r/africa",
        ),
        (429, {"Retry-After": "60"}, "too many requests were sent; wait some minutes"),
        (503, {}, "ServerError: received 503 HTTP response"),
    ],
)
def test_refusals(
    tmp_path: Path,
    api: Server,
    caplog: pytest.LogCaptureFixture,
    status: int,
    headers: dict[str, str],
    expected: str,
) -> None:
    caplog.set_level("DEBUG")
    api.listing_status, api.headers = status, headers
    with pytest.raises(AssetError) as error:
        fetch(make(), tmp_path / "out" / "a.jsonl.gz")
    assert f"1. Reddit's API, top of r/africa: {expected}" in reason(error, 1)
    assert "asset_paths:" in str(error.value)
    assert only(tmp_path / "out") == []
    assert not [s for s in (ID, SECRET, TOKEN) if s in caplog.text + str(error.value)]


@pytest.mark.parametrize("status", [401, 400])
def test_token_is_refused(
    tmp_path: Path, api: Server, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    api.token_status = status
    with pytest.raises(AssetError) as error:
        fetch(make(), tmp_path / "a.jsonl.gz")
    assert f"received {status} HTTP response" in reason(error, 1)
    assert ("does not accept REDDIT_CLIENT_ID" in str(error.value)) == (status == 401)
    assert api.seen == []
    monkeypatch.setenv("REDDIT_CLIENT_SECRET", "wrong")
    api.token_status = 200
    with pytest.raises(AssetError, match="does not accept"):
        fetch(make(), tmp_path / "a.jsonl.gz")


def test_no_answer_in_time(tmp_path: Path, api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = pytest.importorskip("requests")
    real = requests.Session.request

    def soon(*given: Any, **more: Any) -> Any:
        return real(*given, **{**more, "timeout": 0.2})

    monkeypatch.setattr(requests.Session, "request", soon)
    api.released.clear()
    with pytest.raises(AssetError) as error:
        fetch(make(), tmp_path / "a.jsonl.gz")
    assert "timed out" in reason(error, 1)
    # the first request and two more
    assert len(api.seen) == 3


def test_no_post(tmp_path: Path, api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        f"{__name__}.listing",
        lambda children, after: {"kind": "Listing", "data": {"after": None, "children": []}},
    )
    with pytest.raises(AssetError, match="r/africa gives no post"):
        fetch(make(), tmp_path / "a.jsonl.gz")


def test_secrets_are_taken_out_of_any_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in zip(reddit.CREDENTIALS, (ID, SECRET, AGENT), strict=True):
        monkeypatch.setenv(name, value)

    def fail(*_: object) -> None:
        raise RuntimeError(f"sent {ID} and {SECRET}")

    monkeypatch.setattr(reddit, "_list_posts", fail)
    with pytest.raises(AssetError) as error:
        fetch(make(), tmp_path / "a.jsonl.gz")
    assert reason(error, 1).endswith("RuntimeError: sent *** and ***")


def test_missing_credentials_are_all_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in reddit.CREDENTIALS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REDDIT_CLIENT_SECRET", "  ")
    with pytest.raises(AssetError) as error:
        fetch(make(), tmp_path / "a.jsonl.gz")
    assert (
        "the environment does not hold REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET, REDDIT_USER_AGENT"
    ) in reason(error, 1)
    monkeypatch.setenv("REDDIT_CLIENT_ID", ID)
    with pytest.raises(AssetError, match="does not hold REDDIT_CLIENT_SECRET, REDDIT_USER_AGENT"):
        fetch(make(), tmp_path / "a.jsonl.gz")


def test_missing_package_and_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(reddit.CREDENTIALS, (ID, SECRET, AGENT), strict=True):
        monkeypatch.setenv(name, value)
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "praw":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(AssetError, match=r"pip install 'biasatlas\[reddit\]'"):
        fetch(make(), tmp_path / "a.jsonl.gz")
    with pytest.raises(AssetError, match="needs the network, and offline is set"):
        fetch(make(), tmp_path / "a.jsonl.gz", offline=True)


ENTRY: dict[str, Any] = {
    "description": "Posts",
    "kind": "file",
    "sources": [{"reddit": "africa", "listing": "new", "limit": 5}],
    "sha256": None,
    "unverified": True,
    "licence": "x",
    "citation": "x",
    "size_mb": 1,
}


def test_entry() -> None:
    asset, problems = read_entry("posts", ENTRY)
    assert problems == []
    assert asset is not None
    assert asset.sources == (RedditSource("africa", "new", "all", 5),)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"reddit": "r/africa"}, "reddit: 'r/africa'; a subreddit's name"),
        ({"reddit": None}, "reddit: None; a subreddit's name"),
        ({"listing": "best"}, "listing: 'best'; allowed: top, controversial"),
        ({"time_filter": "century"}, "time_filter: 'century'; allowed: all, year"),
        ({"limit": 1001}, "limit: 1001; a whole number from 1 to 1000"),
        ({"limit": True}, "limit: True; a whole number"),
        ({"author": "x"}, "[0].author: unknown key; allowed: reddit, listing, time_filter, limit"),
    ],
)
def test_entry_refused(change: dict[str, Any], expected: str) -> None:
    source = {**ENTRY["sources"][0], **change}
    asset, problems = read_entry("posts", {**ENTRY, "sources": [source]})
    assert asset is None
    assert len(problems) == 1
    assert expected in problems[0]


def test_entry_needs_a_file_without_a_hash() -> None:
    entry = {**ENTRY, "kind": "folder", "unverified": False, "sha256": {"a.json": "ab" * 32}}
    assert read_entry("posts", entry)[1] == [
        "posts.sources[0].reddit: gives a file, not a folder",
        "posts.sources[0].reddit: a listing changes: allowed with `unverified: true` only",
    ]


def test_catalogue_holds_the_five_subreddits(tmp_path: Path) -> None:
    assets = [a for n, a in load_catalogue(SHIPPED).items() if n.startswith("reddit_")]
    subreddits = ["africa", "asia", "europe", "northamerica", "oceania"]
    assert [a.sources for a in assets] == [
        (RedditSource(s, "top", "all", 500),) for s in subreddits
    ]
    assert all(destination(a, tmp_path).name.endswith(".jsonl.gz") for a in assets)
