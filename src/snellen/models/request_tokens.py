"""Request tokens: how many tokens a request is likely to be read as, and how many its response may have.

Both are stated estimates, each a range, until a server has counted.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import NamedTuple

from snellen.models.image_tokens import Rule, image_tokens
from snellen.prompts import Request, Settings
from snellen.runtime import regex

CHARACTERS = 4
"""Characters of a token; a Chinese, Japanese or Korean one is a token by itself."""
FEW, MANY = 0.9, 1.35
"""A text has so many times the tokens that the rule says, from tokenizer to tokenizer (docs/concepts/cost.md)."""
FRAME = 16
"""Tokens that a vendor adds to a request for roles and the like, at most."""
_WIDE = regex(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


class Range(NamedTuple):
    """A number of which the least and the most that it may be are known."""

    low: float
    high: float

    def plus(self, other: tuple[float, float]) -> Range:
        """Both together."""
        return Range(self.low + other[0], self.high + other[1])

    def times(self, count: float) -> Range:
        """So many of them."""
        return Range(self.low * count, self.high * count)


NOTHING = Range(0, 0)
PLAIN, IN_STEPS, REASONED = Range(5, 300), Range(100, 1500), Range(150, 6000)
"""Tokens of a response that says its answer, that reasons aloud, and of a model that reasons before it answers."""
_REASONS = regex(
    r"(?:^|[/.:])(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|gemini-(?:2\.5|[3-9])|grok-[4-9]|deepseek-(?:r|v4)|qwq|kimi-k2-th"
    r"|magistral|glm-(?:4\.[5-9]|[5-9]))|reason|think"
)
"""The names of models that reason unless they are told not to."""


@lru_cache(maxsize=65_536)
def text_tokens(text: str) -> Range:
    """The tokens of a text, by its characters.

    >>> text_tokens("Does the radiograph show a fracture?")
    Range(low=8.1, high=12.15)
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    tokens = wide + ceil((len(text) - wide) / CHARACTERS)
    return Range(tokens * FEW, tokens * MANY)


def input_tokens(request: Request, rule: Rule | None) -> Range:
    """The tokens that a request is read as; `rule` is how the model's vendor counts images."""
    total = words_tokens(request).plus((0, FRAME))
    for image in request.every_image:
        total = total.plus(image_tokens(rule, image.width, image.height))
    return total


def words_tokens(request: Request) -> Range:
    """The tokens of a request's words, those of its examples included."""
    total = text_tokens(request.system).plus(text_tokens(request.text))
    for example in request.examples:
        total = total.plus(text_tokens(example.text)).plus(text_tokens(example.reply))
    return total


def output_tokens(spec: str, settings: Settings, *, in_steps: bool = False) -> Range:
    """The tokens that a response may have: by its limit, and by whether the model reasons.

    >>> output_tokens("openai/gpt-4o", Settings(max_tokens=100)), output_tokens("openai/gpt-5", Settings())
    (Range(low=5, high=100), Range(low=150, high=6000))
    """
    usual = IN_STEPS if in_steps else PLAIN
    if settings.reasoning_effort not in (None, "none") or (
        settings.reasoning_effort is None and _REASONS.search(spec.partition("/")[2].lower())
    ):
        usual = REASONED
    if settings.max_tokens is None:
        return usual
    return Range(min(usual.low, settings.max_tokens), settings.max_tokens)
