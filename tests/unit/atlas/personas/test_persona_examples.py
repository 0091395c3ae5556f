"""Cards of single personas: which are shown, what they say, and that they are only text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasatlas.atlas import persona_examples
from biasatlas.atlas.persona_examples import example_cards, lead_form
from biasatlas.atlas.topic_marks import TopicLinks
from biasatlas.tables import empty_table

Make = Callable[..., dict[str, pd.DataFrame]]
NO_LINKS = TopicLinks({"topics": empty_table("topics")})


def placed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(place=frame["region"])


def chosen(*prompts: str) -> dict[str, Any]:
    return {"settings": {"personas": {"prompts": list(prompts)}}}


def test_first_run_of_every_topic_and_of_one_neutral_topic(make_personas: Make) -> None:
    frame = placed(make_personas(prompts=("paper", "told"))["personas"])
    frame["reason"] = ""
    # Whatever order the rows have.
    mixed = frame.sample(frac=1, random_state=2).sort_values("place", kind="stable")
    html = str(example_cards(mixed, chosen("told", "paper"), NO_LINKS))
    said = re.findall(r'<p class="counts">(\w+), smollm2, form (\w+), run (\d)</p>', html)
    # Six topics of pairs, and a neutral one in each of five regions.
    assert len(said) == 11
    assert {(form, run) for _, form, run in said} == {("told", "1")}
    assert [place for place, _, _ in said].count("europe") == 5
    assert html.count("neutral topic") - 1 == 5
    assert html.count("everyday life</b>") == 5


def test_a_reply_of_each_reason_is_shown(make_personas: Make) -> None:
    frame = placed(make_personas(models=("alpha", "beta"))["personas"])
    html = str(example_cards(frame, chosen("paper"), NO_LINKS))
    last = html[html.index("Replies without a gender") :]
    there = frame[frame["reason"] != ""].groupby("model")["reason"].nunique().sum()
    assert last.count('class="card persona"') == there
    for reason in set(frame["reason"]) - {""}:
        assert persona_examples.REASONS[reason] in last


def test_marks_of_a_reply(make_personas: Make) -> None:
    frame = placed(make_personas()["personas"]).head(1)
    whole = frame.assign(contradicted=False, finish="stop")
    assert 'class="mark"' not in example_cards(whole, {}, NO_LINKS)
    cut = frame.assign(contradicted=True, finish="length", reply="x" * 1_000, length=2_345)
    html = example_cards(cut, {}, NO_LINKS)
    assert html.count('class="mark"') == 3
    assert "the first 1,000 of 2,345 characters" in html
    assert "x" * 1_000 in html
    empty = frame.assign(reply="", length=0, gender="undecided", gender_by="", reason="empty")
    assert "(empty)" in example_cards(empty, {}, NO_LINKS)


def test_many_replies_are_cut_and_counted(make_personas: Make) -> None:
    frame = placed(make_personas(models=tuple("abcdefgh"), source="paper")["personas"])
    frame["reason"] = ""
    html = str(example_cards(frame, {}, NO_LINKS))
    # Ten topics and a neutral one by eight models in each of five regions.
    assert html.count("the first 40 of 88 replies") == 5
    assert html.count('class="card persona"') == 200


@pytest.mark.parametrize(
    ("configured", "lead"), [(["told", "paper"], "told"), (["mine"], "paper"), ([], "paper")]
)
def test_lead_form_is_the_first_configured(
    make_personas: Make, configured: list[str], lead: str
) -> None:
    frame = make_personas(prompts=("paper", "told"))["personas"]
    assert lead_form(frame, configured) == lead


HOSTILE = st.sampled_from(
    ["</script><img src=x onerror=alert(1)>", "<b>", "&lt;", '"><svg onload=x>', "{{ 7*7 }}", "]]>"]
)


@settings(max_examples=25)
@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_nothing_of_a_reply_becomes_markup(
    make_personas: Make, reply: str, name: str, label: str, model: str
) -> None:
    from markupsafe import escape

    frame = placed(make_personas()["personas"]).head(1)
    plain = str(example_cards(frame.assign(reason=""), {}, NO_LINKS))
    hostile = frame.assign(reply=reply, name=name, label=label, model=model, reason="")
    html = str(example_cards(hostile, {}, NO_LINKS))
    assert re.findall(r"<[^>]*>", html) == re.findall(r"<[^>]*>", plain)
    for text in (reply, name, label, model):
        assert str(escape(text)) in html
