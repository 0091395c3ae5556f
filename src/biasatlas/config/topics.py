"""Keys of topics, topic pairs and common topics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool

from biasatlas.config.section import Language, Name, Positive, Section, Share

Count = Annotated[int, Field(ge=0, strict=True)]


class Refits(Section):
    """How often the topics of a region are found anew, to see which of them come again."""

    seeds: Count = 5
    """Models with another seed."""
    orders: Count = 5
    """Models on the same passages in another order."""
    bootstraps: Count = 40
    """Models on documents drawn with replacement: one half tells which topics are stable, the other gives the support of pairs."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 999
    """Permutations of gender over documents in each of these models."""
    stable_min: Share = 0.5
    """A topic is stable whose best match has this Jaccard overlap over seeds and over orders, and that comes again in this share of drawn document sets."""


class Topics(Section):
    """BERTopic on the gendered passages, and the gender of its topics."""

    encoder: Name | dict[Language, Name] = "minilm_l6_v2"
    """Asset that embeds passages (bge_small_en in the paper), or one a language."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """fp32 runs everywhere; bf16 is faster on a processor or GPU that has it, and the topics differ a little."""
    batch_size: Positive = 32
    """Rows of a batch; every batch has exactly this many."""
    mask_gender_terms: StrictBool = True
    """Hide the gender terms from the encoder and from the topic words: a topic that forms because its passages say `she` is then not tested for being female (docs/topics.md). The paper shows them."""
    compare_masking: StrictBool = True
    """Find the topics once more the other way, with gender terms shown or hidden, and mark those that change."""
    n_neighbors: Annotated[int, Field(ge=2, strict=True)] = 15
    """UMAP: neighbours, at most the number of passages less one."""
    n_components: Annotated[int, Field(ge=2, strict=True)] = 5
    """UMAP: dimensions."""
    min_dist: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """UMAP: least distance of points in them."""
    metric: Literal["cosine", "euclidean"] = "cosine"
    """UMAP: distance between embeddings."""
    min_cluster_size: Annotated[int, Field(ge=2, strict=True)] | Literal["auto"] = "auto"
    """HDBSCAN: smallest topic (100 in the paper); auto is max(10, passages / 100)."""
    min_samples: Positive | None = None
    """HDBSCAN: how cautious it is; null takes min_cluster_size, as HDBSCAN does."""
    cluster_selection_method: Literal["leaf", "eom"] = "leaf"
    """HDBSCAN: leaf gives many fine topics, eom (the paper's) can collapse into two."""
    outliers: Literal["keep", "c-tf-idf", "embeddings", "distributions", "probabilities"] = "keep"
    """What becomes of passages in no topic: keep, or one of BERTopic's strategies that move them to the topic they are most like."""
    outlier_threshold: Share = 0.0
    """Least likeness at which such a passage moves."""
    top_words: Annotated[int, Field(ge=3, le=30, strict=True)] = 10
    """Words a topic."""
    min_passages: Annotated[int, Field(ge=20, strict=True)] = 50
    """A region with fewer gendered passages that hold a topic word has no topics and says so."""
    alignment: Literal["log_odds", "paper"] = "log_odds"
    """log_odds: tested against the rest of the region; paper: p_F > p_M, reported in any case."""
    fdr: Annotated[float, Field(gt=0, lt=1)] = 0.10
    """Benjamini-Hochberg level of a topic's gender, over the topics of all regions of a language."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 9_999
    """Permutations of gender over documents."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 2_000
    """Bootstrap replicates over documents for the interval of the log odds."""
    dominant_document_share: Share = 0.25
    """A topic with a larger share of passages from one document is flagged."""
    dominant_name_share: Share = 0.5
    """A topic with one name, or another word written large, in a larger share of passages is flagged."""
    keywords: Literal["mean_embedding", "keybert"] = "mean_embedding"
    """Topic words for region-aware WEAT: nearest to the topic's mean embedding, or KeyBERT on the concatenated passages (the paper's)."""
    refits: Refits = Refits()
    """How often topics are found anew."""


class Pairs(Section):
    """Female-male topic pairs."""

    encoder: Name = "minilm_l6_v2"
    """Asset that embeds topic words, `she` and `he` (stsb_bert_large in the paper)."""
    selection: Literal["matching", "gap"] = "matching"
    """Which pairs are the run's own; both are made and scored. matching: one to one among tested, coherent and stable topics, strongest alignment first; gap: the paper's threshold decides."""
    gap_rule: Literal["either", "both", "same"] = "either"
    """Which of the two gaps must lie under the threshold."""
    gap_threshold: Annotated[float, Field(gt=0)] = 0.01
    """The paper's threshold on differences of cosines."""
    candidates: Positive = 10
    """Most coherent topics of each gender that may be paired (by u_mass, as the paper)."""
    top: Positive = 5
    """Pairs kept a region."""


class CommonTopics(Section):
    """Topics that several regions share."""

    similarity: Annotated[float, Field(gt=0, le=1)] | None = None
    """Least cosine between the mean embeddings of two topics; null: by closeness."""
    closeness: Annotated[float, Field(gt=0, lt=1)] = 0.55
    """How far the least cosine lies from the median cosine of two topics of one region, at 0, to 1 (docs/common_topics.md)."""
    ngrams: Positive = 10
    """Most frequent words, and two-word phrases, listed of each topic."""
