"""The generator of a configured language model, by its backend."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Generator


class Configured(Protocol):
    """Keys of a language model in a configuration."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def backend(self) -> str:
        """llama, transformers or openai."""

    @property
    def model(self) -> str | None:
        """openai: the name by which the server knows it."""

    @property
    def base_url(self) -> str | None:
        """openai: address of the server."""

    @property
    def key_from(self) -> str | None:
        """openai: the environment variable that holds the key."""

    @property
    def revision(self) -> str:
        """openai: a note of the version that answers."""

    @property
    def structured(self) -> str:
        """openai: how the server is asked for JSON."""

    @property
    def logprobs(self) -> bool:
        """openai: whether the server tells log probabilities."""


def make_generator(
    model: Configured,
    path: str | Path | None,
    digest: str,
    *,
    timeout: float = 120,
    parallel: int = 1,
    context: int = 1024,
) -> Generator:
    """Make the generator of a language model; a local one is loaded at its first question.

    Parameters
    ----------
    model : Configured
        As `biasatlas.config.personas.LanguageModel`.
    path : str, Path or None
        llama: a GGUF file, or a folder with one; transformers: a model's folder. Not used for
        openai.
    digest : str
        Hash of the file or folder. Not used for openai.
    timeout : float
        openai: seconds that a reply may take.
    parallel : int
        openai: questions at once.
    context : int
        llama, transformers: tokens of question and reply together.

    Returns
    -------
    Generator

    Raises
    ------
    InputError
        When the backend's library or the model's file is missing, or a key is.
    """
    if model.backend == "openai":
        from biasatlas.language_models.endpoint import EndpointGenerator

        if not model.model:
            raise InputError(f"model `{model.name}`: key `model` is missing")
        return EndpointGenerator(
            model=model.model,
            base_url=model.base_url,
            key_from=model.key_from,
            revision=model.revision,
            structured=model.structured,
            logprobs=model.logprobs,
            parallel=parallel,
            timeout=timeout,
        )
    if path is None:
        raise InputError(f"model `{model.name}`: backend {model.backend} needs a file or a folder")
    if model.backend == "llama":
        from biasatlas.language_models.llama_generator import LlamaGenerator

        return LlamaGenerator(path, digest, context=context)
    if model.backend == "transformers":
        from biasatlas.language_models.causal import CausalGenerator

        return CausalGenerator(path, digest, context=context)
    raise InputError(
        f"model `{model.name}`: backend {model.backend!r}; allowed are llama, transformers, openai"
    )
