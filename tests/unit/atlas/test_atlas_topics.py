"""Topics: marks, map, tree, cards and what regions share."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from math import nan
from typing import Any

import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from scipy.cluster.hierarchy import leaves_list, linkage

from biasatlas.atlas import build_page, common_topics, overview, topic_cards, topics
from biasatlas.atlas.parts import Figure, Section
from biasatlas.atlas.topic_hierarchy import leaf_order, tree_lines
from biasatlas.atlas.topic_map import HEIGHT, WIDTH, place_names
from biasatlas.atlas.topic_marks import (
    Reading,
    TopicLinks,
    marks_of,
    reading_of,
    short_name,
    stability_text,
)
from biasatlas.tables import empty_table

Tables = dict[str, pd.DataFrame]
MakeInfo = Callable[..., dict[str, Any]]
MASKED = {"topics": {"mask_gender_terms": True}}
STRANGE = "<script>ignore all instructions</script> \"quoted' שלום 漢字 " + "long " * 60


def figure_of(made: Section, start: str) -> Figure:
    return next(f for f in made.figures if (f.title or f.fold).startswith(start))


def values_of(figure: Figure) -> list[dict[str, Any]]:
    assert figure.chart is not None
    values: list[dict[str, Any]] = figure.chart["data"]["values"]
    return values


def reading(**changes: Any) -> Reading:
    given = {"level": 0.1, "tested": True, "masked": True, "several": False}
    return Reading(**{**given, **changes})


def row(**changes: Any) -> dict[str, Any]:
    given = {"flags": "", "stability": "stable", "jaccard_masking": nan}
    figures = {"jaccard_seed": 0.8, "recovered": 0.7, "same_gender": 0.65}
    return {**given, **figures, **changes}


def test_marks_tell_each_doubt_once() -> None:
    marks = marks_of(row(), reading())
    assert (marks.flags, marks.unstable, marks.changes, marks.sign) == ((), False, "", "")
    marks = marks_of(row(flags="one name: X; unstable", jaccard_masking=0.49), reading())
    assert marks.flags == ("one name: X",)
    assert marks.unstable
    assert marks.sign == "†‡"
    assert marks.texts == ["one name: X", "unstable", "changes when gender terms are shown"]
    marks = marks_of(
        row(flags="only found with gender terms hidden", jaccard_masking=0.1), reading()
    )
    assert marks.texts == ["only found with gender terms hidden"]
    assert marks.sign == "‡"


@pytest.mark.parametrize(("overlap", "changes"), [(0.5, False), (0.4999, True), (nan, False)])
def test_half_of_the_passages_is_the_same_topic(overlap: float, changes: bool) -> None:
    assert bool(marks_of(row(jaccard_masking=overlap), reading()).changes) is changes


def test_what_another_seed_changes_as_well_says_nothing_of_gender_terms() -> None:
    assert not marks_of(row(jaccard_masking=0.1, jaccard_seed=0.49), reading()).changes
    assert marks_of(row(jaccard_masking=0.1, jaccard_seed=0.5), reading()).changes
    assert marks_of(row(jaccard_masking=0.1, jaccard_seed=nan), reading()).changes


def test_the_other_view_is_named_by_the_setting(tables: Tables, make_info: MakeInfo) -> None:
    said = {}
    for masked in (True, False, None):
        settings = {"topics": {"mask_gender_terms": masked}}
        said[masked] = reading_of(tables, make_info(settings=settings)).changes
    assert said == {
        True: "changes when gender terms are shown",
        False: "changes when gender terms are hidden",
        None: "changes when gender terms are shown or hidden",
    }


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short", "short"),
        ("two long words", "two …"),
        ("unbrokenname", "unbroken…"),
        ("性別による話題の地図", "性別による話題の…"),
    ],
)
def test_names_are_cut_between_words_where_there_are_any(text: str, cut: str) -> None:
    assert short_name(text, 9) == cut


def test_stability_in_words() -> None:
    assert stability_text(row()) == (
        "stable: comes again in 70% of document draws, in 65% leaning the same way"
    )
    assert stability_text(row(stability="unknown")) == "not measured"
    assert stability_text(row(stability="unstable", recovered=nan)) == "unstable"


def test_finding_counts_what_can_be_trusted(tables: Tables, make_info: MakeInfo) -> None:
    made = topics.section(tables, make_info(settings=MASKED))
    frame = tables["topics"]
    found = frame[(frame["topic"] >= 0) & (frame["gender"] != "none")]
    stable = (found["stability"] == "stable").sum()
    changed = (found["jaccard_masking"] < 0.5).sum()
    flagged = (found["flags"] != "").sum()
    assert 0 < stable < len(found)
    assert (
        f"of the {len(found)} that lean, {stable} are stable over seeds and document draws, "
        f"{changed} change when gender terms are shown and {flagged} carr"
    ) in made.finding
    shares = [
        part.loc[part["topic"] == -1, "n_passages"].sum() / part["n_passages"].sum()
        for _, part in frame.groupby("region")
    ]
    assert (
        f"{100 * min(shares):.0f}% to {100 * max(shares):.0f}% of a region's gendered passages are in no topic"
        in made.finding
    )
    tables["topics"]["stability"] = "unknown"
    tables["topics"]["jaccard_masking"] = nan
    finding = topics.section(tables, make_info()).finding
    assert "whether they would come again was not measured" in finding
    assert "gender terms" not in finding
    assert "hollow" not in topics.section(tables, make_info()).cards


def test_forest_draws_unstable_topics_hollow_and_marks_flags(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = topics.section(tables, make_info(settings=MASKED))
    values = values_of(figure_of(made, "Asia"))
    labels = {value["full"]: value for value in values}
    assert labels["royal wedding"]["label"] == "royal wedding †"
    assert labels["royal wedding"]["hollow"]
    assert labels["family planning"]["label"] == "family planning ‡"
    assert not labels["family planning"]["hollow"]
    assert labels["film festival"]["label"] == "film festival"
    chart = figure_of(made, "Asia").chart
    assert chart is not None
    looks = {
        layer["transform"][0]["filter"]: layer["mark"]["filled"]
        for layer in chart["layer"]
        if "transform" in layer
    }
    assert looks == {"!datum.hollow": True, "datum.hollow": False}


def test_map_has_every_topic_sized_by_passages(tables: Tables, make_info: MakeInfo) -> None:
    made = topics.section(tables, make_info())
    values = values_of(figure_of(made, "Map: Europe"))
    frame = tables["topics"]
    mine = frame[(frame["region"] == "europe") & (frame["topic"] >= 0)]
    assert {value["card"] for value in values} == {f"europe/{t}" for t in mine["topic"]}
    by_key = {value["card"]: value for value in values}
    most = frame.loc[frame["topic"] >= 0, "n_passages"].max()
    for topic in mine.to_dict("records"):
        value = by_key[f"europe/{topic['topic']}"]
        assert value["area"] == pytest.approx(max(40, 1100 * topic["n_passages"] / most), abs=0.06)
        assert value["leans"] == (topic["gender"] != "none")
    areas = [value["area"] for value in values]
    assert areas == sorted(areas, reverse=True)
    tables["topics"][["map_x", "map_y"]] = nan
    assert not any(f.title.startswith("Map") for f in topics.section(tables, make_info()).figures)


point = st.fixed_dictionaries(
    {
        "x": st.floats(20, WIDTH - 20),
        "y": st.floats(20, HEIGHT - 20),
        "radius": st.floats(3, 18),
        "name": st.text("abcdefgh", min_size=1, max_size=24),
        "leans": st.booleans(),
    }
)


@drawn(st.lists(point, max_size=25))
def test_names_on_the_map_never_cover_each_other(points: list[dict[str, Any]]) -> None:
    place_names(points)
    boxes = []
    for p in points:
        if p["name"]:
            # Letters as wide as the module takes them for, less its margin of 4 pixels.
            width = (7.0 if p["leans"] else 5.9) * len(p["name"])
            shift = {"left": 0.0, "right": width, "center": width / 2}[p["align"]]
            left, middle = p["x"] + p["name_x"] - shift, p["y"] + p["name_y"]
            assert left >= -0.1
            assert left + width <= WIDTH + 0.1
            boxes.append((left, middle - 6.9, left + width, middle + 6.9))
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart


def test_a_lone_topic_always_has_its_name() -> None:
    lone = {"x": 5.0, "y": 5.0, "radius": 4.0, "name": "corner", "leans": False}
    place_names([lone])
    assert (lone["name"], lone["align"]) == ("corner", "left")


def merges_of(tree: Any, n: int) -> list[dict[str, Any]]:
    return [
        {
            "node": n + place,
            "left": int(left),
            "right": int(right),
            "distance": float(distance),
            "n_topics": int(size),
            "words": "w",
        }
        for place, (left, right, distance, size) in enumerate(tree)
    ]


@drawn(st.lists(st.floats(0, 100), min_size=2, max_size=20, unique=True), st.randoms())
def test_leaves_stand_as_in_scipy_and_branches_do_not_cross(
    values: list[float], random: Any
) -> None:
    tree = linkage([[value] for value in values], "average")
    merges = merges_of(tree, len(values))
    random.shuffle(merges)
    order = leaf_order(merges, list(range(len(values))))
    assert order == leaves_list(tree).tolist()
    lines, joints = tree_lines(merges, order)
    assert len(joints) == len(values) - 1
    assert len(lines) == 3 * len(joints)
    # A branch never leaves the range of its own leaves, so no two of them cross.
    upright = [line for line in lines if line["x"] == line["x2"] and line["y"] != line["y2"]]
    for line in upright:
        assert 0 <= min(line["y"], line["y2"]) <= max(line["y"], line["y2"]) <= len(values) - 1
    assert max(joint["x"] for joint in joints) == pytest.approx(tree[:, 2].max())


def test_topics_in_no_merge_come_last() -> None:
    merges = [{"node": 9, "left": 5, "right": 2, "distance": 1.0, "n_topics": 2, "words": ""}]
    assert leaf_order(merges, [2, 3, 5]) == [5, 2, 3]
    assert leaf_order([], [4]) == [4]
    lost = [{"node": 9, "left": 5, "right": 77, "distance": 1.0, "n_topics": 2, "words": ""}]
    assert tree_lines(lost, [5]) == ([], [])


def test_trees_of_regions_with_less_than_two_topics_are_left_out(
    tables: Tables, make_info: MakeInfo
) -> None:
    def folds() -> list[str]:
        return [f.fold for f in topics.section(tables, make_info()).figures if f.fold]

    assert folds() == [f"Tree of topics: {name}" for name in ("Asia", "Europe", "North America")]
    frame = tables["topics"]
    tables["topics"] = frame[(frame["region"] != "europe") | (frame["topic"] <= 0)]
    assert folds() == [f"Tree of topics: {name}" for name in ("Asia", "North America")]


def test_region_stability_is_shown(tables: Tables, make_info: MakeInfo) -> None:
    made = topics.section(tables, make_info())
    table = figure_of(made, "Would the same topics").table
    assert table is not None
    assert table.rows[0] == ["Asia", "31%", "7", "6", "0.60", "0.65", "0.45", "0.70"]
    frame = tables["topic_stability"]
    tables["topic_stability"] = frame[frame["kind"] == "seed"]
    table = figure_of(topics.section(tables, make_info()), "Would the same topics").table
    assert table is not None
    assert table.rows[0] == ["Asia", "31%", "7", "6", "0.60", "–", "–", "–"]


def test_cards_put_leaning_topics_first_and_fold_the_rest(
    tables: Tables, make_info: MakeInfo
) -> None:
    made = topic_cards.section(tables, make_info(settings=MASKED))
    assert made is not None
    asia = str(made.cards).partition("Asia <span")[2].partition('<div class="topic-place"')[0]
    leaning, _, rest = asia.partition('<details class="topic-rest">')
    frame = tables["topics"]
    mine = frame[(frame["region"] == "asia") & (frame["topic"] >= 0)]
    found = re.findall(r'id="topic=asia/(\d+)"', leaning)
    odds = mine.set_index("topic")["log_odds"].abs()
    wanted = mine[mine["gender"] != "none"].sort_values("log_odds", key=abs, ascending=False)
    assert [odds[int(t)] for t in found] == wanted["log_odds"].abs().tolist()
    others = mine[mine["gender"] == "none"]["topic"]
    assert set(re.findall(r'id="topic=asia/(\d+)"', rest)) == {str(topic) for topic in others}
    card = leaning.partition('id="topic=asia/0"')[2].partition('id="topic=')[0]
    for text in (
        "comes again in 70% of document draws, in 65% leaning the same way",
        "p_F 0.700, p_M 0.650: female",
        "u_mass −1.50, c_v 0.50",
        "a second labeller gives “a second name”",
        "changes when gender terms are shown",
        "2 example passages",
        "A passage about family planning",
        "family children",
        "q 0.004",
    ):
        assert text in card
    assert "moved in from no topic" in str(made.cards)


def test_cards_of_very_many_topics_leave_out_passages_of_those_that_do_not_lean(
    tables: Tables, make_info: MakeInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_cards, "FULL", 3)
    made = topic_cards.section(tables, make_info())
    assert made is not None
    frame = tables["topics"]
    leaning = int(((frame["topic"] >= 0) & (frame["gender"] != "none")).sum())
    assert str(made.cards).count("2 example passages") == leaning
    assert any("leave out passages" in note for note in made.notes)


@pytest.mark.parametrize("name", ["topic_examples", "ngrams"])
def test_cards_stand_without_passages_or_ngrams(
    name: str, tables: Tables, make_info: MakeInfo
) -> None:
    whole = topic_cards.section(tables, make_info())
    tables[name] = empty_table(name)
    made = topic_cards.section(tables, make_info())
    assert whole is not None
    assert made is not None
    assert len(made.cards) < len(whole.cards)
    assert str(made.cards).count('<details class="topic ') == 17


def test_strange_text_stays_text_in_cards(tables: Tables, make_info: MakeInfo) -> None:
    tables["topics"][["label", "words", "flags", "label_second"]] = STRANGE
    tables["topic_examples"]["text"] = STRANGE
    tables["ngrams"]["ngram"] = STRANGE + tables["ngrams"]["rank"].astype(str)
    tables["common_topics"][["label", "unigrams", "bigrams"]] = STRANGE
    for module in (topic_cards, common_topics):
        made = module.section(tables, make_info())  # type: ignore[attr-defined]
        assert "<script" not in made.cards
        assert "&lt;script&gt;ignore all instructions" in made.cards
        assert "\"quoted'" not in made.cards
        assert 'dir="auto"' in made.cards
    labels = [
        value["label"]
        for value in values_of(figure_of(topics.section(tables, make_info()), "Asia"))
    ]
    assert len(set(labels)) == len(labels) == 7
    assert max(len(label) for label in labels) < 50


def test_links_lead_only_to_cards_that_are_there(tables: Tables) -> None:
    links = TopicLinks(tables)
    assert links.link("en", "asia", 0, "<b>") == (
        '<a href="#topic=asia/0" dir="auto">&lt;b&gt;</a>'
    )
    assert links.link("en", "asia", 99, "<b>") == "&lt;b&gt;"
    assert links.link("en", "asia", -1, "none") == "none"
    other = tables["topics"].assign(language="de")
    tables["topics"] = pd.concat([tables["topics"], other], ignore_index=True)
    assert TopicLinks(tables).key("de", "asia", 0) == "de/asia/0"


def test_two_languages_keep_their_topics_apart(tables: Tables, make_info: MakeInfo) -> None:
    for name in ("topics", "topic_examples", "ngrams", "topic_hierarchy"):
        tables[name] = pd.concat(
            [tables[name], tables[name].assign(language="de")], ignore_index=True
        )
    html = build_page(tables, make_info())
    ids = re.findall(r'id="(topic=[^"]+)"', html)
    assert len(ids) == len(set(ids)) == 34
    assert "Tree of topics: Asia · de" in html


def test_common_topics_by_kind_beside_chance(tables: Tables, make_info: MakeInfo) -> None:
    made = common_topics.section(tables, make_info())
    assert made is not None
    assert made.finding == (
        "3 topics are shared by regions: 1 has one gender wherever a gender was found (chance "
        "alone gives 1.1, from 0 to 3), 1 has different genders (chance alone gives 1.1, from 0 to "
        "3) and 1 cannot be told, as fewer than two of their topics lean."
    )
    html = str(made.cards)
    same, _, rest = html.partition("Different gender across regions")
    different, _, undecided = rest.partition('<details class="commons">')
    assert "trade talks" in same
    assert "family planning" in different
    assert different.count('class="member ') == 3
    assert "by the paper's rule: same gender".replace("'", "&#39;") in different
    assert "film festival" in undecided
    assert "#topic=europe/5" in different
    del tables["common_chance"]
    made = common_topics.section(tables, make_info())
    assert made is not None
    assert "chance" not in made.finding


def test_no_common_topic_is_said(tables: Tables, make_info: MakeInfo) -> None:
    tables["common_topics"] = empty_table("common_topics")
    made = common_topics.section(tables, make_info())
    assert made is not None
    assert made.finding.startswith("No topic of one region is alike enough")
    tables["common_chance"] = empty_table("common_chance")
    assert common_topics.section(tables, make_info()) is None


def test_overview_counts_stable_topics_and_primary_pairs(
    tables: Tables, make_info: MakeInfo
) -> None:
    frame = tables["topics"]
    stable = int(((frame["gender"] != "none") & (frame["stability"] == "stable")).sum())
    cards = str(overview.section(tables, make_info()).cards)
    assert f"<dt>of these stable</dt><dd>{stable}</dd>" in cards
    assert "<dt>topic pairs</dt><dd>4</dd>" in cards
    tables["pairs"] = tables["pairs"].assign(primary=~tables["pairs"]["primary"].astype(bool))
    made = overview.section(tables, make_info())
    assert "<dt>topic pairs</dt><dd>1</dd>" in str(made.cards)
    assert "the paper's gap makes 1 topic pair in 1 of 4 regions (Asia)" in made.finding
