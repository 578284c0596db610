"""Grounded reading: sight, honesty and steadiness. A model cannot raise them by refusing or by ignoring the image."""

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
from snellen.stress.measures import ANSWERED, SILENT, blank_unpaired, column, credit_guesses, nothing, right
from snellen.stress.table import Table

ARM = "reading"
ENOUGH = 20
"""With fewer swapped images than this, swapping is not used to measure sight."""
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
"""Columns that the numbers are computed from; rows are items."""
LUCK = [at for at, name in enumerate(COLUMNS) if name.endswith("luck")]
"""Columns with the accuracy of guessing, which is known for every item."""
COUNTED = ("seen", "silent", "kept", "all_seen", "silent", "rerun")
"""Per number, the column that gives its n."""


@settings_from(Subset)
def grounded_reading(**settings: Any) -> StressTest:
    """Build the test on the items that need the image, chosen as in visual-necessity."""
    subset = Subset(**settings)
    return StressTest(
        Design(
            subset.name_test("grounded-reading"),
            "Does it see, does it say when it cannot, and does its sight hold: as numbers that declining cannot raise?",
            arms=(IMAGE_REMOVED, OptionsShuffled(), ImageSubstituted()),
            reads=("claims",),
            explain_mismatch=subset.explain_mismatch,
        ),
        Analysis(Expectation.UNKNOWN, headline=SIGHT, measure=partial(measure, subset), conclude=conclude, scores=True),
    )


def measure(subset: Subset, test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure sight, honesty and steadiness on the items that need the image.

    Each has a simpler form that can be inflated. Sight on all items may rest on text. The product of answering and
    declining rises for a model that declines at random. Steadiness corrected for changes between repeats excuses a
    model that looks in some repeats only.
    """
    if not len(table.arms.get(ORIGINAL.name, ())):
        return []
    needed, chosen = only_needed(table, subset)
    silence = blank_unpaired(*(_silent(needed, arm) for arm in (IMAGE_REMOVED.name, ORIGINAL.name)))
    columns = (*_sight(needed), *_collect_swapped(needed), *silence, *_steady(needed), *_sight(table))
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
    """Estimate the numbers of `KINDS` from an array of items × `COLUMNS`, within their bounds."""
    found = bootstrap_of_means(values, _reading, seed=0, clusters=clusters, known=LUCK)
    counts = [int(np.isfinite(values[:, COLUMNS.index(name)]).sum()) for name in COUNTED]
    return [_limit_estimate(*each) for each in zip(found, _possible(values), counts, strict=True)]


def _possible(values: Floats) -> list[tuple[float, float]]:
    """Return the possible range of each number, given the accuracy of guessing.

    The sight gain is at least 0 by definition. It is at most 1 − chance: always correct with the image, and no better
    than guessing without it.
    """
    chances = (values[:, COLUMNS.index(name)] for name in ("luck", "own_luck", "all_luck"))
    known = (each[np.isfinite(each)] for each in chances)
    luck, own, every = (float(each.mean()) if each.size else 0.0 for each in known)
    share, most = (0.0, 1.0), 1 - max(luck, own)
    return [(0.0, most), share, share, (every - 1, 1 - every), share, share]


def _limit_estimate(estimate: Estimate, possible: tuple[float, float], n: int) -> Estimate:
    """Set n, and limit the interval to the possible range.

    The true value lies in this range, so the interval stays valid. If the interval shrinks to one end of the range, it
    is widened like that of 0 of n items.
    """
    least, most = possible
    low, high = max(least, estimate.low), min(most, estimate.high)
    # rounding may put a mean outside its own bounds
    low, high = min(low, estimate.value), max(high, estimate.value)
    if n and high - low < ROUNDING:
        reach = wilson(0, n).high * (most - least)
        low, high = max(least, low - reach), min(most, high + reach)
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value), n=n)


def _sight(table: Table) -> tuple[Floats, ...]:
    """Return, per item, the scores with and without the image, and the accuracy of guessing."""
    seen, blind = blank_unpaired(credit_guesses(table, ORIGINAL.name), credit_guesses(table, IMAGE_REMOVED.name))
    return seen, blind, _keep_where(seen, table.chance)


def _collect_swapped(table: Table) -> tuple[Floats, ...]:
    """Return, per swapped item, the scores that measure how answers follow the image.

    They are the scores with its own image and without, the rate of keeping the old answer, and the accuracy of
    guessing.
    """
    own, again = blank_unpaired(credit_guesses(table, ORIGINAL.name), _sticking(table))
    if np.isfinite(again).sum() < ENOUGH:
        own = again = nothing(table)
    return own, _keep_where(own, credit_guesses(table, IMAGE_REMOVED.name)), again, _keep_where(own, table.chance)


def _sticking(table: Table) -> Floats:
    """Return, per item, how often the old answer is kept with another image. No answer counts as a guess."""
    arm = ImageSubstituted.name
    if arm not in table.arms:
        return nothing(table)
    grades = table.arms[arm]
    guessed = ~grades.is_(*ANSWERED) * table.chance[grades.ordinal]
    return column(table, table.means(grades.ordinal, table.keeps_original_answer(arm) + guessed))


def _silent(table: Table, arm: str) -> Floats:
    """Return, per item, how often the model says that it cannot tell."""
    if arm not in table.arms:
        return nothing(table)
    grades = table.arms[arm]
    marked = grades.is_(*SILENT)
    if grades.rationales is not None:
        marked = marked | grades.rationales.notices
    return column(table, table.rate(arm, marked))


def _steady(table: Table) -> tuple[Floats, ...]:
    """Return, per item, how often both orders are answered correctly, and by chance. The same follows for repeats."""
    arm = OptionsShuffled.name
    if arm not in table.arms:
        return (nothing(table),) * 6
    one, two = table.arms[ORIGINAL.name], table.arms[arm]
    at_one, at_two = table.match_responses(ORIGINAL.name, arm)
    held = one.is_(Outcome.CORRECT)[at_one] & two.is_(Outcome.CORRECT)[at_two]
    kept = column(table, table.means(one.ordinal[at_one], held))
    luck, twice = _keep_where(kept, table.chance), _keep_where(kept, _twice(table))
    rerun = _keep_where(twice, right(table, ORIGINAL.name))
    return kept, luck, rerun, _keep_where(twice, kept), twice, _keep_where(twice, table.chance)


def _twice(table: Table) -> Floats:
    """Return how often two repeats of an item are both correct; NaN with one response."""
    grades = table.arms[ORIGINAL.name]
    runs = np.bincount(grades.ordinal, minlength=len(table.items))
    hits = np.bincount(grades.ordinal, weights=grades.is_(Outcome.CORRECT), minlength=len(table.items))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(runs > 1, hits * (hits - 1) / (runs * (runs - 1)), np.nan))


def _keep_where(there: Floats, values: Floats) -> Floats:
    return np.where(np.isnan(there), np.nan, values)


def _reading(means: Floats) -> Floats:
    """Compute the numbers from the column means.

    Sight is the smallest of three gains: from the image, from the image on swapped items, and from following a swap.
    Together they expose a model that refuses without the image or relies on the text.
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
    """Report the three numbers without pass or fail."""
    words = {SIGHT: "sight", HONESTY: "honesty", STEADINESS: "steadiness"}
    found = {word: measure for name, word in words.items() if (measure := measures.get((ARM, name))) is not None}
    if not found:
        return leave_open("few-answers", "", "too little was asked to compute it")
    told = []
    for word, each in found.items():
        most = "" if each.ceiling is None else f" of at most {points(each.ceiling).partition(' ')[0]}"
        told.append(f"{word} {points_of(each.estimate)}{most}")
    return Verdict(Status.REPORTED, f"of 100 each: {', '.join(told)}", rests_on=next(iter(found.values())))
