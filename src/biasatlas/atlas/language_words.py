"""The word lists of a language in their own script, variants side by side, problems marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas.language_lists import PROBLEMS
from biasatlas.atlas.language_names import RIGHT_TO_LEFT, VARIANTS, number_test
from biasatlas.atlas.parts import EMPTY, listing, plural, records_of
from biasatlas.lexicons.weathub_repairs import repair_entry

if TYPE_CHECKING:
    import pandas as pd

SETS = {"x": "X", "y": "Y", "a": "A", "b": "B"}
# What a word can be marked with; other problems concern a whole set or file.
_WORD_MARKS = {
    "shared": "in both sets",
    "leak": "target and attribute",
    "duplicate": "twice",
    "not_nfc": "form repaired",
    "several_words": "taken apart",
}
Marks = Mapping[tuple[str, str, str, str], list[str]]


def word_cards(language: str, words: pd.DataFrame, problems: pd.DataFrame | None) -> Markup:
    """Give a fold for each test with its four sets; a column is a variant of the lists.

    Parameters
    ----------
    language : str
        ISO 639 code.
    words : pandas.DataFrame
        As for `biasatlas.atlas.page.build_language_page`, of this language.
    problems : pandas.DataFrame or None
        Rows of weathub_lists of this language.
    """
    if words.empty:
        return EMPTY
    marks = _marks(words, problems)
    own = {} if problems is None else _by_test(problems)
    tests = sorted(set(words["test"]), key=number_test)
    return Markup("\n").join(
        _card(language, test, words[words["test"] == test], marks, own.get(test, []))
        for test in tests
    )


def _by_test(problems: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    keys = ["variant", "file", "set", "problem", "word"]
    for row in records_of(problems.sort_values(keys, kind="stable")):
        found.setdefault(row["test"], []).append(row)
    return found


def _marks(words: pd.DataFrame, problems: pd.DataFrame | None) -> Marks:
    """Give the marks of each word by variant, test, set and word."""
    marks: dict[tuple[str, str, str, str], list[str]] = {}
    if problems is None:
        return marks
    present: dict[tuple[str, str], set[str]] = {}
    for row in records_of(words[["variant", "test", "word"]].drop_duplicates()):
        present.setdefault((row["variant"], row["test"]), set()).add(row["word"])
    rows = sorted(records_of(problems), key=lambda r: (list(PROBLEMS).index(r["problem"]), r["word"]))  # fmt: skip
    for row in rows:
        if row["problem"] not in _WORD_MARKS or not row["word"]:
            continue
        known = present.get((row["variant"], row["test"]), set())
        # The problem names the entry as it stands in the file, the list what was made of it.
        for word in known.intersection(repair_entry(row["word"])[0]):
            for side in row["set"].split():
                texts = marks.setdefault((row["variant"], row["test"], side, word), [])
                if _WORD_MARKS[row["problem"]] not in texts:
                    texts.append(_WORD_MARKS[row["problem"]])
    return marks


def _card(
    language: str,
    test: str,
    part: pd.DataFrame,
    marks: Marks,
    problems: Sequence[Mapping[str, Any]],
) -> Markup:
    variants = [name for name in VARIANTS if name in set(part["variant"])]
    description = next((text for text in part["description"] if text), "")
    sizes = ", ".join(
        f"{VARIANTS[name]} {int((part['variant'] == name).sum())}" for name in variants
    )
    refused = [
        f"{VARIANTS[name]}: {text}"
        for name in variants
        for text in dict.fromkeys(part.loc[part["variant"] == name, "refusal"])
        if text
    ]
    sets = Markup("\n").join(
        _set(language, side, part[part["set"] == side], variants, marks) for side in SETS
    )
    sign = Markup('<span class="mark">refused</span>') if refused else EMPTY
    body = Markup("").join(
        Markup('<p class="list-problem">Refused, {}</p>').format(text) for text in refused
    )
    return Markup(
        '<details class="list-card" id="list-{}"><summary><strong>{}</strong> {} '
        '<span class="soft">{} (entries: {})</span>{}</summary>{}{}{}</details>'
    ).format(
        test,
        test,
        description,
        plural(len(variants), "variant"),
        sizes,
        sign,
        body,
        sets,
        _gone(language, problems),
    )


def _set(language: str, side: str, part: pd.DataFrame, variants: list[str], marks: Marks) -> Markup:
    if part.empty:
        return EMPTY
    columns: list[dict[int, list[dict[str, Any]]]] = []
    for variant in variants:
        rows = records_of(part[part["variant"] == variant].sort_values("position", kind="stable"))
        # An entry taken apart gives several words at one position.
        columns.append(_places(rows))
    lines = sorted({position for column in columns for position in column})
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(VARIANTS[v]) for v in variants)
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                _cell(language, side, column.get(line, []), marks) for column in columns
            )
        )
        for line in lines
    )
    names = listing(dict.fromkeys(part["set_name"]))
    return Markup(
        '<div class="scroll" tabindex="0"><table class="lists {}"><caption>{}: {}</caption>'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(_direction(language), SETS[side], names, head, body)


def _places(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    places: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        places.setdefault(int(row["position"]), []).append(row)
    return places


def _direction(language: str) -> str:
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"


def _cell(language: str, side: str, rows: Sequence[Mapping[str, Any]], marks: Marks) -> Markup:
    if not rows:
        return Markup("<td></td>")
    pieces = []
    for row in rows:
        texts = marks.get((row["variant"], row["test"], side, row["word"]), [])
        signs = Markup("").join(
            Markup('<span class="mark" lang="en" dir="ltr">{}</span>').format(text)
            for text in texts
        )
        kind = Markup(' class="person"') if row.get("name") else EMPTY
        # The English original keeps its own language among translations.
        code = "en" if row["variant"] == "original" else language
        pieces.append(
            Markup('<span lang="{}" dir="auto"{}>{}</span>{}').format(
                code, kind, row["word"], signs
            )
        )
    first = "en" if rows[0]["variant"] == "original" else language
    return Markup('<td dir="{}">{}</td>').format(_direction(first), Markup("<br>").join(pieces))


def _gone(language: str, problems: Sequence[Mapping[str, Any]]) -> Markup:
    """List what is no longer in the lists, and what concerns a whole set or file."""
    items = []
    for row in problems:
        if row["action"] not in ("dropped", "refused") and row["problem"] in _WORD_MARKS:
            continue
        word = (
            Markup(' <span lang="{}" dir="auto">{}</span>').format(language, row["word"])
            if row["word"]
            else EMPTY
        )
        where = f", set {row['set']}" if row["set"] else ""
        times = f", {row['n']} times" if row["n"] > 1 else ""
        note = f" ({row['note']})" if row["note"] else ""
        items.append(
            Markup("<li>{}{}: {}{}{}; {}{}</li>").format(
                VARIANTS.get(row["variant"], row["variant"]),
                where,
                PROBLEMS[row["problem"]],
                word,
                times,
                row["action"],
                note,
            )
        )
    if not items:
        return EMPTY
    return Markup('<ul class="list-problem">{}</ul>').format(Markup("").join(items))
