"""What clinicians say: agreement first, then the marks that change, then what each task came to."""

import pytest

from rated import add_reviews, estimate, record
from snellen import report
from snellen.reading.outcomes import Outcome
from snellen.report.components import Section, Table
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.clinicians import PLOT, TOP, Plotted, draw_clinicians, landscape
from snellen.stats import Estimate, wilson


@pytest.fixture(scope="module")
def reviewed(study, question):
    """A study whose first 24 questions were rated: of every second one the image is essential."""
    results, store = study([question(n) for n in range(30)])
    add_reviews(results, store)
    return results, store


def chapter(results, store):
    """The chapter and the tables in it by how their captions begin."""
    [fold] = draw_clinicians(Evidence(results, store))
    return fold, list(tables(fold))


def tables(part):
    if isinstance(part, Table):
        yield part
    for each in getattr(part, "parts", ()):
        yield from tables(each)


def find(found, begins):
    [table] = [each for each in found if str(each.caption).startswith(begins)]
    return table


def test_a_study_without_a_review_has_no_such_chapter(usual):
    """Nothing is said of clinicians who were not asked; nor in the study of another name."""
    results, store = usual
    store.labels.add_review(record({"name": "another"}, "verdict"))
    assert list(draw_clinicians(Evidence(results, store))) == []


def test_agreement_comes_first(reviewed):
    """In the line that is seen before the chapter is unfolded, and before all else of a task; an undefined one last."""
    fold, found = chapter(*reviewed)
    assert fold.result == "κ 0.78 (0.68 to 0.88)"
    verdict = next(each for each in fold.parts if isinstance(each, Section) and each.name == "verdict")
    assert isinstance(verdict.parts[0], Table)
    [row] = find(found, "Agreement between raters").rows
    assert [each.words for each in row.cells[0].lines] == [
        "Cohen's κ 0.78 (0.68 to 0.88)", "Krippendorff's α not defined", "agreement 93% (83 to 103)",
    ]  # fmt: skip
    assert {each.n for each in row.cells[0].lines} == {"n 30, 2 raters, hand-made"}


def test_accuracy_is_split_by_what_questions_ask_for(reviewed):
    """A group's accuracy is that of its rated items alone, with its n and Wilson's interval."""
    results, store = reviewed
    _, found = chapter(results, store)
    table = results.tables["fake/one", "bench"]
    right = dict(zip(*table.share("original", [Outcome.CORRECT]), strict=True))
    by_hand = wilson(sum(right[n] for n in range(24) if n % 2), 12)
    split = find(found, "Rated questions by whether the image is essential")
    cells = next(row.cells for row in split.rows if row.model == "fake/one")
    low, high = (f"{100 * end:.0f}" for end in (by_hand.low, by_hand.high))
    assert cells[0].words == f"{100 * by_hand.value:.0f}% ({low} to {high})"
    assert [cell.n for cell in cells] == ["n 12", "n 12"]
    by_reasoning = find(found, "Rated questions by reasoning").rows[0].cells
    assert (by_reasoning[0].words, by_reasoning[0].n) == ("–", "")
    assert by_reasoning[1].n == "n 16"


def test_the_page_says_what_each_task_came_to(reviewed):
    """Sentence, settled labels, judges, confusions and profile; hostile names stay text; the figure is kept."""
    results, store = reviewed
    fold, found = chapter(results, store)
    text = report.write(results, store).read_text(encoding="utf-8")
    html = draw([fold])
    assert "<i>j" not in text
    assert "a/&lt;i&gt;j&lt;/i&gt;" in html
    assert [cell.words for cell in find(found, "Judges compared").rows[0].cells] == ["κ 0.70 (0.60 to 0.80)", "too few"]
    assert "29 of 30 cases by as many raters as planned; all agree on 25" in html
    assert "1 is open and is not counted" in html
    assert "1 vote said “I cannot judge this”" in html
    settled = find(found, "Results of the cases").rows[0]
    assert [each.words for each in settled.cells] == ["as asked", "yes 12, no 3", "yes 80% (70 to 90)"]
    matrix = next(each for each in found if each.columns[0].words == "Rater 1")
    assert [[cell.words for cell in row.cells] for row in matrix.rows] == [["20", "1"], ["2", "7"]]
    axes = find(found, "Median rating")
    assert [(row.heading, row.cells[0].words) for row in axes.rows] == [("reasoning", "2.5"), ("visual", "2.5")]
    assert 'id="clinicians"' in text
    assert 'id="profile"' in text
    figures = store.folder / "figures" / "benchmark-landscape.csv"
    assert figures.read_text().count("reasoning_complexity") == 2


def test_the_page_says_who_decided_and_which_qualification_counts(study):
    """Votes of one alone, of a settler and of more than half are told apart; a judge that another gate rules too."""
    results, store = study()
    judge = {"judge": "a/j", "kappa": estimate(0.9), "agreement": estimate(0.9), "why_not": "", "n": 30}
    fields = {"by_one": 3, "settled_by": {"settler": 1, "majority": 2}, "settled": 3, "cautions": ["Mind <b>this</b>."]}
    judges = [{**judge, "qualified": True, "in_force": False}]
    store.labels.add_review(record(results.study, "verdict", judges=judges, **fields))
    fold, found = chapter(results, store)
    html = draw([fold])
    assert "all agree on 25; a single rater read 3; another settled 1; a majority decided 2;" in html
    assert "<p>Mind &lt;b&gt;this&lt;/b&gt;.</p>" in html
    [row] = find(found, "Judges compared").rows
    assert row.cells[1].words.startswith("by these verdicts: qualified. A qualification with more labels")


def test_a_benchmark_in_the_middle_is_not_called_high_or_low(reviewed):
    """If the 95% CI holds 2, a benchmark's complexity is neither."""
    results, store = reviewed
    place = {"reasoning_spread": 0.2, "visual_spread": None, "items": 24, "raters": 3}
    landscape = [
        {**place, "benchmark": "bench", "reasoning": estimate(2.05), "visual": estimate(2.5)},
        {**place, "benchmark": "other", "reasoning": estimate(1.5), "visual": estimate(1.95)},
    ]
    rated = store.labels.reviews(results.study["name"])["profile"]
    store.labels.add_review({**rated, "landscape": landscape})
    _, found = chapter(results, store)
    store.labels.add_review(rated)
    split = find(found, "All questions, benchmark by benchmark")
    assert [each.words for each in split.columns[1:]] == [
        "low or high reasoning, high visual: bench", "low reasoning, low or high visual: other",
    ]  # fmt: skip


def test_marks_of_the_landscape_are_where_they_belong():
    """Low stands left and below, high right and above; what is not known of spread is drawn smallest."""

    def at(value):
        return Estimate(value, value, value, 9, "")

    drawn = str(
        landscape([Plotted("a", at(1.0), at(3.0), (0.0, 0.5), 0), Plotted("b", at(3.0), at(1.0), (1.0, 0.0), 1)])
    )
    assert f'cx="11.00%" cy="{TOP:.1f}" rx="0.90%" ry="{PLOT / 4:.1f}"' in drawn
    assert f'cx="97.00%" cy="{TOP + PLOT:.1f}" rx="43.00%" ry="6.0"' in drawn
