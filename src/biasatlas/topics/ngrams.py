"""The words and two-word phrases that most passages of a topic hold (Borah et al. App. E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from biasatlas.tokens import content_clauses, stop_words

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("n", "rank", "ngram", "count", "n_passages", "share")


def count_ngrams(
    texts: Iterable[str],
    language: str,
    *,
    top: int = 10,
    left_out: Collection[str] = (),
) -> pd.DataFrame:
    """Content words and pairs of neighbouring content words, the most widespread first.

    Parameters
    ----------
    texts : iterable of str
        Passages of one topic, each once.
    language : str
        Its tokenizer and its stop list.
    top : int
        Rows of each length.
    left_out : collection of str
        Words that are counted neither alone nor in a pair, beside the stop words.

    Returns
    -------
    DataFrame
        `n` (1 or 2), `rank` (from 1), `ngram`, `count` (occurrences), `n_passages` (passages
        that hold it), `share` (of the passages); by passages, then by the alphabet. One document
        that repeats a word counts once a passage, so the order is not by `count`.
    """
    import pandas as pd

    skipped = stop_words(language) | set(left_out)
    occurrences: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    passages: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    n_texts = 0
    for text in texts:
        n_texts += 1
        words, pairs = _ngrams(text, language, skipped)
        for k, found in enumerate((words, pairs)):
            occurrences[k].update(found)
            passages[k].update(set(found))
    rows: list[dict[str, Any]] = []
    for k in range(2):
        ordered = sorted(passages[k].items(), key=lambda item: (-item[1], item[0]))
        rows += [
            {
                "n": k + 1,
                "rank": rank,
                "ngram": ngram,
                "count": occurrences[k][ngram],
                "n_passages": n,
                "share": n / n_texts,
            }
            for rank, (ngram, n) in enumerate(ordered[:top], start=1)
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_types())


def ngrams_by_topic(
    passages: pd.DataFrame, language: str, *, top: int = 10, left_out: Collection[str] = ()
) -> pd.DataFrame:
    """`count_ngrams` of each topic of a region.

    Parameters
    ----------
    passages : DataFrame
        `id`, `topic`, `text`; an id that stands twice in a topic (a passage of both genders)
        counts once. Topic -1 is left out.
    language, top, left_out
        As in `count_ngrams`.

    Returns
    -------
    DataFrame
        `topic` and the columns of `count_ngrams`, by topic.
    """
    import pandas as pd

    once = passages[passages["topic"] != -1].drop_duplicates(["topic", "id"])
    frames = []
    for topic, group in once.groupby("topic", sort=True):
        found = count_ngrams(group["text"], language, top=top, left_out=left_out)
        found.insert(0, "topic", topic)
        frames.append(found)
    types = {"topic": "int64", **_types()}
    if not frames:
        return pd.DataFrame(columns=list(types)).astype(types)
    return pd.concat(frames, ignore_index=True).astype(types)


def _types() -> dict[str, str]:
    whole = dict.fromkeys(("n", "rank", "count", "n_passages"), "int64")
    types = {**whole, "ngram": "str", "share": "float64"}
    return {column: types[column] for column in COLUMNS}


def _ngrams(text: str, language: str, skipped: Collection[str]) -> tuple[list[str], list[str]]:
    """Content words of a passage, and pairs of neighbours among them."""
    words: list[str] = []
    pairs: list[str] = []
    for clause in content_clauses(text, language, skipped):
        words += [word for word in clause if word]
        pairs += [f"{one} {next_}" for one, next_ in pairwise(clause) if one and next_]
    return words, pairs
