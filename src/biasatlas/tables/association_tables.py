"""Tables of association: tests, their null models and stability, companions, words."""

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

STATUS = text(
    "status",
    "`ok`; `thin` where too few of the words have a vector for a claim; `refused` where no "
    "score can be given.",
    "ok",
    "thin",
    "refused",
)
NOTE = text("note", "Why a row is thin or refused, and anything else that a reader must know.")
TEST = key("test", "Name of the association test, as in its word list.")
CONTROL = text(
    "control",
    "Whether these vectors pass the positive control, an association of frequent words that no "
    "text lacks: d > 0, p at most 0.05 and above the null band; `none` where there is no control.",
    "passed",
    "failed",
    "none",
)
VECTORS: tuple[Column, ...] = (
    text("corpus", "Corpus behind the vectors; empty for pretrained vectors."),
    key("model", "Algorithm or name of the word vectors, such as `word2vec`, `alc` or `glove`."),
    count("seed", "Random seed of the vectors; -1 where nothing is random.", low=-1),
)
SET = text("set", "The set: targets x and y, attributes a and b.", "x", "y", "a", "b")
KIND = text("kind", "Generic term, or given name of a person.", "term", "name")
CORRECTED: tuple[Column, ...] = (
    share("q_value", "Benjamini-Hochberg adjusted p_value over the rows with status ok."),
    share("p_holm", "Holm adjusted p_value over the same rows."),
)

ASSOCIATION: tuple[Column, ...] = (
    *VECTORS,
    TEST,
    text("description", "What the test compares, in words."),
    text("x", "Name of the first target set, X."),
    text("y", "Name of the second target set, Y."),
    text("a", "Name of the first attribute set, A."),
    text("b", "Name of the second attribute set, B."),
    count("n_x", "Distinct words of X used: those with a vector, less those dropped."),
    count("n_y", "Distinct words of Y used: those with a vector, less those dropped."),
    count("n_a", "Distinct words of A used: those with a vector, less those dropped."),
    count("n_b", "Distinct words of B used: those with a vector, less those dropped."),
    count("asked_x", "Words of X in the list."),
    count("asked_y", "Words of Y in the list."),
    count("asked_a", "Words of A in the list."),
    count("asked_b", "Words of B in the list."),
    share(
        "coverage",
        "Smallest, over the four sets, of the share of distinct words that have a vector.",
    ),
    share("coverage_terms", "The same among generic terms; empty where no set holds any."),
    share("coverage_names", "The same among given names; empty where no set holds any."),
    text("case", "How words were looked up.", "as_is", "lower", "both"),
    text("words_missing", 'Words without a vector, joined by "; ".'),
    text("words_duplicate", 'Words listed twice in one set, joined by "; ".'),
    text("words_shared", 'Words listed in two opposing sets, joined by "; ".'),
    text("words_composed", 'Words whose vector was composed from parts, joined by "; ".'),
    number(
        "statistic",
        "S' = mean of s over X minus mean of s over Y, where s(w) is the mean cosine of w with A "
        "minus that with B.",
    ),
    number(
        "effect_size",
        "d = S' over the standard deviation (ddof 1) of s over X and Y together; positive where "
        "X goes with A.",
    ),
    number("effect_low", "Lower end of the 95% interval of d over words (docs/intervals.md)."),
    number("effect_high", "Upper end of that interval."),
    positive_share(
        "p_value",
        "One-sided permutation p: share of the partitions of X and Y together whose S' is at "
        "least the one observed. Never 0.",
    ),
    share("p_strict", "As p_value, with partitions strictly above the one observed; may be 0."),
    positive_share("p_two_sided", "Two-sided permutation p, by the absolute value of S'."),
    share(
        "p_lower",
        "Certified lower bound of p_value; where exact, without ties but the observed partition.",
    ),
    share("p_upper", "Certified upper bound of p_value; equal to it, so p is never too small."),
    positive_share("p_min", "Smallest p_value that sets of this size can give."),
    share(
        "q_value", "Benjamini-Hochberg adjusted p_value over the row's family (docs/reading.md)."
    ),
    share("p_holm", "Holm adjusted p_value over the same family."),
    text(
        "method",
        "How p was found: every partition counted, or certified bounds (docs/association.md); "
        "empty where refused.",
        "exact",
        "certified",
        "certified_tail",
        "",
    ),
    number("coherence", "Mean over X and Y of the mean cosine between words of one set.", -1, 1),
    number("label_low", "2.5% of d when labels X and Y are dealt at random to the words."),
    number("label_high", "97.5% of that."),
    number(
        "null_low", "2.5% of d of random word sets matched in frequency, coherence and similarity."
    ),
    number("null_median", "50% of that."),
    number("null_high", "97.5% of that."),
    share("null_percentile", "Share of the random sets with a smaller d, ties half."),
    positive_share("null_p", "(1 + random sets whose d is at least the observed) / (1 + null_n)."),
    positive_share("null_p_two_sided", "Twice the smaller of null_p and that of the other side."),
    count("null_n", "Random pairs of sets; 0 where none were drawn."),
    number("null_coherence", "Mean coherence that the random sets reached.", -1, 1),
    CONTROL,
    STATUS,
    NOTE,
)

WEAT = Table(
    "weat",
    "Word embedding association tests of every region and, for reference, of pretrained vectors "
    "(region `pretrained`).",
    ("language", "region", "corpus", "model", "seed", "test"),
    (LANGUAGE, REGION, *ASSOCIATION),
)

EVALUATION = Table(
    "evaluation",
    "Region-aware association tests: topics of a pair as X (female) and Y (male), female terms "
    "as A and male terms as B. Positive d means the bias that the pair predicts.",
    ("origin", "pair_region", "pair", "region", "language", "corpus", "model", "seed", "test"),
    (
        text(
            "origin",
            "Whether the pair was found in this run, by its own selection or by the other one "
            "(`pairs.selection`), or published in the paper.",
            "found",
            "found_other",
            "published",
        ),
        key("pair", "Identifier of the pair, such as `africa-P1`."),
        key("pair_region", "Region that the pair belongs to."),
        key("region", "Region whose vectors are scored; `pretrained` for pretrained vectors."),
        LANGUAGE,
        *ASSOCIATION,
        number("published_reddit", "d that the paper gives for Reddit (its table 4)."),
        number("published_ungdc", "d that the paper gives for the UN debates (its table 4)."),
    ),
)

WORDS = Table(
    "words",
    "Which words drive a score: every word of every scored test, on every set of vectors.",
    ("language", "region", "corpus", "model", "seed", "test", "set", "word"),
    (
        LANGUAGE,
        REGION,
        *VECTORS,
        TEST,
        SET,
        key("word", "The word, as looked up."),
        KIND,
        number(
            "score",
            "For a target, s: its mean cosine with A less that with B. For an attribute word, its "
            "mean cosine with X less that with Y.",
        ),
        number("influence", "d without this word less d; empty where d is then undefined."),
        CONTROL,
    ),
)

COVERAGE = Table(
    "coverage",
    "How many words of each set have a vector, generic terms and given names apart.",
    ("language", "region", "corpus", "model", "seed", "test", "set", "kind"),
    (
        LANGUAGE,
        REGION,
        *VECTORS,
        TEST,
        SET,
        text("name", "Name of the set."),
        KIND,
        count("asked", "Words on the list."),
        count("distinct", "Distinct words on the list, as looked up."),
        count("found", "Distinct words with a vector."),
        share("share", "found / distinct."),
        text("missing", 'Words without a vector, joined by "; ".'),
    ),
)

ALC = Table(
    "alc",
    "Tests on a la carte vectors: their interval over documents, and how much of d is the "
    "region's own use of gendered words.",
    ("language", "region", "corpus", "origin", "test"),
    (
        LANGUAGE,
        REGION,
        text("corpus", "Corpus behind the vectors.", filled=True),
        text(
            "origin",
            "Whether the test is a WEAT list, a pair found in this run by its own or the other "
            "selection, or a published pair.",
            "weat",
            "found",
            "found_other",
            "published",
        ),
        TEST,
        number("effect_size", "d on the region's a la carte vectors."),
        number("documents_low", "Lower end of the 95% interval of d over documents."),
        number("documents_high", "Upper end of that interval."),
        number("documents_sd", "Standard deviation of d over the bootstrap of documents.", 0.0),
        count("n_documents", "Documents of the region."),
        count("replicates", "Bootstrap replicates in which d is defined."),
        number("swapped", "d after every gendered term is exchanged for its counterpart."),
        number("swapped_low", "Lower end of its interval over documents."),
        number("swapped_high", "Upper end of that interval."),
        number(
            "text_part",
            "(d - swapped) / 2: the part of d that turns round with the gendered terms, so that "
            "it comes from the text and not from the pretrained vectors.",
        ),
        number("text_low", "Lower end of its interval over documents."),
        number("text_high", "Upper end of that interval."),
        positive_share(
            "text_p",
            "Two-sided p of text_part: the text of each document exchanged with its swapped twin at "
            "random. Empty where the swap exchanges no word of the test.",
        ),
        share("text_q", "Benjamini-Hochberg adjusted text_p by corpus and origin, over ok rows."),
        CONTROL,
        STATUS,
        NOTE,
    ),
)

DIFFERENCES = Table(
    "differences",
    "Does a test differ between two regions: documents permuted between them.",
    ("language", "corpus", "model", "test", "region_1", "region_2"),
    (
        LANGUAGE,
        key("corpus", "Corpus behind the vectors."),
        key(
            "model",
            "Kind of word vectors, whose d is compared; `corpus` for the log odds ratio of "
            "co-occurrence in the text itself (pmi of the companions).",
        ),
        TEST,
        key("region_1", "First region."),
        key("region_2", "Second region."),
        number("effect_1", "d, or the log odds ratio, in the first region."),
        number("effect_2", "The same in the second region."),
        number("difference", "effect_1 - effect_2."),
        number("low", "Lower end of its 95% interval over documents."),
        number("high", "Upper end of that interval."),
        positive_share("p_value", "Two-sided p of permuting documents between the two regions."),
        positive_share("p_min", "Smallest p that this many permutations can give."),
        count("permutations", "Permutations in which the difference is defined."),
        *CORRECTED,
        CONTROL,
        STATUS,
        NOTE,
    ),
)

STABILITY = Table(
    "stability",
    "What makes a test's d vary: regions, seeds, documents, words; and whether regions differ by "
    "more than the noise.",
    ("language", "corpus", "model", "test"),
    (
        LANGUAGE,
        key("corpus", "Corpus behind the vectors."),
        key("model", "Kind of word vectors."),
        TEST,
        count("regions", "Regions in which every model gave a d and the control passed."),
        count("seeds", "Models a region trained on all its documents."),
        count("resampled", "Models or replicates a region on documents drawn with replacement."),
        number("var_region", "Variance of d between regions, beyond the noise.", 0.0),
        number("var_seed", "Variance of d between seeds within a region.", 0.0),
        number("var_documents", "Variance of d by the choice of documents, beyond seeds.", 0.0),
        number("var_words", "Variance of d by the choice of words, the same in every region.", 0.0),
        number(
            "noise_sd",
            "Noise of one model: root of the mean over regions of its variance by seeds and documents.",
            0.0,
        ),
        number("f_statistic", "Variance between regions over the noise.", 0.0),
        positive_share(
            "p_value", "p of Welch's test that the regions do not differ; empty without a verdict."
        ),
        *CORRECTED,
        text(
            "verdict",
            "`exceeds` where the regions differ by more than the noise (q at most 0.10), `within` "
            "where not; `unknown` where that cannot be told: a test is thin or refused, documents "
            "were not resampled, or regions differ too much in size.",
            "exceeds",
            "within",
            "unknown",
        ),
        STATUS,
        NOTE,
    ),
)

COMPANIONS = Table(
    "companions",
    "Other measures of the same association, which do not share the faults of WEAT.",
    ("language", "region", "corpus", "model", "seed", "test", "measure"),
    (
        LANGUAGE,
        REGION,
        *VECTORS,
        TEST,
        text("measure", "The measure (docs/companions.md).", "ripa", "rnd", "ect", "mac", "pmi"),
        number("value", "Its value."),
        number("low", "Lower end of its 95% interval: over words, or over documents for pmi."),
        number("high", "Upper end of that interval."),
        number("neutral", "The value that means no bias."),
        count("n_words", "Distinct words used."),
        CONTROL,
        STATUS,
        NOTE,
    ),
)
