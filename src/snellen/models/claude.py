"""Claude: the settings that each of Anthropic's models accepts, on any server."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from snellen.prompts import Settings

_NAMED = re.compile(r"claude-(?:([a-z]+)-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?(?:-([a-z]+))?")
UNSUPPORTED = ("seed", "logprobs")
"""Settings that no Claude model supports."""
BUDGETS = {"low": 2048, "medium": 8192, "high": 16_384}
"""Thinking tokens for each effort, for models that accept no effort but a number."""
_EFFORTS = ("low", "medium", "high", "xhigh", "max")


class Claude(NamedTuple):
    """A model of the family: its line, such as opus, and its version."""

    line: str
    version: tuple[int, int]

    @classmethod
    def from_name(cls, model: str) -> Claude | None:
        """Return the model with this name, also at a cloud provider; None for other families.

        >>> Claude.from_name("claude-opus-4-7"), Claude.from_name("us.anthropic.claude-3-5-sonnet-20241022-v2:0")
        (Claude(line='opus', version=(4, 7)), Claude(line='sonnet', version=(3, 5)))
        """
        if "claude-mythos-preview" in model:
            return cls("mythos", (4, 7))
        found = _NAMED.search(model)
        if found is None:
            return None
        before, major, minor, after = found.groups()
        return cls(before or after or "", (int(major), int(minor or 0)))

    @property
    def largest_side(self) -> int:
        """Longest side of an image in pixels; the provider scales larger ones down."""
        return 2576 if self.version >= (4, 7) else 1568

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return unsupported sampling settings: later models accept none, and thinking fixes the temperature.

        >>> greedy = Settings(temperature=0.0)
        >>> Claude("opus", (4, 7)).untaken(greedy), Claude("opus", (4, 6)).untaken(greedy)
        (('temperature',), ())
        """
        thinks = (settings.reasoning_effort or "none") != "none"
        fixed = self.version >= (4, 7)
        refused = []
        if (fixed or thinks) and settings.temperature not in (None, 1.0):
            refused.append("temperature")
        if settings.top_p is not None and (fixed or (thinks and not 0.95 <= settings.top_p <= 1.0)):
            refused.append("top_p")
        return tuple(refused)

    def problem(self, settings: Settings) -> str:
        """Return the reason why it cannot answer with these settings; empty if it can.

        >>> Claude("fable", (5, 1)).problem(Settings(reasoning_effort="none"))
        'always thinks: it cannot be asked with no effort'
        """
        effort, taken = settings.reasoning_effort, {*settings.chosen} - {*self.untaken(settings)}
        if {"temperature", "top_p"} <= taken and self.version >= (4, 1):
            return "takes a temperature or a top_p, and not both"
        if effort is None:
            return ""
        if effort == "none":
            always = self.line in ("fable", "mythos") or (self.line == "opus" and self.version >= (5, 5))
            return "always thinks: it cannot be asked with no effort" if always else ""
        if self.version < (3, 7):
            return "has no reasoning effort to set"
        known = _EFFORTS if self._adapts else tuple(BUDGETS)
        if effort not in known:
            return f"has no effort {effort!r}, only none, {', '.join(known)}"
        if not self._adapts and settings.max_tokens is not None and settings.max_tokens <= BUDGETS[effort]:
            return f"thinks with up to {BUDGETS[effort]:,} tokens at {effort} effort: max_tokens must be more than that"
        return ""

    def thinking(self, effort: str) -> dict[str, Any]:
        """Return the fields of a request that set an effort."""
        if effort == "none":
            return {
                "thinking": {
                    "type": "between_tools" if self.line == "sonnet" and self.version >= (5, 5) else "disabled"
                }
            }
        if not self._adapts:
            return {"thinking": {"type": "enabled", "budget_tokens": BUDGETS[effort]}}
        return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}

    @property
    def _adapts(self) -> bool:
        """True if it accepts an effort; earlier models get a number of thinking tokens."""
        return self.version >= (4, 6)


LATEST = Claude("", (5, 0))
"""The model whose rules for thinking apply to unknown names."""
