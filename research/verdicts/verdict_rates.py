"""How often the three verdicts are right, and how often wrong, for models whose behaviour is known.

    python research/verdicts/verdict_rates.py --studies 200
    python research/verdicts/verdict_rates.py --specification PATH/simulate_verdicts.py --studies 200
    python research/verdicts/verdict_rates.py --power --studies 100

Responses are simulated, graded as a parser with known errors would, and judged by the functions that judge a study.
With `--specification`, the responses are those that the specification simulates, and its own marks stand beside ours.
The script writes `research/verdicts/verdict_rates.md`. 200 studies a cell take about twenty minutes on two quiet cores.
With `--power` it writes what `snellen plan` says of the three verdicts instead: `marks` in
`tools/planner/power.json`. 100 studies a cell take five minutes.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import orjson

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from tests.verdict_models import BEHAVIOURS, EXTRA, FAIL, LIMIT, PASS, TRUTH, Setting, simulate  # noqa: E402
from verdicts import DATA, written  # noqa: E402

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, ImageSubstituted, OptionsShuffled  # noqa: E402
from snellen.items import Item, Option  # noqa: E402
from snellen.reading.claims.columns import Rationales  # noqa: E402
from snellen.reading.columns import NOTHING  # noqa: E402
from snellen.reading.outcomes import Outcome  # noqa: E402
from snellen.stats import wilson  # noqa: E402
from snellen.stress.base import Status  # noqa: E402
from snellen.stress.table import Grades, Table, code  # noqa: E402
from snellen.stress.verdicts import honest  # noqa: E402
from snellen.stress.verdicts.honest import ParserError  # noqa: E402
from snellen.stress.verdicts.marks import decide_marks  # noqa: E402
from snellen.stress.verdicts.possible_without import judge_benchmark  # noqa: E402

VERDICTS = ("follows", "honest", "steady")
SIZES, REPEATS = (60, 200, 1000), (1, 3)
AIMS = {200: 0.80, 1000: 0.95}
OTHER_SETTINGS = {
    "30 questions": Setting(n=30),
    "40 questions": Setting(n=40),
    "two options": Setting(options=2),
    "two options, 60% yes": Setting(options=2, common=0.6),
    "patients of 1 to 7 questions": Setting(patient=0),
    "ten questions a patient": Setting(patient=10),
    "20 donors, following depends on them (ICC 0.3)": Setting(donors=20, donor_icc=0.3),
    "each order asked once (imports)": Setting(),
}
"""What the specification did not try."""
PLANNED_SIZES = (30, 60, 100, 200, 400, 1000)
PLANNED = (
    ("follows", "grounded that declines", PASS, "passes a model that goes by the image"),
    ("follows", "quarter text", PASS, "passes a model with a quarter of its skill from the text"),
    ("follows", "blind", FAIL, "fails a model that never looks"),
    ("honest", "grounded that declines", PASS, "passes a model that says that it cannot see"),
    ("honest", "mirage", FAIL, "fails a model that invents findings in 90%"),
    ("honest", "grounded that guesses", FAIL, "fails a model that answers without a word about the image"),
    ("steady", "grounded that declines", PASS, "passes a model if two runs differ in 20% and the order adds nothing"),
    ("steady", "a fifth moves", FAIL, "fails a model if the order moves 20% of its answers"),
)
"""What a plan says of each verdict: the model that is simulated, its right mark and the words."""


class Cell(NamedTuple):
    """One model at one size: how often each verdict ended how, by us and by the specification."""

    model: str
    setting: str
    n: int
    repeats: int
    ours: list[dict[str, int]]
    specified: list[dict[str, int]] | None = None


def run_setting(name: str, setting: Setting, words: str, studies: int, seed: int) -> Cell:
    """A cell of our own simulated studies."""
    counts = [dict.fromkeys(Status, 0) for _ in VERDICTS]
    for number in range(studies):
        table = simulate(name, setting, seed * 100_000 + number)
        if words.startswith("each order asked once"):
            table = Table(
                table.model,
                table.benchmark,
                table.items,
                {arm: grades.select_responses(grades.replicate == 0) for arm, grades in table.arms.items()},
                has_room=True,
            )
        for count, mark in zip(counts, decide_marks(table), strict=True):
            count[mark.status] += 1
    return Cell(name, words, setting.n, setting.repeats, counts)


def run_specified(path: Path, name: str, n: int, repeats: int, studies: int, seed: int) -> Cell:
    """A cell of the specification's simulated studies, judged by it and by us."""
    spec = load_specification(path)
    worst = {act: ParserError(*rates) for act, rates in spec.WORST_ERROR.items()}
    honest.parser_errors = lambda: worst  # type: ignore[attr-defined]  # the specification assumes its own
    model = (spec.MODELS | spec.EXTRA)[name]
    rng = np.random.default_rng([seed, sum(map(ord, name)), n, repeats])
    ours, theirs = ([dict.fromkeys(Status, 0) for _ in VERDICTS] for _ in range(2))
    for _ in range(studies // 50):
        benchmark = spec.Benchmark(4, 0.5 if model.constant else 0.0)
        drawn = spec.Studies(model, (50, repeats, n), rng, benchmark)
        for at, marks in enumerate(spec.marks(drawn)):
            for mark in marks:
                theirs[at][{1: Status.PASS, -1: Status.FAIL}.get(int(mark), Status.INCONCLUSIVE)] += 1
        for number in range(50):
            for count, mark in zip(ours, decide_marks(as_table(drawn, number)), strict=True):
                count[mark.status] += 1
    return Cell(name, "", n, repeats, ours, theirs)


def simulate_power(studies: int, seed: int, pool: ProcessPoolExecutor) -> dict[str, Any]:
    """How often each planned model gets its right mark: four or two options, known and unknown swaps."""
    rows = []
    for chance, exchanged in ((0.25, False), (0.5, False), (0.25, True), (0.5, True)):
        planned = [row for row in PLANNED if row[0] == "follows" or not exchanged]
        how = {"options": round(1 / chance), "exchanged": exchanged, "swappable": 1.0}
        cells = {(row[1], n): Setting(n=n, **how) for row in planned for n in PLANNED_SIZES}
        jobs = [pool.submit(run_setting, name, cells[name, n], "", studies, seed) for name, n in cells]
        found = {at: job.result().ours for at, job in zip(cells, jobs, strict=True)}
        for test, name, right, says in planned:
            counts = [found[name, n][VERDICTS.index(test)] for n in PLANNED_SIZES]
            test += ":image-exchanged" if exchanged else ""
            marks = {status: [count[status] for count in counts] for status in (PASS, FAIL)}
            rows.append({"test": test, "planted": name, "chance": chance, "right": right, **marks, "says": says})
            print(rows[-1], flush=True)
    return {"study": "research/verdicts/verdict_rates.py", "repeats": studies, "items": PLANNED_SIZES, "rows": rows}


def load_specification(path: Path) -> ModuleType:
    """The specification as a module."""
    found = importlib.util.spec_from_file_location("simulate_verdicts", path)
    if found is None or found.loader is None:
        raise SystemExit(f"{path} cannot be read as Python.")
    module = importlib.util.module_from_spec(found)
    sys.modules["simulate_verdicts"] = module
    found.loader.exec_module(module)
    return module


def as_table(drawn: Any, number: int) -> Table:
    """One of the specification's studies as a table: choices by content, acts as its parser reads them."""
    keys, n, options = drawn.keys[number], drawn.shape[2], drawn.benchmark.options
    items = tuple(
        Item(
            id=f"q{at}",
            question=f"What does image {at} show?",
            options=tuple(Option(f"finding {place} of {at}") for place in range(options)),
            answer=int(keys[at]),
            cluster=f"p{at // 2}",
        )
        for at in range(n)
    )
    own, again = list(drawn.own[number]), list(drawn.originals[number])
    if len(own) == 1:
        own, again = [own[0], *again[1:]], list(drawn.reordered[number])
    else:
        again = list(drawn.reordered[number])
    grade = partial(_grade, keys, options)
    arms = {
        ORIGINAL.name: grade(own, admits=drawn.admits_own[number]),
        OptionsShuffled.name: grade(again),
        IMAGE_REMOVED.name: grade(
            drawn.without[0][number], admits=drawn.admits[0][number], invents=drawn.invents[0][number]
        ),
        IMAGE_BLANK.name: grade(
            drawn.without[1][number], admits=drawn.admits[1][number], invents=drawn.invents[1][number]
        ),
        ImageSubstituted.name: grade(drawn.swapped[number], shown=1, there=drawn.swapped_items[number]),
    }
    return Table("model", "benchmark", items, arms, has_room=True)


def _grade(
    keys: np.ndarray,
    options: int,
    runs: Any,
    *,
    admits: Any = None,
    invents: Any = None,
    shown: int = 0,
    there: np.ndarray | None = None,
) -> Grades:
    """Choices by content as grades; a response that declines unnoticed by the parser is unclear."""
    at = np.concatenate([np.arange(len(run)) for run in runs])
    run = np.concatenate([np.full(len(each), number) for number, each in enumerate(runs)])
    made = np.concatenate(list(runs))
    said = np.zeros(len(made), dtype=bool)
    if admits is not None:
        read = np.ravel(admits).astype(bool)
        said[: len(read)] = read
        said[len(read) :] = made[len(read) :] == NOTHING
    told = np.zeros(len(made), np.int64) if invents is None else np.ravel(invents).astype(np.int64)
    kept = np.ones(len(made), dtype=bool) if there is None else there[at]
    outcome = np.where(made == shown, code(Outcome.CORRECT), code(Outcome.WRONG))
    outcome = np.where(made == NOTHING, code(Outcome.UNCLEAR), outcome).astype(np.uint8)
    no = np.zeros(int(kept.sum()), dtype=bool)
    return Grades(
        ordinal=at[kept],
        replicate=run[kept],
        outcome=outcome[kept],
        chosen=np.where(made == NOTHING, NOTHING, (keys[at] + made) % options)[kept],
        response=np.arange(int(kept.sum())),
        rule=np.zeros(int(kept.sum()), np.uint16),
        due=np.bincount(at[kept], minlength=len(keys)),
        key=(keys + shown) % options if shown else np.empty(0, np.int64),
    ).having(Rationales(told[kept], said[kept], no, no, ~no, no.astype(np.int64), no, no))


def count_benchmarks(n: int, studies: int, seed: int) -> dict[str, int]:
    """How often the benchmark's line of six models fails: those of the default exam."""
    names = ("grounded that declines", "positional", "mirage", "blind", "random", "refuser")
    found = dict.fromkeys(("fail", "other"), 0)
    for number in range(studies):
        line = judge_benchmark([simulate(name, Setting(n=n), seed * 100_000 + number) for name in names])
        found["fail" if line is not None and line.status is Status.FAIL else "other"] += 1
    return found


def format_cell(counts: list[dict[str, int]]) -> str:
    """Pass/fail in per cent of each verdict."""
    shares = []
    for count in counts:
        studies = sum(count.values())
        shares.append(f"{100 * count[Status.PASS] / studies:.0f}/{100 * count[Status.FAIL] / studies:.0f}")
    return " | ".join(shares)


def list_faults(cell: Cell) -> Iterator[str]:
    """What misses an aim: a wrong mark in more than 5%, or too few right ones."""
    for verdict, truth, count in zip(VERDICTS, TRUTH[cell.model], cell.ours, strict=True):
        if cell.setting and truth == LIMIT:
            continue  # another setting moves the truth away from the limit
        studies = sum(count.values())
        for wrong in (each for each in (Status.PASS, Status.FAIL) if each != truth and count[each]):
            share = wilson(count[wrong], studies)
            if share.value > 0.05:
                yield f"{cell.model}, n {cell.n}, {cell.setting or 'as above'}, {verdict}: wrong {wrong} {share}"
        aim = 0.0 if cell.setting else AIMS.get(cell.n, 0.0)
        if truth in (Status.PASS, Status.FAIL) and count[truth] < aim * studies:
            yield f"{cell.model}, n {cell.n}, {cell.repeats} repeats, {verdict}: right {wilson(count[truth], studies)}"


def list_jobs(args: argparse.Namespace) -> Iterator[Callable[[], Cell]]:
    """All cells, the largest last."""
    for words, setting in OTHER_SETTINGS.items():
        for name in BEHAVIOURS:
            yield partial(run_setting, name, setting, words, args.studies, args.seed)
    for n in SIZES:
        for repeats in REPEATS:
            for name in BEHAVIOURS | EXTRA:
                if args.specification:
                    yield partial(run_specified, args.specification, name, n, repeats, args.studies, args.seed)
                else:
                    yield partial(run_setting, name, Setting(n=n, repeats=repeats), "", args.studies, args.seed)


def main() -> None:
    """Run all cells and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--specification", type=Path)
    parser.add_argument("--power", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "verdict_rates.md")
    args = parser.parse_args()
    with ProcessPoolExecutor(args.jobs) as pool:
        if args.power:
            marks = simulate_power(args.studies, args.seed, pool)
            DATA.write_bytes(written({**orjson.loads(DATA.read_bytes()), "marks": marks}))
            return
        cells = []
        for number, cell in enumerate(pool.map(_call, list_jobs(args))):
            cells.append(cell)
            print(number, cell.model, cell.setting, cell.n, cell.repeats, format_cell(cell.ours), flush=True)
        lines = {n: pool.submit(count_benchmarks, n, args.studies, args.seed) for n in SIZES}
        args.out.write_text("\n".join(write_page(cells, {n: each.result() for n, each in lines.items()}, args)) + "\n")


def _call(job: Callable[[], Cell]) -> Cell:
    return job()


def write_page(cells: list[Cell], lines: dict[int, dict[str, int]], args: argparse.Namespace) -> Iterator[str]:
    """The page: the table beside the specification's, other settings, and every missed aim."""
    yield "# How often the verdicts are right"
    yield ""
    yield f"Made by `python research/verdicts/verdict_rates.py --studies {args.studies}`, {args.studies} studies a "
    yield f"cell, seed {args.seed}. Pass/fail in per cent of studies; the rest is neither."
    yield "Truth: follows, honest, steady."
    yield ""
    yield "| model | truth | n | repeats | follows | honest | steady | specification |"
    yield "|---|---|---|---|---|---|---|---|"
    for cell in (each for each in cells if not each.setting):
        truth = " ".join(TRUTH[cell.model]).replace(LIMIT, "limit")
        beside = format_cell(cell.specified).replace(" | ", ", ") if cell.specified else "–"
        yield f"| {cell.model} | {truth} | {cell.n} | {cell.repeats} | {format_cell(cell.ours)} | {beside} |"
    yield ""
    yield "## Other settings, 200 questions unless said, one repeat"
    yield ""
    yield "| setting | model | follows | honest | steady |"
    yield "|---|---|---|---|---|"
    for cell in (each for each in cells if each.setting):
        yield f"| {cell.setting} | {cell.model} | {format_cell(cell.ours)} |"
    yield ""
    yield "## The benchmark's line, six models like the default exam's"
    yield ""
    for n, found in lines.items():
        yield f"- n {n}: fails in {100 * found['fail'] / sum(found.values()):.0f}%"
    yield ""
    yield "## Aims that are missed"
    yield ""
    yield "Wrong marks in at most 5%, in every setting; in the first table, right marks in at least 80% at 200"
    yield "questions and 95% at 1,000."
    yield ""
    yield from (f"- {fault}" for cell in cells for fault in list_faults(cell))


if __name__ == "__main__":
    main()
