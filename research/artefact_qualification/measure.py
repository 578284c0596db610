"""What the artefact suite finds in organisms whose behaviour is known: curves, flags, and false alarms.

    python research/artefact_qualification/measure.py --items 240 --out research/artefact_qualification/results.md

Degrading and looking take some ten minutes for 240 phantoms on two cores; the false alarms are simulated and take one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from snellen.benchmarks import load
from snellen.items import Item
from snellen.papers.artefacts.tests.dose_response import arm_of
from snellen.perturb.artefacts import ARTEFACTS, PUBLISHED
from snellen.reading.columns import NOTHING
from snellen.reading.detection.columns import Detections
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import Finding, findings
from snellen.scoring.results import Results
from snellen.stats import wilson
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Grades, Table, code
from snellen.study import Study, rescore

ORGANISMS = ("grounded", "flagger", "blind", "mirage", "positional", "refuser", "random", "pretender")
STEPS = ("original", "0.25", "weak", "0.75", "strong")
EVERY = ",".join(ARTEFACTS)


def asked(items: int, seed: int, folder: str) -> Results:
    """All artefacts at four severities, put to all organisms by the standard prompt."""
    Study(
        models=tuple(f"organism/{name}" for name in ORGANISMS),
        benchmarks=(f"phantoms:task=detection,items={items},seed={seed}",),
        tests=(f"dose-response:{EVERY}", f"weak-artefacts:{EVERY}", f"strong-artefacts:{EVERY}"),
        prompt="detection",
        out=folder,
    ).ask()
    return rescore(folder)


def of(results: Results, organism: str, family: str) -> Finding:
    """One organism's finding of a family of tests."""
    return next(
        each for each in results.findings
        if each.model == f"organism/{organism}" and each.test.name.startswith(family)
    )  # fmt: skip


def value(finding: Finding, arm: str, name: str) -> str:
    """A share in percent, or a dash."""
    found = finding.measure(arm, name)
    return "–" if found is None else f"{100 * found.estimate.value:.0f}"


def label(artefact: str, step: str) -> str:
    """The arm of a step of an artefact's path."""
    return "original" if step == "original" else f"degraded:{artefact},{step}"


def curves(results: Results) -> Iterator[str]:
    """Accuracy along each path, and the threshold."""
    found = of(results, "grounded", "dose-response")
    yield "| artefact | original | 0.25 | weak | 0.75 | strong | threshold [95% CI] | mean SSIM, weak | strong |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for artefact in ARTEFACTS:
        cells = [value(found, label(artefact, step), "accuracy") for step in STEPS]
        at = found.measure(arm_of(artefact), "threshold")
        told = "none" if at is None else f"{at.estimate.value:.2f} [{at.estimate.low:.2f}, {at.estimate.high:.2f}]"
        far = [found.measure(label(artefact, step), "ssim") for step in ("weak", "strong")]
        ssim = [f"{each.estimate.value:.2f}" if each else "–" for each in far]
        name = artefact if artefact in PUBLISHED else f"*{artefact}*"
        yield f"| {name} | {' | '.join((*cells, told, *ssim))} |"


def flags(results: Results) -> Iterator[str]:
    """How often each organism flags each artefact, as it is and at strong; the flagger also at weak."""
    yield f"| organism | original | {' | '.join(ARTEFACTS)} |"
    yield f"|---|---|{'---|' * len(ARTEFACTS)}"
    for organism in ORGANISMS:
        found = of(results, organism, "strong-artefacts")
        cells = [value(found, label(artefact, "strong"), "detection_rate") for artefact in ARTEFACTS]
        yield f"| {organism} | {value(found, 'original', 'detection_rate')} | {' | '.join(cells)} |"
    weak = of(results, "flagger", "weak-artefacts")
    cells = [value(weak, label(artefact, "weak"), "flagged_quality_rate") for artefact in ARTEFACTS]
    yield f"| flagger, weak artefacts | | {' | '.join(cells)} |"


def verdicts(results: Results) -> Iterator[str]:
    """What each test says of each organism."""
    yield "| organism | weak-artefacts | strong-artefacts |"
    yield "|---|---|---|"
    for organism in ORGANISMS:
        told = [of(results, organism, family).verdict.status for family in ("weak-artefacts", "strong-artefacts")]
        yield f"| {organism} | {' | '.join(told)} |"


def simulated(rng: np.random.Generator, items: Sequence[Item], accuracies: Mapping[str, float]) -> Table:
    """A model that is right with a given chance under each arm, of its own accord: no artefact matters beyond that."""
    count = len(items)
    answers = np.array([item.answer for item in items])
    hidden = rng.random(count)  # what makes an item easy is the same under every arm
    arms = {}
    for arm, accuracy in accuracies.items():
        right = np.where(rng.random(count) < 0.7, hidden, rng.random(count)) < accuracy
        nothing = np.full(count, NOTHING)
        never = np.zeros(count, dtype=bool)
        arms[arm] = Grades(
            ordinal=np.arange(count),
            replicate=np.zeros(count, dtype=np.int64),
            outcome=np.where(right, code(Outcome.CORRECT), code(Outcome.WRONG)).astype(np.uint8),
            chosen=np.where(right, answers, 1 - answers),
            response=np.arange(count),
            rule=np.zeros(count, dtype=np.uint16),
            due=np.ones(count, dtype=np.int64),
            columns={Detections: Detections(nothing, never, nothing, never, nothing, nothing, never)},
        )
    return Table("m", "b", tuple(items), arms)


def alarms(repeats: int) -> Iterator[str]:
    """How often weak-artefacts finds a loss where there is none, and where there is one."""
    test = stress_test("weak-artefacts")
    items = load("phantoms:task=detection,items=200").items
    yield "| accuracy on the original | under noise | found | 95% CI | t-test as published below 0.05 |"
    yield "|---|---|---|---|---|"
    for base, noisy in ((0.65, 0.65), (0.9, 0.9), (0.65, 0.6), (0.65, 0.55), (0.65, 0.45), (0.9, 0.8)):
        rng = np.random.default_rng([int(100 * base), int(100 * noisy)])
        bad = published = 0
        for _ in range(repeats):
            given = {"original": base, **{f"degraded:{name},weak": base for name in PUBLISHED}}
            given["degraded:noise,weak"] = noisy
            [found] = findings([test], simulated(rng, items, given))
            bad += found.verdict.status is Status.FAIL
            shown = found.measure("degraded:noise,weak", "t_test_as_published")
            published += shown is not None and (shown.estimate.p or 0.0) < 0.05
        share = wilson(bad, repeats)
        ends = f"{100 * share.low:.0f} to {100 * share.high:.0f}"
        yield f"| {base} | {noisy} | {100 * share.value:.0f}% | {ends} | {100 * published / repeats:.0f}% |"


def page(items: int, repeats: int) -> Iterator[str]:
    """The study as Markdown."""
    with TemporaryDirectory() as folder:
        results = asked(items, seed=100, folder=folder)
    yield "# What the artefact tests find in organisms\n"
    yield (
        "Organisms are small models whose behaviour is known because it was built in. This page shows what the "
        "artefact tests find in them.\n"
    )
    yield f"- Command: `python research/artefact_qualification/measure.py --items {items} --repeats {repeats}`."
    yield (
        f"- Items: {items} phantoms (synthetic images) of four modalities, half of them normal, from a seed that "
        "nothing was trained on."
    )
    yield "- Prompt: the standard prompt of the artefacts paper."
    yield (f"- Shares are in percent. With {items} items, their 95% CIs are at most ± {98 / items**0.5:.0f} points.\n")
    yield "## grounded: accuracy along each path\n"
    yield (
        "`grounded` never flags an image. If it cannot see a finding, it answers wrongly or says that it sees nothing. "
        "Artefacts that we added to the paper's are in italics.\n"
    )
    yield from curves(results)
    yield "\n## Which organisms flag unreadable images: `detection_rate` at strong\n"
    yield from flags(results)
    yield "\n## Verdicts, all thirteen artefacts together\n"
    yield from verdicts(results)
    yield "\n## False alarms and power of `weak-artefacts`\n"
    yield (
        f"Each row is {repeats} simulated studies with 200 items and the paper's five artefacts. Only noise may lower "
        "accuracy. *Found* is the share of studies with the verdict fail, corrected over the five artefacts.\n"
    )
    yield from alarms(repeats)


def main() -> None:
    """Run the study and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=240)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.write_text("\n".join(page(chosen.items, chosen.repeats)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
