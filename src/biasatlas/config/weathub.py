"""Keys of the association tests in many languages and encoders."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, StrictBool, StrictStr, model_validator

from biasatlas.config.corpora import Source
from biasatlas.config.measures import FastText
from biasatlas.config.section import Language, Name, PathText, Positive, Section, Seed, Share

Variant = Literal["original", "gt", "human", "all", "all_plain", "new", "india", "own"]


class WordModel(Section):
    """A model that gives words vectors, and the languages that it is asked for."""

    name: Name
    """Its name in paths and tables."""
    kind: Literal["layers", "sentence", "static"]
    """layers: a transformer encoder (BERT, RoBERTa, XLM-R, ALBERT ...), eight encoders of its hidden layers and its classification token; sentence: a sentence encoder; static: fastText, word2vec or GloVe."""
    asset: StrictStr | None = None
    """Asset in resources/assets.yaml; `{language}` in it stands for the language."""
    path: PathText | None = None
    """A file or folder of your own instead; `{language}` in it stands for the language."""
    train: StrictBool = False
    """Train fastText on the language's texts instead."""
    languages: list[Language] | None = None
    """Languages that it is asked for; all of the section where empty."""
    group: Literal["multilingual", "monolingual", "family", "other"] = "other"
    """What languages it was made for; models of different groups are compared."""

    @model_validator(mode="after")
    def _one_origin(self) -> WordModel:
        if (self.asset is not None) + (self.path is not None) + self.train != 1:
            raise ValueError(
                f"model `{self.name}`: give exactly one of `asset`, `path` and `train: true`"
            )
        if self.train and self.kind != "static":
            raise ValueError(
                f"model `{self.name}`: `train` makes fastText vectors, so its kind is `static`, "
                f"not `{self.kind}`"
            )
        return self

    def reads(self, language: str) -> bool:
        """Whether it is asked for a language."""
        return self.languages is None or language in self.languages


class WordTraining(FastText):
    """fastText on the texts of one language."""

    seed: Seed = 1
    """Seed of the training."""


class InContext(Section):
    """The encoder token_in_context: a word's mean over its occurrences in the language's texts."""

    occurrences: Annotated[int, Field(ge=0, strict=True)] = 10
    """Most occurrences of a word, drawn by a hash; 0 leaves the encoder out."""
    window: Positive = 10
    """Words on each side that are read with it (characters where a script has no spaces)."""


class Weathub(Section):
    """Association tests in many languages and encoders (docs/weathub.md)."""

    languages: list[Language] | Literal["all"] = ["en"]
    """ISO 639 codes; all: the 25 of WEATHub; an empty list leaves this stage out."""
    published_lists: StrictBool = False
    """Fetch WEATHub's lists. They are also read, without fetching, where `weathub_path` is given."""
    variants: Annotated[list[Variant], Field(min_length=1)] = list(get_args(Variant))
    """Lists that are scored: WEATHub's original (English), gt, human, all, new, india; all_plain is all without gendered forms; own is word_lists/{weat.tests}/{language}."""
    models: list[WordModel] = [
        WordModel(name="minilm", kind="layers", asset="minilm_l6_v2", group="monolingual"),
        WordModel(
            name="minilm_sentence", kind="sentence", asset="minilm_l6_v2", group="monolingual"
        ),
        WordModel(name="glove", kind="static", asset="glove_6b_50d", group="monolingual"),
    ]
    """Models; a list in a second configuration file replaces this one."""
    texts: list[Source] = []
    """Texts of the languages, for token_in_context and trained vectors; `{language}` in a path stands for the language. Where empty, the run's discovery corpus serves its own languages."""
    in_context: InContext = InContext()
    """How words are found in the texts."""
    training: WordTraining = WordTraining()
    """Training of the models with `train: true`."""
    spaces: Annotated[list[Literal["raw", "standardised"]], Field(min_length=1)] = [
        "raw",
        "standardised",
    ]
    """raw: the model's vectors; standardised: each dimension with mean 0 and deviation 1 over the words of the language's published lists (over all its lists where under 20 of those have a vector)."""
    p_values: Literal["certified", "saddlepoint"] = "certified"
    """certified: exact or with bounds; saddlepoint: a fast approximation for very large grids."""
    max_exact: Annotated[int, Field(ge=2, le=56, strict=True)] = 44
    """Target words up to which every partition is counted; certified bounds beyond."""
    relative_width: Annotated[float, Field(gt=0, le=0.1)] = 1e-3
    """Width of the certified band, relative to p."""
    nulls: Annotated[int, Field(ge=0, strict=True)] = 500
    """Pairs of other tests' target sets that each score is compared with."""
    coverage_min: Share = 0.8
    """A test whose worst set has a smaller share of its words is thin."""
    min_words: Annotated[int, Field(ge=2, strict=True)] = 2
    """A test with a set of fewer words is refused."""
    thin_words: Positive = 4
    """A test with a set of fewer words is thin."""
    readable_min: Share = 0.5
    """A model is refused for a language of whose words it reads a smaller share."""
    batch_size: Positive = 32
    """Words of a batch."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 1_000
    """Bootstrap replicates: over concepts (human against machine translation), over tests (clusters)."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 999
    """Permutations of the two translations of each concept."""
