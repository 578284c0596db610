"""Families: our members and those of other packages, by one name each."""

import json
import re
from inspect import signature

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.test_cli import snellen
from snellen import benchmarks, conditions, imports, models, papers, reading, stress
from snellen.conditions import condition_named
from snellen.errors import MissingExtraError, PluginError, SnellenError, StudyError
from snellen.items import Item, Option
from snellen.judging.qualify import MEMBERS as QUESTIONS
from snellen.judging.qualify import qualify
from snellen.papers import suite_named, suites
from snellen.plugins import find, names, read_settings
from snellen.prompts import PROMPTS, prompt_named
from snellen.study import Study
from snellen.tools.audit import checks

FAMILIES = {
    "checks": checks.MEMBERS,
    "conditions": conditions.MEMBERS,
    "datasets": benchmarks.MEMBERS,
    "importers": imports.MEMBERS,
    "models": models.MEMBERS,
    "parsers": reading.MEMBERS,
    "protocols": papers.MEMBERS,
    "questions": QUESTIONS,
    "stress": stress.MEMBERS,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_member_is_where_its_family_says(family):
    """Each name in a family's list leads to a documented member."""
    ours = FAMILIES[family]
    assert [name for name in ours if not find(family, ours, name).__doc__] == []


def test_an_unknown_name_is_answered_with_the_closest(monkeypatch):
    """A slip of the pen gets a suggestion and the whole list."""
    with pytest.raises(PluginError, match=r"Did you mean 'option-order'\?.*image-needed"):
        stress.stress_test("option-oder")


def install(folder, entry_points):
    """A package of somebody else's, as the installer would leave it."""
    about = folder / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


def test_a_parser_joins_by_entry_point(ward, tmp_path):
    """The parser of docs/how-to/add-a-parser.md, installed as a plug-in, grades an exam and is shown with its words."""
    asked = ("--model", "organism/blind", "--benchmark", "phantoms:items=6", "--tests", "image-needed")
    snellen("exam", *asked, "--parser", "last-words", "--out", "out", cwd=tmp_path)
    record = json.loads((tmp_path / "out" / "results.json").read_text())
    [shown] = [parser for parser in record["parsers"] if parser["name"] == "last-words"]
    assert shown["words"].startswith("As our journal club counts: the last words are")
    assert shown["rules"]["last-words"] == "in its last words"
    assert record["study"]["parser"] == "last-words"
    assert {rule for line in record["accounting"] for rule in line["rules"]["last-words"]} == {"last-words"}
    assert {row["parser"] for row in record["results"]} == {"", "claims", "last-words"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "As our journal club counts" in page
    assert "in its last words" in page


def test_a_misspelt_parser_is_answered_with_the_closest(tmp_path):
    """Wherever a parser is named, a slip of the pen gets a suggestion; one of another kind is told apart."""
    for named in (
        lambda: reading.parser_named("lenent"),
        lambda: qualify("lenent", []),
        lambda: Study(parser="lenent"),
    ):
        with pytest.raises(SnellenError, match=r"no 'lenent' among the parsers\. Did you mean 'lenient'\?"):
            named()
    with pytest.raises(StudyError, match="Expected a parser of the kind 'choice', got 'missing-image'"):
        Study(parser="missing-image")
    with pytest.raises(StudyError, match="'claims' cannot be qualified"):
        qualify("claims", [{"response": "", "label": ""}])


def test_a_parser_that_is_none_or_fails_is_named(tmp_path, monkeypatch):
    """A plug-in that gives something else, one under another name, and one that stumbles over a response."""
    (tmp_path / "bad_parsers.py").write_text(BAD_PARSERS)
    points = ("empty = bad_parsers:EMPTY", "misnamed = bad_parsers:FALLING", "falling = bad_parsers:FALLING")
    install(tmp_path, "\n".join(("[snellen.parsers]", *points, "")))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match="'empty' cannot be used: expected the plug-in to give a Parser, got None"):
        reading.parser_named("empty")
    with pytest.raises(PluginError, match="registered as 'misnamed' and calls itself 'falling'"):
        reading.parser_named("misnamed")
    asked = Item(id="q/1", question="?", options=(Option("yes"), Option("no")), answer=0)
    with pytest.raises(PluginError, match=r"'falling' failed on a response to item 'q/1': KeyError: 'yes'\."):
        reading.grade("yes", "stop", asked, "falling")


BAD_PARSERS = """
from snellen.reading import Parser

EMPTY = None
FALLING = Parser(name="falling", about="nothing.", read=lambda reply, item: {}[reply.text], rules={})
"""


def test_a_plug_in_that_does_not_load_is_named(tmp_path, monkeypatch):
    """The error says which plug-in, from where, and why."""
    install(tmp_path, "[snellen.stress]\nbroken = nowhere_at_all:TEST\nimage-needed = nowhere_at_all:TEST\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=r"'broken' \(nowhere_at_all:TEST\)"):
        stress.stress_test("broken")
    assert names("stress", stress.MEMBERS).count("image-needed") == 1
    assert stress.stress_test("image-needed").name == "image-needed"


def no_weights(*_, **__):
    raise MissingExtraError("open_clip_torch", "clip")


MADE = [
    *((benchmarks.load, f"{name}:", find("datasets", benchmarks.MEMBERS, name)) for name in benchmarks.MEMBERS),
    *((models.open_model, f"{name}/", find("models", models.MEMBERS, name)) for name in models.MEMBERS),
    *((stress.stress_test, f"{name}:", find("stress", stress.MEMBERS, name)) for name in stress.MEMBERS),
    *((suite_named, f"{name}:", suite) for name, suite in suites().items()),
    *((condition_named, f"{name}:", find("conditions", conditions.MEMBERS, name)) for name in conditions.MEMBERS),
    *((prompt_named, name, lambda: None) for name in PROMPTS),
]
VALUES = st.sampled_from(["x", "-1", "0", "3", "1.5", "1e400", "nan", "true", "", "\0", "/", "a" * 300])
PYTHON = re.compile(r"\w\(\)|argument|instances? of|NoneType|object has|__|Error:")


@st.composite
def lines(draw):
    """A member of any family with any settings, most of them its own, and what makes it of the line."""
    make, name, member = draw(st.sampled_from(MADE))
    own = list(signature(member).parameters) if callable(member) else []
    names = st.sampled_from([*own, "itmes", "self", ""])
    written = draw(st.lists(st.one_of(VALUES, st.tuples(names, VALUES).map("=".join)), max_size=3))
    return make, name + ",".join(written)


def test_whatever_is_written_after_a_name_is_taken_or_refused_in_words(monkeypatch, tmp_path):
    """No line of settings, of any member of any family, ends in an error of Python's."""
    monkeypatch.setattr("snellen.models.clip.open_towers", no_weights)
    monkeypatch.chdir(tmp_path)

    @settings(max_examples=100)
    @given(lines())
    def in_words(drawn):
        make, line = drawn
        said = ""
        try:
            make(line)
        except SnellenError as error:
            said = str(error).replace(repr(line), "")
        assert not PYTHON.search(said)
        assert "\n" not in said

    in_words()


def test_a_setting_is_read_as_what_the_member_takes_it_for():
    """A folder may be called 007; a number that is wanted as one must be one; a mistyped name is answered."""

    def member(path: str, *, count: int = 1, share: float = 0.5, order: "str | int" = "", **more):
        """Takes anything."""

    assert read_settings(member, "007,count=3,share=1,order=0x,else=7", failure="It fails") == (
        ["007"],
        {"count": 3, "share": 1, "order": "0x", "else": 7},
    )
    for line, message in {
        "p,count=1.5": "It fails: expected count to be a whole number, got '1.5'.",
        "p,share=half": "It fails: expected share to be a number, got 'half'.",
        "p,path=q": "It fails: it sets path twice.",
        "count=1": "It fails: the setting path is missing. Settings: path, count, share, order.",
        "p,q": "It fails: 'q' sets nothing; a setting is written as name=value. Settings: path, count, share, order.",
    }.items():
        with pytest.raises(StudyError) as refused:
            read_settings(member, line, failure="It fails")
        assert str(refused.value) == message


BAD = """
def raises(*_, **__):
    raise KeyError("modality")

def nothing(*_, **__):
    return None
"""


@pytest.mark.parametrize(
    ("family", "make", "spec"),
    [
        ("datasets", benchmarks.load, "{}"),
        ("models", models.open_model, "{}/x"),
        ("stress", stress.stress_test, "{}"),
    ],
)
def test_a_plug_in_that_fails_is_named(tmp_path, monkeypatch, family, make, spec):
    """One that raises, and one that gives something else than it should, are one sentence."""
    module = f"bad_{family}"
    (tmp_path / f"{module}.py").write_text(BAD)
    install(tmp_path, f"[snellen.{family}]\nraising = {module}:raises\nempty = {module}:nothing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=rf"'{spec.format('raising')}' cannot be .*: KeyError: 'modality'\."):
        make(spec.format("raising"))
    with pytest.raises(PluginError, match=rf"'{spec.format('empty')}' cannot be .*: expected the plug-in to give a "):
        make(spec.format("empty"))
