"""The UN General Debate Corpus (Baturo, Dasandi & Mikhaylov 2017), one speech a text file."""

from __future__ import annotations

import logging
import posixpath
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.common import (
    broken_as_input_error,
    check_file,
    check_options,
    decode,
    document_frame,
)
from biasatlas.corpora.salutations import strip_salutations
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import polars as pl

logger = logging.getLogger(__name__)

SPEECH = re.compile(r"([A-Z]{2,3})_(\d+)_(\d{4})\.txt")
# States that are gone, under the state that continues their seat or lies in the same place:
# used to put a speech into a region, never as a claim about succession.
FORMER_STATES = {"CSK": "CZE", "DDR": "DEU", "YMD": "YEM", "YUG": "SRB"}
MAX_BYTES = 50_000_000
ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".zip")

# First parts after which a hyphen at a line's end belongs to the word.
_COMPOUND = re.compile(
    r"(?:.*\W)?(?:self|non|co|pre|post|anti|pro|inter|ex|semi|multi|socio|neo|well|long|short|far|"
    r"so|high|low|vice|peace|decision|policy|law|human|under|over|north|south|east|west|[a-z]+ly|"
    r"one|two|three|four|five|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)",
    re.IGNORECASE | re.DOTALL,
)


def _join_hyphen(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 20) : match.start()]
    return "-" if _COMPOUND.fullmatch(before) else ""


_LINE_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\r\n?"), "\n"),
    (re.compile(r"[ \t]*\u00ac[ \t]*\n?[ \t]*(?=[a-z])"), ""),  # OCR's sign for a soft hyphen
    (re.compile(r"[ \t]+\n"), "\n"),
    (re.compile(r"\n[ \t]+(?=\S)"), "\n"),
    (re.compile(r"(?<=[a-z])-\n(?=[a-z])"), _join_hyphen),
    (re.compile(r"(?<=\w)-\n(?=\w)"), "-"),
    (re.compile(r"(?m)^\d{1,3}[.:][ \t]+"), "\n\n"),  # numbered paragraphs
    (re.compile(r"(?<!\n)\n(?!\n)"), " "),
    (re.compile(r"\n{2,}"), "\n\n"),
    (re.compile(r"[ \t]{2,}"), " "),
)


def read_ungdc(
    path: Path, options: Mapping[str, Any]
) -> tuple[pl.DataFrame, dict[tuple[str, str], int]]:
    """Read the UN General Debate Corpus from a folder, tar or zip, without unpacking it.

    Parameters
    ----------
    path : Path
        A folder or an archive with files such as ``Session 50 - 1995/NGA_50_1995.txt``.
        Members are read in memory; nothing is ever written.
    options : mapping
        name: optional prefix of the ids; keep_salutations: true leaves the opening formulas.

    Returns
    -------
    documents, counts
        As in `read_source`. The id is the file's stem, country the speaker's ISO3 (former
        states as in `FORMER_STATES`; "" for the European Union), date the year alone, since
        the files hold no day. Words and documents of dropped salutations are counted.

    Raises
    ------
    InputError
        Missing, empty or truncated archive, no speech in it, or a speech twice.
    """
    from biasatlas.corpora.regions import resolve_countries

    check_options("ungdc", options, ("name", "keep_salutations"))
    speeches, counts = _read_speeches(path, keep=bool(options.get("keep_salutations")))
    stems = sorted(speeches)
    codes = [stem.split("_")[0] for stem in stems]
    # EU is an observer, not a country, though resolve_country would read it as a name
    codes = [FORMER_STATES.get(code, code) if len(code) == 3 else "" for code in codes]
    prefix = f"{options['name']}-" if options.get("name") else ""
    frame = document_frame(
        {
            "document": [prefix + stem for stem in stems],
            "text": [speeches[stem] for stem in stems],
            "country": resolve_countries(codes),
            "source": ["UN General Debate"] * len(stems),
            "date": [stem.rsplit("_", 1)[1] for stem in stems],
        }
    )
    return frame, counts


def _read_speeches(path: Path, *, keep: bool) -> tuple[dict[str, str], dict[tuple[str, str], int]]:
    """Give each speech's text by its stem; `keep` leaves the salutations."""
    speeches: dict[str, str] = {}
    counts = dict.fromkeys(
        [
            ("read", "document"),
            ("decoded_by_fallback", "document"),
            ("skipped_not_a_speech", "document"),
            ("with_salutation", "document"),
            ("dropped_salutation", "word"),
        ],
        0,
    )
    sentences = 0
    for member, raw in _members(path):
        match = SPEECH.fullmatch(posixpath.basename(member))
        if match is None or ".." in member.split("/"):
            counts["skipped_not_a_speech", "document"] += 1
            continue
        stem = match.group(0)[: -len(".txt")]
        if stem in speeches:
            raise InputError(f"{path}: {stem}.txt comes twice; keep one")
        text, fallback = decode(raw)
        text = join_lines(text)
        counts["decoded_by_fallback", "document"] += fallback
        if not keep:
            words = len(text.split())
            text, n = strip_salutations(text)
            sentences += n
            counts["with_salutation", "document"] += n > 0
            counts["dropped_salutation", "word"] += words - len(text.split())
        speeches[stem] = text
    if not speeches:
        raise InputError(f"{path}: holds no speech named like NGA_50_1995.txt")
    counts["read", "document"] = len(speeches)
    logger.info("%s: %d speeches, %d opening sentences dropped", path, len(speeches), sentences)
    return speeches, counts


def join_lines(text: str) -> str:
    r"""Join lines that were wrapped inside sentences; blank lines stay as paragraphs.

    A hyphen at a line's end is taken out between lower-case letters (``there-\nfore``), kept
    after a capital, a digit or a first part that forms compounds (``self-\ndetermination``).
    Paragraph numbers (``209.``) are dropped.
    """
    for pattern, replacement in _LINE_RULES:
        text = pattern.sub(replacement, text)
    return text.strip()


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Give (name, bytes) of each text file in name order (folder, zip) or archive order (tar)."""
    check_file(path, folder=True)
    if path.is_dir():
        for file in sorted(path.rglob("*.txt")):
            if file.is_file() and not file.name.startswith("._"):
                yield file.relative_to(path).as_posix(), file.read_bytes()
    elif path.suffix == ".zip":
        with broken_as_input_error(path), zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if _wanted(info.filename, info.file_size, path):
                    yield info.filename, archive.read(info)
    elif path.name.endswith(ENDINGS):
        with broken_as_input_error(path), tarfile.open(path) as archive:
            for item in archive:
                if item.isfile() and _wanted(item.name, item.size, path):
                    handle = archive.extractfile(item)
                    raw = handle.read() if handle is not None else b""
                    if len(raw) != item.size:
                        raise EOFError(f"{item.name} is cut short")
                    yield item.name, raw
    else:
        raise InputError(f"{path}: give a folder or a file ending in {', '.join(ENDINGS)}")


def _wanted(name: str, size: int, path: Path) -> bool:
    base = posixpath.basename(name)
    if not base.endswith(".txt") or base.startswith("._"):
        return False
    if size > MAX_BYTES:
        raise InputError(f"{path}: {name} has {size} bytes; a speech has at most {MAX_BYTES}")
    return True
