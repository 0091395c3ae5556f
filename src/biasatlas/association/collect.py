"""Score the same tests on several sets of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biasatlas.association.control import control_verdict
from biasatlas.association.score import Scored, Settings, score_tests
from biasatlas.vectors import load_vectors

if TYPE_CHECKING:
    import pandas as pd

    from biasatlas.lexicons.word_lists import AssociationTest
    from biasatlas.vectors import WordVectors


def score_with_control(
    tests: Sequence[AssociationTest],
    controls: Sequence[AssociationTest],
    vectors: WordVectors,
    settings: Settings,
) -> Scored:
    """Score tests and the positive control on one set of vectors, and mark every row with it.

    Parameters
    ----------
    tests, controls : sequence of AssociationTest
        The controls give rows too.
    vectors : WordVectors
    settings : Settings

    Returns
    -------
    Scored
        With the column `control` in its scores and words.
    """
    scored = score_tests([*controls, *tests], vectors, settings)
    verdict = control_verdict(scored.scores, [test.test for test in controls])
    scores, words = (frame.assign(control=verdict) for frame in (scored.scores, scored.words))
    return Scored(scores, words, scored.coverage)


def score_models(
    score: Callable[[WordVectors], Scored],
    paths: Sequence[str | Path],
    models: Sequence[tuple[str, int]],
    **identity: str,
) -> Scored:
    """Apply `score` to each file of vectors and put the frames together.

    Parameters
    ----------
    score : callable
        Scores one set of vectors.
    paths : sequence of str or Path
        Files of vectors.
    models : sequence of (str, int)
        Name and seed of each; the seed is -1 where nothing is random.
    **identity
        Further columns, the same in every row, such as `region` and `language`.

    Returns
    -------
    Scored
        With the columns `model`, `seed` and those of `identity` in each frame.
    """
    import pandas as pd

    parts = [
        (score(load_vectors(path)), {"model": model, "seed": seed} | identity)
        for path, (model, seed) in zip(paths, models, strict=True)
    ]

    def joined(name: str) -> pd.DataFrame:
        frames = [getattr(scored, name).assign(**columns) for scored, columns in parts]
        return pd.concat(frames, ignore_index=True)

    return Scored(joined("scores"), joined("words"), joined("coverage"))
