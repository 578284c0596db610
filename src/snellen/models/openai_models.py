"""What OpenAI's own models take, whichever of its interfaces asks them."""

from __future__ import annotations

import re

from snellen.errors import RejectedError
from snellen.prompts import Settings

OFFICIAL = "https://api.openai.com/v1"
_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|codex|computer-use")
"""The models that reason, and take an effort."""
_HELD_BACK = frozenset(("content_filter", "content_policy_violation", "image_content_policy_violation", "bio_policy"))


def fixed(model: str, settings: Settings) -> tuple[str, ...]:
    """The settings that a model refuses: one that reasons takes no temperature and top_p but 1, which is its own."""
    if not _REASONS.match(model):
        return ()
    own = tuple(name for name in ("temperature", "top_p") if settings.chosen.get(name, 1.0) != 1.0)
    return (*own, *(name for name in ("logprobs", "stop") if name in settings.chosen))


def check_effort(name: str, model: str, settings: Settings) -> None:
    """Refuse, unsent, an effort for a model that does not reason."""
    if settings.reasoning_effort and not _REASONS.match(model):
        raise RejectedError(f"{name} has no reasoning effort to set; it was not asked.")


def is_held_back(code: str, message: str) -> bool:
    """Whether an error says that a filter held the prompt or the reply back.

    >>> is_held_back("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy.")
    True
    """
    return code in _HELD_BACK or (code == "invalid_prompt" and "usage policy" in message)
