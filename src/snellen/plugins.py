"""Families of members, such as conditions or models: our members, and plug-ins from entry points.

A member is a class, function or record that users choose by its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from snellen.errors import MissingExtraError, PluginError, SnellenError, StudyError

Member = TypeVar("Member", bound=Callable[..., Any])

Members = Mapping[str, str]
"""References to members by name, each as `module:attribute`. A module is imported when it is first used."""


def names(family: str, ours: Members) -> list[str]:
    """Return all names of a family, ours first, then those of plug-ins."""
    return [*ours, *sorted({point.name for point in _points(family)} - set(ours))]


def package_of(family: str, name: str) -> str:
    """Return the package that provides a plug-in, without loading it; "" if unknown."""
    return next((point.dist.name for point in _points(family) if point.name == name and point.dist), "")


def find(family: str, ours: Members, name: str) -> Any:
    """Return the member with a name. A plug-in cannot replace a member of ours."""
    if name in ours:
        return load_reference(ours[name])
    for point in _points(family):
        if point.name == name:
            return _load(point, family)
    known = names(family, ours)
    what = {"stress": "stress tests", "questions": "judge's questions"}.get(family, family)
    hint = did_you_mean(name, known)
    raise PluginError(f"There is no {name!r} among the {what}.{hint} There are: {', '.join(known)}.")


def load_reference(reference: str) -> Any:
    """Import the object that `module:attribute` refers to."""
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


def import_extra(module: str, package: str, extra: str) -> Any:
    """Import a module of an optional package; MissingExtraError if the package is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(package, extra) from error


def resolve_names(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[list[str], Callable[[str], Any]]:
    """Return `__all__` and `__getattr__` for a package that imports its modules lazily.

    `homes` lists the public names of each module. Importing the package then loads no module.
    """
    home = {name: f"{package}.{module}:{name}" for module, names in homes.items() for name in names}

    def resolve(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return load_reference(home[name])

    return sorted(home), resolve


def _points(family: str) -> Sequence[EntryPoint]:
    return _list_entry_points(f"snellen.{family}", tuple(sys.path))


@lru_cache(maxsize=64)
def _list_entry_points(group: str, path: tuple[str, ...]) -> Sequence[EntryPoint]:
    """Return the entry points of a group. Cached, since the search reads a file of every package."""
    return tuple(entry_points(group=group))


def _load(point: EntryPoint, family: str) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise PluginError(
            f"The plug-in {point.name!r} ({point.value}) of the {family} does not load: {error}"
        ) from error


def settings_from(record: Callable[..., Any]) -> Callable[[Member], Member]:
    """Return a decorator that adds a record's fields to a member's signature, for checks."""

    def add_fields(member: Member) -> Member:
        own, fields = signature(member, eval_str=True), signature(record, eval_str=True).parameters.values()
        kept = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        member.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[*kept, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in fields)]
        )
        return member

    return add_fields


def read_settings(member: Callable[..., Any], line: str, *, failure: str) -> tuple[list[Any], dict[str, Any]]:
    """Parse `a,b=1` into a member's positional and named settings.

    StudyError, starting with `failure`, if a setting is unknown or has the wrong type.
    """
    taken = _parameters(member)
    by_name = {each.name: each for each in taken if each.kind in _BY_NAME}
    in_place = [each for each in taken if each.kind in _BY_PLACE]
    listed = f"Settings: {', '.join(by_name)}." if by_name else "It has no settings."
    texts, named = _parts(line)
    if len(texts) > len(in_place) and not _has(Parameter.VAR_POSITIONAL, taken):
        raise StudyError(f"{failure}: {texts[-1]!r} sets nothing; a setting is written as name=value. {listed}")
    for name in named:
        if name not in by_name and not _has(Parameter.VAR_KEYWORD, taken):
            raise StudyError(f"{failure}: it has no setting {name!r}. {listed}{did_you_mean(name, by_name)}")
        if name in [each.name for each in in_place[: len(texts)]]:
            raise StudyError(f"{failure}: it sets {name} twice.")
    for each in (*in_place[len(texts) :], *(each for each in taken if each.kind is Parameter.KEYWORD_ONLY)):
        if each.default is Parameter.empty and each.name not in named:
            raise StudyError(f"{failure}: the setting {each.name} is missing. {listed}")
    bare = [_read(text, each, failure) for text, each in zip(texts, in_place, strict=False)]
    return [*bare, *texts[len(bare) :]], {
        name: _read(text, by_name[name], failure) if name in by_name else _value(text) for name, text in named.items()
    }


def setting_names(member: Callable[..., Any]) -> tuple[str, ...]:
    """Return the settings that a member takes by name."""
    return tuple(each.name for each in _parameters(member) if each.kind in _BY_NAME)


def create_member(member: Callable[..., Any], *bare: Any, failure: str, **named: Any) -> Any:
    """Create a member from its settings; turn errors of other packages into PluginError."""
    try:
        return member(*bare, **named)
    except SnellenError:
        raise
    except Exception as error:
        raise PluginError(f"{failure}: {_describe_error(error).rstrip('.')}.") from error


def _describe_error(error: Exception) -> str:
    """Describe an error; add its type unless its message is written for users."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean …?" if a known name is similar; else ""."""
    close = get_close_matches(str(name), list(map(str, known)), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", bool: "true or false"}


def _parameters(member: Callable[..., Any]) -> list[Parameter]:
    try:
        return list(signature(member, eval_str=True).parameters.values())
    except NameError:  # an annotation that is imported for type checkers only
        return list(signature(member).parameters.values())


def _has(kind: Any, parameters: Sequence[Parameter]) -> bool:
    return any(each.kind is kind for each in parameters)


def _read(text: str, parameter: Parameter, failure: str) -> Any:
    """Convert a setting to its annotated type; guess the type without an annotation."""
    wanted = parameter.annotation
    kinds = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)
    known = [kind for kind in kinds if kind in _KINDS]
    words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    value = _value(text)
    if any(_is(kind, value) for kind in known) or text in words:
        return text if text in words else value
    if str in kinds:
        return text
    if not known and not words:
        return value
    expected = [*(_KINDS[kind] for kind in known), *map(str, words)]
    raise StudyError(f"{failure}: expected {parameter.name} to be {join_with_or(expected)}, got {text!r}.")


def _is(kind: Any, value: Any) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, int | float if kind is float else kind)


def join_with_or(words: Sequence[str]) -> str:
    """Join alternatives with commas and "or".

    >>> join_with_or(["white", "black", "noise"])
    'white, black or noise'
    """
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def parse_settings(line: str) -> tuple[list[str], dict[str, Any]]:
    """Split `a,b=1,c=x` into positional and named values; convert numbers.

    >>> parse_settings("data/vqa-rad,split=all,items=20,leak=0.5")
    (['data/vqa-rad'], {'split': 'all', 'items': 20, 'leak': 0.5})
    """
    bare, texts = _parts(line)
    return bare, {name: _value(text) for name, text in texts.items()}


def _parts(line: str) -> tuple[list[str], dict[str, str]]:
    bare: list[str] = []
    named: dict[str, str] = {}
    for part in filter(None, line.split(",")):
        name, sign, value = part.partition("=")
        if sign:
            named[name.strip().replace("-", "_")] = value.strip()
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
