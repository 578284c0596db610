"""Arms in words. An *arm* is a condition with its prompt and settings."""

from __future__ import annotations

import inspect
import re
from typing import get_args

from snellen.conditions import ORIGINAL, Condition, ImageBlank, ImageDegraded, ImageMismatched, ImageRemoved, Together
from snellen.conditions.labels import read_label
from snellen.conditions.which import ALL
from snellen.conditions.which import in_words as which_in_words
from snellen.prompts import (
    ATTACHMENT_COUNTED,
    BARE,
    BENCHMARK_PROMPTS,
    REWORDINGS,
    STRATEGY_WORDS,
    VISUAL_EVIDENCE,
    Arm,
    Effort,
    effort_in_words,
)
from snellen.scoring.results import Results

_DEGRADED = re.compile(
    rf"\b{ImageDegraded.name}:(?P<artefact>[a-z]+(?:[-/][a-z]+)*)"
    r"(?:,(?P<strength>weak|strong|[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?))?(?P<stretched>,scale=stretched)?"
    r"(?:,which=(?P<which>[\w-]+))?"
)
_NAMED_DEGRADED = re.compile(rf"{_DEGRADED.pattern}(?:\+(?P<prompt>{'|'.join(STRATEGY_WORDS)})(?![\w-]))?")
_WAYS = STRATEGY_WORDS | {each.name: each.in_words for each in REWORDINGS}
_WAYS |= {
    each.name: f"prompt “{each.name.removeprefix('mirage-').replace('-', ' ')}”"
    for each in (*BENCHMARK_PROMPTS, VISUAL_EVIDENCE, ATTACHMENT_COUNTED)
} | {BARE.name: "the question alone"}
_WAYS |= {effort: effort_in_words(effort) for effort in get_args(Effort)}
"""Prompts, rewordings and efforts in words, by the name that they have in an arm."""


def arm_label(arm: str) -> str:
    """Describe an arm by its name, in a few words. An unknown name stays as it is.

    >>> arm_label("original"), arm_label("original+cot"), arm_label("image-removed+guess"), arm_label("somebody's")
    ('as asked', 'reasoning step by step', 'without the image, told to guess', "somebody's")
    >>> arm_label("degraded:bias-field,weak+detection-cot"), arm_label("degraded:noise/motion,0.25")
    ('bias field, weak, steps asked for', 'noise then motion, severity 0.25')
    >>> arm_label("degraded:noise,strong,which=prior-frontal"), arm_label("image-removed+mine")
    ('noise, strong, prior frontal image alone', 'without the image, prompt “mine”')
    """
    condition, ways = read_label(arm)
    if condition is None:
        return page_words(arm)
    unnamed = condition.in_words.startswith(f"under {condition.name}")
    words = page_words(condition.label if unnamed else condition.in_words)
    return ", ".join([*([] if ways and condition == ORIGINAL else [words]), *map(way_words, ways)])


def way_words(way: str) -> str:
    """Describe a prompt, a rewording or an effort by its name in an arm.

    >>> way_words("detection-structured"), way_words("high"), way_words("mine")
    ('answer only', 'high effort', 'prompt “mine”')
    """
    return _WAYS.get(way, f"prompt “{way}”")


def page_words(sentence: str) -> str:
    """Format a sentence with conditions and intervals for the page.

    >>> page_words("52% (95% CI 44 to 60) under degraded:crop,weak+detection-cot"), page_words("under degraded:crop")
    ('52% (44 to 60) under crop, weak, steps asked for', 'under crop, all strengths')
    """
    return _NAMED_DEGRADED.sub(_degraded_words, sentence).replace("95% CI ", "")


def _degraded_words(found: re.Match[str]) -> str:
    strength = found["strength"] or "all strengths"
    how = f"severity {strength}" if strength[0].isdigit() else strength
    stretched = ", grey scale stretched" if found["stretched"] else ""
    part = f", {found['which'].replace('-', ' ')} image alone" if found["which"] else ""
    prompt = f", {STRATEGY_WORDS[found['prompt']]}" if found["prompt"] else ""
    return f"{artefact_words(found['artefact'])}, {how}{stretched}{part}{prompt}"


def artefact_words(name: str) -> str:
    """Return an artefact, or a sequence of several, in words.

    >>> artefact_words("bias-field"), artefact_words("blur/low-contrast")
    ('bias field', 'blur then low contrast')
    """
    return name.replace("/", " then ").replace("-", " ")


def arm_words(results: Results) -> dict[str, str]:
    """Describe every condition by name. Conditions of imports may have only a label."""
    there = {name: arm_label(name) for table in results.tables.values() for name in table.arms}
    of_tests = {arm.name: words_of(arm) for finding in results.findings for arm in finding.test.all_arms}
    every = (arm for finding in (*results.marks, *results.findings) for arm in finding.test.possible_arms)
    return there | {arm.name: words_of(arm) for arm in every if arm.name in there} | of_tests


def words_of(arm: Arm) -> str:
    """Describe what a condition does to the item, and its unusual prompt or settings."""
    said = [_condition_words(arm.condition)]
    if arm.prompt is not None:
        said.append(f"Asked by the prompt “{arm.prompt.name}”.")
    if arm.rewording is not None:
        said.append(arm.rewording.about)
    if arm.settings is not None and arm.settings.reasoning_effort is not None:
        said.append(f"Reasoning effort is set to {arm.settings.reasoning_effort}.")
    return " ".join(said)


def _condition_words(condition: Condition) -> str:
    """Describe a condition, or several, with unusual settings."""
    if isinstance(condition, Together):
        return " ".join(_condition_words(part) for part in condition.parts)
    if isinstance(condition, ImageDegraded):
        which = "every image" if condition.which == ALL else which_in_words(condition.which)
        return f"The same words, {which} degraded: {arm_label(condition.label)}."
    if isinstance(condition, ImageRemoved | ImageBlank) and condition.which != ALL:
        return f"The same words, {condition.in_words}; the other images unchanged."
    if isinstance(condition, ImageMismatched) and condition.donor == "none":
        return "The item's own image, asked in the same words; the right response names no contradiction."
    words = (inspect.getdoc(condition) or "").partition("\n\n")[0].replace("\n", " ")
    settings = condition.label.partition(":")[2] if condition.label.startswith(f"{condition.name}:") else ""
    return f"{words} ({settings.replace('=', ' ').replace(',', ', ')}.)" if settings else words
