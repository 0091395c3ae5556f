"""Near-duplicates by MinHash: texts that share most of their runs of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasatlas.tokens import tokenize

if TYPE_CHECKING:
    import numpy as np

SHINGLE = 5
N_PERMUTATIONS = 126
SEED = 1
# A pair right at the threshold is missed with at most this probability.
MISSED = 0.005
# Four standard errors of an estimate from so many values.
MARGIN = 0.18


@dataclass(frozen=True)
class Signature:
    """What is kept of a text: its MinHash values, and the hashes of its runs, each once."""

    minhash: Any
    runs: np.ndarray


class NearDuplicates:
    """Texts taken so far, and whether a new one is nearly one of them.

    Similarity is the share of five-word runs that two texts have in common (Jaccard). Pairs are
    found by 126 MinHash values and then counted out, so no text is dropped by an estimate.

    Parameters
    ----------
    threshold : float
        In (0, 1]; from this similarity on, a text is a near-duplicate.

    Notes
    -----
    Broder 1997, "On the resemblance and containment of documents"; the signatures and the index
    are rensa's.
    """

    def __init__(self, threshold: float) -> None:
        from rensa import RMinHashLSH

        self.threshold = threshold
        self._taken: list[Signature] = []
        self._index = RMinHashLSH(
            threshold=threshold, num_perm=N_PERMUTATIONS, num_bands=n_bands(threshold)
        )

    def signatures(self, texts: Sequence[str]) -> list[Signature]:
        """Signature of each text; it depends on nothing but the text."""
        import numpy as np
        from rensa import RMinHash

        sets = [shingles(text) for text in texts]
        minhashes = RMinHash.from_token_sets(sets, N_PERMUTATIONS, SEED) if sets else []
        runs = [{hash(run) for run in some} for some in sets]
        return [
            Signature(minhash, np.fromiter(some, np.int64, len(some)))
            for minhash, some in zip(minhashes, runs, strict=True)
        ]

    def holds(self, signature: Signature) -> bool:
        """Whether a text taken before is as similar as the threshold asks."""
        for number in self._index.query(signature.minhash):
            other = self._taken[number]
            # the estimate is only asked whether counting is worth while
            if (
                other.minhash.jaccard(signature.minhash) >= self.threshold - MARGIN
                and _jaccard(other.runs, signature.runs) >= self.threshold
            ):
                return True
        return False

    def take(self, signature: Signature) -> None:
        """Remember a text."""
        self._index.insert(len(self._taken), signature.minhash)
        self._taken.append(signature)


def _jaccard(a: np.ndarray, b: np.ndarray) -> float:
    import numpy as np

    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


def n_bands(threshold: float) -> int:
    """Fewest bands that still find a pair at the threshold, so that few others are compared.

    A pair of similarity s meets in one of b bands of r values with probability 1 - (1 - s^r)^b.
    """
    divisors = [n for n in range(1, N_PERMUTATIONS + 1) if N_PERMUTATIONS % n == 0]
    return min(b for b in divisors if (1 - threshold ** (N_PERMUTATIONS // b)) ** b <= MISSED)


def shingles(text: str) -> list[str]:
    """All runs of five words, case folded; a shorter text is one run."""
    words = tokenize(text)
    return [" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))]
