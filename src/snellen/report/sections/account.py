"""Section on what was asked and answered, and on the methods behind the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.items import describe_benchmark
from snellen.reading.outcomes import Outcome
from snellen.report.components import (
    Cell,
    Fold,
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
from snellen.report.sections.graders import describe_graders
from snellen.report.sections.headline import short_names
from snellen.report.sections.tests import ShownTest
from snellen.report.words.arms import arm_label
from snellen.report.words.glossary import method_words
from snellen.report.words.numbers import begun, count
from snellen.runtime import counted
from snellen.scoring.flow import follow_arm, follow_study, follow_table
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.measures import FEWEST, KINDS
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
    "Every planned response was asked for or not applicable. Every one asked for arrived, failed or is missing. The "
    "outcomes below add up to the responses that arrived."
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
    heading = "Used in each verdict (n of its deciding number)"
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
        "What we sent does not prove what arrived. The evidence is the number of input tokens that the server counted "
        "for the same words with an image and without, the responses that say there is no image, and whether answers "
        "are better with the image."
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
        yield Fold(title, tuple(parts), "they differ from those kept" if differ else "")


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
        "**accuracy of those answered** leaves them out."
    )
    yield rich(
        "Several responses to one question are averaged first, so that n counts **questions**. It counts **responses** "
        "if none came, if a judge is compared with rules or if every response is drawn independently, as in the mirage "
        "bias; and **runs** for the spread between runs. Questions about one patient are not treated as independent."
    )
    yield rich("The **change in accuracy** compares the same questions under both conditions.")
    if evidence.with_options:
        yield rich(
            "**Choices that changed** is the share of questions for which another option was chosen, among those that "
            "were answered under both conditions."
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
            "number of tests (Bonferroni). A verdict is settled if it passes or fails by its usual rule with these. "
            "Numbers for which no such interval is known have none.",
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
    rules = ["These parsers go by rules, and every response names the rule that read it."] if said else []
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
