"""Summary lines of a scored study, for `print(results)` and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.conditions import ORIGINAL
from snellen.prompts import asked_under
from snellen.runtime import counted, html_table, visible
from snellen.scoring.every_look import at_every_look
from snellen.scoring.findings import Finding, arm_in_words
from snellen.scoring.results import Results
from snellen.scoring.settled import asked_until
from snellen.stats import Estimate
from snellen.stress.base import Status
from snellen.stress.conclusions import percent, rate_of
from snellen.stress.measures import of_arm
from snellen.stress.reports import F1

COLUMNS = ("model", "benchmark", "test", "verdict", "numbers")


def write_lines(results: Results) -> str:
    """Return one line per verdict, under model and benchmark."""
    lines = []
    for heading, found in list_by_model(results):
        lines.append(visible(heading))
        if accuracy := describe_accuracy(results, found[0].model, found[0].benchmark):
            lines.append(visible(f"  accuracy | {accuracy}"))
        lines += (f"  {visible(' | '.join(finding.line()))}" for finding in found)
        lines += (f"  {said}" for said in [describe_doubt(results, found)] if said)
    lines += (f"{visible(name)}: {len(rows)} broken rows were left out" for name, rows in results.left_out.items())
    lines += map(visible, results.unscored.values())
    return "\n".join(lines)


def write_html(results: Results) -> str:
    """Return the verdicts as a table for notebooks."""
    notes = [f"{name}: {len(rows)} broken rows were left out" for name, rows in results.left_out.items()]
    notes += (sentence for sent in results.pictures.values() for sentence in sent.sentences())
    lines = ((each.model, each.benchmark, each.test.name, *each.line()[1:]) for each in results.own_findings)
    return html_table(COLUMNS, lines, [*notes, *results.unscored.values()])


def list_by_model(results: Results) -> Iterator[tuple[str, list[Finding]]]:
    """Yield findings by model and benchmark, under headings with n."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in results.own_findings:
        groups.setdefault((finding.model, finding.benchmark), []).append(finding)
    for (model, benchmark), found in groups.items():
        table = results.tables.get((model, benchmark))
        what = "report" if table and table.kind == "report" else "question"
        few = table is not None and table.questions_asked < len(table.items)
        some = f"{table.questions_asked:,} of " if table and few else ""
        asked = f", {some}{counted(len(table.items), what)}" if table else ""
        if table and (until := asked_until(table, found)):
            asked = f", {until}"
        yield f"{model} on {benchmark}{asked}", found


def describe_accuracy(results: Results, model: str, benchmark: str) -> str:
    """Describe a model's accuracy on a benchmark, with n. "" if there is none."""
    found, arm = measure_accuracy(results, model, benchmark), find_first_arm(results, model, benchmark)
    if found is None:
        return ""
    table = results.tables[model, benchmark]
    every = table.with_images() is table
    asked = {
        each.name: arm_in_words(each) if every else each.in_words
        for finding in results.findings
        for each in finding.test.all_arms
    }
    guess = float(table.chance[table.arms[arm].ordinal].mean())
    beside = f"; guessing scores {percent(guess)}" if guess else ""
    n = counted(found.n, "question")
    return f"{rate_of(found)} {asked.get(arm, f'under {arm}')} (n = {n}){beside}"


def measure_accuracy(results: Results, model: str, benchmark: str) -> Estimate | None:
    """A model's accuracy with the original image, or else under the first condition.

    None for reports, for questions that a test brings, and if no response is graded.
    """
    table = results.tables.get((model, benchmark))
    brought = benchmark in {each.test.questions for each in results.findings}
    if table is None or table.kind == "report" or brought:
        return None
    measures = of_arm(find_first_arm(results, model, benchmark), table)
    found = next((each for each in measures if each.name == "accuracy"), None)
    if found is None:
        return None
    return (found if table.looked is None else at_every_look(found, table.largest)).estimate


def measure_reports(results: Results, model: str, benchmark: str) -> Estimate | None:
    """Findings F1 of a model's reports with the image. None if reports were not compared."""
    found = (each.measure(each.test.baseline.name, F1) for each in results.own_findings if each.is_of(model, benchmark))
    return next((each.estimate for each in found if each is not None), None)


def find_first_arm(results: Results, model: str, benchmark: str) -> str:
    """Find the condition with the original image, or else the first one with responses."""
    table = results.tables.get((model, benchmark))
    if table is None:
        return ""
    arms = (asked_under(ORIGINAL.name, table.arms), *table.arms)
    seen = (part.arms for part in (table.with_images(), table))
    return next((each for part in seen for each in arms if len(part.get(each, ()))), "")


def describe_doubt(results: Results, findings: Sequence[Finding]) -> str:
    """Describe why failed verdicts are uncertain if image delivery is doubtful. "" if it is not."""
    failed = [each for each in findings if each.verdict.status is Status.FAIL and each.test.sends_images]
    of = (each.doubt for each in results.delivery if any(each.is_of(one.model, one.benchmark) for one in failed))
    return next(of, "")
