"""The catalogue: what is refused, what decides a digest, and the catalogue that ships."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.assets.asset import Asset, DoiSource, HubSource, PypiSource, WebSource
from biasatlas.assets.catalogue import (
    asset_digest,
    check_asset_paths,
    find_local_path,
    load_catalogue,
)
from biasatlas.assets.members import is_pickle, is_safe_member
from biasatlas.errors import InputError

SHIPPED = Path(__file__).parents[3] / "resources" / "assets.yaml"
HASH = "ab" * 32

FILE: dict[str, Any] = {
    "description": "A file",
    "kind": "file",
    "sources": [
        {"pypi": "some-data==1.2.0", "member": "some_data/file.zip"},
        {"https": "https://example.org/file.zip"},
        {"doi": "10.5281/zenodo.1", "file": "file.zip"},
    ],
    "sha256": HASH,
    "licence": "CC0-1.0",
    "citation": "Nobody (2020)",
    "size_mb": 1,
}
FOLDER: dict[str, Any] = {
    **FILE,
    "kind": "folder",
    "sources": [
        {"pypi": "some-model==1", "member": "some_model/model"},
        {"hf": "owner/model", "revision": "c" * 40},
    ],
    "sha256": {"config.json": HASH, "1_Pooling/config.json": HASH},
}
UNKNOWN: dict[str, Any] = {
    **FOLDER,
    "sources": [{"hf": "owner/model", "revision": None}],
    "sha256": None,
    "unverified": True,
}


def load(tmp_path: Path, document: object) -> dict[str, Asset]:
    path = tmp_path / "assets.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return load_catalogue(path)


def problems(tmp_path: Path, document: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(tmp_path, document)
    return [problem.split("assets.yaml: ", 1)[1] for problem in caught.value.problems]


def test_reads_every_kind_of_source(tmp_path: Path) -> None:
    assets = load(tmp_path, {"one": FILE, "two": FOLDER, "three": UNKNOWN})
    assert list(assets) == ["one", "two", "three"]
    assert assets["one"].sources == (
        PypiSource("some-data", "1.2.0", "some_data/file.zip"),
        WebSource("https://example.org/file.zip"),
        DoiSource("10.5281/zenodo.1", "file.zip"),
    )
    assert assets["two"].members == ("1_Pooling/config.json", "config.json")
    assert assets["two"].sources[1] == HubSource("owner/model", "c" * 40)
    assert assets["three"].unverified
    assert assets["three"].sha256 is None


@pytest.mark.parametrize(
    ("entry", "change", "expected"),
    [
        (FILE, {"kind": "disk"}, "one.kind: 'disk'; allowed: file, folder"),
        (FILE, {"colour": 1}, "one.colour: unknown key; allowed: description"),
        (FILE, {"licence": ""}, "one.licence: ''; a text is needed"),
        (FILE, {"size_mb": 0}, "one.size_mb: 0; must be above 0"),
        (FILE, {"size_mb": "big"}, "one.size_mb: 'big'; a number"),
        (FILE, {"sha256": "abc"}, "one.sha256: 'abc'; 64 lower-case hex digits"),
        (FILE, {"sha256": HASH.upper()}, "64 lower-case hex digits"),
        (FILE, {"sha256": None}, "one.sha256: null is allowed with `unverified: true` only"),
        (UNKNOWN, {"sha256": {"a": HASH}}, "one.unverified: true is allowed with `sha256: null`"),
        (FILE, {"unverified": "yes"}, "one.unverified: 'yes'; allowed: true, false"),
        (FILE, {"sources": []}, "one.sources: at least one source, or a path_key"),
        (FILE, {"sources": "pypi"}, "one.sources: a list is needed"),
        (FILE, {"sources": [{"ftp": "x"}]}, "exactly one of these keys is needed: pypi, hf"),
        (FILE, {"sources": [{"pypi": "a>=1", "member": "b"}]}, "'a>=1'; name==version"),
        (FILE, {"sources": [{"pypi": "a==1", "member": "../b"}]}, "without `..`"),
        (FILE, {"sources": [{"pypi": "a==1", "member": "b", "x": 1}]}, "[0].x: unknown key"),
        (FILE, {"sources": [{"https": "http://a.org/b"}]}, "https://host/file is needed"),
        (FILE, {"sources": [{"doi": "x", "file": "b"}]}, "10.<registrant>/<suffix>"),
        (FILE, {"sources": [{"doi": "10.5281/x", "file": "b*"}]}, "a pattern is allowed with"),
        (FILE, {"sources": [{"hf": "a/b", "revision": "c" * 40}]}, "hf: gives a folder"),
        (FOLDER, {"sources": [{"hf": "a/b", "revision": "main"}]}, "not a branch"),
        (FOLDER, {"sources": [{"hf": "a/b"}]}, "revision: missing; a commit or null"),
        (FOLDER, {"sources": [{"hf": "a/b", "revision": None}]}, "null is allowed with"),
        (FOLDER, {"sources": [{"https": "https://a.org/b"}]}, "https: gives a file"),
        (FOLDER, {"sha256": {"../x.json": HASH}}, "a relative path without `..`"),
        (FOLDER, {"sha256": {"pytorch_model.bin": HASH}}, "may hold a pickle"),
        (FOLDER, {"sha256": HASH}, "a mapping of member to hash"),
        (
            UNKNOWN,
            {"sources": [{"pypi": "a==1", "member": "b"}]},
            "a wheel's member has a known hash",
        ),
    ],
)
def test_refuses_and_says_what_is_allowed(
    tmp_path: Path, entry: dict[str, Any], change: dict[str, Any], expected: str
) -> None:
    found = problems(tmp_path, {"one": {**entry, **change}})
    assert len(found) == 1
    assert expected in found[0]


def test_reports_all_problems_at_once(tmp_path: Path) -> None:
    first = copy.deepcopy(FILE)
    del first["licence"], first["citation"]
    found = problems(tmp_path, {"one": first, "Two": FILE, "three": 3})
    assert found == [
        "one.licence: missing",
        "one.citation: missing",
        "Two: an asset's name is lower-case letters, digits and _",
        "three: a mapping is needed, got 3",
    ]


def test_refuses_repeated_key_missing_file_and_broken_yaml(tmp_path: Path) -> None:
    path = tmp_path / "assets.yaml"
    with pytest.raises(InputError, match="cannot be read"):
        load_catalogue(path)
    path.write_text("one:\n  kind: file\n  kind: folder\n")
    with pytest.raises(InputError, match="line 3: key 'kind' stands twice"):
        load_catalogue(path)
    path.write_text("one: [")
    with pytest.raises(InputError, match="not valid YAML"):
        load_catalogue(path)
    path.write_text("")
    with pytest.raises(InputError, match="a mapping of asset name to entry is needed"):
        load_catalogue(path)


def test_digest_follows_the_bytes_only(tmp_path: Path) -> None:
    asset = load(tmp_path, {"one": FILE})["one"]
    same = replace(asset, description="Other", licence="MIT", sources=asset.sources[:1])
    assert asset_digest(same) == asset_digest(asset)
    assert asset_digest(replace(asset, sha256="cd" * 32)) != asset_digest(asset)


def test_digest_of_unverified_asset_follows_its_sources(tmp_path: Path) -> None:
    asset = load(tmp_path, {"one": UNKNOWN})["one"]
    pinned = replace(asset, sources=(HubSource("owner/model", "d" * 40),))
    assert asset_digest(replace(asset, citation="x")) == asset_digest(asset)
    assert asset_digest(pinned) != asset_digest(asset)


def test_local_path_from_either_key(tmp_path: Path) -> None:
    asset = replace(load(tmp_path, {"one": FILE})["one"], path_key="one_path")
    assert find_local_path(asset, {}) is None
    assert find_local_path(asset, {"asset_paths": None, "one_path": ""}) is None
    assert find_local_path(asset, {"one_path": "a.zip"}) == Path("a.zip")
    both = {"asset_paths": {"one": "~/b.zip"}, "one_path": "a.zip"}
    assert find_local_path(asset, both) == Path.home() / "b.zip"


def test_asset_paths_name_known_assets(tmp_path: Path) -> None:
    assets = load(tmp_path, {"one": FILE, "two": FOLDER})
    assert check_asset_paths({"asset_paths": {"one": "x"}}, assets) == []
    assert check_asset_paths({}, assets) == []
    assert check_asset_paths({"asset_paths": {"tow": "x"}}, assets) == [
        "asset_paths.tow: no such asset; allowed: one, two"
    ]
    assert "a mapping" in check_asset_paths({"asset_paths": "x"}, assets)[0]


def test_shipped_catalogue_is_valid_and_unverified_only_where_nothing_is_known() -> None:
    assets = load_catalogue(SHIPPED)
    assert {name for name, asset in assets.items() if asset.unverified} == {
        "bge_small_en",
        "minilm_l12_multilingual",
        "reddit_africa",
        "reddit_asia",
        "reddit_europe",
        "reddit_northamerica",
        "reddit_oceania",
        "stsb_bert_large",
        "ungdc",
    }
    assert not [name for name in assets["minilm_l6_v2"].members if is_pickle(name)]
    assert "model.safetensors" in assets["minilm_l6_v2"].members
    assert len({asset_digest(asset) for asset in assets.values()}) == len(assets)


@pytest.mark.parametrize(
    "name", ["", "/a", "../a", "a/../b", "a/..", "./a", "a//b", "a/", "a\\..\\b", "C:/a", "a\0b"]
)
def test_unsafe_members(name: str) -> None:
    assert not is_safe_member(name)


@given(st.lists(st.text(), min_size=1, max_size=4).map("/".join))
def test_safe_members_stay_below_their_folder(name: str) -> None:
    root = Path("/root/folder")
    if is_safe_member(name):
        assert root in (root / name).parents
        assert ".." not in (root / name).parts
