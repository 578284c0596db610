"""How far two acts of real replies are read as they were labelled: *admits* and *invents*, as the verdicts read them.

Run as `python research/replies/acts.py --data FOLDER`, where FOLDER holds `italian-medvqa` and `mmmu-pro-replies`; with
--write it also writes the file of the parser's error that the verdicts read. Who labelled, and how: results.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.items import Item, Option
from snellen.reading import grade
from snellen.reading.claims.parser import read_rationale
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.stats import Estimate, proportion
from snellen.stress.verdicts.responses import DECLINED

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
DATA = REPOSITORY.parent / "shared" / "data"
WRITTEN = REPOSITORY / "src" / "snellen" / "stress" / "verdicts" / "parser_error.json"
COMMAND = "python research/replies/acts.py --data FOLDER --write"
ENOUGH = 50
"""A model or a language with fewer responses that could be misread is not taken for the worst one."""

ITALIAN_ADMITS = """
IT0007/1 IT0007/2 IT0007/3 IT0007/4 IT0007/5 IT0007/6 IT0007/7 IT0007/8 IT0007/10 IT0063/7 IT0063/8 IT0064/7 IT0065/2
IT0065/4 IT0065/6 IT0065/8 IT0136/7 IT0375/2 IT0597/1 IT0597/4 IT0597/5 IT0597/7 IT0597/8 IT0597/9 IT0597/10 IT0653/1
IT0713/1 IT0713/2 IT0713/3 IT0713/4 IT0713/5 IT0713/6 IT0713/10 IT0785/1 IT0785/4 IT0908/4 IT0908/8 IT0919/5 IT0919/6
IT1053/1 IT1053/2 IT1053/3 IT1053/6
"""
"""Replies of Claude Sonnet 4.5 to a blank image that say that it cannot be seen or seen well; no other one does."""
CALLS_POOR = """
IT0065/3 IT0065/10 IT0136/1 IT0375/10 IT0507/3 IT0533/9 IT0563/4 IT0593/2 IT0593/8 IT0593/9 IT0597/2 IT0597/3 IT0597/6
IT0713/7 IT0713/9 IT0861/1 IT0861/3 IT0861/6 IT0919/10 IT1053/5 IT1053/7 IT1114/10
"""
"""Those that call the blank image unclear or of poor quality and no more: not an admission by our label."""
GPT_4O_ADMITS = """
cot/validation_Clinical_Medicine_1 cot/validation_Diagnostics_and_Laboratory_Medicine_3 cot/test_Clinical_Medicine_232
cot/test_Clinical_Medicine_153 cot/test_Sociology_26 cot/validation_Sociology_12 cot/validation_Sociology_8
cot/test_Art_12 cot/test_Agriculture_19 direct/validation_Electronics_17 direct/validation_Sociology_12
direct/test_Sociology_90 direct/test_Art_8
"""
"""Replies of GPT-4o that decline, or say that the image cannot be viewed or read, though it was sent."""


class Labelled(NamedTuple):
    """One response: how its acts were labelled and how they are read."""

    source: str
    model: str
    language: str
    question: str
    """Responses to one question are a cluster."""
    with_image: bool
    admits: bool
    invents: bool | None
    """None if nobody labelled it."""
    reads_admission: bool
    reads_invention: bool
    poor: bool = False
    """It calls a blank image poor or unclear and says no more of it."""


def read_acts(text: str, finish: str, item: Item) -> tuple[bool, bool]:
    """Whether a response admits and whether it invents, composed as the verdicts compose it."""
    said = read_rationale(text, "", item)
    if item.options:
        declines = grade(text, finish, item).outcome in DECLINED
    else:
        declines = read_silence(lower_keeping_offsets(clean_text(text)), item.question) is not None
    admits = declines or said.notices
    return admits, bool(said.claims) and not admits


def small_models() -> Iterator[Labelled]:
    """Replies of two small chat models that were kept apart, none of which had an image."""
    measure = runpy.run_path(str(HERE / "measure.py"))
    for row in measure["rows"]():
        if row["split"] != "apart":
            continue
        admits = bool(row["silence"]) or row["does"] in ("missing", "refuses")
        read = read_acts(row["response"], row["finish"], measure["Reply"].of(row).item())
        yield Labelled(
            "small chat models", row["model"], row["language"], row["question"], False, admits,
            row["claim"] and not admits, *read,
        )  # fmt: skip


def italian_exam(data: Path) -> Iterator[Labelled]:
    """Replies of two large models to an Italian exam: the half on which no rule was made."""
    sys.path.append(str(REPOSITORY / "tests"))
    from reading.claims_by_hand import BLANK, FRESH, SAMPLE, for_development, labels

    claims = {key: label.sees for part in (BLANK, SAMPLE, FRESH) for key, label in labels(part) if not label.borderline}
    admitting, poor = frozenset(ITALIAN_ADMITS.split()), frozenset(CALLS_POOR.split())
    for row in _lines(data / "italian-medvqa" / "answers.jsonl.gz"):
        key = (row["model"], row["item_id"], row["arm"], int(row["replicate"]))
        if for_development(key) or "ERROR" in row["response"][:10]:
            continue
        blank = row["arm"] == "image-blank"
        asked = blank and "claude" in row["model"]
        name = f"{row['item_id']}/{row['replicate']}"
        admits = asked and name in admitting
        item = Item(id=name, question=row["question"], options=tuple(map(Option, "ABCDE")), language="it")
        invents = (claims[key] and not admits) if blank and key in claims else None
        read = read_acts(row["response"], "stop", item)
        yield Labelled(
            "Italian exam", row["model"], "it", row["item_id"], not blank, admits, invents, *read,
            asked and name in poor,
        )  # fmt: skip


def gpt_4o(data: Path) -> Iterator[Labelled]:
    """Replies of GPT-4o to exam questions, all with their image."""
    admitting = frozenset(GPT_4O_ADMITS.split())
    for row in _lines(data / "mmmu-pro-replies" / "replies.jsonl.gz"):
        item = Item(id=row["item_id"], question=row["question"], options=tuple(map(Option, row["options"])))
        admits = f"{row['benchmark'].rpartition('-')[2]}/{row['item_id']}" in admitting
        read = read_acts(row["response"], "stop", item)
        yield Labelled("MMMU-Pro", "openai/gpt-4o", "en", row["item_id"], True, admits, None, *read)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


Truth = Callable[[Labelled], bool | None]
Reading = Callable[[Labelled], bool]


def rate(rows: Sequence[Labelled], truth: Truth, reading: Reading, *, present: bool) -> dict[str, Any] | None:
    """How often an act is read wrongly in the responses that have it, or in those that do not; None without any."""
    some = [row for row in rows if truth(row) is present]
    if not some:
        return None
    wrong = [reading(row) is not present for row in some]
    found: Estimate = proportion(wrong, [row.question for row in some])
    ends = {name: round(getattr(found, name), 4) for name in ("value", "low", "high")}
    rows_of = ", ".join(f"{source} {count:,}" for source, count in Counter(row.source for row in some).items())
    return {**ends, "wrong": sum(wrong), "n": found.n, "method": found.method, "rows": rows_of}


def rates(rows: Sequence[Labelled], truth: Truth, reading: Reading) -> dict[str, Any]:
    """Both rates of an act."""
    return {
        name: found
        for name, present in (("false", False), ("missed", True))
        if (found := rate(rows, truth, reading, present=present)) is not None
    }


def by_group(rows: Sequence[Labelled], field: str, truth: Truth, reading: Reading) -> list[dict[str, Any]]:
    """Both rates of an act by model or by language."""
    names = dict.fromkeys(getattr(row, field) for row in rows)
    return [
        {field: name, **rates([row for row in rows if getattr(row, field) == name], truth, reading)} for name in names
    ]


def take_worst(overall: dict[str, Any], groups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The overall rate, or that of the worst model or language with enough responses that is clearly worse.

    Clearly worse means that the whole interval lies above the overall rate.
    """
    found = {}
    for name in ("false", "missed"):
        named = [(each.get("model") or each["language"], each[name]) for each in groups if name in each]
        worse = [pair for pair in named if pair[1]["n"] >= ENOUGH and pair[1]["low"] > overall[name]["value"]]
        of, worst = max([("all", overall[name]), *worse], key=lambda pair: pair[1]["high"])
        found[name] = {**worst, "of": of}
    return found


def measure_act(rows: Sequence[Labelled], truth: Truth, reading: Reading) -> dict[str, Any]:
    """An act's error: the worst one, which the verdicts use, then overall, by model and by language."""
    overall = rates(rows, truth, reading)
    by_model, by_language = (by_group(rows, field, truth, reading) for field in ("model", "language"))
    return {
        **take_worst(overall, [*by_model, *by_language]),
        "overall": overall,
        "by_model": by_model,
        "by_language": by_language,
    }


def measure_acts(data: Path) -> dict[str, Any]:
    """All that the file says."""
    every = [*small_models(), *italian_exam(data), *gpt_4o(data)]
    without = [row for row in every if not row.with_image]
    shown = [row for row in every if row.with_image]

    def reading(row: Labelled) -> bool:
        return row.reads_admission

    admits = measure_act(without, lambda row: row.admits, reading)
    admits["if_a_poor_image_counts"] = rates(without, lambda row: row.admits or row.poor, reading)
    admits["with_image"] = by_group(shown, "model", lambda row: row.admits, reading)
    invents = measure_act(without, lambda row: row.invents, lambda row: row.reads_invention)
    return {"made_by": COMMAND, "labels": "research/replies/results.md", "acts": {"admits": admits, "invents": invents}}


def main() -> None:
    """Print the rates; with --write, also write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the replies of others")
    parser.add_argument("--write", action="store_true", help="write the file that the verdicts read")
    given = parser.parse_args()
    text = f"{json.dumps(measure_acts(given.data), indent=1)}\n"
    print(text)
    if given.write:
        WRITTEN.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
