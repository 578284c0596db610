"""Stress tests: each asks one question about a model and defines how to measure the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snellen.errors import PluginError, StudyError
from snellen.plugins import create_member, find, names, read_settings, setting_names
from snellen.stress.base import StressTest
from snellen.stress.prompt_and_effort import asked_with

__all__ = [
    "MEMBERS", "base", "conclusions", "design", "folds", "image_dependence", "known_test", "measures", "open_answers",
    "prompt_and_effort", "reasoning_tokens", "reports", "stress_test", "table", "taxonomy", "tests", "verdicts",
]  # fmt: skip

MEMBERS = {
    "follows": "snellen.stress.tests.declared:FOLLOWS",
    "honest": "snellen.stress.tests.declared:HONEST",
    "steady": "snellen.stress.tests.declared:STEADY",
    "image-needed": "snellen.stress.tests.declared:IMAGE_NEEDED",
    "image-used": "snellen.stress.tests.image_used:image_used",
    "visual-necessity": "snellen.papers.readiness.tests.visual_necessity:visual_necessity",
    "blank-image": "snellen.stress.tests.declared:blank_image",
    "video-used": "snellen.stress.tests.declared:video_used",
    "one-of-several": "snellen.stress.tests.declared:one_of_several",
    "text-needed": "snellen.stress.tests.text_needed:TEST",
    "blank-chain-of-thought": "snellen.stress.tests.blank_chain_of_thought:blank_chain_of_thought",
    "visual-substitution": "snellen.papers.readiness.tests.visual_substitution:visual_substitution",
    "mirror": "snellen.stress.tests.mirror:mirror",
    "finding-removed": "snellen.stress.tests.counterfactual:REMOVED",
    "finding-moved": "snellen.stress.tests.counterfactual:MOVED",
    "rationale": "snellen.stress.tests.rationale:rationale",
    "option-order": "snellen.stress.tests.declared:option_order",
    "distractors": "snellen.papers.readiness.tests.options:distractors",
    "unknown-option": "snellen.papers.readiness.tests.options:unknown_option",
    "chain-of-thought": "snellen.papers.readiness.tests.reasoning:TEST",
    "reasoning-effort": "snellen.papers.readiness.tests.reasoning:reasoning_effort",
    "robustness": "snellen.papers.readiness.tests.robustness:robustness_test",
    "grounded-reading": "snellen.papers.readiness.tests.grounded_reading:grounded_reading",
    "mirage-score": "snellen.papers.mirage.tests.score:TEST",
    "guess-mode": "snellen.papers.mirage.tests.guess_mode:TEST",
    "dataset-name": "snellen.papers.mirage.tests.dataset_name:dataset_name",
    "grounding-signal": "snellen.papers.mirage.tests.grounding_signal:TEST",
    "mirage-words": "snellen.papers.mirage.tests.words:mirage_words",
    "mirage-rate": "snellen.papers.mirage.tests.rate:mirage_rate",
    "mirage-bias": "snellen.papers.mirage.tests.bias:mirage_bias",
    "weak-artefacts": "snellen.papers.artefacts.tests.weak:weak_artefacts",
    "strong-artefacts": "snellen.papers.artefacts.tests.strong:strong_artefacts",
    "pooled-artefacts": "snellen.papers.artefacts.tests.pooled:pooled_artefacts",
    "dose-response": "snellen.papers.artefacts.tests.dose_response:dose_response_test",
    "rests-on-finding": "snellen.papers.evidence.tests.rests_on_finding:rests_on_finding",
    "label-swaps": "snellen.papers.evidence.tests.label_swaps:label_swaps",
    "cues": "snellen.papers.evidence.tests.cues:cues",
    "published-grounding": "snellen.papers.evidence.tests.published_grounding:published_grounding",
    "report-shortcuts": "snellen.papers.evidence.tests.report_shortcuts:report_shortcuts",
    "open-answers": "snellen.stress.tests.declared:OPEN_ANSWERS",
    "reports": "snellen.stress.tests.reports:TEST",
    "false-premise": "snellen.stress.tests.false_premise:false_premise",
    "pathway-choices": "snellen.papers.pathway.tests.tasks:CHOICES",
    "pathway-answers": "snellen.papers.pathway.tests.tasks:ANSWERS",
    "mismatched-image": "snellen.papers.pathway.tests.mismatched_image:mismatched_image",
    "comparison": "snellen.stress.tests.comparison:comparison",
}

WAYS = ("prompt", "effort")
"""Settings that every test accepts."""


def stress_test(spec: str) -> StressTest:
    """Build the test that a text names, with its settings if any: `blank-image:fill=noise`.

    Every test also accepts `prompt` and `effort`, unless it has its own setting of that name. They apply to all
    conditions of the test: `image-needed:effort=high`, `blank-image:fill=noise,prompt=cot`.
    """
    name, _, rest = spec.partition(":")
    member: StressTest | Callable[..., StressTest] = find("stress", MEMBERS, name)
    failure = f"The test {spec!r} cannot be made"
    own, way = _set_apart(member, rest, failure)
    return asked_with(_create_test(name, member, own, failure), **way)


def _set_apart(member: StressTest | Callable[..., StressTest], line: str, failure: str) -> tuple[str, dict[str, str]]:
    """Separate a test's own settings from prompt and effort."""
    theirs = () if isinstance(member, StressTest) else setting_names(member)
    own, way = [], {}
    for part in line.split(","):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in WAYS or name in theirs:
            own.append(part)
        elif not value or name in way:
            raise StudyError(f"{failure}: it sets {name} {'twice' if value else 'to nothing'}.")
        else:
            way[name] = value
    return ",".join(own), way


def _create_test(name: str, member: StressTest | Callable[..., StressTest], line: str, failure: str) -> StressTest:
    if isinstance(member, StressTest):
        if line.strip(","):
            taken = f"takes no settings except {' and '.join(WAYS)}"
            raise StudyError(f"{failure}: the test {name!r} {taken}, got {line.strip(',')!r}.")
        return member
    bare, named = read_settings(member, line, failure=failure)
    test = create_member(member, *bare, failure=failure, **named)
    if not isinstance(test, StressTest):
        raise PluginError(f"{failure}: expected the plug-in to give a StressTest, got {test!r}.")
    return test


def known_test(name: str, given: Mapping[str, StressTest]) -> StressTest:
    """Return the test of this name; raise PluginError with advice if it is missing."""
    if name in given:
        return given[name]
    if name.partition(":")[0] not in names("stress", MEMBERS):
        raise PluginError(
            f"The test {name!r} cannot be scored here, because no installed package registers it: score it from Python "
            "with Study(...).score() or publish(out, tests=[...]), or register it under the entry point snellen.stress."
        )
    try:
        return stress_test(name)
    except PluginError as error:
        raise PluginError(f"The test {name!r} cannot be scored here: {error}") from error
