"""Tables of topics: what they are, how sure that is, and what regions have in common."""

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

GENDERS = ("female", "male", "none")
KINDS = ("same_gender", "different_gender", "undecided")
_KIND = (
    "`same_gender` where two or more members have a gender and it is one, `different_gender` where "
    "there are a female and a male one, else `undecided`"
)

TOPICS = Table(
    "topics",
    "The topics of every region, their alignment with gender, and how sure both are.",
    ("language", "region", "topic"),
    (
        LANGUAGE,
        REGION,
        count(
            "topic",
            "Number of the topic in its region, kept over reruns of one configuration; -1 is the "
            "outliers.",
            low=-1,
        ),
        text("label", "Short label."),
        text(
            "label_by",
            "What gave the label: a language model, the nearest phrase, or the first words.",
            "llm",
            "phrase",
            "words",
            "",
        ),
        text("label_phrase", "The label that the nearest phrase alone gives."),
        text("label_second", "The label of the second labeller, where there is one."),
        text("label_note", "Why a language model's label was not taken; otherwise empty."),
        text("words", 'The ten words that set the topic apart, joined by "; ".'),
        text("keywords", 'Key words of the topic\'s passages, joined by "; ".'),
        count(
            "n_passages",
            "Gendered passages in the topic; one used for both genders counts twice.",
        ),
        count("n_moved", "Those among them that were outliers and moved in (`topics.outliers`)."),
        count("n_documents", "Documents that these passages come from."),
        count("n_female", "Female passages in the topic."),
        count("n_male", "Male passages in the topic."),
        share(
            "p_female_paper",
            "Mean topic probability over the topic's female passages, those moved in left out.",
        ),
        share("p_male_paper", "Mean topic probability over the topic's male passages."),
        text(
            "gender_paper",
            "Gender by the paper's rule, the larger of the two means; `none` where one is missing "
            "or they are equal.",
            *GENDERS,
        ),
        number(
            "log_odds",
            "Log odds ratio (natural logarithm) of female to male passages in the topic against "
            "the rest of the region; positive where the topic is more female.",
        ),
        number("log_odds_low", "Lower end of its bootstrap interval over documents."),
        number("log_odds_high", "Upper end of its bootstrap interval over documents."),
        positive_share("p_value", "Two-sided p of permuting gender among documents."),
        positive_share(
            "p_min",
            "p of the most extreme count among the permutations: where it is large the topic is too "
            "small to be told.",
        ),
        positive_share(
            "p_needed", "Largest p that would have been called, given all others in the language."
        ),
        share(
            "q_value",
            "Benjamini-Hochberg adjusted p over the topics of all regions of the language.",
        ),
        text(
            "gender",
            "Gender of the topic by the run's rule: by its log odds where significant, otherwise "
            "`none`; or as gender_paper where the run follows the paper.",
            *GENDERS,
        ),
        number("u_mass", "Coherence of the ten words (u_mass; nearer to 0 is more coherent)."),
        number(
            "c_v", "Coherence of the ten words (c_v; from 0 to 1, higher is more coherent).", -1, 1
        ),
        share("top_document_share", "Share of the passages from the largest document."),
        text("top_name", "The name that most passages of the topic hold."),
        share("top_name_share", "Share of the topic's passages that hold that name."),
        share("jaccard_seed", "Overlap with its best match when the seed changes (mean Jaccard)."),
        share("jaccard_order", "The same when the order of the passages changes."),
        share("jaccard_bootstrap", "The same when documents are drawn anew (the even draws)."),
        share(
            "recovered", "Share of the even draws of documents with a match of Jaccard 0.5 or more."
        ),
        share(
            "same_gender",
            "Share of the even draws with such a match that also leans the same way, passages moved "
            "in left out.",
        ),
        share(
            "jaccard_masking",
            "Overlap with its best match when gender terms are shown instead of hidden, or hidden "
            "instead of shown.",
        ),
        text(
            "stability",
            "`stable` where the topic comes again (docs/topics.md); `unknown` where no refit was run.",
            "stable",
            "unstable",
            "unknown",
        ),
        number("map_x", "Place on the topic map, from 0 to 1.", 0.0, 1.0),
        number("map_y", "Place on the topic map, from 0 to 1.", 0.0, 1.0),
        text("flags", 'Reasons for care, joined by "; ", such as `one name`.'),
    ),
)

PAIRS = Table(
    "pairs",
    "Topic pairs, one female and one male, found in each region by either selection. A selection "
    "without a pair has one row with rank 0, topics -1, empty text and the reason in note.",
    ("language", "region", "selection", "rank"),
    (
        LANGUAGE,
        REGION,
        text(
            "selection",
            "How pairs were chosen: `matching` one to one among tested and stable topics, or by "
            "`gap` (the paper).",
            "matching",
            "gap",
        ),
        count(
            "rank", "Rank of the pair in its region and selection from 1; 0 where there is none."
        ),
        Column("primary", "boolean", "Whether the selection is the run's own (`pairs.selection`)."),
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
        share(
            "support",
            "Share of drawn document sets in which both topics come again, lean their way, and are "
            "joined when the run's own candidates are matched; not tested again. Empty for `gap`.",
        ),
        share("support_low", "Lower end of the 95% Wilson interval of support."),
        share("support_high", "Upper end of it."),
        count(
            "n_draws", "Draws of documents behind the support: the odd ones, which chose no topic."
        ),
        share(
            "support_tested",
            "Share of them in which both topics come again, are told to be female and male, and are "
            "joined among all that are; empty for `gap`, whose rule refits cannot apply.",
        ),
        share(
            "support_topics", "Share of them in which both topics come again, each leaning its way."
        ),
        number("gap_same", "|cos(F, she) - cos(M, he)|.", 0.0),
        number("gap_cross", "|cos(F, he) - cos(M, she)|.", 0.0),
        Column(
            "passes_gap", "boolean", "Whether the pair passes the paper's rule at gap_threshold."
        ),
        number("gap_threshold", "Threshold of the paper's rule.", 0.0),
        count("n_candidates", "Candidate pairs of the region in this selection."),
        count("n_passing", "Candidate pairs that pass the paper's rule."),
        number(
            "chance_passing",
            "Pairs that pass on average when genders are dealt at random to the topics.",
            0.0,
        ),
        number("chance_low", "Lower end (2.5%) of that number over random deals.", 0.0),
        number("chance_high", "Upper end (97.5%) of it.", 0.0),
        text("note", "Why there is no pair, or what to beware of."),
    ),
)

PAIR_CANDIDATES = Table(
    "pair_candidates",
    "Every female and male topic that the matching could have joined.",
    ("language", "region", "female_topic", "male_topic"),
    (
        LANGUAGE,
        REGION,
        count("female_topic", "Number of the female topic."),
        count("male_topic", "Number of the male topic."),
        number("gap_same", "|cos(F, she) - cos(M, he)|.", 0.0),
        number("gap_cross", "|cos(F, he) - cos(M, she)|.", 0.0),
        number("weight", "Product of the absolute log odds, which the matching maximises.", 0.0),
        share("support", "Share of drawn document sets in which these two are paired again."),
        share(
            "support_tested",
            "Share of them in which the two come again, are told female and male, and are joined.",
        ),
        Column("chosen", "boolean", "Whether the two are a pair of the run."),
    ),
)

PAIR_THRESHOLDS = Table(
    "pair_thresholds",
    "How many candidate pairs the paper's rule passes at several thresholds, and how many by chance.",
    ("language", "region", "rule", "threshold"),
    (
        LANGUAGE,
        REGION,
        text("rule", "Which gaps must lie under the threshold.", "either", "both", "same"),
        number("threshold", "The threshold.", 0.0),
        count("n_candidates", "Candidate pairs by the paper's genders."),
        count("n_passing", "Those that pass."),
        number("chance_passing", "Passing on average when genders are dealt at random.", 0.0),
        number("chance_low", "Lower end (2.5%) over random deals.", 0.0),
        number("chance_high", "Upper end (97.5%) over random deals.", 0.0),
    ),
)

TOPIC_STABILITY = Table(
    "topic_stability",
    "How far the topics of a region come again when the seed, the order, the documents or the "
    "hiding of gender terms change.",
    ("language", "region", "kind"),
    (
        LANGUAGE,
        REGION,
        text("kind", "What changes.", "seed", "order", "bootstrap", "masking"),
        count("n_replicates", "Models fitted anew."),
        count("n_topics", "Topics of the run's own model."),
        count("n_stable", "Topics of it that are stable, over all kinds."),
        number("topics_mean", "Topics of the other models on average.", 0.0),
        share("outlier_share", "Share of passages in no topic of the run's own model."),
        share("outlier_share_mean", "The same in the other models on average."),
        number("ari_mean", "Adjusted Rand index between the two, outliers as one cluster; mean."),
        number("ari_min", "The smallest."),
        number("ari_max", "The largest."),
        number("ari_clustered", "The mean over passages that are in a topic of both."),
        count("n_lost", "Topics of the run's own model without a match of Jaccard 0.5 on average."),
    ),
)

TOPIC_EXAMPLES = Table(
    "topic_examples",
    "Passages nearest to the middle of each topic, from different documents where possible.",
    ("language", "region", "topic", "rank"),
    (
        LANGUAGE,
        REGION,
        count("topic", "Number of the topic."),
        count("rank", "Rank from 1, nearest first."),
        key("id", "Id of the passage."),
        text("document", "Id of its document."),
        text("country", "Country of the document."),
        text("gender", "Gender of the passage.", "female", "male", "both"),
        text("text", "The passage, cut to about 300 characters."),
    ),
)

TOPIC_HIERARCHY = Table(
    "topic_hierarchy",
    "How the topics of a region join into broader ones.",
    ("language", "region", "node"),
    (
        LANGUAGE,
        REGION,
        count("node", "Number of the joined topic, above those of the topics."),
        count("left", "One of the two that join: a topic or an earlier node."),
        count("right", "The other."),
        number("distance", "Distance at which they join.", 0.0),
        count("n_topics", "Topics in it."),
        text("topics", 'Their numbers, joined by "; ".'),
        text("words", 'Words of the joined topic, joined by "; ".'),
    ),
)

NGRAMS = Table(
    "ngrams",
    "The most frequent words and two-word phrases in the passages of each topic.",
    ("language", "region", "topic", "n", "rank"),
    (
        LANGUAGE,
        REGION,
        count("topic", "Number of the topic."),
        count("n", "Words of the phrase: 1 or 2.", low=1),
        count("rank", "Rank from 1.", low=1),
        key("ngram", "The word or phrase."),
        count("count", "Occurrences in the topic's passages."),
        count("n_passages", "Passages of the topic that hold it."),
        share("share", "Share of the topic's passages that hold it."),
    ),
)

COMMON_TOPICS = Table(
    "common_topics",
    "Topics that several regions share: the two tables of Borah et al., appendix E, by `kind`.",
    ("language", "group", "region"),
    (
        LANGUAGE,
        count("group", "Number of the common topic.", low=1),
        REGION,
        count("topic", "Number of the topic in its region."),
        text("label", "Its label."),
        text("gender", "Its gender by the run's rule.", *GENDERS),
        text("gender_paper", "Its gender by the paper's rule.", *GENDERS),
        text("kind", f"Of the group, by the run's rule: {_KIND}.", *KINDS),
        text("kind_paper", "The same by the paper's rule.", *KINDS),
        number("similarity_mean", "Mean cosine to the other topics of the group.", -1, 1),
        number("similarity_min", "Smallest cosine to another topic of the group.", -1, 1),
        text(
            "matched_by", "What made it common: embedding, or the same label.", "embedding", "label"
        ),
        text("unigrams", 'Its ten most frequent words, joined by "; ".'),
        text("bigrams", 'Its ten most frequent two-word phrases, joined by "; ".'),
    ),
)

COMMON_CHANCE = Table(
    "common_chance",
    "How many common topics have one gender or two, beside what chance gives.",
    ("language", "rule", "kind"),
    (
        LANGUAGE,
        text("rule", "By which gender of topics: the run's, or the paper's.", "tested", "paper"),
        text("kind", f"{_KIND[0].upper()}{_KIND[1:]}.".replace("``", "`"), *KINDS),
        count("n_groups", "Common topics of that kind."),
        number(
            "expected", "Their number on average with genders dealt at random in each region.", 0
        ),
        number("expected_low", "Lower end (2.5%) over random deals.", 0.0),
        number("expected_high", "Upper end (97.5%) over random deals.", 0.0),
    ),
)
