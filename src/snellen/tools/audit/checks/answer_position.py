"""Answer position: test whether one place of the options, or yes or no, is right more often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from snellen.items import LETTERS, Item
from snellen.perturb.polar import is_polar
from snellen.stats import proportion
from snellen.stress.conclusions import percent, rate_of
from snellen.tools.audit.audited import Audited, groups_of, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number
from snellen.tools.audit.random_keys import severity_of, too_few, uneven_p

NAME = "answer-position"
_Found = tuple[Finding, Number]


def look(audited: Audited) -> Checked:
    """Count the places of right answers by number of options. For yes and no, count the answers."""
    sets: dict[tuple[str, ...] | int, list[Item]] = defaultdict(list)
    for item in audited.choices:
        texts = [_plain(item.options[place].text) for place in item.real_places]
        polar = is_polar(texts) and len(set(texts)) == len(texts)
        sets[tuple(sorted(texts)) if polar else len(texts)].append(item)
    found: list[_Found] = []
    cannot = [] if sets else ["No item is a multiple-choice question, so positions were not checked."]
    for kind in sorted(sets, key=lambda each: (isinstance(each, int), str(each).rjust(3))):
        items = sets[kind]
        groups = groups_of(items)
        whose = f"the {len(kind)} answers {_join_answers(kind)}" if isinstance(kind, tuple) else f"{kind} options"
        if reason := too_few(len(items), int(groups.max()) + 1):
            cannot.append(f"It is unknown if a position is favoured in items with {whose}: {reason}.")
        elif isinstance(kind, int) and kind > len(LETTERS):
            cannot.append(f"Items with {kind} options have more options than letters; positions were not checked.")
        else:
            found.append(_test_favourite(items, groups, kind, audited.seed))
    return Checked(
        NAME,
        len(audited.choices) if found else 0,
        tuple(finding for finding, _ in found),
        tuple(number for _, number in found),
        tuple(cannot),
    )


def _test_favourite(items: Sequence[Item], groups: np.ndarray, kind: tuple[str, ...] | int, seed: int) -> _Found:
    """Test whether one of the answers or places is right more often than others."""
    if isinstance(kind, tuple):
        labels = [kind.index(_plain(item.options[right_place(item)].text)) for item in items]
    else:
        labels = [item.real_places.index(right_place(item)) for item in items]
    count = len(kind) if isinstance(kind, tuple) else kind
    frequency = Counter(labels)
    best = min(frequency, key=lambda label: (-frequency[label], label))
    share = proportion(np.array(labels) == best, groups)
    if isinstance(kind, tuple):
        sentence = (
            f"“{kind[best]}” is the right answer to {rate_of(share)} of the {len(items):,} items that offer "
            f"{_join_answers(kind)}; {percent(1 / count)} is expected without a preference."
        )
        fix = (
            "Balance the answers, or score by balanced accuracy and state the accuracy of always giving the same "
            "answer."
        )
        evidence = "Its right answer is the most frequent one of its kind."
        name, words = "answer_accuracy_" + "_".join(kind), f"“{kind[best]}”, of {_join_answers(kind)}"
    else:
        letter = LETTERS[best]
        sentence = (
            f"The right answer is {letter} in {rate_of(share)} of the {len(items):,} items with {count} options; "
            f"chance is {percent(1 / count)}."
        )
        fix = "Shuffle the options of every item with a fixed seed, or ask every item in several orders."
        evidence = f"Its right answer is {letter}, the most frequent position."
        name, words = f"place_accuracy_{count}", f"{letter}, of {count} options"
    flagged = tuple(Flagged(item.id, evidence) for item, label in zip(items, labels, strict=True) if label == best)
    p = uneven_p(labels, count, groups, seed=seed)
    finding = Finding(NAME, severity_of(share.value, 1 / count), sentence, fix, flagged, p)
    return finding, Number(f"always_one_{name}", f"always {words}", share, 1 / count)


def _plain(text: str) -> str:
    return text.strip(" .!。").casefold()


def _join_answers(answers: Sequence[str]) -> str:
    return " and ".join(f"“{each}”" for each in answers)


CHECK = Check(NAME, "Is the right answer too often at one position, or too often yes or no?", look)
