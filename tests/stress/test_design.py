"""A stress test in three parts: what is asked, what is measured of it, and how it is presented."""

import sys
from dataclasses import replace

import pytest

from snellen import Study
from snellen.conditions import IMAGE_REMOVED, OptionsShuffled
from snellen.items import Benchmark
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_moved
from snellen.stress.design import Design, Presentation, Thresholds
from snellen.stress.measures import accuracies
from strategies import items

PARTS = StressTest(
    Design("mine", "Does it hold?", (OptionsShuffled(),), baseline=Arm(IMAGE_REMOVED), reads=("wording",), whole=True),
    Analysis(Expectation.INVARIANT, headline="moved_rate", measure=accuracies, conclude=report_moved),
    Presentation("holds?", in_steps=True),
)


def test_the_settings_of_0_2_0_make_the_same_three_parts():
    """In place or by name, under the names that they had; names of a part change one test into another."""
    arms, more = (OptionsShuffled(),), {"parsers": ("wording",), "whole": True, "in_steps": True}
    by_name = {"baseline": Arm(IMAGE_REMOVED), "headline": "moved_rate", "label": "holds?"}
    how = {"measuring": accuracies, "concluding": report_moved}
    made = StressTest("mine", "Does it hold?", arms, Expectation.INVARIANT, **by_name, **how, **more)
    in_place = (*by_name.values(), Thresholds(), *how.values())
    assert PARTS == made == StressTest("mine", "Does it hold?", arms, Expectation.INVARIANT, *in_place, **more)
    assert (made.parsers, made.measuring, made.concluding) == (("wording",), accuracies, report_moved)
    strict = Thresholds(moved=0.01)
    other = PARTS.with_settings(name="other", thresholds=strict)
    assert other == replace(made, name="other", thresholds=strict) != made
    assert (other.name, other.thresholds, other.design.arms, other.presentation) == (
        "other",
        strict,
        arms,
        made.presentation,
    )
    with pytest.raises(TypeError, match="colour"):
        PARTS.with_settings(colour="red")


def test_an_analysis_that_is_named_is_loaded_when_it_is_needed(tmp_path, monkeypatch):
    """A plan asks by the design alone; the module of the analysis is imported to score."""
    analysis = "from snellen.stress.base import Analysis, Expectation\nMINE = Analysis(Expectation.WORSE)\n"
    (tmp_path / "analysis_apart.py").write_text(analysis)
    monkeypatch.syspath_prepend(tmp_path)
    test = StressTest(Design("named", "Is it needed?", (IMAGE_REMOVED,)), "analysis_apart:MINE")
    study = Study(models=["organism/random"], benchmarks=[Benchmark("b", items(8))], tests=[test], out=tmp_path / "out")
    study.ask()
    assert "analysis_apart" not in sys.modules
    [finding] = study.score().findings
    assert "analysis_apart" in sys.modules
    assert (finding.test.expects, finding.test.thresholds.margin) == (Expectation.WORSE, study.margin)
    assert {each.name for each in finding.measures} >= {"accuracy", "difference"}
