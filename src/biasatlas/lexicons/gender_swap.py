"""Exchange the gendered words of a text: he for she, mother for father, and back.

Only single words are exchanged. A phrase such as ``ex girlfriend`` changes by its single words
where they are pairs themselves; ``Catholic priest`` and ``nun`` have no single partner and stay.
Names stay as well: they are the region's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biasatlas.lexicons.gender_terms import load_gender_pairs
from biasatlas.lexicons.strict_yaml import read_document
from biasatlas.tokens import tokenize

# English `her` is `his` or `him`, and `his` is `her` or `hers`. A possessive stands before its
# noun, so a form that is followed by one of these words, or by nothing, stands alone.
_AFTER_A_PRONOUN = frozenset(
    "a about above across after again against ago all along alone already also although always "
    "am among an and another any anymore are around as aside at away back be because been "
    "before behind being below beside between beyond both but by can cannot could despite did "
    "do does down during each either else even ever every for forward from had has have he her "
    "here him his how however i if in inside instead into is it its itself just later like may "
    "maybe me might more must my near neither never no nor not now of off often on once only "
    "onto or otherwise our out outside over perhaps please rather said says she should simply "
    "since so some somehow sometimes soon still such than that the their them then there these "
    "they this those though through throughout till to today together tomorrow tonight too "
    "toward towards under unless until up upon us very via was we well were what whatever when "
    "whenever where whether which while who whom whose why will with within without would yes "
    "yesterday yet you your".split()
)
# Before a noun, and alone.
_ENGLISH = {
    "her": ("his", "him"),
    "his": ("her", "hers"),
    "him": ("her", "her"),
    "hers": ("his", "his"),
}


@dataclass(frozen=True)
class GenderSwap:
    """What takes the place of each gendered word.

    Attributes
    ----------
    partner : mapping of str to str
        Single words in lower case. A term in several pairs has the partner of the first.
    pronouns : mapping of str to (str, str)
        What a pronoun becomes before a noun, and where it stands alone.
    """

    partner: Mapping[str, str]
    pronouns: Mapping[str, tuple[str, str]]

    @property
    def terms(self) -> frozenset[str]:
        """Every word that is exchanged."""
        return frozenset(self.partner) | frozenset(self.pronouns)

    def __call__(self, tokens: Sequence[str]) -> list[str]:
        """Exchange the gendered words among the tokens of one passage."""
        swapped = [self.partner.get(token, token) for token in tokens]
        for place, token in enumerate(tokens):
            if token in self.pronouns:
                following = tokens[place + 1] if place + 1 < len(tokens) else ""
                alone = not following or following in _AFTER_A_PRONOUN
                swapped[place] = self.pronouns[token][alone]
        return swapped


def load_gender_swap(path: str | Path) -> GenderSwap:
    """Read the pairs of a gender list as exchanges.

    Parameters
    ----------
    path : str or Path
        A YAML file after ``schemas/gender_terms.schema.yaml``.

    Returns
    -------
    GenderSwap
        Pairs that hold a phrase are left out. In English the four forms her, his, him and hers
        are told apart by the next word; in other languages the first pair of a term decides.

    Raises
    ------
    InputError
        As `load_gender_pairs`.
    """
    language = load_gender_pairs(path).language
    partner: dict[str, str] = {}
    for pair in read_document(path, "gender_terms").data["pairs"]:
        male, female = tokenize(pair["male"]), tokenize(pair["female"])
        if len(male) == len(female) == 1:
            partner.setdefault(male[0], female[0])
            partner.setdefault(female[0], male[0])
    pronouns = _ENGLISH if language == "en" else {}
    partner = {word: other for word, other in partner.items() if word not in pronouns}
    return GenderSwap(partner, pronouns)


def swap_list(folder: str | Path, named: str | Path) -> str:
    """The list of pairs to exchange: `extended.yaml` of a language, else the run's own list.

    The list of a run says which passages are gendered and may well lack `him` or `wife`; an
    exchange that leaves such words alone says too little of d is due to the text.

    Parameters
    ----------
    folder : str or Path
        The gender lists of a language.
    named : str or Path
        The list that the run uses.
    """
    extended = Path(folder) / "extended.yaml"
    return str(extended if extended.is_file() else named)
