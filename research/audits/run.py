"""The audits that are published here, made again: ids and figures only, no text of the benchmarks.

python research/audits/run.py --vqa-rad DIR --medxpertqa-mm FILE
"""

from __future__ import annotations

import argparse
from pathlib import Path

from snellen.cli.audit import audit_and_show

HERE = Path(__file__).parent


def main() -> None:
    """Write the page, the tables and the lists of each audit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vqa-rad", help="the folder of VQA-RAD's published files")
    parser.add_argument("--medxpertqa-mm", help="the published file of MedXpertQA-MM")
    given = parser.parse_args()
    how = {"responses": (), "seed": 0, "quotes": False, "checks": (), "also": ()}
    if given.vqa_rad:
        whole = f"vqa-rad:{given.vqa_rad}"
        audit_and_show(whole, train=f"{whole},split=train", folder=str(HERE / "vqa-rad"), **how)
        audit_and_show(f"{whole},split=all", train=None, folder=str(HERE / "vqa-rad" / "whole"), **how)
    if given.medxpertqa_mm:
        audit_and_show(f"medxpertqa:{given.medxpertqa_mm}", train=None, folder=str(HERE / "medxpertqa-mm"), **how)
    for large in ("findings.csv", "audit.json"):
        for file in HERE.rglob(large):
            file.unlink()


if __name__ == "__main__":
    main()
