"""Which topics a region's language models are asked about, and how each question is drawn."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from biasatlas.language_models.asking import Question
from biasatlas.language_models.text import plain_text
from biasatlas.personas.forms import Form
from biasatlas.seeds import stable_seed

if TYPE_CHECKING:
    from biasatlas.lexicons.gender_terms import GenderTerms

logger = logging.getLogger(__name__)

COLUMNS = (
    "source",
    "topic",
    "label",
    "topic_gender",
    "gendered_label",
    "log_odds",
    "asked",
)
GENDERS = ("female", "male")
# Servers take seeds of a signed 32-bit number.
LARGEST_SEED = 2**31


def list_topics(
    topics: pd.DataFrame,
    pairs: pd.DataFrame,
    published: Sequence[tuple[str, str, str]],
    neutral: Sequence[str],
    *,
    asked: str,
    terms: GenderTerms,
) -> pd.DataFrame:
    """List the topics of a region, the run's own, the published and the neutral ones.

    Personas are made for the topics of pairs and for neutral ones; the probe takes all.

    Parameters
    ----------
    topics : DataFrame
        The region's rows of the table topics.
    pairs : DataFrame
        The region's rows of the table pairs.
    published : sequence of (str, str, str)
        Number of each published pair, label of its female and of its male topic.
    neutral : sequence of str
        Topics of which no gender is expected.
    asked : {'own', 'paper', 'both'}
        Whose pairs personas are made for.
    terms : GenderTerms
        Terms that would tell a model the gender.

    Returns
    -------
    DataFrame
        One row a topic: source, topic, label, topic_gender (female, male, none, neutral),
        gendered_label, log_odds, asked.
    """
    rows = _own_rows(topics, pairs, wanted=asked != "paper")
    rows += _published_rows(published, wanted=asked != "own")
    rows += [
        ("neutral", f"neutral {number}", label, "neutral", float("nan"), True)
        for number, label in enumerate(neutral, start=1)
    ]
    names = ["source", "topic", "label", "topic_gender", "log_odds", "asked"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(gendered_label=_tell_gender(frame["label"], terms))[list(COLUMNS)]


def _own_rows(topics: pd.DataFrame, pairs: pd.DataFrame, *, wanted: bool) -> list[tuple[Any, ...]]:
    own = pairs[pairs["primary"] & (pairs["rank"] > 0)]
    paired = {int(topic): gender for gender in GENDERS for topic in own[f"{gender}_topic"].tolist()}
    found = topics[topics["topic"] >= 0].sort_values("topic")
    columns = found[["topic", "label", "gender", "log_odds"]].to_numpy().tolist()
    return [
        ("own", str(topic), label, paired.get(topic, gender), log_odds, wanted and topic in paired)
        for topic, label, gender, log_odds in columns
    ]


def _published_rows(
    published: Sequence[tuple[str, str, str]], *, wanted: bool
) -> list[tuple[Any, ...]]:
    """Topics of the published pairs; one that stands in two pairs is one topic, and counts once."""
    known: dict[tuple[str, str], tuple[Any, ...]] = {}
    n_repeats = 0
    for number, *labels in published:
        for gender, label in zip(GENDERS, labels, strict=True):
            row = ("paper", f"{number} {gender}", label, gender, float("nan"), wanted)
            n_repeats += (
                known.setdefault((gender, " ".join(label.casefold().split())), row) is not row
            )
    if n_repeats:
        logger.info("published topics that stand in two pairs, and count once: %d", n_repeats)
    return list(known.values())


def _tell_gender(labels: pd.Series, terms: GenderTerms) -> list[bool]:
    from biasatlas.lexicons.gender_scan import scan

    # Womens' lives: the possessive of a plural, rightly written or not, is no word of the list.
    plain = labels.str.replace("’", "'")
    texts = plain + " " + plain.str.replace(r"s'(?=\W|$)", "", regex=True)
    return [bool(gender != "neither") for gender in scan(texts.tolist(), terms)["gender"]]


def draw_questions(
    topics: pd.DataFrame, forms: Sequence[Form], *, language: str, region: str, runs: int, seed: int
) -> pd.DataFrame:
    """Lay out every question of a region: form by form, topic by topic, run by run.

    Each has a seed of its own. With one seed for all topics a model begins all its replies with
    the same random numbers, and the topics are not independent.

    Parameters
    ----------
    topics : DataFrame
        From `list_topics`; only rows with `asked` count.
    forms : sequence of Form
    language, region : str
        Names, for the seeds.
    runs, seed : int
        Replies a topic and form; seed of the run.

    Returns
    -------
    DataFrame
        Columns source, topic, label, prompt, run (from 1), seed.
    """
    asked = topics.loc[topics["asked"], ["source", "topic", "label"]].to_numpy().tolist()
    rows = []
    for form in forms:
        for source, topic, label in asked:
            for run in range(1, runs + 1):
                name = f"{language}/{region}/{source}/{topic}/{form.name}/{run}"
                drawn = stable_seed(seed, name) % LARGEST_SEED
                rows.append((source, topic, label, form.name, run, drawn))
    return pd.DataFrame(rows, columns=["source", "topic", "label", "prompt", "run", "seed"])


def write_questions(drawn: pd.DataFrame, forms: Sequence[Form], region: str) -> list[Question]:
    """Put each drawn question in words.

    Parameters
    ----------
    drawn : DataFrame
        From `draw_questions`.
    forms : sequence of Form
    region : str
        The region as the model is told it. Labels and it are put in as plain text, without the
        markup of a chat that they may hold.
    """
    by_name = {form.name: form for form in forms}
    return [
        Question(
            by_name[prompt].messages(plain_text(region), plain_text(label)),
            by_name[prompt].schema,
            int(seed),
        )
        for prompt, label, seed in drawn[["prompt", "label", "seed"]].to_numpy().tolist()
    ]
