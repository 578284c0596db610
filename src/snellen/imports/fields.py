"""Options of an import, and the fields of a tool's record: named by the user or guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from snellen.benchmarks.answers import LabelledOption
from snellen.errors import DataError, StudyError
from snellen.imports.answer import AS_ASKED
from snellen.imports.conditions import arm_name
from snellen.items import Benchmark

Note = Callable[[str], None]
"""Function that receives notes on guesses and unknowns. `{count}` in a note becomes its number of occurrences."""

GUESSES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "qid", "item_id", "uid"),
    "question": ("question", "query", "problem", "stem", "input"),
    "options": ("options", "choices", "answer_choices", "candidates", "endings"),
    "answer": (
        *("answer", "target", "label", "gold", "answer_idx", "answer_index", "answerkey", "correct_answer"),
        *("correct", "gt_answer", "ground_truth", "cop", "expected"),
    ),
    "context": ("context", "passage", "hint"),
    "category": ("category", "subject", "topic", "specialty", "subject_name"),
    "language": ("language",),
    "cluster": ("cluster", "patient_id", "study_id"),
    "image": ("image", "images", "image_path", "image_url"),
    "arm": ("arm",),
}
"""Our field names, each with the names used in records, the likeliest first."""

_LETTERED = re.compile(r"(?:(?:option|choice)[ _]?|op)?([a-l])", re.IGNORECASE)


FieldPlace = str | tuple[str, ...]
"""A field's name, or the names of fields that hold one option each. Empty if the named field is missing."""


def fields_from(text: str) -> dict[str, str]:
    """Parse `question=Q,answer=label` into our names and theirs.

    >>> fields_from("question=Q, answer=label")
    {'question': 'Q', 'answer': 'label'}
    """
    found: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        ours, sign, theirs = (each.strip() for each in part.partition("="))
        ours = "image" if ours == "images" else ours
        if not sign or not theirs or ours not in GUESSES:
            raise StudyError(
                f"Expected --map OURS=THEIRS,… such as question=Q,answer=label, got {part!r}. "
                f"Our names are: {', '.join(GUESSES)}."
            )
        if ours in found:
            raise StudyError(f"--map names {ours!r} twice.")
        found[ours] = theirs
    return found


class Fields:
    """Finder of our fields in records; it reports each guess once."""

    def __init__(self, said: Mapping[str, str], note: Note) -> None:
        self.said = said
        self._note = note
        self._of: dict[tuple[str, ...], dict[str, FieldPlace]] = {}
        self._wanted: dict[tuple[tuple[str, ...], tuple[str, ...]], list[tuple[str, FieldPlace]]] = {}
        self._told: set[tuple[str, str]] = set()

    def read(self, record: Mapping[str, Any], *wanted: str) -> dict[str, Any]:
        """Return a record's values by our field names, without empty values."""
        names = tuple(record)
        places = self._wanted.get((names, wanted))
        if places is None:
            places = self._wanted[names, wanted] = self._places(names, record, wanted)
        found: dict[str, Any] = {}
        for ours, place in places:
            value = record[place] if isinstance(place, str) and place in record else self._deeper(record, ours, place)
            if value is not None and value != "" and value == value:
                found[ours] = value
                if place != ours:
                    self._say(ours, place)
        return found

    def _places(
        self, names: tuple[str, ...], record: Mapping[str, Any], wanted: tuple[str, ...]
    ) -> list[tuple[str, FieldPlace]]:
        """Return where a record holds each wanted field. `names` are the record's field names."""
        if names not in self._of:
            self._of[names] = {ours: theirs for ours in GUESSES if (theirs := self._place(ours, record)) is not None}
        places = self._of[names]
        return [(ours, places.get(ours, ())) for ours in wanted if ours in places or ours in self.said]

    def _place(self, ours: str, record: Mapping[str, Any]) -> FieldPlace | None:
        if ours in self.said:
            name = self.said[ours]
            return name if name in record or _read_path(record, name) is not None else None
        called = {name.casefold(): name for name in reversed(list(record))}
        named = next((called[guess] for guess in GUESSES[ours] if guess in called), None)
        return named or (_columns(record) if ours == "options" else None)

    def _deeper(self, record: Mapping[str, Any], ours: str, place: FieldPlace) -> Any:
        """Return a nested value or several option fields; DataError if the field is missing."""
        if not place:
            raise DataError(f"it has no field {self.said[ours]!r} (--map {ours}=…); its fields are {sorted(record)}")
        if isinstance(place, tuple):
            texts = [record[name] for name in place]
            return without_last_blanks([None if text == "" or text != text else text for text in texts])
        return _read_path(record, place)

    def _say(self, ours: str, place: FieldPlace) -> None:
        theirs = place if isinstance(place, str) else f"{place[0]} to {place[-1]}"
        if ours in self.said or theirs == ours or (ours, theirs) in self._told:
            return
        self._told.add((ours, theirs))
        self._note(f"The field {theirs!r} was read as the {ours}. If that is wrong, say --map {ours}=FIELD.")


def without_last_blanks(texts: Sequence[Any]) -> list[Any]:
    """Drop empty options at the end; DataError for an empty option before others.

    Such an option cannot be dropped, since all following letters would change.
    """
    kept = list(texts)
    while kept and kept[-1] is None:
        kept.pop()
    if None in kept:
        empty, full = (chr(ord("A") + at) for at in (kept.index(None), len(kept) - 1))
        raise DataError(
            f"its option {empty} is empty, but option {full} is not (pandas reads the words None and NA as empty); "
            f"fill in option {empty}"
        )
    return kept


def in_order_of_letters(options: Sequence[LabelledOption]) -> None:
    """Raise DataError if the options are not sorted by their letters."""
    labels = [label.upper() for label, _ in options]
    if labels != sorted(labels) and sorted(labels) == [chr(ord("A") + at) for at in range(len(labels))]:
        raise DataError(
            f"the letters of its options are out of order ({', '.join(labels)}); sort the options by letter, as they "
            "were shown"
        )


def _columns(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the fields A, B, C (or option_a, opa); None if there is a gap."""
    by_letter = {match.group(1).upper(): name for name in record if (match := _LETTERED.fullmatch(name))}
    letters = sorted(by_letter)
    if len(letters) < 2 or letters != [chr(ord("A") + at) for at in range(len(letters))]:
        return None
    return tuple(by_letter[letter] for letter in letters)


def _read_path(record: Mapping[str, Any], name: str) -> Any:
    """Return a nested value, such as `meta.question`; None if it is missing."""
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def ignore_note(sentence: str) -> None:
    """Ignore a note about guesses."""


@dataclass(frozen=True)
class Given:
    """Options of an import: condition, benchmark, model, field names, and known benchmarks."""

    arm: str | None = None
    name: str | None = None
    model: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Benchmark] = field(default_factory=dict)
    note: Note = ignore_note

    def find_benchmark(self, name: str) -> Benchmark | None:
        """Return the known benchmark with this name, or the only known one, or None."""
        return self.known.get(name) or (next(iter(self.known.values())) if len(self.known) == 1 else None)

    def arm_of(self, own: object = None) -> str:
        """Return the condition that a row names, else the given one, else the original."""
        said = own if own is not None else self.arm if self.arm is not None else AS_ASKED
        return _arm_called(said) if isinstance(said, str) else arm_name(said)


@lru_cache(maxsize=4096)
def _arm_called(name: str) -> str:
    return arm_name(name)
