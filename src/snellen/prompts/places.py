"""Places: the names in braces at which a template is filled in."""

from __future__ import annotations

from functools import cache
from string import Formatter


@cache
def places_in(template: str) -> tuple[str, ...]:
    """The names in braces, in their order; braces that are written twice stand for themselves.

    What would format a name is part of it, so that nothing but a bare name is ever known. ValueError for a brace on
    its own.

    >>> places_in("{question} as {{JSON}} {options!r}")
    ('question', 'options!r')
    """
    return tuple(_written(*field) for _, *field in Formatter().parse(template) if field[0] is not None)


def put(template: str, place: str, words: str) -> str:
    """The template with words in a place; the other places stay.

    >>> put("{question} {{JSON}} {answer_format}", "answer_format", "Write {}.")
    '{question} {{JSON}} Write {{}}.'
    """
    parts = []
    for literal, *field in Formatter().parse(template):
        parts.append(_as_words(literal))
        if field[0] is not None:
            name = _written(*field)
            parts.append(_as_words(words) if name == place else f"{{{name}}}")
    return "".join(parts)


def _written(name: str | None, spec: str | None, conversion: str | None) -> str:
    return f"{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}"


def _as_words(text: str) -> str:
    """Text that a template shows as it is."""
    return text.replace("{", "{{").replace("}", "}}")
