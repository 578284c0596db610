"""Worker in RadEval's environment: reads a request from stdin and writes one JSON line with values.

`radeval.py` starts it as `PYTHON -I radeval_worker.py`; it imports nothing of this package. The request is a JSON
object: `metric` (empty: only report missing weights), `references`, `generated` and `network` (may it be used?).
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

NO_WEIGHTS, NO_PACKAGE, FAILED = "no-weights", "no-package", "failed"
_ABSENT = {
    "EntryNotFoundError",
    "GatedRepoError",
    "LocalEntryNotFoundError",
    "NoNetworkError",
    "OfflineModeIsEnabled",
    "RepositoryNotFoundError",
}
_ABSENT_WORDS = ("couldn't connect to", "Cannot download the file", "is not a local folder")
_NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}
_UNIX = 1


class NoNetworkError(OSError):
    """The code tried to use the network, which is not allowed."""


def without_network() -> None:
    """Refuse all network connections for the rest of this process. Unix sockets to local processes are allowed."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NETWORK and int(getattr(arguments[0], "family", 0)) != _UNIX:
            raise NoNetworkError("RadEval may not use the network; --fetch-weights allows it.")

    sys.addaudithook(refuse)


def radeval() -> Any:
    """Import the package. RadEval 2.2.1 imports parts of itself by its former name, so it gets both names."""
    package = import_module("radeval")
    sys.modules.setdefault("RadEval", package)
    return package


def of_radeval(metric: str, key: str) -> Callable[[list[str], list[str]], Sequence[Any]]:
    """Return a function that computes a RadEval metric, by its name, for each pair."""

    def score(references: list[str], generated: list[str]) -> Sequence[Any]:
        evaluate = radeval().RadEval(metrics=[metric], per_sample=True, show_progress=False)
        values: Sequence[Any] = evaluate(refs=references, hyps=generated)[key]
        return values

    return score


def semantic_score(references: list[str], generated: list[str]) -> Sequence[Any]:
    """Return the cosine of the CheXbert embeddings of each pair."""
    radeval()
    cuda = import_module("torch").cuda.is_available()
    part = import_module("radeval.metrics.RadCliQv1.semb_score")
    values: Sequence[Any] = part.semantic_embedding_scores(references, generated, device="cuda" if cuda else "cpu")
    return values


SCORES: dict[str, Callable[[list[str], list[str]], Sequence[Any]]] = {
    "bleu": of_radeval("bleu", "bleu"),
    "rouge-l": of_radeval("rouge", "rougeL"),
    "bertscore": of_radeval("bertscore", "bertscore"),
    "chexbert": semantic_score,
    "radgraph-f1": of_radeval("radgraph_radcliq", "radgraph_radcliq"),
    "radcliq-v1": of_radeval("radcliq", "radcliq_v1"),
    "green": of_radeval("green", "green"),
    "crimson": of_radeval("crimson", "crimson"),
}

_SCORERS = "StanfordAIMI/RRG_scorers"
_BERT = ("bert-base-uncased", "config.json", "")
_CHEXBERT = (_SCORERS, "chexbert.pth", "chexbert")
_RADGRAPH = (_SCORERS, "radgraph.tar.gz", "radgraph/0.1.18")
FILES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "bertscore": (("distilbert-base-uncased", "config.json", ""),),
    "chexbert": (_BERT, _CHEXBERT),
    "radgraph-f1": (_RADGRAPH,),
    "radcliq-v1": (("distilroberta-base", "config.json", ""), _BERT, _CHEXBERT, _RADGRAPH),
    "green": (("StanfordAIMI/GREEN-radllama2-7b", "config.json", ""),),
    "crimson": (("rajpurkarlab/medgemma-4b-it-crimson", "config.json", ""),),
}
"""For each metric, one file of each model that it loads: repository, file name, and cache folder if it has its own."""


def absent() -> dict[str, list[str]]:
    """Return for each metric the models that were never downloaded to this machine."""
    cached = import_module("huggingface_hub").try_to_load_from_cache
    caches = import_module("appdirs").user_cache_dir

    def is_cached(repository: str, file: str, folder: str) -> bool:
        return isinstance(cached(repository, file, cache_dir=caches(folder) if folder else None), str)

    return {
        metric: [f"{file[0]}/{file[1]}" if file[2] else file[0] for file in files if not is_cached(*file)]
        for metric, files in FILES.items()
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the requested values or missing weights, or the error."""
    try:
        if not request["metric"]:
            import_module("importlib.metadata").version("radeval")
            return {"absent": absent()}
        values = SCORES[request["metric"]](request["references"], request["generated"])
        return {"values": [_number(value) for value in values]}
    except Exception as error:  # reported to the caller
        return {"error": _kind(error), "message": f"{type(error).__name__}: {error}"}


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(float(value)) else float(value)


def _kind(error: BaseException) -> str:
    chain = list(_chain(error))
    names = {cls.__name__ for each in chain for cls in type(each).__mro__}
    if _ABSENT & names or any(words in str(each) for each in chain for words in _ABSENT_WORDS):
        return NO_WEIGHTS
    if "PackageNotFoundError" in names or any(getattr(each, "name", None) == "radeval" for each in chain):
        return NO_PACKAGE
    return FAILED


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def main() -> None:
    """Answer one request. Everything that libraries print goes to stderr, since stdout must hold only the answer."""
    request = json.loads(sys.stdin.buffer.read())
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as line:
        os.dup2(2, 1)
        if not request["network"]:
            without_network()
        line.write(json.dumps(answer(request), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
