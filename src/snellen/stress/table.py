"""Table: the graded responses of one model on one benchmark, stored as columns per arm."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from snellen.items import Benchmark, Item, Kind
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NEW_OPTION, NOTHING, Floats, Integers, ReadingColumns, Run
from snellen.reading.detection.columns import Detections
from snellen.reading.missing_image.columns import Admissions
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.stress.folds import group_patients

OUTCOMES = tuple(Outcome)
_CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}

Made = TypeVar("Made")
Beside = TypeVar("Beside", bound=ReadingColumns)


@dataclass(frozen=True)
class Grades:
    """Graded responses of one arm; each column has one entry per response.

    `chosen` is the option by its number in the *original* item, so that arms can be compared. It is NOTHING if no
    option was chosen. For an option that only the arm has, it is NEW_OPTION minus its position.
    """

    ordinal: Integers
    replicate: Integers
    outcome: NDArray[np.uint8]
    chosen: Integers
    response: Integers
    rule: NDArray[np.uint16]
    rules: tuple[str, ...] = ()
    inapplicable: Mapping[str, int] = field(default_factory=dict)
    by_text: Mapping[str, int] = field(default_factory=dict)
    """Number of items matched by text and images only, by the columns that the benchmark lacks."""
    failed: Mapping[str, int] = field(default_factory=dict)
    due: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Number of responses expected per item; empty if unknown."""
    ungraded: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Item position of each response without a grade, because no judge was asked about it."""
    epochs: int = 1
    """Number of responses wanted per item; if unknown, the most that any item has."""
    columns: Mapping[type[ReadingColumns], ReadingColumns] = field(default_factory=dict)
    """Columns that parsers read besides the choice, by type."""
    key: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Correct option of every item in this arm, numbered like `chosen`; empty if the arm changes none."""
    credit: Floats | None = None
    """Credit of each response from 0 to 1 if judges give parts; None if a response is correct or not."""
    reasoning_tokens: Floats = field(default_factory=lambda: np.empty(0))
    """Reasoning tokens per response, NaN if not counted; empty if none are counted."""
    distances: Mapping[str, Floats] = field(default_factory=dict)
    """Distance of each item's image from the original, by metric; NaN if not measured."""
    donor: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Position of the item that lent each item its image, NOTHING if none did; empty if unknown."""

    def of(self, kind: type[Beside]) -> Beside | None:
        """Return the columns of one type; None if no parser gave any."""
        found = self.columns.get(kind)
        return found if isinstance(found, kind) else None

    @property
    def rationales(self) -> Rationales | None:
        """Readings of what the responses claim to see; None if there are none."""
        return self.of(Rationales)

    @property
    def admissions(self) -> Admissions | None:
        """Readings of whether responses admit that no image was sent; None if there are none."""
        return self.of(Admissions)

    @property
    def detections(self) -> Detections | None:
        """Readings of responses to detection questions, such as flagged quality; None if there are none."""
        return self.of(Detections)

    def having(self, *columns: ReadingColumns) -> Grades:
        """Return a copy with these columns, which replace others of the same type."""
        return replace(self, columns={**self.columns, **{type(each): each for each in columns}})

    @cached_property
    def repeated(self) -> bool:
        """Whether any item has several responses."""
        return bool(len(self)) and bool(np.bincount(self.ordinal).max() > 1)

    @property
    def wanted(self) -> int:
        """Number of responses expected."""
        return int(self.due.sum())

    @property
    def missing(self) -> int:
        """Number of expected responses that are missing."""
        return max(0, self.wanted - len(self) - len(self.ungraded))

    def runs(self) -> list[Run]:
        """Return the item position and repeat of each response."""
        return list(zip(self.ordinal.tolist(), self.replicate.tolist(), strict=True))

    def right(self) -> Floats:
        """Return the credit of each response, from 0 to 1."""
        return self.is_(Outcome.CORRECT).astype(np.float64) if self.credit is None else self.credit

    def is_(self, *outcomes: Outcome) -> NDArray[np.bool_]:
        """Mark the responses with one of these outcomes."""
        wanted = np.zeros(len(_CODE), dtype=np.bool_)
        wanted[[_CODE[outcome] for outcome in outcomes]] = True
        return wanted[self.outcome]

    def by_rule(self) -> dict[str, int]:
        """Count the responses that each rule decided, the most frequent rule first."""
        counts = np.bincount(self.rule, minlength=len(self.rules))
        return {self.rules[at]: int(counts[at]) for at in np.argsort(-counts, kind="stable")}

    def select_responses(self, kept: NDArray[np.bool_]) -> Grades:
        """Select some of the responses; the others are no longer expected."""
        names = ("ordinal", "replicate", "outcome", "chosen", "response", "rule")
        few = {name: getattr(self, name)[kept] for name in names}
        few["reasoning_tokens"] = self.reasoning_tokens[kept] if len(self.reasoning_tokens) else self.reasoning_tokens
        few["credit"] = None if self.credit is None else self.credit[kept]
        beside = {kind: each.only(kept) for kind, each in self.columns.items()}
        due = self.due - np.bincount(self.ordinal[~kept], minlength=len(self.due)) if len(self.due) else self.due
        return replace(self, **few, columns=beside, inapplicable={}, by_text={}, failed={}, due=due)

    def of_items(self, kept: NDArray[np.bool_]) -> Grades:
        """Select the responses to some items, with their missing responses."""
        some = self.select_responses(kept[self.ordinal])
        due, ungraded = some.due * kept if len(some.due) else some.due, self.ungraded[kept[self.ungraded]]
        return replace(some, due=due, ungraded=ungraded)

    def __len__(self) -> int:
        return len(self.ordinal)


class PerItem(NamedTuple):
    """One number per item that has any responses."""

    ordinal: Integers
    value: Floats


class Paired(NamedTuple):
    """Two numbers per item that has both, with the item's patient."""

    ordinal: Integers
    first: Floats
    second: Floats
    clusters: Integers


class Moves(StrEnum):
    """Kind of answer change that counts."""

    ANY = "changed"
    """To another option."""
    HARMFUL = "harmed"
    """To another option, except the correct one."""
    LOST = "lost"
    """From the correct option to another."""
    FLIPPED = "flipped"
    """From the correct option to another, or to the correct one."""


class Looked(NamedTuple):
    """Progress of a benchmark in a study that stops once its verdicts are settled."""

    place: Integers
    """Position of each item in the random order in which items are asked."""
    asked: Mapping[str, int]
    """Number of items in this order that count, by arm."""

    def first(self, items: int) -> list[int]:
        """Return the positions of the items that were asked first."""
        return np.flatnonzero(self.place < items).tolist()

    def count_items(self, arms: Iterable[str]) -> int:
        """Return the number of items asked in all of these arms."""
        return min((self.asked[arm] for arm in arms if arm in self.asked), default=0)


@dataclass(frozen=True)
class Table:
    """Graded responses of one model on one benchmark, by arm."""

    model: str
    benchmark: str
    items: tuple[Item, ...]
    arms: Mapping[str, Grades]
    parser: str = "lenient"
    judge: str = ""
    judge_unread: int = 0
    """Number of the judge's answers that could not be read."""
    settled: Mapping[str, Mapping[Run, int | Outcome]] = field(default_factory=dict)
    """By arm, the judge's reading of responses that were unsure: an option's position, or an outcome."""
    held_back: tuple[str, ...] = ()
    """One sentence per judge whose opinions are left out, with the reason."""
    within: NDArray[np.bool_] | None = None
    """Mask of the items in the table; None for all."""
    ends_known: bool = True
    """Whether it is known how each response ended; for an import it may not be."""
    of_group: bool = False
    """Whether the table is one category or language; only `grouped` kinds of measures are then shown."""
    imageless: NDArray[np.bool_] | None = None
    """Mask of items known to have no image; None if this is not known."""
    shown: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Hashes of the images that each item was asked with in the original condition."""
    has_room: bool | None = None
    """Whether the prompt allows text besides the answer; None if unknown, as for an import."""
    looked: Looked | None = None
    """Progress, if the study stops once verdicts are settled; intervals must then hold at every look."""
    repeats: Mapping[str, Grades] = field(default_factory=dict)
    """All responses of the arms in which some items were asked more often than the study's epochs.

    `arms` has only the first responses, which are used for every measure that a paper defines.
    """

    @cached_property
    def by_judges(self) -> bool:
        """Whether judges graded the responses instead of a parser."""
        return any(grades.of(JudgedAnswers) is not None for grades in self.arms.values())

    @cached_property
    def kind(self) -> Kind:
        """Kind of the items: with options if any item has options, otherwise open or reports."""
        return Benchmark(self.benchmark, self.items).kind

    @property
    def questions_asked(self) -> int:
        """Number of items asked in at least one arm."""
        if self.looked is not None:
            return max(self.looked.asked.values(), default=0)
        answered = np.unique(np.concatenate([np.empty(0, np.int64), *(each.ordinal for each in self.arms.values())]))
        wanted = max((each.wanted // max(1, each.epochs) for each in self.arms.values()), default=0)
        return max(len(answered), wanted)

    @property
    def asked(self) -> Integers:
        """Positions of the items in the table."""
        return np.arange(len(self.items)) if self.within is None else np.flatnonzero(self.within)

    @cached_property
    def clusters(self) -> Integers:
        """Patient number of each item; an item without a patient counts as its own."""
        numbers: dict[str, int] = {}
        names = (item.cluster or f"\0{ordinal}" for ordinal, item in enumerate(self.items))
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    @cached_property
    def patients(self) -> Integers:
        """Patient number of each item. Items without one that share an image or case count as one."""
        return group_patients(self.items, self.shown)

    @property
    def names_patients(self) -> bool:
        """Whether every item in the table names its patient."""
        return all(self.items[place].cluster for place in self.asked)

    @cached_property
    def chance(self) -> Floats:
        """Expected score of a blind guess on each item."""
        return np.array([item.chance for item in self.items])

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def compute_once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Compute a value of this table once, and share it among tests."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def forget(self) -> None:
        """Drop the cached values to free memory."""
        self._made.clear()

    def unsure(self, arm: str, parser: str = "") -> NDArray[np.bool_]:
        """Mark the responses of an arm that a parser read by an unreliable rule.

        By default this is the table's own parser. Other parsers may have no such marks; then none is unsure.
        """
        return self._unsure(self.arms[arm], parser)

    def _unsure(self, grades: Grades, parser: str) -> NDArray[np.bool_]:
        if parser in ("", self.parser):
            reads = parser_named(self.parser)
            marked = np.array([reads.unsure(rule) for rule in grades.rules], dtype=bool)
            return marked[grades.rule] if len(marked) else np.zeros(len(grades), dtype=bool)
        beside = {"claims": grades.rationales, "quality": grades.detections}.get(parser)
        return np.zeros(len(grades), dtype=bool) if beside is None else beside.unsure

    def sure(self, parser: str = "") -> Table:
        """Return the table without responses whose reading is unsure. If all are sure, it is the same table."""
        return self.compute_once(("sure", parser), lambda: self._sure(parser))

    def _sure(self, parser: str) -> Table:
        if not any(self._unsure(grades, parser).any() for grades in (*self.arms.values(), *self.repeats.values())):
            return self
        sure, again = (
            {arm: grades.select_responses(~self._unsure(grades, parser)) for arm, grades in every.items()}
            for every in (self.arms, self.repeats)
        )
        return replace(self, arms=sure, repeats=again)

    def parts(self, grouping: str) -> dict[str, Table]:
        """Split the table by category or language of items; empty if there is only one."""
        names = np.array([getattr(item, grouping) or "(none)" for item in self.items])
        groups = list(dict.fromkeys(names.tolist()))
        return {name: self.select_items(names == name) for name in groups} if len(groups) > 1 else {}

    @cached_property
    def largest(self) -> int:
        """Number of items of the patient with the most items."""
        return int(np.bincount(self.clusters[self.asked]).max(initial=1))

    def asked_under(self, arms: Sequence[str]) -> Table:
        """Limit the table to the items that all these arms have been asked. Settled results then stay the same."""
        if self.looked is None:
            return self
        until = self.looked.count_items(arms)
        if all(self.looked.asked.get(arm, until) == until for arm in arms):
            return self
        place = self.looked.place
        return self.compute_once(("asked until", until), lambda: self.select_items(place < until))

    def select_items(self, kept: NDArray[np.bool_]) -> Table:
        """Return the table with the responses to some of the items only."""
        few, again = (
            {arm: grades.of_items(kept) for arm, grades in every.items()} for every in (self.arms, self.repeats)
        )
        return replace(self, arms=few, repeats=again, within=kept if self.within is None else self.within & kept)

    def with_repeats(self) -> Table:
        """Return the table with all responses, including those to items that were asked more often."""
        if not self.repeats:
            return self
        return self.compute_once("with repeats", lambda: replace(self, arms={**self.arms, **self.repeats}, repeats={}))

    def with_images(self) -> Table:
        """Return the table without items that have no image."""
        gone = self.imageless
        if gone is None or not gone.any():
            return self
        return self.compute_once("with images", lambda: self.select_items(~gone))

    def share(self, arm: str, outcomes: Iterable[Outcome], *, among: Iterable[Outcome] = OUTCOMES) -> PerItem:
        """Return, per item, the share of its responses with `outcomes` among those with `among`.

        Partly correct responses count in part.
        """
        grades, wanted = self.arms[arm], tuple(outcomes)
        counted = grades.is_(*among)
        marked = grades.right() if wanted == (Outcome.CORRECT,) else grades.is_(*wanted)
        return self.means(grades.ordinal[counted], marked[counted])

    def rate(self, arm: str, marked: NDArray[np.bool_], *, among: NDArray[np.bool_] | None = None) -> PerItem:
        """Return, per item, the share of its responses that are marked. With `among`, only these responses count."""
        counted = slice(None) if among is None else among
        return self.means(self.arms[arm].ordinal[counted], marked[counted])

    def means(self, ordinal: Integers, values: NDArray[np.bool_] | Floats) -> PerItem:
        """Return the mean of the values per item that has any."""
        replies = np.bincount(ordinal, minlength=len(self.items))
        sums = np.bincount(ordinal, weights=values.astype(np.float64), minlength=len(self.items))
        present = np.flatnonzero(replies)
        return PerItem(present, sums[present] / replies[present])

    def unanimous(self, arm: str) -> PerItem:
        """Return, per item with repeats, 1 if all responses chose the same, otherwise 0."""
        grades = self.arms[arm]
        order = np.lexsort((grades.chosen, grades.ordinal))
        ordinal, chosen = grades.ordinal[order], grades.chosen[order]
        starts = np.flatnonzero(np.diff(ordinal, prepend=-1))
        ends = np.append(starts[1:], len(ordinal)) - 1
        several = ends > starts
        return PerItem(ordinal[starts[several]], (chosen[starts[several]] == chosen[ends[several]]).astype(np.float64))

    def pair_items(self, first: PerItem, second: PerItem) -> Paired:
        """Pair two numbers for the items that have both."""
        both, at_first, at_second = np.intersect1d(first.ordinal, second.ordinal, True, True)
        return Paired(both, first.value[at_first], second.value[at_second], self.clusters[both])

    def moved(self, first: str, second: str, moves: Moves = Moves.ANY) -> PerItem:
        """Return, per item, the share of answers that differ between two arms. All pairs of repeats count."""
        one, two = self._choices(first), self._choices(second)
        _, at_one, at_two = np.intersect1d(one.option, two.option, True, True)
        alike = self._sums(one.option[at_one], one.times[at_one] * two.times[at_two])
        gained, lost = (one.n - one.right) * two.right, one.right * (two.n - two.right)
        return _share_of(one.n * two.n, alike, gained, lost, moves)

    def moved_by_itself(self, arm: str, moves: Moves = Moves.ANY) -> PerItem:
        """Return, per item, the share of answers that change between repeats."""
        found = self._choices(arm)
        alike = self._sums(found.option, found.times * (found.times - 1))
        turned = (found.n - found.right) * found.right
        return _share_of(found.n * (found.n - 1), alike, turned, turned, moves)

    def _sums(self, option: Integers, values: Floats) -> Floats:
        return np.bincount(option // _WIDTH, weights=values, minlength=len(self.items)).astype(np.float64)

    def _choices(self, arm: str) -> _Choices:
        def count() -> _Choices:
            grades = self.arms[arm]
            answered = grades.chosen != NOTHING
            ordinal, right = grades.ordinal[answered], grades.is_(Outcome.CORRECT)[answered]
            option, times = np.unique(ordinal * _WIDTH + grades.chosen[answered] + _WIDTH // 2, return_counts=True)
            n, hits = (np.bincount(ordinal, weights=each, minlength=len(self.items)) for each in (None, right))
            return _Choices(n.astype(np.float64), hits.astype(np.float64), option, times.astype(np.float64))

        return self.compute_once(("choices", arm), count)

    def repeated_in(self, first: str, second: str) -> bool:
        """Return True if any item has at least two responses in each of two arms."""
        twice = [np.bincount(self.arms[arm].ordinal, minlength=len(self.items)) > 1 for arm in (first, second)]
        return bool((twice[0] & twice[1]).any())

    def match_responses(self, first: str, second: str) -> tuple[Integers, Integers]:
        """Match the responses of two arms with the same item and repeat; return both positions."""
        one, two = self.arms[first], self.arms[second]
        width = 1 + max(one.replicate.max(initial=0), two.replicate.max(initial=0))
        _, at_one, at_two = np.intersect1d(
            one.ordinal * width + one.replicate, two.ordinal * width + two.replicate, True, True
        )
        return at_one, at_two

    def keeps_original_answer(self, arm: str) -> NDArray[np.bool_]:
        """Mark the responses that choose the original item's correct answer, whatever the arm changed."""
        key = np.array([item.answer if isinstance(item.answer, int) else NEW_OPTION for item in self.items])
        grades = self.arms[arm]
        return np.asarray(grades.chosen == key.astype(np.int64)[grades.ordinal]) & (grades.chosen >= 0)

    def key(self, arm: str) -> Integers:
        """Return the correct option of every item in an arm, by original number. NOTHING if unknown."""
        given = self.arms[arm].key
        if len(given):
            return given
        return np.array([each.answer if isinstance(each.answer, int) else NOTHING for each in self.items])


_WIDTH = 2**20
"""Larger than the number of options of any item."""


class _Choices(NamedTuple):
    """Numbers of answers, correct answers and chosen options per item in an arm."""

    n: Floats
    right: Floats
    option: Integers
    times: Floats


def _share_of(pairs: Floats, alike: Floats, gained: Floats, lost: Floats, moves: Moves) -> PerItem:
    """Share of pairs of answers that changed, for items with any pairs."""
    moved = {
        Moves.ANY: pairs - alike,
        Moves.HARMFUL: pairs - alike - gained,
        Moves.LOST: lost,
        Moves.FLIPPED: gained + lost,
    }[moves]
    there = np.flatnonzero(pairs > 0)
    return PerItem(there, moved[there] / pairs[there])


def code(outcome: Outcome) -> int:
    """Return the integer code of an outcome, as in the column `outcome`."""
    return _CODE[outcome]
