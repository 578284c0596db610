"""The responses that the chapter quotes."""

import pytest

from snellen.papers.mirage.report.chapter import choose_sayings
from snellen.papers.mirage.report.rate import TRIES, choose_quotes, draw_quotes
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from walking import walk

SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."
BENCHMARK = "mirage-questions"


def varied(request):
    """Describes at a length that the question decides, admits now and then."""
    if len(request.text) % 5 == 0:
        return SILENT
    return f"{SEEN} {'The bone is broken. ' * (len(request.text) % 7)}".strip()


def quoted(results, store):
    """The quotations by model, and among which they were chosen."""
    evidence = Evidence(results, store)
    chosen = choose_quotes(evidence, BENCHMARK)
    drawn = [*draw_quotes(evidence, BENCHMARK, chosen)]
    found = [each for part in walk(drawn) for each in getattr(part, "quotes", ())]
    return evidence, chosen, found


@pytest.fixture(scope="module")
def varying(mirages):
    return mirages(["mirage-rate:none"], varies=varied, admits=lambda request: SILENT)


def test_one_reply_of_every_kind_that_there_is(varying):
    """Each model has one reply for each thing its replies do, the most frequent first, counted over all of them."""
    _, _, found = quoted(*varying)
    admitting = sum(len(i.question) % 5 == 0 for i in varying[0].tables["fake/varies", BENCHMARK].items)
    assert [(each.who, each.look, each.outcome) for each in found] == [
        ("varies", "describes", f"describes an image, {40 - admitting} of 40"),
        ("varies", "missing", f"says there is none, {admitting} of 40"),
        ("admits", "missing", "says there is none, 40 of 40"),
    ]
    assert found[1].words == SILENT


def test_shortest_of_a_few_that_a_hash_chose(varying):
    """The reply shown is the shortest of at most five chosen without looking at them."""
    evidence, chosen, found = quoted(*varying)
    few = next(those for (model, kind), those in chosen.items() if (model, kind.name) == ("fake/varies", "describes"))
    assert len(few) == TRIES
    lengths = [len(evidence.sayings(address, [place])[place].reply.text) for address, place in few]
    assert len(found[0].words) == min(lengths)
    assert len(set(lengths)) > 1


def test_quotation_names_its_scaffold_and_leads_to_the_response(mirages, packed):
    """A quoted reply says under which scaffold it was given, and leads to exactly that response."""
    results, store = mirages(["mirage-rate:vqa-rad"], varies=varied)
    _, _, found = quoted(results, store)
    assert all(each.note.startswith("scaffold vqa-rad, item ") for each in found)
    text = render(results, store)
    checked_rows = {row["link"]: row["text"] for row in packed(text).rows}
    assert {each.to: each.words for each in found}.items() <= checked_rows.items()


def test_empty_and_long_replies_are_shown_as_such(mirages):
    """A reply without words is not left blank; of a long one the beginning is quoted, with its length."""
    text = render(*mirages(["mirage-rate:none"], mute=lambda request: " "))
    assert "(an empty response)" in text
    assert "nothing was said" in text
    said = f"{SEEN} {'Much more of it is seen. ' * 80}".strip()
    _, _, [found] = quoted(*mirages(["mirage-rate:none"], long=lambda request: said))
    assert found.words == f"{said[:600]}…"
    assert found.note.endswith(f", {len(said):,} characters")


def test_words_of_a_reply_are_inert(mirages):
    """Markup in a reply is shown as it was written."""
    results, store = mirages(["mirage-rate:none"], hostile=lambda request: "<script>alert(1)</script> I see a bone.")
    evidence = Evidence(results, store)
    html = draw([*draw_quotes(evidence, BENCHMARK, choose_quotes(evidence, BENCHMARK))])
    assert "&lt;script&gt;" in html
    assert "<script" not in html


def test_replies_about_diagnoses_are_quoted_where_there_are_no_others(mirages):
    """A study of the bias alone quotes its replies; one of neither quotes none."""
    evidence = Evidence(*mirages(["mirage-bias:seeds=2"], varies=varied))
    chosen = choose_sayings(evidence)
    assert {address.benchmark for few in chosen.values() for address, _ in few} == {"mirage-diagnoses"}


def test_nothing_is_quoted_where_nothing_open_was_asked(usual):
    """A study without open questions has no candidates."""
    assert choose_sayings(Evidence(*usual)) == {}
