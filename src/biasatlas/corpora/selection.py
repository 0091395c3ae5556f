"""Draw documents by content key: clean the smallest keys in order until every place is full.

The draw is defined as if every document had been cleaned first: in the order of their keys,
documents are taken one after the other, unless they fail the checks, are a (near-)duplicate of
one taken before, or their place has its number. Only a beginning of that order is ever looked at,
so the rest need not be cleaned, nor held.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.candidates import FREE, ORIGIN, Candidates
from biasatlas.corpora.near_duplicates import NearDuplicates
from biasatlas.corpora.sampling import content_keys, fold
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

logger = logging.getLogger(__name__)

CHUNK = 2000
# (source, given_rule, country, item): number of documents
Counts = Counter[tuple[str, str, str, str]]
Judge = Callable[["pl.DataFrame"], "pl.DataFrame"]


@dataclass(frozen=True)
class Draw:
    """What is asked for.

    Attributes
    ----------
    per_place : int or None
        Documents of each country (or region's label); None takes all.
    seed : int
    near_duplicates : float or None
        Similarity from which on a text is a duplicate; None drops exact duplicates only.
    spare : float
        Share of documents held beyond `per_place`, to fill up with. It decides how often the
        sources are read again, never the result.
    """

    per_place: int | None
    seed: int
    near_duplicates: float | None = None
    spare: float = 0.5

    def first_capacity(self) -> int | None:
        """Keys to hold of a place in the first pass."""
        if self.per_place is None:
            return None
        return self.per_place + int(self.per_place * self.spare) + 1


def draw_documents(
    batches: Callable[[], Iterable[pl.DataFrame]], judge: Judge, draw: Draw
) -> tuple[pl.DataFrame, Counts]:
    """Draw documents from sources of any size.

    Parameters
    ----------
    batches : callable
        Gives the documents from the beginning, each time it is called; their order is no matter.
    judge : callable
        Cleans documents and says what becomes of each by itself: gives the same rows with
        cleaned text, a column fate, ``kept`` or ``dropped_*``, and the place of those that
        carried none.
    draw : Draw

    Returns
    -------
    documents : polars.DataFrame
        The documents taken, cleaned, in the order of their keys.
    counts : Counter
        Documents by source, given_rule, given country and item: ``kept``, ``dropped_*`` and
        ``not_sampled`` (those of full places that were never looked at). They add up to the
        documents of the batches.
    """
    selection = _Selection(judge, draw)
    capacity = draw.first_capacity()
    above: int | None = None
    read: pl.DataFrame | None = None
    while True:
        candidates = Candidates(capacity, draw.seed, above=above, closed=selection.full)
        for batch in batches():
            candidates.add(batch)
        if read is None:
            read = candidates.read()
        above = selection.take_from(candidates.rows(), candidates.truncated())
        if above is None:
            break
        capacity = selection.capacity_for(candidates.truncated())
    return selection.documents(), selection.count(read)


class _Selection:
    """Documents taken so far, and what became of those looked at."""

    def __init__(self, judge: Judge, draw: Draw) -> None:
        self.judge = judge
        self.draw = draw
        self.full: set[str] = set()
        self.counts: Counts = Counter()
        self._n_taken: Counter[str] = Counter()
        self._texts: set[int] = set()
        self._near = None if draw.near_duplicates is None else NearDuplicates(draw.near_duplicates)
        self._looked_at: Counter[str] = Counter()
        self._taken: list[pl.DataFrame] = []
        self._take_chunk(Candidates(None, draw.seed).rows())  # the columns, where nothing is read

    def take_from(self, rows: pl.DataFrame, truncated: dict[str, int]) -> int | None:
        """Take documents in order; give the last key looked at when more must be read."""
        import polars as pl

        while not rows.is_empty():
            ends = [key for place, key in truncated.items() if place not in self.full]
            rows = rows.filter(~pl.col("place").is_in(sorted(self.full)))
            complete = rows
            if ends:
                complete = rows.filter(pl.col("key") <= pl.lit(min(ends), pl.UInt64))
            if complete.is_empty():
                break
            self._take_chunk(complete.head(CHUNK))
            rows = rows.slice(CHUNK) if complete.height > CHUNK else rows.slice(complete.height)
        ends = [key for place, key in truncated.items() if place not in self.full]
        return min(ends) if ends else None

    def capacity_for(self, truncated: Iterable[str]) -> int:
        """Say which places are short, and how many documents to hold to fill them."""
        assert self.draw.per_place is not None
        wanted = []
        for place in sorted(set(truncated) - self.full):
            short = self.draw.per_place - self._n_taken[place]
            logger.info(
                "%s: %d of %d documents looked at passed, %d more are wanted: reading once more",
                place.removeprefix("="), self._n_taken[place], self._looked_at[place], short,
            )  # fmt: skip
            wanted.append(short * self._looked_at[place] / max(1, self._n_taken[place]))
        return int(max(wanted) * 1.3) + self.draw.per_place

    def _take_chunk(self, chunk: pl.DataFrame) -> None:
        import polars as pl

        judged = self.judge(chunk)
        folded = content_keys(fold(judged["text"]), self.draw.seed).to_list()
        signatures = self._near.signatures(judged["text"].to_list()) if self._near else folded
        origins = chunk.select(*ORIGIN, "copies").rows()
        verdicts = judged.select("place", "fate").rows()
        taken: list[int] = []
        for i, (place, fate) in enumerate(verdicts):
            if place in self.full:
                continue
            *origin, copies = origins[i]
            self._looked_at[place] += 1
            if fate == "kept":
                fate = self._compare(folded[i], signatures[i])
            self.counts[*origin, fate] += 1
            self.counts[*origin, "dropped_duplicate"] += copies - 1
            if fate == "kept":
                taken.append(i)
                self._n_taken[place] += 1
                if place != FREE and self._n_taken[place] == self.draw.per_place:
                    self.full.add(place)
        self._taken.append(judged[taken].select(pl.exclude("copies", "fate")))

    def _compare(self, text: int, signature: Any) -> str:
        """Take a document unless one like it was taken before; give its fate."""
        if text in self._texts:
            return "dropped_duplicate"
        if self._near is not None:
            if self._near.holds(signature):
                return "dropped_near_duplicate"
            self._near.take(signature)
        self._texts.add(text)
        return "kept"

    def documents(self) -> pl.DataFrame:
        """The documents taken, in the order of their keys."""
        import polars as pl

        return pl.concat(self._taken)

    def count(self, read: pl.DataFrame) -> Counts:
        """Add the documents that were never looked at, and those without text."""
        counts = Counter(self.counts)
        looked_at: Counter[tuple[str, str, str]] = Counter()
        for (source, rule, country, _), n in self.counts.items():
            looked_at[source, rule, country] += n
        for source, rule, country, item, n in read.select(*ORIGIN, "item", "n").rows():
            if item:
                counts[source, rule, country, item] += n
            else:
                rest = n - looked_at[source, rule, country]
                if rest < 0:
                    raise InputError(f"source {source}: changed while it was read; run again")
                counts[source, rule, country, "not_sampled"] += rest
        return +counts
