"""What a result depends on: code, versions and files, by static analysis and hashes."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

_ROOT = Path(__file__).parent
_PACKAGE = _ROOT.name

# They tell the user and the workflow something, and cannot change a result.
WITHOUT_EFFECT = frozenset({f"{_PACKAGE}.{name}" for name in ("errors", "logs", "provenance")})

DISTRIBUTIONS = (
    "bertopic",
    "gensim",
    "hdbscan",
    "llama-cpp-python",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "sentence-transformers",
    "snakemake",
    "torch",
    "transformers",
    "umap-learn",
)


def code_version(*targets: str | Path) -> str:
    """Hash the code that a rule uses, for its params.

    Snakemake does not see edits in imported code; with this hash in the params it does.
    Comments, docstrings, formatting, ``__version__`` and imports for type checkers do not count.

    Parameters
    ----------
    *targets : str or Path
        Names below this package: a module (``association.permutation``), or a package
        (``association``), which stands for all its modules; or paths of scripts, whose imports
        count and whose own text, which Snakemake sees, does not.

    Returns
    -------
    str
        16 hex digits over the modules named and all that they import, directly or not.

    Raises
    ------
    ValueError
        When there is no such module.
    """
    digest = hashlib.sha256()
    for module in sorted(imported_modules(*targets)):
        digest.update(f"{module}={_parse(module)[0]}\n".encode())
    return digest.hexdigest()[:16]


def imported_modules(*targets: str | Path) -> set[str]:
    """Modules of this package that targets consist of and import, directly or not.

    Nothing is executed: import statements are read, also inside functions, absolute and
    relative. Imports under ``if TYPE_CHECKING`` and calls of importlib are not followed.
    Modules that cannot change a result (`WITHOUT_EFFECT`) are left out.

    Parameters
    ----------
    *targets : str or Path
        Names as in `code_version`, or paths of scripts (a Path, or a text that ends in
        ``.py``), which are not part of the answer themselves.

    Returns
    -------
    set of str
        Full names, e.g. ``biasatlas.association.permutation.p_value``. A parent package's
        ``__init__`` runs with every import, so it is part too.

    Raises
    ------
    ValueError
        When there is no such module.
    """
    waiting: list[str] = []
    for target in targets:
        if isinstance(target, Path) or target.endswith(".py"):
            nodes = _read_tree(ast.parse(Path(target).read_text(encoding="utf-8")))[1]
            waiting += _resolve(nodes, "", is_package=False)
        else:
            waiting += _expand(f"{_PACKAGE}.{target}")
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in found or module in WITHOUT_EFFECT:
            continue
        found.add(module)
        waiting += _parents(module)
        waiting += _parse(module)[1]
    return found


def versions(distributions: Iterable[str] = DISTRIBUTIONS) -> dict[str, str]:
    """Versions of Python and of the distributions that are installed, sorted by name.

    Parameters
    ----------
    distributions : iterable of str
        Names to look up; one that is not installed is left out.

    Returns
    -------
    dict of str to str
        ``python`` first.
    """
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in sorted(distributions):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def file_sha256(path: str | Path) -> str:
    """Sha256 of a file's bytes, 64 hex digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _file(module: str) -> Path | None:
    """File of a module of this package, None when there is no such module."""
    base = _ROOT.joinpath(*module.split(".")[1:])
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _expand(module: str) -> list[str]:
    """Name a package's modules, or the module itself."""
    path = _file(module)
    if path is None:
        raise ValueError(f"there is no module {module}")
    if path.name != "__init__.py":
        return [module]
    names = []
    for file in sorted(path.parent.rglob("*.py")):
        parts = file.relative_to(_ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        names.append(".".join((_PACKAGE, *parts)))
    return names


def _parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def _parse(module: str) -> tuple[str, tuple[str, ...]]:
    """Hash of a module's code without what does not count, and the modules it imports."""
    path = _file(module)
    if path is None:
        raise ValueError(f"there is no module {module}")
    status = path.stat()
    return _parse_file(module, path, status.st_mtime_ns, status.st_size)


@cache
def _parse_file(module: str, path: Path, mtime_ns: int, size: int) -> tuple[str, tuple[str, ...]]:
    tokens, nodes = _read_tree(ast.parse(path.read_text(encoding="utf-8")))
    imports = _resolve(nodes, module, is_package=path.name == "__init__.py")
    return hashlib.sha256("\0".join(tokens).encode()).hexdigest(), tuple(sorted(imports))


def _resolve(
    nodes: Iterable[ast.Import | ast.ImportFrom], module: str, *, is_package: bool
) -> set[str]:
    """Modules of this package that import statements of `module` name."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                parts = parts[: len(parts) - node.level + (1 if is_package else 0)]
                base = ".".join([*parts, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        ours = [name for name in names if name.split(".")[0] == _PACKAGE]
        found.update(name for name in ours if _file(name) is not None)
    return found


def _read_tree(tree: ast.Module) -> tuple[list[str], list[ast.Import | ast.ImportFrom]]:
    """Node types, field names and leaf values in order, and the import statements, in one walk.

    Twice as fast as ast.dump and a walk, and the same for Python versions that differ only in
    empty fields.
    """
    tokens: list[str] = []
    imports: list[ast.Import | ast.ImportFrom] = []
    add = tokens.append

    def visit(node: ast.AST) -> None:
        kind = node.__class__
        if kind in _WITH_DOCSTRING:
            _drop_docstring(node)
        elif kind is ast.If and _is_type_checking(node.test):  # type: ignore[attr-defined]
            for child in node.orelse:  # type: ignore[attr-defined]
                visit(child)
            return
        elif kind is ast.Assign and _is_version(node):
            return
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        add(kind.__name__)
        values = node.__dict__
        for field in node._fields:
            value = values.get(field)
            if value is None or value == []:
                continue
            add(field)
            for item in value if value.__class__ is list else (value,):
                if isinstance(item, ast.AST):
                    visit(item)
                else:
                    add(repr(item))
        add(")")

    visit(tree)
    return tokens, imports


_WITH_DOCSTRING = frozenset({ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef})


def _drop_docstring(node: ast.AST) -> None:
    body = node.body  # type: ignore[attr-defined]
    first = body[0] if body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        del body[0]


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def _is_version(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "__version__" for target in node.targets
    )
