"""FunctionModel: a Python function as a model; and revisions of users' models, from their source code."""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from snellen.items import to_plain
from snellen.models.base import Model, Response, receipt
from snellen.prompts import Request

_PLAIN = (str, bytes, int, float, complex, type(None))


class FunctionModel(Model):
    """Answers with the result of a function. It cannot read letters, so it is shown none before a run.

    Stored responses count as long as the function's source is unchanged. Weights or files that the function reads are
    not part of its source: if they change, set a new `revision`, which replaces the source.

    >>> import asyncio
    >>> model = FunctionModel(lambda request: "Answer: B")
    >>> asyncio.run(model.answer(Request(model.name, "A or B?"))).text
    'Answer: B'
    """

    reads_letters = False

    def __init__(
        self,
        function: Callable[[Request], str | Response],
        *,
        name: str = "fake/function",
        revision: str | None = None,
    ) -> None:
        self.name = name
        self.revision = _hash_source(function) if revision is None else revision
        self._function = function

    async def answer(self, request: Request) -> Response:
        """Return the function's result, with a receipt for every image."""
        reply = self._function(request)
        if isinstance(reply, Response):
            return reply
        if not isinstance(reply, str):
            raise TypeError(f"expected the function to return a text or a Response, got {reply!r:.80}")
        return Response(reply, sent=tuple(receipt(image) for image in request.every_image))


FakeModel = FunctionModel
"""Name of FunctionModel in version 0.2.0."""


def _hash_source(function: Callable[..., Any]) -> str:
    parts = [value if isinstance(value, _PLAIN) else read_source(value) for value in _iter_parts(function)]
    return f"source {hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"


def _iter_parts(function: Any) -> Iterator[Any]:
    """Yield a function, its arguments if it is partial, and the values in its closure."""
    if isinstance(function, partial):
        yield from (function.func, *function.args, *function.keywords, *function.keywords.values())
        return
    yield function
    yield from getattr(function, "__defaults__", None) or ()
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # the cell is filled later
            yield cell.cell_contents


def read_source(value: Any) -> str:
    """Return the source of a function or class; compiled code for lambdas and missing files."""
    made = value if inspect.isroutine(value) or inspect.isclass(value) else type(value)
    with suppress(OSError, TypeError):
        if made.__name__ != "<lambda>":  # several lambdas may be on one line
            return inspect.getsource(made)
    return repr((made.__qualname__.rpartition(".")[2], _describe_code(getattr(made, "__code__", None))))


def _describe_code(code: Any) -> Any:
    """Return compiled code without file names and line numbers."""
    if not inspect.iscode(code):
        return to_plain(code if isinstance(code, frozenset) else repr(code))
    return code.co_code.hex(), code.co_names, [_describe_code(each) for each in code.co_consts]


def name_revision(model: Model) -> Model:
    """Set the revision of a model without one to the hash of its class's source.

    The source is that of the class, of its base classes in the same package, and of everything in their modules that
    they use by name. Imports, weights and files are not included: models that have these must set a `revision`.
    """
    kind = type(model)
    if not model.revision and _find_package(kind) != "snellen":
        own = [each for each in kind.__mro__ if _find_package(each) == _find_package(kind)]
        sources = "\n".join(map(_read_class, own)).encode()
        model.revision = f"source {hashlib.sha256(sources).hexdigest()[:16]}"
    return model


def _find_package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


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
