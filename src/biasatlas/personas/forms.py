"""How language models are asked for personas: prompt forms, neutral topics, the probe."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biasatlas.language_models.chat import Message
from biasatlas.language_models.prompts import fill, wrong_placeholders
from biasatlas.lexicons.strict_yaml import Document, raise_problems, read_document

PLACEHOLDERS = ("region", "topic")
NEUTRAL_TOPICS = "neutral_topics"
PROBE = "probe"


@dataclass(frozen=True)
class Form:
    """One way to ask for a person of a region who is interested in a topic.

    Attributes
    ----------
    name, title : str
        Name of its file, and how the atlas writes it.
    reply : {'json', 'text'}
    genders : tuple of str
        The only values of the field gender; any text where empty.
    system, message : str
        Texts; `system` may be empty.
    """

    name: str
    title: str
    reply: str
    genders: tuple[str, ...]
    system: str
    message: str

    def messages(self, region: str, topic: str) -> list[Message]:
        """The question for a region and a topic, whose texts are put in as they are."""
        asked: list[Message] = []
        if self.system:
            asked.append({"role": "system", "content": self.system})
        text = fill(self.message, {"region": region, "topic": topic})
        return [*asked, {"role": "user", "content": text}]

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON schema of the reply; None where it is free text."""
        if self.reply == "text":
            return None
        gender: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 20}
        if self.genders:
            gender = {"type": "string", "enum": list(self.genders)}
        return {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 40},
                "gender": gender,
                "about": {"type": "string", "maxLength": 80},
            },
            "required": ["name", "gender", "about"],
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Probe:
    """Beginnings of a text, and a female and a male continuation.

    Attributes
    ----------
    templates : tuple of (str, str)
        Name and text of each.
    female, male : str
        Continuations, with the space before them.
    """

    templates: tuple[tuple[str, str], ...]
    female: str
    male: str

    @staticmethod
    def write(template: str, region: str, topic: str) -> str:
        """A beginning for a region and a topic."""
        return fill(template, {"region": region, "topic": topic})


def load_forms(folder: str | Path, names: Sequence[str]) -> list[Form]:
    """Read prompt forms, ``{folder}/{name}.yaml``.

    Raises
    ------
    InputError
        With file and line of every problem of every form.
    """
    documents = [read_document(Path(folder) / f"{name}.yaml", "persona_form") for name in names]
    for document in documents:
        if document.sound:
            _check_form(document)
    raise_problems(documents)
    return [
        Form(
            name=name,
            title=document.data["title"],
            reply=document.data["reply"],
            genders=tuple(document.data.get("genders", ())),
            system=document.data.get("system", "").strip(),
            message=document.data["message"].strip(),
        )
        for name, document in zip(names, documents, strict=True)
    ]


def _check_form(document: Document) -> None:
    data = document.data
    for key, required, allowed in (("message", PLACEHOLDERS, PLACEHOLDERS), ("system", (), ())):
        for line in wrong_placeholders(data.get(key, ""), required=required, allowed=allowed):
            document.report((key,), f"{key}: {line}")
    if data["reply"] == "text" and "genders" in data:
        document.report(("genders",), "genders: free text has no field that could have them")


def load_neutral_topics(folder: str | Path) -> list[str]:
    """Read the topics of which no gender is expected, in the order of their file.

    Raises
    ------
    InputError
        With file and line.
    """
    document = read_document(Path(folder) / f"{NEUTRAL_TOPICS}.yaml", "neutral_topics")
    raise_problems([document])
    return list(document.data["topics"])


def load_probe(folder: str | Path) -> Probe:
    """Read the beginnings and continuations of the probe.

    Raises
    ------
    InputError
        With file and line.
    """
    document = read_document(Path(folder) / f"{PROBE}.yaml", "persona_probe")
    if document.sound:
        _check_probe(document)
    raise_problems([document])
    data = document.data
    return Probe(
        templates=tuple((one["name"], one["text"].strip()) for one in data["templates"]),
        female=data["continuations"]["female"],
        male=data["continuations"]["male"],
    )


def _check_probe(document: Document) -> None:
    names = [one["name"] for one in document.data["templates"]]
    for number, template in enumerate(document.data["templates"]):
        place = ("templates", number)
        for line in wrong_placeholders(template["text"], required=("topic",), allowed=PLACEHOLDERS):
            document.report((*place, "text"), f"template {template['name']}: {line}")
        if template["name"] in names[:number]:
            document.report((*place, "name"), f"template {template['name']} stands twice")
        if template["name"] == "all":
            document.report((*place, "name"), "template all: `all` is the mean over templates")
    texts = document.data["continuations"]
    if texts["female"] == texts["male"]:
        document.report(("continuations",), "continuations: both are the same text")


def forms_text(forms: Sequence[Form]) -> str:
    """What decides the replies to some forms, as one text: titles do not."""
    kept = [{k: v for k, v in asdict(form).items() if k != "title"} for form in forms]
    return json.dumps(kept, sort_keys=True, ensure_ascii=False)


def probe_text(probe: Probe) -> str:
    """What decides a probe, as one text."""
    return json.dumps(asdict(probe), sort_keys=True, ensure_ascii=False)
