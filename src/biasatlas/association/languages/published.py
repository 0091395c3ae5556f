"""What Mukherjee et al. (2023) published: sensitivity of their encoders, d and p of their tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError
from biasatlas.lexicons.weathub_files import SIX_TESTS

if TYPE_CHECKING:
    import pandas as pd

SETS = ("target1", "target2", "attr1", "attr2")
# A set without a variance, as the files write it.
EMPTY = ("", "NaN")
# The paper's name of an encoder in its files of variances.
STRATEGIES: Mapping[str, str] = {
    "bert_0_sws_avg": "layer0_mean",
    "bert_0_sws_first": "layer0_first",
    "bert_last_sws_first": "last_first",
    "bert_last_sws_avg": "last_mean",
    "bert_2nd_last_sws_first": "penultimate_first",
    "bert_2nd_last_sws_avg": "penultimate_mean",
    "bert_all_sws_first": "all_first",
    "bert_all_sws_avg": "all_mean",
    "bert_last_CLS": "cls_phrase",
    "fasttext": "fasttext",
}
# How its name ends in the files of results, after the model's.
METHODS: Mapping[str, str] = {
    "layer-0-subword-avg": "layer0_mean",
    "layer-0-subword-first": "layer0_first",
    "last-hidden-subword-first": "last_first",
    "last-hidden-subword-avg": "last_mean",
    "2nd-last-layer-subword-first": "penultimate_first",
    "2nd-last-layer-subword-avg": "penultimate_mean",
    "avg-all-hidden-subword-first": "all_first",
    "avg-all-hidden-subword-avg": "all_mean",
    "CLS": "cls_phrase",
    "fasttext": "fasttext",
}
# Folders of the results. All of sheet3 is the one list of India: hi with XLM-R calls it GT.
SHEETS: Mapping[str, Mapping[str, str]] = {
    "sheet1": {"GT": "gt", "HT": "human", "ALL": "all"},
    "sheet2": {"NEW_HT": "new"},
    "sheet3": {"HT": "india", "GT": "india"},
    "valence": {"NEW_HT": "new"},
}
_VARIANCES = re.compile(r"_([a-z]+)\.csv$")
_RESULT = re.compile(r"(-?\d+(?:\.\d+)?) \((\d+(?:\.\d+)?)\)")
_SCORES = ["model", "language", "variant", "encoder", "test", "published_d", "published_p"]


@dataclass(frozen=True)
class Published:
    """The paper's sensitivities.

    Attributes
    ----------
    by_language : mapping of (language, encoder) to float
        Empty where its files are not at hand.
    means : mapping of encoder to float
        Over its languages.
    """

    by_language: Mapping[tuple[str, str], float]
    means: Mapping[str, float]


def read_published(folder: Path | None, figures: Path) -> Published:
    """Read the paper's sensitivities.

    Parameters
    ----------
    folder : Path or None
        WEATHub's folder. It need not hold ``published/variances``; then only `figures` are known.
    figures : Path
        ``resources/published/weathub_sensitivity.yaml``.

    Raises
    ------
    InputError
        Where a file is not as it should be.
    """
    variances = None if folder is None else folder / "published" / "variances"
    means = read_figures(figures)
    if variances is None or not variances.is_dir():
        return Published({}, means)
    frame = read_variances(variances)
    pairs = zip(frame["language"], frame["encoder"], strict=True)
    return Published(dict(zip(pairs, frame["rho"], strict=True)), means)


def read_figures(path: Path) -> dict[str, float]:
    """Read the paper's mean sensitivity of each encoder from a YAML file.

    Parameters
    ----------
    path : Path
        Keys `citation` (text) and `rho` (encoder to a number of at least 0).
    """
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    rho = data.get("rho") if isinstance(data, dict) else None
    if not isinstance(rho, dict) or not rho:
        raise InputError(f"{path}: key 'rho' must map encoders to numbers")
    problems = []
    for encoder, value in rho.items():
        if encoder not in STRATEGIES.values():
            allowed = ", ".join(STRATEGIES.values())
            problems.append(f"{path}: rho.{encoder}: no such encoder; allowed: {allowed}")
        elif isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            problems.append(f"{path}: rho.{encoder}: {value!r} is no number of at least 0")
    if problems:
        raise InputError(problems)
    return {encoder: float(value) for encoder, value in rho.items()}


def read_variances(folder: Path) -> pd.DataFrame:
    """Sensitivity of the paper's encoders by language, from its files of variances.

    Parameters
    ----------
    folder : Path
        Files such as ``fasttext_cosine_variances_ar.csv`` with columns strategy, test, target1,
        target2, attr1, attr2. An empty cell is a set without a variance.

    Returns
    -------
    DataFrame
        language, encoder, rho (mean over tests of the mean over sets), n_tests.

    Raises
    ------
    InputError
        With all that is wrong with any file.
    """
    import pandas as pd

    problems: list[str] = []
    frames = []
    for path in sorted(folder.glob("*.csv")):
        language = _VARIANCES.search(path.name)
        frame = _read_csv(path, ("strategy", "test", *SETS), problems)
        if language is None:
            problems.append(f"{path}: its name must end in a language, such as _ar.csv")
        elif frame is not None:
            frames.append(_by_encoder(frame, path, problems).assign(language=language[1]))
    if problems:
        raise InputError(problems)
    if not frames:
        return pd.DataFrame(columns=["language", "encoder", "rho", "n_tests"])
    found = pd.concat(frames).dropna(subset="variance")
    found = found[found["test"].isin(SIX_TESTS)]
    by_cell = found.groupby(["language", "encoder"], sort=True)["variance"]
    return by_cell.agg(rho="mean", n_tests="size").reset_index()


def read_published_scores(folder: Path) -> pd.DataFrame:
    """Effect sizes and p-values of the paper, three decimals each.

    Its p is one-sided, by random permutations, so that it may be 0.

    Parameters
    ----------
    folder : Path
        WEATHub's folder. Without ``published/sheet1`` and its like the frame is empty.

    Returns
    -------
    DataFrame
        model (the paper's: distilbert, xlmr, monobert, indicbert, and fasttext), language,
        variant, encoder, test, published_d, published_p; sorted, one row each.

    Raises
    ------
    InputError
        With all that is wrong with any file.
    """
    import pandas as pd

    problems: list[str] = []
    rows = []
    for sheet, variants in SHEETS.items():
        for path in sorted((folder / "published" / sheet).glob("*/*.csv")):
            frame = _read_csv(path, ("DataSource", "Method"), problems)
            if frame is not None:
                rows += list(_results(frame, path, variants, problems))
    if problems:
        raise InputError(problems)
    # The scores of fastText stand beside those of each model, the same in all.
    table = pd.DataFrame(rows, columns=_SCORES).drop_duplicates()
    return table.sort_values(_SCORES[:5]).reset_index(drop=True)


def _results(
    frame: pd.DataFrame, path: Path, variants: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[Any, ...]]:
    language = path.name.partition("_")[0]
    model = path.parent.name.removeprefix("valence-")
    tests = [column for column in frame.columns if column.startswith("weat")]
    for line, row in enumerate(frame.to_dict("records"), start=2):
        endings = [ending for ending in METHODS if row["Method"].endswith(ending)]
        if len(endings) != 1 or row["DataSource"] not in variants:
            what = f"method {row['Method']!r} of lists {row['DataSource']!r}"
            problems.append(f"{path}:{line}: {what} is not known")
            continue
        encoder = METHODS[endings[0]]
        name = "fasttext" if encoder == "fasttext" else model
        for test in tests:
            result = _RESULT.fullmatch(row[test])
            if result is None:
                problems.append(f"{path}:{line}: {test}: {row[test]!r} is not d (p)")
                continue
            # weat12b, the valence form, keeps its small letter.
            known = (name, language, variants[row["DataSource"]], encoder)
            yield *known, test.replace("weat", "WEAT"), float(result[1]), float(result[2])


def _by_encoder(frame: pd.DataFrame, path: Path, problems: list[str]) -> pd.DataFrame:
    import pandas as pd

    numbers = frame[list(SETS)].apply(pd.to_numeric, errors="coerce")
    for name in SETS:
        wrong = (numbers[name].isna() & ~frame[name].isin(EMPTY)) | (numbers[name] < 0)
        for place in wrong.to_numpy().nonzero()[0]:
            value = frame[name].iloc[place]
            problems.append(f"{path}:{place + 2}: {name}: {value!r} is no number of at least 0")
    encoders = frame["strategy"].map(STRATEGIES)
    for place in encoders.isna().to_numpy().nonzero()[0]:
        allowed = ", ".join(STRATEGIES)
        problems.append(
            f"{path}:{place + 2}: strategy {frame['strategy'].iloc[place]!r}; allowed: {allowed}"
        )
    return pd.DataFrame(
        {
            "encoder": encoders,
            "test": frame["test"].str.replace("weat", "WEAT", n=1),
            "variance": numbers.mean(axis=1),
        }
    )


def _read_csv(path: Path, columns: tuple[str, ...], problems: list[str]) -> pd.DataFrame | None:
    import pandas as pd

    try:
        frame = pd.read_csv(path, dtype="str", keep_default_na=False, encoding="utf-8")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        problems.append(f"{path}: no table of comma-separated values: {error}")
        return None
    absent = [column for column in columns if column not in frame.columns]
    if absent:
        problems.append(f"{path}: columns {', '.join(absent)} are absent")
        return None
    return frame
