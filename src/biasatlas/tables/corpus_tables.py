"""Tables of the corpora and what is found in them: gender, topics, pairs."""

from __future__ import annotations

from biasatlas.tables.columns import (
    LANGUAGE,
    REGION,
    Column,
    Table,
    count,
    key,
    number,
    positive_share,
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

TOPICS = Table(
    "topics",
    "The topics of every region and their alignment with gender.",
    ("language", "region", "topic"),
    (
        LANGUAGE,
        REGION,
        count("topic", "Number of the topic in its region; -1 is the outliers.", low=-1),
        text("label", "Short label."),
        text("words", 'The ten words that set the topic apart, joined by "; ".'),
        text("keywords", 'Key words of the topic\'s passages, joined by "; ".'),
        count("n_passages", "Gendered passages in the topic."),
        count("n_documents", "Documents that these passages come from."),
        count("n_female", "Female passages in the topic."),
        count("n_male", "Male passages in the topic."),
        share("p_female_paper", "Mean topic probability over the topic's female passages."),
        share("p_male_paper", "Mean topic probability over the topic's male passages."),
        text(
            "gender_paper",
            "Gender by the paper's rule, the larger of the two means; `none` where one is missing "
            "or they are equal.",
            "female",
            "male",
            "none",
        ),
        number(
            "log_odds",
            "Log odds ratio (natural logarithm) of female to male passages in the topic against "
            "the rest of the region; positive where the topic is more female.",
        ),
        number("log_odds_low", "Lower end of its bootstrap interval over documents."),
        number("log_odds_high", "Upper end of its bootstrap interval over documents."),
        positive_share("p_value", "Two-sided p of permuting gender among documents."),
        positive_share("p_min", "Smallest p that this many permutations can give."),
        share("q_value", "Benjamini-Hochberg adjusted p over the topics of the region."),
        text(
            "gender",
            "Gender of the topic by the run's rule: by its log odds where significant, otherwise "
            "`none`; or as gender_paper where the run follows the paper.",
            "female",
            "male",
            "none",
        ),
        number("u_mass", "Coherence of the ten words (u_mass; nearer to 0 is more coherent)."),
        share("top_document_share", "Share of the passages from the largest document."),
        text("top_name", "The name that most passages of the topic hold."),
        share("top_name_share", "Share of the topic's passages that hold that name."),
        text("flags", 'Reasons for care, joined by "; ", such as `one name`.'),
    ),
)

PAIRS = Table(
    "pairs",
    "Topic pairs, one female and one male, found in each region. A region without a pair has "
    "one row with rank 0, topics -1, empty text and the reason in note.",
    ("language", "region", "rank"),
    (
        LANGUAGE,
        REGION,
        count("rank", "Rank of the pair in its region from 1; 0 where there is none."),
        count("female_topic", "Number of the female topic; -1 where there is no pair.", low=-1),
        count("male_topic", "Number of the male topic; -1 where there is no pair.", low=-1),
        text("female_label", "Label of the female topic."),
        text("male_label", "Label of the male topic."),
        text("female_words", 'Ten words of the female topic, joined by "; ".'),
        text("male_words", 'Ten words of the male topic, joined by "; ".'),
        number("female_log_odds", "Log odds of the female topic, as in topics."),
        number("male_log_odds", "Log odds of the male topic, as in topics."),
        number("female_u_mass", "Coherence of the female topic."),
        number("male_u_mass", "Coherence of the male topic."),
        number("gap_same", "|cos(F, she) - cos(M, he)|.", 0.0),
        number("gap_cross", "|cos(F, he) - cos(M, she)|.", 0.0),
        Column(
            "passes_gap", "boolean", "Whether the pair passes the paper's rule at gap_threshold."
        ),
        number("gap_threshold", "Threshold of the paper's rule.", 0.0),
        count("n_candidates", "Candidate pairs of the region."),
        count("n_passing", "Candidate pairs that pass the paper's rule."),
        number(
            "chance_passing",
            "Pairs that pass on average when genders are dealt at random to the topics.",
            0.0,
        ),
        text(
            "selection",
            "How pairs were chosen: `matching` one to one by alignment, or by `gap` (the paper).",
            "matching",
            "gap",
        ),
        text("note", "Why there is no pair, or what to beware of."),
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
