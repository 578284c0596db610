"""RadEval: its metrics with weights, computed in a separate Python environment.

RadEval needs torchvision and downloads data when imported, so this package does not import it. A process of that
environment's Python gets the pairs and returns the values.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, BinaryIO

import numpy as np

from snellen.errors import MetricError
from snellen.reading.reports.metrics.metric import Corpus, Floats, Metric, Pair, has_words, prose
from snellen.reading.reports.metrics.radeval_worker import NO_PACKAGE, NO_WEIGHTS
from snellen.runtime import visible

VARIABLE = "SNELLEN_RADEVAL"
_LINES = "  python -m venv radeval-env\n  radeval-env/bin/pip install radeval\n"
_INSTALL = (
    f"RadEval needs an environment of its own:\n{_LINES}"
    f"Then name its Python: --radeval radeval-env/bin/python, or {VARIABLE} in the environment."
)
_FETCH = "Fetch them once with --fetch-weights on a machine with a network; they stay in the user's cache."
_WORKER = Path(__file__).with_name("radeval_worker.py")
_ALONE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
}
_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "TOKENIZERS_PARALLELISM": "false"}
_SECRET = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_TAIL, _LONGEST = 2000, 100
_FLOOD = 100_000_000
"""Maximum bytes that the process may write, including progress bars."""


@dataclass(frozen=True)
class Environment:
    """The environment in which RadEval is installed, and whether it may download weights."""

    python: str
    fetch: bool = False

    @classmethod
    def usual(cls) -> Environment:
        """Return the environment in the variable SNELLEN_RADEVAL; it downloads no weights."""
        return cls(os.environ.get(VARIABLE, ""))


def in_environment(metric: Metric, where: Environment) -> Metric:
    """Return the metric computed in the given environment. Metrics not from RadEval stay unchanged."""
    if metric.name not in OFFERED:
        return metric
    return replace(metric, score=partial(scores, metric.name, where=where), lacks=partial(lacks, metric.name, where))


def scores(metric: str, pairs: Sequence[Pair], *, where: Environment | None = None) -> Floats:
    """Return RadEval's value of each pair. NaN for a pair with an empty side, which is not sent.

    Raise MetricError if the environment, the package or the weights are missing, or the process fails.
    """
    values = np.full(len(pairs), np.nan)
    texts = [prose(pair) for pair in pairs]
    sent = [place for place, pair in enumerate(texts) if has_words(pair)]
    if not sent:
        return values
    where = where or Environment.usual()
    said = _run_worker(
        where,
        {
            "metric": metric,
            "references": [texts[place].reference for place in sent],
            "generated": [texts[place].generated for place in sent],
        },
    )
    values[sent] = _numbers(said, len(sent), metric, where)
    return values


def lacks(metric: str, where: Environment | None = None) -> str:
    """Return which environment, package or weights a metric lacks; empty if none."""
    try:
        missing = _absent(where or Environment.usual())
    except MetricError as error:
        return str(error)
    named = [visible(each) for each in missing.get(metric, ())]
    return f"The weights of {metric} are not on this machine: {', '.join(named)}. {_FETCH}" if named else ""


@cache
def _absent(where: Environment) -> Mapping[str, Sequence[str]]:
    said = _run_worker(where, {"metric": "", "references": [], "generated": []})
    absent = said.get("absent")
    if not isinstance(absent, dict) or not all(map(_are_names, absent.values())):
        raise _failure("to say which weights are there", where, said)
    return absent


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _run_worker(where: Environment, request: Mapping[str, Any]) -> dict[str, Any]:
    """Run the process in RadEval's environment and return its output.

    Its streams are files, so no full pipe can block it.
    """
    python = _python(where)
    with TemporaryDirectory() as folder, TemporaryFile() as given, TemporaryFile() as said, TemporaryFile() as told:
        given.write(json.dumps({**request, "network": where.fetch}).encode())
        given.seek(0)
        command = [str(python), "-I", str(_WORKER)]
        try:
            process = subprocess.Popen(  # noqa: S603 - the user names the program
                command, stdin=given, stdout=said, stderr=told, cwd=folder, env=_environment(where),
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise MetricError(f"{python} does not start: {error.strerror}.\n{_INSTALL}") from error
        try:
            status = _ended_by_itself(process, (said, told), where)
        finally:
            _end_all(process)
        room = 1000 + _LONGEST * max(len(request["generated"]), 100)
        return _answer(_start(said, room), room, status=status, printed=_end(told), where=where)


def _ended_by_itself(process: subprocess.Popen[bytes], written: Sequence[BinaryIO], where: Environment) -> int:
    """Return the exit status of the process; raise MetricError if it fills the disk. There is no time limit."""
    while True:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            if max(os.fstat(each.fileno()).st_size for each in written) > _FLOOD:
                flood = f"RadEval's process in {where.python} wrote over {_FLOOD:,} bytes and was stopped."
                raise MetricError(flood) from None


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and all processes in its session."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _python(where: Environment) -> Path:
    if not where.python:
        raise MetricError(_INSTALL)
    python = Path(where.python).expanduser()
    if not python.is_file():
        raise MetricError(f"There is no Python at {python}.\n{_INSTALL}")
    # Not resolved, because the link inside an environment shows which environment it is.
    return python.absolute()


def _environment(where: Environment) -> dict[str, str]:
    """Return our environment variables without keys and passwords; HF_TOKEN stays if weights may be downloaded."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith(_SECRET)}
    if where.fetch:
        token = {name: value for name, value in os.environ.items() if name == "HF_TOKEN"}
        return {**kept, **_QUIET, **token}
    return {**kept, **_QUIET, **_ALONE}


def _start(file: BinaryIO, room: int) -> bytes:
    file.seek(0)
    return file.read(room + 1)


def _end(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    return visible(file.read().decode(errors="replace")).strip()


def _answer(line: bytes, room: int, *, status: int, printed: str, where: Environment) -> dict[str, Any]:
    if status != 0 or not line:
        raise MetricError(f"RadEval's process in {where.python} {_describe_end(status)}.{_last(printed)}")
    try:
        said = json.loads(line) if len(line) <= room else None
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise MetricError(f"RadEval's process in {where.python} gave no answer that can be read: {line[:200]!r}.")
    return said


def _describe_end(status: int) -> str:
    if status >= 0:
        return f"ended with status {status} and without an answer"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    return f"was ended by the signal {name}{' (was the memory full?)' if name == 'SIGKILL' else ''}"


def _last(printed: str) -> str:
    return f" The last that it printed:\n{printed}" if printed else " It printed nothing."


def _numbers(said: Mapping[str, Any], count: int, metric: str, where: Environment) -> list[float]:
    values = said.get("values")
    if not isinstance(values, list):
        raise _failure(f"to compute {metric}", where, said)
    if len(values) != count:
        raise MetricError(f"RadEval gave {len(values)} values of {metric} for {count} pairs. Nothing is scored.")
    if odd := [value for value in values if value is not None and type(value) not in (int, float)]:
        raise MetricError(f"RadEval gave {visible(repr(odd[0]))} as a value of {metric}, expected a number.")
    return [float(value) if value is not None and _is_finite(value) else np.nan for value in values]


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def _failure(what: str, where: Environment, said: Mapping[str, Any]) -> MetricError:
    kind, message = said.get("error"), visible(str(said.get("message", "it gave no reason"))[:_TAIL])
    if kind == NO_PACKAGE:
        return MetricError(
            f"The package radeval is not installed for {where.python}. Install it with: "
            f"{Path(where.python).with_name('pip')} install radeval"
        )
    if kind == NO_WEIGHTS:
        metric = what.rpartition(" ")[2]
        named = f" It needs {OFFERED[metric].needs}" if metric in OFFERED else ""
        return MetricError(f"RadEval was asked {what}, and weights are missing: {message}{named}")
    return MetricError(f"RadEval was asked {what} and failed: {message}")


def _make_metric(name: str, title: str, about: str, source: str, weights: str, **more: Any) -> Metric:
    return Metric(
        name=name,
        title=title,
        about=about,
        source=f"{source}; the package RadEval, written for 2.2.1",
        needs=f"RadEval in an environment of its own, and weights from Hugging Face: {weights}. {_FETCH}",
        together=True,
        score=partial(scores, name),
        lacks=partial(lacks, name),
        **more,
    )


def _value_and_one(pairs: Sequence[Pair], values: Floats) -> Floats:
    there = np.isfinite(values)
    return np.column_stack((np.where(there, values, 0.0), there))


def _inverse(summed: Floats) -> Floats:
    """Return one divided by the mean; NaN if the mean is not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(summed[..., 0] > 0, summed[..., 1] / summed[..., 0], np.nan))


BERTSCORE = _make_metric(
    "bertscore",
    "BERTScore",
    "How alike the words of both reports are by their embeddings in distilbert-base-uncased, layer 5, F1 rescaled with "
    "the baseline of that model. ReXrank and RadCliQ-v1 use distilroberta-base with idf weights instead.",
    "Zhang 2020",
    "distilbert-base-uncased",
    bounds=(-inf, 1.0),
)
CHEXBERT = _make_metric(
    "chexbert",
    "CheXbert similarity",
    "The cosine of the CheXbert embeddings of both reports, called semantic score in the Readiness paper and ReXrank.",
    "Smit 2020, Yu 2023",
    "bert-base-uncased (settings and tokenizer) and chexbert.pth of StanfordAIMI/RRG_scorers",
    bounds=(-1.0, 1.0),
)
RADGRAPH_F1 = _make_metric(
    "radgraph-f1",
    "RadGraph F1",
    "The mean of two F1: of the entities and of the relations that RadGraph reads in both reports, as RadCliQ-v1 and "
    "ReXrank define it (not the F1 of RadGraph-XL).",
    "Jain 2021, Yu 2023",
    "radgraph.tar.gz of StanfordAIMI/RRG_scorers, and the tokenizer that it names",
)
RADCLIQ_V1 = _make_metric(
    "radcliq-v1",
    "RadCliQ-v1",
    "A sum of RadGraph F1, BERTScore (distilroberta-base), CheXbert similarity and BLEU-2, weighted so that it "
    "predicts how many errors radiologists count: lower is better. The Readiness paper and ReXrank print 1 over the "
    "mean.",
    "Yu 2023",
    "distilroberta-base, bert-base-uncased, chexbert.pth and radgraph.tar.gz of StanfordAIMI/RRG_scorers",
    lower_is_better=True,
    bounds=(-inf, inf),
    corpus=Corpus("1/RadCliQ-v1", _value_and_one, _inverse),
)
GREEN = _make_metric(
    "green",
    "GREEN",
    "Matched findings over matched findings and clinically significant errors, as a language model counts them.",
    "Ostmeier 2024",
    "StanfordAIMI/GREEN-radllama2-7b (a language model of 7 billion parameters; a GPU in practice)",
)
CRIMSON = _make_metric(
    "crimson",
    "CRIMSON",
    "Findings right less findings wrong, weighted by clinical significance, as a language model counts them; from −1 "
    "to 1.",
    "CRIMSON 2026",
    "rajpurkarlab/medgemma-4b-it-crimson (a language model of 4 billion parameters; a GPU in practice)",
    bounds=(-1.0, 1.0),
)
OFFERED: dict[str, Metric] = {
    metric.name: metric for metric in (BERTSCORE, CHEXBERT, RADGRAPH_F1, RADCLIQ_V1, GREEN, CRIMSON)
}
