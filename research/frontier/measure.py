"""A study of 100 models, 20 benchmarks and 30 conditions on paper, and the constants that it counts with.

    python research/frontier/measure.py --out research/frontier/results.md

Measured here: bytes of a store (two studies of the same questions whose responses differ in length), how real models
answer in repeated runs (`../shared/data/italian-medvqa`, if it is there), and how far the formulas agree with the
simulated verdicts of `research/verdicts/verdicts.py`.
"""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from snellen import FunctionModel, Study
from snellen.cli.frontier import cost_cells, frontier_of, power_in_words
from snellen.stress import stress_test
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.study import bring, rescore
from snellen.tools.planner.claims import ClaimSetting, claims_of, usual_assumptions
from snellen.tools.planner.frontier import Cost
from snellen.tools.planner.pilot import quantities
from snellen.tools.planner.power import power_table

LARGE = "models=100,benchmarks=20,conditions=30,items=1000,epochs=3,price=openai/gpt-5-mini"
ITALIAN = Path(__file__).parents[3] / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
LENGTHS = 100, 1000


def table(columns: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Lines of a table."""
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def store_sizes() -> Iterator[str]:
    """Bytes of a store, by what takes them."""
    found = []
    for length in LENGTHS:
        with TemporaryDirectory() as folder:
            model = FunctionModel(lambda request, said="A. " + "x" * (length - 3): said)
            tests = ["image-needed", "option-order", "weak-artefacts"]
            study = Study(models=[model], benchmarks=["phantoms:items=200"], tests=tests, epochs=5, out=folder)
            study.ask()
            with sqlite3.connect(Path(folder) / "responses.sqlite") as store:
                store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                pages = dict(store.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name"))
                counts = {
                    name: store.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]
                    for name in ("responses", "trials", "variants", "items", "images")
                }
            store.close()
        found.append((length, pages, counts))
    rows = []
    per = []
    for length, pages, counts in found:
        own = pages["responses"] + pages["sqlite_autoindex_responses_1"]
        each = own / counts["responses"] + pages["trials"] / counts["trials"]
        per.append(each)
        others = (pages[name] / counts[name] for name in ("variants", "items", "images"))
        rows.append([f"{length:,}", f"{counts['responses']:,}", f"{each:,.0f}", *(f"{size:,.0f}" for size in others)])
    columns = ["characters of a response", "responses", "bytes a response", "a variant", "an item", "a distinct image"]
    yield from table(columns, rows)
    slope = (per[1] - per[0]) / (LENGTHS[1] - LENGTHS[0])
    yield f"A response takes {per[0] - slope * LENGTHS[0]:,.0f} bytes and {slope:.2f} for each character."
    yield ""


def real_runs() -> Iterator[str]:
    """How real models answer in repeated runs."""
    if not ITALIAN.exists():
        yield "The responses of the Italian paper are not here."
        return
    with TemporaryDirectory() as folder:
        bring([ITALIAN], folder, format="jsonl")
        results = rescore(folder)
        tests = list(dict.fromkeys(each.test for each in results.findings))
        rows = [
            [each.model, name, f"{found.value:.3f}", f"{found.low:.3f} to {found.high:.3f}", str(found.n), found.method]
            for each in results.tables.values()
            for name, found in quantities(tests, each)
        ]
    yield from table(["model", "quantity", "value", "95% CI", "items", "method"], rows)


PLANTED = {
    "keeps 25% of its accuracy above chance; 80% right with the image": (
        "passes if 25% of the score above chance is kept"
    ),
    "keeps 75% of its accuracy above chance; 80% right with the image": (
        "fails if 75% of the score above chance is kept"
    ),
    "a drop of 10 points, and 4% of answers move to and fro": "finds a change of 10 points",
    "10 points fewer are right about the other image": "finds a change of 10 points",
}


def against_verdicts() -> Iterator[str]:
    """The formulas beside the verdicts that research/verdicts/verdicts.py simulates: every question asked once."""
    known, rows = power_table(), []
    about = usual_assumptions()
    calm = about._replace(within=about.within._replace(value=0.0), rerun=about.rerun._replace(value=0.0))
    for row in known.rows:
        if row.planted not in PLANTED or ":" in row.test:
            continue
        family = {"image-needed": 1, "blank-image": 1}.get(row.test, 5 if row.test == "option-order" else 18)
        claims = claims_of(stress_test(row.test), ClaimSetting(calm, row.chance, family, 1, USUAL_THRESHOLDS, 0.1))
        claim = next((each for each in claims or () if each.words == PLANTED[row.planted]), None)
        if claim is None:
            continue
        cells = [
            f"{100 * claim.power(n, 1):.0f} / {100 * count / known.repeats:.0f}"
            for n, count in zip(known.items, row.counts, strict=True)
        ]
        rows.append([f"`{row.test}`", row.planted, f"{row.chance:g}", *cells])
    yield from table(["test", "planted", "chance", *(f"n = {n}" for n in known.items)], rows)


def worked() -> Iterator[str]:
    """The large study: totals, what each verdict needs, the first drops and the frontier."""
    frontier = frontier_of(LARGE, None)
    whole, least = frontier.total(frontier.whole), frontier.total(frontier.least)

    def costs(name: str, cost: Cost) -> list[str]:
        return [name, *cost_cells(cost)]

    columns = ["", "requests", "tokens read", "tokens written", "GPU hours", "money", "storage"]
    yield from table(columns, [costs("as planned", whole), costs("at the same power, at least", least)])
    rows = []
    for test, asked in frontier.by_test().items():
        (block, each), size = asked[0], frontier.least[asked[0][0].name, test]
        powers = [power_in_words(each.power(at) or 0.0) for at in (block.most, size)]
        decides = each.hardest(frontier.power, size.repeats)
        effects = [each.detectable(decides, at, frontier.power) for at in (block.most, size)]
        rows.append([f"`{test}`", f"{size.items:,} × {size.repeats}", *powers, *effects])
    columns = ["test", "items × repeats left", "power now", "then", "smallest effect now", "then"]
    yield from table(columns, rows)
    rows = []
    steps = [step for step in frontier.steps() if step.saved.requests > 0]
    for step in steps[:10]:
        powers = ["–", "–"] if step.power is None else [power_in_words(each) for each in step.power]
        left = f"{step.left.requests:,.0f} ({step.left.requests / whole.requests:.0%})"
        rows.append([step.words, f"{step.saved.requests:,.0f}", left, *powers])
    yield f"The first ten of {len(steps)} steps, in order:"
    yield ""
    yield from table(["drop", "requests saved", "left", "power before", "after"], rows)
    rows = [
        [level.words, *cost_cells(level.cost)[:1], *cost_cells(level.cost)[3:5], f"{level.reached:,} of {level.of:,}"]
        for level in frontier.levels()
    ]
    yield from table(["to find", "requests", "GPU hours", "money", "verdicts with that power"], rows)
    low, high = sorted(each.requests for each in frontier.at_the_ends())
    yield f"At the ends of the measured 95% CIs, the least is {low:,.0f} to {high:,.0f} requests."
    yield ""


PAGE = """# A study of 100 models, 20 benchmarks and 30 conditions, on paper

Made by `python research/frontier/measure.py --out research/frontier/results.md`. `snellen plan --frontier {large}`
prints the same. How it is computed: [Plan a large study](../../docs/how-to/plan-a-large-study.md). No model was asked
for this page.

The tests are those of the suites `standard` and `readiness`, `weak-artefacts`, `strong-artefacts` and
`grounding-signal`: together 30 conditions. Each of the 20 benchmarks has 1,000 items with four options, and each item
is asked three times.

- *Requests* and verdicts are counted exactly.
- *Tokens, GPU hours, money and storage* are ranges: from short questions and answers to long ones. GPU hours are
  at the rates of one H200 with a model of 2.8 billion parameters ([local engines](../local_engines/results.md)). Money
  is what it would cost if all models had the price of GPT-5-mini; an upper end rests on responses of 300 tokens,
  1,500 with steps and 6,000 at a reasoning effort.
- *Power* is at a two-sided 5%, items paired, corrected for all comparisons of a model and benchmark.

{worked}
Repeats are needed where a verdict says that answers do not move: some move from run to run anyway, so that one run
each cannot tell. Elsewhere 1,000 items asked once are too few for a change of 5 points; 1,203 would be enough.

## How real models answer in repeated runs

60 questions of an Italian exam, ten runs each with the image and with a blank one, of two models (the Italian paper's
public responses, graded by our parser). `within` is the variance of a response around its item's share, `rerun` the
share of answers that differ between two runs, in each condition. The plan takes the highest of each.

{runs}
That is one benchmark in one language and two models. A pilot of one's own is better: `--out` with 20 items or more,
each asked twice.

## Bytes of a store

200 phantoms, 8 conditions, each asked five times of one model, whose responses have 100 or 1,000 characters.

{sizes}
## The formulas beside simulated verdicts

Cells are the power in percent by the formula / in the simulation of [verdicts.md](../verdicts/verdicts.md), 200
studies each, so that a simulated power of 80% is known to ± 6 points. A verdict asks for more than a claim does (an
answer both ways, an accuracy above chance), and the simulated models are right with the image wherever they are right
without it, while the formula takes the two as independent.

{verdicts}
"""


def main() -> None:
    """Measure, work it through and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("research/frontier/results.md"))
    parts = {"worked": worked, "runs": real_runs, "sizes": store_sizes, "verdicts": against_verdicts}
    out = parser.parse_args().out
    out.write_text(PAGE.format(large=LARGE, **{name: "\n".join(part()) for name, part in parts.items()}))


if __name__ == "__main__":
    main()
