"""How long each check of an audit takes: 2,000 made-up questions of five options, with nothing wrong and with a leak.

    python benchmarks/audit.py [--items 2000]

The questions are those of tests/planted.py. Seconds of processor time and of the clock, one process.
"""

import argparse
import sys
import time
from pathlib import Path

from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import check_named, check_names

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main():
    from planted import clean, longer_key, plant

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=2000)
    count = parser.parse_args().items
    whole = clean(0, count)
    for name, items in (("clean", whole), ("leak", plant(whole, 0.3, 0, longer_key).items)):
        given, total = Audited(name, tuple(items)), [0.0, 0.0]
        for check in map(check_named, check_names()):
            if check.on_demand:
                continue
            began = time.process_time(), time.perf_counter()
            check.look(given)
            took = time.process_time() - began[0], time.perf_counter() - began[1]
            total = [sum(each) for each in zip(total, took, strict=True)]
            print(f"{name:6} {check.name:22} {took[0]:6.2f} s of processor time, {took[1]:6.2f} s by the clock")
        print(f"{name:6} {'in all':22} {total[0]:6.2f} s of processor time, {total[1]:6.2f} s by the clock")


if __name__ == "__main__":
    main()
