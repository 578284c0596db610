"""Command groups that import our commands and plug-ins only when they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from keyword import iskeyword
from typing import Any

import click

from snellen.cli.options import complain
from snellen.errors import PluginError
from snellen.plugins import find, names, package_of

Listed = Mapping[str, Mapping[str, str]]
"""Titles, each with the names of commands and a sentence about each."""


class LoadedCommands(Mapping[str, click.Command]):
    """Commands by name, imported when they are looked up; with a family, also its plug-ins."""

    def __init__(self, ours: Mapping[str, str], groups: Mapping[str, click.Command], family: str) -> None:
        modules = {name: f"{name}_" if iskeyword(name) else name for name in ours}
        self._ours = {name: f"{__package__}.{modules[name]}:{name}_command" for name in ours}
        self._groups, self._family = groups, family

    def __iter__(self) -> Iterator[str]:
        return iter(names(self._family, self._ours) if self._family else self._ours)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> click.Command:
        if name in self._groups:
            return self._groups[name]
        if name not in self._ours and name not in list(self):
            raise KeyError(name)
        found = find(self._family, self._ours, name)
        if not isinstance(found, click.Command):
            raise PluginError(f"The plug-in {name!r} of the commands gave {found!r}. Expected a click.Command.")
        return found


class WholeLines(click.Group):
    """Command group whose help shows the complete first sentence of each command."""

    def __init__(self, *args: Any, listed: Listed | None = None, **how: Any) -> None:
        super().__init__(*args, **how)
        self.titled = listed or {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their titles."""
        under_titles = {name for of_title in self.titled.values() for name in of_title}
        others = [name for name in self.list_commands(ctx) if name not in under_titles]
        for title, of_title in {**self.titled, "Commands of plug-ins" if self.titled else "Commands": others}.items():
            found = ((name, self.get_command(ctx, name)) for name in of_title)
            rows = [(name, each.get_short_help_str(1000)) for name, each in found if each]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class CommandGroup(WholeLines):
    """Command group whose help lists our commands without importing them."""

    def __init__(
        self,
        *args: Any,
        listed: Listed,
        groups: Mapping[str, Mapping[str, str]] | None = None,
        family: str = "",
        **how: Any,
    ) -> None:
        super().__init__(*args, listed=listed, **how)
        self._sentences = {name: said for commands in listed.values() for name, said in commands.items()}
        self._family = family
        inner = {
            name: CommandGroup(name, listed={"Commands": commands}, help=self._sentences[name])
            for name, commands in (groups or {}).items()
        }
        self.commands = LoadedCommands(self._sentences, inner, family)  # type: ignore[assignment]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a placeholder for the help, without an import; plug-ins show their package."""
        if cmd_name in self._sentences:
            return click.Command(cmd_name, help=self._sentences[cmd_name])
        if cmd_name not in list(self.commands):
            return None
        return click.Command(cmd_name, help=f"From the package {package_of(self._family, cmd_name)}.")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command to run, importing it now."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, self.commands[name] if name else listed, rest


class MainGroup(CommandGroup):
    """Main group: our commands, those of plug-ins, and earlier names of commands."""

    def __init__(self, *args: Any, renamed: Mapping[str, str], **how: Any) -> None:
        super().__init__(*args, family="commands", **how)
        self._renamed = renamed

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command to run; for an old name, also print the new one."""
        if args and args[0] in self._renamed:
            new = self._renamed[args[0]]
            if not ctx.resilient_parsing:  # no message while the shell completes a line
                complain(f"`snellen {args[0]}` is now `snellen {new}`. The next release knows the new name only.")
            args = [*new.split(), *args[1:]]
        return super().resolve_command(ctx, args)
