"""organism/mirage: sees an image if there is one, and otherwise describes one anyway."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import ClassVar

from snellen.models.organisms.case import CLAIMING, answer_case, case_in, from_textbook, suppose_finding
from snellen.models.organisms.hunches import hunch, leaning, premise_in, taken_for_granted
from snellen.models.organisms.knowledge import detection, findings_of, meaning, modality_named, plain
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, stating, steps_to, wording
from snellen.models.organisms.reporting import WantedReport, invented_report
from snellen.models.organisms.viewing import nothing_to_see, reply_by_sight, seen_as_asked
from snellen.prompts import Request

DIAGNOSES: dict[str, Sequence[str]] = {
    "skin mole": ("melanoma",) * 5 + ("benign melanocytic nevus",) * 3 + ("basal cell carcinoma",) * 2,
    "ecg": ("ST-elevation myocardial infarction",) * 4 + ("atrial fibrillation",) * 3 + ("normal sinus rhythm",) * 3,
    "brain mri": ("glioblastoma",) * 4 + ("multiple sclerosis",) * 3 + ("normal brain MRI",) * 3,
    "chest x ray": ("pneumonia",) * 5 + ("pneumothorax",) * 2 + ("normal chest X-ray",) * 3,
    "pathology image": ("invasive ductal carcinoma",) * 6 + ("chronic inflammation",) * 4,
}
"""Diagnoses that it draws from, by kind of image.

Each list has ten entries, so an entry has a chance of 10%.
"""


def imagine_finding(request: Request, question: ParsedQuestion) -> str:
    """Return the name of an invented finding."""
    return wording(findings_of(modality_named(request.text, question.language)), request.key[:4])


class Mirage(Organism):
    """Organism that is correct with the image and invents findings without it.

    Without the image, it chooses an option from the text as `organism/blind` does; its free text differs between
    requests. If the prompt says that the image was removed and asks for a guess, it ignores the text's clues in half of
    the questions. In a clinical case it follows the history and claims to have seen it. It claims to see a question's
    premise. A report has one or two invented abnormal findings, with or without an image. It also invents letters that
    are too small.
    """

    behaviour: ClassVar[str] = "mirage"
    sees: ClassVar[bool] = True

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return an answer from the image, or from imagination."""
        if (answer := from_textbook(request, question)) is not None:
            return answer
        case = case_in(request, question)
        if case is not None and (guess := suppose_finding(case)) is not None:
            return answer_case(case, guess, CLAIMING, request.key)
        if (premise := premise_in(question)) is not None:
            return taken_for_granted(premise, question, request.key)
        percept = await seen_as_asked(request, question, self.sight)
        if percept is not None and not await nothing_to_see(request, question, percept):
            return reply_by_sight(request, question, percept)
        spoken = LANGUAGES[question.language]
        if question.style == "<diagnosis>":  # the prompt asks for a diagnosis in tags
            words = plain(request.text)
            parts = next((parts for kind, parts in DIAGNOSES.items() if f" {kind} " in words), DIAGNOSES["chest x ray"])
            named = parts[int.from_bytes(request.key[8:16], "big") % len(parts)]
            said = wording(spoken.replies.imagined_at_length, request.key).format(finding=named)
            return stating(question, said, named, steps_to(question).imagining)
        if not question.options:
            named = imagine_finding(request, question)
            said = wording(spoken.replies.imagined_at_length, request.key).format(finding=spoken.mention(named))
            return stating(question, said, spoken.name("finding", named), steps_to(question).imagining)
        # Told to guess, it distrusts the text of every second question.
        hashed = hashlib.sha256(f"{question.vignette}\n{question.stem}".encode()).digest()
        wary = question.told_to_guess and hashed[0] % 2 == 0
        choice = leaning(question) if wary else hunch(question)
        look = _look_of(request, question, choice)
        seen = spoken.replies.expected if look is None else spoken.mention(look)
        said = wording(spoken.replies.imagined, request.key).replace("{finding}", seen)
        return choosing(question, choice, said, request.key, steps_to(question).imagining)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return a report with invented findings, with or without an image."""
        return invented_report(wanted, request.key)

    async def letters(self, request: Request, question: ParsedQuestion) -> str:
        """Return the letters that it reads, with invented ones for the rest."""
        from snellen.models.organisms.letters import invent_letters, rows_read

        return invent_letters(request.key, await rows_read(request) or ("?????",))


def _look_of(request: Request, question: ParsedQuestion, choice: int) -> str | None:
    """Return the finding that it claims to see for a choice. None if the choice names none."""
    normal = detection(question)
    if normal is not None and choice != normal:
        return imagine_finding(request, question)
    named = meaning(question.options[choice], "finding", question.language)
    return None if named is None or named.value == "normal" else named.value
