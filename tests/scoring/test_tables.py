"""What parsers read beside the choice: columns of a kind of their own, in every table of questions with options."""

import sys
from types import ModuleType

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.grading import parsers
from snellen.grading.claims.columns import Rationales
from snellen.grading.parsers import Parser
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study
from strategies import items


class Lengths:
    """How long each response is, and how much longer than the one to the question as asked."""

    def __init__(self, length, longer):
        self.length = length
        self.longer = longer

    def only(self, kept):
        """Those of some of the responses."""
        return Lengths(self.length[kept], self.longer[kept])


def lengths(read, asked):
    """The columns of one condition."""
    longer = [length - asked.get(run, length) for run, length in read.items()]
    return Lengths(np.array(list(read.values())), np.array(longer))


LENGTH = Parser(
    name="length",
    kind="length",
    about="how many characters a response has.",
    read=lambda response, item: len(response.text),
    rules={},
    columns=lengths,
)


@pytest.fixture
def done(tmp_path, monkeypatch):
    """A study whose model says more without the image, and a parser that only counts."""
    theirs = ModuleType("theirs_to_count")
    theirs.LENGTH = LENGTH
    monkeypatch.setitem(sys.modules, "theirs_to_count", theirs)
    monkeypatch.setitem(parsers.MEMBERS, "length", "theirs_to_count:LENGTH")
    model = FakeModel(lambda request: "Answer: A" if request.images else "I guess. Answer: A", name="fake/m")
    Study(models=[model], benchmarks=[Benchmark("b", items(4))], tests=["image-needed"], out=tmp_path).ask(
        lambda _: None
    )
    yield tmp_path
    parsers.parser_named.cache_clear()


def test_a_parser_beside_the_choice_gives_its_columns(done):
    """They stand beside those of claims, are held against the question as asked, and follow the items."""
    with Store.open(done) as store:
        results = score(store)
    table = results.tables["fake/m", "b"]
    found = table.arms["image-removed"].of(Lengths)
    assert set(found.length.tolist()) == {len("I guess. Answer: A")}
    assert set(found.longer.tolist()) == {len("I guess. ")}
    assert table.arms["original"].of(Lengths).longer.tolist() == [0] * 4
    assert table.arms["image-removed"].of(Rationales) is not None
    few = table.only(np.array([True, False, False, True]))
    assert len(few.arms["image-removed"].of(Lengths).length) == 2
    assert "length" in [each["name"] for each in results.record()["parsers"]]


def test_columns_that_nobody_gave_are_none(done):
    """A stress test can ask for columns of any kind."""
    with Store.open(done) as store:
        grades = score(store).tables["fake/m", "b"].arms["original"]
    assert grades.admissions is None
    assert grades.of(ModuleType) is None


def test_a_parser_that_would_change_nothing_is_refused(done):
    """Naming one that is only held against labels is not passed over in silence."""
    with Store.open(done) as store, pytest.raises(StudyError, match="'quality-as-published' is for `snellen qualify`"):
        score(store, parsers=["quality-as-published"])
