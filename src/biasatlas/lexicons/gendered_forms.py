"""Forms of a word for the other gender, which stand unmarked in WEATHub's lists `all`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.lexicons.strict_yaml import Document, raise_problems, read_document
from biasatlas.lexicons.weathub_problems import find_refusal
from biasatlas.lexicons.word_lists import SETS
from biasatlas.tables.language_tables import GENDERED_FORMS, VARIANTS
from biasatlas.tables.storage import empty_table

if TYPE_CHECKING:
    import pandas as pd

WITH_FORMS = "all"
WITHOUT_FORMS = "all_plain"
_TRANSLATED = "human"
# What two forms must share; endings alone would pair short words that have nothing in common.
MIN_STEM = 3


@dataclass(frozen=True)
class GenderRules:
    """Endings of a language by which gendered forms are told.

    Attributes
    ----------
    language : str
        ISO 639 code.
    endings : tuple of (str, str)
        Masculine and feminine ending; either may be empty.
    exceptions : tuple of (str, str)
        Words that have such endings but are no forms of one word.
    path : Path
        The file; no part of equality or of a digest.
    """

    language: str
    endings: tuple[tuple[str, str], ...]
    exceptions: tuple[tuple[str, str], ...] = ()
    path: Path = field(default=Path(), compare=False)


def load_gender_rules(path: str | Path) -> GenderRules:
    """Read the endings of a language.

    Parameters
    ----------
    path : str or Path
        A YAML file after ``schemas/grammatical_gender.schema.yaml``.

    Raises
    ------
    InputError
        With file and line for every problem: what the schema does not allow, two equal endings,
        a pair of endings that stands twice.
    """
    document = read_document(path, "grammatical_gender")
    _check_endings(document)
    raise_problems([document])
    data = document.data
    return GenderRules(
        language=data["language"],
        endings=tuple(_pair(one) for one in data["endings"]),
        exceptions=tuple(_pair(one) for one in data.get("exceptions", ())),
        path=document.path,
    )


def add_plain_variant(
    words: pd.DataFrame, language: str, folder: str | Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Add the lists `all` without gendered forms, where the language's endings are known.

    Parameters
    ----------
    words : DataFrame
        `Lists.words` of the language.
    language : str
        ISO 639 code.
    folder : str or Path
        Holds ``{language}.yaml`` where there are endings (``resources/grammatical_gender``).

    Returns
    -------
    words : DataFrame
        With the variant `all_plain`, in the order of the variants.
    forms : DataFrame
        Rows of the table gendered_forms.

    Raises
    ------
    InputError
        When the endings cannot be read or are of another language.
    """
    import pandas as pd

    path = Path(folder) / f"{language}.yaml"
    if not path.is_file():
        return words, empty_table(GENDERED_FORMS.name)
    rules = load_gender_rules(path)
    if rules.language != language:
        raise InputError(f"{path}: language is '{rules.language}'; by its name it is '{language}'")
    forms = find_gendered_forms(words, rules)
    both = pd.concat([words, without_gendered_forms(words, forms)], ignore_index=True)
    order = both["variant"].map(VARIANTS.index).astype("int64")
    return both.loc[order.sort_values(kind="stable").index].reset_index(drop=True), forms


def find_gendered_forms(words: pd.DataFrame, rules: GenderRules) -> pd.DataFrame:
    """Find words of a list `all` that are another word's form for the other gender.

    Both words stand in one set. Of the two, the one in the human translation of the same test
    and set stays, else the masculine one; two words that were both translated are two words.

    Parameters
    ----------
    words : DataFrame
        `Lists.words` of one language, with the variants `all` and `human`.
    rules : GenderRules
        Of the same language.

    Returns
    -------
    DataFrame
        Rows of the table gendered_forms, one a form that is left out.
    """
    import pandas as pd

    human = words[words["variant"] == _TRANSLATED]
    translated = set(zip(human["test"], human["set"], human["word"], strict=True))
    rows: list[dict[str, str]] = []
    some = words[(words["variant"] == WITH_FORMS) & (words["language"] == rules.language)]
    for (test, name), part in some.groupby(["test", "set"], sort=False):
        known = {word for word in part["word"] if (test, name, word) in translated}
        for word, (other, rule) in _forms(list(part["word"]), known, rules).items():
            row = {"language": rules.language, "variant": WITH_FORMS, "test": str(test)}
            row |= {"set": str(name), "word": word, "other": other, "rule": rule}
            rows.append(row)
    return pd.DataFrame(rows, columns=[one.name for one in GENDERED_FORMS.columns], dtype="str")


def without_gendered_forms(words: pd.DataFrame, forms: pd.DataFrame) -> pd.DataFrame:
    """Give the lists `all` without the forms that were found, as variant `all_plain`.

    Only tests that hold such a form are given: the others would be scored twice.

    Parameters
    ----------
    words : DataFrame
        `Lists.words`.
    forms : DataFrame
        From `find_gendered_forms`, of one language or many.

    Returns
    -------
    DataFrame
        Rows of `words`, with `refusal` as it is without the forms.
    """
    key = ["language", "test", "set", "word"]
    some = words[words["variant"] == WITH_FORMS]
    some = some[_rows_in(some, forms, key[:2])]
    plain = some[~_rows_in(some, forms, key)].assign(variant=WITHOUT_FORMS).reset_index(drop=True)
    for _, rows in plain.groupby(["language", "test"], sort=False):
        sets = {one: list(rows["word"][rows["set"] == one]) for one in SETS}
        plain.loc[rows.index, "refusal"] = find_refusal(sets)
    return plain


def _rows_in(frame: pd.DataFrame, others: pd.DataFrame, columns: list[str]) -> pd.Series[bool]:
    """Tell which rows of a frame stand in another one too, as far as `columns` say."""
    import pandas as pd

    wanted = set(others[columns].itertuples(index=False, name=None))
    rows = frame[columns].itertuples(index=False, name=None)
    return pd.Series([row in wanted for row in rows], index=frame.index, dtype=bool)


def _check_endings(document: Document) -> None:
    if not document.sound:
        return
    seen: set[tuple[str, str]] = set()
    for number, one in enumerate(document.data["endings"]):
        pair = _pair(one)
        place = ("endings", number)
        if pair[0] == pair[1]:
            document.report(
                place, f"the two endings of item {number + 1} are the same: {pair[0]!r}"
            )
        elif pair in seen:
            document.report(place, f"the endings {_name(pair)} stand twice")
        seen.add(pair)


def _pair(data: Any) -> tuple[str, str]:
    return data["masculine"], data["feminine"]


def _name(pair: tuple[str, str]) -> str:
    """Name a rule: ``-o -a``, and ``-∅ -e`` where an ending is empty."""
    return " ".join(f"-{ending or '∅'}" for ending in pair)


def _forms(
    words: list[str], translated: set[str], rules: GenderRules
) -> dict[str, tuple[str, str]]:
    """Find the forms of one set: by the word that goes, the word that stays and the rule."""
    found: dict[str, tuple[str, str]] = {}
    for masculine, feminine, rule in _pairs(words, rules):
        if masculine in translated and feminine in translated:
            continue
        stays, goes = masculine, feminine
        if feminine in translated:
            stays, goes = feminine, masculine
        found.setdefault(goes, (stays, rule))
    # A word may go in favour of one that goes itself: its own form is the one that stays.
    for word, (other, rule) in list(found.items()):
        seen = {word}
        while other in found and other not in seen:
            seen.add(other)
            other = found[other][0]
        found[word] = (other, rule)
    return {word: found[word] for word in words if word in found}


def _pairs(words: Sequence[str], rules: GenderRules) -> list[tuple[str, str, str]]:
    """List the masculine and feminine words of a set that a rule makes a pair of."""
    there = set(words)
    pairs: dict[tuple[str, str], str] = {}
    for endings in rules.endings:
        masculine, feminine = endings
        for word in words:
            stem = word.removesuffix(masculine)
            other = stem + feminine
            if not word.endswith(masculine) or len(stem.split(" ")[-1]) < MIN_STEM:
                continue
            if other in there and (word, other) not in rules.exceptions:
                pairs.setdefault((word, other), _name(endings))
    return [(word, other, rule) for (word, other), rule in pairs.items()]
