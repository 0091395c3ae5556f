"""A copy that the user has on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from biasatlas.assets.asset import Asset
from biasatlas.assets.sources.attempt import Attempt, SourceError, copy_folder


def attempts(asset: Asset, local_path: Path) -> list[Attempt]:
    """Copy a local file or folder.

    It is copied rather than linked: Snakemake touches and may delete what it holds for its
    outputs, and the user's own file must not change.

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
            shutil.copyfile(local_path, target)
        else:
            if not local_path.is_dir():
                raise SourceError("is a file; a folder is needed")
            # A snapshot of the whole repository gives the catalogue's members and passes its check.
            complete = all((local_path / member).is_file() for member in asset.members)
            copy_folder(local_path, target, asset.members if complete else ())
        return ""

    return [Attempt(f"path:{local_path}", f"path:{local_path.name}", run, network=False)]
