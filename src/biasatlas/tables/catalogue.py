"""All tables by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from biasatlas.tables import association_tables as association
from biasatlas.tables import corpus_tables as corpus
from biasatlas.tables import language_tables as languages
from biasatlas.tables import persona_tables as personas
from biasatlas.tables import topic_tables as topics
from biasatlas.tables.columns import Table

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            corpus.CORPUS,
            corpus.GENDER,
            corpus.WORD_LISTS,
            association.WEAT,
            association.WORDS,
            association.COVERAGE,
            association.STABILITY,
            association.ALC,
            association.DIFFERENCES,
            association.COMPANIONS,
            topics.TOPICS,
            topics.TOPIC_STABILITY,
            topics.TOPIC_EXAMPLES,
            topics.TOPIC_HIERARCHY,
            topics.NGRAMS,
            topics.COMMON_TOPICS,
            topics.COMMON_CHANCE,
            topics.PAIRS,
            topics.PAIR_CANDIDATES,
            topics.PAIR_THRESHOLDS,
            association.EVALUATION,
            languages.WEATHUB,
            languages.WEATHUB_LISTS,
            languages.WEATHUB_MODELS,
            languages.SENSITIVITY,
            languages.TRANSLATIONS,
            languages.TRANSLATION_SUMMARY,
            languages.AGREEMENT,
            languages.MODEL_COMPARISON,
            languages.LANGUAGE_CLUSTERS,
            languages.GENDERED_FORMS,
            personas.PERSONAS,
            personas.PERSONA_TOPICS,
            personas.PERSONA_SCORES,
            personas.PERSONA_PROBE,
            personas.PERSONA_PROBE_SCORES,
            personas.PERSONA_MODELS,
        )
    }
)
