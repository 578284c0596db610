"""First screen of the report: a table with one row per model, and a note on trust.

The columns are accuracy, the three *marks* (the verdicts that every model gets) and tests of suites. Every failed test
is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
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
from snellen.scoring.gate import STANDARD, GateDecision, check, parse
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Measure, Status, Unit, Verdict
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import QUESTIONS, describe, share_with_interval

CONDITION_WORDS = {"follows": "another patient’s image", "honest": "no image", "steady": "options reordered"}


class OwnColumn(NamedTuple):
    """Column of a suite's test: title, which direction is good, and a note."""

    words: str
    better: str = ""
    note: str = ""


HIGHER, LOWER, NEARER = "higher is better", "lower is better", "0 is best"
OWN_COLUMNS = {
    "mirage-rate": OwnColumn("Describes images never sent?", LOWER, "no image, worst prompt"),
    "mirage-bias": OwnColumn("Diagnoses images never sent?", LOWER, "no image"),
    "weak-artefacts": OwnColumn("Accurate on poorer images?", NEARER),
    "strong-artefacts": OwnColumn("Flags unreadable images?", HIGHER),
    "mismatched-image": OwnColumn("Notices a wrong image?", HIGHER, "named, beyond false alarms"),
    "false-premise": OwnColumn("Corrects a false premise?", HIGHER),
    "unknown-option:image=removed": OwnColumn("Takes “Unknown” without the image?", HIGHER),
    "chain-of-thought": OwnColumn("Unharmed by reasoning?", NEARER),
    "text-needed": OwnColumn("Needs the question?", LOWER),
    "reports": OwnColumn("Reports need the image?"),
    "mirage-score": OwnColumn("Score kept without the image", LOWER, "mirage score"),
    "robustness": OwnColumn("Robustness R", note="how little its score moves, not how good it is"),
}
"""Tests of suites that have their own column, whatever their other settings, in this order.

Any other failed test is named next to a mark.
"""
MARKED_BETTER = {
    "follows": HIGHER,
    "honest": "admitting: higher is better; inventing: lower is better",
    "steady": LOWER,
}
POORER = {"weak-artefacts": "weak artefacts", "strong-artefacts": "strong artefacts"}
"""Tests whose accuracies are printed below the accuracy with original images."""
WITH_REPORT = "A report in place of the image"
TASKS = {
    "Knowledge": ("pathway-choices", "original", "accuracy", "task=knowledge"),
    "Clinical note": ("pathway-choices", "original", "accuracy", "task=note"),
    "Image": ("pathway-choices", "original", "accuracy", "task=image"),
    WITH_REPORT: ("pathway-answers", "report-for-image", "accuracy", ""),
    "Findings F1": ("reports", "original", "findings_f1", ""),
}
"""Tasks with their own column: test, condition, measure and subset of the questions."""
MOST_COLUMNS = 4
"""Largest number of columns for suites; other tests are named if they fail."""
BESIDE = {"worse": "follows", "change": "follows", "abstain": "honest", "invariant": "steady"}
"""Mark next to which a failed test is named, by the expected behaviour."""
COMMON = (*NOT_ASKED, "no-options", "no-images", "no-room-for-words", "few-items", "few-patients", "few-swaps")
"""Reasons that lie in the study and not in a model; printed once if they hold for all models."""
GUESSES = ("not-shown-to-beat-guessing", "not-above-chance")
"""Reasons which say that a model is not shown to beat guessing."""
ALSO = "fails:"
ALIKE = (Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD)


class ModelMarks(NamedTuple):
    """The marks of one model on one benchmark, and its other tests by name."""

    model: str
    marks: Mapping[str, Finding]
    others: Mapping[str, Finding]

    def find(self, name: str) -> Finding | None:
        """Return the mark or the test of that name."""
        return self.marks.get(name) or self.others.get(name)

    def find_family(self, family: str) -> Finding | None:
        """Return the test of that name, or else the first with that name and settings."""
        of_family = (each for name, each in self.others.items() if name.partition(":")[0] == family)
        return self.others.get(family) or next(of_family, None)

    def find_task(self, words: str) -> Measure | None:
        """Return the score in a task. None if there is none."""
        test, *wanted = TASKS[words]
        finding = self.find_family(test)
        found = (each for each in (finding.measures if finding else ()) if [each.arm, each.name, each.subset] == wanted)
        return next(found, None)

    @property
    def guesses(self) -> bool:
        """True if a verdict is open because the model is not shown to beat guessing.

        Of other tests than the marks, only the first of each family counts.
        """
        first = {name.partition(":")[0]: each for name, each in reversed(list(self.others.items()))}
        return any(each.verdict.reason in GUESSES for each in (*self.marks.values(), *first.values()))

    @property
    def place(self) -> tuple[int, int]:
        """Sort key: all marks passed, another pass, number of fails, not decided.

        Of the models that fail, those not shown to beat guessing come last: they can lose less and so fail less.
        """
        marks = [each.verdict.status for each in self.marks.values()]
        every = [*marks, *(each.verdict.status for each in self.others.values())]
        if failed := every.count(Status.FAIL):
            return (2, failed + len(every) * self.guesses)
        if marks and all(each.verdict.reason == "answers-nothing" for each in self.marks.values()):
            return (5, 0)
        if Status.PASS in every:
            return (int(set(marks) != {Status.PASS}), 0)
        return (3 if Status.INCONCLUSIVE in marks else 4, 0)


def order_models(evidence: Evidence, benchmark: str) -> list[str]:
    """Return the models in the order of the first table."""
    return [each.model for each in sorted(_list_models(evidence, benchmark), key=lambda each: each.place)]


def list_tables(evidence: Evidence, sections: Sequence[ShownTest]) -> Iterator[Part]:
    """Yield the table of every benchmark, followed by the verdict on the benchmark."""
    anchors, joined = {each.test.name: each.anchor for each in sections}, _list_joined(evidence)
    for benchmark in [name for name in evidence.benchmarks if name not in joined] or [""]:  # "" if tests bring all
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
    """Map the open questions of a clinical pathway to the benchmark whose table shows them."""
    marked = {each.benchmark for each in evidence.results.marks}
    parts = {each.benchmark for each in evidence.results.findings if each.test.name == TASKS[WITH_REPORT][0]}
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
    """Reason that leaves a mark open for all models. "" if there is none."""
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
    tasks = {words: those for words in TASKS if any(those := [each.find_task(words) for each in models])}
    asked = [found.n for each in models if (found := measure_accuracy(evidence.results, each.model, benchmark))]
    decided = {
        name: [test for each in models if (test := each.find(name)) and test.verdict.rests_on]
        for name in (*marked, *own)
    }
    score = Column("Accuracy", f"{_describe_asked(evidence, benchmark, models, tasks)}, {_describe_n(asked)}")
    columns = (
        Column("Model"),
        *([score] if asked else []),
        *(_mark_column(evidence, name, models, decided[name]) for name in marked),
        *(_task_column(*each) for each in tasks.items()),
        *(_own_column(evidence, name, models, decided[name]) for name in own),
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
            *(_own_cell(evidence, each, name, anchors) for name in own),
        )
        rows.append(Row(head, cells, each.model, benchmark))
    several = len(evidence.benchmarks) - len(_list_joined(evidence)) > 1
    caption = f"{describe_benchmark(benchmark)}, {counted(max(asked), 'question')}" if several and asked else ""
    return Table(columns, tuple(rows), caption, "first")


def _task_column(words: str, found: Sequence[Measure | None]) -> Column:
    n = _describe_n([each.estimate.n for each in found if each])
    return Column(words, f"right on open questions, {n}; no mark" if TASKS[words][0] == "pathway-answers" else n)


def _task_cell(evidence: Evidence, model: ModelMarks, words: str, found: Measure | None) -> Cell:
    """Cell with the score in a task, and perhaps the score with the image."""
    finding = model.find_family(TASKS[words][0])
    if found is None or finding is None:
        return Cell("–")
    before = finding.measure(found.arm, "baseline_accuracy")
    note = f"{share_with_interval(before.estimate)} with the image" if before and not found.subset else ""
    declined = finding.measure(found.arm, "abstention_rate")
    if note and declined and declined.estimate.value > found.estimate.value:
        note += f"; without it, {share_with_interval(declined.estimate)} of the responses decline"
    said = number(found, anchor_of_measure(finding, found, evidence.anchors)).cell(n=False)
    return replace(said, note=note, order=found.estimate.value)


def _describe_asked(
    evidence: Evidence, benchmark: str, models: Sequence[ModelMarks], tasks: Collection[str]
) -> str:  # fmt: skip
    if tasks and _list_joined(evidence):
        return "tasks with options"
    arms = {arm for each in models if (arm := find_first_arm(evidence.results, each.model, benchmark))}
    blind = any(each.model in evidence.results.study.get("text_only", ()) for each in models)
    seen = bool(arms) and not blind and all(evidence.has_images(benchmark, arm) for arm in arms)
    return ", ".join(["with the image" if seen else "as asked", *_list_ways(arms)])


def _mark_column(evidence: Evidence, name: str, models: Sequence[ModelMarks], decided: Sequence[Finding]) -> Column:
    """Column of a mark: changed condition, prompt or effort, n, and which direction is good."""
    numbers = {number for each in models if name in each.marks for number in each.marks[name].verdict.values}
    alone = "admits_blank" in numbers and "admits_removed" not in numbers
    ways = _list_ways({each.verdict.rests_on.arm for each in decided if each.verdict.rests_on})
    change = "blank image" if alone else CONDITION_WORDS[name]
    about = ", ".join(filter(None, (change, *ways, _count_questions(evidence, decided))))
    return Column(QUESTIONS[name], f"{about}; {MARKED_BETTER[name]}")


def _own_column(evidence: Evidence, name: str, models: Sequence[ModelMarks], decided: Sequence[Finding]) -> Column:
    """Column of a suite's test, with a note on its numbers and settings."""
    column = _name_column(name)
    settings = name.removeprefix(column).lstrip(":")
    own = OWN_COLUMNS.get(column, OwnColumn(""))
    labels = (found.test.label for each in models if (found := each.others.get(name)))
    about = ", ".join(filter(None, (own.note, settings, _count_questions(evidence, decided))))
    return Column(own.words or next(filter(None, labels), name), "; ".join(filter(None, (about, own.better))))


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
    return sorted({way for arm in arms for way in read_label(arm).ways})


def _choose_columns(models: Sequence[ModelMarks]) -> list[str]:
    """Choose the tests of suites and plug-ins that get a column.

    Those with fails come first, then those with passes. The columns keep the order of OWN_COLUMNS.
    """

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
    """Key of OWN_COLUMNS for a test: its own name, or else its family."""
    return name if name in OWN_COLUMNS else name.partition(":")[0]


def _describe_n(counts: Sequence[int]) -> str:
    ends = sorted({min(counts), max(counts)}) if counts else []
    return f"n {' to '.join(map(count, ends))}" if ends else ""


def _list_poorer(evidence: Evidence, model: ModelMarks) -> tuple[Cell, ...]:
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
        return Cell("", status, "Not shown to beat guessing.")
    if rests_on is None or not isfinite(rests_on.estimate.value):
        return Cell("" if status else "–", status, verdict.meaning)
    said = number(rests_on, anchor_of_measure(finding, rests_on, evidence.anchors))
    worst = arm_label(rests_on.arm)
    asked = next((each.in_words for each in finding.test.all_arms if each.name == rests_on.arm), rests_on.arm)
    own = "" if rests_on.name == finding.test.headline else f"{rests_on.kind.words}, {asked}"
    notes = (own, f"worst: {worst}" if worst != rests_on.arm else "", _explain_own(model, verdict, rests_on))
    links = _link_settings(model, name, anchors) if verdict.status is Status.FAIL else ()
    return Cell(said.said, status, "; ".join(filter(None, notes)), said.anchor, said.method, links=links,
                also=f"also {ALSO}", order=rests_on.estimate.value)  # fmt: skip


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
        named = ", ".join(each.replace("=", " ") for each in own if each not in shown) or other
        links.append(Link(named, anchors.get(other, "verdicts")))
    return tuple(links)


def _fails_as(model: ModelMarks, name: str, shown: str) -> bool:
    """True if a test and the shown test of the same family both fail."""
    same = name != shown and name not in OWN_COLUMNS and _name_column(name) == _name_column(shown)
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
        if each.verdict.status is Status.FAIL and not told and wanted:
            found.append(Link(each.test.label.rstrip("?") or name, anchors.get(name, "verdicts")))
    return tuple(found)


def describe_trust(evidence: Evidence) -> list[Part]:
    """Describe how far to trust the results: missing responses, delivery and error rates."""
    results = evidence.results
    flow = follow_study(results)
    here = f"{flow.arrived_in_words} {'is' if flow.arrived == 1 else 'are'} here"
    lost = f"; {count(flow.asked - flow.arrived)} of {count(flow.asked)} are missing"
    whole = f"All {here}" if flow.arrived == flow.asked else f"{here}{lost}"
    sentences = [f"{whole}.", *_describe_arrival(results), *_describe_unsure(results)]
    if all(name.startswith("organism/") for name, _ in results.study["models"]):
        drawn = all(name.startswith("phantoms") for _, name in results.tables if whole_of(name) == name)
        images = " The images are drawn and show no patient." if drawn else ""
        sentences.insert(0, f"The models are Snellen’s test programs with known behaviour.{images}")
    intervals = "intervals"
    if results.stops:
        intervals = f"confidence sequences over at most {max(each.questions for each in results.stops):,} questions"
    sentences.append(f"Parentheses are 95% {intervals}.")
    if results.marks:
        made = check(results, parse([STANDARD])).checks
        judged = {each.model for each in made}
        met = len(judged - {each.model for each in made if each.decision is not GateDecision.MET})
        meet, of = "meets" if met == 1 else "meet", counted(len(judged), "model")
        policy = f"Of {of}, {met} {meet} the policy “{STANDARD}”: all three passes."
        sentences += [results.error_rate, policy]
    links = (Link("How the marks are made", "methods"), Link("What was asked and answered", "account"))
    return [Note(" ".join(filter(None, sentences)), "Can this be trusted?", "below", links=links)]


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
        moved = sum(each.unsure is not None and each.unsure.without is not each.verdict.status
                    for each in results.own_findings)  # fmt: skip
        without = f"without them {counted(moved, 'verdict') if moved else 'no verdict'} would change"
        yield f"Of {counted(flow.outcomes.total(), 'reading')}, {count(flow.unsure)} {are} unsure{of}; {without}."
