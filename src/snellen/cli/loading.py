"""Commands that are imported when they are run: ours, a file each, and those of other packages by entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from keyword import iskeyword
from typing import Any

import click

from snellen.errors import PluginError
from snellen.plugins import find, names, package_of


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
        """The command as lists show it, which need not be imported; one of a plug-in names its package."""
        if cmd_name in self._listed:
            return click.Command(cmd_name, help=self._listed[cmd_name])
        known = cmd_name in list(self.commands)
        return click.Command(cmd_name, help=f"From the package {package_of('commands', cmd_name)}.") if known else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write our commands, and those of plug-ins under a title of their own."""
        known = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, known))
        for title, ours in (("Commands", True), ("Commands of plug-ins", False)):
            of_title = [(name, self.get_command(ctx, name)) for name in known if (name in self._listed) is ours]
            rows = [(name, each.get_short_help_str(width)) for name, each in of_title if each]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is to run, imported now."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, self.commands[name] if name else listed, rest
