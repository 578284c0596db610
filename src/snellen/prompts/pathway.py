"""The eight tasks of "The Illusion of Clinical Reasoning" (Pathway paper), and our prompts.

The paper's own prompts are in an appendix that is not public. The folder of a benchmark may contain other wordings.
"""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Kind
from snellen.prompts.ours import LETTER
from snellen.prompts.prompt import Prompt

SOURCE = "ours, after The Illusion of Clinical Reasoning, Table 2"


class PathwayStep(NamedTuple):
    """Step of the clinical pathway: its task name, and its number and title in the paper.

    `image` is True if its questions have an image.
    """

    name: str
    number: str
    title: str
    kind: Kind
    image: bool
    prompt: Prompt


def _open(name: str, number: str, title: str, asked: str, reply: str = "{answer}") -> PathwayStep:
    """Return a step with an open question about an image."""
    prompt = Prompt(f"pathway-{name}", f"{{question}}\n\n{asked}", source=SOURCE, replies={"en": reply})
    return PathwayStep(name, number, title, "open", True, prompt)


MISMATCH = "mismatch"
"""Task whose image shows another part of the body than the text names. The correct response points this out."""
TASKS = (
    PathwayStep("knowledge", "I", "Knowledge recall", "choice", False, LETTER),
    PathwayStep("note", "II", "Clinical note", "choice", False, LETTER),
    PathwayStep("image", "III", "Image", "choice", True, LETTER),
    _open(
        "diagnosis",
        "IV",
        "Diagnosis",
        "Give the complete diagnosis, with its side and site, in one line that begins with 'Diagnosis:'.",
        "Diagnosis: {answer}",
    ),
    _open(
        "diagnostic-reasoning",
        "V",
        "Diagnostic reasoning",
        "Explain step by step how the history, the examination and the imaging lead to the diagnosis.",
    ),
    _open(
        "treatment",
        "VI",
        "Treatment",
        "Recommend a treatment plan for this patient, in one line that begins with 'Treatment:'.",
        "Treatment: {answer}",
    ),
    _open(
        "treatment-reasoning",
        "VII",
        "Treatment reasoning",
        "Explain step by step why this treatment fits this patient and what else was weighed.",
    ),
    _open(MISMATCH, "VIII", "Text and image that contradict each other", "Give the diagnosis and the reasons for it."),
)
BY_NAME = {task.name: task for task in TASKS}

PATHWAY = Prompt(
    "pathway",
    LETTER.user,
    source=SOURCE,
    translations=LETTER.translations,
    replies=LETTER.replies,
    tasks={**LETTER.tasks, **{task.name: task.prompt for task in TASKS if task.kind != "choice"}},
)
