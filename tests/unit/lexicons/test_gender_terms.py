from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from biasatlas.errors import InputError
from biasatlas.lexicons.gender_terms import digest, load_gender_pairs

GENDER = Path(__file__).parents[3] / "resources/word_lists/gender/en"
HEAD = "name: Pairs\nlanguage: en\ncitation: own list\npairs:\n"


@pytest.fixture
def write(tmp_path: Path):
    def put(pairs: str) -> Path:
        path = tmp_path / "pairs.yaml"
        path.write_text(HEAD + pairs, encoding="utf-8")
        return path

    return put


def test_the_52_pairs():
    terms = load_gender_pairs(GENDER / "bolukbasi52.yaml")
    assert (terms.n_pairs, terms.n_distinct) == (52, 47)
    assert len(terms.female) == len(terms.male) == 47
    assert terms.language == "en"
    assert {"catholic priest", "prostate cancer", "twin brother"} <= set(terms.male)
    assert {"nun", "ovarian cancer", "twin sister"} <= set(terms.female)


def test_reversed_and_mismatched_pairs():
    terms = load_gender_pairs(GENDER / "bolukbasi52.yaml")
    assert {"husbands", "ex boyfriend", "fella"} <= set(terms.male)
    assert {"wives", "ex girlfriend", "granny"} <= set(terms.female)
    pairs = yaml.safe_load((GENDER / "bolukbasi52.yaml").read_text(encoding="utf-8"))["pairs"]
    noted = {pair["male"]: (pair.get("printed"), pair["note"]) for pair in pairs if "note" in pair}
    assert noted == {
        "husbands": ("wives, husbands", "reversed in print"),
        "ex boyfriend": ("ex girlfriend, ex boyfriend", "reversed in print"),
        "fella": (None, "mismatched in print, kept"),
    }


def test_what_the_52_lack_is_in_the_extended_list():
    short, long = (load_gender_pairs(GENDER / f"{n}.yaml") for n in ("bolukbasi52", "extended"))
    missing = {"him", "wife", "husband", "hers", "girlfriend", "boyfriend"}
    assert not missing & {*short.female, *short.male}
    assert missing <= {*long.female, *long.male}
    assert set(short.female) <= set(long.female)
    assert set(short.male) <= set(long.male)
    assert {"her", "hers", "wife", "girlfriend"} <= set(long.female)
    assert {"him", "his", "husband", "boyfriend"} <= set(long.male)


def test_case_is_folded_and_repeats_dropped(write):
    terms = load_gender_pairs(
        write(
            "- {male: Dad, female: Mom}\n- {male: dad, female: MOM}\n- {male: dad, female: mum}\n"
        )
    )
    assert (terms.n_pairs, terms.n_distinct) == (3, 2)
    assert (terms.male, terms.female) == (("dad",), ("mom", "mum"))


def test_lower_case_keeps_letters_that_folding_would_change(write):
    terms = load_gender_pairs(write("- {male: Großvater, female: Großmutter}\n"))
    assert terms.male == ("großvater",)
    terms = load_gender_pairs(
        write(
            "- {male: Großvater, female: x}\n- {male: Grossvater, female: y}\n- {male: GROẞVATER, female: x}\n"
        )
    )
    assert terms.male == ("großvater", "grossvater")
    assert (terms.n_pairs, terms.n_distinct) == (3, 2)


def test_a_term_on_both_sides_is_refused(write):
    path = write(
        "- {male: he, female: she}\n- {male: cousin, female: Cousin}\n- {male: She, female: x}\n"
    )
    with pytest.raises(InputError) as caught:
        load_gender_pairs(path)
    assert caught.value.problems == (
        f"{path}:5: 'she' is a female term here and a male one on line 7",
        f"{path}:6: 'cousin' is a female term here and a male one on line 6",
    )


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("- {male: he}", "missing key 'female'"),
        ("- {male: no, female: she}", 'quote it ("no")'),
        ("- {male: he, female: she, other: x}", "unknown key 'other'"),
        ("- {male: ' he', female: she}", "stray white space"),
        ('- {male: "he\\n", female: she}', "stray white space"),
        ("- {male: '', female: she}", "blank"),
        ("- {male: nan, female: she}", "allowed"),
        ('- {male: "he\\u0301", female: she}', "NFC"),
        ("- {male: Mr., female: she}", "begin and end with a letter or digit"),
        ("- {male: '-', female: she}", "begin and end with a letter or digit"),
        ("- {male: he, male: she}", "'male' stands twice"),
        ("- [he, she]", "must be keys with values"),
    ],
)
def test_bad_pairs_are_named_with_their_line(write, pair, said):
    path = write("- {male: boy, female: girl}\n" + pair + "\n")
    with pytest.raises(InputError) as caught:
        load_gender_pairs(path)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(f"{path}:6: ")
    assert said in caught.value.problems[0]


def test_a_list_is_validated_unless_it_says_otherwise(tmp_path):
    path = tmp_path / "pairs.yaml"
    pairs = "pairs:\n- {male: he, female: she}\n"
    path.write_text(HEAD.replace("pairs:\n", pairs), encoding="utf-8")
    assert (load_gender_pairs(path).validated, load_gender_pairs(path).note) == (True, "")
    said = HEAD.replace("pairs:\n", "validated: false\nnote: leaves out him\n" + pairs)
    path.write_text(said, encoding="utf-8")
    terms = load_gender_pairs(path)
    assert (terms.validated, terms.note) == (False, "leaves out him")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("validated: perhaps", "validated must be"),
        ("validated: 1", "validated is 1"),
        ("note: ' '", "note is blank"),
        ("note: 12", "note is 12 without quotes"),
        ("notes: x", "allowed: name, language, citation, validated, note, pairs"),
    ],
)
def test_odd_heads_are_refused(tmp_path, line, said):
    path = tmp_path / "pairs.yaml"
    path.write_text(line + "\n" + HEAD + "- {male: he, female: she}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_gender_pairs(path)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(f"{path}:1: ")
    assert said in caught.value.problems[0]


@pytest.mark.parametrize(
    ("language", "male"),
    [
        ("tr", ("imparator", "ağabeyı", "oğlan")),
        ("az", ("imparator", "ağabeyı", "oğlan")),
        ("en", ("i\u0307mparator", "ağabeyi", "oğlan")),
    ],
)
def test_turkish_letters_are_lowered_as_in_turkish(tmp_path, language, male):
    path = tmp_path / "pairs.yaml"
    pairs = [*zip(("İmparator", "AĞABEYI", "OĞLAN"), "xyz", strict=True)]
    rows = "".join(f"- {{male: {one}, female: {other}}}\n" for one, other in pairs)
    text = HEAD.replace("language: en", f"language: {language}") + rows
    path.write_text(text, encoding="utf-8")
    assert load_gender_pairs(path).male == male


def test_dotted_and_dotless_i_are_two_letters_in_turkish(tmp_path):
    path = tmp_path / "pairs.yaml"
    text = HEAD + "- {male: KIR, female: kir}\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is a female term here and a male one"):
        load_gender_pairs(path)
    path.write_text(text.replace("language: en", "language: tr"), encoding="utf-8")
    terms = load_gender_pairs(path)
    assert (terms.male, terms.female) == (("kır",), ("kir",))
    text = text.replace("language: en", "language: tr").replace("kir", "kır")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is a female term here and a male one"):
        load_gender_pairs(path)


def test_digest_does_not_see_the_note(write):
    path = write("- {male: he, female: she}\n")
    before = load_gender_pairs(path)
    text = path.read_text(encoding="utf-8")
    path.write_text("validated: false\nnote: reworded\n" + text, encoding="utf-8")
    after = load_gender_pairs(path)
    assert before == after
    assert digest(before) == digest(after)


def test_digest_sees_terms_and_nothing_else(write):
    one = digest(
        load_gender_pairs(write("- {male: he, female: she}\n- {male: his, female: her}\n"))
    )
    same = "# a comment\n- {female: her, male: his, note: x}\n- {male: He, female: she}\n"
    assert digest(load_gender_pairs(write(same))) == one
    swapped = "- {male: her, female: his}\n- {male: he, female: she}\n"
    assert digest(load_gender_pairs(write(swapped))) != one
