"""The headline of a report: who was examined, and who passes.

Rules are tried in order of importance; the first one with something to say gives the sentence. Who passes is read from
the same marks and tests as the first table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from snellen.items import describe_benchmark, part_of, whole_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.result_lines import describe_accuracy, measure_accuracy
from snellen.report.sections.standing import ModelMarks, list_standings, title_test
from snellen.report.words.numbers import begun
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Status, Verdict
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import (
    NAMED,
    QUESTIONS,
    count_in_words,
    name_all,
    percent,
    share_with_interval,
)

DECIDED = (Status.PASS, Status.FAIL)


class Headline(NamedTuple):
    """Title of a report, the most important result, and its meaning."""

    title: str
    found: str
    meaning: str
    status: Status


def headline(evidence: Evidence) -> Headline:
    """Return the headline of a study."""
    results = evidence.results
    found, meaning, status = next(told for rule in RULES if (told := rule(evidence)) is not None)
    arrived = {each.status for each in results.delivery}
    if status is Status.FAIL and arrived == {Arrival.UNKNOWN}:
        doubt = "Nothing shows that images reached any model: the failure may be the server’s"
        meaning = ". ".join(filter(None, (meaning, doubt)))
    title = f"{listed(list(short_names(results).values()))} on {describe_asked(evidence)}"
    return Headline(title, found, meaning, status)


def questions(results: Results, benchmark: str) -> int:
    """Return the number of questions of a benchmark that the study asks."""
    return max(table.questions_asked for (_, name), table in results.tables.items() if name == benchmark)


def short_names(results: Results) -> dict[str, str]:
    """Return each model's name without its provider. Full names if the short ones are ambiguous."""
    names = [name for name, _ in results.study["models"]]
    short = [name.rpartition("/")[2] for name in names]
    return dict(zip(names, short if len(set(short)) == len(short) else names, strict=True))


def describe_asked(evidence: Evidence) -> str:
    """Describe the benchmarks of a study, and the questions that tests bring."""
    results = evidence.results
    names = list(dict.fromkeys(name for _, name in results.tables if name not in evidence.own_questions))
    asked = {name: _asked(results, name) for name in names if whole_of(name) == name or whole_of(name) not in names}
    own = sum(questions(results, name) for name in evidence.own_questions)
    brought = [f"{counted(own, 'question')} about images that were never sent"] if own else []
    if len(asked) == 1:
        [(name, number)] = asked.items()
        return " and ".join([f"{describe_benchmark(name)}, {number}", *brought])
    return listed([*(f"{describe_benchmark(name)} with {number}" for name, number in asked.items()), *brought])


def describe_demonstration(models: Collection[str], benchmarks: Collection[str] = ()) -> str:
    """Say that the models are test programs and the images drawn. "" if a model is real."""
    if not all(name.startswith("organism/") for name in models):
        return ""
    programs = ["the models are Snellen’s test programs with planted behaviour, not real models"] if models else []
    drawn = benchmarks and all(name.startswith("phantoms") for name in benchmarks)
    said = [*programs, *(["the images are drawn and show no patient"] if drawn else [])]
    return f"A demonstration: {'. '.join([*said[:1], *map(begun, said[1:])])}." if said else ""


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


def _not_delivered(evidence: Evidence) -> Told | None:
    against = [each for each in evidence.results.delivery if each.status is Arrival.CONTRADICTED]
    names = short_names(evidence.results)
    lost = [names[each.model] for each in against if not each.mislabelled]
    if against and not lost:
        meaning = "No conclusion is possible if conditions are not what their names say"
        return "The images sent contradict the names of the conditions", meaning, Status.WITHHELD
    if not lost:
        return None
    meaning = "The responses do not show what a model does with an image"
    return f"The images seem not to have reached {listed(lost)}", meaning, Status.WITHHELD


class _Standing(NamedTuple):
    """What all tables of the first screen say about one model."""

    name: str
    tables: tuple[ModelMarks, ...]
    findings: tuple[Finding, ...]
    shown: tuple[Finding, ...]
    """Findings that have a cell in a table."""

    @property
    def stands(self) -> bool:
        return any(each.stands for each in self.tables) and not self.failed and not self.guesses

    @property
    def guesses(self) -> bool:
        return any(each.guesses or each.answers_nothing for each in self.tables)

    @property
    def failed(self) -> list[Finding]:
        failed = [each for each in self.findings if each.verdict.status is Status.FAIL]
        return [each for each in self.shown if each in failed] or failed

    def passes(self, needed: Iterable[tuple[str, str]]) -> bool:
        passed = {_key(each) for each in self.findings if each.verdict.status is Status.PASS}
        return self.stands and passed >= set(needed)

    @property
    def faults(self) -> list[str]:
        return list(dict.fromkeys(each.verdict.meaning.removeprefix("it ") for each in self.failed))


def _key(finding: Finding) -> tuple[str, str]:
    return finding.benchmark, finding.test.name


def _list_standings(evidence: Evidence) -> dict[str, _Standing]:
    tables = list_standings(evidence).values()
    shown = [each for table in tables for each in table.shown]
    made = {}
    for model, name in short_names(evidence.results).items():
        own = tuple(each for table in tables for each in table.models if each.model == model)
        every = tuple(found for each in own for found in (*each.marks.values(), *each.others.values()))
        made[model] = _Standing(name, own, every, tuple(each for each in shown if each.model == model))
    return made


def _judge(evidence: Evidence) -> Told | None:
    """Say who passes every decided test, or else who fails none. None if no test is decided."""
    results, standings = evidence.results, _list_standings(evidence)
    every = list(standings.values())
    decided = [each for one in every for each in one.findings if each.verdict.status in DECIDED]
    if not decided:
        return None
    benchmarks = {each.benchmark for each in decided}
    marked = all(each.test.marks for each in decided)
    judged = [each for each in results.marks if each.benchmark in benchmarks] if marked else decided
    needed, tests = dict.fromkeys(map(_key, judged)), _name_tests(judged)
    if marked and len(benchmarks) > 1:
        tests = f"all three tests on each of {count_in_words(len(benchmarks))} benchmarks"
    if len(every) == 1:
        return _judge_one(results, every[0], list(needed), tests)
    passing = [each for each in every if each.passes(needed)]
    standing = passing or [each for each in every if each.stands]
    failing = [each for each in every if each.failed]
    if standing and (passing or failing):
        found = _say_who([each.name for each in standing], len(every), tests if passing else "")
        told = _tell_equals_apart(results, standings) or _tell_faults(failing)
        return found, ". ".join(filter(None, (told, _tell_open(standing)))), Status.PASS
    common = [each for each in (failing[0].failed if failing else ()) if all(
        _key(each) in map(_key, one.failed) for one in every)]  # fmt: skip
    found = f"No model passes {tests}"
    if common:
        both = name_all(len(every)).removesuffix(" models")
        found = f"No model passes: {both.lower()} fail “{title_test(common[0])}”"
    told = _tell_faults(failing) or _list_open(results, [each for one in every for each in one.shown])
    return found, told, Status.FAIL if failing else Status.INCONCLUSIVE


def _say_who(names: Sequence[str], models: int, tests: str) -> str:
    """Say which models pass these tests. Without tests, say which fail none.

    >>> _say_who(["grounded"], 6, "all three tests"), _say_who(["a", "b"], 2, "")
    ('One of six models passes all three tests: grounded', 'Both models fail no test')
    """
    number = len(names)
    verb, what = ("pass", tests) if tests else ("fail", "no test")
    if number == models:
        return f"{name_all(models)} {verb} {what}"
    verb = f"{verb}{'es' if tests else 's'}" if number == 1 else verb
    named = f": {listed(names)}" if number <= NAMED else ""
    return f"{begun(count_in_words(number))} of {count_in_words(models)} models {verb} {what}{named}"


def _name_tests(tests: Sequence[Finding]) -> str:
    """Describe the decided tests: the three marks, by name if there is only one, else all of them."""
    names = {_key(each): each for each in tests}
    if all(each.test.marks for each in tests):
        return "all three tests"
    if len(names) > 1:
        return "both tests decided here" if len(names) == 2 else "every test decided here"
    return f"the test “{title_test(tests[0])}”"


def _tell_equals_apart(results: Results, standings: dict[str, _Standing]) -> str:
    """Say which models with equal accuracy stand and which fail. "" if there are none."""
    scores: dict[tuple[str, str], list[_Standing]] = {}
    for model, benchmark in results.tables:
        if (found := measure_accuracy(results, model, benchmark)) is not None:
            scores.setdefault((benchmark, percent(found.value)), []).append(standings[model])
    for (_, score), equal in scores.items():
        others = [each for each in equal if each.failed]
        if others and any(each.stands for each in equal):
            told = [f"{each.name} {' and '.join(each.faults[:NAMED])}" for each in others]
            return f"{begun(count_in_words(len(equal)))} models score {score}. Of these, {'; '.join(told)}"
    return ""


def _tell_faults(failing: Sequence[_Standing]) -> str:
    """Say what the models that fail do, and which do it."""
    by_fault: dict[str, list[str]] = {}
    for each in failing:
        for fault in each.faults:
            by_fault.setdefault(fault, []).append(each.name)
        if any(table.guesses for table in each.tables):
            by_fault.setdefault("not shown to beat guessing", []).append(each.name)
    return ". ".join(f"{begun(fault)}: {listed(whose)}" for fault, whose in by_fault.items())


ABOUT_THE_MODEL = ("answers-nothing", "no-options", "no-images")
"""Reasons for "not applicable" that lie in the model or the questions, and that no other study would change."""


def _tell_open(standing: Sequence[_Standing]) -> str:
    """Say which marks a release still needs, and which other tests are not decided."""
    shown = [each for one in standing for each in one.shown]
    settled = {title_test(each) for each in shown if each.verdict.status in DECIDED}
    left = {
        title_test(each): each
        for each in reversed(shown)
        if each.verdict.status in (Status.INCONCLUSIVE, Status.NOT_APPLICABLE)
        and each.verdict.reason not in ABOUT_THE_MODEL
        and title_test(each) not in settled
    }
    missing: dict[str, list[str]] = {}
    for title in filter(left.__contains__, QUESTIONS.values()):
        missing.setdefault(describe_open(left[title].verdict), []).append(f"“{title}”")
    release = "; ".join(f"{listed(titles)} {why}" for why, titles in missing.items())
    others = [f"“{title}”" for title, each in reversed(left.items()) if not each.test.marks]
    told = f"Not yet a release: {release}" if release else "", f"Not decided: {listed(others)}" if others else ""
    return ". ".join(filter(None, told))


def describe_open(verdict: Verdict) -> str:
    """Describe an open mark in the word of its cell, with what would decide it."""
    word = "not asked" if verdict.reason in NOT_ASKED else verdict.status.words
    why, _, remedy = verdict.meaning.partition("; ")
    return f"{word} ({remedy.removeprefix('what would decide: ') or why})"


def _judge_one(results: Results, model: _Standing, needed: Sequence[tuple[str, str]], tests: str) -> Told:
    passed = [each for each in model.findings if each.verdict.status is Status.PASS and _key(each) in needed]
    numbers = ". ".join(begun(each.verdict.numbers) for each in passed[:NAMED])
    if model.failed:
        worst = model.failed[0]
        found = f"{model.name} fails “{title_test(worst)}”: {worst.verdict.numbers}"
        return found, f"It {' and '.join(model.faults[:NAMED])}", Status.FAIL
    if len(passed) == len(needed):
        return f"{model.name} passes {tests}", ". ".join(filter(None, (numbers, _tell_open([model])))), Status.PASS
    found = f"{model.name} passes {count_in_words(len(passed))} of {count_in_words(len(needed))} tests"
    return found, _list_open(results, model.shown), Status.INCONCLUSIVE


def _leave_open(evidence: Evidence) -> Told | None:
    """Say what would decide the tests, if none is decided for any model. None if nothing could be decided."""
    results = evidence.results
    shown = [each for one in _list_standings(evidence).values() for each in one.shown]
    marks = [each for each in shown if each.test.marks]
    left = [each for each in marks or shown if each.verdict.status is Status.INCONCLUSIVE and each.verdict.rests_on]
    if not marks and not left:
        return None
    why = _list_open(results, marks or left)
    if marks and all(each.verdict.status is Status.NOT_APPLICABLE for each in marks):
        return begun(Status.NOT_APPLICABLE.words), why, Status.NOT_APPLICABLE
    benchmarks = {each.benchmark for each in marks} or {name for _, name in results.tables}
    asked = sum(questions(results, name) for name in benchmarks)
    scores = [] if marks else _list_scores(results)
    return f"Not decided with {counted(asked, 'question')}", ". ".join([why, *scores]), Status.INCONCLUSIVE


def _list_scores(results: Results) -> list[str]:
    """List what share of each benchmark the models answer right, if there are several models."""
    names, said = short_names(results), dict[str, dict[str, list[str]]]()
    for model, benchmark in results.tables:
        if (found := measure_accuracy(results, model, benchmark)) is not None and len(names) > 1:
            said.setdefault(benchmark, {}).setdefault(share_with_interval(found), []).append(names[model])
    kinds = {name: "open questions" if whole_of(name) != name else "questions with options" for name in said}
    return [
        f"Right on {kinds[name]}: {'; '.join(f'{listed(models)} {share}' for share, models in shares.items())}"
        for name, shares in said.items()
    ]


def _list_open(results: Results, findings: Sequence[Finding]) -> str:
    """Say why verdicts are open and what would decide them, each reason once."""
    names, models = short_names(results), {each.model for each in findings}
    reasons: dict[tuple[Status, str], list[Finding]] = {}
    for each in findings:
        if each.verdict.status not in (*DECIDED, Status.REPORTED):
            reasons.setdefault((each.verdict.status, each.verdict.meaning), []).append(each)
    told = []
    for (status, why), found in reasons.items():
        tests, whose = dict.fromkeys(map(title_test, found)), {each.model: None for each in found}
        titles = listed([f"“{each}”" for each in tests])
        n = {each.verdict.rests_on.estimate.n for each in found if each.verdict.rests_on and not each.test.marks}
        few = f" (n {n.pop()})" if len(n) == 1 else ""
        said = why if [*tests] == [*QUESTIONS.values()] else f"{titles} {status.words}{few}: {why}"
        told.append(begun(said) if len(whose) == len(models) else f"{listed([names[each] for each in whose])}: {said}")
    return ". ".join(told[:NAMED])


def _scores(evidence: Evidence) -> Told | None:
    """Say the accuracy of the models, if no test could compare anything."""
    results = evidence.results
    verdicts = [each.verdict for each in results.findings]
    scored = [f"{model} {said}" for model, name in results.tables if (said := describe_accuracy(results, model, name))]
    if not scored:
        return None
    reasons = [each.meaning for each in verdicts if each.rests_on is None and each.meaning]
    meaning = reasons[0] if reasons else "No test ended in pass or fail"
    return f"Accuracy: {listed(scored)}", begun(meaning), Status.REPORTED


RULES: tuple[Callable[[Evidence], Told | None], ...] = (
    _not_delivered, _judge, _leave_open, _scores,
    lambda evidence: ("Nothing is settled", "No test ended in pass or fail", Status.INCONCLUSIVE),
)  # fmt: skip
"""Rules for the headline, most important first. The last one always applies."""
