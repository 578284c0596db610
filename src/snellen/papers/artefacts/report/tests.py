"""The tests of image artefacts as the report takes them: their families, their artefacts, and how they were asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from snellen.papers.artefacts.tests.arms import condition_of
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import label
from snellen.report.words.arms import STRATEGY_WORDS, artefact_words
from snellen.scoring.findings import Finding
from snellen.stress.base import StressTest

WEAK, STRONG, POOLED, CURVE = "weak-artefacts", "strong-artefacts", "pooled-artefacts", "dose-response"
AS_IT_IS = "image as it is"
FAMILIES = (WEAK, STRONG, POOLED, CURVE)


def about_artefacts(test: StressTest) -> bool:
    """Whether a test is one of these."""
    return test.name.partition(":")[0] in FAMILIES


def arms_by_artefact(test: StressTest) -> dict[str, str]:
    """The arm of each artefact of a test that has one strength."""
    return {condition_of(arm).artefact: arm.name for arm in test.compared}


def arms_in_words(test: StressTest) -> dict[str, str]:
    """The words of the image as it is and of each artefact, by their arm."""
    return {test.baseline.name: AS_IT_IS} | {arm: artefact_words(name) for name, arm in arms_by_artefact(test).items()}


def artefacts_of(findings: Iterable[Finding]) -> list[str]:
    """Every artefact that some of these tests ask about, in their order."""
    return list(dict.fromkeys(name for each in findings for name in arms_by_artefact(each.test)))


def strategy(test: StressTest, study: Mapping[str, Any]) -> str:
    """How a test was asked, in words: by which prompt, and if the grey scale was stretched, that too."""
    if test.baseline.prompt is None and "imported" in study:
        asked = "prompt not known"
    else:
        own = test.baseline.prompt.name if test.baseline.prompt else str(study.get("prompt") or "")
        asked = STRATEGY_WORDS.get(own, f"prompt “{own}”" if own else "as asked")
    if efforts := dict.fromkeys(arm.effort for arm in test.all_arms if arm.effort):
        asked = f"{asked}, {'/'.join(efforts)} effort"
    stretched = any(condition_of(arm).scale == "stretched" for arm in test.compared)
    return f"{asked}, grey scale stretched" if stretched else asked


def describe_way(lookup: Lookup, finding: Finding) -> str:
    """Which model a finding is about, and how it was asked."""
    return f"{label(finding, lookup.evidence)}, {strategy(finding.test, lookup.evidence.results.study)}"


def of_family(lookup: Lookup, name: str) -> list[Finding]:
    """The findings of one family on benchmarks with options, whether or not they measured anything."""
    return [each for each in lookup.evidence.results.findings if family(each) == name]


def wordless(lookup: Lookup, findings: Iterable[Finding]) -> tuple[str, ...]:
    """The models that answer by probabilities alone: they have no words to flag an image or to reason in."""
    tables = lookup.evidence.results.tables
    heard = ((each, tables[each.model, each.benchmark].arms.get(each.test.baseline.name)) for each in findings)
    seen = ((each.model, grades.detections) for each, grades in heard if grades)
    return tuple(dict.fromkeys(model for model, said in seen if said is not None and said.scored.all()))
