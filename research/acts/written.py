"""Sentences and responses written for parsers of acts, which no rule was made from, and how the rules read them.

Run as `python research/acts/written.py`; with --write it writes `written.json`. A sentence is read as a whole response.
"""

from __future__ import annotations

import json
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from labelled_rows import ACTS, BY_WRITER, Row, know, read_lines
from measure import RULES, Judged, compare
from rules import ABSTAINED, admission, detection, mismatch, premise, rationale, silence

from snellen.reading.outcomes import Outcome

HERE = Path(__file__).parent
MEASURED = HERE / "written.json"
APART = "apart"
SLOT = re.compile(r"\{(\w+)\}")


def is_apart(text: str) -> bool:
    """Whether a sentence or question belongs to the third that is never trained on."""
    return zlib.crc32(text.encode()) % 3 == 0


def fill(text: str, slots: dict[str, list[str]], seed: str) -> tuple[str, dict[str, str]]:
    """A sentence with one filler per slot, and the fillers; the same seed gives the same words."""
    rng = random.Random(seed)
    chosen = {name: rng.choice(words) for name, words in sorted(slots.items())}
    filled = SLOT.sub(lambda found: chosen[found[1]], text)
    return filled[:1].upper() + filled[1:], chosen


def sentences() -> Iterator[Row]:
    """Every sentence, with its slots filled and without a question."""
    for file in sorted((HERE / "sentences").glob("??.tsv")):
        language = file.stem
        slots = json.loads(file.with_suffix(".slots.json").read_text("utf-8"))
        for number, line in enumerate(file.read_text("utf-8").splitlines()[1:], 2):
            acts, _, text = line.partition("\t")
            said = frozenset(acts.split(","))
            response, chosen = fill(text, slots, f"{language}/{number}")
            facts = {
                "premise": chosen["premise"], "body_part": chosen["part"], "shown_body_part": chosen["part2"],
            }  # fmt: skip
            yield Row(
                f"sentences/{language}/{number}", "sentences", language, "", (), "", response,
                know(**{act: act in said for act in ACTS}), BY_WRITER, APART if is_apart(text) else "train",
                facts=facts,
            )  # fmt: skip


SETS = ("responses", "second_responses", "third_responses")
"""Folders of whole responses, in the order in which they were written."""


def responses() -> Iterator[Row]:
    """Every whole response with its question."""
    names = ("premise", "body_part", "shown_body_part", "modality", "shown_modality")
    for source in SETS:
        for file in sorted((HERE / source).glob("*.jsonl")):
            if "." in file.stem:
                continue
            for number, row in enumerate(read_lines(file), 1):
                acts: dict[str, bool | None] = {act: act in row["acts"] for act in ACTS}
                facts = {name: row[name] for name in names if row.get(name)}
                if "premise" not in facts and (source == SETS[0] or not acts["corrects_premise"]):
                    acts["corrects_premise"] = None
                if "shown_body_part" not in facts and (source == SETS[0] or not acts["names_contradiction"]):
                    acts["names_contradiction"] = None
                yield Row(
                    f"{source}/{file.stem}/{number}", source, row["language"], row["question"],
                    tuple(row["options"]), row["condition"], row["response"], know(**acts), BY_WRITER,
                    APART if is_apart(row["question"]) else "train", facts={**facts, "style": row["model_style"]},
                )  # fmt: skip


@cache
def written_rows() -> tuple[Row, ...]:
    """All rows of both kinds."""
    return (*sentences(), *responses())


def read_acts(row: Row) -> dict[str, bool]:
    """The acts that today's rules read, whatever the condition."""
    label, found, silent = admission(row), rationale(row), silence(row)
    return {
        "says_no_image": label == "missing" or found.notices,
        "describes_findings": bool(found.claims),
        "refuses": silent is Outcome.REFUSED,
        "abstains": silent in ABSTAINED,
        "doubts": label == "hedges",
        "flags_quality": detection(row).flags,
        "corrects_premise": premise(row)[0] == "corrects",
        "names_contradiction": mismatch(row)[0],
    }


def measure(rows: Sequence[Row], by: str) -> dict[str, Any]:
    """How well the rules read each act, by a field of the rows."""
    read = [read_acts(row) for row in rows]
    found: dict[str, Any] = {}
    for value in dict.fromkeys(getattr(row, by) for row in rows):
        for act in ACTS:
            places = [
                place for place, row in enumerate(rows) if getattr(row, by) == value and row.acts[act] is not None
            ]
            labels = np.array([bool(rows[place].acts[act]) for place in places])
            judged = Judged(
                [rows[place] for place in places], labels, {RULES: np.array([read[p][act] for p in places])}, {}
            )
            found.setdefault(value, {})[act] = compare(judged)
    return found


def table(found: dict[str, Any]) -> str:
    """F1 and κ of the rules, by act."""
    lines = ["| rows | act | present of n | precision | recall | κ (95% CI) |", "|---|---|---|---|---|---|"]
    for value, by_act in found.items():
        for act, figures in by_act.items():
            scores = figures[RULES]
            cells = [f"{scores[name][0]:.2f}" if scores[name] else "–" for name in ("precision", "recall")]
            kappa = "{:.2f} ({:.2f} to {:.2f})".format(*scores["kappa"]) if scores["kappa"] else "–"
            lines.append(
                f"| {value} | `{act}` | {figures['present']} of {figures['n']} | {' | '.join(cells)} | {kappa} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Print how many rows there are, and how the rules read them."""
    rows = written_rows()
    print(Counter((row.source, row.language) for row in rows))
    found = measure(rows, "source")
    print(table(found))
    if "--write" in sys.argv:
        MEASURED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
