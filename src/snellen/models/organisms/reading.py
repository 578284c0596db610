"""Question: what an organism reads out of a request's words, whatever prompt they came in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from snellen.models.organisms.languages import language_of
from snellen.prompts import Request
from snellen.prompts.offered import offer


class Form(NamedTuple):
    """`style` is the answer's: "line", "letter", "bare" (no word but the choice), "brackets", "boxed" or a tag.

    `steps` says that thinking is asked for, `thinks_in` the tag it is to stand in, if any.
    """

    style: str = "line"
    steps: bool = False
    thinks_in: str = ""


_TAG = re.compile(r"<([A-Za-z_]\w*)>(?: tags\b|.{0,80}?</\1>)", re.DOTALL)
_THOUGHTS = frozenset(("think", "thinking", "thought", "thoughts", "reasoning", "rationale", "scratchpad", "analysis"))
_STEP_BY_STEP = re.compile(
    r"\b(?:step[- ]by[- ]step|chain[- ]of[- ]thought|passo (?:dopo|per|a) passo|paso a paso|étape par étape|pas à pas|"
    r"schritt für schritt)\b|\b(?:think|reason|explain|work)\w*\b[^.?!\n]{0,20}\bin steps\b|逐步|一步一?步|分步",
    re.IGNORECASE,
)
_NOT_WANTED = re.compile(
    r"(?:\b(?:no|not|never|without|non|senza|sin|sans|ohne|nicht)\b|n['’]t\b|[不勿]|无需)[^.,:;!?。，：；！？\n]*\Z",
    re.IGNORECASE,
)
_REACH = 40
_ONLY_THE_LETTER = re.compile(r"\b(?:only|just)\b[^.\n]{0,40}\bletter\b|\bletter\b[^.\n]{0,20}\bonly\b", re.IGNORECASE)
_NOTHING_ELSE = re.compile(r"\bno (?:extra|additional|further) (?:conversation|comments?|words|text)\b", re.IGNORECASE)
_ONLY_IN_OTHERS = re.compile(r"\b(?:solo|soltanto|solamente)\b[^.\n]{0,40}\blettera\b|[只仅][^。\n]{0,12}字母")


def form_asked(words: str) -> Form:
    """The form that a prompt's own words ask for.

    >>> form_asked("Think within <thinking></thinking>, then answer within <answer></answer>.")
    Form(style='<answer>', steps=True, thinks_in='<thinking>')
    """
    tags = _TAG.findall(words) if "</" in words or "> tags" in words else []
    thoughts = [tag for tag in tags if tag.lower() in _THOUGHTS]
    answers = [tag for tag in tags if tag.lower() not in _THOUGHTS]
    # Where thinking comes first, so may marks for other things; the answer stands in the last.
    tag = "" if not answers else answers[-1] if thoughts else answers[0]
    thinks_in = f"<{thoughts[0]}>" if thoughts else ""
    return Form(_style(words, tag), bool(thoughts) or _asked_to_think(words), thinks_in)


def form_in_words(words: str) -> Form:
    """The same where the choices are named in words: an answer by its letter cannot be asked for there.

    >>> form_in_words('Choose "cyst" or "normal". Provide no extra comments.').style
    'bare'
    """
    form = form_asked(words)
    if form.style not in ("line", "letter"):
        return form
    return form._replace(style="bare" if _NOTHING_ELSE.search(words) else "line")


def _style(words: str, tag: str) -> str:
    if "[[" in words:
        return "brackets"
    if "\\boxed" in words:
        return "boxed"
    if tag:
        return f"<{tag}>"
    spare = "lettera" not in words and words.isascii()
    only = _ONLY_THE_LETTER.search(words) or (None if spare else _ONLY_IN_OTHERS.search(words))
    return "letter" if only else "line"


def _asked_to_think(words: str) -> bool:
    """Whether some words ask for steps, and do not say that there should be none."""
    return any(
        _NOT_WANTED.search(words, max(0, found.start() - _REACH), found.start()) is None
        for found in _STEP_BY_STEP.finditer(words)
    )


@dataclass(frozen=True)
class Question:
    """The words of a request taken apart.

    `stem` is the question itself, `vignette` what stands before it, `style` how the answer is wanted (see `Form`);
    `language` is that of the question, whatever language the prompt around it is in. Options that a prompt names in
    words have no `letters`. `steps` says that thinking is asked for, `thinks_in` the tag it is to stand in.
    """

    stem: str
    vignette: str = ""
    options: tuple[str, ...] = ()
    letters: str = ""
    style: str = "line"
    language: str = "en"
    steps: bool = False
    thinks_in: str = ""
    told_to_guess: bool = False
    """Whether the request says that the image is gone and asks for a guess."""

    @property
    def in_words(self) -> bool:
        """Whether it is to be answered by the words of an option, since these have no letters."""
        return bool(self.options) and not self.letters


_AT_LINE_START = re.compile(r"^[ \t]*[(\[（]?([A-Za-zＡ-Ｚ])[)\].:、．：）][ \t]*(?=\S)", re.MULTILINE)
_WITHIN_LINE = re.compile(r"(?<![\w.])[(\[（]?([A-Za-z])(?:[)\].:][ \t]+|[、．：）][ \t]*)(?=\S)")
_LIST_HEADING = re.compile(r"\n[^\n.?!。？！]{0,40}[:：]\s*\Z")
_QUESTION_HEADING = re.compile(r"\bquestion[ \t]*:[ \t]*", re.IGNORECASE)
_OTHER_HEADING = re.compile(r"(?:\b[Dd]omanda|问题|题目)[ \t]*[:：][ \t]*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TOLD_TO_GUESS = re.compile(r"image (?:has been|was) removed\b.{0,80}\bguess", re.IGNORECASE | re.DOTALL)
_CHOICES_NAMED = re.compile(
    r"(?:\bas an? \w+, )?\b(?:choosing between|conclude your answer in)\s*(?:[-–—:]\s*)?(?=[\"“])", re.IGNORECASE
)
_SENTENCE_START = re.compile(r"(?<=[.!?\"”])\s+(?=\S)|(?<=[。！？])(?=[^\s”’」])|(?<=[。！？][”’」])(?=\S)")


def read(request: Request) -> Question:
    """The question that a request asks."""
    question = _read(request.system, request.text)
    told = _TOLD_TO_GUESS.search(request.system) or _TOLD_TO_GUESS.search(request.text)
    return replace(question, told_to_guess=True) if told else question


@lru_cache(maxsize=512)
def _read(system: str, text: str) -> Question:
    if (named := _named(system, text)) is not None:
        return named
    listed = _listed(text)
    if not listed:
        stem, vignette = _divided(text)
        language = language_of(f"{vignette}\n{stem}")
        return Question(stem, vignette, language=language, **form_asked(f"{system}\n{text}")._asdict())
    first = listed[0].start()
    stem, vignette = _divided(_LIST_HEADING.sub("", "\n" + text[:first].rstrip()))
    ends = (*(mark.start() for mark in listed[1:]), _end_of_last(text, listed))
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(listed, ends, strict=True))
    letters = "".join(mark.group(1) for mark in listed)
    style, steps, thinks_in = form_asked(f"{system}\n{text[:first]}\n{text[ends[-1] :]}")
    language = language_of("\n".join((vignette, stem, *options)))
    return Question(stem, vignette, options, letters, style, language, steps, thinks_in)


def _named(system: str, text: str) -> Question | None:
    """The question of a prompt that names its choices in a sentence, or None where there is no such sentence."""
    marks = list(_CHOICES_NAMED.finditer(text))
    if not marks or (named := offer(text)).lettered or len(named.choices) < 2:
        return None
    stem, vignette = _divided(text[: marks[-1].start()].rstrip())
    language = language_of("\n".join((vignette, stem, *named.choices)))
    return Question(stem, vignette, named.choices, language=language, **form_in_words(f"{system}\n{text}")._asdict())


def _listed(text: str) -> list[re.Match[str]]:
    """The marks of the last list that runs A, B, C…: on lines of their own, or else within a line, after a stop."""
    for pattern in (_AT_LINE_START, _WITHIN_LINE):
        run: list[re.Match[str]] = []
        longest: list[re.Match[str]] = []
        for mark in pattern.finditer(text):
            letter = mark.group(1)
            if run and ord(letter) == ord(run[-1].group(1)) + 1:
                run.append(mark)
            elif letter in "AaＡ" and (pattern is _AT_LINE_START or _after_a_stop(text, mark.start())):
                run = [mark]
            else:
                continue
            if len(run) >= 2:
                longest = run
        if longest:
            return longest
    return []


def _after_a_stop(text: str, at: int) -> bool:
    return text[max(0, at - 8) : at].rstrip()[-1:] in "?:.;!？：。；！"


def _end_of_last(text: str, listed: list[re.Match[str]]) -> int:
    """Where the last option ends: it has as many lines as the one before it, and what follows is the prompt's."""
    end = listed[-1].end()
    for _ in range(text[listed[-2].end() : listed[-1].start()].strip().count("\n") + 1):
        end = text.find("\n", end + 1)
        if end < 0:
            return len(text)
    return end


def _divided(head: str) -> tuple[str, str]:
    """The question and what stands before it: its paragraphs, or its sentences where it is all one paragraph."""
    paragraphs = [part.strip() for part in _BLANK_LINE.split(_last_question(head)) if part.strip()]
    if not paragraphs:
        return "", ""
    if len(paragraphs) > 1:
        return paragraphs[-1], "\n".join(paragraphs[:-1])
    sentences = _SENTENCE_START.split(paragraphs[0])
    asking = next((at for at in reversed(range(len(sentences))) if "?" in sentences[at] or "？" in sentences[at]), 0)
    return " ".join(sentences[asking:]), " ".join(sentences[:asking])


def _last_question(head: str) -> str:
    """What follows the last "Question:", so that a prompt's own instructions are not taken for the case."""
    at = max((mark.end() for mark in _QUESTION_HEADING.finditer(head)), default=0)
    if "omanda" in head or not head.isascii():  # a search that most texts can be spared
        at = max((mark.end() for mark in _OTHER_HEADING.finditer(head, at)), default=at)
    return head[at:]
