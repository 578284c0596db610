"""Responses of organisms: their wording, in the form of answer that the prompt asks for."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.models.organisms.languages import LANGUAGES, Replies, Steps
from snellen.models.organisms.reading import ParsedQuestion


def replies_to(question: ParsedQuestion) -> Replies:
    """Return the phrases of the question's language."""
    return LANGUAGES[question.language].replies


def steps_to(question: ParsedQuestion) -> Steps:
    """Return the phrases of reasoning before an answer, in the question's language."""
    return LANGUAGES[question.language].steps


def wording(choices: Sequence[str], key: bytes) -> str:
    """Return one of several wordings; a request always gets the same one."""
    return choices[int.from_bytes(key[-4:], "big") % len(choices)]


def choosing(question: ParsedQuestion, index: int, rationale: str, key: bytes, steps: Sequence[str] = ()) -> str:
    r"""Return a rationale and the choice, in the form that the prompt asks for. `key` selects the wording.

    The steps come before the rationale if the prompt asks for thinking.

    >>> choosing(ParsedQuestion("Which?", "", ("Cyst", "Drusen"), "AB", "<answer>"), 1, "It looks so.", b"")
    'It looks so.\n\n<answer>B. Drusen</answer>'
    """
    option = question.options[index]
    letter = question.letters[index] if question.letters else ""
    ending = _format_marked_answer(question.style, letter, option)
    if question.style in ("letter", "bare") and ending and not question.steps:
        return ending
    if ending is None:
        said = replies_to(question)
        # Different bytes of the key than for the rationale, so that all of both are combined.
        drawn = wording(said.conclusions if question.in_words else said.endings, key[:20])
        ending = drawn.replace("{letter}", letter).replace("{option}", option)
    reason = rationale.replace("{letter}", letter or f'"{option}"')
    told = _wrap_thinking(question, (*steps, reason)) if question.steps else reason
    return f"{told}\n\n{ending}"


def stating(question: ParsedQuestion, statement: str, answer: str, steps: Sequence[str]) -> str:
    """Return a free statement, followed by a marked answer if the prompt asks for one."""
    ending = None if question.style == "letter" else _format_marked_answer(question.style, "", answer)
    said = statement if ending is None else f"{statement}\n\n{ending}"
    return saying(question, said, steps)


def saying(question: ParsedQuestion, said: str, steps: Sequence[str]) -> str:
    """Return a response without a choice, after reasoning steps if the prompt asks for thinking."""
    return f"{_wrap_thinking(question, steps)}\n\n{said}" if question.steps else said


def _wrap_thinking(question: ParsedQuestion, lines: Sequence[str]) -> str:
    """Return the lines of reasoning, within a tag if the prompt asks for one."""
    tag, thought = question.thinks_in, "\n".join(lines)
    return f"{tag}\n{thought}\n</{tag[1:]}" if tag else thought


def supposing(question: ParsedQuestion, finding: str, key: bytes) -> str:
    """Return a response that supposes a finding without a look at the image."""
    spoken = LANGUAGES[question.language]
    said = wording(spoken.replies.supposed, key).format(finding=spoken.mention(finding))
    return stating(question, said, spoken.name("finding", finding), spoken.steps.reading)


def _format_marked_answer(style: str, letter: str, text: str) -> str | None:
    if style in ("letter", "bare"):
        return letter or text
    if style == "brackets":
        return f"[[{letter or text}]]"
    if style == "boxed":
        return f"\\boxed{{{letter or text}}}"
    if style.startswith("<"):
        return f"{style}{letter}{'. ' if letter else ''}{text}</{style[1:]}"
    return None
