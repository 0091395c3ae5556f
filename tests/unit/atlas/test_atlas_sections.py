"""What each section says of the made-up run."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd
import pytest

from biasatlas.atlas import (
    common_topics,
    corpus,
    differences,
    evaluation,
    gender,
    languages,
    overview,
    pairs,
    personas,
    provenance,
    topic_cards,
    topic_forest,
    topics,
    weat,
)
from biasatlas.atlas.page import SECTIONS

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("module", SECTIONS)
def test_every_section_stands_without_rows(
    module: Any, empty_tables: Tables, make_info: MakeInfo
) -> None:
    made = module.section(empty_tables, make_info(warnings=[], assets=[], settings={}, commands=[]))
    if module in (differences, topic_cards, common_topics, languages, personas):
        assert made is None
        return
    assert made.title
    assert made.anchor
    assert made.finding.endswith(".")
    assert all(figure.chart is None for figure in made.figures)


@pytest.mark.parametrize("module", [m for m in SECTIONS if m not in (languages, personas)])
def test_findings_are_one_plain_text(module: Any, tables: Tables, make_info: MakeInfo) -> None:
    finding = module.section(tables, make_info()).finding
    assert finding.endswith(".")
    assert "nan" not in finding
    assert "None" not in finding


@pytest.mark.parametrize("module", SECTIONS)
def test_order_of_rows_does_not_matter(module: Any, tables: Tables, make_info: MakeInfo) -> None:
    from biasatlas.tables import TABLES

    def ordered(frames: Tables) -> Tables:
        return {name: f.sort_values(list(TABLES[name].key)) for name, f in frames.items()}

    shuffled = {name: frame.sample(frac=1, random_state=3) for name, frame in tables.items()}
    first = module.section(ordered(tables), make_info())
    second = module.section(ordered(shuffled), make_info())
    assert first == second


def test_overview_counts_what_can_be_relied_on(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["weat"]
    chosen = (
        (frame["region"] == "asia") & (frame["test"] == "WEAT6") & (frame["model"] == "word2vec")
    )
    frame.loc[frame["test"].isin(["WEAT6", "WEAT7", "WEAT8"]), "q_value"] = 0.5
    frame.loc[chosen, ["q_value", "effect_size"]] = [0.01, 1.2]
    frame.loc[chosen, ["effect_low", "effect_high"]] = [0.4, 1.6]
    frame.loc[chosen, ["null_high", "null_p_two_sided"]] = [0.9, 0.01]
    finding = overview.section(tables, make_info()).finding
    assert finding.startswith("1 of 30 gender scores")
    assert "(WEAT6 in Asia on word2vec); it lies beyond what random word sets" in finding
    assert "4 topic pairs in 2 of 5 regions (Asia and Europe)" in finding
    assert "6 stand on vectors that fail the control" in finding
    frame.loc[chosen & (frame["seed"] == 0), "null_high"] = 1.3
    finding = overview.section(tables, make_info()).finding
    assert "it does not lie beyond what random word sets" in finding
    frame.loc[chosen & (frame["seed"] == 0), "control"] = "failed"
    assert overview.section(tables, make_info()).finding.startswith("None of 30 gender scores")


def test_overview_marks_doubtful_cells(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["weat"]
    cell = (
        (frame["region"] == "africa") & (frame["test"] == "WEAT6") & (frame["model"] == "word2vec")
    )
    frame.loc[cell, "effect_size"] = [-0.1, 0.4, 0.6]
    frame.loc[cell, "q_value"] = 0.9
    table = overview.section(tables, make_info()).figures[0].table
    assert table is not None
    assert list(table.headers)[1:3] == ["Africa", "Asia"]
    assert table.headers[-1] == "Pretrained (reference)"
    row = next(row for row in table.rows if row[0].startswith("WEAT6"))
    assert row[1] == "0.30, sd 0.36, q > 0.10 · interval holds 0 · sign flips · in null band"
    oceania = next(row for row in table.rows if row[0].startswith("WEAT2"))[5]
    assert oceania == "refused"


def test_a_cell_is_unmarked_only_where_its_vectors_pass_the_control(
    tables: Tables, make_info: MakeInfo
) -> None:
    frame = tables["weat"]
    rows = (frame["region"] == "asia") & (frame["test"] == "WEAT6") & (frame["model"] == "alc")
    frame.loc[rows, ["q_value", "effect_size", "effect_low", "effect_high"]] = [0.01, 1.2, 0.4, 1.6]
    frame.loc[rows, ["null_p_two_sided", "status"]] = [0.01, "ok"]

    def cell() -> str:
        table = overview.section(tables, make_info()).figures[0].table
        assert table is not None
        row = next(row for row in table.rows if row[0].startswith("WEAT6"))
        return str(row[table.headers.index("Asia")])

    tables["weat"] = frame[frame["model"] != "word2vec"]
    assert cell() == "1.20, sd 0.00"
    alc = tables["alc"]
    tables["alc"] = alc.assign(text_q=0.2)
    assert cell() == "1.20, sd 0.00, pretrained?"
    assert "an à la carte score that may come from the pretrained vectors" in (
        overview.section(tables, make_info()).finding
    )
    tables["alc"] = alc
    tables["weat"]["control"] = "none"
    assert cell() == "1.20, sd 0.00, no control"
    tables["weat"]["control"] = "failed"
    assert cell() == "1.20, sd 0.00, control failed"


def test_corpus_says_what_was_kept_and_dropped(tables: Tables, make_info: MakeInfo) -> None:
    made = corpus.section(tables, make_info())
    frame = tables["corpus"]
    kept = frame[(frame["item"] == "kept") & (frame["corpus"] == "discovery")]
    passages = kept.loc[kept["unit"] == "passage", "n"].sum()
    assert f"The discovery corpus keeps {passages:,} passages" in made.finding
    assert "(487 documents dropped: no country 450, duplicate 37)" in made.finding
    assert made.title == "Corpus: news about a region"
    assert any("NA" in row for row in made.figures[0].table.rows)  # type: ignore[union-attr]
    documents = frame[(frame["item"] == "kept") & (frame["corpus"] == "evaluation")]
    documents = documents.loc[documents["unit"] == "document", "n"].sum()
    assert made.notes[-1] == (
        "How the documents of the evaluation corpus got their region: "
        f"country of the speaker ({documents:,})."
    )


def test_documents_left_to_other_regions_are_no_loss(tables: Tables, make_info: MakeInfo) -> None:
    before = corpus.section(tables, make_info())
    frame = tables["corpus"]
    left = frame[(frame["item"] == "read")].assign(item="dropped_other_region", region="asia")
    prepared = frame[(frame["item"] == "read")].assign(item="kept", n=8513)
    more = pd.concat([frame, left, prepared], ignore_index=True)
    after = corpus.section({**tables, "corpus": more}, make_info())
    assert after.finding == before.finding
    assert [f.chart for f in after.figures] == [f.chart for f in before.figures]
    table = after.figures[1].table
    assert table is not None
    assert table.rows[0][0] == "Before regions"
    total = dict(zip(table.headers, table.rows[-1], strict=True))
    assert total["dropped other region (documents)"] == total["read (documents)"] == ""


def test_countries_beyond_the_third_are_one_segment(tables: Tables, make_info: MakeInfo) -> None:
    figure = corpus.section(tables, make_info()).figures[0]
    assert figure.chart is not None
    assert figure.table is not None
    asia = [r for r in figure.chart["data"]["values"] if r["place"] == "Asia"]
    assert [r["country"] for r in asia][3:] == ["2 other countries"]
    assert sum(r["share"] for r in asia) == pytest.approx(1)
    assert len([row for row in figure.table.rows if row[0] == "Asia"]) == 5


def test_gender_names_the_thin_regions(tables: Tables, make_info: MakeInfo) -> None:
    finding = gender.section(tables, make_info()).finding
    assert finding.startswith("Of the gendered passages, 15% (Africa) to 39% (Oceania) are female")
    assert "Africa (53 female passages) and Oceania (14 female passages) are thin" in finding


def test_topics_are_sorted_told_apart_and_outliers_counted(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = topics.section(tables, make_info())
    assert [figure.title for figure in made.figures][:6] == [
        "Map: Asia", "Map: Europe", "Map: North America", "Asia", "Europe", "North America",
    ]  # fmt: skip
    europe = made.figures[4]
    values = europe.chart["data"]["values"]  # type: ignore[index]
    odds = [value["log_odds"] for value in values]
    assert odds == sorted(odds, reverse=True)
    labels = [value["full"] for value in values]
    assert "football league (#2)" in labels
    assert "football league (#3)" in labels
    assert len(set(labels)) == len(labels)
    frame = tables["topics"][tables["topics"]["region"] == "europe"]
    share = frame.loc[frame["topic"] == -1, "n_passages"].sum() / frame["n_passages"].sum()
    assert f"{100 * share:.0f}% of the" in europe.caption
    assert "1 without log odds: only in the table" in made.figures[5].caption
    assert "Africa and Oceania have no topics" in made.finding
    assert any("Oceania (36 gendered passages" in note for note in made.notes)


def test_many_topics_are_cut_to_the_strongest(tables: Tables, make_info: MakeInfo) -> None:
    one = tables["topics"].iloc[[1]]
    many = pd.concat([one.assign(topic=i, log_odds=i / 100, gender="none") for i in range(90)])
    made = topics.section({**tables, "topics": many}, make_info())
    figure = next(figure for figure in made.figures if figure.title == "Asia")
    values = figure.chart["data"]["values"]  # type: ignore[index]
    assert len(values) == topic_forest.SHOWN
    assert min(value["log_odds"] for value in values) == 0.5
    assert len({value["label"] for value in values}) == len(values)
    assert "The 40 that lean most are drawn; all are in the table." in figure.caption


def test_pairs_stand_beside_chance_and_reasons(tables: Tables, make_info: MakeInfo) -> None:
    made = pairs.section(tables, make_info())
    assert "4 topic pairs in Asia and Europe; none in Africa, North America and Oceania" in (
        made.finding
    )
    assert "4 candidates pass where topics with genders dealt at random give 3.4" in made.finding
    assert "<strong>North America</strong>: no significant male topic" in made.cards
    assert "family planning" in made.cards
    assert "trade talks" in made.cards


def test_weat_lists_refused_tests_with_their_reason(tables: Tables, make_info: MakeInfo) -> None:
    made = weat.section(tables, make_info())
    assert "2 were refused" in made.finding
    assert (
        "the positive control passes on pretrained vectors, so lists and code work" in made.finding
    )
    assert (
        "it passes on 8 of 10 sets of the regions' own vectors (not on word2vec of Oceania and "
        "à la carte of Oceania)"
    ) in made.finding
    refused = made.figures[-1].table
    assert refused is not None
    assert ["WEAT2", "Oceania", "word2vec", "no word of X has a vector", 3] in refused.rows
    titles = [figure.title[:5] for figure in made.figures[:3]]
    assert titles == ["WEAT6", "WEAT7", "WEAT8"]


def test_a_test_refused_everywhere_has_no_empty_chart(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["weat"]
    frame.loc[frame["test"] == "WEAT2", ["effect_size", "p_value", "q_value"]] = nan
    frame.loc[frame["test"] == "WEAT2", ["status", "note"]] = ["refused", "X equals Y"]
    made = weat.section(tables, make_info())
    figure = next(figure for figure in made.figures if figure.title.startswith("WEAT2"))
    assert figure.chart is None
    assert "Refused: Africa, Asia, Europe, North America, Oceania and" in figure.caption


def test_evaluation_compares_own_vectors_only(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["evaluation"]
    made = evaluation.section(tables, make_info())
    assert "of 20 with Reddit" in made.finding
    assert "of 25 with Reddit" in made.finding
    foreign = frame[(frame["origin"] == "published") & (frame["region"] == "asia")]
    moved = pd.concat([frame, foreign.assign(region="europe")], ignore_index=True)
    again = evaluation.section({**tables, "evaluation": moved}, make_info())
    assert again.finding == made.finding


def test_evaluation_counts_signs(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["evaluation"]
    glove = (frame["origin"] == "published") & (frame["model"] == "glove")
    frame.loc[glove, "effect_size"] = frame.loc[glove, "published_reddit"]
    finding = evaluation.section(tables, make_info()).finding
    assert "agree in sign 25 of 25 with Reddit (rank correlation 1.00 [1.00, 1.00])" in finding


def test_provenance_shows_settings_and_assets(tables: Tables, make_info: MakeInfo) -> None:
    made = provenance.section(tables, make_info())
    settings, assets, lists, commands = (figure.table for figure in made.figures)
    assert settings is not None
    assert assets is not None
    assert lists is not None
    assert lists.summary == "1 error and 2 warnings in 2 files"
    assert lists.rows[0][0] == "word_lists/weat/en/WEAT2.yaml:3"
    assert commands is not None
    assert ["topics.min_cluster_size", "10"] in settings.rows
    assert ["seeds", "0, 1"] in settings.rows
    assert "0123456789abcdef" * 4 in assets.html()
    assert "snakemake --cores 8" in commands.html()


def test_topics_by_the_papers_rule_are_not_called_significant(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = topics.section(tables, make_info(settings={"topics": {"alignment": "paper"}}))
    assert "by the paper's rule, which is no test" in made.finding
    assert not any("are significant at" in note for note in made.notes)
    strict = topics.section(tables, make_info(settings={"topics": {"fdr": 0.05}}))
    assert "false discovery rate of 0.05 over all regions" in strict.finding


def test_hashes_of_many_files_are_folded(tables: Tables, make_info: MakeInfo) -> None:
    many = {"name": "m", "source": "pypi:m==1/<m>", "sha256": {"a": "1", "b": "2", "<c>": "3"}}
    few = {"name": "f", "sha256": {"": "4"}}
    made = provenance.section(tables, make_info(assets=[many, few]))
    html = made.figures[1].table.html()  # type: ignore[union-attr]
    assert "<summary>3 files</summary>" in html
    assert "&lt;c&gt;: 3" in html
    assert "pypi:m==1/&lt;m&gt;" in html
    assert '<code class="hash">4</code>' in html


def test_intervals_beyond_the_axis_are_said_to_be_cut(tables: Tables, make_info: MakeInfo) -> None:
    frame = tables["topics"]
    assert "are cut" not in topics.section(tables, make_info()).figures[3].caption
    frame.loc[(frame["region"] == "asia") & (frame["topic"] == 6), "log_odds_low"] = -12.0
    made = topics.section(tables, make_info())
    assert "are cut" in made.figures[3].caption
    assert "are cut" not in made.figures[4].caption
