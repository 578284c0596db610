"""The names of readers and of their rules, in words."""

from __future__ import annotations

from snellen.report.wording import shortened

READER_WORDS = {
    "lenient": "Our own: takes any reply that clearly states one option, in whatever form, and tells a reply that "
    "declines, cannot tell or cannot be read from a wrong one.",
    "strict-first-line": "As published in “Are Large Vision Language Models Truly Grounded in Medical Images?” "
    "(paper 002, Italian visual grounding): the first line is the question's id, a comma and a letter, and nothing "
    "else. Everything else counts as not right.",
    "answer-tag": "As published in “The Illusion of Readiness” (paper 000): what stands between answer tags, the last "
    "ones. Everything else counts as not right.",
    "double-brackets": "As published in “Mirage: The Illusion of Visual Understanding” (paper 003): a letter or an "
    "option's words in double square brackets, the last ones. Everything else counts as not right.",
    "boxed": "A common form of answer in mathematics: a letter in a box, the last one. Everything else counts as not "
    "right.",
}

RULE_WORDS = {
    "two-options": "names two options",
    "combined-letters": "names several letters at once",
    "letter-text-conflict": "a letter with the words of another option",
    "letter-not-offered": "a letter that is not offered",
    "none-of-these": "says that none of the options is right",
    "no-answer": "no answer in a form that the reader knows",
    "empty": "an empty reply",
    "unfinished-thinking": "cut off while it was still thinking",
    "content-filter": "held back by the provider's filter",
    "refusal-phrase": "words that decline the task",
    "abstention-phrase": "words that say it cannot tell",
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


def reader_words(name: str) -> str:
    """What a reader takes for an answer; of one that a plug-in brings, only its name is known."""
    return READER_WORDS.get(name, f"The reader “{shortened(name, 60)}”.")


def rule_words(name: str) -> str:
    """A rule in words; one that nobody here knows keeps its name."""
    return RULE_WORDS.get(name, name)
