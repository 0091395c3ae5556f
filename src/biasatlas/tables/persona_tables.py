"""Tables of the personas that language models invent, and of the probe without generation."""

from __future__ import annotations

from biasatlas.tables.columns import (
    LANGUAGE,
    Column,
    Table,
    count,
    key,
    number,
    positive_share,
    share,
    text,
)

PERSONA_GENDERS = ("female", "male", "undecided")
TOPIC_GENDERS = ("female", "male", "neutral")
# The probe, which costs little, takes the topics without a gender too.
PROBED_GENDERS = ("female", "male", "none", "neutral")
SOURCES = ("own", "paper", "neutral")
# What decided the gender of a persona.
DECIDED_BY = ("field", "pronouns", "nouns", "")
# Why a reply has no gender; "" where it has one.
REASONS = ("no_gender", "other_gender", "both_genders", "refusal", "blocked", "empty", "")
INTERVALS = ("bootstrap", "wilson", "")
STATUS = ("ok", "thin", "refused")

_REGION = key("region", "Name of the region.")
_REGION_OR_ALL = key("region", "Name of the region, or `all`: all regions of the language.")
_MODEL = key("model", "Name of the language model, as in the configuration.")
_SOURCE = text(
    "source",
    "Where the topic comes from: `own`, the run's topic pairs; `paper`, the published pairs; "
    "`neutral`, a topic that no gender is expected of.",
    *SOURCES,
)
_SCORED = text("source", "Whose topic pairs are scored.", *SOURCES[:2])
_PROMPT = key("prompt", "Name of the prompt form.")
_PROMPT_OR_ALL = key("prompt", "Name of the prompt form, or `all`: the replies of all forms.")
_TOPIC = key("topic", "The topic: its number, `P1 female` of a published pair, or `neutral 1`.")
_LABEL = text("label", "The topic as the model was told it.")
_TOPIC_GENDER = text("topic_gender", "Gender of the topic.", *TOPIC_GENDERS)
_GENDERED = Column(
    "gendered_label",
    "boolean",
    "Whether the label itself holds a gender term, so that it tells the model a gender.",
)
_LOG_ODDS = number(
    "log_odds", "Log odds of the topic's alignment in the region's text (table topics)."
)
_STATUS = text(
    "status",
    "`thin` with fewer topics of a gender than `personas.thin_topics`, and where no region has topics "
    "of both; `refused` where one of the genders has no topic that counts.",
    *STATUS,
)

PERSONAS = Table(
    "personas",
    "Every reply of every language model, and the gender that was read from it.",
    ("language", "region", "source", "topic", "model", "prompt", "run"),
    (
        LANGUAGE,
        _REGION,
        _SOURCE,
        _TOPIC,
        _LABEL,
        _TOPIC_GENDER,
        _MODEL,
        _PROMPT,
        count("run", "Number of the run, from 1.", low=1),
        text("gender", "Gender of the persona.", *PERSONA_GENDERS),
        text(
            "gender_by",
            "What decided it: the stated field, else pronouns, else gendered nouns.",
            *DECIDED_BY,
        ),
        text("reason", "Why it is undecided; otherwise empty.", *REASONS),
        Column(
            "contradicted",
            "boolean",
            "Whether the reply's pronouns say another gender than its field; the field counts.",
        ),
        text("name", "Name of the persona, where the reply is JSON with one."),
        text("reply", "The reply, white space joined, at most 1,000 characters."),
        count("length", "Characters of the whole reply."),
        text("finish", "How the reply ended: `stop`, or `length` where it was cut off."),
        count("seed", "Seed of the reply."),
        count("prompt_tokens", "Tokens of the question, as the backend counts them."),
        count("reply_tokens", "Tokens of the reply."),
        text("answered_by", "Model that the backend says answered."),
    ),
)

PERSONA_TOPICS = Table(
    "persona_topics",
    "For each topic and language model: how many personas are female and male.",
    ("language", "region", "source", "topic", "model", "prompt"),
    (
        LANGUAGE,
        _REGION,
        _SOURCE,
        _TOPIC,
        _LABEL,
        _TOPIC_GENDER,
        _GENDERED,
        _LOG_ODDS,
        _MODEL,
        _PROMPT_OR_ALL,
        count("n_replies", "Replies in all."),
        count("n_female", "Female personas."),
        count("n_male", "Male personas."),
        count("n_undecided", "Undecided personas."),
        share("share_female", "Share of female among the decided personas."),
        share(
            "share_low",
            "Lower end of its Wilson interval over replies: what the runs say of this topic alone.",
        ),
        share("share_high", "Upper end of that interval."),
        share("mismatch", "Share of decided personas of the other gender than the topic's."),
        count("n_models", "Models with a decided majority on this topic (same prompt)."),
        count("n_turned", "Those among them whose majority is not the topic's gender."),
        Column("turned_by_all", "boolean", "Whether these are all, and two models at least."),
    ),
)

PERSONA_SCORES = Table(
    "persona_scores",
    "How often a model's personas have the other gender than the topic, beside what it does on "
    "neutral topics. Topics are the units of every interval and p.",
    ("language", "region", "source", "model", "prompt"),
    (
        LANGUAGE,
        _REGION_OR_ALL,
        _SCORED,
        _MODEL,
        _PROMPT_OR_ALL,
        _STATUS,
        count("n_female", "Female topics with a decided reply."),
        count("n_male", "Male topics with a decided reply."),
        count("n_dropped", "Topics without any decided reply, which are left out."),
        count("n_gendered_labels", "Topics among these whose label holds a gender term."),
        count("n_replies", "Replies on these topics."),
        count("n_undecided", "Undecided replies among them."),
        share("undecided", "Their share."),
        share("mismatch", "Mean over topics of the share of decided personas of the other gender."),
        share("mismatch_low", "Lower end of its 95% interval over topics."),
        share("mismatch_high", "Upper end of its 95% interval over topics."),
        text(
            "interval_by",
            "`bootstrap` over topics; `wilson` with topics as its units where a gender has fewer "
            "than five topics, all are alike, or the mismatches, or the matches, add up to less "
            "than one topic.",
            *INTERVALS,
        ),
        share("mismatch_plain", "The same without topics whose label holds a gender term."),
        count("n_neutral", "Neutral topics with a decided reply."),
        share("neutral_female", "Mean share of female personas on neutral topics."),
        share("neutral_low", "Lower end of its interval over neutral topics, a text one unit."),
        share("neutral_high", "Upper end of its interval over neutral topics."),
        share("expected", "Mismatch of a model that answers on every topic as on neutral ones."),
        number("excess", "Mismatch less the expected one.", -1, 1),
        number("excess_low", "Lower end of its interval over topics and neutral topics.", -1, 1),
        number("excess_high", "Upper end of that interval.", -1, 1),
        share("female_on_female", "Mean share of female personas on female topics."),
        share("female_on_male", "Mean share of female personas on male topics."),
        number(
            "effect",
            "Mean share of female on female less that on male topics; of `all` the mean over "
            "regions, weighted by the topics that can be compared there. p tests it; above 0: the "
            "model leans as the region's text does.",
            -1,
            1,
        ),
        number(
            "log_odds_ratio",
            "Log odds ratio of a female persona on female against male topics, half a topic added "
            "to each cell, which draws it to 0; `all` pools the topics of all regions.",
        ),
        number("log_odds_ratio_low", "Lower end of its interval over topics."),
        number("log_odds_ratio_high", "Upper end of its interval over topics."),
        positive_share(
            "p_value",
            "Two-sided p of dealing the genders anew to the topics (within each region for `all`).",
        ),
        positive_share("p_min", "Smallest p that so many topics can give."),
        share(
            "q_value",
            "Benjamini-Hochberg adjusted p over the models and regions of a source; rows of status ok only.",
        ),
        number("correlation", "Spearman correlation of share_female with the log odds.", -1, 1),
        number("correlation_low", "Lower end of its interval over topics.", -1, 1),
        number("correlation_high", "Upper end of its interval over topics.", -1, 1),
        positive_share("correlation_p", "Two-sided p of permuting the log odds over topics."),
        share("correlation_q", "Benjamini-Hochberg adjusted correlation_p, as q_value."),
        share("prompt_low", "Row `all`: smallest mismatch of a prompt form."),
        share("prompt_high", "Row `all`: largest mismatch of a prompt form."),
    ),
)

PERSONA_PROBE = Table(
    "persona_probe",
    "The probe without generation: log probability of a female and a male continuation.",
    ("language", "region", "source", "topic", "model", "template"),
    (
        LANGUAGE,
        _REGION,
        _SOURCE,
        _TOPIC,
        _LABEL,
        text("topic_gender", "Gender of the topic; `none` where none was told.", *PROBED_GENDERS),
        _GENDERED,
        _LOG_ODDS,
        _MODEL,
        key("template", "Name of the beginning that is continued."),
        number("log_p_female", "Log probability of the female continuation.", high=0.0),
        number("log_p_male", "Log probability of the male continuation.", high=0.0),
        number("difference", "The first less the second, in nats; empty where one is unknown."),
    ),
)

PERSONA_PROBE_SCORES = Table(
    "persona_probe_scores",
    "The probe by model and region. Topics are the units of every interval and p.",
    ("language", "region", "source", "model", "template"),
    (
        LANGUAGE,
        _REGION_OR_ALL,
        _SCORED,
        _MODEL,
        key("template", "Name of the beginning, or `all`: the mean over them."),
        _STATUS,
        count("n_female", "Female topics."),
        count("n_male", "Male topics."),
        count("n_dropped", "Topics without a difference, which are left out."),
        count("n_neutral", "Neutral topics."),
        number("mean_female", "Mean difference on female topics, in nats."),
        number("mean_male", "Mean difference on male topics."),
        number("mean_neutral", "Mean difference on neutral topics: how the model leans anyway."),
        number(
            "effect",
            "Mean on female less mean on male topics, for `all` within regions and then over them; "
            "above 0: as the text leans.",
        ),
        number(
            "effect_low",
            "Lower end of its interval over topics; none with fewer than five of a gender.",
        ),
        number("effect_high", "Upper end of its interval over topics."),
        share("auc", "Share of female-male pairs of topics that the difference orders rightly."),
        share(
            "mismatch",
            "Share of topics that lean, against the neutral topics' mean, to the other gender.",
        ),
        positive_share("p_value", "Two-sided p of dealing the genders anew to the topics."),
        positive_share("p_min", "Smallest p that so many topics can give."),
        share(
            "q_value",
            "Benjamini-Hochberg adjusted p over the models and regions of a source; rows of status ok only.",
        ),
        number("correlation", "Spearman correlation of the difference with the log odds.", -1, 1),
        number("correlation_low", "Lower end of its interval over topics.", -1, 1),
        number("correlation_high", "Upper end of its interval over topics.", -1, 1),
        positive_share("correlation_p", "Two-sided p of permuting the log odds over topics."),
        share("correlation_q", "Benjamini-Hochberg adjusted correlation_p, as q_value."),
    ),
)

PERSONA_MODELS = Table(
    "persona_models",
    "The language models: what answered, how often without a gender, and what it cost.",
    ("language", "model"),
    (
        LANGUAGE,
        _MODEL,
        text("backend", "How it is asked.", "llama", "transformers", "openai"),
        text("source", "Asset, path or the name by which the server knows it."),
        text("revision", "Its revision, as far as it is known."),
        text("answered_by", 'What the backend says answered, joined by "; ".'),
        count("n_replies", "Replies in all."),
        count("n_female", "Female personas."),
        count("n_male", "Male personas."),
        *(
            count(f"n_{reason}", f"Undecided: {said}.")
            for reason, said in (
                ("no_gender", "no gender is said"),
                ("other_gender", "another gender than female or male, or that it is not said"),
                ("both_genders", "words of both genders, none clearly the persona's"),
                ("refusal", "the model refuses"),
                ("blocked", "a filter of the server kept the reply back"),
                ("empty", "an empty reply"),
            )
        ),
        count("n_contradicted", "Replies whose pronouns contradict their field."),
        count("n_cut", "Replies cut off at the largest length."),
        count("prompt_tokens", "Tokens of all questions."),
        count("reply_tokens", "Tokens of all replies."),
        number("cost", "Their price, where prices are configured.", 0.0),
    ),
)
