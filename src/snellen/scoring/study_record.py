"""Study record: what the store keeps of a study, enough to score and report it without asking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from snellen.asking.plan import Plan
from snellen.errors import StudyError
from snellen.images import USUAL_SIDE
from snellen.prompts import PROMPTS, Prompt
from snellen.store import Store
from snellen.stress.image_dependence.subset import with_list_kept

IF_ANY = (
    "repeated", "prompt_words", "examples", "settings_not_sent", "text_only", "groups", "image_side", "asked_as",
    "until_settled",
)  # fmt: skip
"""Entries that a record has only if there is something to say."""


def study_record(plan: Plan, store: Store, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What the store keeps of a study, with its benchmarks stored."""
    for benchmark in plan.benchmarks:
        store.add_benchmark(benchmark)
    return {**provenance, **planned_record(plan, store.folder)}


def planned_record(plan: Plan, folder: Path) -> dict[str, Any]:
    """What a plan asks for: names and digests.

    The lists of items that tests name are copied into the folder.
    """
    digests = {benchmark.name: benchmark.digest for benchmark in plan.benchmarks}
    record = {
        "models": [[model.name, model.revision] for model in plan.models],
        "benchmarks": digests,
        "sources": {
            benchmark.name: {"about": dict(benchmark.about), "broken": [list(row) for row in benchmark.broken]}
            for benchmark in plan.benchmarks
        },
        "tests": [with_list_kept(test.name, folder) for test in plan.tests],
        "arms": {
            benchmark.name: {
                arm.name: arm.digest(digests[benchmark.name], plan.seed) for arm in plan.arms_of(benchmark)
            }
            for benchmark in plan.benchmarks
        },
        "seed": plan.seed,
        "epochs": plan.epochs,
        "epochs_of": {benchmark.name: plan.epochs_of(benchmark) for benchmark in plan.benchmarks},
        "repeated": _list_repeated(plan) or None,
        "limit": plan.limit,
        "limit_of": {benchmark.name: plan.limit_of(benchmark) for benchmark in plan.benchmarks},
        "prompt": plan.prompt.name,
        "prompt_words": _own_words(plan.prompt) or None,
        "examples": [item.id for item in plan.examples] or None,
        "settings": plan.settings.over(plan.protocol).chosen,
        "settings_not_sent": plan.not_sent() or None,
        "parser": plan.parser,
        "beside": [plan.prompt.parser] if plan.prompt.parser not in ("", plan.parser) else [],
        "text_only": [model.name for model in plan.models if model.text_only] or None,
        "groups": {group: list(members) for group, members in plan.groups.items()} or None,
        "image_side": (plan.image_side or 0) if plan.image_side != USUAL_SIDE else None,
        "asked_as": {each.name: dict(each.about) for each in plan.models if each.about} or None,
        "until_settled": [each.name for each in plan.benchmarks if plan.in_rounds(each)] or None,
        "human": plan.human,
        "thresholds": plan.thresholds._asdict(),
    }
    return {name: value for name, value in record.items() if value is not None or name not in IF_ANY}


def _list_repeated(plan: Plan) -> dict[str, dict[str, Any]]:
    """By benchmark, the arms and items that are asked once more."""
    found = {benchmark.name: plan.repeats_of(benchmark).record() for benchmark in plan.benchmarks}
    return {name: record for name, record in found.items() if record}


def _own_words(prompt: Prompt) -> dict[str, str]:
    """The words of a prompt that is none of ours; how each condition was worded is stored with it."""
    ours = prompt == PROMPTS.get(prompt.name)
    return {} if ours else {"user": prompt.user, **({"system": prompt.system} if prompt.system else {})}


def find_recorded(store: Store, plan: Callable[[], Plan]) -> str | None:
    """The name of the study of a store that asks what a plan asks; None if the store holds one study alone."""
    names = [each.name for each in store.studies()]
    if len(names) < 2:
        return None
    if found := store.find_study(planned_record(plan(), store.folder)):
        return found.name
    raise StudyError(
        f"None of the studies in {store.folder} asks for the same as this one: {', '.join(names)}. Run it first, or "
        "name one of them with publish(out, study=...)."
    )
