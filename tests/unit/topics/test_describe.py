"""What describes a topic: phrases, key words, examples, what dominates it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from biasatlas.encoders.sentence import SentenceEncoder
from biasatlas.topics.describe import describe_topics, embed_topics, words_by_topic
from biasatlas.topics.dominance import top_document, top_name
from biasatlas.topics.phrases import (
    BOILERPLATE,
    candidates,
    choose_labels,
    document_frequencies,
    mean_embeddings,
    nearest_phrases,
)


class FakeEncoder:
    """Gives the vectors that it was made with."""

    def __init__(self, **vectors: list[float]) -> None:
        self.vectors = {name.replace("_", " "): vector for name, vector in vectors.items()}

    def encode(self, texts, what="texts"):
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


def test_top_document():
    assert top_document(["a"]) == 1
    assert top_document(["a", "b", "a", "c"]) == 0.5


def test_a_name_stands_within_a_sentence():
    texts = [
        "Yesterday she met Nicola Sturgeon. Nobody spoke.",
        "The party of Sturgeon's rival won; Nobody cared.",
        "Then, Sturgeon and Salmond left.",
        "no name here",
    ]
    assert top_name(texts, set()) == ("Sturgeon", 0.75)


def test_a_name_counts_once_a_passage_and_the_first_of_equals_wins():
    assert top_name(["he saw Zoe, Zoe and Zoe", "he saw Amy"], set()) == ("Amy", 0.5)


def test_places_calendar_and_titles_are_no_names():
    texts = [
        "she came to Ghana in May on Monday with Mr Mahama",
        "a Ghanaian told Mrs Rawlings in March",
        "in Ghana Dr. Mahama spoke",
    ]
    name, share = top_name(texts, {"Ghana", "Ghanaian"})
    assert (name, share) == ("Mahama", pytest.approx(2 / 3))
    assert top_name(texts, set())[0] == "Ghana"
    assert top_name(["in May the Mr and the Mrs"], set()) == ("", 0.0)
    assert top_name(["nothing here. Nothing there."], set()) == ("", 0.0)
    common = ["at the Conference of May", "in the Conference", "of a conference, and Annan"]
    assert top_name(common, set()) == ("Annan", pytest.approx(1 / 3))


def test_document_frequencies_skip_stop_words_numbers_and_gaps():
    texts = ["The health care bill, the health care plan.", "Health-care of 20 bills", "health"]
    assert document_frequencies(texts, "en", 1) == {
        "health": 3, "care": 2, "plan": 1, "bills": 1,
    }  # fmt: skip
    # "bill" is on scikit-learn's stop list, so no phrase holds it.
    assert document_frequencies(texts, "en", 2) == {"health care": 2, "care plan": 1}
    assert "the health" in document_frequencies(texts, "de", 2)


def test_candidates_are_frequent_and_no_boilerplate():
    texts = ["al jazeera reports on health care"] * 3 + ["health care school meals"] * 2
    assert candidates(texts, "en", 2) == ["health care"]
    assert candidates(texts[:4], "en", 1) == ["care", "health", "jazeera"]
    assert candidates(texts[:2], "en", 2) == []
    assert "al jazeera" in BOILERPLATE


def test_mean_embeddings_are_unit_and_leave_the_outliers_out():
    frame = pd.DataFrame({"topic": [0, -1, 0, 2]})
    vectors = np.array([[1, 0], [9, 9], [0, 1], [0, 5]], dtype=np.float32)
    means = mean_embeddings(frame, vectors)
    assert list(means) == [0, 2]
    assert means[0] == pytest.approx([math.sqrt(0.5)] * 2)
    assert means[2] == pytest.approx([0, 1])


def test_nearest_phrases_are_ordered_by_cosine_then_by_name():
    encoder = FakeEncoder(far=[0, 1], near=[1, 0], also_near=[1, 0], half=[0.6, 0.8])
    ordered = nearest_phrases(
        {0: ["far", "near", "half", "also near"], 1: ["near", "far"], 2: []},
        {0: np.array([1, 0], "f4"), 1: np.array([0, 1], "f4"), 2: np.array([0, 1], "f4")},
        encoder,
    )
    assert ordered == {0: ["also near", "near", "half", "far"], 1: ["far", "near"], 2: []}


def test_labels_are_unique():
    words = {0: list("abcd"), 1: list("abcd"), 2: list("abcd"), 3: list("abcd"), 4: list("wxyz")}
    nearest = {0: ["health care", "school"], 1: ["health care", "school"], 2: ["school"], 4: []}
    labels = choose_labels(nearest, words)
    assert labels == {
        0: "health care", 1: "school", 2: "a, b, c", 3: "a, b, c (3)", 4: "w, x, y",
    }  # fmt: skip


def test_words_by_topic_keeps_the_rank():
    frame = pd.DataFrame({"topic": [1, 0, 1], "rank": [2, 1, 1], "word": ["b", "c", "a"]})
    assert words_by_topic(frame) == {0: ["c"], 1: ["a", "b"]}


@pytest.fixture(scope="module")
def encoder(encoder_folder) -> SentenceEncoder:
    return SentenceEncoder(encoder_folder, batch_size=4, precision="fp32")


def test_topics_are_described(encoder):
    passages = pd.DataFrame(
        {
            "id": list("pqrstuv"),
            "topic": [0, 1, 0, 0, 1, 1, -1],
            "document": ["a", "b", "a", "c", "d", "e", "f"],
            "text": [
                "the hospital doctor met Merkel", "school goal match", "a hospital doctor saw Merkel",
                "hospital doctor and hospital doctor", "the school goal", "a school goal for Kane",
                "hospital doctor",
            ],
        }
    )  # fmt: skip
    vectors = encoder.encode(list(passages["text"]))
    words = {0: ["hospital", "doctor"], 1: ["school", "goal"]}
    found = describe_topics(
        passages,
        vectors,
        words,
        encoder,
        language="en",
        top_words=1,
        places={"Germany"},
        gender_terms={"doctor"},
    )
    assert found["topic"].tolist() == [0, 1]
    assert found["phrases"].tolist() == [["hospital doctor"], ["school goal"]]
    assert [set(some) for some in found["examples"]] == [{"p", "r", "s"}, {"q", "t", "u"}]
    assert found["words"].tolist() == [["hospital", "doctor"], ["school", "goal"]]
    assert found["gender_words"].tolist() == [["doctor"], []]
    assert [len(some) for some in found["keywords"]] == [1, 1]
    assert found["keywords"][0][0] in ("hospital", "doctor")
    assert found["top_document_share"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found["top_name"].tolist() == ["Merkel", "Kane"]
    assert found["top_name_share"].tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_region_without_topics_has_an_empty_description(encoder):
    passages = pd.DataFrame({"id": ["i"], "topic": [-1], "document": ["a"], "text": ["x"]})
    found = describe_topics(
        passages,
        np.ones((1, 32), "f4"),
        {},
        encoder,
        language="en",
        top_words=5,
        places=(),
        gender_terms=(),
    )
    assert found.empty
    assert found["topic"].dtype == "int64"
    assert embed_topics({}, encoder)["key"].tolist() == ["she", "he"]


def test_topic_embeddings_are_means_of_words(encoder):
    frame = embed_topics({3: ["king", "dog"], 1: ["cat"]}, encoder).set_index("key")["embedding"]
    assert frame.index.tolist() == ["1", "3", "she", "he"]
    king, dog, cat, she = encoder.encode(["king", "dog", "cat", "she"])
    assert frame["3"] == pytest.approx((king + dog) / 2, abs=1e-6)
    assert np.array_equal(frame["1"], cat)
    assert np.array_equal(frame["she"], she)


@pytest.mark.parametrize("method", ["mean_embedding", "keybert"])
def test_gender_terms_are_keywords_only_where_they_are_kept(encoder, method):
    texts = ["hospital doctor mother", "mother hospital doctor", "doctor mother hospital"]
    passages = pd.DataFrame({"id": list("pqr"), "topic": 0, "document": list("abc"), "text": texts})
    found = [
        describe_topics(
            passages, encoder.encode(texts), {0: ["hospital"]}, encoder, language="en",
            top_words=5, places=(), gender_terms={"mother"}, keep_shared=kept, method=method,
        )["keywords"][0]
        for kept in (False, True)
    ]  # fmt: skip
    assert set(found[0]) == {"hospital", "doctor"}
    assert set(found[1]) == {"hospital", "doctor", "mother"}


def test_phrases_hold_no_gender_term_where_these_are_hidden(encoder):
    texts = ["hospital doctor mother", "mother hospital doctor", "doctor mother hospital doctor"]
    passages = pd.DataFrame({"id": list("pqr"), "topic": 0, "document": list("abc"), "text": texts})
    shown, hidden = (
        describe_topics(
            passages, encoder.encode(texts), {0: ["hospital"]}, encoder, language="en",
            top_words=5, places=(), gender_terms={"doctor"}, hide_terms=hide,
        )["phrases"][0]
        for hide in (False, True)
    )  # fmt: skip
    assert shown == ["hospital doctor"]
    assert hidden == []
