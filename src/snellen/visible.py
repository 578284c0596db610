"""Text from elsewhere, made inert: what a reader would not see, or what moves the cursor, is spelled out."""

from __future__ import annotations

import re

# Controls but line feed and tab, zero-width and direction-changing characters, line separators, byte-order marks,
# halves of characters, and the invisible tag letters.
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with every character that a reader would not see, or that turns the line around, spelled out.

    >>> visible("left" + chr(0x202E) + "thgir")
    'left⟨U+202E⟩thgir'
    """
    return _ODD.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))
