"""Words and phrases of a topic: what is counted, what is a phrase, and in which order."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.tokens import stop_words, topic_tokens
from biasatlas.topics.ngrams import COLUMNS, count_ngrams, ngrams_by_topic


def pairs(text: str, language: str = "en") -> list[str]:
    """Phrases of one text, by the alphabet."""
    found = count_ngrams([text], language, top=99)
    return found.loc[found["n"] == 2, "ngram"].tolist()


def test_counts_by_hand():
    texts = ["Goal! The league goal.", "A league match, league match", "School league"]
    found = count_ngrams(texts, "en")
    assert list(found.columns) == list(COLUMNS)
    rows = [tuple(row) for row in found.drop(columns="share").to_numpy().tolist()]
    assert rows == [
        (1, 1, "league", 4, 3),
        # One passage each: by the alphabet, whatever the count.
        (1, 2, "goal", 2, 1),
        (1, 3, "match", 2, 1),
        (1, 4, "school", 1, 1),
        (2, 1, "league goal", 1, 1),
        (2, 2, "league match", 2, 1),
        (2, 3, "school league", 1, 1),
    ]
    assert found["share"].tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3])


def test_the_order_is_by_passages_and_not_by_count():
    found = count_ngrams(["river river river river", "school", "school"], "en")
    assert found.loc[found["n"] == 1, "ngram"].tolist() == ["school", "river"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("river school", ["river school"]),
        ("river  \n school", ["river school"]),
        ("river-school", ["river school"]),
        ("river 'school'", ["river school"]),
        ('the "river" school', []),
        ("river. School", []),
        ("river, school", []),
        ("river (school)", []),
        ("river – school", []),
        ("river | school", []),
        ("river؟ school", []),
        ("river。school", []),
        ("river। school", []),
        # A stop word, a short word and a number stand between.
        ("river of school", []),
        ("river ox school", []),
        ("river 90 school", []),
        ("river's school", []),
        ("river b2b school", []),
        ("river school doctor", ["river school", "school doctor"]),
    ],
)
def test_a_phrase_is_two_words_with_nothing_between(text, expected):
    assert pairs(text) == expected


def test_marks_and_scripts():
    assert pairs("किताब विद्यालय। नदी", "hi") == ["किताब विद्यालय"]
    assert pairs("女性 教育，医院 学校", "zh") == ["医院 学校", "女性 教育"]
    assert pairs("ISPARTA ILIK", "tr") == ["ısparta ılık"]


def test_words_left_out_end_a_phrase_too():
    found = count_ngrams(["young mother river school"], "en", left_out={"mother"})
    assert found["ngram"].tolist() == ["river", "school", "young", "river school"]


def test_top_limits_each_length():
    found = count_ngrams(["river school doctor hospital"], "en", top=2)
    assert found["ngram"].tolist() == ["doctor", "hospital", "doctor hospital", "river school"]
    assert found["rank"].tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("texts", [[], [""], ["the of and", "12 !"]])
def test_nothing_to_count(texts):
    found = count_ngrams(texts, "en")
    assert len(found) == 0
    assert found.dtypes.equals(count_ngrams(["river"], "en").dtypes)


def test_markup_is_no_word():
    found = count_ngrams(["<script>river</script> school"], "en")
    assert found["ngram"].tolist() == ["river", "school", "script"]


WORDS = st.sampled_from(["river", "school", "the", "goal", "ox", "women's", "b2b", "Doctor"])
TEXTS = st.lists(
    st.lists(st.tuples(WORDS, st.sampled_from([" ", "-", ". ", ", "])), max_size=12).map(
        lambda some: "".join(word + mark for word, mark in some)
    ),
    max_size=6,
)


def slow_pairs(text: str) -> list[str]:
    """Phrases of a text, clause by clause."""
    found = []
    for clause in text.replace(",", ".").split("."):
        words = clause.replace("-", " ").replace("'", " ").split()
        usable = [
            "".join(w for w in topic_tokens(word) if w not in stop_words("en")) for word in words
        ]
        found += [f"{a} {b}" for a, b in pairwise(usable) if a and b]
    return found


@settings(deadline=None)
@given(TEXTS)
def test_counts_equal_a_slow_reference(texts):
    found = count_ngrams(texts, "en", top=99)
    expected = {}
    for number, text in enumerate(texts):
        words = [w for w in topic_tokens(text) if w not in stop_words("en")]
        for n, some in ((1, words), (2, slow_pairs(text))):
            for ngram in some:
                expected.setdefault((n, ngram), []).append(number)
    rows = {(row["n"], row["ngram"]): row for row in found.to_dict("records")}
    assert set(rows) == set(expected)
    for key, numbers in expected.items():
        assert rows[key]["count"] == len(numbers)
        assert rows[key]["n_passages"] == len(set(numbers))
        assert rows[key]["share"] == pytest.approx(len(set(numbers)) / len(texts))
    for n in (1, 2):
        keys = [(-row["n_passages"], g) for (m, g), row in rows.items() if m == n]
        assert keys == sorted(keys)


@settings(deadline=None)
@given(TEXTS, st.randoms())
def test_the_order_of_passages_changes_nothing(texts, random):
    shuffled = list(texts)
    random.shuffle(shuffled)
    pd.testing.assert_frame_equal(count_ngrams(shuffled, "en"), count_ngrams(texts, "en"))


def test_each_topic_of_a_region():
    passages = pd.DataFrame(
        {
            "id": ["a", "b", "b", "c", "d"],
            "topic": [7, 2, 2, 2, -1],
            "text": ["goal league", "river school", "river school", "river", "nothing"],
        }
    )
    found = ngrams_by_topic(passages, "en")
    assert list(found.columns) == ["topic", *COLUMNS]
    assert found["topic"].unique().tolist() == [2, 7]
    river = found[found["ngram"] == "river"].to_dict("records")
    # The passage of both genders counts once.
    assert river == [
        {"topic": 2, "n": 1, "rank": 1, "ngram": "river", "count": 2, "n_passages": 2, "share": 1.0}
    ]
    alone = count_ngrams(["goal league"], "en")
    pd.testing.assert_frame_equal(
        found[found["topic"] == 7].drop(columns="topic").reset_index(drop=True), alone
    )
    empty = ngrams_by_topic(passages[passages["topic"] == -1], "en")
    assert len(empty) == 0
    assert empty.dtypes.equals(found.dtypes)
