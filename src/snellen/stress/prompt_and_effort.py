"""Any test with another prompt or effort, in its baseline and conditions.

The test itself measures and concludes. It gets a table with the arm names that it knows, and the arm names of its
measures are restored afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from snellen.conditions import ImportedCondition
from snellen.errors import StudyError
from snellen.prompts import PROVIDER_DEFAULTS, STEPS, WITH_STEPS, Arm, Effort, effort_in_words, prompt_named
from snellen.stress.base import Measure, Measures, Spanning, StressTest, Verdict

if TYPE_CHECKING:
    from snellen.stress.table import Table

EFFORTS = get_args(Effort)
AGAINST = "/"
"""Separates the effort of the baseline from that of the other conditions."""


def efforts_of(said: str) -> tuple[Effort, ...]:
    """Read the efforts in a setting, the baseline's first.

    >>> efforts_of("high"), efforts_of("high/medium")
    (('high',), ('high', 'medium'))
    """
    levels = tuple(said.split(AGAINST)) if said else ()
    if unknown := [level for level in levels if level not in EFFORTS]:
        raise StudyError(f"Expected an effort among {', '.join(EFFORTS)}, got {unknown[0]!r}.")
    if len(set(levels)) < len(levels):
        raise StudyError(f"The setting effort={said} names the same effort twice. Use two different efforts or one.")
    return cast("tuple[Effort, ...]", levels)


class _Way(NamedTuple):
    """A test with the prompt and the efforts to apply to it."""

    test: StressTest
    prompt: str
    efforts: tuple[Effort, ...]

    @property
    def settings(self) -> str:
        """The settings as written in a test's name."""
        named = {"prompt": self.prompt, "effort": AGAINST.join(self.efforts)}
        return ",".join(f"{name}={value}" for name, value in named.items() if value)

    @property
    def in_words(self) -> str:
        """The settings as printed in a verdict."""
        words = {"": [], STEPS: ["to reason step by step"]}.get(self.prompt, [f"by the prompt {self.prompt}"])
        if len(self.efforts) == 1:
            words = [*words, f"at {effort_in_words(self.efforts[0])}"]
        told = [f"every condition is asked {', '.join(words)}"] if words else []
        if len(self.efforts) > 1:
            first, other = map(effort_in_words, self.efforts)
            words_for_both = f"the baseline is asked at {first} and the other conditions at {other}"
            told.append(f"{words_for_both}, so the comparison mixes two changes")
        return "; ".join(told)

    def apply_to(self, arm: Arm, effort: Effort | None) -> Arm:
        """Return an arm with this prompt and effort. Raise StudyError if the arm already has its own."""
        refused = f"The test {self.test.name!r} cannot be asked with {self.settings}"
        if isinstance(arm.condition, ImportedCondition):
            raise StudyError(f"{refused}: its responses were imported, so no model is asked.")
        if self.prompt and arm.prompt is not None:
            raise StudyError(f"{refused}: it uses its own questions (prompt {arm.prompt.name!r}).")
        if self.prompt == STEPS and arm.rewording is not None:
            if arm.rewording == WITH_STEPS:
                raise StudyError(f"{refused}: it asks for steps itself.")
            instead = "name a prompt that asks for steps, such as prompt=letter-cot"
            raise StudyError(f"{refused}: it already changes the wording ({arm.rewording.in_words}); {instead}.")
        if effort and arm.effort:
            raise StudyError(f"{refused}: it sets efforts itself ({arm.effort}).")
        if self.prompt == STEPS:
            arm = replace(arm, rewording=WITH_STEPS)
        elif self.prompt:
            arm = replace(arm, prompt=(named := prompt_named(self.prompt)))
            if arm.rewording is not None:
                arm.rewording.of(named)  # raises an error for prompts that it cannot change
        if effort:
            arm = replace(arm, settings=replace(arm.settings or PROVIDER_DEFAULTS, reasoning_effort=effort))
        return arm


def asked_with(test: StressTest, *, prompt: str = "", effort: str = "") -> StressTest:
    """Return the test with a prompt, reasoning steps (`cot`) or an effort on every arm.

    With two efforts (`high/medium`) the first is for the baseline, the second for all other arms. The verdict then adds
    that two things differ. Raises StudyError if the test has prompts or efforts of its own.
    """
    way = _Way(test, prompt, efforts_of(effort))
    if not way.settings:
        return test
    if len(way.efforts) > 2 or (len(way.efforts) == 2 and not test.arms):
        wanted = "one effort, or two: that of the baseline and that of the other conditions"
        raise StudyError(f"The test {test.name!r} takes {wanted if test.arms else 'one effort'}, got effort={effort}.")
    first, last = (way.efforts[0], way.efforts[-1]) if way.efforts else (None, None)
    baseline, *others = way.apply_to(test.baseline, first), *(way.apply_to(arm, last) for arm in test.compared)
    known = {new.name: old.name for new, old in zip((baseline, *others), test.all_arms, strict=True)}
    return test.with_settings(
        name=f"{test.name}{',' if ':' in test.name else ':'}{way.settings}",
        label=f"{test.label or test.name} ({way.settings.replace('=', ' ').replace(',', ', ')})",
        baseline=baseline,
        arms=tuple(others),
        fallback=test.fallback and test.fallback._replace(arm=way.apply_to(test.fallback.arm, last)),
        measure=partial(_measure_way, test, known),
        conclude=partial(_conclude_way, way, known),
        spanning=test.spanning and partial(_measure_spanning, test.spanning, test, known),
        over_models=test.over_models and partial(_measure_spanning, test.over_models, test, known),
    )


def _measure_spanning(
    spanning: Spanning, plain: StressTest, known: Mapping[str, str], test: StressTest, tables: Sequence[Table]
) -> Sequence[Measure]:
    own = plain.with_settings(thresholds=test.thresholds)
    return _put_back(known, spanning(own, [_rename_arms(table, known) for table in tables]))


def _measure_way(plain: StressTest, known: Mapping[str, str], test: StressTest, table: Table) -> Sequence[Measure]:
    return _measure_spanning(lambda own, tables: own.measure(tables[0]), plain, known, test, [table])


def _conclude_way(way: _Way, known: Mapping[str, str], test: StressTest, measures: Measures) -> Verdict:
    own = way.test.with_settings(thresholds=test.thresholds)
    plain = [replace(each, arm=known.get(each.arm, each.arm)) for each in measures.values()]
    found = own.conclude({(each.arm, each.name): each for each in plain})
    rests_on = found.rests_on and _put_back(known, [found.rests_on])[0]
    numbers, meaning = (f"{words}; {way.in_words}" if words else "" for words in (found.numbers, found.meaning))
    return replace(
        found, numbers=numbers, meaning=found.meaning if found.numbers else meaning or way.in_words, rests_on=rests_on
    )


def _rename_arms(table: Table, known: Mapping[str, str]) -> Table:
    return table.compute_once(
        ("asked with", tuple(known)),
        lambda: replace(
            table,
            arms={old: table.arms[new] for new, old in known.items() if new in table.arms},
            settled={old: table.settled[new] for new, old in known.items() if new in table.settled},
        ),
    )


def _put_back(known: Mapping[str, str], measures: Sequence[Measure]) -> list[Measure]:
    asked = {old: new for new, old in known.items()}
    return [replace(each, arm=asked.get(each.arm, each.arm)) for each in measures]
