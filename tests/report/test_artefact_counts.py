from scans import ARTEFACTS, careful, scans
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.counts import counts
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render


def fussy(request):
    """Flags every other scan as it is, by its shade; else right."""
    said = careful(request)
    return "The image is too degraded to be interpreted." if "brain tumor" in said else said


def told(each, place):
    """The numbers of one cell of every line, by way."""
    return {
        line.words: {way: (found.printed.value, found.printed.n) for way, found in line.cells[place].ways}
        for line in each.lines
    }


def test_three_ways_stand_side_by_side(degraded_lookup):
    """Under noise the careful one loses half of the diseased and nothing of the healthy, however it is counted."""
    [each] = [
        each for each in counts(degraded_lookup) if (each.title, each.strategy) == ("fake/careful", "standard prompt")
    ]
    assert each.parser == "detection-as-published"
    assert list(told(each, 0)) == ["image as it is", "noise", "crop"]
    assert told(each, 0)["noise"] == dict.fromkeys(("wrong", "apart", "paper"), ("75%", "16"))
    assert told(each, 1)["noise"] == dict.fromkeys(("wrong", "apart", "paper"), ("50%", "8"))
    assert told(each, 2)["noise"] == dict.fromkeys(("wrong", "apart", "paper"), ("100%", "8"))


def test_the_ways_part_where_replies_flag(scanned):
    """All diseased scans are flagged: wrong by one count and none of those answered by the other."""
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], by=[FakeModel(fussy, name="fake/fussy")])
    [each] = counts(Lookup(Evidence(results, store)))
    clean = "image as it is"
    assert told(each, 0)[clean] == {"wrong": ("50%", "16"), "apart": ("100%", "8"), "paper": ("50%", "16")}
    assert told(each, 1)[clean] == {"wrong": ("0%", "8"), "paper": ("0%", "8")}
    assert told(each, 2)[clean] == {"wrong": ("100%", "8"), "apart": ("100%", "8"), "paper": ("100%", "8")}
    silent = {words: found.printed.value for words, found in each.lines[0].silent}
    assert silent == {"flagged": "50%", "declined": "0%"}


def test_the_papers_parser_differs_where_quality_is_only_spoken_of(degraded_lookup):
    """One that calls the image noisy and then concludes has answered by ours, and has flagged as published."""
    [each] = [
        each for each in counts(degraded_lookup) if (each.title, each.strategy) == ("fake/torn", "steps asked for")
    ]
    assert told(each, 2)["noise"] == {"wrong": ("100%", "8"), "apart": ("100%", "8"), "paper": ("0%", "8")}
    assert told(each, 2)["crop"] == dict.fromkeys(("wrong", "apart", "paper"), ("100%", "8"))


def test_without_the_papers_parser_its_way_is_left_out(scanned):
    """Where no other parser was asked for, two ways are told, and the page does not speak of a third."""
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    alone = type(results)(**{**vars(results), "beside": ()})
    found = counts(Lookup(Evidence(alone, store)))
    assert {way for each in found for line in each.lines for cell in line.cells for way, _ in cell.ways} == {
        "wrong",
        "apart",
    }
    assert "<b>Paper</b>" not in render(alone, store)
    assert "<b>Paper</b>" in render(results, store)
