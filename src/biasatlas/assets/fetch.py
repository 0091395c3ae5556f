"""Fetch an asset from the first of its sources that gives the right bytes."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

from biasatlas.assets.asset import Asset, FetchRecord, HubSource, PypiSource, RedditSource
from biasatlas.assets.sources import https, hub, path, pypi, reddit
from biasatlas.assets.sources.attempt import Attempt, SourceError, one_line
from biasatlas.errors import InputError
from biasatlas.files import atomic_path
from biasatlas.provenance import file_sha256

log = logging.getLogger(__name__)


class AssetError(InputError):
    """No source gives an asset; the message lists what was tried and what to do by hand."""


def fetch(
    asset: Asset,
    destination: str | Path,
    *,
    local_path: str | Path | None = None,
    offline: bool = False,
) -> FetchRecord:
    """Fetch an asset to `destination`, whole or not at all.

    Parameters
    ----------
    asset : Asset
        Entry of the catalogue.
    destination : str or Path
        Where the file or folder must stand; replaced when it exists.
    local_path : str or Path, optional
        A copy that the user gives. It is the only source then: it is hashed and recorded, and
        a hash other than the catalogue's is a warning, as the user chose the file.
    offline : bool
        Use only what is on this machine.

    Returns
    -------
    FetchRecord
        Source, version, hashes, size, licence and citation, for the provenance.

    Raises
    ------
    AssetError
        When every source failed: each with its reason, and how to give the file by hand. Also
        when the disk has not the room that the asset needs.
    """
    destination = Path(destination)
    _check_room(asset, destination, local_path)
    attempts = list_attempts(asset, local_path=local_path, offline=offline)
    reasons: list[str] = []
    for number, attempt in enumerate(attempts):
        log.info("%s: trying %s (about %g MB)", asset.name, attempt.label, asset.size_mb)
        try:
            if offline and attempt.network:
                raise SourceError("needs the network, and offline is set")
            record = _run(asset, attempt, destination, check=local_path is None)
        except (SourceError, OSError) as error:
            reason = str(error) if isinstance(error, SourceError) else one_line(error)
            reasons.append(reason)
            rest = attempts[number + 1 :]
            following = f"next: {rest[0].label}" if rest else "no source is left"
            log.info("%s: %s: %s; %s", asset.name, attempt.label, reason, following)
            continue
        log.info("%s: fetched from %s (%.1f MB)", asset.name, attempt.label, record.bytes / 1e6)
        return record
    raise AssetError(_explain(asset, attempts, reasons))


def list_attempts(
    asset: Asset, *, local_path: str | Path | None = None, offline: bool = False
) -> list[Attempt]:
    """List the ways to get an asset, in the order in which `fetch` tries them.

    Parameters
    ----------
    asset : Asset
        Entry of the catalogue.
    local_path, offline
        As in `fetch`.

    Returns
    -------
    list of Attempt
        A local path stands alone.
    """
    if local_path is not None:
        return path.attempts(asset, Path(local_path))
    attempts: list[Attempt] = []
    for source in asset.sources:
        if isinstance(source, PypiSource):
            attempts += pypi.attempts(source, asset)
        elif isinstance(source, HubSource):
            attempts += hub.attempts(source, asset, offline=offline)
        elif isinstance(source, RedditSource):
            attempts += reddit.attempts(source, asset)
        else:
            attempts += https.attempts(source, asset)
    return attempts


def _check_room(asset: Asset, destination: Path, local_path: str | Path | None) -> None:
    """Refuse before gigabytes were fetched in vain; what stands there stays until the end."""
    needed = asset.size_mb * 1e6
    if local_path is not None:
        # A copy of the user's has a size of its own; that of a folder is not worth a walk.
        given = Path(local_path)
        packed = asset.decompressed and given.suffix == ".gz"
        needed = given.stat().st_size if given.is_file() and not packed else 0
    place = destination.absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < needed:
        raise AssetError(
            f"asset {asset.name}: needs about {needed / 1e6:.0f} MB in {place}, where "
            f"{free / 1e6:.0f} MB are free; make room and run again"
        )


def _run(asset: Asset, attempt: Attempt, destination: Path, *, check: bool) -> FetchRecord:
    with atomic_path(destination) as temporary:
        version = attempt.run(temporary)
        hashes, size = _hash_files(temporary)
        expected = _expected(asset)
        differences = _compare(hashes, expected)
        if differences and check:
            raise SourceError("; ".join(differences))
        for difference in differences:
            log.warning("%s: the copy given is not the catalogue's: %s", asset.name, difference)
    return FetchRecord(
        name=asset.name,
        source=attempt.address,
        version=version,
        sha256=hashes,
        bytes=size,
        licence=asset.licence,
        citation=asset.citation,
        verified=bool(expected) and not differences,
    )


def _hash_files(place: Path) -> tuple[dict[str, str], int]:
    if place.is_file():
        return {"": file_sha256(place)}, place.stat().st_size
    files = sorted(file for file in place.rglob("*") if file.is_file())
    hashes = {file.relative_to(place).as_posix(): file_sha256(file) for file in files}
    return hashes, sum(file.stat().st_size for file in files)


def _expected(asset: Asset) -> dict[str, str]:
    if asset.sha256 is None:
        return {}
    return dict(asset.sha256) if isinstance(asset.sha256, Mapping) else {"": asset.sha256}


def _compare(hashes: dict[str, str], expected: dict[str, str]) -> list[str]:
    """One line a file whose hash is not the expected one; nothing expected, nothing differs."""
    if not expected:
        return []
    differences = []
    for name in sorted(expected.keys() | hashes.keys()):
        file = f"{name}: " if name else ""
        if name not in hashes:
            differences.append(f"{file}missing")
        elif name not in expected:
            differences.append(f"{file}not in the catalogue")
        elif hashes[name] != expected[name]:
            differences.append(f"{file}sha256 expected {expected[name]}, got {hashes[name]}")
    return differences


def _explain(asset: Asset, attempts: list[Attempt], reasons: list[str]) -> str:
    tried = [
        f"  {number}. {attempt.label}: {reason}"
        for number, (attempt, reason) in enumerate(zip(attempts, reasons, strict=True), start=1)
    ]
    key = f"    {asset.name}: /path/to/the/{asset.kind}"
    lines = [
        f"asset {asset.name} could not be fetched. Tried in this order:",
        *(tried or ["  nothing: the catalogue names no source, a local copy is needed"]),
        f"By hand: get {asset.name} ({asset.description.rstrip('.')}) and name it in the config:",
        "  asset_paths:",
        key,
    ]
    if asset.path_key:
        lines += ["or:", f"  {asset.path_key}: /path/to/the/{asset.kind}"]
    return "\n".join(lines)
