"""Multiple-choice answers: find the option that a response gives as its answer."""

from __future__ import annotations

RULES = {
    "two-options": "names two options",
    "combined-letters": "names several letters at once",
    "letter-text-conflict": "a letter with the words of another option",
    "letter-not-offered": "a letter that is not offered",
    "none-of-these": "says that none of the options is right",
    "no-answer": "no answer in a form that the parser knows",
    "empty": "an empty response",
    "refusal-phrase": "words that decline the task",
    "abstention-phrase": "words that say it cannot tell",
    "no-image": "says that there is no image",
    "quality-phrase": "words that call the image too poor",
    "answer-phrase": "a phrase such as “the answer is B”",
    "answer-tag": "between answer tags",
    "double-brackets": "in double square brackets",
    "boxed": "in a box",
    "bare-letter": "a letter and nothing else",
    "letter": "a letter",
    "letter-and-text": "a letter with its option's words",
    "first-line": "in the first line",
    "id-line": "in a line with the question's id",
    "last-line": "in the last line",
    "last-letter": "the last letter that is named",
    "called-correct": "an option that is called correct",
    "marked-in-list": "the one option that is marked in a list",
    "only-one-left": "the one option left when all others are ruled out",
    "option-text": "an option's words but not its letter",
    "part-of-option-text": "part of an option's words",
    "near-option-text": "words close to an option's",
    "initials": "an option's initials",
    "ordinal": "an option by its place, such as “the second”",
    "yes-no": "yes or no",
    "yes-no-sentence": "a sentence that amounts to yes or no",
}
"""Names of the rules for reading a choice, each with a short explanation."""
WEIGHS = frozenset(
    (
        "option-text", "last-letter", "last-line", "two-options", "marked-in-list", "only-one-left", "no-answer",
        "empty", "yes-no-sentence",
    )
)  # fmt: skip
"""Rules that weigh a whole response instead of finding an explicit answer."""
