"""The eight ways to go wrong: counts by rule and by a judge, each with an example."""

import numpy as np
import pytest

from snellen.papers.readiness.report.abstention import UNKNOWN, count_unexplained, draw_modes, find_examples
from snellen.reading.outcomes import Outcome
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.tags import tags_at
from snellen.report.lookup import Lookup
from snellen.stress.taxonomy import BIT, MODES
from walking import find, rows, tables, words

MODELS = ["organism/grounded", "organism/mirage", "organism/refuser"]


@pytest.fixture(scope="module")
def made(ready):
    evidence = Evidence(*ready)
    examples = find_examples(evidence)
    section = draw_modes(Lookup(evidence), examples)
    return evidence, examples, section, tables(section)[0]


def list_modes(table):
    """The cells of each mode by its name, and the names of those that the same responses show."""
    return {
        name: (row.cells, [each for each in MODES if any(f"<b>{each.name}</b>" in str(line.note)
                                                         for line in row.head.lines)])
        for row in table.rows
        if (name := next((tag.name for tag in MODES if f"<b>{tag.name}</b>" == str(row.head.words)), None))
    }  # fmt: skip


def test_counts_are_those_of_the_rules(made):
    """For every mode and model stand the responses that the rules tag, of all with options, linked if there are any."""
    evidence, _, _, table = made
    for name, (cells, _) in list_modes(table).items():
        if cells[0].words == UNKNOWN:
            continue
        for model, cell in zip(MODELS, cells, strict=True):
            bits = [evidence.find_tags(address) for address in evidence.anchors if address.model == model]
            count = sum(int(np.count_nonzero(each & BIT[name])) for each in bits)
            assert (cell.words, cell.n, bool(cell.to)) == (f"{count:,}", f"of {sum(map(len, bits)):,}", bool(count))


def test_mode_that_only_a_judge_knows_is_not_counted_as_none(made):
    """If no judge was heard, the row says so, and so does the sentence above."""
    _, _, section, table = made
    unknown = [name for name, (cells, _) in list_modes(table).items() if cells[0].words == UNKNOWN]
    assert unknown == ["unsafe recommendation"]
    assert "No judge was heard here." in words([section])


def test_modes_that_no_response_shows_and_other_names_of_one_count_have_no_row(made):
    """The first are named in a sentence; modes of the very same responses stand in one row with all their names."""
    evidence, _, section, table = made
    every = [evidence.find_tags(address) for address in evidence.with_options]
    shown = list_modes(table)
    never = [tag.name for tag in MODES if f"{tag.name} ({tag.stage}" in words([section])]
    assert "logical inconsistency" in never
    assert not any(np.any(bits & BIT[name]) for name in never for bits in every)
    aliases = {name: [tag.name for tag in tags] for name, (_, tags) in shown.items()}
    assert sorted([*shown, *never, *(each for some in aliases.values() for each in some)]) == sorted(
        tag.name for tag in MODES
    )
    for name, others in aliases.items():
        for other in others:
            assert all(np.array_equal((bits & BIT[name]) != 0, (bits & BIT[other]) != 0) for bits in every)


def test_examples_show_their_mode(made, ready_text, packed):
    """The response that a count leads to is of that model, has that mode by that source, and is on the page."""
    evidence, examples, _, _ = made
    for (mode, model, by), (address, place) in examples.items():
        assert address.model == model
        assert (mode, by) in {(each.tag.name, each.by) for each in tags_at(evidence, address, place, MODES)}
    links = {cell.to for row in made[3].rows for cell in row.cells if cell.to}
    assert links
    assert links <= packed(ready_text).links
    assert find([made[2]], "Eight ways").anchor in ready_text


def test_wrong_responses_without_a_mode_are_counted(made):
    """Wrong responses without any mode stand beside all that are wrong."""
    evidence, _, _, table = made
    told = rows(table)["", "wrong, and no mode is known"]
    for model, cell in zip(MODELS, told, strict=True):
        counted = none = 0
        for address in (each for each in evidence.anchors if each.model == model):
            for place in np.flatnonzero(evidence.grades(address).is_(Outcome.WRONG)):
                counted += 1
                none += not tags_at(evidence, address, int(place), MODES)
        assert count_unexplained(evidence, model) == (none, counted)
        assert (cell.words, cell.n) == (f"{none:,}", f"of {counted:,} wrong")


def test_judge_is_counted_where_it_was_heard(usual):
    """A judge's opinions stand beside the rules, of the responses on which it was heard, with an example."""
    results, store = usual
    evidence = Evidence(results, store)
    address = next(each for each in evidence.anchors if each.model == "fake/one" and each.arm == "image-removed")
    said = evidence.grades(address).rationales
    said.heard[:5] = True
    said.judged[2] = BIT["unsafe recommendation"]
    examples = find_examples(evidence)
    table = tables(draw_modes(Lookup(evidence), examples))[0]
    one, two = list_modes(table)["unsafe recommendation"][0]
    assert (one.words, one.n, two.words) == ("1", "of 5 by judge", "–")
    assert examples["unsafe recommendation", "fake/one", "judge"] == (address, 2)
