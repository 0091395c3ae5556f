"""A file at a web address or in a data repository, or what is packed in it, by pooch."""

from __future__ import annotations

import fnmatch
import logging
import tempfile
from pathlib import Path

from biasatlas.assets.asset import Asset, DoiSource, WebSource
from biasatlas.assets.sources.archive import most_unpacked, unpack
from biasatlas.assets.sources.attempt import Attempt, SourceError, one_line
from biasatlas.assets.sources.gunzip import GunzipWriter
from biasatlas.logs import Heartbeat

_CHUNK_BYTES = 1 << 18
_TIMEOUT_SECONDS = 60
# A server that names gzip as the encoding of the transfer would have it undone on the way.
_AS_IT_IS = {"Accept-Encoding": "identity"}


class _Bar:
    """What pooch asks of a progress bar, told to the log now and then."""

    def __init__(self, what: str) -> None:
        self.total = 0
        self._done = 0
        self._heartbeat = Heartbeat(what)

    def update(self, count: int) -> None:
        self._done += count
        of = f" of {self.total / 1e6:.1f}" if self.total else ""
        self._heartbeat.beat(lambda: f"{self._done / 1e6:.1f}{of} MB")

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        """Nothing to close: the log is not ours."""


def attempts(source: WebSource | DoiSource, asset: Asset) -> list[Attempt]:
    """Download one file, and unpack it where the source says so.

    A file from a DOI of which no sha256 is known is checked against the hash that the data
    repository itself publishes.

    Parameters
    ----------
    source : WebSource or DoiSource
        Web address, or DOI and file name.
    asset : Asset
        Its hash is checked while the download is still apart.

    Returns
    -------
    list of Attempt
        One attempt.
    """
    known = f"sha256:{asset.sha256}" if isinstance(asset.sha256, str) else None

    def run(target: Path) -> str:
        if isinstance(source, WebSource):
            _fetch_web(source, asset, known, target)
            return ""
        file, published = _find_file(source)
        _retrieve(f"doi:{source.doi}/{file}", known or published, target)
        return file

    return [Attempt(source.address, source.address, run, network=True)]


def _fetch_web(source: WebSource, asset: Asset, known: str | None, target: Path) -> None:
    if source.unpack:
        # Beside the target, whose temporary folder is removed whatever happens.
        with tempfile.TemporaryDirectory(prefix=".archive.", dir=target.parent) as folder:
            archive = Path(folder) / "archive"
            _retrieve(source.url, None, archive)
            unpack(archive, source.unpack, target, asset)
    elif source.decompress:
        _retrieve_gzip(source.url, target, most_unpacked(asset))
    else:
        _retrieve(source.url, known, target)


def _retrieve_gzip(url: str, target: Path, most_bytes: int) -> None:
    """Unpack while downloading: the packed file, of gigabytes, never stands on the disk."""
    import pooch

    downloader = pooch.HTTPDownloader(
        progressbar=_Bar(url),
        chunk_size=_CHUNK_BYTES,
        timeout=_TIMEOUT_SECONDS,
        headers=_AS_IT_IS,
    )
    with GunzipWriter(target, most_bytes) as writer:
        try:
            downloader(url, writer, None)
        except (OSError, ValueError) as error:
            raise SourceError(one_line(error, limit=500)) from error
        writer.finish()


def _find_file(source: DoiSource) -> tuple[str, str]:
    """Name of the one file that fits, and the hash that the data repository publishes."""
    import pooch

    try:
        repository = pooch.create(path="unused", base_url=f"doi:{source.doi}/", registry=None)
        repository.load_registry_from_doi()
    # Three repositories' answers are parsed there; any may fail in its own way.
    except Exception as error:
        raise SourceError(one_line(error)) from error
    files: dict[str, str] = repository.registry
    found = sorted(name for name in files if fnmatch.fnmatchcase(name, source.file))
    if len(found) != 1:
        held = ", ".join(sorted(files)) or "nothing"
        raise SourceError(f"{len(found)} files are named {source.file!r}; it holds: {held}")
    return found[0], files[found[0]]


def _retrieve(url: str, known_hash: str | None, target: Path) -> None:
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    maker = pooch.DOIDownloader if url.startswith("doi:") else pooch.HTTPDownloader
    downloader = maker(progressbar=_Bar(url), chunk_size=_CHUNK_BYTES, timeout=_TIMEOUT_SECONDS)
    try:
        pooch.retrieve(
            url, known_hash, fname=target.name, path=target.parent, downloader=downloader
        )
    except (OSError, ValueError) as error:
        raise SourceError(one_line(error, limit=500)) from error
