"""Families: our members and those of other packages, by one name each."""

import subprocess
import sys
from pathlib import Path

import pytest

from snellen import datasets, models, stress
from snellen.errors import PluginError
from snellen.plugins import find, names

FAMILIES = {"datasets": datasets.MEMBERS, "models": models.MEMBERS, "stress": stress.MEMBERS}
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(("family", "name"), [(family, name) for family, ours in FAMILIES.items() for name in ours])
def test_every_member_is_where_its_family_says(family, name):
    """Each name in a family's list leads to a documented member."""
    assert find(family, FAMILIES[family], name).__doc__


def test_an_unknown_name_is_answered_with_the_closest(monkeypatch):
    """A slip of the pen gets a suggestion and the whole list."""
    with pytest.raises(PluginError, match=r"Did you mean 'option-order'\?.*image-needed"):
        stress.stress_test("option-oder")


def install(folder, entry_points):
    """A package of somebody else's, as the installer would leave it."""
    about = folder / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


def test_plug_ins_join_by_entry_point(tmp_path, monkeypatch):
    """The three examples, installed as plug-ins, are found by name and listed."""
    install(
        tmp_path,
        "[snellen.models]\ncautious = own_model:Cautious\n[snellen.datasets]\nshades = own_dataset:load\n"
        "[snellen.stress]\npoliteness = own_stress_test:TEST\n",
    )
    script = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(EXAMPLES)!r}]\n"
        "from snellen import load, open_model\nfrom snellen.stress import stress_test\n"
        "print(open_model('cautious/x').name, len(load('shades:items=8')), stress_test('politeness').name)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["cautious/x", "8", "politeness"]


def test_a_plug_in_that_does_not_load_is_named(tmp_path, monkeypatch):
    """The error says which plug-in, from where, and why."""
    install(tmp_path, "[snellen.stress]\nbroken = nowhere_at_all:TEST\nimage-needed = nowhere_at_all:TEST\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=r"'broken' \(nowhere_at_all:TEST\)"):
        stress.stress_test("broken")
    assert names("stress", stress.MEMBERS).count("image-needed") == 1
    assert stress.stress_test("image-needed").name == "image-needed"
