"""Read and check a configuration; say everything that is wrong at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, get_args

from biasatlas.config.models import Config, find_contradictions
from biasatlas.errors import InputError


def load_config(*paths: str | Path) -> Config:
    """Read configuration files, later ones over earlier ones, and validate the result.

    Parameters
    ----------
    *paths : str or Path
        YAML files. Mappings are merged key by key, lists are replaced, as Snakemake does.

    Returns
    -------
    Config

    Raises
    ------
    InputError
        Naming each wrong key, its value and what is allowed.
    """
    import yaml

    merged: dict[str, Any] = {}
    for path in paths:
        try:
            values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from error
        except yaml.YAMLError as error:
            raise InputError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
        if not isinstance(values, dict):
            raise InputError(f"{path}: must be a mapping of keys to values")
        _merge(merged, values)
    return validate(merged, where=" + ".join(str(path) for path in paths))


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def validate(values: Mapping[str, Any], where: str = "configuration") -> Config:
    """Validate a merged configuration.

    Parameters
    ----------
    values : mapping
        Keys and values as read from YAML.
    where : str
        Name of the file or files, for the message.

    Raises
    ------
    InputError
        One line a wrong key: key, value, what is allowed.
    """
    from pydantic import ValidationError

    try:
        return Config.model_validate(dict(values))
    except ValidationError as error:
        lines = _problems(error.errors(include_url=False))
        # The models look at contradictions only when every key is right by itself.
        said = " ".join(lines)
        lines += [line for line in find_contradictions(values) if line not in said]
        raise InputError([f"{where}: {line}" for line in lines]) from None


def _problems(errors: Iterable[Any]) -> list[str]:
    explained: dict[str, list[str]] = {}
    for error in errors:
        # A union reports each of its members; the key itself is what the user can mend.
        location = [part for part in error["loc"] if not _is_union_member(part)]
        key = ".".join(str(part) for part in location) or "(top level)"
        reasons = explained.setdefault(key, [])
        reason = _explain(error)
        if reasons and reason.startswith("value "):
            reason = reason.partition(": ")[2]
        if reason not in reasons:
            reasons.append(reason)
    return [f"key `{key}`: {', or '.join(reasons)}" for key, reasons in explained.items()]


def _is_union_member(part: object) -> bool:
    return isinstance(part, str) and (
        "[" in part or "constrained" in part or part in {"int", "bool", "str", "float"}
    )


# Below the models that servers run, a value in the wrong place may be a key.
_MAY_SHOW_A_KEY = {
    "bool_type",
    "dict_type",
    "float_parsing",
    "float_type",
    "int_parsing",
    "int_type",
    "list_type",
    "model_attributes_type",
    "model_type",
    "string_type",
}


def _explain(error: Mapping[str, Any]) -> str:
    value, kind = error.get("input"), error["type"]
    if error["loc"][:2] == ("personas", "models") and kind in _MAY_SHOW_A_KEY:
        message = error["msg"]
        return f"value (not shown, it may hold a key): {message[:1].lower()}{message[1:]}"
    if kind == "extra_forbidden":
        allowed = _sibling_keys(error["loc"])
        near = difflib.get_close_matches(str(error["loc"][-1]), allowed, n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        return f"no such key; {hint}allowed here: {', '.join(allowed)}"
    if kind == "missing":
        return "is missing"
    if isinstance(value, bool) and kind in {"string_type", "string_pattern_mismatch"}:
        word = "no, off or n" if not value else "yes, on or y"
        return f'value {value} is YAML for an unquoted {word}; write it in quotes, e.g. "no"'
    if isinstance(value, date):
        return f'value {value} is YAML for a date; write it in quotes, e.g. "{value}"'
    if isinstance(value, bool) and kind == "list_type":
        return f'value {value} is YAML for an unquoted yes or no; give a list, e.g. ["no"]'
    message = error["msg"].removeprefix("Value error, ")
    if kind == "value_error":
        return message
    if kind == "string_pattern_mismatch":
        message = f"allowed: text that matches {error['ctx']['pattern']}"
    return f"value {value!r}: {message[:1].lower()}{message[1:]}"


def _sibling_keys(location: tuple[Any, ...]) -> list[str]:
    model: Any = Config
    for part in location[:-1]:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part) if hasattr(model, "model_fields") else None
        if field is None:
            continue
        model = _innermost_model(field.annotation)
    return sorted(model.model_fields) if hasattr(model, "model_fields") else []


def _innermost_model(annotation: Any) -> Any:
    if hasattr(annotation, "model_fields"):
        return annotation
    for argument in get_args(annotation):
        found = _innermost_model(argument)
        if found is not None:
            return found
    return None
