"""Topics that one document or one person's name makes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

# A capitalised word after a lower-case letter, a comma or a title: not the start of a sentence.
NAME = re.compile(r"(?:(?<=[a-z,] )|(?<=[MD][rs]\. )|(?<=Mrs\. ))[A-Z][\w'’-]*[a-z]\w*")
WORD = re.compile(r"[\w'’-]+")
# A word that this share of its passages also writes small is a common noun.
COMMON = 0.1
# News styles write "Mr Trump" within a sentence, so a title would be the name of many topics.
TITLES = frozenset("Mr Mrs Ms Dr Sir Lord Lady Secretary-General".split())
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
        Empty when no passage holds one. A word that is also written small in more than a tenth
        as many passages is a common noun, no name.
    share : float
    """
    counts: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for text in texts:
        names = {re.sub(r"['’]s$", "", name) for name in NAME.findall(text)}
        counts.update(names - CALENDAR - TITLES - set(places))
        small.update(set(WORD.findall(text)))
    for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        # "the Conference" and "a conference": a noun that some write large is no name.
        if small[name.lower()] <= COMMON * n:
            return name, n / len(texts)
    return "", 0.0
