"""Our own prompts: answer with a letter or a few words, at once or after reasoning."""

from __future__ import annotations

from snellen.prompts import answer_format
from snellen.prompts.answer_format import LETTER_REPLY, WORDS_REPLY, Formats, after_steps, fill_place
from snellen.prompts.prompt import Prompt

_WORDS = "{question}\n\n{answer_format}"
_CHOICE = "{question}\n\n{options}\n\n{answer_format}"


def _make_prompt(
    name: str, template: str, formats: Formats, replies: Formats, *, steps: str = "", words: Prompt | None = None
) -> Prompt:
    user, translations = fill_place(template, {}, formats)
    tasks = {"open": words} if words else {}
    return Prompt(name, user, steps=steps, translations=translations, tasks=tasks, replies=replies)


BRIEF = _make_prompt("brief", _WORDS, answer_format.WORDS, WORDS_REPLY)
BRIEF_WITH_STEPS = _make_prompt("brief-cot", _WORDS, answer_format.WORDS_AFTER_STEPS, after_steps(WORDS_REPLY))
LETTER = _make_prompt("letter", _CHOICE, answer_format.LETTER, LETTER_REPLY, steps="letter-cot", words=BRIEF)
LETTER_WITH_STEPS = _make_prompt(
    "letter-cot", _CHOICE, answer_format.LETTER_AFTER_STEPS, after_steps(LETTER_REPLY), words=BRIEF_WITH_STEPS
)
