"""Section on the limits of a study: power, delivery, reading and others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import OPEN, USUAL
from snellen.report.components import Card, Cards, Link, Note, Section
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.report.sections.graders import all_premised, judges_of
from snellen.report.sections.headline import listed, short_names
from snellen.report.words.numbers import count, figure, from_to
from snellen.runtime import counted
from snellen.scoring.flow import Flow, follow_study, follow_table
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
"""What a response without an answer does, in singular and plural."""


def draw_limits(evidence: Evidence) -> Section:
    """Draw what a reader should know before relying on the numbers."""
    cards = (
        *_limit_power(evidence),
        *_limit_stopping(evidence),
        *_limit_delivery(evidence),
        *_limit_images(evidence),
        *_limit_patients(evidence),
        *_limit_effort(evidence),
        _limit_reading(evidence),
        *_limit_judges(evidence),
        _limit_completeness(evidence),
    )
    return Section("Before you rely on this", (Cards(cards),), "limits")


def _card(heading: str, sentence: str, anchor: str) -> Card:
    return Card(heading, (Note(sentence, links=(Link("More", anchor),)),))


def _limit_power(evidence: Evidence) -> Iterator[Card]:
    """Smallest loss of accuracy without the image that could be detected, over the models."""
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
        yield _card("Power", said, "methods")


def _limit_stopping(evidence: Evidence) -> Iterator[Card]:
    """Number of questions after which asking stopped, and what follows for the numbers."""
    results, names = evidence.results, short_names(evidence.results)
    told = [
        f"{names[model]}{f' on {benchmark}' if evidence.several else ''}: {said}."
        for (model, benchmark), table in results.tables.items()
        if (said := asked_until(table, [each for each in results.own_findings if each.is_of(model, benchmark)]))
    ]
    if told:
        several = len(results.study["models"]) > 1
        rest = f" {NOT_COMPARED}" if several else ""
        yield _card("Early stopping", f"{' '.join(told)} {HOLDS}{rest}", "numbers")


def _limit_delivery(evidence: Evidence) -> Iterator[Card]:
    names = short_names(evidence.results)
    found = evidence.results.delivery
    if evidence.imported and all(each.status is Arrival.UNKNOWN for each in found):
        unknown = "Unknown: the imported files do not show it."
        yield _card("Delivery of images", unknown, "delivery" if found else "account")
        return
    if not found:
        return
    words = {
        Arrival.CONFIRMED: "Confirmed for {} by what the server returned.",
        Arrival.CONTRADICTED: "Contradicted for {}: no verdict is drawn.",
        Arrival.UNKNOWN: "Unknown for {}: what the server returned does not settle it.",
    }
    models = {status: [names[each.model] for each in found if each.status is status] for status in words}
    told = [words[status].format(listed(those)) for status, those in models.items() if those]
    every = "Confirmed for every model by what the server returned."
    only_confirmed = {each.status for each in found} == {Arrival.CONFIRMED}
    yield _card("Delivery of images", every if only_confirmed else " ".join(told), "delivery")


def _limit_images(evidence: Evidence) -> Iterator[Card]:
    """How images were changed, and which are almost uniform."""
    several = len(evidence.results.pictures) > 1
    said = [
        f"{name}: {sentence}" if several else sentence
        for name, sent in evidence.results.pictures.items()
        for sentence in sent.sentences()
    ]
    if said:
        yield _card("Images as sent", " ".join(said), "provenance")


def _limit_patients(evidence: Evidence) -> Iterator[Card]:
    """Benchmarks that do not name patients, and what counts as one patient there."""
    tables = {name: table for (_, name), table in evidence.results.tables.items()}
    for name, table in tables.items():
        if table.names_patients:
            continue
        unnamed = sum(not table.items[place].cluster for place in table.asked)
        some = "No patient is named" if unnamed == len(table.asked) else f"{count(unnamed)} items name no patient"
        on = f" on {name}" if evidence.several else ""
        groups = f"{count(len(table.items))} items count as {count(len(set(table.patients.tolist())))} patients"
        said = f"{some}{on}: for verdicts, items that share an image or a case text count as one. {groups}."
        yield _card("Patients", said, "numbers")


def _limit_effort(evidence: Evidence) -> Iterator[Card]:
    """Models that are not shown to use the requested reasoning effort."""
    names = short_names(evidence.results)
    why: dict[str, dict[str, None]] = {}
    for finding in evidence.results.findings:
        measures = {(each.arm, each.name): each for each in finding.measures}
        if finding.measures and (said := doubt(finding.test, measures)):
            why.setdefault(said, {})[names[finding.model]] = None
    if why:
        told = " ".join(f"{listed(list(models))}: {said}." for said, models in why.items())
        yield _card("Reasoning effort", told, "numbers")


def _limit_reading(evidence: Evidence) -> Card:
    """Number of responses that state an answer, and what the others do."""
    choosing = {address.benchmark for address in evidence.with_options}
    tables = [table for (_, name), table in evidence.results.tables.items() if name in choosing]
    flow = reduce(add, map(follow_table, tables), Flow())
    totals = flow.outcomes
    every = totals.total()
    others = [f"{count(totals[each])} {words[totals[each] > 1]}" for each, words in NO_ANSWER.items() if totals[each]]
    if not every:
        return _card("Reading of responses", _describe_free_text(evidence), "parsers")
    answered = totals[Outcome.CORRECT] + totals[Outcome.WRONG]
    which = " to questions with options" if evidence.open_questions else ""
    said = f"{count(answered)} of {count(every)} responses{which} state an answer"
    also = f"; {', '.join(others)}" if others else ""
    in_words = f" {_describe_free_text(evidence)}" if evidence.open_questions else ""
    unsure = f"; {count(flow.unsure)} of the readings are unsure" if flow.unsure else ""
    return _card("Reading of responses", f"{said}{also}. Read by rules{unsure}.{in_words}", "parsers")


def _describe_free_text(evidence: Evidence) -> str:
    if not evidence.open_questions:
        return "Responses in free text were read by rules."
    addresses = [address for address in evidence.anchors if address.benchmark in evidence.open_questions]
    by_judges = sum(len(evidence.grades(each)) for each in addresses if evidence.table(each).by_judges)
    every = sum(len(evidence.grades(each)) for each in addresses)
    if not by_judges and all(all_premised(evidence.table(each)) for each in addresses):
        return f"{count(every)} free-text answers were read by rules for what they do about the premise."
    if not by_judges:
        return f"{count(every)} free-text answers were compared with their references by rules."
    rest = f", the others by their words alone ({count(every - by_judges)})" if by_judges < every else ""
    return f"{count(by_judges)} free-text answers were graded by the opinions of judges{rest}."


def _limit_judges(evidence: Evidence) -> Iterator[Card]:
    """Opinions of judges that are not published, and free-text answers without a qualified judge."""
    for sentence in evidence.results.held_back:
        yield _card("Judge held back", sentence, "provenance")
    tables = [table for (_, name), table in evidence.results.tables.items() if name in evidence.open_questions]
    if USUAL[OPEN] in {table.parser for table in tables}:
        said = "Free-text answers were compared with references by words alone, which is weaker than a judge."
        if all(map(all_premised, tables)):
            said = "Whether a premise is corrected was read by words alone, which is weaker than a qualified judge."
        yield _card("Open answers", said, "parsers")
    judges = dict.fromkeys(judge for table in tables for judge in judges_of(table))
    unknown = [judge for judge in judges if not any(name == judge for name, _ in evidence.qualifications)]
    failing = [name for (name, _), each in evidence.qualifications.items() if name in judges and not each["qualified"]]
    if doubtful := [*unknown, *dict.fromkeys(failing)]:
        judge = "this judge is" if len(doubtful) == 1 else "these judges are"
        said = f"Grades of free-text answers by {listed(doubtful)} count here, although {judge} not qualified."
        yield _card("Judge not qualified", said, "parsers")


def _limit_completeness(evidence: Evidence) -> Card:
    flow = follow_study(evidence.results)
    if evidence.imported:
        said = f"{counted(flow.arrived, 'response')} were imported; how many were planned is not known."
    elif flow.arrived == flow.asked:
        said = f"All {flow.arrived_in_words} that were asked for are here."
    else:
        said = f"{count(flow.asked - flow.arrived)} of {count(flow.asked)} responses are missing."
    return _card("Completeness", said, "flow")
