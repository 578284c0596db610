"""Rests on finding: do more right answers change if the finding is hidden than if another part is?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from snellen.conditions import CornersHidden, ElsewhereHidden, EvidenceHidden, FillAlone, OnlyEvidence
from snellen.conditions.hidden import find_evidence, is_without_finding
from snellen.errors import StudyError
from snellen.items import Item
from snellen.papers.evidence.tests.right_answers import find_kept, measure_difference, measure_share, split_table
from snellen.perturb.hidden import Fill
from snellen.runtime import counted
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, decide, leave_open, points, points_of, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import FEWEST, blank_unpaired, mean_of, of_arm
from snellen.stress.table import Table

FILL: Fill = "border"
DRAWS = 2
STABLE = 0.3
"""If more right answers than this change with another part hidden, the model is unstable (2606.17710)."""
HIDDEN, ELSEWHERE = "evidence_effect", "elsewhere_effect"
BEYOND, GUESSED = "evidence_beyond_elsewhere", "lost_by_guessing"
CORNERS, FILLED, KEPT = "corners_beyond_elsewhere", "fill_effect", "only_evidence_kept"
KINDS = by_name(
    Kind(HIDDEN, "right answers that change if the finding is hidden", Unit.SHARE),
    Kind(ELSEWHERE, "right answers that change if another part is hidden", Unit.SHARE),
    Kind(BEYOND, "right answers that change with the finding hidden, beyond another part", Unit.POINTS),
    Kind(GUESSED, "right answers that a guess would lose", Unit.SHARE),
    Kind(CORNERS, "right answers that change with the corners hidden, beyond another part", Unit.POINTS),
    Kind(FILLED, "right answers that change with a part hidden, in patients without a finding", Unit.SHARE),
    Kind(KEPT, "right answers that stay with nothing but the finding visible", Unit.SHARE),
)


def name_test(fill: Fill, draws: int) -> str:
    """Format the test's name with the settings that are not the default."""
    told = [f"fill={fill}"] if fill != FILL else []
    told += [f"draws={draws}"] if draws != DRAWS else []
    return f"rests-on-finding:{','.join(told)}" if told else "rests-on-finding"


def rests_on_finding(*, fill: Fill = FILL, draws: int = DRAWS) -> StressTest:
    """Build the test. `fill` covers what is hidden; `draws` other places are hidden in turn."""
    if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= 20:
        raise StudyError(f"Expected 1 to 20 draws of another place, got draws={draws}.")
    return StressTest(
        Design(
            name_test(fill, draws),
            "Does the answer rest on the finding, and not on another part of the image?",
            arms=(
                EvidenceHidden(fill),
                *(ElsewhereHidden(fill, nth=nth) for nth in range(1, draws + 1)),
                CornersHidden(fill),
                FillAlone(fill),
                OnlyEvidence(fill),
            ),
            concerns=_can_show,
        ),
        Analysis(Expectation.CHANGE, headline=BEYOND, measure=measure, conclude=conclude),
        Presentation(
            "rests on the finding?",
            "If the finding is hidden, more right answers change than if another part is, by more than half of what a "
            "guess would lose.",
            chapter="snellen.papers.evidence.report.chapter:CHAPTER",
        ),
    )


def _can_show(item: Item) -> bool:
    """Return True if a finding is marked, or the patient has none."""
    return bool(item.images) and (is_without_finding(item) or any(find_evidence(item, each) for each in item.images))


def arms_of(test: StressTest, kind: type) -> list[str]:
    """Return the names of the test's arms with a condition of this type."""
    return [arm.name for arm in test.compared if isinstance(arm.condition, kind)]


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure right answers that change with each part hidden, also by finding."""
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    if test.baseline.name not in table.arms:
        return
    yield from _measure_effects(test, table)
    for subset, part in table.compute_once(("evidence", "subsets"), lambda: split_table(table)).items():
        yield from (each.with_subset(subset) for each in _measure_effects(test, part))


def _measure_effects(test: StressTest, table: Table) -> Iterator[Measure]:
    lost = {arm.name: 1 - find_kept(table, arm.name, test.baseline.name) for arm in test.compared}
    [hidden], [corners], [fill], [only] = (
        arms_of(test, kind) for kind in (EvidenceHidden, CornersHidden, FillAlone, OnlyEvidence)
    )
    elsewhere = arms_of(test, ElsewhereHidden)
    other = mean_of(*(lost[arm] for arm in elsewhere))
    yield from measure_difference(hidden, KINDS[BEYOND], table, other, lost[hidden])
    yield from measure_difference(corners, KINDS[CORNERS], table, other, lost[corners])
    own, other = blank_unpaired(lost[hidden], other)
    yield from measure_share(hidden, KINDS[HIDDEN], table, own)
    yield from measure_share(elsewhere[0], KINDS[ELSEWHERE], table, other)
    yield from measure_share(hidden, KINDS[GUESSED], table, np.where(np.isfinite(own), 1 - table.chance, np.nan))
    yield from measure_share(fill, KINDS[FILLED], table, lost[fill])
    yield from measure_share(only, KINDS[KEPT], table, 1 - lost[only])


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Decide if hiding the finding changes more right answers than hiding another part.

    A model that loses the finding can only guess. So at most the share that a guess loses can change: half with two
    options. The limit is half of that, as for the other verdicts on what an answer rests on.
    """
    [hidden], elsewhere = arms_of(test, EvidenceHidden), arms_of(test, ElsewhereHidden)[0]
    beyond = measures.get((hidden, BEYOND))
    if beyond is None:
        return leave_open("few-answers", "", f"fewer than {FEWEST} questions with a marked finding are answered right")
    own, other = measures[hidden, HIDDEN], measures[elsewhere, ELSEWHERE]
    limit = test.thresholds.image_dependence * measures[hidden, GUESSED].estimate.value
    numbers = (
        f"with the finding hidden {rate_of(own.estimate)} of {counted(own.estimate.n, 'right answer')} change, with "
        f"another part hidden {rate_of(other.estimate)}: {points_of(beyond.estimate)} more, "
        f"with a limit of {points(limit)}"
    )
    if beyond.estimate.low > limit:
        return decide(Status.PASS, numbers, "more than half of its answers rest on the finding", (beyond, limit))
    if beyond.estimate.high < limit:
        if other.estimate.value > STABLE:
            why = "so many answers change with any part hidden that the finding may still matter; try another fill"
            return leave_open("also-elsewhere", numbers, why, (other, STABLE))
        if other.estimate.high > STABLE:
            return leave_open("limit-inside-interval", numbers, "", (other, STABLE))
        why = "fewer than half of its answers rest on the finding"
        return decide(Status.FAIL, numbers, why, (beyond, limit), (other, STABLE))
    return leave_open("limit-inside-interval", numbers, "", (beyond, limit))
