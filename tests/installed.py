"""What is installed here: which distributions some extras bring, and how to hide all others."""

from __future__ import annotations

import ast
import os
import sys
import tomllib
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TESTS = Path(__file__).parent
PROJECT = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))["project"]
CORE_ONLY = "CORE_ONLY" in os.environ
"""Whether tests see the core's packages alone, whatever else is installed: `make test-fast`."""


@cache
def owners():
    """The distributions of each module that is installed here; it takes seconds."""
    return packages_distributions()


def installed_by(extras):
    """The distributions that `pip install .` brings with these extras."""
    todo = [*PROJECT["dependencies"], *(each for name in extras for each in PROJECT["optional-dependencies"][name])]
    found = {"snellen"}
    while todo:
        wanted = Requirement(todo.pop())
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        found.add(name)
        try:
            inside = map(Requirement, requires(wanted.name) or ())
        except PackageNotFoundError:
            continue
        todo += [
            str(each).partition(";")[0] for each in inside if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def hidden_modules(extras):
    """The modules of all other distributions that are installed here."""
    there = installed_by(extras)
    return [module for module, owners in owners().items() if there.isdisjoint(map(canonicalize_name, owners))]


def hide_extras():
    """Find no module from now on that the core and the tools of its tests do not bring."""
    hidden = set(hidden_modules(["fast"])) - {name.partition(".")[0] for name in sys.modules}

    class CoreFinder(PathFinder):
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            return None if name.partition(".")[0] in hidden else super().find_spec(name, path, target)

    sys.meta_path = [CoreFinder if finder is PathFinder else finder for finder in sys.meta_path]


@cache
def lacks_packages(file):
    """Whether a file of the tests, or a helper that it imports, imports a package that is not there."""
    for name in _imports(file):
        found = find_spec(name)
        if found is None:
            return True
        origin = Path(found.origin or "")
        if origin != file and origin.is_relative_to(TESTS) and lacks_packages(origin):
            return True
    return False


def _imports(file):
    """The packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
