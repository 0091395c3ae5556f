"""Keys of the personas that language models invent."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, StrictBool, StrictStr, field_validator, model_validator

from biasatlas.config.section import Name, PathText, Positive, Section
from biasatlas.config.topics import Count

Amount = Annotated[float, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0)]
ENDPOINT_KEYS = (
    "model",
    "base_url",
    "key_from",
    "structured",
    "logprobs",
    "parallel",
    "per_minute",
    "price",
)


class Price(Section):
    """What an endpoint asks for a million tokens, in any one currency."""

    prompt: Amount
    """A million tokens of questions."""
    reply: Amount
    """A million tokens of replies."""


class LanguageModel(Section):
    """A language model that is asked for personas."""

    name: Name
    """Its name in paths and tables."""
    backend: Literal["llama", "transformers", "openai"]
    """llama: a GGUF file, by llama-cpp-python in the job; transformers: the folder of a causal model, on a GPU where there is one; openai: any server that speaks the OpenAI protocol (GPT, gateways to Claude and Gemini, vLLM, Ollama, llama.cpp)."""
    asset: Name | None = None
    """llama, transformers: an asset in resources/assets.yaml."""
    path: PathText | None = None
    """llama, transformers: a file or folder of your own instead."""
    model: StrictStr | None = None
    """openai: the name by which the server knows the model."""
    revision: StrictStr = ""
    """A note of the version that answers. Change it when a server's model has changed under its name: everything is then asked anew."""
    base_url: StrictStr | None = None
    """openai: address of the server, such as http://127.0.0.1:8000/v1; null: OpenAI's own."""
    key_from: StrictStr | None = None
    """openai: name of the environment variable that holds the key, such as OPENAI_API_KEY; null for a server without keys. The key itself never stands in a configuration."""
    structured: Literal["json_schema", "json_object", "none"] = "json_schema"
    """openai: how the server is asked for JSON: response_format json_schema; json_object with the schema (llama.cpp's own server); or by the prompt alone."""
    logprobs: StrictBool = False
    """openai: the server has /completions with log probabilities, so that it can be probed. The other backends always can."""
    parallel: Positive = 4
    """openai: questions that are under way at once."""
    per_minute: Positive | None = None
    """openai: most requests a minute; null: no limit."""
    price: Price | None = None
    """openai: what it costs, for the table of models."""

    @field_validator("key_from")
    @classmethod
    def _names_a_variable(cls, value: str | None) -> str | None:
        # The value is in no message: a key may stand here by mistake.
        if value is not None and not (value.isascii() and value.isupper() and value.isidentifier()):
            raise ValueError(
                "value (not shown, it may be a key): give the name of an environment variable in "
                "capitals, such as OPENAI_API_KEY"
            )
        return value

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            # A port that is none raises.
            whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            bare = not (parts.username or parts.password or parts.query or parts.fragment)
        except ValueError:
            whole = bare = False
        if not (whole and bare):
            raise ValueError(
                "value (not shown, it may hold a key): give http:// or https://, a host and a "
                "path, without user name, password or `?`"
            )
        return value

    @model_validator(mode="after")
    def _fits_backend(self) -> LanguageModel:
        problems = []
        if self.backend == "openai":
            if not self.model:
                problems.append("`model` is missing: the name by which the server knows it")
            problems += [
                f"`{key}` is for the backends llama and transformers"
                for key in ("asset", "path")
                if getattr(self, key) is not None
            ]
        else:
            if (self.asset is None) == (self.path is None):
                problems.append("give exactly one of `asset` and `path`")
            problems += [
                f"`{key}` is for the backend openai"
                for key in ENDPOINT_KEYS
                if key in self.model_fields_set and getattr(self, key) is not None
            ]
        if problems:
            raise ValueError(f"model `{self.name}`: {'; '.join(problems)}")
        return self

    @property
    def probed(self) -> bool:
        """Whether it can tell the probability of a continuation."""
        return self.backend != "openai" or self.logprobs


class Requests(Section):
    """What endpoints are asked, and what happens when they fail."""

    timeout: Seconds = 120
    """Seconds that a reply may take."""
    attempts: Positive = 6
    """Times that a question is sent where the server is down, busy, at fault or late; then the run stops, and goes on where it was when it is started again. A server that rejects optional parameters needs up to five until it has said so of each."""
    longest_wait: Seconds = 60
    """Most seconds between two of them, also where the server asks for more."""
    max_requests: Annotated[int, Field(ge=1, strict=True)] | None = 10_000
    """Most requests that one model may be sent for a run, repeated ones included; null: no limit."""


class Personas(Section):
    """Personas that language models invent for the topics of pairs (docs/personas.md)."""

    models: list[LanguageModel] = []
    """The models; none: the stage is left out."""
    pairs: Literal["own", "paper", "both"] = "own"
    """Whose topics: own, the run's topic pairs; paper, the 25 published pairs of Borah et al., for regions of the same name, without a corpus; both. The probe takes the published topics in any case."""
    folder: PathText = "resources/prompts/personas"
    """Holds a folder a language with the prompt forms, the neutral topics and the probe."""
    prompts: Annotated[list[Name], Field(min_length=1)] = ["paper"]
    """Prompt forms, each a file of that folder: paper, told, told_reversed, character, story, or your own."""
    runs: Positive = 7
    """Replies a topic and prompt form."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.8
    """0 always takes the most probable token; then one run is enough."""
    max_tokens: Positive = 160
    """Most tokens of a reply."""
    context: Annotated[int, Field(ge=256, strict=True)] = 1_024
    """llama, transformers: tokens of question and reply together."""
    probe: StrictBool = True
    """Also compare the probabilities of a female and a male continuation, for all topics of a region; nothing is generated."""
    bootstrap: Annotated[int, Field(ge=100, strict=True)] = 2_000
    """Bootstrap replicates over topics."""
    permutations: Annotated[int, Field(ge=99, strict=True)] = 9_999
    """Permutations where they are too many to count out."""
    thin_topics: Count = 4
    """Fewer topics of a gender are marked thin; with three of each no p lies below 0.1."""
    requests: Requests = Requests()
    """What endpoints are asked."""

    @model_validator(mode="after")
    def _runs_differ(self) -> Personas:
        if self.temperature == 0 and self.runs > 1:
            raise ValueError(
                f"temperature 0 gives the same reply in each run: with it `runs` is 1, not {self.runs}"
            )
        return self
