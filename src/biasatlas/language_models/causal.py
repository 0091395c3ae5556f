"""Text invented by a causal model of the transformers library, from a local folder."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.assets.model_folder import find_model_faults
from biasatlas.encoders.sentence import choose_device
from biasatlas.errors import InputError
from biasatlas.language_models.chat import Message, Reply
from biasatlas.language_models.llama import FIXED_DATE, without_system
from biasatlas.language_models.sampling import (
    SAMPLING,
    check_length,
    draw_token,
    log_probability,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Takes the place of the function by which a template writes today's date.
_SAME_DATE = "{%- macro strftime_now(form) -%}" + FIXED_DATE + "{%- endmacro -%}"
# What the library raises for a folder that is damaged in one way or another.
_DAMAGE = (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError, ImportError)


class CausalGenerator:
    """A causal model, loaded at the first question; on a GPU where there is one.

    A JSON schema is not enforced.

    Parameters
    ----------
    path : str or Path
        Folder with config, tokenizer and safetensors weights; no code of a model is run, and
        nothing is fetched.
    digest : str
        Hash of the model.
    context : int
        Tokens of question and reply together; at most what the model has positions for.

    Raises
    ------
    InputError
        For a folder that is no whole causal model.
    """

    parallel = 1

    def __init__(self, path: str | Path, digest: str, *, context: int = 2048) -> None:
        self._path = Path(path)
        _check_folder(self._path)
        self._digest = digest
        self._wanted_context = context
        self._device = choose_device()
        self._tokenizer: Any = None
        self._loaded: Any = None

    @property
    def identity(self) -> str:
        """Model, library, device and settings."""
        from importlib.metadata import version

        libraries = " ".join(f"{name} {version(name)}" for name in ("transformers", "torch"))
        kind = self._device.partition(":")[0]
        return (
            f"transformers {self._digest} {libraries} {SAMPLING} "
            f"context {self._wanted_context} {kind} {self._precision}"
        )

    @property
    def context(self) -> int:
        """Tokens of question and reply together."""
        positions = getattr(self._model.config, "max_position_embeddings", None)
        return min(self._wanted_context, int(positions or self._wanted_context))

    def reply(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int,
        temperature: float,
        max_tokens: int,
    ) -> Reply:
        """Answer in whatever form; a schema is not enforced.

        Parameters
        ----------
        messages : sequence of mapping
        schema : mapping, optional
            Not used.
        seed : int
            Not negative; the same seed draws the same reply.
        temperature : float
            0 always takes the most probable token.
        max_tokens : int
            Most new tokens.

        Returns
        -------
        Reply

        Raises
        ------
        InputError
            When the question alone fills the context.
        """
        import torch

        model = self._model
        tokens = self._tokens(messages)
        check_length(self._path, len(tokens), self.context, "a question")
        rng = np.random.Generator(np.random.PCG64(seed))
        ends = self._ends()
        most = min(max_tokens, self.context - len(tokens))
        drawn: list[int] = []
        known: dict[str, Any] = {}
        finish, fresh = "length", tokens
        name = _name_cache(model)
        with torch.inference_mode():
            while len(drawn) < most:
                ids = torch.tensor([fresh], device=self._device)
                out = model(input_ids=ids, use_cache=name is not None, **known)
                token = draw_token(out.logits[0, -1].float().cpu().numpy(), temperature, rng)
                if token in ends:
                    finish = "stop"
                    break
                drawn.append(token)
                known = {} if name is None else {name: getattr(out, name)}
                fresh = [token] if known else [*tokens, *drawn]
        text = self._tokenizer.decode(drawn, skip_special_tokens=True)
        return Reply(str(text), finish, len(tokens), len(drawn), self._path.name)

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        """Log probability (natural) of each option right after a plain text.

        Parameters
        ----------
        text : str
        options : sequence of str
            Of any number of tokens each.

        Returns
        -------
        list of float or None
            None where an option cannot be written in tokens of its own after the text.

        Raises
        ------
        InputError
            When the text fills the context.
        """
        model = self._model
        start = self._plain(text)
        # Rows of one length are computed alike, whatever the other options are.
        known: dict[tuple[int, ...], NDArray[np.float32]] = {}
        result: list[float | None] = []
        for option in options:
            pieces = self._pieces(text, option, start)
            if pieces is None:
                result.append(None)
                continue
            check_length(
                self._path, len(start) + len(pieces), self.context, "a text with its continuation"
            )
            read = (*start, *pieces[:-1])
            if read not in known:
                known[read] = _scores(model, read, self._device)
            rows = known[read][len(start) - 1 :]
            result.append(sum(map(log_probability, rows, pieces), 0.0))
        return result

    def _pieces(self, text: str, option: str, start: list[int]) -> list[int] | None:
        """Tokens of an option: as they follow in the whole, else as it is written alone."""
        whole = self._plain(text + option)
        if whole[: len(start)] == start:
            return whole[len(start) :]
        alone = list(self._tokenizer(option, add_special_tokens=False)["input_ids"])
        written = self._tokenizer.decode(alone, clean_up_tokenization_spaces=False)
        return alone if written == option else None

    def _plain(self, text: str) -> list[int]:
        """Tokens of a plain text, with the sign of a beginning that the model knows."""
        tokenizer = self._tokenizer
        tokens = list(
            tokenizer(text, add_special_tokens=False, split_special_tokens=True).input_ids
        )
        begin = tokenizer.bos_token_id
        marked = list(tokenizer("a")["input_ids"])
        if begin is not None and (not tokens or marked[0] == begin):
            tokens = [begin, *tokens]
        if not tokens:
            raise InputError(f"{self._path}: the empty text has no tokens to go on from")
        return tokens

    def _tokens(self, messages: Sequence[Message]) -> list[int]:
        tokenizer = self._tokenizer
        if not tokenizer.chat_template:
            # A model that is not trained for chats goes on with the text.
            return self._plain("\n\n".join(message["content"] for message in messages) + "\n\n")
        try:
            prompt = self._format(messages)
        # Each template has its own way to refuse a system message.
        except Exception:
            prompt = self._format(without_system(messages))
        return list(tokenizer(prompt, add_special_tokens=False)["input_ids"])

    def _format(self, messages: Sequence[Message]) -> str:
        prompt = self._tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            chat_template=_SAME_DATE + self._tokenizer.get_chat_template(),
            tokenize=False,
            add_generation_prompt=True,
        )
        return str(prompt)

    def _ends(self) -> set[int]:
        """Tokens that end a reply, as the model's files name them."""
        settings = getattr(self._model, "generation_config", None)
        named = getattr(settings, "eos_token_id", None)
        ends = named if isinstance(named, list) else [named]
        return {int(end) for end in (*ends, self._tokenizer.eos_token_id) if end is not None}

    @property
    def _precision(self) -> str:
        """As the weights are stored on a GPU, where large models would not fit otherwise."""
        return "fp32" if self._device == "cpu" else "as stored"

    @property
    def _model(self) -> Any:
        if self._loaded is None:
            self._tokenizer, self._loaded = self._load()
        return self._loaded

    def _load(self) -> tuple[Any, Any]:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForCausalLM, AutoTokenizer

        # One thread: the split of a product over threads changes its last bits.
        torch.set_num_threads(1)
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        dtype = torch.float32 if self._device == "cpu" else "auto"
        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(self._path, use_fast=True, **local)
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                self._path, use_safetensors=True, dtype=dtype, output_loading_info=True, **local
            )
            model, info = loaded
        except (*_DAMAGE, SafetensorError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{self._path}: not a whole causal model ({reason})") from error
        # Weights that a file lacks are drawn at random by the library.
        missing = sorted(info["missing_keys"])
        if missing:
            raise InputError(
                f"{self._path}: not a whole model; its files lack {len(missing)} weights, such as "
                f"{missing[0]}"
            )
        if len(tokenizer) > model.get_input_embeddings().num_embeddings:
            raise InputError(
                f"{self._path}: its tokenizer has {len(tokenizer)} pieces, its model "
                f"{model.get_input_embeddings().num_embeddings}; they are not of one model"
            )
        return tokenizer, model.to(self._device).eval()


def _scores(model: Any, tokens: Sequence[int], device: str) -> NDArray[np.float32]:
    """Scores of what follows each token."""
    import torch

    with torch.inference_mode():
        out = model(input_ids=torch.tensor([list(tokens)], device=device), use_cache=False)
    return np.asarray(out.logits[0].float().cpu().numpy())


def _name_cache(model: Any) -> str | None:
    """Name under which a model takes and gives what it knows of earlier tokens; None for others."""
    takes = inspect.signature(model.forward).parameters
    return next((name for name in ("cache", "past_key_values") if name in takes), None)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; backend transformers needs a model's folder")
    faults = find_model_faults(folder)
    if faults:
        raise InputError(f"{folder}: {fault}" for fault in faults)
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        kind = config.get("model_type")
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(
            f"{folder}: not a whole model (no config.json that can be read)"
        ) from error
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    # An encoder can be read as a causal model too, but was never trained to go on with a text.
    both_sides = kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES and not config.get("is_decoder")
    if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES or both_sides:
        reason = "; code of its own is never run" if "auto_map" in config else ""
        raise InputError(
            f"{folder}: a model of type {kind!r} is no causal model that the transformers library "
            f"knows{reason}; allowed are types such as llama, qwen2, gemma, mistral and gpt2"
        )
