"""ParsedQuestion: what an organism reads in a request's text, whatever the prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from snellen.models.organisms.languages import language_of
from snellen.prompts import Request
from snellen.prompts.offered import offer


class Form(NamedTuple):
    """Form of the answer: `style` is "line", "letter", "bare", "brackets", "boxed" or a tag.

    `steps` is True if the prompt asks for thinking, and `thinks_in` is the tag for it, if any.
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
    """Return the form of answer that a prompt asks for.

    >>> form_asked("Think within <thinking></thinking>, then answer within <answer></answer>.")
    Form(style='<answer>', steps=True, thinks_in='<thinking>')
    """
    tags = _TAG.findall(words) if "</" in words or "> tags" in words else []
    thoughts = [tag for tag in tags if tag.lower() in _THOUGHTS]
    answers = [tag for tag in tags if tag.lower() not in _THOUGHTS]
    # If thinking comes first, tags for other things may follow; the answer is in the last one.
    tag = "" if not answers else answers[-1] if thoughts else answers[0]
    thinks_in = f"<{thoughts[0]}>" if thoughts else ""
    asked_to_think = any(
        _NOT_WANTED.search(words, max(0, found.start() - _REACH), found.start()) is None
        for found in _STEP_BY_STEP.finditer(words)
    )
    return Form(_style(words, tag), bool(thoughts) or asked_to_think, thinks_in)


def form_in_words(words: str) -> Form:
    """Return the form of answer for choices without letters.

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


@dataclass(frozen=True)
class ParsedQuestion:
    """The parts of a request's text.

    `stem` is the question itself, `vignette` the text before it, and `style` the form of the answer (see `Form`).
    `language` is the question's, even if the prompt is in another one. Options that a prompt names in a sentence have
    no `letters`. `steps` is True if the prompt asks for thinking, and `thinks_in` is the tag for it, if any.
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
    """True if the request says that the image was removed and asks for a guess."""

    @property
    def in_words(self) -> bool:
        """True if the options have no letters, so that the answer is an option's text."""
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


def read(request: Request) -> ParsedQuestion:
    """Return the question that a request asks."""
    question = _read(request.system, request.text)
    told = _TOLD_TO_GUESS.search(request.system) or _TOLD_TO_GUESS.search(request.text)
    return replace(question, told_to_guess=True) if told else question


@lru_cache(maxsize=512)
def _read(system: str, text: str) -> ParsedQuestion:
    if (named := _parse_named_choices(system, text)) is not None:
        return named
    listed = _find_list_marks(text)
    if not listed:
        stem, vignette = _split_question(text)
        language = language_of(f"{vignette}\n{stem}")
        return ParsedQuestion(stem, vignette, language=language, **form_asked(f"{system}\n{text}")._asdict())
    first = listed[0].start()
    stem, vignette = _split_question(_LIST_HEADING.sub("", "\n" + text[:first].rstrip()))
    ends = (*(mark.start() for mark in listed[1:]), _end_of_last(text, listed))
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(listed, ends, strict=True))
    letters = "".join(mark.group(1) for mark in listed)
    style, steps, thinks_in = form_asked(f"{system}\n{text[:first]}\n{text[ends[-1] :]}")
    language = language_of("\n".join((vignette, stem, *options)))
    return ParsedQuestion(stem, vignette, options, letters, style, language, steps, thinks_in)


def _parse_named_choices(system: str, text: str) -> ParsedQuestion | None:
    """Return the question of a prompt that names its choices in a sentence; else None."""
    marks = list(_CHOICES_NAMED.finditer(text))
    if not marks or (named := offer(text)).lettered or len(named.choices) < 2:
        return None
    stem, vignette = _split_question(text[: marks[-1].start()].rstrip())
    language = language_of("\n".join((vignette, stem, *named.choices)))
    return ParsedQuestion(
        stem, vignette, named.choices, language=language, **form_in_words(f"{system}\n{text}")._asdict()
    )


def _find_list_marks(text: str) -> list[re.Match[str]]:
    """Return the marks of the last list A, B, C…, on lines or within one."""
    for pattern in (_AT_LINE_START, _WITHIN_LINE):
        run: list[re.Match[str]] = []
        longest: list[re.Match[str]] = []
        for mark in pattern.finditer(text):
            letter, before = mark.group(1), text[max(0, mark.start() - 8) : mark.start()]
            if run and ord(letter) == ord(run[-1].group(1)) + 1:
                run.append(mark)
            elif letter in "AaＡ" and (pattern is _AT_LINE_START or before.rstrip()[-1:] in "?:.;!？：。；！"):
                run = [mark]
            else:
                continue
            if len(run) >= 2:
                longest = run
        if longest:
            return longest
    return []


def _end_of_last(text: str, listed: list[re.Match[str]]) -> int:
    """Return the end of the last option, assuming as many lines as the previous one."""
    end = listed[-1].end()
    for _ in range(text[listed[-2].end() : listed[-1].start()].strip().count("\n") + 1):
        end = text.find("\n", end + 1)
        if end < 0:
            return len(text)
    return end


def _split_question(head: str) -> tuple[str, str]:
    """Split a text into question and vignette, by paragraphs, or else by sentences."""
    paragraphs = [part.strip() for part in _BLANK_LINE.split(_last_question(head)) if part.strip()]
    if not paragraphs:
        return "", ""
    if len(paragraphs) > 1:
        return paragraphs[-1], "\n".join(paragraphs[:-1])
    sentences = _SENTENCE_START.split(paragraphs[0])
    asking = next((at for at in reversed(range(len(sentences))) if "?" in sentences[at] or "？" in sentences[at]), 0)
    return " ".join(sentences[asking:]), " ".join(sentences[:asking])


def _last_question(head: str) -> str:
    """Return the text after the last "Question:", without a prompt's own instructions."""
    at = max((mark.end() for mark in _QUESTION_HEADING.finditer(head)), default=0)
    if "omanda" in head or not head.isascii():  # most texts do not need this search
        at = max((mark.end() for mark in _OTHER_HEADING.finditer(head, at)), default=at)
    return head[at:]
