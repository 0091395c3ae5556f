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
from biasatlas.assets.place import destination
from biasatlas.errors import InputError

SHIPPED = Path(__file__).parents[3] / "resources" / "assets.yaml"
HASH = "ab" * 32

FILE: dict[str, Any] = {
    "description": "A file",
    "kind": "file",
    "sources": [
        {"pypi": "some-data==1.2.0", "member": "some_data/file.zip"},
        {"https": "https://example.org/file.zip"},
        {"https": "https://example.org/file.zip.gz", "decompress": "gzip"},
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
        {"https": "https://example.org/all.tar.gz", "unpack": "top/model"},
    ],
    "sha256": {"config.json": HASH, "1_Pooling/config.json": HASH},
}
UNKNOWN: dict[str, Any] = {
    **FOLDER,
    "sources": [
        {"hf": "owner/model", "revision": None},
        {"hf": "owner/model", "revision": "refs/pr/12"},
    ],
    "sha256": None,
    "unverified": True,
}
FAMILY: dict[str, Any] = {
    **FILE,
    "languages": ["en", "ckb"],
    "description": "Vectors for {language}",
    "sources": [{"https": "https://a.org/cc.{language}.bin.gz", "decompress": "gzip"}],
    "sha256": None,
    "unverified": True,
}


def packed(**keys: object) -> dict[str, Any]:
    """A change of the sources: an archive or a packed file, with these keys."""
    return {"sources": [{"https": "https://a.org/b.gz", **keys}]}


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
        WebSource("https://example.org/file.zip.gz", decompress="gzip"),
        DoiSource("10.5281/zenodo.1", "file.zip"),
    )
    assert assets["two"].members == ("1_Pooling/config.json", "config.json")
    assert assets["two"].sources[1:] == (
        HubSource("owner/model", "c" * 40),
        WebSource("https://example.org/all.tar.gz", unpack="top/model"),
    )
    assert assets["one"].decompressed
    assert not assets["two"].decompressed
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
        (FOLDER, packed(unpack="../b"), "unpack: '../b'; a folder's path in the archive without"),
        (FOLDER, packed(unpack="/b"), "unpack: '/b'; a folder's path"),
        (FOLDER, packed(unpack=None), "unpack: None; a folder's path"),
        (FOLDER, packed(unpack="b/.git"), "unpack: 'b/.git'; a hidden folder is not unpacked"),
        (FOLDER, packed(unpack="b", decompress="gzip"), "decompress: gives a file, not a folder"),
        (FOLDER, packed(unpak="b", unpack="b"), "[0].unpak: unknown key; allowed: https, unpack"),
        (FILE, packed(unpack="b"), "unpack: gives a folder, not a file"),
        (FILE, packed(decompress="zip"), "decompress: 'zip'; allowed: gzip"),
        (
            FILE,
            {"sources": [{"https": "https://a.org/b", "decompress": "gzip"}]},
            "gzip needs an address that ends in .gz, got 'https://a.org/b'",
        ),
        (
            FOLDER,
            {"sources": [{"hf": "a/b", "revision": "refs/pr/1"}]},
            "revision: 'refs/pr/1' is allowed with `unverified: true` only",
        ),
        (UNKNOWN, {"sources": [{"hf": "a/b", "revision": "refs/pr/0"}]}, "not a branch"),
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


def test_family_is_one_ordinary_asset_a_language(tmp_path: Path) -> None:
    assets = load(tmp_path, {"one": FILE, "cc_{language}_300": FAMILY, "two": FOLDER})
    assert list(assets) == ["one", "cc_en_300", "cc_ckb_300", "two"]
    kurdish = assets["cc_ckb_300"]
    assert kurdish.name == "cc_ckb_300"
    assert kurdish.description == "Vectors for ckb"
    assert kurdish.sources == (WebSource("https://a.org/cc.ckb.bin.gz", decompress="gzip"),)
    alone = {key: value for key, value in FAMILY.items() if key != "languages"}
    alone["description"] = "Vectors for ckb"
    alone["sources"] = [{"https": "https://a.org/cc.ckb.bin.gz", "decompress": "gzip"}]
    assert load(tmp_path, {"cc_ckb_300": alone})["cc_ckb_300"] == kurdish


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("cc_{language}", {"languages": []}, "cc_{language}.languages: []; a list of language"),
        ("cc_{language}", {"languages": "en"}, "languages: 'en'; a list of language codes"),
        ("cc_{language}", {"languages": ["en", "EN"]}, "'EN'; a code of two or three lower-case"),
        ("cc_{language}", {"languages": ["en", False]}, "False; a code of two or three"),
        ("cc_{language}", {"languages": ["en", "de", "en"]}, "languages: 'en' stands twice"),
        ("cc", {}, "cc: the name of a family needs {language}"),
        ("cc_{language}", {"sources": FILE["sources"][:1]}, "no source holds {language}"),
        ("cc_{language}", {"sha256": HASH}, "sha256: one hash cannot serve several files"),
        ("cc_{language}", {"path_key": "cc_path"}, "path_key: one path cannot serve several"),
        ("Cc_{language}", {}, "Cc_en: an asset's name is lower-case letters"),
        # What is wrong with every one of a family is said once.
        ("cc_{language}", {"kind": "disk"}, "cc_en.kind: 'disk'; allowed: file, folder"),
        ("cc_{language}", {"colour": 1}, "cc_en.colour: unknown key"),
    ],
)
def test_family_refused(tmp_path: Path, name: str, change: dict[str, Any], expected: str) -> None:
    found = problems(tmp_path, {name: {**FAMILY, **change}})
    assert len(found) == 1
    assert expected in found[0]


def test_family_needs_languages_and_may_not_repeat_a_name(tmp_path: Path) -> None:
    alone = {key: value for key, value in FAMILY.items() if key != "languages"}
    assert problems(tmp_path, {"cc_{language}": alone}) == [
        "cc_{language}: {language} in a name needs the key `languages`"
    ]
    assert problems(tmp_path, {"cc_en": FILE, "cc_{language}": FAMILY}) == [
        "cc_en: the name stands twice"
    ]


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
    url = "https://a.org/b.gz"
    digests = {
        asset_digest(replace(asset, sources=(source,)))
        for source in (
            WebSource(url),
            WebSource(url, decompress="gzip"),
            WebSource(url, unpack="b"),
            WebSource(url, unpack="c"),
        )
    }
    assert len(digests) == 4


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
    known = {name for name, asset in assets.items() if not asset.unverified}
    assert known == {
        "glove_6b_50d",
        "lee_background",
        "lid176",
        "llama2_7b_chat_gguf",
        "minilm_l6_v2",
        "news_articles",
        "smollm2_135m",
        "use_multilingual_v3",
    }
    assert not [name for name in assets["minilm_l6_v2"].members if is_pickle(name)]
    assert "model.safetensors" in assets["minilm_l6_v2"].members
    assert len({asset_digest(asset) for asset in assets.values()}) == len(assets)


def test_shipped_catalogue_holds_the_lists_and_models_of_the_languages(tmp_path: Path) -> None:
    assets = load_catalogue(SHIPPED)
    lists = assets["weathub"]
    (source,) = lists.sources
    assert isinstance(source, WebSource)
    # GitHub's archive of a commit has one folder at its top, named after both.
    commit = source.url.removesuffix(".tar.gz").rpartition("/")[2]
    assert source.unpack == f"weathub-{commit}/data"
    assert lists.path_key == "weathub_path"
    vectors = {name for name in assets if name.startswith("cc_")}
    assert len(vectors) == 25
    russian = assets["cc_ru_300"].sources[0]
    assert isinstance(russian, WebSource)
    assert russian.url.endswith("/cc.ru.300.bin.gz")
    assert destination(assets["cc_ru_300"], tmp_path) == tmp_path / "cc.ru.300.bin"
    assert all("{" not in f"{asset}" for name, asset in assets.items() if name in vectors)


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
