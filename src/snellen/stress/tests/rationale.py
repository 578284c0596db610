"""Rationale (the Readiness and the Italian paper): does its reasoning describe an image that it was never shown?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isfinite

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, Given, condition_named
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
    tag_measure,
    unseen,
)

ENOUGH = 0.5
"""Where fewer responses than this say more than their answer, that none describes anything shows nothing."""
KINDS = by_name(
    Kind("described_rate", "describes something in the image", Unit.SHARE, parser="claims"),
    Kind("notice_rate", "says there is no image or nothing in it", Unit.SHARE, parser="claims"),
    Kind("hedge_rate", "voices doubt", Unit.SHARE, parser="claims"),
    Kind("explained_rate", "says more than its answer", Unit.SHARE, parser="claims"),
    Kind(
        "claims_kappa",
        "agreement of judge and rules on who describes (Cohen's κ)",
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
    """The test on these arms only; by default without the image and with a blank one."""
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
            conclude=partial(conclude, [arm for arm in asked if unseen(arm)]),
        ),
        Presentation("invents findings"),
    )


def _arm(name: str) -> Arm:
    """The arm of that name, if its condition is one of ours; else an imported one."""
    plain = name.removesuffix(f"+{STEPS}")
    condition = condition_named(plain)
    return Arm(Given(name)) if condition is None else Arm(condition, rewording=WITH_STEPS if plain != name else None)


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """How often responses claim to see, notice that there is nothing, say anything at all, and show each tag."""
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
    if unseen(arm):
        ruled = by_rule(table, arm, baseline)
        for name in UNSEEN_RULES:
            yield Measure(arm, KINDS[tag_measure(name, "rule")], share(table, table.rate(arm, ruled & BIT[name] > 0)))
    if said.heard.any():
        yield from _by_judge(arm, said, table)


def _by_judge(arm: str, said: Rationales, table: Table) -> Iterator[Measure]:
    """The tags that a judge gave, and how far it agrees with the rules on which responses describe something."""
    for name in (tag.name for tag in TAGS if tag.name in JUDGED):
        by_looking = name in BY_LOOKING and not unseen(arm)
        could = said.heard & (said.judged & COMPARED > 0) if by_looking else said.heard
        if could.any():
            estimate = share(table, table.rate(arm, said.judged & BIT[name] > 0, among=could))
            yield Measure(arm, KINDS[tag_measure(name, "judge")], estimate)
    describes = (said.judged & DESCRIBES > 0)[said.heard].tolist()
    kappa = cohens_kappa((said.claims > 0)[said.heard].tolist(), describes)
    if isfinite(kappa.value):
        yield Measure(arm, KINDS["claims_kappa"], kappa)


def conclude(arms: Sequence[str], test: StressTest, measures: Measures) -> Verdict:
    """How often it describes something where there was nothing to see; the worst arm is told.

    No verdict is drawn: the parser of claims does not read real responses well enough for one.
    """
    found = [measures[arm, "described_rate"] for arm in arms if (arm, "described_rate") in measures]
    if not found:
        return leave_open("nothing-asked", "", "nothing was answered without an image")
    most = max(found, key=lambda each: each.estimate.low)
    where = next(each.in_words for each in test.compared if each.name == most.arm)
    numbers = f"{rate_of(most.estimate)} of the responses {where} describe findings"
    return Verdict(Status.REPORTED, numbers, _little_to_read(test, measures, most.arm), most)


def _little_to_read(test: StressTest, measures: Measures, arm: str) -> str:
    """What to say where most responses under an arm are bare answers: who explains nothing makes nothing up."""
    explained = measures.get((arm, "explained_rate"))
    if explained is None or explained.estimate.value >= ENOUGH:
        return ""
    return f"only {rate_of(explained.estimate)} say more than their answer, so there is little text to judge"
