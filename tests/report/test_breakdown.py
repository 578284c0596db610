from snellen import report
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.by_group import breakdowns
from snellen.scoring.findings import findings
from snellen.stress.measures import standard_measures


def test_groups_are_drawn_largest_first_and_small_ones_marked(study, question):
    """A forest for every arm's accuracy and change, a row a group, the small group marked in words."""
    items = [question(n, category="chest" if n < 25 else "brain") for n in range(30)]
    [found] = breakdowns(Evidence(*study(items)))
    assert (found.grouping, found.groups, found.drawn, found.folded) == ("category", 2, 2, False)
    assert [each.model for each in found.models] == ["fake/one", "fake/two"]
    captions = [plot.caption.rpartition(" (")[0] for plot in found.models[0].forests]
    assert captions == [
        "Accuracy, original",
        "Accuracy, image-removed",
        "Accuracy, options-shuffled",
        "Change in accuracy, image-removed",
        "Change in accuracy, options-shuffled",
    ]
    for plot in found.models[0].forests:
        assert [(mark.label, mark.number.n) for mark in plot.marks] == [("chest", "25"), ("brain (few items)", "5")]


def test_numbers_of_a_group_are_those_of_its_items(study, question):
    """A group's accuracy is that of its items alone."""
    items = [question(n, language="it" if n % 2 else "en") for n in range(20)]
    results, store = study(items)
    [found] = breakdowns(Evidence(results, store))
    part = results.tables["fake/one", "bench"].parts("language")["it"]
    test = results.findings[0].test
    measured = {(each.arm, each.name): each.estimate for each in standard_measures(test, part)}
    mark = next(mark for mark in found.models[0].forests[0].marks if mark.label.startswith("it"))
    assert mark.number.n == "10"
    assert mark.number.value == f"{round(100 * measured['original', 'accuracy'].value)}%"
    assert mark.number.method == f"{measured['original', 'accuracy'].method}; parser=lenient"


def test_a_group_has_every_number_that_groups_have(ready, mirage):
    """What is left out of a group to save time is nothing that is shown of it, in no test of the large protocols."""
    for results, _ in (ready, mirage):
        first = results.groups[0]
        of_group = [each for each in results.groups if _place(each) == _place(first)]
        grouping, _, name = first.group.partition("=")
        part = results.tables[first.model, first.benchmark].parts(grouping)[name]
        alone = findings([each.test for each in of_group], part)
        for group, whole in zip(of_group, alone, strict=True):
            shown = [each for each in whole.measures if each.kind.grouped]
            assert list(map(_told, group.measures)) == list(map(_told, shown))


def _place(finding):
    return finding.model, finding.benchmark, finding.group


def _told(measure):
    found = measure.estimate
    return measure.arm, measure.name, measure.how, found.value, found.low, found.high, found.n


def test_many_groups_fold_and_are_bounded(study, question):
    """A long list is folded, only the largest groups are drawn, and the page says where the others are."""
    items = [question(n, category=f"group {n}") for n in range(45)]
    results, store = study(items)
    [found] = breakdowns(Evidence(results, store))
    assert (found.groups, found.drawn, found.folded) == (45, 40, True)
    text = report.write(results, store).read_text(encoding="utf-8")
    assert "The 40 largest of 45 groups; breakdown.csv has all of them." in text
    assert '<details class="numbers"><summary>fake/one</summary>' in text


def test_items_of_one_kind_are_not_broken_down(study):
    """Where all items are alike there is no such section."""
    results, store = study()
    assert breakdowns(Evidence(results, store)) == []
    assert 'id="breakdown"' not in report.write(results, store).read_text(encoding="utf-8")
