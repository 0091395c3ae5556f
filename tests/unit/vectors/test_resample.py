"""Documents are drawn whole, with replacement, alike for the same seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biasatlas.vectors.resample import resample_documents


@given(documents=st.lists(st.sampled_from("abcdefg"), max_size=30), seed=st.integers(0, 2**31 - 1))
def test_passages_of_a_document_are_drawn_together(documents, seed):
    places = resample_documents(documents, seed)
    drawn = Counter(documents[place] for place in places)
    held = Counter(documents)
    times = {name: drawn[name] / held[name] for name in held}
    assert all(value == int(value) for value in times.values())
    assert sum(times.values()) == len(held)
    assert places.tolist() == resample_documents(documents, seed).tolist()
    counts = Counter(places.tolist())
    for name in held:
        of_document = [place for place, one in enumerate(documents) if one == name]
        assert len({counts[place] for place in of_document}) == 1


def test_a_document_is_left_out_about_one_time_in_e():
    documents = [str(n) for n in range(1000)]
    left_out = 1000 - len(np.unique(resample_documents(documents, 3)))
    assert abs(left_out / 1000 - np.exp(-1)) < 0.05
