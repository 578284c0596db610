"""Starting up: the command line loads the command that is run, and no other."""

import json
import subprocess
import sys

from cli.test_names import EVERY
from snellen.cli import COMMANDS, GROUPS

HEAVY = {"aiohttp", "cv2", "jinja2", "numpy", "PIL", "ray", "rich", "scipy", "sqlite3", "torch"}
FILES = {name.split()[-1] for name in EVERY} - set(GROUPS)
LISTS_PROMPTS = "benchmark guess"
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
    assert [name for name in ours if name.removeprefix("snellen.cli.") in FILES] == []
    assert len(ours) <= 30, ours


def test_the_help_of_every_command_loads_nothing_heavy():
    """Not even the help of all of them together: each file has options, and imports what it does when it does it."""
    ours, heavy = loaded_by(HELP, *(f"{name} --help" for name in EVERY if name != LISTS_PROMPTS))
    assert heavy == set()
    assert len(ours) <= 30 + len(FILES), ours


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
    assert {name for name in FILES if f"snellen.cli.{name}" in ours} == {"report"}


def test_the_list_says_what_each_command_says_of_itself():
    """The line in the list is the first sentence of the command's own help."""
    own = {name: command.get_short_help_str(1000) for name, command in EVERY.items()}
    listed = {name: said for of in COMMANDS.values() for name, said in of.items()}
    listed |= {f"{group} {name}": said for group, of in GROUPS.items() for name, said in of.items()}
    assert {name: own[name] for name in listed} == listed
