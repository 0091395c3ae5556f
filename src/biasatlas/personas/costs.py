"""What each language model answered, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

REASONS = ("no_gender", "other_gender", "both_genders", "refusal", "blocked", "empty")
# Prices are for so many tokens.
PRICED = 1_000_000


def describe_models(personas: pd.DataFrame, models: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Sum up the replies of every model in every language.

    Parameters
    ----------
    personas : DataFrame
        Table personas.
    models : sequence of mapping
        name, backend, source, revision, price_prompt, price_reply: the prices of a million
        tokens of questions and of replies, both None where no price is configured. Only the
        replies that are kept are priced: an endpoint may bill requests that failed.

    Returns
    -------
    DataFrame
        Table persona_models: a row for every language of the personas and every model.

    Raises
    ------
    InputError
        With every model of the personas that is not described.
    """
    import pandas as pd

    from biasatlas.tables.schemas import DTYPES, find_table
    from biasatlas.tables.storage import empty_table

    names = [model["name"] for model in models]
    strange = sorted(set(personas["model"]) - set(names))
    if strange:
        raise InputError(
            f"personas: model {name!r} is unknown; allowed are {', '.join(sorted(names))}"
            for name in strange
        )
    rows = [
        {"language": language, **_describe(part[part["model"] == model["name"]], model)}
        for language, part in personas.groupby("language", sort=True)
        for model in sorted(models, key=lambda model: str(model["name"]))
    ]
    if not rows:
        return empty_table("persona_models")
    columns = find_table("persona_models").columns
    frame = pd.DataFrame(rows)[[column.name for column in columns]]
    return frame.astype({column.name: DTYPES[column.kind] for column in columns})


def _describe(replies: pd.DataFrame, model: Mapping[str, Any]) -> dict[str, Any]:
    prompt, reply = (int(replies[f"{kind}_tokens"].sum()) for kind in ("prompt", "reply"))
    for_prompt, for_reply = model["price_prompt"], model["price_reply"]
    cost = float("nan")
    if for_prompt is not None and for_reply is not None:
        cost = (prompt * float(for_prompt) + reply * float(for_reply)) / PRICED
    answered = sorted(set(replies["answered_by"]) - {""})
    return {
        "model": model["name"],
        "backend": model["backend"],
        "source": model["source"],
        "revision": model["revision"],
        "answered_by": "; ".join(answered),
        "n_replies": len(replies),
        "n_female": int((replies["gender"] == "female").sum()),
        "n_male": int((replies["gender"] == "male").sum()),
        **{f"n_{reason}": int((replies["reason"] == reason).sum()) for reason in REASONS},
        "n_contradicted": int(replies["contradicted"].sum()),
        "n_cut": int((replies["finish"] == "length").sum()),
        "prompt_tokens": prompt,
        "reply_tokens": reply,
        "cost": cost,
    }
