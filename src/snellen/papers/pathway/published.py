"""The Pathway paper: its printed accuracies, the counts behind them, and its κ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from snellen.papers.paper import PaperTable, Row, describe_methods, figures, format_row, percent
from snellen.papers.pathway.tests.mismatched_image import ALARMS, NAMED
from snellen.papers.pathway.tests.tasks import subset_of
from snellen.scoring.results import Results
from snellen.stats import Estimate, cohens_kappa, wilson

ROUNDINGS = (ROUND_HALF_UP, ROUND_HALF_EVEN)
OPINIONS = 3
"""Number of opinions of the judge on each response; their mean is the score."""


class PrintedAccuracy(NamedTuple):
    """A printed accuracy in percent, with the counts out of n that round to it."""

    model: str
    task: str
    value: float
    n: int
    counts: tuple[int, ...]
    report: bool = False
    """Whether the model got the radiology report instead of the image."""

    @property
    def interval(self) -> Estimate | None:
        """Wilson's 95% CI if exactly one count fits; otherwise None."""
        return wilson(self.counts[0], self.n) if len(self.counts) == 1 else None


class Disagreements(NamedTuple):
    """Number of items on which two people differ, with the possible shares of Correct.

    All shares fit the printed κ. `least` and `most` are the shares of all judgements that are Correct. Only shares up
    to one half are listed, since swapping Correct and Incorrect gives the others. `kappa` has the widest 95% CI among
    such tables.
    """

    items: int
    least: float
    most: float
    kappa: Estimate


def prints_as(count: int, of: int) -> set[str]:
    """Return how a count may be printed in percent, with both ways to round halves.

    >>> prints_as(18, 203), sorted(prints_as(1, 16))
    ({'8.9'}, ['6.2', '6.3'])
    """
    share = Decimal(100 * count) / Decimal(of)
    return {str(share.quantize(Decimal("0.1"), each)) for each in ROUNDINGS}


def counts_of(value: float, n: int) -> tuple[int, ...]:
    """Return the counts out of n that print as this percentage.

    >>> counts_of(86.8, 129), counts_of(8.8, 203)
    ((112,), ())
    """
    near = range(max(0, int(value * n / 100) - 1), min(n, int(value * n / 100) + 2) + 1)
    return tuple(count for count in near if f"{value:.1f}" in prints_as(count, n))


def accuracies() -> list[PrintedAccuracy]:
    """Return every accuracy that the paper's text prints for a model and a task."""
    record = figures("pathway")
    made = []
    for each in record["accuracies"]:
        n = record["tasks"][each["task"]]["n"]
        counts = counts_of(each["printed"], n)
        made.append(PrintedAccuracy(each["model"], each["task"], each["printed"], n, counts, each.get("report", False)))
    return made


def disagreements(kappa: float, items: int) -> list[Disagreements]:
    """Find all numbers of disagreements that are possible with this printed κ.

    >>> [each.items for each in disagreements(0.95, 120)]
    [1, 2, 3]
    """
    found: dict[int, list[tuple[float, Estimate]]] = {}
    for differ in range(items + 1):
        for both in range(items - differ + 1):
            for first in range(differ + 1):
                share = (2 * both + differ) / (2 * items)
                if share > 0.5 or round(_kappa(both, first, differ - first, items), 2) != kappa:
                    continue
                one = [1] * (both + first) + [0] * (items - both - first)
                two = [1] * both + [0] * first + [1] * (differ - first) + [0] * (items - both - differ)
                found.setdefault(differ, []).append((share, cohens_kappa(one, two)))
        if differ and not found.get(differ) and found:
            break
    made = []
    for differ, some in found.items():
        shares, kappas = zip(*some, strict=True)
        made.append(Disagreements(differ, min(shares), max(shares), max(kappas, key=lambda each: each.high - each.low)))
    return made


def _kappa(both: int, first: int, second: int, items: int) -> float:
    """Cohen's κ of a 2 × 2 table of Correct judgements."""
    one, two = both + first, both + second
    chance = (one * two + (items - one) * (items - two)) / items**2
    return float("nan") if chance == 1 else 1 - (first + second) / items / (1 - chance)


def sheets(results: Results | None = None) -> Iterator[PaperTable]:
    """Tables of printed accuracies and recomputed values, then of a study's results if given."""
    record = figures("pathway")
    yield _accuracies(record)
    yield _sizes(record)
    yield _sites(record)
    yield _people(record)
    if results is not None:
        yield from tabulate_results(results.rows())


def _accuracies(record: Mapping[str, Any]) -> PaperTable:
    sample = record["people"]["per_task"]
    rows = []
    for each in accuracies():
        ours = each.interval
        alone = counts_of(each.value, sample)
        stands = f"{each.counts[0]} of {each.n}" if ours is not None else f"none of {each.n}"
        interval = "–" if ours is None else percent(ours.value, ours.low, ours.high)
        in_sample = f"{alone[0]} of {sample}" if alone and each.task in record["people"]["tasks"] else "–"
        rows.append((each.model, each.task, f"{each.value:.1f}", stands, interval, in_sample))
    return PaperTable(
        title=record["paper"],
        columns=("model", "task", "printed", "stands for", "95% CI (Wilson)", "or, of the sample"),
        rows=tuple(rows),
        notes=tuple(_notes(record)),
        words=2,
    )


def _notes(record: Mapping[str, Any]) -> Iterator[str]:
    sample = record["people"]["per_task"]
    yield (
        "Accuracy in percent; of task VIII, the share of contradictions that were named. “Stands for”: the only "
        "count of the task's questions that prints so; the 95% CI is of that count."
    )
    for each in (every for every in accuracies() if not every.counts):
        low = int(each.value * each.n / 100)
        beside = " and ".join(f"{count} print as {min(prints_as(count, each.n))}" for count in (low, low + 1))
        yield f"{each.model}, task {each.task}: no count of {each.n} prints as {each.value:.1f}; {beside}."
    judged = [each for each in accuracies() if each.task in record["people"]["tasks"]]
    open_ends = {each: _explain_average(each) for each in judged if not each.counts}
    yield (
        f"In tasks {', '.join(record['people']['tasks'])} a score is the mean of {OPINIONS} opinions of the judge, and "
        "its count need not be whole. "
        + " ".join(
            f"{each.model}'s {each.value:.1f} in task {each.task} is {words}." for each, words in open_ends.items()
        )
    )
    fits = [each for each in accuracies() if each.report and counts_of(each.value, sample)]
    if fits:
        named = ", ".join(f"{counts_of(each.value, sample)[0]} ({each.value:.1f}%)" for each in fits)
        yield (
            f"All {len(fits)} figures of models without vision in tasks IV and VI are also whole counts of {sample}, "
            f"the number of responses per task that people reviewed: {named}. The text does not say which "
            "of the two they are."
        )
    for each in record["ranges"]:
        tasks = f"task{'s' if len(each['tasks']) > 1 else ''} {', '.join(each['tasks'])}"
        if "below" in each:
            yield f"Also printed: {each['whom']} stay below {each['below']:.1f}% in {tasks}."
        else:
            yield f"Also printed: {each['whom']} range from {each['low']:g}% to {each['high']:g}% in {tasks}."
    yield f"Guessing among {record['options']} options is right in {record['chance']:g}%."
    yield from (f"– {remark}" for remark in record["remarks"])


def _explain_average(each: PrintedAccuracy) -> str:
    """Explain how a mean of opinions can print as this value, or that none can."""
    whole, halves = OPINIONS * each.n, 2 * OPINIONS * each.n
    if found := counts_of(each.value, whole):
        return f"{found[0]} of {whole:,} opinions"
    if found := counts_of(each.value, halves):
        return f"no whole number of {whole:,} opinions, but {found[0] / 2:g} if an Unclear counts as a half"
    return f"no mean of {OPINIONS} opinions on {each.n} responses"


def _sizes(record: Mapping[str, Any]) -> PaperTable:
    tasks = record["tasks"]
    rows = [(number, each["title"], f"{each['n']:,}") for number, each in tasks.items()]
    total = sum(each["n"] for each in tasks.values() if not each.get("additional"))
    agrees = "is" if total == record["questions"] else "is not"
    return PaperTable(
        "Table 2: how many questions",
        ("task", "called", "n"),
        (*rows, ("I–VII", "together", f"{total:,}")),
        (
            f"The sum of tasks I to VII, {total:,}, {agrees} the printed total of {record['questions']:,}; task VIII, "
            f"with {tasks['VIII']['n']} more, stands outside it.",
            f"Tasks III to VIII are about the same {record['cases']} patients: their items are not independent of each "
            "other.",
        ),
        words=2,
    )


def _sites(record: Mapping[str, Any]) -> PaperTable:
    shares, questions, cases = record["sites"], record["questions"], record["cases"]
    rows = [
        (name, f"{share:.1f}", _or_none(counts_of(share, questions)), _or_none(counts_of(share, cases)))
        for name, share in shares.items()
    ]
    of_cases = sum(bool(counts_of(share, cases)) for share in shares.values())
    return PaperTable(
        "Anatomical sites",
        ("site", "printed %", f"counts of {questions:,}", f"counts of {cases}"),
        tuple(rows),
        (
            f"The shares add up to {sum(shares.values()):.1f}%.",
            f"Each is a share of the {questions:,} questions; as shares of the {cases} patients only {of_cases} of "
            f"{len(shares)} could be printed so.",
        ),
    )


def _or_none(counts: Iterable[int]) -> str:
    return " or ".join(map(str, counts)) or "none"


def _people(record: Mapping[str, Any]) -> PaperTable:
    people = record["people"]
    found = disagreements(people["kappa"], people["items"])
    rows = tuple(
        (
            str(each.items),
            f"{100 * each.least:.1f} to {100 * each.most:.1f}",
            f"{each.kappa.value:.2f} [{each.kappa.low:.2f}, {each.kappa.high:.2f}]",
        )
        for each in found
    )
    return PaperTable(
        f"κ {people['kappa']} between two people on {people['items']} responses",
        ("they differ on", "called Correct, %", "κ, widest 95% CI"),
        rows,
        (
            f"Every table of two people's Correct and Incorrect on {people['items']} responses whose κ prints as "
            f"{people['kappa']}: they differ on {found[0].items} to {found[-1].items}. Correct and Incorrect may "
            "change places in the second column.",
            "The paper calls this a complete consensus; if they had never differed, κ would be 1.",
            f"{people['per_task']} responses of each of tasks {', '.join(people['tasks'])}. Method of the 95% CI: "
            f"{found[0].kappa.method}.",
        ),
    )


def tabulate_results(rows: Iterable[Mapping[str, Any]]) -> Iterator[PaperTable]:
    """Return a table of a study's accuracy per task and model."""
    record = figures("pathway")
    numbers = {subset_of(each["name"]): number for number, each in record["tasks"].items()}
    found: list[tuple[str, ...]] = []
    kept: list[Row] = []
    own: dict[str, str] = {}
    for row in rows:
        test = row["test"].partition(":")[0]
        task = numbers.get(row["subset"], "") if test in ("pathway-choices", "pathway-answers") else ""
        named = test == "mismatched-image" and row["measure"] in (NAMED, ALARMS) and not row["subset"]
        if not named and not (task and row["measure"] == "accuracy"):
            continue
        if row["parser"] != own.setdefault(row["benchmark"], row["parser"]):
            continue
        kept.append({**row, "subset": ""})
        what = {NAMED: "VIII", ALARMS: "VIII, false alarms"}.get(row["measure"], task)
        found.append((row["model"], row["benchmark"], what, row["arm"], format_row(row), str(row["n"])))
    notes = (
        f"In percent, 95% CI. Method: {describe_methods(kept)}.",
        "Under report-for-image the radiology report stands in place of the image: that is no reading of an image.",
        "Other questions than the paper's do not compare with its figures.",
    )
    none = ("OUT has no results of the clinical pathway: ask for them with `--tests pathway`.",)
    columns = ("model", "benchmark", "task", "condition", "accuracy", "n")
    yield PaperTable("Measured in OUT", columns, tuple(found), notes if found else none, words=4)
