"""Who graded free-text answers: words alone, a judge or several, and how far each agrees with people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from snellen.conditions import ImageMismatched
from snellen.conditions.labels import read_label
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.parsers import JUDGE, MISMATCHED, OPEN, PREMISED, USUAL, Parser, parser_named
from snellen.report.components import Words, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.glossary import parser_words
from snellen.report.words.numbers import count
from snellen.stress.table import Table

QUESTIONS = {
    "open answer": "free-text answers",
    "mismatch": "contradictions between text and image",
    "premise": "what questions take for granted",
}
"""What judges are asked of open questions, and what their answers are about."""


def list_graders(evidence: Evidence) -> Iterator[tuple[Words, Words]]:
    """Every parser and judge that read free-text answers, and its agreement with people; those that count first."""
    own = dict.fromkeys(table.parser for table in _open_tables(evidence))
    others = (table.parser for tables in evidence.results.judged.values() for table in tables.values())
    beside = [name for name in dict.fromkeys(others) if name not in own]
    own |= dict.fromkeys(USUAL[MISMATCHED] for _ in _contradictory(evidence))
    own |= dict.fromkeys(USUAL[PREMISED] for table in _open_tables(evidence) if _by_premise(table))
    several = len([name for name in own if name != USUAL[MISMATCHED]]) > 1
    for name in [*own, *beside]:
        about = "for contradictions between text and image" if name == USUAL[MISMATCHED] else "for free-text answers"
        counts = "one of those that count here" if several else "the one that counts here"
        words = " ".join([f"{parser_words(name).rstrip('.')}.", *_agreement(evidence, name)])
        yield rich("`{}` {}, {}", name, about, counts if name in own else "compared only"), words


def describe_graders(evidence: Evidence) -> list[str]:
    """Who graded free-text answers, in sentences; for each benchmark if that differs."""
    said = {name: graded_by(evidence, name) for name in sorted(evidence.open_questions)}
    alike = len({tuple(each) for each in said.values()}) < 2
    told = []
    for name, sentences in list(said.items())[: 1 if alike else None]:
        of = "Free-text answers" if alike else f"Free-text answers to {name}"
        told += [f"{of}: {each[0].lower()}{each[1:]}" if at == 0 else each for at, each in enumerate(sentences)]
    return told


def graded_by(evidence: Evidence, benchmark: str) -> list[str]:
    """Sentences that say who graded the free-text answers to a benchmark, and how far to trust it."""
    tables = [table for table in _open_tables(evidence) if table.benchmark == benchmark]
    made = list(dict.fromkeys(_sentence(table) for table in tables))
    judges = dict.fromkeys(judge for table in tables for judge in judges_of(table))
    in_words = dict.fromkeys(table.parser for table in tables if not judges_of(table))
    agreement = [sentence for parser in in_words for sentence in _agreement(evidence, parser)]
    return [*made, *agreement, *(sentence for judge in judges for sentence in _with_people(evidence, judge))]


def contradictions_read_by(evidence: Evidence) -> list[str]:
    """Sentences that say who read whether contradictions between text and image are named."""
    parser = parser_named(USUAL[MISMATCHED])
    judged = [part for table in _open_tables(evidence) if judges_of(part := _of_contradictions(table))]
    made = [_sentence(part) for part in judged]
    if _contradictory(evidence):
        made.append(f"Read by rules, by the parser “{parser.name}”. {' '.join(_measured(parser))}")
    return list(dict.fromkeys(made))


def _of_contradictions(table: Table) -> Table:
    """The conditions of a table under which a contradiction is to be named."""
    return replace(table, arms={arm: each for arm, each in table.arms.items() if read_label(arm).has(ImageMismatched)})


def _contradictory(evidence: Evidence) -> list[Table]:
    """The conditions with contradictory images, of each table whose words were read there by rules."""
    parts = (_of_contradictions(table) for table in _open_tables(evidence))
    return [part for part in parts if part.arms and not part.by_judges]


def _by_premise(table: Table) -> bool:
    """Whether some of its responses are read by what they do about a premise, and no judge did so."""
    return not table.by_judges and any(item.premise is not None for item in table.items)


def all_premised(table: Table) -> bool:
    """Whether all its questions take something for granted, so that no response was compared with a reference."""
    return all(item.premise is not None for item in table.items)


def judges_of(table: Table) -> tuple[str, ...]:
    """The judges whose opinions a table rests on; none where it rests on words."""
    found = (grades.of(JudgedAnswers) for grades in table.arms.values())
    return next((each.judges for each in found if each is not None), ())


def _open_tables(evidence: Evidence) -> list[Table]:
    return [table for (_, name), table in evidence.results.tables.items() if name in evidence.open_questions]


def _sentence(table: Table) -> str:
    judges = judges_of(table)
    if not judges and all_premised(table):
        return f"Read by rules, by the parser “{USUAL[PREMISED]}”, for what a response does about the premise."
    if not judges:
        return (
            f"Graded by words alone, by the parser “{table.parser}”: a response is right if it says what a reference "
            "says. That is weaker than a qualified judge."
        )
    judged = [
        (found.counts.sum(axis=2), len(grades.ungraded))
        for grades in table.arms.values()
        if (found := grades.of(JudgedAnswers)) is not None
    ]
    opinions = np.concatenate([counts for counts, _ in judged])
    most, responses = int(opinions.max(initial=0)), len(opinions) + sum(ungraded for _, ungraded in judged)
    each = f"{most} opinions" if most > 1 else "one opinion"
    whole = len(opinions) == responses and bool((opinions == most).all())
    on_which = "on every response" if whole else "at most on a response"
    if len(judges) == 1:
        made = f"Graded by the judge {judges[0]}, with {each} {on_which}."
    else:
        made = f"Graded by {len(judges)} judges, {', '.join(judges)}, each with {each} {on_which} and counting alike."
    if whole:
        return made
    graded = zip(judges, (opinions > 0).sum(axis=0).tolist(), strict=True)
    by_each = ", ".join(f"{judge} graded {count(some)}" for judge, some in graded)
    return f"{made} Of {count(responses)} responses {by_each}."


def _agreement(evidence: Evidence, name: str) -> tuple[str, ...]:
    if name.startswith(JUDGE):
        return tuple(_with_people(evidence, name.removeprefix(JUDGE)))
    if name in (USUAL[OPEN], USUAL[MISMATCHED], USUAL[PREMISED]):
        return tuple(_measured(parser_named(name)))
    return ()


def _with_people(evidence: Evidence, judge: str) -> Iterator[str]:
    """How far a judge agrees with people on what it was asked."""
    found = [each for (name, _), each in evidence.qualifications.items() if name == judge]
    for each in found:
        yield f"{judge} {_kappa(each)} on {QUESTIONS.get(each['question'], each['question'])}."
    if not found:
        yield f"How far {judge} agrees with people is not known."


def _kappa(record: Mapping[str, Any]) -> str:
    value, low, high = (float("nan") if each is None else each for each in record["kappa"])
    said = f"agrees with people with κ {value:.2f} ({low:.2f} to {high:.2f}) on {count(record['n'])} labels"
    return said if record["qualified"] else f"{said} and does not qualify: {record['why_not']};"


def _measured(parser: Parser) -> Iterator[str]:
    for each in parser.measured():
        if "kappa" in each and "n" in each:
            value, low, high = each["kappa"]
            yield (
                f"Against labels that no clinician gave its κ is {value:.2f} ({low:.2f} to {high:.2f}) on "
                f"{count(each['n'])} responses ({each.get('of', 'labelled')})."
            )
            return  # the first is the one on responses that the rules were not made with
    yield "How far it agrees with people has not been measured."
