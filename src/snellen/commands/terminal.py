"""What the commands print: tables for a terminal."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import groupby
from operator import add
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.status import Status as RichStatus
from rich.table import Table as Grid

from snellen.asking.bill import BILLED_ON, ModelBill
from snellen.asking.plan import Count, Plan, total
from snellen.asking.progress import LINE_EVERY
from snellen.asking.run import Progress
from snellen.commands.complaining import complain
from snellen.commands.console import Terminal, out
from snellen.commands.verdict_lines import list_verdict_lines
from snellen.errors import BrokenRow, by_reason
from snellen.images import USUAL_SIDE
from snellen.items import Benchmark
from snellen.judging.qualify import (
    Qualification,
    agreement_as_text,
    judge_responses,
    judge_rows,
    judged_as_text,
    judged_responses_as_text,
    keep,
    qualify_judge_file,
    write_rows,
)
from snellen.models.prices import UNBILLED, dollars, short, unknown_price
from snellen.models.request_tokens import CHARACTERS, FEW, MANY, Range
from snellen.papers import papers, printed, sheets
from snellen.reading.outcomes import Outcome
from snellen.report.result_lines import describe_accuracy, describe_doubt, list_by_model
from snellen.runtime import counted, time_left, visible
from snellen.scoring.gate import Gate
from snellen.scoring.results import Results
from snellen.scoring.settled import HOLDS
from snellen.sight.delivery import Arrival, Delivery
from snellen.stats.label_planning import (
    LEAST_MARGIN,
    labels_for_accuracy,
    labels_for_kappa_above,
    labels_for_kappa_width,
)
from snellen.store import Store
from snellen.stress.base import Status
from snellen.stress.conclusions import percent, points
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.stress.table import Grades
from snellen.stress.verdicts.marks import RULES
from snellen.tools.planner.power import power_of, power_table

if TYPE_CHECKING:
    from snellen.imports.importing import Imported


WIDE = 100
"""In a narrower terminal, the terminal itself breaks the lines of verdicts."""
STATUS_WIDTH = max(len(each.words) for each in Status)
IMAGES_NAMED = 10
"""So many items whose image cannot be used are named, the others counted."""


def show_plan(plan: Plan, *, out_folder: Path, answered: int) -> None:
    """Print what a plan asks, and how much of it is answered in a folder already."""
    counts = list(plan.counts())
    asked = f"{_several(len(plan.models), 'model')} · {_several(plan.epochs, 'epoch')}"
    out.print(f"{asked} · seed {plan.seed} · prompt {plan.prompt.name}{_asked_with(plan)}{_after_examples(plan)}")
    for line in not_sent(plan):
        out.print(line)
    if plan.image_side != USUAL_SIDE:
        side = f"scaled down to at most {plan.image_side:,} pixels a side" if plan.image_side else "in their own size"
        out.print(f"Images are sent {side}.")
    for benchmark, of_benchmark in groupby(counts, key=lambda count: count.benchmark):
        grid = Grid(title=visible(benchmark), title_justify="left", box=SIMPLE, pad_edge=False)
        for column in ("test", "items", "requests", "shared", "power"):
            grid.add_column(column, overflow="fold")
        for count in of_benchmark:
            numbers = (str(count.asked), str(count.requests), str(count.shared))
            power = power_of(count.simulated, count.observed, count.chance)
            grid.add_row(visible(count.test), *numbers, "\n".join(power))
        out.print(grid)
    for line in (*_not_applicable(counts), *_related_by_text(counts)):
        out.print(line)
    show_how_read(plan.benchmarks)
    show_left_out({benchmark.name: benchmark.broken for benchmark in plan.benchmarks})
    requests = total(counts)
    about = ""
    for name, on, items in sorted(
        {(each.benchmark, each.counted_on, each.items) for each in counts if each.counted_on}
    ):
        out.print(f"{visible(name)}: counted on {on:,} of {items:,} items, drawn at random, and scaled up.")
        about = "About "
    out.print(f"{about}{requests:,} requests in all.")
    if repeated := sum(each.repeated for each in counts):
        items = sum(len(plan.repeats_of(each).items) for each in plan.benchmarks)
        said = f"{repeated:,} of them ask both orders of the options once more, on {counted(items, 'question')}."
        out.print(f"{said} --no-repeat leaves them out.", soft_wrap=True)
    if plan.until_settled:
        out.print("These are the most: asking stops once every verdict on a model and benchmark is settled.")
    _show_power(counts)
    if answered:
        left = f"at most {requests - answered:,} to send" if answered < requests else "nothing is left to send"
        out.print(f"{answered:,} are answered in {out_folder} already; {left}.", soft_wrap=True)


def _show_power(counts: Sequence[Count]) -> None:
    """Print how the power was simulated, of the tests and of the three verdicts of every model."""
    marked = [count.test.partition(":")[0] in RULES for count in counts]
    names = f"Power of {', '.join([*RULES][:-1])} and {[*RULES][-1]}"
    for table, said, asked in (
        (power_table(), "Power", not all(marked)),
        (power_table("marks"), names, any(marked)),
    ):
        if asked:
            sizes = f"{', '.join(f'{size:,}' for size in table.items[:-1])} or {table.items[-1]:,}"
            share = f"{said}: the share of {table.repeats} simulated studies with that verdict"
            out.print(
                f"{share}, with {sizes} questions, whichever is the next smaller number ({table.study}).",
                soft_wrap=True,
            )
    if any(marked):
        out.print("Simulated models are asked 2 questions of each patient and are right in 63% to 88%.", soft_wrap=True)


def show_bill(bills: Sequence[ModelBill], *, served: Sequence[str] = (), budget: float | None = None) -> None:
    """Print what each model will cost, how that was estimated, and whether a budget may suffice.

    `served` are models that a server on this machine answers for.
    """
    if served:
        named = visible(", ".join(served))
        out.print(f"No charge is counted for {named}: the server is on this machine.", soft_wrap=True)
        out.print("If it is a gateway that bills, give the price of its models with --prices.")
    if all(each.price in UNBILLED for each in bills):
        if not served:
            out.print("No charge: every model runs on this machine.")
        return
    grid = Grid(title="Cost of what is still to be asked", title_justify="left", box=SIMPLE, pad_edge=False)
    for column in ("model", "requests", "answered", "to ask", "tokens read", "tokens written", "cost"):
        grid.add_column(column, overflow="fold", justify="left" if column == "model" else "right")
    for each in bills:
        free = each.price in UNBILLED
        tokens = ("–", "–") if free else (_tokens(each.read), _tokens(each.written))
        counts = (f"{count:,}" for count in (each.requests, each.answered, each.to_ask))
        grid.add_row(visible(each.model), *counts, *tokens, "no charge" if free else _money(each.cost))
    out.print(grid)
    for line in _how_estimated(bills):
        out.print(line, soft_wrap=True)
    known = [each.cost for each in bills if each.cost]
    low, high = (sum(cost[end] for cost in known) for end in (0, 1))
    unknown = [each.model for each in bills if each.price is None]
    if high or not unknown:
        more = f", and what {visible(', '.join(unknown))} costs" if unknown else ""
        out.print(f"In all {_money(Range(low, high))}{more}.", soft_wrap=True)
    for model in unknown:
        out.print(visible(unknown_price(model)), soft_wrap=True)
    if budget is not None and not unknown:
        enough = "It is enough" if high <= budget else "It may not be enough" if low <= budget else "It is not enough"
        out.print(f"Budget {dollars(budget)}, with what is spent already. {enough} by this estimate.", soft_wrap=True)


def _how_estimated(bills: Sequence[ModelBill]) -> Iterator[str]:
    """The price of each model, how its images are counted, and what its responses are taken for."""
    for each in bills:
        if each.price in UNBILLED:
            continue
        price = each.price.words if each.price else "price not known"
        said = [f"{visible(each.model)}: {price}."]
        if each.with_images:
            rule = each.rule.words if each.rule else "by no rule that is published, so in a wide range"
            said.append(f"{each.with_images:,} images: {rule}.")
        if each.to_ask:
            mean = each.written.times(1 / each.to_ask)
            told = each.length_from or f"assumed, {mean.low:,.0f} to {mean.high:,.0f} each"
            said.append(f"Tokens written: {told}.")
        yield " ".join(said)
    if any(each.sampled for each in bills):
        yield (
            f"Of a benchmark with more than {2 * BILLED_ON:,} items, {BILLED_ON:,} drawn at random were looked at, and "
            "the others are taken to be like them: requests and cost are approximate."
        )
    yield (
        f"Tokens are estimates: {CHARACTERS} characters of text are one, times {FEW:g} to {MANY:g}; images are counted "
        "by the vendors' rules, at their size as sent. The letters before a run (at most nine requests) come on top."
    )


def _tokens(count: Range) -> str:
    low, high = short(count.low), short(count.high)
    return low if low == high else f"{low} to {high}"


def _money(cost: Range | None) -> str:
    if cost is None:
        return "not known"
    low, high = dollars(cost.low), dollars(cost.high)
    return low if low == high else f"{low} to {high}"


def show_labels(
    responses: Mapping[str, int],
    *,
    kappa: float | None,
    agreement: float | None,
    correct: float,
    threshold: float,
    width: float,
) -> None:
    """Print how many labels by people are enough, for what is expected of a judge; `responses` by benchmark."""
    if kappa is not None and agreement is not None:
        raise click.UsageError("κ follows from the agreement and the share correct: give --kappa or --agreement.")
    chance = correct**2 + (1 - correct) ** 2
    alike = chance + (0.8 if kappa is None else kappa) * (1 - chance) if agreement is None else agreement
    about = {"agreement": alike, "share": correct}
    try:
        precise = labels_for_kappa_width(width, **about)
        rows = [(f"κ is known to ± {width:g}", f"{precise.labels:,}")]
        if threshold <= precise.kappa - LEAST_MARGIN:
            above = f"{labels_for_kappa_above(threshold, **about).labels:,}"
        else:
            above = f"no number of them: κ is expected to be {precise.kappa:.2f}"
        rows.append((f"κ is shown to exceed {threshold:g}, with a power of 80%", above))
        for name, count in responses.items():
            plan = labels_for_accuracy(width, **about, responses=count)
            of = f"{visible(name)}: " if name else ""
            rows += [
                (f"{of}accuracy is known to ± {points(width)}, by labels alone", _labels(plan.labels_alone, count)),
                (
                    f"{of}the same, the judge on all {count:,} responses corrected by labels",
                    _labels(plan.labels, count),
                ),
            ]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    out.print(
        f"Expected: judge and people agree on {percent(alike)} of the responses (κ {precise.kappa:.2f}); people call "
        f"{percent(correct)} correct.",
        soft_wrap=True,
    )
    grid = Grid("so that", "labels", box=SIMPLE, pad_edge=False)
    for row in rows:
        grid.add_row(*row)
    out.print(grid)
    out.print(
        "A label is one person's grade of one response, drawn at random; responses of one item count as fewer. ± is a "
        "95% CI.",
        soft_wrap=True,
    )


def _labels(count: int | None, responses: int) -> str:
    if count is None:
        return "more responses are needed"
    return f"{count:,}" if count <= responses else f"{count:,}, more than there are responses"


def show_how_read(benchmarks: Iterable[Benchmark]) -> None:
    """Print what was guessed of each benchmark's columns, how items were chosen, and how rows left out differ."""
    for benchmark in benchmarks:
        if limit := benchmark.about.get("limit"):
            out.print(visible(f"{benchmark.name}: {limit}."), soft_wrap=True, highlight=False)
        for guess in benchmark.about.get("guesses", ()):
            complain(f"{benchmark.name}: {guess}.")
        for sentence in benchmark.about.get("left_out", ()):
            complain(f"{benchmark.name}: {sentence}.")


def show_left_out(broken: Mapping[str, Sequence[BrokenRow]]) -> None:
    """Print how many rows of what were left out as broken, and why."""
    for name, rows in broken.items():
        if rows:
            out.print(f"{visible(name)}: {_several(len(rows), 'broken row')} left out:")
            for line in by_reason(rows):
                out.print(f"  {visible(line)}")


def _asked_with(plan: Plan) -> str:
    """The settings that models are to answer with, and which of them are those of a suite's paper."""
    own = plan.settings.chosen
    told = [_setting(name, value) for name, value in own.items()]
    told += [
        f"{_setting(name, value)} as in the paper" for name, value in plan.protocol.chosen.items() if name not in own
    ]
    return "".join(f" · {each}" for each in told)


def _after_examples(plan: Plan) -> str:
    return f" · {_several(len(plan.examples), 'example')} before each question" if plan.examples else ""


def _setting(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:g}'}"


def not_sent(plan: Plan) -> Iterator[str]:
    """A line for each model that is not sent a setting, since it would refuse every request that has it."""
    for model, settings in plan.not_sent().items():
        named = " and ".join(_setting(name, value) for name, value in settings.items())
        yield f"{visible(model)} does not take {named}: it is not sent, and the model answers at its own default."


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _not_applicable(counts: Sequence[Count]) -> Iterator[str]:
    """How many items are not asked, under which condition if not under all, in which tests, and why."""
    found: dict[tuple[str, str, str], list[Count]] = {}
    for count in counts:
        for reason in count.inapplicable:
            found.setdefault((count.benchmark, count.under.get(reason, ""), reason), []).append(count)
    for (benchmark, under, reason), of in found.items():
        most = max(count.inapplicable[reason] for count in of)
        tests = ", ".join(count.test for count in of)
        asked = f"not asked {under}".strip()
        yield visible(f"{benchmark}: {most} of {of[0].items} items are {asked} ({tests}): {reason}.")


def _related_by_text(counts: Sequence[Count]) -> Iterator[str]:
    """How many items are related to others by their text and images, in which tests, and the columns to add."""
    found: dict[tuple[str, str], list[Count]] = {}
    for count in counts:
        for columns in count.by_text:
            found.setdefault((count.benchmark, columns), []).append(count)
    for (benchmark, columns), of in found.items():
        most, tests = max(count.by_text[columns] for count in of), ", ".join(count.test for count in of)
        related = f"{most} of {of[0].items} items are related to others by text and images ({tests})"
        yield visible(f"{benchmark}: {related}; add the columns {columns}.")


def show_results(results: Results, *, verbose: bool = False) -> None:
    """Print a line for each model and benchmark, or with `verbose` for every test, and where the report lies."""
    if verbose:
        _show_every_test(results)
    else:
        for line in list_verdict_lines(results):
            out.print(line, soft_wrap=True, highlight=False)
        for line in _contradicted(results):
            out.print(line, soft_wrap=True)
        if results.stops:
            out.print(HOLDS, soft_wrap=True)
    for line in _pictures(results):
        out.print(line, soft_wrap=True)
    for each in results.spent:
        if each.told and each.price not in UNBILLED:
            out.print(f"Spent: {visible(f'{each.model}: {each.words}')}", soft_wrap=True)
    show_left_out(results.left_out)
    more = "" if verbose else " (all tests: --verbose)"
    out.print(f"Report: {(results.folder / 'report.html').resolve()}{more}", soft_wrap=True)


def _show_every_test(results: Results) -> None:
    """Print a line for every test of every model, with its numbers."""
    width = max((len(finding.line()[0]) for finding in results.own_findings), default=0)
    for heading, findings in list_by_model(results):
        out.print(visible(heading), soft_wrap=True)
        if accuracy := describe_accuracy(results, findings[0].model, findings[0].benchmark):
            _print_line("accuracy", Status.REPORTED.value, accuracy, width)
        # R is read after sight, honesty and steadiness, whatever order an older study names its tests in
        for finding in sorted(findings, key=lambda each: each.test.name.partition(":")[0] == "robustness"):
            question, status, said = finding.line()
            said = f"{said}. {finding.caution}" if finding.rests_on_unsure else said
            _print_line(question, status, said, width)
        if doubts := describe_doubt(results, findings):
            out.print(f"  {doubts}", soft_wrap=True)
        out.print()
    out.print(f"Two numbers in parentheses are a 95% CI. {_thresholds(results)}", soft_wrap=True)
    if results.marks:
        out.print(results.error_rate, soft_wrap=True)
    if results.stops:
        out.print(HOLDS, soft_wrap=True)
    for line in _delivered(results):
        out.print(line)


def _print_line(question: str, status: str, said: str, width: int) -> None:
    begins = f"  {visible(question):<{width}}  {visible(status):<{STATUS_WIDTH}}  "
    brief = visible(said).replace("95% CI ", "")
    out.print(fill(brief, _room(), initial_indent=begins, subsequent_indent=" " * len(begins)), soft_wrap=True)


def _room() -> int:
    """How wide a line may be: the terminal's width if that leaves room for the words, else any; any in a file."""
    return out.width if out.is_terminal and out.width >= WIDE else sys.maxsize


def _thresholds(results: Results) -> str:
    """Where the verdicts of the study divide."""
    limits = results.findings[0].test.thresholds if results.findings else USUAL_THRESHOLDS
    return (
        f"Thresholds: {percent(limits.image_dependence)} of the accuracy above chance kept (image_dependence), "
        f"{points(limits.margin)} of accuracy (margin), {percent(limits.moved)} of answers moved."
    )


def _contradicted(results: Results) -> Iterator[str]:
    """What speaks against images that reached the models, and which other model seems to have answered."""
    for each in results.delivery:
        of = f"{visible(each.model)} on {visible(each.benchmark)}"
        if each.status is Arrival.CONTRADICTED:
            yield f"{of}: verdicts withheld, {each.problem}. {visible(' '.join(each.sentences))}"
        if each.other_name:
            yield f"{of}: {visible(each.other_name)}"


def _delivered(results: Results) -> Iterator[str]:
    """Whether images reached the models, and what speaks against it."""
    yield from _contradicted(results)
    if results.delivery:
        yield f"Images delivered: {_by_status(results.delivery)}. The evidence is in the report."


def _by_status(delivery: Sequence[Delivery]) -> str:
    """How many are confirmed, contradicted and unknown, with the names of those that are not confirmed."""
    found = []
    for status in Arrival:
        of = list(dict.fromkeys(visible(each.model) for each in delivery if each.status is status))
        if of:
            whom = _several(len(of), "model") if status is Arrival.CONFIRMED else ", ".join(of)
            found.append(f"{status.value} for {whom}")
    return "; ".join(found)


def _pictures(results: Results) -> Iterator[str]:
    """How pictures were sent that were not sent as they are, and which of them show next to nothing."""
    for benchmark, sent in results.pictures.items():
        of = f"{visible(benchmark)}: " if len(results.pictures) > 1 else ""
        yield from (f"{of}{visible(sentence)}" for sentence in sent.sentences())


@contextmanager
def grading(doing: str = "reading the responses and drawing the report") -> Iterator[Working]:
    """A sign of life while stored responses are read and the report is drawn; a line now and then if it takes long."""
    console = Terminal(stderr=True)
    with console.status(doing) as status:
        yield Working(console, status)


class Working:
    """Shows what is being done to stored responses, how far it is, and the time left."""

    def __init__(self, console: Console, status: RichStatus) -> None:
        self._console = console
        self._status = status
        self._doing = ""
        self._since = self._shown = time.monotonic()

    def __call__(self, doing: str, done: int, of: int) -> None:
        """So much of it is done, of so much; of nothing where nobody knows."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._since = doing, now
        words = progress_words(doing, done, of, now - self._since)
        if self._console.is_terminal:
            self._status.update(words)
        elif now - self._shown >= LINE_EVERY:
            self._shown = now
            click.echo(words, err=True)


def progress_words(doing: str, done: int, of: int, seconds: float) -> str:
    """How far something is, in words, after so many seconds.

    >>> progress_words("reading the responses", 250_000, 1_000_000, 40)
    'reading the responses: 250,000 of 1,000,000 (about 2 min left)'
    """
    if not of:
        return doing
    words = f"{doing}: {done:,} of {of:,}"
    if seconds < 2 or not (left := time_left(done, of, seconds)):
        return words
    return f"{words} (about {f'{left / 60:.0f} min' if left >= 90 else f'{left:.0f} s'} left)"


def say_failures(progress: Progress) -> None:
    """Print, as errors, which images could not be used, which models were given up and what failed."""
    unusable = list(progress.unusable_images.items())
    for item, why in unusable[:IMAGES_NAMED]:
        complain(f"item {item!r} was not asked with its image: {why}")
    if more := unusable[IMAGES_NAMED:]:
        complain(f"… and {_several(len(more), 'more item')} with an image that cannot be used.")
    for model, remark in progress.remarks.items():
        complain(f"{model}: {remark}")
    for model, why in progress.unusable.items():
        complain(f"{model} was given up: {why}")
    if progress.failed:
        again = "it" if progress.failed == 1 else "them"
        complain(f"{_several(progress.failed, 'request')} failed; the same command asks {again} again.")
    for model, error in progress.errors.items():
        if model not in progress.unusable:
            complain(f"the last error of {model}: {error}")


def say_unanswered(results: Results) -> None:
    """Say of which models, or under which of their arms, no response at all gives an answer, with an example."""
    for (model, benchmark), table in results.tables.items():
        asked = {arm: grades for arm, grades in table.arms.items() if len(grades)}
        silent = {arm: kinds for arm, grades in asked.items() if (kinds := _unanswered(grades))}
        everywhere = len(silent) == len(asked) > 0
        if everywhere:
            silent = {next(iter(silent)): reduce(add, silent.values())}
        for arm, kinds in silent.items():
            of = f"the {kinds.total()} responses of {model} on {benchmark}{'' if everywhere else f' under {arm}'}"
            counts = ", ".join(f"{count} {words}" for words, count in kinds.most_common())
            example = _excerpt(results, int(asked[arm].response[0]))
            complain(f"none of {of} gives an answer: {counts}. For example: {example}")


_UNANSWERED = {
    Outcome.REFUSED: "refused",
    Outcome.TRUNCATED: "cut off at the token limit (see --max-tokens)",
    Outcome.EMPTY: "empty",
    Outcome.UNPARSED: "unreadable",
}


def _unanswered(grades: Grades) -> Counter[str]:
    """What the responses under a condition are, where none answers or says that it cannot tell; else nothing."""
    filtered = np.array([rule.endswith("content-filter") for rule in grades.rules], dtype=bool)[grades.rule]
    kinds = Counter({"held back by a filter": int(filtered.sum())})
    for outcome, words in _UNANSWERED.items():
        # A response to a question without an image can be read and still say nothing of it.
        if outcome is not Outcome.UNPARSED or grades.admissions is None:
            kinds[words] = int((grades.is_(outcome) & ~filtered).sum())
    return +kinds if kinds.total() == len(grades) else Counter()


def _excerpt(results: Results, response: int) -> str:
    """The beginning of a stored response, in one line."""
    with Store.open(results.out) as store:
        text = " ".join(visible(store.responses.text(response)).split())
    return repr(f"{text[:100]}…" if len(text) > 100 else text)


def say_study(name: str, others: Sequence[str], folder: Path | str) -> None:
    """Say which study of a folder was taken, and how to take another, if it holds several."""
    if others:
        choose = f"--study NAME chooses another ({', '.join(others)})"
        out.print(f"Study: {name}, one of {len(others) + 1} in {folder}; {choose}.", soft_wrap=True)


def say_unscored(results: Results) -> None:
    """Say, as errors, which tests of the study were left out and why."""
    for why in results.unscored.values():
        complain(f"{why} It is left out; the p-values of the other tests are corrected without it.")


def say_held_back(sentences: Iterable[str]) -> None:
    """Say, as errors, whose opinions are not published and why."""
    for sentence in sentences:
        complain(sentence)


def show_gate(gate: Gate) -> None:
    """Print a line for every check, what the benchmarks give away if that is asked, and what they come to."""
    out.print(str(gate), soft_wrap=True)


def show_studies(found: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
    """Print every study of a folder, with what is known of it."""
    for name, lines in found:
        out.print(name)
        for label, words in lines:
            out.print(f"  {label:<11}{visible(words)}", soft_wrap=True)


def say_unread(results: Results) -> None:
    """Say how many answers of a judge could not be read."""
    for (model, benchmark), table in results.tables.items():
        if table.judge_unread:
            complain(
                f"{table.judge_unread} answers of the judge {table.judge} on {model}, {benchmark} could not "
                "be read and are not counted."
            )


def hold_judge(done: Qualification, model: str, *, out: Path | None, **asking: Any) -> Progress:
    """Ask a judge about the rows that a parser was held against, print how it compares, write what it says of each."""
    with _asked_again():
        judged = judge_rows(done, model, **asking)
    if out:
        write_rows(done, out, judged.verdicts)
    click.echo(f"\n{visible(judged_as_text(judged))}")
    say_failures(judged.progress)
    return judged.progress


def hold_against_people(file: Path, model: str, *, out: Path | None, kept_in: str | None, **how: Any) -> Progress:
    """Ask a judge about labelled rows, print how far it agrees with people, and keep that where it is to be kept."""
    with _asked_again():
        done = qualify_judge_file(file, model, **how)
    if out:
        done.write(out)
    click.echo(visible(agreement_as_text(done)))
    say_failures(done.progress)
    if kept_in:
        kept = keep(done, kept_in)
        labels = _several(kept.labels, "label")
        click.echo(f"Kept in {visible(kept_in)}: the qualification, and {labels} of stored responses.")
        if kept.unknown:
            click.echo(
                f"{_several(kept.unknown, 'row')} of no response there: model, benchmark, item_id, arm, replicate and "
                "the text must be its own."
            )
    return done.progress


def judge_by_plug_in(folder: str, models: Sequence[str], question: str, **how: Any) -> Progress:
    """Ask judges a plug-in's question about stored responses, and print how often they give each label."""
    done = judge_responses(folder, models, question, **how)
    say_failures(done.progress)
    click.echo(visible(judged_responses_as_text(done)))
    return done.progress


@contextmanager
def _asked_again() -> Iterator[None]:
    """Ctrl-C ends the command; what a judge said is not stored before it has been asked everything."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("\nStopped. The judge's answers are not stored; the same command asks it again.", err=True)
        sys.exit(130)


def show_imported(imported: Imported) -> None:
    """Print what came in, and what to do with it."""
    grid = Grid("model", "benchmark", "condition", "responses", box=SIMPLE, pad_edge=False)
    for (model, benchmark, arm), count in imported.replies.items():
        grid.add_row(visible(model), visible(benchmark), visible(arm), f"{count:,}")
    out.print(grid)
    for note in imported.notes:
        out.print(visible(note), soft_wrap=True)
    if not imported.new:
        out.print("These files hold no new responses: all were stored before.")
    if imported.unknown_ends:
        unknown = f"{imported.unknown_ends:,} responses have no finish reason"
        out.print(f"{unknown} (`finish`): a truncated one cannot be told from a complete one.")
    if imported.failed:
        out.print(f"{imported.failed:,} failed calls are stored as failed and not scored.")
    show_left_out({"This import": imported.broken})
    for sentence in imported.contradictions:
        out.print(f"Accepted, and no verdict is drawn on it: {visible(sentence)}", soft_wrap=True)
    out.print(f"They are in the study {imported.study}.")
    beside = f", with {', '.join(imported.parsers[1:])} beside it" if imported.parsers[1:] else ""
    out.print(f"Tests that these conditions allow: {', '.join(imported.tests)}. Parser: {imported.parsers[0]}{beside}.")
    out.print(f"Next: snellen report {imported.folder}", soft_wrap=True)


def show_papers() -> None:
    """Print which papers' figures there are."""
    grid = Grid(show_header=False, box=None, padding=(0, 2), pad_edge=False)
    for paper in papers():
        grid.add_row(paper, printed(paper)["paper"])
    out.print(grid)


def show_published(paper: str, results: Results | None = None) -> None:
    """Print a paper's figures, and what a scored study has to set beside them."""
    for sheet in sheets(paper, results):
        grid = Grid(title=sheet.title, title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
        for number, column in enumerate(sheet.columns):
            grid.add_column(column, overflow="fold", no_wrap=number >= sheet.words)
        for row in sheet.rows:
            grid.add_row(*map(visible, row))
        out.print(grid)
        for note in sheet.notes:
            out.print(visible(note))
