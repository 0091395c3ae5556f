"""A small project on made-up text: every rule runs in it, within a minute or two."""

from __future__ import annotations

import csv
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml

ROOT = Path(__file__).parents[2]
# Three subjects with words of their own; the first is mostly female, the second male.
SUBJECTS = {
    "school": "teacher pupil lesson classroom homework exam library reading textbook grammar",
    "football": "goal striker league referee stadium penalty defender coach trophy keeper",
    "harvest": "wheat tractor barley farmland drought irrigation fertiliser orchard seed meadow",
}
FEMALE_SHARE = {"school": 0.85, "football": 0.1, "harvest": 0.4}
WEAT_WORDS = (
    "math algebra geometry calculus equations computation numbers addition poetry art dance "
    "literature novel symphony drama sculpture science technology physics chemistry einstein nasa "
    "experiment astronomy shakespeare executive management professional corporation salary office "
    "business career home parents children family cousins marriage wedding relatives"
).split()
FEWEST_REFITS = {"seeds": 1, "orders": 0, "bootstraps": 2, "permutations": 99}
FEW_REFITS = {"seeds": 2, "orders": 1, "bootstraps": 4, "permutations": 199}
FEW_DRAWS = {"nulls": 20, "bootstrap": 100, "permutations": 99}
SIZES = {"north": 260, "south": 30}
# For runs that are not about languages.
NO_LANGUAGES = {"languages": []}
FEMALE = "she her mother daughter sister aunt".split()
MALE = "he his father son brother uncle".split()
FILLING = "the of and in with after before during many some old new great small".split()


def write_corpus(path: Path, sizes: dict[str, int], seed: int = 7) -> None:
    """Write documents of about 60 words: id, region, date, text."""
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["id", "region", "date", "text"])
        for region, size in sizes.items():
            for number in range(size):
                subject = rng.choice(list(SUBJECTS))
                female = rng.random() < FEMALE_SHARE[subject]
                text = _document(rng, SUBJECTS[subject].split(), FEMALE if female else MALE)
                date = f"2020-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
                table.writerow([f"{region}{number:04d}", region, date, text])


def _document(rng: random.Random, subject: list[str], terms: list[str]) -> str:
    sentences = []
    for _ in range(6):
        words = rng.choices(subject, k=5) + rng.choices(FILLING, k=2) + rng.choices(WEAT_WORDS, k=2)
        words.append(rng.choice(terms))
        rng.shuffle(words)
        sentences.append(" ".join(words).capitalize() + ".")
    return " ".join(sentences)


def write_bert(folder: Path, words: Collection[str], positions: int = 512) -> None:
    """Save a random two-layer BERT that knows the words whole and no other, safetensors only."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *sorted(words)]
    numbers = {word: number for number, word in enumerate(vocabulary)}
    BertTokenizerFast(vocab=numbers, model_max_length=positions).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.3,
        max_position_embeddings=positions,
    )
    BertModel(config).save_pretrained(folder, safe_serialization=True)


def write_encoder(folder: Path) -> None:
    """Save such a BERT as a sentence-transformers model."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    words = {word for text in SUBJECTS.values() for word in text.split()}
    raw = folder.with_name("raw_bert")
    write_bert(raw, words | {*WEAT_WORDS, *FEMALE, *MALE, *FILLING})
    transformer = Transformer(str(raw), max_seq_length=128)
    SentenceTransformer(modules=[transformer, Pooling(32)]).save(str(folder))


def list_words(*kinds: str) -> list[str]:
    """Words of the repository's own lists, in lower case."""
    lists = [ROOT / "resources" / "word_lists" / kind for kind in kinds]
    text = " ".join(p.read_text("utf-8") for some in lists for p in sorted(some.rglob("*.yaml")))
    return sorted({word.lower() for word in re.findall(r"(?m)^ +- ([\w-]+)$", text)})


def write_glove(folder: Path) -> None:
    """Write pretrained vectors in the form of the GloVe asset: random, for the listed words."""
    import pandas as pd

    words = list_words("weat/en", "control/en", "region_aware")
    folder.mkdir(parents=True)
    matrix = np.random.default_rng(0).normal(size=(len(words), 20)).astype(np.float32)
    np.save(folder / "glove_6B_50d_emb.npy", matrix)
    pd.DataFrame({"index": words}).to_parquet(folder / "glove_6B_index.parquet", index=False)


def write_config(project: Path, assets: Path, **changes: Any) -> Path:
    """Write the project's configuration; `changes` replace its top-level keys."""
    source = {
        "reader": "table",
        "path": "corpus.csv",
        "options": {"text": "text", "id": "id", "region": "region", "date": "date"},
    }
    config: dict[str, Any] = {
        "run": "small",
        "regions": [
            {"name": "north", "label": "The North", "document_label": "north"},
            {"name": "south", "document_label": "south"},
        ],
        "corpora": [
            {"name": "discovery", "role": "discovery", "part": "earlier", "sources": [source]},
            {"name": "evaluation", "role": "evaluation", "part": "later", "sources": [source]},
        ],
        "asset_paths": {
            "minilm_l6_v2": str(assets / "encoder"),
            "glove_6b_50d": str(assets / "glove"),
        },
        "vectors": {
            "seeds": [1, 2],
            "word2vec": {"size": 20, "min_count": 2},
            "fasttext": {"size": 20, "min_count": 2, "buckets": 1000},
        },
        "weat": {"bootstrap": 200, "nulls": 20},
        "stability": {"bootstrap": 100, "permutations": 99},
        "topics": {"permutations": 499, "bootstrap": 200, "refits": FEW_REFITS},
        # the model is not in every clone; a test of its own asks it
        "labels": {"model": None},
        "weathub": {"models": _word_models(assets), **FEW_DRAWS},
        # made-up text is in no language
        "documents": {"language_min": None, "min_words": 20},
        "passages": {"words": 60, "min_words": 20},
    } | changes
    path = project / "config" / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def _word_models(assets: Path) -> list[dict[str, str]]:
    # A sentence encoder would take its time and go the same ways.
    return [
        {"name": "bert", "kind": "layers", "path": str(assets / "bert"), "group": "monolingual"},
        {"name": "glove", "kind": "static", "asset": "glove_6b_50d", "group": "monolingual"},
    ]


def make_project(project: Path, assets: Path, sizes: dict[str, int] = SIZES) -> Path:
    """Lay out a working folder: word lists of the repository, a made-up corpus, a small config."""
    ignored = shutil.ignore_patterns("fetched")
    shutil.copytree(ROOT / "resources", project / "resources", ignore=ignored)
    write_corpus(project / "corpus.csv", sizes)
    write_config(project, assets)
    return project


@contextmanager
def edited(path: Path, change: Callable[[str], str]) -> Iterator[None]:
    """Change a file for the time of a dry run."""
    before = path.read_text("utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def snakemake_command(project: Path) -> list[str]:
    """How a user starts snakemake in a project."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    return [*command, "--directory", str(project)]


def snakemake(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run snakemake in a project as a user would, and keep what it printed."""
    command = [*snakemake_command(project), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=900, check=False, stdin=subprocess.DEVNULL
    )


def planned_jobs(project: Path, *arguments: str) -> dict[str, int]:
    """Jobs that a dry run would run, by rule, without the targets themselves."""
    result = snakemake(project, "--dry-run", "--cores", "1", *arguments)
    printed = result.stdout + result.stderr
    assert result.returncode == 0, printed
    return counted_jobs(printed)


def counted_jobs(printed: str) -> dict[str, int]:
    """Jobs that a run or a dry run says it runs."""
    table = printed.partition("Job stats:")[2].partition("Select jobs")[0]
    counts = {rule: int(n) for rule, n in re.findall(r"(?m)^(\w+) +(\d+)$", table)}
    return {rule: n for rule, n in counts.items() if rule not in {"total", "all", "count"}}
