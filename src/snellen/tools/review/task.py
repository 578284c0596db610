"""Task: what raters are asked about a case, and what their answers may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from snellen.errors import DataError

Value = Mapping[str, Any]
"""A vote: what a rater says to each field that was filled in."""
LONGEST_WORDS = 20_000
"""Characters of a text that a rater writes."""


class Choice(NamedTuple):
    """One answer that a field offers: how it is stored, how it is called, and its anchor or meaning."""

    value: str
    label: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One question to a rater.

    `choice` takes one of its choices, `scale` too, in order; `marks` takes any of them, each with the words of the
    response that it is about, `[{"tag": …, "start": …, "end": …}]`, where a mark without words has no start, and none
    at all is an empty list; `words` takes a text.
    """

    name: str
    asks: str
    kind: Literal["choice", "scale", "marks", "words"]
    choices: tuple[Choice, ...] = ()
    required: bool = True
    compared: bool = True
    """Whether raters' answers are held against each other: agreement is of these fields, and a third settles them."""

    @property
    def values(self) -> tuple[str, ...]:
        """What may be chosen."""
        return tuple(each.value for each in self.choices)

    def checked(self, given: Any, where: str) -> Any:
        """An answer to the field as it is kept; DataError for one that it does not offer."""
        if self.kind == "words":
            return self._words(given, where)
        if self.kind == "marks":
            return [self._mark(each, where) for each in _listed(given, self, where)]
        if str(given) not in self.values:
            raise DataError(
                f"{where}: expected for {self.name!r} one of {', '.join(self.values)}, got {_shown(given)}."
            )
        return str(given)

    def _words(self, given: Any, where: str) -> str:
        if not isinstance(given, str) or len(given) > LONGEST_WORDS:
            raise DataError(
                f"{where}: expected for {self.name!r} a text of at most {LONGEST_WORDS:,} characters, got "
                f"{_shown(given)}."
            )
        return given.replace("\x00", "").strip()

    def _mark(self, given: Any, where: str) -> dict[str, Any]:
        tag = given.get("tag") if isinstance(given, Mapping) else None
        if tag not in self.values:
            raise DataError(
                f"{where}: expected for {self.name!r} marks with one of {', '.join(self.values)}, got {_shown(given)}."
            )
        start, end = given.get("start"), given.get("end")
        if start is None and end is None:
            return {"tag": tag}
        if not (_is_place(start) and _is_place(end) and start < end):
            raise DataError(
                f"{where}: expected for {self.name!r} a mark whose `start` lies before its `end`, got {_shown(given)}."
            )
        return {"tag": tag, "start": start, "end": end}


def _is_place(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def _listed(given: Any, field: Field, where: str) -> Sequence[Any]:
    if isinstance(given, list):
        return given
    raise DataError(f"{where}: expected for {field.name!r} a list of marks, got {_shown(given)}.")


def _shown(given: Any) -> str:
    return f"{given!r:.60}"


def _exactly(field: Field, value: Value) -> Any:
    """What a vote says to a field, in a form that can be compared."""
    said = value.get(field.name)
    return frozenset(each["tag"] for each in said or ()) if field.kind == "marks" else said


@dataclass(frozen=True, slots=True)
class Task:
    """What raters are asked about a case, how many of them, and whether another settles what they disagree on."""

    name: str
    title: str
    asks: str
    """What a rater is told to do."""
    fields: tuple[Field, ...]
    raters: int = 2
    settles: bool = True
    each: int = 30
    """Cases drawn of a stratum where nobody says otherwise."""
    source: str = ""
    """Whose protocol it is."""
    candidates: str = ""
    """The field of words whose answers are laid before the one who settles, in random order and without names."""
    says: Callable[[Field, Value], Any] = _exactly
    """What a vote says to a field, such that votes that agree are equal."""

    def checked(self, value: Any, where: str = "The vote") -> dict[str, Any]:
        """A vote as it is kept; DataError where it answers what was not asked, or leaves out what was."""
        if not isinstance(value, Mapping):
            raise DataError(f"{where}: expected an answer to each field, got {_shown(value)}.")
        known = {field.name: field for field in self.fields}
        if unknown := sorted(set(value) - set(known)):
            raise DataError(
                f"{where}: {self.name} asks for {', '.join(known)}, got {', '.join(map(str, unknown))} too."
            )
        said = {name: value[name] for name in known if value.get(name) not in (None, "")}
        kept = {name: known[name].checked(each, where) for name, each in said.items()}
        given = {name: each for name, each in kept.items() if each != ""}  # spaces alone are no words
        if absent := [name for name, field in known.items() if field.required and name not in given]:
            raise DataError(f"{where}: no answer to {', '.join(absent)}.")
        return given

    def check_marks(self, value: Value, response: str, where: str = "The vote") -> None:
        """DataError for a mark on words that a response does not have."""
        for field in self.fields:
            if field.kind == "marks" and any(mark.get("end", 0) > len(response) for mark in value.get(field.name, ())):
                raise DataError(f"{where}: a mark ends after the response, which has {len(response):,} characters.")

    @property
    def compared(self) -> tuple[Field, ...]:
        """The fields in which raters may disagree."""
        return tuple(field for field in self.fields if field.compared)

    def differ(self, votes: Sequence[Value]) -> bool:
        """Whether votes on one case disagree in a field that is compared."""
        return any(len({self.says(field, vote) for vote in votes}) > 1 for field in self.compared)

    def most_say(self, votes: Sequence[Value]) -> dict[str, Any] | None:
        """What more than half of the votes on one case say to each field that is compared; None where no such are.

        Of marks it is the patterns that more than half have found, without their words; where half found a pattern and
        half did not, there is no such.
        """
        found: dict[str, Any] = {}
        for field in self.compared:
            if field.kind == "marks":
                tags = Counter(tag for vote in votes for tag in _exactly(field, vote))
                if any(2 * count == len(votes) for count in tags.values()):
                    return None
                found[field.name] = [{"tag": tag} for tag in field.values if 2 * tags[tag] > len(votes)]
                continue
            said = [self.says(field, vote) for vote in votes]
            usual, count = Counter(said).most_common(1)[0]
            if 2 * count <= len(votes):
                return None
            if usual is not None:
                found[field.name] = votes[said.index(usual)][field.name]
        return found
