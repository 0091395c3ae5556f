"""Seeds that depend on what is drawn for, and on nothing else."""

from __future__ import annotations

import hashlib


def stable_seed(seed: int, name: str) -> int:
    """Seed of one thing's draws: the same on every machine and in every order of things.

    Parameters
    ----------
    seed : int
        Seed of the run.
    name : str
        What is drawn for, such as a test.

    Returns
    -------
    int
        From 0 to 2**64 - 1.
    """
    return int.from_bytes(hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest())
