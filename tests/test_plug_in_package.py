"""An installed package of somebody else's: each entry point of docs/how-to/write-a-plug-in.md, by commands."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from commands.test_cli import snellen
from snellen.commands.cli import VERBS
from snellen.commands.cli.list import FAMILIES

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "write-a-plug-in.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
JUDGE = """
from snellen import FunctionModel

NOTHING = None


def judge(model):
    return FunctionModel(lambda request: "polite" if "please" in request.text else "rude", name=f"kind/{model}")
"""
BROKEN = """
[snellen.commands]
lost = nowhere_at_all:lost
not-one = ward_judge:NOTHING
exam = nowhere_at_all:exam
[snellen.importers]
lost = nowhere_at_all:IMPORTER
[snellen.checks]
lost = nowhere_at_all:CHECK
[snellen.questions]
lost = nowhere_at_all:QUESTION
[snellen.chapters]
lost = nowhere_at_all:CHAPTER
"""


def install(folder, name, entry_points):
    """A package as the installer would leave it."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def ward(tmp_path, monkeypatch):
    """The examples of the page, installed as the package `ward`, with a judge that gives no thought to anything."""
    folder = tmp_path / "ward"
    folder.mkdir()
    groups = {"snellen.models": {"kind": "ward_judge:judge"}}
    (folder / "ward_judge.py").write_text(JUDGE)
    for code, toml in EXAMPLES:
        [(group, points)] = tomllib.loads(toml)["project"]["entry-points"].items()
        [reference] = points.values()
        (folder / f"{reference.partition(':')[0]}.py").write_text(code)
        groups[group] = points
    lines = (f"[{group}]\n" + "".join(f"{n} = {r}\n" for n, r in points.items()) for group, points in groups.items())
    install(folder, "ward", "\n".join(lines))
    monkeypatch.syspath_prepend(folder)
    for command in ("import_", "qualify"):  # their options list the names that were installed when they were loaded
        monkeypatch.delitem(sys.modules, f"snellen.commands.cli.{command}", raising=False)
    yield folder
    for module in [name for name in sys.modules if name.startswith("ward_")]:
        sys.modules.pop(module)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A package whose entry points lead nowhere, one of them under a name of ours."""
    folder = tmp_path / "broken"
    folder.mkdir()
    install(folder, "broken", BROKEN)
    monkeypatch.syspath_prepend(folder)


def test_a_command_is_listed_apart_and_loaded_when_it_is_run(ward, tmp_path):
    """`snellen --help` names its package and imports nothing of it."""
    printed = snellen("--help", cwd=tmp_path)
    ours, theirs = printed.split("Commands of plug-ins:")
    assert theirs.split() == ["count-verdicts", "From", "the", "package", "ward."]
    assert "exam" in ours
    assert "ward_command" not in sys.modules
    (tmp_path / "results.json").write_text('{"verdicts": [{}, {}]}')
    assert snellen("count-verdicts", ".", cwd=tmp_path) == "2 verdicts\n"
    assert "Count the verdicts of the study in FOLDER." in snellen("count-verdicts", "--help", cwd=tmp_path)


def test_a_command_that_does_not_load_says_so_in_one_line_when_it_is_run(ward, broken, tmp_path):
    """The list stays whole, and no command of ours is replaced."""
    printed = snellen("--help", cwd=tmp_path)
    listed = printed.split("Commands of plug-ins:")[1].split()
    assert listed == [
        *("count-verdicts", "From", "the", "package", "ward."),
        *("lost", "From", "the", "package", "broken."),
        *("not-one", "From", "the", "package", "broken."),
    ]
    said = snellen("lost", cwd=tmp_path, status=1)
    assert re.fullmatch(
        r"snellen: The plug-in 'lost' \(nowhere_at_all:lost\) of the commands does not load: .*\n", said
    )
    said = snellen("not-one", cwd=tmp_path, status=1)
    assert said == "snellen: The plug-in 'not-one' of the commands gave None. Expected a click.Command.\n"
    assert snellen("exam", "--help", cwd=tmp_path).split("\n")[2].strip() == VERBS["exam"]


def log(folder):
    """A log of the ward's tool, with two answers of which one is right."""
    answers = [
        {"model": "m", "id": f"q{at}", "question": f"Is it {at}?", "options": ["yes", "no"], "key": "yes", "said": said}
        for at, said in enumerate(("Answer: A", "Answer: B"))
    ]
    path = folder / "answers.json"
    path.write_text(json.dumps({"ward": 1, "answers": answers}))
    return path


def test_an_importer_reads_the_log_of_another_tool(ward, tmp_path):
    """It is recognised as a file and in a folder, and taken by its name."""
    (tmp_path / "logs").mkdir()
    path = log(tmp_path / "logs")
    (tmp_path / "logs" / "other.json").write_text("{}")
    assert "Read as a log of the ward's own tool (--from ward)." in snellen("import", path, "--out", "a", cwd=tmp_path)
    assert "other.json" in snellen("import", "logs", "--out", "b", cwd=tmp_path)
    snellen("import", path, "--from", "ward", "--model", "mine", "--out", "c", cwd=tmp_path)
    for folder in "abc":
        snellen("score", folder, cwd=tmp_path)
    records = [json.loads((tmp_path / folder / "results.json").read_text()) for folder in "abc"]
    assert [[model for model, _ in record["study"]["models"]] for record in records] == [["m"], ["m"], ["mine"]]
    accounts = [record["accounting"][0] for record in records]
    assert [(each["replies"], each["rules"]["lenient"]) for each in accounts] == [(2, {"answer-phrase": 2})] * 3


def test_an_importer_that_fails_is_named(ward, broken, tmp_path):
    """A mistake in its code, and one that does not load, are one line each; formats of ours are read as before."""
    path = log(tmp_path)
    path.write_text('{"ward": 1}')
    said = snellen("import", path, "--from", "ward", "--out", "a", cwd=tmp_path, status=1)
    assert said == "\nsnellen: The importer 'ward' failed on answers.json: KeyError: 'answers'.\n"
    assert "of the importers does not load" in snellen("import", path, "--out", "a", cwd=tmp_path, status=1)
    row = {"model": "m", "benchmark": "b", "item_id": "1", "question": "?", "options": ["y", "n"], "answer": "y"}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "response": "Answer: A"}))
    snellen("import", "rows.jsonl", "--out", "b", cwd=tmp_path)


def test_a_check_is_part_of_an_audit(ward, tmp_path):
    """It is listed, run with the others, and shown on the page with what it finds."""
    rows = [
        {"item_id": str(at), "question": q, "options": ["y", "n"], "answer": "y"}
        for at, q in enumerate(("IS IT?", "Is it?"))
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "Are questions in capital letters?" in snellen("audit", "--list", cwd=tmp_path)
    snellen("audit", "q.jsonl", "--check", "capitals", "--check", "majority", cwd=tmp_path)
    found = json.loads((tmp_path / "audit" / "audit.json").read_text())["findings"]
    assert [(each["check"], each["sentence"]) for each in found] == [
        ("capitals", "1 questions are in capital letters.")
    ]
    assert "Are questions in capital letters?" in (tmp_path / "audit" / "audit.html").read_text()


def test_a_check_that_fails_is_named(ward, broken, tmp_path):
    """One that raises, one whose result is another check's, and one that does not load; the others can be run."""
    (tmp_path / "q.jsonl").write_text('{"item_id": "1", "question": "IS IT?", "options": ["y", "n"], "answer": "y"}')
    code = (ward / "ward_check.py").read_text()
    for fault, reason in (
        ("Checked(NAME, len(audited.things)", "AttributeError: 'Audited' object has no attribute 'things'."),
        ('Checked("other", len(audited.items)', "expected a Checked of its own name"),
    ):
        (ward / "ward_check.py").write_text(code.replace("Checked(NAME, len(audited.items)", fault))
        sys.modules.pop("ward_check", None)
        said = snellen("audit", "q.jsonl", "--check", "capitals", cwd=tmp_path, status=1)
        assert f"The check 'capitals' failed: {reason}" in said
    assert "'lost' (nowhere_at_all:CHECK) of the checks" in snellen("audit", "q.jsonl", cwd=tmp_path, status=1)
    snellen("audit", "q.jsonl", "--check", "majority", cwd=tmp_path)


def test_a_judge_is_qualified_on_a_question_of_a_plug_in(ward, tmp_path):
    """Its labels are the plug-in's, and so is the model that judges."""
    rows = [{"response": f"{'please ' * (at % 2)}sit {at}", "label": ("rude", "polite")[at % 2]} for at in range(40)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    how = ("--judge", "kind/judge", "--question", "politeness", "--out", "judged.jsonl")
    printed = snellen("qualify", "judge", "rows.jsonl", *how, cwd=tmp_path)
    assert "politeness" in printed
    judged = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    assert [row["grade"] for row in judged] == [row["label"] for row in rows]


def test_a_chapter_stands_on_the_page_of_a_study(ward, broken, tmp_path):
    """It is in the contents beside the papers' own; one that does not load is a line on the page."""
    snellen(
        *("exam", "--model", "organism/blind", "--benchmark", "phantoms:items=6", "--tests", "image-needed"),
        *("--out", "o"),
        cwd=tmp_path,
    )
    page = (tmp_path / "o" / "report.html").read_text()
    assert 'id="ward-round"' in page
    assert "The ward round" in page
    assert "tests passed" in page
    assert "This chapter could not be drawn. PluginError: The plug-in &#39;lost&#39;" in page


def test_each_family_is_listed_with_its_plug_ins(ward, broken, tmp_path):
    """One that does not load says so in its line."""
    shown = {family: snellen("list", family, cwd=tmp_path) for family in FAMILIES}
    for family, name in {
        "commands": "count-verdicts",
        "importers": "ward",
        "checks": "capitals",
        "questions": "politeness",
        "chapters": "ward-round",
    }.items():
        assert re.search(rf"^ *{name}  ", shown[family], re.MULTILINE), family
        assert re.search(r"^ *lost  +The plug-in 'lost' \(", shown[family], re.MULTILINE), family
