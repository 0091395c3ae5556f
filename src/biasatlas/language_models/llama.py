"""Chat with a GGUF file through llama-cpp-python; a reply depends on its own question alone."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biasatlas.errors import InputError
from biasatlas.language_models.chat import ChatSettings, Message, settings_key
from biasatlas.language_models.install import check_llama

logger = logging.getLogger(__name__)

MAGIC = b"GGUF"
# Templates of Llama 3.1 and later write today's date into the prompt.
FIXED_DATE = "26 Jul 2024"


def find_gguf(path: str | Path) -> Path:
    """Find the one GGUF file at a path: the file itself, or the one in a folder.

    Raises
    ------
    InputError
        When there is none or more than one, or the file is not GGUF.
    """
    path = Path(path)
    found = sorted(path.glob("*.gguf")) if path.is_dir() else [path]
    if len(found) != 1:
        names = ", ".join(one.name for one in found) or "none"
        raise InputError(f"{path}: one file *.gguf is needed, found {names}")
    try:
        with found[0].open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise InputError(f"{found[0]}: cannot be read ({error.strerror})") from error
    if start != MAGIC:
        raise InputError(f"{found[0]}: not a GGUF model (it does not begin with GGUF)")
    return found[0]


class GgufModel:
    """A GGUF file, loaded when it is first needed; nothing of it depends on earlier questions.

    Parameters
    ----------
    path : str or Path
        The file, or a folder with one.
    digest : str
        Hash of the model, for the key of replies.
    context : int
        Tokens of question and reply together; at most what the model was trained for.
    threads : int

    Raises
    ------
    InputError
        When llama-cpp-python or the file is missing.
    """

    def __init__(self, path: str | Path, digest: str, *, context: int, threads: int) -> None:
        problems = check_llama()
        if problems:
            raise InputError(problems)
        from importlib.metadata import version

        self._path = find_gguf(path)
        self._wanted_context = context
        self._threads = threads
        self._library = f"llama-cpp-python {version('llama-cpp-python')}"
        self._digest = digest
        self._loaded: Any = None
        self._format: Any = None
        self._stop: list[str] = []
        self._head: list[Message] = []
        self._prefix: list[int] = []
        self._grammars: dict[str, Any] = {}

    @property
    def context(self) -> int:
        """Tokens of question and reply together."""
        return int(self._llama.n_ctx())

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of a question, the markup of the chat included."""
        return len(self._tokens(messages))

    def cut(self, text: str, tokens: int) -> str:
        """The first words of a text, at most so many tokens."""
        pieces = self._llama.tokenize(text.encode("utf-8"), add_bos=False, special=False)
        if len(pieces) <= tokens:
            return text
        # The last word may be cut in the middle, even in the middle of a letter's bytes.
        kept = self._llama.detokenize(pieces[: max(tokens, 0)]).decode("utf-8", errors="ignore")
        return kept.rpartition(" ")[0].strip() or kept.strip()

    def _grammar(self, schema: Mapping[str, Any]) -> Any:
        """Grammar of a JSON schema, made once.

        Raises
        ------
        ValueError
            When the schema gives no grammar.
        """
        import llama_cpp

        # The order of the keys is the order in which they are written: it is not sorted away.
        text = json.dumps(dict(schema))
        if text not in self._grammars:
            grammar = llama_cpp.LlamaGrammar.from_json_schema(text, verbose=False)
            # A grammar that llama.cpp cannot read ends the process: it is tried first. The
            # library writes such a one for a quotation mark inside an option.
            sampler = llama_cpp.llama_sampler_init_grammar(
                self._llama._model.vocab, grammar._grammar.encode("utf-8"), b"root"
            )
            if not sampler:
                raise ValueError(f"no grammar can be made of the schema {text}")
            llama_cpp.llama_sampler_free(sampler)
            self._grammars[text] = grammar
        return self._grammars[text]

    def _rewind(self, head: Sequence[Message], tokens: Sequence[int]) -> None:
        """Leave exactly the shared beginning evaluated.

        llama-cpp-python itself keeps as much of the last question as is equal in this one, so
        the split into batches, and with it the last bits, would depend on what was asked before.
        """
        llama = self._llama
        if llama._is_recurrent or llama._is_hybrid:
            # Such a model cannot go back to an earlier token.
            llama.reset()
            self._prefix = []
            return
        if list(head) != self._head or not self._prefix:
            self._head = list(head)
            self._prefix = self._shared(head)
            llama.reset()
            if self._prefix:
                llama.eval(self._prefix)
        if list(tokens[: len(self._prefix)]) == self._prefix:
            llama.n_tokens = len(self._prefix)
        else:
            llama.reset()
            self._prefix = []

    def _shared(self, head: Sequence[Message]) -> list[int]:
        """Tokens that every question with these first messages begins with."""
        ends = [{"role": "user", "content": text} for text in ("a b", "1.", "Zz")]
        first, *others = (self._tokens([*head, end]) for end in ends)
        length = 0
        while all(length < len(o) and o[length] == first[length] for o in others):
            length += 1
        return first[:length]

    def _tokens(self, messages: Sequence[Message]) -> list[int]:
        llama = self._llama
        result = self._format(messages=[dict(message) for message in messages])
        return list(
            llama.tokenize(
                result.prompt.encode("utf-8"), add_bos=not result.added_special, special=True
            )
        )

    @property
    def _llama(self) -> Any:
        if self._loaded is None:
            self._loaded = self._load()
            self._format, self._stop = _chat_format(self._loaded)
        return self._loaded

    def _load(self) -> Any:
        llama = self._open(self._wanted_context)
        # Beyond its training a model writes nonsense.
        trained = int(llama._model.n_ctx_train())
        if trained < self._wanted_context:
            llama.close()
            logger.info("context: %d tokens, all that the model was trained for", trained)
            llama = self._open(trained)
        return llama

    def _open(self, context: int) -> Any:
        from llama_cpp import Llama

        try:
            return Llama(
                str(self._path),
                n_ctx=context,
                n_threads=self._threads,
                n_threads_batch=self._threads,
                n_gpu_layers=-1,
                verbose=False,
            )
        except (ValueError, RuntimeError, AssertionError) as error:
            raise InputError(f"{self._path}: cannot be loaded ({error})") from error


class LlamaChat(GgufModel):
    """A GGUF model that answers every question with the same settings.

    Parameters
    ----------
    path : str or Path
        The file, or a folder with one.
    digest : str
        Hash of the model, for the key of replies.
    settings : ChatSettings

    Raises
    ------
    InputError
        When llama-cpp-python or the file is missing.
    """

    def __init__(self, path: str | Path, digest: str, settings: ChatSettings) -> None:
        super().__init__(path, digest, context=settings.context, threads=settings.threads)
        self._settings = settings

    @property
    def key(self) -> str:
        """Model, library and settings, of which each decides a reply."""
        return f"{self._digest} {self._library} {settings_key(self._settings)}"

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""
        return self._settings.max_tokens

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> str:
        """Answer; with a JSON schema the reply is JSON of that form.

        Raises
        ------
        ValueError
            When the question alone fills the context, or the schema gives no grammar.
        """
        llama = self._llama
        tokens = self._tokens(messages)
        if len(tokens) >= self.context:
            raise ValueError(f"a question of {len(tokens)} tokens; the context is {self.context}")
        self._rewind(messages[:-1], tokens)
        grammar = None if schema is None else self._grammar(schema)
        answer = llama.create_completion(
            tokens,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            repeat_penalty=self._settings.repeat_penalty,
            seed=self._settings.seed,
            stop=self._stop,
            grammar=grammar,
        )
        return str(answer["choices"][0]["text"]).strip()


def _chat_format(llama: Any) -> tuple[Any, list[str]]:
    """Give the function that makes one prompt of messages, and what ends a reply."""
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter, format_llama2

    template = llama.metadata.get("tokenizer.chat_template")
    if template is None:
        # Older files, Llama 2's among them, carry no template.
        return format_llama2, ["[INST]", "</s>"]
    texts = [
        llama._model.token_get_text(token) if token >= 0 else ""
        for token in (llama.token_eos(), llama.token_bos())
    ]
    formatter: Any = Jinja2ChatFormatter(template=template, eos_token=texts[0], bos_token=texts[1])
    formatter.strftime_now = lambda _: FIXED_DATE
    stop = [text for text in texts[:1] if text]
    try:
        formatter(messages=[_SYSTEM, _USER])
    # Each template has its own way to refuse a system message.
    except Exception:
        return lambda messages: formatter(messages=without_system(messages)), stop
    return formatter, stop


_SYSTEM = {"role": "system", "content": "s"}
_USER = {"role": "user", "content": "u"}


def without_system(messages: Sequence[Message]) -> list[Any]:
    """Put a system message in front of the first user's, for models that know none."""
    if not messages or messages[0]["role"] != "system":
        return list(messages)
    first, rest = messages[1], messages[2:]
    joined = f"{messages[0]['content']}\n\n{first['content']}"
    return [{"role": first["role"], "content": joined}, *rest]
