import re

import pytest

from snellen.errors import ModelError
from snellen.models.base import Response, Usage
from snellen.protocols.mirage.report.chapter import mirage
from snellen.protocols.mirage.report.rate import COLUMNS, heat_maps, judging, mirage_rates
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.reply_kinds import BY_LABEL, codes, counted, kinds_of
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.tests import sections

TEST = "mirage-rate:none,visual-evidence"
SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."


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
    [rate] = mirage_rates(lookup, sections(lookup.evidence))
    return lookup, rate


@pytest.fixture(scope="module")
def two(mirages):
    """A model that describes what it is not shown, and one that never does."""
    return mirages([TEST], wavers=wavering, admits=lambda request: SILENT)


def test_bars_hold_all_replies_by_scaffold(two):
    """Each model has a bar a scaffold, named as the scaffold, with its rate and its questions."""
    results, store = two
    _, rate = rated(results, store)
    assert [of.model for of in rate.models] == ["fake/wavers", "fake/admits"]
    assert [bar.arm for bar in rate.models[0].bars] == ["none", "visual-evidence"]
    assert [bar.words for bar in rate.models[1].bars] == ["says there is none 40"] * 2
    assert rate.models[0].bars[0].words == "describes an image 40"
    assert [bar.n for bar in rate.models[0].bars] == ["40", "40"]
    table = results.tables["fake/wavers", "mirage-questions"]
    describing = sum(len(item.question) % 2 == 0 for item in table.items)
    assert f"describes an image {describing}" in rate.models[0].bars[1].words


def test_the_bar_that_the_verdict_rests_on_is_marked(two):
    """The sentence speaks of one scaffold, and the page says which of the bars below that is."""
    results, store = two
    _, rate = rated(results, store)
    for of, finding in zip(rate.models, rate.section.findings, strict=True):
        number = next(bar.number for bar in of.bars if bar.arm == of.decides)
        assert finding.verdict.numbers.startswith(number.value)
    text = render(results, store)
    part = text[text.index('id="test-mirage-rate') :]
    assert part.count(">the verdict rests on it</span>") == 2


def test_what_never_happened_has_no_column(two):
    """Where every response came, none is told as missing."""
    _, rate = rated(*two)
    assert COLUMNS["missing_rate"] not in rate.columns


def test_ways_to_count_differ_by_what_never_came_or_is_empty(mirages):
    """The rate is of what says something, the other of everything asked, and the published one of all replies."""
    results, store = mirages(["mirage-rate:none"], patchy=patchy)
    _, rate = rated(results, store)
    kinds = [len(item.question) % 4 for item in results.tables["fake/patchy", "mirage-questions"].items]
    failed, empty, seen, silent = (kinds.count(kind) for kind in range(4))
    assert min(failed, empty, seen, silent) > 0
    [line] = rate.lines
    shown = dict(zip(rate.columns, line.cells, strict=True))
    value = {name: shown[words].estimate.value for name, words in COLUMNS.items() if words in shown}
    assert value["mirage_rate"] == pytest.approx(seen / (seen + silent))
    assert value["mirage_rate_of_asked"] == pytest.approx(seen / 40)
    assert value["mirage_rate_as_published"] == pytest.approx((seen + empty) / (seen + empty + silent))
    assert value["missing_rate"] == pytest.approx(failed / 40)
    assert "judge_kappa" not in value


def test_map_has_every_category_under_its_domain(two):
    """A row a category in the order of the questions, a cell a scaffold, as dark as the share by hand."""
    results, store = two
    lookup, rate = rated(results, store)
    found = heat_maps(lookup, rate.section)
    items = results.tables["fake/wavers", "mirage-questions"].items
    assert found.nowhere == ("fake/admits",)
    [one] = found.maps
    assert [domain for domain, _ in one.domains] == list(dict.fromkeys(item.metadata["domain"] for item in items))
    rows = [row for _, those in one.domains for row in those]
    assert {row.category for row in rows} == {item.category for item in items}
    for row in rows:
        those = [len(item.question) % 2 == 0 for item in items if item.category == row.category]
        share = sum(those) / len(those)
        assert [cell.found.estimate.value for cell in row.cells] == [1.0, share]
        assert [cell.shade for cell in row.cells] == [10, round(10 * share)]
        assert row.n == str(len(those))


def test_cells_hold_a_number_and_not_a_colour_alone(two):
    """Every cell of the map prints its rate and its interval beside its shade."""
    text = render(*two)
    cells = re.findall(
        r'<td class="heat-\d+" title="[^"]+"><b>\d+%</b> <span class="between">\d+ to \d+</span></td>', text
    )
    assert len(cells) == text.count('<td class="heat-') == 40


def test_scaffolds_are_told_in_their_own_words(two):
    """A scaffold shows the words that stand around the question; the bare one has none."""
    _, rate = rated(*two)
    assert [each.name for each in rate.scaffolds] == ["none", "visual-evidence"]
    assert rate.scaffolds[0].words == ""
    assert rate.scaffolds[1].words.startswith("You are given an image and a question about it.")


def test_judge_is_named_with_its_agreement(mirages):
    """A judge's rate, its name and how far it agrees with the parser stand beside the parser's own."""
    flags = lambda request: f"<answer> {str('upload' in request.text).lower()} </answer>"  # noqa: E731
    results, store = mirages([TEST], flags, wavers=wavering)
    lookup, rate = rated(results, store)
    assert rate.judge == "fake/judge"
    assert {"100% − flagged, by the judge", "κ of judge and parser on what is flagged"} <= set(rate.columns)
    found = judging(lookup, [rate])
    assert (found.judge, found.unread) == ("fake/judge", 0)
    assert "on 100% of 80 responses, all models and scaffolds together: κ 1.00 [" in found.agreement
    text = render(results, store)
    assert "The judge is fake/judge." in text
    assert "The judge says that it admits that something is missing, or doubts." in text
    assert "No judge was asked here" not in text


def test_judge_that_cannot_be_read_is_told(mirages):
    """Answers of the judge that say nothing are counted, and no agreement is made up."""
    results, store = mirages(["mirage-rate:none"], lambda request: "Hard to say.", wavers=wavering)
    found = judging(*(lambda pair: (pair[0], [pair[1]]))(rated(results, store)))
    assert found.unread == 40
    assert found.agreement.endswith("cannot be said: none of its answers could be read.")


def test_judge_and_parser_are_compared_over_all_models_at_once(mirages):
    """Two models that always do the same have no κ each; together they show whether the judge can tell them apart."""
    flags = lambda request: f"<answer> {str('upload' in request.text).lower()} </answer>"  # noqa: E731
    results, store = mirages(["mirage-rate:none"], flags, sees=lambda request: SEEN, admits=lambda request: SILENT)
    lookup, rate = rated(results, store)
    assert "κ 1.00 [" in judging(lookup, [rate]).agreement


def test_judge_that_always_says_the_same_has_no_kappa(mirages):
    """The share of agreement is told, and no κ of 0 is made of a judge with one opinion."""
    results, store = mirages([TEST], lambda request: "<answer> false </answer>", wavers=wavering)
    lookup, rate = rated(results, store)
    found = judging(lookup, [rate]).agreement
    assert found.endswith("of 80 responses; there is no κ, since one of the two never differs.")


def test_without_a_judge_none_is_spoken_of(two):
    """Where no judge was asked the chapter says how to ask one."""
    lookup, rate = rated(*two)
    assert judging(lookup, [rate]) is None
    chapter = mirage(lookup.evidence, sections(lookup.evidence), {})
    assert chapter.judging is None
    assert "No judge was asked here" in render(*two)


def test_kinds_of_open_replies_are_their_labels(two):
    """Replies to open questions are counted by label, in the order of the bars; those that choose by outcome."""
    results, _ = two
    grades = results.tables["fake/wavers", "mirage-questions"].arms["no-image+visual-evidence"]
    assert kinds_of(grades) == tuple(BY_LABEL.values())
    assert sum(counted(grades).values()) == len(grades)
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
    _, rate = rated(results, store)
    assert [each.name for each in rate.scaffolds] == ["none"]
    assert [bar.arm for bar in rate.models[0].bars] == ["none, no effort", "none, high effort"]
    first, second = rate.efforts
    assert (first.model, first.scaffold, first.efforts) == ("fake/thinks", "none", ("none", "high"))
    assert [each.printed.value for each in first.rates] == ["100%", "0%"]
    assert first.change.printed.value == "−100 points"
    assert [each.printed.value for each in first.tokens] == ["0", "300"]
    assert (second.tokens, second.change.estimate.value) == ((None, None), 0)
    page = render(results, store)
    assert "Mirage rate by reasoning effort" in page
    assert "not counted" in page
    assert "median reasoning tokens 0 at no effort, 300 at high effort" in page
    assert "ignores: no reasoning tokens are counted" in page


def test_without_efforts_there_is_no_such_table(two):
    """The part is there only where several efforts were asked."""
    results, store = two
    assert not rated(results, store)[1].efforts
    assert "Mirage rate by reasoning effort" not in render(results, store)
