"""Read the catalogue of assets and report everything that is wrong with it at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.assets.asset import Asset
from biasatlas.assets.entries import read_entry
from biasatlas.assets.families import expand_family
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import yaml


def load_catalogue(path: str | Path) -> dict[str, Asset]:
    """Read ``assets.yaml``.

    Parameters
    ----------
    path : str or Path
        The catalogue: a mapping of asset name to description, kind, sources, sha256, licence,
        citation, size_mb and, where needed, path_key and unverified. An entry with a key
        `languages` and ``{language}`` in its name stands for one asset a language.

    Returns
    -------
    dict of str to Asset
        In the order of the file, those of a family in the order of its languages.

    Raises
    ------
    InputError
        With every problem found: the file, the asset, the key, the value, what is allowed.
    """
    path = Path(path)
    document = _read_yaml(path)
    if not isinstance(document, dict) or not document:
        raise InputError(f"{path}: a mapping of asset name to entry is needed, got {document!r}")
    problems: list[str] = []
    assets: dict[str, Asset] = {}
    for family, value in document.items():
        entries, found = expand_family(family, value)
        problems += [f"{path}: {problem}" for problem in found]
        for name, entry in entries:
            asset, found = read_entry(name, entry)
            problems += [f"{path}: {problem}" for problem in found]
            if asset is None:
                # What is wrong with one asset of a family is wrong with all.
                break
            if asset.name in assets:
                problems.append(f"{path}: {asset.name}: the name stands twice")
            assets[asset.name] = asset
    if problems:
        raise InputError(problems)
    return assets


def asset_digest(asset: Asset) -> str:
    """Short hash of what decides an asset's bytes, for the params of the rules that use it.

    With hashes known they decide alone, so another mirror or a better description reruns
    nothing; without them the addresses of the sources, with version or revision, do.

    Parameters
    ----------
    asset : Asset
        Entry of the catalogue.

    Returns
    -------
    str
        16 hex digits.
    """
    decides: object
    if asset.sha256 is None:
        decides = [source.address for source in asset.sources]
    elif isinstance(asset.sha256, Mapping):
        decides = dict(asset.sha256)
    else:
        decides = asset.sha256
    text = json.dumps([asset.kind, decides], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def find_local_path(asset: Asset, config: Mapping[str, Any]) -> Path | None:
    """Local copy that the config gives for an asset.

    Parameters
    ----------
    asset : Asset
        Entry of the catalogue.
    config : mapping
        Looked up in turn: ``asset_paths`` (asset name to path), then the asset's ``path_key``.

    Returns
    -------
    Path or None
        With ``~`` expanded; None when the config gives none.
    """
    given = (config.get("asset_paths") or {}).get(asset.name)
    if not given and asset.path_key:
        given = config.get(asset.path_key)
    return Path(given).expanduser() if given else None


def check_asset_paths(config: Mapping[str, Any], assets: Mapping[str, Asset]) -> list[str]:
    """Problems of the config's ``asset_paths``: names that the catalogue does not hold.

    Parameters
    ----------
    config : mapping
        Its key ``asset_paths`` maps asset names to paths.
    assets : mapping of str to Asset
        The catalogue.

    Returns
    -------
    list of str
        One line a problem.
    """
    given = config.get("asset_paths") or {}
    if not isinstance(given, Mapping):
        return [f"asset_paths: a mapping of asset name to path is needed, got {given!r}"]
    allowed = ", ".join(assets)
    return [
        f"asset_paths.{name}: no such asset; allowed: {allowed}"
        for name in given
        if name not in assets
    ]


def _read_yaml(path: Path) -> object:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses a repeated key, of which YAML would silently keep the last."""

    def construct_mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            if key in mapping:
                line = key_node.start_mark.line + 1
                raise InputError(f"{path}, line {line}: key {key!r} stands twice")
            mapping[key] = loader.construct_object(value_node, deep=True)
        return mapping

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, construct_mapping)
    try:
        text = path.read_text(encoding="utf-8")
        document: object = yaml.load(text, Loader=Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    return document
