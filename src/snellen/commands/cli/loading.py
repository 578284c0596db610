"""Commands that are imported when they are run: ours, a file each, and those of other packages by entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from keyword import iskeyword
from typing import Any

import click

from snellen.errors import PluginError
from snellen.plugins import find, names


class LoadedCommands(Mapping[str, click.Command]):
    """Commands by name; each is imported when it is looked up."""

    def __init__(self, ours: Mapping[str, str]) -> None:
        modules = {name: f"{name}_" if iskeyword(name) else name for name in ours}
        self._ours = {name: f"{__package__}.{modules[name]}:{name}_command" for name in ours}

    def __iter__(self) -> Iterator[str]:
        return iter(names("commands", self._ours))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._ours and name not in list(self):
            raise KeyError(name)
        found = find("commands", self._ours, name)
        if not isinstance(found, click.Command):
            raise PluginError(f"The plug-in {name!r} of the commands gave {found!r}. Expected a click.Command.")
        return found


class CommandGroup(click.Group):
    """A group that lists our commands without importing them; `listed` has a sentence on each."""

    def __init__(self, *args: Any, listed: Mapping[str, str], **how: Any) -> None:
        super().__init__(*args, **how)
        self.commands = LoadedCommands(listed)  # type: ignore[assignment]
        self._listed = listed

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command as lists show it; a plug-in that does not load says so there, and the others stay."""
        if cmd_name in self._listed:
            return click.Command(cmd_name, help=self._listed[cmd_name])
        try:
            return self.commands.get(cmd_name)
        except PluginError:
            return click.Command(cmd_name, help="Does not load; run it to see why.")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is to run, imported now."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, self.commands[name] if name else listed, rest
