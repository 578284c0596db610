"""Tables: the responses of one model to one benchmark, read and put into columns, one table for each parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.asked import Asked, Rounds, asked_in_rounds
from snellen.asking.repeats import repeats_asked
from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.items import Benchmark, Item
from snellen.judging.answers import Answers
from snellen.judging.choice import Settled, Stated, settled
from snellen.judging.judgements import Judgements, gate_of, judgements
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.models.base import ZERO_SHOT
from snellen.prompts import asked_under, find_room
from snellen.reading.columns import NOTHING, Columns, Floats, Integers, Run
from snellen.reading.open.judged import PeoplesLabels
from snellen.reading.parsers import OPEN, USUAL, Parser, parser_named
from snellen.runtime import few_collections
from snellen.scoring.cells import Cells
from snellen.scoring.reading import ParserReadings, Place, Read, Reader, Words, as_originally, find_words
from snellen.scoring.reading_plan import ReadingPlan, list_asked_items
from snellen.store import Label, Reply, Sampled, Store
from snellen.stress.table import Grades, Looked, Table, code
from snellen.stress.verdicts.responses import QUESTION, ActLabels

Tables = dict[tuple[str, str], Table]
"""The tables of one parser, by model and benchmark."""


class Portion(NamedTuple):
    """One model on one benchmark: what is graded at a time."""

    benchmark: str
    model: str
    revision: str


class Placed(NamedTuple):
    """A table, and the name among whose tables it stands: its parser's, or that of the parser that counts."""

    among: str
    table: Table


Tell = Callable[[int], object]
"""Hears how many more responses were read."""


def portions(study: Mapping[str, Any], benchmarks: Iterable[str]) -> list[Portion]:
    """What is graded one after the other, or side by side."""
    return [Portion(name, *model) for name in benchmarks for model in study["models"]]


def grade_study(
    store: Store,
    study: Mapping[str, Any],
    benchmarks: Mapping[str, Benchmark],
    plan: ReadingPlan,
    *,
    unqualified: bool = False,
) -> dict[str, Tables]:
    """The tables of a study by parser; every response is taken out of the store once.

    What judges say counts only as far as they are qualified, unless `unqualified` ones are let in.
    """
    grader = Grader(store, study, benchmarks, plan, unqualified=unqualified)
    with few_collections():
        return gathered(plan, (grader.tables(each) for each in portions(study, benchmarks)))


def gathered(plan: ReadingPlan, made: Iterable[Iterable[Placed]]) -> dict[str, Tables]:
    """Tables by parser."""
    tables: dict[str, Tables] = {name: {} for name in plan.choice}
    for among, table in chain.from_iterable(made):
        tables.setdefault(among, {})[table.model, table.benchmark] = table
    return tables


class Grader:
    """Grades one model on one benchmark at a time; what is the same for all models is made once."""

    def __init__(
        self,
        store: Store,
        study: Mapping[str, Any],
        benchmarks: Mapping[str, Benchmark],
        plan: ReadingPlan,
        *,
        unqualified: bool = False,
        tell: Tell = lambda count: None,
    ) -> None:
        self.store = store
        self.study = study
        self.benchmarks = benchmarks
        self.plan = plan
        self._tell = tell
        self._gate = gate_of(store, unqualified=unqualified)
        self._labels = {kind: store.labels.load(question) for kind, question in LABELS.items()}
        self._sampled = store.labels.find_sampled(QUESTION)
        self._known: dict[str, tuple[Table, Reader]] = {}

    def tables(self, portion: Portion) -> list[Placed]:
        """The tables of one model on one benchmark."""
        name, model, revision = portion
        blank, reader = self._prepare(name)
        cells = self._find_cells(portion, blank.items)
        looked = None
        if asked_in_rounds(self.study, name):
            looked = _looked(cells, Rounds.of(blank.items, self.study["seed"]))
            cells = {arm: each._replace(only=looked.place < looked.asked[arm]) for arm, each in cells.items()}
        heard = judgements(self.store, self.study, name, (model, revision), self._gate)
        made = self._read(name, cells, reader, blank, heard)
        repeats = repeats_asked(self.study, name, len(blank.items))
        first = {
            arm: each._replace(runs=np.minimum(each.runs, repeats.epochs))
            for arm, each in cells.items()
            if repeats is not None and each.runs is not None and arm in repeats.arms
        }
        blank = replace(
            blank,
            model=model,
            judge=heard.judge,
            judge_unread=heard.unread,
            settled=heard.stated.by_reply,
            held_back=tuple(each.sentence for each in heard.held_back),
            looked=looked,
            has_room=_leaves_room(blank.has_room, cells),
        )
        found = []
        # What is not asked with options stands among the tables of the parser that counts.
        for among, parser in zip(self.plan.choice, reader.graders, strict=False):
            every = heard.on(made[parser.name])
            kept = {arm: _keep_first(every[arm], each, blank.items) for arm, each in first.items()}
            repeated = {arm: every[arm] for arm in first}
            table = replace(blank, arms={**every, **kept}, parser=parser.name, repeats=repeated)
            for kind, labels in self._labels.items():
                if labels and (parser.kind == OPEN or kind is not PeoplesLabels):
                    table = _add_labels(table, cells, labels, kind, self._sampled)
            readers = _by_reader(table, heard.answers) if parser.kind == OPEN else [table]
            found += [Placed(among if at == 0 else each.parser, each) for at, each in enumerate(readers)]
        return found

    def _find_cells(self, portion: Portion, items: Sequence[Item]) -> dict[str, Cells]:
        """Where the responses of one model lie, by arm."""
        name, model, revision = portion
        number, blind = self.store.studies.model_number(model, revision), model in self.study.get("text_only", ())
        repeats = repeats_asked(self.study, name, len(items))
        return {
            arm: Cells(
                self.store,
                number,
                self.store.studies.arm(digest)[0],
                None if repeats is None else repeats.count_runs(arm),
                text_only=blind,
            )
            for arm, digest in self.study["arms"][name].items()
        }

    def _prepare(self, name: str) -> tuple[Table, Reader]:
        """A benchmark's table without responses, and what reads them."""
        if name not in self._known:
            items = list_asked_items(self.study, name, self.benchmarks[name])
            parsers = [parser_named(each) for each in self.plan.graders[name]]
            made = self._make_blank(name, items), Reader(self.store, items, parsers)
            self._known = {name: made}  # benchmark after benchmark: what was read of others is let go
        return self._known[name]

    def _make_blank(self, name: str, items: tuple[Item, ...]) -> Table:
        """The table of a benchmark without responses: all that is the same for every model."""
        arms = {arm: self.store.studies.arm(digest) for arm, digest in self.study["arms"][name].items()}
        own = asked_under(ORIGINAL.name, arms)
        places = {item.id: place for place, item in enumerate(self.benchmarks[name])}
        return Table(
            "",
            name,
            items,
            {arm: self._make_blank_arm(number, items, places) for arm, (number, _) in arms.items()},
            ends_known=not self.study.get("unknown_ends"),
            imageless=find_imageless(self.store, {arm: number for arm, (number, _) in arms.items()}, len(items)),
            shown=self.store.variants.shown(arms[own][0]) if own else {},
            has_room=_find_room(self.study, arms[own][1]) if own else None,
        )

    def _make_blank_arm(self, arm: int, items: Sequence[Item], places: Mapping[str, int]) -> Grades:
        """The grades of an arm without responses: what it made of the images."""
        lent, none = self.store.variants.lent_images(arm), np.empty(0, dtype=np.int64)
        return Grades(
            none, none, none.astype(np.uint8), none, none, none.astype(np.uint16),
            distances=_distances(self.store, arm, len(items)),
            donor=find_donors(lent, self.store.variants.shown(arm) if lent else {}, places, len(items)),
        )  # fmt: skip

    def _read(
        self, name: str, cells: Mapping[str, Cells], reader: Reader, blank: Table, heard: Judgements
    ) -> dict[str, dict[str, Grades]]:
        """The grades of every arm by each parser; the arm as asked is read first: others are compared with it."""
        first: Records = {}
        made: dict[str, dict[str, Grades]] = {parser.name: {} for parser in reader.graders}
        own = asked_under(ORIGINAL.name, cells)
        for arm in sorted(cells, key=lambda arm: arm != own):
            beside = (*self.plan.columns.get(name, {}).get(arm, ()), *heard.list_needed(arm))
            said, by_parser = _grade_arm(
                cells[arm], reader, beside, heard.stated.by_reply.get(arm, {}), blank.arms[arm]
            )
            alike = [_make_columns(parser_named(each), said, first) for each in dict.fromkeys(beside)]
            for parser in reader.graders:
                columns = [each for each in (*alike, _make_columns(parser, said, first)) if each is not None]
                made[parser.name][arm] = by_parser[parser.name].having(*columns)
            self._tell(len(made[reader.graders[0].name][arm]))
            if arm == own:
                first = said
        return {parser: {arm: by_arm[arm] for arm in cells} for parser, by_arm in made.items()}


Records = dict[str, dict[Run, Any]]
"""What each parser that gives columns read, by item and replicate."""


def _make_columns(parser: Parser, said: Records, asked: Records) -> Columns | None:
    return parser.columns(said[parser.name], asked.get(parser.name, {})) if parser.columns is not None else None


def _grade_arm(
    cells: Cells, reader: Reader, beside: Sequence[str], stated: Settled, blank: Grades
) -> tuple[Records, dict[str, Grades]]:
    """Every response of an arm, read as an answer to the item as the arm left it."""
    items, readings = reader.items, reader.find_readings(beside)
    variants, kept = reader.find_items(cells.arm)
    places: list[tuple[int, int, int]] = []
    thought: list[int | None] = []
    found = [DistinctReadings(each, items, variants) for each in readings]
    for reply in cells.replies():
        if (at := reply.ordinal) not in variants:
            continue
        words, opinion = find_words(reply), stated.get((at, reply.replicate)) if stated else None
        for each in found:
            each.add(kept[at], words, reply, opinion)
        places.append((at, reply.replicate, reply.response))
        thought.append(reply.reasoning_tokens)
    ordinal, replicate, response = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
    tokens = np.array(thought if any(each is not None for each in thought) else [], dtype=np.float64)
    blank = replace(
        blank,
        ordinal=ordinal,
        replicate=replicate,
        response=response,
        reasoning_tokens=tokens,
        key=_find_keys(items, variants),
        **cells.account(items, replicate),
    )
    graders = [each for each in found if each.parser.outcome is not None]
    by_parser = {each.parser.name: replace(blank, **each.grade()) for each in graders}
    runs = list(zip(ordinal.tolist(), replicate.tolist(), strict=True))
    giving = [each for each in found if each.parser.columns is not None]
    return {each.parser.name: dict(zip(runs, each.records(), strict=True)) for each in giving}, by_parser


def _find_keys(items: Sequence[Item], variants: Mapping[int, Item]) -> Integers:
    """The right option of every item under an arm, as the original item numbers it."""
    key = np.full(len(items), NOTHING, dtype=np.int64)
    for at, variant in variants.items():
        if isinstance(variant.answer, int):
            key[at] = as_originally(items[at], variant, variant.answer)
    return key


class DistinctReadings:
    """What a parser read in the responses of an arm: each different reading once, and which one each response has.

    What an option is called in the original item depends on the item, where an arm changed it: then a reading is one
    of that item alone.
    """

    def __init__(self, readings: ParserReadings, items: Sequence[Item], variants: Mapping[int, Item]) -> None:
        self.parser = readings.parser
        self._readings = readings
        self._items = items
        self._variants = variants
        self._reads: list[tuple[Read, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._places: list[int] = []

    def add(self, place: Place, words: Words, reply: Reply, opinion: Stated | None) -> None:
        """Read another response; what a judge says counts where the parser is unsure."""
        at = reply.ordinal
        read = self._readings.read(place, words, reply, self._variants[at])
        if opinion is not None and read.grade is not None:
            read = read._replace(grade=settled(read.grade, self._variants[at], self.parser, opinion))
        key = (id(read), NOTHING if place[0] == NOTHING else at)
        number = self._numbers.setdefault(key, len(self._reads))
        if number == len(self._reads):
            self._reads.append((read, at))
        self._places.append(number)

    def grade(self) -> dict[str, Any]:
        """Outcome, choice and rule of each response, as fields of Grades; rules stand as they came up."""
        rules: dict[str, int] = {}
        rows = []
        for (grade, _), at in self._reads:
            assert grade is not None
            chosen = as_originally(self._items[at], self._variants[at], grade.choice)
            rows.append((code(grade.outcome), chosen, rules.setdefault(grade.rule, len(rules))))
        places = np.array(self._places, dtype=np.int64)
        outcomes, choices, numbers = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return {
            "outcome": outcomes[places].astype(np.uint8),
            "chosen": choices[places],
            "rule": numbers[places].astype(np.uint16),
            "rules": tuple(rules),
        }

    def records(self) -> Iterator[Any]:
        """What the parser read in each response."""
        return (self._reads[place][0].record for place in self._places)


def find_donors(
    lent: Mapping[int, Mapping[str, Any]], shown: Mapping[int, Sequence[str]], places: Mapping[str, int], items: int
) -> Integers:
    """The place of the item that lent each item its image, NOTHING if none did; empty if nothing was lent.

    `lent` is what was drawn for each item, by one condition or by each of several together, and `shown` the images
    that were sent: of several items that lent the same image, the first stands for all.
    """
    donors = np.full(items if lent else 0, NOTHING, dtype=np.int64)
    first: dict[Sequence[str], int] = {}
    for at, drawn in sorted(lent.items()):
        parts = (drawn, *(each for each in drawn.values() if isinstance(each, dict)))
        lender = next((str(each["lent_by"]) for each in parts if each.get("lent_by")), "")
        if at < items and lender in places:
            donors[at] = first.setdefault(shown[at], places[lender]) if at in shown else places[lender]
    return donors


def _find_room(study: Mapping[str, Any], arm: Mapping[str, Any]) -> bool | None:
    """Whether an arm's prompt leaves room for words; nobody knows it of an import."""
    words = arm.get("prompt") or {}
    return None if "imported" in study else find_room(str(words.get("name", "")), str(words.get("user", "")))


def _leaves_room(room: bool | None, cells: Mapping[str, Cells]) -> bool | None:
    """Whether a model could say more than its answer: not if its responses are probabilities of options."""
    own = asked_under(ORIGINAL.name, cells)
    first = next(cells[own].replies(), None) if own in cells else None
    return False if first is not None and first.finish == ZERO_SHOT else room


def find_imageless(store: Store, arms: Mapping[str, int], items: int) -> NDArray[np.bool_] | None:
    """Which items are known to have no image: asked with all that they have, they came without one.

    None if no image is stored at all, as for responses imported without images: then nothing is known.
    """
    pictured = {at for arm in arms.values() for at in store.variants.with_images(arm)}
    if not pictured:
        return None
    asked: set[int] = set()
    for name, arm in arms.items():
        label = read_label(name)
        if not label.takes_image:
            asked.update(store.variants.applicable(arm))
        elif label.effects.reads_all_words:  # there was an image to take away
            pictured.update(store.variants.applicable(arm))
    return np.array([at in asked and at not in pictured for at in range(items)], dtype=bool)


def _keep_first(grades: Grades, cells: Cells, items: Sequence[Item]) -> Grades:
    """The responses that the cells want, with an account of these alone."""
    kept = grades.replicate < (cells.runs[grades.ordinal] if cells.runs is not None else np.inf)
    return replace(grades.only(kept), **cells.account(items, grades.replicate[kept]))


def _looked(cells: Mapping[str, Cells], rounds: Rounds) -> Looked:
    """How far each arm was asked: to the end of the last round that is whole, and of the first round at least."""
    once = np.ones(len(rounds.order), dtype=np.int64)
    whole = {
        arm: Asked(each.model, each.arm, once if each.runs is None else each.runs, each.text_only).rounds(
            each.store, rounds
        )
        for arm, each in cells.items()
    }
    return Looked(rounds.place, {arm: rounds.items(max(1, number)) for arm, number in whole.items()})


LABELS: Mapping[type[PeoplesLabels | ActLabels], str] = {PeoplesLabels: OPEN_ANSWER.name, ActLabels: QUESTION}
"""The questions that people answer of stored responses, by the columns that their answers fill."""


def _add_labels(
    table: Table,
    cells: Mapping[str, Cells],
    labels: Sequence[Label],
    kind: type[PeoplesLabels | ActLabels],
    sampled: Mapping[tuple[int, int], Sampled],
) -> Table:
    """The table with what people say of its responses; acts only as far as their labels are a random sample."""
    arms = dict(table.arms)
    for arm, grades in table.arms.items():
        at = (cells[arm].model, cells[arm].arm)
        said = {(each.ordinal, each.replicate): each.label for each in labels if (each.model, each.arm) == at}
        if said and kind is PeoplesLabels:
            arms[arm] = grades.having(PeoplesLabels.of(said, grades.runs()))
        elif said:
            drawn = sampled.get(at)
            known = said if drawn is None else {run: said[run] for run in drawn.labelled & said.keys()}
            arms[arm] = grades.having(ActLabels.of(known, grades.runs(), drawn))
    return replace(table, arms=arms)


def _by_reader(table: Table, answers: Answers) -> list[Table]:
    """The tables of open answers, the one that counts first.

    That is what judges say where any were asked, unless another parser than the usual one is named.
    """
    by_words = replace(table, judge="", judge_unread=0)
    by_judges = [
        replace(
            table,
            arms=answers.on(table.arms, reader),
            parser=reader.name,
            judge=", ".join(reader.judges),
            judge_unread=answers.of(reader.judges).unread,
        )
        for reader in answers.readers(table.model)
    ]
    return [*by_judges, by_words] if table.parser == USUAL[OPEN] else [by_words, *by_judges]


def _distances(store: Store, arm: int, items: int) -> dict[str, Floats]:
    """How far the arm took each item's image from what it was; nothing where it was not measured."""
    columns: dict[str, Floats] = {}
    for ordinal, measured in store.variants.distances(arm):
        for name, value in measured.items() if ordinal < items else ():
            columns.setdefault(name, np.full(items, np.nan))[ordinal] = value
    return columns
