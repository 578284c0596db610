"""Revision of a user's own model: a hash of its source code."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterator

from snellen.models.base import Model
from snellen.models.fake import read_source


def name_revision(model: Model) -> Model:
    """Set the revision of a model without one to the hash of its class's source.

    The source is that of the class, of its base classes in the same package, and of everything in their modules that
    they use by name. Imports, weights and files are not included: models that have these must set a `revision`.
    """
    kind = type(model)
    if not model.revision and _find_package(kind) != "snellen":
        model.revision = f"source {_hash_class(kind)}"
    return model


def _find_package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _hash_class(kind: type) -> str:
    own = [each for each in kind.__mro__ if _find_package(each) == _find_package(kind)]
    return hashlib.sha256("\n".join(map(_read_class, own)).encode()).hexdigest()[:16]


def _read_class(kind: type) -> str:
    """Return the source of a class and of all that it uses in its module."""
    try:
        module = inspect.getsource(sys.modules[kind.__module__])
        return "\n".join(select_used(module, kind.__qualname__.partition(".")[0]))
    except (OSError, TypeError, KeyError, SyntaxError):
        return "\n".join(read_source(each) for each in vars(kind).values() if inspect.isfunction(each))


def select_used(module: str, name: str) -> Iterator[str]:
    r"""Yield the statements of a module that define a name, and those that they use.

    >>> list(select_used("A = 1\nB = A + 1\nC = 2", "B"))
    ['A = 1', 'B = A + 1']
    """
    lines, statements = module.splitlines(), ast.parse(module).body
    homes: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        for defined in _list_defined(statement):
            homes.setdefault(defined, []).append(place)
    used: set[int] = set()
    waiting = homes.get(name, [])[:]
    while waiting:
        if (place := waiting.pop()) not in used:
            used.add(place)
            names = (each.id for each in ast.walk(statements[place]) if isinstance(each, ast.Name))
            waiting += [home for each in names for home in homes.get(each, ())]
    for place in sorted(used):
        statement = statements[place]
        first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        yield "\n".join(lines[first - 1 : statement.end_lineno])


def _list_defined(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a top-level statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for each in ast.walk(statement):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.alias):
            yield (each.asname or each.name).partition(".")[0]
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
