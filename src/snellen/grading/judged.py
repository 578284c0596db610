"""Options judged one by one: a list or a table in which exactly one is ticked, called true, or most likely."""

from __future__ import annotations

import re

from snellen.grading.letters import LATIN
from snellen.grading.option_text import OptionWords
from snellen.grading.verdicts import Reading
from snellen.items import LETTERS

_FOR = (
    r"[✓✔✅☑]|\b(?:yes|true|correct|most likely|likely|best|fits|più probabile|vero|vera|corrett[ao]|sì|giust[ao]|"
    r"correct[ao]|"
    r"verdader[ao]|vraie?|richtig|wahr|corret[ao])\b|正确|对(?!比)"
)
_AGAINST = (
    r"[✗✘❌✖☒×]|\b(?:no|not|false|incorrect|wrong|unlikely|less likely|least likely|excluded|eliminated|ruled out|out|"
    r"implausible|inconsistent|inappropriate|doesn't|does not|isn't|wouldn't|fals[ao]|errat[ao]|sbagliat[ao]|"
    r"scorrett[ao]|"
    r"non|esclus[ao]|incorrect[ao]|descartad[ao]|fausse?|faux|falsch|nicht)\b|错误|不正确|不对|排除"
)
_LABEL = re.compile(
    rf"(?:^|(?<=[\s|;,.(]))(?:[Oo]ption |[Cc]hoice |[Oo]pzione )?[(\[]?([A-Z])(?![{LATIN}'])(?=\s?(?:[)\].:?|=-]|"
    rf"(?:is|are)\b|[✓✔✅☑✗✘❌✖☒]))",
    re.MULTILINE,
)
_BEGINS = re.compile(r"(?:^|\n)[\s>•|(\[-]{0,8}$")
_VERDICT = re.compile(rf"(?P<against>{_AGAINST})|(?P<for>{_FOR})", re.IGNORECASE)
_SIGN = re.compile(r"(?P<against>[✗✘❌✖☒])|(?P<for>[✓✔✅☑])")
_REACH = 160
_EDGE = 36
"""Verdicts in words stand at the beginning or the end of what is said about an option."""
_MOST = 60
_FEWEST = 3
"""So many options must be judged in words before a list is more than a stray remark."""


def judged_one_by_one(text: str, words: OptionWords, *, exception: bool) -> Reading | None:
    """The one option a list speaks for where it speaks against others; `exception`: the question asks what is false."""
    labels = list(_LABEL.finditer(text))[:_MOST]
    listed = [label for label in labels if _BEGINS.search(text, max(0, label.start() - 8), label.start())]
    if len(listed) >= _FEWEST:
        labels = listed
    if len({label.group(1) for label in labels}) < 2:
        return None
    pattern = _SIGN if _SIGN.search(text) else _VERDICT
    verdicts: dict[int, set[bool]] = {}
    for at, label in enumerate(labels):
        until = labels[at + 1].start() if at + 1 < len(labels) else len(text)
        said = _verdict(text[label.end() : min(until, label.end() + _REACH)].split("\n", 1)[0], pattern)
        place = LETTERS.index(label.group(1))
        if said is not None and place < words.size:
            verdicts.setdefault(place, set()).add(said)
    return _decide(verdicts, exception=exception, ticked=pattern is _SIGN)


def _verdict(piece: str, pattern: re.Pattern[str]) -> bool | None:
    """Whether a piece approves; None where it says nothing or both."""
    if pattern is _VERDICT and len(piece) > 2 * _EDGE:
        piece = f"{piece[:_EDGE]} | {piece[-_EDGE:].partition(' ')[2]}"
    said = {found.lastgroup for found in pattern.finditer(piece)}
    if said == {"against", "for"}:
        return None if pattern is _SIGN else False
    return said == {"for"} if said else None


def _decide(verdicts: dict[int, set[bool]], *, exception: bool, ticked: bool) -> Reading | None:
    chosen = [place for place, said in verdicts.items() if said == {True}]
    denied = [place for place, said in verdicts.items() if said == {False}]
    if len(chosen) + len(denied) < len(verdicts) or not (ticked or len(verdicts) >= _FEWEST):
        return None
    if len(chosen) == 1 and not (exception and len(denied) == 1):
        return Reading("marked-in-list", choice=chosen[0], evidence=LETTERS[chosen[0]])
    if exception and len(denied) == 1 and len(chosen) > 1:
        return Reading("marked-in-list", choice=denied[0], evidence=LETTERS[denied[0]])
    return None
