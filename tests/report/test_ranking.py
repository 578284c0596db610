from snellen.protocols.readiness.report.ranking import rankings
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections


def found(ready):
    evidence = Evidence(*ready)
    [score] = rankings(Lookup(evidence), sections(evidence))
    return {each.benchmark: each for each in score.rankings}


def test_highest_score_comes_first(ready):
    """The ranking falls, over all benchmarks at once and on each that has all five tests."""
    by_benchmark = found(ready)
    assert list(by_benchmark) == ["all benchmarks", "phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"]
    for name in ("all benchmarks", "phantoms:items=30,leak=0.5"):
        values = [each.score.estimate.value for each in by_benchmark[name].whole]
        assert values == sorted(values, reverse=True)
        assert by_benchmark[name].whole[0].model == "organism/refuser"
        assert by_benchmark[name].partial == ()


def test_partial_scores_are_apart_and_say_of_what(ready):
    """A score of four tests is never ranked among those of five, and names the tests it is of."""
    few = found(ready)["phantoms:items=10,seed=1"]
    assert few.whole == ()
    assert {each.of_tests for each in few.partial} == {"T1, T2, T3, T4"}
    assert {each.parts[4] for each in few.partial} == {None}
    assert few.chosen_by.endswith("times chance")


def test_fragilities_are_those_of_the_results(ready, ready_rows):
    """R and each f with its n stand there as in results.csv."""
    for name, ranking in found(ready).items():
        for each in (*ranking.whole, *ranking.partial):
            key = (each.model, name, "robustness", "score")
            measure = "robustness_partial" if each.of_tests else "robustness"
            assert each.score.estimate.high == ready_rows[(*key, measure)]["high"]
            for number, part in enumerate(each.parts, start=1):
                row = ready_rows.get((*key, f"fragility_{number}"))
                assert (row is None) == (part is None)
                if part is not None:
                    assert (part.found.estimate.value, part.found.estimate.n) == (row["value"], row["n"])


def test_direction_is_called_debatable(ready_text):
    """Beside the score stands what it rewards; the partial scores are set apart in words."""
    part = ready_text[ready_text.index('id="test-robustness"') : ready_text.index('id="test-grounded-reading"')]
    assert "Which way is good is open to debate." in part
    assert "f1 punishes a model for needing the image" in part
    assert "a model that always refuses has nothing to lose and scores well" in part
    assert "Of some of the tests only: not to be compared" in part
    assert "<code>snellen published readiness</code>" in part
