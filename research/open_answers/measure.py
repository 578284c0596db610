"""How far the offline graders of open answers agree with labels.

Run as `python research/open_answers/measure.py`; with --write it also writes `measured.json`, what the parsers carry
with them (`agreement.json`) and the counts that confidence rests on. The questions and references are those of VQA-RAD,
which lies beside the project; without it nothing can be measured.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from snellen.judging.qualify import Qualification, qualify
from snellen.reading.confidence import write_counted
from snellen.reading.open.said import read_statement
from snellen.stats import Estimate, cohens_kappa

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MEASURED = HERE / "measured.json"
AGREEMENT = ROOT / "src" / "snellen" / "reading" / "open" / "agreement.json"
QUESTIONS = ROOT.parent / "shared" / "data" / "vqa-rad" / "VQA_RAD Dataset Public.json"
PARSERS = ("match", "match-embedded")

Row = dict[str, Any]


@cache
def _known() -> Mapping[str, Row]:
    known = json.loads(QUESTIONS.read_text(encoding="utf-8")) if QUESTIONS.exists() else []
    return {
        str(each["qid"]): {
            "question": " ".join(str(each["question"]).split()),
            "answer": " ".join(str(each["answer"]).split()),
        }
        for each in known
    }


def rows() -> list[Row]:
    """The labelled responses whose question is known, each with `question`, `references` and `response`."""
    lines = (HERE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    return [whole for row in map(json.loads, lines) if (whole := _whole(row)) is not None]


def _whole(row: Row) -> Row | None:
    known = _known().get(row["of"].partition("/")[2])
    if known is None:
        return None
    # How a response ended is kept; what it says until then is what was labelled.
    told = {"question": known["question"], "references": [known["answer"]], "cut_off": row["finish"] == "length"}
    given = {name: value for name, value in row.items() if name != "finish"}
    return {**given, **told, "response": row.get("response") or _made(row["recipe"], known["answer"])}


def _made(recipe: Mapping[str, Any], reference: str) -> str:
    """A response that quotes its reference: with a word exchanged, and in the text of the recipe."""
    for old, new in [recipe["swap"]] if "swap" in recipe else ():
        reference = reference.replace(old, new)
    return str(recipe["text"]).replace("{reference}", reference)


def parts(every: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows that are measured together, by name."""
    apart = [row for row in every if row["split"] == "apart"]
    found = {"kept apart": apart}
    for source in dict.fromkeys(row["source"] for row in apart):
        found[f"kept apart, {source}"] = [row for row in apart if row["source"] == source]
    development = [row for row in every if row["split"] == "development"]
    seen = {row["references"][0].casefold().strip(" .") for row in development}
    found["kept apart, no development row has the reference"] = [
        row for row in apart if row["references"][0].casefold().strip(" .") not in seen
    ]
    found["kept apart, without the reference's very words"] = [row for row in apart if not quotes(row)]
    return {**found, "development": development}


def quotes(row: Row) -> bool:
    """Whether a response holds its reference word for word."""
    answer, reference = (
        f" {' '.join(read_statement(text).words)} " for text in (row["response"], row["references"][0])
    )
    return reference in answer


def by_quoting(some: Sequence[Row]) -> Estimate:
    """The agreement with labels of calling correct what holds the reference word for word, and incorrect all else."""
    return cohens_kappa([row["label"] for row in some], ["correct" if quotes(row) else "incorrect" for row in some])


def measured(every: Sequence[Row], parser: str) -> dict[str, Qualification]:
    """The agreement of a parser with the labels, by part."""
    return {name: qualify(parser, some) for name, some in parts(every).items() if some}


def two_passes(every: Iterable[Row]) -> Estimate:
    """The agreement of the two passes of labelling."""
    twice = [row for row in every if "again" in row]
    return cohens_kappa([row["label"] for row in twice], [row["again"] for row in twice])


def counts(every: Sequence[Row]) -> dict[str, dict[str, tuple[int, int]]]:
    """By parser and rule, how many labelled responses it read right, and how many it read."""
    return {parser: dict(sorted(qualify(parser, every).by_rule.items())) for parser in PARSERS}


def as_record(done: Qualification) -> dict[str, Any]:
    """The figures of one part, to be stored."""
    confusion = {f"{label} read as {said}": n for (label, said), n in sorted(done.confusion.items())}
    return {
        "n": len(done.rows),
        "kappa": _figures(done.kappa),
        "agreement": _figures(done.agreement),
        "correct_or_not_kappa": _figures(
            cohens_kappa(*([each == "correct" for each in side] for side in _sides(done)))
        ),
        "confusion": confusion,
    }


def _sides(done: Qualification) -> tuple[list[str], list[str]]:
    return [row.label for row in done.rows], [row.predicted for row in done.rows]


def _figures(estimate: Estimate) -> list[float]:
    return [round(each, 3) for each in (estimate.value, estimate.low, estimate.high)]


def figures(every: Sequence[Row]) -> dict[str, Any]:
    """All that is stored."""
    found: dict[str, Any] = {
        parser: {name: as_record(done) for name, done in measured(every, parser).items()} for parser in PARSERS
    }
    found["quoting the reference is correct"] = {
        name: {"n": len(some), "kappa": _figures(by_quoting(some))}
        for name, some in parts(every).items()
        if any(map(quotes, some))
    }
    found["labels"] = {
        split: dict(Counter(row["label"] for row in every if row["split"] == split))
        for split in ("development", "apart")
    }
    passes = two_passes(every)
    found["two passes of labelling"] = {"kappa": _figures(passes), "n": passes.n}
    return found


OF = {
    "kept apart": "replies of two small chat models and answers of our own to VQA-RAD's open questions, kept apart",
    "development": "the same for other questions, with which the rules were made",
}


def agreement(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the parser carries with it."""
    names = ("n", "kappa", "agreement", "correct_or_not_kappa")
    return [{"of": words, **{name: found["match"][part][name] for name in names}} for part, words in OF.items()]


def main() -> None:
    """Print all figures; with --write, also write them, the agreement and the counts by rule."""
    every = rows()
    if not every:
        sys.exit(f"There are no questions at {QUESTIONS}.")
    found = figures(every)
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if "--write" in sys.argv:
        MEASURED.write_text(f"{json.dumps(found, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        AGREEMENT.write_text(f"{json.dumps(agreement(found), indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        write_counted(counts(every))


if __name__ == "__main__":
    main()
