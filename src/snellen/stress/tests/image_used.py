"""Image used: do the answers follow the image?

If images can be swapped, it measures if the answers follow the new image. Otherwise it measures the accuracy that the
image adds on the items that need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from snellen.conditions import IMAGE_REMOVED, ImageSubstituted
from snellen.plugins import settings_from
from snellen.reading.outcomes import Outcome
from snellen.runtime import counted
from snellen.stats import paired_difference
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, percent, points_of, rate_of
from snellen.stress.design import Design, Presentation, find_blind_condition
from snellen.stress.image_dependence.subset import Subset, describe_choice, only_needed
from snellen.stress.measures import ANSWERED, FEWEST, SHARED, differences, of_arm, share
from snellen.stress.table import PerItem, Table

SWAPPED = ImageSubstituted()
FOLLOWS, STAYS, NEEDED, REGAINED = "follows_image", "stuck_rate", "needed_rate", "regained_rate"
KINDS = by_name(
    Kind(FOLLOWS, "answers that follow the image", Unit.POINTS),
    SHARED[STAYS],
    Kind(NEEDED, "questions that need the image", Unit.SHARE),
    Kind(REGAINED, "right with the image, of questions that are answered wrong without it", Unit.SHARE),
)


@settings_from(Subset)
def image_used(*, without: str = IMAGE_REMOVED.name, **settings: Any) -> StressTest:
    """Build the test. The other settings choose the items that need the image, as in visual-necessity.

    `without=image-blank` compares with blank images instead of none.
    """
    subset = Subset(**settings)
    told = [f"without={without}"] if without != IMAGE_REMOVED.name else []
    named = ",".join((*told, *filter(None, [subset.settings])))
    return StressTest(
        Design(
            f"image-used:{named}" if named else "image-used",
            "Do the model's answers follow what the image shows?",
            arms=(find_blind_condition(without), SWAPPED),
            explain_mismatch=subset.explain_mismatch,
        ),
        Analysis(
            Expectation.CHANGE,
            headline=FOLLOWS,
            measure=partial(measure, subset),
            conclude=partial(conclude, subset.way),
        ),
        Presentation("uses the image?"),
    )


def measure(subset: Subset, test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure the effect of swapped images, and of the image on items that need it."""
    original = test.baseline.name
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    for arm in test.compared:
        yield from differences(original, arm.name, table)
    if not len(table.arms.get(original, ())):
        return
    if len(table.arms.get(SWAPPED.name, ())):
        yield from _measure_swapped(original, table)
    without = test.compared[0].name
    if len(table.arms.get(without, ())):
        needed, how = only_needed(table, subset)
        asked = np.unique(table.arms[without].ordinal)
        found = share(table, PerItem(asked, how.kept[asked].astype(np.float64)))
        yield Measure(without, KINDS[NEEDED], found, subset=how.source)
        yield from (replace(each, subset=how.source) for each in _measure_gain(original, without, needed))


def _measure_swapped(original: str, table: Table) -> Iterator[Measure]:
    """Measure how much more often the model chooses what the new image shows.

    The difference is 0 for any model that does not look, whatever it knows, guesses or declines.
    """
    shown = table.key(SWAPPED.name)
    yield Measure(
        SWAPPED.name, KINDS[STAYS], share(table, table.rate(SWAPPED.name, table.keeps_original_answer(SWAPPED.name)))
    )
    before, after = (
        table.rate(arm, table.arms[arm].chosen == shown[table.arms[arm].ordinal]) for arm in (original, SWAPPED.name)
    )
    yield from _follows(SWAPPED.name, table, before, after)


def _measure_gain(original: str, without: str, table: Table) -> Iterator[Measure]:
    """Measure the accuracy that the image adds on questions answered in both arms."""
    before, after = (table.share(arm, [Outcome.CORRECT], among=ANSWERED) for arm in (without, original))
    yield from _follows(without, table, before, after)
    pairs = table.pair_items(before, after)
    wrong = pairs.first == 0
    if wrong.any():
        yield Measure(without, KINDS[REGAINED], share(table, PerItem(pairs.ordinal[wrong], pairs.second[wrong])))


def _follows(arm: str, table: Table, before: PerItem, after: PerItem) -> Iterator[Measure]:
    pairs = table.pair_items(before, after)
    if len(pairs.ordinal) >= FEWEST:
        found = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
        yield Measure(arm, KINDS[FOLLOWS], found)


def conclude(way: str, test: StressTest, measures: Measures) -> Verdict:
    """Report the effect of swapped images, or the gain from the image. Swapped images need enough items."""
    if (follows := measures.get((SWAPPED.name, FOLLOWS))) is None:
        return _tell_needed(way, test, measures)
    found, stays = follows.estimate, measures[SWAPPED.name, STAYS].estimate
    now = measures[SWAPPED.name, "accuracy"].estimate
    numbers = (
        f"{percent(now.value)} follow a swapped image, {percent(stays.value)} keep the old answer (n {found.n}); "
        f"effect of the image {points_of(found)}"
    )
    return Verdict(Status.REPORTED, numbers, rests_on=follows)


def _tell_needed(way: str, test: StressTest, measures: Measures) -> Verdict:
    without, asked = test.compared[0], measures.get((SWAPPED.name, "accuracy"))
    swaps = f"only {counted(asked.estimate.n, 'image')} swapped" if asked else "no images were swapped"
    follows, regained, share = (measures.get((without.name, name)) for name in (FOLLOWS, REGAINED, NEEDED))
    if share is None:
        why = f"{swaps}, and nothing was asked {without.in_words}"
        return Verdict(Status.REPORTED, meaning=why, reason="nothing-asked")
    need = describe_choice(share, f"need the image, chosen {way}")
    needed = f"{round(share.estimate.value * share.estimate.n)} of {share.estimate.n} questions {need}"
    if follows is None:
        why = f"{swaps}; {needed}, and fewer than {FEWEST} of these are answered under both conditions"
        return Verdict(Status.REPORTED, meaning=why, reason="few-answers", values={NEEDED: share.estimate})
    numbers = f"{swaps}; {needed}, and on {follows.estimate.n} of these the image adds {points_of(follows.estimate)}"
    if regained is not None:
        numbers += (
            f"; of {regained.estimate.n} that it answers wrong {without.in_words}, {rate_of(regained.estimate)} are "
            "right with it"
        )
    return Verdict(Status.REPORTED, numbers, rests_on=follows)
