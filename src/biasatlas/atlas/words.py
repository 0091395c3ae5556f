"""Which words drive a score: what the page holds for the panels that open on a click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from biasatlas.atlas.parts import missing

if TYPE_CHECKING:
    import pandas as pd

Means = dict[tuple[Any, ...], dict[tuple[str, str], tuple[int | None, int | None]]]
SIDES = ("x", "y", "a", "b")
SET = ["language", "test", "set"]
VECTORS = ["language", "region", "corpus", "model"]


def add_keys(frame: pd.DataFrame) -> pd.DataFrame:
    """Add ``key``, the address of a score in the page, such as ``WEAT6/europe/word2vec``.

    All seeds of one kind of vectors share a key. Language and corpus are named where the frame
    has several.
    """
    columns = ["test", "region", "model"]
    several = [name for name in ("language", "corpus") if len(set(frame[name]) - {""}) > 1]
    keys = ["/".join(map(str, row)) for row in frame[[*columns, *several]].to_numpy().tolist()]
    placed = frame.assign(key=keys)
    return placed.astype({"key": "str"}) if frame.empty else placed


def islands(
    frame: pd.DataFrame, words: pd.DataFrame | None, coverage: pd.DataFrame | None
) -> dict[str, dict[str, Any]]:
    """Give the words behind the scores of each test, as the page's script reads them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Scores with ``place``, ``series`` and ``key``.
    words, coverage : pandas.DataFrame or None
        The tables of these names; None where the run has none.

    Returns
    -------
    dict of str to dict
        By test: ``test``; ``lists``, one a language, each of four sets (``side``, ``name``,
        ``words``); and ``scores``, one a kind of vectors: ``key``, ``label``, ``list`` (place
        in ``lists``), ``d`` (mean over seeds), ``seeds``, and ``values`` and ``influence``, one
        list a set in the order of its words, in thousandths, means over seeds, None where the
        word is not scored there. Tests without a word are left out.
    """
    if words is None:
        return {}
    found = words.groupby([*VECTORS, "test", "set", "word"], sort=True)[["score", "influence"]]
    means: Means = {}
    for (*vectors, test, side, word), score, influence in found.mean().itertuples(name=None):
        cell = means.setdefault((*vectors, test), {})
        cell[side, word] = (_thousandths(score), _thousandths(influence))
    asked = _asked(words, coverage)
    made = {}
    for test, part in frame.groupby("test", sort=False):
        lists: list[list[dict[str, Any]]] = []
        scores: list[dict[str, Any]] = []
        for language, group in part.groupby("language", sort=False):
            first = group.iloc[0]
            sets = [
                {
                    "side": s,
                    "name": str(first[s]),
                    "words": asked.get((str(language), str(test), s), []),
                }
                for s in SIDES
            ]
            scores += [{**one, "list": len(lists)} for one in _scores(group, sets, means)]
            lists.append(sets)
        if scores:
            made[str(test)] = {"test": str(test), "lists": lists, "scores": scores}
    return made


def merge(made: Mapping[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Make one island of those of several tests, for a chart that holds them all."""
    lists: list[list[dict[str, Any]]] = []
    scores: list[dict[str, Any]] = []
    for test, island in made.items():
        for score in island["scores"]:
            label, place = f"{test}, {score['label']}", len(lists) + score["list"]
            scores.append({**score, "label": label, "list": place})
        lists += island["lists"]
    return {"test": "", "lists": lists, "scores": scores} if scores else None


def _scores(part: pd.DataFrame, sets: list[dict[str, Any]], means: Means) -> list[dict[str, Any]]:
    scores = []
    for key, group in part[part["effect_size"].notna()].groupby("key", sort=False):
        first = group.iloc[0]
        cell = means.get(tuple(first[[*VECTORS, "test"]]))
        if cell is None:
            continue
        nothing = (None, None)
        pairs = [[cell.get((one["side"], word), nothing) for word in one["words"]] for one in sets]
        scores.append(
            {
                "key": str(key),
                "label": f"{first['place']}, {first['series']}",
                "d": round(float(group["effect_size"].mean()), 3),
                "seeds": len(group),
                "values": [[value for value, _ in one] for one in pairs],
                "influence": [[influence for _, influence in one] for one in pairs],
            }
        )
    return scores


def _thousandths(value: float) -> int | None:
    return None if missing(value) else round(1000 * value)


def _asked(
    words: pd.DataFrame, coverage: pd.DataFrame | None
) -> dict[tuple[str, str, str], list[str]]:
    """Give the words of each set of a test: those scored somewhere, then those found nowhere."""
    asked: dict[tuple[str, str, str], list[str]] = {}
    some = words[[*SET, "word"]].drop_duplicates().sort_values([*SET, "word"])
    for language, test, side, word in some.itertuples(index=False, name=None):
        asked.setdefault((language, test, side), []).append(word)
    if coverage is None:
        return asked
    # A word may be listed as John and looked up as john.
    known = {key: {word.casefold() for word in mine} for key, mine in asked.items()}
    some = coverage[[*SET, "missing"]].drop_duplicates()
    for language, test, side, text in some.itertuples(index=False, name=None):
        mine = asked.setdefault((language, test, side), [])
        seen = known.setdefault((language, test, side), set())
        for word in filter(None, text.split("; ")):
            if word.casefold() not in seen:
                seen.add(word.casefold())
                mine.append(word)
    return {key: sorted(mine) for key, mine in asked.items()}
