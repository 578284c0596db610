"""The documentation is true: its examples run, and nothing is left out of it."""

import csv
import re
import shlex
import sys
from contextlib import chdir
from pathlib import Path
from runpy import run_path

import pytest

from snellen import datasets, grading, models, stress
from snellen.commands.cli import cli, main
from snellen.commands.terminal import out
from snellen.plugins import names
from snellen.scoring.gate import parse

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
COMMANDS = (ROOT / "docs" / "commands.md").read_text()
TESTS = (ROOT / "docs" / "stress-tests.md").read_text()
README = (ROOT / "README.md").read_text()
PARSERS = (ROOT / "docs" / "parsers.md").read_text()


def blocks(text, language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for of, block in fenced if of == language]


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_documented(command):
    """docs/commands.md names each command."""
    assert f"`snellen {command}" in COMMANDS


@pytest.mark.parametrize("name", sorted(stress.MEMBERS))
def test_every_stress_test_is_documented_with_its_question(name):
    """README and docs/stress-tests.md hold each test's question, word for word."""
    for text in (TESTS, README):
        assert f"`{name}`" in text
        assert stress.stress_test(name).asks in text


@pytest.mark.parametrize("name", [*names("datasets", datasets.MEMBERS), *names("models", models.MEMBERS)])
def test_every_member_is_in_the_readme_or_the_commands(name):
    """Each dataset and model provider is mentioned where a user looks."""
    assert name in README + COMMANDS


@pytest.mark.parametrize("name", sorted(grading.MEMBERS))
def test_every_parser_is_documented_with_its_kind(name):
    """docs/parsers.md has a line for each parser."""
    assert f"| `{name}` | `{grading.parser_named(name).kind}` |" in PARSERS


def test_the_parser_of_the_docs_keeps_the_contract(tmp_path, monkeypatch):
    """What is copied from docs/parsers.md is a parser, and the check that is copied after it passes."""
    own, check = blocks(PARSERS, "python")
    (tmp_path / "own_parser.py").write_text(own)
    (tmp_path / "check.py").write_text(check)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_parser", raising=False)
    assert run_path(str(tmp_path / "check.py"), run_name="__main__")["PARSER"].name == "last-words"
    monkeypatch.delitem(sys.modules, "own_parser")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_runs_and_is_short(example, tmp_path, capsys):
    """Under forty lines, and it prints the verdicts."""
    assert len(example.read_text().splitlines()) < 40
    with chdir(tmp_path):
        run_path(str(example), run_name="__main__")
    assert " questions\n  " in capsys.readouterr().out


@pytest.mark.parametrize("block", blocks(README, "python"), ids=lambda block: block.strip().splitlines()[0][:40])
def test_every_python_block_of_the_readme_runs(block, tmp_path, capsys):
    """What is copied from the README works, and prints the verdicts that it says."""
    script = tmp_path / "copied.py"
    script.write_text(block)
    with chdir(tmp_path):
        run_path(str(script), run_name="__main__")
    assert " questions\n  " in capsys.readouterr().out


def commands(text):
    """The arguments of every `snellen …` in the blocks that are typed into a shell."""
    for block in blocks(text, ""):
        for line in block.splitlines():
            if found := re.match(r"(?:[A-Z_]+=\S+ )?snellen (.*)", line):
                yield shlex.split(found[1], comments=True)


def test_whoever_types_the_docs_from_top_to_bottom_overwrites_nothing(tmp_path, monkeypatch):
    """Every command takes the options it is given, and every study has a folder of its own; imports add to theirs."""
    monkeypatch.chdir(tmp_path)
    for file in ("answers.jsonl.gz", "logs/with.eval", "logs/without.eval"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    folders = re.findall(r'out="([^"]+)"', "".join(blocks(README, "python")))
    imports = set()
    for name, *arguments in (*commands(README), *commands(COMMANDS)):
        parameters = cli.commands[name].make_context(name, arguments).params
        if name == "exam":
            folders.append(parameters["out"])
            (tmp_path / parameters["out"]).mkdir(exist_ok=True)
        elif name == "import":
            (tmp_path / parameters["out"]).mkdir(exist_ok=True)
            imports.add(parameters["out"])
    assert len(folders) >= 10
    assert len({*folders, *imports}) == len(folders) + len(imports)


def test_two_studies_are_compared_as_the_docs_say(tmp_path, monkeypatch, capsys):
    """The commands print the lines that stand below them, and the Python block runs on the same folders."""
    monkeypatch.chdir(tmp_path)
    section = COMMANDS.split("## Two studies compared")[1].split("\n## ")[0]
    for line in commands(section):
        monkeypatch.setattr(sys, "argv", ["snellen", *line])
        main()
    printed = capsys.readouterr().out
    (shown,) = blocks(section, "text")
    assert shown in printed
    with (tmp_path / "comparison.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for column in rows[0]:
        assert f"`{column}`" in section
    (block,) = blocks(section, "python")
    (tmp_path / "copied.py").write_text(block)
    names = run_path(str(tmp_path / "copied.py"), run_name="__main__")
    kinds = [row["row"] for row in rows]
    assert [len(names["rows"]), len(names["flipped"])] == [kinds.count("measure"), kinds.count("flip")]
    assert shown in capsys.readouterr().out


def test_the_gate_of_the_docs_prints_what_the_docs_say(tmp_path, monkeypatch, capsys):
    """Typed and called from Python; the requirements of the workflow can be read, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "_width", 80)
    section = COMMANDS.partition("## A gate for CI")[2].partition("\n## ")[0]
    (shown,), (called,), (workflow,) = (blocks(section, language) for language in ("text", "python", "yaml"))
    exam, gate = commands(section)
    cli.main(exam, standalone_mode=False)
    capsys.readouterr()
    with pytest.raises(SystemExit, match="1"):
        cli.main(gate, standalone_mode=False)
    assert capsys.readouterr().out == shown
    assert (tmp_path / "gate.xml").read_text().count("<failure") == 3
    (tmp_path / "called.py").write_text(called)
    assert not run_path(str(tmp_path / "called.py"))["done"].passed
    assert set(capsys.readouterr().out.splitlines()[:-1]) < set(shown.splitlines())
    (tmp_path / "exam").mkdir()
    for line in re.findall(r"run: snellen (.*)", workflow):
        name, *arguments = shlex.split(line)
        parameters = cli.commands[name].make_context(name, arguments).params
        assert name == "exam" or len(parse(parameters["require"])) == 3


def test_the_study_in_the_docs_is_one(tmp_path):
    """Its TOML names only settings that exist."""
    from snellen.study import Study

    (block,) = blocks(COMMANDS, "toml")
    path = tmp_path / "study.toml"
    path.write_text(block)
    assert Study.from_toml(path).epochs == 1


def test_links_within_the_docs_lead_somewhere():
    """Every relative link and every file named in README exists."""
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_no_document_names_a_path_of_a_machine():
    """Nothing committed knows where it was written."""
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]:
        assert not re.search(r"/(?:work|root|home)/\w", path.read_text()), path
