"""Topics that one document or one person's name makes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

# A capitalised word after a lower-case letter, a comma or a title: not the start of a sentence.
NAME = re.compile(r"(?:(?<=[a-z,] )|(?<=[MD][rs]\. )|(?<=Mrs\. ))[A-Z][\w'’-]*[a-z]\w*")
# News styles write "Mr Trump" within a sentence, so a title would be the name of many topics.
TITLES = frozenset("Mr Mrs Ms Dr Sir Lord Lady".split())
CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "
    "June July August September October November December".split()
)


def top_document(documents: Sequence[str]) -> float:
    """Largest share of a topic's passages that comes from one document."""
    return max(Counter(documents).values()) / len(documents)


def top_name(texts: Sequence[str], places: Collection[str]) -> tuple[str, float]:
    """The capitalised word that most of a topic's passages hold, and their share.

    Parameters
    ----------
    texts : sequence of str
        Passages of the topic.
    places : collection of str
        Words of country names and demonyms, which are not persons.

    Returns
    -------
    name : str
        Empty when no passage holds one.
    share : float
    """
    counts: Counter[str] = Counter()
    for text in texts:
        names = {re.sub(r"['’]s$", "", name) for name in NAME.findall(text)}
        counts.update(names - CALENDAR - TITLES - set(places))
    if not counts:
        return "", 0.0
    name, n = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return name, n / len(texts)
