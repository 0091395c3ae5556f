"""How a model that runs in the job draws its next token, and how long a text may be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from biasatlas.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Change it when the same question and seed give another reply.
SAMPLING = "sampling 1"


def draw_token(logits: NDArray[np.float32], temperature: float, rng: np.random.Generator) -> int:
    """Draw the next token from the whole vocabulary, at a temperature and nothing else.

    Parameters
    ----------
    logits : ndarray, shape (vocabulary,)
        -inf for a token that is not allowed.
    temperature : float
        0 takes the most probable token, the first of equal ones.
    rng : numpy.random.Generator
        One number is taken from it, none at temperature 0.

    Returns
    -------
    int

    Raises
    ------
    InputError
        When the scores are no numbers.
    """
    top = float(logits.max())
    if not np.isfinite(top):
        raise InputError("the language model gives no numbers as scores; its file may be damaged")
    if temperature == 0:
        return int(logits.argmax())
    weights = np.exp((logits.astype(np.float64) - top) / temperature)
    ends = weights.cumsum()
    token = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    return token if token < len(ends) else int(np.flatnonzero(weights)[-1])


def log_probability(logits: NDArray[np.float32], token: int) -> float:
    """Natural log of a token's probability: its score less the log of the sum over all."""
    scores = logits.astype(np.float64)
    top = scores.max()
    return float(scores[token] - top - np.log(np.exp(scores - top).sum()))


def check_length(path: Path, length: int, context: int, what: str) -> None:
    """Refuse what leaves no token of a model's context free.

    Raises
    ------
    InputError
        With the model, the length and the context.
    """
    if length >= context:
        raise InputError(f"{path}: {what} of {length} tokens; the model's context is {context}")
