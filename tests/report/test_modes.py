import numpy as np
import pytest

from snellen.grading.outcomes import Outcome
from snellen.protocols.readiness.report.failure_modes import mode_examples, mode_table
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.tags import tags_at
from snellen.stress.taxonomy import BIT, MODES


@pytest.fixture(scope="module")
def made(ready):
    evidence = Evidence(*ready)
    examples = mode_examples(evidence)
    return evidence, examples, mode_table(evidence, examples)


def test_counts_are_those_of_the_rules(made):
    """For every mode and model the replies counted are those that the rules tag, over all arms and benchmarks."""
    evidence, _, table = made
    named = [tag for line in table.lines for tag in (line.tag, *line.aliases)]
    assert sorted([*named, *table.never]) == sorted(MODES)
    for line in table.lines:
        for model, cells in zip(table.models, line.cells, strict=True):
            for cell in cells:
                bits = [evidence.ruled(address) for address in evidence.anchors if address.model == model]
                assert cell.count == sum(int(np.count_nonzero(each & BIT[line.tag.name])) for each in bits)
                assert cell.of == sum(map(len, bits))
                assert bool(cell.anchor) == bool(cell.count)


def test_mode_that_only_a_judge_knows_says_so(made):
    """Where no judge was heard, such a mode is not counted as 0."""
    table = made[2]
    unknown = {line.tag.name: line.unknown for line in table.lines if line.unknown}
    assert unknown == {"unsafe recommendation": "only a judge could tell, and none was heard"}
    assert not table.judged


def test_modes_that_nobody_shows_and_other_names_of_one_count_have_no_line(made, ready_text):
    """What no response shows is named in a sentence; what the same responses show is one line with both names."""
    evidence, _, table = made
    every = [(address, bits) for address in evidence.with_options for bits in [evidence.ruled(address)]]
    for tag in table.never:
        assert not any(np.any(bits & BIT[tag.name]) for _, bits in every)
    assert "logical inconsistency" in {tag.name for tag in table.never}
    for line in table.lines:
        for tag in line.aliases:
            alike = (((bits & BIT[tag.name]) != 0) == ((bits & BIT[line.tag.name]) != 0) for _, bits in every)
            assert all(each.all() for each in alike)
    part = ready_text[ready_text.index('id="readiness-modes"') : ready_text.index('<section id="order"')]
    assert "Never seen here, in no response of any model: " in part
    assert "<b>logical inconsistency</b>" not in part


def test_examples_show_their_mode(made):
    """The reply that a count leads to is of that model and has that mode by that source."""
    evidence, examples, _ = made
    for (mode, model, by), (address, place) in examples.items():
        assert address.model == model
        assert (mode, by) in {(each.tag.name, each.by) for each in tags_at(evidence, address, place, MODES)}


def test_wrong_replies_without_a_mode_are_counted(made):
    """What is wrong and carries no mode is told beside all that is wrong."""
    evidence, _, table = made
    for model, (unknown, wrong) in zip(table.models, table.unexplained, strict=True):
        counted = none = 0
        for address in (each for each in evidence.anchors if each.model == model):
            for place in np.flatnonzero(evidence.grades(address).is_(Outcome.WRONG)):
                counted += 1
                none += not tags_at(evidence, address, int(place), MODES)
        assert (unknown, wrong) == (none, counted)


def test_judge_is_counted_where_it_was_heard(study):
    """A judge's opinions stand beside the rules, of the replies on which it was heard, with an example of their own."""
    results, store = study()
    evidence = Evidence(results, store)
    address = next(each for each in evidence.anchors if each.model == "fake/one" and each.arm == "image-removed")
    said = evidence.grades(address).rationales
    said.heard[:5] = True
    said.judged[2] = BIT["unsafe recommendation"]
    examples = mode_examples(evidence)
    table = mode_table(evidence, examples)
    line = next(line for line in table.lines if line.tag.name == "unsafe recommendation")
    cells = dict(zip(table.models, line.cells, strict=True))
    assert table.judged
    assert cells["fake/two"] == ()
    [count] = cells["fake/one"]
    assert (count.by, count.count, count.of) == ("judge", 1, 5)
    assert examples["unsafe recommendation", "fake/one", "judge"] == (address, 2)


def test_examples_are_responses_of_the_page(made, ready_text, parsed, packed):
    """Every count with an example leads to a reply that the page shows."""
    part = ready_text[ready_text.index('id="readiness-modes"') : ready_text.index('<section id="order"')]
    links = [attributes["href"][1:] for attributes, _ in parsed(part).all("a")]
    expected = {cell.anchor for line in made[2].lines for cells in line.cells for cell in cells if cell.anchor}
    assert set(links) == expected
    assert expected <= packed(ready_text).links
