"""Words parted in languages that write no spaces; each needs a package of its own."""

from __future__ import annotations

import marshal
import os
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
