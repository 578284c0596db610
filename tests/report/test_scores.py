from dataclasses import replace

import pytest

from snellen.protocols.readiness.report.scores import scores
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from snellen.stats import Estimate

MODELS = ["organism/grounded", "organism/mirage", "organism/refuser"]
LEAKING, FEW = "phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"


def found(results, store):
    evidence = Evidence(results, store)
    [score] = scores(Lookup(evidence), sections(evidence))
    return {each.benchmark: each for each in score.tables}


def test_models_stand_in_the_order_of_the_study(ready):
    """No score sorts them, on any benchmark and over all at once."""
    tables = found(*ready)
    assert list(tables) == [LEAKING, FEW, "all benchmarks"]
    assert {tuple(line.model for line in each.lines) for each in tables.values()} == {tuple(MODELS)}
    *scored, refuser = tables[LEAKING].lines
    values = [line.score.estimate.value for line in scored]
    assert values != sorted(values, reverse=True)
    assert (refuser.model, refuser.score, set(refuser.parts)) == ("organism/refuser", None, {None})


def test_sight_honesty_and_steadiness_stand_before_r(ready, ready_rows):
    """The same numbers as in results.csv; over all benchmarks each benchmark's own stand there by name."""
    tables = found(*ready)
    for name in (LEAKING, FEW):
        for line in tables[name].lines:
            for measure, cells in zip(("sight_gain", "honesty", "steadiness"), line.reading, strict=True):
                [cell] = cells
                row = ready_rows[line.model, name, "grounded-reading", "reading", measure]
                assert (cell.found.estimate.value, cell.found.estimate.high) == (row["value"], row["high"])
    everywhere = tables["all benchmarks"].lines[0].reading[0]
    assert [cell.benchmark for cell in everywhere] == [LEAKING, FEW]


def test_partial_scores_say_of_what(ready):
    """A score of four tests names the tests it is of."""
    few = found(*ready)[FEW]
    assert few.partial
    assert {each.of_tests for each in few.lines if each.score} == {"T1, T2, T3, T4"}
    assert {each.parts[4] for each in few.lines} == {None}
    assert few.chosen_by.endswith("times chance; 10 questions are too few to learn from")


def test_fragilities_are_those_of_the_results(ready, ready_rows):
    """R and each f with its n stand there as in results.csv."""
    for name, table in found(*ready).items():
        for each in (line for line in table.lines if line.score):
            key = (each.model, name, "robustness", "score")
            measure = "robustness_partial" if each.of_tests else "robustness"
            assert each.score.estimate.high == ready_rows[(*key, measure)]["high"]
            for number, part in enumerate(each.parts, start=1):
                row = ready_rows.get((*key, f"fragility_{number}"))
                assert (row is None) == (part is None)
                if part is not None:
                    assert (part.found.estimate.value, part.found.estimate.n) == (row["value"], row["n"])


def test_page_says_why_r_ranks_nothing(ready_text):
    """The reason stands above the table, sight comes first and R last; a refuser has no R that could lead."""
    part = ready_text[ready_text.index('id="test-robustness"') : ready_text.index('id="readiness-abstention"')]
    assert "R is one column and ranks nothing." in part
    assert "f1 punishes a model for needing the image" in part
    assert "a model that refuses nearly always has little to lose and scores well" in part
    assert part.count("not applicable: no readable answer") == 3
    assert part.index("sight gain, of 100") < part.index("steadiness, of 100") < part.index("R, 0 to 1, 95% CI")
    assert "By R alone, organism/refuser" not in part
    assert "of at most " in part
    assert "<code>snellen published readiness</code>" in part


def with_first(results, model):
    """The study in which R of one model is 0.99 and that of the others 0.1."""

    def changed(finding):
        value = 0.99 if finding.model == model else 0.1
        measures = tuple(
            replace(each, estimate=Estimate(value, value, value, 30, "m")) if each.name == "robustness" else each
            for each in finding.measures
        )
        return replace(finding, measures=measures)

    return replace(results, findings=tuple(map(changed, results.findings)))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("organism/mirage", "By R alone, organism/mirage would stand first (0.99); it describes findings in "),
        ("organism/grounded", None),
    ],
)
def test_who_would_stand_first_is_told_with_what_speaks_against_it(ready, model, said):
    """A model that invents findings and leads by R is named with its rate; of one that looks nothing is said."""
    results, store = ready
    told = found(with_first(results, model), store)[LEAKING].by_score_alone
    if said is None:
        assert told == ()
    else:
        [sentence] = told
        assert sentence.startswith(said)
        assert "% of the responses without an image" in sentence
