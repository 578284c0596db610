"""Starting up: the command line loads the command that is run, and no other."""

import json
import subprocess
import sys

import click
import pytest

from snellen.cli import VERBS, cli

HEAVY = {"aiohttp", "cv2", "jinja2", "numpy", "PIL", "ray", "rich", "scipy", "sqlite3", "torch"}
LISTS_PROMPTS = "superguesser"
"""Its help has the names of all prompts, and prompts know items and their images."""


def loaded_by(script, *arguments):
    """The modules that a fresh process has loaded after a script: ours, and which of the heavy ones."""
    told = "\nimport json, sys; print(); print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", script + told, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout.splitlines()[-1])
    return [name for name in modules if name.partition(".")[0] == "snellen"], HEAVY.intersection(modules)


HELP = """
import sys
from snellen.cli import cli
for line in sys.argv[1:]:
    cli.main(line.split(), standalone_mode=False)
"""


def test_importing_snellen_loads_no_other_package():
    """The public names arrive when they are used; old paths are known."""
    assert loaded_by("import snellen") == (["snellen", "snellen.moved"], set())


def test_the_list_of_commands_loads_none_of_them():
    """`snellen --help` knows each command by name and one line."""
    ours, heavy = loaded_by(HELP, "--help")
    assert heavy == set()
    assert [name for name in ours if name.removeprefix("snellen.cli.") in VERBS] == []
    assert len(ours) <= 30, ours


def test_the_help_of_every_command_loads_nothing_heavy():
    """Not even the help of all of them together: each file has options, and imports what it does when it does it."""
    ours, heavy = loaded_by(HELP, *(f"{name} --help" for name in VERBS if name != LISTS_PROMPTS))
    assert heavy == set()
    assert len(ours) <= 30 + len(VERBS), ours


COMPLETE = """
from click.shell_completion import ShellComplete
from snellen.cli import cli
shell = ShellComplete(cli, {}, "snellen", "_SNELLEN_COMPLETE")
assert [each.value for each in shell.get_completions([], "rep")] == ["report"]
assert [each.value for each in shell.get_completions(["report"], "--fig")] == ["--figures"]
"""


def test_completing_a_line_loads_the_command_that_it_names():
    """The shell waits for it at every press of the key."""
    ours, heavy = loaded_by(COMPLETE)
    assert heavy == set()
    assert {name for name in VERBS if f"snellen.cli.{name}" in ours} == {"report"}


@pytest.mark.parametrize("width", [20, 60, 200])
def test_the_list_says_what_each_command_says_of_itself(width):
    """The line in the list is the beginning of the command's own help, at any width."""
    listed = {name: click.Command(name, help=line).get_short_help_str(width) for name, line in VERBS.items()}
    assert listed == {name: cli.commands[name].get_short_help_str(width) for name in VERBS}
