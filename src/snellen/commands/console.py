"""The console of every command: it shows foreign text and does nothing that it says."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from snellen.runtime import visible


class Terminal(Console):
    """A console that shows what files, servers and people wrote, and does nothing that it says."""

    def render_str(self, text: str, **how: Any) -> Text:
        """The text, with every letter that a terminal would obey spelled out."""
        return super().render_str(visible(text), **how)


out = Terminal(highlight=False, markup=False, emoji=False)
