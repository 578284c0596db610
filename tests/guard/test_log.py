"""The guard's log: only ever added to, sealed, and without a word of anybody."""

import os

import pytest

from snellen.errors import SnellenError
from snellen.guard.log import Decision, Installation, Log, broken_seals, now, read_log


@pytest.fixture
def installation(tmp_path):
    return Installation.at(tmp_path / "guard.key")


def written(path, installation, *statuses):
    log = Log(path, installation)
    for status in statuses:
        log.add(Decision(now(), "openai/gpt-5", status, score=0.5, query=installation.hashed(b"words")))
    log.close()


def test_lines_come_back_and_are_added_to(tmp_path, installation):
    """A second guard goes on where the first stopped; every seal holds."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved")
    first = path.read_bytes()
    written(path, installation, "unmoved", "undecided")
    assert path.read_bytes().startswith(first)
    assert [each.status for each in read_log(path).decisions] == ["moved", "unmoved", "undecided"]
    assert broken_seals(path, installation) == ()
    assert path.stat().st_mode & 0o077 == 0


def test_changes_are_noticed(tmp_path, installation):
    """A changed line and the place of one taken out are named."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved", "unmoved", "moved", "moved")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1].replace(b"unmoved", b"moved"), *lines[2:]]))
    assert broken_seals(path, installation) == (2,)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    assert broken_seals(path, installation) == (2,)


def test_a_cut_off_line_spoils_no_other(tmp_path, installation):
    """After a crash in the middle of a line the log goes on, and the torn line is counted."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved")
    with path.open("ab") as file:
        file.write(b'{"time":"2026')
    written(path, installation, "unmoved")
    read = read_log(path)
    assert ([each.status for each in read.decisions], read.damaged) == (["moved", "unmoved"], 1)
    assert broken_seals(path, installation) == (2,)


def test_a_full_disk_spoils_no_other_line(tmp_path, installation, monkeypatch):
    """A line of which only a part was taken is an error and leaves nothing behind; the next one is whole."""
    path = tmp_path / "guard.jsonl"
    log = Log(path, installation)
    add = Decision(now(), "m", "moved")
    log.add(add)
    whole = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda file, line: whole(file, line[:20]))
        with pytest.raises(OSError, match="part of a line"):
            log.add(add)
    log.add(add)
    log.close()
    assert (len(read_log(path).decisions), read_log(path).damaged, broken_seals(path, installation)) == (2, 0, ())


@pytest.mark.parametrize(
    "odd", ['"time":5', '"status":"maybe"', '"status":{}', '"threshold":"0.5"', '"reason":[]', '"images":"x"']
)
def test_lines_of_other_kinds_are_damaged_ones(tmp_path, odd):
    """A line that looks like a decision and holds something else is counted, and breaks no report."""
    path = tmp_path / "guard.jsonl"
    line = '{"time":"2026","model":"m","status":"moved"}'
    path.write_text(f"{line}\n{line[:-1]},{odd}}}\n")
    read = read_log(path)
    assert (len(read.decisions), read.damaged) == (1, 1)


def test_two_guards_do_not_share_a_log(tmp_path, installation):
    """The second is told to choose another."""
    log = Log(tmp_path / "guard.jsonl", installation)
    with pytest.raises(SnellenError, match="Another guard writes"):
        Log(tmp_path / "guard.jsonl", installation)
    log.close()


def test_key_is_of_this_installation(tmp_path, installation):
    """The key is made once, for its owner only; one that others can read, or a damaged one, is refused."""
    path = tmp_path / "guard.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert Installation.at(path).hashed(b"x") == installation.hashed(b"x")
    assert Installation.at(tmp_path / "other.key").hashed(b"x") != installation.hashed(b"x")
    path.chmod(0o644)
    with pytest.raises(SnellenError, match="chmod 600"):
        Installation.at(path)
    path.chmod(0o600)
    path.write_text("not hexadecimal")
    with pytest.raises(SnellenError, match="damaged"):
        Installation.at(path)
