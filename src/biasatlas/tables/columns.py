"""What every column of every table holds: the one source of the schemas and of their page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Kind = Literal["text", "integer", "number", "boolean"]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Its name in the file.
    kind : {'text', 'integer', 'number', 'boolean'}
        What a cell holds. Only numbers may be empty, and only where `nullable`.
    description : str
        What the column means, with its unit.
    allowed : tuple of str
        The only values that a text cell may have; empty where any text goes.
    low, high : float or None
        Smallest and largest number allowed.
    above_low : bool
        Whether `low` itself is not allowed.
    nullable : bool
        Whether a cell may be empty (NaN).
    filled : bool
        Whether a text cell must not be empty.
    """

    name: str
    kind: Kind
    description: str
    allowed: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above_low: bool = False
    nullable: bool = False
    filled: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its purpose, its columns in order and the columns that identify a row."""

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]


def _text(name: str, description: str, *allowed: str, filled: bool = False) -> Column:
    return Column(name, "text", description, allowed=allowed, filled=filled)


def _key(name: str, description: str) -> Column:
    return _text(name, description, filled=True)


def _count(name: str, description: str, low: int = 0) -> Column:
    return Column(name, "integer", description, low=low)


def _number(
    name: str, description: str, low: float | None = None, high: float | None = None
) -> Column:
    return Column(name, "number", description, low=low, high=high, nullable=True)


def _share(name: str, description: str) -> Column:
    return _number(name, description, 0.0, 1.0)


def _positive_share(name: str, description: str) -> Column:
    return Column(name, "number", description, low=0.0, high=1.0, above_low=True, nullable=True)


LANGUAGE = _key("language", "ISO 639 code of the language of the text, such as `en`.")
REGION = _key("region", "Name of the region, as in the configuration.")

ASSOCIATION: tuple[Column, ...] = (
    _text("corpus", "Corpus behind the vectors; empty for pretrained vectors."),
    _key("model", "Algorithm or name of the word vectors, such as `word2vec` or `glove`."),
    _count("seed", "Random seed of the vectors; -1 where nothing is random.", low=-1),
    _key("test", "Name of the association test, as in its word list."),
    _text("description", "What the test compares, in words."),
    _text("x", "Name of the first target set, X."),
    _text("y", "Name of the second target set, Y."),
    _text("a", "Name of the first attribute set, A."),
    _text("b", "Name of the second attribute set, B."),
    _count("n_x", "Distinct words of X used: those with a vector, less those dropped."),
    _count("n_y", "Distinct words of Y used: those with a vector, less those dropped."),
    _count("n_a", "Distinct words of A used: those with a vector, less those dropped."),
    _count("n_b", "Distinct words of B used: those with a vector, less those dropped."),
    _count("asked_x", "Words of X in the list."),
    _count("asked_y", "Words of Y in the list."),
    _count("asked_a", "Words of A in the list."),
    _count("asked_b", "Words of B in the list."),
    _share(
        "coverage",
        "Smallest, over the four sets, of the share of distinct words that have a vector.",
    ),
    _text("words_missing", 'Words without a vector, joined by "; ".'),
    _text("words_duplicate", 'Words listed twice in one set, joined by "; ".'),
    _text("words_shared", 'Words listed in two opposing sets, joined by "; ".'),
    _text("words_composed", 'Words whose vector was composed from parts, joined by "; ".'),
    _number(
        "statistic",
        "S' = mean of s over X minus mean of s over Y, where s(w) is the mean cosine of w with A "
        "minus that with B.",
    ),
    _number(
        "effect_size",
        "d = S' over the standard deviation (ddof 1) of s over X and Y together; positive where "
        "X goes with A.",
    ),
    _number("effect_low", "Lower end of the bootstrap interval of d over words."),
    _number("effect_high", "Upper end of the bootstrap interval of d over words."),
    _positive_share(
        "p_value",
        "One-sided permutation p: share of the partitions of X and Y together whose S' is at "
        "least the one observed. Never 0.",
    ),
    _share("p_strict", "As p_value, with partitions strictly above the one observed; may be 0."),
    _positive_share("p_two_sided", "Two-sided permutation p, by the absolute value of S'."),
    _share(
        "p_lower",
        "Lower end of the band of p_value: without ties other than the observed partition.",
    ),
    _share("p_upper", "Upper end of the band of p_value; equal to it where exact."),
    _positive_share("p_min", "Smallest p_value that sets of this size can give."),
    _share("q_value", "Benjamini-Hochberg adjusted p_value over the run's family of tests."),
    _share("p_holm", "Holm adjusted p_value over the same family."),
    _text("method", "How p was found, such as `exact`."),
    _text(
        "status",
        "`ok`; `thin` where too few of the words have a vector for a claim; `refused` where no "
        "score can be given.",
        "ok",
        "thin",
        "refused",
    ),
    _text("note", "Why a row is thin or refused, and anything else that a reader must know."),
)

CORPUS = Table(
    "corpus",
    "How many documents, passages and words were read, dropped and kept, by country and source.",
    ("corpus", "language", "region", "country", "source", "item", "unit", "rule"),
    (
        _key("corpus", "Name of the corpus, as in the configuration."),
        LANGUAGE,
        _text("region", "Name of the region; empty where an item was dropped before it had one."),
        _text("country", "ISO 3166 alpha-3 code of the country; empty for all or none."),
        _text("source", "Outlet or data set; empty for all."),
        _key("item", "What is counted: `read`, `kept`, `not_sampled`, `dropped_<reason>`."),
        _text("unit", "Unit of the count.", "document", "passage", "word"),
        _count("n", "The count."),
        _text("rule", "How a document got its region, such as `most mentioned country`."),
    ),
)

GENDER = Table(
    "gender",
    "Passages of each region by the gender of the terms in them.",
    ("language", "region"),
    (
        LANGUAGE,
        REGION,
        _count("passages", "Passages of the discovery corpus."),
        _count("female", "Passages with female terms only."),
        _count("male", "Passages with male terms only."),
        _count("both", "Passages with terms of both genders."),
        _count("neither", "Passages without a gendered term."),
        _share("female_share", "female / (female + male)."),
        _count("gendered_used", "Gendered passages used for topics, after the cap."),
        _count("documents_female", "Documents with at least one female passage."),
        _count("documents_male", "Documents with at least one male passage."),
        _key("both_rule", "What was done with passages of both genders, such as `exclude`."),
        _text("warning", "Why the region is thin, if it is; otherwise empty."),
    ),
)

WEAT = Table(
    "weat",
    "Word embedding association tests of every region and of pretrained vectors (region "
    "`pretrained`), which are the positive control.",
    ("language", "region", "corpus", "model", "seed", "test"),
    (LANGUAGE, REGION, *ASSOCIATION),
)

TOPICS = Table(
    "topics",
    "The topics of every region and their alignment with gender.",
    ("language", "region", "topic"),
    (
        LANGUAGE,
        REGION,
        _count("topic", "Number of the topic in its region; -1 is the outliers.", low=-1),
        _text("label", "Short label."),
        _text("words", 'The ten words that set the topic apart, joined by "; ".'),
        _text("keywords", 'Key words of the topic\'s passages, joined by "; ".'),
        _count("n_passages", "Gendered passages in the topic."),
        _count("n_documents", "Documents that these passages come from."),
        _count("n_female", "Female passages in the topic."),
        _count("n_male", "Male passages in the topic."),
        _share("p_female_paper", "Mean topic probability over the topic's female passages."),
        _share("p_male_paper", "Mean topic probability over the topic's male passages."),
        _text(
            "gender_paper",
            "Gender by the paper's rule, the larger of the two means; `none` where one is missing "
            "or they are equal.",
            "female",
            "male",
            "none",
        ),
        _number(
            "log_odds",
            "Log odds ratio (natural logarithm) of female to male passages in the topic against "
            "the rest of the region; positive where the topic is more female.",
        ),
        _number("log_odds_low", "Lower end of its bootstrap interval over documents."),
        _number("log_odds_high", "Upper end of its bootstrap interval over documents."),
        _positive_share("p_value", "Two-sided p of permuting gender among documents."),
        _positive_share("p_min", "Smallest p that this many permutations can give."),
        _share("q_value", "Benjamini-Hochberg adjusted p over the topics of the region."),
        _text(
            "gender",
            "Gender of the topic by the run's rule: by its log odds where significant, otherwise "
            "`none`; or as gender_paper where the run follows the paper.",
            "female",
            "male",
            "none",
        ),
        _number("u_mass", "Coherence of the ten words (u_mass; nearer to 0 is more coherent)."),
        _share("top_document_share", "Share of the passages from the largest document."),
        _text("top_name", "The name that most passages of the topic hold."),
        _share("top_name_share", "Share of the topic's passages that hold that name."),
        _text("flags", 'Reasons for care, joined by "; ", such as `one name`.'),
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
        _count("rank", "Rank of the pair in its region from 1; 0 where there is none."),
        _count("female_topic", "Number of the female topic; -1 where there is no pair.", low=-1),
        _count("male_topic", "Number of the male topic; -1 where there is no pair.", low=-1),
        _text("female_label", "Label of the female topic."),
        _text("male_label", "Label of the male topic."),
        _text("female_words", 'Ten words of the female topic, joined by "; ".'),
        _text("male_words", 'Ten words of the male topic, joined by "; ".'),
        _number("female_log_odds", "Log odds of the female topic, as in topics."),
        _number("male_log_odds", "Log odds of the male topic, as in topics."),
        _number("female_u_mass", "Coherence of the female topic."),
        _number("male_u_mass", "Coherence of the male topic."),
        _number("gap_same", "|cos(F, she) - cos(M, he)|.", 0.0),
        _number("gap_cross", "|cos(F, he) - cos(M, she)|.", 0.0),
        Column(
            "passes_gap", "boolean", "Whether the pair passes the paper's rule at gap_threshold."
        ),
        _number("gap_threshold", "Threshold of the paper's rule.", 0.0),
        _count("n_candidates", "Candidate pairs of the region."),
        _count("n_passing", "Candidate pairs that pass the paper's rule."),
        _number(
            "chance_passing",
            "Pairs that pass on average when genders are dealt at random to the topics.",
            0.0,
        ),
        _text(
            "selection",
            "How pairs were chosen: `matching` one to one by alignment, or by `gap` (the paper).",
            "matching",
            "gap",
        ),
        _text("note", "Why there is no pair, or what to beware of."),
    ),
)

EVALUATION = Table(
    "evaluation",
    "Region-aware association tests: topics of a pair as X (female) and Y (male), female terms "
    "as A and male terms as B. Positive d means the bias that the pair predicts.",
    ("origin", "pair_region", "pair", "region", "language", "corpus", "model", "seed", "test"),
    (
        _text(
            "origin",
            "Whether the pair was found in this run or published in the paper.",
            "found",
            "published",
        ),
        _key("pair", "Identifier of the pair, such as `africa-P1`."),
        _key("pair_region", "Region that the pair belongs to."),
        _key("region", "Region whose vectors are scored; `pretrained` for pretrained vectors."),
        LANGUAGE,
        *ASSOCIATION,
        _number("published_reddit", "d that the paper gives for Reddit (its table 4)."),
        _number("published_ungdc", "d that the paper gives for the UN debates (its table 4)."),
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType(
    {table.name: table for table in (CORPUS, GENDER, WEAT, TOPICS, PAIRS, EVALUATION)}
)
