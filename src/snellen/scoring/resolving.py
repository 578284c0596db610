"""Restore the benchmarks, tests and parsers of a stored study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.errors import BrokenRow, PluginError, StudyError
from snellen.images import USUAL_SIDE
from snellen.items import PARTS, Benchmark
from snellen.prompts import PROMPTS
from snellen.scoring.findings import MARKS
from snellen.scoring.reading_plan import ReadingPlan, plan_reading
from snellen.stats import Human
from snellen.store import Store
from snellen.stress import known_test
from snellen.stress.base import StressTest
from snellen.stress.design import Thresholds, asked_of
from snellen.stress.image_dependence.subset import with_list_found, with_list_kept

if TYPE_CHECKING:
    from snellen.asking.plan import Plan

EMPTY_TOO = ("limit", "settings", "beside", "human")
"""Entries of a plan's record that are stored even if empty or None."""


def study_record(plan: Plan, store: Store, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a study for the store, and store its benchmarks."""
    for benchmark in plan.benchmarks:
        store.studies.add_benchmark(benchmark)
    return {**provenance, **planned_record(plan, store.folder)}


def planned_record(plan: Plan, folder: Path) -> dict[str, Any]:
    """Return the record of a plan: names and digests.

    Lists of items that tests name are copied into the folder.
    """
    digests = {each.name: each.digest for each in plan.benchmarks}
    repeated = {each.name: plan.repeats_of(each).record() for each in plan.benchmarks}
    prompt, words = plan.prompt, {}
    if prompt != PROMPTS.get(prompt.name):  # the user's own
        words = {"user": prompt.user, **({"system": prompt.system} if prompt.system else {})}
    record = {
        "models": [[model.name, model.revision] for model in plan.models],
        "benchmarks": digests,
        "sources": {
            each.name: {"about": dict(each.about), "broken": list(map(list, each.broken))} for each in plan.benchmarks
        },
        "tests": [with_list_kept(test.name, folder) for test in plan.tests],
        "arms": {
            each.name: {arm.name: arm.digest(digests[each.name], plan.seed) for arm in plan.arms_of(each)}
            for each in plan.benchmarks
        },
        "seed": plan.seed,
        "epochs": plan.epochs,
        "epochs_of": {each.name: plan.epochs_of(each) for each in plan.benchmarks},
        "repeated": {name: each for name, each in repeated.items() if each},
        "limit": plan.limit,
        "limit_of": {each.name: plan.limit_of(each) for each in plan.benchmarks},
        "prompt": prompt.name,
        "prompt_words": words,
        "examples": [item.id for item in plan.examples],
        "settings": plan.settings.with_defaults(plan.protocol).chosen,
        "settings_not_sent": plan.not_sent(),
        "parser": plan.parser,
        "beside": [prompt.parser] if prompt.parser not in ("", plan.parser) else [],
        "text_only": [model.name for model in plan.models if model.text_only],
        "groups": {group: list(members) for group, members in plan.groups.items()},
        "image_side": (plan.image_side or 0) if plan.image_side != USUAL_SIDE else None,
        "asked_as": {each.name: dict(each.about) for each in plan.models if each.about},
        "until_settled": [each.name for each in plan.benchmarks if plan.in_rounds(each)],
        "human": plan.human,
        "thresholds": plan.thresholds._asdict(),
    }
    return {name: value for name, value in record.items() if value not in (None, [], {}) or name in EMPTY_TOO}


def find_recorded(store: Store, plan: Callable[[], Plan]) -> str | None:
    """Find the name of the stored study that matches a plan.

    None if the store has at most one study. StudyError if there are several and none matches.
    """
    names = [each.name for each in store.studies.load_all()]
    if len(names) < 2:
        return None
    if found := store.studies.find(planned_record(plan(), store.folder)):
        return found.name
    raise StudyError(
        f"No study in {store.folder} matches this one: {', '.join(names)}. Run it first, or "
        "name one of them with publish(out, study=...)."
    )


class ResolvedStudy(NamedTuple):
    """A stored study with the benchmarks, tests and parsers that scoring needs."""

    record: dict[str, Any]
    """The stored record, updated with the parsers that read the study now."""
    benchmarks: Mapping[str, Benchmark]
    tests: Sequence[StressTest]
    unscored: Mapping[str, str]
    """Tests that cannot be recreated, with the reason."""
    plan: ReadingPlan


def resolve_study(
    store: Store,
    study: str | None = None,
    *,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    human: Human | None = None,
) -> ResolvedStudy:
    """Load a study (default: the latest) with its benchmarks, tests and parsers.

    `parsers` replaces the study's own. `tests` adds tests that no package registers. PluginError if none of the study's
    tests can be recreated.
    """
    record = store.studies.record(study)
    if not record["models"]:
        raise StudyError(
            f"The study {record['name']} has no models, only questions to annotate: there is nothing to score."
        )
    resolved, unscored = _resolve_tests(record, store, {test.name: test for test in tests})
    record = _without_questions_of_others(record, resolved) if unscored else record
    benchmarks = {}
    for name, digest in record["benchmarks"].items():
        source = record["sources"][name]
        broken = tuple(BrokenRow(*row) for row in source["broken"])
        benchmarks[name] = replace(store.studies.benchmark(digest), about=source["about"], broken=broken)
    plan = plan_reading(store, record, benchmarks, tests=(*resolved, *MARKS), named=parsers)
    own, *others = plan.choice
    read_by = {"parser": own, "beside": others, "admissions_by": plan.without_image}
    record = {**record, **read_by, "human": human or record.get("human")}
    return ResolvedStudy(record, benchmarks, resolved, unscored, plan)


def _resolve_tests(
    study: Mapping[str, Any], store: Store, given: Mapping[str, StressTest]
) -> tuple[list[StressTest], dict[str, str]]:
    """Recreate the tests of a study, with reasons for failures; PluginError if none works."""
    limits = Thresholds(**study.get("thresholds", {}))
    found: list[StressTest] = []
    unscored: dict[str, str] = {}
    for name in study["tests"]:
        try:
            test = known_test(with_list_found(name, store.folder), given)
        except PluginError as error:
            unscored[name] = str(error)
        else:
            found.append(test.with_settings(name=name, thresholds=limits))
    if unscored and not found:
        raise PluginError(" ".join(unscored.values()))
    return found, unscored


def _without_questions_of_others(study: dict[str, Any], tests: Sequence[StressTest]) -> dict[str, Any]:
    """Drop the benchmarks that no remaining test asks."""
    kept = [
        name
        for name, arms in study["arms"].items()
        if any(arm.name in arms for kind in PARTS for test in asked_of(tests, name, kind) for arm in test.all_arms)
    ]
    return {**study, **{part: {name: study[part][name] for name in kept} for part in ("benchmarks", "arms", "sources")}}
