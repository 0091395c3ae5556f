"""Small assets, wheels and a web server on the loopback address."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from biasatlas.assets.asset import Asset, PypiSource
from biasatlas.assets.fetch import AssetError

TINY = PypiSource("biasatlas-no-such-data", "1.0", "tiny_data/file.txt")
MODEL = PypiSource("biasatlas-no-such-data", "1.0", "tiny_data/model")
FakePip = Callable[..., list[list[str]]]


def only(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def reason(error: pytest.ExceptionInfo[AssetError], number: int) -> str:
    return next(line for line in str(error.value).splitlines() if line.startswith(f"  {number}. "))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_asset(**changes: Any) -> Asset:
    values: dict[str, Any] = {
        "name": "tiny",
        "description": "A tiny file",
        "kind": "file",
        "sources": (),
        "sha256": sha256(b"content"),
        "licence": "CC0-1.0",
        "citation": "Nobody (2020)",
        "size_mb": 0.1,
    }
    return Asset(**{**values, **changes})


def weights() -> bytes:
    """A safetensors file of one array of four bytes."""
    header = b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    return len(header).to_bytes(8, "little") + header + bytes(4)


def make_wheel(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        # Dataverse's API has a colon and a query in its path; the files beside it are plain.
        self.path = self.path.split("?")[0].replace("/:persistentId", "/dataset.json")
        super().do_GET()

    def end_headers(self) -> None:
        # Many servers name the packing of a file as the transfer's, which clients then undo.
        if self.path.endswith(".gz") and "gzip" in self.headers.get("Accept-Encoding", ""):
            self.send_header("Content-Encoding", "gzip")
        super().end_headers()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Address of a server on 127.0.0.1 and the folder that it serves."""
    folder = tmp_path / "web"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", folder
    server.shutdown()
    server.server_close()


@pytest.fixture
def fake_pip(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """Replace pip by a function that writes the wheel, or fails with a text."""

    def install(members: dict[str, bytes] | None, output: bytes = b"") -> list[list[str]]:
        calls: list[list[str]] = []

        class Process:
            def __init__(self, command: list[str], *, stdout: Any, **_: Any) -> None:
                calls.append(command)
                stdout.write(output)
                self.returncode = 0 if members is not None else 1
                if members is not None:
                    folder = Path(command[command.index("-d") + 1])
                    make_wheel(folder / "tiny_data-1.0-py3-none-any.whl", members)

            def poll(self) -> int:
                return self.returncode

        monkeypatch.setattr("biasatlas.assets.sources.pypi.subprocess.Popen", Process)
        return calls

    return install
