"""Places: the names in braces at which a template is filled in."""

from __future__ import annotations

from functools import cache
from string import Formatter


@cache
def places_in(template: str) -> tuple[str, ...]:
    """Return the names in braces, in their order; doubled braces are plain braces.

    A name includes its formatting, such as `!r`, so that only plain names are known ones. ValueError for a single
    brace.

    >>> places_in("{question} as {{JSON}} {options!r}")
    ('question', 'options!r')
    """
    return tuple(_format_place(*field) for _, *field in Formatter().parse(template) if field[0] is not None)


def put(template: str, place: str, words: str) -> str:
    """Fill one place of a template with words; keep the other places.

    >>> put("{question} {{JSON}} {answer_format}", "answer_format", "Write {}.")
    '{question} {{JSON}} Write {{}}.'
    """
    parts = []
    for literal, *field in Formatter().parse(template):
        parts.append(_as_words(literal))
        if field[0] is not None:
            name = _format_place(*field)
            parts.append(_as_words(words) if name == place else f"{{{name}}}")
    return "".join(parts)


def _format_place(name: str | None, spec: str | None, conversion: str | None) -> str:
    return f"{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}"


def _as_words(text: str) -> str:
    """Escape the braces of a text for use in a template."""
    return text.replace("{", "{{").replace("}", "}}")
