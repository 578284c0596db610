"""The package of examples/plugin, installed: its own tests, and each of its members by the commands that use it."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module

import pytest

from cli.test_cli import snellen
from plug_ins import ENTRY_POINTS, WARD, install
from snellen.cli import COMMANDS
from snellen.cli.list import FAMILIES
from snellen.testing import own_benchmark
from snellen.tools.audit import Check, Checked

JUDGE = """
from snellen import FunctionModel

NOTHING = None


def judge(model):
    return FunctionModel(lambda request: "polite" if "please" in request.text else "rude", name=f"kind/{model}")
"""
BROKEN = {
    "snellen.commands": {
        "lost": "nowhere_at_all:lost",
        "not-one": "kind_judge:NOTHING",
        "exam": "nowhere_at_all:exam",
    },
    **{
        f"snellen.{family}": {"lost": f"nowhere_at_all:{name}"}
        for family, name in (
            ("importers", "IMPORTER"),
            ("checks", "CHECK"),
            ("questions", "Q"),
            ("chapters", "CHAPTER"),
        )
    },
}


@pytest.fixture(autouse=True)
def installed(ward, tmp_path, monkeypatch):
    """The example, and a package with a judge that gives no thought to anything, are there when commands are loaded."""
    (tmp_path / "kind").mkdir()
    (tmp_path / "kind" / "kind_judge.py").write_text(JUDGE)
    install(tmp_path / "kind", "kind", {"snellen.models": {"kind": "kind_judge:judge"}})
    monkeypatch.syspath_prepend(tmp_path / "kind")
    for command in ("import_", "qualify"):  # their options list the names that were installed when they were loaded
        monkeypatch.delitem(sys.modules, f"snellen.cli.{command}", raising=False)
    yield
    sys.modules.pop("kind_judge", None)


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A package whose entry points lead nowhere, one of them under a name of ours."""
    install(tmp_path / "broken", "broken", BROKEN)
    monkeypatch.syspath_prepend(tmp_path / "broken")


def test_a_command_is_listed_apart_and_loaded_when_it_is_run(tmp_path):
    """`snellen --help` names its package and imports nothing of it."""
    printed = snellen("--help", cwd=tmp_path)
    ours, theirs = printed.split("Commands of plug-ins:")
    assert theirs.split() == ["count-verdicts", "From", "the", "package", "snellen-ward."]
    assert "exam" in ours
    assert "ward.count_verdicts" not in sys.modules
    (tmp_path / "results.json").write_text('{"verdicts": [{}, {}]}')
    assert snellen("count-verdicts", ".", cwd=tmp_path) == "2 verdicts\n"
    assert "Count the verdicts of the study in FOLDER." in snellen("count-verdicts", "--help", cwd=tmp_path)


def test_a_command_that_does_not_load_says_so_in_one_line_when_it_is_run(broken, tmp_path):
    """The list stays whole, and no command of ours is replaced."""
    printed = snellen("--help", cwd=tmp_path)
    listed = printed.split("Commands of plug-ins:")[1].split()
    assert listed == [
        *("count-verdicts", "From", "the", "package", "snellen-ward."),
        *("lost", "From", "the", "package", "broken."),
        *("not-one", "From", "the", "package", "broken."),
    ]
    said = snellen("lost", cwd=tmp_path, status=1)
    assert re.fullmatch(
        r"snellen: The plug-in 'lost' \(nowhere_at_all:lost\) of the commands does not load: .*\n", said
    )
    said = snellen("not-one", cwd=tmp_path, status=1)
    assert said == "snellen: The plug-in 'not-one' of the commands gave None. Expected a click.Command.\n"
    assert snellen("exam", "--help", cwd=tmp_path).split("\n")[2].strip() == COMMANDS["Ask models"]["exam"]


def log(folder):
    """A log of the ward's tool, with two answers of which one is right."""
    answers = [
        {"model": "m", "id": f"q{at}", "question": f"Is it {at}?", "options": ["yes", "no"], "key": "yes", "said": said}
        for at, said in enumerate(("Answer: A", "Answer: B"))
    ]
    path = folder / "answers.json"
    path.write_text(json.dumps({"ward": 1, "answers": answers}))
    return path


def test_an_importer_reads_the_log_of_another_tool(tmp_path):
    """It is recognised as a file and in a folder, and taken by its name."""
    (tmp_path / "logs").mkdir()
    path = log(tmp_path / "logs")
    (tmp_path / "logs" / "other.json").write_text("{}")
    assert "Read as a log of the ward's own tool (--from ward)." in snellen("import", path, "--out", "a", cwd=tmp_path)
    assert "other.json" in snellen("import", "logs", "--out", "b", cwd=tmp_path)
    snellen("import", path, "--from", "ward", "--model", "mine", "--out", "c", cwd=tmp_path)
    for folder in "abc":
        snellen("report", folder, cwd=tmp_path)
    records = [json.loads((tmp_path / folder / "results.json").read_text()) for folder in "abc"]
    assert [[model for model, _ in record["study"]["models"]] for record in records] == [["m"], ["m"], ["mine"]]
    accounts = [record["accounting"][0] for record in records]
    assert [(each["replies"], each["rules"]["lenient"]) for each in accounts] == [(2, {"answer-phrase": 2})] * 3


def test_an_importer_that_fails_is_named(broken, tmp_path):
    """A mistake in its code, and one that does not load, are one line each; formats of ours are read as before."""
    path = log(tmp_path)
    path.write_text('{"ward": 1}')
    said = snellen("import", path, "--from", "ward", "--out", "a", cwd=tmp_path, status=1)
    assert said == "\nsnellen: The importer 'ward' failed on answers.json: KeyError: 'answers'.\n"
    assert "of the importers does not load" in snellen("import", path, "--out", "a", cwd=tmp_path, status=1)
    row = {"model": "m", "benchmark": "b", "item_id": "1", "question": "?", "options": ["y", "n"], "answer": "y"}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "response": "Answer: A"}))
    snellen("import", "rows.jsonl", "--out", "b", cwd=tmp_path)


def test_a_check_is_part_of_an_audit(tmp_path):
    """It is listed, run with the others, and shown on the page with what it finds."""
    rows = [
        {"item_id": str(at), "question": q, "options": ["y", "n"], "answer": "y"}
        for at, q in enumerate(("IS IT?", "Is it?"))
    ]
    own_benchmark(tmp_path / "q", rows)
    assert "Are questions in capital letters?" in snellen("audit", "--list", cwd=tmp_path)
    snellen("audit", "q", "--check", "capitals", "--check", "majority", cwd=tmp_path)
    found = json.loads((tmp_path / "audit" / "audit.json").read_text())["findings"]
    assert [(each["check"], each["sentence"]) for each in found] == [
        ("capitals", "1 questions are in capital letters.")
    ]
    assert "Are questions in capital letters?" in (tmp_path / "audit" / "audit.html").read_text()


def test_a_check_that_fails_is_named(broken, tmp_path, monkeypatch):
    """One that raises, one whose result is another check's, and one that does not load; the others can be run."""
    own_benchmark(tmp_path / "q", [{"question": "IS IT?", "options": ["y", "n"], "answer": "y"}])
    capitals = import_module("ward.capitals")
    for look, reason in (
        (lambda audited: audited.things, "AttributeError: 'Audited' object has no attribute 'things'."),
        (lambda audited: Checked("other", 1, ()), "expected a Checked of its own name"),
    ):
        monkeypatch.setattr(capitals, "CHECK", Check("capitals", "?", look))
        said = snellen("audit", "q", "--check", "capitals", cwd=tmp_path, status=1)
        assert f"The check 'capitals' failed: {reason}" in said
    assert "'lost' (nowhere_at_all:CHECK) of the checks" in snellen("audit", "q", cwd=tmp_path, status=1)
    snellen("audit", "q", "--check", "majority", cwd=tmp_path)


def test_a_judge_is_qualified_on_a_question_of_a_plug_in(tmp_path):
    """Its labels are the plug-in's, and so is the model that judges."""
    rows = [{"response": f"{'please ' * (at % 2)}sit {at}", "label": ("rude", "polite")[at % 2]} for at in range(40)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    how = ("--judge", "kind/judge", "--question", "politeness", "--out", "judged.jsonl")
    printed = snellen("parser", "qualify", "judge", "rows.jsonl", *how, cwd=tmp_path)
    assert "politeness" in printed
    judged = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    assert [row["grade"] for row in judged] == [row["label"] for row in rows]


def test_a_judge_is_asked_a_question_of_a_plug_in_about_stored_responses(tmp_path):
    """Each opinion is stored, listed with its response as a row that people can label, and counted by label."""
    asked = ("--model", "cautious/yes", "--benchmark", "shades:items=3", "--tests", "image-needed")
    snellen("exam", *asked, "--out", "o", cwd=tmp_path)
    judge = ("judge", "o", "--model", "kind/judge", "--question", "politeness")
    printed = snellen(*judge, cwd=tmp_path)
    assert re.search(r"kind/judge +cautious/yes +original +rude +3", printed)
    assert "kind/judge: never compared with people" in printed
    written = tmp_path / "o" / "judged-politeness.jsonl"
    rows = [json.loads(line) for line in written.read_text().splitlines()]
    assert [(row["arm"], row["item_id"]) for row in rows] == [
        (arm, f"shades/{at}") for arm in ("original", "image-removed") for at in range(3)
    ]
    assert {(row["judge"], tuple(row["opinions"]), row["grade"]) for row in rows} == {("kind/judge", ("rude",), "rude")}
    labelled = [{**row, "label": ("rude", "polite")[at % 2]} for at, row in enumerate(rows)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, labelled)))
    how = ("--judge", "kind/judge", "--question", "politeness", "--study", "o")
    assert "6 labels of stored responses" in snellen("parser", "qualify", "judge", "rows.jsonl", *how, cwd=tmp_path)
    assert "kind/judge: not qualified: " in snellen(*judge, cwd=tmp_path)


@pytest.mark.parametrize(
    ("question", "more", "reason"),
    [
        ("premise", (), "The question 'premise' is built in"),
        ("polite", (), "There is no 'polite' among the judge's questions. Did you mean 'politeness'?"),
        ("politeness", ("--unsure",), "Choose --unsure or --question"),
    ],
)
def test_a_question_that_a_judge_cannot_be_asked_is_refused(tmp_path, question, more, reason):
    """One of ours is asked anyway, one that nobody brings is unknown."""
    status = 2 if more else 1
    assert reason in snellen(
        "judge", ".", "--model", "kind/judge", "--question", question, *more, cwd=tmp_path, status=status
    )


def test_a_chapter_stands_on_the_page_of_a_study(broken, tmp_path):
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


def test_each_family_is_listed_with_its_plug_ins(broken, tmp_path):
    """One that does not load says so in its line."""
    shown = {family: snellen("list", family, cwd=tmp_path) for family in FAMILIES}
    for group, points in ENTRY_POINTS.items():
        family = group.removeprefix("snellen.")
        listed = shown[{"stress": "tests", "protocols": "suites"}.get(family, family)]
        assert [name for name in points if not re.search(rf"^ *{name}\b", listed, re.MULTILINE)] == []
    for group in BROKEN:
        family = group.removeprefix("snellen.")
        assert re.search(r"^ *lost  +The plug-in 'lost' \(", shown[family], re.MULTILINE), family


def test_its_own_tests_pass_with_the_package_installed_beside_snellen(tmp_path):
    """Installed as an installer does it, from its pyproject."""
    pip = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target")
    subprocess.run([sys.executable, *pip, tmp_path / "installed", WARD], check=True)
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, WARD / "tests")
    alone = {"PYTHONPATH": str(tmp_path / "installed"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, *tests], cwd=tmp_path, env={**os.environ, **alone}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_group_of_entry_points_has_a_member():
    """What the page lists is what the example brings, and what `snellen list` shows."""
    page = (WARD.parents[1] / "docs" / "how-to" / "write-a-plug-in.md").read_text()
    assert sorted(ENTRY_POINTS) == sorted(re.findall(r"^\| `(snellen\.\w+)` \|", page, re.MULTILINE))
