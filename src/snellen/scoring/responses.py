"""Graded responses as rows. Failed, missing and inapplicable responses have rows, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from math import isnan
from typing import Any, NamedTuple

from snellen.asking.repeats import Runs, repeats_asked
from snellen.items import LETTERS, Item
from snellen.judging.judgements import gate_of, judgements
from snellen.reading.columns import NEW_OPTION, NOTHING
from snellen.reading.detection.columns import CODES
from snellen.reading.missing_image.columns import LABELS
from snellen.reading.open.judged import JudgedAnswers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.scoring.reading import not_asked
from snellen.scoring.resolving import resolve_study
from snellen.scoring.tables import Tables, grade_study
from snellen.store import SentImage, Store, as_changed
from snellen.stress.table import OUTCOMES, Grades, Table

Row = dict[str, Any]


class State(StrEnum):
    """State of a planned response."""

    ANSWERED = "answered"
    FAILED = "failed"
    """Every call failed; the column `reason` has the last error."""
    MISSING = "missing"
    """The model was never asked, or the run stopped before its response."""
    INAPPLICABLE = "inapplicable"
    """The condition does not apply to the item; the column `reason` says why."""


COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("model", "benchmark", "item_id", "arm"), str),
    "replicate": int,
    **dict.fromkeys(("parser", "state", "outcome"), str),
    "right": float,
    **dict.fromkeys(("chosen_letter", "chosen_text"), str),
    "chosen_option": int,
    **dict.fromkeys(("answer_letter", "answer_text"), str),
    "answer_option": int,
    "rule": str,
    "confidence": float,
    **dict.fromkeys(("finish", "language", "category", "cluster", "quality"), str),
    "has_image": int,
    "reason": str,
    **dict.fromkeys(("image_original", "image_sent", "image_rule"), str),
    **dict.fromkeys(("describes", "notices", "hedges"), int),
    **dict.fromkeys(("admission", "diagnosis", "detection"), str),
    **dict.fromkeys(("flags_quality", "conflict"), int),
    "opinions": str,
    "response": str,
}
"""Columns of a row with their types; None is a value that does not exist."""
_EMPTY: Row = dict.fromkeys(COLUMNS)


def stored_responses(
    store: Store, parsers: Sequence[str] = (), *, study: str | None = None, unqualified: bool = False
) -> Iterator[Row]:
    """Yield a study's responses (default: the latest) as rows with grades by these parsers.

    Opinions of judges that are not qualified are included only with `unqualified`.
    """
    record, benchmarks, _, _, plan = resolve_study(store, study, parsers=parsers)
    return responses(store, record, grade_study(store, record, benchmarks, plan, unqualified=unqualified))


def list_held_back(store: Store, study: str | None = None) -> list[str]:
    """Describe the judges of a study whose opinions are not in the rows."""
    record, gate = store.studies.record(study), gate_of(store)
    asked = ((name, (model, revision)) for name in record["benchmarks"] for model, revision in record["models"])
    held = (each for name, model in asked for each in judgements(store, record, name, model, gate).held_back)
    return list(dict.fromkeys(each.sentence for each in held))


def responses(store: Store, study: Mapping[str, Any], readings: Mapping[str, Tables]) -> Iterator[Row]:
    """Yield the rows of a graded study by benchmark and condition.

    A response has one row per parser that graded it. A response that failed, is missing or does not apply has one row.
    """
    pictures = store.images.pictures()
    for name, arms in study["arms"].items():
        for arm, digest in arms.items():
            number, _ = store.studies.arm(digest)
            items = next(table.items for each in readings.values() for at, table in each.items() if at[1] == name)
            made = items_under(store, number, items, pictures)
            for model, revision in study["models"]:
                tables = [each[model, name].with_repeats() for each in readings.values() if (model, name) in each]
                asked = asked_of_model(store, study, name, (arm, number), tables, made)
                yield from asked.rows(store, store.studies.model_number(model, revision), number)


class ItemsUnder(NamedTuple):
    """Items of a benchmark as a condition shows them to any model."""

    variants: Mapping[int, Item]
    images: Mapping[int, Row]
    """Image sizes and resizing rules of each item that was sent with images."""


def items_under(store: Store, arm: int, items: Sequence[Item], pictures: Mapping[str, SentImage]) -> ItemsUnder:
    """Return the items and images as a condition shows them."""
    shown = {
        at: _images([pictures[each] for each in sent if each in pictures])
        for at, sent in store.variants.load_image_hashes(arm).items()
    }
    changes = store.variants.changes(arm).items()
    return ItemsUnder({at: as_changed(items[at], each) for at, each in changes if at < len(items)}, shown)


def asked_of_model(
    store: Store,
    study: Mapping[str, Any],
    benchmark: str,
    arm: tuple[str, int],
    tables: Sequence[Table],
    made: ItemsUnder,
) -> ArmResponses:
    """Return what a model was asked under a condition (name and number)."""
    reasons = not_asked(store, arm[1], text_only=tables[0].model in study.get("text_only", ()))
    repeats = repeats_asked(study, benchmark, len(tables[0].items))
    runs = None if repeats is None else repeats.count_runs(arm[0])
    return ArmResponses(arm[0], tables, made.variants, reasons, runs, made.images)


class ArmResponses(NamedTuple):
    """Items that one model was asked under one condition, with one table per parser."""

    arm: str
    tables: Sequence[Table]
    variants: Mapping[int, Item]
    reasons: Mapping[int, str]
    runs: Runs | None
    """Number of responses expected to each item; None if unknown."""
    images: Mapping[int, Row]
    """Image sizes and resizing rules of each item that was sent with images."""

    def rows(self, store: Store, model: int, arm: int) -> Iterator[Row]:
        """Yield the rows of the responses, then those of failed, missing and inapplicable ones."""
        items = self.tables[0].items
        graded = [Graded(table.parser, table.arms[self.arm]) for table in self.tables]
        # A judge may have graded only some of the responses, so each parser has its own places.
        by_run = [{run: at for at, run in enumerate(each.grades.runs())} for each in graded]
        places = set().union(*by_run)
        for reply in store.responses.replies(model, arm):
            if (run := (reply.ordinal, reply.replicate)) in places:
                original, variant = items[reply.ordinal], self.variants[reply.ordinal]
                about = self.describe_item(*run, State.ANSWERED)
                said = {"finish": reply.finish, "response": reply.text}
                for each, at in zip(graded, by_run, strict=True):
                    if run in at:
                        yield {**about, **each.row(at[run], original, variant), **said}
        yield from self.not_there(store, model, arm)

    def not_there(self, store: Store, model: int, arm: int) -> Iterator[Row]:
        """Yield a row for each response that failed, is missing or does not apply."""
        items = self.tables[0].items
        places = set().union(*(table.arms[self.arm].runs() for table in self.tables))
        tried = {(ordinal, replicate): error for ordinal, replicate, error in store.responses.failed_cells(model, arm)}
        known = sorted({run for _, run in (*places, *tried)})
        for ordinal in range(len(items)):
            if ordinal in self.reasons:
                yield {**self.describe_item(ordinal, None, State.INAPPLICABLE), "reason": self.reasons[ordinal]}
                continue
            replicates = known if self.runs is None else range(int(self.runs[ordinal]))
            for run in ((ordinal, replicate) for replicate in replicates):
                if run not in places:
                    state = State.FAILED if run in tried else State.MISSING
                    yield {**self.describe_item(*run, state), "reason": tried.get(run)}

    def describe_item(self, ordinal: int, replicate: int | None, state: State) -> Row:
        """Return the row of an item as the condition shows it, with its answer key."""
        table = self.tables[0]
        original = table.items[ordinal]
        variant = self.variants.get(ordinal, original)
        at = variant.answer if isinstance(variant.answer, int) else None
        return {
            **_EMPTY,
            "model": table.model,
            "benchmark": table.benchmark,
            "item_id": original.id,
            "arm": self.arm,
            "replicate": replicate,
            "state": state.value,
            "answer_letter": None if at is None else LETTERS[at],
            "answer_text": variant.answer if at is None else variant.options[at].text,
            "answer_option": None if at is None else _number(original, variant, at),
            "language": original.language,
            "category": original.category or None,
            "cluster": original.cluster or None,
            "quality": str(original.metadata.get("quality") or "") or None,
            "has_image": None if table.imageless is None else int(not table.imageless[ordinal]),
            **self.images.get(ordinal, {}),
        }


def _images(pictures: Sequence[SentImage]) -> Row:
    rules = [each.rule or "as it is" for each in pictures]
    return {
        "image_original": ", ".join(f"{each.original[0]}x{each.original[1]}" for each in pictures) or None,
        "image_sent": ", ".join(f"{each.width}x{each.height}" for each in pictures) or None,
        "image_rule": " | ".join(rules) if any(each.rule for each in pictures) else None,
    }


class Graded(NamedTuple):
    """Grades of one condition by one parser."""

    parser: str
    grades: Grades

    def row(self, at: int, original: Item, variant: Item) -> Row:
        """Return the columns with what the parser read in one response."""
        outcome, rule = OUTCOMES[self.grades.outcome[at]], self.grades.rules[self.grades.rule[at]]
        chosen = int(self.grades.chosen[at])
        right = float(outcome is Outcome.CORRECT if self.grades.credit is None else self.grades.credit[at])
        shown = place_shown(original, variant, chosen, right=outcome is Outcome.CORRECT)
        return {
            "parser": self.parser,
            "outcome": outcome.value,
            "right": right if self.grades.admissions is None else None,
            "chosen_letter": None if shown is None else LETTERS[shown],
            "chosen_text": None if shown is None else variant.options[shown].text,
            "chosen_option": chosen if chosen >= 0 else None,
            "rule": rule,
            "confidence": None if isnan(sure := parser_named(self.parser).confidence(rule)) else round(sure, 3),
            **list_other_readings(self.grades, at),
        }


def _number(original: Item, variant: Item, place: int) -> int | None:
    """Number of an option in the original item; None if the condition added it."""
    if variant is original:
        return place
    option = variant.options[place]
    return original.options.index(option) if option in original.options else None


def place_shown(original: Item, variant: Item, chosen: int, *, right: bool) -> int | None:
    """Find the place at which the chosen option was shown; None without a choice."""
    if chosen == NOTHING:
        return None
    if right and isinstance(variant.answer, int):  # if two options have the same text, the right one
        return variant.answer
    if chosen <= NEW_OPTION:
        return NEW_OPTION - chosen
    return chosen if variant is original else variant.options.index(original.options[chosen])


def list_other_readings(grades: Grades, at: int) -> Row:
    """Return the columns with all readings other than the choice."""
    found: Row = {}
    if (said := grades.rationales) is not None:
        marks = {"describes": said.claims > 0, "notices": said.notices, "hedges": said.hedges}
        found.update({name: int(each[at]) for name, each in marks.items()})
    if (admitted := grades.admissions) is not None:
        named = int(admitted.diagnosis[at])
        diagnosis = None if named == NOTHING else admitted.diagnoses[named].name
        found.update(admission=LABELS[admitted.label[at]].value, diagnosis=diagnosis)
    if (seen := grades.detections) is not None and (code := int(seen.seen[at])) != NOTHING:
        conflict = int(seen.conflict[at])
        found.update(detection=_DETECTION[code], flags_quality=int(seen.flags[at]))
        found.update(conflict=None if conflict == NOTHING else conflict)
    if (judged := grades.of(JudgedAnswers)) is not None:
        found.update(opinions="; ".join(judged.in_words(at)))
    return found


_DETECTION = {code: label.name.lower() for label, code in CODES.items()}
