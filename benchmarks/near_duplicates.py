"""Near-duplicates among 100,000 questions: our exact search against MinHash with LSH (datasketch, rensa).

    python benchmarks/near_duplicates.py [--questions 100000] [--kind templates|words] [--rivals PATH]

Questions are those of tests/planted.py (made up from templates, with histories of some 50 words and five
options) or as many random words; 5% stand there again with a word changed, put in or left out here and there. Every
tool gets the same sets of pairs of neighbouring words and is to find all pairs with a Jaccard index of 0.8 or more;
each runs in a process of its own. Candidates of MinHash are verified by the exact index, as ours are: precision is 1
for all; recall is against every pair compared, on the first 5,000 questions and some copies. Rivals are looked for in
the environment, else in PATH.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

NEAR = 0.8
PERMUTATIONS = 256
SUBSET = 5_000


def texts(count, kind):
    """The runs of words of each question: question, context, options; copies stand at the end."""
    rng = np.random.default_rng(1)
    made = templated(count) if kind == "templates" else free(count, rng)
    for at in rng.choice(count, size=count // 20, replace=False).tolist():
        question, context, *options = made[at]
        changed = list(context)
        for _ in range(int(rng.integers(1, 5))):
            place = int(rng.integers(len(changed)))
            changed[place : place + int(rng.integers(2))] = ["also"] * int(rng.integers(2))
        made.append((question, tuple(changed), *options))
    return made


def templated(count):
    """Made-up questions of the audit's study: whatever pair of words one takes, thousands of others have it."""
    from planted import clean
    from snellen.tools.audit.duplicates import wording

    return [wording(item).parts for item in clean(0, count)]


def free(count, rng):
    """Random words, as frequent as those of a language (Zipf)."""
    words = np.array([f"w{number}" for number in range(30_000)])
    chance = 1 / np.arange(10, 30_010)
    drawn = iter(words[rng.choice(words.size, size=count * 80, p=chance / chance.sum())].tolist())
    sizes = [(10, int(size), 2, 2, 2, 2, 2) for size in rng.integers(20, 70, size=count)]
    return [tuple(tuple(next(drawn) for _ in range(size)) for size in each) for each in sizes]


def shingled(runs):
    """The set that each tool compares, as bytes."""
    ends = [f"<{min(place, 2)}>" for place in range(len(runs))]
    return {" ".join(pair) for end, run in zip(ends, runs, strict=True) if run for pair in pairwise((end, *run, end))}


def verified(sets, pairs):
    return {
        (one, other)
        for one, other in pairs
        if len(sets[one] & sets[other]) >= NEAR * len(sets[one] | sets[other]) - 1e-12
    }


def ours(made):
    from snellen.tools.audit.duplicates import near_duplicates

    found, _ = near_duplicates(made, near=NEAR)
    return {(one, other) for one, other, _ in found}


def by_datasketch(made):
    from datasketch import MinHash, MinHashLSH

    sets = [shingled(runs) for runs in made]
    hashes = MinHash.bulk([[each.encode() for each in one] for one in sets], num_perm=PERMUTATIONS)
    index = MinHashLSH(threshold=NEAR, num_perm=PERMUTATIONS)
    pairs = set()
    for at, each in enumerate(hashes):
        pairs.update((other, at) for other in index.query(each))
        index.insert(at, each)
    return verified(sets, pairs)


def by_rensa(made):
    from rensa import RMinHash, RMinHashLSH

    sets = [shingled(runs) for runs in made]
    index = RMinHashLSH(threshold=NEAR, num_perm=PERMUTATIONS, num_bands=PERMUTATIONS // 8)
    pairs = set()
    for at, one in enumerate(sets):
        each = RMinHash(num_perm=PERMUTATIONS, seed=1)
        each.update(list(one))
        pairs.update((other, at) for other in index.query(each))
        index.insert(at, each)
    return verified(sets, pairs)


def brute(made):
    """Every pair, by a product of sparse matrices."""
    from scipy.sparse import csr_array

    number = {}
    sets = [[number.setdefault(each, len(number)) for each in shingled(runs)] for runs in made]
    rows = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    table = csr_array((np.ones(rows.size, np.int32), (rows, np.concatenate(sets))))
    sizes = np.diff(table.indptr)
    found = set()
    for start in range(0, len(sets), 500):
        common = (table[start : start + 500] @ table.T).tocoo()
        one, other = common.coords[0] + start, common.coords[1]
        near = (one < other) & (common.data >= NEAR * (sizes[one] + sizes[other] - common.data) - 1e-9)
        found.update(zip(one[near].tolist(), other[near].tolist(), strict=True))
    return found


TOOLS = {"ours": ours, "datasketch": by_datasketch, "rensa": by_rensa, "brute": brute}


def run(tool, count, kind, subset):
    """One tool in this process: seconds, memory and what it found."""
    made = texts(count, kind)
    if subset:
        made = made[:SUBSET] + made[count : count + SUBSET // 5]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, busy = time.perf_counter(), time.process_time()
    found = TOOLS[tool](made)
    result = {
        "tool": tool,
        "kind": kind,
        "questions": len(made),
        "wall_s": round(time.perf_counter() - start, 1),
        "processor_s": round(time.process_time() - busy, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "texts_mb": round(before / 1024),
        "found": len(found),
    }
    return {**result, "pairs": sorted(found)} if subset else result


def main():
    given = argparse.ArgumentParser()
    given.add_argument("--questions", type=int, default=100_000)
    given.add_argument("--rivals", default="")
    given.add_argument("--kind", choices=("templates", "words"), default="templates")
    given.add_argument("--tool", choices=TOOLS)
    given.add_argument("--subset", action="store_true")
    options = given.parse_args()
    if options.rivals:
        sys.path.append(options.rivals)
    if options.tool:
        print(json.dumps(run(options.tool, options.questions, options.kind, options.subset)))
        return
    for subset in (True, False):
        done = {}
        for tool in ("brute", "ours", "datasketch", "rensa") if subset else ("ours", "datasketch", "rensa"):
            command = [sys.executable, __file__, "--tool", tool, "--questions", str(options.questions)]
            command += ["--kind", options.kind]
            command += ["--subset"] * subset + (["--rivals", options.rivals] if options.rivals else [])
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            if answer.returncode:
                print(f"{tool}: {answer.stderr.strip().splitlines()[-1]}")
                continue
            done[tool] = json.loads(answer.stdout)
            pairs = {tuple(pair) for pair in done[tool].pop("pairs", [])}
            if subset and tool == "brute":
                truth = pairs
            elif subset:
                recall = len(pairs & truth) / len(truth)
                done[tool] |= {"recall": round(recall, 4), "precision": len(pairs & truth) / max(1, len(pairs))}
            print(done[tool], flush=True)


if __name__ == "__main__":
    main()
