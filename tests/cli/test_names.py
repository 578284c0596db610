"""What a user could type in version 0.2 still works, or says what to type instead; lists are whole."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from snellen.cli import COMMANDS, GROUPS, RENAMED, cli
from snellen.cli.env_file import SETTINGS
from snellen.cli.options import EnvironmentOption, name_variable

OF_0_2 = json.loads((Path(__file__).parent / "commands_of_0_2_0.json").read_text())
"""Each command with its options."""


def list_commands(group=cli, path=""):
    """Every command by the words that call it, those with others below them included."""
    for name, command in group.commands.items():
        words = f"{path} {name}".strip()
        yield words, command
        if isinstance(command, click.Group):
            yield from list_commands(command, words)


EVERY = dict(list_commands())
OPTIONS = [
    (name, each) for name, command in EVERY.items() for each in command.params if isinstance(each, EnvironmentOption)
]


def test_every_option_of_version_0_2_is_there():
    """Under the name of today of its command."""
    today = {name: {each for option in one.params for each in (*option.opts, *option.secondary_opts)}
             for name, one in EVERY.items()}  # fmt: skip
    assert {name: set(options) - today[RENAMED.get(name, name)] for name, options in OF_0_2.items()} == {
        name: set() for name in OF_0_2
    }


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_works_and_says_the_new_one(old):
    """On stderr, in one line; it stands in no list."""
    done = CliRunner().invoke(cli, [old, "--help"])
    assert (
        done.stderr == f"snellen: `snellen {old}` is now `snellen {RENAMED[old]}`. The next release knows the new "
        "name only.\n"
    )
    assert done.stdout == CliRunner().invoke(cli, [*RENAMED[old].split(), "--help"]).stdout
    assert old not in EVERY


def test_every_option_has_a_variable_of_its_own():
    """No two options of all commands share one; a file .env sets numbers of them alone; consent has none."""
    own = {(name, option.name): name_variable(name, option) for name, option in OPTIONS}
    assert len(own) == len(set(own.values()))
    assert "yes" not in {option for _, option in own}
    from_file = {option for (_, option), variable in own.items() if SETTINGS.fullmatch(variable)}
    assert from_file == {
        "limit", "sample", "budget", "seed", "max_connections", "connections", "timeout", "image_side", "temperature",
        "max_tokens", "reasoning_effort",
    }  # fmt: skip


def test_a_variable_of_version_0_2_counts_and_the_new_one_is_said(monkeypatch, capsys):
    """Once for each; where both are set, the new one counts."""
    for name, option in OPTIONS:
        if option.envvar:
            context = cli.make_context("snellen", [], resilient_parsing=True)
            for word in name.split():
                context = click.Context(EVERY[name], info_name=word, parent=context)
            new = name_variable(name, option)
            monkeypatch.setenv(option.envvar, "old")
            assert [option.resolve_envvar_value(context) for _ in range(2)] == ["old", "old"]
            told = f"{option.envvar} is now {new} for this command. The next release reads the new name only."
            assert capsys.readouterr().err == f"snellen: {told}\n"
            monkeypatch.setenv(new, "new")
            assert option.resolve_envvar_value(context) == "new"
            monkeypatch.delenv(option.envvar)
            monkeypatch.delenv(new)
    assert ("judge", "SNELLEN_JUDGE_MODEL") in {(name, name_variable(name, option)) for name, option in OPTIONS}
    assert ("review open", "SNELLEN_REVIEW_TASK") in {(name, name_variable(name, option)) for name, option in OPTIONS}


@pytest.mark.parametrize("group", ["", *GROUPS, "guard", "review"])
def test_no_line_of_a_list_of_commands_is_cut_off(group):
    """In 80 columns, each command has its whole first sentence; ours stand under their titles."""
    said = CliRunner().invoke(cli, [*group.split(), "--help"], terminal_width=80).stdout
    assert "..." not in said.replace("[ARGS]...", "")
    assert [each for each in (COMMANDS if not group else ()) if f"\n{each}:\n" not in said] == []
