"""Prompts from files: every mistake in them is named, and text put in is never read again."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from biasatlas.errors import InputError
from biasatlas.language_models.prompts import Prompts, fill, join_values, load_prompts

ROOT = Path(__file__).parents[3]


def load(folder: Path, main: str, example: str = "[]", system: str = "Name it.") -> Prompts:
    for name, text in [("system.txt", system), ("example.yaml", example), ("main.txt", main)]:
        (folder / name).write_text(text, "utf-8")
    paths = [folder / name for name in ("system.txt", "example.yaml", "main.txt")]
    return load_prompts(*paths, required=["words"], allowed=["words", "documents"])


def test_examples_are_put_in_the_form_of_the_question(tmp_path):
    example = yaml.safe_dump([{"words": ["rain", "flood"], "reply": '{"label": "flood"}'}])
    prompts = load(tmp_path, 'Words: {words}. Answer {"label": "..."}', example)
    assert prompts.messages({"words": "tax"}) == [
        {"role": "system", "content": "Name it."},
        {"role": "user", "content": 'Words: rain, flood. Answer {"label": "..."}'},
        {"role": "assistant", "content": '{"label": "flood"}'},
        {"role": "user", "content": 'Words: tax. Answer {"label": "..."}'},
    ]


def test_braces_in_a_document_stay_as_they_are():
    text = "{words} {documents!r} {0} {documents.__class__} {{x}} %s"
    assert fill("{documents} | {words}", {"documents": text, "words": "a"}) == f"{text} | a"


def test_every_wrong_placeholder_is_named_with_its_file(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path, "{documents} {word}", system="{documents}")
    lines = error.value.problems
    assert len(lines) == 3
    assert "system.txt: placeholder {documents}" in lines[0]
    assert "main.txt: unknown placeholder {word}; allowed: {documents}, {words}" in lines[1]
    assert "main.txt: placeholder {words} is missing" in lines[2]


def test_wrong_examples_are_named(tmp_path):
    example = "- {words: [a], reply: b}\n- {reply: b}\n- {words: 3, reply: b, other: c}\n- text"
    with pytest.raises(InputError) as error:
        load(tmp_path, "{words}", example)
    text = "\n".join(error.value.problems)
    assert "example 1" not in text
    assert "example 2: key `words` is missing" in text
    assert "example 3: key `other` is no placeholder" in text
    assert "example 3: key `words`: a text is needed" in text
    assert "example 4: a mapping is needed, got 'text'" in text
    with pytest.raises(InputError, match="a list of examples is needed"):
        load(tmp_path, "{words}", "a: b")


def test_missing_files_are_named_all_at_once(tmp_path):
    with pytest.raises(InputError) as error:
        load_prompts(*(tmp_path / name for name in "abc"), required=[], allowed=[])
    assert [line.split(":")[0][-1] for line in error.value.problems] == ["a", "c", "b"]


def test_documents_stand_one_a_line():
    assert join_values("documents", ["one ", "two"]) == "- one\n- two"
    assert join_values("words", ["a", "b"]) == "a, b"
    assert join_values("phrases", ["a b", "c"]) == "a b; c"
