"""Tables of the corpora, the gender of their passages, and the word lists."""

from __future__ import annotations

from biasatlas.tables.columns import (
    LANGUAGE,
    REGION,
    Table,
    count,
    key,
    share,
    text,
)

CORPUS = Table(
    "corpus",
    "How many documents, passages and words were read, dropped and kept, by country and source.",
    ("corpus", "language", "region", "country", "source", "item", "unit", "rule"),
    (
        key("corpus", "Name of the corpus, as in the configuration."),
        LANGUAGE,
        text("region", "Name of the region; empty where an item was dropped before it had one."),
        text(
            "country",
            "ISO 3166 alpha-3 code of the country; where region is empty the one that the source "
            "gives, which is empty where the text decides.",
        ),
        text(
            "source",
            "Outlet or data set; the file's name where its reader counted.",
        ),
        key(
            "item",
            "What is counted: `read`, `kept`, `not_sampled`, `other_part`, `dropped_<reason>`, which "
            "add up; and what else happened, such as `country_unknown`, `decoded_by_fallback`, "
            "`damaged`, `skipped_<reason>`.",
        ),
        text("unit", "Unit of the count.", "document", "passage", "word", "file"),
        count("n", "The count."),
        text(
            "rule",
            "How a document got its region, such as `most mentioned country`; for other counts what "
            "was found, such as an unknown country.",
        ),
    ),
)

GENDER = Table(
    "gender",
    "Passages of each region by the gender of the terms in them.",
    ("language", "region"),
    (
        LANGUAGE,
        REGION,
        count("passages", "Passages of the discovery corpus."),
        count("female", "Passages with female terms only."),
        count("male", "Passages with male terms only."),
        count("both", "Passages with terms of both genders."),
        count("neither", "Passages without a gendered term."),
        share("female_share", "female / (female + male)."),
        count("gendered_used", "Gendered passages used for topics, after the cap."),
        count("documents_female", "Documents with at least one female passage."),
        count("documents_male", "Documents with at least one male passage."),
        key("both_rule", "What was done with passages of both genders, such as `exclude`."),
        text(
            "word_list",
            "List of gendered words, with `(not validated)` where nobody who speaks the language "
            "has checked it.",
        ),
        text("warning", "Why the region is thin, if it is; otherwise empty."),
    ),
)

WORD_LISTS = Table(
    "word_lists",
    "What the lint of the word lists found; a list with an error stops the run.",
    ("file", "line", "place", "word", "problem"),
    (
        key("file", "The file, below resources."),
        count("line", "Line in the file."),
        text("place", "Where in the file, such as `targets.x.words`."),
        text("word", "The word."),
        key("problem", "What is wrong with it."),
        text("severity", "Errors stop the run.", "error", "warning"),
    ),
)
