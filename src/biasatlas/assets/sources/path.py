"""A copy that the user has on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from biasatlas.assets.asset import Asset, HubSource, WebSource
from biasatlas.assets.model_folder import find_model_faults
from biasatlas.assets.sources.attempt import Attempt, SourceError, copy_folder
from biasatlas.assets.sources.gunzip import gunzip_file


def attempts(asset: Asset, local_path: Path) -> list[Attempt]:
    """Copy a local file or folder.

    It is copied rather than linked: Snakemake touches and may delete what it holds for its
    outputs, and the user's own file must not change. A file that the catalogue stores unpacked
    may be given packed. A folder that the catalogue takes from an archive may be given itself, or
    with what stands around it: either way it stands under its own name in the copy.

    Parameters
    ----------
    asset : Asset
        Entry of the catalogue; its kind must fit what stands at `local_path`.
    local_path : Path
        Given in the config.

    Returns
    -------
    list of Attempt
        One attempt.
    """

    def run(target: Path) -> str:
        if not local_path.exists():
            raise SourceError("there is no such file or folder")
        if asset.kind == "file":
            if not local_path.is_file():
                raise SourceError("is a folder; a file is needed")
            if asset.decompressed and local_path.suffix == ".gz":
                gunzip_file(local_path, target)
            else:
                shutil.copyfile(local_path, target)
        else:
            if not local_path.is_dir():
                raise SourceError("is a file; a folder is needed")
            # A snapshot of the whole repository gives the catalogue's members and passes its check.
            complete = all((local_path / member).is_file() for member in asset.members)
            members = asset.members if complete else ()
            copy_folder(local_path, target / _name_within(asset, local_path), members)
            if asset.sha256 is None and any(isinstance(s, HubSource) for s in asset.sources):
                faults = find_model_faults(target)
                if faults:
                    raise SourceError("; ".join(faults))
        return ""

    return [Attempt(f"path:{local_path}", f"path:{local_path.name}", run, network=False)]


def _name_within(asset: Asset, local_path: Path) -> str:
    """Name under which the copy stands in the asset: that of the folder given itself, or none."""
    for source in asset.sources:
        if isinstance(source, WebSource) and source.unpack:
            name = source.unpack.rpartition("/")[2]
            return "" if (local_path / name).is_dir() else name
    return ""
