"""Majority: accuracy of always giving the answer that is most often right in other folds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.stats import proportion
from snellen.stats.permutation import drawn_p
from snellen.stress.conclusions import percent, rate_of
from snellen.tools.audit.audited import Audited, Floats, Ints, groups_of, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import plain_words
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number
from snellen.tools.audit.random_keys import by_content, severity_of, too_few

NAME = "majority"
FOLDS = 10
DRAWS = 1_999
_ENOUGH = 30
"""The permutation test stops after this many draws that score as high (Besag and Clifford)."""
_FEW_OPEN = 20


@dataclass(frozen=True)
class _OfferedAnswers:
    """Items with the answers that each offers, its key, and its fold.

    `offered` has the answer numbers of each item, padded with −1. Numbers are shared by all items, or by items of one
    wording.
    """

    offered: Ints
    keys: Ints
    folds: Ints
    units: Ints
    scored: NDArray[np.bool_]

    @cached_property
    def sizes(self) -> Ints:
        """Number of options of each item."""
        return np.asarray((self.offered >= 0).sum(axis=1))

    @cached_property
    def answers(self) -> int:
        """Number of distinct answers."""
        return int(self.offered.max(initial=-1)) + 1

    def count_right_elsewhere(self, keys: Ints) -> Ints:
        """Count how often each option of each item is right in the other folds."""
        right = self.offered[np.arange(keys.size), keys]
        counts = np.bincount(self.folds * self.answers + right, minlength=FOLDS * self.answers)
        counts = counts.reshape(FOLDS, self.answers)
        found = (counts.sum(axis=0) - counts)[self.folds[:, None], self.offered]
        return np.where(self.offered < 0, -1, found)

    def credit(self, keys: Ints) -> Floats:
        """Score each item by the option that is most often right elsewhere; ties are shared."""
        elsewhere = self.count_right_elsewhere(keys)
        most = elsewhere.max(axis=1)
        best = elsewhere == most[:, None]
        return np.asarray(best[np.arange(keys.size), keys] / best.sum(axis=1))

    def p(self, seed: int) -> float:
        """Permutation p-value: the share of random keys that earn at least as much."""
        rng = np.random.default_rng(seed)
        seen = float(self.credit(self.keys)[self.scored].sum())
        count = 0
        for draw in range(1, DRAWS + 1):
            moves = rng.random(int(self.units.max()) + 1)[self.units]
            dealt = (self.keys + (moves * self.sizes).astype(np.int64)) % self.sizes
            count += float(self.credit(dealt)[self.scored].sum()) >= seen - 1e-9
            if count == _ENOUGH:
                return count / draw
        return drawn_p(count, DRAWS).p


def look(audited: Audited) -> Checked:
    """Answer each item by the most frequent right answer in other folds."""
    both = (*audited.choices, *audited.training_choices)
    order = by_content(both)
    items = [both[place] for place in order]
    groups = groups_of(items)
    scored = np.array([place < len(audited.choices) for place in order], dtype=bool)
    texts = [[_plain(item.options[at].text) for at in item.real_places] for item in items]
    wordings = [_plain(item.question) for item in items]
    notes: tuple[str, ...] = ()
    if count := len(audited.training_choices):
        notes = (f"{count:,} training items are counted too, but not those of the item's group.",)
    overall = _number_answers(items, groups, texts, scored, audited.seed)
    folds_of: dict[str, set[int]] = defaultdict(set)
    for wording, fold in zip(wordings, overall.folds.tolist(), strict=True):
        folds_of[wording].add(fold)
    repeated = np.array([len(folds_of[wording]) > 1 for wording in wordings], dtype=bool)
    worded = [[(wording, text) for text in row] for wording, row in zip(wordings, texts, strict=True)]
    by_wording = _number_answers(items, groups, worded, scored & repeated, audited.seed)
    findings, numbers, cannot = [], [], []
    for which, asked in ((_OVERALL, overall), (_BY_QUESTION, by_wording)):
        if reason := too_few(int(asked.scored.sum()), len(set(groups[asked.scored].tolist()))):
            cannot.append(f"The accuracy of the most frequent answer {which.unknown}: {reason}.")
        else:
            finding, number = _describe_accuracy(which, asked, items, groups, audited.seed)
            findings.append(finding)
            numbers.append(number)
    numbers += _of_open(audited)
    looked_at = len(audited.choices) if findings else 0
    return Checked(NAME, looked_at, tuple(findings), tuple(numbers), tuple(cannot), notes)


def _number_answers(
    items: Sequence[Item], groups: Ints, texts: Sequence[Sequence[Hashable]], scored: NDArray[np.bool_], seed: int
) -> _OfferedAnswers:
    number: dict[Hashable, int] = {}
    offered = np.full((len(items), max(map(len, texts), default=0)), -1, dtype=np.int64)
    keys = np.zeros(len(items), dtype=np.int64)
    for place, (item, row) in enumerate(zip(items, texts, strict=True)):
        right = row[item.real_places.index(right_place(item))]
        ordered = sorted(row, key=str)
        offered[place, : len(row)] = [number.setdefault(each, len(number)) for each in ordered]
        keys[place] = ordered.index(right)
    folds = np.random.default_rng(seed).permutation(int(groups.max(initial=-1)) + 1) % FOLDS
    return _OfferedAnswers(offered, keys, folds[groups], groups, scored)


class _Baseline(NamedTuple):
    """Texts about one baseline: over all items, or over items with the same question."""

    name: str
    words: str
    option: str
    items: str
    place: str
    fix: str
    unknown: str
    """End of the sentence that says that the baseline is not known."""


_OVERALL = _Baseline(
    "majority_accuracy",
    "the most frequent answer of those offered",
    "option that is most often right",
    "items",
    "in other items",
    "Make each answer a distractor as often as the right answer, and report this baseline with every score.",
    "overall is unknown for the multiple-choice questions",
)
_BY_QUESTION = _Baseline(
    "majority_by_question_accuracy",
    "the most frequent answer to the same question",
    "most frequent right answer to the same question",
    "items whose question is also asked about other patients or images",
    "if the same question is asked about others",
    "Balance the answers to each question that is asked about many images, and report this baseline with every score.",
    "to the same question is unknown for the multiple-choice questions that are also asked about other patients or "
    "images",
)


def _describe_accuracy(
    which: _Baseline, asked: _OfferedAnswers, items: Sequence[Item], groups: Ints, seed: int
) -> tuple[Finding, Number]:
    chosen = np.flatnonzero(asked.scored)
    credit = asked.credit(asked.keys)
    share = proportion(credit[chosen], groups[chosen])
    chance = float(np.mean(1 / asked.sizes[chosen]))
    sentence = (
        f"The {which.option} elsewhere is right in {rate_of(share)} of {chosen.size:,} {which.items}; chance is "
        f"{percent(chance)}."
    )
    most = asked.count_right_elsewhere(asked.keys).max(axis=1)
    evidence = f"Its right answer is the one that is most often right {which.place}."
    flagged = [Flagged(items[at].id, evidence, score=float(most[at])) for at in chosen.tolist() if credit[at] == 1]
    severity = severity_of(share.value, chance)
    finding = Finding(NAME, severity, sentence, which.fix, tuple(flagged), asked.p(seed))
    return finding, Number(which.name, which.words, share, chance)


def _of_open(audited: Audited) -> list[Number]:
    """Count how often the most frequent answer to a wording is right for open questions."""
    asked = [item for item in (*audited.items, *audited.training) if item.kind == "open" and item.references]
    order = by_content(asked)
    items = [asked[place] for place in order]
    own = sum(item.kind == "open" and bool(item.references) for item in audited.items)
    scored = [place < own for place in order]
    groups = groups_of(items)
    folds = (np.random.default_rng(audited.seed).permutation(int(groups.max(initial=-1)) + 1) % FOLDS)[groups]
    counts: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for item, fold in zip(items, folds.tolist(), strict=True):
        counts[_plain(item.question)][fold].update({_plain(item.references[0]): 1})
    hits, of = [], []
    for item, fold, mine, group in zip(items, folds.tolist(), scored, groups.tolist(), strict=True):
        others = Counter(
            chain.from_iterable(c.elements() for f, c in counts[_plain(item.question)].items() if f != fold)
        )
        if mine and others:
            most = min(others, key=lambda text: (-others[text], text))
            hits.append(most in map(_plain, item.references))
            of.append(group)
    if len(hits) < _FEW_OPEN:
        return []
    words = "open questions: the most frequent answer elsewhere to the same question is the reference"
    return [Number("majority_by_question_open", words, proportion(hits, of))]


def _plain(text: str) -> str:
    return " ".join(plain_words(text)) or text.strip()


CHECK = Check(NAME, "How accurate is it to always give the most frequent answer?", look)
