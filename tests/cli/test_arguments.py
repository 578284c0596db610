"""Numbers, paths and texts of a command line that nothing can hold are usage errors, and printing them does nothing."""

import os
import sys

import pytest
from click.testing import CliRunner

from snellen import cli
from snellen.cli.terminal import Terminal


def end_of(*args):
    """How a command line ends."""
    ended = CliRunner().invoke(cli.cli, args)
    assert isinstance(ended.exception, SystemExit), ended.exception
    return ended.exit_code, ended.stderr


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_whole_number_beyond_64_bits_is_refused(number):
    """No JSON, SQLite or NumPy holds it."""
    code, said = end_of("audit", "phantoms:items=3", "--seed", str(number))
    assert code == 2
    assert f"expected a whole number of at most 64 bits, got {number}." in said


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
def test_a_number_that_is_none_is_refused(number):
    """NaN compares with nothing, so that it would pass every range."""
    code, said = end_of("exam", "--timeout", number)
    assert code == 2
    assert f"got {number}" in said or "is not in the range" in said


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "loop"])
def test_a_path_that_no_file_can_have_is_refused(tmp_path, monkeypatch, path):
    """To read or to write: empty, with a null byte, with half a character, or a link to itself."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    for args in (("benchmark", "show", "phantoms:items=3", "--out", path), ("guard", "report", path)):
        code, said = end_of(*args)
        assert code == 2
        assert "no file can have the name" in said or "does not exist" in said


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "fifo")
    for args in (("guard", "report"), ("run",), ("import", "--out", str(tmp_path / "new"))):
        code, said = end_of(*args, str(tmp_path / "fifo"))
        assert code == 2
        assert "is a pipe or a device. Expected a file." in said


def test_text_that_is_no_text_is_refused():
    """It could be neither stored nor sent."""
    code, said = end_of("exam", "--system", os.fsdecode(b"be brief\xff"), "--dry-run")
    assert code == 2
    assert "expected text in UTF-8" in said


def run_main(monkeypatch, *args):
    """Run the command line as a process would."""
    monkeypatch.setattr(sys, "argv", ["snellen", *args])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


def test_a_path_that_the_system_refuses_is_told(monkeypatch, tmp_path, capsys):
    """Too long for any disk: one sentence with its beginning, and no traceback."""
    monkeypatch.chdir(tmp_path)
    long = "/".join(["x" * 200] * 30)
    assert run_main(monkeypatch, "exam", "--benchmark", "phantoms:items=2", "--out", long, "--dry-run") == 1
    said = capsys.readouterr().err
    assert said.startswith("snellen: xxx")
    assert said.endswith("cannot be used: File name too long. Check this path.\n")


def test_what_is_printed_moves_no_cursor(monkeypatch, capsys):
    """Usage errors repeat what was written, and tables what files are called."""
    assert run_main(monkeypatch, "list", "tests", "a\x1b]0;b") == 2
    assert "a⟨U+001B⟩]0;b" in capsys.readouterr().err
    Terminal(markup=False).print("page: a\x1b[2J\udcff")
    assert "page: a⟨U+001B⟩[2J⟨U+DCFF⟩" in capsys.readouterr().out
