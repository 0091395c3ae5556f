"""Texts of a language from the project's readers, and vectors trained on them."""

from __future__ import annotations

import gzip
import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.config.corpora import Source
from biasatlas.encoders.static import open_static
from biasatlas.encoders.texts import digest_texts, gather_texts, train_language_vectors
from biasatlas.errors import InputError

SETTINGS = {"size": 8, "window": 3, "min_count": 2, "epochs": 2, "buckets": 1000}


def write_json(path, rows) -> None:
    path.parent.mkdir(exist_ok=True)
    lines = [json.dumps(row) for row in rows]
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


@pytest.fixture
def sources(tmp_path):
    """Stories as pages and sentences as texts, in French; sentences alone in Thai."""
    decomposed = unicodedata.normalize("NFD", "L'été.")
    write_json(
        tmp_path / "stories" / "fr.jsonl.gz",
        [{"id": "s1", "pages": ["Une page.", "Deux pages."]}, {"id": "s2", "pages": ["L'été."]}],
    )
    write_json(
        tmp_path / "sentences" / "fr_one.jsonl.gz",
        [
            {"id": "b", "text": decomposed},
            {"id": "a", "text": "  L'été. "},
            {"id": "c", "text": ""},
            {"id": "d", "text": "Un mot."},
        ],
    )
    write_json(tmp_path / "sentences" / "fr_two.jsonl.gz", [{"id": "e", "text": "Un mot."}])
    write_json(tmp_path / "sentences" / "th_one.jsonl.gz", [{"id": "a", "text": "แมว"}])
    return [
        {
            "reader": "table",
            "path": str(tmp_path / "stories" / "{language}.jsonl.gz"),
            "options": {"text": "pages", "id": "id"},
        },
        {
            "reader": "table",
            "path": [str(tmp_path / "sentences" / "{language}_*.jsonl.gz")],
            "options": {"text": "text", "id": "id"},
        },
    ]


def test_texts_are_gathered_each_once(sources, caplog):
    caplog.set_level("INFO")
    frame = gather_texts(sources, "fr")
    assert list(frame.columns) == ["id", "text"]
    assert list(frame.itertuples(index=False, name=None)) == [
        ("fr-s2", "L'été."),
        ("fr_one-d", "Un mot."),
        ("fr-s1", "Une page.\nDeux pages."),
    ]
    assert "fr: 7 texts read, 1 blank and 3 twice left out" in caplog.text


def test_order_of_sources_changes_nothing(sources):
    assert gather_texts(sources[::-1], "fr").equals(gather_texts(sources, "fr"))
    checked = [Source(**source) for source in sources]
    assert gather_texts(checked, "fr").equals(gather_texts(sources, "fr"))


def test_a_language_has_the_files_of_its_own(sources, caplog):
    caplog.set_level("INFO")
    assert gather_texts(sources, "th")["text"].tolist() == ["แมว"]
    assert "th: no text at" in caplog.text
    nothing = gather_texts(sources, "sw")
    assert len(nothing) == 0
    assert list(nothing.columns) == ["id", "text"]
    french = [source | {"language": "fr"} for source in sources]
    assert len(gather_texts(french, "th")) == 0
    assert len(gather_texts(french, "fr")) == 3


def test_other_readers(tmp_path):
    (tmp_path / "a.txt").write_text("One line.\nAnother line.\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("said\nA cell.\nOne line.\n", encoding="utf-8")
    lines = {"reader": "lines", "path": tmp_path / "a.txt"}
    cells = {"reader": "table", "path": tmp_path / "a.csv", "options": {"text": "said"}}
    frame = gather_texts([lines, cells], "en")
    assert frame["text"].tolist() == ["A cell.", "Another line.", "One line."]


def test_wrong_sources_are_named(sources, tmp_path):
    missing = [{"reader": "lines", "path": str(tmp_path / name)} for name in ("a.txt", "b/*.txt")]
    with pytest.raises(InputError) as error:
        gather_texts(missing, "fr")
    assert len(error.value.problems) == 2
    assert "b/*.txt: no such file or folder of texts" in error.value.problems[1]
    with pytest.raises(InputError, match="give a reader and a path"):
        gather_texts([{"reader": "lines", "asset": "news"}], "fr")
    for source in sources:
        source["options"] = {"text": "titel"}
        with pytest.raises(InputError, match="no column 'titel'"):
            gather_texts([source], "fr")
        source["options"] = {"texts": "text"}
        with pytest.raises(InputError, match="option 'texts' is unknown"):
            gather_texts([source], "fr")
    with pytest.raises(InputError, match="reader 'tabel' is unknown"):
        gather_texts([sources[0] | {"reader": "tabel"}], "fr")


def test_a_list_of_anything_but_texts_is_no_text(tmp_path, caplog):
    rows = [{"text": ["a", 1]}, {"text": {"a": "b"}}, {"text": "whole"}, {"text": []}]
    write_json(tmp_path / "x.jsonl.gz", rows)
    source = {"reader": "table", "path": str(tmp_path / "x.jsonl.gz"), "options": {"text": "text"}}
    assert gather_texts([source], "en")["text"].tolist() == ["whole"]
    assert "holds a list or an object, no text, in 2 rows" in caplog.text


@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]))), seed=st.randoms())
def test_the_hash_of_texts_tells_them_apart_whatever_their_order(texts, seed):
    shuffled = list(texts)
    seed.shuffle(shuffled)
    digest = digest_texts(texts)
    assert digest_texts(shuffled) == digest
    assert digest_texts([*texts, "more"]) != digest
    # Where one text ends and the next begins is part of it.
    assert digest_texts(["ab", "c"]) != digest_texts(["a", "bc"])


def test_trained_vectors_are_of_subwords_and_the_same_again(tmp_path):
    rng = np.random.default_rng(3)
    words = ["Kadın", "ISI", "İzmir", *(f"kelime{number}" for number in range(20))]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(100)]
    for name in ("one.bin", "again.bin"):
        train_language_vectors(texts, tmp_path / name, SETTINGS | {"seed": 9}, 1, "tr")
    train_language_vectors(texts, tmp_path / "other.bin", SETTINGS, 2, "tr")
    one, again, other = (
        (tmp_path / f"{name}.bin").read_bytes() for name in ("one", "again", "other")
    )
    assert one == again
    assert one != other
    encoder = open_static(tmp_path / "one.bin", "tr")
    looked = encoder.encode(["kadın", "ısı", "izmir", "ISI", "kadınlar"])
    assert encoder.name == "fasttext"
    assert looked.pieces[:4].tolist() == [0, 0, 0, 0]
    assert looked.pieces[4] > 0


def test_chinese_is_cut_into_words_before_training(tmp_path):
    texts = [f"女人在医院工作{number}" for number in range(30)]
    train_language_vectors(texts, tmp_path / "v.bin", SETTINGS, 1, "zh")
    looked = open_static(tmp_path / "v.bin").encode(["女人", "医院", "女人在医院"])
    assert looked.pieces[:2].tolist() == [0, 0]
    assert looked.pieces[2] > 0


def test_the_development_texts(shared_folder):
    folder = shared_folder("multilingual")
    sources = [
        {
            "reader": "table",
            "path": str(folder / "stories" / "{language}.jsonl.gz"),
            "options": {"text": "pages", "id": "id"},
        },
        {
            "reader": "table",
            "path": str(folder / "ud_sentences" / "{language}_*.jsonl.gz"),
            "options": {"text": "text", "id": "id"},
        },
    ]
    frame = gather_texts(sources, "ar")
    assert len(frame) > 1000
    assert frame["text"].is_unique
    assert frame["text"].map(lambda text: unicodedata.is_normalized("NFC", text)).all()
    assert len(gather_texts(sources[1:], "ar")) == 1000
