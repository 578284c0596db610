"""Sections on limits, on what was asked and answered, and on methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from snellen.items import describe_benchmark
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import OPEN, USUAL
from snellen.report.components import (
    Card,
    Cards,
    Cell,
    Fold,
    Link,
    Listing,
    Note,
    Part,
    Row,
    Section,
    Table,
    Words,
    fold_if_long,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import Evidence, people
from snellen.report.lookup import family
from snellen.report.sections.graders import all_premised, describe_graders, judges_of
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.tests import ShownTest
from snellen.report.words.arms import arm_label
from snellen.report.words.glossary import method_words
from snellen.report.words.numbers import begun, count, figure, from_to
from snellen.runtime import counted
from snellen.scoring.flow import Flow, follow_arm, follow_study, follow_table
from snellen.scoring.results import Results
from snellen.scoring.settled import HOLDS, NOT_COMPARED, asked_until
from snellen.sight.delivery import Arrival
from snellen.stress.measures import FEWEST, KINDS
from snellen.stress.reasoning_tokens import doubt
from snellen.stress.table import Table as Graded
from snellen.stress.verdicts.sentences import QUESTIONS

READ = {
    "an answer": (Outcome.CORRECT, Outcome.WRONG, Outcome.UNCLEAR, Outcome.SCORED),
    "declines, cannot tell, or calls the image too poor": (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY),
    "could not be read": (Outcome.UNPARSED,),
    "cut off": (Outcome.TRUNCATED,),
    "empty": (Outcome.EMPTY,),
}
"""Groups of outcomes, as the flow of responses counts them."""
NOT_IN_FILES, NOT_ASKED = "not in the files", "not asked"
"""Names of missing responses: of imported ones, and of a study's own."""
MOST_ACROSS = 8
"""Largest number of models as columns of a flow; more models become rows."""
MOST_ROWS = 50
"""Largest number of broken rows that are listed."""
SUMS = (
    "A planned response is asked for or not applicable. A response that is asked for arrives, fails or is missing. "
    "The outcomes below add up to the responses that arrived."
)


def draw_account(evidence: Evidence, shown: Sequence[ShownTest]) -> Section:
    """Draw what was asked and answered, whether images arrived, and what was left out."""
    basis = (
        f"{begun(follow_study(evidence.results).arrived_in_words)} are the basis of this page. A question without a "
        "response, or to which a condition does not apply, is counted here and never scored as a wrong answer."
    )
    asked = Note(basis), draw_flow(evidence, shown), _draw_conditions(evidence)
    parts = (*asked, *_draw_delivery(evidence), *_draw_left_out(evidence))
    return Section("What was asked and answered", parts, "account")


# Flow of questions and responses ---------------------------------------------------------------------------------


def draw_flow(evidence: Evidence, shown: Sequence[ShownTest]) -> Fold:
    """Draw the flow from questions to verdicts, as in reports of clinical trials."""
    anchors = {each.test.name: each.anchor for each in shown}
    flow = follow_study(evidence.results)
    names = dict.fromkeys(name for _, name in evidence.results.tables)
    tables = [_draw_benchmark(evidence, name, anchors) for name in names]
    lost = f", {count(flow.asked - flow.arrived)} missing" if flow.asked > flow.arrived else ""
    known = "" if evidence.imported else f"{count(flow.planned)} planned, {count(flow.asked)} asked for, "
    result = f"{known}{count(flow.arrived)} arrived{lost}"
    return Fold("Flow of questions and responses", (*tables, quiet(SUMS)), result, "flow")


def _draw_benchmark(evidence: Evidence, benchmark: str, anchors: Mapping[str, str]) -> Table:
    names = short_names(evidence.results)
    tables = [table for (_, name), table in evidence.results.tables.items() if name == benchmark]
    steps = [*_list_questions(evidence, benchmark, tables), *_list_responses(evidence, tables)]
    steps += _list_uses(evidence, tables, anchors)
    models = [names[table.model] for table in tables]
    columns = name_columns("step", numbers=models)
    if len(models) > MOST_ACROSS:
        columns = name_columns("model", numbers=[str(step.head.words) for step in steps])
        steps = [write_row(name, *(step.cells[at] for step in steps)) for at, name in enumerate(models)]
    return Table(columns, tuple(steps), describe_benchmark(benchmark))


def _list_questions(evidence: Evidence, benchmark: str, tables: Sequence[Graded]) -> Iterator[Row]:
    broken = len(evidence.results.left_out.get(benchmark, ()))
    rows = [len(evidence.results.benchmarks[benchmark]) + broken] * len(tables)
    asked = [table.questions_asked for table in tables]
    yield _step("of the benchmark", rows, "Questions")
    if broken:
        yield _step("left out: their row is broken", [broken] * len(tables))
    if rows != [each + broken for each in asked]:
        beyond = [number - broken - each for number, each in zip(rows, asked, strict=True)]
        yield _step("not asked: beyond the limit, or asking stopped before", beyond)
    yield _step("asked under at least one condition", asked)


def _list_responses(evidence: Evidence, tables: Sequence[Graded]) -> Iterator[Row]:
    flows = [follow_table(table) for table in tables]
    planned, asked = [each.planned for each in flows], [each.asked for each in flows]
    if not evidence.imported:
        yield _step("planned: every question under every condition", planned, "Responses")
        for reason in dict.fromkeys(reason for each in flows for reason in each.inapplicable):
            under = ", ".join(
                dict.fromkeys(arm_label(arm) for table in tables for arm, grades in table.arms.items()
                              if reason in grades.inapplicable)
            )  # fmt: skip
            yield _step(f"not applicable ({under}): {reason}", [each.inapplicable[reason] for each in flows])
        yield _step("asked for", asked)
    for error in dict.fromkeys(error for each in flows for error in each.failed):
        yield _step(f"failed: {error}", [each.failed[error] for each in flows])
    if any(each.missing for each in flows):
        yield _step(NOT_IN_FILES if evidence.imported else NOT_ASKED, [each.missing for each in flows])
    yield _step("arrived", [each.arrived for each in flows])
    if any(each.second for each in flows):
        yield _step("first responses", [each.first for each in flows], "Responses that arrived")
        yield _step("second responses, to see whether the model is steady", [each.second for each in flows])
    for words, outcomes in READ.items():
        numbers = [sum(each.outcomes[outcome] for outcome in outcomes) for each in flows]
        if any(numbers) or words == "an answer":
            yield _step(words, numbers, "What was read in them")
    if any(each.ungraded for each in flows):
        yield _step("not graded by any judge", [each.ungraded for each in flows])
    yield _step("unsure readings among all of these", [each.unsure for each in flows])


def _list_uses(evidence: Evidence, tables: Sequence[Graded], anchors: Mapping[str, str]) -> Iterator[Row]:
    """Yield, for each verdict, the n of the number on which it is based."""
    heading = "Used in each verdict (n of its deciding measure)"
    for name, anchor in anchors.items():
        of_test = (each for each in reversed(evidence.results.own_findings) if each.test.name == name)
        rest_on = {(each.model, each.benchmark): each.verdict.rests_on for each in of_test if each.verdict.rests_on}
        measures = [rest_on.get((table.model, table.benchmark)) for table in tables]
        found = [measure.estimate.n if measure else 0 for measure in measures]
        if any(found):
            label = QUESTIONS.get(name, name)
            yield write_row(Cell(label, to=anchor), *(count(each) if each else "–" for each in found), heading=heading)


def _step(words: str, numbers: Sequence[int], heading: str = "") -> Row:
    return write_row(words, *map(count, numbers), heading=heading)


# Conditions, delivery, rows left out -----------------------------------------------------------------------------


def _draw_conditions(evidence: Evidence) -> Table | Fold:
    rows, lost = [], NOT_IN_FILES if evidence.imported else NOT_ASKED
    for address, anchor in evidence.anchors.items():
        flow = follow_arm(evidence.table(address), address.arm)
        second = f"and {count(flow.second)} second ones" if flow.second else ""
        missing = {lost: flow.missing} if flow.missing else {}
        rows.append(write_row(
            Cell(f"{address.model}, {arm_label(address.arm)}", note=describe_benchmark(address.benchmark)),
            "not known" if evidence.imported else count(flow.planned), Cell(count(flow.first), to=anchor, n=second),
            ", ".join(f"{why} {count(number)}" for why, number in {**flow.failed, **missing}.items()) or "–",
            "; ".join(f"{reason}: {count(number)}" for reason, number in flow.inapplicable.items()) or "–",
            model=address.model, benchmark=address.benchmark,
        ))  # fmt: skip
    columns = name_columns("model, condition", numbers=("planned", "responses"),
                           more=("no response, by error", "not applicable, by reason"))  # fmt: skip
    return fold_if_long(Table(columns, tuple(rows)), f"Each of the {count(len(rows))} conditions")


def _draw_delivery(evidence: Evidence) -> Iterator[Section]:
    found = evidence.results.delivery
    if not found:
        return
    told = (
        "Sending an image does not prove that it arrived. The evidence comes from three numbers: input tokens that the "
        "server counted for the same words with and without an image, responses that say there is no image, and "
        "accuracy with and without the image."
    )
    rows = tuple(write_row(each.model, each.benchmark, each.status.value, " ".join(each.sentences)) for each in found)
    columns = name_columns("model", "benchmark", "delivery", "evidence")
    numbers = {status: sum(each.status is status for each in found) for status in Arrival}
    said = ", ".join(f"{number} {status.value}" for status, number in numbers.items() if number)
    lost = bool(numbers[Arrival.CONTRADICTED])
    evident = Fold("The evidence for each model", (Table(columns, rows),), said, open=lost)
    yield Section("Did the images arrive?", (Note(told), evident), "delivery")


def _draw_left_out(evidence: Evidence) -> Iterator[Fold]:
    """Yield the broken rows of each benchmark, and how they differ from the others."""
    for name, rows in evidence.results.left_out.items():
        benchmark = evidence.results.benchmarks.get(name)
        differ = benchmark.about.get("left_out", ()) if benchmark else ()
        listed = tuple(Cell(rich("{}, `{}`: {}", each.where, each.item_id, each.reason)) for each in rows[:MOST_ROWS])
        parts: list[Part] = [*(Note(f"{begun(each)}.") for each in differ), Listing(listed, "dots")]
        parts += [quiet(f"The first {MOST_ROWS} of {count(len(rows))}.")] if len(rows) > MOST_ROWS else []
        title = f"{name}: {counted(len(rows), 'broken row')} left out"
        yield Fold(title, tuple(parts), "these rows differ from the rows kept" if differ else "")


# How the numbers were made ---------------------------------------------------------------------------------------


def draw_numbers(evidence: Evidence) -> Section:
    """Draw the rules behind the numbers, and every method with its uses."""
    rows = tuple(write_row(Cell(words, note=name), measures) for name, words, measures in methods(evidence.results))
    table = Table(name_columns("method, with its name and parser", "used for"), rows)
    used = Fold("Methods, and what each was used for", (table,), str(len(rows)))
    rules = tuple(Cell(each) for each in _list_rules(evidence))
    return Section("How the numbers are made", (Listing(rules, "dots"), used), "numbers")


def _list_rules(evidence: Evidence) -> Iterator[Words]:
    results = evidence.results
    yield rich(
        "**Accuracy** is the share of right answers among all responses. A refusal, “I cannot tell”, and a response "
        "that is cut off, empty or cannot be read do not count as right. Each of these also has a rate of its own, and "
        "**accuracy on answered questions** leaves them out."
    )
    yield rich(
        "Several responses to one question are averaged first, so that n counts **questions**. It counts **responses** "
        "for the share of failed calls, if a judge is compared with rules, or if every response is drawn "
        "independently, as in the mirage bias. It counts **runs** for the spread between runs. Questions about one "
        "patient are not treated as independent."
    )
    yield rich("The **change in accuracy** compares the same questions under both conditions.")
    if evidence.with_options:
        yield rich(
            "**Choices that changed** is the share of questions to which the model chose another option. It counts the "
            "questions that were answered under both conditions."
        )
    yield rich(
        "Each model on each benchmark is one family of tests. The p-values of its tests are corrected together, after "
        "**Holm**. All intervals are 95% confidence intervals and are not corrected."
    )
    if "until_settled" in results.study:
        yield rich(
            "**Asking stopped once the verdicts were settled** on {}. The questions were asked in a random order (seed "
            "{}), and the verdicts were looked at repeatedly. Intervals there are **95% confidence sequences** by "
            "betting, which hold at all looks together. A p-value is one over what the bets won, multiplied by the "
            "number of tests (Bonferroni). A verdict is settled if it passes or fails by its usual rule with these "
            "intervals. Numbers without a known interval of this kind have none.",
            ", ".join(results.study["until_settled"]),
            results.study["seed"],
        )
    yield (
        "“Can show a change with 80% power” is the smallest change that would be significant at the 5% level with 80% "
        "probability, given how often answers flipped here."
    )
    yield _describe_reading(evidence)
    if evidence.open_questions:
        yield rich(
            "A free-text answer that is neither right nor wrong is **unclear**. Accuracy counts it as not right. The "
            "numbers with unclear in their names count it as a half, as wrong, or not at all."
        )
    if known := people(results.study):
        yield known.note


def _describe_reading(evidence: Evidence) -> Words:
    """Name the parsers that read the responses, with a link to their rules."""
    study = evidence.results.study
    said = []
    if evidence.with_options:
        of = " to a question with options" if evidence.open_questions else ""
        said.append(rich("Every response{} is read by the parser **“{}”**.", of, study["parser"]))
    if evidence.own_questions:
        said.append(rich("Responses to questions without an image are read by **“{}”**.", study["admissions_by"]))
    rules = ["These parsers use rules, and every response names the rule that read it."] if said else []
    more = rich("[How the responses were read](#parsers) has the rules. Every number names its parser.")
    return rich(
        " ".join(["{}"] * (len(said) + len(rules) + 2)), *said, *rules, " ".join(describe_graders(evidence)), more
    )


class Method(NamedTuple):
    """A method of calculation, and the measures that used it."""

    name: str
    words: str
    measures: str


def methods(results: Results) -> list[Method]:
    """List every method behind a number of this study."""
    used: dict[str, tuple[str, dict[str, None]]] = {}
    for measure in (each for found in results.every_finding for each in found.measures):
        used.setdefault(measure.how, (measure.estimate.method, {}))[1][measure.kind.words] = None
    made = [Method(name, method_words(method), ", ".join(words)) for name, (method, words) in used.items()]
    changes = [(each, m.arm) for each in results.findings for m in each.measures if m.name == "difference"]
    if lacking := sum(finding.measure(arm, "cohens_d") is None for finding, arm in changes):
        why = (
            f"Not given for {lacking:,} of {len(changes):,} changes: all items changed alike, or fewer than {FEWEST} "
            "changed differently from the rest. The standard deviation is then 0 or near 0, so d is undefined or "
            "depends on those few items."
        )
        made.append(Method("no Cohen's d", why, KINDS["cohens_d"].words))
    return made


# Limits --------------------------------------------------------------------------------------------------------------


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
            said = "Corrections of a premise were read by words alone, which is weaker than a qualified judge."
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
