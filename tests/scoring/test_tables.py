"""What parsers read beside the choice: columns of a kind of their own, in every table of questions with options."""

import sys
from collections import Counter
from types import ModuleType

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.reading import grades, parsers
from snellen.reading.claims.columns import Rationales
from snellen.reading.parsers import Parser, read_response
from snellen.scoring import reading
from snellen.scoring.result_files import record_results
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
        results = score(store, parsers=["length"])
    table = results.tables["fake/m", "b"]
    found = table.arms["image-removed"].of(Lengths)
    assert set(found.length.tolist()) == {len("I guess. Answer: A")}
    assert set(found.longer.tolist()) == {len("I guess. ")}
    assert table.arms["original"].of(Lengths).longer.tolist() == [0] * 4
    assert table.arms["image-removed"].of(Rationales) is not None
    few = table.select_items(np.array([True, False, False, True]))
    assert len(few.arms["image-removed"].of(Lengths).length) == 2
    assert "length" in [each["name"] for each in record_results(results)["parsers"]]


def count_readings(monkeypatch):
    """Count what each parser reads from now on, by its name."""
    counts = Counter()

    def read(parser, reply, item):
        counts[parser.name] += 1
        return read_response(parser, reply, item)

    for module in (grades, reading):
        monkeypatch.setattr(module, "read_response", read)
    return counts


@pytest.mark.parametrize(
    ("tests", "named", "expected"),
    [
        (["option-order"], [], {"lenient"}),
        (["option-order"], ["boxed"], {"boxed"}),
        (["option-order"], ["lenient", "claims", "length"], {"lenient", "claims", "length"}),
        (["image-needed"], [], {"lenient", "claims"}),  # the verdict on honesty looks at what is said without the image
        (["standard"], [], {"lenient", "claims"}),
    ],
)
@pytest.mark.usefixtures("done")
def test_a_response_is_read_by_the_parsers_that_are_needed_and_by_no_other(
    tests, named, expected, tmp_path, monkeypatch
):
    """Those of the study's tests, and those that are named."""
    model = FakeModel(lambda request: f"I see a mass. Answer: {'AB'[len(request.text) % 2]}", name="fake/m")
    out = tmp_path / "out"
    study = Study(models=[model], benchmarks=[Benchmark("b", items(4))], tests=tests, out=out, canary=False)
    study.ask(lambda _: None)
    counts = count_readings(monkeypatch)
    with Store.open(out) as store:
        results = score(store, parsers=named)
    assert expected == set(counts)
    assert expected == {parser.name for parser in results.parsers}
    arms = results.tables["fake/m", "b"].arms
    said = {arm for arm, each in arms.items() if each.rationales is not None}
    if "claims" not in named:
        wanted = {"original", "image-removed", "image-blank"} if "claims" in expected else set()
        assert said == wanted & arms.keys()


def test_equal_words_to_one_item_are_read_once_by_each_parser(tmp_path, monkeypatch):
    """Whichever model said them, and under whichever arm that leaves the words of the item alone."""
    models = [FakeModel(lambda request: "Answer: A", name=f"fake/{name}") for name in "mn"]
    benchmark = Benchmark("b", items(4))
    Study(models=models, benchmarks=[benchmark], tests=["blank-image"], out=tmp_path, canary=False).ask(lambda _: None)
    counts = count_readings(monkeypatch)
    with Store.open(tmp_path) as store:
        tables = score(store).tables.values()
    assert sum(len(grades) for table in tables for grades in table.arms.values()) == 16
    assert counts == {"lenient": 4, "claims": 4}


def test_columns_and_parsers_that_give_nothing(done):
    """Columns that no parser gave are None; a parser that would change nothing is refused."""
    with Store.open(done) as store:
        grades = score(store).tables["fake/m", "b"].arms["original"]
    assert grades.admissions is None
    assert grades.of(ModuleType) is None
    refused = pytest.raises(StudyError, match="'quality-as-published' works only with `snellen parser qualify`")
    with Store.open(done) as store, refused:
        score(store, parsers=["quality-as-published"])
