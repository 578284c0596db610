from dataclasses import replace

from snellen.protocols.readiness.report.necessity import PARTS, necessity
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render


def test_numbers_are_those_of_the_results(ready_lookup, ready_rows):
    """Every part of the bar is the rate that results.csv has, and the parts and the rest are the whole."""
    found = necessity(ready_lookup)
    assert [each.benchmark for each in found] == ["phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"]
    for each in found:
        for line in each.lines:
            rows = [ready_rows[line.model, each.benchmark, "visual-necessity", "image-removed", name] for name in PARTS]
            assert [number.estimate.value for _, number in line.numbers] == [row["value"] for row in rows]
            assert {row["n"] for row in rows} == {int(each.items)}
            assert line.other == f"{round(100 * (1 - sum(row['value'] for row in rows)))}%"


def test_how_items_were_chosen_is_told(ready_lookup, ready_text):
    """How the items were chosen stands there as in results.csv, with their number."""
    each = necessity(ready_lookup)[0]
    assert each.chosen_by.startswith("screen: at most 60 words")
    assert f"{each.items} items, chosen by {each.chosen_by}." in ready_text


def test_luck_is_given_how_many_were_answered(ready_lookup):
    """Who answers nothing has nothing by luck; who answers all has what guessing would give."""
    marks = {line.model: line.picture for line in necessity(ready_lookup)[1].lines}
    assert 'class="luck" x1="0.00%"' in marks["organism/refuser"]
    numbers = {line.model: line for line in necessity(ready_lookup)[1].lines}["organism/mirage"]
    right = numbers.numbers[0][1].estimate.value
    assert f'class="luck" x1="{100 * (right - numbers.above.estimate.value):.2f}%"' in marks["organism/mirage"]


def test_hostile_file_name_is_inert(ready_one, parsed):
    """The name of a list of items, which a user gave, adds no element."""
    results, store = ready_one
    hostile = "the list <script>alert(1)</script>.txt"

    def put(finding):
        return replace(finding, measures=tuple(replace(each, subset=hostile) for each in finding.measures))

    marked = replace(results, findings=tuple(put(each) for each in results.findings))
    assert necessity(Lookup(Evidence(marked, store)))[0].chosen_by == hostile
    page = parsed(render(marked, store))
    assert [each.get("id", "") for each, _ in page.all("script")] == ["responses", "files", ""]
    assert page.problems == []
    assert any(hostile in text for _, text in page.all("p"))
