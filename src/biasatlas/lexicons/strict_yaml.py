"""YAML with line numbers: plain data, checked against a schema, every problem at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from biasatlas.errors import InputError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"
_SCALARS = {_TAG + kind for kind in ("null", "bool", "int", "float")}
# Rules that a word breaks without harm to the shape of its file.
_ABOUT_WORDS = ("not", "pattern", "uniqueItems")
_TYPES = {
    "string": "text",
    "array": "a list",
    "object": "keys with values",
    "number": "a number",
}

Key = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file; its text is a line that a user can act on.

    Attributes
    ----------
    path : Path
        The file.
    line : int
        Line from 1, 0 where the whole file is meant.
    message : str
        What is wrong.
    place : str
        Where in the file, such as ``targets.x.words``; may be empty.
    word : str
        The word at fault, empty where it is not about one.
    severity : {"error", "warning"}
    """

    path: Path
    line: int
    message: str
    place: str = ""
    word: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.path}{line}: {self.message}"


@dataclass
class Document:
    """A YAML file as plain data that remembers where everything stood.

    Attributes
    ----------
    path : Path
        The file.
    data : Any
        Dictionaries, lists, text, numbers, booleans and None.
    lines : dict
        Line number (from 1) of every key and list item, by its path in `data`.
    raw : dict
        The characters of every unquoted value that YAML reads as something other than text.
    problems : list of Problem
        What is wrong so far.
    sound : bool
        Whether its keys and lists are as its schema says, so that the words can be looked at.
    """

    path: Path
    data: Any = None
    lines: dict[Key, int] = field(default_factory=dict)
    raw: dict[Key, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    sound: bool = False

    def report(
        self, where: Key, message: str, *, severity: str = "error", word: str | None = None
    ) -> None:
        """Note a problem at the line of `where`, once."""
        place = ".".join(part for part in where if isinstance(part, str))
        word = self._item(where) if word is None else word
        line = self.lines.get(where, 1)
        problem = Problem(self.path, line, message, place, word, severity)
        if problem not in self.problems:
            self.problems.append(problem)

    def fail(self, message: str, line: int = 0) -> None:
        """Note a problem of the file itself."""
        self.problems.append(Problem(self.path, line, message))

    def _item(self, where: Key) -> str:
        """Give the word at `where`, empty where a key or a whole list is meant."""
        if not any(isinstance(part, int) for part in where):
            return ""
        value = self.data
        try:
            for part in where:
                value = value[part]
        except (KeyError, IndexError, TypeError):
            return ""
        return value if isinstance(value, str) else self.raw.get(where, "")


def read_document(path: str | Path, schema: str) -> Document:
    """Read a YAML file strictly and check it against one of the package's schemas.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file with one YAML document.
    schema : str
        Name of a file in ``biasatlas/lexicons/schemas`` without ``.schema.yaml``.

    Returns
    -------
    Document
        `problems` is empty when the file is right; the caller decides when to raise.
    """
    document = parse_document(path)
    check_schema(document, schema)
    return document


def parse_document(path: str | Path) -> Document:
    """Read a YAML file strictly, whatever it holds; `check_schema` may follow."""
    document = Document(Path(path))
    node = _compose(document)
    if node is None:
        return document
    document.lines[()] = node.start_mark.line + 1
    document.data = _plain(document, node, (), set())
    return document


def check_schema(document: Document, schema: str) -> None:
    """Check a document that is right so far against one of the package's schemas."""
    if document.problems:
        return
    document.sound = True
    for error in _validator(schema).iter_errors(document.data):
        _explain(document, error)
        document.sound &= error.validator in _ABOUT_WORDS


def raise_problems(documents: Sequence[Document]) -> None:
    """Raise one `InputError` with the problems of all documents, if there are any."""
    problems = [str(problem) for document in documents for problem in document.problems]
    if problems:
        raise InputError(problems)


def _compose(document: Document) -> yaml.Node | None:
    path = document.path
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        document.fail("there is no such file")
        return None
    except OSError as error:
        document.fail(f"cannot be read: {error.strerror}")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        document.fail(f"byte 0x{byte:02x} is not UTF-8; save it as UTF-8", line)
        return None
    try:
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        number = mark.line if mark else 0
        lines = text.splitlines()
        tab = number < len(lines) and "\t" in lines[number]
        what = "a tab; YAML is indented with spaces" if tab else f"not YAML: {error.problem}"
        document.fail(what, number + 1)
        return None
    except yaml.YAMLError as error:
        bad = next((i for i, c in enumerate(text) if not c.isprintable() and c not in "\t\r\n"), 0)
        line = text.count("\n", 0, bad) + 1
        reason = str(error).splitlines()[0]
        document.fail(f"a character that YAML does not allow: {reason}", line)
        return None
    if node is None:
        document.fail("the file is empty", 1)
    return node


def _plain(document: Document, node: yaml.Node, where: Key, seen: set[int]) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(document, node, where)
    if id(node) in seen:
        document.report(where, "aliases (*name) are not allowed; write the content out")
        return None
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        items = []
        for number, child in enumerate(node.value):
            document.lines[(*where, number)] = child.start_mark.line + 1
            items.append(_plain(document, child, (*where, number), seen))
        return items
    mapping: dict[str, Any] = {}
    for key_node, child in node.value:
        key = str(key_node.value)
        line = key_node.start_mark.line + 1
        if key in mapping:
            first = document.lines[(*where, key)]
            document.fail(f"key '{key}' stands twice; it stood on line {first}", line)
            continue
        document.lines[(*where, key)] = line
        mapping[key] = _plain(document, child, (*where, key), seen)
    return mapping


def _scalar(document: Document, node: yaml.ScalarNode, where: Key) -> Any:
    if node.tag == _TAG + "str":
        return node.value
    if node.tag in _SCALARS:
        document.raw[where] = node.value
        try:
            return _CONSTRUCTOR.construct_object(node)
        except ValueError:
            return node.value
    kind = node.tag.removeprefix(_TAG)
    problem = f'{node.value} is read by YAML as {kind}: quote it ("{node.value}")'
    document.report(where, problem, word=node.value)
    return node.value


@lru_cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    file = resources.files("biasatlas.lexicons") / "schemas" / f"{name}.schema.yaml"
    return Draft202012Validator(yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader))


def _explain(document: Document, error: ValidationError) -> None:
    """Turn one schema error into the plain sentences that a user can act on."""
    where: Key = tuple(error.absolute_path)
    name, rule = describe_place(where), error.validator
    value: Any = error.instance
    limit: Any = error.validator_value
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    if rule == "required":
        for key in limit:
            if key not in value:
                document.report(where, f"missing key '{key}'{_in(where)}")
    elif rule == "anyOf":
        keys = " or ".join(f"'{key}'" for option in limit for key in option["required"])
        document.report(where, f"missing key {keys}{_in(where)}")
    elif rule == "additionalProperties":
        allowed = ", ".join(schema["properties"])
        for key in value:
            if key not in schema["properties"]:
                problem = f"unknown key '{key}'{_in(where)}; allowed: {allowed}"
                document.report((*where, key), problem)
    elif "propertyNames" in error.absolute_schema_path:
        document.report((*where, value), f"key '{value}' does not belong in this kind of list")
    elif rule == "type":
        document.report(where, _wrong_type(document, where, str(limit)))
    elif rule in ("minItems", "minProperties"):
        few = f"has only {len(value)} of at least {limit}" if value else "is empty"
        document.report(where, f"{name} {few}")
    elif rule == "uniqueItems":
        for number, item in enumerate(value):
            if item in value[:number]:
                first = document.lines[(*where, value.index(item))]
                problem = f"'{item}' stands twice in {name}; it stood on line {first}"
                document.report((*where, number), problem)
    elif isinstance(value, str) and not value.strip():
        document.report(where, f"{name} is blank")
    elif isinstance(value, str) and value != value.strip():
        document.report(where, f"{name} has stray white space: {value!r}")
    else:
        about = " ".join(str(schema.get("description", error.message)).split())
        document.report(where, f"{name} is {value!r}; allowed: {about}")


def _wrong_type(document: Document, where: Key, expected: str) -> str:
    name, raw = describe_place(where), document.raw.get(where)
    wanted = _TYPES.get(expected, expected)
    if raw is None:
        return f"{name} must be {wanted}"
    if raw == "":
        return f"{name} is empty; it must be {wanted}"
    if expected != "string":
        return f"{name} is {raw}; it must be {wanted}"
    return f'{name} is {raw} without quotes, which YAML does not read as text: quote it ("{raw}")'


def describe_place(where: Key) -> str:
    """Name a place in a document: ``targets.x.words`` or ``word in targets.x.words``."""
    if where and isinstance(where[-1], int):
        parent = ".".join(str(part) for part in where[:-1])
        return f"item {where[-1] + 1} of {parent}"
    return ".".join(str(part) for part in where)


def _in(where: Key) -> str:
    return f" in {describe_place(where)}" if where else ""
