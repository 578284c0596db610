"""Parser of diagnoses: the condition in a response's tag, and whether it is a pathology and urgent.

It was made for responses about an image that was never sent. There "no diagnosis found" is the right outcome, and it
differs from a normal study. Decisions that could be made otherwise:

- The first diagnosis counts. But a sign gives way to the disease that it suggests ("consolidation consistent with
  pneumonia"), a wider name to a narrower one ("myocardial infarction (STEMI)"), and "normal" to any finding ("normal
  sinus rhythm with LBBB").
- A denied condition is not a diagnosis: "no evidence of malignancy" alone is a normal study.
- A condition is not a diagnosis if it is to be ruled out, cannot be excluded, belongs to the history, or follows
  "versus" or "differential". If nothing else is named, there is no diagnosis.
- A text that begins by saying that there is no diagnosis, or says that there was no image, has none.
- Acuteness, side, place, size, grade and stage do not make another disease; old and chronic do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple

from snellen.reading.diagnoses.names import DiagnosisName, list_composed, load_conditions
from snellen.reading.diagnoses.statements import Assertion, DiagnosticStatement, Lead, statements
from snellen.reading.language.acts.declining import before_silence, is_silent
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.cleaning import clean_text, strip_thinking
from snellen.reading.language.words.diagnoses import (
    HARMLESS_WORDS,
    URGENT_ENDINGS,
    URGENT_WORDS,
    WAITING_WORDS,
    join_tokens,
)
from snellen.runtime import regex

_LONGEST = 4_000
"""Only this many characters of a diagnosis are read."""

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


def read_tag(text: str) -> str | None:
    r"""Return the content of a response's last complete diagnosis tag, without markup. Empty tags are skipped.

    Thinking does not count. Without a complete tag, the rest of the line after the last open tag counts.

    >>> read_tag("<diagnosis>Nevus</diagnosis> or rather &lt;Diagnosis&gt; **Melanoma** &lt;/Diagnosis&gt;")
    'Melanoma'
    >>> read_tag("It is put in <diagnosis> tags.") is None
    True
    """
    said = strip_thinking(text)
    tags = [tag for tag in _TAG.finditer(said) if not tag["empty"]]
    return next(
        (content for raw in chain(_iter_closed_tags(said, tags), _open(said, tags)) if (content := _content(raw))), None
    )


def _iter_closed_tags(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """Yield the content of each closed tag, last one first."""
    for opening, closing in reversed(list(pairwise(tags))):
        if closing["close"] and not opening["close"]:
            yield said[opening.end() : min(closing.start(), opening.end() + _LONGEST)]


def _open(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """Yield the text after each unclosed tag, last one first. It ends at the next tag or line end."""
    end = len(said)
    for tag in reversed(tags):
        if not tag["close"]:
            yield said[tag.end() : min(end, tag.end() + _LONGEST)].lstrip().partition("\n")[0]
        end = tag.start()


def _content(raw: str) -> str:
    """Return a tag's content without markup. Empty if it is a placeholder or only mentions the tags."""
    if not raw.strip():
        return ""
    content = clean_text(raw).strip()
    return "" if _ABOUT_TAGS.fullmatch(content.lower()) or not re.search(r"\w", content) else content


class Diagnosis(NamedTuple):
    """A condition by its usual name in lower case. An unlisted one keeps the response's own words."""

    name: str
    pathology: bool
    urgent: bool
    listed: bool


def read_diagnosis(text: str) -> Diagnosis | None:
    """Read the diagnosis in a response's last tag. None if the tag is missing, empty or says that there is none.

    >>> read_diagnosis("<diagnosis>Acute Inferior Wall STEMI, likely RCA occlusion</diagnosis>")
    Diagnosis(name='st-elevation myocardial infarction', pathology=True, urgent=True, listed=True)
    >>> read_diagnosis("<diagnosis>No acute cardiopulmonary abnormality.</diagnosis>").name
    'normal'
    >>> read_diagnosis("<diagnosis>Unable to diagnose: no image was provided</diagnosis>") is None
    True
    """
    content = read_tag(text)
    if content is None or _declines(content):
        return None
    said = statements(content)
    held = [statement for statement in said if statement.stance is Assertion.HELD]
    if not held:
        return _make_listed(load_conditions()["normal"]) if any(s.stance is Assertion.DENIED for s in said) else None
    main = _main(held)
    if main.condition:
        return _make_listed(_narrowest(main.condition, held))
    name = join_tokens(main.words)
    return None if not name or is_silent(content) or is_silent(name) else _make_unlisted(name, main.words)


def _declines(content: str) -> bool:
    """Return whether a diagnosis begins with "none", or says anywhere that there was no image."""
    before = before_silence(content)
    if before is not None and not any(said.condition for said in statements(before) if said.stance is Assertion.HELD):
        return True
    return says_missing(content) is not None


def _main(held: list[DiagnosticStatement]) -> DiagnosticStatement:
    """Return the first statement, or the one to which it gives way."""
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
    """Return whether a statement gives way to any other named condition: "normal", "benign breast tissue"."""
    named = statement.condition
    return named.blank if named else not HARMLESS_WORDS.isdisjoint(statement.words)


def _leads(first: DiagnosticStatement, later: DiagnosticStatement) -> bool:
    """Return whether the response says that the first statement suggests the later one."""
    return later.lead is Lead.FIRM or (later.lead is Lead.LOOSE and later.sentence == first.sentence)


def _narrowest(found: DiagnosisName, held: list[DiagnosticStatement]) -> DiagnosisName:
    """Return the most precise kind of the condition found, including combinations with another condition."""
    named = [statement.condition for statement in held if statement.condition]
    names = {other.name for other in named}
    for other in (*named, *(whole for whole in list_composed() if whole.both <= names)):
        if found.name in other.of:
            found = other
    return found


def _make_listed(found: DiagnosisName) -> Diagnosis:
    return Diagnosis(found.name, found.pathology, found.urgent, listed=True)


def _make_unlisted(name: str, words: tuple[str, ...]) -> Diagnosis:
    """Make a condition that the table does not list; its words decide the flags."""
    grave = any(word in URGENT_WORDS or word.endswith(URGENT_ENDINGS) for word in words)
    harmless = not HARMLESS_WORDS.isdisjoint(words)
    urgent = grave and not harmless and WAITING_WORDS.isdisjoint(words)
    return Diagnosis(name, not harmless, urgent, listed=False)
