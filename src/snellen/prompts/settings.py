"""Settings of generation: temperature, token limit, reasoning effort and others."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, Literal, get_args

from snellen.errors import StudyError

Effort = Literal["none", "minimal", "low", "medium", "high"]


def effort_in_words(effort: str) -> str:
    """Format an effort for a sentence.

    >>> effort_in_words("high"), effort_in_words("none")
    ('high effort', 'no effort')
    """
    return f"{'no' if effort == 'none' else effort} effort"


@dataclass(frozen=True)
class Settings:
    """Settings of generation. None leaves one to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: Effort | None = None
    stop: tuple[str, ...] | None = None
    """Texts that end a response."""
    logprobs: int | None = None
    """Number of likeliest tokens that are returned at each position, with their log-probabilities."""

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p"):
            value = getattr(self, name)
            if value is not None:
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
                    raise StudyError(f"Expected a number of 0 or more for {name}, got {value!r}.")
                object.__setattr__(self, name, float(value))  # 0 and 0.0 are one setting
        for name in ("max_tokens", "seed", "logprobs"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise StudyError(f"Expected a whole number for {name}, got {value!r}.")
            if value is not None and not -(2**63) <= value < 2**63:
                raise StudyError(f"Expected at most 64 bits for {name}, got {str(value)[:40]}.")
        stop: object = self.stop
        if stop is not None:
            texts = (stop,) if isinstance(stop, str) else stop
            if not isinstance(texts, list | tuple) or not texts or not all(isinstance(each, str) for each in texts):
                raise StudyError(f"Expected one or more texts for stop, got {stop!r}.")
            object.__setattr__(self, "stop", tuple(texts))
        # Imported responses may have an effort that we do not know.
        effort: object = self.reasoning_effort
        if not isinstance(effort, str | None):
            raise StudyError(f"Expected reasoning_effort to be one of {', '.join(get_args(Effort))}, got {effort!r}.")

    @property
    def samples(self) -> bool:
        """True unless the temperature is 0: equal requests may get different responses."""
        return self.temperature != 0

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """Settings that are not None; the provider decides the rest."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def with_defaults(self, other: Settings) -> Settings:
        """Return these settings, with None filled in from another record."""
        return replace(other, **self.chosen)


PROVIDER_DEFAULTS = Settings()
