"""Association tests of many languages: WEATHub's lists and a user's own, mended and checked."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.lexicons.weathub_files import (
    ListFile,
    list_files,
    list_languages,
    natural,
    parse_file,
    unknown_folders,
)
from biasatlas.lexicons.weathub_problems import (
    Place,
    Placed,
    Problem,
    check_sets,
    problem_frame,
    repair_set,
)
from biasatlas.lexicons.weathub_repairs import Finding
from biasatlas.lexicons.word_lists import SETS, AssociationTest, WordSet
from biasatlas.tables.language_tables import VARIANTS

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

# Columns of words.parquet and their types.
WORD_COLUMNS = {
    "language": "str",
    "variant": "str",
    "test": "str",
    "description": "str",
    "set": "str",
    "set_name": "str",
    "position": "int64",
    "word": "str",
    "name": "bool",
    "file": "str",
    "refusal": "str",
}
# Problem rows name a test; a file of no known name has none.
NO_TEST = "none"


@dataclass(frozen=True)
class Lists:
    """The lists of a language.

    Attributes
    ----------
    words : DataFrame
        One row an entry that is kept: language, variant, test, description, set (x, y, a or b),
        set_name, position (place of the entry in its file, from 0), word, name (whether it is
        the name of a person), file, refusal (why the whole test is refused, or nothing). Sorted
        by variant, test (WEAT2 before WEAT10), set and position.
    problems : DataFrame
        Rows of the table weathub_lists.
    """

    words: pd.DataFrame
    problems: pd.DataFrame


def read_lists(
    folder: str | Path | None,
    language: str,
    own_tests: Sequence[AssociationTest] = (),
    variants: Collection[str] = VARIANTS,
) -> Lists:
    """Read, mend and check all lists of a language.

    A missing value and a blank are dropped; invisible characters, stray white space, quotation
    marks and punctuation around a word are taken off; a word is put in Unicode form NFC; several
    words in one entry become several entries at its place; of a word that stands twice in a set
    the first is kept. Words in two sets are kept, for the published tests stand as they are.
    A test is refused when it cannot be read, when opposing sets are the same, or when a set
    has no word. An own test with the very words of a published one that is scored is left out.

    Parameters
    ----------
    folder : str, Path or None
        A copy of WEATHub, or None where there is none.
    language : str
        ISO 639 code, as in the names of the folders.
    own_tests : sequence of AssociationTest
        Tests from `load_tests`, which has checked them; those of other languages are left out.
    variants : collection of str
        Variants that are scored. All are read, as `all_plain` is made of others.

    Raises
    ------
    InputError
        When the folder holds no lists, when nothing is of this language, or when two own tests
        have one name.
    """
    own = sorted(
        (test for test in own_tests if test.language == language),
        key=lambda test: natural(test.test),
    )
    files = [] if folder is None else list_files(folder, language)
    if not files and not own:
        raise InputError(_no_language(folder, language))
    _check_names(own)
    if folder is not None:
        for name in unknown_folders(folder, language):
            logger.warning("%s: a folder of no known variant of list; it is not read", name)
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for file in files:
        found, more = _read_file(file)
        rows += found
        problems += more
    published = _tests_by_words([row for row in rows if row["variant"] in variants])
    for test in own:
        found, more = _take_own(test)
        twin = published.get(_words_of(found))
        if twin is None:
            rows += found
        else:
            # Scored twice it would count twice in the correction for many tests.
            note = f"the same words as {twin}; scored once"
            finding = Finding("repeated", "dropped", note)
            more = [Place(language, "own", test.test, _own_file(test)).report("", finding)]
        problems += more
    return Lists(_word_frame(rows), problem_frame(problems))


def tests_of(words: pd.DataFrame) -> list[tuple[str, AssociationTest, str]]:
    """Build the tests of a frame of words.

    Parameters
    ----------
    words : DataFrame
        As in `Lists`; its rows may be of any variants, in any order.

    Returns
    -------
    list of (variant, test, refusal)
        In the order in which the tests first appear; a set without a row is empty. The sets hold
        their words in the order of the rows.
    """
    result = []
    for (variant, name), rows in words.groupby(["variant", "test"], sort=False):
        first = rows.iloc[0]
        sets = {one: _word_set(rows[rows["set"] == one]) for one in SETS}
        test = AssociationTest(
            test=str(name),
            description=str(first["description"]),
            language=str(first["language"]),
            x=sets["x"],
            y=sets["y"],
            a=sets["a"],
            b=sets["b"],
            citation="",
            path=Path(first["file"]),
        )
        result.append((str(variant), test, str(first["refusal"])))
    return result


def _word_set(rows: pd.DataFrame) -> WordSet:
    name = str(rows["set_name"].iloc[0]) if len(rows) else ""
    return WordSet(name, tuple(rows["word"]), tuple(rows["word"][rows["name"]]))


def _no_language(folder: str | Path | None, language: str) -> str:
    if folder is None:
        return f"language '{language}': there is no list of it, and no copy of WEATHub is given"
    allowed = ", ".join(list_languages(folder))
    return f"{folder}: there is no list in language '{language}'; there are: {allowed}"


def _check_names(own: Sequence[AssociationTest]) -> None:
    by_name: dict[str, Path] = {}
    problems = []
    for test in own:
        if test.test in by_name:
            problems.append(f"{test.path}: test '{test.test}' also stands in {by_name[test.test]}")
        by_name.setdefault(test.test, test.path)
    if problems:
        raise InputError(problems)


def _read_file(file: ListFile) -> tuple[list[dict[str, Any]], list[Problem]]:
    place = Place(file.language, file.variant, file.test or NO_TEST, file.name)
    if not file.test:
        note = "its name is that of no test; tests are called weat1.json, weat12b.json"
        return [], [place.report("", Finding("unknown", "dropped", note))]
    try:
        raw = parse_file(file)
    except InputError as error:
        notes = [problem.removeprefix(f"{file.name}: ") for problem in error.problems]
        note = "; ".join(notes[:3]) + (f"; {len(notes) - 3} more" if len(notes) > 3 else "")
        return [], [place.report("", Finding("broken", "refused", note))]
    words: dict[str, list[Placed]] = {}
    problems: list[Problem] = []
    for name, one in raw.items():
        words[name], more = repair_set(place, name, one.entries)
        problems += more
    refusal, more = check_sets(place, {name: [w for _, w in some] for name, some in words.items()})
    category = {name: one.category for name, one in raw.items()}
    description = "{x} v {y}: {a} v {b}".format(**category)
    placed = ((name, entry, False) for name in SETS for entry in words[name])
    return list(_rows(place, description, category, placed, refusal)), problems + more


def _take_own(test: AssociationTest) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Take an own test as it is: its reader has been strict, so nothing is mended."""
    place = Place(test.language, "own", test.test, _own_file(test))
    sets: dict[str, WordSet] = {name: getattr(test, name) for name in SETS}
    refusal, problems = check_sets(place, {name: one.words for name, one in sets.items()})
    names = {name: one.name for name, one in sets.items()}
    persons = {name: set(one.names) for name, one in sets.items()}
    placed = (
        (name, entry, entry[1] in persons[name])
        for name, one in sets.items()
        for entry in enumerate(one.words)
    )
    return list(_rows(place, test.description, names, placed, refusal)), problems


def _words_of(rows: Sequence[Mapping[str, Any]]) -> tuple[frozenset[str], ...]:
    """Words of each set of a test, whatever their order."""
    return tuple(frozenset(row["word"] for row in rows if row["set"] == name) for name in SETS)


def _tests_by_words(
    rows: Sequence[Mapping[str, Any]],
) -> dict[tuple[frozenset[str], ...], str]:
    """Variant and name of each test by its words."""
    tests: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        tests.setdefault(f"{row['variant']} {row['test']}", []).append(row)
    return {_words_of(some): name for name, some in tests.items()}


def _own_file(test: AssociationTest) -> str:
    """Name the file of an own test without the folders of this machine."""
    path = test.path
    if path.is_absolute():
        path = Path(*path.parts[-2:])
    return path.as_posix() if path.name else f"{test.test}.yaml"


def _rows(
    place: Place,
    description: str,
    set_names: dict[str, str],
    placed: Iterable[tuple[str, Placed, bool]],
    refusal: str,
) -> Iterator[dict[str, Any]]:
    for name, (position, word), person in placed:
        yield {
            "language": place.language,
            "variant": place.variant,
            "test": place.test,
            "description": description,
            "set": name,
            "set_name": set_names[name],
            "position": position,
            "word": word,
            "name": person,
            "file": place.file,
            "refusal": refusal,
        }


def _word_frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=list(WORD_COLUMNS)).astype(WORD_COLUMNS)
