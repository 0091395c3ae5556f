"""Keys of regions, corpora, passages and gender."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr, model_validator

from biasatlas.config.section import Language, Name, PathText, Positive, Section

# The only options of readers that are true or false.
SWITCHES = ("keep_salutations", "title_in_text")


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
    """The region as the documents themselves name it: in a column of a table, or as a subreddit."""
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

    reader: Literal["folder", "geowac", "lines", "news", "reddit", "table", "ungdc"]
    """What reads it: table (CSV, TSV, JSON lines, Parquet), lines (one document a line), folder (one document a file), geowac, ungdc, reddit, news (NewsArticles.zip)."""
    asset: Name | None = None
    """Name of an asset in resources/assets.yaml; either this or `path`."""
    path: PathText | list[PathText] | None = None
    """Files or a folder of your own, also as patterns such as data/*.gz; either this or `asset`."""
    language: Language | None = None
    """The one language that it is read for; for every language of the run where empty."""
    options: dict[StrictStr, StrictStr | StrictBool | StrictInt | dict[StrictStr, StrictStr]] = {}
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


class Documents(Section):
    """How documents are read, checked and drawn."""

    per_country: Positive | None = None
    """Documents drawn at random from each country (94000 in Borah et al.), or from each region's label where documents carry labels; all where empty."""
    min_words: Annotated[int, Field(ge=1, strict=True)] = 30
    """A shorter document is dropped and counted."""
    max_words: Positive | None = None
    """A longer document is dropped and counted; none where empty."""
    near_duplicates: Annotated[float, Field(gt=0, le=1)] | None = 0.8
    """A document that shares this much of its five-word runs with one taken before is dropped (MinHash); empty drops exact duplicates only."""
    language_min: Annotated[float, Field(gt=0, lt=1)] | None = 0.5
    """A document whose language has a smaller probability is dropped; empty checks nothing."""
    language_model: Name = "lid176"
    """Asset that tells languages apart."""
    damaged: Literal["fail", "keep"] = "fail"
    """A file that breaks off or cannot be unpacked: fail stops; keep uses what is whole, counts and warns."""
    max_document_mb: Annotated[float, Field(gt=0)] = 10
    """A document with more text (in megabytes) is dropped and counted."""
    max_unpacked_gb: Annotated[float, Field(gt=0)] = 100
    """A file that unpacks to more (in gigabytes) is refused."""
    batch_kb: Positive = 16_000
    """Text that is read at once (in kilobytes); it decides memory, never a result."""

    @model_validator(mode="after")
    def _shortest_below_longest(self) -> Documents:
        if self.max_words is not None and self.min_words > self.max_words:
            raise ValueError(
                f"min_words ({self.min_words}) must not exceed max_words ({self.max_words})"
            )
        return self


class Passages(Section):
    """How documents become passages."""

    words: Annotated[int, Field(ge=20, le=2000, strict=True)] = 100
    """Aimed length of a passage in words; it ends at a sentence boundary."""
    min_words: Annotated[int, Field(ge=1, strict=True)] = 30
    """A shorter passage is dropped and counted."""
    boilerplate_documents: Annotated[int, Field(ge=2, strict=True)] | None = 4
    """A sentence that this many documents of one source hold is dropped; empty keeps all."""
    boilerplate_share: Annotated[float, Field(ge=0, le=1)] = 0.001
    """In a source of many documents it must stand in this share of them."""
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

    pairs: Name | dict[Language, Name] = "bolukbasi52"
    """A list in resources/word_lists/gender/{language}/: bolukbasi52 (the paper's) or extended, in other languages basic; with several languages a mapping of language to list."""
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
