"""No input ends in a traceback: command lines, study files, tables and stores, drawn at random from a seed.

A few cases run here. FUZZ=3000 runs as many of each; `tests/fuzzing.py` says how to run one case again.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import socket
import sqlite3
import sys
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import click
import numpy as np
import openpyxl
import orjson
import pyarrow
import pytest
from PIL import Image
from pyarrow import parquet

from benchmarks.published_files import write_benchmark
from fuzzing import fuzz, mutate_bytes, mutate_json, strange_values
from snellen.benchmarks import load
from snellen.cli import cli, main
from snellen.models.client.client import Client
from snellen.study import Study

LONGEST = 30
"""Seconds after which a case is taken to hang."""


PUBLISHED = ["slake", "path-vqa", "vqa-rad", "pmc-vqa", "omnimedvqa", "medxpertqa", "microvqa", "rexvqa"]
"""Benchmarks whose files are changed."""


class HangError(Exception):
    """A case that waits for something that never comes."""


ROWS = [
    {
        "id": f"q{number}", "question": f"What does image {number} show?", "options": ["a mass", "a cyst", "nothing"],
        "answer": "ABC"[number % 3], "images": [f"{number}.png"], "category": "chest", "patient_id": f"p{number // 2}",
    }
    for number in range(6)
]  # fmt: skip
STUDY = {
    "models": ["organism/grounded", {"name": "organism/random", "as": "second", "max_connections": 2}],
    "benchmarks": ["bench", "phantoms:items=3"],
    "tests": ["image-needed"], "out": "new", "seed": 3, "epochs": 1, "limit": 2, "max_connections": 4,
    "prompt": "letter", "parser": "lenient", "image_side": 512, "timeout": 5.0, "name": "first", "human": 0.7,
    "settings": {"temperature": 0.0, "max_tokens": 60}, "groups": {"ours": ["organism/grounded"]}, "text_only": [],
    "prices": {"organism/grounded": {"input": 1.0, "output": 2.0}}, "budget": 5.0, "allow_broken": True,
    "margin": 0.05, "image_dependence": 0.5, "until_settled": False, "canary": True, "accept_blind": False,
    "system": "Be brief.", "examples": [], "map": {"question": "question"}, "batch": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with one small thing of every kind that commands take."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "bench").mkdir()
    for number in range(6):
        Image.fromarray(np.full((24, 24), 40 * number, np.uint8)).save(folder / "bench" / f"{number}.png")
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (folder / "bench" / "questions.jsonl").write_text(lines)
    said = {"model": "a/m", "benchmark": "b", "arm": "original", "response": "Answer: A", "item_id": "q0"}
    (folder / "rows.jsonl").write_text(json.dumps({**ROWS[0], **said, "images": []}))
    (folder / "labelled.jsonl").write_text(json.dumps({"response": "Answer: A", "label": "A", "n_options": 3}))
    (folder / "pairs.jsonl").write_text(json.dumps({"id": "1", "reference": "No mass.", "generated": "A mass."}))
    (folder / "guard.jsonl").write_text('{"when": 1, "verdict": "moved"}\n')
    (folder / "study.toml").write_bytes(as_toml(STUDY))
    (folder / "foreign").mkdir()
    (folder / "foreign" / "letter.txt").write_text("Dear colleague")
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    with at(folder):
        Study(models=["organism/grounded"], benchmarks=["bench"], tests=["image-needed"], out="out").ask(lambda _: None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(socket.socket, "bind", refuse_port)
            run_command("review", "open", *COMMANDS["review open"])
    return folder


def refuse_port(self, address):
    """Stands for `socket.bind`: no case leaves a server open. Processes of ours talk over sockets that are files."""
    if self.family == socket.AF_UNIX:
        return bind(self, address)
    raise OSError(98, "Address already in use")


bind = socket.socket.bind


@contextmanager
def at(folder):
    """Work in a folder for the length of a block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture
def alone(monkeypatch):
    """No name is looked up elsewhere, no port is opened, nobody is waited for, and no case takes for ever."""
    find = socket.getaddrinfo

    def look_up(host, *rest, **named):
        flags = socket.AI_NUMERICHOST if host not in (None, "localhost") else 0
        family, kind, proto = (
            *rest[1:],
            *(named.get(each, 0) for each in ("family", "type", "proto")[len(rest) - 1 :]),
        )[:3]
        return find(host, rest[0] if rest else named.get("port"), family, kind, proto, flags)

    def hang(number, frame):
        raise HangError

    monkeypatch.setattr(socket.socket, "bind", refuse_port)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "patience_at_start", 0.0)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    before = signal.signal(signal.SIGALRM, hang)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextmanager
def copied(world, tmp_path):
    """Work in a copy of the world, with a FIFO that nobody writes to."""
    folder = tmp_path / "w"
    shutil.copytree(world, folder, symlinks=True)
    os.mkfifo(folder / "fifo")
    signal.alarm(LONGEST)
    try:
        with at(folder):
            yield folder
        if not signal.alarm(0):
            raise HangError
    finally:
        signal.alarm(0)
        shutil.rmtree(folder)


def run_command(*args):
    """Run a command as its user would; raise unless it ends with 0, 1 or 2, and with words if it failed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in "ab")
    before, sys.argv = sys.argv, ["snellen", *args]
    code = 0
    try:
        with redirect_stdout(out), redirect_stderr(err), Path(os.devnull).open() as nothing:
            kept, sys.stdin = sys.stdin, nothing
            try:
                main()
            except SystemExit as ended:
                code = ended.code or 0
            finally:
                sys.stdin = kept
                out.flush(), err.flush()
    finally:
        sys.argv = before
    said = (out.buffer.getvalue() + err.buffer.getvalue()).decode()
    assert code in (0, 1, 2), f"{args} ended with {code}"
    assert said.strip() or not code, f"{args} ended with {code} and no message"
    assert "Traceback (most recent call last)" not in said, said
    odd = [letter for letter in said if ord(letter) < 32 and letter not in "\n\t\r"]
    assert not odd, f"{args} printed {odd}"
    return code, said


OUT, NEW = "out", "new"
EXAM = ("--model", "organism/grounded", "--benchmark", "bench", "--tests", "image-needed")
COMMANDS = {
    "exam": [*EXAM, "--out", NEW, "--dry-run"],
    "plan": ["study.toml"], "run": ["study.toml", "--dry-run"], "report": [OUT],
    "gate": [OUT, "--require", "image-needed=pass"], "import": ["rows.jsonl", "--out", NEW],
    "export": [OUT, "--to", "jsonl", "--file", "e.jsonl"], "compare": [OUT, OUT], "paper figures": ["mirage"],
    "parser qualify": ["lenient", "labelled.jsonl"], "judge": [OUT, "--model", "organism/grounded"],
    "chart": ["--model", "organism/grounded", "--out", NEW, "--dry-run"], "audit": ["bench", "--out", NEW],
    "benchmark deidentify": ["bench", "--review", "r.csv"],
    "benchmark degrade": ["bench", "--artefacts", "noise", "--out", NEW, "--workers", "1"],
    "benchmark show": ["bench", "--out", "show.html"], "benchmark clean": [OUT],
    "benchmark guess": ["bench", "--base", "bench", "--folds", "2", "--dry-run"],
    "metrics": ["pairs.jsonl"], "serve": ["--port", "0"], "guard": ["--upstream", "openai/x"],
    "guard calibrate": ["--organisms", "--items", "3"], "guard report": ["guard.jsonl"], "view": [OUT, "--port", "0"],
    "review open": [OUT, "--task", "profile", "--rater", "a", "--port", "0"], "review status": [OUT],
    "review results": [OUT], "review export": [OUT, "v.csv"], "review import": [OUT, "rows.jsonl"],
    "benchmark mend": ["bench", "--review", OUT, "--out", "mended"],
    "review revoke": [OUT, "a"], "review subset": [OUT, "ids.txt"],
    "review labels": [OUT, "l.jsonl", "--task", "verdict"], "list": ["tests"],
}  # fmt: skip
"""Every command with arguments that it takes."""
PATHS = (
    "", " ", ".", "..", "-", "x" * 300, "é" * 200, "/".join(["x" * 200] * 30), "a\0b",
    os.fsdecode(b"\xff\xfe.csv"), "nowhere", "bench", "out", "foreign", "study.toml", "rows.jsonl", "bench/0.png",
    "study.toml/below", "fifo", "loop", "dangling", "out/responses.sqlite", "new/a/b", "\n", "a\x1b[2Jb",
)  # fmt: skip
"""None leads out of the scratch folder: what is tried here is also written to, and some run it as root."""
NUMBERS = (
    "0", "-1", "1", "2", "7", str(2**31), str(2**63 - 1), str(2**63), str(2**64), str(-(2**63) - 1), "9" * 30,
    "9" * 5000, "nan", "inf", "-inf", "1e308", "1e-320", "-0.0", "0.5", "1e5", "٣", " 7", "", "0x10", "1_000",
)  # fmt: skip


def leaf_commands(group, path=()):
    """Every command and sub-command, by the words that call it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaf_commands(command, (*path, name))
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield " ".join((*path, name)), command


def draw_value(kind, rng):
    """A value for an option of some type: mostly one that it does not expect."""
    texts = [each for each in strange_values(rng) if isinstance(each, str)]
    if isinstance(kind, click.Choice) and rng.random() < 0.7:
        return rng.choice(list(map(str, kind.choices)))
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType | click.IntRange | click.FloatRange):
        return rng.choice((*NUMBERS, *texts)) if rng.random() < 0.3 else rng.choice(NUMBERS)
    return rng.choice((rng.choice(PATHS), rng.choice(PATHS), rng.choice(texts), rng.choice(NUMBERS)))


def draw_arguments(name, command, rng):
    """Arguments that a command takes, changed at one to three places."""
    args = list(COMMANDS[name])
    options = [each for each in command.params if isinstance(each, click.Option) and each.name not in ("on", "help")]
    for _ in range(rng.randint(1, 3)):
        how = rng.random()
        if args and how < 0.4:
            values = [at for at, each in enumerate(args) if not each.startswith("--")]
            at = rng.choice(values)
            args[at] = draw_value(click.STRING, rng)
        elif options:
            option = rng.choice(options)
            args.append(rng.choice([*option.opts, *option.secondary_opts]))
            if not option.is_flag:
                args.append(draw_value(option.type, rng))
    if "--dry-run" in args and rng.random() < 0.1:
        args.remove("--dry-run")
    return [*name.split(), *args]


def test_every_command_is_tried():
    """A new command is fuzzed from its first day."""
    assert sorted(COMMANDS) == sorted(name for name, _ in leaf_commands(cli))


def test_command_lines(world, alone, tmp_path):
    """Whatever is written after a command, it ends with a message."""
    found = list(leaf_commands(cli))

    def door(rng):
        args = draw_arguments(*rng.choice(found), rng)
        with copied(world, tmp_path):
            run_command(*args)

    fuzz("command lines", door, 40)


def test_study_files(world, alone, tmp_path):
    """Whatever a study file holds, it ends with a message; one in five is asked, not only planned."""
    with copied(world, tmp_path):
        assert run_command("run", "study.toml", "--dry-run")[0] == 0

    def door(rng):
        how = rng.random()
        study = {**STUDY, rng.choice(list(STUDY)): rng.choice(PATHS)} if how < 0.3 else mutate_json(STUDY, rng)
        written = as_toml(study) if how < 0.8 else mutate_bytes(as_toml(STUDY), rng)
        with copied(world, tmp_path) as folder:
            (folder / "study.toml").write_bytes(written)
            run_command(*("run", "study.toml"), *(("--dry-run",) if rng.random() < 0.8 else ()))

    fuzz("study files", door, 25)


def as_toml(value):
    """A study as TOML: a line for each field, what is in a field as an inline table."""
    if not isinstance(value, dict):
        return inline(value).encode(errors="surrogatepass")
    lines = (f"{json.dumps(name)} = {inline(each)}\n" for name, each in value.items() if each is not None)
    return "".join(lines).encode(errors="surrogatepass")


def inline(value):
    """A value as TOML writes it within a line; null, which TOML lacks, is left out."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(name)} = {inline(each)}' for name, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(inline(each) for each in value if each is not None)}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False) if value is not None else '""'


def test_tables(world, alone, tmp_path):
    """Whatever a table holds, of one's own or of a published benchmark, it is loaded, shown, audited or refused."""

    def door(rng):
        with copied(world, tmp_path) as folder:
            spec = write_own_table(folder / "bench", rng) if rng.random() < 0.6 else write_published(folder, rng)
            how = rng.random()
            if how < 0.75:
                for item in load(spec, allow_broken=rng.random() < 0.8):
                    orjson.dumps([item.question, [option.text for option in item.options], item.cluster])
            elif how < 0.95:
                run_command("benchmark", "show", spec, "--out", "show.html")
            else:
                run_command("audit", spec, "--out", "audited")

    fuzz("tables", door, 40)


def write_own_table(folder, rng):
    """Rows, changed, in a format that a folder of one's own may have; or its bytes, changed."""
    rows = mutate_json(ROWS, rng)
    rows = [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []
    (folder / "questions.jsonl").unlink()
    name = rng.choice(("csv", "tsv", "jsonl", "json", "xlsx", "parquet"))
    path = folder / f"questions.{name}"
    path.write_bytes(as_table(rows or ROWS, name))
    if rng.random() < 0.3:
        path.write_bytes(mutate_bytes(path.read_bytes(), rng))
    return rng.choice((str(folder), str(path)))


def as_table(rows, name):
    """Rows as the bytes of a file; what a format cannot say is said in its own way, or as text."""
    if name == "jsonl":
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    if name == "json":
        return json.dumps(rows).encode()
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [[as_cell(row.get(column)) for column in columns] for row in rows]
    written = io.BytesIO()
    if name == "xlsx":
        book = openpyxl.Workbook()
        for line in ([as_cell(column) for column in columns], *cells):
            with suppress(ValueError, openpyxl.utils.exceptions.IllegalCharacterError):
                book.active.append(line)
        book.save(written)
    elif name == "parquet":
        try:
            parquet.write_table(pyarrow.Table.from_pylist(rows), written)
        except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
            table = pyarrow.table({str(at): [str(line[at]) for line in cells] for at in range(len(columns))})
            parquet.write_table(table, written := io.BytesIO())
    else:
        text = io.TextIOWrapper(written, encoding="utf-8", errors="surrogatepass", newline="", write_through=True)
        writer = csv.writer(text, delimiter="\t" if name == "tsv" else ",")
        writer.writerows((columns, *cells))
        text.detach()
    return written.getvalue()


def as_cell(value):
    """A value as the cell of a table."""
    if isinstance(value, str) or (isinstance(value, float | int) and abs(value) < 1e300):
        return value[:30_000].encode(errors="replace").decode() if isinstance(value, str) else value
    return json.dumps(value, default=repr)


def write_published(folder, rng):
    """A published benchmark with one of its files changed: its values if it is JSON or Parquet, else its bytes."""
    (folder / "published").mkdir()
    spec = write_benchmark(rng.choice(PUBLISHED), folder / "published")
    files = sorted(path for path in (folder / "published").rglob("*") if path.is_file() and path.suffix != ".png")
    path = rng.choice(files)
    data = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.7:
        data = json.dumps(mutate_json(json.loads(data), rng)).encode()
    elif path.suffix == ".parquet" and rng.random() < 0.7:
        rows = mutate_json([{}, *parquet.read_table(path).to_pylist()], rng)
        whole = [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else ROWS
        data = as_table(whole, "parquet")
    else:
        data = mutate_bytes(data, rng)
    path.write_bytes(data)
    return spec


DOORS = (
    ("list", "studies", OUT), ("export", OUT, "--to", "csv", "--file", "e.csv"),
    ("export", OUT, "--to", "jsonl", "--file", "e.jsonl"), ("report", OUT), ("compare", OUT, OUT),
    ("exam", *EXAM, "--out", OUT), ("export", OUT, "--to", "shards", "--file", "s"), ("benchmark", "clean", OUT),
    ("audit", OUT, "--out", "audited"), ("review", "status", OUT), ("review", "results", OUT),
    ("plan", "study.toml"), ("gate", OUT, "--require", "accuracy>=0.8"),
)  # fmt: skip
"""Commands that read a store."""


def test_stores(world, alone, tmp_path):
    """A store with damaged pages, foreign values or foreign tables, or one in shards, is read or refused."""

    def door(rng):
        with copied(world, tmp_path) as folder:
            if rng.random() < 0.2:
                run_command("export", OUT, "--to", "shards", "--file", "sharded")
                shutil.rmtree(folder / OUT)
                (folder / "sharded").rename(folder / OUT)
            path = rng.choice(sorted((folder / OUT).rglob("*.sqlite")))
            rng.choice(CHANGES)(path, rng)
            run_command(*rng.choice(DOORS))

    fuzz("stores", door, 12)


def change_bytes(path, rng):
    """Flip, cut or double bytes of a file."""
    path.write_bytes(mutate_bytes(path.read_bytes(), rng))


@contextmanager
def tables_of(path):
    """The names of a database's tables with their columns, and a connection that may change all."""
    with closing(sqlite3.connect(path)) as store, store:
        for (trigger,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            store.execute(f'DROP TRIGGER "{trigger}"')
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        yield store, {name: [row[1] for row in store.execute(f'PRAGMA table_info("{name}")')] for name in names}


def as_stored(value, rng):
    """A value that SQLite can hold."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value) if abs(value) < 1e300 else str(value)
    return value.encode(errors="surrogatepass") if isinstance(value, str) and rng.random() < 0.2 else as_text(value)


def as_text(value):
    """A text without halves of characters; any other value unchanged."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def change_values(path, rng):
    """Put strange values into some rows of some columns."""
    with tables_of(path) as (store, tables):
        for _ in range(rng.randint(1, 3)):
            table = rng.choice(list(tables))
            column = rng.choice(tables[table])
            value = as_stored(rng.choice(strange_values(rng)), rng)
            some = rng.choice(("", " WHERE rowid % 2"))
            with suppress(sqlite3.Error):
                store.execute(f'UPDATE "{table}" SET "{column}" = ?{some}', (value,))


def change_records(path, rng):
    """Change what the JSON of some rows says."""
    with tables_of(path) as (store, tables):
        places = [(table, column) for table, columns in tables.items() for column in columns]
        rng.shuffle(places)
        for table, column in places:
            with suppress(sqlite3.Error):
                rows = store.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
                found = [row for row in rows if isinstance(row[1], str) and row[1][:1] in ("[", "{")]
                if found:
                    row = rng.choice(found)
                    changed = json.dumps(mutate_json(json.loads(row[1]), rng))
                    store.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (changed, row[0]))
                    return


def change_tables(path, rng):
    """Take away, rename or empty a table or a column."""
    with tables_of(path) as (store, tables):
        table = rng.choice(list(tables))
        column = rng.choice(tables[table])
        with suppress(sqlite3.Error):
            store.execute(
                rng.choice((
                    f'DROP TABLE "{table}"', f'ALTER TABLE "{table}" RENAME TO other', f'DELETE FROM "{table}"',
                    f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other', "CREATE TABLE strange (a)",
                    f'ALTER TABLE "{table}" DROP COLUMN "{column}"', f'DELETE FROM "{table}" WHERE rowid = 1',
                ))
            )  # fmt: skip


CHANGES = (change_bytes, change_values, change_values, change_records, change_records, change_tables)
