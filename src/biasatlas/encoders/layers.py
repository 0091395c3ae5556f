"""Vectors of words from the layers of a transformer: all encoders of a word in one forward pass."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.encoders.pieces import Cut, Span, check_vocabulary, cut_texts
from biasatlas.encoders.sentence import choose_device
from biasatlas.errors import InputError
from biasatlas.logs import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

logger = logging.getLogger(__name__)

# Mukherjee et al. 2023, table 3, by what each reads.
LAYER_ENCODERS = (
    "layer0_mean",
    "layer0_first",
    "last_first",
    "last_mean",
    "penultimate_first",
    "penultimate_mean",
    "all_first",
    "all_mean",
)
CLS = "cls_phrase"
# A full batch has no more tokens than so many times its rows.
TOKENS_A_ROW = 8
# The libraries raise whatever the damage of a file leads to.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, ImportError)


@dataclass(frozen=True)
class Encoded:
    """Texts and their vectors.

    Attributes
    ----------
    texts : tuple of str
    vectors : mapping of str to ndarray, shape (n, d), float32
        By encoder, `LAYER_ENCODERS` and `CLS`; rows of texts that were not read are NaN.
    pieces : ndarray of int64, shape (n,)
        Own pieces of each text, special tokens left out.
    unknown : ndarray of bool, shape (n,)
        A piece of it is the model's unknown token, or it has none at all: a blank text.
    too_long : ndarray of bool, shape (n,)
        It has more tokens than the model has positions.
    letters : ndarray of bool, shape (n,)
        It was cut into its letters; `biasatlas.encoders.pieces.is_letter_by_letter`.
    """

    texts: tuple[str, ...]
    vectors: Mapping[str, Floats]
    pieces: NDArray[np.int64]
    unknown: NDArray[np.bool_]
    too_long: NDArray[np.bool_]
    letters: NDArray[np.bool_]

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which texts have vectors."""
        return ~(self.unknown | self.too_long)


class LayerEncoder:
    """A bidirectional transformer whose hidden states are read word by word.

    Each text stands alone, as ``[CLS] text [SEP]`` in the model's own special tokens.

    Parameters
    ----------
    folder : str or Path
        A model of the `transformers` library: config, fast tokenizer, safetensors weights. No
        code of the model is run.
    batch_size : int
        Most rows of a batch: so many up to `TOKENS_A_ROW` tokens, fewer of longer texts. The last
        batch of a length is filled up with copies.

    Attributes
    ----------
    size : int
        Numbers of a vector.
    limit : int
        Most tokens of a text, special ones among them.

    Raises
    ------
    InputError
        For a model that is no encoder, has no fast tokenizer, or is not whole, and for a
        tokenizer that adds no classification token.
    """

    def __init__(self, folder: str | Path, *, batch_size: int = 32) -> None:
        import torch

        # One thread: the split of a product over threads changes its last bits.
        torch.set_num_threads(1)
        self.batch_size = batch_size
        self.device = choose_device()
        self._tokenizer, model = load_transformer(Path(folder))
        self._model: Any = model.to(self.device)
        self.size = int(model.config.hidden_size)
        self.limit = _most_tokens(self._tokenizer, model)

    def encode(self, texts: Sequence[str], what: str = "words") -> Encoded:
        """Encode texts, each alone and each distinct one once.

        Parameters
        ----------
        texts : sequence of str
        what : str
            What they are, for the progress line.

        Returns
        -------
        Encoded
            In the order of `texts`; a row's bits depend on its text only.
        """
        distinct = sorted(set(texts))
        cuts = cut_texts(self._tokenizer, distinct)
        vectors = {
            name: np.full((len(distinct), self.size), np.nan, dtype=np.float32)
            for name in (*LAYER_ENCODERS, CLS)
        }
        for chosen, states in self._run(cuts, what):
            own = np.stack([cuts[row].own for row in chosen])
            cls = np.array([cuts[row].cls for row in chosen])
            for name, values in read_layers(states, own, cls).items():
                vectors[name][chosen] = values
        number = {text: row for row, text in enumerate(distinct)}
        rows = np.array([number[text] for text in texts], dtype=np.int64)
        return Encoded(
            texts=tuple(texts),
            vectors={name: values[rows] for name, values in vectors.items()},
            pieces=np.array([cut.own.sum() for cut in cuts], dtype=np.int64)[rows],
            unknown=np.array([cut.unknown for cut in cuts], dtype=bool)[rows],
            too_long=np.array([self._is_too_long(cut) for cut in cuts], dtype=bool)[rows],
            letters=np.array([cut.letters for cut in cuts], dtype=bool)[rows],
        )

    def encode_parts(
        self, texts: Sequence[str], spans: Sequence[Span], what: str = "contexts"
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Read a part of each text within it: the mean of the last layer over the part's pieces.

        Parameters
        ----------
        texts : sequence of str
        spans : sequence of (int, int)
            From and to which character of each text.
        what : str
            What they are, for the progress line.

        Returns
        -------
        vectors : ndarray, shape (n, d), float64
            Rows are NaN for parts with an unknown piece and for texts that are too long.
        too_long : ndarray of bool, shape (n,)
        """
        cuts = cut_texts(self._tokenizer, texts, spans)
        vectors = np.full((len(cuts), self.size), np.nan)
        for chosen, states in self._run(cuts, what, last_only=True):
            vectors[chosen] = _mean_of_pieces(states[-1], np.stack([cuts[k].own for k in chosen]))
        return vectors, np.array([self._is_too_long(cut) for cut in cuts], dtype=bool)

    def _is_too_long(self, cut: Cut) -> bool:
        return len(cut.ids) > self.limit

    def _run(
        self, cuts: Sequence[Cut], what: str, *, last_only: bool = False
    ) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Give the hidden states of all readable texts, batch by batch, and which texts those are.

        Rows of one length only: without padding a row has no company.
        """
        lengths = np.array([len(cut.ids) for cut in cuts], dtype=np.int64)
        known = np.array([not cut.unknown for cut in cuts], dtype=bool)
        readable = np.flatnonzero(known & (lengths <= self.limit))
        with Progress(len(readable), what) as progress:
            for length in np.unique(lengths[readable]):
                members = readable[lengths[readable] == length]
                n_rows = self._count_rows(int(length))
                for start in range(0, len(members), n_rows):
                    chosen = members[start : start + n_rows]
                    yield chosen, self._forward([cuts[row].ids for row in chosen], last_only)
                    progress.update(len(chosen))

    def _count_rows(self, length: int) -> int:
        """Rows of a batch: by the length alone, as the shape of a product decides its last bits."""
        return max(1, min(self.batch_size, self.batch_size * TOKENS_A_ROW // length))

    def _forward(self, rows: Sequence[Sequence[int]], last_only: bool) -> Floats:
        """Hidden states, shape (n_layers + 1, n, n_tokens, d), or the last ones alone."""
        import torch

        filled = [*rows, *[rows[0]] * (self._count_rows(len(rows[0])) - len(rows))]
        ids = torch.tensor(filled, dtype=torch.long, device=self.device)
        with torch.inference_mode():
            states = self._model(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            ).hidden_states
        kept = states[-1:] if last_only else states
        return np.stack([one[: len(rows)].float().cpu().numpy() for one in kept])


def read_layers(
    layers: Floats, own: NDArray[np.bool_], cls: NDArray[np.int64]
) -> dict[str, Floats]:
    """Vectors of texts by encoder from all hidden states.

    Parameters
    ----------
    layers : ndarray, shape (n_layers + 1, n, n_tokens, d)
        Hidden states, the embedding layer first.
    own : ndarray of bool, shape (n, n_tokens)
        Which tokens are pieces of the text; at least one a row.
    cls : ndarray of int64, shape (n,)
        Place of the classification token.

    Returns
    -------
    dict of str to ndarray, shape (n, d), float32
        ``{layer}_first`` is the state of the first own piece, ``{layer}_mean`` the mean over own
        pieces; the layer is ``layer0`` (embeddings), ``last``, ``penultimate``, or ``all`` (mean
        over all layers, the embeddings among them). ``cls_phrase`` is the last layer's
        classification token. Mukherjee et al. 2023, table 3.
    """
    rows = np.arange(layers.shape[1])
    first = own.argmax(axis=1)
    found = {}
    for name, states in (
        ("layer0", layers[0]),
        ("last", layers[-1]),
        ("penultimate", layers[-2]),
        ("all", layers.mean(axis=0, dtype=np.float64)),
    ):
        found[f"{name}_first"] = states[rows, first].astype(np.float32)
        found[f"{name}_mean"] = _mean_of_pieces(states, own).astype(np.float32)
    found[CLS] = layers[-1][rows, cls].astype(np.float32)
    return found


def _mean_of_pieces(states: NDArray[Any], own: NDArray[np.bool_]) -> NDArray[np.float64]:
    kept = np.where(own[:, :, None], states, 0)
    return kept.sum(axis=1, dtype=np.float64) / own.sum(axis=1, keepdims=True)


def load_transformer(folder: Path) -> tuple[Any, Any]:
    """Load a tokenizer and a model from a folder, or say why not.

    Returns
    -------
    tokenizer : PreTrainedTokenizerFast
    model : PreTrainedModel
        In fp32, without a head.

    Raises
    ------
    InputError
        As `LayerEncoder`.
    """
    import torch
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    _check_files(folder)
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(folder, **local)
            _check_encoder(config, folder)
            tokenizer: Any = AutoTokenizer.from_pretrained(folder, use_fast=True, **local)
            _check_tokenizer(tokenizer, config, folder)
            model, info = AutoModel.from_pretrained(
                folder,
                config=config,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                **local,
            )
    except InputError:
        raise
    except (*_DAMAGE, SafetensorError, StrictDataclassError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{folder}: not a whole model ({reason})") from error
    _check_weights(info, folder)
    return tokenizer, model.eval()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the library's own words about missing weights, which `_check_weights` judges."""
    from transformers.utils import logging as library

    level, bar = library.get_verbosity(), library.is_progress_bar_enabled()
    library.set_verbosity(logging.CRITICAL)
    library.disable_progress_bar()
    try:
        yield
    finally:
        library.set_verbosity(level)
        if bar:
            library.enable_progress_bar()


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder}: not a whole model (no config.json that can be read)"
        ) from error
    if "auto_map" in config and not _is_known(config.get("model_type")):
        raise InputError(
            f"{folder}: a model of type {config.get('model_type')!r} comes with code of its own "
            "(auto_map in config.json), which is never run; allowed are types of the "
            "transformers library"
        )
    if not any(folder.glob("*.safetensors")):
        pickled = [*folder.glob("*.bin"), *folder.glob("*.pt"), *folder.glob("*.h5")]
        found = f"only {pickled[0].name}, which could run code" if pickled else "no weights"
        raise InputError(f"{folder}: has {found}; model.safetensors is needed")


def _is_known(kind: object) -> bool:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return kind in CONFIG_MAPPING_NAMES


def _check_encoder(config: Any, folder: Path) -> None:
    """A model is an encoder when it can be trained to fill in hidden words, both sides in view."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    one_way = any(getattr(config, name, False) for name in ("is_decoder", "is_encoder_decoder"))
    if one_way or config.model_type not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise InputError(
            f"{folder}: a model of type {config.model_type!r} is no encoder; allowed are models "
            "that read a text from both sides, such as bert, distilbert, roberta, xlm-roberta "
            "and albert"
        )


def _check_tokenizer(tokenizer: Any, config: Any, folder: Path) -> None:
    if not tokenizer.is_fast:
        kind = type(tokenizer).__name__
        raise InputError(f"{folder}: {kind} has no fast version (tokenizer.json)")
    vocabulary = check_vocabulary(tokenizer, folder)
    if max(vocabulary.values()) >= config.vocab_size:
        raise InputError(
            f"{folder}: its tokenizer has pieces up to number {max(vocabulary.values())}, its "
            f"model {config.vocab_size} in all; they are not of one model"
        )
    if tokenizer.cls_token_id not in tokenizer("a")["input_ids"]:
        raise InputError(
            f"{folder}: its tokenizer names no classification token ([CLS], <s>), or adds none to "
            "a text"
        )


def _check_weights(info: Mapping[str, Any], folder: Path) -> None:
    """Weights that a file lacks are drawn at random by the library; only the pooler is not read."""
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key.split("."))
    if missing:
        raise InputError(
            f"{folder}: not a whole model; its files lack {len(missing)} weights, such as "
            f"{missing[0]}"
        )


def _most_tokens(tokenizer: Any, model: Any) -> int:
    """Most tokens of a text, by the model's table of positions and by its tokenizer."""
    positions = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    for name, module in model.named_modules():
        if name.split(".")[-1] == "position_embeddings":
            # The positions of RoBERTa and its like begin behind the one of the padding.
            unused = module.padding_idx
            positions = module.num_embeddings - (0 if unused is None else unused + 1)
    return min(int(tokenizer.model_max_length), positions or int(tokenizer.model_max_length))
