"""Words parted in languages that write no spaces; each needs a package of its own."""

from __future__ import annotations

import marshal
import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.corpora import segmentation
from biasatlas.corpora.passages import cut_text, split_sentences
from biasatlas.corpora.segmentation import needs_segmentation, segment
from biasatlas.errors import InputError

PACKAGES = {"zh": ("jieba",), "ja": ("fugashi", "unidic_lite"), "th": ("pythainlp",)}
TEXTS = {
    "zh": ["她告诉他，妈妈在家。", "他是男人！3.5% 的人\n不是。"],
    "ja": ["彼女は学生です。", "彼は「はい。」と言った！"],
    "th": ["แม่รักลูกมาก", "เขาไปโรงเรียน และกลับบ้าน"],
}
WORDS = {
    "zh": "她 告诉 他 ， 妈妈 在家 。",
    "ja": "彼女 は 学生 です 。",
    "th": "แม่ รัก ลูก มาก",
}


def need(language: str) -> None:
    for package in PACKAGES[language]:
        # Not imported here: pythainlp would make a folder in the home.
        if find_spec(package) is None:
            pytest.skip(f"'{package}' of the extra 'segmentation' is not installed")


def squeeze(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("language", WORDS)
def test_words_are_parted(language):
    need(language)
    assert segment(TEXTS[language][:1], language) == [WORDS[language]]


@pytest.mark.parametrize("language", TEXTS)
def test_nothing_but_white_space_changes(language):
    need(language)
    texts = [*TEXTS[language], "", " ", "\n", "a\0b", "U.S. 1,000", "😀\u3000x"]
    found = segment(texts, language)
    assert [squeeze(text).replace("\0", "") for text in texts] == [squeeze(text) for text in found]
    assert all("  " not in text and text == text.strip(" ") for text in found)
    assert segment(texts, language) == found
    assert segment(texts[::-1], language) == found[::-1]


@given(text=st.text(alphabet="她他说女人。！「」 ab1.\n，", max_size=40))
def test_any_chinese_text_keeps_its_characters_and_lines(text):
    need("zh")
    (found,) = segment([text], "zh")
    assert squeeze(found) == squeeze(text)
    assert found.split("\n") == segment(text.splitlines(), "zh") or not text


RUNS = {"zh": "中", "ja": "ー", "th": "ก"}


@pytest.mark.parametrize("language", RUNS)
def test_a_run_of_200000_characters_ends_and_keeps_them_all(language):
    # Whole, it takes a minute or more, and four times that at twice the length.
    need(language)
    text = RUNS[language] * 200_000
    (found,) = segment([text], language)
    assert squeeze(found) == text


@pytest.mark.parametrize("language", RUNS)
def test_long_runs_reach_the_segmenter_in_pieces(language, monkeypatch):
    pieces: list[str] = []

    def cut(text: str) -> list[str]:
        pieces.append(text)
        return [text]

    monkeypatch.setitem(segmentation._CUTTERS, language, lambda: cut)

    def pieces_of(text: str) -> list[str]:
        pieces.clear()
        segment([text], language)
        assert "".join(pieces) == squeeze(text)
        assert all(0 < len(piece) <= 1000 for piece in pieces)
        return pieces

    # Up to 1000 characters are left whole, marks or no marks.
    for whole in ("x" * 1000, "x。" * 500, "x" * 999 + "。", "x"):
        assert pieces_of(whole) == [whole]
    assert pieces_of("x" * 600 + " " + "y" * 600) == ["x" * 600, "y" * 600]
    assert [len(piece) for piece in pieces_of("x" * 2500)] == [1000, 1000, 500]
    # The last end of a sentence goes before a later comma; a comma before no mark. A closing
    # quotation mark stays with the sentence before it.
    assert [len(piece) for piece in pieces_of("x" * 600 + "。」x" + "x" * 900)] == [1000, 503]
    assert [len(piece) for piece in pieces_of("x" * 600 + "。x，" + "x" * 900)] == [601, 902]
    assert [len(piece) for piece in pieces_of("x" * 600 + "、" + "x" * 900)] == [601, 900]
    assert [len(piece) for piece in pieces_of("x" * 999 + "。" + "x" * 1001)] == [1000, 1000, 1]
    assert [len(piece) for piece in pieces_of("x" * 998 + "！？" + "x" * 9)] == [1000, 9]
    assert [len(piece) for piece in pieces_of("。" * 1500)] == [1000, 500]


@given(text=st.text(alphabet="她说。！」，、\u3000 \n\u0301", max_size=60))
def test_pieces_lose_no_character(text):
    with pytest.MonkeyPatch.context() as patch:
        shorter = segmentation._PIECE.pattern.replace("999", "4").replace("1000", "5")
        patch.setattr(segmentation, "_PIECE", re.compile(shorter, re.DOTALL))
        patch.setitem(segmentation._CUTTERS, "zh", lambda: lambda piece: [piece])
        (found,) = segment([text], "zh")
    assert squeeze(found) == squeeze(text)
    assert max(map(len, found.split()), default=0) <= 5


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_ordinary_text_of_any_length_has_the_same_words(language):
    need(language)
    # With line breaks between the sentences none is long enough to be cut.
    sentences = [text.replace(" ", "").replace("\n", "") for text in TEXTS[language]] * 200
    (whole,) = segment(["".join(sentences)], language)
    assert len(squeeze(whole)) >= 4000
    (lines,) = segment(["\n".join(sentences)], language)
    assert whole.split() == lines.split()


def test_which_languages_are_parted():
    wanted = ("zh", "zho", "chi", "cmn", "ja", "jpn", "th", "tha")
    assert all(needs_segmentation(code) for code in wanted)
    assert not any(needs_segmentation(code) for code in ("en", "ko", "lo", "km", "yue", ""))


def test_other_languages_pass_unchanged():
    texts = ("two  words\n", "ພາສາລາວ")
    assert segment(texts, "lo") == list(texts)


@pytest.mark.parametrize("language", PACKAGES)
def test_a_missing_package_is_named(language, monkeypatch):
    load = segmentation._CUTTERS[language]
    load.cache_clear()
    for package in PACKAGES[language]:
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.delitem(sys.modules, f"{package}.tokenize", raising=False)
    with pytest.raises(InputError, match=r"pip install 'biasatlas\[segmentation\]'") as caught:
        segment(["x"], language)
    assert f"'{language}'" in str(caught.value)
    assert PACKAGES[language][0] in str(caught.value)
    load.cache_clear()


def test_chinese_neither_reads_nor_writes_a_shared_cache(tmp_path):
    need("zh")
    # Anyone can put this file into the temporary folder: with it jieba would find no word.
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(marshal.dumps(({"她告": 10**9}, 10**9)))
    before = planted.read_bytes()
    code = (
        "from biasatlas.corpora.segmentation import segment\n"
        f"assert segment({TEXTS['zh'][:1]!r}, 'zh') == {[WORDS['zh']]!r}\n"
    )
    done = run(code, TMPDIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert planted.read_bytes() == before
    assert os.listdir(tmp_path) == ["jieba.cache"]


def test_thai_makes_no_folder_in_the_home(tmp_path):
    need("th")
    code = (
        "import os\n"
        "from biasatlas.corpora.segmentation import segment\n"
        f"assert segment({TEXTS['th'][:1]!r}, 'th') == {[WORDS['th']]!r}\n"
        "assert 'PYTHAINLP_READ_ONLY' not in os.environ\n"
    )
    done = run(code, HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(tmp_path) == []


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(segmentation.__file__).parents[2])
    known = {"PYTHONPATH": source, "TMPDIR": tempfile.gettempdir(), "PYTHONUTF8": "1"}
    environment = {**os.environ, **known, **variables}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("language", "text"),
    [("zh", "她在家。他不在！谁在？没人。"), ("ja", "彼女は学生です。彼は先生です。行く！行く？")],
)
def test_sentences_end_in_parted_text_as_in_the_original(language, text):
    need(language)
    (found,) = segment([text], language)
    sentences = split_sentences(found)
    assert [squeeze(one) for one in sentences] == [
        part for part in text.replace("。", "。|").replace("！", "！|").replace("？", "？|").split("|")
        if part
    ]  # fmt: skip


def test_thai_has_no_sentences_and_is_cut_by_length():
    need("th")
    (found,) = segment([" ".join(TEXTS["th"]) * 30], "th")
    assert len(split_sentences(found)) == 1
    passages = cut_text(found, 20)
    assert len(passages) > 1
    assert all(len(passage.split()) <= 20 for passage in passages)
    assert " ".join(passages) == found
