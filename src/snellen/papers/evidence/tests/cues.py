"""Cues: do answers follow a letter, words, a hint or a mark that is not evidence?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np

from snellen.conditions import AnswerCue, PlaceCue
from snellen.conditions.cues import Place, Says, Source, choose_cue
from snellen.errors import StudyError
from snellen.papers.evidence.tests.right_answers import READ, find_kept, measure_difference, measure_share
from snellen.perturb.cues import Pointer
from snellen.reading.columns import NOTHING, Floats
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, points_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import column, nothing, of_arm
from snellen.stress.table import Table

Cue = Literal["tag", "text", "hint", "arrow", "frame", "heat-map"]
CUES: tuple[Cue, ...] = get_args(Cue)
FOLLOW, HELP, MISLED, LOST = "cue_follow_rate", "cue_help_rate", "place_misled_rate", "cue_lost_rate"
KINDS = by_name(
    Kind(FOLLOW, "chooses the option of a wrong cue, beyond how often it does without a cue", Unit.POINTS),
    Kind(HELP, "chooses the option of a right cue, beyond how often it does without a cue", Unit.POINTS),
    Kind(MISLED, "right answers that change with a mark at another part, beyond a mark at the finding", Unit.POINTS),
    Kind(LOST, "right answers that change with a cue that names and shows nothing", Unit.SHARE),
)


def cues(*names: Cue) -> StressTest:
    """Build the test with these cues: tag, text, hint, arrow, frame or heat-map; by default all."""
    if unknown := [name for name in names if name not in CUES]:
        raise StudyError(f"There is no cue {unknown[0]!r}. There are: {', '.join(CUES)}.")
    chosen = tuple(dict.fromkeys(names)) or CUES
    arms = [AnswerCue(source, says) for source in get_args(Source) if source in chosen for says in get_args(Says)]
    marks = [PlaceCue(pointer, at) for pointer in get_args(Pointer) if pointer in chosen for at in get_args(Place)]
    return StressTest(
        Design(
            f"cues:{','.join(chosen)}" if chosen != CUES else "cues",
            "Do the answers follow a letter, words, a hint or a mark that is not evidence?",
            arms=(*arms, *marks),
        ),
        Analysis(Expectation.UNKNOWN, headline=FOLLOW, measure=measure, conclude=conclude),
        Presentation("follows cues?", chapter="snellen.papers.evidence.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure how often cues are followed, and right answers that are lost."""
    own = test.baseline.name
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    lost = {arm.name: 1 - find_kept(table, arm.name, own) for arm in test.compared}
    named = table.compute_once(
        "cued options", lambda: np.array([choose_cue(item) if item.real_places else NOTHING for item in table.items])
    )
    right = named == table.key(own) if own in table.arms else np.zeros(len(named), dtype=np.bool_)
    for arm in test.compared:
        cue = arm.condition
        if isinstance(cue, AnswerCue) and cue.says == "option":
            before, after = (_choose_named(table, each, named) for each in (own, arm.name))
            for name, among in ((FOLLOW, ~right), (HELP, right)):
                yield from measure_difference(arm.name, KINDS[name], table, np.where(among, before, np.nan), after)
        elif isinstance(cue, PlaceCue) and cue.at == "elsewhere":
            finding = PlaceCue(cue.pointer, "finding").label
            yield from measure_difference(arm.name, KINDS[MISLED], table, lost[finding], lost[arm.name])
        elif not isinstance(cue, PlaceCue) or cue.at == "corner":
            yield from measure_share(arm.name, KINDS[LOST], table, lost[arm.name])


def _choose_named(table: Table, arm: str, named: np.ndarray) -> Floats:
    """Return each item's share of read responses that choose the option of its cue."""
    if arm not in table.arms:
        return nothing(table)
    grades = table.arms[arm]
    return column(table, table.rate(arm, grades.chosen == named[grades.ordinal], among=grades.is_(*READ)))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report how often wrong cues are followed, the most followed cue first."""
    found = [
        each
        for arm in test.compared
        for name in (FOLLOW, MISLED)
        if (each := measures.get((arm.name, name))) is not None
    ]
    if not found:
        return leave_open("few-answers", "", "too few questions were asked with a wrong cue")
    found.sort(key=lambda each: -each.estimate.value)
    words = {arm.name: arm.in_words for arm in test.compared}
    told = [f"{points_of(each.estimate)} {words[each.arm]}" for each in found]
    return Verdict(Status.REPORTED, f"follows a wrong cue: {'; '.join(told)}", rests_on=found[0])
