"""Letters that a reply calls right: "Option C is the correct answer", "la B è corretta", "D是正确的"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snellen.grading.letters import LATIN
from snellen.grading.option_text import OptionWords
from snellen.grading.phrases import ANSWER_NOUNS, APPROVALS, DENIALS, OPTION_NOUNS, one_of
from snellen.grading.statements import Statement
from snellen.items import LETTERS

_DENIED = re.compile(DENIALS)
_NOUNS = one_of(noun for nouns in (*ANSWER_NOUNS.values(), *OPTION_NOUNS.values()) for noun in nouns)
_VERDICT = re.compile(
    rf"([A-Z])(?![{LATIN}'])[)\].\":]{{0,2}}\s?(?:\([^()\n]{{0,120}}\)\s?)?(?:选项|答案)?"
    rf"(?:(?:is|fits|matches|seems|appears|remains|would be|è|sarebbe|sembra|es|sería|parece|est|serait|semble|"
    rf"ist|wäre|scheint|"
    rf"é)\s|"
    rf"是|最|(?=正确)|(?=the (?:correct|best|right|most))|as (?=the)|come (?=la)|(?=la (?:risposta|respuesta|"
    rf"réponse)))"
    rf"(?=([^\n.;,]{{0,90}}))"
)
_BEFORE_VERDICT = re.compile(
    rf"(?:^|[\n.!?:;,(\[\"'*>-]|(?<![{LATIN}])(?:that|so|thus|therefore|think|believe|and|but|only|making|hence|"
    rf"because|la|"
    rf"l'|che|quindi|que|porque|donc|dass|also|makes|why|cui|{_NOUNS}))\s?$|[\u3000-\u9fff]$"
)
_CLAIM = re.compile(rf"(?:\S+\s){{0,5}}?\S{{0,4}}?(?<![{LATIN}])(?:{APPROVALS})(?![{LATIN}])")
_OUTRIGHT = re.compile(
    r"(?:the |la |le |die |quella )?(?:correct|right\b|corrett[ao]|giust[ao]|esatt[ao]|richtig|exacte?\b|corret[ao]|"
    r"正确)"
)
_FOREMOST = re.compile(
    r"(?:\S+\s){0,2}?(?:most|best|better|more|più|miglior\w*|más|mejor|plus|meilleure?|am|beste\w*|likely|probable|"
    r"probabile|wahrscheinlich\w*|最|答案)"
)
_NAMED_ANSWER = re.compile(
    r"(?:\S+\s){0,6}?\S{0,6}(?:answer|option|choice|risposta|opzione|scelta|respuesta|opción|réponse|choix|"
    r"antwort|答案|选项)"
)


_WORDS_APPROVED = re.compile(
    r"\s(?:is|would be|remains|seems|appears)\s(?:(?:therefore|thus|clearly|probably|likely)\s)?(?:to be\s)?"
    r"(?:the\s)?(?:single\s)?(?:correct|best|right|better|most \w+|more likely|preferred|answer)\b"
    r"(\s(?:answer|option|choice))?"
)
_CLAUSE = re.compile(r"[\n;]|[.!?](?=\s[A-Z][a-z])")


def words_called_correct(text: str, words: OptionWords) -> Iterator[Statement]:
    """The options whose words are called right: "a pneumothorax is the most likely answer"."""
    if not words.names.keys:
        return
    for found in islice(_WORDS_APPROVED.finditer(text), 60):
        before = _CLAUSE.split(text[max(0, found.start() - 200) : found.start()])[-1]
        choice = words.ending(before)
        if choice is not None and not _DENIED.search(text[found.start() : found.end() + 8].lower()):
            firm = found.group(1) is not None or "answer" in found.group()
            yield Statement(found.start(), found.end(), choice, "called-correct", firm=firm)


def called_correct(text: str, words: OptionWords, *, exception: bool) -> Iterator[Statement]:
    """The letters called right, `firm` where outright. `exception`: the question asks what is false."""
    for found in islice(_VERDICT.finditer(text), 200):
        start = found.start()
        if not _BEFORE_VERDICT.search(text[max(0, start - 24) : start].lower()):
            continue
        claim = found.group(2).lower()
        approved = _CLAIM.match(claim)
        place = LETTERS.index(found.group(1))
        if exception and place < words.size and _DENIED.match(claim):
            yield Statement(start, found.start(2), place, "called-correct", firm=False)
        if approved is None or place >= words.size or _DENIED.search(claim[: approved.end() + 12]):
            continue
        named = _NAMED_ANSWER.match(claim) is not None
        firm = named or (not exception and _OUTRIGHT.match(claim) is not None)
        if named or firm or (not exception and _FOREMOST.match(claim)):
            end = found.start(2) + approved.end()
            yield Statement(start, end, place, "called-correct", firm=firm)
