"""Logs of every tool, mutated: what is imported can be reported, and everything else is refused in words."""

import csv
import gzip
import io
import json
import os
import sys
from contextlib import suppress
from itertools import count
from shutil import rmtree
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow
import pyarrow.parquet

from fuzzing import dump_json, fuzz, mutate_bytes, mutate_json
from snellen.errors import BrokenRowsError
from snellen.items import Benchmark, Item, Option
from snellen.study import bring, publish, rescore

SIDES = ["left", "right", "both"]
ASKED = "Which side?\nA. left\nB. right\nC. both\nAnswer with a letter."
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PIXEL}}, {"type": "text", "text": ASKED}]},
]


def own_row(n, arm="original"):
    return {
        "schema": 1, "model": "a/m", "benchmark": "b", "item_id": str(n), "arm": arm, "replicate": 1,
        "question": f"Which side of {n}?", "options": [*SIDES[:2], {"text": "none", "abstains": True}], "answer": "B",
        "response": "Answer: B", "finish": "stop", "reasoning": "It is B.", "revision": "r", "prompt": ASKED,
        "system": "Be brief.", "latency": 0.5, "input_tokens": 40, "output_tokens": 5, "category": "chest",
        "cluster": "p1", "language": "en", "context": "A film.", "metadata": {"age": 40}, "images": [PIXEL],
    }  # fmt: skip


def lmms(n):
    return {
        "doc_id": n, "doc": {"qid": f"c{n}", "image": PIXEL}, "target": "B", "filtered_resps": ["Answer: B"],
        "doc_hash": "6", "input": ASKED.replace("side", f"side of {n}"), "acc": 1.0, "input_media": ["a.png"],
        "token_counts": [{"input_tokens": 40, "output_tokens": 5, "reasoning_tokens": 0}],
    }  # fmt: skip


def lm(n):
    doc = {"qid": f"c{n}", "question": f"Which side of {n}?", "choices": SIDES, "label": 1, "category": "chest"}
    same = {"doc_id": n, "doc": doc, "filter": "none", "prompt_hash": "3", "doc_hash": "6"}
    if n % 2:
        options = {f"gen_args_{at}": {"arg_0": "Which?", "arg_1": f" {text}"} for at, text in enumerate(SIDES)}
        pairs = [[[str(-at - 0.5), "False"]] for at in (1, 0, 2)]
        return {**same, "target": "1", "arguments": options, "resps": pairs, "acc": 1.0}
    arguments = {"gen_args_0": {"arg_0": [json.dumps(CHAT)], "arg_1": {"until": ["</s>"], "temperature": 0.0}}}
    return {**same, "target": "B", "arguments": arguments, "resps": [["Answer: B", "Answer: A"]]}


def foo(n):
    return {
        "id": f"r{n}", "promptIdx": 0, "testIdx": n, "promptId": "p", "success": True, "failureReason": 0,
        "testCase": {"vars": {}, "assert": [{"type": "equals", "value": "{{gold}}"}]}, "latencyMs": 800,
        "provider": {"id": "openai:chat:m", "label": "m"}, "prompt": {"raw": json.dumps(CHAT), "label": "original"},
        "vars": {"question": f"Which side of {n}?", "choices": SIDES, "gold": "B", "image": PIXEL},
        "response": {"output": "Answer: B", "tokenUsage": {"prompt": 40, "completion": 5}, "finishReason": "stop"},
        "metadata": {"arm": "original"},
    }  # fmt: skip


def state(n):
    media = [{"content_type": "text/plain", "text": ASKED}, {"content_type": "image/png", "location": "a.png"}]
    return {
        "instance": {
            "id": f"id{n}", "split": "test", "input": {"text": f"Which side of {n}?"}, "perturbation": {"name": ""},
            "references": [{"output": {"text": text}, "tags": ["correct"] * (text == "right")} for text in SIDES],
        },
        "train_trial_index": 0, "output_mapping": dict(zip("ABC", SIDES, strict=True)),
        "request": {"prompt": ASKED, "temperature": 0.0, "multimodal_prompt": {"media_objects": media},
                    **({"messages": CHAT} if n else {})},
        "result": {"success": True, "request_time": 0.5, "completions": [
            {"text": " B", "thinking": {"text": "B?"}, "finish_reason": {"reason": "endoftext"}}]},
    }  # fmt: skip


def sample(n):
    shown = {
        "role": "user",
        "content": [{"type": "image", "image": "attachment://aa"}, {"type": "text", "text": ASKED}],
    }
    said = {
        "model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Answer: B"}, "stop_reason": "stop"}],
        "usage": {"input_tokens": 40, "output_tokens": 5, "reasoning_tokens": 1}, "time": 0.25,
    }  # fmt: skip
    call = {"request": {"messages": [shown]}, "response": {"text": "Answer: B"}, "call_refs": [[0, 1]]}
    return {
        "id": f"q{n}", "epoch": 1, "input": [shown], "choices": SIDES, "target": "B", "messages": [shown],
        "output": said, "metadata": {"category": "chest", "arm": "original"}, "attachments": {"aa": PIXEL},
        "events": [{"event": "info"}, {"event": "model", "input": [shown], "output": said, "call": call,
                                       "config": {"temperature": 0, "seed": 1}}],
        "events_data": {"messages": [shown], "calls": [shown]}, "error": None, "limit": None,
    }  # fmt: skip


HEADER = {
    "version": 2, "status": "success", "plan": {"steps": [{"solver": "chain", "params": {"shuffle": False}}]},
    "eval": {"task": "pkg/sides", "task_id": "t", "created": "2026", "model": "openai/m", "task_args": {},
             "dataset": {"name": "sides", "sample_ids": ["q0", "q1"]}, "model_generate_config": {"max_tokens": 9}},
}  # fmt: skip
HEAD = ["index", "question", "hint", "A", "B", "C", "answer", "category", "image", "prediction", "thinking"]
CELLS = [[n, f"Which side of {n}?", "A film.", *SIDES, "B", "chest", "1.jpg", "Answer: B", "B?"] for n in range(2)]
LM, LMMS = "results_2026-11-17T07-18-09.613711.json", "20261117_152000_results.json"
RESULTS = {
    "model_name": "m", "config": {"model": "hf", "model_sha": "abc", "gen_kwargs": "temperature=0,top_p=1"},
    "configs": {"task": {"output_type": "generate_until", "generation_kwargs": {"max_gen_toks": 9}}}, "date": 1794899.1,
}  # fmt: skip
SPEC = {
    "name": "task:subject=x,model=a_m", "scenario_spec": {"class_name": "S", "args": {"subject": "x"}},
    "adapter_spec": {"method": "multiple_choice_joint", "model": "a/m"},
}  # fmt: skip
PROVIDERS = [{"id": "openai:chat:m", "label": "m", "config": {"temperature": 0, "max_tokens": 64}}]
ROWS = [own_row(0), own_row(1), own_row(0, "image-removed") | {"images": []}]
LOGS = {
    "jsonl": [{"rows.jsonl": ROWS}, {"rows.jsonl.gz": ROWS}, {"rows.csv": ROWS}, {"rows.parquet": ROWS}],
    "lmms-eval": [{"20261117_152000_samples_task.jsonl": [lmms(0), lmms(1)], LMMS: RESULTS}],
    "lm-eval": [
        {"samples_task_2026-11-17T07-18-09.613711.jsonl": [lm(0), lm(1)], LM: RESULTS},
        {"samples_task_2026-11-17T07-18-09.613711.jsonl.gz": [lm(0), lm(1)], LM: RESULTS},
    ],
    "vlmevalkit": [{"m_task.xlsx": [HEAD, *CELLS]}, {"m_task.tsv": [HEAD, *CELLS]}],
    "promptfoo": [
        {name: {"evalId": "eval-1", "results": {"version": 3, "results": [foo(0), foo(1)]},
                "config": {"description": "task", "providers": PROVIDERS}, "shareableUrl": None}}
        for name in ("out.json", "out.json.gz")
    ],
    "helm": [
        {"scenario_state.json": {"adapter_spec": SPEC["adapter_spec"], "request_states": [state(0), state(1)]},
         "run_spec.json": SPEC}
    ],
    "inspect": [
        {name: {**HEADER, "samples": [sample(0), sample(1)]}} for name in ("log.json", "log.eval")
    ],
}  # fmt: skip
KNOWN = Benchmark(
    "task", tuple(Item(str(n), f"Which side of {n}?", tuple(map(Option, SIDES)), answer=1) for n in range(2))
)
NAMES = (*[""] * 20, "é", " ", "'\"<b>", "x" * 150, "\udcff" if sys.platform == "linux" else "y")
CASES = [(tool, files) for tool, several in LOGS.items() for files in several]


# --- Writing


def as_text(value):
    """A cell as text, whatever it holds."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def as_bytes(text):
    return text.encode("utf-8", "surrogatepass")


def as_table(rows, sign):
    """Cells between signs."""
    rows = [row if isinstance(row, list) else [row] for row in (rows if isinstance(rows, list) else [rows])]
    file = io.StringIO()
    csv.writer(file, delimiter=sign, lineterminator="\n").writerows([[as_text(cell) for cell in row] for row in rows])
    return as_bytes(file.getvalue())


def as_csv(rows):
    """Rows under the names that any of them has."""
    rows = [row for row in (rows if isinstance(rows, list) else [rows]) if isinstance(row, dict)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return as_table([names, *([row.get(name) for name in names] for row in rows)], ",")


def as_parquet(rows):
    """Rows as pyarrow takes them, else with every value as a text."""
    rows = [row for row in (rows if isinstance(rows, list) else [rows]) if isinstance(row, dict)]
    texts = [
        {plain(name): plain(as_text(value)) for name, value in row.items() if value is not None and value != []}
        for row in rows
    ]
    with io.BytesIO() as file:
        try:
            table = pyarrow.Table.from_pylist(rows)
        except (pyarrow.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError):
            table = pyarrow.Table.from_pylist(texts)
        pyarrow.parquet.write_table(table, file)
        return file.getvalue()


def plain(text):
    return text.encode("utf-8", "replace").decode()


SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.'
    'sheet.main+xml"/></Types>',
    "_rels/.rels": "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'/>",
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{RELATED}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{SPACE}" xmlns:r="{RELATED}"><sheets><sheet name="a" sheetId="1" r:id="r1"/>'
    "</sheets></workbook>",
}


def as_workbook(rows, rng=None):
    """A workbook with one sheet, whose parts may be mutated."""

    def cell(at, value):
        if isinstance(value, int | float):
            return f'<c r="{chr(65 + at % 26)}1"><v>{value}</v></c>'
        return f'<c t="inlineStr"><is><t>{escape(as_text(value))}</t></is></c>' if value is not None else "<c/>"

    rows = [row if isinstance(row, list) else [row] for row in (rows if isinstance(rows, list) else [rows])]
    lines = "".join(f"<row>{''.join(cell(at, value) for at, value in enumerate(row))}</row>" for row in rows)
    sheet = f'<worksheet xmlns="{SPACE}"><sheetData>{lines}</sheetData></worksheet>'
    return as_zip({name: as_bytes(text) for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items()}, rng)


def as_zip(members, rng=None, packed=ZIP_DEFLATED):
    """A zip, of which one member may be mutated."""
    if rng is not None:
        name = rng.choice(sorted(members))
        members = {**members, name: mutate_bytes(members[name], rng)}
    with io.BytesIO() as file:
        with ZipFile(file, "w", packed) as archive:
            for name, data in members.items():
                archive.writestr(plain(name), data)
        return file.getvalue()


def as_eval(log, rng=None):
    """The same log as a zip."""
    if not isinstance(log, dict):
        return as_zip({"header.json": dump_json(log)}, rng)
    samples = log.get("samples")
    samples = samples if isinstance(samples, list) else [samples]
    named = {}
    for at, each in enumerate(samples):
        about = each if isinstance(each, dict) else {"id": at, "epoch": 1}
        named[f"samples/{about.get('id')}_epoch_{about.get('epoch')}.json"] = each
    members = {**named, "header.json": {**log, "samples": None}}
    return as_zip({name: dump_json(each) for name, each in members.items()}, rng)


def as_lines(rows):
    return b"\n".join(dump_json(row) for row in (rows if isinstance(rows, list) else [rows]))


WRITERS = {
    ".jsonl": as_lines,
    ".csv": as_csv,
    ".tsv": lambda rows: as_table(rows, "\t"),
    ".parquet": as_parquet,
    ".xlsx": as_workbook,
    ".eval": as_eval,
    ".json": dump_json,
}


def written(name, value, rng):
    """The bytes of a file, mutated as a value, as bytes, or in a part of its archive; whole without `rng`."""
    plain = name.removesuffix(".gz")
    writer = next(WRITERS[ending] for ending in WRITERS if plain.endswith(ending))
    how = "" if rng is None else rng.choices(("value", "bytes", "both"), (8, 3, 1))[0]
    if how in ("value", "both"):
        value = mutate_json(value, rng)
    inner = how in ("bytes", "both") and writer in (as_workbook, as_eval) and rng.random() < 0.7
    data = writer(value, rng) if inner else writer(value)
    if how in ("bytes", "both") and not inner:
        data = mutate_bytes(data, rng)
    if name.endswith(".gz"):
        data = gzip.compress(data, 1)
        return mutate_bytes(data, rng) if how == "bytes" and rng.random() < 0.3 else data
    return data


# --- The fuzzer


def test_logs_of_every_tool_are_imported_or_refused(tmp_path, monkeypatch):
    """Whatever a log holds: an import that can be scored and reported, or one of our errors with a message.

    Every fourth import is scored, and every two hundredth reported, since that takes most of the time.
    """
    monkeypatch.setattr("snellen.imports.importing.provenance", dict)
    imports = count()

    def door(rng):
        tool, files = rng.choice(CASES)
        folder = tmp_path / "m"
        folder.mkdir()
        try:
            changed = rng.choice(sorted(files))
            for name, value in files.items():
                (folder / name).write_bytes(written(name, value, rng if name == changed else None))
            first = folder / next(iter(files))
            how = {"format": rng.choice((tool, tool, None)), "model": rng.choice((None, None, "a/m"))}
            how["benchmarks"] = rng.choice(((), (), (KNOWN,)))
            first = first.rename(folder / f"{rng.choice(NAMES)}{first.name}")
            out = folder / "out"
            with suppress(BrokenRowsError):
                bring([rng.choice((first, folder))], out, **how)
                return report(out)
            bring([first], out, allow_broken=True, **how)
            report(out)
        finally:
            rmtree(folder)

    def report(out):
        number = next(imports)
        if number % 200 == 0:
            publish(out)
        elif number % 4 == 0:
            rescore(out)

    ends = fuzz("logs", door, 100)
    assert "FUZZ" in os.environ or {"done", "DataError"} <= ends.keys()


def test_every_log_is_whole_before_it_is_mutated(tmp_path):
    """Each of them is imported without a broken row."""
    for at, (tool, files) in enumerate(CASES):
        folder = tmp_path / str(at) / "m"
        folder.mkdir(parents=True)
        for name, value in files.items():
            (folder / name).write_bytes(written(name, value, None))
        assert bring([folder / next(iter(files))], tmp_path / f"out{at}", format=tool).new >= 2
