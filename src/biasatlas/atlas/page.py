"""The frame of the atlas: it orders the sections and puts them on one self-contained page."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from biasatlas.atlas import (
    common_topics,
    corpus,
    differences,
    evaluation,
    gender,
    language_page,
    languages,
    overview,
    pairs,
    personas,
    provenance,
    topic_cards,
    topics,
    weat,
)
from biasatlas.atlas.parts import Section, link
from biasatlas.errors import InputError
from biasatlas.tables import TABLES, check_table

if TYPE_CHECKING:
    import pandas as pd

SECTIONS = (
    overview,
    corpus,
    gender,
    topics,
    topic_cards,
    common_topics,
    pairs,
    weat,
    differences,
    evaluation,
    personas,
    languages,
    provenance,
)
NEEDED = ("corpus", "gender", "weat", "topics", "pairs", "evaluation")


def build_page(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> str:
    """Assemble the atlas from the tables of a run.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables of ``TABLES``, as `read_table` gives them. Of those named in ``NEEDED``, one
        that a run does not make is an `empty_table`; any other may be left out, and then the page
        does not speak of it.
    info : mapping
        ``title``, ``run``, ``version`` (str); ``regions`` (ordered mapping of name to label);
        and where known ``region_rule`` (sentence: how a document got its region),
        ``corpus_phrase`` (what the corpus is, such as "news about a region"), ``warnings`` (list
        of str), ``settings`` (mapping, shown flat; ``topics.fdr``, ``topics.alignment`` and
        ``topics.mask_gender_terms`` are read from it), ``assets`` (list of mappings with ``name``, ``source``, ``version`` or
        ``revision``, ``sha256`` (one, or a mapping of file to hash), ``licence``, ``citation``,
        ``url``), ``commands`` (list of str).

    Returns
    -------
    str
        HTML that needs no other file and loads nothing: its policy lets only the page's own two
        scripts run, by their hashes. The same tables and info give the same bytes.

    Raises
    ------
    InputError
        When a table is missing or does not fit its schema, or ``info`` lacks a key.
    """
    _check(tables, info)
    made = (module.section(tables, info) for module in SECTIONS)
    return render_page([section for section in made if section is not None], info)


def build_language_page(
    language: str,
    words: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    info: Mapping[str, Any],
) -> str:
    """Assemble the page of one language.

    Parameters
    ----------
    language : str
        ISO 639 code.
    words : pandas.DataFrame
        Entries of the language's lists: ``language``, ``variant``, ``test``, ``description``,
        ``set``, ``set_name``, ``position``, ``word``, ``file``, ``refusal`` (str) and ``name``
        (bool: a name of persons).
    tables : mapping of str to pandas.DataFrame
        The tables of languages of the run; any may be missing or empty.
    info : mapping
        As for `build_page`; ``regions`` is not needed.

    Returns
    -------
    str
        HTML like that of `build_page`.

    Raises
    ------
    InputError
        When a table or the words do not fit, or ``info`` lacks a key.
    """
    own = language_page.own_tables(language, tables)
    _check(own, info, needed=(), keys=("title", "run", "version"))
    sections = language_page.sections(language, words, own, info)
    named = {**info, "title": language_page.title(language, info), "region_rule": ""}
    return render_page(sections, named, back=("All languages", "../languages.html"))


def build_languages_page(tables: Mapping[str, pd.DataFrame], info: Mapping[str, Any]) -> str:
    """Assemble the page of all languages: the atlas's section on them, by itself.

    A run that makes the tests of languages alone has no other page.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        The tables of languages of the run.
    info : mapping
        As for `build_page`; ``regions`` is not needed.

    Raises
    ------
    InputError
        When a table does not fit, or ``info`` lacks a key.
    """
    _check(tables, info, needed=(), keys=("title", "run", "version"))
    made = languages.section(tables, info)
    return render_page([made] if made is not None else [], {**info, "region_rule": ""})


def _check(
    tables: Mapping[str, pd.DataFrame],
    info: Mapping[str, Any],
    needed: tuple[str, ...] = NEEDED,
    keys: tuple[str, ...] = ("title", "run", "version", "regions"),
) -> None:
    problems = [f"atlas: the table {name} is missing" for name in needed if name not in tables]
    problems += [f"atlas: info lacks the key {key!r}" for key in keys if key not in info]
    for name in TABLES:
        try:
            if name in tables:
                check_table(name, tables[name])
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def script_json(value: Any) -> Markup:
    """Give JSON that is safe inside a script element: no ``<``, ``>``, ``&`` or line separator."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _resource(name: str) -> str:
    folder = resources.files("biasatlas.atlas") / "templates"
    return (folder / name).read_text(encoding="utf-8")


@functools.cache
def _bundle() -> str:
    import vl_convert

    code: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--").replace("\r\n", "\n")


def policy(*scripts: str) -> str:
    """Give a content security policy that runs these scripts only and loads nothing."""
    hashes = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; "
        "img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def render_page(
    sections: list[Section], info: Mapping[str, Any], back: tuple[str, str] | None = None
) -> str:
    """Put sections into the page's template, with a link (text, address) back to another page."""
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["script_json"] = script_json
    bundle = _bundle()
    draw = "".join(_resource(name) for name in ("words.js", "topics.js", "choices.js", "draw.js"))
    template = environment.from_string(_resource("page.html"))
    return template.render(
        title=str(info["title"]),
        run=str(info["run"]),
        version=str(info["version"]),
        rule=str(info.get("region_rule", "")),
        sections=sections,
        back=back,
        link=link,
        policy=policy(bundle, draw),
        style=Markup(_resource("style.css")),
        bundle=Markup(bundle),
        draw=Markup(draw),
    )
