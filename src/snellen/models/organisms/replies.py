"""How an organism puts what it means: the wording, and the form of the answer that the prompt asked for."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.models.organisms.languages import LANGUAGES, Replies, Steps
from snellen.models.organisms.reading import Question


def replies_to(question: Question) -> Replies:
    """The turns of phrase of the question's language."""
    return LANGUAGES[question.language].replies


def steps_to(question: Question) -> Steps:
    """What is said on the way to an answer, in the question's language."""
    return LANGUAGES[question.language].steps


def wording(choices: Sequence[str], key: bytes) -> str:
    """One of several wordings; the same request always gets the same."""
    return choices[int.from_bytes(key[-4:], "big") % len(choices)]


def choosing(question: Question, index: int, rationale: str, key: bytes, steps: Sequence[str] = ()) -> str:
    r"""A rationale and the choice, in the form the prompt asked for; the key draws its wording where there are several.

    The steps that lead to the rationale are told where the prompt asks for thinking.

    >>> choosing(Question("Which?", "", ("Cyst", "Drusen"), "AB", "<answer>"), 1, "It looks so.", b"")
    'It looks so.\n\n<answer>B. Drusen</answer>'
    """
    option = question.options[index]
    letter = question.letters[index] if question.letters else ""
    ending = _final(question.style, letter, option)
    if question.style in ("letter", "bare") and ending and not question.steps:
        return ending
    if ending is None:
        said = replies_to(question)
        # Other bytes than those that drew the rationale, so that every rationale meets every ending.
        drawn = wording(said.conclusions if question.in_words else said.endings, key[:20])
        ending = drawn.replace("{letter}", letter).replace("{option}", option)
    reason = rationale.replace("{letter}", letter or f'"{option}"')
    told = _thought(question, (*steps, reason)) if question.steps else reason
    return f"{told}\n\n{ending}"


def stating(question: Question, statement: str, answer: str, steps: Sequence[str]) -> str:
    """A statement in free words; where the prompt wants a marked answer, the answer follows it so marked."""
    ending = None if question.style == "letter" else _final(question.style, "", answer)
    said = statement if ending is None else f"{statement}\n\n{ending}"
    return saying(question, said, steps)


def saying(question: Question, said: str, steps: Sequence[str]) -> str:
    """Words without a choice, after the steps that lead to them where the prompt asks for thinking."""
    return f"{_thought(question, steps)}\n\n{said}" if question.steps else said


def _thought(question: Question, lines: Sequence[str]) -> str:
    """The lines, within the tag for thinking where one is asked for."""
    tag, thought = question.thinks_in, "\n".join(lines)
    return f"{tag}\n{thought}\n</{tag[1:]}" if tag else thought


def supposing(question: Question, finding: str, key: bytes) -> str:
    """What one supposes who has not looked."""
    spoken = LANGUAGES[question.language]
    said = wording(spoken.replies.supposed, key).format(finding=spoken.mention(finding))
    return stating(question, said, spoken.name("finding", finding), spoken.steps.reading)


def _final(style: str, letter: str, text: str) -> str | None:
    """The marked answer; None where no mark was asked for."""
    if style in ("letter", "bare"):
        return letter or text
    if style == "brackets":
        return f"[[{letter or text}]]"
    if style == "boxed":
        return f"\\boxed{{{letter or text}}}"
    if style.startswith("<"):
        return f"{style}{letter}{'. ' if letter else ''}{text}</{style[1:]}"
    return None
