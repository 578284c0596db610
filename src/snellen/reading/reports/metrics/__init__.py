"""Metrics of generated reports, found by name; one file per source."""

from __future__ import annotations

from snellen.errors import PluginError
from snellen.plugins import find, names
from snellen.reading.reports.metrics.metric import Corpus, Floats, Metric, Pair

__all__ = ["MEMBERS", "Corpus", "Floats", "Metric", "Pair", "metric_named", "metric_names", "radeval"]

_HERE = "snellen.reading.reports.metrics"
MEMBERS = {
    "findings-f1": f"{_HERE}.findings:FINDINGS_F1",
    "findings-f1-abnormal": f"{_HERE}.findings:FINDINGS_F1_ABNORMAL",
    "bleu": f"{_HERE}.bleu:BLEU",
    "rouge-l": f"{_HERE}.rouge:ROUGE_L",
    "rouge-1": f"{_HERE}.rouge:ROUGE_1",
    "rouge-2": f"{_HERE}.rouge:ROUGE_2",
    "bertscore": f"{_HERE}.radeval:BERTSCORE",
    "chexbert": f"{_HERE}.radeval:CHEXBERT",
    "radgraph-f1": f"{_HERE}.radeval:RADGRAPH_F1",
    "radcliq-v1": f"{_HERE}.radeval:RADCLIQ_V1",
    "green": f"{_HERE}.radeval:GREEN",
    "crimson": f"{_HERE}.radeval:CRIMSON",
}


def metric_named(name: str) -> Metric:
    """Return the metric of that name, ours or a plug-in's (entry points `snellen.metrics`)."""
    found = find("metrics", MEMBERS, name)
    if not isinstance(found, Metric):
        raise PluginError(f"The metric {name!r} is a {type(found).__name__}, expected a Metric.")
    return found


def metric_names() -> list[str]:
    """Return the names of all metrics, ours first, then those of plug-ins."""
    return names("metrics", MEMBERS)
