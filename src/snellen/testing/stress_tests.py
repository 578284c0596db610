"""Contract of stress tests, checked on a small study with every outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from snellen.benchmarks import load
from snellen.images import Encoder
from snellen.items import Benchmark, Item
from snellen.models.base import Response, receipt
from snellen.models.fake import FunctionModel
from snellen.plugins import load_reference
from snellen.prompts import Request
from snellen.reading.parsers import parser_named
from snellen.report.chapter import Chapter, chapter_from
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.tests import draw_test, sections
from snellen.scoring.portions import read_study
from snellen.scoring.resolving import resolve_study
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import MEMBERS
from snellen.stress.base import Measure, StressTest, Verdict
from snellen.stress.table import Table
from snellen.study import Study
from snellen.testing.conditions import check_condition, check_no_key
from snellen.testing.contract import explain_errors, load_phantoms, require, require_name

PHANTOMS = {
    "choice": ("phantoms:items=12",),
    "open": ("phantoms:task=pathway,items=14", "phantoms:task=premises,items=6"),
    "report": ("phantoms:task=report,items=8",),
}
"""Benchmarks that are used if no items are given, by the test's kind of question."""
ASKED = 16
"""Most items that the study asks."""
EVERY_OUTCOME = (
    Response("Answer: A"),
    Response("Answer: B"),
    Response("There is a pleural effusion on the left.\n\nAnswer: A"),
    Response("I cannot tell: no image was provided."),
    Response("I'm sorry, but I cannot give medical advice."),
    Response("The image is too blurred to be read."),
    Response("Hm."),
    Response("The image shows", "length"),
    Response("", "content_filter"),
    Response(""),
)
"""Responses with every outcome."""
FEW = 2
"""Number of responses per condition in the table with few responses."""
LEVEL = 2
"""Heading level of titles on the page."""


def check_stress_test(test: StressTest, items: Iterable[Item] | None = None) -> None:
    """Check a stress test's question, conditions, requests, measures, verdict and page.

    A small study asks for responses with every outcome; then few responses or none are left. Without items, phantoms
    are used; a test with its own questions is checked on those.
    """
    given = f"expected a StressTest, got {test!r}. Hand in StressTest(Design(…), Analysis(…))."
    require(isinstance(test, StressTest), given)
    _check_words(test)
    items, encode = _choose_items(test, items), Encoder()
    for arm in test.all_arms:
        applied = check_condition(arm.condition, items)
        require(applied, f"The arm {arm.name!r} of {test.name!r} applies to none of {len(items)} items.")
        check_no_key(arm, items, encode)
    _check_study(test, [item for item in items if item.kind == test.item_kind])


def _check_words(test: StressTest) -> None:
    """Check that the names of the test's analysis, parsers and chapter can be resolved."""
    require_name(test.name.partition(":")[0], "stress test")
    asks = f"The test {test.name!r} asks no question: {test.asks!r}. End it with a question mark."
    require(test.asks.endswith("?"), asks)
    with explain_errors(f"{test.name}: its analysis {test.analysis!r}", "Name an Analysis as 'module:ATTRIBUTE'."):
        analysis = test.loaded
    with explain_errors(f"{test.name}: reading {test.reads!r}", "Name parsers in `reads` that are installed."):
        for name in test.reads:
            parser_named(name)
    with explain_errors(f"{test.name}: its chapter {test.chapter!r}", "Name a Chapter as 'module:ATTRIBUTE'."):
        if test.chapter:
            _load_chapter(test)
    with explain_errors(
        f"{test.name}: the thresholds in {test.passes!r}", "Use only image_dependence, margin and moved."
    ):
        test.passes.format_map(analysis.thresholds._asdict())


def _load_chapter(test: StressTest) -> Chapter:
    return chapter_from(test.chapter, load_reference(test.chapter))


def _choose_items(test: StressTest, items: Iterable[Item] | None) -> tuple[Item, ...]:
    """Return the test's own questions, the given items, or phantoms."""
    if test.questions:
        with explain_errors(f"{test.name}: its questions {test.questions!r}", "Name a benchmark that can be loaded."):
            return load(test.questions).items
    given = load_phantoms(PHANTOMS[test.item_kind]) if items is None else tuple(items)
    kind = [item for item in given if item.kind == test.item_kind]
    require(
        kind,
        f"The test {test.name!r} asks questions of the kind {test.item_kind!r}, and none of {len(given)} items is. "
        "Hand in some, or set `item_kind`.",
    )
    with explain_errors(f"{test.name}: concerns", "It is asked of every item of a benchmark: return True or False."):
        about = [item for item in kind if test.concerns is None or test.concerns(item)]
    require(about, f"The test {test.name!r} applies to none of {len(kind)} items. Give items to which it applies.")
    return given


def _check_study(test: StressTest, items: Sequence[Item]) -> None:
    about = [item for item in items if test.questions or test.concerns is None or test.concerns(item)]
    asked = test.questions or Benchmark("check", tuple(about[:ASKED]))
    with TemporaryDirectory() as folder:
        out = Path(folder, "study")
        model = FunctionModel(_answer_in_turn(len(test.all_arms)), name="check/every-outcome")
        study = Study(models=[model], benchmarks=[asked], tests=[test], out=out, canary=False, limit=ASKED)
        with explain_errors(f"{test.name}: asking", "Check its arms, and the benchmark that it names."):
            study.ask(lambda _: None)
        with Store.open(out) as store:
            resolved = resolve_study(store, None, tests=[test])
            for table in next(iter(read_study(store, resolved).readings.values())).values():
                _check_tables(test, table)
            _check_page(test, store)


def _answer_in_turn(arms: int) -> Callable[[Request], Response]:
    """Return a model function whose responses have every outcome under each arm."""
    asked = count()

    def answer(request: Request) -> Response:
        made = EVERY_OUTCOME[sum(divmod(next(asked), arms)) % len(EVERY_OUTCOME)]
        return replace(made, sent=tuple(map(receipt, request.images)))

    return answer


def _check_tables(test: StressTest, table: Table) -> None:
    """Check measures and verdicts with all, few, one and no responses, and with missing arms."""
    part = test.restrict_table(table).asked_under([arm.name for arm in test.all_arms])
    found = list(_check_measures(test, part, "every outcome"))
    named = {each.name for each in found}
    ours = test.name.partition(":")[0] in MEMBERS  # some of ours measure nothing on so few items
    require(
        test.headline in named or ours or not named or test.headline == "difference",
        f"{test.name}: its headline {test.headline!r} is not among its measures: {', '.join(sorted(named))}. Name one, "
        "or hand in more items.",
    )
    for told, size in (("few responses", FEW), ("one response", 1), ("no response", 0)):
        cut = {name: grades.select_responses(np.arange(len(grades)) < size) for name, grades in part.arms.items()}
        _check_measures(test, replace(part, arms=cut), told)
    for name in (test.baseline.name, *[arm.name for arm in test.compared[:1]]):
        others = {other: grades for other, grades in part.arms.items() if other != name}
        _check_measures(test, replace(part, arms=others), f"no condition {name!r}")


def _check_measures(test: StressTest, table: Table, of: str) -> Sequence[Measure]:
    """Return the test's measures of a table, after checking them and the verdict."""
    change = "A table may lack responses and whole conditions: leave out what cannot be measured."
    with explain_errors(f"{test.name}: measuring", f"The table had {of}. {change}"):
        found = test.measure(table)
        measures = list(found) if isinstance(found, Iterable) else None
    right = measures is not None and all(isinstance(each, Measure) for each in measures)
    require(right, f"{test.name}: expected measures of a table with {of}, got {found!r:.80}. Return a list of Measure.")
    assert measures is not None
    _check_names(test, measures)
    by_name = {(each.arm, each.name): each for each in sorted(measures, key=lambda each: each.subset == "")}
    with explain_errors(
        f"{test.name}: deciding", f"The table had {of}. Conclude INCONCLUSIVE if a measure is missing."
    ):
        verdict = test.conclude(by_name)
    require(
        isinstance(verdict, Verdict),
        f"{test.name}: expected a Verdict of a table with {of}, got {verdict!r:.80}. Return Verdict(Status.…, …).",
    )
    return measures


def _check_names(test: StressTest, measures: Sequence[Measure]) -> None:
    seen: set[tuple[str, str, str, str]] = set()
    for each in measures:
        at = (each.arm, each.name, each.subset, str(each.kind.parser))
        require(at not in seen, f"{test.name} measures {each.name!r} of {each.arm!r} twice. Give them two names.")
        seen.add(at)


def _check_page(test: StressTest, store: Store) -> None:
    """Check that results, the test's section and its chapter can be made."""
    with explain_errors(f"{test.name}: scoring", "Check what is measured and concluded."):
        results = score(store, tests=[test])
    evidence = Evidence(results, store)
    chosen = None
    if test.chapter:
        chapter = _load_chapter(test)
        with explain_errors(f"{test.name}: choosing what its chapter shows", "Choose from `evidence.results`."):
            chosen = chapter.choose(evidence)
    shown = sections(evidence)
    with explain_errors(
        f"{test.name}: drawing its numbers", "Compare its kinds and estimates with docs/how-to/add-a-test.md."
    ):
        for each in shown:
            draw([draw_test(evidence, each)], LEVEL)
    if test.chapter:
        with explain_errors(f"{test.name}: building its chapter", "Return parts (snellen.report.components), or None."):
            draw(chapter.build(evidence, shown, chosen) or [], LEVEL)
