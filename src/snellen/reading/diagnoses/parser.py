"""Diagnoses: which condition a reply names in its diagnosis tag, whether it is a pathology, and whether it is urgent.

Made for responses about an image that was never sent, where "no diagnosis found" is the right outcome and is told apart
from a normal study. What we decided, where one could decide otherwise:

- The first diagnosis counts. But a sign gives way to what it is said to suggest ("consolidation consistent with
  pneumonia"), a wider name to a narrower one ("myocardial infarction (STEMI)"), and "normal" to any finding ("normal
  sinus rhythm with LBBB").
- What is denied is not named: "no evidence of malignancy" alone is a normal study.
- What is to be ruled out, cannot be excluded, belongs to the history, or stands behind "versus" and "differential" is
  not named either; where there is nothing else, there is no diagnosis.
- A diagnosis that begins by saying that there is none, or says that there was no image, is none, even if it goes on.
- Acute, laterality, place, size, grade and stage do not make another disease; old and chronic do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from snellen.reading.diagnoses.names import Condition, composed, known
from snellen.reading.diagnoses.statements import Assertion, DiagnosticStatement, Lead, statements
from snellen.reading.language.acts.declining import before_silence, is_silent
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.cleaning import cleaned, spoken
from snellen.reading.language.words.diagnoses import HARMLESS_WORDS, URGENT_ENDINGS, URGENT_WORDS, WAITING_WORDS, joined
from snellen.runtime import regex

_LONGEST = 4_000
"""Of a longer diagnosis, only this many characters are read."""

_TAG = regex(
    r"(?:\\?[<\[{⟨〈＜【]|&(?:amp;){0,2}(?:lt|lang|#0?60|#x0?3c);|\\u003c|\$?\\langle\$?)"
    r"[\s*_`]{0,4}(?P<close>[/\\]?)[\s*_`]{0,4}(?:(?:final|primary|main|your)[\s_-])?"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|诊断)"
    r"(?:\s{1,2}\w{1,20}\s?=\s?[\"'][^\"'<>\n]{0,60}[\"']){0,2}[\s*_`]{0,4}(?P<empty>/?)\s{0,2}"
    r"(?:\\?[>\]}⟩〉＞】]|&(?:amp;){0,2}(?:gt|rang|#0?62|#x0?3e);|\\u003e|\$?\\rangle\$?)",
    re.IGNORECASE,
)
_ABOUT_TAGS = regex(
    r"\W{0,9}(?:tags?|and|o[rf]|\.{3}|…|here|(?:insert|your|the|put|enter|final)? ?diagnosis(?: here)?)\b\W{0,9}"
)


def tagged(text: str) -> str | None:
    r"""What stands in a response's last complete diagnosis tag that holds something, without markup.

    Thinking does not count. Without a complete tag, what follows the last open one on its line does.

    >>> tagged("<diagnosis>Nevus</diagnosis> or rather &lt;Diagnosis&gt; **Melanoma** &lt;/Diagnosis&gt;")
    'Melanoma'
    >>> tagged("It is put in <diagnosis> tags.") is None
    True
    """
    said = spoken(text)
    tags = [tag for tag in _TAG.finditer(said) if not tag["empty"]]
    return next((content for raw in chain(_closed(said, tags), _open(said, tags)) if (content := _content(raw))), None)


def _closed(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """What stands between a tag and the one that closes it, the last first."""
    for opening, closing in reversed(list(pairwise(tags))):
        if closing["close"] and not opening["close"]:
            yield said[opening.end() : min(closing.start(), opening.end() + _LONGEST)]


def _open(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """What follows a tag that nothing closes up to the next tag or the end of its line, the last first."""
    end = len(said)
    for tag in reversed(tags):
        if not tag["close"]:
            yield said[tag.end() : min(end, tag.end() + _LONGEST)].lstrip().partition("\n")[0]
        end = tag.start()


def _content(raw: str) -> str:
    """A tag's content as a person would see it; nothing where it is about tags, or a place to be filled in."""
    if not raw.strip():
        return ""
    content = cleaned(raw).strip()
    return "" if _ABOUT_TAGS.fullmatch(content.lower()) or not re.search(r"\w", content) else content


class Diagnosis(NamedTuple):
    """A condition by its usual name in lower case; one that is not listed stands under the response's own words."""

    name: str
    pathology: bool
    urgent: bool
    listed: bool


def read_diagnosis(text: str) -> Diagnosis | None:
    """The diagnosis in a response's last tag, or None where the tag is missing, empty or says that there is none.

    >>> read_diagnosis("<diagnosis>Acute Inferior Wall STEMI, likely RCA occlusion</diagnosis>")
    Diagnosis(name='st-elevation myocardial infarction', pathology=True, urgent=True, listed=True)
    >>> read_diagnosis("<diagnosis>No acute cardiopulmonary abnormality.</diagnosis>").name
    'normal'
    >>> read_diagnosis("<diagnosis>Unable to diagnose: no image was provided</diagnosis>") is None
    True
    """
    content = tagged(text)
    if content is None or _declines(content):
        return None
    said = statements(content)
    held = [statement for statement in said if statement.stance is Assertion.HELD]
    if not held:
        return _listed(known()["normal"]) if any(s.stance is Assertion.DENIED for s in said) else None
    main = _main(held)
    if main.condition:
        return _listed(_narrowest(main.condition, held))
    name = joined(main.words)
    return None if not name or is_silent(content) or is_silent(name) else _unlisted(name, main.words)


def _declines(content: str) -> bool:
    """Whether a diagnosis begins by saying that there is none, or says anywhere that there was no image."""
    before = before_silence(content)
    if before is not None and not any(said.condition for said in statements(before) if said.stance is Assertion.HELD):
        return True
    return says_missing(content) is not None


def _main(held: list[DiagnosticStatement]) -> DiagnosticStatement:
    """The first statement, or the one that it gives way to."""
    first, rest = held[0], held[1:]
    if _is_blank(first):
        for place, later in enumerate(rest):
            if later.condition and not later.condition.blank:
                return _main(rest[place:])
    if first.condition and not (first.condition.blank or first.condition.sign):
        return first
    led = [later for later in rest if _leads(first, later)]
    diseases = [later for later in led if later.condition and not later.condition.sign]
    named = [later for later in led if later.condition]
    worded = [] if first.condition else [later for later in led if later.words]
    return next(chain(diseases, named, worded), first)


def _is_blank(statement: DiagnosticStatement) -> bool:
    """Whether a statement gives way to anything else that is named: "normal", "benign breast tissue"."""
    named = statement.condition
    return named.blank if named else not HARMLESS_WORDS.isdisjoint(statement.words)


def _leads(first: DiagnosticStatement, later: DiagnosticStatement) -> bool:
    """Whether a later statement is what the first is said to suggest."""
    return later.lead is Lead.FIRM or (later.lead is Lead.LOOSE and later.sentence == first.sentence)


def _narrowest(found: Condition, held: list[DiagnosticStatement]) -> Condition:
    """The most precise condition among those held that are kinds of the one found, or that it makes with another."""
    named = [statement.condition for statement in held if statement.condition]
    names = {other.name for other in named}
    for other in (*named, *(whole for whole in composed() if whole.both <= names)):
        if found.name in other.of:
            found = other
    return found


def _listed(found: Condition) -> Diagnosis:
    return Diagnosis(found.name, found.pathology, found.urgent, listed=True)


def _unlisted(name: str, words: tuple[str, ...]) -> Diagnosis:
    """A condition that the table does not hold, judged by its words."""
    grave = any(word in URGENT_WORDS or word.endswith(URGENT_ENDINGS) for word in words)
    harmless = not HARMLESS_WORDS.isdisjoint(words)
    urgent = grave and not harmless and WAITING_WORDS.isdisjoint(words)
    return Diagnosis(name, not harmless, urgent, listed=False)
