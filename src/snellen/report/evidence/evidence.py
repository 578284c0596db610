"""Evidence: the responses behind the numbers, read from the store as they were asked and answered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from snellen.conditions import ImageDegraded
from snellen.conditions.labels import read_label
from snellen.conditions.mismatch import is_contradictory
from snellen.items import LETTERS, Item
from snellen.judging.choice import settled
from snellen.reading import Grade
from snellen.reading.columns import Integers
from snellen.reading.grades import grade_reply
from snellen.reading.mismatch import is_contradicted
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.evidence.album import MAX_EMBEDDED, MAX_OF_MANY, Album
from snellen.report.figures.standalone import Figures
from snellen.scoring.results import Results
from snellen.store import Asked, Reply, Store, as_changed
from snellen.stress.table import OUTCOMES, Grades, Table
from snellen.stress.taxonomy import by_rule


class ArmAddress(NamedTuple):
    """Whose responses, to which benchmark, under which arm."""

    model: str
    benchmark: str
    arm: str


Run = tuple[int, int]
"""An item's place and the replicate."""


class Choice(NamedTuple):
    """An option as it was listed, whether it is right, and whether the model chose it."""

    letter: str
    text: str
    right: bool
    chosen: bool


@dataclass(frozen=True)
class Saying:
    """One response with all that it answered: the item as the arm left it, how it was put, and how it was read."""

    item: Item
    asked: Asked
    reply: Reply
    grade: Grade

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The options in the order the model saw them."""
        return tuple(
            Choice(LETTERS[i], option.text, i == self.item.answer, i == self.grade.choice)
            for i, option in enumerate(self.item.options)
        )

    @property
    def letter(self) -> str:
        """The letter of the option that was chosen, if one was."""
        return "" if self.grade.choice is None else LETTERS[self.grade.choice]

    @property
    def about_fit(self) -> str:
        """Whether it names a contradiction of text and image, if that is what is graded; not its diagnosis."""
        if not is_contradictory(self.item) or self.grade.outcome not in (Outcome.CORRECT, Outcome.WRONG):
            return ""
        named = is_contradicted(self.item) == (self.grade.outcome is Outcome.CORRECT)
        return f"names {'a' if named else 'no'} contradiction"


class AskedItems:
    """What an arm made of each item, taken out of the store when it is asked for."""

    def __init__(self, store: Store, arm: int) -> None:
        self._store = store
        self._arm = arm
        self._known: dict[int, Asked | None] = {}

    def read(self, ordinals: Iterable[int]) -> None:
        """Take several items out of the store at once."""
        if wanted := {ordinal for ordinal in ordinals if ordinal not in self._known}:
            self._known |= {**dict.fromkeys(wanted, None), **self._store.variants.asked(self._arm, wanted)}

    def get(self, ordinal: int) -> Asked | None:
        """One item as it was asked; None where it was not."""
        if ordinal not in self._known:
            self.read([ordinal])
        return self._known[ordinal]

    def __getitem__(self, ordinal: int) -> Asked:
        if (found := self.get(ordinal)) is None:
            raise KeyError(ordinal)
        return found


class Evidence:
    """Everything the page shows of single responses; what an arm asked is read once."""

    def __init__(self, results: Results, store: Store) -> None:
        self.results = results
        self._store = store
        self._asked: dict[tuple[str, str], AskedItems] = {}
        self._expected: dict[ArmAddress, set[Run]] = {}
        self._read: dict[ArmAddress, dict[Run, Reply]] = {}
        self._items: dict[tuple[str, str, int], Item] = {}
        self._ruled: dict[ArmAddress, Integers] = {}
        self._by_run: dict[ArmAddress, dict[Run, int]] = {}
        self.led_to: list[tuple[ArmAddress, int]] = []
        self.figures = Figures()

    @cached_property
    def album(self) -> Album:
        """The images of the page; less room where arms degrade images, since nearly each is then one of its own."""
        many = any(degrades(address.arm) for address in self.anchors)
        return Album(self._store, max_embedded=MAX_OF_MANY if many else MAX_EMBEDDED)

    @cached_property
    def anchors(self) -> Mapping[ArmAddress, str]:
        """What links to the responses of each model, benchmark and arm are called on the page."""
        addresses = [
            ArmAddress(model, benchmark, arm)
            for (model, benchmark), table in self.results.tables.items()
            for arm in table.arms
        ]
        return dict(zip(addresses, distinct("rows-" + "-".join(address) for address in addresses), strict=True))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: number for number, (name, _) in enumerate(self.results.study["models"])}

    def place(self, model: str) -> int | None:
        """A model's place in the study, which decides how figures show it; None for what is no model of it."""
        return self._places.get(model)

    @cached_property
    def qualifications(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """How far judges agree with people, by judge and question; the latest counts."""
        return {(str(each["judge"]), str(each["question"])): each for each in self._store.labels.qualifications()}

    @cached_property
    def reviews(self) -> Mapping[str, Mapping[str, Any]]:
        """What clinicians said in a review of the study, by task."""
        return self._store.labels.reviews(str(self.results.study["name"]))

    @cached_property
    def own_questions(self) -> frozenset[str]:
        """The benchmarks of open questions that tests bring: no image, no options, no arm as asked."""
        tables = self.results.tables.items()
        return frozenset(name for (_, name), table in tables if _in_words(table))

    @cached_property
    def open_questions(self) -> frozenset[str]:
        """The benchmarks of open questions, whose responses are held against references."""
        tables = self.results.tables.items()
        return frozenset(name for (_, name), table in tables if table.kind == "open") - self.own_questions

    @cached_property
    def reports(self) -> frozenset[str]:
        """The benchmarks that ask for reports."""
        return frozenset(name for (_, name), table in self.results.tables.items() if table.kind == "report")

    @cached_property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that were named, and not brought by a test."""
        return tuple(name for name in self.results.benchmarks if name not in self.own_questions)

    @property
    def several(self) -> bool:
        """Whether a number must say which benchmark it is of."""
        return len(self.benchmarks) > 1

    @cached_property
    def with_options(self) -> tuple[ArmAddress, ...]:
        """Where responses choose among options."""
        asked_in_words = self.own_questions | self.open_questions | self.reports
        return tuple(address for address in self.anchors if address.benchmark not in asked_in_words)

    @cached_property
    def baselines(self) -> Mapping[str, str]:
        """The arm that each arm is held against."""
        pairs = ((arm.name, finding.test.baseline.name) for finding in self.results.findings
                 for arm in finding.test.compared if not finding.test.scores)  # fmt: skip
        return dict(pairs)

    @property
    def imported(self) -> bool:
        """Whether the responses were imported, so that what was sent may not be known."""
        return "imported" in self.results.study

    def table(self, address: ArmAddress) -> Table:
        """The table that holds these responses' grades."""
        return self.results.tables[address.model, address.benchmark]

    def grades(self, address: ArmAddress) -> Grades:
        """These responses' grades."""
        return self.table(address).arms[address.arm]

    def asked(self, benchmark: str, arm: str) -> AskedItems:
        """What an arm made of each item."""
        if (benchmark, arm) not in self._asked:
            number, _ = self._store.studies.arm(self.results.study["arms"][benchmark][arm])
            self._asked[benchmark, arm] = AskedItems(self._store, number)
        return self._asked[benchmark, arm]

    def pictured(self, benchmark: str, arm: str) -> bool:
        """Whether every question came with an image under an arm.

        Of an import, as its conditions are called: where one takes the image away, the others had one. Where none does,
        an image must be in the files.
        """
        arms = self.results.study["arms"][benchmark]
        if arm not in arms or (self.imported and any(read_label(each).takes_image for each in arms)):
            return True
        shown = set(self._store.variants.with_images(self._store.studies.arm(arms[arm])[0]))
        if self.imported:
            return bool(shown)
        table = max(
            (table for (_, name), table in self.results.tables.items() if name == benchmark),
            key=lambda table: table.questions_asked,
        )
        asked = range(len(table.items)) if table.looked is None else table.looked.first(table.looked.asked[arm])
        return shown.issuperset(asked)

    def ruled(self, address: ArmAddress) -> Integers:
        """The tags that rules find for certain in these responses, a bit each."""
        if address not in self._ruled:
            baseline = self.baselines.get(address.arm, address.arm)
            self._ruled[address] = by_rule(self.table(address), address.arm, baseline)
        return self._ruled[address]

    def expect(self, address: ArmAddress, places: Iterable[int]) -> None:
        """Note responses that will be shown, so that all of them are taken out of the store in one go."""
        self._expected.setdefault(address, set()).update(self._runs(address, places).values())

    def lead_to(self, replies: Iterable[tuple[ArmAddress, int]]) -> None:
        """Note responses that the page links to, so that they are in its browser; an error for one that is not."""
        for address, place in replies:
            self._runs(address, [place])
            self.led_to.append((address, place))

    def quote(self, replies: Iterable[tuple[ArmAddress, int]]) -> None:
        """Note responses that the page shows and links to."""
        for address, place in replies:
            self.expect(address, [place])
            self.lead_to([(address, place)])

    def replies(self, address: ArmAddress, places: Iterable[int]) -> dict[int, Reply]:
        """The responses at these places of the grades as they are stored, each taken out of the store once."""
        wanted, known = self._runs(address, places), self._read.setdefault(address, {})
        if not known.keys() >= set(wanted.values()):
            expected = set(wanted.values()) | self._expected.pop(address, set())
            known.update(self._stored(address, {cell for cell in expected if cell not in known}))
        return {place: known[cell] for place, cell in wanted.items()}

    def item(self, address: ArmAddress, ordinal: int) -> Item:
        """An item as an arm left it."""
        key = (address.benchmark, address.arm, ordinal)
        if key not in self._items:
            asked = self.asked(address.benchmark, address.arm)[ordinal]
            self._items[key] = as_changed(self.table(address).items[ordinal], asked.changed)
        return self._items[key]

    def sayings(self, address: ArmAddress, places: Iterable[int]) -> dict[int, Saying]:
        """The responses at these places of the grades, with all that they answered."""
        asked = self.asked(address.benchmark, address.arm)
        return {
            place: Saying(self.item(address, reply.ordinal), asked[reply.ordinal], reply, self.graded(address, reply))
            for place, reply in self.replies(address, places).items()
        }

    def graded(self, address: ArmAddress, reply: Reply) -> Grade:
        """How a response was read, read again; what judges said of it stands in the table."""
        table, item = self.table(address), self.item(address, reply.ordinal)
        if table.by_judges:
            grades = self.grades(address)
            at = self._place(address, (reply.ordinal, reply.replicate))
            return Grade(OUTCOMES[grades.outcome[at]], None, grades.rules[grades.rule[at]], "", table.parser)
        parser, judged = parser_named(table.parser), table.settled.get(address.arm, {})
        return settled(grade_reply(reply, item, parser)[0], item, parser, judged.get((reply.ordinal, reply.replicate)))

    def _place(self, address: ArmAddress, run: Run) -> int:
        """Where a response stands in the grades."""
        if address not in self._by_run:
            self._by_run[address] = {each: at for at, each in enumerate(self.grades(address).runs())}
        return self._by_run[address][run]

    def _runs(self, address: ArmAddress, places: Iterable[int]) -> dict[int, Run]:
        grades = self.grades(address)
        return {int(place): (int(grades.ordinal[place]), int(grades.replicate[place])) for place in places}

    def _stored(self, address: ArmAddress, cells: set[Run]) -> dict[Run, Reply]:
        revisions = dict(self.results.study["models"])
        model = self._store.studies.model_number(address.model, revisions[address.model])
        arm, _ = self._store.studies.arm(self.results.study["arms"][address.benchmark][address.arm])
        stored = self._store.responses.replies(model, arm, {ordinal for ordinal, _ in cells})
        return {
            (reply.ordinal, reply.replicate): reply for reply in stored if (reply.ordinal, reply.replicate) in cells
        }


def _in_words(table: Table) -> bool:
    return any(grades.admissions is not None for grades in table.arms.values())


def degrades(arm: str) -> bool:
    """Whether an arm degrades the image."""
    return read_label(arm).has(ImageDegraded)


def row_anchor(evidence: Evidence, address: ArmAddress, place: int) -> str:
    """What a link to one response is called."""
    grades = evidence.grades(address)
    return f"reply-{evidence.anchors[address]}-{grades.ordinal[place]}-{grades.replicate[place]}"


def outcome_counts(grades: Grades) -> dict[Outcome, int]:
    """How many responses had each outcome."""
    numbers = np.bincount(grades.outcome, minlength=len(OUTCOMES))
    return {outcome: int(number) for outcome, number in zip(OUTCOMES, numbers, strict=True)}


def distinct(names: Iterable[str]) -> list[str]:
    """Names as ids of the page: plain letters, no two alike.

    >>> distinct(["rows-a/b", "rows-a b", "rows-π"])
    ['rows-a-b', 'rows-a-b-2', 'rows']
    """
    made: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"
        unique, number = plain, 2
        while unique in taken:
            unique, number = f"{plain}-{number}", number + 1
        taken.add(unique)
        made.append(unique)
    return made
