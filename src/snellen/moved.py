"""Where modules of version 0.2 went: an old path still leads to the module, with a warning that says the new one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

MOVED = {
    "audit": "tools.audit",
    "chart": "tools.chart",
    "commands.bclean": "cli.clean",
    "commands.calibration": "cli.guard",
    "commands.cli": "cli",
    "commands.listing": "cli.list",
    "commands.serve": "tools.serve",
    "commands.superguesser": "cli.guess",
    "commands.view": "tools.view",
    "comparison": "tools.compare",
    "datasets": "benchmarks",
    "degrading": "tools.degrade",
    "grading": "reading",
    "guard": "tools.guard",
    "images.dicom": "images.formats.dicom",
    "images.nifti": "images.formats.nifti",
    "images.slides": "images.formats.slides",
    "images.stacks": "images.formats.stacks",
    "images.video": "images.formats.video",
    "imports.lm_eval": "imports.samples",
    "imports.lmms_eval": "imports.samples",
    "inspect_extension": "tools.inspect",
    "planner": "tools.planner",
    "protocols": "papers",
    "qualify": "judging.qualify",
    "review": "tools.review",
    "scoring.pilot": "tools.planner.pilot",
    "tools.planner.constants": "tools.planner.claims",
    "tools.planner.on_paper": "tools.planner.planned",
    "stress.verdicts.labels": "stress.verdicts.responses",
}
"""Packages and modules below `snellen`, and where they stand now."""
EMPTIED = {"commands": "cli"}
"""A package that stays as an empty one, and where its modules stand: one of them had the name of a function there."""


def find_new_path(name: str) -> str:
    """Where a module stands now; "" if it has not moved.

    >>> find_new_path("snellen.datasets.folder"), find_new_path("snellen.stats")
    ('snellen.benchmarks.folder', '')
    """
    own = name.removeprefix("snellen.")
    for old, new in (*MOVED.items(), *EMPTIED.items()):
        if own == old or own.startswith(f"{old}."):
            return f"snellen.{new}{own.removeprefix(old)}"
    return ""


def find_first_path(name: str) -> str:
    """Where a module stood in version 0.2: the fingerprints of images name it so, and must not change.

    >>> find_first_path("snellen.benchmarks.phantoms.fundus"), find_first_path("numpy")
    ('snellen.datasets.phantoms.fundus', 'numpy')
    """
    own = name.removeprefix("snellen.")
    for old, new in MOVED.items():
        if own == new or own.startswith(f"{new}."):
            return f"snellen.{old}{own.removeprefix(new)}"
    return name


class MovedModules(MetaPathFinder, Loader):
    """Finds a module that has moved at its old path: the same module, not a second one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The old name, if it is one."""
        if not fullname.startswith("snellen.") or not find_new_path(fullname):
            return None
        return spec_from_loader(fullname, self, is_package=fullname.removeprefix("snellen.") in EMPTIED)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the new name under the old one."""
        old = module.__name__
        new = find_new_path(old)
        warnings.warn(f"{old} is now {new}; import it from there.", DeprecationWarning, stacklevel=2)
        if old.removeprefix("snellen.") not in EMPTIED:
            sys.modules[old] = import_module(new)
