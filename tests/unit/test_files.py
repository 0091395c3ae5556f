"""Files appear whole or not at all; errors carry all their problems."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pandas as pd
import pytest

from biasatlas.errors import InputError
from biasatlas.files import atomic_path, write_csv, write_parquet, write_text


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_and_its_folder_made(tmp_path):
    path = tmp_path / "new" / "deep" / "a.txt"
    with atomic_path(path) as temporary:
        assert (temporary.suffix, temporary.name) == (".txt", "a.txt")
        assert not path.exists()
        temporary.write_text("x")
    assert path.read_text() == "x"
    assert names(path.parent) == ["a.txt"]


@pytest.mark.parametrize("interrupt", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, interrupt):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise interrupt

    with pytest.raises(interrupt):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_replaces_a_folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("old")
    with atomic_path(path) as temporary:
        temporary.mkdir()
        (temporary / "new").write_text("new")
    assert names(path) == ["new"]
    assert names(tmp_path) == ["model"]


def test_a_failure_leaves_the_old_folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("old")

    def fail():
        with atomic_path(path) as temporary:
            temporary.mkdir()
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        fail()
    assert names(path) == ["old"]


def test_a_block_that_writes_nothing_leaves_the_old_folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "old").write_text("old")
    with pytest.raises(FileNotFoundError), atomic_path(path):
        pass
    assert names(path) == ["old"]


def test_a_link_is_replaced_and_its_target_left(tmp_path):
    target = tmp_path / "target"
    target.write_text("theirs")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_text("ours", link)
    assert not link.is_symlink()
    assert (link.read_text(), target.read_text()) == ("ours", "theirs")


def test_files_can_be_read_by_others(tmp_path):
    old = os.umask(0o022)
    try:
        write_text("x", tmp_path / "a.txt")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


def test_text_is_utf_8_with_unix_line_ends(tmp_path):
    write_text("é\n猫\n", tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_bytes() == "é\n猫\n".encode()


FRAME = pd.DataFrame(
    {
        "country": ["NA", "", 'a "quoted", text'],
        "p": [0.1 + 0.2, 1e-300, float("nan")],
        "n": [1, 2, 3],
        "words": [["a"], [], ["b", "c"]],
    },
    index=[5, 6, 7],
)


def test_csv_reads_back_to_the_same_values(tmp_path):
    frame = FRAME.drop(columns="words")
    write_csv(frame, tmp_path / "a.csv")
    back = pd.read_csv(tmp_path / "a.csv", keep_default_na=False, na_values={"p": [""]})
    pd.testing.assert_frame_equal(back, frame.reset_index(drop=True), check_exact=True)
    assert b"\r" not in (tmp_path / "a.csv").read_bytes()
    write_csv(frame, tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_parquet_reads_back_and_is_the_same_file_each_time(tmp_path):
    for name in ("a", "b"):
        write_parquet(FRAME, tmp_path / f"{name}.parquet")
    back = pd.read_parquet(tmp_path / "a.parquet")
    assert back.index.tolist() == [0, 1, 2]
    assert back["country"].tolist() == FRAME["country"].tolist()
    assert [list(some) for some in back["words"]] == FRAME["words"].tolist()
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_one_problem_is_the_message():
    error = InputError("a.yaml: wrong")
    assert error.problems == ("a.yaml: wrong",)
    assert str(error) == "a.yaml: wrong"
    assert isinstance(error, ValueError)


def test_many_problems_are_listed():
    error = InputError(line for line in ("one", "two"))
    assert error.problems == ("one", "two")
    assert str(error) == "2 problems:\n  - one\n  - two"


def test_an_error_crosses_processes():
    back = pickle.loads(pickle.dumps(InputError(["one", "two"])))
    assert (type(back), back.problems, str(back)) == (
        InputError, ("one", "two"), "2 problems:\n  - one\n  - two",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["pandas", "polars", "csv", "text"])
def test_a_full_disk_leaves_nothing_half_written(tmp_path, kind):
    # A limit on the size of files stops a write in its middle, as a full disk does.
    program = f"""
import resource, signal
import numpy as np, pandas as pd, polars as pl
from biasatlas.errors import InputError
from biasatlas.files import write_csv, write_parquet, write_text
frame = pd.DataFrame({{"x": np.random.default_rng(0).random(200_000)}})
write = {{
    "pandas": lambda path: write_parquet(frame, path),
    "polars": lambda path: write_parquet(pl.from_pandas(frame), path),
    "csv": lambda path: write_csv(frame, path),
    "text": lambda path: write_text("x" * 10**6, path),
}}["{kind}"]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    write("a.out")
except InputError as error:
    print(error)
"""
    (tmp_path / "a.out").write_text("old")
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "a.out: cannot be written (File too large); make room" in run.stdout, run.stderr
    assert names(tmp_path) == ["a.out"]
    assert (tmp_path / "a.out").read_text() == "old"


def test_another_error_of_the_system_stays_what_it_is(tmp_path):
    with pytest.raises(PermissionError), atomic_path(tmp_path / "a.txt"):
        raise PermissionError(13, "no")
