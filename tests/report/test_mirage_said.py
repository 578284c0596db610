from snellen.protocols.mirage.report.chapter import shown_sayings
from snellen.protocols.mirage.report.quotes import TRIES, candidates, what_they_said
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render

SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."
BENCHMARK = "mirage-questions"


def varied(request):
    """Describes at a length that the question decides, admits now and then."""
    if len(request.text) % 5 == 0:
        return SILENT
    return f"{SEEN} {'The bone is broken. ' * (len(request.text) % 7)}".strip()


def told(results, store):
    evidence = Evidence(results, store)
    chosen = candidates(evidence, BENCHMARK)
    return evidence, chosen, what_they_said(evidence, BENCHMARK, chosen)


def test_one_reply_of_every_kind_that_there_is(mirages):
    """Each model has one reply for each thing its replies do, the most frequent first, counted over all of them."""
    results, store = mirages(["mirage-rate:none"], varies=varied, admits=lambda request: SILENT)
    _, _, said = told(results, store)
    admitting = sum(len(i.question) % 5 == 0 for i in results.tables["fake/varies", BENCHMARK].items)
    assert [(each.kind.name, each.count, each.of) for each in said[0].replies] == [
        ("describes", 40 - admitting, 40),
        ("missing", admitting, 40),
    ]
    assert [(each.kind.name, each.count) for each in said[1].replies] == [("missing", 40)]
    assert said[0].replies[1].saying.reply.text == SILENT


def test_shortest_of_a_few_that_a_hash_chose(mirages):
    """The reply shown is the shortest of at most five chosen without looking at them."""
    results, store = mirages(["mirage-rate:none"], varies=varied)
    evidence, chosen, [model] = told(results, store)
    shown = model.replies[0]
    few = chosen["fake/varies", shown.kind]
    assert len(few) == TRIES
    lengths = [len(evidence.sayings(address, [place])[place].reply.text) for address, place in few]
    assert len(shown.saying.reply.text) == min(lengths)
    assert len(set(lengths)) > 1


def test_scaffold_of_a_reply_is_named(mirages):
    """A quoted reply says under which scaffold it was given, and leads to the rows of that arm."""
    results, store = mirages(["mirage-rate:vqa-rad"], varies=varied)
    evidence, _, [model] = told(results, store)
    assert {each.scaffold for each in model.replies} == {"vqa-rad"}
    assert {each.anchor for each in model.replies} <= set(evidence.anchors.values())


def test_empty_reply_is_shown_as_such(mirages):
    """A reply without words is not left blank on the page."""
    text = render(*mirages(["mirage-rate:none"], mute=lambda request: " "))
    assert "(an empty response)" in text
    assert "nothing was said" in text


def test_long_reply_is_cut_and_counted(mirages):
    """Of a long reply the beginning is quoted, with its length."""
    said = f"{SEEN} {'Much more of it is seen. ' * 80}".strip()
    text = render(*mirages(["mirage-rate:none"], long=lambda request: said))
    assert f'{said[:600]}… <span class="quiet">({len(said):,} characters)</span>' in text


def test_replies_about_diagnoses_are_quoted_where_there_are_no_others(mirages):
    """A study of the bias alone quotes its replies; one of neither quotes none."""
    results, store = mirages(["mirage-bias:seeds=2"], varies=varied)
    evidence = Evidence(results, store)
    assert {address.benchmark for few in shown_sayings(evidence).values() for address, _ in few} == {"mirage-diagnoses"}


def test_nothing_is_quoted_where_nothing_open_was_asked(study):
    """A study without open questions has no candidates."""
    assert shown_sayings(Evidence(*study())) == {}
