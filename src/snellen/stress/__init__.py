"""Stress tests: one file a test; each asks one question and says how the answer is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snellen.errors import PluginError, StudyError
from snellen.plugins import find, made, read_settings
from snellen.stress.base import StressTest

MEMBERS = {
    "image-needed": "snellen.stress.image_needed:TEST",
    "visual-necessity": "snellen.stress.visual_necessity:visual_necessity",
    "blank-image": "snellen.stress.blank_image:blank_image",
    "visual-substitution": "snellen.stress.visual_substitution:visual_substitution",
    "rationale": "snellen.stress.rationale:rationale",
    "option-order": "snellen.stress.option_order:option_order",
    "distractors": "snellen.stress.distractors:distractors",
    "unknown-option": "snellen.stress.unknown_option:unknown_option",
    "chain-of-thought": "snellen.stress.chain_of_thought:TEST",
    "reasoning-effort": "snellen.stress.reasoning_effort:reasoning_effort",
    "robustness": "snellen.stress.robustness:robustness_test",
    "grounded-reading": "snellen.stress.grounded_reading:grounded_reading",
    "mirage-score": "snellen.stress.mirage_score:TEST",
    "guess-mode": "snellen.stress.guess_mode:TEST",
    "dataset-name": "snellen.stress.dataset_name:dataset_name",
    "grounding-signal": "snellen.stress.grounding_signal:TEST",
    "mirage-rate": "snellen.stress.mirage_rate:mirage_rate",
    "mirage-bias": "snellen.stress.mirage_bias:mirage_bias",
    "weak-artefacts": "snellen.stress.weak_artefacts:weak_artefacts",
    "strong-artefacts": "snellen.stress.strong_artefacts:strong_artefacts",
    "dose-response": "snellen.stress.dose_response:dose_response_test",
    "comparison": "snellen.stress.comparison:comparison",
}


def stress_test(spec: str) -> StressTest:
    """The test that a line names: `option-order`, or one with settings: `blank-image:fill=noise`."""
    name, _, rest = spec.partition(":")
    member: StressTest | Callable[..., StressTest] = find("stress", MEMBERS, name)
    failure = f"The test {spec!r} cannot be made"
    if isinstance(member, StressTest):
        if rest.strip(","):
            raise StudyError(f"{failure}: the test {name!r} has no settings, got {rest!r}.")
        return member
    bare, named = read_settings(member, rest, failure=failure)
    test = made(member, *bare, failure=failure, **named)
    if not isinstance(test, StressTest):
        raise PluginError(f"{failure}: expected the plug-in to give a StressTest, got {test!r}.")
    return test


def known_test(name: str, given: Mapping[str, StressTest]) -> StressTest:
    """The test of that name among those given, or among all; says what to do for one that is no longer at hand."""
    if name in given:
        return given[name]
    try:
        return stress_test(name)
    except PluginError as error:
        raise PluginError(f"{error} A test of your own is scored with Study(...).score(), or as a plug-in.") from error
