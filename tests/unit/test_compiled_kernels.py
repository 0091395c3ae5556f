"""Compiled loops give the same bits however they are run.

Whether a loop runs in vector instructions is decided at each turn by where its arrays happen to
lie in memory. So the code without any must give what the code with them gives; and a layout, whose
points go far apart on a last bit, must not hang on the processor either.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import hashlib
import sys

import numpy as np
from scipy.sparse import coo_array

from biasatlas.association.permutation.characteristic import characteristic_function
from biasatlas.topics.layout import lay_out

rng = np.random.default_rng(0)
results = {"layout": [], "characteristic": []}
for n_components in (3, 9):
    start = rng.uniform(0, 10, size=(80, n_components)).astype(np.float32)
    rows, columns = np.nonzero(rng.random((80, 80)) < 0.2)
    graph = coo_array((rng.uniform(0.1, 1, len(rows)), (rows, columns)), shape=(80, 80))
    results["layout"].append(lay_out(start, graph, 1.9, 0.8, seed=1))
phases = rng.integers(-(2**62), 2**62, size=60)
inside = rng.uniform(0.1, 0.9, size=60)
results["characteristic"].append(characteristic_function(phases, inside, 1 - inside, 30, 0, 200))
for name in sys.argv[1:]:
    print(hashlib.sha256(b"".join(one.tobytes() for one in results[name])).hexdigest())
"""
SCALAR = {"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}
# What every x86-64 or ARM processor has; no fused products on the former.
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def digests(kernels: list[str], cache: Path, options: dict[str, str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *kernels],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **options},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each loop gives as it is compiled on this machine."""
    kernels = ["layout", "characteristic"]
    found = digests(kernels, tmp_path_factory.mktemp("here"), {})
    return dict(zip(kernels, found, strict=True))


@pytest.mark.parametrize(
    ("kernels", "options"),
    [(["layout", "characteristic"], SCALAR), (["layout"], GENERIC)],
    ids=["no vectors", "any processor"],
)
def test_the_same_bits_however_the_loops_run(kernels, options, here, tmp_path):
    assert len(set(here.values())) == len(here) == 2
    assert digests(kernels, tmp_path, options) == [here[name] for name in kernels]
