"""Hide gender terms: a topic that forms around ``she`` would be female by construction.

Topics come from embeddings of the very passages whose gender is then tested on them. So what
makes a passage female or male must reach neither the encoder nor the topic words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from biasatlas.lexicons.gender_terms import GenderTerms


def mask_gender_terms(
    texts: pl.Series | Iterable[str | None], terms: GenderTerms, *, hyphen_is_letter: bool
) -> list[str]:
    """Take out of each text the gender terms that `gender_scan.scan` finds in it.

    Parameters
    ----------
    texts : polars.Series, pyarrow array, pandas Series or iterable of str, length n
        Passages; None is read as empty.
    terms : GenderTerms
        For topics those of `hidden_terms`.
    hyphen_is_letter : bool
        As in the scan.

    Returns
    -------
    list of str
        Texts in which a scan with the same terms finds nothing. White space on both sides of a
        term becomes one space, and none at the ends of a text; all else is as it was, save that
        a text with a term is in Unicode form NFC and has no soft hyphens, as the scan reads it.
        A text of terms alone gives ``""``, which says nothing of its topic: it is the caller's
        to leave it out of the topics.

    Raises
    ------
    InputError
        For terms that no text can hold.
    """
    import polars as pl

    from biasatlas.lexicons.term_search import as_text, locate_terms

    given = [*terms.female, *terms.male]
    masked = as_text(texts).to_list()
    rows = list(range(len(masked)))
    # Again for what a removal brings together: without `she`, "ex she wife" holds "ex wife".
    while rows:
        some = pl.Series([masked[row] for row in rows], dtype=pl.String)
        searched, places = locate_terms(
            some, given, language=terms.language, hyphen_is_letter=hyphen_is_letter
        )
        found = places.group_by("row", maintain_order=True).agg("start", "stop")
        for place, starts, stops in found.iter_rows():
            masked[rows[place]] = _cut(searched[place].encode(), starts, stops)
        rows = [rows[place] for place in found["row"]]
    return masked


def _cut(text: bytes, starts: list[int], stops: list[int]) -> str:
    kept = piece = ""
    for start, stop in zip([0, *stops], [*starts, len(text)], strict=True):
        piece = text[start:stop].decode()
        if start and (not kept.strip() or kept[-1].isspace()):
            piece = piece.lstrip()
            kept = f"{kept.rstrip()} " if kept.strip() else ""
        kept += piece
    return kept if piece.strip() else kept.rstrip()


def hidden_terms(paths: Sequence[str | Path]) -> GenderTerms:
    """Join gender lists into the terms to hide.

    The list of a run says which passages are gendered, and may well lack `him` or `wife`, which
    would then stand among the words of topics. So `extended.yaml` of the language, which
    `gender_swap.swap_list` names, is hidden too. A probe tells as much gender from what is left
    as with the run's list alone (docs/alignment.md): the rest is in names, titles and subjects.

    Parameters
    ----------
    paths : sequence of str or Path
        Files of one language; the first is that of the run, and says on which side a term is.

    Raises
    ------
    InputError
        As `load_gender_pairs`.
    """
    from biasatlas.lexicons.gender_terms import load_gender_pairs

    first, *others = (load_gender_pairs(path) for path in paths)
    known = {*first.female, *first.male}
    female, male = list(first.female), list(first.male)
    for more in others:
        female += [term for term in more.female if term not in known]
        male += [term for term in more.male if term not in known]
        known |= {*more.female, *more.male}
    return replace(first, female=tuple(female), male=tuple(male))


def show_texts(
    texts: Iterable[str], view: str, paths: Sequence[str | Path], *, hyphen_is_letter: bool
) -> list[str]:
    """Texts as a view shows them.

    Parameters
    ----------
    texts : iterable of str
    view : {"masked", "visible"}
        Gender terms hidden, or the texts as they are.
    paths : sequence of str or Path
        Gender lists, as for `hidden_terms`.
    hyphen_is_letter : bool
        As in the scan.
    """
    if view == "visible":
        return list(texts)
    return mask_gender_terms(texts, hidden_terms(paths), hyphen_is_letter=hyphen_is_letter)
