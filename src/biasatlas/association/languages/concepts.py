"""What one list says in two translations: the concepts of a test, aligned by place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasatlas.lexicons.weathub_files import natural
from biasatlas.lexicons.word_lists import SETS

if TYPE_CHECKING:
    import pandas as pd

HUMAN, MACHINE = "human", "gt"

Entry = tuple[str, ...]


@dataclass(frozen=True)
class Concepts:
    """The concepts of one test, in the order of the sets x, y, a, b, then of the list.

    Attributes
    ----------
    human, machine : tuple of tuple of str
        Words of each concept; several where the list gives alternatives in one entry.
    sizes : tuple of int
        Concepts of each of the four sets.
    alone : int
        Entries that stand in one translation only.
    refusal : str
        Why the test is refused, empty where it is not.
    """

    human: tuple[Entry, ...]
    machine: tuple[Entry, ...]
    sizes: tuple[int, ...]
    alone: int
    refusal: str


def pair_concepts(words: pd.DataFrame) -> dict[str, Concepts]:
    """Align the human and the machine translation of each test that has both.

    Parameters
    ----------
    words : DataFrame
        Rows of ``words.parquet``: variant, test, set, position, word, refusal. The two
        translations of a concept stand at the same position of the same set.

    Returns
    -------
    dict of str to Concepts
        By test, in natural order. A concept with the same two translations as another one of
        its set is that concept again and counts once.
    """
    of_both = words[words["variant"].isin([HUMAN, MACHINE])]
    by_test: dict[str, dict[str, dict[tuple[str, int], list[str]]]] = {}
    refusals: dict[str, list[str]] = {}
    # Sorted, so that no order of rows matters; the words of one entry are a set.
    columns = ["test", "variant", "set", "position", "word", "refusal"]
    for test, variant, name, place, word, refusal in sorted(
        of_both[columns].itertuples(index=False, name=None)
    ):
        entries = by_test.setdefault(test, {HUMAN: {}, MACHINE: {}})[variant]
        entries.setdefault((name, int(place)), []).append(word)
        if refusal and refusal not in refusals.setdefault(test, []):
            refusals[test].append(refusal)
    return {
        test: _align(by_test[test], "; ".join(refusals.get(test, [])))
        for test in sorted(by_test, key=natural)
        if all(by_test[test].values())
    }


def _align(variants: Mapping[str, Mapping[tuple[str, int], list[str]]], refusal: str) -> Concepts:
    human, machine = variants[HUMAN], variants[MACHINE]
    concepts: dict[str, dict[tuple[Entry, Entry], None]] = {name: {} for name in SETS}
    for name, place in sorted(human.keys() & machine.keys()):
        pair = tuple(human[name, place]), tuple(machine[name, place])
        concepts[name].setdefault(pair)
    pairs = [pair for name in SETS for pair in concepts[name]]
    return Concepts(
        human=tuple(one for one, _ in pairs),
        machine=tuple(other for _, other in pairs),
        sizes=tuple(len(concepts[name]) for name in SETS),
        alone=len(human.keys() ^ machine.keys()),
        refusal=refusal,
    )
