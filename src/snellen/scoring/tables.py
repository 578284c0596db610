"""Every stored response of a study, graded: one table a model and benchmark, for each parser that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.plan import limit_asked, read_by
from snellen.asking.repeats import Runs, repeats_asked
from snellen.asking.settled import Asked, Rounds, asked_in_rounds
from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.errors import StudyError
from snellen.grading.columns import NOTHING, Columns, Floats, Integers, Run
from snellen.grading.open.judged import PeoplesLabels
from snellen.grading.parsers import (
    CHOICE,
    OPEN,
    REPORT,
    USUAL,
    WITHOUT_IMAGE,
    Parser,
    our_parsers,
    parser_named,
)
from snellen.items import Benchmark, Item
from snellen.judging.answers import Answers
from snellen.judging.choice import Settled, settled
from snellen.judging.judgements import gate_of, judgements
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.models.base import ZERO_SHOT
from snellen.prompts import asked_under, find_room
from snellen.runtime import few_collections
from snellen.scoring.reading import Read, Reader, as_originally
from snellen.store import Label, Reply, Sampled, Store
from snellen.stress.base import StressTest, asked_of
from snellen.stress.table import Grades, Looked, Table, code
from snellen.stress.verdicts.labels import QUESTION, ActLabels

Tables = dict[tuple[str, str], Table]
"""The tables of one parser, by model and benchmark."""


class Chosen(NamedTuple):
    """The parsers that a study is read by, the first of them the one that counts."""

    choice: tuple[Parser, ...]
    """Those of questions with options."""
    without_image: Parser
    """That of questions whose image was never sent."""
    open: Parser
    """That of open questions, whose responses are held against references."""
    report: Parser
    """That of reports."""
    beside: tuple[Parser, ...]
    """Those that give columns to the tables of questions with options."""

    @classmethod
    def of(cls, study: Mapping[str, Any], named: Sequence[str]) -> Chosen:
        """Those that are named, and for a kind of which none is, the study's own or the usual one."""
        given = [parser_named(name) for name in dict.fromkeys(named)]
        if idle := [each for each in given if each.kind not in USUAL and not each.beside]:
            why = "is read where a test needs it" if idle[0].on_demand else "is for `snellen qualify`"
            raise StudyError(f"The parser {idle[0].name!r} {why}: it gives nothing to a table by itself.")
        choosing = [each for each in given if each.kind == CHOICE]
        own = map(parser_named, dict.fromkeys((study["parser"], *study.get("beside", ()))))
        beside = dict.fromkeys(each.name for each in (*our_parsers(), *given) if each.beside)
        return cls(
            tuple(choosing or own),
            _first(given, WITHOUT_IMAGE),
            _first(given, OPEN),
            _first(given, REPORT),
            tuple(map(parser_named, beside)),
        )

    def of_kind(self, kind: str) -> tuple[Parser, ...]:
        """The parsers that read responses of a kind."""
        if kind == CHOICE:
            return self.choice
        return ({WITHOUT_IMAGE: self.without_image, OPEN: self.open, REPORT: self.report}[kind],)


def _first(given: Sequence[Parser], kind: str) -> Parser:
    """The first parser of a kind that is named, or else the usual one."""
    return next((each for each in given if each.kind == kind), None) or parser_named(USUAL[kind])


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
    chosen: Chosen,
    *,
    tests: Iterable[StressTest] = (),
    unqualified: bool = False,
) -> dict[str, Tables]:
    """The tables of a study by parser; every response is taken out of the store once.

    Parsers that only some tests need read the arms of the `tests` that name them. What judges say counts only as far as
    they are qualified, unless `unqualified` ones are let in.
    """
    needed = needed_parsers(tests, study, benchmarks)
    grader = Grader(store, study, benchmarks, chosen, needed, unqualified=unqualified)
    with few_collections():
        return gathered(chosen, (grader.tables(each) for each in portions(study, benchmarks)))


def gathered(chosen: Chosen, made: Iterable[Iterable[Placed]]) -> dict[str, Tables]:
    """Tables by parser."""
    tables: dict[str, Tables] = {parser.name: {} for parser in chosen.choice}
    for among, table in chain.from_iterable(made):
        tables.setdefault(among, {})[table.model, table.benchmark] = table
    return tables


def needed_parsers(
    tests: Iterable[StressTest], study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """By benchmark and arm, the names of the parsers that some of the tests need there."""
    known = list(tests)
    return {
        name: read_for(asked_of(known, name, Benchmark(name, asked_items(study, name, benchmark)).kind))
        for name, benchmark in benchmarks.items()
    }


def asked_items(study: Mapping[str, Any], name: str, benchmark: Benchmark) -> tuple[Item, ...]:
    """The items of a benchmark that a study asked."""
    return benchmark.items[: limit_asked(study, name)]


class Grader:
    """Grades one model on one benchmark at a time; what is the same for all models is made once."""

    def __init__(
        self,
        store: Store,
        study: Mapping[str, Any],
        benchmarks: Mapping[str, Benchmark],
        chosen: Chosen,
        needed: Mapping[str, Mapping[str, Sequence[str]]],
        *,
        unqualified: bool = False,
        tell: Tell = lambda count: None,
    ) -> None:
        self.store = store
        self.study = study
        self.benchmarks = benchmarks
        self.chosen = chosen
        self._needed = needed
        self._tell = tell
        self._gate = gate_of(store, unqualified=unqualified)
        self._labels = {kind: store.labels(question) for kind, question in LABELS.items()}
        self._sampled = store.find_sampled(QUESTION)
        self._asked: dict[str, AskedBenchmark] = {}

    def tables(self, portion: Portion) -> list[Placed]:
        """The tables of one model on one benchmark."""
        name, model, revision = portion
        asked, study = self._benchmark(name), self.study
        number = self.store.model(model, revision)
        blind = model in study.get("text_only", ())
        repeats = repeats_asked(study, name, len(asked.items))
        runs = {arm: None if repeats is None else repeats.count_runs(arm) for arm in asked.arms}
        cells = {arm: Cells(self.store, number, at, runs[arm], text_only=blind) for arm, at in asked.arms.items()}
        looked = None
        if asked.rounds is not None:
            looked = _looked(cells, asked.rounds)
            cells = {arm: each._replace(only=looked.place < looked.asked[arm]) for arm, each in cells.items()}
        heard = judgements(self.store, study, name, (model, revision), self._gate)
        made = _by_parser(cells, asked, heard.stated.by_reply, self._tell)
        first = {
            arm: each._replace(runs=np.minimum(each.runs, repeats.epochs))
            for arm, each in cells.items()
            if repeats is not None and each.runs is not None and arm in repeats.arms
        }
        room = asked.leaves_room(cells)
        found = []
        # What is not asked with options stands among the tables of the parser that counts.
        for among, parser in zip(self.chosen.choice, asked.reader.parsers, strict=False):
            every = heard.on(made[parser.name])
            table = Table(
                model,
                name,
                asked.items,
                {**every, **{arm: _keep_first(every[arm], each, asked.items) for arm, each in first.items()}},
                parser.name,
                heard.judge,
                heard.unread,
                heard.stated.by_reply,
                held_back=tuple(each.sentence for each in heard.held_back),
                ends_known=not study.get("unknown_ends"),
                imageless=asked.imageless,
                looked=looked,
                repeats={arm: every[arm] for arm in first},
                shown=asked.shown,
                has_room=room,
            )
            for kind, labels in self._labels.items():
                if labels and (asked.kind == OPEN or kind is not PeoplesLabels):
                    table = _add_labels(table, cells, labels, kind, self._sampled)
            readers = _by_reader(table, heard.answers, named=self.chosen.open) if asked.kind == OPEN else [table]
            found += [Placed(among.name if at == 0 else each.parser, each) for at, each in enumerate(readers)]
        return found

    def _benchmark(self, name: str) -> AskedBenchmark:
        if name not in self._asked:
            self._asked = {name: self._as_asked(name)}  # benchmark after benchmark: what was read of others is let go
        return self._asked[name]

    def _as_asked(self, name: str) -> AskedBenchmark:
        items = asked_items(self.study, name, self.benchmarks[name])
        arms = {arm: self.store.arm(digest) for arm, digest in self.study["arms"][name].items()}
        kind = next((read_by(record) for _, record in arms.values()), CHOICE)
        always = self.chosen.beside if kind in (CHOICE, OPEN) else ()
        needed = self._needed.get(name, {})
        numbers = {arm: number for arm, (number, _) in arms.items()}
        own = asked_under(ORIGINAL.name, arms)
        places = {item.id: place for place, item in enumerate(self.benchmarks[name])}
        return AskedBenchmark(
            items,
            kind,
            numbers,
            Reader(self.store, items, self.chosen.of_kind(kind)),
            {arm: (*always, *map(parser_named, needed.get(arm, ()))) for arm in arms},
            Rounds.of(items, self.study["seed"]) if asked_in_rounds(self.study, name) else None,
            find_imageless(self.store, numbers, len(items)),
            {arm: self._find_donors(number, places, len(items)) for arm, number in numbers.items()},
            self.store.shown(numbers[own]) if own in numbers else {},
            _find_room(self.study, arms[own][1]) if own in arms else None,
        )

    def _find_donors(self, arm: int, places: Mapping[str, int], items: int) -> Integers:
        lent = self.store.lent_images(arm)
        return find_donors(lent, self.store.shown(arm) if lent else {}, places, items)


class AskedBenchmark(NamedTuple):
    """A benchmark as a study asked it, and who reads its responses."""

    items: tuple[Item, ...]
    kind: str
    """The kind of parser that grades its responses."""
    arms: Mapping[str, int]
    reader: Reader
    beside: Mapping[str, Sequence[Parser]]
    """By arm, the parsers that read beside those that grade."""
    rounds: Rounds | None
    imageless: NDArray[np.bool_] | None
    donors: Mapping[str, Integers]
    """By arm, the place of the item that lent each item its image."""
    shown: Mapping[int, Sequence[str]]
    """The images that each item was asked with under the original condition."""
    has_room: bool | None
    """Whether the prompt of the original condition leaves room for words; None if nobody says."""

    def leaves_room(self, cells: Mapping[str, Cells]) -> bool | None:
        """Whether a model could say more than its answer: not if its responses are probabilities of options."""
        own = asked_under(ORIGINAL.name, cells)
        first = next(cells[own].replies(), None) if own in cells else None
        return False if first is not None and first.finish == ZERO_SHOT else self.has_room


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


def find_imageless(store: Store, arms: Mapping[str, int], items: int) -> NDArray[np.bool_] | None:
    """Which items are known to have no image: asked with all that they have, they came without one.

    None if no image is stored at all, as for responses imported without images: then nothing is known.
    """
    pictured = {at for arm in arms.values() for at in store.with_images(arm)}
    if not pictured:
        return None
    asked: set[int] = set()
    for name, arm in arms.items():
        label = read_label(name)
        if not label.takes_image:
            asked.update(store.applicable(arm))
        elif label.effects.reads_all_words:  # there was an image to take away
            pictured.update(store.applicable(arm))
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


def read_for(tests: Iterable[StressTest]) -> dict[str, tuple[str, ...]]:
    """By arm, the parsers that some of these tests need there."""
    named: dict[str, dict[str, None]] = {}
    for test in tests:
        for arm in test.all_arms if test.parsers else ():
            named.setdefault(arm.name, {}).update(dict.fromkeys(test.parsers))
    return {arm: tuple(names) for arm, names in named.items()}


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


def _by_reader(table: Table, answers: Answers, *, named: Parser) -> list[Table]:
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
    return [*by_judges, by_words] if named.name == USUAL[OPEN] else [by_words, *by_judges]


def _by_parser(
    cells: Mapping[str, Cells], asked: AskedBenchmark, stated: Mapping[str, Settled], tell: Tell
) -> dict[str, dict[str, Grades]]:
    """The grades of every arm by each parser; the arm as asked is read first, since others are held against it."""
    first: Records = {}
    parsers = asked.reader.parsers
    made: dict[str, dict[str, Grades]] = {parser.name: {} for parser in parsers}
    as_it_is = asked_under(ORIGINAL.name, cells)
    for arm in sorted(cells, key=lambda arm: arm != as_it_is):
        said, by_parser = _grades(cells[arm], asked, asked.beside[arm], stated.get(arm, {}), asked.donors[arm])
        alike = [_columns(parser, said, first) for parser in asked.beside[arm]]
        for parser in parsers:
            columns = [each for each in (*alike, _columns(parser, said, first)) if each is not None]
            made[parser.name][arm] = by_parser[parser.name].having(*columns)
        tell(len(made[parsers[0].name][arm]))
        if arm == as_it_is:
            first = said
    return {name: {arm: by_arm[arm] for arm in cells} for name, by_arm in made.items()}


Records = dict[str, dict[Run, Any]]
"""What each parser that gives columns read, by item and replicate."""


def _columns(parser: Parser, said: Records, asked: Records) -> Columns | None:
    return parser.columns(said[parser.name], asked.get(parser.name, {})) if parser.columns is not None else None


TAKES_NO_IMAGES = "this model takes no images"


def not_asked(store: Store, arm: int, *, text_only: bool) -> dict[int, str]:
    """The items that a model was not asked under an arm, with the reason."""
    shown = dict.fromkeys(store.with_images(arm), TAKES_NO_IMAGES) if text_only else {}
    return {**store.inapplicable(arm), **shown}


class Cells(NamedTuple):
    """Where one model's responses under one arm lie."""

    store: Store
    model: int
    arm: int
    runs: Runs | None
    """How many responses there should be to each item; None if nobody said."""
    text_only: bool = False
    only: NDArray[np.bool_] | None = None
    """The items that count, where those are not all."""

    def replies(self) -> Iterator[Reply]:
        """The responses that are wanted, of the items that count."""
        found = self.store.replies(self.model, self.arm)
        return (each for each in found if self.wants(each.ordinal, each.replicate) and self.counts(each.ordinal))

    def wants(self, ordinal: int, replicate: int) -> bool:
        """Whether a response should be there; any may be if nobody said."""
        return self.runs is None or (ordinal < len(self.runs) and replicate < self.runs[ordinal])

    def counts(self, ordinal: int) -> bool:
        """Whether an item counts."""
        return self.only is None or (ordinal < len(self.only) and bool(self.only[ordinal]))

    def unasked(self) -> dict[int, str]:
        """The items that the model was not asked, with the reason."""
        return not_asked(self.store, self.arm, text_only=self.text_only)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """What has no meaning, what failed, and how many responses there should be, as fields of Grades."""
        unasked = {at: reason for at, reason in self.unasked().items() if at < len(items) and self.counts(at)}
        reasons = list(unasked.values())
        wanted = None if self.runs is None else self.runs.tolist()
        lacking = self.store.missing_columns(self.arm)
        if self.runs is None:
            tried = [each for _, each, _ in self.store.failed_cells(self.model, self.arm)]
            runs = len(np.unique(np.append(replicates, np.array(tried, dtype=np.int64))))
            due = np.full(len(items), runs, dtype=np.int64)
        else:
            due, runs = self.runs.copy(), int(self.runs.min(initial=self.runs.max(initial=1)))
        due[list(unasked)] = 0
        if self.only is not None:
            due[~self.only[: len(items)]] = 0
        return {
            "inapplicable": {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
            "by_text": Counter(" and ".join(lacking[at]) for at in lacking if at < len(items) and self.counts(at)),
            "failed": self.store.failures(self.model, self.arm, items=len(items), runs=wanted),
            "due": due,
            "epochs": runs,
        }


def _grades(
    cells: Cells, asked: AskedBenchmark, beside: Sequence[Parser], stated: Settled, donor: Integers
) -> tuple[Records, dict[str, Grades]]:
    """Every response of an arm, read against the item as the arm left it."""
    items, parsers = asked.items, asked.reader.parsers
    read = asked.reader.under(cells.arm, beside)
    variants = read.variants
    places: list[tuple[int, int, int]] = []
    thought: list[int | None] = []
    found = Distinct(items, variants)
    for reply in cells.replies():
        if (at := reply.ordinal) not in variants:
            continue
        said = read(at, reply)
        if stated and (opinion := stated.get((at, reply.replicate))) is not None:
            graded = zip(said.grades, parsers, strict=True)
            said = said._replace(grades=tuple(settled(each, variants[at], by, opinion) for each, by in graded))
        places.append((at, reply.replicate, reply.response))
        thought.append(reply.reasoning_tokens)
        found.add(said, at)
    ordinal, replicate, response = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
    account, far = cells.account(items, replicate), _distances(cells, len(items))
    tokens = np.array(thought if any(each is not None for each in thought) else [], dtype=np.float64)
    key = np.full(len(items), NOTHING, dtype=np.int64)
    for at, variant in variants.items():
        if isinstance(variant.answer, int):
            key[at] = as_originally(items[at], variant, variant.answer)
    by_parser = {}
    for number, parser in enumerate(parsers):
        outcome, chosen, rule, rules = found.graded(number)
        by_parser[parser.name] = Grades(
            ordinal=ordinal,
            replicate=replicate,
            outcome=outcome.astype(np.uint8),
            chosen=chosen,
            response=response,
            rule=rule.astype(np.uint16),
            rules=rules,
            key=key,
            reasoning_tokens=tokens,
            distances=far,
            donor=donor,
            **account,
        )
    runs = list(zip(ordinal.tolist(), replicate.tolist(), strict=True))
    giving = [(number, each.name) for number, each in enumerate((*parsers, *beside)) if each.columns is not None]
    return {name: dict(zip(runs, found.records(number), strict=True)) for number, name in giving}, by_parser


class Distinct:
    """What was read in the responses of an arm: each different reading once, and where each response has its own.

    What an option is called in the original item depends on the item, where an arm changed it: then a reading is one
    of that item alone.
    """

    def __init__(self, items: Sequence[Item], variants: Mapping[int, Item]) -> None:
        self._items = items
        self._variants = variants
        self._changed = {at for at, variant in variants.items() if variant is not items[at]}
        self._reads: list[tuple[Read, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._places: list[int] = []

    def add(self, read: Read, ordinal: int) -> None:
        """Another response to the item at that place."""
        key = (id(read), ordinal if ordinal in self._changed else NOTHING)
        number = self._numbers.setdefault(key, len(self._reads))
        if number == len(self._reads):
            self._reads.append((read, ordinal))
        self._places.append(number)

    def graded(self, parser: int) -> tuple[Integers, Integers, Integers, tuple[str, ...]]:
        """Outcome, choice and rule of each response by one of the parsers, and the rules in the order they came up."""
        rules: dict[str, int] = {}
        rows = []
        for read, at in self._reads:
            grade = read.grades[parser]
            chosen = as_originally(self._items[at], self._variants[at], grade.choice)
            rows.append((code(grade.outcome), chosen, rules.setdefault(grade.rule, len(rules))))
        places = np.array(self._places, dtype=np.int64)
        outcomes, choices, numbers = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return outcomes[places], choices[places], numbers[places], tuple(rules)

    def records(self, parser: int) -> Iterator[Any]:
        """What one of the parsers read in each response."""
        return (self._reads[place][0].records[parser] for place in self._places)


def _distances(cells: Cells, items: int) -> dict[str, Floats]:
    """How far the arm took each item's image from what it was; nothing where it was not measured."""
    columns: dict[str, Floats] = {}
    for ordinal, measured in cells.store.distances(cells.arm):
        for name, value in measured.items() if ordinal < items else ():
            columns.setdefault(name, np.full(items, np.nan))[ordinal] = value
    return columns
