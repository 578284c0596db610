"""Replies that run on into a next question, as base models do: what comes after the answer is not the reply's own."""

from __future__ import annotations

import re

_NEXT = re.compile(
    r"\n[^\S\n]{0,8}(?:(?:(?:next |new )?(?:question|problem|exercise|domanda|pregunta|frage|问题)\s?\d{0,4}|"
    r"q\s?\d{0,3})\s?[:.)]|"
    r"(?:next |new )?(?:question|problem|exercise|domanda|pregunta|frage)\s?\d{0,4}[^\S\n]*\n|"
    r"(?:human|user|input|instruction|student|patient)\s?:|###\s?(?:instruction|input|question)|"
    r"<\|?(?:im_start|start_header_id|user|eot_id|endoftext|im_end)[^>\n]{0,20}>|the following (?:is|are) (?:a "
    r")?multiple)"
)


def own_part(text: str, low: str) -> int | None:
    """Where a next question begins, if the reply goes on to one."""
    found = _NEXT.search(low, 1)
    return found.start() if found and text[: found.start()].strip() else None
