"""Paths of version 0.2 lead to the modules of today."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from warnings import catch_warnings

import pytest

from snellen.moved import JOINED, MOVED, find_new_path

SOURCE = Path(__file__).parents[1] / "src" / "snellen"


@pytest.mark.parametrize("old", [*MOVED, *JOINED])
def test_an_old_path_is_the_same_module(old):
    """Whole packages and what is in them; a warning says where they are."""
    new = find_new_path(f"snellen.{old}")
    assert not (SOURCE / old.replace(".", "/")).with_suffix(".py").exists()
    with catch_warnings(action="ignore"):
        import_module(f"snellen.{old}".rpartition(".")[0])
    sys.modules.pop(f"snellen.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"is now {new}; import it from there"):
        assert import_module(f"snellen.{old}") is import_module(new)


def test_a_plug_in_of_an_older_version_imports_what_it_names():
    """Whatever it takes of a module that moved: a name, a class, a module in it."""
    program = (
        "from snellen.grading.parsers import Parser as old; from snellen.reading.parsers import Parser as new\n"
        "import snellen.datasets.folder; from snellen.protocols import protocol; from snellen.images import dicom\n"
        "assert old is new and protocol and dicom and snellen.datasets.folder is snellen.benchmarks.folder"
    )
    subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", program], check=True)


def test_the_modules_of_an_emptied_package_are_found():
    """Each where it stands now; none takes the place of a function of the same name."""
    program = (
        "from snellen.commands.cli import cli; from snellen.commands import serve, terminal; import snellen.cli\n"
        "assert cli is snellen.cli.cli and serve.start and terminal is snellen.cli.terminal"
    )
    subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", program], check=True)


def test_what_never_was_is_not_found():
    """The error is Python's own."""
    with pytest.raises(ModuleNotFoundError, match=r"snellen\.nothing"):
        import_module("snellen.nothing")
