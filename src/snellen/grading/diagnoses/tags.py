"""Where a reply puts its diagnosis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from snellen.grading.cleaning import cleaned, spoken

_LONGEST = 4_000
"""Of a longer diagnosis, only this many characters are read."""

_TAG = re.compile(
    r"(?:\\?[<\[{⟨〈＜【]|&(?:amp;){0,2}(?:lt|lang|#0?60|#x0?3c);|\\u003c|\$?\\langle\$?)"
    r"[\s*_`]{0,4}(?P<close>[/\\]?)[\s*_`]{0,4}(?:(?:final|primary|main|your)[\s_-])?"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|诊断)"
    r"(?:\s{1,2}\w{1,20}\s?=\s?[\"'][^\"'<>\n]{0,60}[\"']){0,2}[\s*_`]{0,4}(?P<empty>/?)\s{0,2}"
    r"(?:\\?[>\]}⟩〉＞】]|&(?:amp;){0,2}(?:gt|rang|#0?62|#x0?3e);|\\u003e|\$?\\rangle\$?)",
    re.IGNORECASE,
)
_ABOUT_TAGS = re.compile(
    r"\W{0,9}(?:tags?|and|o[rf]|\.{3}|…|here|(?:insert|your|the|put|enter|final)? ?diagnosis(?: here)?)\b\W{0,9}"
)


def tagged(text: str) -> str | None:
    r"""What stands in a reply's last complete diagnosis tag that holds something, without markup.

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
