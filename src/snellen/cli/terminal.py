"""Output of the commands: results, warnings and progress."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from pathlib import Path
from textwrap import fill
from typing import Any, Literal

import click
import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress
from rich.status import Status as RichStatus
from rich.table import Table as Grid
from rich.text import Text

from snellen.asking.progress import LINE_EVERY
from snellen.asking.run import RunProgress
from snellen.cli.options import VERBOSE, complain, tell
from snellen.errors import BrokenRow, by_reason
from snellen.items import Benchmark, describe_benchmark
from snellen.models.prices import UNBILLED
from snellen.reading.outcomes import Outcome
from snellen.report.publishing import publish
from snellen.report.result_lines import (
    describe_accuracy,
    describe_doubt,
    list_by_model,
    measure_accuracy,
    measure_reports,
)
from snellen.report.words.numbers import with_interval
from snellen.runtime import counted, time_left, visible
from snellen.scoring.findings import Finding
from snellen.scoring.flow import follow_study
from snellen.scoring.human_reference import human_reference
from snellen.scoring.results import Results
from snellen.scoring.settled import HOLDS
from snellen.sight.delivery import Arrival, Delivery
from snellen.store import Store
from snellen.stress.base import Status
from snellen.stress.conclusions import percent, points
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.stress.table import Grades
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import describe_briefly, share_with_interval

WIDE = 100
"""Terminal width in characters from which we wrap verdict lines; narrower terminals wrap them."""
STATUS_WIDTH = max(len(each.words) for each in Status)
IMAGES_NAMED = 10
"""Number of unusable images that are named; the others are counted."""


class Terminal(Console):
    """Console that makes control characters in foreign text visible."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Return the text with control characters spelled out."""
        return super().render_str(visible(text), **how)


out = Terminal(highlight=False, markup=False, emoji=False)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    numbers: bool = False,
    breaking: Container[int] | None = None,
    close: bool = False,
    first: int | None = None,
) -> None:
    """Print rows under their columns. With `numbers`, all but the first are right-aligned.

    `breaking` are the columns whose words may be broken; None allows all. `close` reduces the space between columns.
    `first` is the width of the first column.
    """
    grid = Grid(title=title or None, title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=close)
    for place, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if numbers and place else "left"
        whole = breaking is not None and place not in breaking
        grid.add_column(column, overflow="fold", justify=justify, no_wrap=whole, width=None if place else first)
    for row in rows:
        grid.add_row(*map(visible, row))
    out.print(grid)


# Signs of life --------------------------------------------------------------------------------------------------------


@contextmanager
def working(doing: str = "reading the responses and drawing the report") -> Iterator[Working]:
    """Show progress in a block. Without a terminal, print a line now and then."""
    console = Terminal(stderr=True)
    with console.status(doing) as status:
        yield Working(console, status)


class Working:
    """Display of the current task, its progress, and the time left."""

    def __init__(self, console: Console, status: RichStatus) -> None:
        self._console = console
        self._status = status
        self._above = self._doing = ""
        self._since = self._shown = time.monotonic()

    def begin(self, doing: str) -> None:
        """Begin a task; later reports are shown as parts of it."""
        self._above = f"{doing} – "
        self._status.update(doing)

    def __call__(self, doing: str, done: int, of: int) -> None:
        """Report that `done` of `of` is done; `of` is 0 if unknown."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._since = doing, now
        words = f"{self._above}{describe_progress(doing, done, of, now - self._since)}"
        if self._console.is_terminal:
            self._status.update(words)
        elif now - self._shown >= LINE_EVERY:
            self._shown = now
            click.echo(words, err=True)


def describe_progress(doing: str, done: int, of: int, seconds: float) -> str:
    """Describe the progress of a task after some seconds.

    >>> describe_progress("reading the responses", 250_000, 1_000_000, 40)
    'reading the responses: 250,000 of 1,000,000 (about 2 min left)'
    """
    if not of:
        return doing
    words = f"{doing}: {done:,} of {of:,}"
    if seconds < 2 or not (left := time_left(done, of, seconds)):
        return words
    return f"{words} (about {f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'} left)"


class ProgressBars:
    """Progress bar for each task. Without a terminal, lines are printed now and then.

    With `each`, a line is also printed at the beginning and end of each task.
    """

    def __init__(self, *, each: bool = False) -> None:
        self._console, self._each = Terminal(stderr=True), each
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[state]}", markup=False))
        name = TextColumn("[bold]{task.description}")
        self._bar = RichProgress(name, *columns, console=self._console, disable=not self._console.is_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._next = time.monotonic() + LINE_EVERY

    def __enter__(self) -> ProgressBars:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, doing: str, done: int, of: int, state: str = "") -> None:
        """Report that `done` of `of` is done."""
        if doing not in self._tasks:
            self._tasks[doing] = self._bar.add_task(doing, total=of, state="")
        self._bar.update(self._tasks[doing], total=max(of, 1), completed=done, state=state)
        at_an_end = self._each and done in (0, of)
        if not self._console.is_terminal and (at_an_end or time.monotonic() >= self._next):
            self._next = time.monotonic() + LINE_EVERY
            words = f"{doing} {done:,} of {of:,} {state}".rstrip()
            self._console.print(words, markup=False, highlight=False, soft_wrap=True)


# Results -------------------------------------------------------------------------------------------------------------


def publish_stored(
    folder: str,
    study: str | None,
    parsers: tuple[str, ...],
    human: str | None,
    figures: str = "svg",
    *,
    unqualified: bool = False,
) -> Results:
    """Grade the stored responses of a study, write results and report, and print them."""
    people = human_reference(human) if human else None
    how: dict[str, Any] = {"study": study, "parsers": parsers, "human": people, "unqualified": unqualified}
    with working() as watch:
        results = publish(folder, figures=figures, watch=watch, **how)
    show_all(results)
    return results


def show_all(results: Results) -> None:
    """Print results, and everything that a reader must know about them."""
    context = click.get_current_context(silent=True)
    show_results(results, verbose=bool(context and context.meta.get(VERBOSE)))
    say_study(results.study["name"], results.others, results.out)
    say_unanswered(results)
    say_unscored(results)
    say_held_back(results.held_back)


def leave(progress: RunProgress | None = None, results: Results | None = None) -> None:
    """Exit with 1 if a model gave no response, or a test was left out."""
    blind = progress is not None and results is not None and any(each.none_answered for each in results.delivery)
    if (progress and progress.silent) or blind or (results and results.unscored):
        sys.exit(1)


def show_results(results: Results, *, verbose: bool = False) -> None:
    """Print a line for each model and benchmark, or with `verbose` for every test."""
    if verbose:
        _show_every_test(results)
    else:
        tell(*list_verdict_lines(results))
        tell(*_list_contradictions(results))
        if results.stops:
            tell(HOLDS)
    for benchmark, sent in results.pictures.items():
        of = f"{visible(benchmark)}: " if len(results.pictures) > 1 else ""
        tell(*(f"{of}{visible(sentence)}" for sentence in sent.sentences()))
    for each in results.spent:
        if each.told and each.price not in UNBILLED:
            tell(f"Spent: {each.model}: {each.words}")
    show_left_out(results.left_out)
    more = "" if verbose else " (all tests: --verbose)"
    tell(f"Report: {(results.folder / 'report.html').resolve()}{more}")


def _show_every_test(results: Results) -> None:
    """Print a line for every test of every model, with its numbers."""
    width = max((len(finding.line()[0]) for finding in results.own_findings), default=0)
    for heading, findings in list_by_model(results):
        tell(heading)
        if accuracy := describe_accuracy(results, findings[0].model, findings[0].benchmark):
            _print_line("accuracy", Status.REPORTED.value, accuracy, width)
        # The test of robustness comes last, also in older studies with another order of tests.
        for finding in sorted(findings, key=lambda each: each.test.name.partition(":")[0] == "robustness"):
            question, status, said = finding.line()
            said = f"{said}. {finding.caution}" if finding.rests_on_unsure else said
            _print_line(question, status, said, width)
        if doubts := describe_doubt(results, findings):
            tell(f"  {doubts}")
        out.print()
    tell(f"Two numbers in parentheses are a 95% CI. {_thresholds(results)}")
    if results.marks:
        tell(results.error_rate)
    if results.stops:
        tell(HOLDS)
    tell(*_list_contradictions(results))
    if results.delivery:
        tell(f"Images delivered: {_by_status(results.delivery)}. The evidence is in the report.")


def _print_line(question: str, status: str, said: str, width: int) -> None:
    begins = f"  {visible(question):<{width}}  {visible(status):<{STATUS_WIDTH}}  "
    brief = visible(said).replace("95% CI ", "")
    room = out.width if out.is_terminal and out.width >= WIDE else sys.maxsize  # unlimited in a file
    tell(fill(brief, room, initial_indent=begins, subsequent_indent=" " * len(begins)))


def _thresholds(results: Results) -> str:
    limits = results.findings[0].test.thresholds if results.findings else USUAL_THRESHOLDS
    return (
        f"Thresholds: share of the accuracy above chance that is kept, {percent(limits.image_dependence)} "
        f"(image_dependence); change in accuracy, {points(limits.margin)} (margin); share of changed answers, "
        f"{percent(limits.moved)} (moved)."
    )


def _list_contradictions(results: Results) -> Iterator[str]:
    """List signs that images did not arrive, and other models that seem to have answered."""
    for each in results.delivery:
        of = f"{visible(each.model)} on {visible(each.benchmark)}"
        if each.status is Arrival.CONTRADICTED:
            yield f"{of}: verdicts withheld, {each.problem}. {visible(' '.join(each.sentences))}"
        if each.other_name:
            yield f"{of}: {visible(each.other_name)}"


def _by_status(delivery: Sequence[Delivery]) -> str:
    """Count the models whose images arrived, and name all other models."""
    found = []
    for status in Arrival:
        of = list(dict.fromkeys(visible(each.model) for each in delivery if each.status is status))
        if of:
            whom = counted(len(of), "model") if status is Arrival.CONFIRMED else ", ".join(of)
            found.append(f"{status.value} for {whom}")
    return "; ".join(found)


# Lines for models and benchmarks ------------------------------------------------------------------------------------

MARKS = {
    Status.PASS: "pass",
    Status.FAIL: "FAIL",
    Status.INCONCLUSIVE: "?",
    Status.NOT_APPLICABLE: "–",
    Status.WITHHELD: "withheld",
    Status.REPORTED: "",
}
COLUMN = 9


def list_verdict_lines(results: Results) -> Iterator[str]:
    """Yield verdict lines and remarks for every benchmark, then a line on reliability."""
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
    counts = {results.tables[model, benchmark].questions_asked for model in models}
    asked = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    heading = visible(f"{describe_benchmark(benchmark)}, n {asked}")
    columns = "".join(f"{each.test.name:<{COLUMN}}" for each in next(filter(None, marks.values()), ()))
    start = max(2 + wide + 2 + room, len(heading)) + 2
    yield f"{heading:<{start}}{columns}".rstrip()
    for model in models:
        begins = f"  {visible(short[model]):<{wide}}  {scores[model]:<{room}}  "
        yield f"{begins:<{start}}{visible(_describe_model(results, model, benchmark, marks[model]))}".rstrip()
    for model in models:
        if doubt := describe_doubt(results, [each for each in results.every_finding if each.is_of(model, benchmark)]):
            yield visible(f"{model}: {doubt}")
    yield from _list_not_asked([mark for each in marks.values() for mark in each])


def _list_not_asked(marks: Sequence[Finding]) -> Iterator[str]:
    """Describe how to get the verdicts that no model of a benchmark was asked for."""
    missing = {}
    for name in dict.fromkeys(mark.test.name for mark in marks):
        verdicts = [mark.verdict for mark in marks if mark.test.name == name]
        if all(each.reason in NOT_ASKED for each in verdicts):
            missing[name] = describe_briefly(name, verdicts[0].reason, verdicts[0].values)
    if missing:
        yield f"Not asked: {'. '.join(f'{name}: {words}' for name, words in missing.items())}."


def _describe_model(results: Results, model: str, benchmark: str, marks: Sequence[Finding]) -> str:
    """Describe a model by its three verdicts and one short sentence."""
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
    columns = "".join(f"{MARKS[each.verdict.status]:<{COLUMN}}" for each in marks)
    worst = next((each for each in marks if each.verdict.status is Status.FAIL), None)
    unclear = (each for each in marks if each.verdict.status is not Status.PASS)
    open_one = next((each for each in unclear if each.verdict.reason not in NOT_ASKED), None)
    said = [_brief(worst)] if worst else [_describe_open(open_one, named=True)] if open_one else []
    return f"{columns}{'; '.join([*said, *also])}"


def _brief(mark: Finding) -> str:
    return describe_briefly(mark.test.name, mark.verdict.reason, mark.verdict.values)


def _describe_open(mark: Finding, *, named: bool) -> str:
    """Explain why a verdict is not decided, and what would decide it."""
    if mark.verdict.status is Status.WITHHELD:
        return f"withheld: {mark.verdict.meaning}"
    return f"{f'{mark.test.name} ' if named else ''}{mark.verdict.status.words}: {_brief(mark)}"


def _describe_score(results: Results, model: str, benchmark: str) -> str:
    """Format the accuracy or the findings F1, or explain why there is neither."""
    if (found := measure_accuracy(results, model, benchmark)) is not None:
        return share_with_interval(found)
    if (found := measure_reports(results, model, benchmark)) is not None:
        return f"findings F1 {with_interval(found, 'score')}, n {found.n:,}"
    table = results.tables[model, benchmark]
    if table.kind == "report":
        return "no report could be compared with its reference"
    return "no answer key" if any(map(len, table.arms.values())) else "no response"


def _describe_trust(results: Results) -> str:
    flow = follow_study(results)
    said = [f"{flow.arrived:,} of {counted(flow.asked, 'response')}"]
    sent = {each.model for each in results.delivery}
    if sent:
        confirmed = {each.model for each in results.delivery if each.status is Arrival.CONFIRMED}
        said.append(f"images confirmed for {len(confirmed)} of {counted(len(sent), 'model')}")
    said.append(f"{counted(flow.unsure, 'reading')} unsure" if flow.unsure else "no reading unsure")
    return f"Trust: {'; '.join(said)}. Parentheses are 95% intervals."


def shorten_names(models: Sequence[str]) -> dict[str, str]:
    """Return the names without their common part before the last slash.

    >>> shorten_names(["organism/blind", "organism/mirage"])
    {'organism/blind': 'blind', 'organism/mirage': 'mirage'}
    """
    heads = {model.rpartition("/")[0] for model in models}
    tails = {model: model.rpartition("/")[2] for model in models}
    apart = len(heads) == 1 and len(set(tails.values())) == len(models) and all(tails.values())
    return tails if apart else {model: model for model in models}


# What a reader must know --------------------------------------------------------------------------------------------


def show_how_read(benchmarks: Iterable[Benchmark]) -> None:
    """Print how each benchmark was read: guessed columns, limits and omitted rows."""
    for benchmark in benchmarks:
        if limit := benchmark.about.get("limit"):
            tell(f"{benchmark.name}: {limit}.")
        complain(*(f"{benchmark.name}: {guess}." for guess in benchmark.about.get("guesses", ())))
        complain(*(f"{benchmark.name}: {sentence}." for sentence in benchmark.about.get("left_out", ())))


def show_left_out(broken: Mapping[str, Sequence[BrokenRow]]) -> None:
    """Print how many broken rows each benchmark is missing, and why."""
    for name, rows in broken.items():
        if rows:
            tell(f"{name}: {counted(len(rows), 'broken row')} left out:")
            tell(*(f"  {line}" for line in by_reason(rows)))


def say_failures(progress: RunProgress) -> None:
    """Print unusable images, models that stopped, and failures as errors."""
    unusable = list(progress.unusable_images.items())
    for item, why in unusable[:IMAGES_NAMED]:
        complain(f"item {item!r} was not asked with its image: {why}")
    if more := unusable[IMAGES_NAMED:]:
        complain(f"… and {counted(len(more), 'more item')} with an image that cannot be used.")
    for model, remark in progress.remarks.items():
        complain(f"{model}: {remark}")
    for model, why in progress.unusable.items():
        complain(f"{model} is no longer asked: {why}")
    if progress.failed:
        again = "it" if progress.failed == 1 else "them"
        complain(f"{counted(progress.failed, 'request')} failed. Run the same command to ask {again} again.")
    for model, error in progress.errors.items():
        if model not in progress.unusable:
            complain(f"the last error of {model}: {error}")


def say_unanswered(results: Results) -> None:
    """Name the models, or their arms, without any answer, with an example."""
    for (model, benchmark), table in results.tables.items():
        asked = {arm: grades for arm, grades in table.arms.items() if len(grades)}
        silent = {arm: kinds for arm, grades in asked.items() if (kinds := _count_unanswered(grades))}
        everywhere = len(silent) == len(asked) > 0
        if everywhere:
            silent = {next(iter(silent)): reduce(add, silent.values())}
        for arm, kinds in silent.items():
            of = f"the {kinds.total()} responses of {model} on {benchmark}{'' if everywhere else f' under {arm}'}"
            counts = ", ".join(f"{count} {words}" for words, count in kinds.most_common())
            with Store.open(results.out) as store:
                text = " ".join(visible(store.responses.text(int(asked[arm].response[0]))).split())
            example = repr(f"{text[:100]}…" if len(text) > 100 else text)
            complain(f"none of {of} gives an answer: {counts}. For example: {example}")


_UNANSWERED = {
    Outcome.REFUSED: "refused",
    Outcome.TRUNCATED: "cut off at the token limit (see --max-tokens)",
    Outcome.EMPTY: "empty",
    Outcome.UNPARSED: "unreadable",
}


def _count_unanswered(grades: Grades) -> Counter[str]:
    """Count the kinds of responses of a condition if none has an answer; else empty."""
    filtered = np.array([rule.endswith("content-filter") for rule in grades.rules], dtype=bool)[grades.rule]
    kinds = Counter({"held back by a filter": int(filtered.sum())})
    for outcome, words in _UNANSWERED.items():
        # A response to a question without an image can be read even if it has no answer.
        if outcome is not Outcome.UNPARSED or grades.admissions is None:
            kinds[words] = int((grades.is_(outcome) & ~filtered).sum())
    return +kinds if kinds.total() == len(grades) else Counter()


def say_study(name: str, others: Sequence[str], folder: Path | str) -> None:
    """Print which study of a folder was used, and how to choose another."""
    if others:
        choose = f"--study NAME chooses another ({', '.join(others)})"
        tell(f"Study: {name}, one of {len(others) + 1} in {folder}; {choose}.")


def say_unscored(results: Results) -> None:
    """Print, as errors, which tests of the study were left out and why."""
    complain(
        *(
            f"{why} It is left out; the p-values of the other tests are corrected without it."
            for why in results.unscored.values()
        )
    )


def say_held_back(sentences: Iterable[str]) -> None:
    """Print, as errors, which judges' opinions are withheld and why."""
    complain(*sentences)
