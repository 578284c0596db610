"""Estimated tokens of requests and responses, as ranges. They are used until a server has counted the tokens."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import NamedTuple

from snellen.models.image_tokens import Rule, image_tokens
from snellen.prompts import Request, Settings
from snellen.runtime import regex

CHARACTERS = 4
"""Characters per token; a Chinese, Japanese or Korean character is one token."""
FEW, MANY = 0.9, 1.35
"""Factors for the fewest and the most tokens of a text, since tokenizers differ (docs/concepts/cost.md)."""
FRAME = 16
"""The most tokens that a vendor adds to a request, such as for roles."""
_WIDE = regex(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


class TokenRange(NamedTuple):
    """A range of tokens: the least and the most there may be."""

    low: float
    high: float

    def plus(self, other: tuple[float, float]) -> TokenRange:
        """Return the sum of two ranges."""
        return TokenRange(self.low + other[0], self.high + other[1])

    def times(self, count: float) -> TokenRange:
        """Return the range times `count`."""
        return TokenRange(self.low * count, self.high * count)


NOTHING = TokenRange(0, 0)
PLAIN, IN_STEPS, REASONED = TokenRange(5, 300), TokenRange(100, 1500), TokenRange(150, 6000)
"""Tokens of a response: a plain answer, an answer with steps, and one of a model that reasons first."""
_REASONS = regex(
    r"(?:^|[/.:])(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|gemini-(?:2\.5|[3-9])|grok-[4-9]|deepseek-(?:r|v4)|qwq|kimi-k2-th"
    r"|magistral|glm-(?:4\.[5-9]|[5-9]))|reason|think"
)
"""Names of models that reason by default."""


@lru_cache(maxsize=65_536)
def text_tokens(text: str) -> TokenRange:
    """Estimate the tokens of a text from its characters.

    >>> text_tokens("Does the radiograph show a fracture?")
    TokenRange(low=8.1, high=12.15)
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    tokens = wide + ceil((len(text) - wide) / CHARACTERS)
    return TokenRange(tokens * FEW, tokens * MANY)


def input_tokens(request: Request, rule: Rule | None) -> TokenRange:
    """Estimate the tokens of a request; `rule` is the vendor's rule for images."""
    total = words_tokens(request).plus((0, FRAME))
    for image in request.every_image:
        total = total.plus(image_tokens(rule, image.width, image.height))
    return total


def words_tokens(request: Request) -> TokenRange:
    """Estimate the tokens of a request's text, including its examples."""
    total = text_tokens(request.system).plus(text_tokens(request.text))
    for example in request.examples:
        total = total.plus(text_tokens(example.text)).plus(text_tokens(example.reply))
    return total


def output_tokens(spec: str, settings: Settings, *, in_steps: bool = False) -> TokenRange:
    """Estimate the tokens of a response, from its limit and from whether the model reasons.

    >>> output_tokens("openai/gpt-4o", Settings(max_tokens=100)), output_tokens("openai/gpt-5", Settings())
    (TokenRange(low=5, high=100), TokenRange(low=150, high=6000))
    """
    usual = IN_STEPS if in_steps else PLAIN
    if settings.reasoning_effort not in (None, "none") or (
        settings.reasoning_effort is None and _REASONS.search(spec.partition("/")[2].lower())
    ):
        usual = REASONED
    if settings.max_tokens is None:
        return usual
    return TokenRange(min(usual.low, settings.max_tokens), settings.max_tokens)
