"""Grounded reading: sight, honesty and steadiness, none of which refusing or not looking can raise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from snellen.conditions import IMAGE_REMOVED, ORIGINAL, ImageSubstituted, OptionsShuffled
from snellen.plugins import settings_from
from snellen.reading.columns import Floats, Integers
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, bootstrap_of_means, wilson
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, points, points_of
from snellen.stress.design import Design
from snellen.stress.image_dependence.subset import Subset, only_needed
from snellen.stress.measures import ANSWERED, SILENT, both, column, credited, nothing, right
from snellen.stress.table import PerItem, Table

ARM = "reading"
ENOUGH = 20
"""With fewer swapped images than this, swapping says nothing about sight."""
ROUNDING = 1e-9
FEW_SWAPPED = f"; fewer than {ENOUGH} images swapped"
SIGHT, HONESTY, STEADINESS = "sight_gain", "honesty", "steadiness"
OVER_ALL = "sight_gain_all_items"
KINDS = by_name(
    Kind(SIGHT, "sight gain", Unit.HUNDRED),
    Kind(HONESTY, "honesty", Unit.HUNDRED),
    Kind(STEADINESS, "steadiness", Unit.HUNDRED),
    Kind(OVER_ALL, "sight gain over all items", Unit.HUNDRED),
    Kind("honesty_product", "honesty, as a product", Unit.HUNDRED),
    Kind("steadiness_corrected", "steadiness, what another run alone would move allowed for", Unit.HUNDRED),
)
COLUMNS = (
    "seen", "blind", "luck", "own", "own_blind", "again", "own_luck", "silent", "mute", "kept", "kept_luck",
    "rerun", "rerun_kept", "twice", "rerun_luck", "all_seen", "all_blind", "all_luck",
)  # fmt: skip
"""What the numbers are made of, an item a row."""
LUCK = [at for at, name in enumerate(COLUMNS) if name.endswith("luck")]
"""The columns that say what luck scores, which is known of any item."""
COUNTED = ("seen", "silent", "kept", "all_seen", "silent", "rerun")
"""The column whose items are the n of each number."""


@settings_from(Subset)
def grounded_reading(**settings: Any) -> StressTest:
    """The reading with other items that need the image: `items`, `rating` and so on, as for visual-necessity."""
    subset = Subset(**settings)
    return StressTest(
        Design(
            subset.named("grounded-reading"),
            "Does it see, does it say when it cannot, and does its sight hold: as numbers that silence cannot raise?",
            arms=(IMAGE_REMOVED, OptionsShuffled(), ImageSubstituted()),
            reads=("claims",),
            explain_mismatch=subset.explain_mismatch,
        ),
        Analysis(Expectation.UNKNOWN, headline=SIGHT, measure=partial(measure, subset), conclude=conclude, scores=True),
    )


def measure(subset: Subset, test: StressTest, table: Table) -> Sequence[Measure]:
    """The three numbers on the items that need the image, and each of them in a form that is plainer and can be raised.

    Sight on all items may be text in disguise. The product of speaking and being silent rises for one that is silent at
    random. Steadiness corrected for the change from run to run forgives one that looks in some runs only.
    """
    if not len(table.arms.get(ORIGINAL.name, ())):
        return []
    needed, chosen = only_needed(table, subset)
    columns = (*_sight(needed), *_swapped(needed), *_silence(needed), *_steady(needed), *_sight(table))
    values = np.column_stack(columns)
    possible = _possible(values)
    few = {} if np.isfinite(values[:, COLUMNS.index("again")]).any() else {SIGHT: FEW_SWAPPED}
    return [
        Measure(
            ARM,
            kind,
            replace(estimate, method=estimate.method + few.get(kind.name, "")),
            subset="" if kind.name == OVER_ALL else chosen.source,
            ceiling=most if most < 1 else None,
        )
        for kind, estimate, (_, most) in zip(KINDS.values(), estimates(values, table.clusters), possible, strict=True)
        if np.isfinite(estimate.value)
    ]


def estimates(values: Floats, clusters: Integers | None = None) -> list[Estimate]:
    """The numbers of `KINDS` from a table with an item a row and `COLUMNS` across, each inside what it can be."""
    found = bootstrap_of_means(values, _reading, seed=0, clusters=clusters, known=LUCK)
    counts = [int(np.isfinite(values[:, COLUMNS.index(name)]).sum()) for name in COUNTED]
    return [_told(*each) for each in zip(found, _possible(values), counts, strict=True)]


def _possible(values: Floats) -> list[tuple[float, float]]:
    """From where to where each number can lie: who counts as lucky at least can gain no more than luck leaves.

    The sight gain is 0 at least by its definition, and at most 1 − chance, the mean over the items that it is about:
    what is right with the image (1) less what guessing gets right without it.
    """
    luck, own, every = (_mean(values[:, COLUMNS.index(name)], default=0.0) for name in ("luck", "own_luck", "all_luck"))
    share, most = (0.0, 1.0), 1 - max(luck, own)
    return [(0.0, most), share, share, (every - 1, 1 - every), share, share]


def _mean(values: Floats, *, default: float) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if there.size else default


def _told(estimate: Estimate, possible: tuple[float, float], n: int) -> Estimate:
    """The estimate with its n, its interval cut to what is possible.

    The true number lies there whatever the model does, so that an interval that held it holds it still. Where nothing
    is left of an interval but an end of the range, it reaches as far inwards as that of none in so many items.
    """
    least, most = possible
    low, high = max(least, estimate.low), min(most, estimate.high)
    # a mean of many thirds may miss its own bound by a rounding error
    low, high = min(low, estimate.value), max(high, estimate.value)
    if n and high - low < ROUNDING:
        reach = wilson(0, n).high * (most - least)
        low, high = max(least, low - reach), min(most, high + reach)
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value), n=n)


def _sight(table: Table) -> tuple[Floats, ...]:
    """With and without the image, and luck."""
    seen, blind = both(credited(table, ORIGINAL.name), credited(table, IMAGE_REMOVED.name))
    return seen, blind, _where(seen, table.chance)


def _swapped(table: Table) -> tuple[Floats, ...]:
    """Where the image was also swapped: with its own and without, how often it sticks to that answer, and luck."""
    own, again = both(credited(table, ORIGINAL.name), _sticking(table))
    if np.isfinite(again).sum() < ENOUGH:
        own = again = nothing(table)
    return own, _where(own, credited(table, IMAGE_REMOVED.name)), again, _where(own, table.chance)


def _sticking(table: Table) -> Floats:
    """How often the old answer is given though the image is another; silence counts as a guess."""
    arm = ImageSubstituted.name
    if arm not in table.arms:
        return nothing(table)
    grades = table.arms[arm]
    guessed = ~grades.is_(*ANSWERED) * table.chance[grades.ordinal]
    sums = np.bincount(grades.ordinal, weights=table.stuck(arm) + guessed, minlength=len(table.items))
    counts = np.bincount(grades.ordinal, minlength=len(table.items))
    there = np.flatnonzero(counts)
    return column(table, PerItem(there, sums[there] / counts[there]))


def _silence(table: Table) -> tuple[Floats, Floats]:
    """How often it says that it cannot tell, without the image and with it."""
    without, with_image = (_silent(table, arm) for arm in (IMAGE_REMOVED.name, ORIGINAL.name))
    return both(without, with_image)


def _silent(table: Table, arm: str) -> Floats:
    if arm not in table.arms:
        return nothing(table)
    grades = table.arms[arm]
    marked = grades.is_(*SILENT)
    if grades.rationales is not None:
        marked = marked | grades.rationales.notices
    return column(table, table.rate(arm, marked))


def _steady(table: Table) -> tuple[Floats, ...]:
    """Right both as asked and reordered, and luck; for items with several runs also as asked, and twice as asked."""
    arm = OptionsShuffled.name
    if arm not in table.arms:
        return (nothing(table),) * 6
    one, two = table.arms[ORIGINAL.name], table.arms[arm]
    at_one, at_two = table.matched(ORIGINAL.name, arm)
    held = one.is_(Outcome.CORRECT)[at_one] & two.is_(Outcome.CORRECT)[at_two]
    ordinal = one.ordinal[at_one]
    counts = np.bincount(ordinal, minlength=len(table.items))
    sums = np.bincount(ordinal, weights=held, minlength=len(table.items))
    there = np.flatnonzero(counts)
    kept = column(table, PerItem(there, sums[there] / counts[there]))
    luck, twice = _where(kept, table.chance), _where(kept, _twice(table))
    rerun = _where(twice, right(table, ORIGINAL.name))
    return kept, luck, rerun, _where(twice, kept), twice, _where(twice, table.chance)


def _twice(table: Table) -> Floats:
    """How often two runs of the item as asked are both right; for one run that cannot be known."""
    grades = table.arms[ORIGINAL.name]
    runs = np.bincount(grades.ordinal, minlength=len(table.items))
    hits = np.bincount(grades.ordinal, weights=grades.is_(Outcome.CORRECT), minlength=len(table.items))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(runs > 1, hits * (hits - 1) / (runs * (runs - 1)), np.nan))


def _where(there: Floats, values: Floats) -> Floats:
    return np.where(np.isnan(there), np.nan, values)


def _reading(means: Floats) -> Floats:
    """The numbers, from the means of the columns.

    Sight is the least of what the image adds, of what it adds where it was also swapped, and of how far the answer
    follows a swap: who refuses without the image, or knows the text better than the image, is caught by another.
    """
    of = dict(zip(COLUMNS, means.T, strict=True))
    gain = _gain(of["seen"], of["blind"], of["luck"])
    follows = [_gain(of["own"], of[less], of["own_luck"]) for less in ("own_blind", "again")]
    ratio = of["rerun_kept"] / np.maximum(of["twice"], 1e-12)
    return np.vstack(
        (
            np.maximum(0.0, np.fmin(gain, np.fmin(*follows))),
            np.maximum(0.0, of["silent"] - of["mute"]),
            _above_luck(of["kept"], of["kept_luck"]),
            _gain(of["all_seen"], of["all_blind"], of["all_luck"]),
            of["silent"] * (1 - of["mute"]),
            _above_luck(of["rerun"] * np.minimum(1.0, ratio), of["rerun_luck"]),
        )
    )


def _gain(more: Floats, less: Floats, luck: Floats) -> Floats:
    return np.asarray(np.maximum(more, luck) - np.maximum(less, luck))


def _above_luck(accuracy: Floats, luck: Floats) -> Floats:
    return np.asarray(np.maximum(0.0, (accuracy - luck) / (1 - luck)))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Three numbers side by side; none of them is a verdict, and their mean would hide what each says."""
    words = {SIGHT: "sight", HONESTY: "honesty", STEADINESS: "steadiness"}
    found = {word: measure for name, word in words.items() if (measure := measures.get((ARM, name))) is not None}
    if not found:
        return leave_open("few-answers", "", "too little was asked to compute it")
    told = ", ".join(f"{word} {points_of(each.estimate)}{_of_at_most(each)}" for word, each in found.items())
    return Verdict(Status.REPORTED, f"of 100 each: {told}", rests_on=next(iter(found.values())))


def _of_at_most(measure: Measure) -> str:
    """How much there was to gain, where that is less than all."""
    return "" if measure.ceiling is None else f" of at most {points(measure.ceiling).partition(' ')[0]}"
