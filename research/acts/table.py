"""The tables of results.md, from the stored figures: `python research/acts/table.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MEASURED = Path(__file__).with_name("measured.json")
PARSERS = ("rules", "linear", "stacked")
Figures = dict[str, Any]


def format_estimate(ends: list[float] | None) -> str:
    """A value with its interval."""
    if ends is None:
        return "–"
    return f"{ends[0]:.2f} ({ends[1]:.2f} to {ends[2]:.2f})".replace("-", "−")


def conclude(difference: list[float]) -> str:
    """Which parser an interval of learned less rules favours."""
    if difference[1] > 0:
        return "learned"
    return "rules" if difference[2] < 0 else "neither"


def format_table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_act(found: Figures) -> str:
    """Each act by parser: precision, recall, F1, κ and calibration, with the differences from the rules."""
    rows = []
    for act, each in found["acts"].items():
        for name in PARSERS:
            less = each.get(f"{name} - rules")
            rows.append(
                [
                    f"`{act}`, {each['present']} of {each['n']}" if name == PARSERS[0] else "",
                    name,
                    *(format_estimate(each[name][key]) for key in ("precision", "recall", "f1", "kappa")),
                    f"{each['calibration'][name]['ece']:.3f}",
                    format_estimate(less["f1"]) if less else "",
                    conclude(less["f1"]) if less else "",
                ]
            )
    head = ["act, present of n", "parser", "precision", "recall", "F1", "κ", "ECE", "F1 less that of the rules"]
    return format_table([*head, "favours"], rows)


def by_part(found: Figures, field: str) -> str:
    """The κ of each act by source or language, where enough rows have it."""
    rows = []
    for act, each in found["acts"].items():
        for value, part in each[f"by {field}"].items():
            kappas = [format_estimate(part[name]["kappa"]) for name in PARSERS]
            less = part["linear - rules"]["f1"]
            present = f"{part['present']} of {part['n']}"
            rows.append([f"`{act}`", value, present, *kappas, format_estimate(less), conclude(less)])
    head = ["act", field, "present of n", *(f"κ: {name}" for name in PARSERS), "F1: linear less rules", "favours"]
    return format_table(head, rows)


def elsewhere(found: Figures) -> str:
    """The learned parser with and without rows of the source."""
    rows = [
        [f"`{act}`", source, *(format_estimate(part[name]["kappa"]) for name in ("rules", "linear", "elsewhere"))]
        for act, parts in found["source never seen"].items()
        for source, part in parts.items()
        if source != "invented"
    ]
    return format_table(["act", "source", "κ: rules", "κ: linear", "κ: linear that saw no row of it"], rows)


OPENED = {
    "false-premise, first": "0.93 (0.86 to 1.00)",
    "false-premise, second": "0.85 (0.71 to 0.99)",
    "false-premise, third": "0.90 (0.77 to 1.00)",
    "false-premise, fourth": "1.00 (0.11 to 1.00)",
    "false-premise, sixth": "0.81 (0.67 to 0.95)",
    "false-premise, seventh": "0.66 (0.40 to 0.93)",
    "mismatch, first": "0.71 (0.59 to 0.83)",
    "mismatch, second": "0.57 (0.41 to 0.74)",
}
"""The κ of the rules when a set was opened, from the results of the two studies."""


def when_opened(found: Figures) -> str:
    """Sets of two studies that neither parser had seen when it read them."""
    rows = [
        [name, str(each["n"]), OPENED[name], str(each["trained on"]), format_estimate(each["kappa"])]
        for name, each in found["when opened"].items()
    ]
    return format_table(["set", "n", "κ: rules when it was opened", "linear: trained on", "κ: linear"], rows)


def tables(found: Figures) -> dict[str, str]:
    """All tables, by name."""
    return {
        "BY_ACT": by_act(found),
        "WHEN_OPENED": when_opened(found),
        "BY_SOURCE": by_part(found, "source"),
        "ELSEWHERE": elsewhere(found),
        "BY_LANGUAGE": by_part(found, "language"),
    }


def main() -> None:
    """Print all tables."""
    found = json.loads(MEASURED.read_text("utf-8"))
    print(*tables(found).values(), sep="\n\n")


if __name__ == "__main__":
    main()
