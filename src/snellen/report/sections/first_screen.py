"""The first screen: one row a model with its accuracy, its marks and every failed test, and whether to trust it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.conditions.labels import read_label
from snellen.items import describe_benchmark, whole_of
from snellen.report.components import Cell, Column, Link, Note, Part, Row, Table
from snellen.report.evidence.acts import Act, link_to
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import anchor_of_measure, number
from snellen.report.result_lines import find_first_arm, measure_accuracy
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.tests import ShownTest
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import begun, count, from_to
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.flow import follow_study, follow_table
from snellen.scoring.gate import STANDARD, check, parse
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Measure, Status
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import QUESTIONS, describe, share_with_interval

CONDITION_WORDS = {"follows": "another patient’s image", "honest": "no image", "steady": "options reordered"}


class OwnColumn(NamedTuple):
    """The column of a suite's test: its words, which direction of its numbers is good, and what they are about."""

    words: str
    better: str = ""
    note: str = ""


HIGHER, LOWER, NEARER = "higher is better", "lower is better", "the nearer to 0 the better"
OWN_COLUMNS = {
    "mirage-rate": OwnColumn("Describes images never sent?", LOWER, "no image, worst prompt"),
    "mirage-bias": OwnColumn("Diagnoses images never sent?", LOWER, "no image"),
    "weak-artefacts": OwnColumn("Accurate on poorer images?", NEARER),
    "strong-artefacts": OwnColumn("Flags unreadable images?", HIGHER),
    "mismatched-image": OwnColumn("Notices a wrong image?", HIGHER),
    "false-premise": OwnColumn("Corrects a false premise?", HIGHER),
    "unknown-option:image=removed": OwnColumn("Takes “Unknown” without the image?", HIGHER),
    "chain-of-thought": OwnColumn("Unharmed by reasoning?", NEARER),
    "text-needed": OwnColumn("Needs the question?", LOWER),
    "reports": OwnColumn("Reports need the image?"),
    "mirage-score": OwnColumn("Score kept without the image", LOWER, "mirage score"),
    "robustness": OwnColumn("Robustness R", HIGHER),
}
"""Tests of suites that have a column of their own, whatever their other settings, in this order.

Any other failed test is named beside the marks.
"""
MARKED_BETTER = {
    "follows": HIGHER,
    "honest": "admitting: higher is better; inventing: lower is better",
    "steady": LOWER,
}
POORER = {"weak-artefacts": "weak artefacts", "strong-artefacts": "strong artefacts"}
"""Tests whose accuracies stand below the one with the images as they are."""
TASKS = {
    "Knowledge": ("pathway-choices", "original", "accuracy", "task=knowledge"),
    "Clinical note": ("pathway-choices", "original", "accuracy", "task=note"),
    "Image": ("pathway-choices", "original", "accuracy", "task=image"),
    "Report for the image": ("pathway-answers", "report-for-image", "accuracy", ""),
    "Findings F1": ("reports", "original", "findings_f1", ""),
}
"""Tasks with a column of their own: the test, its condition, what is measured, and of which questions."""
MOST_COLUMNS = 4
"""So many columns of suites stand beside the marks; what has no room is named where it fails."""
BESIDE = {"worse": "follows", "change": "follows", "abstain": "honest", "invariant": "steady"}
"""In which column a failed test is named, by what is expected of a good model."""
COMMON = (*NOT_ASKED, "no-options", "no-images", "no-room-for-words", "few-items", "few-patients", "few-swaps")
"""Reasons of the study, not of a model: where one holds for all models, it is said once."""
ALSO = "fails:"
ALIKE = (Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD)


class ModelMarks(NamedTuple):
    """One model on one benchmark: its marks by test, its other tests by name, and its failed ones."""

    model: str
    marks: Mapping[str, Finding]
    others: Mapping[str, Finding]

    def find(self, name: str) -> Finding | None:
        """The mark or the test of that name."""
        return self.marks.get(name) or self.others.get(name)

    def find_family(self, family: str) -> Finding | None:
        """The test of that name, else the first that has it with settings."""
        of_family = (each for name, each in self.others.items() if name.partition(":")[0] == family)
        return self.others.get(family) or next(of_family, None)

    @property
    def place(self) -> tuple[int, int]:
        """Who passes all comes first, then who fails nothing, then by the number of fails, then the undecided."""
        marks = [each.verdict.status for each in self.marks.values()]
        every = [*marks, *(each.verdict.status for each in self.others.values())]
        if failed := every.count(Status.FAIL):
            return (2, failed)
        if marks and all(each.verdict.reason == "answers-nothing" for each in self.marks.values()):
            return (5, 0)
        if Status.PASS in every:
            return (int(set(marks) != {Status.PASS}), 0)
        return (3 if Status.INCONCLUSIVE in marks else 4, 0)


def order_models(evidence: Evidence, benchmark: str) -> list[str]:
    """The models in the order of the first table."""
    return [each.model for each in sorted(_list_models(evidence, benchmark), key=lambda each: each.place)]


def list_tables(evidence: Evidence, sections: Sequence[ShownTest]) -> Iterator[Part]:
    """The table of every benchmark and its line below it."""
    anchors, joined = {each.test.name: each.anchor for each in sections}, _list_joined(evidence)
    for benchmark in [name for name in evidence.benchmarks if name not in joined] or [""]:  # tests may bring all
        models = sorted(_list_models(evidence, benchmark), key=lambda each: each.place)
        if models:
            marked = [name for name in QUESTIONS if any(name in each.marks for each in models)]
            same = {name: why for name in marked if (why := _find_common_reason(name, models))}
            yield _draw_table(evidence, benchmark, models, anchors, [name for name in marked if name not in same])
            told = [f"{QUESTIONS[name]} {why}." for name, why in same.items() if why != LEFT_OUT]
            if told:
                yield Note(" ".join(told), "For every model:", "below")
        for line in evidence.results.lines:
            if line.benchmark == benchmark:
                failed = line.status is Status.FAIL
                begins, _, says = line.sentence.partition(": ")
                yield Note(says, f"{begins}:", "below", Status.FAIL if failed else None)


def _list_joined(evidence: Evidence) -> dict[str, str]:
    """The open parts of the clinical pathway, which stand in the table of their benchmark."""
    marked = {each.benchmark for each in evidence.results.marks}
    parts = {each.benchmark for each in evidence.results.findings if each.test.name == TASKS["Report for the image"][0]}
    return {name: whole_of(name) for name in parts - marked if whole_of(name) in {*evidence.benchmarks} - {name}}


def _list_models(evidence: Evidence, benchmark: str) -> list[ModelMarks]:
    results = evidence.results
    own = evidence.own_questions | {part for part, whole in _list_joined(evidence).items() if whole == benchmark}
    made = []
    for model in (name for name, _ in results.study["models"]):
        here = [each for each in results.own_findings if each.model == model]
        here = [each for each in here if each.benchmark == benchmark or each.benchmark in own]
        marks = {each.test.name: each for each in here if each.test.marks and each.benchmark == benchmark}
        others = {each.test.name: each for each in here if not each.test.marks}
        if marks or others:
            made.append(ModelMarks(model, marks, others))
    return made


LEFT_OUT = "has no meaning"


def _find_common_reason(name: str, models: Sequence[ModelMarks]) -> str:
    """Why a mark is open for every model of any skill, if one reason of the study holds for all of them; else ""."""
    found = [each.marks[name].verdict for each in models if name in each.marks]
    found = [each for each in found if each.reason not in ("answers-nothing", "not-shown-to-beat-guessing")]
    if not found or len({each.reason for each in found}) > 1 or found[0].reason not in COMMON:
        return ""
    if found[0].reason in ("no-options", "no-images"):
        return LEFT_OUT
    return f"{found[0].status.words}: {found[0].meaning}"


def _draw_table(
    evidence: Evidence, benchmark: str, models: Sequence[ModelMarks], anchors: Mapping[str, str], marked: Sequence[str]
) -> Table:
    names = short_names(evidence.results)
    own = _choose_columns(models)
    tasks = {words: those for words in TASKS if any(those := [_find_task(each, words) for each in models])}
    asked = [found.n for each in models if (found := measure_accuracy(evidence.results, each.model, benchmark))]
    decided = {
        name: [test for each in models if (test := each.find(name)) and test.verdict.rests_on]
        for name in (*marked, *own)
    }
    score = Column("Accuracy", f"{_describe_asked(evidence, benchmark, models, tasks)}, {_describe_n(asked)}")
    columns = (
        Column("Model"),
        *([score] if asked else []),
        *(Column(QUESTIONS[name], _describe_mark(evidence, name, decided[name], models)) for name in marked),
        *(Column(words, _describe_n([each.estimate.n for each in those if each])) for words, those in tasks.items()),
        *(Column(_title_column(name, models), _describe_own(evidence, name, decided[name])) for name in own),
    )
    rows = []
    for at, each in enumerate(models):
        fails = _link_fails(each, anchors, shown=own, marked=marked, beside="")
        takes_none = each.model in evidence.results.study.get("text_only", ())
        head = Cell(names[each.model], note="takes no images" if takes_none else "", links=fails, also=ALSO)
        cells = (
            *([_accuracy_cell(evidence, each.model, benchmark, _list_poorer(evidence, each))] if asked else []),
            *_mark_cells(evidence, each, marked, anchors, own),
            *(_task_cell(evidence, each, words, those[at]) for words, those in tasks.items()),
            *(_own_cell(evidence, each.others.get(name)) for name in own),
        )
        rows.append(Row(head, cells, each.model, benchmark))
    several = len(evidence.benchmarks) - len(_list_joined(evidence)) > 1
    caption = f"{describe_benchmark(benchmark)}, {counted(max(asked), 'question')}" if several and asked else ""
    return Table(columns, tuple(rows), caption, "first")


def _name_change(name: str, models: Sequence[ModelMarks]) -> str:
    """What the questions of a mark are asked with."""
    numbers = {number for each in models if name in each.marks for number in each.marks[name].verdict.values}
    alone = "admits_blank" in numbers and "admits_removed" not in numbers
    return "blank image" if alone else CONDITION_WORDS[name]


def _find_task(model: ModelMarks, words: str) -> Measure | None:
    """What a model scores in a task."""
    test, *wanted = TASKS[words]
    finding = model.find_family(test)
    found = (each for each in (finding.measures if finding else ()) if [each.arm, each.name, each.subset] == wanted)
    return next(found, None)


def _task_cell(evidence: Evidence, model: ModelMarks, words: str, found: Measure | None) -> Cell:
    """The score in a task; with the report, also the one of the same questions with the image."""
    finding = model.find_family(TASKS[words][0])
    if found is None or finding is None:
        return Cell("–")
    before = finding.measure(found.arm, "baseline_accuracy")
    note = f"{share_with_interval(before.estimate)} with the image" if before and not found.subset else ""
    said = number(found, anchor_of_measure(finding, found, evidence.anchors)).cell(n=False)
    return replace(said, note=note, order=found.estimate.value)


def _describe_asked(
    evidence: Evidence, benchmark: str, models: Sequence[ModelMarks], tasks: Collection[str]
) -> str:  # fmt: skip
    """How the questions of the accuracies were asked: with the image if each had one that was sent, else as asked."""
    if tasks and _list_joined(evidence):
        return "tasks with options"
    arms = {arm for each in models if (arm := find_first_arm(evidence.results, each.model, benchmark))}
    blind = any(each.model in evidence.results.study.get("text_only", ()) for each in models)
    seen = bool(arms) and not blind and all(evidence.pictured(benchmark, arm) for arm in arms)
    return ", ".join(["with the image" if seen else "as asked", *_list_ways(arms)])


def _describe_mark(evidence: Evidence, name: str, decided: Sequence[Finding], models: Sequence[ModelMarks]) -> str:
    """What the numbers of a mark are about: the condition, in which words or effort it was asked, and of how many."""
    ways = _list_ways({each.verdict.rests_on.arm for each in decided if each.verdict.rests_on})
    about = ", ".join(filter(None, (_name_change(name, models), *ways, _count_questions(evidence, decided))))
    return f"{about}; {MARKED_BETTER[name]}"


def _describe_own(evidence: Evidence, name: str, decided: Sequence[Finding]) -> str:
    """The same of a column of a suite, with the settings of its test."""
    column = _name_column(name)
    settings = name.removeprefix(column).lstrip(":")
    own = OWN_COLUMNS.get(column, OwnColumn(""))
    about = ", ".join(filter(None, (own.note, settings, _count_questions(evidence, decided))))
    return "; ".join(filter(None, (about, own.better)))


def _count_questions(evidence: Evidence, decided: Sequence[Finding]) -> str:
    """Of how many questions the numbers are that decide; if every response counts by itself, also how many those are.

    Five requests with twenty seeds each are five questions and a hundred responses.
    """
    counts, asked = [], []
    for each in decided:
        if (measure := each.verdict.rests_on) is not None:
            address = ArmAddress(each.model, each.benchmark, measure.arm)
            known = address in evidence.anchors and len(evidence.grades(address))
            counts.append(measure.estimate.n)
            asked.append(len(set(evidence.grades(address).ordinal.tolist())) if known else measure.estimate.n)
    if any(number > questions for number, questions in zip(counts, asked, strict=True)):
        return f"{counted(max(asked), 'question')}, {from_to(counts)} responses"
    return _describe_n(counts)


def _list_ways(arms: Iterable[str]) -> list[str]:
    """In which words and at which effort some arms were asked, where that is not as usual."""
    return sorted({way for arm in arms for way in read_label(arm).ways})


def _choose_columns(models: Sequence[ModelMarks]) -> list[str]:
    """The tests of suites and plug-ins that get a column: those with most to say, in the order of their columns."""

    def weight(name: str) -> int:
        found = [each.others[name].verdict.status for each in models if name in each.others]
        return 2 if Status.FAIL in found else 1 if Status.PASS in found else 0

    tests = dict.fromkeys(name for each in models for name in each.others)
    families = {_name_column(name): name for name in reversed(tests)} | {name: name for name in tests}
    brought = dict.fromkeys(name for each in models for name, found in each.others.items() if found.is_own)
    there = [*(families[name] for name in OWN_COLUMNS if name in families), *brought]
    chosen = sorted(there, key=lambda name: -weight(name))[:MOST_COLUMNS]
    return [name for name in there if name in chosen]


def _name_column(name: str) -> str:
    """The entry of OWN_COLUMNS that a test belongs to: its own, else that of its family."""
    return name if name in OWN_COLUMNS else name.partition(":")[0]


def _title_column(name: str, models: Sequence[ModelMarks]) -> str:
    """The words for a test of ours, else how the test itself is labelled."""
    labels = (found.test.label for each in models if (found := each.others.get(name)))
    return OWN_COLUMNS.get(_name_column(name), OwnColumn("")).words or next(filter(None, labels), name)


def _describe_n(counts: Sequence[int]) -> str:
    """How many questions a column is about: the fewest and the most, if models differ."""
    ends = sorted({min(counts), max(counts)}) if counts else []
    return f"n {' to '.join(map(count, ends))}" if ends else ""


def _list_poorer(evidence: Evidence, model: ModelMarks) -> tuple[Cell, ...]:
    """The accuracies with poorer images, below the one with the images as they are."""
    found = [(words, each) for name, words in POORER.items() if (each := model.find_family(name)) is not None]
    return tuple(
        number(measure, anchor_of_measure(each, measure, evidence.anchors)).cell(f"{words}:", n=False)
        for words, each in found
        if (measure := each.measure("all artefacts", "mean_accuracy")) is not None
    )


def _accuracy_cell(evidence: Evidence, model: str, benchmark: str, lines: tuple[Cell, ...]) -> Cell:
    found = measure_accuracy(evidence.results, model, benchmark)
    if found is None:
        return Cell("–")
    arm = find_first_arm(evidence.results, model, benchmark)
    address = ArmAddress(model, benchmark, arm)
    return Cell(share_with_interval(found), to=link_to(evidence, address, Act.RIGHT), how=found.method,
                lines=lines, order=found.value)  # fmt: skip


def _mark_cells(
    evidence: Evidence, model: ModelMarks, marked: Sequence[str], anchors: Mapping[str, str], own: Sequence[str]
) -> list[Cell]:
    """The cells of the marks; one for all of them, if they are open for one reason."""
    found = [model.marks.get(name) for name in marked]
    there = [each for each in found if each is not None]
    if len(there) > 1 and len(there) == len(found):
        reasons = {(each.verdict.status, each.verdict.reason) for each in there}
        if len(reasons) == 1 and there[0].verdict.status in ALIKE:
            fails = _link_fails(model, anchors, shown=own, marked=marked, beside=None)
            return [Cell("", there[0].verdict.status, begun(there[0].verdict.meaning) + ".", links=fails,
                         also=ALSO, columns=len(found))]  # fmt: skip
    return [
        _mark_cell(evidence, each, _link_fails(model, anchors, shown=own, marked=marked, beside=name))
        if each
        else Cell("–")
        for name, each in zip(marked, found, strict=True)
    ]


def _mark_cell(evidence: Evidence, mark: Finding, fails: tuple[Link, ...]) -> Cell:
    verdict, rests_on = mark.verdict, mark.verdict.rests_on
    words = describe(mark.test.name, verdict.reason, verdict.values)
    to = ""
    if rests_on is not None:
        acts = {"honest": Act.INVENTS if verdict.reason == "invents" else Act.ADMITS}
        act = acts.get(mark.test.name)
        to = link_to(evidence, ArmAddress(mark.model, mark.benchmark, rests_on.arm), act)
    decided = verdict.status in (Status.PASS, Status.FAIL)
    note = words.cell.of if decided else f"{begun(verdict.meaning)}."
    if verdict.status is Status.FAIL and mark.test.name == "follows":
        note = f"of its skill; it {words.meaning}"
    order = rests_on.estimate.value if rests_on is not None else None
    how = rests_on.how if rests_on is not None else ""
    return Cell(words.cell.value if decided else "", verdict.status, note, to, how, links=fails, also=ALSO,
                order=order)  # fmt: skip


def _own_cell(evidence: Evidence, finding: Finding | None) -> Cell:
    """The verdict of a suite's test with the number that it rests on, named if that is not the test's headline."""
    if finding is None:
        return Cell("–")
    status = None if finding.verdict.status is Status.REPORTED else finding.verdict.status
    rests_on = finding.verdict.rests_on or next(
        (each for each in finding.measures if each.name == finding.test.headline), None
    )
    if rests_on is None:
        return Cell("" if status else "–", status, finding.verdict.meaning)
    said = number(rests_on, anchor_of_measure(finding, rests_on, evidence.anchors))
    decided = finding.verdict.status in (Status.PASS, Status.FAIL, Status.REPORTED)
    worst = arm_label(rests_on.arm)
    asked = next((each.in_words for each in finding.test.all_arms if each.name == rests_on.arm), rests_on.arm)
    own = "" if rests_on.name == finding.test.headline else f"{rests_on.kind.words}, {asked}"
    notes = (own, f"worst: {worst}" if worst != rests_on.arm else "", "" if decided else finding.verdict.meaning)
    return Cell(said.said, status, "; ".join(filter(None, notes)), said.anchor, said.method,
                order=rests_on.estimate.value)  # fmt: skip


def _link_fails(
    model: ModelMarks, anchors: Mapping[str, str], *, shown: Sequence[str], marked: Sequence[str], beside: str | None
) -> tuple[Link, ...]:
    """The failed tests without a column that are named in one: beside a mark, or "" for those that fit beside none.

    None asks for all that belong beside any mark.
    """
    found = []
    for name, each in model.others.items():
        home = BESIDE.get(each.test.expects, "")
        home = home if home in marked and home in model.marks else ""
        wanted = bool(home) if beside is None else home == beside
        if each.verdict.status is Status.FAIL and name not in shown and wanted:
            found.append(Link(each.test.label.rstrip("?") or name, anchors.get(name, "verdicts")))
    return tuple(found)


def describe_trust(evidence: Evidence) -> list[Part]:
    """How far the marks can be trusted: what is missing, whether images arrived, how often a mark is wrong."""
    results = evidence.results
    flow = follow_study(results)
    here = f"{flow.arrived_in_words} {'is' if flow.arrived == 1 else 'are'} here"
    lost = f"; {count(flow.asked - flow.arrived)} of {count(flow.asked)} are missing"
    whole = f"All {here}" if flow.arrived == flow.asked else f"{here}{lost}"
    sentences = [f"{whole}.", *_describe_arrival(results), *_describe_unsure(results)]
    sentences.append(_describe_intervals(results))
    if results.marks:
        sentences += [results.error_rate, _describe_gate(results)]
    links = (Link("How the marks are made", "methods"), Link("What was asked and answered", "account"))
    return [Note(" ".join(filter(None, sentences)), "Can this be trusted?", "below", links=links)]


def _describe_intervals(results: Results) -> str:
    """The numbers in parentheses: intervals, or if asking could stop early, sequences that hold at all looks."""
    if not results.stops:
        return "Parentheses are 95% intervals."
    most = max(each.questions for each in results.stops)
    return f"Parentheses are 95% confidence sequences over at most {most:,} questions."


def _describe_arrival(results: Results) -> Iterator[str]:
    """Which models the images are shown to have reached."""
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
    """How many of all responses, second ones included, were read by an unsure rule."""
    names, flow = short_names(results), follow_study(results)
    whose = {names[model] for (model, _), table in results.tables.items() if follow_table(table).unsure}
    if flow.unsure:
        of = f", all of {min(whose)}" if len(whose) == 1 and len(names) > 1 else ""
        are = "is" if flow.unsure == 1 else "are"
        yield f"Of {counted(flow.outcomes.total(), 'reading')}, {count(flow.unsure)} {are} unsure{of}."


def _describe_gate(results: Results) -> str:
    """Who meets the policy that asks for three passes."""
    gate = check(results, parse([STANDARD]))
    return f"The policy “{STANDARD}”, three passes for every model, is {'met' if gate.passed else 'not met'}."
