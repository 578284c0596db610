"""Mirror: does an answer that names a side change if the image is mirrored?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np

from snellen.conditions import ImageMirrored
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.items import Kind as ItemKind
from snellen.perturb.mirror import mirroring
from snellen.reading.outcomes import Outcome
from snellen.runtime import counted
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import (
    Measures,
    accuracy_under,
    decide,
    explain_unread,
    is_shown,
    leave_open,
    leave_to_chance,
    measure_lost_answers,
    percent,
    rate_of,
)
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import FEWEST, differences, of_arm, share
from snellen.stress.table import PerItem, Table

MIRRORED = ImageMirrored("sides")
BOTH, FOLLOWS, UNMOVED = "right_in_both_rate", "follows_mirror_rate", "unmoved_rate"
KINDS = by_name(
    Kind(BOTH, "right about the image and about its mirror image", Unit.SHARE),
    Kind(FOLLOWS, "right about the mirror image, of the questions that are right about the image", Unit.SHARE),
    Kind(UNMOVED, "answers that name the same side for the image and its mirror image", Unit.SHARE),
)
REASONS = 3
"""Number of reasons to fail: answers stay, too few change sides, or accuracy is lost."""
MOST = 0.5
"""More than this share of the answers must change sides, and less than this may stay."""
SIDES = "questions whose answer names a side"


def mirror(*, kind: ItemKind = "choice") -> StressTest:
    """Build the test for questions with options or, with `kind="open"`, for open questions."""
    if kind not in get_args(ItemKind) or kind == "report":
        raise StudyError(f"Expected kind to be choice or open, got {kind!r}.")
    return StressTest(
        Design(
            "mirror" if kind == "choice" else f"mirror:kind={kind}",
            "If left and right were exchanged in the image, would the answer name the other side?",
            arms=(MIRRORED,),
            item_kind=kind,
            concerns=_changes_sides,
        ),
        Analysis(Expectation.CHANGE, measure=partial(measure, kind), conclude=conclude),
        Presentation(
            "sides change in a mirror?",
            "If the image is mirrored, more than half of the right answers with a side change to the other side. "
            "The accuracy falls by less than {moved} of the questions.",
        ),
    )


def _changes_sides(item: Item) -> bool:
    """Return True if the correct answer names a side that a mirror exchanges."""
    try:
        return mirroring(item).swaps
    except Inapplicable:
        return False


def measure(kind: ItemKind, test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies on the questions that change sides, and how many answers change with them."""
    asked = np.zeros(len(table.items), dtype=np.bool_)
    arm = table.arms.get(test.compared[0].name)
    if arm is not None:
        asked[arm.ordinal] = True
    if kind == "choice" and arm is not None and len(arm.key) and test.baseline.name in table.arms:
        asked &= arm.key != table.key(test.baseline.name)
    few = table.compute_once(("sides", test.name), lambda: table.select_items(asked))
    return [replace(each, subset=SIDES) for each in _measures(kind, test, few)]


def _measures(kind: ItemKind, test: StressTest, table: Table) -> Iterator[Measure]:
    own, arm = test.baseline.name, test.compared[0].name
    for each in test.all_arms:
        yield from of_arm(each.name, table)
    yield from differences(own, arm, table)
    if not (len(table.arms.get(own, ())) and len(table.arms.get(arm, ()))):
        return
    right = table.pair_items(*(table.share(each, [Outcome.CORRECT]) for each in (own, arm)))
    if len(right.ordinal):
        yield Measure(arm, KINDS[BOTH], share(table, PerItem(right.ordinal, right.first * right.second)))
    seen = right.first >= MOST
    if seen.sum() >= FEWEST:
        yield Measure(arm, KINDS[FOLLOWS], share(table, PerItem(right.ordinal[seen], right.second[seen])))
    if kind == "choice":
        yield from _measure_same_side(own, arm, table)


def _measure_same_side(own: str, arm: str, table: Table) -> Iterator[Measure]:
    """Measure the share of pairs of answers that name the same side."""
    key, other = table.key(own), table.key(arm)
    named = []
    for each in (own, arm):
        grades = table.arms[each]
        sided = (grades.chosen == key[grades.ordinal]) | (grades.chosen == other[grades.ordinal])
        named.append(table.rate(each, grades.chosen == key[grades.ordinal], among=sided))
    pairs = table.pair_items(*named)
    if len(pairs.ordinal) >= FEWEST:
        stays = pairs.first * pairs.second + (1 - pairs.first) * (1 - pairs.second)
        yield Measure(arm, KINDS[UNMOVED], share(table, PerItem(pairs.ordinal, stays)))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if most correct answers change sides and the accuracy does not fall."""
    own, arm = test.baseline, test.compared[0]
    change = measures.get((arm.name, "difference"))
    if change is None:
        return leave_open("nothing-asked", "", "no question has an answer with a side that a mirror image changes")
    follows, stays = (measures.get((arm.name, name)) for name in (FOLLOWS, UNMOVED))
    asked = f"on {counted(change.estimate.n, 'question')} whose answer changes sides"
    numbers = f"{accuracy_under(arm, measures)} {asked}"
    if follows is not None:
        right = follows.estimate
        numbers += f"; of {right.n} right answers, {rate_of(right)} are also right about the mirror image"
    if stays is not None:
        named = f"of {stays.estimate.n} pairs of answers that name a side both times"
        numbers += f"; {named}, {rate_of(stays.estimate)} name the same side as before"
    if stays is not None and stays.estimate.low > MOST:
        why = "its answers name the same side, whatever the image shows"
        return decide(Status.FAIL, numbers, why, (stays, MOST), reasons=REASONS)
    if guesses := leave_to_chance(test, measures, numbers, "with the original image,", change):
        return guesses
    lost, found = is_shown(change) and change.estimate.value < 0, follows.estimate if follows else None
    if lost or (found is not None and found.high < MOST):
        if why_not := explain_unread(own.name, arm.name, measures):
            return leave_open("could-not-be-read", numbers, why_not, (change, 0.0))
        if (silent := measure_lost_answers(own.name, arm.name, measures)) > -change.estimate.value / 2:
            why = f"{percent(silent)} more questions get no answer {arm.in_words}, which may show that it looks"
            return leave_open("gives-no-answer", numbers, why, (change, 0.0), more_without_answer=silent)
        why = "its answers do not change sides with the image"
        clearest = (change, 0.0) if lost or follows is None else (follows, MOST)
        return decide(Status.FAIL, numbers, why, clearest, reasons=REASONS)
    least = test.thresholds.moved
    if found is None:
        why = f"fewer than {FEWEST} questions are answered right"
        return leave_open("few-answers", numbers, why, (change, -least))
    if found.low > MOST and change.estimate.low > -least:
        why, ends = "its answers change sides with the image", (change, -least)
        return decide(Status.PASS, numbers, why, ends, *([(follows, MOST)] if follows else []))
    undecided = (follows, MOST) if follows and found.low <= MOST else (change, -least)
    return leave_open("limit-inside-interval", numbers, "", undecided)
