"""The Readiness paper: its robustness score, recomputed from the printed accuracies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from snellen.papers.paper import PaperTable, Row, describe_methods, figures
from snellen.papers.readiness.tests.grounded_reading import HONESTY, SIGHT, STEADINESS
from snellen.papers.readiness.tests.robustness import TESTS, WHOLE, Figure, Removal, fragilities, robustness
from snellen.scoring.results import Results
from snellen.stress.conclusions import TOLERATED
from snellen.stress.conclusions import percent as share
from snellen.stress.taxonomy import hides_image

SCORE = "R"
PARTS = ("f1", "f2", "f3", "f4", "f5", SCORE)
MEASURES = {
    **{f"fragility_{number}": f"f{number}" for number in range(1, 6)},
    **dict.fromkeys(("robustness", "robustness_partial"), "R"),
}
"""Columns of the measures of the test `robustness`."""
READING = {SIGHT: "sight", HONESTY: "honesty", STEADINESS: "steadiness"}
"""Columns of the measures of the test `grounded-reading`, each out of 100; they come before R."""


class Score(NamedTuple):
    """A model's fragilities f1 to f5 (0 is best) and its robustness R. R is the mean of 1 − f over the five tests."""

    model: str
    fragilities: tuple[float, ...]
    robustness: float


def scores() -> list[Score]:
    """Return the scores of the models with all five tests, in paper order.

    >>> {score.model: round(score.robustness, 4) for score in scores()}
    {'GPT-5': 0.8315, 'Gemini-2.5 Pro': 0.8202, 'OpenAI-o3': 0.8472, 'OpenAI-o4-mini': 0.8504, 'GPT-4o': 0.9475}
    """
    record = figures("readiness")
    tables = [record["tests"][test]["figures"] for test in TESTS]
    complete = [model for model in tables[0] if all(model in table for table in tables)]
    return [_score(model, *accuracies(record, model)) for model in complete]


def accuracies(record: Mapping[str, Any], model: str) -> tuple[list[Removal], dict[str, Figure]]:
    """Convert a model's printed percentages to the fractions that its score needs."""
    t1, t2, t3, t4, t5 = (
        {part: figure[0] / 100 for part, figure in record["tests"][test]["figures"][model].items()} for test in TESTS
    )
    sizes = record["tests"]["T1"]["n"]
    removal = [Removal(n, t1[f"{benchmark} image"], t1[f"{benchmark} text"]) for benchmark, n in sizes.items()]
    return removal, {
        "needed": t2["text"],
        "chance": record["chance"] / 100,
        "in_order": t3["text"],
        "reordered": t3["text reordered"],
        "text_base": t4["text base"],
        "text_replaced": t4["text 4R"],
        "image_base": t4["image base"],
        "image_replaced": t4["image 4R"],
        "text_unknown_base": t4["text base"],
        "text_unknown": t4["text unknown"],
        "original": t5["original"],
        "substituted": t5["substituted"],
    }


def sheets(results: Results | None = None) -> Iterator[PaperTable]:
    """Tables of printed scores, reports and benchmark profiles. A study's robustness follows if given."""
    record = figures("readiness")
    yield _recompute_scores(record)
    yield _reports(record["reports"])
    yield _profile(record["profile"])
    if results is not None:
        yield from (sheet for sheet in tabulate_results(results.rows()) if sheet.rows or sheet.notes)


def tabulate_results(rows: Iterable[Row]) -> tuple[PaperTable, PaperTable]:
    """Return tables of a study, in its order of models: grounded reading with R, and R's parts."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    reading: dict[tuple[str, str], dict[str, str]] = {}
    kept: list[Row] = []
    own = ""
    against = _AgainstTheFirst()
    for row in rows:
        test, about = row["test"].partition(":")[0], (row["model"], row["benchmark"])
        against.note(row, test)
        read = test == "grounded-reading" and row["measure"] in READING
        if not read and (test != "robustness" or row["measure"] not in MEASURES):
            continue
        own = own or row["parser"]
        if row["parser"] != own:
            continue
        if read:
            reading.setdefault(about, {})[READING[row["measure"]]] = _of_hundred(row)
        else:
            part = MEASURES[row["measure"]]
            kept.append(row)
            found.setdefault(about, {})[part] = _interval(row) if part == SCORE else _value(row)
    none = ("OUT has no results of the test `robustness`: its study did not ask for it.",)
    notes = (
        "R alone ranks nothing: it rises for a model that refuses and falls for one that needs the image. Sight, "
        "honesty and steadiness (of 100, 95% CI) do neither; – where the test `grounded-reading` was not asked.",
        *against.sentences(),
        f"95% CI of R; those of its parts are in results.csv. Method: {describe_methods(kept)}.",
        "A part that could not be measured is left out of R.",
        "Scores of different questions do not compare: R is as much of the benchmark as of the model.",
    )
    lines = tuple(
        (*about, *(reading.get(about, {}).get(name, "–") for name in READING.values()), line.get(SCORE, "–"))
        for about, line in found.items()
    )
    parts = tuple((*about, *(line.get(part, "–") for part in PARTS[:-1])) for about, line in found.items())
    return (
        PaperTable(
            "Measured in OUT", ("model", "benchmark", *READING.values(), SCORE), lines, notes if lines else none, 2
        ),
        PaperTable("What R is made of", ("model", "benchmark", *PARTS[:-1]), parts, words=2),
    )


class _AgainstTheFirst:
    """Arguments against the models that rank first by R alone."""

    def __init__(self) -> None:
        self._whole: dict[str, dict[str, float]] = {}
        self._why: dict[tuple[str, str], dict[str, str]] = {}

    def note(self, row: Row, test: str) -> None:
        """Record a model's R, and whether it invents findings or may not use the image."""
        about, measure = (row["model"], row["benchmark"]), row["measure"]
        if test == "robustness" and measure == WHOLE:
            self._whole.setdefault(row["benchmark"], {}).setdefault(row["model"], float(row["value"]))
        invents = test == "rationale" and measure == "described_rate" and hides_image(row["arm"])
        if invents and float(row["low"]) > TOLERATED:
            why = f"it describes findings in {share(float(row['value']))} of the responses where none was shown"
            self._why.setdefault(about, {}).setdefault(test, why)
        if test == "grounded-reading" and measure == SIGHT and float(row["low"]) <= 0:
            self._why.setdefault(about, {}).setdefault(test, "it is not shown to use the image")

    def sentences(self) -> Iterator[str]:
        """Return a warning for each model that ranks first by R on a benchmark."""
        for benchmark, scores in self._whole.items():
            for model in (each for each in scores if scores[each] == max(scores.values()) and len(scores) > 1):
                if why := self._why.get((model, benchmark)):
                    on = f" on {benchmark}" if len(self._whole) > 1 else ""
                    first = f"By R alone, {model} would stand first{on} ({scores[model]:.2f})"
                    yield f"{first}; {', and '.join(why.values())}."


def _score(model: str, removal: Sequence[Removal], given: Mapping[str, Figure]) -> Score:
    found = fragilities(removal, given)
    return Score(model, tuple(found.tolist()), float(robustness(found)))


def _recompute_scores(record: Mapping[str, Any]) -> PaperTable:
    found = scores()
    counts = [sum(record["tests"][test]["n"].values()) for test in TESTS]
    return PaperTable(
        title=record["paper"],
        columns=("model", *PARTS),
        rows=(
            *((each.model, *(f"{part:.4f}" for part in (*each.fragilities, each.robustness))) for each in found),
            ("n", *(f"{count:,}" for count in counts), ""),
        ),
        notes=tuple(_notes(record, sorted(found, key=lambda each: each.robustness, reverse=True))),
    )


def _profile(record: Mapping[str, Any]) -> PaperTable:
    """Table of the levels that the paper's clinicians give to benchmarks, with their agreement."""
    lines = tuple((name, *levels) for name, levels in record["placed"].items())
    kappas = ", ".join(f"{axis.replace('_', ' ')} {kappa:.2f}" for axis, kappa in record["kappa"].items())
    low, high = record["kappa_range"]
    fewest, most = record["items"]
    notes = (
        f"{record['raters']} clinicians, {fewest} to {most} cases a benchmark, ten axes from 1 to 3. Fleiss' κ is "
        f"{low:.2f} to {high:.2f}: {kappas}.",
        *record["remarks"],
        "Rate your own: snellen review OUT --task profile.",
    )
    return PaperTable(
        "What benchmarks ask for, as the text places them", ("benchmark", "reasoning", "visual"), lines, notes
    )


def _reports(record: Mapping[str, Any]) -> PaperTable:
    """Table of the scores of generated reports as printed; they cannot be recomputed."""
    rows = ((model, *(f"{figure:.3f}" for figure in line)) for model, line in record["figures"].items())
    notes = (
        f"As printed in Table {record['table']} ({record['benchmark']}); higher is better in every column. Nothing "
        "printed lets it be recomputed: neither reports nor n nor intervals are given.",
        "GPT-4V, MAIRA-2 and MedVERSA are figures of a leaderboard, by the paper's note.",
        "Not one column was measured without the image. The test `reports` asks that of any model.",
    )
    return PaperTable("The Illusion of Readiness, generated reports", ("model", *record["columns"]), tuple(rows), notes)


def _notes(record: Mapping[str, Any], ranked: Sequence[Score]) -> Iterator[str]:
    parts = "; ".join(
        f"{part} {', '.join(f'{name} {n:,}' for name, n in record['tests'][test]['n'].items())}"
        for part, test in zip(PARTS, TESTS, strict=False)
    )
    yield f"f1 to f5: fragility by {TESTS[0]} to {TESTS[-1]}, 0 is best. R: the mean of 1 − f. n: {parts}."
    yield "No interval: the tables give accuracies, not the responses that R's parts share."
    yield (
        f"By R alone, {ranked[0].model} would stand first ({ranked[0].robustness:.4f}). R alone ranks nothing: it "
        "rises for a model that refuses and falls for one that needs the image, and the tables give neither sight nor "
        "honesty nor steadiness to read beside it."
    )
    yield _lead(*ranked[:2])
    yield _left_open(record, ranked[0])
    yield from (f"– {remark}" for remark in record["remarks"])


def _lead(first: Score, second: Score) -> str:
    """Describe how much each fragility adds to the lead of the first model."""
    pairs = zip(PARTS, first.fragilities, second.fragilities, strict=False)
    shares = sorted(((theirs - ours) / len(TESTS), part) for part, ours, theirs in pairs)
    named = ", ".join(f"{part} {share:+.4f}" for share, part in reversed(shares))
    ahead = first.robustness - second.robustness
    return f"{first.model} is ahead of {second.model} by {ahead:.4f}, which is {named}."


def _left_open(record: Mapping[str, Any], first: Score) -> str:
    """Describe how abstaining raises R of the model with the highest R."""
    removal, given = accuracies(record, first.model)
    abstained = record["abstention"]["figures"][first.model]["NEJM-VS text"]
    answered = given["needed"] / (1 - abstained / 100)
    rescored = _score(first.model, removal, {**given, "needed": answered}).robustness
    return (
        f"Left open: R rewards who refuses and who has little to lose. Without the image {first.model} abstained on "
        f"{abstained:g}% of T2 and was right on {100 * given['needed']:.2f}%, hence f2 = {first.fragilities[1]:.0f}; "
        f"of those it answered it had {100 * answered:.0f}% right, and with these in T2 R would be {rescored:.2f}. "
        f"On T5 it had {100 * given['original']:.2f}% right before the images were substituted and "
        f"{100 * given['substituted']:.2f}% after, hence f5 = {first.fragilities[4]:.0f}."
    )


def _interval(row: Row) -> str:
    low, high = float(row["low"]), float(row["high"])
    return _value(row) if isnan(low) or isnan(high) else f"{_value(row)} [{low:.2f}, {high:.2f}]"


def _of_hundred(row: Row) -> str:
    value, low, high = (f"{100 * float(row[name]):.0f}" for name in ("value", "low", "high"))
    return "–" if value == "nan" else f"{value} [{low}, {high}]"


def _value(row: Row) -> str:
    return "–" if isnan(float(row["value"])) else f"{float(row['value']):.2f}"
