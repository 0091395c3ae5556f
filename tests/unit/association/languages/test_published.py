"""The paper's files: its figures come again, its names are ours, and faults are said."""

from __future__ import annotations

from pathlib import Path

import pytest

from biasatlas.association.languages.published import (
    METHODS,
    STRATEGIES,
    read_figures,
    read_published,
    read_published_scores,
    read_variances,
)
from biasatlas.errors import InputError

FIGURES = Path(__file__).parents[4] / "resources" / "published" / "weathub_sensitivity.yaml"
# methods.md 11, times 1e-3, over 23 languages.
MEANS = {
    "layer0_mean": 55.5,
    "layer0_first": 31.8,
    "fasttext": 21.3,
    "last_mean": 18.5,
    "all_mean": 16.5,
    "cls_phrase": 0.53,
}
HEADER = "strategy,test,target1,target2,attr1,attr2\n"


def test_the_papers_figures_come_again(shared_folder):
    frame = read_variances(shared_folder("weathub") / "published" / "variances")
    assert frame["language"].nunique() == 23
    assert (frame["n_tests"] == 6).all()
    means = frame.groupby("encoder")["rho"].mean()
    for encoder, figure in MEANS.items():
        assert 1_000 * means[encoder] == pytest.approx(figure, abs=0.05 if figure > 1 else 0.005)
    assert read_figures(FIGURES) == pytest.approx(means.to_dict(), abs=5e-7)


def test_both_names_of_the_ten_encoders_are_ours():
    assert len(set(STRATEGIES.values())) == len(STRATEGIES) == 10
    assert set(STRATEGIES.values()) == set(METHODS.values())


def test_a_file_by_hand(tmp_path):
    folder = tmp_path / "published" / "variances"
    folder.mkdir(parents=True)
    (folder / "fasttext_cosine_variances_xx.csv").write_text(
        HEADER
        + "fasttext,weat1,1,2,3,6\nfasttext,weat2,1,NaN,3,\nfasttext,weat11,9,9,9,9\n"
        + "bert_last_CLS,weat1,,,,\n"
    )
    published = read_published(tmp_path, FIGURES)
    # (3 + 2) / 2; a test outside the six, and an encoder without a number, say nothing.
    assert published.by_language == {("xx", "fasttext"): 2.5}
    assert published.means["cls_phrase"] == pytest.approx(0.526e-3, abs=1e-6)


@pytest.mark.parametrize("folder", [None, "absent"])
def test_without_the_files_the_means_are_known(tmp_path, folder):
    published = read_published(None if folder is None else tmp_path / folder, FIGURES)
    assert published.by_language == {}
    assert len(published.means) == 10
    assert read_published_scores(tmp_path).empty


def test_faults_are_said_all_at_once(tmp_path):
    folder = tmp_path / "published" / "variances"
    folder.mkdir(parents=True)
    (folder / "variances_de.csv").write_text(HEADER + "bert_9,weat1,1,x,-3,4\n")
    (folder / "variances_el.csv").write_text("strategy,test\n")
    (folder / "other.csv").write_text(HEADER)
    (folder / "variances_fr.csv").write_text("")
    with pytest.raises(InputError) as caught:
        read_published(tmp_path, FIGURES)
    text = "\n".join(caught.value.problems)
    for part in (
        "variances_de.csv:2: target2: 'x' is no number",
        "variances_de.csv:2: attr1: '-3' is no number",
        "variances_de.csv:2: strategy 'bert_9'; allowed: bert_0_sws_avg",
        "variances_el.csv: columns target1, target2, attr1, attr2 are absent",
        "other.csv: its name must end in a language",
        "variances_fr.csv: no table",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("rho: {all_mean: 0.1, bert: 0.2}", "rho.bert: no such encoder; allowed: layer0_mean"),
        ("rho: {all_mean: -1}", "rho.all_mean: -1 is no number of at least 0"),
        ("rho: {all_mean: yes}", "rho.all_mean: True is no number"),
        ("rho: {all_mean: .nan}", "rho.all_mean: nan is no number"),
        ("[1]", "key 'rho' must map encoders to numbers"),
        ("rho: [", "no YAML"),
    ],
)
def test_figures_that_are_wrong(tmp_path, content, message):
    path = tmp_path / "figures.yaml"
    path.write_text(content)
    with pytest.raises(InputError, match=r"figures\.yaml") as caught:
        read_figures(path)
    assert message in str(caught.value)
    with pytest.raises(InputError, match="there is no such file"):
        read_figures(tmp_path / "absent.yaml")


def test_published_scores_of_the_paper(shared_folder):
    table = read_published_scores(shared_folder("weathub"))
    key = ["model", "language", "variant", "encoder", "test"]
    assert not table.duplicated(key).any()
    assert len(table) == 17_085
    rows = table.set_index(key)[["published_d", "published_p"]]
    # de_results.csv of sheet1 and sheet1's fastText; valence forms keep their small letter.
    assert rows.loc[("distilbert", "de", "all", "cls_phrase", "WEAT1")].tolist() == [0.355, 0.09]
    assert rows.loc[("fasttext", "de", "new", "fasttext", "WEAT12b")].tolist() == [0.109, 0.408]
    assert rows.loc[("xlmr", "ar", "new", "last_mean", "WEAT15")].tolist() == [1.091, 0.005]
    assert set(table["variant"]) == {"gt", "human", "all", "new", "india"}


def test_scores_that_are_wrong(tmp_path):
    folder = tmp_path / "published" / "sheet1" / "xlmr"
    folder.mkdir(parents=True)
    (folder / "de_results.csv").write_text(
        "Type,DataSource,Method,weat1\nc,HT,xlmr-CLS,0.1\nc,??,xlmr-CLS,0.1 (0.2)\n"
        "c,HT,xlmr-middle,0.1 (0.2)\n"
    )
    with pytest.raises(InputError) as caught:
        read_published_scores(tmp_path)
    text = str(caught.value)
    assert "de_results.csv:2: weat1: '0.1' is not d (p)" in text
    assert "de_results.csv:3: method 'xlmr-CLS' of lists '??' is not known" in text
    assert "de_results.csv:4: method 'xlmr-middle' of lists 'HT' is not known" in text
