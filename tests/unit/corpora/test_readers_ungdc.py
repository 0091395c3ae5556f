"""The reader of the UN General Debate Corpus."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_rows

from biasatlas.corpora.passages import split_sentences
from biasatlas.corpora.readers import read_source
from biasatlas.corpora.readers.batches import COLUMNS, Limits
from biasatlas.corpora.readers.ungdc import _join_hyphen, join_lines
from biasatlas.corpora.salutations import (
    _FOLLOWS,
    _is_formula,
    count_salutations,
    strip_salutations,
)
from biasatlas.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "corpora"
SPEECH = (DATA / "NGA_50_1995.txt").read_bytes()

MEMBERS = {
    "TXT/Session 50 - 1995/NGA_50_1995.txt": SPEECH,
    "TXT/Session 50 - 1995/._NGA_50_1995.txt": b"\x00\x05",
    "TXT/Session 45 - 1990/YUG_45_1990.txt": b"La paix \xe9ternelle est un but.",
    "TXT/Session 66 - 2011/EU_66_2011.txt": b"The Union speaks.",
    "TXT/README.txt": b"about",
    "TXT/regions.csv": b"no text",
    "../../USA_50_1995.txt": b"evil",
}


def make_tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w:xz") as archive:
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return path


def read(
    path: Path, options: dict[str, Any] | None = None, limits: Limits | None = None
) -> tuple[list[dict[str, str]], dict[tuple[str, str], int]]:
    rows, by_rule = read_rows("ungdc", path, options, limits)
    counts = {(item, unit): n for (item, unit, _), n in by_rule.items()}
    return sorted(rows, key=lambda row: row["document"]), counts


def check_speeches(rows: list[dict[str, str]], counts: dict[tuple[str, str], int]) -> None:
    assert tuple(rows[0]) == COLUMNS
    assert [row["document"] for row in rows] == ["NGA_50_1995", "YUG_45_1990"]
    assert [row["country"] for row in rows] == ["NGA", "SRB"]
    assert [row["date"] for row in rows] == ["1995", "1990"]
    assert {row["source"] for row in rows} == {"UN General Debate"}
    # the Union is no country, and what it speaks of must not decide
    assert counts["dropped_no_country", "document"] == 1
    text = rows[0]["text"]
    assert text.startswith("Women farmers carry the burden of the self-determination")
    assert "the government must hear them, before it plans anything" in text
    assert rows[1]["text"] == "La paix \u00e9ternelle est un but."
    assert counts["decoded_by_fallback", "document"] == 1
    assert counts["with_salutation", "document"] == 1
    # 16 + 6 words of two sentences, and "Sir,"
    assert counts["dropped_salutation", "word"] == 23
    assert counts["skipped_not_a_speech", "document"] == 1


@pytest.mark.parametrize("name", ["u.tar.gz", "u.tar.xz"])
def test_tar(name: str, tmp_path: Path) -> None:
    rows, counts = read(make_tar(tmp_path / name, MEMBERS))
    check_speeches(rows, counts)
    assert counts["skipped_unsafe_name", "file"] == 1
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_folder_and_zip(tmp_path: Path) -> None:
    inside = {name: raw for name, raw in MEMBERS.items() if ".." not in name}
    folder = tmp_path / "corpus"
    path = tmp_path / "u.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in inside.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(raw)
            archive.writestr(name, raw)
    check_speeches(*read(folder))
    check_speeches(*read(path))


def test_neither_order_nor_size_of_batches_matter(tmp_path: Path) -> None:
    many = {f"{i}/NGA_{i}_{1945 + i}.txt": SPEECH + b" " + b"more " * i for i in range(1, 9)}
    expected = read(make_tar(tmp_path / "a.tar.gz", many))
    turned = dict(reversed(many.items()))
    for limits in (Limits(), Limits(batch_mb=1e-6), Limits(batch_mb=2e-3)):
        assert read(make_tar(tmp_path / "b.tar.gz", turned), limits=limits) == expected
    batches = list(read_source("ungdc", tmp_path / "b.tar.gz", limits=Limits(batch_mb=1e-6)))
    assert [batch.num_rows for batch in batches] == [1] * 8


def test_options(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar.gz", {"NGA_50_1995.txt": SPEECH})
    rows, counts = read(path, {"name": "un", "keep_salutations": True})
    assert rows[0]["document"] == "un-NGA_50_1995"
    assert not rows[0]["text"].startswith("Women farmers")
    assert ("dropped_salutation", "word") not in counts
    with pytest.raises(InputError, match=r"option 'colour' is unknown.*keep_salutations, name"):
        read_source("ungdc", path, {"colour": "red"})


@pytest.mark.parametrize("name", ["u.tar.gz", "u.tar.xz"])
def test_truncated(name: str, tmp_path: Path) -> None:
    path = make_tar(tmp_path / name, MEMBERS)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match=rf"{name}: cannot be read to its end"):
        read(path)
    rows, counts = read(path, limits=Limits(damaged="keep"))
    check_speeches(rows, counts)
    assert counts["damaged", "file"] == 1


def test_without_speech_twice_or_too_long(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no speech named like"):
        read(make_tar(tmp_path / "a.tar.gz", {"x.txt": b"a"}))
    twice = make_tar(tmp_path / "b.tar.gz", {"a/NGA_50_1995.txt": b"a", "b/NGA_50_1995.txt": b"b"})
    with pytest.raises(InputError, match=r"NGA_50_1995\.txt comes twice"):
        read(twice)
    long = make_tar(tmp_path / "c.tar.gz", {"NGA_50_1995.txt": b"a" * 101, "USA_50_1995.txt": b"b"})
    rows, counts = read(long, limits=Limits(max_document_mb=1e-4))
    assert [row["document"] for row in rows] == ["USA_50_1995"]
    assert counts == {("dropped_too_long", "document"): 1}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xef\xbb\xbfPeace.", "Peace."),
        ("Pe\u00e4ce.".encode("utf-16"), "Pe\u00e4ce."),
        (b"\x93Peace\x94 caf\xe9", "\u201cPeace\u201d caf\u00e9"),
        (b"One\r\ntwo\rthree\r\n\r\nfour", "One two three four"),
        (b"Pea\0ce", "Pea\0ce"),
        (b"", ""),
        (b" \n\t\n", ""),
    ],
)
def test_encodings_and_empty_speeches(raw: bytes, text: str, tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar.gz", {"NGA_50_1995.txt": raw})
    assert [row["text"] for row in read(path)[0]] == [text]


def test_gzip_members_that_follow_each_other(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar.gz", MEMBERS)
    tar = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(tar[:700]) + gzip.compress(tar[700:]))
    check_speeches(*read(path))


def test_join_lines() -> None:
    assert join_lines("one\ntwo\r\nthree\n\nfour") == "one two three\n\nfour"
    assert join_lines("there-\nfore the super-\nPowers, self-\nrule") == (
        "therefore the super-Powers, self-rule"
    )
    assert join_lines("there\u00acfore") == "therefore"
    assert join_lines("12. One\ntwo\n\n\n13: Three\t\t4") == "One two\n\nThree 4"


# What `join_lines` does, written down plainly: one rule after the other, over the whole text.
_RULES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\r\n?", "\n"),
    (r"[ \t]*\u00ac[ \t]*\n?[ \t]*(?=[a-z])", ""),
    (r"[ \t]+\n", "\n"),
    (r"\n[ \t]+(?=\S)", "\n"),
    (r"(?<=[a-z])-\n(?=[a-z])", _join_hyphen),
    (r"(?<=\w)-\n(?=\w)", "-"),
    (r"(?m)^\d{1,3}[.:][ \t]+", "\n\n"),
    (r"(?<!\n)\n(?!\n)", " "),
    (r"\n{2,}", "\n\n"),
    (r"[ \t]{2,}", " "),
)
_PIECES = [
    "\r", "\n", "\n\n", " ", "\t", "-", "-\n", "a", "b", "Z", "\u00e9", "1", "12. ", "3:", "\u00ac",
    "\x0c", "\u00a0", "self", ".",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join))
def test_join_lines_follows_its_rules(text: str) -> None:
    expected = text
    for pattern, replacement in _RULES:
        expected = re.sub(pattern, replacement, expected)
    assert join_lines(text) == expected.strip()


def test_salutations() -> None:
    speech = (
        "I congratulate Mr. Smith on his election. His qualities are known. I thank the "
        "Secretary-General for his efforts. Peace is not the absence of war. He who sows reaps."
    )
    text, n = strip_salutations(speech)
    assert text == "Peace is not the absence of war. He who sows reaps."
    assert n == 3
    later = "Peace is near. " * 20 + "We congratulate the people of Namibia."
    assert strip_salutations(later) == (later, 0)
    assert strip_salutations("") == ("", 0)
    # 7 + 4 + 7 words
    assert count_salutations(speech) == (text, 3, 18)
    assert count_salutations("Peace, Mr. President, is near. So be it, Sir.")[1:] == (1, 5 + 1)


_FORMULA = re.compile(
    r"""
      congratulat | felicitat
    | \b(?:Mr|Mrs|Ms|Madam|Madame)\.?\ (?:President|Chairman|Secretary)\b
    | \bon\ (?:your|his|her)\ (?:\S+\ ){0,5}(?:election|assumption)
    | \b(?:your|his|her)\ (?:\S+\ ){0,4}(?:election|predecessor|presidency)\b
    | \b(?:presid(?:e|ed|ing)\ over|presidency\ of|President\ of)\ (?:\S+\ ){0,4}
      (?:General\ Assembly|Assembly|session|deliberations|body)
    | \bguid(?:e|ed|ing|ance)\ (?:\S+\ ){0,4}(?:work|deliberations|proceedings|affairs)
    | \bon\ behalf\ of\ (?:my|our|the)\ (?:own\ )?(?:delegation|country|Government|people)
    | \b(?:tribute|thanks|gratitude|appreciation|thank|commend|praise|salute|homage)\b.{0,160}
      \b(?:Secretary[-\ ]General|predecessor|President)\b
    | \b(?:Secretary[-\ ]General)\b.{0,160}
      \b(?:tribute|thanks|gratitude|appreciation|efforts|dedication|leadership)\b
    | \b(?:assure|pledge|wish)\ (?:you|him|her|the\ President)\b
    | \btribute\ (?:to\ (?:you|him|her)\b|for\ (?:you|him|her)\b) | \bto\ see\ you\b
    | \b(?:under|with)\ your\ (?:\S+\ ){0,3}(?:leadership|guidance|stewardship|direction)\b
    | \byour\ (?:\S+\ ){0,3}(?:experience|wisdom|skills?|qualities|country|duties)\b
    | ^(?:It\ is|It\ gives\ me|I\ have|I\ am)\ (?:\S+\ ){0,4}(?:pleasure|privilege|honou?r(?:ed)?)\b
      .{0,80}\b(?:address|Assembly|convey|welcome|speak)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VOCATIVE = re.compile(
    r"\b(?:Mr\.|Madame?) President, |, (?:Mr\. President|Madame? President|Sir|Madam)(?=[,.])"
)
_WORDS = (
    "congratulations felicitate Mr. Mrs Madam Madame President President, Chairman Secretary on your "
    "his her election assumption predecessor presidency presided over of the General Assembly "
    "session body guide guidance work affairs behalf my own delegation Government tribute thanks "
    "praise to for Secretary-General efforts leadership assure pledge wish you him see under with "
    "wisdom skills country duties It is gives me I have am great pleasure honour honoured address "
    "speak , Sir, Sir. Madam. peace. Peace! war \u0130t i\u017f \u212afelicitate pre\u017fident His ok."
).split()


@settings(max_examples=800, deadline=None)
@given(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(" ".join),
    st.sampled_from([str, str.upper, str.lower]),
)
def test_formulas_are_those_of_the_plain_pattern(sentence: str, case: Callable[[str], str]) -> None:
    assert _is_formula(case(sentence)) == bool(_FORMULA.search(case(sentence)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(_WORDS), max_size=60).map(" ".join), st.integers(1, 4), st.booleans()
)
def test_salutations_are_those_of_the_plain_rule(text: str, window: int, more: bool) -> None:
    text += " peace. War ok. Peace is near," * 600 if more else ""
    # split whole, without a look at the beginning alone
    sentences = split_sentences(text)
    head, tail = sentences[:window], sentences[window:]
    if more:
        text = " ".join(text.split())
    kept: list[str] = []
    after_drop = False
    for sentence in head:
        after_drop = bool(_FORMULA.search(sentence) or (after_drop and _FOLLOWS.match(sentence)))
        kept += [] if after_drop else [sentence]
    expected = _VOCATIVE.sub("", " ".join(kept + tail)).strip()
    found, n_dropped, n_words = count_salutations(text, window)
    assert found == expected
    assert n_dropped == len(head) - len(kept)
    assert n_words == len(text.split()) - len(expected.split())
