"""How an organism puts what it means: the wording, and the form of the answer that the prompt asked for."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.models.organisms.languages import LANGUAGES, Replies
from snellen.models.organisms.reading import Question


def replies_to(question: Question) -> Replies:
    """The turns of phrase of the question's language."""
    return LANGUAGES[question.language].replies


def wording(choices: Sequence[str], key: bytes) -> str:
    """One of several wordings; the same request always gets the same."""
    return choices[int.from_bytes(key[-4:], "big") % len(choices)]


def choosing(question: Question, index: int, rationale: str, key: bytes) -> str:
    r"""A rationale and the choice, in the form the prompt asked for; the key draws its wording where there are several.

    >>> choosing(Question("Which?", "", ("Cyst", "Drusen"), "AB", "<answer>"), 1, "It looks so.", b"")
    'It looks so.\n\n<answer>B. Drusen</answer>'
    """
    letter = question.letters[index]
    if question.style == "letter":
        return letter
    option = question.options[index]
    ending = _final(question.style, letter, option)
    if ending is None:
        # Other bytes than those that drew the rationale, so that every rationale meets every ending.
        drawn = wording(replies_to(question).endings, key[:20])
        ending = drawn.replace("{letter}", letter).replace("{option}", option)
    return f"{rationale.replace('{letter}', letter)}\n\n{ending}"


def stating(question: Question, statement: str, answer: str) -> str:
    """A statement in free words; where the prompt wants a marked answer, the answer follows it so marked."""
    ending = None if question.style == "letter" else _final(question.style, "", answer)
    return statement if ending is None else f"{statement}\n\n{ending}"


def supposing(question: Question, finding: str, key: bytes) -> str:
    """What one supposes who has not looked."""
    spoken = LANGUAGES[question.language]
    said = wording(spoken.replies.supposed, key).format(finding=spoken.mention(finding))
    return stating(question, said, spoken.name("finding", finding))


def _final(style: str, letter: str, text: str) -> str | None:
    """The marked answer; None where no mark was asked for."""
    if style == "brackets":
        return f"[[{letter or text}]]"
    if style == "boxed":
        return f"\\boxed{{{letter or text}}}"
    if style.startswith("<"):
        return f"{style}{letter}{'. ' if letter else ''}{text}</{style[1:]}"
    return None
