"""The question of eye charts and of the canary: which letters does the image show?"""

from __future__ import annotations

import re

from snellen.runtime import regex

LETTERS_QUESTION = (
    "Which letters are shown in the image? Write the letters of each row on a line of their own, from top to bottom, "
    "and nothing else. Write ? in place of a letter that you cannot read. If there is no image, say so."
)
_ASKED = regex(r"\bwhich letters\b|\bread (?:out )?(?:all )?the letters\b", re.IGNORECASE)


def asks_for_letters(text: str) -> bool:
    """Return True if a text asks which letters an image shows.

    >>> asks_for_letters(LETTERS_QUESTION), asks_for_letters("Which of these is shown?")
    (True, False)
    """
    return _ASKED.search(text) is not None
