"""Text invented by a GGUF file: sampled at a temperature alone, in the form of a JSON schema."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Message, Reply
from biasatlas.language_models.llama import GgufModel
from biasatlas.language_models.sampling import (
    SAMPLING,
    check_length,
    draw_token,
    log_probability,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LlamaGenerator(GgufModel):
    """A GGUF model that is asked for many replies, each with a seed of its own.

    A question that is asked again right after itself is not evaluated again.

    Parameters
    ----------
    path : str or Path
        The file, or a folder with one.
    digest : str
        Hash of the model.
    context : int
        Tokens of question and reply together; at most what the model was trained for.
    threads : int
        Two busy threads are many times slower than one on two cores.

    Raises
    ------
    InputError
        When llama-cpp-python or the file is missing.
    """

    parallel = 1

    def __init__(
        self, path: str | Path, digest: str, *, context: int = 2048, threads: int = 1
    ) -> None:
        super().__init__(path, digest, context=context, threads=threads)
        self._question: list[int] = []
        self._first: NDArray[np.float32] = np.empty(0, dtype=np.float32)

    @property
    def identity(self) -> str:
        """Model, library and settings; threads may decide a last bit."""
        return (
            f"llama {self._digest} {self._library} {SAMPLING} "
            f"context {self._wanted_context} threads {self._threads}"
        )

    def reply(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        *,
        seed: int,
        temperature: float,
        max_tokens: int,
    ) -> Reply:
        """Answer; with a JSON schema the reply is JSON of that form, unless it is cut off.

        Parameters
        ----------
        messages : sequence of mapping
        schema : mapping, optional
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
            When the question alone fills the context, or the schema gives no grammar.
        """
        tokens = self._tokens(messages)
        check_length(self._path, len(tokens), self.context, "a question")
        with _Grammar(self, schema) as grammar:
            first = self._evaluate(messages, tokens)
            most = min(max_tokens, self.context - len(tokens))
            rng = np.random.Generator(np.random.PCG64(seed))
            draw = partial(grammar.draw, temperature=temperature, rng=rng)
            text, drawn, finish = self._go_on(tokens, first, draw, most)
        return Reply(text, finish, len(tokens), drawn, self._path.name)

    def continuations(self, text: str, options: Sequence[str]) -> list[float | None]:
        """Log probability (natural) of each option right after a plain text.

        Parameters
        ----------
        text : str
            No chat and no markup: what looks like a special token is plain text.
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
        llama = self._llama
        start = self._plain(text, add_bos=True)
        # Nothing of the chat stays evaluated.
        self._head, self._prefix, self._question = [], [], []
        check_length(self._path, len(start), self.context, "a text")
        llama.reset()
        llama.eval(start)
        first = self._logits().copy()
        return [self._continue(text, option, start, first) for option in options]

    def _continue(
        self, text: str, option: str, start: list[int], first: NDArray[np.float32]
    ) -> float | None:
        """Sum over an option's tokens, each one given the text and the tokens before it."""
        pieces = self._pieces(text, option, start)
        if pieces is None:
            return None
        check_length(
            self._path, len(start) + len(pieces), self.context, "a text with its continuation"
        )
        llama = self._llama
        if llama._is_recurrent or llama._is_hybrid:
            llama.reset()
            llama.eval(start)
        llama.n_tokens = len(start)
        total, logits = 0.0, first
        for number, token in enumerate(pieces):
            if number:
                llama.eval(pieces[number - 1 : number])
                logits = self._logits()
            total += log_probability(logits, token)
        return total

    def _pieces(self, text: str, option: str, start: list[int]) -> list[int] | None:
        """Tokens of an option: as they follow in the whole, else as it is written alone."""
        whole = self._plain(text + option, add_bos=True)
        if whole[: len(start)] == start:
            return whole[len(start) :]
        alone = self._plain(option, add_bos=False)
        written = self._llama.detokenize(alone)
        return alone if written == option.encode("utf-8") else None

    def _plain(self, text: str, *, add_bos: bool) -> list[int]:
        llama = self._llama
        tokens = list(llama.tokenize(text.encode("utf-8"), add_bos=add_bos, special=False))
        # The first token needs something to follow.
        return tokens or [llama.token_bos()]

    def _evaluate(self, messages: Sequence[Message], tokens: list[int]) -> NDArray[np.float32]:
        """Leave a question evaluated, always in the same parts; scores of the first new token."""
        llama = self._llama
        if tokens != self._question or llama._is_recurrent or llama._is_hybrid:
            self._question = []
            self._rewind(messages[:-1], tokens)
            begun = min(len(self._prefix), len(tokens) - 1)
            llama.n_tokens = begun
            llama.eval(tokens[begun:])
            self._question, self._first = tokens, self._logits().copy()
        llama.n_tokens = len(tokens)
        return self._first

    def _go_on(
        self,
        tokens: list[int],
        logits: NDArray[np.float32],
        draw: Callable[[NDArray[np.float32]], int],
        most: int,
    ) -> tuple[str, int, str]:
        """Draw tokens up to an end; text, how many, and why it ends."""
        import llama_cpp

        llama = self._llama
        stops = [text.encode("utf-8") for text in self._stop]
        drawn: list[int] = []
        written = b""
        while len(drawn) < most:
            token = draw(logits)
            if llama_cpp.llama_vocab_is_eog(llama._model.vocab, token):
                return written.decode("utf-8", errors="ignore"), len(drawn), "stop"
            drawn.append(token)
            written = llama.detokenize(drawn, prev_tokens=tokens)
            ends = [written.index(stop) for stop in stops if stop in written]
            if ends:
                return written[: min(ends)].decode("utf-8", errors="ignore"), len(drawn), "stop"
            if len(drawn) < most:
                llama.eval([token])
                logits = self._logits()
        return written.decode("utf-8", errors="ignore"), len(drawn), "length"

    def _logits(self) -> NDArray[np.float32]:
        """Scores of the token that follows; the next evaluation writes over them."""
        import llama_cpp

        scores = llama_cpp.llama_get_logits_ith(self._llama.ctx, -1)
        return np.ctypeslib.as_array(scores, shape=(self._llama.n_vocab(),))


class _Grammar:
    """What a JSON schema allows next; without a schema, everything.

    To ask the grammar about one token is quick, about all of the vocabulary slow. So a token is
    drawn of all, and only where the grammar forbids it drawn again of those that are allowed: a
    token of probability p has p + (1 - a) p / a = p / a, a the probability of all that is allowed,
    which is what drawing of the allowed ones gives at once.
    """

    def __init__(self, model: GgufModel, schema: Mapping[str, Any] | None) -> None:
        self._sampler: Any = None
        if schema is None:
            return
        import llama_cpp

        try:
            grammar = model._grammar(schema)
        except ValueError as error:
            raise InputError(f"{model._path}: {error}") from error
        self._sampler = llama_cpp.llama_sampler_init_grammar(
            model._llama._model.vocab, grammar._grammar.encode("utf-8"), b"root"
        )

    def __enter__(self) -> _Grammar:
        return self

    def __exit__(self, *_: object) -> None:
        import llama_cpp

        if self._sampler is not None:
            llama_cpp.llama_sampler_free(self._sampler)

    def draw(
        self, logits: NDArray[np.float32], temperature: float, rng: np.random.Generator
    ) -> int:
        """Draw a token and go on to what is allowed behind it."""
        token = draw_token(logits, temperature, rng)
        if self._sampler is None:
            return token
        import llama_cpp

        one = np.array([token], dtype=np.int32)
        if math.isinf(self._masked(one, logits[one])[0]):
            every = np.arange(len(logits), dtype=np.int32)
            token = draw_token(self._masked(every, logits), temperature, rng)
        llama_cpp.llama_sampler_accept(self._sampler, token)
        return token

    def _masked(
        self, tokens: NDArray[np.int32], logits: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Scores, -inf for what is not allowed."""
        import llama_cpp

        kinds = [("id", np.int32), ("logit", np.float32), ("p", np.float32)]
        data = np.zeros(len(tokens), dtype=kinds)
        data["id"], data["logit"] = tokens, logits
        pointer = data.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
        candidates = llama_cpp.llama_token_data_array(pointer, len(tokens), -1, False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(candidates))
        # The grammar writes in place and leaves the order.
        return np.asarray(data["logit"])
