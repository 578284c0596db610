"""Tokens: the words of a text without accents, in any language."""

from __future__ import annotations

import unicodedata

from snellen.runtime import regex

Words = tuple[str, ...]

MARK = "."
"""Token for any punctuation mark."""
_MARKS = '.,:;!?()"“”、。\n'
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_TOKEN = regex(rf"[{_MARKS}]|[{_UNSPACED}]|\d+(?:\.\d+)?|[^\W\d_{_UNSPACED}]+")


def tokens(text: str, *, singular: bool = True) -> Words:
    """Return the words of a text without accents; single characters for scripts without spaces.

    `singular` removes an s at the end of each word, whether it is a plural or not.

    >>> tokens("Età 47: due noduli. 左眼。")
    ('eta', '47', '.', 'due', 'noduli', '.', '左', '眼', '.')
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    if not plain.isascii():
        for sign in filter(unicodedata.combining, set(plain)):
            plain = plain.replace(sign, "")
    found = _TOKEN.findall(plain)
    if not singular:
        return tuple(MARK if word in _MARKS else word for word in found)
    return tuple(
        MARK if word in _MARKS else word[:-1] if len(word) > 3 and word[-1] == "s" != word[-2] else word
        for word in found
    )
