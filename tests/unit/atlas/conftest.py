"""A small run, made up: regions with and without topics, thin and refused tests."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasatlas.tables import TABLES, empty_table

REGIONS = {
    "africa": "Africa",
    "asia": "Asia",
    "europe": "Europe",
    "north_america": "North America",
    "oceania": "Oceania",
}
TESTS = {
    "WEAT1": ("Flowers and insects, pleasant and unpleasant", "Flowers", "Insects", "Pleasant", "Unpleasant"),
    "WEAT2": ("Instruments and weapons, pleasant and unpleasant", "Instruments", "Weapons", "Pleasant", "Unpleasant"),
    "WEAT6": ("Male and female names, career and family", "Male names", "Female names", "Career", "Family"),
    "WEAT7": ("Mathematics and arts, male and female terms", "Mathematics", "Arts", "Male terms", "Female terms"),
    "WEAT8": ("Science and arts, male and female terms", "Science", "Arts", "Male terms", "Female terms"),
    "WEAT10": ("Young and old people's names, pleasant and unpleasant", "Young names", "Old names", "Pleasant", "Unpleasant"),
}  # fmt: skip
TOPICS = {
    "asia": [
        ("family planning", "family; children; mother; birth; parents; hospital; care; baby; health; women"),
        ("royal wedding", "princess; wedding; royal; prince; couple; palace; bride; ceremony; dress; guests"),
        ("park impeachment", "park; president; impeachment; court; seoul; choi; scandal; prosecutors; samsung; protest"),
        ("film festival", "film; actor; director; festival; award; cinema; movie; role; star; screen"),
        ("cricket series", "cricket; test; series; wicket; captain; match; innings; runs; batsman; bowler"),
        ("border security", "military; border; missile; defence; korea; troops; navy; security; army; sea"),
        ("trade talks", "trade; tariff; export; economy; growth; market; bank; investment; rate; deal"),
    ],
    "europe": [
        ("scottish referendum", "scotland; referendum; sturgeon; independence; vote; minister; snp; party; may; brexit"),
        ("fashion and style", "fashion; style; dress; designer; collection; model; show; brand; look; week"),
        ("football league", "league; goal; match; club; season; striker; manager; cup; score; player"),
        ("football league", "champions; madrid; barcelona; final; draw; leg; penalty; uefa; coach; stadium"),
        ("criminal justice system and the murder investigations of regional police forces", "police; murder; court; trial; jury; officer; arrest; prison; crime; judge"),
        ("migrant crisis", "migrants; refugees; border; asylum; camp; eu; germany; greece; boats; rescue"),
    ],
    "north_america": [
        ("women's march", "women; march; protest; rights; rally; washington; crowd; movement; signs; trump"),
        ("health care", "health; care; insurance; bill; coverage; congress; plan; medicaid; act; senate"),
        ("travel ban", "ban; order; judge; travel; court; executive; immigration; visa; refugees; muslim"),
        ("basketball", "nba; game; points; team; season; coach; warriors; play; league; star"),
    ],
}  # fmt: skip


def corpus_table() -> pd.DataFrame:
    """Documents and passages of two corpora, with a country in Namibia's code."""
    random = np.random.default_rng(1)
    countries = {
        "africa": ["NA", "NGA", "ZAF"],
        "asia": ["CHN", "IND", "KOR", "SYR", "PHL"],
        "europe": ["GBR", "DEU", "FRA", "RUS"],
        "north_america": ["USA", "CAN"],
        "oceania": ["AUS", "NZL"],
    }
    rows = []
    for corpus in ("discovery", "evaluation"):
        rule = "most mentioned country" if corpus == "discovery" else "country of the speaker"
        for region, codes in countries.items():
            for country in codes:
                n = int(random.integers(20, 900))
                common = (corpus, "en", region, country, "")
                rows += [
                    (*common, "kept", "document", n, rule),
                    (*common, "kept", "passage", 3 * n, rule),
                    (*common, "kept", "word", 300 * n, rule),
                ]
            rows.append((corpus, "en", region, "", "", "not_sampled", "passage", 40, rule))
        rows += [
            (corpus, "en", "", "", "", "read", "document", 9000, rule),
            (corpus, "en", "", "", "", "dropped_duplicate", "document", 37, rule),
            (corpus, "en", "", "", "", "dropped_no_country", "document", 450, rule),
        ]
    return pd.DataFrame(rows, columns=[c.name for c in TABLES["corpus"].columns])


def gender_table() -> pd.DataFrame:
    """Counts of each region, Oceania and Africa with a warning."""
    counts = {
        "africa": (53, 311, 60, 700),
        "asia": (389, 1925, 410, 5200),
        "europe": (745, 2665, 800, 7000),
        "north_america": (622, 2556, 700, 6400),
        "oceania": (14, 22, 5, 240),
    }
    rows = []
    for region, (female, male, both, neither) in counts.items():
        warning = ""
        if female < 100:
            warning = f"only {female} female passages (under 100)"
        rows.append(
            (
                "en",
                region,
                female + male + both + neither,
                female,
                male,
                both,
                neither,
                female / (female + male),
                min(1500, female + male),
                female // 2,
                male // 2,
                "exclude",
                warning,
            )
        )
    return pd.DataFrame(rows, columns=[c.name for c in TABLES["gender"].columns])


def association(random: np.random.Generator, **given: Any) -> dict[str, Any]:
    """One scored row of weat or evaluation, from corpus to note."""
    n, m = given.pop("sizes", (8, 8))
    d = given.pop("d", float(random.normal(0.7, 0.5)))
    d = max(-1.9, min(1.9, d))
    p_min = 1 / comb(2 * n, n)
    p = max(p_min, float(1 / (1 + np.exp(3.2 * d))))
    row: dict[str, Any] = {
        "corpus": "discovery",
        "model": "word2vec",
        "seed": 0,
        "test": "T",
        "description": "",
        "x": "X",
        "y": "Y",
        "a": "A",
        "b": "B",
        "n_x": n,
        "n_y": n,
        "n_a": m,
        "n_b": m,
        "asked_x": 8,
        "asked_y": 8,
        "asked_a": 8,
        "asked_b": 8,
        "coverage": min(n, m) / 8,
        "words_missing": "" if n == 8 else "aster; clover",
        "words_duplicate": "",
        "words_shared": "",
        "words_composed": "",
        "statistic": d / 10,
        "effect_size": d,
        "effect_low": max(-2.0, d - float(random.uniform(0.2, 0.7))),
        "effect_high": min(2.0, d + float(random.uniform(0.2, 0.7))),
        "p_value": p,
        "p_strict": max(0.0, p - p_min),
        "p_two_sided": max(p_min, min(1.0, 2 * min(p, 1 - p))),
        "p_lower": p,
        "p_upper": p,
        "p_min": p_min,
        "q_value": min(1.0, 2 * p),
        "p_holm": min(1.0, 10 * p),
        "method": "exact",
        "status": "ok" if n > 5 else "thin",
        "note": "" if n > 5 else "under 80% of the words",
    }
    row.update(given)
    if row["status"] == "refused":
        for name in ("statistic", "effect_size", "effect_low", "effect_high", "p_value"):
            row[name] = nan
        for name in ("p_strict", "p_two_sided", "p_lower", "p_upper", "p_min", "q_value", "p_holm"):
            row[name] = nan
    return row


def weat_table(models: tuple[str, ...] = ("word2vec", "alacarte"), seeds: int = 3) -> pd.DataFrame:
    """Every test on every region and seed, with a control; Oceania refuses WEAT 2."""
    random = np.random.default_rng(2)
    rows = []
    for test, (description, x, y, a, b) in TESTS.items():
        words = {"test": test, "description": description, "x": x, "y": y, "a": a, "b": b}
        control = association(random, **words, corpus="", model="glove", seed=-1, d=1.5)
        rows.append({"language": "en", "region": "pretrained", **control})
        for number, region in enumerate(REGIONS):
            for model in models:
                for seed in range(seeds):
                    row = association(
                        random,
                        **words,
                        model=model,
                        seed=seed,
                        sizes=(4, 8) if region == "oceania" else (8, 8),
                        d=float(random.normal(0.3 * number, 0.25)),
                        status="refused" if (region, test) == ("oceania", "WEAT2") else "ok",
                    )
                    if region == "oceania" and row["status"] == "ok":
                        row |= {"status": "thin", "note": "4 of 8 words of X"}
                    if row["status"] == "refused":
                        row |= {"n_x": 0, "note": "no word of X has a vector"}
                    rows.append({"language": "en", "region": region, **row})
    return pd.DataFrame(rows)[[c.name for c in TABLES["weat"].columns]]


def topics_table() -> pd.DataFrame:
    """Topics of three regions, with outliers, one without log odds, and repeated labels."""
    random = np.random.default_rng(3)
    rows = []
    for region, topics in TOPICS.items():
        for topic, (label, words) in enumerate([("", ""), *topics], start=-1):
            n_female, n_male = int(random.integers(5, 60)), int(random.integers(20, 140))
            odds = 1.6 - 3.2 * (topic + 1) / len(topics)
            gender = "none" if abs(odds) < 0.7 else ("female" if odds > 0 else "male")
            scored = topic >= 0 and (region, topic) != ("north_america", 1)
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "topic": topic,
                    "label": label,
                    "words": words,
                    "keywords": words,
                    "n_passages": n_female + n_male,
                    "n_documents": (n_female + n_male) // 2,
                    "n_female": n_female,
                    "n_male": n_male,
                    "p_female_paper": 0.7 if topic >= 0 else nan,
                    "p_male_paper": 0.65 if topic >= 0 else nan,
                    "gender_paper": "female" if topic >= 0 else "none",
                    "log_odds": odds if scored else nan,
                    "log_odds_low": odds - 0.5 if scored else nan,
                    "log_odds_high": odds + 0.6 if scored else nan,
                    "p_value": 0.001 if scored else nan,
                    "p_min": 0.0001 if scored else nan,
                    "q_value": 0.004 if gender != "none" and scored else (0.4 if scored else nan),
                    "gender": gender if scored else "none",
                    "u_mass": -1.5 - topic / 10 if topic >= 0 else nan,
                    "top_document_share": 0.1,
                    "top_name": "park" if label == "park impeachment" else "",
                    "top_name_share": 0.6 if label == "park impeachment" else 0.0,
                    "flags": "one name" if label in ("park impeachment", "royal wedding") else "",
                }
            )
    return pd.DataFrame(rows)[[c.name for c in TABLES["topics"].columns]]


def pairs_table() -> pd.DataFrame:
    """Pairs in Asia and Europe; none elsewhere, with the reason."""
    reasons = {
        "africa": "41 gendered passages left after the cap (50 are needed)",
        "north_america": "no significant male topic",
        "oceania": "36 gendered passages (50 are needed)",
    }
    common = {"language": "en", "passes_gap": False, "selection": "matching", "note": ""}
    rows: list[dict[str, Any]] = []
    for region, topics in (("asia", TOPICS["asia"]), ("europe", TOPICS["europe"])):
        for rank in (1, 2):
            female, male = topics[rank - 1], topics[-rank]
            rows.append(
                {
                    **common,
                    "region": region,
                    "rank": rank,
                    "female_topic": rank - 1,
                    "male_topic": len(topics) - rank,
                    "female_label": female[0],
                    "male_label": male[0],
                    "female_words": female[1],
                    "male_words": male[1],
                    "female_log_odds": 1.4 / rank,
                    "male_log_odds": -1.1 / rank,
                    "female_u_mass": -1.2,
                    "male_u_mass": -2.0,
                    "gap_same": 0.06,
                    "gap_cross": 0.008,
                    "passes_gap": rank == 1,
                    "gap_threshold": 0.01,
                    "n_candidates": 6,
                    "n_passing": 2,
                    "chance_passing": 1.7,
                }
            )
    for region, reason in reasons.items():
        row: dict[str, Any] = dict.fromkeys(
            ("female_label", "male_label", "female_words", "male_words"), ""
        )
        row |= dict.fromkeys(
            ("female_log_odds", "male_log_odds", "female_u_mass", "male_u_mass", "gap_same"), nan
        )
        row |= dict.fromkeys(("gap_cross", "chance_passing"), nan)
        row |= {"rank": 0, "female_topic": -1, "male_topic": -1, "n_candidates": 0, "n_passing": 0}
        rows.append({**common, **row, "region": region, "gap_threshold": 0.01, "note": reason})
    return pd.DataFrame(rows)[[c.name for c in TABLES["pairs"].columns]]


def evaluation_table() -> pd.DataFrame:
    """Found pairs on their region's vectors, and five published pairs a region."""
    random = np.random.default_rng(4)
    rows = []
    sides = {"x": "female topic", "y": "male topic", "a": "Female terms", "b": "Male terms"}
    nothing = {"published_reddit": nan, "published_ungdc": nan}
    for row in pairs_table().to_dict("records"):
        for seed in range(3 if row["rank"] else 0):
            pair = f"{row['region']}-P{row['rank']}"
            text = f"{row['female_label']} - {row['male_label']}"
            given = {**sides, "corpus": "evaluation", "model": "fasttext", "test": pair}
            scored = association(random, **given, description=text, seed=seed)
            keys = {"origin": "found", "pair": pair, "pair_region": row["region"]}
            rows.append({**keys, "region": row["region"], "language": "en", **scored, **nothing})
    for region in REGIONS:
        for rank in range(1, 6):
            pair = f"{region}-P{rank}"
            keys = {"origin": "published", "pair": pair, "pair_region": region, "language": "en"}
            d = {"published_reddit": float(random.uniform(-0.2, 1.9))}
            d["published_ungdc"] = float(d["published_reddit"] + random.normal(0, 0.3))
            given = {**sides, "test": pair, "description": "Parenting - Sports and football"}
            glove = association(random, **given, corpus="", model="glove", seed=-1)
            rows.append({**keys, "region": "pretrained", **glove, **d})
            for seed in range(2):
                status = "refused" if rank == 5 else "ok"
                own = association(
                    random,
                    **given,
                    corpus="evaluation",
                    model="fasttext",
                    seed=seed,
                    status=status,
                    note="no word of Y has a vector" if rank == 5 else "",
                )
                rows.append({**keys, "region": region, **own, **d})
    return pd.DataFrame(rows)[[c.name for c in TABLES["evaluation"].columns]]


@pytest.fixture
def tables() -> dict[str, pd.DataFrame]:
    """Give the six tables of the made-up run."""
    return {
        "corpus": corpus_table(),
        "gender": gender_table(),
        "weat": weat_table(),
        "topics": topics_table(),
        "pairs": pairs_table(),
        "evaluation": evaluation_table(),
    }


@pytest.fixture
def empty_tables() -> dict[str, pd.DataFrame]:
    """Give six tables without rows."""
    return {name: empty_table(name) for name in TABLES}


@pytest.fixture
def make_info() -> Callable[..., dict[str, Any]]:
    """Give a factory of what the page is told beside the tables."""

    def make(**changes: Any) -> dict[str, Any]:
        info: dict[str, Any] = {
            "title": "Gender bias in news about five regions",
            "run": "demo",
            "version": "1.0.0",
            "regions": dict(REGIONS),
            "region_rule": "A document belongs to the region of the country it mentions most.",
            "corpus_phrase": "news about a region",
            "warnings": ["Oceania has 36 gendered passages: no topics."],
            "settings": {
                "topics": {"min_cluster_size": 10, "embedding": "MiniLM"},
                "seeds": [0, 1],
            },
            "assets": [
                {
                    "name": "GloVe 6B, 50 dimensions",
                    "version": "1.0.0",
                    "sha256": "0123456789abcdef" * 4,
                    "licence": "PDDL-1.0",
                    "citation": "Pennington, Socher & Manning 2014",
                    "url": "https://nlp.stanford.edu/projects/glove/",
                }
            ],
            "commands": ["snakemake --cores 8"],
        }
        return {**info, **changes}

    return make
