"""Mirage words, measured: how often its interval holds the truth, on organisms, and on real replies.

    python research/traces/measure.py coverage --repeats 400
    python research/traces/measure.py organisms
    python research/traces/measure.py italian PATH/answers.jsonl.gz

No text of a reply is printed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from snellen import Study
from snellen.items import Item
from snellen.models.base import Response
from snellen.papers.mirage.tests.words import UNADMITTED, measure, mirage_words
from snellen.reading.claims import CLAIMS
from snellen.reading.columns import Run
from snellen.reading.wording import WORDING
from snellen.reading.wording.columns import Terms, wordings
from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.table import Grades, Table

VOCABULARY, TELLING = 400, 20
"""How many words the simulated model knows, and how many of them it likes more, or less, without the image."""


def grades(runs: Sequence[Run]) -> Grades:
    """The columns of so many responses, of which only their place matters here."""
    ordinal, replicate = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    none = np.zeros(len(runs), dtype=np.int64)
    return Grades(ordinal, replicate, none.astype(np.uint8), none, np.arange(len(runs)), none.astype(np.uint16))


def table(items: Sequence[Item], arms: Mapping[str, Mapping[Run, Terms]]) -> Table:
    """A table that holds nothing but words."""
    made = {arm: grades(list(read)).having(wordings(read, {})) for arm, read in arms.items()}
    return Table("model", "benchmark", tuple(items), made)


def simulated(rng: np.random.Generator, *, questions: int, runs: int, effect: float, templates: bool) -> Estimate:
    """One study: every question has words of its own, and without the image some words are `effect` logits likelier.

    With `templates` a response is one of a few sentences, and the image changes nothing.
    """
    arms: dict[str, dict[Run, Terms]] = {"original": {}, "image-removed": {}}
    usual = np.random.default_rng(0).normal(-3, 1, VOCABULARY)  # one language for all, so that they have one AUC
    for question in range(questions):
        own = usual + rng.normal(0, 1.5, VOCABULARY)
        for arm, read in arms.items():
            shifted = own + effect * (np.arange(VOCABULARY) < TELLING) * (arm != "original")
            for run in range(runs):
                if templates:
                    read[question, run] = Terms((f"a{rng.integers(6)}", f"b{rng.integers(5)}"))
                    continue
                said = np.flatnonzero(rng.random(VOCABULARY) < 1 / (1 + np.exp(-shifted)))
                read[question, run] = Terms(tuple(f"w{at}" for at in said.tolist()))
    items = [Item(id=f"q{at}", question="?") for at in range(questions)]
    found = {each.name: each.estimate for each in measure(mirage_words(), table(items, arms))}
    return found[UNADMITTED]


def coverage(repeats: int) -> None:
    """How often the interval holds the truth: ½ where nothing tells, else the mean of all such studies."""
    print("| questions × runs | planted | AUC, mean | its SD | width of the 95% CI | holds the truth | says “nobody” |")
    print("|---|---|---|---|---|---|---|")
    for questions, runs in ((20, 1), (60, 1), (200, 1), (30, 5)):
        for words, effect, templates in (
            ("nothing, few sentences", 0.0, True),
            ("nothing", 0.0, False),
            ("0.5 logits", 0.5, False),
            ("1 logit", 1.0, False),
            ("2 logits", 2.0, False),
        ):
            rng = np.random.default_rng((questions, runs, int(10 * effect), templates))
            shape = {"questions": questions, "runs": runs, "effect": effect, "templates": templates}
            found = [simulated(rng, **shape) for _ in range(repeats)]
            values = np.array([each.value for each in found])
            truth = 0.5 if effect == 0 else float(values.mean())
            held = np.mean([each.low <= truth <= each.high for each in found])
            width = np.mean([each.high - each.low for each in found])
            nobody = np.mean([each.high < 0.6 for each in found])
            numbers = f"{values.mean():.3f} | {values.std():.3f} | {width:.3f} | {held:.1%} | {nobody:.0%}"
            print(f"| {questions} × {runs} | {words} | {numbers} |", flush=True)


def organisms(limit: int) -> None:
    """The test on models of which we know what they do."""
    names = ["grounded", "mirage", "blind", "random", "memoriser", "refuser", "positional", "pretender", "flagger"]
    with tempfile.TemporaryDirectory() as folder:
        study = Study(
            models=[f"organism/{name}" for name in names],
            benchmarks=["phantoms"],
            tests=["mirage-words"],
            limit=limit,
            out=Path(folder) / "out",
        )
        for finding in study.run().findings:
            print(f"- {finding.model}: {finding.verdict.status.value}. {finding.verdict.sentence}")


def replies(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of answers."""
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


def italian(path: Path) -> None:
    """Real replies with the image and with a blank one: 60 questions, ten runs each; folds hold whole questions."""
    rows = list(replies(path))
    for model in sorted({row["model"] for row in rows}):
        mine = [row for row in rows if row["model"] == model]
        ids = sorted({row["item_id"] for row in mine})
        items = {row["item_id"]: Item(id=row["item_id"], question=row["question"]) for row in mine}
        arms = {}
        read_at = 0.0
        for arm in ("original", "image-blank"):
            some = [row for row in mine if row["arm"] == arm]
            read = {(ids.index(row["item_id"]), row["replicate"]): Response(row["response"]) for row in some}
            about = {run: items[ids[run[0]]] for run in read}
            begun = time.process_time()
            words = {run: WORDING.read(reply, about[run]) for run, reply in read.items()}
            read_at += time.process_time() - begun
            seen = {run: CLAIMS.read(reply, about[run]) for run, reply in read.items()}
            assert CLAIMS.columns is not None
            said = CLAIMS.columns(seen, {})
            arms[arm] = grades(list(read)).having(wordings(words, {}), said)
        test = stress_test("mirage-words:without=image-blank")
        found = Table(model, "italian", tuple(items[each] for each in ids), arms)
        begun = time.process_time()
        measures = test.measure(found)
        took = time.process_time() - begun
        print(f"{model}: words read in {read_at:.2f} s, measured in {took:.2f} s")
        for each in measures:
            print(f"  {each.name}: {each.estimate}")
        print(f"  {test.conclude({(each.arm, each.name): each for each in measures}).sentence}")


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("coverage", "organisms", "italian"))
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--limit", type=int, default=200)
    args = parser.parse_args()
    if args.part == "coverage":
        coverage(args.repeats)
    elif args.part == "organisms":
        organisms(args.limit)
    else:
        italian(args.path)


if __name__ == "__main__":
    main()
