"""What responses do about an image that was never sent, as the chapter shows it."""

import pytest

from snellen.errors import ModelError
from snellen.models.base import Response, Usage
from snellen.papers.mirage.report.chapter import describe_judge, draw_mirage
from snellen.papers.mirage.report.rate import COLUMNS, draw_rate
from snellen.report.components import Facts
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.reply_kinds import BY_LABEL, codes, count_kinds, kinds_of
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from walking import cells, find, rows, tables, value, words

TEST = "mirage-rate:none,visual-evidence"
SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."
OWN = frozenset({"mirage-questions"})
DOES, AROUND, WAYS, MAPS = "What the responses do", "The words around", "Ways to count", "Mirage rate by category"


def wavering(request):
    """Describes where the question has an even number of letters, admits elsewhere; bare, it describes always."""
    return SEEN if not request.system or len(request.text) % 2 == 0 else SILENT


def patchy(request):
    """Describes, says nothing, or is not reachable, by the length of the question."""
    kind = len(request.text) % 4
    if kind == 0:
        raise ModelError("The line is down.")
    return ("", SEEN, SILENT)[kind - 1]


def rated(results, store):
    lookup = Lookup(Evidence(results, store))
    return draw_rate(lookup, next(each for each in sections(lookup.evidence) if "mirage-rate" in each.test.name))


@pytest.fixture(scope="module")
def two(mirages):
    """A model that describes what it is not shown, and one that never does."""
    return mirages([TEST], wavers=wavering, admits=lambda request: SILENT)


@pytest.fixture(scope="module")
def drawn(two):
    return rated(*two)


def test_bars_hold_all_replies_by_scaffold(two, drawn):
    """Each model has a bar a scaffold, named as the scaffold, with its rate and its questions, and a figure."""
    wavers, admits = tables(find([drawn], DOES))
    assert (wavers.caption, admits.caption) == ("wavers", "admits")
    assert [row.head.words for row in wavers.rows] == ["none", "visual-evidence"]
    assert [row.cells[1].note for row in admits.rows] == ["says there is none 40"] * 2
    assert wavers.rows[0].cells[1].note == "describes an image 40"
    assert (wavers.rows[0].cells[1].words, wavers.rows[0].cells[1].n) == ("100% (91 to 100)", "n 40")
    table = two[0].tables["fake/wavers", "mirage-questions"]
    describing = sum(len(item.question) % 2 == 0 for item in table.items)
    assert f"describes an image {describing}" in wavers.rows[1].cells[1].note
    assert [each.words for each in wavers.key] == ["describes an image", "says there is none"]
    assert wavers.figure.name.endswith("mirage-rate-fake-wavers")


def test_the_bar_that_the_verdict_rests_on_is_marked(two, drawn):
    """The sentence speaks of one scaffold; the plot and the bars say which, and the plot shows the limit."""
    findings = [each for each in two[0].findings if each.test.name == TEST]
    plot = next(each for each in drawn.parts if getattr(each, "look", "") == "drawn")
    assert plot.rows[0].head.words == "wavers"
    assert "asked bare" in plot.caption
    assert all('class="reference"' in row.cells[0].drawing for row in plot.rows)
    for table, finding in zip(tables(find([drawn], DOES)), findings, strict=True):
        [row] = [row for row in table.rows if row.head.n == "decides the verdict"]
        assert finding.verdict.numbers.startswith(value(row.cells[1]))


def test_what_never_happened_is_not_shown(drawn):
    """No column tells of missing responses where all came, and no table of efforts that were not asked."""
    assert COLUMNS["missing_rate"] not in [each.words for each in tables(find([drawn], WAYS))[0].columns]
    assert "Mirage rate by reasoning effort" not in words([drawn])


def test_ways_to_count_differ_by_what_never_came_or_is_empty(mirages):
    """The rate is of what says something, the other of everything asked, and the published one of all replies."""
    results, store = mirages(["mirage-rate:none"], patchy=patchy)
    [table] = tables(find([rated(results, store)], WAYS))
    kinds = [len(item.question) % 4 for item in results.tables["fake/patchy", "mirage-questions"].items]
    failed, empty, seen, silent = (kinds.count(kind) for kind in range(4))
    assert min(failed, empty, seen, silent) > 0
    [row] = table.rows
    assert (row.heading, row.head.words) == ("patchy", "none")
    shown = {each.words: cell.words for each, cell in zip(table.columns[1:], row.cells, strict=True)}
    measured = next(each for each in results.findings if each.test.name == "mirage-rate:none")
    for name, share in {
        "mirage_rate": seen / (seen + silent),
        "mirage_rate_of_asked": seen / 40,
        "mirage_rate_as_published": (seen + empty) / (seen + empty + silent),
        "missing_rate": failed / 40,
    }.items():
        assert shown[COLUMNS[name]].startswith(f"{100 * share:.0f}% (")
        assert measured.measure("no-image+bare", name).estimate.value == pytest.approx(share)
    assert COLUMNS["judge_kappa"] not in shown


def test_map_has_every_category_under_its_domain(two, drawn):
    """A row a category in the order of the questions, a cell a scaffold, as dark as the share by hand."""
    items = two[0].tables["fake/wavers", "mirage-questions"].items
    fold = find([drawn], MAPS)
    [table] = tables(fold)
    assert "No such response in any category under any scaffold: admits." in words([fold])
    headings = [heading for heading, _ in table.list_headed_rows() if heading]
    assert headings == list(dict.fromkeys(item.metadata["domain"] for item in items))
    domains = {item.category: item.metadata["domain"] for item in items}
    assert {name: domain for domain, name in rows(table)} == domains
    for row in table.rows:
        those = [len(item.question) % 2 == 0 for item in items if item.category == row.head.words]
        assert [cell.shade for cell in row.cells] == [1.0, pytest.approx(sum(those) / len(those))]
        assert row.head.n == f"n {len(those)}"


def test_cells_hold_a_number_and_not_a_colour_alone(drawn):
    """Every cell of the map prints its rate, its interval and its method beside its shade."""
    [table] = tables(find([drawn], MAPS))
    found = cells(table)
    assert len(found) == 40
    assert all(each.words.endswith("%") and each.note.startswith("(") and each.how for each in found)
    assert str(draw([table])).count(' heat-10"') >= 20


def test_scaffolds_are_told_in_their_own_words(drawn):
    """A scaffold shows the words that stand around the question; the bare one has none."""
    [facts] = [each for each in find([drawn], AROUND).parts if isinstance(each, Facts)]
    said = dict(facts.facts)
    assert list(said) == ["none", "visual-evidence"]
    assert said["none"] == "the question and nothing else"
    assert said["visual-evidence"].startswith("“You are given an image and a question about it.")


def test_judge_is_named_with_its_agreement(mirages):
    """A judge's rate, its name and how far it agrees with the parser stand beside the parser's own."""
    flags = lambda request: f"<answer> {str('upload' in request.text).lower()} </answer>"  # noqa: E731
    results, store = mirages([TEST], flags, wavers=wavering)
    fold = find([rated(results, store)], WAYS)
    assert "The judge is fake/judge." in words([fold])
    columns = {each.words for each in tables(fold)[0].columns}
    assert {"100% − flagged, by the judge", "κ of judge and parser on what is flagged"} <= columns
    evidence = Evidence(results, store)
    said = describe_judge(evidence, OWN)
    assert said.startswith("A judge, fake/judge, was asked")
    assert "could not be read" not in said
    assert "on 100% of 80 responses, all models and scaffolds together: κ 1.00 (" in said
    told = words(draw_mirage(evidence, sections(evidence), {}))
    assert said in told
    assert "No judge was asked here" not in told


def test_agreement_of_a_judge_is_never_made_up(mirages):
    """Answers that cannot be read are counted; one opinion has no κ; models are compared together."""
    evidence = Evidence(*mirages(["mirage-rate:none"], lambda request: "Hard to say.", wavers=wavering))
    said = describe_judge(evidence, OWN)
    assert "40 of its answers could not be read" in said
    assert said.endswith("is unknown: no answer of the judge could be read.")
    results, store = mirages([TEST], lambda request: "<answer> false </answer>", wavers=wavering)
    said = describe_judge(Evidence(results, store), OWN)
    assert said.endswith("of 80 responses; there is no κ, since one of the two always gives the same label.")
    flags = lambda request: f"<answer> {str('upload' in request.text).lower()} </answer>"  # noqa: E731
    results, store = mirages(["mirage-rate:none"], flags, sees=lambda request: SEEN, admits=lambda request: SILENT)
    assert "κ 1.00 (" in describe_judge(Evidence(results, store), OWN)


def test_without_a_judge_none_is_spoken_of(two):
    """Where no judge was asked the chapter says how to ask one."""
    evidence = Evidence(*two)
    assert describe_judge(evidence, OWN) == ""
    assert "No judge was asked here" in words(draw_mirage(evidence, sections(evidence), {}))


def test_kinds_of_open_replies_are_their_labels(two):
    """Replies to open questions are counted by label, in the order of the bars; those that choose by outcome."""
    results, _ = two
    grades = results.tables["fake/wavers", "mirage-questions"].arms["no-image+visual-evidence"]
    assert kinds_of(grades) == tuple(BY_LABEL.values())
    assert sum(count_kinds(grades).values()) == len(grades)
    names = [kinds_of(grades)[code].name for code in codes(grades)]
    assert [name == "describes" for name in names] == [
        len(item.question) % 2 == 0 for item in results.tables["fake/wavers", "mirage-questions"].items
    ]


def thinking(request):
    """Describes unless it thinks, and says how long it thought."""
    effort = request.settings.reasoning_effort
    said = SILENT if effort == "high" else SEEN
    return Response(said, usage=Usage(reasoning_tokens=300 if effort == "high" else 0))


def test_rates_by_effort_stand_beside_their_change(mirages):
    """With thinking and without: both rates, the paired change and the tokens; what is not counted is said."""
    results, store = mirages(["mirage-rate:none,effort=none/high"], thinks=thinking, ignores=lambda request: SEEN)
    drawn = rated(results, store)
    assert [name for name, _ in find([drawn], AROUND).parts[0].facts] == ["none"]
    assert [row.head.words for row in tables(find([drawn], DOES))[0].rows] == ["none, no effort", "none, high effort"]
    first, second = tables(find([drawn], "Mirage rate by reasoning effort"))[0].rows
    assert (first.heading, first.head.words) == ("thinks", "none")
    assert [value(each) for each in first.cells] == ["none → high", "100%", "0%", "−100 points", "0", "300"]
    assert [value(each) for each in second.cells[3:]] == ["0 points", "not counted", "not counted"]
    said = " ".join(each.words for each in next(part for part in drawn.parts if hasattr(part, "items")).items)
    notes = " ".join(each.note for each in next(part for part in drawn.parts if hasattr(part, "items")).items)
    assert "median reasoning tokens 0 at no effort, 300 at high effort" in said + notes
    assert "no reasoning tokens are counted" in said + notes
