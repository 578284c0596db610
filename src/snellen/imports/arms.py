"""Arms by name: what was done to the questions of imported answers, as our tests call it."""

from __future__ import annotations

import re
from contextlib import suppress

from snellen.conditions import condition_named
from snellen.errors import DataError, StudyError

_PLAIN = re.compile(r"\w[\w.+ -]{0,79}")


def arm_name(name: object) -> str:
    """The name as the tests know it; DataError where it is none.

    >>> arm_name("image-blank:size=placeholder,fill=noise"), arm_name("image-blank:fill=white")
    ('image-blank:fill=noise,size=placeholder', 'image-blank')
    """
    if isinstance(name, str):
        head, sign, _ = name.strip().partition(":")
        if not sign and _PLAIN.fullmatch(head):
            return head
        with suppress(StudyError):
            if sign and (condition := condition_named(name)) is not None:
                return condition.label
    raise DataError(f"its arm is {name!r}, expected a plain name such as 'original' or 'image-removed'")
