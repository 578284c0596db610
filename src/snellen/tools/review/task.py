"""A review task: the questions to raters about a case, and the valid answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from snellen.errors import DataError
from snellen.reading.language.cleaning import lower_keeping_offsets

Value = Mapping[str, Any]
"""A vote: the rater's answers, by field name."""
LONGEST_WORDS = 20_000
"""Maximum characters of a rater's text."""


class FieldChoice(NamedTuple):
    """One possible answer to a field: stored value, label and meaning."""

    value: str
    label: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One question to a rater.

    `choice` takes one of `choices`; `scale` too, in order. `words` takes a text. `marks` takes any number of choices,
    each with a character range of the response: `[{"tag": …, "start": …, "end": …}]`. A mark may have no
    range; an empty list means that nothing was found.
    """

    name: str
    asks: str
    kind: Literal["choice", "scale", "marks", "words"]
    choices: tuple[FieldChoice, ...] = ()
    required: bool = True
    compared: bool = True
    """Whether this field counts for agreement, and its disagreements must be settled."""

    @property
    def values(self) -> tuple[str, ...]:
        """The values that may be chosen."""
        return tuple(each.value for each in self.choices)

    def validate(self, given: Any, where: str) -> Any:
        """Return a valid answer to the field in its stored form; raise DataError for others."""
        if self.kind == "words":
            if not isinstance(given, str) or len(given) > LONGEST_WORDS:
                raise self._make_error(f"a text of at most {LONGEST_WORDS:,} characters", given, where)
            return given.replace("\x00", "").strip()
        if self.kind == "marks":
            if not isinstance(given, list):
                raise self._make_error("a list of marks", given, where)
            return [self._validate_mark(each, where) for each in given]
        if str(given) not in self.values:
            raise self._make_error(f"one of {', '.join(self.values)}", given, where)
        return str(given)

    def _validate_mark(self, mark: Any, where: str) -> dict[str, Any]:
        tag = mark.get("tag") if isinstance(mark, Mapping) else None
        if tag not in self.values:
            raise self._make_error(f"marks with one of {', '.join(self.values)}", mark, where)
        start, end = mark.get("start"), mark.get("end")
        if start is None and end is None:
            return {"tag": tag}
        if not (_is_place(start) and _is_place(end) and start < end):
            raise self._make_error("a mark whose `start` lies before its `end`", mark, where)
        return {"tag": tag, "start": start, "end": end}

    def _make_error(self, expected: str, got: Any, where: str) -> DataError:
        return DataError(f"{where}: expected for {self.name!r} {expected}, got {got!r:.60}.")


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _exactly(field: Field, value: Value) -> Any:
    """Return a vote's answer in comparable form; for marks, the set of tags."""
    answer = value.get(field.name)
    return frozenset(each["tag"] for each in answer or ()) if field.kind == "marks" else answer


def normalise_words(field: Field, value: Value) -> Any:
    """Normalise a text: lower case, single spaces, no final full stop. A choice stays unchanged."""
    answer = value.get(field.name)
    return answer if field.kind == "choice" else " ".join(lower_keeping_offsets(str(answer or "")).split()).rstrip(".")


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """A task for raters: its questions, its number of raters, and how disagreements are settled."""

    name: str
    title: str
    asks: str
    """Instruction to the rater."""
    fields: tuple[Field, ...]
    raters: int = 2
    settles: bool = True
    each: int = 30
    """Cases drawn per stratum by default."""
    source: str = ""
    """Publication of the protocol, if any."""
    candidates: str = ""
    """The text field whose answers are shown to the settler, in random order and without names."""
    says: Callable[[Field, Value], Any] = _exactly
    """Function that returns a vote's answer to a field; agreeing votes give equal results."""

    def validate(self, value: Any, where: str = "The vote", *, response: str | None = None) -> dict[str, Any]:
        """Return a vote in its stored form; raise DataError for unknown, invalid or missing answers.

        If the response is given, no mark may end beyond it.
        """
        if not isinstance(value, Mapping):
            raise DataError(f"{where}: expected an answer to each field, got {value!r:.60}.")
        known = {field.name: field for field in self.fields}
        if unknown := sorted(set(value) - set(known)):
            raise DataError(
                f"{where}: the task {self.name} has the fields {', '.join(known)}, got {', '.join(map(str, unknown))}."
            )
        given = [name for name in known if value.get(name) not in (None, "")]
        answers = {name: known[name].validate(value[name], where) for name in given}
        answers = {name: each for name, each in answers.items() if each != ""}  # spaces alone are no words
        if absent := [name for name, field in known.items() if field.required and name not in answers]:
            raise DataError(f"{where}: no answer to {', '.join(absent)}.")
        marks = [mark for name, field in known.items() if field.kind == "marks" for mark in answers.get(name, ())]
        if response is not None and any(mark.get("end", 0) > len(response) for mark in marks):
            raise DataError(f"{where}: a mark ends beyond the response, which has {len(response):,} characters.")
        return answers

    @property
    def compared(self) -> tuple[Field, ...]:
        """The fields in which raters may disagree."""
        return tuple(field for field in self.fields if field.compared)

    def differ(self, votes: Sequence[Value]) -> bool:
        """Return whether votes on one case disagree in a compared field."""
        return any(len({self.says(field, vote) for vote in votes}) > 1 for field in self.compared)

    def most_say(self, votes: Sequence[Value]) -> dict[str, Any] | None:
        """Return the majority's answer to each compared field; None without a majority.

        For marks, these are the patterns found by more than half, without ranges; None if exactly half found one.
        """
        majority: dict[str, Any] = {}
        for field in self.compared:
            if field.kind == "marks":
                tags = Counter(tag for vote in votes for tag in _exactly(field, vote))
                if any(2 * count == len(votes) for count in tags.values()):
                    return None
                majority[field.name] = [{"tag": tag} for tag in field.values if 2 * tags[tag] > len(votes)]
                continue
            answers = [self.says(field, vote) for vote in votes]
            usual, count = Counter(answers).most_common(1)[0]
            if 2 * count <= len(votes):
                return None
            if usual is not None:
                majority[field.name] = votes[answers.index(usual)][field.name]
        return majority
