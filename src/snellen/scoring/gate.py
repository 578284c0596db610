"""The gate: requirements on the results of a stored study, for continuous integration.

Each requirement is checked for every model and benchmark that it concerns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import inf, isnan
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import arm_effects, read_label
from snellen.errors import RequirementError
from snellen.plugins import did_you_mean
from snellen.runtime import counted, visible
from snellen.scoring.findings import Finding, incomplete
from snellen.scoring.results import Results, rescore
from snellen.stats import Estimate
from snellen.stress.base import Measure, Status, Unit
from snellen.stress.conclusions import settled_by


class ShortName(NamedTuple):
    """Short name for measures in requirements, and the conditions that it covers."""

    measures: tuple[str, ...]
    about: str
    under: Callable[[str], bool] = lambda condition: True
    alone: bool = False
    """True if the short name applies only without a test name; it then covers only measures of all items."""


INVENTS = "describes an image although none was shown (test rationale)"
ADMITS = "says that there is no image if none was shown (tests rationale and mirage-rate)"
SHORT_NAMES = {
    "invents": ShortName(("described_rate",), INVENTS, lambda arm: not arm_effects(arm).sees),
    "admits": ShortName(("notice_rate", "missing_share"), ADMITS, lambda arm: not arm_effects(arm).sees),
    "accuracy": ShortName(
        ("accuracy",), "accuracy with the original image", lambda arm: read_label(arm).condition == ORIGINAL, alone=True
    ),
    "unsure": ShortName(("unsure_rate",), "responses whose reading is unsure"),
}
STANDARD = "standard"
"""Requirement that all three verdicts of every model pass."""
SUCCESSORS = {"image-used": "follows", "rationale": "honest", "option-order": "steady"}
"""Older tests whose verdicts became one of the three verdicts; kept for one release."""
BENCHMARK_TESTS = ("image-needed", "blank-image")
"""Older tests whose verdicts became the verdict of the benchmark itself; kept for one release."""
HOLDS: dict[str, Callable[[float, float], bool]] = {"<=": le, ">=": ge, "<": lt, ">": gt}
RANGES = dict.fromkeys((Unit.SHARE, Unit.SCORE, Unit.HUNDRED), (0.0, 1.0)) | {Unit.POINTS: (-1.0, 1.0)}
"""Possible values of a measure by its unit; a limit outside is a typing error, such as 5 for 5%."""
DECIDED = (Status.PASS, Status.FAIL)
IN_PERCENT = (Unit.SHARE, Unit.POINTS, Unit.CHANGE, Unit.RATIO, Unit.HUNDRED)


class GateDecision(StrEnum):
    """Decision on a requirement, from good to bad."""

    MET = "met"
    NOT_DECIDED = "not decided"
    NOT_MET = "not met"

    @property
    def rank(self) -> int:
        """Position in the order from good to bad."""
        return list(GateDecision).index(self)


@dataclass(frozen=True)
class RequiredVerdict:
    """Required statuses of a test's verdict, or (sign `!=`) forbidden ones.

    >>> print(RequiredVerdict("image-needed", "=", (Status.PASS, Status.REPORTED)))
    image-needed=pass|reported
    """

    test: str
    sign: str
    statuses: tuple[Status, ...]

    def __str__(self) -> str:
        return STANDARD if self.test == STANDARD else f"{self.test}{self.sign}{'|'.join(self.statuses)}"


@dataclass(frozen=True)
class RequiredMeasure:
    """Limit on a measure; "" as `test` or `condition` means any.

    >>> print(RequiredMeasure("described_rate", "<=", 0.05, test="rationale", condition="image-removed"))
    rationale.described_rate@image-removed<=0.05
    """

    measure: str
    sign: str
    limit: float
    test: str = ""
    condition: str = ""

    def __str__(self) -> str:
        test, condition = f"{self.test}." if self.test else "", f"@{self.condition}" if self.condition else ""
        brief = f"{self.limit:g}"
        return f"{test}{self.measure}{condition}{self.sign}{brief if float(brief) == self.limit else self.limit}"

    @property
    def short(self) -> ShortName:
        """Measures and conditions that the name covers. A name that is not short covers one measure."""
        found = SHORT_NAMES.get(self.measure.casefold())
        return ShortName((self.measure,), "") if found is None or (found.alone and self.test) else found

    def wants(self, measure: Measure) -> bool:
        """Return True if the requirement applies to a measure."""
        named = {_normalise_name(name) for name in self.short.measures}
        of_all_items = not (self.short.alone and measure.subset)
        return _normalise_name(measure.name) in named and of_all_items and self.is_under(measure.arm)

    def is_under(self, condition: str) -> bool:
        """Return True if the requirement applies to a condition."""
        own = _normalise_name(self.condition)
        return _normalise_name(condition) == own if own else self.short.under(condition)


Requirement = RequiredVerdict | RequiredMeasure


@dataclass(frozen=True)
class RequirementCheck:
    """Decision on one requirement for one model on one benchmark."""

    model: str
    benchmark: str
    requirement: Requirement
    decision: GateDecision
    found: str

    @property
    def where(self) -> str:
        """Model and benchmark in one line, without control characters."""
        return _in_a_line(f"{self.model} on {self.benchmark}")

    def __str__(self) -> str:
        return f"{self.decision:<11}  {self.where}: {_in_a_line(str(self.requirement))}: {_in_a_line(self.found)}"


@dataclass(frozen=True)
class StudyGate:
    """All checks of a study's requirements."""

    results: Results
    checks: tuple[RequirementCheck, ...]

    @property
    def passed(self) -> bool:
        """True if every check is met."""
        return all(check.decision is GateDecision.MET for check in self.checks)

    @property
    def summary(self) -> str:
        """Number of checks that are met. Names the requirements that are not met or not decided."""
        met = sum(check.decision is GateDecision.MET for check in self.checks)
        parts = [f"{met} of {counted(len(self.checks), 'check')} met"]
        for decision in (GateDecision.NOT_MET, GateDecision.NOT_DECIDED):
            found = Counter(str(check.requirement) for check in self.checks if check.decision is decision)
            if found:
                named = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in found.items())
                parts.append(f"{decision}: {_in_a_line(named)}")
        return f"{'Passed' if self.passed else 'Not passed'}: {'; '.join(parts)}."

    @property
    def benchmark_lines(self) -> list[str]:
        """Verdicts of the benchmarks, printed with `standard` but not required by it."""
        asked = {check.benchmark for check in self.checks if str(check.requirement) == STANDARD}
        return [
            _in_a_line(f"{each.benchmark}: {each.sentence}") for each in self.results.lines if each.benchmark in asked
        ]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.checks), *self.benchmark_lines, self.summary])

    def junit(self) -> bytes:
        """Return the checks as JUnit XML; undecided ones are failures of type `not-decided`."""
        failed = sum(check.decision is not GateDecision.MET for check in self.checks)
        counts = {"tests": str(len(self.checks)), "failures": str(failed), "errors": "0", "skipped": "0"}
        suites = ElementTree.Element("testsuites", counts)
        suite = ElementTree.SubElement(suites, "testsuite", {"name": "snellen gate", **counts})
        for check in self.checks:
            named = {"classname": _in_xml(check.where), "name": _in_xml(str(check.requirement))}
            case = ElementTree.SubElement(suite, "testcase", named)
            if check.decision is GateDecision.MET:
                ElementTree.SubElement(case, "system-out").text = _in_xml(check.found)
            else:
                kind, said = check.decision.replace(" ", "-"), _in_xml(f"{check.decision}: {check.found}")
                ElementTree.SubElement(case, "failure", {"type": kind, "message": said}).text = _in_xml(str(check))
        ElementTree.indent(suites)
        written: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
        return written


def _in_a_line(text: str) -> str:
    return visible(text).replace("\n", "⟨U+000A⟩")


def _in_xml(text: str) -> str:
    return re.sub("[\ufffe\uffff]", "\ufffd", _in_a_line(text))


_FORM = re.compile(r"\s*(?P<subject>.+?)\s*(?P<sign><=|>=|!=|==|<|>|=)\s*(?P<value>[^<>=!]+?)\s*")
_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)\s*(%?)", re.IGNORECASE | re.ASCII)
_EXAMPLES = "standard, follows=pass, steady!=fail, invents<=5% or rationale.described_rate@image-blank<=0.05"


def parse(texts: Iterable[str]) -> tuple[Requirement, ...]:
    """Parse requirements separated by commas or lines, without duplicates.

    RequirementError if one is invalid, or if there is none.

    >>> [str(each) for each in parse(["image-needed=pass, invents <= 5%"])]
    ['image-needed=pass', 'invents<=0.05']
    """
    found = dict.fromkeys(each for text in texts for line in text.splitlines() for each in _of_line(line))
    if not found:
        raise RequirementError(f"No requirement was given. Write requirements such as {_EXAMPLES}.")
    return tuple(found)


def _of_line(line: str) -> Iterator[Requirement]:
    """Split a line into requirements; settings such as `rationale:a,b=reported` may contain commas."""
    text = ""
    for part in filter(str.strip, line.split(",")):
        text = f"{text},{part}" if text else part
        try:
            read = _one(text)
        except RequirementError:
            if ":" not in text:
                raise
            continue
        yield read
        text = ""
    if text:
        _one(text)  # raises what the last part lacks


def _one(text: str) -> Requirement:
    if text.strip().casefold() == STANDARD:
        return RequiredVerdict(STANDARD, "=", (Status.PASS,))
    form = _FORM.fullmatch(text)
    if form is None:
        raise RequirementError(f"The requirement {text.strip()!r} cannot be read. Write {_EXAMPLES}.")
    subject, sign, value = form["subject"], form["sign"].replace("==", "="), form["value"]
    if sign in HOLDS:
        return _measure_of(text.strip(), subject, sign, _number(text.strip(), value))
    words = [word.strip().casefold() for word in value.split("|")]
    for word in words:
        if word not in list(Status):
            hint = " For a number, write <=, >=, < or >." if _NUMBER.fullmatch(word) else ""
            known = ", ".join(Status)
            raise RequirementError(
                f"The requirement {text.strip()!r} cannot be read: {word!r} is not a verdict. Verdicts: {known}.{hint}"
            )
    return RequiredVerdict(subject, sign, tuple(status for status in Status if status in words))


def _measure_of(text: str, subject: str, sign: str, limit: float) -> RequiredMeasure:
    named, at, condition = subject.partition("@")
    test, dot, measure = named.strip().rpartition(".")
    if not measure or (dot and not test) or (at and not condition.strip()):
        raise RequirementError(f"The requirement {text!r} cannot be read: write MEASURE, TEST.MEASURE@CONDITION.")
    return RequiredMeasure(measure.strip(), sign, limit, test.strip(), condition.strip())


def _number(text: str, value: str) -> float:
    if (number := _NUMBER.fullmatch(value)) is None:
        raise RequirementError(f"Cannot read the requirement {text!r}: {value!r} is not a number such as 0.05 or 5%.")
    limit = float(Decimal(number[1]) / (100 if number[2] else 1))
    if abs(limit) == inf:
        raise RequirementError(f"The requirement {text!r} cannot be read: {value!r} is too large.")
    return limit


def gate(out: str | Path, require: str | Sequence[str], *, point: bool = False, **how: Any) -> StudyGate:
    """Check requirements such as `image-needed=pass` or `invents<=5%` on a stored study; asks and writes nothing.

    `passed` is True if every requirement is met for every model and benchmark that it concerns; `checks` lists the
    decisions. A number meets its limit if its whole 95% CI does, or with `point` if the number itself does. `how` are
    the arguments of `rescore`.
    """
    required = parse([require] if isinstance(require, str) else require)
    return check(rescore(out, **how), required, point=point)


def check(results: Results, required: Iterable[Requirement], *, point: bool = False) -> StudyGate:
    """Check requirements for every model and benchmark that they concern.

    A number meets its limit if its whole 95% CI does, or with `point` if the number itself does. RequirementError if a
    requirement names something that the study does not have.
    """
    found: list[RequirementCheck] = []
    for each in required:
        if isinstance(each, RequiredVerdict):
            found += _verdicts(results, each)
        else:
            found += _measures(results, each, point=point)
    return StudyGate(results, tuple(found))


def _verdicts(results: Results, required: RequiredVerdict) -> Iterator[RequirementCheck]:
    if required.test == STANDARD:
        yield from _of_standard(results, required)
        return
    judged = Status.REPORTED not in required.statuses
    if judged and _normalise_name(required.test) in BENCHMARK_TESTS and results.lines:
        yield from _of_benchmarks(results, required)
        return
    now = SUCCESSORS.get(_normalise_name(required.test), "") if judged and results.marks else ""
    names = [now] if now else _tests(results, required.test, str(required))
    for finding in (*results.marks, *results.findings):
        if finding.test.name in names:
            decision = _decide_requirement(results, finding, required)
            said = f"judged as {now}: " if now else ""
            found = f"{said}{_verdict_in_words(finding, required)}"
            yield RequirementCheck(finding.model, finding.benchmark, required, decision, found)
    yield from _list_unscored(results, required, names)


def _of_standard(results: Results, required: RequiredVerdict) -> Iterator[RequirementCheck]:
    brought = {each.test.questions for each in results.findings}
    for model, benchmark in (at for at in results.tables if at[1] not in brought):
        marks = [each for each in results.marks if each.is_of(model, benchmark)]
        if not marks:
            missing = "the study lacks the conditions for the three verdicts: run the suite standard"
            yield RequirementCheck(model, benchmark, required, GateDecision.NOT_DECIDED, missing)
            continue
        decision = max((_decide_requirement(results, each, required) for each in marks), key=lambda each: each.rank)
        said = {}
        for each in marks:
            status, why = each.verdict.status, each.verdict.meaning
            said[each.test.name] = status.value if status in DECIDED else f"{status.words}: {why}"
        found = "; ".join(f"{name} {each}" for name, each in said.items())
        if len(set(said.values())) == 1:
            found = f"all three {said[marks[0].test.name]}"
        yield RequirementCheck(model, benchmark, required, decision, found)


def _of_benchmarks(results: Results, required: RequiredVerdict) -> Iterator[RequirementCheck]:
    """Check the verdict of each benchmark itself; it is fail or not decided, never pass."""
    for line in results.lines:
        status = Status.FAIL if line.status is Status.FAIL else Status.INCONCLUSIVE
        found = f"judged by the benchmark's line: {line.sentence.removesuffix('.')}"
        for (model, benchmark), table in results.tables.items():
            if benchmark == line.benchmark:
                shown = line.best is not None and not incomplete(table, table.arms)
                decision = _compare_status(status, required) if shown else GateDecision.NOT_DECIDED
                yield RequirementCheck(model, benchmark, required, decision, found)


def _decide_requirement(results: Results, finding: Finding, required: RequiredVerdict) -> GateDecision:
    status = finding.verdict.status
    nothing = status is Status.INCONCLUSIVE and not finding.verdict.numbers
    if status is Status.REPORTED and status not in required.statuses:
        # these tests used to have a verdict, and no other verdict replaced it here
        nothing = _normalise_name(required.test) in (*SUCCESSORS, *BENCHMARK_TESTS)
    if nothing or _gap(results, finding) or (status is Status.WITHHELD and required.sign == "!="):
        return GateDecision.NOT_DECIDED
    return _compare_status(status, required)


def _compare_status(status: Status, required: RequiredVerdict) -> GateDecision:
    if (status in required.statuses) == (required.sign == "="):
        return GateDecision.MET
    if required.sign == "!=" or status in DECIDED:
        return GateDecision.NOT_MET
    return GateDecision.NOT_DECIDED


def _verdict_in_words(finding: Finding, required: RequiredVerdict) -> str:
    status, decides = finding.verdict.status, finding.verdict.rests_on
    test = "" if finding.test.name == required.test else f"{finding.test.name}: "
    count = f", n={decides.estimate.n:,}" if decides else ""
    said = f"{test}{status}{count}: {finding.line()[2]}"
    if finding.rests_on_unsure:
        said = f"{said}. {finding.caution}"
    if status is Status.REPORTED and status not in required.statuses and required.sign == "=":
        said = f"{said}. This test gives no verdict: require one of its measures"
    return said


def _measures(results: Results, required: RequiredMeasure, *, point: bool) -> Iterator[RequirementCheck]:
    names = _tests(results, required.test, str(required)) if required.test else None
    findings = [each for each in results.own_findings if names is None or each.test.name in names]
    carried = {finding.test.name for finding in findings if any(map(required.wants, finding.measures))}
    if not carried and any(_has_responses(results, finding) for finding in findings):
        raise RequirementError(_nothing_named(results, required, findings))
    _check_limit(required, findings)
    on = {finding.benchmark for finding in findings if any(map(required.wants, finding.measures))}
    order = list(results.tables)  # then findings over several benchmarks
    concerned = [each for each in findings if each.test.name in carried] or findings
    pairs = {(each.model, each.benchmark) for each in concerned}
    for pair in sorted(pairs, key=lambda pair: (order.index(pair) if pair in order else len(order), *pair)):
        model, benchmark = pair
        found = [each for each in concerned if each.is_of(*pair)]
        measured = [(finding, each) for finding in found for each in finding.measures if required.wants(each)]
        if measured or benchmark in on or not all(_has_responses(results, each) for each in found):
            yield RequirementCheck(model, benchmark, required, *_worst(results, required, found, measured, point=point))
    yield from _list_unscored(results, required, names or ())


def _worst(
    results: Results,
    required: RequiredMeasure,
    findings: Sequence[Finding],
    measured: Sequence[tuple[Finding, Measure]],
    *,
    point: bool,
) -> tuple[GateDecision, str]:
    """Decide by the worst of several conditions and describe it.

    Not decided if there is no measure, or if responses or images are missing.
    """
    if not measured:
        return GateDecision.NOT_DECIDED, "not measured: too few responses, or none of the required kind"
    upper = required.sign in ("<", "<=")

    def badness(each: tuple[Finding, Measure]) -> tuple[int, float]:
        estimate = each[1].estimate
        end = estimate.value if point else estimate.high if upper else estimate.low
        return _side(estimate, required, point=point).rank, inf if isnan(end) else end if upper else -end

    finding, worst = max(measured, key=badness)
    decision = _side(worst.estimate, required, point=point)
    said = f"{finding.test.name}, {worst.arm}: {_in_words(worst)}"
    doubt = next((each for each, _ in measured if each.verdict.status is Status.WITHHELD), None)
    if doubt is not None:
        return GateDecision.NOT_DECIDED, f"{said}. Withheld: {doubt.verdict.meaning}"
    gaps = [gap for each in findings if (gap := _gap(results, each, required.is_under))]
    if gaps and worst.name != "missing_rate":
        return GateDecision.NOT_DECIDED, f"{said}. {gaps[0][0].upper()}{gaps[0][1:]}"
    if decision is GateDecision.NOT_DECIDED:
        said = f"{said}. {_why_not_decided(worst, required.limit)}"
    return decision, said


def _why_not_decided(measure: Measure, limit: float) -> str:
    estimate = measure.estimate
    if any(map(isnan, (estimate.value, estimate.low, estimate.high))):
        return "It has no 95% CI"
    # At an end of its scale, an interval narrows faster than `settled_by` assumes.
    settled = settled_by(estimate, limit) if estimate.low < estimate.value < estimate.high else ""
    return f"The 95% CI includes the limit {_number_in_words(limit, measure)}{settled}"


def _side(estimate: Estimate, required: RequiredMeasure, *, point: bool) -> GateDecision:
    ends = (estimate.value,) if point else (estimate.value, estimate.low, estimate.high)
    holding = {HOLDS[required.sign](end, required.limit) for end in ends}
    if any(map(isnan, ends)) or not estimate.n or len(holding) > 1:
        return GateDecision.NOT_DECIDED
    return GateDecision.MET if holding == {True} else GateDecision.NOT_MET


def _in_words(measure: Measure) -> str:
    estimate = measure.estimate
    value, low, high = (_number_in_words(each, measure) for each in (estimate.value, estimate.low, estimate.high))
    rests_on = "".join(f", {each}" for each in (measure.subset, measure.judge and f"judge {measure.judge}") if each)
    return f"{measure.name} {value} (95% CI {low} to {high}, n={estimate.n:,}{rests_on})"


def _number_in_words(value: float, measure: Measure) -> str:
    return f"{100 * value:.1f}%" if measure.kind.unit in IN_PERCENT else f"{value:.3g}"


def _has_responses(results: Results, finding: Finding) -> bool:
    """Return True if a test has a response, or if the finding spans several benchmarks."""
    table = results.tables.get((finding.model, finding.benchmark))
    return table is None or any(len(table.arms.get(arm.name, ())) for arm in finding.test.all_arms)


def _gap(results: Results, finding: Finding, under: Callable[[str], bool] = lambda condition: True) -> str:
    """Describe a condition of the requirement that lacks too many responses. "" if there is none."""
    table = results.tables.get((finding.model, finding.benchmark))
    arms = [arm.name for arm in finding.test.all_arms]
    return incomplete(finding.test.restrict_table(table), [arm for arm in arms if under(arm)] or arms) if table else ""


def _list_unscored(results: Results, required: Requirement, names: Iterable[str]) -> Iterator[RequirementCheck]:
    for name in names:
        if name in results.unscored:
            for model, benchmark in results.tables:
                yield RequirementCheck(model, benchmark, required, GateDecision.NOT_DECIDED, results.unscored[name])


def _normalise_name(name: str) -> str:
    return name.casefold().replace("_", "-")


def _tests(results: Results, name: str, required: str) -> list[str]:
    """Find the tests of a study by full name, or else by name without settings."""
    known = list(dict.fromkeys([*(each.test.name for each in (*results.findings, *results.marks)), *results.unscored]))
    exact = [test for test in known if _normalise_name(test) == _normalise_name(name)]
    found = exact or [test for test in known if _normalise_name(test.partition(":")[0]) == _normalise_name(name)]
    if not found:
        hint = did_you_mean(name, known)
        raise RequirementError(
            f"{_names_nothing(results, required)}: there is no test {name!r}.{hint} Tests: {', '.join(known)}."
        )
    return found


def _names_nothing(results: Results, required: str) -> str:
    others = f" (others: {', '.join(results.others)})" if results.others else ""
    return f"The requirement {required!r} matches nothing in the study {results.study['name']}{others}"


def _nothing_named(results: Results, required: RequiredMeasure, findings: Sequence[Finding]) -> str:
    """Error message: which name in a requirement is unknown, and which names are known."""
    measures = [each for finding in findings for each in finding.measures]
    named = {_normalise_name(name) for name in required.short.measures}
    conditions = list(dict.fromkeys(each.arm for each in measures if _normalise_name(each.name) in named))
    begins = f"{_names_nothing(results, str(required))}: "
    if conditions:
        under = f"there is no condition {required.condition!r}" if required.condition else "not under such a condition"
        return f"{begins}{under}. Conditions with {required.measure}: {', '.join(conditions)}."
    known = sorted({each.name for each in measures})
    of = f"the test {required.test!r} has" if required.test else "there is"
    short = ", ".join(SHORT_NAMES)
    hint = "" if required.measure in SHORT_NAMES else did_you_mean(required.measure, [*SHORT_NAMES, *known])
    return f"{begins}{of} no measure {required.measure!r}.{hint} Measures: {', '.join(known)}. Short names: {short}."


def _check_limit(required: RequiredMeasure, findings: Sequence[Finding]) -> None:
    """Raise RequirementError if no number can reach the limit, such as 5 instead of 5%."""
    for measure in (each for finding in findings for each in finding.measures if required.wants(each)):
        low, high = RANGES.get(measure.kind.unit, (-inf, inf))
        if not low <= required.limit <= high:
            raise RequirementError(
                f"The requirement {str(required)!r} cannot be read: {measure.name} lies between {low:g} and {high:g}. "
                "Write 5% or 0.05 for five percent."
            )
