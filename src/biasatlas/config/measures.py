"""Keys of vectors, association tests and their stability, region-aware tests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictStr

from biasatlas.config.section import Name, PathText, Positive, Section, Seed, Share


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


class Alc(Section):
    """À la carte vectors: a word's mean context in pretrained vectors, and one linear map."""

    window: Positive = 6
    """Context words on each side."""
    fit_min_count: Positive = 20
    """The map is fitted on words that the corpus of all regions holds this often."""
    min_count: Positive = 2
    """A word that a region holds more rarely gets no vector there."""


class Vectors(Section):
    """Word vectors of each region."""

    algorithms: Annotated[list[Literal["word2vec", "fasttext", "alc"]], Field(min_length=1)] = [
        "word2vec",
        "alc",
    ]
    """Vectors that the WEAT tests are scored on: word2vec and fasttext are trained on each region's text alone, alc (à la carte) starts from the pretrained ones."""
    seeds: Annotated[list[Seed], Field(min_length=1)] = [1, 2, 3, 4, 5]
    """One trained model a seed; their spread shows what is noise."""
    word2vec: Word2Vec = Word2Vec()
    """Settings of word2vec, trained on the discovery corpus."""
    fasttext: FastText = FastText()
    """Settings of fastText, trained on the evaluation corpus."""
    alc: Alc = Alc()
    """Settings of à la carte vectors."""
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
    control: Name | None = "control"
    """Folder under resources/word_lists/ with the positive control: associations of frequent words that no text lacks. Vectors that fail it are marked everywhere."""
    case: Literal["as_is", "lower", "both"] = "lower"
    """How a listed word is looked up: as it is, in lower case (as the run's own vectors are), or as it is and else in lower case."""
    coverage_min: Share = 0.8
    """A test whose worst set has a smaller share of its words found is marked thin."""
    min_words: Annotated[int, Field(ge=2, strict=True)] = 4
    """A test with a set of fewer distinct words found is refused, with the reason."""
    max_exact: Annotated[int, Field(ge=2, le=56, strict=True)] = 56
    """Largest number of target words for which every partition is counted; beyond, p has certified bounds."""
    relative_width: Annotated[float, Field(ge=1e-6, le=0.01)] = 0.001
    """How near the two bounds of p are to come, as a share of p."""
    nulls: Annotated[int, Field(ge=0, strict=True)] = 500
    """Random word sets, matched in frequency and coherence, that each score is compared with."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 2_000
    """Bootstrap replicates over words, or documents, for the intervals of the companion measures."""


class Stability(Section):
    """How much a score depends on seeds and documents."""

    resample_documents: StrictBool = True
    """Train one more model a seed on documents drawn with replacement."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 1_000
    """Bootstrap replicates over documents of à la carte vectors."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 4_999
    """Permutations of documents between two regions."""


class Evaluation(Section):
    """Region-aware WEAT."""

    algorithms: Annotated[list[Literal["word2vec", "fasttext", "alc"]], Field(min_length=1)] = [
        "fasttext",
        "alc",
    ]
    """Vectors of the evaluation corpus that the pairs are scored on (fasttext in the paper)."""
    terms: Literal["paper_table", "paper_text"] = "paper_table"
    """Gender terms as printed in Table 12, or as its prose lists them."""
    keep_shared: StrictBool = False
    """Keep topic words that are also gender terms (the paper did); else they are dropped."""
    published_pairs: StrictBool = True
    """Score the 25 published pairs too."""
