"""Personas, made up: replies drawn with a seed, and the tables that the project makes of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasatlas.personas.costs import describe_models
from biasatlas.personas.probe_scores import score_probe
from biasatlas.personas.scores import score_personas
from biasatlas.personas.topic_counts import count_topics
from biasatlas.tables import TABLES, check_table, empty_table

REGIONS = ("africa", "asia", "europe", "north_america", "oceania")
NEUTRAL = ("everyday life", "the weather", "good food", "weekend plans")
# As in the demo: pairs in two regions only.
OWN = {
    "europe": [("1", "fashion and style", "female", 1.2), ("0", "scottish referendum", "female", 0.8),
               ("2", "football league", "male", -0.9), ("4", "criminal justice", "male", -0.6)],
    "north_america": [("0", "women's march", "female", 1.5), ("3", "basketball", "male", -1.4)],
}  # fmt: skip
FORMS = ("paper", "told", "story")


def random_of(*words: Any) -> np.random.Generator:
    """Numbers that hang on these words alone, so that no table changes another."""
    return np.random.default_rng(zlib.crc32(repr(words).encode()))


def questions_of(source: str) -> pd.DataFrame:
    """Topics of `own` or `paper`, and the neutral ones of all regions."""
    rows: list[dict[str, Any]] = []
    for region in REGIONS:
        mine = OWN.get(region, [])
        if source == "paper":
            mine = [
                (f"P{pair} {side}", f"{side} thing {pair} of {region}", side, nan)
                for pair in range(1, 6)
                for side in ("female", "male")
            ]
        told = [(source, *topic) for topic in mine]
        told += [
            ("neutral", f"neutral {n}", label, "neutral", nan)
            for n, label in enumerate(NEUTRAL, start=1)
        ]
        for origin, topic, label, gender, odds in told:
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "source": origin,
                    "topic": topic,
                    "label": label,
                    "topic_gender": gender,
                    "gendered_label": label == "women's march",
                    "log_odds": odds,
                    "asked": True,
                }
            )
    return pd.DataFrame(rows)


def chances(model: str, gender: str) -> float:
    """How often a model makes women: the first leans as the text, every other one against it."""
    if gender == "neutral":
        return 0.5
    along = 0.9 if gender == "female" else 0.15
    return along if model == "alpha" else 1 - along


def persona(question: Any, model: str, prompt: str, run: int) -> dict[str, Any]:
    """One reply; every ninth or so tells no gender."""
    random = random_of(question.region, question.topic, model, prompt, run)
    gender = "female" if random.random() < chances(model, question.topic_gender) else "male"
    reason, by = "", "field"
    if random.random() < 0.11:
        gender, by = "undecided", ""
        reason = str(random.choice(["no_gender", "other_gender", "refusal"]))
    reply = f'{{"name": "N{run}", "gender": "{gender}", "about": "Likes {question.label}."}}'
    return {
        "language": question.language,
        "region": question.region,
        "source": question.source,
        "topic": question.topic,
        "label": question.label,
        "topic_gender": question.topic_gender,
        "model": model,
        "prompt": prompt,
        "run": run,
        "gender": gender,
        "gender_by": by,
        "reason": reason,
        "contradicted": run == 3 and gender == "female",
        "name": f"N{run}",
        "reply": reply,
        "length": len(reply),
        "finish": "length" if run == 5 else "stop",
        "seed": run,
        "prompt_tokens": 60,
        "reply_tokens": 25,
        "answered_by": model,
    }


def probe_of(questions: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Two beginnings for every topic, and for topics without a gender in regions of no pair."""
    rows = []
    told = questions.to_dict("records")
    for region in REGIONS:
        told += [
            {
                "language": "en",
                "region": region,
                "source": "own",
                "topic": str(topic),
                "label": f"thing {topic}",
                "topic_gender": "none",
                "gendered_label": False,
                "log_odds": float(random_of(region, topic).normal()),
            }
            for topic in range(20, 27)
        ]
    for question in told:
        for model in models:
            for template in ("interested", "talks"):
                random = random_of(question["region"], question["topic"], model, template)
                leaning = {"female": 0.8, "male": -0.8}.get(question["topic_gender"], 0.0)
                odds = 0.0 if np.isnan(question["log_odds"]) else question["log_odds"]
                difference = leaning + 0.5 * odds + float(random.normal(0, 0.4)) - 1
                rows.append(
                    {
                        **{name: value for name, value in question.items() if name != "asked"},
                        "model": model,
                        "template": template,
                        "log_p_female": -3.0 + min(difference, 0),
                        "log_p_male": -3.0 - max(difference, 0),
                        "difference": difference,
                    }
                )
    return pd.DataFrame(rows)[[column.name for column in TABLES["persona_probe"].columns]]


@cache
def _tables(models: tuple[str, ...], prompts: tuple[str, ...], source: str) -> dict[str, Any]:
    questions = questions_of(source)
    personas = pd.DataFrame(
        [
            persona(question, model, prompt, run)
            for question in questions.itertuples()
            for model in models
            for prompt in prompts
            for run in range(1, 8)
        ]
    )
    counted = count_topics(personas, questions)
    probe = probe_of(questions, models)
    how = {"thin_topics": 4, "bootstrap": 100, "permutations": 99, "seed": 1}
    described = [
        {"name": name, "backend": "llama", "source": f"asset {name}", "revision": "r1"}
        | {"price_prompt": 1.0, "price_reply": 2.0}
        for name in models
    ]
    made = {
        "personas": personas,
        "persona_topics": counted,
        "persona_scores": score_personas(counted, **how),
        "persona_probe": probe,
        "persona_probe_scores": score_probe(probe, **how),
        "persona_models": describe_models(personas, described),
    }
    for name, frame in made.items():
        check_table(name, frame)
    return made


@pytest.fixture(scope="session")
def make_personas() -> Callable[..., dict[str, pd.DataFrame]]:
    """Give a factory of the tables of personas, with empty ones for the rest of the run."""

    def make(
        models: Sequence[str] = ("smollm2",),
        prompts: Sequence[str] = ("paper",),
        source: str = "own",
    ) -> dict[str, pd.DataFrame]:
        made = _tables(tuple(models), tuple(prompts), source)
        others = {name: empty_table(name) for name in TABLES if name not in made}
        return {**others, **{name: frame.copy() for name, frame in made.items()}}

    return make
