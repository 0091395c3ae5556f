"""One pass over any number of documents that keeps the smallest content keys of each place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from biasatlas.corpora.readers.batches import COLUMNS
from biasatlas.corpora.sampling import content_keys, fold

if TYPE_CHECKING:
    import polars as pl

# A document's place is the region's label or the country that it carries; one without either is
# free.
FREE = "~"
ORIGIN = ("source", "given_rule", "country")
ORDER = ("key", "turn", *ORIGIN, "document")
MAX_KEY = 2**64 - 1


def place_of() -> pl.Expr:
    """Place of a document: its region's label or its country, `FREE` where it has neither."""
    import polars as pl

    return (
        pl.when(pl.col("region") != "").then("=" + pl.col("region"))
        .when(pl.col("country") != "").then(pl.col("country"))
        .otherwise(pl.lit(FREE))
    )  # fmt: skip


def turn(key: int, place: str) -> int:
    """Which of the places that hold one text has it first: by chance, and free documents last."""
    import xxhash

    return MAX_KEY if place == FREE else xxhash.xxh3_64_intdigest(place.encode(), seed=key)


class Candidates:
    """The documents with the smallest content keys of each place, and counts of all.

    Texts that are equal but for case and white space share a key and count once; of each source
    and country the row with the smallest id stays. What is held depends on the documents alone,
    not on their order or on how they come in batches.

    Parameters
    ----------
    capacity : int or None
        Distinct keys to hold of each place; None holds all. Documents without a place are all
        held, since nobody knows yet where they belong.
    seed : int
        Seed of the keys.
    above : int or None
        Only keys above this one are held.
    closed : collection of str
        Places that need no more documents.
    """

    def __init__(
        self,
        capacity: int | None,
        seed: int,
        *,
        above: int | None = None,
        closed: Iterable[str] = (),
    ) -> None:
        self.capacity = capacity
        self.seed = seed
        self.above = above
        self.closed = set(closed)
        self._held: dict[str, list[pl.DataFrame]] = {}
        self._new: dict[str, int] = {}
        self._limit: dict[str, int] = {}
        self._read: list[pl.DataFrame] = []

    def add(self, batch: pl.DataFrame) -> None:
        """Take the documents of one batch: columns of `batches.COLUMNS` and given_rule."""
        import polars as pl

        empty = pl.col("text").str.strip_chars() == ""
        batch = batch.with_columns(
            place=place_of(),
            item=pl.when(empty).then(pl.lit("dropped_empty")).otherwise(pl.lit("")),
        )  # fmt: skip
        self._read.append(batch.group_by(*ORIGIN, "item").len("n"))
        if len(self._read) > 100:
            self._read = [_add_up(self._read)]
        batch = self._smallest(batch.filter(pl.col("item") == "").drop("item"))
        for (place,), rows in batch.group_by("place"):
            self._held.setdefault(str(place), []).append(rows)
            self._new[str(place)] = self._new.get(str(place), 0) + rows.height
            self._compact_when_full(str(place))

    def _smallest(self, batch: pl.DataFrame) -> pl.DataFrame:
        """Add the keys, and leave out rows that can be none of the smallest of their place."""
        import polars as pl

        batch = batch.with_columns(content_keys(fold(batch["text"]), self.seed))
        wanted = ~pl.col("place").is_in(sorted(self.closed))
        if self.above is not None:
            wanted &= pl.col("key") > pl.lit(self.above, pl.UInt64)
        if self._limit:
            limit = pl.col("place").replace_strict(
                self._limit, default=pl.lit(MAX_KEY, pl.UInt64), return_dtype=pl.UInt64
            )
            wanted &= pl.col("key") <= limit
        return _own(batch.filter(wanted).with_columns(copies=pl.lit(1, pl.Int64)))

    def _compact_when_full(self, place: str) -> None:
        # half as many new rows as are held, so that sorting stays a small part of the pass
        if self.capacity is None:
            return
        held = self._held[place][0].height if place == FREE else self.capacity
        if self._new[place] > held // 2 + self.capacity // 2:
            self._compact(place)

    def _compact(self, place: str) -> None:
        """Keep one row a key and origin, of the `capacity` smallest keys."""
        import polars as pl

        together = pl.concat(self._held[place])
        held = (
            together.sort("key", *ORIGIN, "document", pl.all())
            .group_by("key", *ORIGIN, maintain_order=True)
            .agg(pl.all().exclude("copies").first(), pl.col("copies").sum())
            .select(together.columns)
        )
        if self.capacity is not None and place != FREE:
            rank = held["key"].rle_id()
            if int(rank[-1]) >= self.capacity:
                held = held.filter(rank < self.capacity)
                self._limit[place] = int(held["key"][-1])
        self._held[place] = [_own(held)]
        self._new[place] = 0

    def rows(self) -> pl.DataFrame:
        """The documents held, in the order of `ORDER`, with key, place, turn and copies."""
        import polars as pl

        for place in self._held:
            self._compact(place)
        kinds = {"key": pl.UInt64, "copies": pl.Int64}
        columns = (*COLUMNS, *kinds, "given_rule", "place")
        empty = pl.DataFrame(schema={name: kinds.get(name, pl.String) for name in columns})
        frames = [frame.select(columns) for held in self._held.values() for frame in held]
        held = pl.concat([empty, *frames])
        turns = [turn(key, place) for key, place in held.select("key", "place").iter_rows()]
        return held.with_columns(pl.Series("turn", turns, dtype=pl.UInt64)).sort(*ORDER)

    def truncated(self) -> dict[str, int]:
        """Largest key held of each place that had more documents than the capacity."""
        return dict(self._limit)

    def read(self) -> pl.DataFrame:
        """Counts of all documents seen: `ORIGIN`, item (dropped_empty or empty) and n."""
        return _add_up(self._read)


def _own(frame: pl.DataFrame) -> pl.DataFrame:
    """Copy a frame's text: rows that were chosen would keep the whole batch in memory."""
    import polars as pl

    copy = pl.from_arrow(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    assert isinstance(copy, pl.DataFrame)
    return copy


def _add_up(frames: list[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    if not frames:
        columns = dict.fromkeys((*ORIGIN, "item"), pl.String)
        return pl.DataFrame(schema={**columns, "n": pl.UInt32})
    return pl.concat(frames).group_by(*ORIGIN, "item").agg(pl.col("n").sum())
