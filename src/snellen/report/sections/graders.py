"""Graders of open answers (rules and judges), with their agreement with people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from snellen.conditions import ImageMismatched
from snellen.conditions.labels import read_label
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.parsers import JUDGE, MISMATCHED, OPEN, PREMISED, USUAL, Parser, parser_named
from snellen.report.components import Words, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.numbers import count
from snellen.stress.table import Table

QUESTIONS = {
    "open answer": "free-text answers",
    "mismatch": "contradictions between text and image",
    "premise": "what questions take for granted",
}
"""Questions to judges, and what they are about in words."""


def list_graders(evidence: Evidence) -> Iterator[tuple[Words, Words]]:
    """Yield the parsers and judges of open answers, with their agreement."""
    own = dict.fromkeys(table.parser for table in _open_tables(evidence))
    others = (table.parser for tables in evidence.results.judged.values() for table in tables.values())
    beside = [name for name in dict.fromkeys(others) if name not in own]
    own |= dict.fromkeys(USUAL[MISMATCHED] for _ in _list_contradictory(evidence))
    by_rules = [table for table in _open_tables(evidence) if not table.by_judges]
    if any(item.premise is not None for table in by_rules for item in table.items):
        own[USUAL[PREMISED]] = None
    several = len([name for name in own if name != USUAL[MISMATCHED]]) > 1
    for name in [*own, *beside]:
        about = "for contradictions between text and image" if name == USUAL[MISMATCHED] else "for free-text answers"
        counts = "one of those that count here" if several else "the one that counts here"
        words = " ".join([f"{parser_named(name).words.rstrip('.')}.", *_list_agreement(evidence, name)])
        yield rich("`{}` {}, {}", name, about, counts if name in own else "compared only"), words


def describe_graders(evidence: Evidence) -> list[str]:
    """Describe who graded free-text answers, by benchmark if that differs."""
    said = {name: graded_by(evidence, name) for name in sorted(evidence.open_questions)}
    alike = len({tuple(each) for each in said.values()}) < 2
    told = []
    for name, sentences in list(said.items())[: 1 if alike else None]:
        of = "Free-text answers" if alike else f"Free-text answers to {name}"
        told += [f"{of}: {each[0].lower()}{each[1:]}" if at == 0 else each for at, each in enumerate(sentences)]
    return told


def graded_by(evidence: Evidence, benchmark: str) -> list[str]:
    """Describe who graded a benchmark's open answers, and how reliably."""
    tables = [table for table in _open_tables(evidence) if table.benchmark == benchmark]
    made = list(dict.fromkeys(_describe_grading(table) for table in tables))
    judges = dict.fromkeys(judge for table in tables for judge in judges_of(table))
    in_words = dict.fromkeys(table.parser for table in tables if not judges_of(table))
    agreement = [sentence for parser in in_words for sentence in _list_agreement(evidence, parser)]
    return [
        *made,
        *agreement,
        *(sentence for judge in judges for sentence in _describe_human_agreement(evidence, judge)),
    ]


def contradictions_read_by(evidence: Evidence) -> list[str]:
    """Describe which parser or judges read whether responses name contradictions.

    These are contradictions between text and image.
    """
    parser = parser_named(USUAL[MISMATCHED])
    judged = [part for table in _open_tables(evidence) if judges_of(part := _select_contradictions(table))]
    made = [_describe_grading(part) for part in judged]
    if _list_contradictory(evidence):
        made.append(f"Read by rules, by the parser “{parser.name}”. {' '.join(_describe_agreement(parser))}")
    return list(dict.fromkeys(made))


def _select_contradictions(table: Table) -> Table:
    """Select the conditions in which text and image contradict each other."""
    return replace(table, arms={arm: each for arm, each in table.arms.items() if read_label(arm).has(ImageMismatched)})


def _list_contradictory(evidence: Evidence) -> list[Table]:
    """Tables of the conditions with contradictory text and image, if only rules read them."""
    parts = (_select_contradictions(table) for table in _open_tables(evidence))
    return [part for part in parts if part.arms and not part.by_judges]


def all_premised(table: Table) -> bool:
    """Return True if all questions have a premise, so no reference is used."""
    return all(item.premise is not None for item in table.items)


def judges_of(table: Table) -> tuple[str, ...]:
    """Return the judges whose opinions a table uses. Empty if rules graded it."""
    found = (grades.of(JudgedAnswers) for grades in table.arms.values())
    return next((each.judges for each in found if each is not None), ())


def _open_tables(evidence: Evidence) -> list[Table]:
    return [table for (_, name), table in evidence.results.tables.items() if name in evidence.open_questions]


def _describe_grading(table: Table) -> str:
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


def _list_agreement(evidence: Evidence, name: str) -> tuple[str, ...]:
    if name.startswith(JUDGE):
        return tuple(_describe_human_agreement(evidence, name.removeprefix(JUDGE)))
    if name in (USUAL[OPEN], USUAL[MISMATCHED], USUAL[PREMISED]):
        return tuple(_describe_agreement(parser_named(name)))
    return ()


def _describe_human_agreement(evidence: Evidence, judge: str) -> Iterator[str]:
    """Yield how well a judge agrees with people on each question."""
    found = [each for (name, _), each in evidence.qualifications.items() if name == judge]
    for each in found:
        value, low, high = (float("nan") if number is None else number for number in each["kappa"])
        said = f"agrees with people with κ {value:.2f} ({low:.2f} to {high:.2f}) on {count(each['n'])} labels"
        unfit = "" if each["qualified"] else f" (not qualified: {each['why_not']})"
        yield f"{judge} {said}{unfit} on {QUESTIONS.get(each['question'], each['question'])}."
    if not found:
        yield f"The agreement of {judge} with people is unknown."


def _describe_agreement(parser: Parser) -> Iterator[str]:
    for each in parser.read_agreement():
        if "kappa" in each and "n" in each:
            value, low, high = each["kappa"]
            yield (
                f"Compared with labels that are not from clinicians, its κ is {value:.2f} ({low:.2f} to {high:.2f}) on "
                f"{count(each['n'])} responses ({each.get('of', 'labelled')})."
            )
            return  # the first is on responses that were not used to write the rules
    yield "Its agreement with people has not been measured."
