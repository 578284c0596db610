"""Reading plan: the parsers that read the responses of a study, by benchmark and condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from snellen.asking.asked import limit_asked, read_by
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.reading.parsers import CHOICE, REPORT, USUAL, WITHOUT_IMAGE, Parser, parser_named
from snellen.store import Store
from snellen.stress.base import StressTest
from snellen.stress.design import asked_of
from snellen.stress.verdicts.responses import list_arms_of_acts


class ReadingPlan(NamedTuple):
    """Names of a study's parsers. Only names, so that the plan can be sent to other processes."""

    choice: tuple[str, ...]
    """Parsers of multiple-choice questions, the one that counts first.

    Tables of other questions are listed under the first one.
    """
    without_image: str
    """Parser of a test's questions whose image was never sent."""
    graders: Mapping[str, tuple[str, ...]]
    """Parsers that grade, by benchmark; the first counts."""
    columns: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Parsers that do not grade but give columns, by benchmark and condition."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parsers; those that only give columns come last."""
        graders = (name for each in self.graders.values() for name in each)
        columns = (name for arms in self.columns.values() for each in arms.values() for name in each)
        return tuple(dict.fromkeys((*graders, *columns)))

    def only_counting(self) -> ReadingPlan:
        """Return the plan with only the parsers that count."""
        return ReadingPlan(self.choice[:1], self.without_image, {at: each[:1] for at, each in self.graders.items()}, {})


def plan_reading(
    store: Store,
    study: Mapping[str, Any],
    benchmarks: Mapping[str, Benchmark],
    *,
    tests: Sequence[StressTest] = (),
    named: Sequence[str] = (),
) -> ReadingPlan:
    """Choose a study's parsers: the named ones and those that its tests need.

    A named parser replaces the one that the study or its tests would use for the same questions.
    """
    given = [parser_named(name) for name in dict.fromkeys(named)]
    if idle := [each.name for each in given if each.outcome is None and each.columns is None]:
        raise StudyError(f"The parser {idle[0]!r} works only with `snellen parser qualify`: it cannot grade a study.")
    own = dict.fromkeys((study["parser"], *study.get("beside", ())))
    choice = tuple(each.name for each in given if each.kind == CHOICE) or tuple(own)
    without_image = next((each.name for each in given if each.kind == WITHOUT_IMAGE), USUAL[WITHOUT_IMAGE])
    graders, columns = {}, {}
    for name, benchmark in benchmarks.items():
        items = list_asked_items(study, name, benchmark)
        arms = study["arms"][name]
        kind = next((read_by(store.studies.arm(digest)[1]) for digest in arms.values()), CHOICE)
        asking = asked_of(tests, name, Benchmark(name, items).kind)
        graders[name] = _choose_graders(kind, items, given, asking) or (
            choice if kind == CHOICE else (without_image if kind == WITHOUT_IMAGE else USUAL[kind],)
        )
        beside = [each.name for each in given if each.outcome is None and any(map(each.takes, items))]
        needed = _list_needed(arms, asking, tests if kind != REPORT else ())
        columns[name] = {arm: tuple(dict.fromkeys((*beside, *needed.get(arm, ())))) for arm in arms}
    return ReadingPlan(choice, without_image, graders, columns)


def list_asked_items(study: Mapping[str, Any], name: str, benchmark: Benchmark) -> tuple[Item, ...]:
    """Return the items of a benchmark that a study asked."""
    return benchmark.items[: limit_asked(study, name)]


def _choose_graders(
    kind: str, items: Sequence[Item], given: Sequence[Parser], asking: Sequence[StressTest]
) -> tuple[str, ...]:
    """Parsers named for this kind of question, or else those that fit all items."""
    if kind != CHOICE and (named := [each.name for each in given if each.kind == kind]):
        return tuple(named[:1])
    brought = (parser_named(name) for test in asking for name in test.reads)
    graders = [each for each in (*given, *brought) if each.outcome is not None and each.kind not in USUAL]
    return tuple(dict.fromkeys(each.name for each in graders if all(map(each.takes, items))))


def _list_needed(
    arms: Iterable[str], asking: Sequence[StressTest], tests: Iterable[StressTest]
) -> dict[str, dict[str, None]]:
    """Parsers whose columns the tests and the three verdicts need, by condition."""
    needed: dict[str, dict[str, None]] = {}
    brings = any(test.questions for test in asking)
    marks = [test for test in tests if test.marks and not brings]
    for test in (*asking, *marks):
        names = list_arms_of_acts(arms) if test.marks else [arm.name for arm in test.all_arms]
        gives = [name for name in test.reads if parser_named(name).outcome is None]
        for arm in names if gives else ():
            needed.setdefault(arm, {}).update(dict.fromkeys(gives))
    return needed
