"""Files of WEATHub, the association tests of many languages: where they stand and what they hold.

``data/{language}_{variant}/weat{n}.json``, English in ``en``, ``en_new`` and ``en_india``; keys
``targ1``, ``targ2``, ``attr1`` and ``attr2``, each with a ``category`` and its ``examples``
(Mukherjee et al. 2023, doi 10.18653/v1/2023.emnlp-main.981).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasatlas.errors import InputError
from biasatlas.tables.language_tables import VARIANTS

# By the key of the file, the set of the test.
SETS = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}
# The languages of the paper, English among them.
LANGUAGES = tuple(
    "ar bn ckb da de el en es fa fr hi it ja ko ku mr pa ru te th tl tr ur vi zh".split()
)
# The tests of Caliskan et al. 2017 that are translated into all languages.
SIX_TESTS = ("WEAT1", "WEAT2", "WEAT6", "WEAT7", "WEAT8", "WEAT9")
# The largest file of WEATHub has 5,554 bytes.
MAX_BYTES = 1_000_000
_FOLDER = re.compile(r"([a-z]{2,3})_(gt|human|all|new|india)")
# English is what the others were translated from; its first ten tests have no suffix.
_ORIGINAL = "en"
_FILE = re.compile(r"weat([1-9][0-9]{0,2}[a-z]?)\.json")


@dataclass(frozen=True)
class ListFile:
    """One file of lists, not yet read.

    Attributes
    ----------
    language, variant : str
        As its folder says.
    test : str
        ``WEAT12b`` for ``weat12b.json``; empty where the name is that of no test.
    name : str
        The file below the folder of lists, such as ``ar_gt/weat1.json``.
    path : Path
    """

    language: str
    variant: str
    test: str
    name: str
    path: Path


@dataclass(frozen=True)
class RawSet:
    """A set as it stands in its file; a missing word (``null``) is None."""

    category: str
    entries: tuple[str | None, ...]


def find_data(folder: str | Path) -> Path:
    """Find the folder of lists in a copy of the repository, or take it as it is.

    Parameters
    ----------
    folder : str or Path
        The repository, with ``data`` in it, or the folder ``data`` itself.

    Raises
    ------
    InputError
        When neither holds a folder of lists, such as ``ar_gt``.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    for candidate in (folder / "data", folder):
        if candidate.is_dir() and next(_folders(candidate), None) is not None:
            return candidate
    raise InputError(
        f"{folder}: neither it nor its folder data holds lists of WEATHub; "
        "they stand in folders such as ar_gt or en, in files such as weat1.json"
    )


def list_languages(folder: str | Path) -> list[str]:
    """List the languages that have lists, sorted."""
    return sorted({language for language, _, _ in _folders(find_data(folder))})


def list_files(folder: str | Path, language: str) -> list[ListFile]:
    """List a language's files, by variant and then in the natural order of the tests.

    Files that are not JSON are left out; a JSON file of another name has an empty `test`.
    """
    files = []
    for found, variant, place in _folders(find_data(folder)):
        if found != language:
            continue
        for path in place.iterdir():
            if path.suffix != ".json" or not path.is_file():
                continue
            match = _FILE.fullmatch(path.name)
            test = f"WEAT{match[1]}" if match else ""
            files.append(ListFile(language, variant, test, f"{place.name}/{path.name}", path))
    return sorted(files, key=_order)


def parse_file(file: ListFile) -> dict[str, RawSet]:
    """Read a file strictly.

    Returns
    -------
    dict
        By x, y, a and b, the set as it stands. A bare ``NaN`` reads as the word ``NaN``.

    Raises
    ------
    InputError
        When it is too long, not UTF-8, not JSON, repeats a key, or is not of the known form.
    """
    text = _read_text(file)
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{file.name}: line {error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InputError(f"{file.name}: not a list: brackets within brackets") from error
    except ValueError as error:
        raise InputError(f"{file.name}: {error}") from error
    problems = _shape_problems(data, tuple(SETS), "the file")
    if not problems:
        for key in SETS:
            problems += _set_problems(data[key], key)
    if problems:
        raise InputError([f"{file.name}: {problem}" for problem in problems])
    return {
        name: RawSet(" ".join(data[key]["category"].split()), tuple(data[key]["examples"]))
        for key, name in SETS.items()
    }


def lists_digest(folder: str | Path, language: str) -> str:
    """Hash what a language's files say: sixteen hexadecimal digits.

    White space between the values does not count. The order of the words does: the translations
    of a list are aligned by their places.
    """
    total = hashlib.sha256()
    for file in list_files(folder, language):
        try:
            content = _read_bytes(file)
        except InputError as error:
            content = str(error).encode()
        try:
            parsed = json.loads(content, object_pairs_hook=list)
            content = json.dumps(parsed, separators=(",", ":")).encode()
        except (ValueError, RecursionError):
            pass  # what cannot be read counts byte by byte
        total.update(f"{file.name}\n{len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()[:16]


def unknown_folders(folder: str | Path, language: str) -> list[str]:
    """Name the folders that look like lists of a language but are of no known variant."""
    data = find_data(folder)
    known = {place for found, _, place in _folders(data) if found == language}
    return sorted(
        place.name
        for place in data.glob(f"{language}_*")
        if place.is_dir() and place not in known and any(place.glob("*.json"))
    )


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sort WEAT2 before WEAT10, and that before WEAT10b."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), part) if part[0].isdecimal() else (1, 0, part) for part in parts]


def _folders(data: Path) -> Iterator[tuple[str, str, Path]]:
    for place in data.iterdir():
        match = _FOLDER.fullmatch(place.name)
        if match is None and place.name != _ORIGINAL:
            continue
        language, variant = match.groups() if match else (_ORIGINAL, "original")
        if place.is_dir() and any(place.glob("*.json")):
            yield language, variant, place


def _order(file: ListFile) -> tuple[int, bool, list[tuple[int, int, str]], str]:
    return VARIANTS.index(file.variant), not file.test, natural(file.test), file.name


def _read_bytes(file: ListFile) -> bytes:
    try:
        with file.path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file.name}: cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{file.name}: has more than {MAX_BYTES:,} bytes; no list is so long")
    return content


def _read_text(file: ListFile) -> str:
    content = _read_bytes(file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise InputError(f"{file.name}: line {line}: byte 0x{byte:02x} is not UTF-8") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs, unless a key stands twice."""
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key '{_shown(twice)}' stands twice")
    return result


def _constant(name: str) -> Any:
    return name if name == "NaN" else math.inf


def _shape_problems(value: Any, keys: tuple[str, ...], where: str) -> list[str]:
    """Compare the keys of an object with those that it must have."""
    if not isinstance(value, dict):
        return [f"{where} is not an object with the keys {', '.join(keys)}"]
    problems = [f"{where} lacks key '{key}'" for key in keys if key not in value]
    allowed = ", ".join(keys)
    problems += [
        f"unknown key '{_shown(key)}' in {where}; allowed: {allowed}"
        for key in value
        if key not in keys
    ]
    return problems


def _set_problems(value: Any, key: str) -> list[str]:
    problems = _shape_problems(value, ("category", "examples"), key)
    if problems:
        return problems
    category, examples = value["category"], value["examples"]
    if not isinstance(category, str) or not category.strip() or _has_surrogate(category):
        problems.append(f"{key}.category must be text")
    if not isinstance(examples, list):
        return [*problems, f"{key}.examples must be a list"]
    for number, entry in enumerate(examples, start=1):
        if entry is not None and not isinstance(entry, str):
            problems.append(f"item {number} of {key}.examples is {_shown(entry)}; it must be text")
        elif entry is not None and _has_surrogate(entry):
            problems.append(f"item {number} of {key}.examples holds half a character")
    return problems


def _has_surrogate(text: str) -> bool:
    """Whether a text holds half of a pair of code units, which no file can be written with."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _shown(value: Any) -> str:
    """Shorten a value of a file for a message; what cannot be printed is written out."""
    text = value if isinstance(value, str) else repr(value)
    return text[:40].encode("utf-8", "backslashreplace").decode("utf-8")
