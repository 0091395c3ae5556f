"""Human against machine translation under all encoders of a model, in both spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from biasatlas.association.languages.concepts import Concepts, pair_concepts
from biasatlas.association.languages.score_grid import ABOUT_TEXTS, SPACES
from biasatlas.association.languages.spaces import published_words, standardise
from biasatlas.association.languages.translations import Settings, compare_translations
from biasatlas.encoders.phrases import entry_vectors, find_composed, set_apart

if TYPE_CHECKING:
    import pandas as pd


def compare_language(
    words: pd.DataFrame,
    encoded: pd.DataFrame,
    reading: pd.DataFrame,
    *,
    settings: Settings,
    spaces: Sequence[str] = SPACES,
) -> pd.DataFrame:
    """Compare the two translations of every test of a language under every encoder of a model.

    Parameters
    ----------
    words, encoded, reading : DataFrame
        As in `score_grid.score_language`; vectors are standardised over the same words, so that
        they are those of the scores.
    settings : Settings
    spaces : sequence of {"raw", "standardised"}

    Returns
    -------
    DataFrame
        Rows of the table `translations` without `q_value`. Where the model cannot read the
        language, or has too few words to standardise, they are refused and say so.
    """
    import pandas as pd

    about = reading.iloc[0]
    names = {name: str(about[name]) for name in ("language", "model", "group")}
    tests = pair_concepts(words)
    unread = about["status"] == "refused"
    if unread:
        tests = _refuse(tests, f"the model cannot read the language: {about['note']}")
    entries, sample = sorted(set(words["word"])), published_words(words)
    frames = []
    for encoder in sorted(name for name in encoded.columns if name not in ABOUT_TEXTS):
        raw = entry_vectors(encoded, encoder, entries if tests else [])
        composed = find_composed(encoded, encoder, entries)
        for space in sorted(spaces):
            vectors, listed = raw, tests
            if space == "standardised" and tests and not unread:
                try:
                    vectors = standardise(raw, sample)
                except ValueError as error:
                    listed = _refuse(tests, str(error))
            frames.append(
                compare_translations(
                    listed,
                    set_apart(vectors, composed),
                    **names,
                    encoder=encoder,
                    space=space,
                    settings=settings,
                )
            )
    return pd.concat(frames, ignore_index=True)


def _refuse(tests: Mapping[str, Concepts], reason: str) -> dict[str, Concepts]:
    return {name: replace(one, refusal=one.refusal or reason) for name, one in tests.items()}
