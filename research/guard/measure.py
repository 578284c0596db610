"""The guard's signal on replies of which it is known whether there was an image to look at: organisms, real models.

python research/guard/measure.py [--data ../shared/data] [--items 600]

Writes measured.json and roc.svg beside this file. The real replies stay where they are.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snellen.items import Item, Option
from snellen.reading import Outcome, grade
from snellen.stats import RocPoint, area_under_curve, proportion, roc
from snellen.tools.guard.calibrate import cases, make_calibration, organism_trials
from snellen.tools.guard.signal import EVEN, GuardResponse, compare

HERE = Path(__file__).parent
RUNS = range(1, 11)
CHOOSING = range(1, 6)
"""Runs by which it is decided whether a question needs its image; the signal is measured on the others."""
NEEDED = 0.4
"""A question needs its image if so many more of those runs are right with it than with the blank one."""
COLOURS = ("#2b9484", "#9770e9", "#ab8918", "#002fb2")
DASHES = ("", "7 3", "2 3", "9 3 2 3")


def organisms(items: int) -> dict[str, Any]:
    """AUC and shares on organisms, with one extra call and with a stand-in image as well."""
    asked = cases(items, 0)
    found = {}
    for name, shares, stand_in in (
        ("one extra call", {"grounded": 0.5, "blind": 0.25, "mirage": 0.25}, False),
        ("with a stand-in", {"grounded": 0.5, "blind": 0.25, "mirage": 0.25}, True),
        ("pretender, one extra call", {"grounded": 0.5, "pretender": 0.5}, False),
        ("pretender, with a stand-in", {"grounded": 0.5, "pretender": 0.5}, True),
    ):
        trials = asyncio.run(organism_trials(asked, shares=shares, seed=0, stand_in=stand_in))
        found[name] = make_calibration(trials, of="organisms", rate=0.05, stand_in=stand_in).record()
    return found


def read(data: Path) -> dict[tuple[str, str, str], dict[int, dict[str, Any]]]:
    """The Italian replies by model, question and arm, then by run."""
    by: dict[tuple[str, str, str], dict[int, dict[str, Any]]] = {}
    with gzip.open(data / "italian-medvqa" / "answers.jsonl.gz") as lines:
        for line in lines:
            row = orjson.loads(line)
            by.setdefault((row["model"], row["item_id"], row["arm"]), {})[row["replicate"]] = row
    return by


def asked(row: Mapping[str, Any]) -> str:
    """The question with its options, which are letters alone: their words were not published."""
    return f"{row['question']}\n" + "\n".join(f"{each}. {each}" for each in row["options"])


def right(row: Mapping[str, Any]) -> bool:
    """Whether a reply chooses the right option."""
    item = Item(id="1", question=row["question"], options=tuple(map(Option, row["options"])), answer=0)
    chosen = grade(row["response"], "stop", item)
    return chosen.outcome in (Outcome.CORRECT, Outcome.WRONG) and chosen.choice == row["options"].index(row["answer"])


def italian(data: Path) -> dict[str, Any]:
    """How well the signal tells replies given with the image from replies given with a blank one."""
    by = read(data)
    models = sorted({model for model, _, _ in by})
    items = sorted({item for _, item, _ in by})
    return {model: _of_model(model, items, by) for model in models}


def _of_model(model: str, items: Sequence[str], by: Mapping[Any, Any]) -> dict[str, Any]:
    needs = {item for item in items if _gain(by[model, item, "original"], by[model, item, "image-blank"]) >= NEEDED}
    rest = set(items) - needs
    return {
        "questions that need the image": len(needs),
        **{
            f"{name}, {extra} extra": _measured(model, some, by, runs, extra)
            for name, some, runs in (
                ("all questions", set(items), RUNS),
                ("questions that need the image", needs, RUNS[5:]),
                ("the others", rest, RUNS[5:]),
            )
            for extra in (1, 3)
            if some
        },
    }


def _gain(with_image: Mapping[int, Any], blank: Mapping[int, Any]) -> float:
    return float(np.mean([right(with_image[run]) - right(blank[run]) for run in CHOOSING]))


def _measured(model: str, items: set[str], by: Mapping[Any, Any], runs: Sequence[int], extra: int) -> dict[str, Any]:
    """Each reply with the image, and each with the blank one, held against other replies with the blank one."""
    scores, blank, clusters, undecided = [], [], [], 0
    for at, item in enumerate(sorted(items)):
        arms = {arm: by[model, item, arm] for arm in ("original", "image-blank")}
        for place, run in enumerate(runs):
            others = [runs[(place + 1 + more) % len(runs)] for more in range(extra)]
            without = [GuardResponse(arms["image-blank"][other]["response"]) for other in others]
            for arm, replies in arms.items():
                told = compare(asked(replies[run]), GuardResponse(replies[run]["response"]), without)
                if told.score is None:
                    undecided += 1
                    continue
                scores.append(told.score)
                blank.append(arm == "image-blank")
                clusters.append(at)
    marks, codes = np.array(blank), np.array(clusters)
    reach = np.array(scores) >= EVEN
    auc = area_under_curve(scores, marks, codes)
    return {
        "questions": len(items),
        "replies": len(scores),
        "undecided": undecided,
        "auc": asdict(auc),
        "unmoved with the image": asdict(proportion(reach[~marks].astype(float), codes[~marks])),
        "unmoved with a blank one": asdict(proportion(reach[marks].astype(float), codes[marks])),
        "curve": [point._asdict() for point in roc(scores, marks)],
    }


def drawn(curves: Mapping[str, Sequence[RocPoint]]) -> str:
    """Several curves in one square, as an SVG file."""
    side, left, top = 320, 60, 14
    path = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side + 340}" height="{side + 70}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = left + share * side, top + (1 - share) * side
        path.append(f'<path d="M{left} {y}H{left + side}M{x} {top}V{top + side}" stroke="#ddd" fill="none"/>')
        path.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>')
        path.append(f'<text x="{x}" y="{top + side + 18}" text-anchor="middle">{share:.0%}</text>')
    path.append(f'<path d="M{left} {top + side}L{left + side} {top}" stroke="#333" stroke-dasharray="4 4"/>')
    middle = left + side / 2
    path.append(f'<text x="{middle}" y="{top + side + 40}" text-anchor="middle">False alarms, with the image</text>')
    for number, (name, points) in enumerate(curves.items()):
        line = "L".join(
            f"{left + each.false_alarms * side:.1f} {top + (1 - each.detected) * side:.1f}" for each in points
        )
        look = f'fill="none" stroke="{COLOURS[number]}" stroke-width="2" stroke-dasharray="{DASHES[number]}"'
        at = top + 16 + 34 * number
        first, _, second = name.partition("; ")
        path.append(f'<path d="M{line}" {look}/><path d="M{left + side + 16} {at - 4}h26" {look}/>')
        path.append(f'<text x="{left + side + 50}" y="{at}">{first}</text>')
        path.append(f'<text x="{left + side + 50}" y="{at + 15}" fill="#555">{second}</text>')
    return "\n".join([*path, "</svg>\n"])


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[2] / "shared" / "data")
    parser.add_argument("--items", type=int, default=600)
    args = parser.parse_args()
    measured: dict[str, Any] = {"organisms": organisms(args.items), "italian": italian(args.data)}
    (HERE / "measured.json").write_bytes(orjson.dumps(measured, option=orjson.OPT_INDENT_2))
    print("| replies | set-up | AUC (95% CI) | n |\n|---|---|---|---|")
    for name, found in measured["organisms"].items():
        for each in found["caught"]:
            print(f"| {each['source']} | {name} | {_said(each['auc'])} | {each['auc']['n']} |")
    curves: dict[str, list[RocPoint]] = {}
    for model, told in measured["italian"].items():
        for name, each in told.items():
            if not isinstance(each, dict):
                print(f"| {model} | {name} | {each} | |")
                continue
            alarms, caught = (_said(each[f"unmoved with {what}"]) for what in ("the image", "a blank one"))
            print(f"| {model} | {name} | {_said(each['auc'])}; {alarms}; {caught} | {each['replies']} |")
            if name in ("all questions, 1 extra", "questions that need the image, 1 extra"):
                points = [RocPoint(**point) for point in each["curve"]]
                curves[f"{model}; {name.partition(',')[0]}, AUC {each['auc']['value']:.2f}"] = points
    (HERE / "roc.svg").write_text(drawn(curves))


def _said(found: Mapping[str, Any]) -> str:
    return f"{found['value']:.2f} ({found['low']:.2f} to {found['high']:.2f})"


if __name__ == "__main__":
    main()
