"""The eight tasks of "The Illusion of Clinical Reasoning" (the Pathway paper), and how each is worded.

The paper's own prompts stand in an appendix that is not public; these are ours. A benchmark's folder may bring its own.
"""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Kind
from snellen.prompts.ours import LETTER
from snellen.prompts.prompt import Prompt

SOURCE = "ours, after The Illusion of Clinical Reasoning, Table 2"


class Task(NamedTuple):
    """A step of the clinical pathway: its name in `metadata["task"]`, its number and title in the paper, its wording.

    `image` says whether its questions come with an image.
    """

    name: str
    number: str
    title: str
    kind: Kind
    image: bool
    prompt: Prompt


def _open(name: str, asked: str, reply: str = "{answer}") -> Prompt:
    return Prompt(f"pathway-{name}", f"{{question}}\n\n{asked}", source=SOURCE, replies={"en": reply})


MISMATCH = "mismatch"
"""The task whose image is of another part of the body than the words: it is solved by saying so."""
TASKS = (
    Task("knowledge", "I", "Knowledge recall", "choice", False, LETTER),
    Task("note", "II", "Clinical note", "choice", False, LETTER),
    Task("image", "III", "Image", "choice", True, LETTER),
    Task(
        "diagnosis",
        "IV",
        "Diagnosis",
        "open",
        True,
        _open(
            "diagnosis",
            "Give the complete diagnosis, with its side and site, in one line that begins with 'Diagnosis:'.",
            "Diagnosis: {answer}",
        ),
    ),
    Task(
        "diagnostic-reasoning",
        "V",
        "Diagnostic reasoning",
        "open",
        True,
        _open(
            "diagnostic-reasoning",
            "Explain step by step how the history, the examination and the imaging lead to the diagnosis.",
        ),
    ),
    Task(
        "treatment",
        "VI",
        "Treatment",
        "open",
        True,
        _open(
            "treatment",
            "Recommend a treatment plan for this patient, in one line that begins with 'Treatment:'.",
            "Treatment: {answer}",
        ),
    ),
    Task(
        "treatment-reasoning",
        "VII",
        "Treatment reasoning",
        "open",
        True,
        _open(
            "treatment-reasoning",
            "Explain step by step why this treatment fits this patient and what else was weighed.",
        ),
    ),
    Task(
        MISMATCH,
        "VIII",
        "Text and image that contradict each other",
        "open",
        True,
        _open(MISMATCH, "Give the diagnosis and the reasons for it."),
    ),
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
