"""Rationale: does the reasoning describe an image that was not sent?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isfinite

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ImportedCondition, condition_named
from snellen.prompts import STEPS, WITH_STEPS, Arm
from snellen.reading.claims.columns import Rationales
from snellen.stats import cohens_kappa
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import share
from snellen.stress.table import Table
from snellen.stress.taxonomy import (
    BIT,
    BY_LOOKING,
    COMPARED,
    DESCRIBES,
    JUDGED,
    SOURCE_WORDS,
    TAGS,
    UNSEEN_RULES,
    by_rule,
    hides_image,
    tag_measure,
)

ENOUGH = 0.5
"""Smallest share of responses with an explanation for a lack of descriptions to mean anything."""
KINDS = by_name(
    Kind("described_rate", "describes something in the image", Unit.SHARE, parser="claims"),
    Kind("notice_rate", "says there is no image or nothing in it", Unit.SHARE, parser="claims"),
    Kind("hedge_rate", "voices doubt", Unit.SHARE, parser="claims"),
    Kind("explained_rate", "says more than its answer", Unit.SHARE, parser="claims"),
    Kind(
        "claims_kappa",
        "agreement of judge and rules on which responses describe findings (Cohen's κ)",
        Unit.NUMBER,
        parser="claims",
        judged=True,
    ),
    *(
        Kind(tag_measure(tag.name, source), f"{tag.name} ({words})", Unit.SHARE, judged=source == "judge")
        for tag in TAGS
        for source, words in SOURCE_WORDS.items()
    ),
)
USUAL = (IMAGE_REMOVED.name, IMAGE_BLANK.name)


def rationale(*arms: str) -> StressTest:
    """Build the test with these arms. The default is without the image and with a blank one."""
    asked = arms or USUAL
    return StressTest(
        Design(
            f"rationale:{','.join(arms)}" if arms else "rationale",
            "Does its reasoning describe an image that it was never shown?",
            arms=tuple(_arm(arm) for arm in asked),
            reads=("claims",),
        ),
        Analysis(
            Expectation.ABSTAIN,
            headline="described_rate",
            measure=measure,
            conclude=partial(conclude, [arm for arm in asked if hides_image(arm)]),
        ),
        Presentation("invents findings"),
    )


def _arm(name: str) -> Arm:
    plain = name.removesuffix(f"+{STEPS}")
    condition = condition_named(plain)
    return (
        Arm(ImportedCondition(name))
        if condition is None
        else Arm(condition, rewording=WITH_STEPS if plain != name else None)
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure how many responses describe an image, notice its absence, or have a tag."""
    return [each for arm in test.all_arms for each in _of_arm(arm.name, test.baseline.name, table)]


def _of_arm(arm: str, baseline: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if not grades or grades.rationales is None:
        return
    said = grades.rationales
    columns = {
        "described_rate": said.claims > 0,
        "notice_rate": said.notices,
        "hedge_rate": said.hedges,
        "explained_rate": said.explains,
    }
    for name, marked in columns.items():
        yield Measure(arm, KINDS[name], share(table, table.rate(arm, marked)))
    if hides_image(arm):
        ruled = by_rule(table, arm, baseline)
        for name in UNSEEN_RULES:
            yield Measure(arm, KINDS[tag_measure(name, "rule")], share(table, table.rate(arm, ruled & BIT[name] > 0)))
    if said.heard.any():
        yield from _by_judge(arm, said, table)


def _by_judge(arm: str, said: Rationales, table: Table) -> Iterator[Measure]:
    """Measure a judge's tags, and its agreement with the rules on descriptions."""
    for name in (tag.name for tag in TAGS if tag.name in JUDGED):
        by_looking = name in BY_LOOKING and not hides_image(arm)
        could = said.heard & (said.judged & COMPARED > 0) if by_looking else said.heard
        if could.any():
            estimate = share(table, table.rate(arm, said.judged & BIT[name] > 0, among=could))
            yield Measure(arm, KINDS[tag_measure(name, "judge")], estimate)
    describes = (said.judged & DESCRIBES > 0)[said.heard].tolist()
    kappa = cohens_kappa((said.claims > 0)[said.heard].tolist(), describes)
    if isfinite(kappa.value):
        yield Measure(arm, KINDS["claims_kappa"], kappa)


def conclude(arms: Sequence[str], test: StressTest, measures: Measures) -> Verdict:
    """Report how often missing images are described; name the worst arm.

    There is no pass or fail: the parser of claims is not reliable enough on real responses.
    """
    found = [measures[arm, "described_rate"] for arm in arms if (arm, "described_rate") in measures]
    if not found:
        return leave_open("nothing-asked", "", "nothing was answered without an image")
    most = max(found, key=lambda each: each.estimate.low)
    where = next(each.in_words for each in test.compared if each.name == most.arm)
    numbers = f"{rate_of(most.estimate)} of the responses {where} describe findings"
    explained, why = measures.get((most.arm, "explained_rate")), ""
    if explained is not None and explained.estimate.value < ENOUGH:
        why = f"only {rate_of(explained.estimate)} say more than their answer, so there is little text to judge"
    return Verdict(Status.REPORTED, numbers, why, most)
