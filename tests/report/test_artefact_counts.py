"""Accuracy, sensitivity and specificity in every way to count: a table for every model and prompt."""

import pytest

from scans import ARTEFACTS, careful, scans
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.methods import draw_counts
from snellen.report.components import Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from walking import walk

CLEAN = "image as it is"


def fussy(request):
    """Flags every other scan as it is, by its shade; else right."""
    said = careful(request)
    return "The image is too degraded to be interpreted." if "brain tumor" in said else said


def told(lookup, title):
    """What each line of one table says before the intervals, by its image and column."""
    [table] = [each for each in walk([draw_counts(lookup)]) if isinstance(each, Table) and each.folded == title]
    names = [column.words for column in table.columns[1:]]
    return {
        row.head.words: {
            name: [f"{line.words.partition(' (')[0]}, {line.n}" for line in cell.lines] or [cell.words]
            for name, cell in zip(names, row.cells, strict=True)
        }
        for row in table.rows
    }


@pytest.fixture(scope="module")
def weak(scanned):
    """One that flags, under weak artefacts alone."""
    return scanned([f"weak-artefacts:{ARTEFACTS}"], by=[FakeModel(fussy, name="fake/fussy")])


def test_three_ways_stand_side_by_side(degraded_lookup):
    """Under noise the careful one loses half of the diseased and nothing of the healthy, however it is counted."""
    found = told(degraded_lookup, "careful, standard prompt")
    assert list(found) == [CLEAN, "noise", "crop"]
    assert found["noise"]["accuracy"] == [f"{way} 75%, n 16" for way in ("wrong", "apart", "paper")]
    assert found["noise"]["sensitivity"] == [f"{way} 50%, n 8" for way in ("wrong", "apart", "paper")]
    assert found["noise"]["specificity"] == [f"{way} 100%, n 8" for way in ("wrong", "apart", "paper")]


def test_the_ways_part_where_replies_flag(weak):
    """All diseased scans are flagged: wrong by one count and none of those answered by the other."""
    found = told(Lookup(Evidence(*weak)), "fussy, standard prompt")[CLEAN]
    assert found == {
        "accuracy": ["wrong 50%, n 16", "apart 100%, n 8", "paper 50%, n 16"],
        "sensitivity": ["wrong 0%, n 8", "paper 0%, n 8"],
        "specificity": ["wrong 100%, n 8", "apart 100%, n 8", "paper 100%, n 8"],
        "no diagnosis": ["flagged 50%, n 16", "declined 0%, n 16"],
    }


def test_flags_are_those_of_the_parser(degraded_lookup):
    """One that calls the image noisy and concludes has flagged as published alone; one without words never can."""
    found = told(degraded_lookup, "torn, steps asked for")
    assert found["noise"]["specificity"] == ["wrong 100%, n 8", "apart 100%, n 8", "paper 0%, n 8"]
    assert found["crop"]["specificity"] == [f"{way} 100%, n 8" for way in ("wrong", "apart", "paper")]
    found = told(degraded_lookup, "wordless, standard prompt")
    assert [line["no diagnosis"] for line in found.values()] == [["–"]] * 3


def test_without_the_papers_parser_its_way_is_left_out(scanned, weak):
    """Where no other parser was asked for, two ways are told, and the chapter does not speak of a third."""
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    alone = Lookup(Evidence(type(results)(**{**vars(results), "beside": ()}), store))
    found = told(alone, "careful, standard prompt")
    assert [len(line["accuracy"]) for line in found.values()] == [2, 2, 2]
    assert "<b>Paper</b>" not in draw_counts(alone).parts[0].words
    assert "<b>Paper</b>" in draw_counts(Lookup(Evidence(*weak))).parts[0].words
