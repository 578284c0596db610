"""What a question asks for: one of the options that it lists, yes or no, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from snellen.items import LETTERS, LONGEST_OPTION, LONGEST_TEXT, Item, Option
from snellen.perturb.polar import means_unknown
from snellen.prompts.offered import offered

_MARK = re.compile(r"(?<!\S)(?:\(([A-Z])\)|\[([A-Z])\]|\*\*([A-Z])[).:]?\*\*[).:]?|([A-Z])[).:])(?=\s)")
"""What letters an option: `(A)`, `A)`, `A.`, `A:`, `[A]`, `**A**:`."""
_BULLET = re.compile(r"\s*\n[ \t]*[-*•>][ \t]*\Z")
_LEADS = (
    "is|are|was|were|does|do|did|has|have|can|could|would|should|will|isn't|aren't|doesn't",
    "è|sono|c'è|ci sono|ha|hanno|si vede|si vedono|mostra|presenta",
    "es|está|están|hay|tiene|tienen|muestra|son",
    "est-ce|y a-t-il|existe-t-il|a-t-on|le patient a-t-il",
    "ist|sind|gibt|hat|haben|liegt|zeigt|besteht",
)
_POLAR = re.compile(
    rf"(?:\A|[\n.!?:]\s*)(?:and |so |e |und |et |y |¿)?(?:{'|'.join(_LEADS)})(?=[\s'’])(?P<rest>[^.!?\n]{{2,300}})\?",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:or|oppure|oder|ou bien|o bien)\b", re.IGNORECASE)
_WORDS = {
    "i": ("Sì", "No"), "s": ("Sí", "No"), "f": ("Oui", "Non"), "g": ("Ja", "Nein"), "e": ("Yes", "No"),
}  # fmt: skip
_LANGUAGE = dict(zip("eisfg", (re.compile(rf"(?:{leads})\b", re.IGNORECASE) for leads in _LEADS), strict=True))


@lru_cache(maxsize=512)
def choice_asked(question: str) -> Item | None:
    r"""The question with the options that it lists, or with yes and no where it asks for these; None for all others.

    >>> [option.text for option in choice_asked("Which side?\n(A) Left (B) Right").options]
    ['Left', 'Right']
    >>> [option.text for option in choice_asked("Is there a pleural effusion?").options]
    ['Yes', 'No']
    >>> choice_asked("What does the image show?") is None
    True
    """
    text = question[-LONGEST_TEXT:]
    options = offered(text) or _marked(text) or _yes_or_no(text)
    fits = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    if not fits or any(not option.strip() or len(option) > LONGEST_OPTION for option in options):
        return None
    made = tuple(Option(option.strip(), abstains=means_unknown(option)) for option in options)
    return Item(id="guarded", question=text, options=made)


def _marked(text: str) -> tuple[str, ...]:
    """The options of the last list that runs A, B, C, however the letters are written; none where there is no list."""
    marks = [*_MARK.finditer(text)]
    second = max((at for at, mark in enumerate(marks) if _letter(mark) == "B"), default=0)
    first = max((at for at, mark in enumerate(marks[:second]) if _letter(mark) == "A"), default=None)
    if first is None:
        return ()
    run = _run(marks[first:])
    line = text.find("\n", run[-1].end())
    ends = [*(mark.start() for mark in run[1:]), len(text) if line < 0 else line]
    return tuple(
        _BULLET.sub("", text[mark.end() : end]).strip().rstrip(";,") for mark, end in zip(run, ends, strict=True)
    )


def _run(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The marks that continue the alphabet from the first."""
    run = [marks[0]]
    for mark in marks[1:]:
        if ord(_letter(mark)) == ord(_letter(run[-1])) + 1:
            run.append(mark)
    return run


def _letter(mark: re.Match[str]) -> str:
    return str(mark[mark.lastindex or 0])


def _yes_or_no(text: str) -> tuple[str, ...]:
    """Yes and no in the question's language, where its last question can be answered so."""
    found = [*_POLAR.finditer(text)]
    if not found or _EITHER.search(found[-1].group("rest")):
        return ()
    last = text.rfind("?")
    if text.rfind("?", 0, last) >= found[-1].end() or last >= found[-1].end():
        return ()
    asked = found[-1].group().lstrip("\n.!?: ¿").lower()
    language = next((code for code, leads in _LANGUAGE.items() if leads.match(asked)), "e")
    return _WORDS[language]
