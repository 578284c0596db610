"""Before you rely on this: what so many questions cannot show, whether images arrived, and how responses were read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from snellen.grading.outcomes import Outcome
from snellen.grading.parsers import OPEN, USUAL
from snellen.report.evidence.evidence import Evidence, outcome_counts
from snellen.report.lookup import family
from snellen.report.sections.account import Tallied
from snellen.report.sections.graders import all_premised, judges_of
from snellen.report.sections.headline import listed, short_names
from snellen.report.words.numbers import count, figure, from_to
from snellen.scoring.settled import HOLDS, NOT_COMPARED, asked_until
from snellen.sight.delivery import Arrival
from snellen.stress.reasoning_tokens import doubt

NO_ANSWER = {
    Outcome.UNPARSED: ("could not be parsed", "could not be parsed"),
    Outcome.TRUNCATED: ("is truncated", "are truncated"),
    Outcome.EMPTY: ("is empty", "are empty"),
    Outcome.REFUSED: ("refuses", "refuse"),
    Outcome.ABSTAINED: ("says that it cannot tell", "say that they cannot tell"),
    Outcome.FLAGGED_QUALITY: ("calls the image too poor", "call the image too poor"),
}
"""What a response does that states no answer, for one and for several."""


class Limit(NamedTuple):
    """One thing that limits what may be concluded, and where the page says more."""

    heading: str
    sentence: str
    anchor: str


def limits(evidence: Evidence, accounting: list[Tallied]) -> list[Limit]:
    """What a reader should know before relying on the numbers."""
    return [
        *_power(evidence),
        *_stopped(evidence),
        *_delivery(evidence),
        *_pictures(evidence),
        *_patients(evidence),
        *_effort(evidence),
        _reading(evidence),
        *_judges(evidence),
        _completeness(evidence, accounting),
    ]


def _power(evidence: Evidence) -> Iterator[Limit]:
    """The smallest drop without the image that could be shown, over the models."""
    for benchmark in evidence.benchmarks:
        found = [
            measure
            for each in evidence.results.findings
            if family(each) in ("image-needed", "blank-image") and each.benchmark == benchmark
            for measure in each.measures
            if measure.name == "difference" and measure.detectable
        ]
        if not found:
            continue
        drops = [each.detectable or 0.0 for each in found]
        first, last = (figure(value, "points").lstrip("+") for value in (min(drops), max(drops)))
        least = first if first == last else f"{first.partition(' ')[0]} to {last} (by model and condition)"
        on = f" on {benchmark}" if evidence.several else ""
        items = from_to([each.estimate.n for each in found])
        said = f"With {items} questions{on}, drops under {least} could not be detected (80% power)."
        yield Limit("Power", said, "methods")


def _stopped(evidence: Evidence) -> Iterator[Limit]:
    """After how many questions asking stopped, and what that means for the numbers."""
    results, names = evidence.results, short_names(evidence.results)
    told = [
        f"{names[model]}{f' on {benchmark}' if evidence.several else ''}: {said}."
        for (model, benchmark), table in results.tables.items()
        if (said := asked_until(table, [each for each in results.own_findings if each.is_of(model, benchmark)]))
    ]
    if told:
        several = len(results.study["models"]) > 1
        rest = f" {NOT_COMPARED}" if several else ""
        yield Limit("Early stopping", f"{' '.join(told)} {HOLDS}{rest}", "numbers")


def _delivery(evidence: Evidence) -> Iterator[Limit]:
    names = short_names(evidence.results)
    found = evidence.results.delivery
    if evidence.imported and all(each.status is Arrival.UNKNOWN for each in found):
        yield Limit("Delivery of images", "Not known: nothing in the imported files tells.", "delivery")
        return
    if not found:
        return
    by_status = {
        status: listed([names[each.model] for each in found if each.status is status])
        for status in Arrival
        if any(each.status is status for each in found)
    }
    words = {
        Arrival.CONFIRMED: "Confirmed by what came back for {}.",
        Arrival.CONTRADICTED: "Contradicted for {}: no verdict is drawn.",
        Arrival.UNKNOWN: "Unknown for {}: what came back does not settle it.",
    }
    if set(by_status) == {Arrival.CONFIRMED}:
        yield Limit("Delivery of images", "Confirmed for every model by what came back.", "delivery")
        return
    said = " ".join(words[status].format(who) for status, who in by_status.items())
    yield Limit("Delivery of images", said, "delivery")


def _pictures(evidence: Evidence) -> Iterator[Limit]:
    """By which rules images were sent that were not sent as they are, and which show next to nothing."""
    several = len(evidence.results.pictures) > 1
    said = [
        f"{name}: {sentence}" if several else sentence
        for name, sent in evidence.results.pictures.items()
        for sentence in sent.sentences()
    ]
    if said:
        yield Limit("Images as sent", " ".join(said), "provenance")


def _patients(evidence: Evidence) -> Iterator[Limit]:
    """On which benchmarks items name no patient, and what counts as one there."""
    tables = {name: table for (_, name), table in evidence.results.tables.items()}
    for name, table in tables.items():
        if table.names_patients:
            continue
        unnamed = sum(not table.items[place].cluster for place in table.asked)
        some = "No patient is named" if unnamed == len(table.asked) else f"{count(unnamed)} items name no patient"
        on = f" on {name}" if evidence.several else ""
        groups = f"{count(len(table.items))} items count as {count(len(set(table.patients.tolist())))} patients"
        said = f"{some}{on}: for verdicts, items that share an image or a case text count as one. {groups}."
        yield Limit("Patients", said, "numbers")


def _effort(evidence: Evidence) -> Iterator[Limit]:
    """Of whom it is not shown that they took the efforts that tests set; a setting may be ignored in silence."""
    names = short_names(evidence.results)
    why: dict[str, dict[str, None]] = {}
    for finding in evidence.results.findings:
        measures = {(each.arm, each.name): each for each in finding.measures}
        if finding.measures and (said := doubt(finding.test, measures)):
            why.setdefault(said, {})[names[finding.model]] = None
    if why:
        told = " ".join(f"{listed(list(models))}: {said}." for said, models in why.items())
        yield Limit("Reasoning effort", told, "numbers")


def _reading(evidence: Evidence) -> Limit:
    """How many responses gave an answer, and what the others were."""
    totals = dict.fromkeys(Outcome, 0)
    for address in evidence.with_options:
        for outcome, number in outcome_counts(evidence.grades(address)).items():
            totals[outcome] += number
    every = sum(totals.values())
    others = [f"{count(totals[each])} {words[totals[each] > 1]}" for each, words in NO_ANSWER.items() if totals[each]]
    if not every:
        return Limit("Reading of responses", _in_words(evidence), "parsers")
    answered = totals[Outcome.CORRECT] + totals[Outcome.WRONG]
    which = " to questions with options" if evidence.open_questions else ""
    said = f"{count(answered)} of {count(every)} responses{which} state an answer"
    also = f"; {', '.join(others)}" if others else ""
    in_words = f" {_in_words(evidence)}" if evidence.open_questions else ""
    return Limit("Reading of responses", f"{said}{also}. Read by rules{_unsure(evidence)}.{in_words}", "parsers")


def _in_words(evidence: Evidence) -> str:
    """Who read responses where there are no options."""
    if not evidence.open_questions:
        return "Responses in free text were read by rules."
    addresses = [address for address in evidence.anchors if address.benchmark in evidence.open_questions]
    by_judges = sum(len(evidence.grades(each)) for each in addresses if evidence.table(each).by_judges)
    every = sum(len(evidence.grades(each)) for each in addresses)
    if not by_judges and all(all_premised(evidence.table(each)) for each in addresses):
        return f"{count(every)} answers in words were read by rules for what they do about the premise."
    if not by_judges:
        return f"{count(every)} answers in words were compared with their references by rules."
    rest = f", the others by words alone ({count(every - by_judges)})" if by_judges < every else ""
    return f"{count(by_judges)} answers in words were graded by the opinions of judges{rest}."


def _judges(evidence: Evidence) -> Iterator[Limit]:
    """What judges said that is not published, and what is told of open answers without a judge."""
    for sentence in evidence.results.held_back:
        yield Limit("Judge held back", sentence, "provenance")
    open_ones = evidence.open_questions
    readers = {table.parser for (_, name), table in evidence.results.tables.items() if name in open_ones}
    if USUAL[OPEN] in readers:
        said = (
            "Open answers were compared with their references by words alone, which is weaker than a qualified judge."
        )
        if all(all_premised(evidence.results.tables[at]) for at in evidence.results.tables if at[1] in open_ones):
            said = "Whether a premise is corrected was read by words alone, which is weaker than a qualified judge."
        yield Limit("Open answers", said, "parsers")
    judges = dict.fromkeys(
        judge for (_, name), table in evidence.results.tables.items() if name in evidence.open_questions
        for judge in judges_of(table)
    )  # fmt: skip
    unknown = [judge for judge in judges if not any(name == judge for name, _ in evidence.qualifications)]
    failing = [name for (name, _), each in evidence.qualifications.items() if name in judges and not each["qualified"]]
    if doubtful := [*unknown, *dict.fromkeys(failing)]:
        says = (
            "says of answers in words counts here, though it is"
            if len(doubtful) == 1
            else ("say of answers in words counts here, though they are")
        )
        said = f"What {listed(doubtful)} {says} not qualified."
        yield Limit("Judge not qualified", said, "parsers")


def _unsure(evidence: Evidence) -> str:
    choosing = {address.benchmark for address in evidence.with_options}
    tables = [table for (_, name), table in evidence.results.tables.items() if name in choosing]
    number = sum(int(table.unsure(arm).sum()) for table in tables for arm in table.arms)
    return f"; {count(number)} of the readings are unsure" if number else ""


def _completeness(evidence: Evidence, accounting: list[Tallied]) -> Limit:
    if evidence.imported:
        there = sum(each.replies for each in accounting)
        return Limit(
            "Completeness", f"{count(there)} responses were imported; how many were planned is not known.", "account"
        )
    wanted = sum(each.wanted for each in accounting)
    missing = sum(sum(each.missing.values()) for each in accounting)
    inapplicable = sum(sum(each.inapplicable.values()) * each.epochs for each in accounting)
    planned = wanted - inapplicable
    if not missing:
        return Limit("Completeness", f"All {count(planned)} planned responses are there.", "account")
    return Limit("Completeness", f"{count(missing)} of {count(planned)} planned responses are missing.", "account")
