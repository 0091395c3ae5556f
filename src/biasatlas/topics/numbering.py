"""Numbers of topics that stay the same from run to run, by the words of the last run."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from biasatlas.files import write_text

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

# Of two lists of ten words this is five in common; less is another topic.
LEAST_SIMILAR = 0.3


@dataclass(frozen=True)
class Memory:
    """What is kept of the last run: its topics' words and the highest number ever given.

    Attributes
    ----------
    key : str
        `memory_key` of the run; a run of another key does not read it.
    words : mapping of int to tuple of str
    highest : int
        -1 before any topic.
    """

    key: str
    words: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    highest: int = -1


def memory_key(settings: Mapping[str, Any]) -> str:
    """Hash of whatever decides that two runs may share numbers: settings, language, region.

    Parameters
    ----------
    settings : mapping
        Strings, numbers, and lists of them.
    """
    text = json.dumps(dict(settings), sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def match_topics(
    new: Mapping[int, Sequence[str]],
    old: Mapping[int, Sequence[str]],
    *,
    least: float = LEAST_SIMILAR,
) -> dict[int, int]:
    """Pair topics one to one so that their words overlap most.

    Parameters
    ----------
    new, old : mapping of topic to its words
    least : float
        Least Jaccard similarity of two word lists; pairs under it are left out.

    Returns
    -------
    dict of int to int
        New topic to old topic.
    """
    from scipy.optimize import linear_sum_assignment

    if not new or not old:
        return {}
    news, olds = sorted(new), sorted(old)
    similarity = np.array([[_jaccard(new[n], old[o]) for o in olds] for n in news])
    # A pair that is too unlike counts nothing, so that it never takes a partner from a good one.
    # Of equal matchings the one that keeps more numbers: two topics may share all their words.
    kept = np.where(similarity >= least, similarity, 0.0)
    kept += np.where(
        (similarity >= least) & np.equal.outer(news, olds), 1e-6 / max(len(news), len(olds)), 0.0
    )
    rows, columns = linear_sum_assignment(kept, maximize=True)
    return {
        news[row]: olds[column]
        for row, column in zip(rows, columns, strict=True)
        if kept[row, column] > 0
    }


def _jaccard(some: Sequence[str], others: Sequence[str]) -> float:
    either = len({*some, *others})
    return len({*some} & {*others}) / either if either else 0.0


def keep_numbers(
    assignments: pd.DataFrame, words: pd.DataFrame, memory: Memory | None, key: str
) -> tuple[pd.DataFrame, pd.DataFrame, Memory]:
    """Give topics the numbers that they had in the last run.

    Parameters
    ----------
    assignments : DataFrame
        With `topic`, 0 the largest, as `fit_topics` gives it.
    words : DataFrame
        `topic`, `rank`, `word`, `weight`.
    memory : Memory or None
        Of the last run; one of another key is not used.
    key : str
        `memory_key` of this run.

    Returns
    -------
    assignments, words : DataFrame
        Topics that match none of the last run get numbers above all that were ever given, the
        largest topic first. `words` is sorted by topic.
    memory : Memory
        For the next run.
    """
    last = memory if memory is not None and memory.key == key else Memory(key)
    new: dict[int, list[str]] = {}
    ordered = words.sort_values(["topic", "rank"])
    for topic, word in zip(ordered["topic"].tolist(), ordered["word"], strict=True):
        new.setdefault(topic, []).append(word)
    number = match_topics(new, last.words)
    highest = last.highest
    for topic in sorted((set(assignments["topic"]) | set(new)) - {-1} - set(number)):
        highest += 1
        number[int(topic)] = highest
    if last.words:
        again = sum(one <= last.highest for one in number.values())
        logger.info("%d of %d topics have their number of the last run", again, len(number))
    renamed = assignments.assign(topic=assignments["topic"].map({-1: -1, **number}).astype("int64"))
    listed = words.assign(topic=words["topic"].map(number).astype("int64"))
    listed = listed.sort_values(["topic", "rank"], ignore_index=True)
    kept = {number[topic]: tuple(some) for topic, some in new.items()}
    return renamed, listed, Memory(key, dict(sorted(kept.items())), highest)


def read_memory(path: Path) -> Memory | None:
    """Read what is kept of the last run; None, with a warning, where it cannot be read."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        words = {int(t): tuple(str(w) for w in some) for t, some in found["words"].items()}
        memory = Memory(str(found["key"]), words, int(found["highest"]))
        if memory.highest < max(words, default=-1) or min(words, default=0) < 0:
            raise ValueError("a topic's number is out of range")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        logger.warning("%s cannot be read (%s); topics are numbered anew", path.name, error)
        return None
    return memory


def write_memory(memory: Memory, path: Path) -> None:
    """Write what the next run needs, whole or not at all; the same memory gives the same bytes."""
    content = {
        "key": memory.key,
        "highest": memory.highest,
        "words": {str(topic): list(some) for topic, some in sorted(memory.words.items())},
    }
    write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", path)
