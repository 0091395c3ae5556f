"""Everything that is wrong or odd in a folder of word lists, as one table.

``python -m biasatlas.lexicons resources`` prints it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.errors import InputError
from biasatlas.lexicons.gazetteer_checks import check_gazetteer
from biasatlas.lexicons.gender_terms import check_pairs
from biasatlas.lexicons.set_checks import warn_of_pairs, warn_of_terms, warn_of_test
from biasatlas.lexicons.strict_yaml import Document, Problem, check_schema, parse_document
from biasatlas.lexicons.word_lists import check_terms, check_test, check_test_names

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("file", "line", "place", "word", "problem", "severity")
# Folders of `resources`; what else stands there is no word list.
_FOLDERS = ("word_lists", "gazetteer")


def lint(folder: str | Path) -> pd.DataFrame:
    """Check every word list of a folder, used by a run or not.

    Parameters
    ----------
    folder : str or Path
        The folder ``resources`` (its word lists and gazetteers are checked), or any folder of
        word lists, or one file. YAML files are told apart by their keys: ``pairs`` (gender
        pairs), ``forms`` (gender terms of a region), or else a list of an association test.

    Returns
    -------
    DataFrame
        Columns file (below `folder`), line (0 where the whole file is meant), place, word,
        problem, severity (``error`` or ``warning``), sorted by these. A list with an error
        cannot be read; a warning is about what a reader of its scores should know.

    Raises
    ------
    InputError
        When there is no such folder, or no list in it.
    """
    import pandas as pd

    folder = Path(folder)
    below = folder.parent if folder.is_file() else folder
    rows = [
        {
            "file": problem.path.relative_to(below).as_posix(),
            "line": problem.line,
            "place": problem.place,
            "word": _visible(problem.word),
            "problem": _visible(problem.message),
            "severity": problem.severity,
        }
        for problem in find_problems(folder)
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"line": "int64"})
    texts = [name for name in COLUMNS if name != "line"]
    return frame.astype(dict.fromkeys(texts, "str")).sort_values(list(COLUMNS), ignore_index=True)


def list_errors(frame: pd.DataFrame, folder: str | Path = "") -> list[str]:
    """Give the errors of a lint as lines for an `InputError`: file, line and what is wrong.

    Parameters
    ----------
    frame : DataFrame
        From `lint`.
    folder : str or Path
        What was linted, to be put before the files' names.
    """
    errors = frame[frame["severity"] == "error"]
    rows = zip(*(errors[name].tolist() for name in ("file", "line", "problem")), strict=True)
    return [str(Problem(Path(folder) / file, line, problem)) for file, line, problem in rows]


def find_problems(folder: Path) -> list[Problem]:
    """Check every word list of a folder; the problems in the order of the files."""
    paths = _list_files(folder)
    documents = [_read(path) for path in paths if path.suffix != ".csv"]
    by_folder: dict[Path, list[Document]] = {}
    for document in documents:
        by_folder.setdefault(document.path.parent, []).append(document)
    for some in by_folder.values():
        check_test_names(some)
    terms = {one.data["region"]: one for one in documents if _is(one, "forms")}
    for document in documents:
        if not document.sound:
            continue
        if _is(document, "pairs"):
            warn_of_pairs(document)
        elif _is(document, "forms"):
            warn_of_terms(document)
        else:
            warn_of_test(document, terms.get(document.data.get("region")))
    problems = [problem for document in documents for problem in document.problems]
    for path in paths:
        if path.suffix == ".csv":
            problems += check_gazetteer(path)
    return problems


def _is(document: Document, key: str) -> bool:
    return document.sound and key in document.data


def _read(path: Path) -> Document:
    """Read a list of whatever kind and report its errors."""
    document = parse_document(path)
    keys = document.data if isinstance(document.data, dict) else {}
    if "pairs" in keys:
        check_schema(document, "gender_terms")
        check_pairs(document)
    elif "forms" in keys:
        check_schema(document, "region_terms")
        check_terms(document)
    else:
        check_schema(document, "word_list")
        check_test(document)
    return document


def _list_files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    roots = [folder / name for name in _FOLDERS] if (folder / _FOLDERS[0]).is_dir() else [folder]
    paths = [
        path
        for root in roots
        for path in sorted(root.rglob("*"))
        if path.suffix in (".yaml", ".yml", ".csv") and path.is_file()
    ]
    if not paths:
        raise InputError(f"{folder}: the folder holds no word list (*.yaml)")
    return paths


def _visible(text: str) -> str:
    """Write out what a terminal or a table would not show, such as a zero-width space."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
