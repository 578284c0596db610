"""The members of a family: ours, written out in the family's `__init__`, and those of other packages by entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from typing import Any

from snellen.errors import PluginError

Members = Mapping[str, str]
"""A member's name and where it stands, as `module:attribute`; nothing is imported before it is used."""


def names(family: str, ours: Members) -> list[str]:
    """All names of a family, ours first, then those of plug-ins."""
    return [*ours, *sorted(point.name for point in _points(family) if point.name not in ours)]


def find(family: str, ours: Members, name: str) -> Any:
    """The member of that name. A plug-in cannot take the name of one of ours."""
    if name in ours:
        module, _, attribute = ours[name].partition(":")
        return getattr(import_module(module), attribute)
    for point in _points(family):
        if point.name == name:
            return _load(point, family)
    known = names(family, ours)
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    what = "stress tests" if family == "stress" else family
    raise PluginError(f"There is no {name!r} among the {what}.{hint} There are: {', '.join(known)}.")


def _points(family: str) -> list[EntryPoint]:
    return list(entry_points(group=f"snellen.{family}"))


def _load(point: EntryPoint, family: str) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise PluginError(
            f"The plug-in {point.name!r} ({point.value}) of the {family} does not load: {error}"
        ) from error


def settings_of(member: Callable[..., Any]) -> str:
    """A sentence on which settings a member takes by name, for who wrote another."""
    kinds = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    taken = [each.name for each in signature(member).parameters.values() if each.kind in kinds]
    return f"Settings: {', '.join(taken)}." if taken else "It has no settings."


def parse_settings(line: str) -> tuple[list[str], dict[str, Any]]:
    """`a,b=1,c=x` as the bare values and the named ones, numbers read as numbers.

    >>> parse_settings("data/vqa-rad,split=all,items=20,leak=0.5")
    (['data/vqa-rad'], {'split': 'all', 'items': 20, 'leak': 0.5})
    """
    bare: list[str] = []
    named: dict[str, Any] = {}
    for part in filter(None, line.split(",")):
        name, sign, value = part.partition("=")
        if sign:
            named[name.strip().replace("-", "_")] = _value(value.strip())
        else:
            bare.append(part)
    return bare, named


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
