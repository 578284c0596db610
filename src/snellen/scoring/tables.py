"""Tables of parsed responses: one per model, benchmark and parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.asked import ModelArm, Rounds, asked_in_rounds
from snellen.asking.repeats import repeats_asked
from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.items import Benchmark, Item
from snellen.judging.answers import OpenAnswerOpinions
from snellen.judging.choice import Settled, Stated, settle_grade
from snellen.judging.judgements import Judgements, gate_of, judgements
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.models.base import ZERO_SHOT
from snellen.prompts import asked_under, find_room
from snellen.reading.columns import NOTHING, Floats, Integers, ReadingColumns, Run
from snellen.reading.open.judged import PeoplesLabels
from snellen.reading.parsers import OPEN, USUAL, Parser, parser_named
from snellen.runtime import few_collections
from snellen.scoring.reading import (
    ArmCells,
    ParserReading,
    ParserReadings,
    Place,
    ResponseParser,
    Words,
    as_originally,
    find_words,
)
from snellen.scoring.reading_plan import ReadingPlan, list_asked_items
from snellen.store import Label, Sampled, Store, StoredResponse
from snellen.stress.table import Grades, Looked, Table, code
from snellen.stress.verdicts.responses import QUESTION, ActLabels

Tables = dict[tuple[str, str], Table]
"""The tables of one parser, by model and benchmark."""


class Portion(NamedTuple):
    """One model on one benchmark, graded together."""

    benchmark: str
    model: str
    revision: str


class ParserTable(NamedTuple):
    """A table, and the parser under which it is listed (`among`)."""

    among: str
    table: Table


Tell = Callable[[int], object]
"""Callback for the number of further responses that were read."""


def portions(study: Mapping[str, Any], benchmarks: Iterable[str]) -> list[Portion]:
    """List the pairs of benchmark and model that are graded separately."""
    return [Portion(name, *model) for name in benchmarks for model in study["models"]]


def grade_study(
    store: Store,
    study: Mapping[str, Any],
    benchmarks: Mapping[str, Benchmark],
    plan: ReadingPlan,
    *,
    unqualified: bool = False,
) -> dict[str, Tables]:
    """Grade a study and return its tables by parser; each response is loaded once.

    Opinions of judges that are not qualified count only with `unqualified`.
    """
    grader = Grader(store, study, benchmarks, plan, unqualified=unqualified)
    with few_collections():
        return group_tables(plan, (grader.tables(each) for each in portions(study, benchmarks)))


def group_tables(plan: ReadingPlan, made: Iterable[Iterable[ParserTable]]) -> dict[str, Tables]:
    """Group the tables by the parser under which they are listed."""
    tables: dict[str, Tables] = {name: {} for name in plan.choice}
    for among, table in chain.from_iterable(made):
        tables.setdefault(among, {})[table.model, table.benchmark] = table
    return tables


class Grader:
    """Grades one model on one benchmark at a time and keeps what all models share."""

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
        self._known: dict[str, tuple[Table, ResponseParser]] = {}

    def tables(self, portion: Portion) -> list[ParserTable]:
        """Return the tables of one model on one benchmark."""
        name, model, revision = portion
        blank, reader = self._prepare(name)
        cells = self._find_cells(portion, blank.items)
        looked = None
        if asked_in_rounds(self.study, name):
            looked = _find_whole_rounds(cells, Rounds.from_items(blank.items, self.study["seed"]))
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
        # Questions without options have one grader, listed under the parser that counts.
        for among, parser in zip(self.plan.choice, reader.graders, strict=False):
            every = heard.add_opinions(made[parser.name])
            kept = {arm: _keep_first(every[arm], each, blank.items) for arm, each in first.items()}
            repeated = {arm: every[arm] for arm in first}
            table = replace(blank, arms={**every, **kept}, parser=parser.name, repeats=repeated)
            for kind, labels in self._labels.items():
                if labels and (parser.kind == OPEN or kind is not PeoplesLabels):
                    table = _add_labels(table, cells, labels, kind, self._sampled)
            readers = _by_reader(table, heard.answers) if parser.kind == OPEN else [table]
            found += [ParserTable(among if at == 0 else each.parser, each) for at, each in enumerate(readers)]
        return found

    def _find_cells(self, portion: Portion, items: Sequence[Item]) -> dict[str, ArmCells]:
        name, model, revision = portion
        number, blind = self.store.studies.model_number(model, revision), model in self.study.get("text_only", ())
        repeats = repeats_asked(self.study, name, len(items))
        return {
            arm: ArmCells(
                self.store,
                number,
                self.store.studies.arm(digest)[0],
                None if repeats is None else repeats.count_runs(arm),
                text_only=blind,
            )
            for arm, digest in self.study["arms"][name].items()
        }

    def _prepare(self, name: str) -> tuple[Table, ResponseParser]:
        if name not in self._known:
            items = list_asked_items(self.study, name, self.benchmarks[name])
            parsers = [parser_named(each) for each in self.plan.graders[name]]
            made = self._make_blank(name, items), ResponseParser(self.store, items, parsers)
            self._known = {name: made}  # only one benchmark is kept, to save memory
        return self._known[name]

    def _make_blank(self, name: str, items: tuple[Item, ...]) -> Table:
        """Table of a benchmark without responses: everything that is the same for all models.

        It says whether the original's prompt leaves room for free text (None if imported), and how each condition
        changed the images.
        """
        arms = {arm: self.store.studies.arm(digest) for arm, digest in self.study["arms"][name].items()}
        own = asked_under(ORIGINAL.name, arms)
        places = {item.id: place for place, item in enumerate(self.benchmarks[name])}
        has_room: bool | None = None
        none = np.empty(0, dtype=np.int64)
        if own and "imported" not in self.study:
            words = arms[own][1].get("prompt") or {}
            has_room = find_room(str(words.get("name", "")), str(words.get("user", "")))
        blank = {}
        for arm, (number, _) in arms.items():
            lent = self.store.variants.lent_images(number)
            shown = self.store.variants.load_image_hashes(number) if lent else {}
            distances: dict[str, Floats] = {}  # how much the condition changed each image, by measure
            for ordinal, measured in self.store.variants.distances(number):
                for measure, value in measured.items() if ordinal < len(items) else ():
                    distances.setdefault(measure, np.full(len(items), np.nan))[ordinal] = value
            blank[arm] = Grades(
                none, none, none.astype(np.uint8), none, none, none.astype(np.uint16),
                distances=distances, donor=find_donors(lent, shown, places, len(items)),
            )  # fmt: skip
        return Table(
            "",
            name,
            items,
            blank,
            ends_known=not self.study.get("unknown_ends"),
            imageless=find_imageless(self.store, {arm: number for arm, (number, _) in arms.items()}, len(items)),
            shown=self.store.variants.load_image_hashes(arms[own][0]) if own else {},
            has_room=has_room,
        )

    def _read(
        self, name: str, cells: Mapping[str, ArmCells], reader: ResponseParser, blank: Table, heard: Judgements
    ) -> dict[str, dict[str, Grades]]:
        """Grades of every condition by parser. Parsers with columns also get the readings of the original."""
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
"""Readings of each parser with columns, by item and repeat."""


def _make_columns(parser: Parser, said: Records, asked: Records) -> ReadingColumns | None:
    return parser.columns(said[parser.name], asked.get(parser.name, {})) if parser.columns is not None else None


def _grade_arm(
    cells: ArmCells, reader: ResponseParser, beside: Sequence[str], stated: Settled, blank: Grades
) -> tuple[Records, dict[str, Grades]]:
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
    key = np.full(len(items), NOTHING, dtype=np.int64)  # of the right options, as the original items number them
    for at, variant in variants.items():
        if isinstance(variant.answer, int):
            key[at] = as_originally(items[at], variant, variant.answer)
    tokens = np.array(thought if any(each is not None for each in thought) else [], dtype=np.float64)
    blank = replace(
        blank,
        ordinal=ordinal,
        replicate=replicate,
        response=response,
        reasoning_tokens=tokens,
        key=key,
        **cells.account(items, replicate),
    )
    graders = [each for each in found if each.parser.outcome is not None]
    by_parser = {each.parser.name: replace(blank, **each.grade()) for each in graders}
    runs = list(zip(ordinal.tolist(), replicate.tolist(), strict=True))
    giving = [each for each in found if each.parser.columns is not None]
    return {each.parser.name: dict(zip(runs, each.records(), strict=True)) for each in giving}, by_parser


class DistinctReadings:
    """Distinct readings of one parser in a condition, and the reading of each response.

    If a condition changed an item, its option numbers are its own, so its readings are not shared with other items.
    """

    def __init__(self, readings: ParserReadings, items: Sequence[Item], variants: Mapping[int, Item]) -> None:
        self.parser = readings.parser
        self._readings = readings
        self._items = items
        self._variants = variants
        self._reads: list[tuple[ParserReading, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._places: list[int] = []

    def add(self, place: Place, words: Words, reply: StoredResponse, opinion: Stated | None) -> None:
        """Read another response; a judge's opinion may settle what the parser left open."""
        at = reply.ordinal
        read = self._readings.read(place, words, reply, self._variants[at])
        if opinion is not None and read.grade is not None:
            read = read._replace(grade=settle_grade(read.grade, self._variants[at], self.parser, opinion))
        key = (id(read), NOTHING if place[0] == NOTHING else at)
        number = self._numbers.setdefault(key, len(self._reads))
        if number == len(self._reads):
            self._reads.append((read, at))
        self._places.append(number)

    def grade(self) -> dict[str, Any]:
        """Return outcome, choice and rule of each response, as fields of `Grades`."""
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
        """Yield the parser's record of each response."""
        return (self._reads[place][0].record for place in self._places)


def find_donors(
    lent: Mapping[int, Mapping[str, Any]], shown: Mapping[int, Sequence[str]], places: Mapping[str, int], items: int
) -> Integers:
    """Find the item that lent each item its image. NOTHING if none; empty if no image was lent.

    `lent` has what the condition drew for each item, perhaps in several parts. `shown` are the images that were sent:
    if several items lent the same image, the first of them is returned for all.
    """
    donors = np.full(items if lent else 0, NOTHING, dtype=np.int64)
    first: dict[Sequence[str], int] = {}
    for at, drawn in sorted(lent.items()):
        parts = (drawn, *(each for each in drawn.values() if isinstance(each, dict)))
        lender = next((str(each["lent_by"]) for each in parts if each.get("lent_by")), "")
        if at < items and lender in places:
            donors[at] = first.setdefault(shown[at], places[lender]) if at in shown else places[lender]
    return donors


def find_imageless(store: Store, arms: Mapping[str, int], items: int) -> NDArray[np.bool_] | None:
    """Find the items that have no image in the original benchmark.

    None if no image is stored at all, as for responses imported without images.
    """
    pictured = {at for arm in arms.values() for at in store.variants.with_images(arm)}
    if not pictured:
        return None
    asked: set[int] = set()
    for name, arm in arms.items():
        label = read_label(name)
        if not label.takes_image:
            asked.update(store.variants.applicable(arm))
        elif label.effects.reads_all_words:  # the condition applies only to items with an image
            pictured.update(store.variants.applicable(arm))
    return np.array([at in asked and at not in pictured for at in range(items)], dtype=bool)


def _leaves_room(room: bool | None, cells: Mapping[str, ArmCells]) -> bool | None:
    """Return whether the prompt leaves room for free text. False if responses are option probabilities."""
    own = asked_under(ORIGINAL.name, cells)
    first = next(cells[own].replies(), None) if own in cells else None
    return False if first is not None and first.finish == ZERO_SHOT else room


def _keep_first(grades: Grades, cells: ArmCells, items: Sequence[Item]) -> Grades:
    """Select the responses that the cells expect and count only these."""
    kept = grades.replicate < (cells.runs[grades.ordinal] if cells.runs is not None else np.inf)
    return replace(grades.select_responses(kept), **cells.account(items, grades.replicate[kept]))


def _find_whole_rounds(cells: Mapping[str, ArmCells], rounds: Rounds) -> Looked:
    """Find the last complete round of each condition; at least the first."""
    once = np.ones(len(rounds.order), dtype=np.int64)
    whole = {
        arm: ModelArm(each.model, each.arm, once if each.runs is None else each.runs, each.text_only).rounds(
            each.store, rounds
        )
        for arm, each in cells.items()
    }
    return Looked(rounds.place, {arm: rounds.items(max(1, number)) for arm, number in whole.items()})


LABELS: Mapping[type[PeoplesLabels | ActLabels], str] = {PeoplesLabels: OPEN_ANSWER.name, ActLabels: QUESTION}
"""Questions that people answer about stored responses, by the columns that the answers fill."""


def _add_labels(
    table: Table,
    cells: Mapping[str, ArmCells],
    labels: Sequence[Label],
    kind: type[PeoplesLabels | ActLabels],
    sampled: Mapping[tuple[int, int], Sampled],
) -> Table:
    """Add people's labels to a table. Labels of what responses do count only from a random sample."""
    arms = dict(table.arms)
    for arm, grades in table.arms.items():
        at = (cells[arm].model, cells[arm].arm)
        said = {(each.ordinal, each.replicate): each.label for each in labels if (each.model, each.arm) == at}
        if said and kind is PeoplesLabels:
            arms[arm] = grades.having(PeoplesLabels.from_labels(said, grades.runs()))
        elif said:
            drawn = sampled.get(at)
            known = said if drawn is None else {run: said[run] for run in drawn.labelled & said.keys()}
            arms[arm] = grades.having(ActLabels.from_labels(known, grades.runs(), drawn))
    return replace(table, arms=arms)


def _by_reader(table: Table, answers: OpenAnswerOpinions) -> list[Table]:
    """Tables of open answers by each grader; the one that counts comes first.

    Judges count if any graded the answers, unless the study's parser is not the usual one.
    """
    by_words = replace(table, judge="", judge_unread=0)
    by_judges = [
        replace(
            table,
            arms=answers.grade_arms(table.arms, reader),
            parser=reader.name,
            judge=", ".join(reader.judges),
            judge_unread=answers.select_judges(reader.judges).unread,
        )
        for reader in answers.readers(table.model)
    ]
    return [*by_judges, by_words] if table.parser == USUAL[OPEN] else [by_words, *by_judges]
