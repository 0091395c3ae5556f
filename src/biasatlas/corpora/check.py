"""What becomes of a document by itself: cleaned, measured, told its language and country."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biasatlas.corpora.candidates import place_of
from biasatlas.corpora.cleaning import clean
from biasatlas.corpora.gazetteer import (
    GIVEN,
    MOST,
    NONE,
    NOWHERE,
    TIE,
    Gazetteer,
    assign_country,
)
from biasatlas.corpora.language_filter import language_probability
from biasatlas.corpora.preparation import Preparation
from biasatlas.corpora.segmentation import needs_segmentation, segment

if TYPE_CHECKING:
    import polars as pl

RULES = {
    MOST: "most mentioned country",
    TIE: "tie: country of the outlet",
    NONE: "no country named: country of the outlet",
    NOWHERE: "",
}


class Check:
    """Clean documents, say what becomes of each by itself, and find its country."""

    def __init__(
        self, language: str, preparation: Preparation, gazetteer: Gazetteer | None = None
    ) -> None:
        self.language = language
        self.preparation = preparation
        self.gazetteer = gazetteer

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Give the rows cleaned, with the columns fate, rule, given_country and their place."""
        import polars as pl

        wanted = self.preparation
        words = pl.col("text").str.count_matches(r"\S+")
        rows = rows.with_columns(clean(rows["title"]), clean(rows["text"]))
        if needs_segmentation(self.language):
            texts = segment(rows["text"].to_list(), self.language)
            rows = rows.with_columns(pl.Series("text", texts, dtype=pl.String))
        too_long = pl.lit(False) if wanted.max_words is None else words > wanted.max_words
        rows = rows.with_columns(
            fate=pl.when(words == 0).then(pl.lit("dropped_empty"))
            .when(words < wanted.min_words).then(pl.lit("dropped_short"))
            .when(too_long).then(pl.lit("dropped_long"))
            .otherwise(pl.lit("kept"))
        )  # fmt: skip
        if wanted.language_min is not None:
            rows = self._other_language(rows)
        return self._find_place(rows)

    def _find_place(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Fill the country where it was open; without any a document is dropped."""
        import polars as pl

        given = pl.col("country").alias("given_country")
        rows = assign_country(rows.with_columns(given), self.gazetteer)
        nowhere = (pl.col("country") == "") & (pl.col("region") == "")
        rule = (
            pl.when(pl.col("how") == GIVEN)
            .then(pl.col("given_rule"))
            .otherwise(pl.col("how").replace(RULES))
        )
        return rows.with_columns(
            place=place_of(),
            rule=rule,
            fate=pl.when((pl.col("fate") == "kept") & nowhere)
            .then(pl.lit("dropped_no_country"))
            .otherwise("fate"),
        ).drop("how")

    def _other_language(self, rows: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        wanted = self.preparation
        assert wanted.language_min is not None
        assert wanted.language_model is not None
        probability = pl.Series(
            "probability",
            language_probability(rows["text"].to_list(), self.language, wanted.language_model),
        )
        other = (pl.col("fate") == "kept") & (pl.col("probability") < wanted.language_min)
        return (
            rows.with_columns(probability)
            .with_columns(
                fate=pl.when(other).then(pl.lit("dropped_language")).otherwise(pl.col("fate"))
            )
            .drop("probability")
        )
