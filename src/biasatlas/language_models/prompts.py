"""Prompts from files: their placeholders are checked, and text is put in without being read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasatlas.errors import InputError
from biasatlas.language_models.chat import Message

_PLACEHOLDER = re.compile(r"\{\s*([A-Za-z_]\w*)\s*\}")


@dataclass(frozen=True)
class Prompts:
    """A system prompt, solved examples and the question, as `load_prompts` gives them.

    Attributes
    ----------
    system : str
    main : str
        With placeholders such as ``{documents}``.
    examples : tuple of (dict of str to str, str)
        Values for the placeholders of `main`, and the right reply.
    """

    system: str
    main: str
    examples: tuple[tuple[Mapping[str, str], str], ...]

    def messages(self, values: Mapping[str, str]) -> list[Message]:
        """The question about some values, behind the examples."""
        found: list[Message] = []
        if self.system:
            found.append({"role": "system", "content": self.system})
        for given, reply in self.examples:
            found.append({"role": "user", "content": fill(self.main, given)})
            found.append({"role": "assistant", "content": reply})
        return [*found, {"role": "user", "content": fill(self.main, values)}]


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace each placeholder once; braces in the values stay as they are."""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


def find_placeholders(template: str) -> set[str]:
    """Names of the placeholders of a text."""
    return set(_PLACEHOLDER.findall(template))


def wrong_placeholders(
    template: str, *, required: Collection[str], allowed: Collection[str]
) -> list[str]:
    """Say which placeholders of a text are unknown, and which are missing."""
    used = find_placeholders(template)
    some = ", ".join(f"{{{name}}}" for name in sorted(allowed)) or "none"
    return [
        *(f"unknown placeholder {{{n}}}; allowed: {some}" for n in sorted(used - set(allowed))),
        *(f"placeholder {{{name}}} is missing" for name in sorted(set(required) - used)),
    ]


def load_prompts(
    system: str | Path,
    example: str | Path,
    main: str | Path,
    *,
    required: Collection[str],
    allowed: Collection[str],
) -> Prompts:
    """Read the three prompts of a task.

    Parameters
    ----------
    system, main : str or Path
        Text files; `main` has the placeholders.
    example : str or Path
        YAML: a list of mappings with a text or list of texts for each placeholder of `main`,
        and `reply`.
    required, allowed : collection of str
        Placeholders that `main` must and may have.

    Raises
    ------
    InputError
        With every problem: file, and placeholder or key.
    """
    problems: list[str] = []
    texts = {}
    for path in (system, main):
        try:
            texts[path] = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path}: cannot be read ({error})")
    if system in texts:
        problems += [
            f"{system}: placeholder {{{name}}}: a system prompt has none"
            for name in sorted(find_placeholders(texts[system]))
        ]
    used = find_placeholders(texts.get(main, ""))
    if main in texts:
        found = wrong_placeholders(texts[main], required=required, allowed=allowed)
        problems += [f"{main}: {line}" for line in found]
    examples, found = _read_examples(Path(example), used & set(allowed))
    problems += found
    if problems:
        raise InputError(problems)
    return Prompts(texts[system], texts[main], examples)


def _read_examples(
    path: Path, used: Collection[str]
) -> tuple[tuple[tuple[dict[str, str], str], ...], list[str]]:
    import yaml

    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        return (), [f"{path}: cannot be read ({' '.join(str(error).split())})"]
    if not isinstance(entries, list):
        return (), [f"{path}: a list of examples is needed, [] for none"]
    examples: list[tuple[dict[str, str], str]] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, example {number}"
        if not isinstance(entry, dict):
            problems.append(f"{where}: a mapping is needed, got {entry!r}")
            continue
        found = [f"{where}: key `{k}` is missing" for k in sorted({*used, "reply"} - set(entry))]
        found += [
            f"{where}: key `{k}` is no placeholder of the main prompt; allowed: "
            + ", ".join([*sorted(used), "reply"])
            for k in sorted(map(str, set(entry) - {*used, "reply"}))
        ]
        values = {key: _example_text(key, value) for key, value in entry.items()}
        found += [f"{where}: key `{k}`: a text is needed" for k, v in values.items() if v is None]
        problems += found
        if not found:
            texts = {key: str(value) for key, value in values.items()}
            examples.append(({name: texts[name] for name in used}, texts["reply"]))
    return tuple(examples), problems


def _example_text(key: str, value: Any) -> str | None:
    if isinstance(value, str) and value.strip():
        return value.strip()
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return join_values(key, value)
    return None


def join_values(name: str, values: Sequence[str]) -> str:
    """Write a list into a prompt: documents one a line, phrases and words one behind another."""
    if name == "documents":
        return "\n".join(f"- {value.strip()}" for value in values)
    return ("; " if name == "phrases" else ", ").join(values)
