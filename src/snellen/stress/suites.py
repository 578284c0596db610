"""Suites: the tests of a whole protocol under one name, with the prompt that it asks by and the benchmark it is for."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

from snellen.errors import StudyError
from snellen.plugins import made, names, read_settings, settings_from
from snellen.prompts import FROM_CODE, PROVIDER_DEFAULTS, Settings
from snellen.stress import MEMBERS
from snellen.stress.artefacts import named
from snellen.stress.subset import Subset


class Suite(NamedTuple):
    """Test specs, and where the protocol has its own: the prompt's name, its benchmark, and the models' settings."""

    tests: tuple[str, ...]
    prompt: str = ""
    benchmark: str = ""
    settings: Settings = PROVIDER_DEFAULTS


def standard() -> Suite:
    """The standard exam."""
    return Suite(("image-needed", "blank-image", "rationale", "option-order"))


@settings_from(Subset)
def readiness(*, images: int = 1, **settings: Any) -> Suite:
    """The six stress tests of "The Illusion of Readiness", its score, and the grounded reading beside it.

    `images` is how many substitutes T5 shows; the others say which items need the image, as for visual-necessity.
    """
    subset = Subset(**settings)
    return Suite(
        (
            "image-needed",
            subset.named("visual-necessity"),
            "option-order",
            "option-order:image=removed",
            "distractors",
            "distractors:image=removed",
            "unknown-option",
            "unknown-option:image=removed",
            "visual-substitution" if images == 1 else f"visual-substitution:images={images}",
            "chain-of-thought",
            "reasoning-effort",
            "rationale:image-removed,original+cot",
            subset.named("robustness"),
            subset.named("grounded-reading"),
        ),
        prompt="readiness",
        settings=Settings(temperature=0.0),
    )


def mirage(*, seeds: int = 200) -> Suite:
    """The tests of "Mirage: The Illusion of Visual Understanding"; `seeds` is how often each diagnosis is asked for."""
    return Suite(
        (
            "mirage-rate",
            "mirage-bias" if seeds == 200 else f"mirage-bias:seeds={seeds}",
            "mirage-score",
            "image-needed",
            "guess-mode",
            "dataset-name",
            "grounding-signal",
        ),
        prompt="mirage",
        settings=Settings(temperature=1.0),
    )


def artefacts(*names: str, prompts: str = "standard/structured/cot", system: str = "", scale: str = "kept") -> Suite:
    """The tests of "Understanding the robustness of vision-language models to medical image artefacts".

    `names` are the artefacts, by default the paper's five; `prompts` the strategies by which weak and strong ones are
    asked, parted by strokes; `system=from-code` puts before them the system message of the authors' public code, of
    which the paper says nothing; `scale=stretched` saves the images as the paper did. The curve of dose and response
    is asked by the study's prompt.
    """
    if system not in ("", FROM_CODE):
        raise StudyError(
            f"The system message is that of the authors' code, system={FROM_CODE}, or none; got {system!r}."
        )
    added = f"-{system}" if system else ""
    tests = [
        named(test, names, prompt="" if each == "standard" else f"{each}{added}", scale=scale)
        for each in dict.fromkeys(str(prompts).split("/"))
        for test in ("weak-artefacts", "strong-artefacts")
    ]
    return Suite(
        (*tests, named("dose-response", names, scale=scale)),
        prompt=f"detection{added}",
        benchmark="phantoms:task=detection",
        settings=Settings(temperature=0.0),
    )


SUITES: dict[str, Callable[..., Suite]] = {
    "standard": standard,
    "readiness": readiness,
    "mirage": mirage,
    "artefacts": artefacts,
}


def suite_named(spec: str) -> Suite | None:
    """The suite that a line names, such as `readiness:items=needed.txt`; None where it names none."""
    name, _, rest = spec.partition(":")
    if name not in SUITES:
        _check_spelling(name)
        return None
    failure = f"The tests {spec!r} cannot be made"
    bare, named = read_settings(SUITES[name], rest, failure=failure)
    suite: Suite = made(SUITES[name], *bare, failure=failure, **named)
    return suite


def _check_spelling(name: str) -> None:
    """StudyError for a name that is nearly a suite's, and no test's."""
    close = get_close_matches(name, SUITES, n=1, cutoff=0.8)
    if close and name not in names("stress", MEMBERS):
        raise StudyError(f"There is no {name!r}. Did you mean the suite {close[0]!r}? Suites: {', '.join(SUITES)}.")
