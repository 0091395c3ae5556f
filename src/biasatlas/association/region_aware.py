"""Region-aware WEAT: found and published topic pairs on any vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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
    labels: pd.DataFrame | None = None,
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
    pairs, labels : DataFrame or None
        From `find_pairs` and `describe_topics`; None for vectors that found nothing.

    Returns
    -------
    tests : dict of str to list of AssociationTest
        By origin, found or published.
    pair_regions : dict of str to str
        Region of each pair by the name of its test.
    """
    terms = load_all_terms(folder, form)
    found = []
    if pairs is not None and labels is not None:
        known = {row["topic"]: row for row in labels.to_dict("records")}
        for pair in pairs[pairs["rank"] > 0].to_dict("records"):
            x, y = known[pair["female_topic"]], known[pair["male_topic"]]
            found.append(
                make_pair(
                    f"{region}-{pair['rank']}",
                    (x["label"], y["label"]),
                    (list(x["keywords"]), list(y["keywords"])),
                    terms.get(region, terms[GENERAL]),
                    language,
                )
            )
    # The published lists are English.
    wanted = published and language == "en"
    printed = load_published_pairs(folder, form) if wanted else []
    pair_regions = {test.test: region for test in found}
    pair_regions |= {test.test: test.test.rpartition("-")[0] for test in printed}
    return {"found": found, "published": printed}, pair_regions


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
        Tests by origin, found or published.
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
