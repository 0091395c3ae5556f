"""Topics keep their numbers from run to run."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.topics.numbering import (
    Memory,
    keep_numbers,
    match_topics,
    memory_key,
    read_memory,
    write_memory,
)

HEALTH = "hospital doctor nurse patient surgery".split()
VOTES = "election vote ballot candidate party".split()
SPORT = "goal striker keeper penalty league".split()
ART = "museum painter canvas gallery sculptor".split()


def run(*topics: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run with these topics, the first the largest, and one outlier."""
    assigned = [-1] + [t for t in range(len(topics)) for _ in range(9 - t)]
    rows = [
        (t, rank, word, 1 / rank)
        for t, some in enumerate(topics)
        for rank, word in enumerate(some, 1)
    ]
    words = pd.DataFrame(rows, columns=["topic", "rank", "word", "weight"])
    return pd.DataFrame({"topic": assigned}), words


def numbers(assignments: pd.DataFrame) -> list[int]:
    return list(dict.fromkeys(assignments["topic"].tolist()))


def test_a_first_run_keeps_the_order_of_size():
    assignments, words, memory = keep_numbers(*run(HEALTH, VOTES), None, "k")
    assert numbers(assignments) == [-1, 0, 1]
    assert memory == Memory("k", {0: tuple(HEALTH), 1: tuple(VOTES)}, 1)
    assert words["topic"].tolist() == [0] * 5 + [1] * 5


def test_topics_that_change_places_keep_their_numbers():
    _, _, memory = keep_numbers(*run(HEALTH, VOTES, SPORT), None, "k")
    assignments, words, later = keep_numbers(*run(SPORT, HEALTH, VOTES), memory, "k")
    assert numbers(assignments) == [-1, 2, 0, 1]
    assert words.loc[words["topic"] == 2, "word"].tolist() == SPORT
    assert words["topic"].is_monotonic_increasing
    assert later == memory


def test_a_new_topic_gets_a_number_never_given_before():
    _, _, memory = keep_numbers(*run(HEALTH, VOTES, SPORT), None, "k")
    _, _, memory = keep_numbers(*run(HEALTH), memory, "k")
    assert memory.highest == 2
    assert set(memory.words) == {0}
    # Votes were number 1 two runs ago; only the last run is known.
    assignments, _, memory = keep_numbers(*run(ART, VOTES, HEALTH), memory, "k")
    assert numbers(assignments) == [-1, 3, 4, 0]
    assert memory.highest == 4


def test_another_key_or_no_memory_numbers_anew():
    _, _, memory = keep_numbers(*run(HEALTH, VOTES), None, "k")
    assignments, _, other = keep_numbers(*run(VOTES, HEALTH), memory, "other")
    assert numbers(assignments) == [-1, 0, 1]
    assert other.words[0] == tuple(VOTES)


def test_a_run_without_topics_forgets_no_number():
    _, _, memory = keep_numbers(*run(HEALTH, VOTES), None, "k")
    assignments, words, memory = keep_numbers(*run(), memory, "k")
    assert numbers(assignments) == [-1]
    assert words.empty
    assert memory.highest == 1


def test_two_topics_of_the_same_words_do_not_change_places():
    _, _, memory = keep_numbers(*run(HEALTH, HEALTH, HEALTH), None, "k")
    for _ in range(3):
        assignments, _, memory = keep_numbers(*run(HEALTH, HEALTH, HEALTH), memory, "k")
        assert numbers(assignments) == [-1, 0, 1, 2]


@pytest.mark.parametrize(("shared", "matched"), [(3, True), (2, False)])
def test_the_least_similarity(shared, matched):
    """Three of five words in common are Jaccard 3/7, two are 2/8."""
    other = HEALTH[:shared] + ["x", "y", "z"][: 5 - shared]
    assert match_topics({0: other}, {7: HEALTH}) == ({0: 7} if matched else {})


def brute_force(new: dict, old: dict, least: float) -> float:
    """Largest total similarity of any one-to-one matching, pairs under the least left out."""

    def jaccard(a, b):
        value = len({*a} & {*b}) / len({*a, *b})
        return value if value >= least else 0.0

    news, olds = list(new), list(old)
    if len(news) > len(olds):
        return brute_force(old, new, least)
    return max(
        sum(jaccard(new[n], old[o]) for n, o in zip(news, some, strict=True))
        for some in itertools.permutations(olds, len(news))
    )


topics = st.dictionaries(
    st.integers(0, 9),
    st.lists(st.sampled_from("abcdef"), min_size=3, max_size=3, unique=True),
    min_size=1,
    max_size=4,
)


@given(topics, topics)
def test_the_matching_is_the_best_one(new, old):
    found = match_topics(new, old)
    assert len(set(found.values())) == len(found)
    pairs = [len({*new[n]} & {*old[o]}) / len({*new[n], *old[o]}) for n, o in found.items()]
    assert all(similarity >= 0.3 for similarity in pairs)
    assert sum(pairs) == pytest.approx(brute_force(new, old, 0.3))


def test_the_memory_is_read_back_and_the_same_run_writes_the_same_bytes(tmp_path):
    path = tmp_path / "numbers.json"
    _, _, memory = keep_numbers(*run(HEALTH, ["école", "élève", "घर", "女性", "musée"]), None, "k")
    write_memory(memory, path)
    first = path.read_bytes()
    again = read_memory(path)
    assert again == memory
    _, _, memory = keep_numbers(*run(HEALTH, ["école", "élève", "घर", "女性", "musée"]), again, "k")
    write_memory(memory, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"key": "k"}',
        b'{"key": "k", "highest": 0, "words": []}',
        b'{"key": "k", "highest": 0, "words": {"5": ["a"]}}',
        b'{"key": "k", "highest": null, "words": {}}',
    ],
)
def test_an_unreadable_memory_warns_and_is_not_used(tmp_path, caplog, content):
    path = tmp_path / "numbers.json"
    path.write_bytes(content)
    assert read_memory(path) is None
    assert "numbers.json cannot be read" in caplog.text
    assert "numbered anew" in caplog.text


def test_no_memory_yet_is_no_warning(tmp_path, caplog):
    assert read_memory(tmp_path / "none.json") is None
    assert not caplog.text


def test_the_key_follows_every_setting_but_not_their_order():
    base = {"seed": 1, "regions": ["a", "b"], "encoder": "x"}
    assert memory_key(base) == memory_key(dict(reversed(base.items())))
    assert memory_key(base) != memory_key(base | {"seed": 2})
