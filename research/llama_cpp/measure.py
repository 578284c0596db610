"""An exam of a real small chat model behind llama.cpp's own server, and what is said where it is sent images.

    python research/llama_cpp/serve.py                            # prints the address; leave it running
    LLAMA_CPP_BASE_URL=ADDRESS/v1 python research/llama_cpp/measure.py --out llama-cpp

Writes README.md beside this file. A few minutes on two cores; stopped, the same command goes on.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from snellen.errors import SnellenError
from snellen.prompts import Settings
from snellen.scoring.results import Results
from snellen.study import Study

HERE = Path(__file__).parent
MODEL = "llama-cpp/smollm2-135m"
SHOWN = ("baseline_accuracy", "difference", "changed_rate", "missing_rate", "unparsed_rate")
"""The two last stand there twice: in the given order, then in another."""


def exam(out: Path) -> Results:
    """The questions without images, with their options in the given order and in another."""
    folder = Path(tempfile.mkdtemp())
    (folder / "items.jsonl").write_text((HERE / "questions.jsonl").read_text())
    return Study(
        models=[{"name": MODEL, "text_only": True, "max_connections": 1}],
        benchmarks=[folder],
        tests=["option-order"],
        settings=Settings(temperature=0, max_tokens=48),
        out=out,
    ).run()


def with_images(out: Path) -> str:
    """What is said of the same model where it is sent images as if it could see."""
    try:
        Study(
            models=[{"name": MODEL, "max_connections": 1, "retries": 0}],
            benchmarks=["phantoms:items=15"],
            tests=["image-needed"],
            settings=Settings(temperature=0, max_tokens=16),
            out=out,
        ).run()
    except SnellenError as error:
        return str(error)
    return "Nothing: the study ran to its end."


def page(results: Results, said: str, address: str) -> Iterator[str]:
    """What was seen, line by line."""
    yield INTRODUCTION.format(n=len((HERE / "questions.jsonl").read_text().splitlines()))
    for finding in results.findings:
        yield f"`{finding.test.name}`: {finding.verdict.sentence}\n"
        yield "| measure | value [95% CI] | n | method |\n|---|---|---|---|"
        for measure in finding.measures:
            if measure.name not in SHOWN:
                continue
            found = measure.estimate
            value = f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
            yield f"| {measure.name} | {value} | {found.n} | {found.method} |"
    yield "\n## Sent images\n"
    yield "The same model, not declared text-only, on 15 phantoms with `image-needed`. What the run says:\n"
    yield "> " + said.replace(address, "ADDRESS").replace("\n", "\n> ") + "\n"


INTRODUCTION = """\
# SmolLM2-135M behind llama.cpp's server

SmolLM2 is a real chat model of 135 million parameters that takes words alone. llama.cpp's own server \
(the package xllamacpp) serves it on loopback, and Snellen asks it as `llama-cpp/smollm2-135m`.

- {n} questions of common medical knowledge, written for this study, without images (`questions.jsonl`), at \
temperature 0 and at most 48 tokens. They are far too few for a verdict: the study shows that the whole path works \
with a real server.
- In the run shown, the server was stopped after 4 of 40 requests and started again on another port. The other 36 were \
asked, and none again: the address is no part of what a reply is known by.
- Shares that stand twice are of the given order and then of another.
- Redraw this page with `python research/llama_cpp/measure.py`.

## Without images
"""


def main() -> None:
    """Ask, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("llama-cpp"))
    given = parser.parse_args()
    results = exam(given.out)
    said = with_images(given.out.with_name(f"{given.out.name}-images"))
    address = os.environ.get("LLAMA_CPP_BASE_URL", "")
    (HERE / "README.md").write_text("\n".join(page(results, said, address)))


if __name__ == "__main__":
    main()
