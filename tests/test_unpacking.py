"""Packed files: each reader stops at a limit, whatever a file holds, and a user can raise it."""

import gzip
import io
import json
import tarfile
import tracemalloc
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from snellen.benchmarks.openi import _files
from snellen.benchmarks.rows import read
from snellen.benchmarks.workbook import open_book, rows_of
from snellen.cli import cli
from snellen.errors import DataError
from snellen.imports.importing import sources
from snellen.unpacking import allow_unpacked, parse_size

QUESTION = {"question": "Which side?", "options": ["left", "right"], "answer": "B"}
OWN = {"model": "a/m", "benchmark": "b", "item_id": "1", "response": "B", **QUESTION}
FOO = {"provider": "m", "vars": QUESTION, "prompt": {"raw": "x" * 3000}, "response": {"output": "B"}}
HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "plan": {}}
SAMPLE = {
    "id": "1", "epoch": 1, "input": "Which side?", "choices": ["left", "right"], "target": "B", "metadata": {},
    "output": {"choices": [{"message": {"role": "assistant", "content": "B" + " " * 3000}}]},
}  # fmt: skip
REPORT = "<eCitation><MedlineCitation/>{}</eCitation>"


def lines(*rows):
    return b"\n".join(json.dumps(row).encode() for row in rows)


def zipped(path, members):
    path.parent.mkdir(exist_ok=True)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def gzipped(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(data))
    return path


def workbook(path, *rows):
    path.parent.mkdir(exist_ok=True)
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def changed_part(path, part, change):
    """The same archive with one part changed."""
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return zipped(path, {**members, part: change(members[part])})


def archived_reports(path, size):
    with tarfile.open(path, "w:gz") as archive:
        data = REPORT.format(" " * size).encode()
        member = tarfile.TarInfo("1.xml")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return path


def parquet(path, text):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{**OWN, "prompt": text}] * 3), path, compression="zstd")
    return path


def imported(file, tool):
    return [each for source in sources([file], format=tool) for each in source.read(lambda sentence: None)]


BOOK = [["index", "question", "A", "B", "answer", "prediction"], [1, "Which side?", "left", "right", "B", "B" * 9000]]
RESULTS = {"evalId": "e", "results": {"results": [FOO]}, "config": {}}
STATE = {"adapter_spec": {"model": "m"}, "request_states": [{"instance": {"id": "1" * 3000}}]}
SAMPLES = lines({"doc_id": 0, "target": "B", "resps": [["B" * 9000]], "doc": QUESTION, "prompt_hash": "3"})
READERS = {
    "promptfoo": lambda folder: imported(gzipped(folder / "out.json.gz", lines(RESULTS)), "promptfoo"),
    "helm": lambda folder: imported(gzipped(folder / "scenario_state.json.gz", lines(STATE)), "helm"),
    "own rows": lambda folder: imported(gzipped(folder / "a.jsonl.gz", lines(OWN | {"prompt": "x" * 9000})), "jsonl"),
    "own Parquet": lambda folder: imported(parquet(folder / "a.parquet", "x" * 9000), "jsonl"),
    "VLMEvalKit": lambda folder: imported(workbook(folder / "m" / "m_d.xlsx", *BOOK), "vlmevalkit"),
    "Inspect": lambda folder: imported(
        zipped(folder / "log.eval", {"header.json": lines(HEADER), "samples/1_epoch_1.json": lines(SAMPLE)}), "inspect"
    ),
    "questions in gzip": lambda folder: list(read(gzipped(folder / "a.jsonl.gz", b"{}\n" * 3000))),
    "questions in a zip": lambda folder: list(read(zipped(folder / "a.zip", {"a.jsonl": b"{}\n" * 3000}))),
    "questions in Excel": lambda folder: list(read(workbook(folder / "a.xlsx", ["question"], ["x" * 9000]))),
    "reports": lambda folder: list(_files(archived_reports(folder / "a.tgz", 9000))),
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_keeps_to_the_limit(tmp_path, name):
    """The error names the file, the limit and the option that raises it; with leave the file is read."""
    with (
        allow_unpacked(2000),
        pytest.raises(DataError, match=r"\w has [\d,]+ bytes and unpacks to .*--max-unpacked \d"),
    ):
        READERS[name](tmp_path)
    for most in (10_000_000, parse_size("999999999TB")):
        with allow_unpacked(most):
            READERS[name](tmp_path)


def test_samples_of_other_tools_keep_to_the_limit(tmp_path):
    """lm-eval and lmms-eval, whose files are read line by line."""
    file = gzipped(tmp_path / "samples_d_2026-11-17T07-18-09.613711.jsonl.gz", SAMPLES)
    [source] = sources([file], format="lm-eval", model="m")
    assert len(list(source.read(lambda sentence: None))) == 1
    with allow_unpacked(2000), pytest.raises(DataError, match="unpacks to"):
        list(source.read(lambda sentence: None))


def repeated(piece, times):
    """Gzipped bytes that hold a piece many times, without packing each."""
    return gzip.compress(piece) * times


BOMBS = {
    "text": (b'{"evalId": "e", "a": "', b"x" * 1_000_000, 300, b'"}'),
    "values": (b'{"evalId": "e", "a": [0', b",[]" * 300_000, 100, b"]}"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused_before_it_fills_memory(tmp_path, kind):
    """300 MB of text in 300 kB, and 90 MB of values, which would take 3 GB of memory."""
    start, piece, times, end = BOMBS[kind]
    file = tmp_path / "out.json.gz"
    file.write_bytes(gzip.compress(start) + repeated(piece, times) + gzip.compress(end))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"out\.json\.gz .*unpacks to .*--max-unpacked \d+.B"):
            imported(file, "promptfoo")
        assert tracemalloc.get_traced_memory()[1] < 150_000_000
    finally:
        tracemalloc.stop()


def test_zips_are_refused_by_what_they_state(tmp_path):
    """Nothing is unpacked of an archive whose members together state more than its size explains."""
    file = zipped(tmp_path / "log.eval", {"header.json": lines(HEADER), "samples/1_epoch_1.json": lines(SAMPLE)})
    raw = bytearray(file.read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = (900_000_000).to_bytes(4, "little")
    file.write_bytes(raw)
    with pytest.raises(DataError, match=r"log\.eval has .* unpacks to 900,00.*--max-unpacked 2GB"):
        imported(file, "inspect")


def test_a_value_that_many_rows_share_is_not_decoded_for_all_at_once(tmp_path):
    """Parquet stores it once: 10,000 rows of 100 kB in a file of a few kB."""
    column = pyarrow.DictionaryArray.from_arrays([0] * 10_000, ["x" * 100_000])
    file = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"question": column}), file, compression="zstd")
    with allow_unpacked(5_000_000), pytest.raises(DataError, match=r"a\.parquet has .* unpacks to"):
        list(read(file))


def first_sheet(path):
    with path.open("rb") as file, open_book(file, path.name, path.stat().st_size) as book:
        return list(rows_of(book.worksheets[0]))


SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
HOSTILE = {
    "a row without end": (SHEET, lambda data: data.replace(b"</row>", b"<c/>" * 60_000 + b"</row>", 1)),
    "columns without end": (SHEET, lambda data: data.replace(b"<sheetData>", b"<a/>" * 60_000 + b"<sheetData>")),
    "styles without end": ("xl/styles.xml", lambda data: data.replace(b"<cellXfs", b"<xf/>" * 60_000 + b"<cellXfs")),
    "entities": (SHEET, lambda data: data.replace(b"<worksheet", LAUGHS + b"<worksheet", 1)),
    "entities in styles": ("xl/styles.xml", lambda data: LAUGHS + data),
    "entities after a remark": (SHEET, lambda data: b"<!-- x -->" + LAUGHS + data),
    "entities in another encoding": (SHEET, lambda data: (LAUGHS + data.partition(b"?>")[2]).decode().encode("utf-16")),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_workbook_of_too_many_tags_is_refused(tmp_path, monkeypatch, what):
    """Tags of a few bytes take a hundred each; entities may expand without end, and no program writes them."""
    monkeypatch.setattr("snellen.benchmarks.workbook._MOST_TAGS", 20_000)
    file = changed_part(workbook(tmp_path / "a.xlsx", *BOOK), *HOSTILE[what])
    with pytest.raises(DataError, match=r"a\.xlsx cannot be read as an Excel workbook: .*(tags|DOCTYPE)"):
        first_sheet(file)


def test_a_sheet_costs_what_it_holds_and_not_what_it_claims(tmp_path):
    """A sheet that states all cells of Excel gives its own; a row far below is the last that Excel allows."""
    file = changed_part(
        workbook(tmp_path / "a.xlsx", ["a", None, "c"], ["d"]),
        SHEET,
        lambda data: data.replace(b'ref="A1:C2"', b'ref="A1:XFD1048576"').replace(
            b"</sheetData>", b'<row r="5"><c r="A5"><v>1</v></c></row><row r="99999999999"/></sheetData>'
        ),
    )
    assert first_sheet(file) == [("a", None, "c"), ("d",), (), (), (1,)]


def test_the_limit_is_an_option_of_commands_that_read_files(tmp_path):
    """It is raised and lowered by a size; what is no size is told."""
    verbs = [cli.commands[name] for name in ("exam", "plan", "run", "import", "audit", "metrics")]
    about = [cli.commands["benchmark"].commands[name] for name in ("clean", "deidentify", "guess", "show")]
    for command in (*verbs, *about, cli.commands["parser"].commands["qualify"]):
        assert "--max-unpacked" in {option for each in command.params for option in each.opts}, command.name
    file = gzipped(tmp_path / "rows.jsonl.gz", lines(OWN | {"prompt": "x" * 9000}))
    ends = {
        size: CliRunner().invoke(cli, ["import", str(file), "--out", str(tmp_path / size), "--max-unpacked", size])
        for size in ("1KB", "20kb", "many")
    }
    assert isinstance(ends["1KB"].exception, DataError)
    assert ends["20kb"].exit_code == 0
    assert "expected a size such as 500MB or 4GB, got 'many'" in ends["many"].output


def test_sizes_are_numbers_of_bytes():
    """With or without a unit; a number without end is none."""
    assert [parse_size(text) for text in ("12", "3 MB", "0.5g")] == [12, 3_000_000, 500_000_000]
    for wrong in ("", "-1", "1e9", "GB", "9" * 400, "1XB"):
        with pytest.raises(ValueError, match="expected a size"):
            parse_size(wrong)
