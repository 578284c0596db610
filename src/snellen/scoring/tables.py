"""Every stored response of a study, graded: one table a model and benchmark, for each parser that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.plan import epochs_asked, limit_asked, read_by
from snellen.asking.settled import Asked, Rounds, asked_in_rounds
from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.grading.columns import NEW_OPTION, NOTHING, Columns, Floats, Integers, Run
from snellen.grading.open.judged import PeoplesLabels
from snellen.grading.parsers import (
    CHOICE,
    OPEN,
    REPORT,
    USUAL,
    WITHOUT_IMAGE,
    Parser,
    graded,
    our_parsers,
    parser_named,
)
from snellen.grading.parsers import read_by as said_by
from snellen.items import Benchmark, Item
from snellen.judging import gate_of, judgements, settled
from snellen.judging.answers import Answers
from snellen.judging.choice import Settled
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.prompts import asked_under
from snellen.runtime import few_collections
from snellen.store import Label, Reply, Store, as_changed
from snellen.stress.base import StressTest, asked_of
from snellen.stress.table import Grades, Looked, Table, code

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
    gate = gate_of(store, unqualified=unqualified)
    labels = store.labels(OPEN_ANSWER.name)
    tables: dict[str, Tables] = {parser.name: {} for parser in chosen.choice}
    with few_collections():
        for name, benchmark in benchmarks.items():
            items = benchmark.items[: limit_asked(study, name)]
            arms = {arm: store.arm(digest) for arm, digest in study["arms"][name].items()}
            epochs = epochs_asked(study, name)
            kind = next((read_by(record) for _, record in arms.values()), CHOICE)
            parsers = chosen.of_kind(kind)
            needed = read_for(asked_of(tests, name, Benchmark(name, items).kind))
            always = chosen.beside if kind == CHOICE else ()
            rounds = Rounds.of(items, study["seed"]) if asked_in_rounds(study, name) else None
            beside = {arm: (*always, *needed.get(arm, ())) for arm in arms}
            for model, revision in study["models"]:
                number = store.model(model, revision)
                blind = model in study.get("text_only", ())
                cells = {arm: Cells(store, number, at, epochs, text_only=blind) for arm, (at, _) in arms.items()}
                looked = None
                if rounds is not None:
                    looked = _looked(cells, rounds)
                    cells = {arm: each._replace(only=looked.place < looked.asked[arm]) for arm, each in cells.items()}
                heard = judgements(store, study, name, (model, revision), gate)
                made = _by_parser(cells, items, parsers, beside, heard.stated.by_reply)
                # What is not asked with options stands among the tables of the parser that counts.
                for place, parser in zip(list(tables), parsers, strict=False):
                    table = Table(
                        model,
                        name,
                        items,
                        heard.on(made[parser.name]),
                        parser.name,
                        heard.judge,
                        heard.unread,
                        heard.stated.by_reply,
                        held_back=tuple(each.sentence for each in heard.held_back),
                        ends_known=not study.get("unknown_ends"),
                        looked=looked,
                    )
                    if kind == OPEN and labels:
                        table = _labelled(table, cells, labels)
                    readers = _by_reader(table, heard.answers, named=chosen.open) if kind == OPEN else [table]
                    tables[place][model, name] = readers[0]
                    for other in readers[1:]:
                        tables.setdefault(other.parser, {})[model, name] = other
    return tables


def _looked(cells: Mapping[str, Cells], rounds: Rounds) -> Looked:
    """How far each arm was asked: to the end of the last round that is whole, and of the first round at least."""
    whole = {
        arm: Asked(each.model, each.arm, each.epochs or 1, each.text_only).rounds(each.store, rounds)
        for arm, each in cells.items()
    }
    return Looked(rounds.place, {arm: rounds.items(max(1, number)) for arm, number in whole.items()})


def read_for(tests: Iterable[StressTest]) -> dict[str, tuple[Parser, ...]]:
    """By arm, the parsers that some of these tests need there."""
    named: dict[str, dict[str, None]] = {}
    for test in tests:
        for arm in test.all_arms if test.parsers else ():
            named.setdefault(arm.name, {}).update(dict.fromkeys(test.parsers))
    return {arm: tuple(map(parser_named, names)) for arm, names in named.items()}


def _labelled(table: Table, cells: Mapping[str, Cells], labels: Sequence[Label]) -> Table:
    """The table with what people say of its responses."""
    arms = dict(table.arms)
    for arm, grades in table.arms.items():
        at = (cells[arm].model, cells[arm].arm)
        said = {(each.ordinal, each.replicate): each.label for each in labels if (each.model, each.arm) == at}
        if said:
            arms[arm] = grades.having(PeoplesLabels.of(said, grades.runs()))
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
    cells: Mapping[str, Cells],
    items: Sequence[Item],
    parsers: Sequence[Parser],
    beside: Mapping[str, Sequence[Parser]],
    stated: Mapping[str, Settled],
) -> dict[str, dict[str, Grades]]:
    """The grades of every arm by each parser; the arm as asked is read first, since others are held against it."""
    asked: Records = {}
    made: dict[str, dict[str, Grades]] = {parser.name: {} for parser in parsers}
    as_it_is = asked_under(ORIGINAL.name, cells)
    for arm in sorted(cells, key=lambda arm: arm != as_it_is):
        said, by_parser = _grades(cells[arm], items, parsers, beside[arm], stated.get(arm, {}))
        alike = [_columns(parser, said, asked) for parser in beside[arm]]
        for parser in parsers:
            columns = [each for each in (*alike, _columns(parser, said, asked)) if each is not None]
            made[parser.name][arm] = by_parser[parser.name].having(*columns)
        if arm == as_it_is:
            asked = said
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
    """Where one model's responses under one arm lie; `epochs` is None where nobody said how many there should be."""

    store: Store
    model: int
    arm: int
    epochs: int | None
    text_only: bool = False
    only: NDArray[np.bool_] | None = None
    """The items that count, where those are not all."""

    def replies(self) -> Iterator[Reply]:
        """The responses, of the items and epochs that count."""
        found = self.store.replies(self.model, self.arm)
        counting = (reply for reply in found if self.epochs is None or reply.replicate < self.epochs)
        return (reply for reply in counting if self.counts(reply.ordinal))

    def counts(self, ordinal: int) -> bool:
        """Whether an item counts."""
        return self.only is None or (ordinal < len(self.only) and bool(self.only[ordinal]))

    def unasked(self) -> dict[int, str]:
        """The items that the model was not asked, with the reason."""
        return not_asked(self.store, self.arm, text_only=self.text_only)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """What has no meaning, what failed, and how many responses there should be, as fields of Grades."""
        reasons = [reason for at, reason in self.unasked().items() if at < len(items) and self.counts(at)]
        wanted = len(items) if self.only is None else int(self.only.sum())
        if self.epochs is None:
            tried = [each for _, each, _ in self.store.failed_cells(self.model, self.arm)]
            runs = len(np.unique(np.append(replicates, np.array(tried, dtype=np.int64))))
        else:
            runs = self.epochs
        return {
            "inapplicable": {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
            "failed": self.store.failures(self.model, self.arm, items=len(items), epochs=self.epochs),
            "wanted": (wanted - len(reasons)) * runs,
            "epochs": runs,
        }


def _grades(
    cells: Cells, items: Sequence[Item], parsers: Sequence[Parser], beside: Sequence[Parser], stated: Settled
) -> tuple[Records, dict[str, Grades]]:
    """Every response of an arm, read against the item as the arm left it."""
    changes = cells.store.changes(cells.arm).items()
    variants = {i: as_changed(items[i], changed) for i, changed in changes if i < len(items)}
    places: list[tuple[int, int, int]] = []
    thought: list[int | None] = []
    said: Records = {parser.name: {} for parser in (*parsers, *beside)}
    read: dict[str, list[tuple[int, int, int]]] = {parser.name: [] for parser in parsers}
    rules: dict[str, dict[str, int]] = {parser.name: {} for parser in parsers}
    for reply in cells.replies():
        if reply.ordinal not in variants:
            continue
        original, variant = items[reply.ordinal], variants[reply.ordinal]
        run = (reply.ordinal, reply.replicate)
        places.append((*run, reply.response))
        thought.append(reply.reasoning_tokens)
        for parser in beside:
            said[parser.name][run] = said_by(parser, reply, variant)
        for parser in parsers:
            grade, record = graded(reply, variant, parser)
            grade = settled(grade, variant, parser, stated.get(run))
            rule = rules[parser.name].setdefault(grade.rule, len(rules[parser.name]))
            read[parser.name].append((code(grade.outcome), _chosen(original, variant, grade.choice), rule))
            if parser.columns is not None:
                said[parser.name][run] = record
    ordinal, replicate, response = np.array(places, dtype=np.int64).reshape(-1, 3).T
    account, far = cells.account(items, replicate), _distances(cells, len(items))
    tokens = np.array(thought if any(each is not None for each in thought) else [], dtype=np.float64)
    key = np.full(len(items), NOTHING, dtype=np.int64)
    for at, variant in variants.items():
        if isinstance(variant.answer, int):
            key[at] = _chosen(items[at], variant, variant.answer)
    by_parser = {}
    for parser in parsers:
        outcome, chosen, rule_of = np.array(read[parser.name], dtype=np.int64).reshape(-1, 3).T
        by_parser[parser.name] = Grades(
            ordinal=ordinal,
            replicate=replicate,
            outcome=outcome.astype(np.uint8),
            chosen=chosen,
            response=response,
            rule=rule_of.astype(np.uint16),
            rules=tuple(rules[parser.name]),
            key=key,
            reasoning_tokens=tokens,
            distances=far,
            **account,
        )
    return said, by_parser


def _distances(cells: Cells, items: int) -> dict[str, Floats]:
    """How far the arm took each item's image from what it was; nothing where it was not measured."""
    columns: dict[str, Floats] = {}
    for ordinal, measured in cells.store.distances(cells.arm):
        for name, value in measured.items() if ordinal < items else ():
            columns.setdefault(name, np.full(items, np.nan))[ordinal] = value
    return columns


def _chosen(original: Item, variant: Item, choice: int | None) -> int:
    """The chosen option as the original item numbers it; one that it does not have, by its own place."""
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION - choice
