"""The artefacts paper (“…robustness of vision-language models to medical image artefacts”): tests, chapter, figures."""

from __future__ import annotations

from snellen.errors import StudyError
from snellen.papers.artefacts.tests.arms import name_test
from snellen.papers.artefacts.tests.pooled import OWN, PROMPTS
from snellen.papers.protocol import Protocol, Suite
from snellen.prompts import FROM_CODE, Settings

__all__ = ["tests"]


def artefacts(*names: str, prompts: str = "standard/structured/cot", system: str = "", scale: str = "kept") -> Suite:
    """The tests of "Understanding the robustness of vision-language models to medical image artefacts".

    `names` are the artefacts, by default the paper's five. `prompts` are the prompt strategies for weak and strong
    artefacts, separated by slashes. `system=from-code` adds the system message of the authors' public code, which the
    paper does not mention. `scale=stretched` saves the images as the paper did. The dose-response test uses the study's
    prompt.
    """
    if system not in ("", FROM_CODE):
        raise StudyError(
            f"The system message is that of the authors' code, system={FROM_CODE}, or none; got {system!r}."
        )
    added = f"-{system}" if system else ""
    asked = ["" if each == "standard" else f"{each}{added}" for each in dict.fromkeys(str(prompts).split("/"))]
    tests = [
        name_test(test, names, prompt=each, scale=scale)
        for each in asked
        for test in ("weak-artefacts", "strong-artefacts")
    ]
    together = "/".join(each or OWN for each in asked)
    pooled = name_test("pooled-artefacts", names, prompts="" if together == PROMPTS else together, scale=scale)
    return Suite(
        (*tests, pooled, name_test("dose-response", names, scale=scale)),
        prompt=f"detection{added}",
        benchmark="phantoms:task=detection",
        settings=Settings(temperature=0.0),
    )


PROTOCOL = Protocol(artefacts, tables="snellen.papers.artefacts.published")
