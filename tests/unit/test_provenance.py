"""What the code hash sees, what it does not, and which imports are followed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from biasatlas import provenance
from biasatlas.provenance import code_version, file_sha256, imported_modules, versions

FILES = {
    "__init__.py": '"""Root."""\n__version__ = "1"\n',
    "errors.py": "class InputError(ValueError): ...\n",
    "logs.py": "",
    "provenance.py": "",
    "files.py": "from biasatlas.errors import InputError\n",
    "words.py": "LIMIT = 3\n",
    "vectors/__init__.py": '"""Vectors."""\n',
    "vectors/train.py": (
        "from __future__ import annotations\n"
        "from typing import TYPE_CHECKING\n"
        "import numpy\n"
        "if TYPE_CHECKING:\n    from biasatlas.topics.fit import Model\n"
        "def train(x: int) -> int:\n"
        '    """Train."""\n'
        "    from ..words import LIMIT\n"
        "    return x + LIMIT\n"
    ),
    "vectors/read.py": "import biasatlas.files\nfrom . import train\n",
    "topics/__init__.py": "",
    "topics/fit.py": "class Model: ...\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """A small package in the place of ours; the function edits one of its files."""
    root = tmp_path / "biasatlas"
    monkeypatch.setattr(provenance, "_ROOT", root)
    ticks = iter(range(1, 1000))

    def write(name: str, text: str) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        # Two edits within the clock's grain would look the same to the cache.
        tick = next(ticks)
        os.utime(path, ns=(tick, tick))

    for name, text in FILES.items():
        write(name, text)
    return write


Write = Callable[[str, str], None]


def test_imports_are_followed_also_in_functions_and_relative_ones(package: Write) -> None:
    assert imported_modules("vectors.train") == {
        "biasatlas",
        "biasatlas.vectors",
        "biasatlas.vectors.train",
        "biasatlas.words",
    }
    assert imported_modules("vectors.read") == imported_modules("vectors.train") | {
        "biasatlas.vectors.read",
        "biasatlas.files",
    }


def test_a_package_stands_for_all_its_modules(package: Write) -> None:
    assert imported_modules("vectors") == imported_modules("vectors.read")
    assert imported_modules("topics") == {"biasatlas", "biasatlas.topics", "biasatlas.topics.fit"}


def test_circular_imports_end(package: Write) -> None:
    package("words.py", "from biasatlas.vectors import read\n")
    assert "biasatlas.vectors.read" in imported_modules("words")


def test_script_is_not_part_of_the_answer(package: Write, tmp_path: Path) -> None:
    script = tmp_path / "train_vectors.py"
    script.write_text("from biasatlas import logs\nfrom biasatlas.vectors.train import train\n")
    assert imported_modules(script) == imported_modules("vectors.train")
    assert imported_modules(str(script)) == imported_modules(script)


def test_unknown_module(package: Write) -> None:
    with pytest.raises(ValueError, match=r"no module biasatlas\.vector"):
        code_version("vector")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("vectors/train.py", "return x", "return 2 * x"),
        ("vectors/train.py", "x: int", "x: int = 1"),
        ("words.py", "3", "4"),
        ("words.py", "3", "3.0"),
        ("words.py", "3", "'3'"),
        ("vectors/__init__.py", '"""Vectors."""', "import os"),
    ],
)
def test_an_edit_of_code_changes_the_hash(package: Write, name: str, old: str, new: str) -> None:
    before = code_version("vectors.train")
    package(name, FILES[name].replace(old, new))
    assert code_version("vectors.train") != before
    package(name, FILES[name])
    assert code_version("vectors.train") == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("vectors/train.py", '"""Train."""', '"""Train on text."""'),
        ("vectors/train.py", "return x", "# A comment.\n    return (x)"),
        ("vectors/train.py", "topics.fit import Model", "topics import fit"),
        ("vectors/train.py", "import numpy\n", "\n\nimport numpy\n"),
        ("__init__.py", '"1"', '"2"'),
        ("errors.py", "...", "x = 1"),
        ("topics/fit.py", "...", "x = 1"),
        ("files.py", "InputError", "errors"),
    ],
)
def test_what_cannot_change_a_result_does_not_count(
    package: Write, name: str, old: str, new: str
) -> None:
    before = code_version("vectors.train")
    package(name, FILES[name].replace(old, new))
    assert code_version("vectors.train") == before


def test_same_tokens_in_other_fields_differ(package: Write) -> None:
    package("words.py", "def f(a, /): ...\n")
    before = code_version("words")
    package("words.py", "def f(*, a): ...\n")
    assert code_version("words") != before


def test_order_of_names_does_not_count(package: Write) -> None:
    assert code_version("vectors", "topics") == code_version("topics", "vectors")
    assert code_version("vectors") != code_version("topics")


def test_our_own_package() -> None:
    found = imported_modules("assets")
    assert {"biasatlas.assets.fetch", "biasatlas.files"} <= found
    assert not found & provenance.WITHOUT_EFFECT
    code_version("assets")
    read = provenance._parse_file.cache_info().misses
    code_version("assets")
    assert provenance._parse_file.cache_info().misses == read


def test_versions_names_what_is_installed_only() -> None:
    found = versions(["pytest", "no-such-distribution", "numpy"])
    assert list(found) == ["python", "numpy", "pytest"]
    assert found["pytest"] == pytest.__version__


def test_file_sha256(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert file_sha256(path) == hashlib.sha256(b"abc").hexdigest()
    assert file_sha256(path).startswith("ba7816bf")
