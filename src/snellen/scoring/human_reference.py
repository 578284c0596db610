"""Human scores on the questions of a study, as a share or by exam rules."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from snellen.errors import StudyError
from snellen.plugins import parse_settings
from snellen.stats import Human, human


def human_reference(given: object) -> Human:
    """Read a human score from `0.71`, `71%` or an exam's points and rules.

    An example of the latter: `points=56.9,questions=60,right=1.5,wrong=-0.4`. StudyError if it cannot be read.
    """
    try:
        settings = _settings_of_human(given)
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ValueError(f"expected a number for {name}, got {value!r}.")
        return human(**settings)
    except ValueError as error:
        raise StudyError(f"The human reference {given!r} cannot be used: {error}") from error


def _settings_of_human(given: object) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        raise ValueError("expected a share, or an exam's points and rules.")
    bare, named = parse_settings(str(given))
    if len(bare) > 1:
        raise ValueError(f"expected one share, got {', '.join(bare)}.")
    if not bare:
        return named
    share = bare[0].strip()
    try:
        number = float(share.rstrip("%"))
    except ValueError:
        raise ValueError("expected a share such as 0.71 or 71%, or an exam's points and rules.") from None
    return {"accuracy": number / (100 if share.endswith("%") else 1), **named}
