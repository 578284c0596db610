"""Files that Snellen writes are private, whole, and never behind a link; a killed writer leaves no mixture unseen."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from snellen import files
from snellen.errors import SnellenError, StoreError
from snellen.files import (
    UNFINISHED,
    create_file,
    create_folder,
    find_inside,
    folder_written_whole,
    open_plain,
    open_private,
    replace_set,
    write_whole,
)
from snellen.schemas import check_replaceable


@pytest.fixture(autouse=True)
def usual_umask():
    """The usual one, by which files are readable by all."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_and_folders_are_their_owners_alone(tmp_path):
    """Also the folders above; a folder that was there stays as it is."""
    mine = tmp_path / "mine"
    mine.mkdir(0o755)
    create_folder(mine / "a" / "b")
    write_whole(mine / "a" / "b" / "report.html", b"")
    create_file(mine / "responses.sqlite")
    open_private(mine / "log", "ab").close()
    with folder_written_whole(mine / "copies") as new:
        write_whole(new / "one", b"")
    assert mode(mine) == 0o755
    assert {mode(mine / each) for each in ("a", "a/b", "copies")} == {0o700}
    assert {mode(mine / each) for each in ("a/b/report.html", "responses.sqlite", "log", "copies/one")} == {0o600}


def test_what_is_replaced_keeps_its_mode(tmp_path):
    """A user may have opened it to others, alone or in a set; so may an empty folder be."""
    for name in ("page.html", "one.csv", "record.json"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o640)
    write_whole(tmp_path / "one.csv", b"new")
    write_set(tmp_path, "new")
    assert {mode(tmp_path / name) for name in ("page.html", "one.csv", "record.json")} == {0o640}
    (tmp_path / "empty").mkdir(0o755)
    with folder_written_whole(tmp_path / "empty") as new:
        write_whole(new / "one", b"")
    assert mode(tmp_path / "empty") == 0o755


def test_a_folder_with_the_set_group_bit_is_shared(tmp_path):
    """What is made in it has the rights of its group, and others have none."""
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chown(shared, -1, os.getgid())  # some systems give it a group that others may not share by
    shared.chmod(0o2775)
    create_folder(shared / "a" / "b")
    write_whole(shared / "a" / "b" / "report.html", b"")
    create_file(shared / "responses.sqlite")
    write_set(shared, "new")
    assert {mode(shared / each) & 0o777 for each in ("a", "a/b", "figures")} == {0o770}
    files = ("a/b/report.html", "responses.sqlite", "page.html", "one.csv", "record.json", "figures/new.svg")
    assert {mode(shared / each) for each in files} == {0o660}


def test_a_disk_without_modes_can_be_written_to(tmp_path, monkeypatch):
    """Such as FAT, where all files have one mode and no other can be set."""
    monkeypatch.setattr(Path, "chmod", raise_not_permitted)
    (tmp_path / "one.csv").touch()
    write_set(tmp_path, "new")
    assert read_set(tmp_path) == SETS[1]


def raise_not_permitted(*args):
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe"])
def test_no_file_is_written_behind_a_link_or_into_a_pipe(tmp_path, kind):
    """Neither its target nor a new one; a whole file replaces the link itself, and no pipe or device."""
    target, path = tmp_path / "target", tmp_path / "responses.sqlite.lock"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(target)
    if kind == "link":
        target.write_text("mine")
    for write in (create_file, lambda path: open_private(path, "ab"), lambda path: open_private(path, "r+b")):
        with pytest.raises(OSError, match="is a link or not a plain file"):
            write(path)
    if kind == "pipe":
        with pytest.raises(StoreError, match="is a link or not a plain file"):
            write_whole(path, b"ours")
        with pytest.raises(StoreError), replace_set(tmp_path, record=path.name, schema=1) as staged:
            (staged.folder / path.name).write_bytes(b"{}")
        assert [each.is_fifo() for each in tmp_path.iterdir()] == [True]
        return
    write_whole(path, b"ours")
    assert (target.read_text() if target.exists() else None) == ("mine" if kind == "link" else None)
    assert path.is_file()
    assert not path.is_symlink()


@pytest.mark.parametrize("device", ["/dev/zero", "pipe", "folder"])
def test_only_plain_files_are_read(tmp_path, device):
    """A pipe that nobody writes to is not waited for."""
    path = Path(device) if device.startswith("/") else tmp_path / device
    os.mkfifo(path) if device == "pipe" else path.mkdir(exist_ok=True) if device == "folder" else None
    with pytest.raises(OSError, match=r"not a plain file|[Ii]s a directory"):
        open_plain(path)
    (tmp_path / "link").symlink_to(__file__)
    with open_plain(tmp_path / "link") as file:
        assert file.read(3) == b'"""'


def test_names_that_data_give_stay_inside(tmp_path):
    """By dots, from the root, by a link, and by what no path can be."""
    home = tmp_path / "home"
    (home / "in").mkdir(parents=True)
    (home / "out").symlink_to(tmp_path)
    assert find_inside(home, "in/../in/a.sqlite") == home / "in/../in/a.sqlite"
    for name in ("../a", "in/../../a", "/etc/passwd", "out/a", "a\0b", "a" * 5000):
        with pytest.raises(StoreError, match="leads out of"):
            find_inside(home, name)


def test_a_later_record_is_not_replaced(tmp_path):
    """An earlier one, one of ours, and what is no record are."""
    record = tmp_path / "record.json"
    for text in ('{"schema": 2}', '{\n  "schema": 1,', '{"schema": "9"}', "[]", ""):
        record.write_text(text)
        check_replaceable(record, 2)
    record.write_text('{\n  "schema": 3,\n  "results": []}')
    with pytest.raises(StoreError, match=r"later version of snellen \(schema 3; this version writes 2\).*Upgrade"):
        write_set(tmp_path, "new")
    assert sorted(tmp_path.iterdir()) == [record]


def write_set(home, text, schema=2):
    """A page, a record, a table and a figure with one text, and a figure of the set before removed."""
    with replace_set(home, record="record.json", schema=schema, page="page.html") as (new, stale):
        stale.update({f"figures/{each}.svg" for each in ("old", "new")} - {f"figures/{text}.svg"})
        create_folder(new / "figures")
        for name in ("page.html", "record.json", "one.csv", f"figures/{text}.svg"):
            write_whole(new / name, text.encode())


def read_set(home):
    """The texts of a set by its files."""
    return {each.relative_to(home).as_posix(): each.read_text() for each in home.rglob("*") if each.is_file()}


SETS = [dict.fromkeys(("page.html", "record.json", "one.csv", f"figures/{text}.svg"), text) for text in ("old", "new")]

KILLED_AT_EACH_STEP = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from test_files import write_set
left = 10**9
def count(event, args):
    global left
    if event in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
for step in range(200):
    home = Path(sys.argv[1]) / str(step)
    write_set(home, "old")
    (home / "mine.txt").write_text("mine")
    if not (child := os.fork()):
        left = step
        write_set(home, "new")
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
"""


def test_a_set_that_is_killed_at_any_step_is_old_or_new_or_says_so(tmp_path):
    """By kill -9 before each step on the disk; the next writer makes it whole, and what others put there stays."""
    here = Path(__file__).parent
    subprocess.run([sys.executable, "-c", KILLED_AT_EACH_STEP, str(tmp_path), str(here)], check=True)
    homes = sorted(tmp_path.iterdir(), key=lambda each: int(each.name))
    seen = []
    for home in homes:
        found = {name: text for name, text in read_set(home).items() if not name.startswith(".")}
        assert found.pop("mine.txt") == "mine"
        whole = [each for each in SETS if each == {name: found.get(name) for name in each}]
        says_so = UNFINISHED in found["page.html"]
        assert says_so or whole
        seen.append("unfinished" if says_so else whole[0]["page.html"])
        write_set(home, "new")
        assert read_set(home) == {**SETS[1], "mine.txt": "mine"}
    assert list(dict.fromkeys(seen)) == ["old", "unfinished", "new"]


def raise_full_disk(*args):
    raise OSError(28, "No space left on device")


def test_a_set_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    """As on a full disk; nothing half-written is left."""
    write_set(tmp_path, "old")
    monkeypatch.setattr(files, "_swap", raise_full_disk)
    with pytest.raises(StoreError, match="cannot be written: No space left"):
        write_set(tmp_path, "new")
    assert read_set(tmp_path) == SETS[0]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_set_is_not_moved_through_a_link(tmp_path):
    """A folder of the set that is a link to another place is refused, and nothing is put or removed there."""
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    (other / "old.svg").write_text("mine")
    (home / "figures").symlink_to(other)
    with pytest.raises(StoreError, match="leads out of"):
        write_set(home, "new")
    assert read_set(other) == {"old.svg": "mine"}
    assert UNFINISHED in (home / "page.html").read_text()


def test_new_files_of_a_writer_that_is_at_work_are_left_alone(tmp_path):
    """Those of a killed one are removed by the next."""
    with replace_set(tmp_path, record="record.json", schema=2) as (new, _):
        write_whole(new / "record.json", b"first")
        write_set(tmp_path, "new")
        assert new.is_dir()
    assert (tmp_path / "record.json").read_text() == "first"
    dead = tmp_path / f".{'0' * 32}.part"
    dead.mkdir()
    write_set(tmp_path, "new")
    assert not dead.exists()


def test_the_working_folder_is_not_replaced(tmp_path, monkeypatch):
    """A shell would go on in a folder that is gone."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SnellenError, match="Name another folder"), folder_written_whole(Path()):
        pass
