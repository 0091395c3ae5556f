"""Tests have the same names in every process: two workers must find the same ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_names_of_tests_hang_on_neither_time_nor_hash_seed() -> None:
    # each collection takes seconds, so that the two begin in different ones
    found = []
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
        found.append([line for line in run.stdout.splitlines() if "::" in line])
    first, second = found
    assert len(first) > 1000
    assert first == second
