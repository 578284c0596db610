"""Names of torchvision for the while in which open_clip is imported without it.

open_clip and timm import torchvision when they are imported, for transforms, datasets and a frozen batch norm that
nothing here uses: pictures are prepared in `preprocessing.py`. The torchvision of the usual package index is built for
CUDA and does not load beside a CPU torch, so that needing it for nothing would cost a gigabyte or the whole backend.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from snellen.errors import MissingExtraError

PACKAGE = "torchvision"


class _Name(type):
    """A class of which only the name is known, and constants such as InterpolationMode.BICUBIC."""

    def __getattr__(cls, constant: str) -> str:
        if constant.startswith("__"):
            raise AttributeError(constant)
        return f"{cls.__name__}.{constant}"


class _Unusable:
    """What torchvision would have had; using it says what is missing."""

    def __init__(self, *_: Any, **__: Any) -> NoReturn:
        raise MissingExtraError(PACKAGE, "clip")


class _Module(ModuleType):
    """A module whose capitalised names are all there, as classes."""

    def __getattr__(self, name: str) -> type:
        if not name[:1].isupper():
            raise AttributeError(name)
        made = _Name(name, (_Unusable,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class _Finder(MetaPathFinder, Loader):
    """Finds torchvision and every part of it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """A package of that name, if it is torchvision's."""
        known = _is_part(name) and not name.rpartition(".")[2].startswith("__")
        return ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module."""
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run."""


@contextmanager
def standing_in() -> Iterator[None]:
    """Within, torchvision can be imported; afterwards it is as absent as before."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_part(name)]:
            del sys.modules[name]


def _is_part(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE
