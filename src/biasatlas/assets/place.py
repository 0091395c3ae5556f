"""Where an asset stands inside the folder that a rule makes for it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from biasatlas.assets.asset import Asset, PypiSource, WebSource
from biasatlas.errors import InputError


def destination(asset: Asset, folder: str | Path, local: Path | None = None) -> Path:
    """Path to fetch an asset to: the folder itself, or a file in it that keeps its name.

    Parameters
    ----------
    asset : Asset
    folder : str or Path
        The folder of the asset.
    local : Path or None
        The user's own copy, whose name is then kept (without .gz where it is stored unpacked).
    """
    folder = Path(folder)
    if asset.kind == "folder":
        return folder
    if local is not None:
        name = local.name
        return folder / (name.removesuffix(".gz") if asset.decompressed else name)
    source = asset.sources[0]
    if isinstance(source, WebSource):
        return folder / source.file_name
    name = source.member if isinstance(source, PypiSource) else source.address
    # A wildcard stands for a release's years; what is left keeps the ending, which readers need.
    return folder / PurePosixPath(name).name.replace("*", "").replace("?", "")


def content(folder: str | Path) -> Path:
    """The one file or folder that stands in the folder of a fetched file.

    Raises
    ------
    InputError
        When the folder holds nothing or more than one thing.
    """
    folder = Path(folder)
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if len(inside) != 1:
        names = ", ".join(path.name for path in inside) or "nothing"
        raise InputError(f"{folder}: holds {names}; remove the folder and fetch it again")
    return inside[0]
