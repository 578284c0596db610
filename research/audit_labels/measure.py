"""How far two readers of the labelled items agree, and how many rows of the audits' lists are right.

python research/audit_labels/measure.py
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from snellen.stats.agreement import cohens_kappa
from snellen.stats.intervals import wilson

HERE = Path(__file__).parent
SETS = ("vqa_rad", "medxpertqa_mm")
DRAWS = 10_000


def labels(name: str) -> dict[str, str]:
    """The kind of defect of each item of a file, empty if it has none."""
    with (HERE / f"{name}.tsv").open() as file:
        return {row[0]: row[1] for row in list(csv.reader(file, delimiter="\t"))[1:]}


def agreement(name: str) -> dict[str, object]:
    """Both readers' labels of the items that both read, their agreement, and kappa as it is and for the whole 300.

    Items were drawn by the first label, 15 with a defect and 35 without, so that the bootstrap draws within both. For
    the whole 300 each item counts as often as it stands for items of its first label.
    """
    first, second = labels(name), labels(f"{name}_second")
    pairs = np.array([(bool(first[item]), bool(second[item])) for item in second])
    share = sum(map(bool, first.values())) / len(first)
    rng = np.random.default_rng(57)
    parts = [pairs[pairs[:, 0] == has] for has in (True, False)]
    draws = [np.concatenate([part[rng.integers(len(part), size=len(part))] for part in parts]) for _ in range(DRAWS)]
    return {
        "n": len(pairs),
        "defective": tuple(pairs.sum(axis=0).tolist()),
        "agree": int((pairs[:, 0] == pairs[:, 1]).sum()),
        "kappa": (cohens_kappa(*pairs.T.tolist()).value, *_limits([_kappa(each, None) for each in draws])),
        "kappa of the whole": (_kappa(pairs, share), *_limits([_kappa(each, share) for each in draws])),
        "disagree": sorted(item for item in second if bool(first[item]) != bool(second[item])),
    }


def _kappa(pairs: np.ndarray, share: float | None) -> float:
    """Cohen's kappa, with items weighted so that a share of them has a defect by the first label, if one is given."""
    first, second = pairs[:, 0], pairs[:, 1]
    drawn = first.mean()
    weight = np.ones(len(pairs)) if share is None else np.where(first, share / drawn, (1 - share) / (1 - drawn))
    weight = weight / weight.sum()
    one, other = weight @ first, weight @ second
    by_chance = one * other + (1 - one) * (1 - other)
    return float((weight @ (first == second) - by_chance) / (1 - by_chance))


def _limits(draws: list[float]) -> tuple[float, float]:
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)


def listed() -> dict[tuple[str, str, str], tuple[int, int]]:
    """Of each set and list, how many rows or problems are right, and of how many: "" counts rows, else a problem.

    A row is right if one of its problems is.
    """
    rows: dict[tuple[str, str, str], dict[str, bool]] = defaultdict(dict)
    with (HERE / "listed.tsv").open() as file:
        for each in csv.DictReader(file, delimiter="\t"):
            for problem in ("", each["problem"]):
                held = rows[each["set"], each["list"], problem]
                held[each["id"]] = held.get(each["id"], False) or each["right"] == "yes"
    return {key: (sum(held.values()), len(held)) for key, held in rows.items()}


ITEMS = {"vqa_rad": 2248, "medxpertqa_mm": 2000}
SOUND = {"projection for plane"}
"""What the list of defects names and the readers took for sound."""
OF_CHECK = {
    "contradictory-keys": {"contradicts a linked question", "several answers are right", "key is wrong"},
    "key-fits": {
        "key is doubtful", "key does not fit the question", "key cannot be seen in the image", "premise is false",
        "key is wrong", "several answers are right",
    },
    "wording": {"odd characters", "misspelling", "wording"},
    "needs-no-image": {"needs no image"},
    "option-labels": {"option names another letter"},
}  # fmt: skip
"""The labels that make a problem of a check right."""


def fresh(name: str, *parts: int) -> dict[str, tuple[bool, set[str]]]:
    """Whether each item of the fresh labels was drawn at random, and its defects."""
    found = {}
    for part in parts:
        with (HERE / f"{name}_fresh{'' if part == 1 else f'_{part}'}.tsv").open() as file:
            for item, drawn, defects in list(csv.reader(file, delimiter="\t"))[1:]:
                found[item] = (drawn == "random", set(filter(None, defects.split("; "))) - SOUND)
    return found


def ranked(name: str, when: str) -> dict[str, list[str]]:
    """The checks of each item of a list, in its order, before or after this change of the checks."""
    with (HERE / "lists.tsv").open() as file:
        rows = [each for each in csv.DictReader(file, delimiter="\t") if (each["set"], each["when"]) == (name, when)]
    return {each["id"]: each["problems"].split() for each in rows}


def precision(name: str, when: str, *parts: int, first: int | None = None) -> dict[str, tuple[int, int]]:
    """Of the listed items with a fresh label, how many are defective, and of how many; "" is all, else one check."""
    known, hits = fresh(name, *parts), defaultdict(list)
    for item, checks in list(ranked(name, when).items())[:first]:
        if item in known:
            hits[""].append(bool(known[item][1]))
            for check in dict.fromkeys(checks):
                hits[check].append(bool(known[item][1] & OF_CHECK.get(check, set())))
    return {check: (sum(each), len(each)) for check, each in hits.items()}


def recall(name: str, when: str, *parts: int) -> tuple[float, float, float]:
    """The share of all defective items that is listed, weighted, with its 95% interval (bootstrap within both strata).

    Listed items with any fresh label stand for the listed ones, unlisted ones that were drawn at random for the others.
    """
    known, listed_ids = fresh(name, *parts), ranked(name, when).keys()
    every = fresh(name, *sorted({1, 2, *parts}))
    inside = np.array([bool(defects) for item, (_, defects) in every.items() if item in listed_ids])
    outside = np.array([bool(defects) for item, (drawn, defects) in known.items() if drawn and item not in listed_ids])
    rng = np.random.default_rng(58)

    def share(one: np.ndarray, other: np.ndarray) -> float:
        hit, missed = one.mean() * len(listed_ids), other.mean() * (ITEMS[name] - len(listed_ids))
        return float(hit / (hit + missed))

    draws = [
        share(*(each[rng.integers(each.size, size=each.size)] for each in (inside, outside))) for _ in range(DRAWS)
    ]
    return share(inside, outside), *_limits(draws)


def main() -> None:
    """Print the figures of both readers and of the fresh labels."""
    for name in SETS:
        for when, parts in (("before", (1,)), ("after", (1,)), ("after", (2,))):
            for first in (50, None):
                for check, (right, n) in sorted(precision(name, when, *parts, first=first).items()):
                    found = wilson(right, n)
                    share = f"{right}/{n}, {found.value:.0%} ({found.low:.0%} to {found.high:.0%})"
                    print(name, when, f"labels {parts}", f"first {first}", check or "all", share, sep=" | ")
        for when, parts in (("before", (1, 2)), ("after", (2,)), ("after", (1, 2))):
            print(name, when, f"labels {parts}", "recall", *(f"{each:.0%}" for each in recall(name, when, *parts)))
    for when in ("after", "later"):
        print("vqa_rad", when, "labels (3,)", "recall", *(f"{each:.0%}" for each in recall("vqa_rad", when, 3)))
    for first in (50, None):
        print("vqa_rad", "later", f"first {first}", precision("vqa_rad", "later", 1, 2, 3, first=first))
    for name in SETS:
        print(name, agreement(name))
    for key, (right, n) in sorted(listed().items()):
        found = wilson(right, n)
        print(*key, f"{right}/{n}, {found.value:.0%} ({found.low:.0%} to {found.high:.0%})", sep=" | ")


if __name__ == "__main__":
    main()
