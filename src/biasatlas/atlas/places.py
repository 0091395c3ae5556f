"""Names and order of regions, tests and models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

PRETRAINED = "pretrained"
GENDER_TESTS = ("WEAT6", "WEAT7", "WEAT8")
ALC = "alc"
MODEL_NAMES = {
    "glove": "GloVe (pretrained)",
    ALC: "à la carte",
    "word2vec": "word2vec",
    "fasttext": "fastText",
    "corpus": "text (log odds)",
}


def region_order(frame: pd.DataFrame, info: Mapping[str, Any], column: str = "region") -> list[str]:
    """Give the regions of a frame in the order of ``info["regions"]``, pretrained vectors last."""
    known = list(info.get("regions", {}))
    present = sorted(set(frame[column]) - {""})
    rank = {name: place for place, name in enumerate(known)}
    return sorted(present, key=lambda r: (r == PRETRAINED, rank.get(r, len(rank)), r))


def region_label(region: str, info: Mapping[str, Any]) -> str:
    """Give the label of a region; its name where the run gives none."""
    if region == PRETRAINED:
        return "Pretrained (reference)"
    if not region:
        return "(no region)"
    return str(info.get("regions", {}).get(region, region))


def add_place(frame: pd.DataFrame, info: Mapping[str, Any]) -> pd.DataFrame:
    """Add the column ``place``, the region's label with the language where there are several.

    Rows are sorted by language and by the order of regions; other columns keep their order.
    """
    several = frame["language"].nunique() > 1
    order = region_order(frame, info)
    labels = [
        region_label(region, info) + (f" · {language}" if several else "")
        for region, language in zip(frame["region"], frame["language"], strict=True)
    ]
    rank = {name: place for place, name in enumerate(order)}
    placed = frame.assign(place=labels, _rank=[rank.get(r, len(rank)) for r in frame["region"]])
    if frame.empty:
        placed["place"] = placed["place"].astype("str")
    return placed.sort_values(["language", "_rank"], kind="stable", ignore_index=True).drop(
        columns="_rank"
    )


def rank_test(name: str) -> tuple[bool, str, int, str]:
    """Sort key of a test: the gender tests first, then by number."""
    match = re.match(r"(\D*)(\d*)(.*)", name, flags=re.DOTALL)
    stem, digits, rest = match.groups() if match else (name, "", "")
    return name not in GENDER_TESTS, stem, int(digits[:9] or 0), rest


def gender_tests(info: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the names of the gender tests: those of the run's settings, or else the usual ones."""
    weat = info.get("settings", {}).get("weat", {})
    return tuple(weat.get("gender_tests", GENDER_TESTS))


def is_control(test: str) -> bool:
    """Whether a test is a positive control, by its name."""
    return test.upper().startswith("CONTROL")


def model_label(model: str) -> str:
    """Give the usual name of a kind of word vectors."""
    return MODEL_NAMES.get(model, model)
