"""Tables of the association tests of many languages and encoders."""

from __future__ import annotations

from biasatlas.tables.association_tables import ASSOCIATION, CONTROL, NOTE, STATUS, TEST, VECTORS
from biasatlas.tables.columns import LANGUAGE, Column, Table, count, key, number, share, text

VARIANTS = ("original", "gt", "human", "all", "all_plain", "new", "india", "own")
SPACES = ("raw", "standardised")
GROUPS = ("multilingual", "monolingual", "family", "other")

MODEL = key("model", "Name of the model, as in the configuration (`weathub.models`).")
GROUP = text("group", "What languages the model was made for.", *GROUPS)
VARIANT = text(
    "variant",
    "Whose list: WEATHub's English one (`original`), machine translation (`gt`), human translation "
    "(`human`), the human one with gendered and language-specific words (`all`), that without the "
    "gendered forms found (`all_plain`), new dimensions (`new`), India (`india`), or a list of "
    "this project or its user (`own`).",
    *VARIANTS,
)
ENCODER = key("encoder", "How a word becomes a vector (docs/weathub.md).")
SPACE = text(
    "space",
    "The model's own vectors (`raw`), or each dimension with mean 0 and deviation 1 over the words "
    "of the language's published lists (over all its lists where under 20 of those have a vector; "
    "`standardised`).",
    *SPACES,
)
CELL: tuple[Column, ...] = (LANGUAGE, MODEL, GROUP, VARIANT, ENCODER, SPACE)


def _scored() -> tuple[Column, ...]:
    """The association columns as they are read here: no corpus, no seed, another null."""
    left_out = {column.name for column in (*VECTORS, CONTROL)} - {"model"}
    changed = {
        "method": text(
            "method",
            "How p was found: every partition counted, certified bounds, or the saddlepoint "
            "approximation, which has no bound; empty where refused.",
            "exact",
            "certified",
            "certified_tail",
            "saddlepoint",
            "",
        ),
        "null_low": number(
            "null_low",
            "2.5% of d of pairs of sets drawn from the targets of the language's other tests.",
        ),
        "null_percentile": share(
            "null_percentile", "Share of these pairs with a smaller d, ties half."
        ),
        "null_p": share("null_p", "(1 + pairs whose d is at least the observed) / (1 + null_n)."),
        "null_n": count(
            "null_n",
            "Pairs of sets drawn: `weathub.nulls`, or as many as there are. 0 below 20.",
        ),
        "null_coherence": number("null_coherence", "Mean coherence of these sets.", -1, 1),
        "q_value": share("q_value", "Benjamini-Hochberg adjusted p_value over the whole table."),
        "p_holm": share("p_holm", "Holm adjusted p_value over the whole table."),
    }
    kept = [column for column in ASSOCIATION if column.name not in left_out | {"model"}]
    return tuple(changed.get(column.name, column) for column in kept)


WEATHUB = Table(
    "weathub",
    "Association tests of every language, model, list variant, encoder and space.",
    ("language", "model", "variant", "encoder", "space", "test"),
    (
        *CELL,
        *_scored(),
        share("q_two_sided", "Benjamini-Hochberg adjusted p_two_sided over the whole table."),
    ),
)

WEATHUB_LISTS = Table(
    "weathub_lists",
    "What is wrong or odd in the lists of many languages, and what was done about it.",
    ("file", "set", "problem", "word"),
    (
        LANGUAGE,
        text("variant", "Whose list, as in the table weathub.", *VARIANTS),
        TEST,
        key("file", "The file, below the folder of lists."),
        text("set", "The set or sets that are meant: x, y, a, b, or two such as `x y`."),
        text(
            "problem",
            "What it is: no word (`nan`, `blank`); several words in one entry; not in Unicode form "
            "NFC; stray white space, invisible characters, quotation marks, punctuation or a "
            "remark in brackets (`stray`); a word twice; a word in two opposing sets, or in a target and an attribute set; "
            "two opposing sets that are the same; few words; an own test with the words of a "
            "published one (`repeated`); a file that cannot be read; a file of no known test.",
            "nan",
            "blank",
            "several_words",
            "not_nfc",
            "stray",
            "duplicate",
            "shared",
            "leak",
            "same_sets",
            "few_words",
            "repeated",
            "broken",
            "unknown",
        ),
        text("word", "The word as it stands in the file; empty where a set or file is meant."),
        count("n", "How often.", low=1),
        text(
            "action",
            "What was done: the entry dropped, repaired, kept as it is, or the test refused.",
            "dropped",
            "fixed",
            "kept",
            "refused",
        ),
        NOTE,
    ),
)

WEATHUB_MODELS = Table(
    "weathub_models",
    "Which model reads which language.",
    ("language", "model"),
    (
        LANGUAGE,
        MODEL,
        GROUP,
        text("kind", "How it is read.", "layers", "sentence", "static"),
        count("n_words", "Distinct entries and words of the language's lists."),
        count("n_read", "Those that have a vector."),
        count("n_unknown", "Those with an unknown piece ([UNK]), or absent from a vocabulary."),
        count("n_letters", "Those that the model cuts into single letters: it knows no such word."),
        count("n_too_long", "Those with more pieces than the model has positions."),
        number("pieces_per_word", "Mean pieces of a word; empty where words are not cut.", 0.0),
        share("readable", "n_read less n_letters, of n_words."),
        text("status", "`refused` where too few words can be read.", "ok", "refused"),
        NOTE,
    ),
)

SENSITIVITY = Table(
    "sensitivity",
    "How far apart an encoder puts the words of a set: rho, the mean over tests of the mean over "
    "the four sets of the variance of pairwise cosine distances (Mukherjee et al. 2023).",
    ("language", "model", "variant", "encoder", "space"),
    (
        *CELL,
        number("rho", "Sensitivity.", 0.0),
        number("rho_low", "Lower end of its 95% interval over tests (jackknife).", 0.0),
        number("rho_high", "Upper end of that interval.", 0.0),
        count("n_tests", "Tests that it is a mean of (WEAT 1, 2, 6, 7, 8 and 9 where scored)."),
        number("published_rho", "The paper's figure for this encoder and language.", 0.0),
        number("published_mean", "The paper's mean for this encoder over its languages.", 0.0),
        NOTE,
    ),
)

TRANSLATIONS = Table(
    "translations",
    "Human against machine translation of the same list, word by word.",
    ("language", "model", "encoder", "space", "test"),
    (
        LANGUAGE,
        MODEL,
        GROUP,
        ENCODER,
        SPACE,
        TEST,
        count("n_concepts", "Concepts that have a vector in both translations."),
        count("n_alike", "Those that both translate by the same word."),
        number("d_human", "d of the human translation over these concepts."),
        number("d_machine", "d of the machine translation over the same."),
        number("difference", "d_human less d_machine."),
        number(
            "difference_low", "Lower end of its interval over concepts (bootstrap; wider than 95%)."
        ),
        number("difference_high", "Upper end of that interval."),
        share(
            "p_value",
            "Two-sided p of the difference of S' when each concept's two translations change "
            "places.",
        ),
        share("p_min", "Smallest p that so many concepts and permutations can give."),
        share(
            "q_value",
            "Benjamini-Hochberg adjusted p_value over the rows with status ok whose p_min is at most "
            "0.05; the others can show nothing.",
        ),
        STATUS,
        NOTE,
    ),
)

TRANSLATION_SUMMARY = Table(
    "translation_summary",
    "Human against machine translation over languages: each language's mean over its tests is one "
    "observation.",
    ("model", "encoder", "space"),
    (
        MODEL,
        ENCODER,
        SPACE,
        count("n_languages", "Languages."),
        count("n_tests", "Tests of all of them."),
        number("difference", "Median over languages of d_human less d_machine."),
        number(
            "absolute_difference",
            "Median over languages of the mean over tests of the absolute difference.",
            0.0,
        ),
        share("sign_agreement", "Share of the tests whose two d have one sign."),
        share("p_value", "Wilcoxon signed-rank p over languages (exact up to 50)."),
        share("p_min", "Smallest p that so many languages can give."),
        number(
            "strength_difference",
            "Median over languages of the absolute d_human less the absolute d_machine: above 0 "
            "where human translation gives the stronger association.",
        ),
        share("strength_p", "Wilcoxon signed-rank p of that."),
        share("q_value", "Benjamini-Hochberg adjusted p_value over the whole table."),
        NOTE,
    ),
)

AGREEMENT = Table(
    "agreement",
    "One test under all encoders of a model: do they agree on the sign? A model with one encoder "
    "has no row.",
    ("language", "model", "variant", "space", "test"),
    (
        LANGUAGE,
        MODEL,
        GROUP,
        VARIANT,
        SPACE,
        TEST,
        count("n_encoders", "Encoders that give a score."),
        count("n_positive", "Those with d above 0."),
        share("share_agreeing", "Share of the encoders with the sign of most of them."),
        number("d_median", "Median of d over encoders."),
        number("d_low", "Smallest d."),
        number("d_high", "Largest d."),
        count("n_significant", "Encoders with q_two_sided below 0.05."),
        count("n_significant_positive", "Those with d above 0."),
    ),
)

MODEL_COMPARISON = Table(
    "model_comparison",
    "Two models on the same tests of a language, by encoder: multilingual, monolingual, family.",
    ("language", "encoder", "space", "model", "other_model"),
    (
        LANGUAGE,
        key(
            "encoder",
            "The encoder of both; where they have none in common, the main one of each, such as "
            "`all_mean v fasttext`.",
        ),
        SPACE,
        MODEL,
        GROUP,
        key("other_model", "The model that it is compared with."),
        text("other_group", "What languages that was made for.", *GROUPS),
        count("n_tests", "Tests and variants that both score."),
        number("correlation", "Spearman correlation of d over them.", -1, 1),
        number("difference", "Mean of d less that of the other model."),
        number("absolute_difference", "Mean absolute difference of d.", 0.0),
        share("sign_agreement", "Share of the tests with d of one sign."),
        share("p_value", "Wilcoxon signed-rank p of the differences (a test is a unit)."),
        share("q_value", "Benjamini-Hochberg adjusted p_value over the whole table."),
        NOTE,
    ),
)

LANGUAGE_CLUSTERS = Table(
    "language_clusters",
    "Languages grouped by their profile of d over tests (average linkage, 1 less correlation).",
    ("model", "encoder", "space", "language"),
    (
        MODEL,
        ENCODER,
        SPACE,
        LANGUAGE,
        count("n_tests", "Tests that all languages of the group have."),
        count("place", "Place of the language along the tree, from 1.", low=1),
        count("cluster", "Cluster, from 1 along the tree; silhouette chose how many.", low=1),
        number("silhouette", "Silhouette of the language in its cluster.", -1, 1),
        share(
            "support",
            "Mean over the cluster's other languages of the share of bootstraps over tests in "
            "which the two are together; empty for a cluster of one.",
        ),
        share(
            "structure_p",
            "p of the best silhouette against profiles whose languages are shuffled test by test.",
        ),
        number("cophenetic", "Correlation of the tree's distances with the distances.", -1, 1),
        NOTE,
    ),
)

GENDERED_FORMS = Table(
    "gendered_forms",
    "Words of a list that are another word's form for the other gender.",
    ("language", "variant", "test", "set", "word", "other"),
    (
        LANGUAGE,
        VARIANT,
        TEST,
        text("set", "The set: targets x and y, attributes a and b.", "x", "y", "a", "b"),
        key("word", "The form that is left out of `all_plain`."),
        key("other", "The form that stays."),
        text("rule", "Endings that make them a pair, such as `-o -a`.", filled=True),
    ),
)
