"""Made-up tables of many languages: tests, encoders and models with thin and refused cells."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biasatlas.tables import TABLES, check_table

LANGUAGES = ("ar", "bn", "ckb", "da", "de", "el", "es", "fa", "fr", "hi", "it", "ja", "ko", "ku", "mr", "pa", "ru", "te", "th", "tl", "tr", "ur", "vi", "zh")  # fmt: skip
LAYERS = ("layer0_mean", "layer0_first", "last_first", "last_mean", "penultimate_first", "penultimate_mean", "all_first", "all_mean", "cls_phrase")  # fmt: skip
OLD = ("WEAT1", "WEAT2", "WEAT6", "WEAT7", "WEAT8", "WEAT9")
NEW = ("WEAT11", "WEAT12", "WEAT12b", "WEAT13", "WEAT13b", "WEAT14", "WEAT15")
SETS = {
    "WEAT1": ("Flowers", "Insects", "Pleasant", "Unpleasant"),
    "WEAT7": ("Math", "Arts", "MaleTerms", "FemaleTerms"),
}


def _random(*names: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32("/".join(names).encode()))


def _fill(name: str, rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Give a table from some of its columns; the others hold what their kind allows."""
    blank = {"text": "", "integer": 0, "number": nan, "boolean": False}
    table = TABLES[name]
    frame = pd.DataFrame(
        {
            column.name: pd.Series(
                [row.get(column.name, blank[column.kind]) for row in rows],
                dtype={"text": "str", "integer": "int64", "number": "float64"}[column.kind],
            )
            for column in table.columns
        }
    )
    check_table(name, frame)
    return frame


def _score(language: str, model: str, encoder: str, space: str, variant: str, test: str) -> dict[str, Any]:  # fmt: skip
    random = _random(language, model, encoder, space, variant, test)
    x, y, a, b = SETS.get(test, (f"X{test}", f"Y{test}", f"A{test}", f"B{test}"))
    row: dict[str, Any] = {
        "language": language, "model": model, "group": "multilingual", "variant": variant,
        "encoder": encoder, "space": space, "test": test, "description": f"{x} and {y}, {a} and {b}",
        "x": x, "y": y, "a": a, "b": b, "asked_x": 8, "asked_y": 9, "asked_a": 10, "asked_b": 11,
        "n_x": 8, "n_y": 7, "n_a": 10, "n_b": 11, "case": "as_is", "method": "exact", "coverage": 0.9,
    }  # fmt: skip
    kind = random.random()
    if kind < 0.04:
        return {**row, "status": "refused", "note": "X has 1 word with a vector", "method": ""}
    d = float(np.clip(random.normal(0.5, 0.7), -1.9, 1.9))
    p = float(random.uniform(0.0005, 1))
    row.update(
        effect_size=d, effect_low=d - 0.5, effect_high=d + 0.4, p_value=p, p_two_sided=p,
        q_value=p, p_holm=p, q_two_sided=p**2, p_min=0.0001, null_percentile=float(random.random()),
        null_low=-0.8, null_high=0.9, null_n=200, words_missing="one; two", status="thin" if kind < 0.14 else "ok",
        note="3 of 8 words of X" if kind < 0.14 else "",
    )  # fmt: skip
    return row


def weathub_table(
    languages: Sequence[str],
    encoders: Sequence[str] = LAYERS,
    variants: Sequence[str] = ("gt", "human", "new"),
    model: str = "minilm",
) -> pd.DataFrame:
    """Scores of one transformer, and of GloVe-like vectors in each language."""
    rows = []
    for language in languages:
        for variant in variants:
            for test in NEW if variant == "new" else OLD:
                for space in ("raw", "standardised"):
                    rows += [_score(language, model, e, space, variant, test) for e in encoders]
                    rows.append(_score(language, "vectors", "fasttext", space, variant, test))
    return _fill("weathub", rows)


def agreement_table(weathub: pd.DataFrame) -> pd.DataFrame:
    """Agreement of encoders, counted plainly."""
    keys = ["language", "model", "group", "variant", "space", "test"]
    rows = []
    for values, part in weathub[weathub["effect_size"].notna()].groupby(keys):
        d = part["effect_size"]
        up = int((d > 0).sum())
        found = part["q_two_sided"] < 0.05
        rows.append(
            {
                **dict(zip(keys, values, strict=True)),
                "n_encoders": len(d),
                "n_positive": up,
                "share_agreeing": max(up, len(d) - up) / len(d),
                "d_median": d.median(),
                "d_low": d.min(),
                "d_high": d.max(),
                "n_significant": int(found.sum()),
                "n_significant_positive": int((found & (d > 0)).sum()),
            }
        )
    return _fill("agreement", rows)


def language_tables(
    languages: Sequence[str], variants: Sequence[str] = ("gt", "human", "new")
) -> dict[str, pd.DataFrame]:
    """All tables of languages."""
    weathub = weathub_table(languages, variants=variants)
    cell = {"model": "minilm", "group": "multilingual", "space": "raw"}
    sensitivity, translations, models, comparison, clusters, lists, forms = ([] for _ in range(7))  # type: ignore[var-annotated]
    for n, language in enumerate(languages):
        random = _random(language)
        refused = language == "te"
        models.append(
            {
                "language": language, "model": "minilm", "group": "multilingual", "kind": "layers",
                "n_words": 400, "n_read": 60 if refused else 396, "n_unknown": 340 if refused else 4,
                "pieces_per_word": 2.4, "readable": 0.15 if refused else 0.99,
                "status": "refused" if refused else "ok",
                "note": "340 of 400 words are unknown to its vocabulary" if refused else "",
            }
        )  # fmt: skip
        models.append({"language": language, "model": "vectors", "group": "monolingual", "kind": "static", "n_words": 400, "n_read": 400, "readable": 1.0, "status": "ok"})  # fmt: skip
        for encoder in LAYERS:
            rho = float(random.uniform(0.005, 0.06))
            sensitivity.append({**cell, "language": language, "variant": "human", "encoder": encoder, "rho": rho, "rho_low": rho * 0.8, "rho_high": rho * 1.2, "n_tests": 6, "published_mean": 0.0185})  # fmt: skip
            for test in OLD:
                human, machine = (float(v) for v in random.normal(0.6, 0.5, 2).clip(-1.9, 1.9))
                gap = human - machine
                translations.append({**cell, "language": language, "encoder": encoder, "test": test, "n_concepts": 40, "n_alike": 12, "d_human": human, "d_machine": machine, "difference": gap, "difference_low": gap - 0.4, "difference_high": gap + 0.3, "p_value": 0.2, "p_min": 0.001, "q_value": 0.4, "status": "ok"})  # fmt: skip
            comparison.append({**cell, "language": language, "encoder": encoder, "other_model": "vectors", "other_group": "monolingual", "n_tests": 19, "correlation": 0.4, "difference": 0.1, "absolute_difference": 0.4, "sign_agreement": 0.7, "p_value": 0.1, "q_value": 0.3})  # fmt: skip
        clusters.append({**cell, "encoder": "all_mean", "language": language, "n_tests": 13, "place": n + 1, "cluster": 1 + (n > 9), "silhouette": 0.3, "support": 0.71, "cophenetic": 0.8})  # fmt: skip
        where = {"language": language, "variant": "human", "test": "WEAT7", "file": f"{language}_human/weat7.json"}  # fmt: skip
        lists += [
            {**where, "set": "x", "problem": "nan", "word": "nan", "n": 2, "action": "dropped"},
            {**where, "set": "a b", "problem": "shared", "word": "same", "n": 1, "action": "kept"},
        ]
    forms.append({"language": languages[0], "variant": "all", "test": "WEAT7", "set": "a", "word": "niña", "other": "niño", "rule": "-o -a"})  # fmt: skip
    summary = [{**cell, "encoder": e, "n_languages": 24, "n_tests": 144, "difference": 0.02, "absolute_difference": 0.2, "sign_agreement": 0.8, "p_value": 0.3, "p_min": 1e-7, "q_value": 0.5} for e in LAYERS]  # fmt: skip
    rows = {
        "weathub_models": models,
        "sensitivity": sensitivity,
        "translations": translations,
        "translation_summary": summary,
        "model_comparison": comparison,
        "language_clusters": clusters,
        "weathub_lists": lists,
        "gendered_forms": forms,
    }
    made = {name: _fill(name, found) for name, found in rows.items()}
    return {"weathub": weathub, "agreement": agreement_table(weathub), **made}


@pytest.fixture
def make_tables() -> Callable[..., dict[str, pd.DataFrame]]:
    """Give a factory of the tables of languages."""
    return language_tables


@pytest.fixture
def make_weathub() -> Callable[..., pd.DataFrame]:
    """Give a factory of the table weathub."""
    return weathub_table


@pytest.fixture
def fill() -> Callable[..., pd.DataFrame]:
    """Give a factory of any table from some of its columns."""
    return _fill


@pytest.fixture
def make_words() -> Callable[..., pd.DataFrame]:
    """Give a factory of the words of a language's lists."""

    def make(language: str, entries: Sequence[tuple[str, str, str, int, str]]) -> pd.DataFrame:
        names = ("variant", "test", "set", "position", "word")
        frame = pd.DataFrame([dict(zip(names, entry, strict=True)) for entry in entries])
        return frame.assign(
            language=language,
            description="Math and arts",
            set_name=frame["set"].str.upper(),
            file="f.json",
            refusal="",
            name=False,
        )

    return make
