"""Metrics of reports that run offline: seconds for 3,955 pairs, and beside them rouge-score and RadEval's own.

python benchmarks/reports.py [--radeval PYTHON]

The references are the reports of Open-i where they lie beside the project, else reports of our own wording; each is
compared with the report of another patient. Processor time of one core, also that of `snellen metrics` with all offline
metrics. RadEval's BLEU and ROUGE are measured inside its own process, without its imports, where its Python is
named.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

from ratios import QUICK, few, told
from rouge_score.rouge_scorer import RougeScorer

from snellen.reading.reports.comparison import compare_reports
from snellen.reading.reports.metrics import Pair, metric_named
from snellen.reading.reports.metrics.bleu import _score_pair

STUDY = Path(__file__).parents[1] / "research" / "reports"
N = 400 if QUICK else 3_955
PARTS = ("heart", "left lung", "right lung", "mediastinum", "left costophrenic angle", "right upper lobe")
SAID = ("The {} is normal.", "There is no abnormality of the {}.", "Opacity {} of the {} is seen.", "Stable {}.")


def pairs() -> tuple[str, list[Pair]]:
    """Where the reports are from, and the pairs."""
    sys.path.insert(0, str(STUDY))
    study = run_path(str(STUDY / "measure.py"))
    if study["REPORTS"].exists():
        texts = [report.text for report in study["reports"]() if report.findings or report.impression]
        origin = "Open-i"
    else:
        texts = [" ".join(SAID[(at + k) % 4].format(PARTS[(at * k) % 6], at) for k in range(6)) for at in range(N)]
        origin = "made up"
    texts = (texts * 2)[:N]
    return origin, [Pair(one, other) for one, other in zip(texts, texts[1:] + texts[:1], strict=True)]


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of one run, with nothing remembered from another."""
    for each in (compare_reports, _score_pair):
        getattr(each, "cache_clear", lambda: None)()
    start = time.process_time()
    work()
    return time.process_time() - start


def of_theirs(scorer: RougeScorer, given: list[Pair]) -> float:
    """Processor seconds of rouge-score for all pairs."""
    return seconds(lambda: [scorer.score(pair.reference, pair.generated) for pair in given])


def of_ours(given: list[Pair]) -> float:
    """Processor seconds of our three for all pairs."""
    names = ("rouge-1", "rouge-2", "rouge-l")
    return sum(seconds(lambda name=name: metric_named(name).score(given)) for name in names)


def of_radeval(python: str, given: list[Pair]) -> dict[str, float]:
    """Processor seconds of RadEval's own BLEU and ROUGE for the same pairs."""
    script = (
        "import json, sys, time\n"
        "refs, hyps = json.load(sys.stdin)\n"
        "from radeval.metrics.bleu.adapter import BleuMetric\n"
        "from radeval.metrics.rouge.adapter import RougeMetric\n"
        "took = {}\n"
        "for name, metric in (('bleu', BleuMetric()), ('rouge', RougeMetric())):\n"
        "    start = time.process_time()\n"
        "    metric.compute(refs, hyps, per_sample=True)\n"
        "    took[name] = time.process_time() - start\n"
        "print('took', json.dumps(took))\n"
    )
    sent = json.dumps([[pair.reference for pair in given], [pair.generated for pair in given]])
    done = subprocess.run([python, "-I", "-c", script], input=sent, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.rpartition("took ")[2])


def command(given: list[Pair]) -> float:
    """Processor seconds of the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.jsonl"
        rows = (
            {"id": str(at), "reference": pair.reference, "generated": pair.generated} for at, pair in enumerate(given)
        )
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([sys.executable, "-m", "snellen", "metrics", str(file)], check=True, capture_output=True)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--radeval", default="", metavar="PYTHON")
    python = options.parse_args().radeval
    origin, given = pairs()
    words = sum(len(text.split()) for pair in given for text in pair) / (2 * len(given))
    print(f"{len(given):,} pairs of reports ({origin}), {words:.0f} words each on average; seconds of one core")
    took = {}
    for name in ("findings-f1", "bleu", "rouge-1", "rouge-2", "rouge-l"):
        took[name] = seconds(lambda name=name: metric_named(name).score(given))
        print(f"  {name:<14}{took[name]:7.2f}")
    for stemmed in (False, True):
        scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=stemmed)
        rounds = [(of_theirs(scorer, given), of_ours(given)) for _ in range(few(3))]
        theirs, ours = map(statistics.median, zip(*rounds, strict=True))
        label = f"rouge-score{' with stems' if stemmed else ''}"
        print(f"  {label}: {theirs:.2f}, {theirs / ours:.1f} times ours of the same three")
        told("ROUGE-1, -2 and -L of reports", label, [a / b for a, b in rounds], package="rouge-score")
    for name, theirs in (of_radeval(python, given) if python else {}).items():
        own = ours if name == "rouge" else took["bleu"]
        print(f"  RadEval's {name}: {theirs:.2f}, {theirs / own:.1f} times ours")
    if not QUICK:
        print(f"  snellen metrics, all offline metrics with intervals: {command(given):.1f} s")


if __name__ == "__main__":
    main()
