"""Before you rely on this: what limits the numbers is said on cards, each with where the page says more."""

from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.account import draw_limits


def cards(results, store):
    """The sentences by their titles, and where they lead."""
    [found] = draw_limits(Evidence(results, store)).parts
    notes = {card.title: card.parts[0] for card in found.cards}
    return {title: note.words for title, note in notes.items()}, {note.links[0].to for note in notes.values()}


def test_limits_are_told_beforehand(usual):
    """What could not be detected, and whether all responses are there; each leads to a part of the page."""
    found, links = cards(*usual)
    assert found["Completeness"] == "All 72 responses that were asked for are here."
    assert "could not be detected (80% power)" in found["Power"]
    assert links <= {"methods", "delivery", "parsers", "flow", "provenance", "numbers", "account"}


def test_what_an_import_does_not_know_is_not_told_as_known(imported, reply):
    """Nothing of an import says whether images arrived or how many responses were planned."""
    found, _ = cards(*imported([reply(n, "Answer: A") for n in range(9)]))
    assert found["Delivery of images"] == "Unknown: the imported files do not show it."
    assert found["Completeness"] == "9 responses were imported; how many were planned is not known."
