"""Verdict lines: what the terminal says of a study, one line per model and one per benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.items import describe_benchmark
from snellen.report.result_lines import describe_doubt, measure_accuracy, measure_reports
from snellen.report.words.numbers import with_interval
from snellen.runtime import counted, visible
from snellen.scoring.findings import Finding
from snellen.scoring.flow import follow_study
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Status
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import describe_briefly, share_with_interval

WORDS = {
    Status.PASS: "pass",
    Status.FAIL: "FAIL",
    Status.INCONCLUSIVE: "?",
    Status.NOT_APPLICABLE: "–",
    Status.WITHHELD: "withheld",
    Status.REPORTED: "",
}
COLUMN = 9


def list_verdict_lines(results: Results) -> Iterator[str]:
    """The lines of every benchmark, then what it gives away, and how far all of it can be trusted."""
    for benchmark in dict.fromkeys(name for _, name in results.tables):
        models = [model for model, name in results.tables if name == benchmark]
        yield from _list_models(results, benchmark, models)
        yield from (visible(line.sentence) for line in results.lines if line.benchmark == benchmark)
    yield _describe_trust(results)


def _list_models(results: Results, benchmark: str, models: Sequence[str]) -> Iterator[str]:
    short = shorten_names(models)
    scores = {model: _describe_score(results, model, benchmark) for model in models}
    wide, room = max(map(len, short.values())), max(map(len, scores.values()))
    marks = {model: [each for each in results.marks if each.is_of(model, benchmark)] for model in models}
    heading = visible(f"{describe_benchmark(benchmark)}, n {_describe_questions(results, benchmark, models)}")
    columns = "".join(f"{each.test.name:<{COLUMN}}" for each in next(filter(None, marks.values()), ()))
    start = 2 + wide + 2 + room + 2
    yield f"{heading:<{start}}{columns}".rstrip()
    for model in models:
        begins = f"  {visible(short[model]):<{wide}}  {scores[model]:<{room}}  "
        yield f"{begins}{visible(_describe_model(results, model, benchmark, marks[model]))}".rstrip()
    for model in models:
        if doubt := describe_doubt(results, [each for each in results.every_finding if each.is_of(model, benchmark)]):
            yield visible(f"{model}: {doubt}")
    yield from _list_not_asked([mark for each in marks.values() for mark in each])


def _list_not_asked(marks: Sequence[Finding]) -> Iterator[str]:
    """What to ask for the verdicts that no model of a benchmark was asked for."""
    missing = {}
    for name in dict.fromkeys(mark.test.name for mark in marks):
        verdicts = [mark.verdict for mark in marks if mark.test.name == name]
        if all(each.reason in NOT_ASKED for each in verdicts):
            missing[name] = describe_briefly(name, verdicts[0].reason, verdicts[0].values)
    if missing:
        yield f"Not asked: {'. '.join(f'{name}: {words}' for name, words in missing.items())}."


def _describe_model(results: Results, model: str, benchmark: str, marks: Sequence[Finding]) -> str:
    """The marks of one model and one short sentence; if all are open for one reason, only that."""
    others = [each for each in (*results.findings, *results.over_all) if each.is_of(model, benchmark)]
    failed = [each.test.name for each in others if each.verdict.status is Status.FAIL]
    also = [f"fails: {', '.join(failed)}"] if failed else []
    own = [each for each in others if each.is_own and each.verdict.status not in (Status.PASS, Status.FAIL)]
    also += [f"{each.verdict.status.words}: {each.test.name}" for each in own]
    passed = [each.test.name for each in others if each.verdict.status is Status.PASS and (each.is_own or not marks)]
    also = [*([f"passes: {', '.join(passed)}"] if passed else []), *also]
    if not marks:
        return "; ".join(also)
    reasons = {(each.verdict.status, each.verdict.reason) for each in marks}
    if len(reasons) == 1 and marks[0].verdict.status in (Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD):
        return "; ".join([_describe_open(marks[0], named=False), *also])
    columns = "".join(f"{WORDS[each.verdict.status]:<{COLUMN}}" for each in marks)
    worst = next((each for each in marks if each.verdict.status is Status.FAIL), None)
    unclear = (each for each in marks if each.verdict.status is not Status.PASS)
    open_one = next((each for each in unclear if each.verdict.reason not in NOT_ASKED), None)
    said = [_brief(worst)] if worst else [_describe_open(open_one, named=True)] if open_one else []
    return f"{columns}{'; '.join([*said, *also])}"


def _brief(mark: Finding) -> str:
    return describe_briefly(mark.test.name, mark.verdict.reason, mark.verdict.values)


def _describe_open(mark: Finding, *, named: bool) -> str:
    """Why a verdict is not decided, and what would decide it."""
    if mark.verdict.status is Status.WITHHELD:
        return f"withheld: {mark.verdict.meaning}"
    return f"{f'{mark.test.name} ' if named else ''}{mark.verdict.status.words}: {_brief(mark)}"


def _describe_score(results: Results, model: str, benchmark: str) -> str:
    """The accuracy; of reports how many findings they share with their references; else why there is neither."""
    if (found := measure_accuracy(results, model, benchmark)) is not None:
        return share_with_interval(found)
    if (found := measure_reports(results, model, benchmark)) is not None:
        return f"findings F1 {with_interval(found, 'score')}, n {found.n:,}"
    table = results.tables[model, benchmark]
    if table.kind == "report":
        return "no report could be compared with its reference"
    return "no answer key" if any(map(len, table.arms.values())) else "no response"


def _describe_questions(results: Results, benchmark: str, models: Sequence[str]) -> str:
    """How many questions were asked; the fewest and the most if models were asked differently many."""
    counts = {results.tables[model, benchmark].questions_asked for model in models}
    return " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))


def _describe_trust(results: Results) -> str:
    """How many responses are there, of how many models images are confirmed, and how many readings are unsure."""
    flow = follow_study(results)
    said = [f"{flow.arrived:,} of {counted(flow.asked, 'response')}"]
    sent = {each.model for each in results.delivery}
    if sent:
        confirmed = {each.model for each in results.delivery if each.status is Arrival.CONFIRMED}
        said.append(f"images confirmed for {len(confirmed)} of {counted(len(sent), 'model')}")
    said.append(f"{counted(flow.unsure, 'reading')} unsure" if flow.unsure else "no reading unsure")
    return f"Trust: {'; '.join(said)}. Parentheses are 95% intervals."


def shorten_names(models: Sequence[str]) -> dict[str, str]:
    """The names without what they all begin with, up to a slash.

    >>> shorten_names(["organism/blind", "organism/mirage"])
    {'organism/blind': 'blind', 'organism/mirage': 'mirage'}
    """
    heads = {model.rpartition("/")[0] for model in models}
    tails = {model: model.rpartition("/")[2] for model in models}
    apart = len(heads) == 1 and len(set(tails.values())) == len(models) and all(tails.values())
    return tails if apart else {model: model for model in models}
