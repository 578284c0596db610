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
    cannot = [] if sets else ["No item is a choice between answers, so there is no place of the right one."]
    for kind in sorted(sets, key=lambda each: (isinstance(each, int), str(each).rjust(3))):
        items = sets[kind]
        groups = groups_of(items)
        whose = f"the {len(kind)} answers {_join_answers(kind)}" if isinstance(kind, tuple) else f"{kind} options"
        if reason := too_few(len(items), int(groups.max()) + 1):
            cannot.append(f"Whether some place is favoured in items with {whose} cannot be said: {reason}.")
        elif isinstance(kind, tuple):
            found.append(_by_answer(items, groups, kind, audited.seed))
        elif kind > len(LETTERS):
            cannot.append(f"Items with {kind} options have more of them than letters; their places were not looked at.")
        else:
            found.append(_by_place(items, groups, kind, audited.seed))
    return Checked(
        NAME,
        len(audited.choices) if found else 0,
        tuple(finding for finding, _ in found),
        tuple(number for _, number in found),
        tuple(cannot),
    )


def _by_place(items: Sequence[Item], groups: np.ndarray, options: int, seed: int) -> _Found:
    places = [item.real_places.index(right_place(item)) for item in items]
    best = _most_frequent(places)
    share = proportion(np.array(places) == best, groups)
    letter = LETTERS[best]
    sentence = (
        f"The right answer is {letter} in {rate_of(share)} of the {len(items):,} items with {options} options; "
        f"chance is {percent(1 / options)}."
    )
    finding = Finding(
        NAME,
        severity_of(share.value, 1 / options),
        sentence,
        "Shuffle the options of every item with a fixed seed, or ask every item in several orders.",
        tuple(
            Flagged(item.id, f"Its right answer is {letter}, where it is most often.")
            for item, place in zip(items, places, strict=True)
            if place == best
        ),
        uneven_p(places, options, groups, seed=seed),
    )
    words = f"always {letter}, of {options} options"
    return finding, Number(f"always_one_place_accuracy_{options}", words, share, 1 / options)


def _by_answer(items: Sequence[Item], groups: np.ndarray, answers: tuple[str, ...], seed: int) -> _Found:
    right = [answers.index(_plain(item.options[right_place(item)].text)) for item in items]
    best = _most_frequent(right)
    share = proportion(np.array(right) == best, groups)
    said = answers[best]
    sentence = (
        f"“{said}” is the right answer to {rate_of(share)} of the {len(items):,} items that offer "
        f"{_join_answers(answers)}; {percent(1 / len(answers))} would give nothing away."
    )
    finding = Finding(
        NAME,
        severity_of(share.value, 1 / len(answers)),
        sentence,
        "Balance the answers, or score by balanced accuracy and state the accuracy of always giving the same answer.",
        tuple(
            Flagged(item.id, "Its right answer is the most frequent one of its kind.")
            for item, each in zip(items, right, strict=True)
            if each == best
        ),
        uneven_p(right, len(answers), groups, seed=seed),
    )
    name = "always_one_answer_accuracy_" + "_".join(answers)
    return finding, Number(name, f"always “{said}”, of {_join_answers(answers)}", share, 1 / len(answers))


def _most_frequent(labels: Sequence[int]) -> int:
    counts = Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))


def _plain(text: str) -> str:
    return text.strip(" .!。").casefold()


def _join_answers(answers: Sequence[str]) -> str:
    return " and ".join(f"“{each}”" for each in answers)


CHECK = Check(NAME, "Is the right answer more often at some place, or one of yes and no?", look)
