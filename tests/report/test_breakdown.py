from snellen.models.fake import FakeModel
from snellen.report.components import Fold, Section
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.benchmark import draw_groups
from snellen.scoring.findings import findings
from snellen.stress.measures import standard_measures


def drawn(results, store):
    """The folded part, and by model the plots over its groups."""
    [fold] = draw_groups(Evidence(results, store))
    [section] = [each for each in fold.parts if isinstance(each, Section)]
    plots = {each.title: each.parts[0].parts for each in section.parts if isinstance(each, Fold)}
    return fold, section, plots


def test_groups_are_drawn_largest_first_and_small_ones_marked(study, question):
    """A plot for every arm's accuracy and change, a row a group, the small group marked in words."""
    items = [question(n, category="chest" if n < 25 else "brain") for n in range(30)]
    fold, section, plots = drawn(*study(items))
    assert (section.title, fold.result, list(plots)) == ("By category", "by category", ["one", "two"])
    assert [plot.caption.rpartition(" (")[0] for plot in plots["one"]] == [
        "Accuracy, as asked",
        "Accuracy, without the image",
        "Accuracy, with the options reordered",
        "Change in accuracy, without the image",
        "Change in accuracy, with the options reordered",
    ]
    for plot in plots["one"]:
        assert [row.head.words for row in plot.rows] == ["chest", "brain (few items)"]
        assert [row.cells[1].n for row in plot.rows] == ["n 25", "n 5"]


def test_numbers_of_a_group_are_those_of_its_items(study, question):
    """A group's accuracy is that of its items alone."""
    items = [question(n, language="it" if n % 2 else "en") for n in range(20)]
    results, store = study(items)
    _, _, plots = drawn(results, store)
    part = results.tables["fake/one", "bench"].parts("language")["it"]
    test = results.findings[0].test
    measured = {(each.arm, each.name): each.estimate for each in standard_measures(test, part)}
    [cell] = [row.cells[1] for row in plots["one"][0].rows if row.head.words.startswith("it")]
    assert cell.n == "n 10"
    assert cell.words.startswith(f"{round(100 * measured['original', 'accuracy'].value)}% (")
    assert cell.how == f"{measured['original', 'accuracy'].method}; parser=lenient"


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


def test_many_groups_are_bounded(study, question):
    """Only the largest groups are drawn, and the page says where the others are."""
    items = [question(n, category=f"group {n}") for n in range(45)]
    one = FakeModel(lambda request: "Answer: B", name="fake/one")
    _, section, plots = drawn(*study(items, (one,), tests=("image-needed",)))
    assert {len(plot.rows) for plot in plots["one"]} == {40}
    assert section.parts[0].words == "The 40 largest of 45 groups; breakdown.csv has all of them."


def test_items_of_one_kind_are_not_broken_down(usual, usual_text):
    """Where all items are alike there is no such section."""
    assert list(draw_groups(Evidence(*usual))) == []
    assert 'id="breakdown"' not in usual_text
