"""The guard's log: only ever added to, sealed, and without a word of anybody."""

import os
from dataclasses import replace

import pytest

from snellen.errors import SnellenError
from snellen.tools.guard.log import (
    GuardDecision,
    GuardLog,
    Installation,
    SealCheck,
    check_seals,
    head_path,
    now,
    read_log,
)
from snellen.tools.guard.report import is_sound


@pytest.fixture
def installation(tmp_path):
    return Installation.from_file(tmp_path / "guard.key")


def written(path, installation, *statuses):
    log = GuardLog(path, installation)
    for status in statuses:
        log.add(GuardDecision(now(), "openai/gpt-5", status, score=0.5, query=installation.hash_parts(b"words")))
    log.close()


def test_lines_come_back_and_are_added_to(tmp_path, installation):
    """A second guard goes on where the first stopped; every seal holds."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved")
    first = path.read_bytes()
    written(path, installation, "unmoved", "undecided")
    assert path.read_bytes().startswith(first)
    assert [each.status for each in read_log(path).decisions] == ["moved", "unmoved", "undecided"]
    assert check_seals(path, installation).last.lines == 3
    assert is_sound(check_seals(path, installation))
    assert (path.stat().st_mode | head_path(path).stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("name", ["guard.jsonl", "guard.jsonl.head"])
def test_no_line_is_added_behind_a_link(tmp_path, installation, name):
    """A folder from elsewhere may hold a link by the name of the log or of its head."""
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / name).symlink_to(target)
    with pytest.raises(SnellenError, match=r"is a link or not a plain file\. Choose another --log"):
        GuardLog(tmp_path / "guard.jsonl", installation)
    assert target.read_text() == "mine"


def test_changes_are_noticed(tmp_path, installation):
    """A changed line and the place of one taken out are named."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved", "unmoved", "moved", "moved")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1].replace(b"unmoved", b"moved"), *lines[2:]]))
    assert check_seals(path, installation).broken == (2,)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    found = check_seals(path, installation)
    assert (found.broken, found.cut, found.missing) == ((2,), False, 1)


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (3, SealCheck(cut=True, missing=1)),
        (1, SealCheck(cut=True, missing=3)),
        (0, SealCheck(cut=True, missing=4)),
        (3.5, SealCheck(torn=(4,), cut=True, missing=1)),
    ],
)
def test_a_cut_at_the_end_is_noticed(tmp_path, installation, kept, expected):
    """Whole lines or a part of one: what is gone is counted, also once another guard has written to the log."""
    path = tmp_path / "guard.jsonl"
    for each in (path, head_path(path)):
        each.unlink(missing_ok=True)
    written(path, installation, *["moved"] * 4)
    lines = path.read_bytes().splitlines(keepends=True)
    part = lines[3][:50] if kept == 3.5 else b""
    path.write_bytes(b"".join(lines[: int(kept)]) + part)
    found = check_seals(path, installation)
    assert replace(found, last=expected.last) == expected
    log = GuardLog(path, installation)
    assert "removed from the end" in log.doubt
    log.close()
    written(path, installation, "unmoved")
    later = check_seals(path, installation)
    assert (later.broken, later.missing) == ((int(kept) + len(expected.torn) + 1,), expected.missing)


def test_a_kill_between_line_and_head_is_no_cut(tmp_path, installation):
    """A head that lags behind its log by a line is what a kill leaves; the next guard goes on after that line."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved", "moved")
    behind = head_path(path).read_bytes()
    written(path, installation, "unmoved")
    head_path(path).write_bytes(behind)
    assert is_sound(check_seals(path, installation))
    written(path, installation, "moved")
    found = check_seals(path, installation)
    assert (is_sound(found), found.last.lines) == (True, 4)


@pytest.mark.parametrize(
    ("content", "head"), [(None, "missing"), (b"", "missing"), (b"00 x", "forged"), ("lower", "forged")]
)
def test_a_head_cannot_be_made_without_the_key(tmp_path, installation, content, head):
    """A head that is gone, or that somebody else wrote, is told: the end of the log cannot be checked then."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved", "moved")
    whole = head_path(path).read_bytes()
    head_path(path).unlink()
    if content is not None:
        head_path(path).write_bytes(whole.replace(b"2 ", b"1 ", 1) if content == "lower" else content)
    found = check_seals(path, installation)
    assert (found.head, found.broken, is_sound(found)) == (head, (), False)
    log = GuardLog(path, installation)
    assert "*.head file" in log.doubt
    log.close()


def test_a_cut_off_line_spoils_no_other(tmp_path, installation):
    """After a crash in the middle of a line the log goes on, and the torn line is counted."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved")
    with path.open("ab") as file:
        file.write(b'{"time":"2026')
    written(path, installation, "unmoved")
    read = read_log(path)
    assert ([each.status for each in read.decisions], read.damaged) == (["moved", "unmoved"], 1)
    found = check_seals(path, installation)
    assert (found.torn, is_sound(found)) == ((2,), True)


def test_a_full_disk_spoils_no_other_line(tmp_path, installation, monkeypatch):
    """A line of which only a part was taken is an error and leaves nothing behind; the next one is whole."""
    path = tmp_path / "guard.jsonl"
    log = GuardLog(path, installation)
    add = GuardDecision(now(), "m", "moved")
    log.add(add)
    whole = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda file, line: whole(file, line[:20]))
        with pytest.raises(OSError, match="part of a line"):
            log.add(add)
    log.add(add)
    log.close()
    assert (len(read_log(path).decisions), read_log(path).damaged) == (2, 0)
    assert is_sound(check_seals(path, installation))


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
    log = GuardLog(tmp_path / "guard.jsonl", installation)
    with pytest.raises(SnellenError, match="Another guard is writing"):
        GuardLog(tmp_path / "guard.jsonl", installation)
    log.close()


def test_key_is_of_this_installation(tmp_path, installation):
    """The key is made once, for its owner only; one that others can read, or a damaged one, is refused."""
    path = tmp_path / "guard.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert Installation.from_file(path).hash_parts(b"x") == installation.hash_parts(b"x")
    assert Installation.from_file(tmp_path / "other.key").hash_parts(b"x") != installation.hash_parts(b"x")
    path.chmod(0o644)
    with pytest.raises(SnellenError, match="chmod 600"):
        Installation.from_file(path)
    path.chmod(0o600)
    path.write_text("not hexadecimal")
    with pytest.raises(SnellenError, match="damaged"):
        Installation.from_file(path)


def test_a_head_that_is_a_pipe_is_not_waited_for(tmp_path, installation):
    """Whatever lies beside a log from elsewhere, its report comes to an end; and no guard writes to such a thing."""
    path = tmp_path / "guard.jsonl"
    written(path, installation, "moved")
    head_path(path).unlink()
    os.mkfifo(head_path(path))
    assert check_seals(path, installation).head == "forged"
    with pytest.raises(SnellenError, match="cannot be written"):
        GuardLog(path, installation)
