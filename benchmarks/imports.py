"""How fast answers are brought in and read: rows of our own format, real ones where they are there, and tools' logs.

python benchmarks/imports.py [--replies 100000] [--samples 400] [FORMAT ...]
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import statistics
import tempfile
import time
from pathlib import Path

from ratios import QUICK, beside, told

REAL = Path(__file__).parents[1].parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
FINDINGS = ("an effusion on the left", "a nodule in the right upper zone", "a wide heart", "no sign of a fracture")
LETTERS = "ABCDEFGHIJ"


def said(n: int, run: int = 0) -> str:
    """A response of a few sentences that ends with a letter."""
    return (
        f"{f'The image shows {FINDINGS[(n + run) % 4]}. ' * (1 + run % 4)}\n\nThe answer is ({LETTERS[(n + run) % 4]})."
    )


def rows(replies: int):
    """Replies of a few sentences, to 500 questions of ten options, in two arms."""
    runs = replies // 1000
    for n in range(500):
        for arm in ("original", "image-blank"):
            for run in range(runs):
                letter = LETTERS[(n + run) % 10]
                words = f"The image shows {FINDINGS[(n + run) % 4]}. " * (1 + run % 4)
                yield {
                    "model": "a/m", "benchmark": "b", "item_id": f"q{n}", "arm": arm, "replicate": run,
                    "question": f"What does picture {n} show?", "options": [f"finding {k}" for k in range(10)],
                    "answer": LETTERS[n % 10], "response": f"{words}\n\nThe answer is ({letter}).",
                }  # fmt: skip


def options(n: int) -> list[str]:
    """Four options of a question."""
    return [f"finding {n % 7 + k}" for k in range(4)]


def prompt(n: int) -> str:
    """A question as a task prints it."""
    lines = "\n".join(f"{LETTERS[k]}. {text}" for k, text in enumerate(options(n)))
    return f"What does picture {n} show?\n{lines}\nAnswer with the option's letter from the given choices directly."


def lmms_eval(folder: Path, replies: int) -> Path:
    """As many questions of lmms-eval, each asked once."""
    lines = (
        {
            "doc_id": n, "target": LETTERS[n % 4], "filtered_resps": said(n), "doc_hash": "74234e98", "acc": 1.0,
            "token_counts": [{"input_tokens": 426, "output_tokens": 15, "reasoning_tokens": 0}], "input": prompt(n),
        }
        for n in range(replies)
    )  # fmt: skip
    (folder / "20261117_152000_results.json").write_text(json.dumps({"model_name": "m", "config": {}}))
    return _lines(folder / "20261117_152000_samples_vqa.jsonl", lines)


def lm_eval(folder: Path, replies: int) -> Path:
    """As many questions of lm-eval, half of them by log-likelihoods."""

    def line(n: int) -> dict[str, object]:
        doc = {"question": f"What does picture {n} show?", "choices": options(n), "label": n % 4}
        common = {
            "doc_id": n,
            "doc": doc,
            "filter": "none",
            "metrics": ["acc"],
            "prompt_hash": "3",
            "acc": float(n % 2 == 0),
        }
        if n % 2:
            arguments = {"gen_args_0": {"arg_0": prompt(n), "arg_1": {"until": ["</s>"], "temperature": 0.0}}}
            return {**common, "target": LETTERS[n % 4], "arguments": arguments, "resps": [[said(n)]]}
        texts = [f" {text}" for text in options(n)]
        arguments = {f"gen_args_{k}": {"arg_0": f"Question: {n}", "arg_1": text} for k, text in enumerate(texts)}
        pairs = [[[str(-((n + k) % 4) - 0.25), "False"]] for k in range(4)]
        return {**common, "target": str(n % 4), "arguments": arguments, "resps": pairs}

    (folder / "results_2026-11-17T07-18-09.613711.json").write_text(json.dumps({"model_name": "m", "config": {}}))
    return _lines(folder / "samples_vqa_2026-11-17T07-18-09.613711.jsonl", map(line, range(replies)))


def vlmevalkit(folder: Path, replies: int) -> Path:
    """A workbook of circular rows: a quarter as many questions, each in four orders."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["index", "question", "hint", "A", "B", "C", "D", "answer", "category", "split", "prediction"])
    for turn in range(4):
        for n in range(replies // 4):
            texts = options(n)[turn:] + options(n)[:turn]
            answer = LETTERS[(n - turn) % 4]
            sheet.append(
                [n + turn * 1_000_000, f"What does picture {n} show?", None, *texts, answer, "chest", "dev", said(n)]
            )
    path = folder / "m" / "m_MMBench.xlsx"
    path.parent.mkdir(exist_ok=True)
    book.save(path)
    return path


def promptfoo(folder: Path, replies: int) -> Path:
    """As many tests of promptfoo."""
    records = [
        {
            "promptIdx": 0, "testIdx": n, "provider": {"id": "openai:chat:m", "label": ""}, "success": True,
            "vars": {"question": f"What does picture {n} show?", "options": options(n), "answer": LETTERS[n % 4]},
            "prompt": {"raw": prompt(n), "label": "{{question}}"}, "failureReason": 0, "latencyMs": 800,
            "response": {"output": said(n), "tokenUsage": {"prompt": 426, "completion": 15, "total": 441}},
        }
        for n in range(replies)
    ]  # fmt: skip
    path = folder / "out.json"
    path.write_text(json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": records}, "config": {}}))
    return path


def helm(folder: Path, replies: int) -> Path:
    """As many instances of a HELM run."""
    states = [
        {
            "instance": {
                "id": f"id{n}", "split": "test", "input": {"text": f"What does picture {n} show?"},
                "references": [
                    {"output": {"text": text}, "tags": ["correct"] if k == n % 4 else []}
                    for k, text in enumerate(options(n))
                ],
            },
            "train_trial_index": 0, "output_mapping": dict(zip("ABCD", options(n), strict=True)),
            "request": {"prompt": prompt(n), "temperature": 0.0, "max_tokens": 100},
            "result": {"success": True, "completions": [{"text": said(n), "finish_reason": {"reason": "stop"}}]},
        }
        for n in range(replies)
    ]  # fmt: skip
    (folder / "run_spec.json").write_text(json.dumps({"name": "vqa:model=m", "adapter_spec": {"model": "a/m"}}))
    path = folder / "scenario_state.json"
    path.write_text(json.dumps({"adapter_spec": {"method": "multiple_choice_joint"}, "request_states": states}))
    return path


MADE = {"lmms-eval": lmms_eval, "lm-eval": lm_eval, "vlmevalkit": vlmevalkit, "promptfoo": promptfoo, "helm": helm}


def _lines(path: Path, records) -> Path:
    with path.open("w") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def additions() -> float:
    """Seconds that 3 million additions take just now; 0.15 to 0.2 on an ordinary machine."""
    started, total = time.perf_counter(), 0
    for number in range(3_000_000):
        total += number
    return time.perf_counter() - started


def brought(file: Path, folder: Path, format_: str = "jsonl") -> tuple[float, float, float]:
    """Seconds to import a file, those of them that the processor worked, and seconds to score what it holds."""
    from snellen.study import bring, rescore

    started, worked = time.perf_counter(), time.process_time()
    bring([file], folder, format=format_)
    imported, busy = time.perf_counter(), time.process_time() - worked
    rescore(folder)
    return imported - started, busy, time.perf_counter() - imported


def inspect_log(folder: Path, samples: int) -> Path:
    """A log that Inspect writes of its own mock model."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import multiple_choice

    questions = [Sample(id=n, input=f"Question {n}?", choices=["a", "b", "c"], target="A") for n in range(samples)]
    task = Task(MemoryDataset(questions), solver=multiple_choice(), name="mock")
    output = ModelOutput.from_content("mockllm/model", "ANSWER: A")
    output.usage = ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)  # else it is counted over the network
    model = get_model("mockllm/model", custom_outputs=[output] * samples)
    [log] = evaluate(task, model=model, log_dir=str(folder), display="none", log_format="eval")
    return Path(log.location.removeprefix("file://"))


def logs(file: Path) -> None:
    """Our reading of a log against Inspect's own, in turns."""
    from inspect_ai.log import read_eval_log

    from snellen.imports.inspect_log import read_inspect_log

    ours, theirs = [], []
    for _ in range(3):
        started = time.process_time()
        count = len(list(read_inspect_log(file)))
        middle = time.process_time()
        read_eval_log(str(file))
        ours.append(middle - started)
        theirs.append(time.process_time() - middle)
    told("reading an Inspect log", "Inspect's read_eval_log", beside(theirs, ours), package="inspect-ai")
    a, b = statistics.median(ours), statistics.median(theirs)
    print(f"Inspect log, {count} samples: ours {a:.2f} s, read_eval_log {b:.2f} s, ratio {b / a:.1f}")


def main() -> None:
    """Print all of it, or what was chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", choices=["jsonl", "inspect", *MADE, []], default=[])
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=400)
    chosen = parser.parse_args()
    wanted = chosen.formats or (["inspect"] if QUICK else ["jsonl", *MADE, "inspect"])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = {}
        if "jsonl" in wanted:
            files["made rows"] = ("jsonl", folder / "rows.jsonl.gz")
            with gzip.open(files["made rows"][1], "wt", compresslevel=1) as file:
                file.writelines(json.dumps(row) + "\n" for row in rows(chosen.replies))
            if REAL.exists():
                files["real rows"] = ("jsonl", REAL)
        for name, make in MADE.items():
            if name in wanted:
                files[name] = (name, make(folder, chosen.replies))
        for name, (format_, source) in files.items():
            slow = additions()
            came, busy, scored = brought(source, folder / f"{name} out", format_)
            print(
                f"{name}, {source.stat().st_size:,} bytes: imported {came:.2f} s ({busy:.2f} s of the processor), "
                f"scored {scored:.2f} s, at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:,.0f} MB; "
                f"3 million additions took {slow:.2f} s just before"
            )
        if "inspect" in wanted:
            logs(inspect_log(folder / "logs", chosen.samples))


if __name__ == "__main__":
    main()
