"""Responses as rows: each response of a study with its grade by each parser, and a row for each that is not there."""

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
from snellen.scoring.cells import not_asked
from snellen.scoring.resolving import resolve_study
from snellen.scoring.tables import Tables, grade_study
from snellen.store import Picture, Store, as_changed
from snellen.stress.table import OUTCOMES, Grades, Table

Row = dict[str, Any]


class State(StrEnum):
    """What became of a question that was to be asked."""

    ANSWERED = "answered"
    FAILED = "failed"
    """Every call failed; `reason` holds the last error."""
    MISSING = "missing"
    """It was never asked, or the run stopped before the response came."""
    INAPPLICABLE = "inapplicable"
    """The condition has no meaning for the item; `reason` says why."""


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
"""The columns of a row with their types; a value that there is not is None."""
_EMPTY: Row = dict.fromkeys(COLUMNS)


def stored_responses(
    store: Store, parsers: Sequence[str] = (), *, study: str | None = None, unqualified: bool = False
) -> Iterator[Row]:
    """Every response of a study, by default the latest, graded by these parsers, or without any by its own.

    Opinions of judges that are not qualified are left out, unless `unqualified` lets them in.
    """
    record, benchmarks, _, _, plan = resolve_study(store, study, parsers=parsers)
    return responses(store, record, grade_study(store, record, benchmarks, plan, unqualified=unqualified))


def list_held_back(store: Store, study: str | None = None) -> list[str]:
    """The judges of a study, by default the latest, whose opinions the rows leave out: a sentence each."""
    record, gate = store.studies.record(study), gate_of(store)
    asked = ((name, (model, revision)) for name in record["benchmarks"] for model, revision in record["models"])
    held = (each for name, model in asked for each in judgements(store, record, name, model, gate).held_back)
    return list(dict.fromkeys(each.sentence for each in held))


def responses(store: Store, study: Mapping[str, Any], readings: Mapping[str, Tables]) -> Iterator[Row]:
    """The rows of a graded study, condition by condition; texts come from the store one at a time.

    A response has a row for each parser that graded it. One that failed, is missing or has no meaning has one row.
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
    """What an arm made of the items of a benchmark, whichever model was asked."""

    variants: Mapping[int, Item]
    images: Mapping[int, Row]
    """Of each item that came with images, their sizes and the rules by which they were sent."""


def items_under(store: Store, arm: int, items: Sequence[Item], pictures: Mapping[str, Picture]) -> ItemsUnder:
    """The items as an arm left them."""
    shown = {
        at: _images([pictures[each] for each in sent if each in pictures])
        for at, sent in store.variants.shown(arm).items()
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
) -> Asked:
    """What a model, whose tables these are, was asked under an arm, by name and number."""
    reasons = not_asked(store, arm[1], text_only=tables[0].model in study.get("text_only", ()))
    repeats = repeats_asked(study, benchmark, len(tables[0].items))
    runs = None if repeats is None else repeats.count_runs(arm[0])
    return Asked(arm[0], tables, made.variants, reasons, runs, made.images)


class Asked(NamedTuple):
    """What one model was asked under one condition, with the tables of each parser."""

    arm: str
    tables: Sequence[Table]
    variants: Mapping[int, Item]
    reasons: Mapping[int, str]
    runs: Runs | None
    """How often each item was to be asked; None if nobody said."""
    images: Mapping[int, Row]
    """Of each item that came with images, their sizes and the rules by which they were sent."""

    def rows(self, store: Store, model: int, arm: int) -> Iterator[Row]:
        """The responses first, then what is not there."""
        items = self.tables[0].items
        graded = [Graded(table.parser, table.arms[self.arm]) for table in self.tables]
        # A judge may have graded some of the responses only, so each has its own places.
        by_run = [{run: at for at, run in enumerate(each.grades.runs())} for each in graded]
        places = set().union(*by_run)
        for reply in store.responses.replies(model, arm):
            if (run := (reply.ordinal, reply.replicate)) in places:
                original, variant = items[reply.ordinal], self.variants[reply.ordinal]
                about = self.about(*run, State.ANSWERED)
                said = {"finish": reply.finish, "response": reply.text}
                for each, at in zip(graded, by_run, strict=True):
                    if run in at:
                        yield {**about, **each.row(at[run], original, variant), **said}
        yield from self.not_there(store, model, arm)

    def not_there(self, store: Store, model: int, arm: int) -> Iterator[Row]:
        """What failed, is missing or has no meaning."""
        items = self.tables[0].items
        places = set().union(*(table.arms[self.arm].runs() for table in self.tables))
        tried = {(ordinal, replicate): error for ordinal, replicate, error in store.responses.failed_cells(model, arm)}
        known = sorted({run for _, run in (*places, *tried)})
        for ordinal in range(len(items)):
            if ordinal in self.reasons:
                yield {**self.about(ordinal, None, State.INAPPLICABLE), "reason": self.reasons[ordinal]}
                continue
            replicates = known if self.runs is None else range(int(self.runs[ordinal]))
            for run in ((ordinal, replicate) for replicate in replicates):
                if run not in places:
                    state = State.FAILED if run in tried else State.MISSING
                    yield {**self.about(*run, state), "reason": tried.get(run)}

    def about(self, ordinal: int, replicate: int | None, state: State) -> Row:
        """What is known of an item whatever was answered: its key as the condition left it, among others."""
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


def _images(pictures: Sequence[Picture]) -> Row:
    """Sizes and rules of an item's images, in their order."""
    rules = [each.rule or "as it is" for each in pictures]
    return {
        "image_original": ", ".join(f"{each.original[0]}x{each.original[1]}" for each in pictures) or None,
        "image_sent": ", ".join(f"{each.width}x{each.height}" for each in pictures) or None,
        "image_rule": " | ".join(rules) if any(each.rule for each in pictures) else None,
    }


class Graded(NamedTuple):
    """The grades of one condition by one parser."""

    parser: str
    grades: Grades

    def row(self, at: int, original: Item, variant: Item) -> Row:
        """What the parser read in one response."""
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
            **beside(self.grades, at),
        }


def _number(original: Item, variant: Item, place: int) -> int | None:
    """The number that an option of the item as shown has in the original; None where the original has no such one."""
    if variant is original:
        return place
    option = variant.options[place]
    return original.options.index(option) if option in original.options else None


def place_shown(original: Item, variant: Item, chosen: int, *, right: bool) -> int | None:
    """The place at which the chosen option was shown."""
    if chosen == NOTHING:
        return None
    if right and isinstance(variant.answer, int):  # of two options that read the same, the right one
        return variant.answer
    if chosen <= NEW_OPTION:
        return NEW_OPTION - chosen
    return chosen if variant is original else variant.options.index(original.options[chosen])


def beside(grades: Grades, at: int) -> Row:
    """What parsers read beside the choice."""
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
