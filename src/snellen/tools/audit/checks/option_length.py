"""Option length: whether the longest or shortest option is right more often than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snellen.items import Item
from snellen.perturb.polar import is_polar
from snellen.stats import proportion
from snellen.stress.conclusions import percent, rate_of
from snellen.tools.audit.audited import Audited, groups_of, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number
from snellen.tools.audit.random_keys import credit_p, severity_of, too_few

NAME = "option-length"
_STANDS_OUT = 1.5
"""An item is listed if its right option is this many times longer or shorter than the average of the others."""


class _Lengths(NamedTuple):
    """The lengths of an item's options, shortest first, and which is right."""

    item: Item
    lengths: tuple[int, ...]
    key: int

    def credit(self, extreme: int) -> list[float]:
        """Score "always the longest (shortest) option" for each option as key; ties are shared."""
        tied = self.lengths.count(extreme)
        return [(length == extreme) / tied for length in self.lengths]

    @property
    def ratio(self) -> float:
        """The length of the right option over the mean of the others."""
        others = (sum(self.lengths) - self.lengths[self.key]) / (len(self.lengths) - 1)
        return self.lengths[self.key] / others if others else float(self.lengths[self.key])


def look(audited: Audited) -> Checked:
    """Answer each item by its longest and by its shortest option."""
    items = [item for item in audited.choices if not is_polar([option.text for option in item.options])]
    sized = [_lengths(item) for item in items]
    groups = groups_of(items)
    polar = len(audited.choices) - len(items)
    notes = (f"{polar:,} yes/no questions were left out: length identifies the option.",) if polar else ()
    if reason := too_few(len(items), int(groups.max(initial=-1)) + 1):
        unknown = "It is unknown if the length of the options gives the answer away, yes/no questions aside"
        return Checked(NAME, 0, cannot=(f"{unknown}: {reason}.",), notes=notes)
    both = [_of_extreme(sized, groups, longest=longest, seed=audited.seed) for longest in (True, False)]
    ratios = {each.item.id: round(each.ratio, 3) for each in sized}
    findings, numbers = zip(*both, strict=True)
    return Checked(NAME, len(items), findings, numbers, notes=notes, columns={"key_length_ratio": ratios})


def _lengths(item: Item) -> _Lengths:
    options = sorted((len(item.options[at].text.strip()), item.options[at].text, at) for at in item.real_places)
    key = [at for _, _, at in options].index(right_place(item))
    return _Lengths(item, tuple(length for length, _, _ in options), key)


def _of_extreme(sized: Sequence[_Lengths], groups: np.ndarray, *, longest: bool, seed: int) -> tuple[Finding, Number]:
    pick, word = (max, "longest") if longest else (min, "shortest")
    earned = [each.credit(pick(each.lengths)) for each in sized]
    keys = [each.key for each in sized]
    share = proportion([credit[key] for credit, key in zip(earned, keys, strict=True)], groups)
    chance = float(np.mean([1 / len(each.lengths) for each in sized]))
    sentence = f"The {word} option is right in {rate_of(share)} of {len(sized):,} items; chance is {percent(chance)}."
    fix = "Write all options of an item with similar length and detail: distractors as long as the right answer."
    flagged = []
    for each, credit in zip(sized, earned, strict=True):
        stands_out = not 1 / _STANDS_OUT < each.ratio < _STANDS_OUT
        if share.value > chance and credit[each.key] == 1 and stands_out:
            evidence = f"Its right option is the {word}: {each.ratio:.1f} times as long as the others on average."
            score = each.ratio if longest else 1 / max(each.ratio, 1e-3)
            flagged.append(Flagged(each.item.id, evidence, score=round(score, 3)))
    p = credit_p(earned, keys, groups, seed=seed)
    finding = Finding(NAME, severity_of(share.value, chance), sentence, fix, tuple(flagged), p)
    return finding, Number(f"{word}_option_accuracy", f"always the {word} option", share, chance)


CHECK = Check(NAME, "Is the longest or the shortest option right more often than the others?", look)
