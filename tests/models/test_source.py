"""A plug-in's model takes settings after commas, and responses of other code are not taken for its own."""

import importlib
import linecache
import sys

import pytest

from snellen import Study, open_model
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.client.client import open_client
from snellen.models.fake import name_revision
from strategies import items

CODE = """
from snellen import Model, Response
from snellen.models.base import receipt

WORDS = "Answer: "
UNUSED = 1


def write(letter):
    return WORDS + letter


class Base(Model):
    async def answer(self, request):
        return Response(write(self.letter), sent=tuple(map(receipt, request.images)))


class Mine(Base):
    def __init__(self, letter, *, ratio: int = 3, tone: str = "plain"):
        self.name, self.letter, self.ratio, self.tone = f"mine/{letter}", letter, ratio, tone


class Plain(Base):
    def __init__(self, line):
        self.name = self.letter = f"plain/{line}"
"""


@pytest.fixture
def write_plug_in(tmp_path, monkeypatch):
    """Write the package that brings `mine/…` and `plain/…`, with some words of its code replaced."""
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[snellen.models]\nmine = its_model:Mine\nplain = its_model:Plain\n")
    monkeypatch.syspath_prepend(tmp_path)

    def write(old="", new=""):
        (tmp_path / "its_model.py").write_text(CODE.replace(old, new) if old else CODE)
        sys.modules.pop("its_model", None)
        importlib.invalidate_caches()
        linecache.clearcache()

    write()
    yield write
    sys.modules.pop("its_model", None)


def test_settings_after_commas_reach_the_class_by_name(write_plug_in):
    """As what the class takes them for; the name of the model tells them, so that two settings are two models."""
    model = open_model("mine/A,ratio=9,tone=5")
    assert (model.letter, model.ratio, model.tone, model.name) == ("A", 9, "5", "mine/A,ratio=9,tone=5")
    assert (open_model("mine/A").ratio, open_model("mine/A").name) == (3, "mine/A")
    assert open_model("plain/A,ratio=9").name == "plain/A,ratio=9"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mine/A,ratoi=9", "no setting 'ratoi'.*Did you mean 'ratio'"),
        ("mine/A,ratio=many", "ratio to be a whole number, got 'many'"),
        ("mine/A,9", "'9' sets nothing"),
    ],
)
def test_a_setting_that_the_class_has_not_is_refused(write_plug_in, line, words):
    """With the ones that it has."""
    with pytest.raises(StudyError, match=words):
        open_model(line)


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("WORDS + letter", "letter + WORDS", True),
        ('WORDS = "Answer: "', 'WORDS = "Reply: "', True),
        ("self.letter)", "self.letter * 2)", True),
        ("UNUSED = 1", "UNUSED = 2", False),
        ("plain/{line}", "plainer/{line}", False),
        ("def __init__(self, letter, *", "revision = 'May'\n\n    def __init__(self, letter, *", True),
    ],
)
def test_the_source_of_a_model_is_its_revision(write_plug_in, old, new, other):
    """Its class, those that it extends, and what they use; nothing else of the module."""
    write_plug_in()
    before = open_model("mine/A").revision
    write_plug_in(old, new)
    after = open_model("mine/A").revision
    assert before.startswith("source ")
    assert (after != before) is other
    assert (after == "May") is ("May" in new)


def test_a_model_that_is_handed_over_is_known_by_its_source_too(write_plug_in):
    """Not only one that is named; ours and those that say a revision keep it."""
    named = open_model("mine/A")
    handed = type(named)("A")
    assert open_client(handed).revision == named.revision
    assert name_revision(open_model("organism/blind")).revision == "1"


def test_a_class_without_a_file_is_known_by_its_functions():
    """As in a notebook."""
    revisions = []
    for code in (CODE, CODE, CODE.replace("write(self.letter)", "write(2 * self.letter)")):
        module = {"__name__": "nowhere_at_all"}
        exec(code, module)
        revisions.append(name_revision(module["Mine"]("A")).revision)
    assert revisions[0] == revisions[1] != revisions[2]


def test_changed_code_is_asked_again(write_plug_in, tmp_path):
    """Stored responses count while the code is the same."""
    done = []
    for old, new in (("", ""), ("", ""), ("WORDS + letter", 'WORDS + "B"')):
        write_plug_in(old, new)
        study = Study(
            models=["mine/A"],
            benchmarks=[Benchmark("b", items(3))],
            tests=["option-order"],
            out=tmp_path / "o",
            canary=False,
        )
        done.append(study.ask(lambda _: None).done)
    assert done[1] == 0
    assert done[0] == done[2] > 0
