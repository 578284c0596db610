"""Helpers for any process: fewer garbage collections, late compilation of patterns, safe text, tables."""

from __future__ import annotations

import gc
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from itertools import islice
from typing import Any, cast

YOUNG = 50_000
"""New objects between two garbage collections. Python's default of 700 suits much smaller heaps than a benchmark's."""

ALL_KEPT = 10_000_000
"""New objects between two garbage collections while items are loaded. Nearly all are kept, so collecting is useless."""


@contextmanager
def few_collections(young: int = YOUNG) -> Iterator[None]:
    """Collect garbage only after `young` new objects, for the length of a block."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(young, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when first used: compiling all takes half a second.

    >>> sides = regex("left|right")
    >>> sides.pattern, sides.findall("right, then left")
    ('left|right', ['right', 'left'])
    """
    return cast("re.Pattern[str]", _Uncompiled(pattern, flags))


class _Uncompiled:
    """Pattern that is compiled when it is first used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        vars(self).update((each, getattr(compiled, each)) for each in dir(compiled) if not each.startswith("_"))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return re.compile, (self.pattern, self._flags)


# Control characters except line feed and tab; zero-width and direction-changing characters; line separators; byte-order
# marks; lone surrogates; invisible tag letters.
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Spell out hidden characters and those that change the text direction.

    >>> visible("left" + chr(0x202E) + "thgir")
    'left⟨U+202E⟩thgir'
    """
    return _ODD.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n"))


def is_encodable(text: str) -> bool:
    """Return True if a text can be sent as UTF-8: it has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def on_one_line(item_id: str) -> str:
    """Write an item id on one line; JSON files have its exact characters.

    >>> on_one_line("a" + chr(10) + "b")
    'a⟨U+000A⟩b'
    """
    return visible(item_id).replace("\n", "⟨U+000A⟩")


MOST_ROWS = 100
"""Maximum rows of a table in a notebook; further rows are counted."""


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Return a small HTML table for a notebook, with all texts escaped.

    >>> html_table(["model"], [["<b>"]])
    '<table><thead><tr><th>model</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    coming = iter(rows)
    drawn = [_html_row("td", row) for row in islice(coming, MOST_ROWS)]
    left = sum(1 for _ in coming)
    told = [*notes, *([f"and {left:,} more rows"] if left else [])]
    head, body = _html_row("th", columns), "".join(drawn)
    under = "".join(f"<p>{escape(visible(each))}</p>" for each in told)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{under}"


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(visible(cell))}</{tag}>' for cell in cells)}</tr>"


ENOUGH, SHARE_ENOUGH, LEAST = 20, 0.1, 3
"""Responses needed before a time is estimated: 20, or a tenth of all if that is fewer, but at least 3."""


def time_left(done: int, of: int, seconds: float) -> float | None:
    """Estimate the seconds left; None until enough is done.

    >>> time_left(2, 1_000, 30.0), time_left(20, 1_000, 30.0), time_left(3, 5, 30.0), time_left(5, 5, 30.0)
    (None, 1470.0, 20.0, 0.0)
    """
    if done >= of:
        return 0.0
    if done < max(LEAST, min(ENOUGH, SHARE_ENOUGH * of)):
        return None
    return seconds / done * (of - done)


def counted(count: int, noun: str) -> str:
    """Format a number with its noun in singular or plural.

    >>> counted(1, "model"), counted(1200, "test")
    ('1 model', '1,200 tests')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def provenance() -> dict[str, Any]:
    """Return the time of creation and the versions of Python and packages."""
    packages = ("snellen", "numpy", "opencv-python-headless", "aiohttp")
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }
