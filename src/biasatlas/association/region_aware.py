"""Region-aware WEAT: found and published topic pairs on any vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.association.collect import score_with_control
from biasatlas.association.score import Scored, Settings
from biasatlas.lexicons.region_aware import (
    GENERAL,
    load_all_terms,
    load_published_pairs,
    make_pair,
)

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors


def load_tests(
    folder: Path,
    form: str,
    *,
    published: bool,
    region: str,
    language: str,
    pairs: pd.DataFrame | None = None,
    topics: pd.DataFrame | None = None,
    selection: str = "matching",
) -> tuple[dict[str, list[AssociationTest]], dict[str, str]]:
    """Make the region-aware tests of one region: its found pairs, and the published ones.

    Parameters
    ----------
    folder : Path
        The word lists of kind region_aware.
    form : {"paper_table", "paper_text"}
        Form of the gender terms.
    published : bool
        Whether the published pairs are scored.
    region, language : str
        Of the found pairs.
    pairs, topics : DataFrame or None
        From `find_pairs`, of both selections; `topic`, `label` and `keywords` of the topics. None
        for vectors that found nothing.
    selection : {"matching", "gap"}
        The run's own selection. Its pairs are called ``europe-1``, the other's ``europe-gap-1``.

    Returns
    -------
    tests : dict of str to list of AssociationTest
        By origin: found, found_other or published.
    pair_regions : dict of str to str
        Region of each pair by the name of its test.
    """
    terms = load_all_terms(folder, form)
    found: dict[str, list[AssociationTest]] = {"found": [], "found_other": []}
    if pairs is not None and topics is not None:
        known = {row["topic"]: row for row in topics.to_dict("records")}
        for pair in pairs[pairs["rank"] > 0].to_dict("records"):
            x, y = known[pair["female_topic"]], known[pair["male_topic"]]
            own = pair["selection"] == selection
            middle = "" if own else f"{pair['selection']}-"
            found["found" if own else "found_other"].append(
                make_pair(
                    f"{region}-{middle}{pair['rank']}",
                    (x["label"], y["label"]),
                    (list(x["keywords"]), list(y["keywords"])),
                    terms.get(region, terms[GENERAL]),
                    language,
                )
            )
    # The published lists are English.
    wanted = published and language == "en"
    printed = load_published_pairs(folder, form) if wanted else []
    pair_regions = {test.test: region for some in found.values() for test in some}
    pair_regions |= {test.test: test.test.rpartition("-")[0] for test in printed}
    return {**found, "published": printed}, pair_regions


def read_tests(
    lists: Sequence[str], form: str, *, files: Mapping[str, str], **options: Any
) -> tuple[dict[str, list[AssociationTest]], dict[str, str]]:
    """`load_tests` from files.

    Parameters
    ----------
    lists : sequence of str
        Files of the word lists of kind region_aware, in a folder a region.
    form : str
        As in `load_tests`.
    files : mapping of str to str
        `pairs`, `descriptions` and `labels`; none of them for vectors that found nothing.
    **options
        The rest of `load_tests`.
    """
    import pandas as pd

    folder = Path(lists[0]).parents[1]
    if "pairs" not in files:
        return load_tests(folder, form, **options)
    topics = pd.read_parquet(files["descriptions"], columns=["topic", "keywords"]).merge(
        pd.read_parquet(files["labels"], columns=["topic", "label"]), on="topic"
    )
    pairs = pd.read_parquet(files["pairs"])
    return load_tests(folder, form, pairs=pairs, topics=topics, **options)


def score_pairs(
    tests: Mapping[str, Sequence[AssociationTest]],
    pair_regions: Mapping[str, str],
    controls: Sequence[AssociationTest],
    vectors: WordVectors,
    settings: Settings,
) -> Scored:
    """Score region-aware tests on one set of vectors.

    Parameters
    ----------
    tests : mapping of str to sequence of AssociationTest
        Tests by origin, as `load_tests` gives them.
    pair_regions : mapping of str to str
        Region of each pair, by the name of its test.
    controls : sequence of AssociationTest
        The positive control; it marks every row and gives none itself.
    vectors : WordVectors
    settings : Settings

    Returns
    -------
    Scored
        Its scores are rows of the evaluation table, without the columns that name the vectors
        and without the corrections.
    """
    flat = [(origin, test) for origin, some in tests.items() for test in some]
    scored = score_with_control([test for _, test in flat], controls, vectors, settings)
    kept = {test.test for _, test in flat}
    scores, words, coverage = (
        frame[frame["test"].isin(kept)].reset_index(drop=True)
        for frame in (scored.scores, scored.words, scored.coverage)
    )
    scores = scores.assign(
        origin=[origin for origin, _ in flat],
        pair=[test.test for _, test in flat],
        pair_region=[pair_regions[test.test] for _, test in flat],
    )
    for source in ("reddit", "ungdc"):
        values = [test.published.get(source, float("nan")) for _, test in flat]
        scores[f"published_{source}"] = values
    return Scored(scores, words, coverage)
