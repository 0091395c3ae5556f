"""Picture of the simulation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from biasatlas.files import atomic_path
from planted.study import Cell, Q, Share

NEEDED = 0.95
COLOURS = ["#222222", "#d55e00", "#cc79a7", "#56b4e9", "#0072b2", "#009e73"]


def draw(
    planted_cells: Sequence[Cell],
    planted: Sequence[Mapping[str, Share]],
    null_cells: Sequence[Cell],
    nothing: Sequence[Mapping[str, Share]],
    path: Path,
) -> None:
    """Draw recovery by odds, and the share of runs with a false discovery, with intervals."""
    import vl_convert

    names = list(planted[0])
    odds = [f"{cell.odds:g} ({cell.documents})" for cell in planted_cells]
    lengths = [
        "alike" if len(set(cell.passages)) == 1 else ", ".join(f"{n:g}" for n in cell.passages)
        for cell in null_cells
    ]
    panels = [
        _panel(
            _rows(odds, planted), names, "odds (documents a region)", "planted pairs found", NEEDED
        ),
        _panel(
            _rows(lengths, nothing),
            names,
            "passages a document in the regions",
            "runs with any discovery, nothing planted",
            Q,
        ),
    ]
    chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "hconcat": panels,
        "background": "white",
        "config": {"font": "sans-serif", "axis": {"labelFontSize": 12, "titleFontSize": 12}},
    }
    with atomic_path(path) as temporary:
        temporary.write_bytes(vl_convert.vegalite_to_png(json.dumps(chart), scale=2))


def _rows(settings: Sequence[str], found: Sequence[Mapping[str, Share]]) -> list[dict[str, Any]]:
    rows = []
    for setting, shares in zip(settings, found, strict=True):
        for name, share in shares.items():
            low, high = share.interval
            rows.append(
                {"setting": setting, "test": name, "share": share.value, "low": low, "high": high}
            )
    return rows


def _panel(
    rows: list[dict[str, Any]], names: list[str], across: str, up: str, line: float
) -> dict[str, Any]:
    x = {
        "field": "setting",
        "type": "nominal",
        "title": across,
        "sort": None,
        "axis": {"labelAngle": 0},
    }
    offset = {"field": "test", "type": "nominal", "sort": names}
    colour = {
        "field": "test",
        "type": "nominal",
        "sort": names,
        "scale": {"domain": names, "range": COLOURS},
        "legend": {"title": None, "orient": "top", "columns": 3, "labelLimit": 200},
    }
    y = {"type": "quantitative", "title": up, "scale": {"domain": [0, 1]}}
    shared = {"x": x, "xOffset": offset, "color": colour}
    return {
        "width": 330,
        "height": 300,
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888888"},
                "encoding": {"y": {"datum": line}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {**shared, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
                "encoding": {**shared, "y": {**y, "field": "share"}},
            },
        ],
    }
