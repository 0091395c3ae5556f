"""Which files a source names, and when a folder has changed."""

from __future__ import annotations

import os
from pathlib import Path

from biasatlas.corpora.paths import expand_paths, inventory, missing_paths


def test_paths_are_sorted_whatever_their_order(tmp_path: Path) -> None:
    for name in ("b.gz", "a.gz", "c.txt"):
        (tmp_path / name).write_text("x")
    listed = [str(tmp_path / name) for name in ("c.txt", "a.gz", "b.gz", "c.txt")]
    assert expand_paths(listed) == expand_paths(listed[::-1]) == sorted(set(listed))
    assert expand_paths([str(tmp_path / "*.gz"), listed[0]]) == sorted(set(listed))
    assert expand_paths(str(tmp_path)) == [str(tmp_path)]


def test_patterns_and_missing_paths(tmp_path: Path) -> None:
    deep = tmp_path / "sub" / "x.txt"
    deep.parent.mkdir()
    deep.write_text("x")
    odd = tmp_path / "a[1].txt"
    odd.write_text("x")
    assert expand_paths(str(odd)) == [str(odd)]
    assert expand_paths(str(tmp_path / "**" / "x.txt")) == [str(deep)]
    nothing = [str(tmp_path / "*.zst"), str(tmp_path / "no.txt")]
    assert missing_paths([*nothing, str(odd)]) == nothing
    assert missing_paths(str(odd)) == []


def test_a_folder_changes_with_its_files(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("one")
    first = inventory(tmp_path)
    assert first == inventory(tmp_path)
    os.utime(file, ns=(1, 1))
    second = inventory(tmp_path)
    (tmp_path / "y.txt").write_text("")
    assert len({first, second, inventory(tmp_path)}) == 3
    assert inventory(file) == ""
