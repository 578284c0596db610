"""First screen of the report: a table with one row per model, and a note on trust.

The columns are accuracy, the three *marks* (the verdicts that every model gets) and tests of suites. Every failed test
is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from snellen.conditions import ImageDegraded, ReportForImage
from snellen.conditions.labels import read_label
from snellen.items import describe_benchmark
from snellen.report.components import Cell, Column, Link, Note, Part, Row, Table
from snellen.report.evidence.acts import Act, link_to
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import anchor_of_measure, number
from snellen.report.result_lines import find_first_arm, measure_accuracy
from snellen.report.sections.headline import DECIDED, listed, short_names
from snellen.report.sections.standing import (
    GUESSES,
    HIGHER,
    LOWER,
    OPEN_QUESTIONS,
    OWN_COLUMNS,
    TASKS,
    WITHOUT_MEANING,
    ModelMarks,
    OwnColumn,
    Standings,
    list_joined,
    list_standings,
    name_column,
    title_test,
)
from snellen.report.sections.tests import ShownTest
from snellen.report.words.arms import arm_label, way_words
from snellen.report.words.numbers import begun, count, from_to
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.flow import follow_study, follow_table
from snellen.scoring.gate import STANDARD, GateDecision, check, parse
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Measure, Status, Unit, Verdict
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import QUESTIONS, describe, percent, share_with_interval

CONDITION_WORDS = {"follows": "another patient’s image", "honest": "no image", "steady": "options reordered"}
MARKED_BETTER = {
    "follows": HIGHER,
    "honest": "admitting: higher is better; inventing: lower is better",
    "steady": LOWER,
}
BESIDE = {"worse": "follows", "change": "follows", "abstain": "honest", "invariant": "steady"}
"""Mark next to which a failed test is named, by the expected behaviour."""
ALSO = "fails:"
ALIKE = (Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD)


def list_tables(evidence: Evidence, sections: Sequence[ShownTest]) -> Iterator[Part]:
    """Yield the table of every benchmark, followed by the verdict on the benchmark."""
    anchors = {each.test.name: each.anchor for each in sections}
    for benchmark, table in list_standings(evidence).items():
        yield _draw_table(evidence, benchmark, table, anchors)
        told: dict[str, list[str]] = {}
        for name, found in table.common.items():
            if found.reason not in WITHOUT_MEANING:
                why, _, remedy = found.meaning.partition("; ")
                why = f"not asked; {remedy}" if found.reason in NOT_ASKED else f"{found.status.words}: {why}; {remedy}"
                told.setdefault(why, []).append(f"“{QUESTIONS[name]}”")
        if told:
            words = " ".join(f"{listed(tests)} {why}." for why, tests in told.items())
            yield Note(words, "For every model:", "below")
        for line in evidence.results.lines:
            if line.benchmark == benchmark:
                failed = line.status is Status.FAIL
                begins, _, says = line.sentence.partition(": ")
                yield Note(says, f"{begins}:", "below", Status.FAIL if failed else None)


def _draw_table(evidence: Evidence, benchmark: str, table: Standings, anchors: Mapping[str, str]) -> Table:
    names = short_names(evidence.results)
    models, marked, own = table.models, table.marked, table.own
    tasks = {words: those for words in TASKS if any(those := [each.find_task(words) for each in models])}
    asked = [found.n for each in models if (found := measure_accuracy(evidence.results, each.model, benchmark))]
    decided = {
        name: [test for each in models if (test := each.find(name)) and test.verdict.rests_on]
        for name in (*marked, *own)
    }
    about = f"{_describe_asked(evidence, benchmark, models, tasks)}, {_describe_n(asked)}"
    score = Column("Accuracy", f"{about}{_describe_guessing(evidence, benchmark)}")
    columns = (
        Column("Model"),
        *([score] if asked else []),
        *(_mark_column(evidence, name, table, decided[name]) for name in marked),
        *(_task_column(*each) for each in tasks.items()),
        *(_own_column(evidence, name, models, decided[name]) for name in own),
    )
    rows = []
    for at, each in enumerate(models):
        fails = _link_fails(each, anchors, shown=own, marked=marked, beside="")
        takes_none = each.model in evidence.results.study.get("text_only", ())
        head = Cell(names[each.model], note="takes no images" if takes_none else "", links=fails, also=ALSO)
        cells = (
            *([_accuracy_cell(evidence, each, benchmark)] if asked else []),
            *_mark_cells(evidence, each, table, anchors),
            *(_task_cell(evidence, each, words, those[at]) for words, those in tasks.items()),
            *(_own_cell(evidence, each, name, anchors) for name in own),
        )
        rows.append(Row(head, cells, each.model, benchmark))
    several = len(evidence.benchmarks) - len(list_joined(evidence)) > 1
    caption = f"{describe_benchmark(benchmark)}, {counted(max(asked), 'question')}" if several and asked else ""
    return Table(columns, tuple(rows), caption, "first")


def _describe_guessing(evidence: Evidence, benchmark: str) -> str:
    """Say what guessing scores. "" if the line on the benchmark says it."""
    results = evidence.results
    table = next((each for (_, name), each in results.tables.items() if name == benchmark), None)
    told = any(each.benchmark == benchmark for each in results.lines)
    chance = 0.0 if told or table is None else sum(each.chance for each in table.items) / max(1, len(table.items))
    return f"; guessing scores {percent(chance)}" if chance else ""


def _task_column(words: str, found: Sequence[Measure | None]) -> Column:
    n = _describe_n([each.estimate.n for each in found if each])
    return Column(words, f"with the image, {n}; no mark" if words == OPEN_QUESTIONS else n)


def _task_cell(evidence: Evidence, model: ModelMarks, words: str, found: Measure | None) -> Cell:
    """Cell with the score in a task, and perhaps that with the report."""
    finding = model.find_family(TASKS[words][0])
    if found is None or finding is None:
        return Cell("–")
    right = finding.measure(ReportForImage.name, "accuracy")
    declined = finding.measure(ReportForImage.name, "abstention_rate")
    note = ""
    if words == OPEN_QUESTIONS and right:
        note = f"with the report in place of the image it answers right: {share_with_interval(right.estimate)}"
        if declined and declined.estimate.value > right.estimate.value:
            note = (
                f"with the report in place of the image it declines: {share_with_interval(declined.estimate)}; no error"
            )
    said = number(found, anchor_of_measure(finding, found, evidence.anchors)).cell(n=False)
    return replace(said, note=note, order=found.estimate.value)


def _describe_asked(
    evidence: Evidence, benchmark: str, models: Sequence[ModelMarks], tasks: Collection[str]
) -> str:  # fmt: skip
    if tasks and list_joined(evidence):
        return "tasks with options"
    arms = {arm for each in models if (arm := find_first_arm(evidence.results, each.model, benchmark))}
    blind = any(each.model in evidence.results.study.get("text_only", ()) for each in models)
    seen = bool(arms) and not blind and all(evidence.has_images(benchmark, arm) for arm in arms)
    return ", ".join(["with the image" if seen else "as asked", *_list_ways(arms)])


def _mark_column(evidence: Evidence, name: str, table: Standings, decided: Sequence[Finding]) -> Column:
    """Column of a mark: changed condition, prompt or effort, n, and which direction is good."""
    if name in table.common:
        return Column(QUESTIONS[name], CONDITION_WORDS[name])
    numbers = {number for each in table.models if name in each.marks for number in each.marks[name].verdict.values}
    alone = "admits_blank" in numbers and "admits_removed" not in numbers
    ways = _list_ways({each.verdict.rests_on.arm for each in decided if each.verdict.rests_on})
    change = "blank image" if alone else CONDITION_WORDS[name]
    about = ", ".join(filter(None, (change, *ways, _count_questions(evidence, decided))))
    return Column(QUESTIONS[name], f"{about}; {MARKED_BETTER[name]}")


def _own_column(evidence: Evidence, name: str, models: Sequence[ModelMarks], decided: Sequence[Finding]) -> Column:
    """Column of a suite's test, with a note on its numbers and settings."""
    column = name_column(name)
    settings = name.removeprefix(column).lstrip(":").replace("=", " ")
    own = OWN_COLUMNS.get(column, OwnColumn(""))
    about = ", ".join(filter(None, (own.note, settings, _count_questions(evidence, decided))))
    title = next(title_test(each.others[name]) for each in models if name in each.others)
    return Column(title, "; ".join(filter(None, (about, own.better))))


def _count_questions(evidence: Evidence, decided: Sequence[Finding]) -> str:
    """Describe the number of questions behind the deciding numbers.

    Also the number of responses if each counts by itself: five requests with twenty seeds each are five questions and a
    hundred responses.
    """
    counts, asked = [], []
    for each in decided:
        if (measure := each.verdict.rests_on) is not None:
            address = ArmAddress(each.model, each.benchmark, measure.arm)
            known = address in evidence.anchors and len(evidence.grades(address))
            counts.append(measure.estimate.n)
            asked.append(len(set(evidence.grades(address).ordinal.tolist())) if known else measure.estimate.n)
    if any(number > questions for number, questions in zip(counts, asked, strict=True)):
        return f"{from_to(counts)} responses to these {counted(max(asked), 'question')} alone"
    return _describe_n(counts)


def _list_ways(arms: Iterable[str]) -> list[str]:
    """List the prompts and efforts of some conditions that are not the usual ones."""
    return sorted({way_words(way) for arm in arms for way in read_label(arm).ways})


def _describe_n(counts: Sequence[int]) -> str:
    ends = sorted({min(counts), max(counts)}) if counts else []
    return f"n {' to '.join(map(count, ends))}" if ends else ""


def _accuracy_cell(evidence: Evidence, model: ModelMarks, benchmark: str) -> Cell:
    found = measure_accuracy(evidence.results, model.model, benchmark)
    if found is None:
        return Cell("–")
    arm = find_first_arm(evidence.results, model.model, benchmark)
    address = ArmAddress(model.model, benchmark, arm)
    guesses = "not shown to beat guessing" if model.guesses and not model.marks else ""
    return Cell(share_with_interval(found), note=guesses, to=link_to(evidence, address, Act.RIGHT), how=found.method,
                order=found.value)  # fmt: skip


def _mark_cells(evidence: Evidence, model: ModelMarks, table: Standings, anchors: Mapping[str, str]) -> list[Cell]:
    own, marked = table.own, table.marked
    found = [model.marks.get(name) for name in marked]
    there = [each for each in found if each is not None]
    if len(there) > 1 and len(there) == len(found):
        reasons = {(each.verdict.status, each.verdict.reason) for each in there}
        if len(reasons) == 1 and there[0].verdict.status in ALIKE:
            fails = _link_fails(model, anchors, shown=own, marked=marked, beside=None)
            return [Cell("", there[0].verdict.status, begun(there[0].verdict.meaning) + ".", links=fails,
                         also=ALSO, columns=len(found))]  # fmt: skip
    return [
        _mark_cell(
            evidence, each, _link_fails(model, anchors, shown=own, marked=marked, beside=name), name in table.common
        )
        if each
        else Cell("–")
        for name, each in zip(marked, found, strict=True)
    ]


def _mark_cell(evidence: Evidence, mark: Finding, fails: tuple[Link, ...], told_below: bool) -> Cell:
    verdict, rests_on = mark.verdict, mark.verdict.rests_on
    words = describe(mark.test.name, verdict.reason, verdict.values)
    to = ""
    if rests_on is not None:
        acts = {"honest": Act.INVENTS if verdict.reason == "invents" else Act.ADMITS}
        act = acts.get(mark.test.name)
        to = link_to(evidence, ArmAddress(mark.model, mark.benchmark, rests_on.arm), act)
    decided = verdict.status in (Status.PASS, Status.FAIL)
    note = words.cell.of if decided else "Why: see below." if told_below else f"{begun(verdict.meaning)}."
    if verdict.status is Status.FAIL and mark.test.name == "follows":
        note = f"of its skill; it {words.meaning}"
    order = rests_on.estimate.value if rests_on is not None else None
    how = rests_on.how if rests_on is not None else ""
    return Cell(words.cell.value if decided else "", verdict.status, note, to, how, links=fails, also=ALSO,
                order=order)  # fmt: skip


def _own_cell(evidence: Evidence, model: ModelMarks, name: str, anchors: Mapping[str, str]) -> Cell:
    """Cell with the verdict of a suite's test and the number behind it.

    If it fails, links lead to other failed settings of the same test.
    """
    finding = model.others.get(name)
    if finding is None:
        return Cell("–")
    verdict = finding.verdict
    status = None if verdict.status is Status.REPORTED else verdict.status
    rests_on = verdict.rests_on or next((each for each in finding.measures if each.name == finding.test.headline), None)
    if verdict.reason in GUESSES:
        return Cell("", status, "Not shown to beat guessing: no skill to lose.")
    column = OWN_COLUMNS.get(name_column(name), OwnColumn(""))
    mean = finding.measure("all artefacts", "mean_accuracy") if column.mean else None
    lines = [
        number(each, anchor_of_measure(finding, each, evidence.anchors)).cell(f"{column.mean}:", n=False)
        for each in [mean]
        if each is not None
    ]
    if rests_on is None or not isfinite(rests_on.estimate.value):
        return Cell("" if status else "–", status, verdict.meaning, lines=tuple(lines))
    shown = finding.measure(rests_on.arm, column.shows) or rests_on
    said = number(shown, anchor_of_measure(finding, shown, evidence.anchors))
    own = "" if shown.name in (finding.test.headline, column.shows) else f"{shown.kind.words}, {arm_label(shown.arm)}"
    prompts = {read_label(each.arm).ways for each in finding.measures if each.name == shown.name}
    chosen = read_label(shown.arm).has(ImageDegraded) or len(prompts) > 1
    worst = f"worst: {arm_label(shown.arm)}" if chosen else ""
    why = "" if worst and verdict.status is Status.FAIL else _explain_own(model, verdict, shown)
    links = _link_settings(model, name, anchors) if verdict.status is Status.FAIL else ()
    note = "; ".join(filter(None, (finding.doubt, own, worst, why)))
    return Cell(said.said, status, note, said.anchor, said.method, lines=tuple(lines), links=links,
                also=f"also {ALSO}", order=shown.estimate.value)  # fmt: skip


def _explain_own(model: ModelMarks, verdict: Verdict, rests_on: Measure) -> str:
    """Explain a suite's number: why it is open, or which difference fails."""
    if verdict.status is Status.REPORTED:
        return "but not shown to beat guessing" if model.guesses else ""
    unexplained = verdict.status is Status.FAIL and rests_on.kind.unit is not Unit.POINTS
    return "" if unexplained or verdict.status is Status.PASS else verdict.meaning


def _link_settings(model: ModelMarks, name: str, anchors: Mapping[str, str]) -> tuple[Link, ...]:
    """Links to other failed settings of a failed test, named by how they differ."""
    links = []
    for other in (each for each in model.others if _fails_as(model, each, name)):
        own, shown = (test.partition(":")[2].split(",") for test in (other, name))
        ways = [f"prompt “{way}”" for way in _list_ways([model.others[other].test.baseline.name])]
        named = [each.replace("=", " ") for each in own if each not in shown and not each.startswith("prompt=")]
        words = ", ".join([*ways, *named]) or model.others[other].test.label
        links.append(Link(words, anchors.get(other, "verdicts")))
    return tuple(links)


def _fails_as(model: ModelMarks, name: str, shown: str) -> bool:
    """True if a test and the shown test of the same family both fail."""
    same = name != shown and name not in OWN_COLUMNS and name_column(name) == name_column(shown)
    failing = (model.others[each].verdict.status for each in (name, shown) if each in model.others)
    return same and list(failing) == [Status.FAIL, Status.FAIL]


def _link_fails(
    model: ModelMarks, anchors: Mapping[str, str], *, shown: Sequence[str], marked: Sequence[str], beside: str | None
) -> tuple[Link, ...]:
    """Links to failed tests without a column that are named next to the mark `beside`.

    "" asks for the tests that belong to no mark; None asks for all that belong to any mark.
    """
    found = []
    for name, each in model.others.items():
        home = BESIDE.get(each.test.expects, "")
        home = home if home in marked and home in model.marks else ""
        wanted = bool(home) if beside is None else home == beside
        told = name in shown or any(_fails_as(model, name, other) for other in shown)
        told = told or _repeats(model.marks.get(home), each)
        if each.verdict.status is Status.FAIL and not told and wanted:
            words = ", ".join(filter(None, (each.test.label.rstrip("?") or name, each.doubt)))
            found.append(Link(words, anchors.get(name, "verdicts")))
    return tuple(found)


def _repeats(mark: Finding | None, other: Finding) -> bool:
    """True if a mark fails by the same images as another test."""
    if mark is None or mark.verdict.status is not Status.FAIL:
        return False
    arms = {each.verdict.rests_on.arm for each in (mark, other) if each.verdict.rests_on}
    return len(arms) == 1


def describe_trust(evidence: Evidence) -> list[Part]:
    """Describe how far to trust the results: missing responses, delivery and error rates."""
    results = evidence.results
    flow = follow_study(results)
    here = f"{flow.arrived_in_words} {'is' if flow.arrived == 1 else 'are'} here"
    lost = f"; {count(flow.asked - flow.arrived)} of {count(flow.asked)} are missing"
    whole = f"All {here}" if flow.arrived == flow.asked else f"{here}{lost}"
    sentences = [f"{whole}.", *_describe_arrival(results), *_describe_unsure(results)]
    intervals = "intervals"
    if results.stops:
        intervals = f"confidence sequences over at most {max(each.questions for each in results.stops):,} questions"
    sentences.append(f"Parentheses are 95% {intervals}.")
    if any(each.verdict.status in DECIDED for each in results.marks):
        sentences += [results.error_rate, _describe_policy(results)]
    links = (Link("How the marks are made", "methods"), Link("What was asked and answered", "account"))
    return [Note(" ".join(filter(None, sentences)), "Can this be trusted?", "below", links=links)]


def _describe_policy(results: Results) -> str:
    """Say how many models meet the policy of three passes."""
    made = check(results, parse([STANDARD])).checks
    judged = {each.model for each in made}
    met = len(judged - {each.model for each in made if each.decision is not GateDecision.MET})
    meet, of = "meets" if met == 1 else "meet", counted(len(judged), "model")
    return f"Of {of}, {met} {meet} the policy “{STANDARD}”, which needs all three passes."


def _describe_arrival(results: Results) -> Iterator[str]:
    names = short_names(results)
    by_status: dict[Arrival, list[str]] = {}
    for each in results.delivery:
        by_status.setdefault(each.status, []).append(names[each.model])
    sure, unknown = by_status.get(Arrival.CONFIRMED, []), by_status.get(Arrival.UNKNOWN, [])
    if sure and not unknown and Arrival.CONTRADICTED not in by_status:
        yield "Images are confirmed to have reached every model."
    elif sure:
        yield f"Images are confirmed to have reached {listed(sure)}."
    if unknown:
        yield f"Nothing shows whether images reached {listed(unknown)}."
    if lost := by_status.get(Arrival.CONTRADICTED):
        yield f"Images seem not to have reached {listed(lost)}."


def _describe_unsure(results: Results) -> Iterator[str]:
    names, flow = short_names(results), follow_study(results)
    whose = {names[model] for (model, _), table in results.tables.items() if follow_table(table).unsure}
    if flow.unsure:
        of = f", all of {min(whose)}" if len(whose) == 1 and len(names) > 1 else ""
        are = "is" if flow.unsure == 1 else "are"
        moved = [f"“{title_test(each)}” of {names.get(each.model, each.model)} (then {each.unsure.without.words})"
                 for each in results.own_findings
                 if each.unsure is not None and each.doubt]  # fmt: skip
        without = f"; without them {counted(len(moved), 'verdict')} would change: {listed(moved)}" if moved else ""
        if not moved and any(each.verdict.status in DECIDED for each in results.own_findings):
            without = "; without them no verdict would change"
        yield f"Of {counted(flow.outcomes.total(), 'reading')}, {count(flow.unsure)} {are} unsure{of}{without}."
