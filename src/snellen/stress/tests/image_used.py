"""Image used: do the answers follow the image, whatever the text gives away and whenever the model is silent?

Where images can be swapped, by whether the answers follow the new image. Elsewhere, on the items that need the image,
by what the image adds to the answers that are given with it and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ImageSubstituted
from snellen.errors import StudyError
from snellen.grading.outcomes import Outcome
from snellen.plugins import settings_from
from snellen.runtime import counted
from snellen.stats import paired_difference, proportion
from snellen.stress.base import Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, percent, points_of, rate_of, settled_by, significant, silenced
from snellen.stress.image_dependence.subset import Subset, about, describe_choice, only_needed
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
USED = 0.1
"""A model whose answers follow the image in fewer cases than this does not use it."""


@settings_from(Subset)
def image_used(*, without: str = IMAGE_REMOVED.name, **settings: Any) -> StressTest:
    """The test with other items that need the image: `items`, `rating` and so on, as for visual-necessity.

    `without=image-blank` compares with blank images instead of none.
    """
    unseen = {each.name: each for each in (IMAGE_REMOVED, IMAGE_BLANK)}
    if without not in unseen:
        raise StudyError(f"Expected without to be one of {', '.join(unseen)}, got {without!r}.")
    subset = Subset(**settings)
    told = [f"without={without}"] if without != IMAGE_REMOVED.name else []
    named = ",".join((*told, *filter(None, [subset.settings])))
    return StressTest(
        name=f"image-used:{named}" if named else "image-used",
        label="uses the image?",
        asks="Do the model's answers follow what the image shows?",
        arms=(unseen[without], SWAPPED),
        expects=Expectation.CHANGE,
        headline=FOLLOWS,
        measuring=partial(measure, subset),
        explain_mismatch=subset.explain_mismatch,
        concluding=partial(conclude, subset.way),
    )


def measure(subset: Subset, test: StressTest, table: Table) -> Sequence[Measure]:
    """Whether answers follow a swapped image, and what the image adds on the items that need it."""
    return list(_measures(subset, test, table))


def _measures(subset: Subset, test: StressTest, table: Table) -> Iterator[Measure]:
    original = test.baseline.name
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    for arm in test.compared:
        yield from differences(original, arm.name, table)
    if not len(table.arms.get(original, ())):
        return
    if len(table.arms.get(SWAPPED.name, ())):
        yield from _swapped(original, table)
    without = test.compared[0].name
    if len(table.arms.get(without, ())):
        needed, how = only_needed(table, subset)
        asked = np.unique(table.arms[without].ordinal)
        marks = PerItem(asked, how.kept[asked].astype(np.float64))
        yield about(Measure(without, KINDS[NEEDED], proportion(marks.value, table.clusters[asked])), how)
        yield from (about(each, how) for each in _needed(original, without, needed))


def _swapped(original: str, table: Table) -> Iterator[Measure]:
    """How often what the new image shows is chosen, beyond how often it is chosen with the item's own image.

    The difference is 0 for any model that does not look, whatever it knows, guesses or declines.
    """
    shown = table.key(SWAPPED.name)
    yield Measure(SWAPPED.name, KINDS[STAYS], share(table, table.rate(SWAPPED.name, table.stuck(SWAPPED.name))))
    before, after = (
        table.rate(arm, table.arms[arm].chosen == shown[table.arms[arm].ordinal]) for arm in (original, SWAPPED.name)
    )
    yield from _follows(SWAPPED.name, table, before, after)


def _needed(original: str, without: str, table: Table) -> Iterator[Measure]:
    """What the image adds where both ways are answered, and how much of what is wrong without it is right with it."""
    before, after = (table.share(arm, [Outcome.CORRECT], among=ANSWERED) for arm in (without, original))
    yield from _follows(without, table, before, after)
    pairs = table.paired(before, after)
    wrong = pairs.first == 0
    if wrong.any():
        yield Measure(without, KINDS[REGAINED], share(table, PerItem(pairs.ordinal[wrong], pairs.second[wrong])))


def _follows(arm: str, table: Table, before: PerItem, after: PerItem) -> Iterator[Measure]:
    pairs = table.paired(before, after)
    if len(pairs.ordinal) >= FEWEST:
        found = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
        yield Measure(arm, KINDS[FOLLOWS], found)


def conclude(way: str, test: StressTest, measures: Measures) -> Verdict:
    """By swapped images where there are enough; else by what the image adds on the items that need it."""
    swapped = measures.get((SWAPPED.name, FOLLOWS))
    return _by_needed(way, test, measures) if swapped is None else _by_swaps(test, swapped, measures)


def _by_swaps(test: StressTest, follows: Measure, measures: Measures) -> Verdict:
    found, stays = follows.estimate, measures[SWAPPED.name, STAYS].estimate
    now = measures[SWAPPED.name, "accuracy"].estimate
    numbers = (
        f"{percent(now.value)} follow a swapped image, {percent(stays.value)} keep the old answer (n {found.n}); "
        f"effect of the image {points_of(found)}"
    )
    if significant(follows) and found.value > 0:
        return Verdict(Status.PASS, numbers, "its answers follow the image", follows)
    above, moved = measures.get((test.baseline.name, "above_chance")), measures.get((SWAPPED.name, "changed_rate"))
    guesses = above is None or above.estimate.low <= 0
    if found.high < USED:
        if (silent := silenced(test.baseline.name, SWAPPED.name, measures)) > USED:
            why = f"{percent(silent)} more questions get no answer with a swapped image, which may be a sign of looking"
            return Verdict(Status.INCONCLUSIVE, numbers, why, follows)
        if moved is None:
            return Verdict(Status.INCONCLUSIVE, numbers, "it answers no question with both images", follows)
        if moved.estimate.high < USED:
            return Verdict(Status.FAIL, numbers, "its answers stay whatever the image shows", follows)
        if not guesses:
            return Verdict(Status.FAIL, numbers, "its answers do not follow the image", follows)
    if guesses and found.value < USED:
        why = "with its own images it is not shown to be better than guessing, and guesses move by themselves"
        return Verdict(Status.INCONCLUSIVE, numbers, why, follows)
    settled = settled_by(found, USED if found.value < USED / 2 else 0.0)
    return Verdict(Status.INCONCLUSIVE, numbers, f"too few to tell{settled}", follows)


def _by_needed(way: str, test: StressTest, measures: Measures) -> Verdict:
    without, swaps = test.compared[0], _describe_swaps(measures)
    follows, regained, share = (measures.get((without.name, name)) for name in (FOLLOWS, REGAINED, NEEDED))
    if share is None:
        why = f"{swaps}, and nothing was asked {without.in_words}"
        return Verdict(Status.INCONCLUSIVE, meaning=why)
    need = describe_choice(share, f"need theirs {way}")
    needed = f"{round(share.estimate.value * share.estimate.n)} of {share.estimate.n} questions {need}"
    if follows is None:
        why = f"{swaps}; {needed}, of which fewer than {FEWEST} are answered both ways"
        return Verdict(Status.INCONCLUSIVE, meaning=why)
    numbers = f"{swaps}; {needed}, and on {follows.estimate.n} of these the image adds "
    numbers += points_of(follows.estimate)
    if significant(follows) and follows.estimate.value > 0:
        return Verdict(Status.PASS, numbers, "it needs the image to answer these questions", follows)
    if regained is not None and regained.estimate.high < USED:
        numbers += (
            f"; of {regained.estimate.n} that it answers wrong {without.in_words}, {rate_of(regained.estimate)} are "
            "right with it"
        )
        return Verdict(Status.FAIL, numbers, "its answers do not follow the image", regained)
    settled = settled_by(follows.estimate, 0.0) if follows.estimate.value > 0 else ""
    return Verdict(Status.INCONCLUSIVE, numbers, f"too few to tell{settled}", follows)


def _describe_swaps(measures: Measures) -> str:
    """How many images were swapped, where those are too few to decide."""
    asked = measures.get((SWAPPED.name, "accuracy"))
    return f"only {counted(asked.estimate.n, 'image')} swapped" if asked else "no images were swapped"
