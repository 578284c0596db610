"""Every command of the README works with what its install line brings, and nothing else that is installed here."""

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from installed import PROJECT, hidden_modules
from snellen.benchmarks import load
from snellen.benchmarks.folder import save
from snellen.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BARE = """
import builtins, json, signal, sys
from importlib.machinery import PathFinder
hidden, lines = map(json.loads, sys.stdin.read().splitlines())

class Bare(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else super().find_spec(name, path, target)

sys.meta_path = [Bare if finder is PathFinder else finder for finder in sys.meta_path]
from snellen.cli import main
said = builtins.print
def print_and_stop(*words, **how):
    said(*words, **how)
    if "Ctrl-C ends it" in str(words):
        signal.raise_signal(signal.SIGINT)
builtins.print = print_and_stop
ended = []
for line in lines:
    said(">>>", *line, file=sys.stderr)
    sys.argv, code = ["snellen", *line], 0
    try:
        main()
    except SystemExit as error:
        code = error.code or 0
    ended.append(code)
said(json.dumps(ended))
"""
"""Runs commands as if some packages were not installed; a server is stopped as soon as it says where it listens."""
GIVEN = {
    "openai/gpt-5": "organism/grounded",
    "openai/my-model": "organism/blind",
    "BENCHMARK": "my-benchmark/",
    "vqa-rad:data/vqa-rad": "my-benchmark/",
    "OUT1": "asked",
    "OUT2": "asked",
    "OUT": "asked",
    "NAME": "Ann",
    "FOLDER": "my-benchmark/images",
    "PAIRS.jsonl": "pairs.jsonl",
}
"""What a user puts in the place of the README's words."""
ASKED = [
    "exam", "--model", "organism/grounded", "--benchmark", "phantoms:items=6", "--benchmark",
    "phantoms:task=pathway,items=14", "--limit", "14", "--tests", "standard,open-answers", "--out", "asked",
]  # fmt: skip
"""The study that the other commands are about."""
ENDS = {"gate": (0, 1), **dict.fromkeys(("guard", "view", "review"), (0, 130))}
"""How a command may end beside well: a gate whose requirements are not met, a server that was stopped."""


def readme_commands():
    """Each command of the README, with the extras that the same line installs."""
    for line in README.splitlines():
        extras = {each for listed in re.findall(r"pip install '?(?:\.|snellen)\[([\w,-]+)\]", line)
                  for each in listed.split(",")}  # fmt: skip
        typed = re.match(r"(?:[A-Z_]+=\S+ )?snellen (.*)", line)
        for text in [typed[1]] if typed else re.findall(r"`snellen ([^`]+)`", line):
            yield text.partition("  #")[0].strip(), frozenset(extras)


COMMANDS = dict(readme_commands())


def fill_in(line):
    """A command as a user types it; a guard asks its server nothing when it starts, and a blind model is soon done."""
    own = {"chart": {"openai/gpt-5": "organism/blind"}, "degrade": {"OUT": "degraded"}}
    given = {} if line[0] == "guard" else {**GIVEN, **next((own[word] for word in line if word in own), {})}
    return [given.get(word, word) for word in line]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with what the commands are about."""
    tmp_path = tmp_path_factory.mktemp("home")
    save(load("phantoms", items=6, leak=0.5).items, tmp_path / "my-benchmark")
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"id": "1", "generated": "Effusion.", "reference": "Effusion."}))
    row = {"model": "m", "benchmark": "b", "item_id": "1", "arm": "original", "response": "A", "question": "Normal?",
           "options": ["Yes", "No"], "answer": "A"}  # fmt: skip
    (tmp_path / "answers.jsonl.gz").write_bytes(gzip.compress(json.dumps(row).encode()))
    with chdir(tmp_path):
        cli.main(ASKED, standalone_mode=False)
    return tmp_path


def run_bare(lines, extras, home):
    """How each command ends where only the core and some extras are installed, and all that was printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SNELLEN_EXAM_LIMIT": "4",
                   **{f"SNELLEN_{each}_PORT": "0" for each in ("GUARD", "REVIEW", "SERVE", "VIEW")},
                   "OPENAI_API_KEY": "none"}  # fmt: skip
    given = "\n".join(map(json.dumps, (hidden_modules(extras), lines)))
    command = [sys.executable, "-c", BARE]
    done = subprocess.run(command, cwd=home, env=environment, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stdout + done.stderr


@pytest.mark.parametrize(
    "extras", sorted(set(COMMANDS.values()), key=sorted), ids=lambda extras: ",".join(sorted(extras)) or "core"
)
def test_every_command_of_the_readme_works_after_its_install_line(home, extras):
    """Nothing that is missing stops it, and it ends as it should."""
    lines = [fill_in(shlex.split(command)) for command, of in COMMANDS.items() if of == extras]
    ended, printed = run_bare(lines, extras, home)
    unexpected = [line for line, code in zip(lines, ended, strict=True) if code not in ENDS.get(line[0], (0,))]
    assert unexpected == [], printed
    assert "is needed for this" not in printed


def test_the_page_on_installing_lists_every_extra():
    """Each has its line, and those for developers are named."""
    page = (ROOT / "docs" / "get-started" / "install.md").read_text()
    listed = re.findall(r"^\| `pip install '\.\[([\w-]+)\]'` \|", page, re.MULTILINE)
    developing = re.findall(r"`(\w+)`", re.search("The extras (.*) are for", page)[1])
    assert sorted([*listed, *developing]) == sorted(PROJECT["optional-dependencies"])


def test_the_readme_is_run_as_it_stands():
    """There is something to run, and the demo of the review names its extra."""
    assert len(COMMANDS) >= 15
    assert COMMANDS["review --demo"] == {"review"}
