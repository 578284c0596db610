import pytest

from snellen import report
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.clinicians import clinicians
from snellen.stats import Estimate, wilson

AXES = {"reasoning_steps": "reasoning", "text_alone": "visual"}


def estimate(value, n=30):
    return {"value": value, "low": value - 0.1, "high": value + 0.1, "n": n, "method": "hand-made"}


def record(study, task, **fields):
    return {
        "schema": 1, "study": study["name"], "task": task, "title": "Is it <b>so</b>?", "created": "", "plan": {},
        "raters": [{"rater": f"Rater {n}", "settles": n == 3, "votes": 30, "skipped": n == 1} for n in (1, 2, 3)],
        "cases": 30, "read": 29, "agreed": 25, "settled": 4, "open": 1, "agreement": [], "confusion": [], "labels": [],
        "profile": [], "landscape": [], "ratings": [], "judges": [], **fields,
    }  # fmt: skip


@pytest.fixture
def reviewed(study, question):
    """A study whose first 24 questions were rated: of every second one the image is essential."""
    results, store = study([question(n) for n in range(30)])
    rated = [
        {
            "benchmark": "bench",
            "item_id": item.id,
            "axes": {"reasoning_steps": 1 + n % 3, "text_alone": 1 + 2 * (n % 2)},
        }
        for n, item in enumerate(results.tables["fake/one", "bench"].items[:24])
    ]
    line = {"benchmark": "bench", "median": 2.5, "mean": 2.0, "items": 24, "raters": 3, "kappa": None}
    profile = [{**line, "axis": axis, "group": group, "asks": f"{axis}?"} for axis, group in AXES.items()]
    place = {"reasoning_spread": 0.2, "visual_spread": None, "items": 24, "raters": 3, "benchmark": "bench"}
    landscape = [{**place, "reasoning": estimate(1.5, 24), "visual": estimate(2.5, 24)}]
    undefined = {**estimate(0.0), "value": None, "low": -1.0, "high": 1.0}
    agreement = [
        {**estimate(0.78), "field": "verdict", "asks": "Is it so?", "statistic": "Cohen's κ", "raters": 2},
        {**undefined, "field": "verdict", "asks": "Is it so?", "statistic": "Krippendorff's α", "raters": 2},
    ]
    judges = [{"judge": "a/<i>j</i>", "kappa": estimate(0.7), "agreement": estimate(0.9), "qualified": False,
               "why_not": "too few", "n": 30}]  # fmt: skip
    store.add_review(record(results.study, "profile", profile=profile, landscape=landscape, ratings=rated))
    store.add_review(record(results.study, "verdict", agreement=agreement, judges=judges))
    return results, store


def test_a_study_without_a_review_has_no_such_chapter(study):
    """Nothing is said of clinicians whom nobody asked; nor in the study of another name."""
    results, store = study()
    store.add_review(record({"name": "another"}, "verdict"))
    assert clinicians(Evidence(results, store)) is None
    assert 'id="clinicians"' not in report.write(results, store).read_text(encoding="utf-8")


def test_accuracy_is_split_by_what_questions_ask_for(reviewed):
    """A group's accuracy is that of its rated items alone, with its n and Wilson's interval."""
    results, store = reviewed
    found = clinicians(Evidence(results, store))
    split = next(each for each in found.splits if "essential" in each.title)
    table = results.tables["fake/one", "bench"]
    right = dict(zip(*table.share("original", [Outcome.CORRECT]), strict=True))
    by_hand = wilson(sum(right[n] for n in range(24) if n % 2), 12)
    cell = next(line for line in split.lines if line.model == "fake/one").cells[0]
    assert (cell.value, cell.n) == (f"{100 * by_hand.value:.0f}%", "12")
    assert [cell.n for cell in split.lines[0].cells] == ["12", "12"]
    by_reasoning = next(each for each in found.splits if "reasoning" in each.title)
    assert [None if cell is None else cell.n for cell in by_reasoning.lines[0].cells] == [None, "16"]


def test_the_page_says_n_interval_and_what_is_not_defined(reviewed):
    """Numbers of a review have n, interval and method; hostile names stay text; an undefined κ is called so."""
    results, store = reviewed
    text = report.write(results, store).read_text(encoding="utf-8")
    chapter = text.partition('<section id="clinicians"')[2].partition('<section id="benchmark"')[0]
    assert "<i>j" not in chapter
    assert "a/&lt;i&gt;j&lt;/i&gt;: too few" in chapter
    assert "<b>0.78</b>" in chapter
    assert "not defined" in chapter
    assert "29 of 30 cases by as many raters as planned; all agree on 25" in chapter
    assert "1 is open and counts nowhere" in chapter
    assert "1 vote said “I cannot judge this”" in chapter
    assert 'href="#clinicians"' in text
    figures = store.folder / "figures" / "benchmark-landscape.csv"
    assert figures.read_text().count("reasoning_complexity") == 2


def test_the_page_says_who_decided_and_which_qualification_counts(study):
    """Votes of one alone, of a settler and of more than half are told apart; a judge that another gate rules too."""
    results, store = study()
    judge = {"judge": "a/j", "kappa": estimate(0.9), "agreement": estimate(0.9), "why_not": "", "n": 30}
    fields = {"by_one": 3, "settled_by": {"settler": 1, "majority": 2}, "settled": 3, "cautions": ["Mind <b>this</b>."]}
    judges = [{**judge, "qualified": True, "in_force": False}]
    store.add_review(record(results.study, "verdict", judges=judges, **fields))
    (task,) = clinicians(Evidence(results, store)).tasks
    assert "all agree on 25; one alone read 3; another settled 1; more than half decided 2;" in task.sentence
    (said,) = task.judges
    assert said.words.startswith("a/j: by these verdicts qualified; not in force")
    assert "<p>Mind &lt;b&gt;this&lt;/b&gt;.</p>" in report.write(results, store).read_text(encoding="utf-8")


def test_a_benchmark_in_the_middle_is_not_called_high_or_low(reviewed):
    """Where the 95% CI holds 2, a benchmark's complexity is neither."""
    results, store = reviewed
    place = {"reasoning_spread": 0.2, "visual_spread": None, "items": 24, "raters": 3}
    landscape = [
        {**place, "benchmark": "bench", "reasoning": estimate(2.05), "visual": estimate(2.5)},
        {**place, "benchmark": "other", "reasoning": estimate(1.5), "visual": estimate(1.95)},
    ]
    rated = store.reviews(results.study["name"])["profile"]
    store.add_review({**rated, "landscape": landscape})
    split = clinicians(Evidence(results, store)).splits[-1]
    assert split.groups == ("low or high reasoning, high visual: bench", "low reasoning, low or high visual: other")


def test_marks_of_the_landscape_are_where_they_belong():
    """Low stands left and below, high right and above; what is not known of spread is drawn smallest."""
    from snellen.report.figures.landscape import PLOT, TOP, Plotted, landscape

    def at(value):
        return Estimate(value, value, value, 9, "")

    drawn = str(
        landscape([Plotted("a", at(1.0), at(3.0), (0.0, 0.5), 0), Plotted("b", at(3.0), at(1.0), (1.0, 0.0), 1)])
    )
    assert f'cx="11.00%" cy="{TOP:.1f}" rx="0.90%" ry="{PLOT / 4:.1f}"' in drawn
    assert f'cx="97.00%" cy="{TOP + PLOT:.1f}" rx="43.00%" ry="6.0"' in drawn
