"""Every configuration key with its type, limits, default and meaning.

The models are the one source: the JSON schema in ``workflow/schemas`` and the page
``docs/configuration.md`` are generated from them (``python -m biasatlas.config``).
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeGuard

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", strict=True)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$", strict=True)]
PathText = Annotated[StrictStr, AfterValidator(os.path.expanduser)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=2**31, strict=True)]


# The only options of readers that are true or false.
SWITCHES = ("keep_salutations",)


class Section(BaseModel):
    """A mapping in the configuration that knows all its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Region(Section):
    """A named list of countries."""

    name: Name
    """Key of the region in paths and tables."""
    label: StrictStr = ""
    """How the atlas writes the region; the name where empty."""
    countries: list[StrictStr] = []
    """Its countries as ISO2, ISO3 or English names."""
    continent: (
        Literal["Africa", "Asia", "Europe", "North America", "South America", "Oceania"] | None
    ) = None
    """All countries of a continent."""
    document_label: StrictStr | None = None
    """The region as a column of the corpus itself names it (reader `table`)."""
    top_countries: Positive | None = None
    """Keep only the countries with most documents (3 in Borah et al.); all where empty."""

    @model_validator(mode="after")
    def _one_way_to_name_countries(self) -> Region:
        ways = [bool(self.countries), self.continent is not None, self.document_label is not None]
        if sum(ways) != 1:
            raise ValueError(
                f"region `{self.name}`: give exactly one of `countries` (a list), `continent` "
                "and `document_label`"
            )
        return self

    @property
    def title(self) -> str:
        """The label, or the name where there is none."""
        return self.label or self.name


class Source(Section):
    """One collection of documents and the reader that understands it."""

    reader: Literal["news", "lines", "ungdc", "table"]
    """What reads it: news (NewsArticles.zip), lines (one document a line), ungdc (speeches), table (CSV, TSV, JSON lines, Parquet)."""
    asset: Name | None = None
    """Name of an asset in resources/assets.yaml; either this or `path`."""
    path: PathText | None = None
    """A file or folder of your own; either this or `asset`."""
    options: dict[StrictStr, StrictStr | StrictBool | StrictInt] = {}
    """Options of the reader, e.g. the columns of a table (see docs/corpora.md)."""

    @model_validator(mode="after")
    def _one_origin(self) -> Source:
        if (self.asset is None) == (self.path is None):
            raise ValueError("give either `asset` or `path`, one of them")
        return self

    @model_validator(mode="after")
    def _no_accidental_switches(self) -> Source:
        wrong = [
            f"option `{name}`: value {value} is YAML for an unquoted yes or no; write it in quotes"
            for name, value in self.options.items()
            if isinstance(value, bool) and name not in SWITCHES
        ]
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class Corpus(Section):
    """A corpus: sources, and the part of them that it takes."""

    name: Name
    """Key of the corpus in paths and tables."""
    role: Literal["discovery", "evaluation"]
    """discovery: gender, topics, pairs and WEAT; evaluation: region-aware WEAT."""
    sources: Annotated[list[Source], Field(min_length=1)]
    """Where its documents come from."""
    part: Literal["all", "earlier", "later"] = "all"
    """Take all documents of a region, or the earlier or later part of them by date."""
    title: StrictStr = "Gender-bias dimensions"
    """Title of the atlas, where this is the discovery corpus."""
    about: StrictStr = ""
    """What the text is and how it got its region, in one sentence under the title."""
    phrase: StrictStr = "text of a region"
    """What the corpus is, in a few words for headings, such as news about a region."""


class Passages(Section):
    """How documents become passages."""

    words: Annotated[int, Field(ge=20, le=2000, strict=True)] = 100
    """Aimed length of a passage in words; it ends at a sentence boundary."""
    min_words: Annotated[int, Field(ge=1, strict=True)] = 30
    """A shorter passage is dropped and counted."""
    boilerplate_documents: Annotated[int, Field(ge=2, strict=True)] | None = 4
    """A sentence that this many documents of one source hold is dropped; empty keeps all."""
    per_country: Positive | None = None
    """Passages drawn at random from each country (94000 in Borah et al.); all where empty."""
    per_region: Positive | None = None
    """Most passages of a region; all where empty."""
    evaluation_share: Annotated[float, Field(gt=0, lt=1)] = 0.25
    """Share of a region's documents, the latest ones, that `part: later` takes."""

    @model_validator(mode="after")
    def _shortest_below_aim(self) -> Passages:
        if self.min_words > self.words:
            raise ValueError(f"min_words ({self.min_words}) must not exceed words ({self.words})")
        return self


class Gender(Section):
    """Which passages count as female or male."""

    pairs: Name = "bolukbasi52"
    """A list in resources/word_lists/gender/{language}/: bolukbasi52 (the paper's) or extended."""
    both: Literal["exclude", "majority", "duplicate"] = "exclude"
    """What to do with passages that hold terms of both genders."""
    hyphen_is_letter: StrictBool = False
    """Whether `mother-in-law` is one word, and so does not hold `mother`."""
    max_passages: Positive | None = 1500
    """Most gendered passages of a region that topics are built on, drawn by a seeded hash."""
    warn_below: Positive = 500
    """A region with fewer gendered passages is marked thin."""
    warn_female_below: Positive = 100
    """A region with fewer female passages is marked thin."""


class Word2Vec(Section):
    """gensim's word2vec, one worker."""

    size: Annotated[int, Field(ge=2, le=1000, strict=True)] = 100
    """Dimensions."""
    window: Positive = 5
    """Context words on each side."""
    min_count: Positive = 5
    """A rarer word gets no vector."""
    epochs: Positive = 5
    """Passes over the corpus."""
    skip_gram: StrictBool = True
    """Skip-gram, else continuous bag of words."""


class FastText(Section):
    """fastText with subwords, one thread."""

    size: Annotated[int, Field(ge=2, le=1000, strict=True)] = 100
    """Dimensions."""
    window: Positive = 5
    """Context words on each side."""
    min_count: Positive = 5
    """A rarer word gets no vector of its own."""
    epochs: Positive = 5
    """Passes over the corpus."""
    buckets: Annotated[int, Field(ge=1000, strict=True)] = 50_000
    """Hash buckets of subwords (2000000 in fastText's own default)."""


class Vectors(Section):
    """Word vectors of each region."""

    seeds: Annotated[list[Seed], Field(min_length=1)] = [1, 2, 3]
    """One model a seed; their spread shows what is noise."""
    word2vec: Word2Vec = Word2Vec()
    """Settings of word2vec, trained on the discovery corpus."""
    fasttext: FastText = FastText()
    """Settings of fastText, trained on the evaluation corpus."""
    compose_missing: StrictBool = False
    """Let fastText compose a vector for a word that it never saw (the paper's way)."""
    pretrained: Literal["glove_6b_50d"] | None = "glove_6b_50d"
    """Pretrained vectors scored as the positive control."""
    own: dict[Name, PathText] = {}
    """Vectors of your own for the target `own_vectors`: name -> file in word2vec's or fastText's format."""


class Weat(Section):
    """Word Embedding Association Tests."""

    tests: Name = "weat"
    """Folder under resources/word_lists/ that holds one YAML file a test."""
    gender_tests: list[StrictStr] = ["WEAT6", "WEAT7", "WEAT8"]
    """Tests of gender: corrected for their number as one family, all others as another."""
    case: Literal["as_is", "lower"] = "lower"
    """How a listed word is looked up; the demo's vectors are lower-case."""
    coverage_min: Share = 0.8
    """A test whose worst set has a smaller share of its words found is marked thin."""
    min_words: Annotated[int, Field(ge=2, strict=True)] = 4
    """A test with a set of fewer distinct words found is refused, with the reason."""
    max_exact: Annotated[int, Field(ge=2, le=44, strict=True)] = 40
    """Largest number of target words for which every partition is counted."""
    samples: Annotated[int, Field(ge=99, strict=True)] = 99_999
    """Random partitions beyond that size."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 2_000
    """Bootstrap replicates over words for the interval of d."""


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


class Evaluation(Section):
    """Region-aware WEAT."""

    terms: Literal["paper_table", "paper_text"] = "paper_table"
    """Gender terms as printed in Table 12, or as its prose lists them."""
    keep_shared: StrictBool = False
    """Keep topic words that are also gender terms (the paper did); else they are dropped."""
    published_pairs: StrictBool = True
    """Score the 25 published pairs too."""


class Config(Section):
    """The whole configuration."""

    run: Name = "demo"
    """Name of the run; everything lands in results/{run}."""
    seed: Seed = 1
    """Seed of sampling, UMAP, permutations and bootstraps."""
    languages: Annotated[list[Language], Field(min_length=1)] = ["en"]
    """ISO 639 codes; write \"no\" in quotes."""
    regions: Annotated[list[Region], Field(min_length=1)]
    """The regions; a list in a second configuration file replaces this one."""
    corpora: Annotated[list[Corpus], Field(min_length=1)]
    """The corpora; a list in a second configuration file replaces this one."""
    asset_paths: dict[Name, PathText] = {}
    """Files put there by hand: asset name -> path."""
    ungdc_path: PathText | None = None
    """A local copy of the UN General Debate Corpus (folder or archive); else its DOI is fetched."""
    passages: Passages = Passages()
    """How documents become passages."""
    gender: Gender = Gender()
    """Which passages count as female or male."""
    vectors: Vectors = Vectors()
    """Word vectors of each region."""
    weat: Weat = Weat()
    """Word Embedding Association Tests."""
    topics: Topics = Topics()
    """Topics and their gender."""
    pairs: Pairs = Pairs()
    """Female-male topic pairs."""
    evaluation: Evaluation = Evaluation()
    """Region-aware WEAT."""

    @model_validator(mode="before")
    @classmethod
    def _drop_workflow_keys(cls, values: Any) -> Any:
        # Snakemake itself reads `pathvars` from the configuration.
        return {key: value for key, value in values.items() if key != "pathvars"}

    @model_validator(mode="after")
    def _consistent(self) -> Config:
        problems = find_contradictions(self.model_dump())
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def corpus(self, role: str) -> Corpus | None:
        """The corpus with that role, or None."""
        return next((corpus for corpus in self.corpora if corpus.role == role), None)


def find_contradictions(values: Mapping[str, Any]) -> list[str]:
    """Problems between keys that are each right, found also where other keys are wrong.

    Parameters
    ----------
    values : mapping
        A configuration as read; what has not the right form is passed over.
    """
    regions, corpora = (_mappings(values.get(kind)) for kind in ("regions", "corpora"))
    vectors = values.get("vectors")
    problems = []
    for kind, names in (
        ("regions", [region.get("name") for region in regions]),
        ("corpora", [corpus.get("name") for corpus in corpora]),
        ("languages", values.get("languages")),
        ("vectors.seeds", vectors.get("seeds") if isinstance(vectors, Mapping) else None),
    ):
        written = [str(name) for name in names if name is not None] if _is_list(names) else []
        twice = sorted({name for name in written if written.count(name) > 1})
        if twice:
            problems.append(f"{kind}: {', '.join(twice)} stands twice")
    roles = [corpus.get("role") for corpus in corpora]
    if roles and all(role in ("discovery", "evaluation") for role in roles):
        if roles.count("discovery") != 1:
            problems.append("corpora: exactly one corpus must have role `discovery`")
        if roles.count("evaluation") > 1:
            problems.append("corpora: at most one corpus may have role `evaluation`")
    if any(region.get("name") == "pretrained" for region in regions):
        problems.append("regions: `pretrained` is the name of the positive control")
    return problems


def _mappings(values: Any) -> list[Mapping[str, Any]]:
    return [one for one in values if isinstance(one, Mapping)] if _is_list(values) else []


def _is_list(values: Any) -> TypeGuard[list[Any]]:
    return isinstance(values, list)
