"""Items: what makes one unusable, and how a loader's rows are gathered."""

import copy
import pickle
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import BrokenRow, BrokenRowsError, DataError, by_reason
from snellen.items import LETTERS, Benchmark, Collector, Item, Option

CHOICE = Item(id="cxr/1", question="Effusion?", options=(Option("Yes"), Option("No")), answer=1)
NESTED = reduce(lambda inner, _: [inner], range(900), {})
OPEN = Item(id="cxr/2", question="What is seen?", kind="open", answer="An effusion")


def test_whole_items_have_no_problem():
    """A choice, an open question and a report that are whole are usable."""
    assert [CHOICE.problem(), OPEN.problem(), replace(OPEN, kind="report").problem()] == [None] * 3


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": ""}, "it has no id"),
        ({"id": " "}, "it has no id"),
        ({"question": " \n"}, "its question is empty"),
        ({"question": "?" * 200_001}, "its question has 200,001 characters, at most 200,000 are read"),
        ({"context": "x" * 200_001}, "its context has 200,001 characters, at most 200,000 are read"),
        (
            {"options": (Option("a" * 10_001), Option("b"))},
            "its option A has 10,001 characters, at most 10,000 are read",
        ),
        ({"metadata": NESTED}, "its metadata is nested more than 50 levels deep"),
        ({"kind": "essay"}, "its kind is 'essay', expected one of choice, open, report"),
        ({"kind": "open"}, "its reference answer is empty"),
        ({"kind": "open", "answer": " "}, "its reference answer is empty"),
        ({"kind": "report", "answer": None}, "its reference answer is empty"),
        ({"kind": "open", "answer": "a", "metadata": {"answers": ["a", " "]}}, "one of its reference answers is empty"),
        ({"options": ()}, "it has 0 options, expected 2 to 26"),
        ({"options": (Option("Yes"),)}, "it has 1 options, expected 2 to 26"),
        ({"options": tuple(Option(str(n)) for n in range(27))}, "it has 27 options, expected 2 to 26"),
        ({"answer": 2}, "its answer 2 is not one of its 2 options"),
        ({"answer": -1}, "its answer -1 is not one of its 2 options"),
        ({"answer": None}, "its answer None is not one of its 2 options"),
        ({"answer": "No"}, "its answer 'No' is not one of its 2 options"),
        ({"answer": True}, "its answer True is not one of its 2 options"),
        ({"options": (Option("Yes"), Option(" "))}, "its option B is empty"),
        ({"options": (Option("Yes"), Option("yes "))}, "two of its options read the same: ['Yes', 'yes ']"),
    ],
)
def test_problems_are_named(changes, problem):
    """An unusable item says what is wrong with it."""
    assert replace(CHOICE, **changes).problem() == problem


@given(st.integers(0, 25))
def test_letter_and_answer_are_the_same_position(answer):
    """The letter of the n-th option is the n-th letter."""
    item = replace(CHOICE, options=tuple(Option(letter) for letter in LETTERS), answer=answer)
    assert item.letter == item.options[answer].text


@pytest.mark.parametrize("item", [OPEN, replace(CHOICE, answer=-1), replace(CHOICE, answer=26)])
def test_items_without_a_letter_say_so(item):
    """No letter is made up for an open question or an answer out of range."""
    with pytest.raises(ValueError, match=item.id):
        item.letter  # noqa: B018


def test_chance_counts_real_options_only():
    """A blind guess is spread over the options that are answers; an open question cannot be guessed."""
    unsure = replace(CHOICE, options=(*CHOICE.options, Option("Cannot tell", abstains=True)))
    assert [CHOICE.chance, unsure.chance, OPEN.chance] == [0.5, 0.5, 0.0]


def test_items_can_be_pickled_copied_and_hashed():
    """Items and benchmarks travel to other processes and stay equal and read-only."""
    item = replace(CHOICE, metadata={"view": "AP"})
    benchmark = Benchmark("cxr", (item,), about={"file": "items.jsonl"})
    for twin in (pickle.loads(pickle.dumps(benchmark)), copy.deepcopy(benchmark)):
        assert twin == benchmark
        assert hash(twin) == hash(benchmark)
        with pytest.raises(TypeError):
            twin.items[0].metadata["view"] = "PA"
    assert pickle.loads(pickle.dumps(CHOICE)) == CHOICE


def test_benchmark_finds_items_by_id():
    """A benchmark is its items, in order and by id."""
    benchmark = Benchmark("cxr", (CHOICE, OPEN))
    assert list(benchmark) == [CHOICE, OPEN]
    assert (len(benchmark), benchmark.by_id["cxr/2"]) == (2, OPEN)


def gathered():
    """A collector with one good row, one broken, one that repeats an id and one that is no item."""
    collector = Collector("cxr")
    collector.add("line 1", CHOICE)
    collector.add("line 2", replace(CHOICE, id="cxr/9", answer=7))
    collector.add("line 3", replace(OPEN, id="cxr/1"))
    collector.refuse("line 4", "row-4", "it is not JSON")
    return collector


def test_broken_rows_stop_the_loading():
    """Each broken row is named with its place and reason, and nothing loads."""
    with pytest.raises(BrokenRowsError, match="3 of 4 rows are broken") as caught:
        gathered().benchmark(allow_broken=False)
    assert [str(row) for row in caught.value.broken] == [
        "line 2: item 'cxr/9': its answer 7 is not one of its 2 options",
        "line 3: item 'cxr/1': another row has the same id (line 1)",
        "line 4: item 'row-4': it is not JSON",
    ]


def test_broken_rows_that_are_allowed_stand_beside_the_rest():
    """With leave, the rest loads, and what was left out is kept."""
    benchmark = gathered().benchmark(allow_broken=True, about={"split": "test"})
    assert benchmark.items == (CHOICE,)
    assert [row.where for row in benchmark.broken] == ["line 2", "line 3", "line 4"]
    assert benchmark.about == {"split": "test"}


def test_many_broken_rows_are_counted():
    """Rows that are broken alike are one line; the message shows twenty lines and counts the rest."""
    collector = Collector("cxr")
    for number in range(25):
        collector.refuse(f"line {number}", "x", f"its answer '{number}' is torn in {number} parts")
    with pytest.raises(BrokenRowsError) as caught:
        collector.benchmark(allow_broken=False)
    assert str(caught.value).splitlines()[1:-1] == [
        "  line 0: item 'x': its answer '0' is torn in 0 parts (and 24 more like it)"
    ]
    for letter in "abcdefghijklmnopqrstuvwx":
        collector.refuse("line 0", "x", letter)
    with pytest.raises(BrokenRowsError, match="… and 5 more"):
        collector.benchmark(allow_broken=False)


def test_a_benchmark_of_nothing_is_an_error():
    """No usable item at all is never a benchmark, whatever is allowed."""
    with pytest.raises(DataError, match="holds no items"):
        Collector("cxr").benchmark(allow_broken=True)
    collector = Collector("cxr")
    collector.refuse("line 1", "x", "it is torn")
    for allowed in (True, False):
        with pytest.raises(BrokenRowsError, match="1 of 1") as refused:
            collector.benchmark(allow_broken=allowed)
        assert "allow" not in str(refused.value)
        assert str(refused.value).endswith("Fix them: no row can be used.")


def test_leaving_broken_rows_out_is_advised_where_it_helps():
    """Where some rows can be used, and only to who has not allowed it: then there is no error."""
    collector = Collector("cxr")
    collector.add("line 1", CHOICE)
    collector.refuse("line 2", "x", "it is torn")
    with pytest.raises(BrokenRowsError, match=r"(?s)1 of 2 .*--allow-broken") as refused:
        collector.benchmark(allow_broken=False)
    assert "line 2" in str(refused.value)
    assert len(collector.benchmark(allow_broken=True)) == 1


def test_broken_rows_are_counted_by_reason():
    """The commonest first, each with the first row it holds for; the rest is counted."""
    rows = [BrokenRow(f"line {n}", f"q{n}", reason) for n, reason in enumerate("abbcdefg")]
    assert list(by_reason(rows, most=2)) == [
        "2 × b (line 1, item 'q1')",
        "1 × a (line 0, item 'q0')",
        "5 for other reasons",
    ]
    assert list(by_reason([])) == []


def test_references_are_the_listed_answers_or_the_only_one():
    """Of an open item all accepted answers are its references; a choice has none, and no empty text is one."""
    several = replace(OPEN, metadata={"answers": ["An effusion", "Fluid"]})
    odd = [replace(OPEN, metadata={"answers": answers}) for answers in ("text", [], [1, 2], None)]
    assert several.references == ("An effusion", "Fluid")
    assert [item.references for item in (OPEN, *odd)] == [("An effusion",)] * 5
    assert [CHOICE.references, replace(OPEN, answer=" ").references] == [(), ()]


@pytest.mark.parametrize(
    ("name", "told"),
    [("answers", ["An effusion", "Fluid"]), ("report", "Effusion."), ("task", "find"), ("steps", ["a"])],
)
def test_what_an_open_answer_is_graded_by_is_in_the_digest(name, told):
    """Another reference, report or task is another benchmark; other metadata and an item without any are not."""
    plain, other = Benchmark("cxr", (OPEN,)), Benchmark("cxr", (replace(OPEN, metadata={"view": "AP", name: None}),))
    graded = Benchmark("cxr", (replace(OPEN, metadata={name: told}),))
    assert plain.digest == other.digest == "1dcd17d86a90e7b51650e552ccc5a39cb3a134946f213307b0d15afc0e801dcb"
    assert graded.digest not in (plain.digest, Benchmark("cxr", (replace(OPEN, metadata={name: [told, "x"]}),)).digest)


class Unnamed:
    """Says nothing of itself but where it lies in memory."""


@pytest.mark.parametrize("told", [({0, 8}, {8, 0}), (frozenset(("a",)), ["a"]), (Unnamed(), Unnamed())])
def test_the_digest_is_the_same_in_every_process(told):
    """Neither the order of a set nor a place in memory is in it: an asked study is not asked again."""
    one, other = (Benchmark("cxr", (replace(OPEN, metadata={"answers": [each]}),)).digest for each in told)
    assert one == other
