"""The UN General Debate Corpus (Baturo, Dasandi & Mikhaylov 2017), one speech a text file."""

from __future__ import annotations

import logging
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasatlas.corpora.readers.archives import iter_members
from biasatlas.corpora.readers.batches import Limits, Report, check_options, make_batch
from biasatlas.corpora.readers.common import check_file, decode
from biasatlas.corpora.salutations import count_salutations
from biasatlas.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

OPTIONS = ("name", "keep_salutations")
SPEECH = re.compile(r"([A-Z]{2,3})_(\d+)_(\d{4})\.txt")
# States that are gone, under the state that continues their seat or lies in the same place:
# used to put a speech into a region, never as a claim about succession.
FORMER_STATES = {"CSK": "CZE", "DDR": "DEU", "YMD": "YEM", "YUG": "SRB"}
MAX_BYTES = 50_000_000

# First parts after which a hyphen at a line's end belongs to the word.
_COMPOUND = re.compile(
    r"(?:.*\W)?(?:self|non|co|pre|post|anti|pro|inter|ex|semi|multi|socio|neo|well|long|short|far|"
    r"so|high|low|vice|peace|decision|policy|law|human|under|over|north|south|east|west|[a-z]+ly|"
    r"one|two|three|four|five|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)",
    re.IGNORECASE | re.DOTALL,
)
_SOFT_HYPHEN = "\u00ac"  # OCR's sign for one
_SOFT_BREAK = re.compile(rf"[ \t]*{_SOFT_HYPHEN}[ \t]*\n?[ \t]*(?=[a-z])")
_INDENT = re.compile(r"\n[ \t]+(?=\S)")
# What stands before is looked at last: a pattern that begins with a letter is searched fast.
_WORD_BREAK = re.compile(r"-\n(?<=[a-z]-\n)(?=[a-z])")
_NAME_BREAK = re.compile(r"-\n(?<=\w-\n)(?=\w)")
_PARAGRAPH_NUMBER = re.compile(r"\n\d{1,3}[.:][ \t]+")
_BLANKS = re.compile(r"[ \t]{2,}")


def read_ungdc(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    """Read the UN General Debate Corpus from a folder, tar or zip, without unpacking it.

    Parameters
    ----------
    path : Path
        A folder or an archive with files such as ``Session 50 - 1995/NGA_50_1995.txt``.
        Members are read in memory; nothing is ever written.
    options : mapping
        name: optional prefix of the ids; keep_salutations: true leaves the opening formulas.
    limits, report
        Counted, beside what `iter_members` counts: ``skipped_not_a_speech`` (other text files),
        ``dropped_too_long``, ``dropped_no_country`` (the European Union), ``decoded_by_fallback``, ``with_salutation``, and the words of
        ``dropped_salutation``.

    Returns
    -------
    iterator of pyarrow.RecordBatch
        As in `read_source`. The id is the file's stem, country the speaker's ISO3 (former
        states as in `FORMER_STATES`), date the year alone, since the files hold no day. The order
        is the archive's.

    Raises
    ------
    InputError
        Missing, empty or damaged archive, no speech in it, or a speech twice.
    """
    check_options("ungdc", options, OPTIONS)
    check_file(path, folder=True)
    return _batches(path, options, limits, report)


def _batches(
    path: Path, options: Mapping[str, Any], limits: Limits, report: Report
) -> Iterator[pa.RecordBatch]:
    prefix = f"{options['name']}-" if options.get("name") else ""
    keep = bool(options.get("keep_salutations"))
    stems: list[str] = []
    texts: list[str] = []
    length = 0
    for stem, raw in _speeches(path, limits, report):
        if len(raw) > limits.document_bytes:
            report.count("dropped_too_long")
            continue
        if not _speaker(stem):
            # else the countries that the speech names would decide
            report.count("dropped_no_country", rule=f"speaker {stem.split('_')[0]}")
            continue
        text = _speech_text(raw, report, keep=keep)
        stems.append(stem)
        texts.append(text)
        length += len(text)
        if length >= limits.batch_bytes:
            yield _make_batch(prefix, stems, texts)
            stems, texts, length = [], [], 0
    if stems:
        yield _make_batch(prefix, stems, texts)


def _speeches(path: Path, limits: Limits, report: Report) -> Iterator[tuple[str, bytes]]:
    """Give the stem and the bytes of each speech, once."""

    def wanted(name: str) -> bool:
        base = posixpath.basename(name)
        if SPEECH.fullmatch(base):
            return True
        report.count("skipped_not_a_speech", int(base.endswith(".txt")))
        return False

    seen: set[str] = set()
    for name, raw in iter_members(path, wanted, limits, report, max_bytes=MAX_BYTES):
        stem = posixpath.basename(name).removesuffix(".txt")
        if stem in seen:
            raise InputError(f"{path}: {stem}.txt comes twice; keep one")
        seen.add(stem)
        yield stem, raw
    if not seen:
        raise InputError(f"{path}: holds no speech named like NGA_50_1995.txt")
    logger.info("%s: %d speeches", path, len(seen))


def _speech_text(raw: bytes, report: Report, *, keep: bool) -> str:
    text, fallback = decode(raw)
    report.count("decoded_by_fallback", int(fallback))
    text = join_lines(text)
    if keep:
        return text
    text, n_sentences, n_words = count_salutations(text)
    report.count("with_salutation", int(n_sentences > 0))
    report.count("dropped_salutation", n_words, unit="word")
    return text


def _speaker(stem: str) -> str:
    """Give the speaker's ISO3, "" for one that is no country."""
    from biasatlas.corpora.regions import resolve_country

    code = stem.split("_")[0]
    # EU is an observer, not a country, though resolve_country would read it as a name
    return resolve_country(FORMER_STATES.get(code, code)) if len(code) == 3 else ""


def _make_batch(prefix: str, stems: list[str], texts: list[str]) -> pa.RecordBatch:
    return make_batch(
        {
            "document": [prefix + stem for stem in stems],
            "text": texts,
            "country": [_speaker(stem) for stem in stems],
            "source": "UN General Debate",
            "date": [stem.rsplit("_", 1)[1] for stem in stems],
        }
    )


def join_lines(text: str) -> str:
    r"""Join lines that were wrapped inside sentences; blank lines stay as paragraphs.

    A hyphen at a line's end is taken out between lower-case letters (``there-\nfore``), kept
    after a capital, a digit or a first part that forms compounds (``self-\ndetermination``).
    Paragraph numbers (``209.``) are dropped.
    """
    # Each step is asked for first by a plain search, as most speeches need only some of them.
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _SOFT_HYPHEN in text:
        text = _SOFT_BREAK.sub("", text)
    if " \n" in text or "\t\n" in text:
        *lines, last = text.split("\n")
        text = "\n".join([*(line.rstrip(" \t") for line in lines), last])
    if "\n " in text or "\n\t" in text:
        text = _INDENT.sub("\n", text)
    if "-\n" in text:
        text = _NAME_BREAK.sub("-", _WORD_BREAK.sub(_join_hyphen, text))
    text = _PARAGRAPH_NUMBER.sub("\n\n\n", "\n" + text)[1:]
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    text = "\n\n".join([paragraph.replace("\n", " ") for paragraph in text.split("\n\n")])
    if "\t" in text:
        text = _BLANKS.sub(" ", text)
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def _join_hyphen(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 20) : match.start()]
    return "-" if _COMPOUND.fullmatch(before) else ""
