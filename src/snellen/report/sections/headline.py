"""The headline of a report: who was examined, and the most important result in one sentence.

A list of rules is tried in order of importance; the first one with something to say gives the sentence: undelivered
images, robustness scores, the three marks, then other tests. The *marks* are the verdicts that every model gets:
follows, honest and steady.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from snellen.conditions import ReportForImage
from snellen.items import describe_benchmark, part_of, whole_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.result_lines import describe_accuracy, measure_accuracy
from snellen.report.words.numbers import begun
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Status, StressTest
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import (
    NAMED,
    QUESTIONS,
    count_in_words,
    name_all,
    percent,
    say_who_passes,
    share_with_interval,
)

DECIDED = (Status.PASS, Status.FAIL)
ALL_ARTEFACTS, FLAGGED = "all artefacts", "detection_rate"
"""Condition and measure of how often images with strong artefacts are flagged."""


class Headline(NamedTuple):
    """Title of a report, the most important result, and its meaning."""

    title: str
    found: str
    meaning: str
    status: Status


def headline(evidence: Evidence) -> Headline:
    """Return the headline of a study."""
    results = evidence.results
    told = next(told for rule in RULES if (told := rule(results)) is not None)
    found, meaning, status = _lead_with_who_passes(results, told)
    arrived = {each.status for each in results.delivery}
    if status is Status.FAIL and arrived == {Arrival.UNKNOWN}:
        doubt = "Nothing shows that images reached any model: the failure may be the server’s"
        meaning = ". ".join(filter(None, (meaning, doubt)))
    title = f"{listed(list(short_names(results).values()))} on {describe_asked(results)}"
    return Headline(title, found, meaning, status)


def _lead_with_who_passes(results: Results, told: Told) -> Told:
    """Begin with the models that pass every decided test.

    Only if tests other than the marks are decided, and there are several models.
    """
    names, decided = short_names(results), [each for each in results.own_findings if each.verdict.status in DECIDED]
    if told[2] is Status.WITHHELD or len(names) == 1 or all(each.test.marks for each in decided):
        return told
    tests = {(each.benchmark, each.test.name): each.test for each in decided}
    passing = [names[model] for model in names if _passes_every(results, model, decided)]
    if not passing:
        return told
    found = say_who_passes(passing, len(names), tests=_name_tests(list(tests.values())))
    said = "" if told[0].partition(":")[0].endswith("all three tests") else told[0]
    reasons = (*NOT_ASKED, "no-room-for-words", "answers-nothing")
    asked = {each.test.name for each in results.marks if each.verdict.reason not in reasons}
    left = [f"“{question}”" for name, question in QUESTIONS.items() if results.marks and name not in asked]
    not_asked = f"Not decided by this study: {listed(left)}" if left else ""
    return found, ". ".join(filter(None, (said, told[1], not_asked))), Status.PASS


def _passes_every(results: Results, model: str, decided: Sequence[Finding]) -> bool:
    """True if a model passes every decided test. If it answers no question, passing a test is no merit."""
    passed = {(each.benchmark, each.test.name) for each in decided
              if each.model == model and each.verdict.status is Status.PASS}  # fmt: skip
    idle = any(each.model == model and each.verdict.reason == "answers-nothing" for each in results.marks)
    return not idle and passed == {(each.benchmark, each.test.name) for each in decided}


def _name_tests(tests: Sequence[StressTest]) -> str:
    """Describe the decided tests: by name if there is only one, else all of them."""
    if len(tests) > 1:
        return "both tests decided here" if len(tests) == 2 else "every test decided here"
    return f"the test “{tests[0].label}”" if tests[0].label else f"the test {tests[0].name}"


def questions(results: Results, benchmark: str) -> int:
    """Return the number of questions of a benchmark that the study asks."""
    return max(table.questions_asked for (_, name), table in results.tables.items() if name == benchmark)


def short_names(results: Results) -> dict[str, str]:
    """Return each model's name without its provider. Full names if the short ones are ambiguous."""
    names = [name for name, _ in results.study["models"]]
    short = [name.rpartition("/")[2] for name in names]
    return dict(zip(names, short if len(set(short)) == len(short) else names, strict=True))


def describe_asked(results: Results) -> str:
    """Describe the benchmarks of a study, each with its number of questions."""
    names = list(dict.fromkeys(name for _, name in results.tables))
    asked = {name: _asked(results, name) for name in names if whole_of(name) == name or whole_of(name) not in names}
    if len(asked) == 1:
        [(name, number)] = asked.items()
        return f"{describe_benchmark(name)}, {number}"
    return listed([f"{describe_benchmark(name)} with {number}" for name, number in asked.items()])


def _asked(results: Results, benchmark: str) -> str:
    """Describe the number of a benchmark's questions or reports, and of its open questions."""
    kinds = {name: table.kind for (_, name), table in results.tables.items()}
    number = questions(results, benchmark)
    if kinds[benchmark] == "report":
        return counted(number, "report")
    open_part, reports = (part_of(benchmark, kind) for kind in ("open", "report"))
    in_words = questions(results, open_part) if open_part != benchmark and open_part in kinds else 0
    said = counted(number + in_words, "question") + (f", {in_words:,} of them open" if in_words else "")
    return f"{said}, and {counted(questions(results, reports), 'report')}" if reports in kinds else said


def listed(names: Sequence[str]) -> str:
    """Join names. Of many names, the first ones and the number of the others.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    names = list(dict.fromkeys(names))
    shown = names if len(names) <= NAMED else [*names[:NAMED], f"{len(names) - NAMED} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


Told = tuple[str, str, Status]


def _not_delivered(results: Results) -> Told | None:
    against = [each for each in results.delivery if each.status is Arrival.CONTRADICTED]
    names = short_names(results)
    lost = [names[each.model] for each in against if not each.mislabelled]
    if against and not lost:
        meaning = "No conclusion is possible if conditions are not what their names say"
        return "The images sent contradict the names of the conditions", meaning, Status.WITHHELD
    if not lost:
        return None
    meaning = "The responses do not show what a model does with an image"
    return f"The images seem not to have reached {listed(lost)}", meaning, Status.WITHHELD


def _judge(results: Results) -> Told | None:
    """Say who passes all three marks on each benchmark. None if no mark is decided."""
    known = {each.benchmark for each in results.marks if each.verdict.status in DECIDED}
    decided = {name: models for name, models in _marks(results).items() if name in known}
    told = [_judge_one(results, *each) if len(each[1]) == 1 else _judge_several(results, *each)
            for each in decided.items()]  # fmt: skip
    if not told:
        return None
    plain = {each[0].replace(_on(results, name), "") for name, each in zip(decided, told, strict=True)}
    found = ". ".join(each[0] for each in told[:NAMED])
    if len(told) > 1 and len(plain) == 1:
        where = f"on {'any' if min(plain).startswith('No ') else 'each'} of {count_in_words(len(told))} benchmarks"
        found = min(plain).replace("all three tests", f"all three tests {where}", 1)
    other = _fails(results)
    said = dict.fromkeys(
        [*(sentence for each in told[:NAMED] for sentence in each[1].split(". ")), other[0] if other else ""]
    )
    meaning = ". ".join(filter(None, said))
    return found, meaning, min((each[2] for each in told), key=WORST.index)


def _judge_several(results: Results, benchmark: str, models: Models) -> Told:
    names = short_names(results)
    passing = [model for model, marks in models.items() if _passes_all(marks)]
    failing = {model: faults for model, marks in models.items() if (faults := _list_faults(marks))}
    found = say_who_passes([names[each] for each in passing], len(models), _on(results, benchmark))
    settled = [{each.test.name: each.verdict.status for each in marks if each.verdict.status in DECIDED}
               for marks in models.values()]  # fmt: skip
    if all(each == settled[0] for each in settled) and list(settled[0].values()) == [Status.FAIL]:
        found = f"{name_all(len(models))} fail “{QUESTIONS[next(iter(settled[0]))]}”{_on(results, benchmark)}"
    status = Status.PASS if passing else Status.FAIL if failing else Status.INCONCLUSIVE
    if alike := _tell_equals_apart(results, benchmark, models, failing):
        return found, alike, status
    by_fault: dict[str, list[str]] = {}
    for model, those in failing.items():
        for fault in those:
            by_fault.setdefault(fault, []).append(names[model])
    meaning = ". ".join(f"{begun(fault)}: {listed(whose)}" for fault, whose in by_fault.items())
    return found, meaning or _list_open(results, [each for marks in models.values() for each in marks]), status


def _tell_equals_apart(results: Results, benchmark: str, models: Models, failing: Mapping[str, Sequence[str]]) -> str:
    """Say which models with equal accuracy pass and which fail. "" if there are none."""
    names = short_names(results)
    scores: dict[str, list[str]] = {}
    for model in models:
        if (found := measure_accuracy(results, model, benchmark)) is not None:
            scores.setdefault(percent(found.value), []).append(model)
    for score, equal in scores.items():
        others = [model for model in equal if model in failing]
        if others and any(_passes_all(models[model]) for model in equal):
            told = [f"{names[model]} {' and '.join(failing[model])}" for model in others]
            return f"{begun(count_in_words(len(equal)))} models score {score}. Of these, {'; '.join(told)}"
    return ""


def _passes_all(marks: Sequence[Finding]) -> bool:
    return all(each.verdict.status is Status.PASS for each in marks)


def _judge_one(results: Results, benchmark: str, models: Models) -> Told:
    ((name, marks),) = models.items()
    model = short_names(results)[name]
    on, passed = _on(results, benchmark), [each for each in marks if each.verdict.status is Status.PASS]
    if faults := _list_faults(marks):
        worst = next(each for each in marks if each.verdict.status is Status.FAIL)
        found = f"{model} fails “{QUESTIONS[worst.test.name]}”{on}: {worst.verdict.numbers}"
        return found, f"It {' and '.join(faults)}", Status.FAIL
    if len(passed) == len(marks):
        numbers = begun("; ".join(each.verdict.numbers for each in marks))
        return f"{model} passes all three tests{on}", numbers, Status.PASS
    found = f"{model} passes {count_in_words(len(passed))} of three tests{on}"
    return found, _list_open(results, marks), Status.INCONCLUSIVE


def _leave_open(results: Results) -> Told | None:
    """Say what would decide the marks, if none is decided for any model."""
    if not results.marks:
        return None
    why = _list_open(results, results.marks)
    if all(each.verdict.status is Status.NOT_APPLICABLE for each in results.marks):
        return begun(Status.NOT_APPLICABLE.words), why, Status.NOT_APPLICABLE
    asked = sum(questions(results, name) for name in _marks(results))
    return f"Not decided with {counted(asked, 'question')}", why, Status.INCONCLUSIVE


Models = Mapping[str, Sequence[Finding]]
WORST = (Status.FAIL, Status.INCONCLUSIVE, Status.PASS)


def _marks(results: Results) -> dict[str, dict[str, list[Finding]]]:
    found: dict[str, dict[str, list[Finding]]] = {}
    for each in results.marks:
        found.setdefault(each.benchmark, {}).setdefault(each.model, []).append(each)
    return found


def _list_faults(marks: Sequence[Finding]) -> list[str]:
    return [each.verdict.meaning for each in marks if each.verdict.status is Status.FAIL]


def _list_open(results: Results, marks: Sequence[Finding]) -> str:
    """Say why marks are open and what would decide them, each reason once."""
    names, models = short_names(results), {each.model for each in marks}
    reasons: dict[tuple[Status, str], list[Finding]] = {}
    for each in marks:
        if each.verdict.status not in DECIDED:
            reasons.setdefault((each.verdict.status, each.verdict.meaning), []).append(each)
    told = []
    for (status, why), found in reasons.items():
        tests, whose = dict.fromkeys(each.test.name for each in found), {each.model: None for each in found}
        said = why if len(tests) == len(QUESTIONS) else f"{', '.join(tests)} {status.words}: {why}"
        told.append(begun(said) if len(whose) == len(models) else f"{listed([names[each] for each in whose])}: {said}")
    return ". ".join(told[:NAMED])


def _tell_who_flags(results: Results) -> Told | None:
    """Say who flags unreadable images, unless a model fails another test."""
    found, failed = say_who_flags(results), _ended(results, Status.FAIL)
    if not found or (failed and not any(map(_is_about_flags, failed))):
        return None
    statuses = {each.verdict.status for each in results.findings if _is_about_flags(each)}
    status = next((each for each in (*WORST, Status.WITHHELD) if each in statuses), Status.REPORTED)
    told = _fails(results) or _passes(results)
    return found, told[0] if told else f"No test is decided with {_count_questions(results)}", status


def say_who_flags(results: Results) -> str:
    """Say how often each model flags strong artefacts by the first prompt. "" if not asked."""
    asked = [each for each in results.findings if _is_about_flags(each)]
    first = _on_one([each for each in asked if each.test.name == asked[0].test.name])
    rates = {each.model: found.estimate for each in first if (found := each.measure(ALL_ARTEFACTS, FLAGGED))}
    if not rates:
        return ""
    said = dict.fromkeys(map(share_with_interval, rates.values()))
    if len(rates) > 1 and not any(each.value for each in rates.values()) and len(said) == 1:
        who = f"None of {count_in_words(len(rates))} models flags"
        return f"{who} an unreadable image{_on(results, first[0].benchmark)}: {next(iter(said))}"
    names = short_names(results)
    told = listed([f"{names[model]} flags {share_with_interval(each)}" for model, each in rates.items()])
    return f"Of unreadable images{_on(results, first[0].benchmark)}, {told}"


def _is_about_flags(finding: Finding) -> bool:
    return finding.test.name.partition(":")[0] == "strong-artefacts"


def _explain_robustness(results: Results) -> Told | None:
    """Say what the marks or other verdicts show, followed by the robustness score R."""
    said = describe_robustness(results)
    rules = (_judge, _fails, _passes, _leave_open) if said else ()
    told = next((told for rule in rules if (told := rule(results)) is not None), None)
    return None if told is None else (told[0], ". ".join(filter(None, (told[1], said.removesuffix(".")))), told[2])


def describe_robustness(results: Results) -> str:
    """Describe the robustness score R, and where it does not apply. "" if not asked."""
    found = _list_family(results, "robustness")
    if not found:
        return ""
    names, marks = short_names(results), _marks(results)
    scores = {each.model: rests_on.estimate.value for each in found if (rests_on := each.verdict.rests_on)}
    passing = [model for model in scores if _passes_all(marks.get(found[0].benchmark, {}).get(model, found))]
    told = listed([f"{names[model]} has {scores[model]:.2f}" for model in passing or scores])
    if len(passing or scores) > NAMED:
        least, most = (end(scores, key=lambda model: scores[model]) for end in (min, max))
        told = f"it is {scores[least]:.2f} for {names[least]} to {scores[most]:.2f} for {names[most]}"
    none = [names[each.model] for each in found if each.verdict.reason == "answers-nothing"]
    never = f"R is not applicable to {listed(none)}, which never {'answers' if len(none) == 1 else 'answer'}"
    said = "; ".join(filter(None, (never, told))) if none else f"By the score R, {told}" if told else ""
    return f"{said}{_on(results, found[0].benchmark)}. Read the marks first." if said else ""


def _compare_reports(results: Results) -> Told | None:
    told, other = describe_reports(results), _fails(results)
    if not told:
        return None
    return told[0], ". ".join([told[1], *([other[0]] if other else [])]), Status.FAIL if other else Status.REPORTED


def describe_reports(results: Results) -> tuple[str, str] | None:
    """Describe the gain from a report in place of the image. None if not asked."""
    names, found = short_names(results), []
    for each in _list_family(results, "pathway-answers"):
        whole = {m.name: m.estimate for m in each.measures if m.arm == ReportForImage.name and not m.subset}
        if "difference" in whole:
            found.append((names[each.model], each, whole))
    if not found:
        return None
    model, finding, most = max(found, key=lambda each: each[2]["difference"].value)
    before, after = (share_with_interval(most[name]) for name in ("baseline_accuracy", "accuracy"))
    gaining = [name for name, _, whole in found if whole["difference"].low > 0]
    are = "is" if len(gaining) == 1 else "are"
    more = f"With the report in place of the image, {listed(gaining)} {are} right more often"
    none = "No gain from the report is shown for any model"
    several = len({whole_of(name) for _, name in results.tables}) > 1
    on = f" on {whole_of(finding.benchmark)}" if several else ""
    return f"{model}{on}: {before} with the image, {after} with the report", more if gaining else none


def _list_family(results: Results, name: str) -> list[Finding]:
    return _on_one([each for each in results.own_findings if each.test.name.partition(":")[0] == name])


def _fails(results: Results) -> Told | None:
    """Say who fails another test: the first one of the study that a model fails."""
    same = _first_ended(results, Status.FAIL)
    if same and (told := compare_shares(results, same)):
        return _say_who_does(results, same), told, Status.FAIL
    return _say_ended(results, same, "fails", "fail") if same else None


UNSEEN = {"mirage-rate": "describe", "mirage-bias": "diagnose"}
"""Verbs for what responses do with an image that was never sent, by test."""


def _say_who_does(results: Results, failing: Sequence[Finding]) -> str:
    verb, models = UNSEEN[failing[0].test.name.partition(":")[0]], results.study["models"]
    if len(failing) == len(models) or len(failing) == 1:
        return f"{_who(results, failing)} {_plural(failing, f'{verb}s', verb)} images never sent"
    names = f": {_who(results, failing)}" if len(failing) <= NAMED else ""
    of = f"{begun(count_in_words(len(failing)))} of {count_in_words(len(models))}"
    return f"{of} models {verb} images never sent{names}"


def compare_shares(results: Results, findings: Sequence[Finding]) -> str:
    """Describe each model's share of responses about an image never sent. "" if unknown."""
    verb, names = UNSEEN.get(findings[0].test.name.partition(":")[0]), short_names(results)
    found = [(rests_on.estimate, names[each.model]) for each in findings if (rests_on := each.verdict.rests_on)]
    if verb is None or not found:
        return ""
    found.sort(key=lambda each: -each[0].low)
    (first, model), *others = found[:NAMED]
    told = [f"{share_with_interval(first)} of {model}’s responses"]
    told += [f"{share_with_interval(estimate)} of {name}’s" for estimate, name in others]
    return f"{listed(told)} {verb} an image never sent"


def _passes(results: Results) -> Told | None:
    same = _first_ended(results, Status.PASS)
    return _say_ended(results, same, "passes", "pass") if same else None


def _first_ended(results: Results, status: Status) -> list[Finding]:
    """Findings of the first test with this status, on one benchmark."""
    ended = _ended(results, status)
    return _on_one([each for each in ended if each.test.name == ended[0].test.name])


def _say_ended(results: Results, same: Sequence[Finding], *verb: str) -> Told:
    called, on = _name_tests([same[0].test]), _on(results, same[0].benchmark)
    found = f"{_who(results, same)} {_plural(same, *verb)} {called}{on}"
    return found, _each(results, same), same[0].verdict.status


def _scores(results: Results) -> Told | None:
    """Say the accuracy of the models, if no test could compare anything."""
    verdicts = [each.verdict for each in results.findings]
    if any(each.rests_on is not None for each in verdicts if each.status is Status.INCONCLUSIVE):
        return None
    scored = [f"{model} {said}" for model, name in results.tables if (said := describe_accuracy(results, model, name))]
    if not scored:
        return None
    reasons = [each.meaning for each in verdicts if each.rests_on is None and each.meaning]
    meaning = reasons[0] if reasons else "No test ended in pass or fail"
    return f"Accuracy: {listed(scored)}", begun(meaning), Status.REPORTED


def _count_questions(results: Results) -> str:
    return counted(
        sum(questions(results, name) for name in dict.fromkeys(name for _, name in results.tables)), "question"
    )


RULES: tuple[Callable[[Results], Told | None], ...] = (
    _not_delivered, _explain_robustness, _judge, _tell_who_flags, _compare_reports, _fails, _passes, _leave_open,
    _scores,
    lambda results: (
        f"Nothing is settled by {_count_questions(results)}", "No test ended in pass or fail", Status.INCONCLUSIVE
    ),
)  # fmt: skip
"""Rules for the headline, most important first. The last one always applies."""


def _ended(results: Results, status: Status) -> list[Finding]:
    return [each for each in (*results.findings, *results.over_all) if each.verdict.status is status]


def _on_one(findings: Sequence[Finding]) -> list[Finding]:
    """Findings on the benchmark that has most of them."""
    names = [each.benchmark for each in findings]
    first = max(dict.fromkeys(names), key=names.count, default="")
    return [each for each in findings if each.benchmark == first]


def _on(results: Results, benchmark: str) -> str:
    several = len({whole_of(name) for _, name in results.tables}) > 1
    return f" on {describe_benchmark(benchmark)}" if several else ""


def _who(results: Results, findings: Sequence[Finding]) -> str:
    """Name the models of some findings: "Both models", "All 5 models", or by name."""
    names = short_names(results)
    models = list(dict.fromkeys(names.get(each.model, each.model) for each in findings))
    every = len(results.study["models"])
    if len(models) == every and every > 1:
        return "Both models" if every == 2 else f"All {every} models"
    return listed(models)


def _plural(findings: Sequence[Finding], one: str, many: str) -> str:
    return one if len({each.model for each in findings}) == 1 else many


def _each(results: Results, findings: Sequence[Finding]) -> str:
    numbers = [begun(each.verdict.numbers or each.verdict.meaning) for each in findings]
    if len(findings) == 1:
        return numbers[0]
    names = short_names(results)
    pairs = zip(findings[:NAMED], numbers[:NAMED], strict=True)
    told = [f"{names.get(each.model, each.model)}: {said}" for each, said in pairs]
    return ". ".join([*told, *([f"And {len(findings) - NAMED} more"] if len(findings) > NAMED else [])])
