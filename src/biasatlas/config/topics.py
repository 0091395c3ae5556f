"""Keys of topics and topic pairs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from biasatlas.config.section import Name, Positive, Section, Share


class Topics(Section):
    """BERTopic on the gendered passages, and the gender of its topics."""

    encoder: Name = "minilm_l6_v2"
    """Asset that embeds passages (bge_small_en in the paper)."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """auto: bfloat16 on a GPU that has it, else float32, so that processors agree."""
    batch_size: Positive = 32
    """Rows of a batch; every batch has exactly this many."""
    n_neighbors: Annotated[int, Field(ge=2, strict=True)] = 15
    """UMAP: neighbours, at most the number of passages less one."""
    n_components: Annotated[int, Field(ge=2, strict=True)] = 5
    """UMAP: dimensions."""
    min_cluster_size: Annotated[int, Field(ge=2, strict=True)] | Literal["auto"] = "auto"
    """HDBSCAN: smallest topic (100 in the paper); auto is max(10, passages / 100)."""
    cluster_selection_method: Literal["leaf", "eom"] = "leaf"
    """HDBSCAN: leaf gives many fine topics, eom (the paper's) can collapse into two."""
    top_words: Annotated[int, Field(ge=3, le=30, strict=True)] = 10
    """Words a topic."""
    min_passages: Annotated[int, Field(ge=20, strict=True)] = 50
    """A region with fewer gendered passages has no topics and says so."""
    alignment: Literal["log_odds", "paper"] = "log_odds"
    """log_odds: tested against the rest of the region; paper: p_F > p_M, reported in any case."""
    fdr: Annotated[float, Field(gt=0, lt=1)] = 0.10
    """Benjamini-Hochberg level of a topic's gender."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 9_999
    """Permutations of gender over documents."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 2_000
    """Bootstrap replicates over documents for the interval of the log odds."""
    dominant_document_share: Share = 0.25
    """A topic with a larger share of passages from one document is flagged."""
    dominant_name_share: Share = 0.5
    """A topic with one person's name in a larger share of passages is flagged."""
    keywords: Literal["mean_embedding", "keybert"] = "mean_embedding"
    """Topic words for region-aware WEAT: nearest to the topic's mean embedding, or KeyBERT on the concatenated passages (the paper's)."""


class Pairs(Section):
    """Female-male topic pairs."""

    encoder: Name = "minilm_l6_v2"
    """Asset that embeds topic words, `she` and `he` (stsb_bert_large in the paper)."""
    selection: Literal["matching", "gap"] = "matching"
    """matching: one to one, strongest alignment first; gap: the paper's threshold decides."""
    gap_rule: Literal["either", "both", "same"] = "either"
    """Which of the two gaps must lie under the threshold."""
    gap_threshold: Annotated[float, Field(gt=0)] = 0.01
    """The paper's threshold on differences of cosines."""
    candidates: Positive = 10
    """Most coherent topics of each gender that may be paired."""
    top: Positive = 5
    """Pairs kept a region."""
