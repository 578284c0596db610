"""Table: what one model did on one benchmark, an arm at a time, as columns."""

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
from snellen.reading.columns import NEW_OPTION, NOTHING, Columns, Floats, Integers, Run
from snellen.reading.detection.columns import Detections
from snellen.reading.missing_image.columns import Admissions
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.stress.folds import group_patients

OUTCOMES = tuple(Outcome)
_CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}

Made = TypeVar("Made")
Beside = TypeVar("Beside", bound=Columns)


@dataclass(frozen=True)
class Grades:
    """Every graded response of one arm, a column each; all columns have one length.

    `chosen` is the option as the *original* item numbers it, so that it can be compared over arms: NOTHING where no
    option was chosen, NEW_OPTION less its place where the arm put in an option that the original does not have.
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
    """How many items were related to others by text and images, by the columns that they lack."""
    failed: Mapping[str, int] = field(default_factory=dict)
    due: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """How many responses there should be to each item; empty if it is not known."""
    ungraded: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The item's place of each response that nobody has graded: a judge was not asked about it."""
    epochs: int = 1
    """How often each item was to be asked; where nobody said, how often some item was."""
    columns: Mapping[type[Columns], Columns] = field(default_factory=dict)
    """What parsers read beside the choice, by the kind of their columns."""
    key: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The right option of every item under the arm, numbered like `chosen`; empty where the arm changes none."""
    credit: Floats | None = None
    """How right each response is, from 0 to 1, where judges say it in parts; None where a response is right or not."""
    reasoning_tokens: Floats = field(default_factory=lambda: np.empty(0))
    """How many tokens each response spent on reasoning, NaN where its server does not say; empty where none says."""
    distances: Mapping[str, Floats] = field(default_factory=dict)
    """How far the arm took each item's image from what it was, a number an item; NaN where it was not measured."""

    donor: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """The place of the item that lent each item its image, NOTHING if none did; empty if nobody says."""

    def of(self, kind: type[Beside]) -> Beside | None:
        """The columns of one kind; None where no parser gave any."""
        found = self.columns.get(kind)
        return found if isinstance(found, kind) else None

    @property
    def rationales(self) -> Rationales | None:
        """What the responses say they see."""
        return self.of(Rationales)

    @property
    def admissions(self) -> Admissions | None:
        """Whether the responses say that no image was sent, where none was."""
        return self.of(Admissions)

    @property
    def detections(self) -> Detections | None:
        """What the responses say beside telling disease from health, where that was asked."""
        return self.of(Detections)

    def having(self, *columns: Columns) -> Grades:
        """The same with these columns, in the place of others of their kind."""
        return replace(self, columns={**self.columns, **{type(each): each for each in columns}})

    @cached_property
    def repeated(self) -> bool:
        """Whether some item was answered more than once."""
        return bool(len(self)) and bool(np.bincount(self.ordinal).max() > 1)

    @property
    def wanted(self) -> int:
        """How many responses there should be."""
        return int(self.due.sum())

    @property
    def missing(self) -> int:
        """How many responses there should be and are not."""
        return max(0, self.wanted - len(self) - len(self.ungraded))

    def runs(self) -> list[Run]:
        """The item's place and the replicate of each response."""
        return list(zip(self.ordinal.tolist(), self.replicate.tolist(), strict=True))

    def right(self) -> Floats:
        """How right each response is, from 0 to 1."""
        return self.is_(Outcome.CORRECT).astype(np.float64) if self.credit is None else self.credit

    def is_(self, *outcomes: Outcome) -> NDArray[np.bool_]:
        """Which responses had one of these outcomes."""
        wanted = np.zeros(len(_CODE), dtype=np.bool_)
        wanted[[_CODE[outcome] for outcome in outcomes]] = True
        return wanted[self.outcome]

    def by_rule(self) -> dict[str, int]:
        """How many responses each rule decided, the most frequent first."""
        counts = np.bincount(self.rule, minlength=len(self.rules))
        return {self.rules[at]: int(counts[at]) for at in np.argsort(-counts, kind="stable")}

    def only(self, kept: NDArray[np.bool_]) -> Grades:
        """Some of the responses; the others are not due either."""
        names = ("ordinal", "replicate", "outcome", "chosen", "response", "rule")
        few = {name: getattr(self, name)[kept] for name in names}
        few["reasoning_tokens"] = self.reasoning_tokens[kept] if len(self.reasoning_tokens) else self.reasoning_tokens
        few["credit"] = None if self.credit is None else self.credit[kept]
        beside = {kind: each.only(kept) for kind, each in self.columns.items()}
        due = self.due - np.bincount(self.ordinal[~kept], minlength=len(self.due)) if len(self.due) else self.due
        return replace(self, **few, columns=beside, inapplicable={}, by_text={}, failed={}, due=due)

    def of_items(self, kept: NDArray[np.bool_]) -> Grades:
        """The responses to some of the items, and those of their responses that are missing."""
        some = self.only(kept[self.ordinal])
        return replace(some, due=some.due * kept if len(some.due) else some.due, ungraded=_keep(self.ungraded, kept))

    def __len__(self) -> int:
        return len(self.ordinal)


def _keep(ordinals: Integers, kept: NDArray[np.bool_]) -> Integers:
    return ordinals[kept[ordinals]]


class PerItem(NamedTuple):
    """One number per item: the mean over its responses."""

    ordinal: Integers
    value: Floats


class Paired(NamedTuple):
    """Two numbers per item, for the items that have both, and the patient of each."""

    ordinal: Integers
    first: Floats
    second: Floats
    clusters: Integers


class Moves(StrEnum):
    """Which moves of an answer count."""

    ANY = "changed"
    """To another option."""
    HARMFUL = "harmed"
    """To another option, unless that is the right one."""
    LOST = "lost"
    """From the right option to another."""
    FLIPPED = "flipped"
    """From the right option to another, or to the right one."""


class Looked(NamedTuple):
    """How far a benchmark was asked, where asking stops once its verdicts are settled."""

    place: Integers
    """Where each item stands in the random order in which items are asked."""
    asked: Mapping[str, int]
    """How many items of that order count, by arm."""

    def first(self, items: int) -> list[int]:
        """The items that were asked first."""
        return np.flatnonzero(self.place < items).tolist()

    def until(self, arms: Iterable[str]) -> int:
        """How many items were asked under all of these arms."""
        return min((self.asked[arm] for arm in arms if arm in self.asked), default=0)


@dataclass(frozen=True)
class Table:
    """What one model did on one benchmark."""

    model: str
    benchmark: str
    items: tuple[Item, ...]
    arms: Mapping[str, Grades]
    parser: str = "lenient"
    judge: str = ""
    judge_unread: int = 0
    """How many of the judge's answers could not be read."""
    settled: Mapping[str, Mapping[Run, int | Outcome]] = field(default_factory=dict)
    """By arm, what the judge read in responses whose reading was unsure: an option's place, or why there is none."""
    held_back: tuple[str, ...] = ()
    """The judges whose opinions are left out, each in a sentence that says why."""
    within: NDArray[np.bool_] | None = None
    """The items that it is about, where those are not all."""
    ends_known: bool = True
    """Whether it is known of every response how it ended: of an import it may not be."""
    of_group: bool = False
    """Whether it is of one category or language: of those only kinds of measures that are `grouped` are shown."""
    imageless: NDArray[np.bool_] | None = None
    """The items that are known to have no image; None if it is known of none."""
    shown: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The images that each item was asked with under the original condition, by their hashes."""
    has_room: bool | None = None
    """Whether the prompt leaves room for words beside the answer; None if nobody says, as of an import."""
    looked: Looked | None = None
    """How far it was asked, if asking stops once the verdicts are settled; then intervals must hold at every look."""
    repeats: Mapping[str, Grades] = field(default_factory=dict)
    """All responses of the arms of which some items were asked once more than the study's epochs say.

    `arms` has the first ones only, by which everything is measured that a paper defines.
    """

    @cached_property
    def by_judges(self) -> bool:
        """Whether its responses were graded by judges, and not by a parser."""
        return any(grades.of(JudgedAnswers) is not None for grades in self.arms.values())

    @cached_property
    def kind(self) -> Kind:
        """What its items ask: questions with options, if there are any, or else open ones."""
        return Benchmark(self.benchmark, self.items).kind

    @property
    def questions_asked(self) -> int:
        """How many of its items were asked under at least one arm."""
        if self.looked is not None:
            return max(self.looked.asked.values(), default=0)
        answered = np.unique(np.concatenate([np.empty(0, np.int64), *(each.ordinal for each in self.arms.values())]))
        wanted = max((each.wanted // max(1, each.epochs) for each in self.arms.values()), default=0)
        return max(len(answered), wanted)

    @property
    def asked(self) -> Integers:
        """The places of the items that it is about."""
        return np.arange(len(self.items)) if self.within is None else np.flatnonzero(self.within)

    @cached_property
    def clusters(self) -> Integers:
        """A number for each item's patient; an item without one is its own."""
        numbers: dict[str, int] = {}
        names = (item.cluster or f"\0{ordinal}" for ordinal, item in enumerate(self.items))
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    @cached_property
    def patients(self) -> Integers:
        """A number for each item's patient, for verdicts; if none is named, items of one image or case are one."""
        return group_patients(self.items, self.shown)

    @property
    def names_patients(self) -> bool:
        """Whether every item that it is about names its patient."""
        return all(self.items[place].cluster for place in self.asked)

    @cached_property
    def chance(self) -> Floats:
        """What a blind guess scores on each item."""
        return np.array([item.chance for item in self.items])

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` makes of this table, made the first time and kept: several tests ask for the same."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def forget(self) -> None:
        """Let go of what was kept, where it would take more room than it saves time."""
        self._made.clear()

    def unsure(self, arm: str, parser: str = "") -> NDArray[np.bool_]:
        """Which responses of an arm were read by a rule that is not reliable enough; by default of the table's parser.

        Another parser is one that reads beside it; none of its readings is unsure if it gives no such column.
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
        """The table without the responses whose reading is unsure; the same table where there are none."""
        return self.once(("sure", parser), lambda: self._sure(parser))

    def _sure(self, parser: str) -> Table:
        if not any(self._unsure(grades, parser).any() for grades in (*self.arms.values(), *self.repeats.values())):
            return self
        sure, again = (
            {arm: grades.only(~self._unsure(grades, parser)) for arm, grades in every.items()}
            for every in (self.arms, self.repeats)
        )
        return replace(self, arms=sure, repeats=again)

    def parts(self, grouping: str) -> dict[str, Table]:
        """The table apart by the items' category or language; nothing where all items are of one."""
        names = np.array([getattr(item, grouping) or "(none)" for item in self.items])
        groups = list(dict.fromkeys(names.tolist()))
        return {name: self.only(names == name) for name in groups} if len(groups) > 1 else {}

    @cached_property
    def largest(self) -> int:
        """How many of the items that it is about the patient with the most items has."""
        return int(np.bincount(self.clusters[self.asked]).max(initial=1))

    def asked_under(self, arms: Sequence[str]) -> Table:
        """The table as far as all of these arms were asked, so that what is settled does not change any more."""
        if self.looked is None:
            return self
        until = self.looked.until(arms)
        if all(self.looked.asked.get(arm, until) == until for arm in arms):
            return self
        place = self.looked.place
        return self.once(("asked until", until), lambda: self.only(place < until))

    def only(self, kept: NDArray[np.bool_]) -> Table:
        """The responses to some of the items."""
        few, again = (
            {arm: grades.of_items(kept) for arm, grades in every.items()} for every in (self.arms, self.repeats)
        )
        return replace(self, arms=few, repeats=again, within=kept if self.within is None else self.within & kept)

    def with_repeats(self) -> Table:
        """The table with all responses, those to the items that were asked once more included."""
        if not self.repeats:
            return self
        return self.once("with repeats", lambda: replace(self, arms={**self.arms, **self.repeats}, repeats={}))

    def with_images(self) -> Table:
        """The table without the items that have no image; the same table if there are none."""
        gone = self.imageless
        if gone is None or not gone.any():
            return self
        return self.once("with images", lambda: self.only(~gone))

    def share(self, arm: str, outcomes: Iterable[Outcome], *, among: Iterable[Outcome] = OUTCOMES) -> PerItem:
        """Per item, the share of its responses with these outcomes among those with the others.

        What is right in part counts in part.
        """
        grades, wanted = self.arms[arm], tuple(outcomes)
        counted = grades.is_(*among)
        marked = grades.right() if wanted == (Outcome.CORRECT,) else grades.is_(*wanted)
        return self.means(grades.ordinal[counted], marked[counted])

    def rate(self, arm: str, marked: NDArray[np.bool_], *, among: NDArray[np.bool_] | None = None) -> PerItem:
        """Per item, the share of its responses that are marked, of all or of some."""
        counted = slice(None) if among is None else among
        return self.means(self.arms[arm].ordinal[counted], marked[counted])

    def means(self, ordinal: Integers, values: NDArray[np.bool_] | Floats) -> PerItem:
        """Per item that has any, the mean of the values at its place."""
        replies = np.bincount(ordinal, minlength=len(self.items))
        sums = np.bincount(ordinal, weights=values.astype(np.float64), minlength=len(self.items))
        present = np.flatnonzero(replies)
        return PerItem(present, sums[present] / replies[present])

    def unanimous(self, arm: str) -> PerItem:
        """Per item with several responses, 1 where all of them chose the same option or none did, 0 otherwise."""
        grades = self.arms[arm]
        order = np.lexsort((grades.chosen, grades.ordinal))
        ordinal, chosen = grades.ordinal[order], grades.chosen[order]
        starts = np.flatnonzero(np.diff(ordinal, prepend=-1))
        ends = np.append(starts[1:], len(ordinal)) - 1
        several = ends > starts
        return PerItem(ordinal[starts[several]], (chosen[starts[several]] == chosen[ends[several]]).astype(np.float64))

    def paired(self, first: PerItem, second: PerItem) -> Paired:
        """Both numbers for the items that have both."""
        both, at_first, at_second = np.intersect1d(first.ordinal, second.ordinal, True, True)
        return Paired(both, first.value[at_first], second.value[at_second], self.clusters[both])

    def moved(self, first: str, second: str, moves: Moves = Moves.ANY) -> PerItem:
        """Per item, how often an answer moves between two arms, over all pairs of a run here and a run there."""
        one, two = self._choices(first), self._choices(second)
        _, at_one, at_two = np.intersect1d(one.option, two.option, True, True)
        alike = self._sums(one.option[at_one], one.times[at_one] * two.times[at_two])
        gained, lost = (one.n - one.right) * two.right, one.right * (two.n - two.right)
        return _share_of(one.n * two.n, alike, gained, lost, moves)

    def moved_by_itself(self, arm: str, moves: Moves = Moves.ANY) -> PerItem:
        """Per item, how often an answer moves from one run to another of the same arm."""
        found = self._choices(arm)
        alike = self._sums(found.option, found.times * (found.times - 1))
        turned = (found.n - found.right) * found.right
        return _share_of(found.n * (found.n - 1), alike, turned, turned, moves)

    def _sums(self, option: Integers, values: Floats) -> Floats:
        """Numbers of options added up per item."""
        return np.bincount(option // _WIDTH, weights=values, minlength=len(self.items)).astype(np.float64)

    def _choices(self, arm: str) -> _Choices:
        return self.once(("choices", arm), lambda: self._counted(self.arms[arm]))

    def _counted(self, grades: Grades) -> _Choices:
        answered = grades.chosen != NOTHING
        ordinal, right = grades.ordinal[answered], grades.is_(Outcome.CORRECT)[answered]
        option, times = np.unique(ordinal * _WIDTH + grades.chosen[answered] + _WIDTH // 2, return_counts=True)
        n, hits = (np.bincount(ordinal, weights=each, minlength=len(self.items)) for each in (None, right))
        return _Choices(n.astype(np.float64), hits.astype(np.float64), option, times.astype(np.float64))

    def repeated_in(self, first: str, second: str) -> bool:
        """Whether some item was answered at least twice under each of two arms."""
        twice = [np.bincount(self.arms[arm].ordinal, minlength=len(self.items)) > 1 for arm in (first, second)]
        return bool((twice[0] & twice[1]).any())

    def matched(self, first: str, second: str) -> tuple[Integers, Integers]:
        """Where in the columns of two arms the responses to one item in one run stand, for those that have both."""
        one, two = self.arms[first], self.arms[second]
        width = 1 + max(one.replicate.max(initial=0), two.replicate.max(initial=0))
        _, at_one, at_two = np.intersect1d(
            one.ordinal * width + one.replicate, two.ordinal * width + two.replicate, True, True
        )
        return at_one, at_two

    def stuck(self, arm: str) -> NDArray[np.bool_]:
        """Which responses of an arm choose what is right for the item as it was, whatever the arm has made of it."""
        key = np.array([item.answer if isinstance(item.answer, int) else NEW_OPTION for item in self.items])
        grades = self.arms[arm]
        return np.asarray(grades.chosen == key.astype(np.int64)[grades.ordinal]) & (grades.chosen >= 0)

    def key(self, arm: str) -> Integers:
        """The right option of every item under an arm, as the original item numbers it; NOTHING where none is known."""
        given = self.arms[arm].key
        if len(given):
            return given
        return np.array([each.answer if isinstance(each.answer, int) else NOTHING for each in self.items])


_WIDTH = 2**20
"""More options than any item has."""


class _Choices(NamedTuple):
    """What was chosen under an arm: answers and right answers per item, and how often which option of which item."""

    n: Floats
    right: Floats
    option: Integers
    times: Floats


def _share_of(pairs: Floats, alike: Floats, gained: Floats, lost: Floats, moves: Moves) -> PerItem:
    """The share of pairs of answers that move, for the items that have any."""
    moved = {
        Moves.ANY: pairs - alike,
        Moves.HARMFUL: pairs - alike - gained,
        Moves.LOST: lost,
        Moves.FLIPPED: gained + lost,
    }[moves]
    there = np.flatnonzero(pairs > 0)
    return PerItem(there, moved[there] / pairs[there])


def code(outcome: Outcome) -> int:
    """The number an outcome has in a column."""
    return _CODE[outcome]
