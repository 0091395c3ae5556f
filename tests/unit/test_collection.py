"""Two workers find the same tests, and those that share a finished run stay together."""

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


def test_tests_of_a_group_run_in_one_worker(tmp_path: Path) -> None:
    """Else the run that they share is made by each worker."""
    (tmp_path / "test_group.py").write_text(
        "import pytest\n"
        "@pytest.mark.xdist_group('shared')\n"
        "@pytest.mark.parametrize('number', range(4))\n"
        "def test_one(number, worker_id):\n"
        "    open(f'{number}.txt', 'w').write(worker_id)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert len({path.read_text() for path in tmp_path.glob("*.txt")}) == 1
