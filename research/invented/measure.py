"""The parser `invented` held against labels: precision and recall by kind of detail, on each half of the cases.

python research/invented/measure.py [--show development]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from snellen.reading.invented import DETAIL_KINDS, read_invented
from snellen.stats import wilson

LABELLED = Path(__file__).parents[2] / "tests" / "data" / "labelled" / "invented.jsonl"


def share(hits: int, of: int) -> str:
    """A share of so many, with its interval."""
    if not of:
        return "–"
    found = wilson(hits, of)
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f}; {hits} of {of})"


def main() -> None:
    """Print a table for each half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", choices=("development", "apart"), help="list the cases of one half that are misread")
    args = parser.parse_args()
    rows = [json.loads(line) for line in LABELLED.read_text().splitlines()]
    for split in ("development", "apart"):
        read = [
            (row, {each.kind.value for each in read_invented(row["response"], row["question"]).details})
            for row in rows
            if row["split"] == split
        ]
        print(f"\n{split}: {len(read)} cases\n\n| kind | precision | recall |\n|---|---|---|")
        totals = [0, 0, 0]
        for kind, words in DETAIL_KINDS.items():
            hits = sum(kind in found and kind in row["details"] for row, found in read)
            stated, labelled = (sum(kind in found for _, found in read), sum(kind in row["details"] for row, _ in read))
            totals = [total + each for total, each in zip(totals, (hits, stated, labelled), strict=True)]
            print(f"| {words} | {share(hits, stated)} | {share(hits, labelled)} |")
        print(f"| **all kinds** | {share(totals[0], totals[1])} | {share(totals[0], totals[2])} |")
        if args.show == split:
            for row, found in read:
                if found != set(row["details"]):
                    print(row["id"], "missed", set(row["details"]) - found, "wrong", found - set(row["details"]))


if __name__ == "__main__":
    main()
