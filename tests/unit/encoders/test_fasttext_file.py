"""Vectors of a fastText model on disk are those of fastText itself."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.encoders.fasttext_file import open_fasttext
from biasatlas.errors import InputError
from biasatlas.vectors.store import FASTTEXT_HEADER, FASTTEXT_MAGIC
from biasatlas.vectors.train import train_fasttext

SIZE = 12
SEEN = "king he crown queen she throne café thé été король дом घर हिन्दी 猫 犬 سلام a".split()
UNSEEN = [
    "kingdom", "", " ", "x", "é", "два слова", "two words", "घ", "हिन्दुस्तान", "猫犬", "🙂", "لا",
    "King", "</s>", "<>", "w" * 300, "a\tb", "naïveté",
]  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A model as the project trains it, of words in several scripts."""
    rng = np.random.default_rng(3)
    words = [*SEEN, *(f"word{number}" for number in range(30))]
    texts = [" ".join(rng.choice(words, 8)) for _ in range(300)]
    path = tmp_path_factory.mktemp("fasttext") / "v.bin"
    train_fasttext(texts, path, seed=1, size=SIZE, window=3, min_count=2, epochs=2, buckets=1000)
    return path


@pytest.fixture(scope="module")
def own(model):
    import fasttext

    return fasttext.load_model(str(model))


def write_model(path: Path, words, *, buckets=5, shortest=1, longest=3, **changed) -> Path:
    """A model by hand, in fastText's format, with numbers that are their own place."""
    size = changed.get("size", 2)
    header = {
        "magic": struct.unpack("<i", FASTTEXT_MAGIC)[0], "version": 12, "size": size, "ws": 5,
        "epoch": 5, "min_count": 1, "neg": 5, "ngrams": 1, "loss": 2, "model": 2,
        "buckets": buckets, "shortest": shortest, "longest": longest, "rate": 100, "t": 1e-4,
        "n": len(words), "n_words": len(words), "n_labels": 0, "tokens": 99, "pruned": -1,
    }  # fmt: skip
    quantised = changed.pop("quantised", 0)
    header.update(changed)
    rows = header["n_words"] + buckets
    matrix = np.arange(rows * size, dtype="<f4").reshape(rows, size) + 1
    parts = [FASTTEXT_HEADER.pack(*header.values())]
    # Counts with null bytes in them, and with none.
    counts = [0x0102030405060708, 256]
    for number, word in enumerate(words):
        kind = number >= header["n_words"]
        parts.append(word.encode() + b"\0" + struct.pack("<qb", counts[number % 2], kind))
    parts += [struct.pack("<?2q", quantised, rows, size), matrix.tobytes()]
    parts += [struct.pack("<?2q", 0, len(words), size), bytes(4 * len(words) * size)]
    path.write_bytes(b"".join(parts))
    return path


def test_vectors_are_fasttext_s_own(model, own):
    words = [*SEEN, *UNSEEN]
    vectors, known = open_fasttext(model).vectors(words)
    assert vectors.dtype == np.float32
    assert known.tolist() == [True] * len(SEEN) + [False] * len(UNSEEN)
    for word, row in zip(words, vectors, strict=True):
        theirs = own.get_word_vector(word)
        if np.isnan(row).any():
            # fastText gives zeros for what has no n-gram
            assert np.isnan(row).all()
            assert not theirs.any()
        else:
            assert row == pytest.approx(theirs, rel=1e-5, abs=1e-7)
            assert theirs.any()
    missing = {word for word, row in zip(words, vectors, strict=True) if np.isnan(row).any()}
    assert missing == {"", "</s>"}


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=200)
@given(word=text)
def test_any_text_has_fasttext_s_vector(word, model, own):
    row = open_fasttext(model).vectors([word])[0][0]
    theirs = own.get_word_vector(word)
    assert np.nan_to_num(row) == pytest.approx(theirs, rel=1e-5, abs=1e-7)


def test_each_vector_depends_on_its_word_only(model):
    words = [*SEEN, *UNSEEN]
    opened = open_fasttext(model)
    together = opened.vectors(words)[0]
    assert opened.vectors(words[::-1])[0][::-1].tobytes() == together.tobytes()
    assert opened.vectors(words[5:6])[0].tobytes() == together[5:6].tobytes()
    assert opened.vectors([])[0].shape == (0, SIZE)


def test_a_vector_by_hand(tmp_path):
    """ "<ab>" of n-grams of 3 letters is "<ab" and "ab>"; rows 0-2 are words, 3-7 the buckets."""
    import fasttext
    from gensim.models.fasttext_inner import ft_hash_bytes

    path = write_model(tmp_path / "m.bin", ["ab", "b", "ab"], shortest=3)
    opened = open_fasttext(path)
    assert (opened.n_words, opened.buckets, opened.size) == (3, 5, 2)
    buckets = [3 + ft_hash_bytes(gram) % 5 for gram in (b"<ab", b"ab>")]
    assert opened.ngram_rows("ab") == buckets
    # Row k holds 2k + 1 and 2k + 2; of a word that stands twice the last row counts.
    first = np.mean([5] + [2 * row + 1 for row in buckets])
    assert opened.vectors(["ab"])[0][0] == pytest.approx([first, first + 1])
    theirs = fasttext.load_model(str(path)).get_word_vector("ab")
    assert theirs == pytest.approx([first, first + 1])
    assert opened.find({"b", "ab", "new"}) == {"ab": 2, "b": 1}
    assert opened.find(set()) == {}


def test_the_end_of_a_line_has_no_ngrams(tmp_path):
    import fasttext

    path = write_model(tmp_path / "m.bin", ["</s>", "s"])
    row = open_fasttext(path).vectors(["</s>"])[0][0]
    assert row.tolist() == [1.0, 2.0]
    assert row.tolist() == fasttext.load_model(str(path)).get_word_vector("</s>").tolist()


def test_lengths_of_ngrams_are_those_of_the_model(tmp_path):
    import fasttext

    for shortest, longest in ((1, 1), (1, 2), (2, 4), (5, 5)):
        path = write_model(tmp_path / "m.bin", ["été", "дом"], shortest=shortest, longest=longest)
        theirs = fasttext.load_model(str(path))
        for word in ("été", "été été", "a", "", "घर"):
            row = open_fasttext(path).vectors([word])[0][0]
            expected = theirs.get_word_vector(word)
            assert np.nan_to_num(row) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("buckets", [0, 5])
def test_a_model_without_ngrams_has_vectors_of_its_words_only(tmp_path, buckets):
    import fasttext

    path = write_model(tmp_path / "m.bin", ["ab", "c"], buckets=buckets, shortest=0, longest=0)
    vectors, known = open_fasttext(path).vectors(["c", "new", ""])
    assert vectors[0].tolist() == [3.0, 4.0]
    assert np.isnan(vectors[1:]).all()
    assert known.tolist() == [True, False, False]
    assert fasttext.load_model(str(path)).get_word_vector("c").tolist() == [3.0, 4.0]


def test_labels_in_a_model_of_words_are_no_words(tmp_path):
    path = write_model(tmp_path / "m.bin", ["ab", "__label__x"], n_words=1, n_labels=1)
    opened = open_fasttext(path)
    assert opened.find({"ab", "__label__x"}) == {"ab": 0}
    assert opened.matrix.shape == (6, 2)


def test_a_model_without_words_opens(tmp_path):
    path = write_model(tmp_path / "m.bin", [], buckets=0)
    vectors, known = open_fasttext(path).vectors(["ab"])
    assert np.isnan(vectors).all()
    assert not known.any()


@pytest.mark.skipif(sys.platform == "win32", reason="the size of a process is read in Unix's way")
def test_only_the_rows_asked_for_are_read(tmp_path):
    """A file of 2.4 GB, most of which is a hole, takes no more memory than its rows."""
    import resource

    rows, size = 2_000_000, 300
    words = ["ab", "c"]
    small = write_model(tmp_path / "small.bin", words, buckets=rows - 2, size=1, longest=6)
    head = small.read_bytes()[: FASTTEXT_HEADER.size + 10 * 2 + 3]
    small.unlink()
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.write(head[:8] + struct.pack("<i", size) + head[12:])
        file.write(struct.pack("<?2q", 0, rows, size))
        start = file.tell()
        file.write(np.arange(2 * size, dtype="<f4").tobytes())
        file.seek(start + 4 * rows * size)
        file.write(struct.pack("<?2q", 0, 2, size) + bytes(8 * size))
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    opened = open_fasttext(path)
    assert isinstance(opened.matrix, np.memmap)
    assert not opened.matrix.flags.writeable
    vectors, known = opened.vectors(["c", "never seen"])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    assert path.stat().st_size > 2.4e9
    assert after - before < 200e6
    grams = len(opened.ngram_rows("c"))
    assert vectors[0] == pytest.approx(np.arange(size, 2 * size) / (1 + grams))
    assert known.tolist() == [True, False]


@pytest.mark.parametrize("share", [0.0001, 0.001, 0.003, 0.01, 0.3, 0.5, 0.9, 0.9999])
def test_a_file_cut_short_is_refused(model, share, tmp_path):
    whole = model.read_bytes()
    path = tmp_path / "cut.bin"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match=r"cut.bin: not a whole fastText model; it breaks off"):
        open_fasttext(path)


WRONG = {
    "classifier": ({"model": 3}, "a classifier of texts; allowed are models of word vectors"),
    "pruned": ({"pruned": 2}, "a pruned model"),
    "quantised": ({"quantised": 1}, "a quantised model; allowed is the whole one"),
    "newer": ({"version": 13}, "fastText's format 13; allowed is up to 12"),
    "counts": ({"n": 7}, "its header makes no sense"),
    "negative": ({"shortest": -1}, "its header makes no sense"),
    "another size": ({"size": 2, "longest": 3, "n": 2, "n_words": 2}, None),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_kinds_of_model_are_refused(name, tmp_path):
    changed, message = WRONG[name]
    path = write_model(tmp_path / "m.bin", ["ab", "c"], **changed)
    if message is None:
        raw = bytearray(path.read_bytes())
        raw[8:12] = struct.pack("<i", 3)
        path.write_bytes(raw)
        message = "7 x 2 vectors where its header promises 2 words and 5 buckets of 3 numbers"
    with pytest.raises(InputError, match=message) as error:
        open_fasttext(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("raw", [b"", b"PK\3\4", b"2 3\na 1 2 3\n", FASTTEXT_MAGIC, bytes(200)])
def test_foreign_files_are_refused(raw, tmp_path):
    path = tmp_path / "foreign.bin"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"foreign.bin: not a (whole )?fastText model"):
        open_fasttext(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.bin", tmp_path):
        with pytest.raises(InputError, match="no such file"):
            open_fasttext(path)


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_read_never_a_traceback(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    path = write_model(folder / "m.bin", ["ab", "c", "été"])
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, 150))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        vectors, _ = open_fasttext(path).vectors(["ab", "new"])
    except InputError:
        return
    assert vectors.shape[0] == 2
