"""A small run, made up: regions with and without topics, thin and refused tests."""

from __future__ import annotations

import itertools
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


SCORED = tuple(
    column.name
    for column in TABLES["weat"].columns
    if column.kind == "number" and not column.name.startswith("coverage")
)


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
                "bolukbasi52",
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
        "coverage_terms": m / 8,
        "coverage_names": n / 8,
        "case": "as_is",
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
        "coherence": 0.4,
        "label_low": -1.0,
        "label_high": 1.0,
        "null_low": -0.8,
        "null_median": 0.05,
        "null_high": 0.9,
        "null_percentile": 0.5 + d / 4,
        "null_p": float(1 / (1 + np.exp(3 * d))),
        "null_p_two_sided": float(np.exp(-2 * abs(d))),
        "null_n": 500,
        "null_coherence": 0.38,
        "control": "passed",
        "status": "ok" if n > 5 else "thin",
        "note": "" if n > 5 else "under 80% of the words",
    }
    row.update(given)
    if row["status"] == "refused":
        row |= dict.fromkeys(SCORED, nan) | {"method": "", "null_n": 0}
    return row


def weat_table(models: tuple[str, ...] = ("word2vec", "alc"), seeds: int = 3) -> pd.DataFrame:
    """Every test on every region and seed; Oceania fails the control and refuses WEAT 2."""
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
                        control="failed" if region == "oceania" else "passed",
                    )
                    if region == "oceania" and row["status"] == "ok":
                        row |= {"status": "thin", "note": "4 of 8 words of X"}
                    if row["status"] == "refused":
                        row |= {"n_x": 0, "note": "no word of X has a vector"}
                    rows.append({"language": "en", "region": region, **row})
    return pd.DataFrame(rows)[[c.name for c in TABLES["weat"].columns]]


def refitted(topic: int, stable: bool) -> dict[str, Any]:
    """How far a topic comes again; topic 0 of each region parts when gender terms are shown."""
    if topic < 0:
        names = ("jaccard_seed", "jaccard_order", "jaccard_bootstrap", "recovered", "same_gender")
        return dict.fromkeys((*names, "jaccard_masking"), nan) | {"stability": "unknown"}
    return {
        "jaccard_seed": 0.8 if stable else 0.3,
        "jaccard_order": 0.9 if stable else 0.4,
        "jaccard_bootstrap": 0.6 if stable else 0.2,
        "recovered": 0.7 if stable else 0.1,
        "same_gender": 0.65 if stable else 0.05,
        "jaccard_masking": 0.2 if topic == 0 else 0.8,
        "stability": "stable" if stable else "unstable",
    }


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
            stable = topic not in (1, 4)
            rows.append(
                {
                    **refitted(topic, stable),
                    "label_by": "phrase" if topic >= 0 else "",
                    "label_phrase": label,
                    "label_second": "a second name" if topic == 0 else "",
                    "label_note": "",
                    "n_moved": 3 if topic == 2 else 0,
                    "c_v": 0.5 if topic >= 0 else nan,
                    "map_x": (topic % 3) / 2 if topic >= 0 else nan,
                    "map_y": topic / len(topics) if topic >= 0 else nan,
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
                    "p_needed": 0.02 if scored else nan,
                    "q_value": 0.004 if gender != "none" and scored else (0.4 if scored else nan),
                    "gender": gender if scored else "none",
                    "u_mass": -1.5 - topic / 10 if topic >= 0 else nan,
                    "top_document_share": 0.1,
                    "top_name": "park" if label == "park impeachment" else "",
                    "top_name_share": 0.6 if label == "park impeachment" else 0.0,
                    "flags": "one name"
                    if label in ("park impeachment", "royal wedding", "migrant crisis")
                    else "",
                }
            )
    return pd.DataFrame(rows)[[c.name for c in TABLES["topics"].columns]]


SUPPORT = ("support", "support_low", "support_high", "support_tested")


def pairs_table() -> pd.DataFrame:
    """Pairs in Asia and Europe; none elsewhere, with the reason; by the gap one pair in Asia."""
    reasons = {
        "africa": "41 gendered passages left after the cap (50 are needed)",
        "north_america": "no significant male topic",
        "oceania": "36 gendered passages (50 are needed)",
    }
    common = {
        "language": "en",
        "passes_gap": False,
        "selection": "matching",
        "primary": True,
        "note": "",
    }
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
                    "chance_low": 0.0,
                    "chance_high": 4.0,
                    "support": 0.6 if rank == 1 else 0.2,
                    "support_low": 0.39 if rank == 1 else 0.08,
                    "support_high": 0.78 if rank == 1 else 0.42,
                    "n_draws": 20,
                    "support_tested": 0.1,
                    "support_topics": 0.7,
                }
            )
    for region, reason in reasons.items():
        row: dict[str, Any] = dict.fromkeys(
            ("female_label", "male_label", "female_words", "male_words"), ""
        )
        row |= dict.fromkeys(
            ("female_log_odds", "male_log_odds", "female_u_mass", "male_u_mass", "gap_same"), nan
        )
        row |= dict.fromkeys(("gap_cross", "chance_passing", "chance_low", "chance_high"), nan)
        row |= dict.fromkeys((*SUPPORT, "support_topics"), nan)
        row |= {"n_draws": 20}
        row |= {"rank": 0, "female_topic": -1, "male_topic": -1, "n_candidates": 0, "n_passing": 0}
        rows.append({**common, **row, "region": region, "gap_threshold": 0.01, "note": reason})
    # Of these only the topics can be followed.
    gap = {"selection": "gap", "primary": False, **dict.fromkeys(SUPPORT, nan)}
    for row in rows[::2]:
        first = row["rank"] == 1 and row["region"] == "asia"
        unpaired = dict.fromkeys(("female_label", "male_label", "female_words", "male_words"), "")
        unpaired |= {"rank": 0, "female_topic": -1, "male_topic": -1, "note": "no pair passes"}
        unpaired |= {"support_topics": nan}
        rows.append({**row, **gap, **({} if first else unpaired), "n_passing": int(first)})
    return pd.DataFrame(rows)[[c.name for c in TABLES["pairs"].columns]]


def evaluation_table() -> pd.DataFrame:
    """Found pairs on their region's vectors, and five published pairs a region."""
    random = np.random.default_rng(4)
    rows = []
    sides = {"x": "female topic", "y": "male topic", "a": "Female terms", "b": "Male terms"}
    nothing = {"published_reddit": nan, "published_ungdc": nan}
    for row in pairs_table().to_dict("records"):
        for seed in range(3 if row["rank"] and row["primary"] else 0):
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


def in_order(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Give rows as the frame of a table, sorted by its key."""
    frame = pd.DataFrame(rows)[[c.name for c in TABLES[name].columns]]
    return frame.sort_values(list(TABLES[name].key), ignore_index=True)


def words_table(weat: pd.DataFrame) -> pd.DataFrame:
    """Four words of each set behind every score; the first target drives it."""
    random = np.random.default_rng(5)
    rows = []
    for score in weat[weat["effect_size"].notna()].to_dict("records"):
        keys = {
            name: score[name] for name in ("language", "region", "corpus", "model", "seed", "test")
        }
        for side in "xyab":
            for place in range(4):
                rows.append(
                    {
                        **keys,
                        "set": side,
                        "word": f"{side}{place}",
                        "kind": "name" if side in "xy" else "term",
                        "score": float(random.normal(0, 0.1)),
                        "influence": -0.5 if (side, place) == ("x", 0) else 0.01 * place,
                        "control": score["control"],
                    }
                )
    return in_order("words", rows)


def coverage_table(weat: pd.DataFrame) -> pd.DataFrame:
    """Four of five words of each set found; names on the targets."""
    rows = []
    for score in weat.to_dict("records"):
        keys = {
            name: score[name] for name in ("language", "region", "corpus", "model", "seed", "test")
        }
        for side in "xyab":
            refused = score["status"] == "refused"
            rows.append(
                {
                    **keys,
                    "set": side,
                    "name": score[side],
                    "kind": "name" if side in "xy" else "term",
                    "asked": 6,
                    "distinct": 5,
                    "found": 0 if refused else 4,
                    "share": 0.0 if refused else 0.8,
                    "missing": "X0; x1; x2; x3; absent" if refused and side == "x" else "absent",
                }
            )
    return in_order("coverage", rows)


def alc_table(weat: pd.DataFrame) -> pd.DataFrame:
    """Interval over documents of every score on alc; text parts of the gender tests."""
    rows = []
    mine = weat[(weat["model"] == "alc") & (weat["seed"] == 0)]
    for score in mine.to_dict("records"):
        d = score["effect_size"]
        gender = score["test"] in ("WEAT6", "WEAT7", "WEAT8")
        part = 0.3 if gender else nan
        rows.append(
            {
                **{
                    name: score[name]
                    for name in ("language", "region", "corpus", "test", "status", "note")
                },
                "origin": "weat",
                "effect_size": d,
                "documents_low": d - 0.15,
                "documents_high": d + 0.1,
                "documents_sd": 0.06,
                "n_documents": 900,
                "replicates": 1000,
                "swapped": d - 2 * part,
                "swapped_low": d - 2 * part - 0.3,
                "swapped_high": d - 2 * part + 0.3,
                "text_part": part,
                "text_low": part - (0.1 if score["region"] == "asia" else 0.5),
                "text_high": part + 0.2,
                "text_p": 0.01 if gender else nan,
                "text_q": 0.02 if gender and score["status"] == "ok" else nan,
                "control": score["control"],
            }
        )
    return in_order("alc", rows)


def differences_table(weat: pd.DataFrame) -> pd.DataFrame:
    """Every pair of regions on alc; Asia and Europe differ on WEAT6."""
    rows = []
    mine = weat[(weat["model"] == "alc") & (weat["seed"] == 0)].set_index(["region", "test"])
    for test in TESTS:
        for one, other in itertools.combinations(REGIONS, 2):
            first, second = mine.loc[(one, test)], mine.loc[(other, test)]
            status = next(
                (s for s in ("refused", "thin") if s in (first["status"], second["status"])), "ok"
            )
            scored = status != "refused"
            gap = first["effect_size"] - second["effect_size"]
            q = 0.02 if (one, other, test) == ("asia", "europe", "WEAT6") else 0.6
            q = q if status == "ok" else nan
            rows.append(
                {
                    "language": "en",
                    "corpus": "discovery",
                    "model": "alc",
                    "test": test,
                    "region_1": one,
                    "region_2": other,
                    "effect_1": first["effect_size"],
                    "effect_2": second["effect_size"],
                    "difference": gap,
                    "low": gap - 0.2,
                    "high": gap + 0.2,
                    "p_value": 0.01 if scored else nan,
                    "p_min": 0.001 if scored else nan,
                    "permutations": 999,
                    "q_value": q,
                    "p_holm": q,
                    "control": "failed" if "oceania" in (one, other) else "passed",
                    "status": status,
                    "note": "" if scored else "no d in Oceania",
                }
            )
    return in_order("differences", rows)


def stability_table() -> pd.DataFrame:
    """Regions differ on alc in WEAT6 only; WEAT2 cannot tell."""
    rows = []
    for test, model in itertools.product(TESTS, ("alc", "word2vec")):
        noisy = model == "word2vec"
        verdict = "exceeds" if (test, noisy) == ("WEAT6", False) else "within"
        known = test != "WEAT2"
        rows.append(
            {
                "language": "en",
                "corpus": "discovery",
                "model": model,
                "test": test,
                "regions": 5 if known else 1,
                "seeds": 3 if noisy else 1,
                "resampled": 3 if noisy else 1000,
                "var_region": 0.04 if known else nan,
                "var_seed": (0.09 if noisy else 0.0) if known else nan,
                "var_documents": 0.01 if known else nan,
                "var_words": 0.05,
                "noise_sd": (0.3 if noisy else 0.1) if known else nan,
                "f_statistic": 4.0 if known else nan,
                "p_value": 0.03 if known else nan,
                "q_value": (0.05 if verdict == "exceeds" else 0.4) if known else nan,
                "p_holm": 0.3 if known else nan,
                "verdict": verdict if known else "unknown",
                "status": "ok" if known else "refused",
                "note": "" if known else "one region only",
            }
        )
    return in_order("stability", rows)


def companions_table(weat: pd.DataFrame) -> pd.DataFrame:
    """RIPA agrees with every d, PMI of the text with none, MAC has no direction."""
    rows = []
    keys = ["language", "region", "corpus", "model", "seed", "test"]
    common = {"n_words": 16, "status": "ok", "note": ""}
    for score in weat[weat["effect_size"].notna()].to_dict("records"):
        for measure, value, neutral in (
            ("ripa", score["effect_size"] / 50, 0.0),
            ("mac", 0.8, 1.0),
        ):
            ends = {"value": value, "low": value - 0.1, "high": value + 0.1}
            mine = {name: score[name] for name in [*keys, "control"]}
            rows.append({**mine, **common, **ends, "measure": measure, "neutral": neutral})
    for (region, test), part in weat[weat["region"] != "pretrained"].groupby(["region", "test"]):
        means = part.groupby("model")["effect_size"].mean()
        same = bool((means > 0).all() or (means < 0).all())
        value = 0.5 if means.isna().any() else (-float(np.sign(means.iloc[0])) if same else 0.0)
        mine = {"language": "en", "region": region, "corpus": "discovery", "model": "corpus"}
        mine["control"] = "none"
        ends = {"value": value, "low": value - 0.1, "high": value + 0.1}
        rows.append(
            {**mine, **common, **ends, "seed": -1, "test": test, "measure": "pmi", "neutral": 0.0}
        )
    return in_order("companions", rows)


def word_lists_table() -> pd.DataFrame:
    """Two warnings and an error in two files."""
    rows = [
        ("word_lists/weat/en/WEAT1.yaml", 9, "targets.x.words", "aster", "stands there twice", "warning"),
        ("word_lists/weat/en/WEAT1.yaml", 12, "targets.x.words", "rose ", "ends in a space", "warning"),
        ("word_lists/weat/en/WEAT2.yaml", 3, "targets.y.words", "nan", "is no word", "error"),
    ]  # fmt: skip
    names = [c.name for c in TABLES["word_lists"].columns]
    return in_order("word_lists", [dict(zip(names, row, strict=True)) for row in rows])


def candidates_table() -> pd.DataFrame:
    """Two female and two male topics in Asia and Europe; the pairs of the run are chosen."""
    rows = []
    for region, last in (("asia", 6), ("europe", 5)):
        for female, male in itertools.product((0, 1), (last, last - 1)):
            chosen = (female, male) in ((0, last), (1, last - 1))
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "female_topic": female,
                    "male_topic": male,
                    "gap_same": 0.06,
                    "gap_cross": 0.008,
                    "weight": 1.5 - female * 0.4 + male * 0.1,
                    "support": 0.6 if chosen else 0.1,
                    "support_tested": 0.65,
                    "chosen": chosen,
                }
            )
    return in_order("pair_candidates", rows)


def thresholds_table() -> pd.DataFrame:
    """Asia passes more than chance at the widest threshold; Africa has no candidate."""
    rows = []
    for region, rule in itertools.product(("africa", "asia", "europe"), ("either", "both", "same")):
        for place, threshold in enumerate((0.005, 0.01, 0.05)):
            empty = region == "africa"
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "rule": rule,
                    "threshold": threshold,
                    "n_candidates": 0 if empty else 12,
                    "n_passing": 0 if empty else (8 if region == "asia" and place == 2 else place),
                    "chance_passing": nan if empty else place + 0.2,
                    "chance_low": nan if empty else 0.0,
                    "chance_high": nan if empty else place + 2.0,
                }
            )
    return in_order("pair_thresholds", rows)


def topic_stability_table() -> pd.DataFrame:
    """Every kind of change in the three regions with topics."""
    ari = {"seed": 0.6, "order": 0.65, "bootstrap": 0.45, "masking": 0.7}
    rows = []
    for region, topics in TOPICS.items():
        for kind, value in ari.items():
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "kind": kind,
                    "n_replicates": 1 if kind == "masking" else 5,
                    "n_topics": len(topics),
                    "n_stable": len(topics) - 1,
                    "topics_mean": len(topics) + 0.4,
                    "outlier_share": 0.31,
                    "outlier_share_mean": 0.35,
                    "ari_mean": value,
                    "ari_min": value - 0.1,
                    "ari_max": value + 0.1,
                    "ari_clustered": value + 0.2,
                    "n_lost": 1,
                }
            )
    return in_order("topic_stability", rows)


def examples_table() -> pd.DataFrame:
    """Two passages of every topic."""
    rows = []
    for region, topics in TOPICS.items():
        for topic, (label, words) in enumerate(topics):
            for rank in (1, 2):
                rows.append(
                    {
                        "language": "en",
                        "region": region,
                        "topic": topic,
                        "rank": rank,
                        "id": f"{region}-{topic}#{rank}",
                        "document": f"{region}-{topic}",
                        "country": "GBR" if region == "europe" else "",
                        "gender": ("female", "male")[rank - 1],
                        "text": f"A passage about {label} that holds {words.replace(';', '')} …",
                    }
                )
    return in_order("topic_examples", rows)


def hierarchy_table() -> pd.DataFrame:
    """Topics join one by one: the first two, then the third and so on."""
    rows = []
    for region, topics in TOPICS.items():
        left = 0
        for right in range(1, len(topics)):
            node = len(topics) + right - 1
            rows.append(
                {
                    "language": "en",
                    "region": region,
                    "node": node,
                    "left": left,
                    "right": right,
                    "distance": 0.2 * right,
                    "n_topics": right + 1,
                    "topics": "; ".join(str(topic) for topic in range(right + 1)),
                    "words": topics[right][1],
                }
            )
            left = node
    return in_order("topic_hierarchy", rows)


def ngrams_table() -> pd.DataFrame:
    """Three words and two phrases of every topic."""
    rows = []
    for region, topics in TOPICS.items():
        for topic, (_, text) in enumerate(topics):
            words = text.split("; ")
            grams = [(1, word) for word in words[:3]]
            grams += [(2, f"{words[0]} {words[1]}"), (2, f"{words[2]} {words[3]}")]
            for place, (n, gram) in enumerate(grams):
                rows.append(
                    {
                        "language": "en",
                        "region": region,
                        "topic": topic,
                        "n": n,
                        "rank": place + 1 if n == 1 else place - 2,
                        "ngram": gram,
                        "count": 40 - 5 * place,
                        "n_passages": 20 - place,
                        "share": 0.5 - 0.05 * place,
                    }
                )
    return in_order("ngrams", rows)


def common_topics_table() -> pd.DataFrame:
    """One common topic of each kind: women's news differs, security agrees, films cannot tell."""
    groups = [
        ("different_gender", [("asia", 0, "female"), ("europe", 5, "male"), ("north_america", 0, "female")]),
        ("same_gender", [("asia", 6, "male"), ("europe", 4, "male")]),
        ("undecided", [("asia", 3, "none"), ("north_america", 1, "none")]),
    ]  # fmt: skip
    rows = []
    for group, (kind, members) in enumerate(groups, start=1):
        for region, topic, gender in members:
            label, words = TOPICS[region][topic]
            rows.append(
                {
                    "language": "en",
                    "group": group,
                    "region": region,
                    "topic": topic,
                    "label": label,
                    "gender": gender,
                    "gender_paper": "female",
                    "kind": kind,
                    "kind_paper": "same_gender",
                    "similarity_mean": 0.8 - 0.01 * topic,
                    "similarity_min": 0.7 - 0.01 * topic,
                    "matched_by": "embedding" if group == 1 else "label",
                    "unigrams": words,
                    "bigrams": "; ".join(f"{word} news" for word in words.split("; ")[:4]),
                }
            )
    return in_order("common_topics", rows)


def common_chance_table() -> pd.DataFrame:
    """One common topic of each kind, as many as chance gives."""
    rows = []
    for rule, kind in itertools.product(
        ("tested", "paper"), ("same_gender", "different_gender", "undecided")
    ):
        rows.append(
            {
                "language": "en",
                "rule": rule,
                "kind": kind,
                "n_groups": 1 if rule == "tested" else 3 * (kind == "same_gender"),
                "expected": 1.1,
                "expected_low": 0.0,
                "expected_high": 3.0,
            }
        )
    return in_order("common_chance", rows)


@pytest.fixture
def tables(made_tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give all tables of the made-up run, to each test its own."""
    return {name: frame.copy() for name, frame in made_tables.items()}


@pytest.fixture(scope="session")
def made_tables() -> dict[str, pd.DataFrame]:
    """Make them once; who uses these must leave them as they are."""
    weat = weat_table()
    return {
        "corpus": corpus_table(),
        "gender": gender_table(),
        "word_lists": word_lists_table(),
        "weat": weat,
        "words": words_table(weat),
        "coverage": coverage_table(weat),
        "stability": stability_table(),
        "alc": alc_table(weat),
        "differences": differences_table(weat),
        "companions": companions_table(weat),
        "topics": topics_table(),
        "topic_stability": topic_stability_table(),
        "topic_examples": examples_table(),
        "topic_hierarchy": hierarchy_table(),
        "ngrams": ngrams_table(),
        "common_topics": common_topics_table(),
        "common_chance": common_chance_table(),
        "pairs": pairs_table(),
        "pair_candidates": candidates_table(),
        "pair_thresholds": thresholds_table(),
        "evaluation": evaluation_table(),
    }


@pytest.fixture
def empty_tables() -> dict[str, pd.DataFrame]:
    """Give all tables without rows."""
    return {name: empty_table(name) for name in TABLES}


@pytest.fixture(scope="session")
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
