"""Evidence: the responses behind the numbers of a report, loaded from the store."""

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
from snellen.judging.choice import settle_grade
from snellen.reading import Grade
from snellen.reading.columns import Integers
from snellen.reading.grades import grade_reply
from snellen.reading.mismatch import is_contradicted
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.evidence.album import MAX_EMBEDDED, MAX_OF_MANY, Album
from snellen.report.figures.standalone import Figures
from snellen.report.words.numbers import figure
from snellen.scoring.results import Results
from snellen.store import Store, StoredItem, StoredResponse, as_changed
from snellen.stress.table import OUTCOMES, Grades, Table
from snellen.stress.taxonomy import by_rule


class ArmAddress(NamedTuple):
    """Model, benchmark and condition of a group of responses."""

    model: str
    benchmark: str
    arm: str


Run = tuple[int, int]
"""Place of an item in its benchmark, and number of the repeat."""


@dataclass(frozen=True)
class Saying:
    """One response with its item as sent, its request and its grade."""

    item: Item
    asked: StoredItem
    reply: StoredResponse
    grade: Grade

    @property
    def letter(self) -> str:
        """Letter of the chosen option; "" if none was chosen."""
        return "" if self.grade.choice is None else LETTERS[self.grade.choice]

    @property
    def about_fit(self) -> str:
        """Whether the response names a contradiction between text and image; "" for other items."""
        if not is_contradictory(self.item) or self.grade.outcome not in (Outcome.CORRECT, Outcome.WRONG):
            return ""
        named = is_contradicted(self.item) == (self.grade.outcome is Outcome.CORRECT)
        return f"names {'a' if named else 'no'} contradiction"


class AskedItems:
    """Items as a condition shows them, loaded when needed."""

    def __init__(self, store: Store, arm: int) -> None:
        self._store = store
        self._arm = arm
        self._known: dict[int, StoredItem | None] = {}

    def read(self, ordinals: Iterable[int]) -> None:
        """Load several items from the store at once."""
        if wanted := {ordinal for ordinal in ordinals if ordinal not in self._known}:
            self._known |= {**dict.fromkeys(wanted, None), **self._store.variants.load_items(self._arm, wanted)}

    def get(self, ordinal: int) -> StoredItem | None:
        """Return one item as it was asked. None if it was not asked."""
        if ordinal not in self._known:
            self.read([ordinal])
        return self._known[ordinal]

    def __getitem__(self, ordinal: int) -> StoredItem:
        if (found := self.get(ordinal)) is None:
            raise KeyError(ordinal)
        return found


class Evidence:
    """Access to the single responses that the page shows. Items of a condition are loaded once."""

    def __init__(self, results: Results, store: Store) -> None:
        self.results = results
        self._store = store
        self._asked: dict[tuple[str, str], AskedItems] = {}
        self._expected: dict[ArmAddress, set[Run]] = {}
        self._read: dict[ArmAddress, dict[Run, StoredResponse]] = {}
        self._items: dict[tuple[str, str, int], Item] = {}
        self._ruled: dict[ArmAddress, Integers] = {}
        self._by_run: dict[ArmAddress, dict[Run, int]] = {}
        self.led_to: list[tuple[ArmAddress, int]] = []
        self.figures = Figures()

    @cached_property
    def album(self) -> Album:
        """The images of the page. The limit is lower if conditions degrade images."""
        many = any(degrades(address.arm) for address in self.anchors)
        return Album(self._store, max_embedded=MAX_OF_MANY if many else MAX_EMBEDDED)

    @cached_property
    def anchors(self) -> Mapping[ArmAddress, str]:
        """Anchor of the responses to each benchmark, by model and condition."""
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
        """Return a model's place in the study, which sets its colour. None for other names."""
        return self._places.get(model)

    @cached_property
    def qualifications(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """Measured agreement of judges with people, by judge and question. The latest counts."""
        return {(str(each["judge"]), str(each["question"])): each for each in self._store.labels.qualifications()}

    @cached_property
    def reviews(self) -> Mapping[str, Mapping[str, Any]]:
        """Results of clinicians' reviews of the study, by task."""
        return self._store.labels.reviews(str(self.results.study["name"]))

    @cached_property
    def own_questions(self) -> frozenset[str]:
        """Benchmarks of questions that tests bring themselves."""
        tables = self.results.tables.items()
        return frozenset(
            name for (_, name), table in tables if any(grades.admissions is not None for grades in table.arms.values())
        )

    @cached_property
    def open_questions(self) -> frozenset[str]:
        """Benchmarks of open questions, graded by reference answers."""
        tables = self.results.tables.items()
        return frozenset(name for (_, name), table in tables if table.kind == "open") - self.own_questions

    @cached_property
    def reports(self) -> frozenset[str]:
        """Benchmarks that ask for reports."""
        return frozenset(name for (_, name), table in self.results.tables.items() if table.kind == "report")

    @cached_property
    def benchmarks(self) -> tuple[str, ...]:
        """Benchmarks that the user chose, without questions that tests bring."""
        return tuple(name for name in self.results.benchmarks if name not in self.own_questions)

    @property
    def several(self) -> bool:
        """True if the study has several benchmarks, so that numbers must name theirs."""
        return len(self.benchmarks) > 1

    @cached_property
    def with_options(self) -> tuple[ArmAddress, ...]:
        """Addresses of the responses that choose among options."""
        asked_in_words = self.own_questions | self.open_questions | self.reports
        return tuple(address for address in self.anchors if address.benchmark not in asked_in_words)

    @cached_property
    def baselines(self) -> Mapping[str, str]:
        """Baseline of each condition."""
        pairs = ((arm.name, finding.test.baseline.name) for finding in self.results.findings
                 for arm in finding.test.compared if not finding.test.scores)  # fmt: skip
        return dict(pairs)

    @property
    def imported(self) -> bool:
        """True if the responses were imported, so that the requests may be unknown."""
        return "imported" in self.results.study

    def table(self, address: ArmAddress) -> Table:
        """Return the table with the grades of these responses."""
        return self.results.tables[address.model, address.benchmark]

    def grades(self, address: ArmAddress) -> Grades:
        """Return the grades of these responses."""
        return self.table(address).arms[address.arm]

    def load_asked(self, benchmark: str, arm: str) -> AskedItems:
        """Return the items as a condition shows them."""
        if (benchmark, arm) not in self._asked:
            number, _ = self._store.studies.arm(self.results.study["arms"][benchmark][arm])
            self._asked[benchmark, arm] = AskedItems(self._store, number)
        return self._asked[benchmark, arm]

    def has_images(self, benchmark: str, arm: str) -> bool:
        """Return True if every question came with an image under a condition.

        For imported responses: assumed if another condition removes the image; otherwise the files must contain images.
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

    def find_tags(self, address: ArmAddress) -> Integers:
        """Return the patterns that rules find for certain in these responses, as bits."""
        if address not in self._ruled:
            baseline = self.baselines.get(address.arm, address.arm)
            self._ruled[address] = by_rule(self.table(address), address.arm, baseline)
        return self._ruled[address]

    def expect(self, address: ArmAddress, places: Iterable[int]) -> None:
        """Note responses that will be shown, to load them together."""
        self._expected.setdefault(address, set()).update(self._runs(address, places).values())

    def lead_to(self, replies: Iterable[tuple[ArmAddress, int]]) -> None:
        """Note responses that will be linked, so that the page's browser must contain them."""
        for address, place in replies:
            self._runs(address, [place])
            self.led_to.append((address, place))

    def quote(self, replies: Iterable[tuple[ArmAddress, int]]) -> None:
        """Note responses that the page shows and links to."""
        for address, place in replies:
            self.expect(address, [place])
            self.lead_to([(address, place)])

    def replies(self, address: ArmAddress, places: Iterable[int]) -> dict[int, StoredResponse]:
        """Load the responses at these places of the grades, each once."""
        wanted, known = self._runs(address, places), self._read.setdefault(address, {})
        if not known.keys() >= set(wanted.values()):
            expected = set(wanted.values()) | self._expected.pop(address, set())
            known.update(self._load_responses(address, {cell for cell in expected if cell not in known}))
        return {place: known[cell] for place, cell in wanted.items()}

    def item(self, address: ArmAddress, ordinal: int) -> Item:
        """Return an item as a condition shows it."""
        key = (address.benchmark, address.arm, ordinal)
        if key not in self._items:
            asked = self.load_asked(address.benchmark, address.arm)[ordinal]
            self._items[key] = as_changed(self.table(address).items[ordinal], asked.changed)
        return self._items[key]

    def sayings(self, address: ArmAddress, places: Iterable[int]) -> dict[int, Saying]:
        """Return the responses at these places of the grades, with their items and grades."""
        asked = self.load_asked(address.benchmark, address.arm)
        return {
            place: Saying(
                self.item(address, reply.ordinal), asked[reply.ordinal], reply, self.grade_response(address, reply)
            )
            for place, reply in self.replies(address, places).items()
        }

    def grade_response(self, address: ArmAddress, reply: StoredResponse) -> Grade:
        """Grade a response again, including opinions of judges that the table used."""
        table, item = self.table(address), self.item(address, reply.ordinal)
        if table.by_judges:
            grades = self.grades(address)
            if address not in self._by_run:
                self._by_run[address] = {each: at for at, each in enumerate(grades.runs())}
            at = self._by_run[address][reply.ordinal, reply.replicate]
            return Grade(OUTCOMES[grades.outcome[at]], None, grades.rules[grades.rule[at]], "", table.parser)
        parser, judged = parser_named(table.parser), table.settled.get(address.arm, {})
        return settle_grade(
            grade_reply(reply, item, parser)[0], item, parser, judged.get((reply.ordinal, reply.replicate))
        )

    def _runs(self, address: ArmAddress, places: Iterable[int]) -> dict[int, Run]:
        grades = self.grades(address)
        return {int(place): (int(grades.ordinal[place]), int(grades.replicate[place])) for place in places}

    def _load_responses(self, address: ArmAddress, cells: set[Run]) -> dict[Run, StoredResponse]:
        revisions = dict(self.results.study["models"])
        model = self._store.studies.model_number(address.model, revisions[address.model])
        arm, _ = self._store.studies.arm(self.results.study["arms"][address.benchmark][address.arm])
        stored = self._store.responses.replies(model, arm, {ordinal for ordinal, _ in cells})
        return {
            (reply.ordinal, reply.replicate): reply for reply in stored if (reply.ordinal, reply.replicate) in cells
        }


def degrades(arm: str) -> bool:
    """Return True if a condition degrades the image."""
    return read_label(arm).has(ImageDegraded)


def row_anchor(evidence: Evidence, address: ArmAddress, place: int) -> str:
    """Return the anchor of one response."""
    grades = evidence.grades(address)
    return f"reply-{evidence.anchors[address]}-{grades.ordinal[place]}-{grades.replicate[place]}"


def outcome_counts(grades: Grades) -> dict[Outcome, int]:
    """Count the responses by outcome."""
    numbers = np.bincount(grades.outcome, minlength=len(OUTCOMES))
    return {outcome: int(number) for outcome, number in zip(OUTCOMES, numbers, strict=True)}


def distinct(names: Iterable[str]) -> list[str]:
    """Convert names to unique page ids of plain letters.

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


class People(NamedTuple):
    """Human accuracy and a sentence on its source."""

    accuracy: float
    note: str


def people(study: Mapping[str, Any]) -> People | None:
    """Return the human accuracy of a study. None if it has none.

    >>> people({"human": {"accuracy": 0.71}}).note
    'People: 71%, as given with the study. No interval is known.'
    """
    known = study.get("human")
    if not known:
        return None
    accuracy = float(known["accuracy"])
    score = f"People: {figure(accuracy, 'share')}"
    if "points" not in known:
        return People(accuracy, f"{score}, as given with the study. No interval is known.")
    points, questions, right, wrong = (known[name] for name in ("points", "questions", "right", "wrong"))
    lost, range_of_points = -questions * wrong, questions * (right - wrong)
    sign = "+" if lost >= 0 else "−"
    rules = (
        f"from {points:g} points in an exam of {questions} questions with {right:+g} for a right and "
        f"{wrong:+g} for a wrong answer: ({points:g} {sign} {abs(lost):g}) / {range_of_points:g}, "
        "if they answered every question."
    ).replace("-", "−")
    return People(accuracy, f"{score}, {rules} No interval is known.")
