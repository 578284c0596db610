"""Labelled rationales: a row has the responses to one question, and its label has the tags of each response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snellen.conditions import ORIGINAL
from snellen.errors import DataError
from snellen.items import LETTERS, Item
from snellen.judging import rubric
from snellen.judging.opinions import read_opinions, tags
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled
from snellen.judging.rubric import Exhibit
from snellen.judging.single import JUDGED_AT
from snellen.models.base import Response
from snellen.plugins import did_you_mean
from snellen.prompts import Request
from snellen.reading.grades import grade_reply
from snellen.reading.parsers import CHOICE, USUAL, parser_named
from snellen.stress.taxonomy import BIT, BY_LOOKING, JUDGED, hides_image

PRESENT, ABSENT, NONE = "present", "absent", "none"


def exhibits(row: Labelled) -> tuple[Exhibit, ...]:
    """Return the responses of a row: `responses` by condition, or the one in `response`."""
    given = row.fields.get("responses")
    if given is None:
        return (Exhibit(str(row.fields.get("arm") or ORIGINAL.name), row.response),)
    if not isinstance(given, Mapping) or not given or not all(isinstance(text, str) for text in given.values()):
        raise DataError(
            f"{row.where}: expected the responses' texts by condition in `responses`, such as "
            f'{{"original": "…", "image-removed": "…"}}, got {given!r:.80}. Fix or remove the row.'
        )
    return tuple(Exhibit(str(arm), text) for arm, text in given.items())


def people(row: Labelled) -> Mapping[Part, str]:
    """Return for each response and tag whether raters found it.

    Rows hold no image, so tags that need the image are left out if the model was shown one. If a row lists the tags
    that raters were asked about (`asked`), the others are left out too.
    """
    shown = exhibits(row)
    named = row.fields.get("labels", row.fields.get("label"))
    by_arm = named if isinstance(named, Mapping) else {shown[0].arm: named} if len(shown) == 1 else None
    if by_arm is None or set(by_arm) - {each.arm for each in shown}:
        raise DataError(
            f"{row.where}: expected in `labels` a list of tags for each of the responses "
            f"({', '.join(each.arm for each in shown)}), got {named!r:.80}. Fix or remove the row."
        )
    found = {each.arm: _tags(by_arm.get(each.arm), row) for each in shown}
    asked = _tags(row.fields["asked"], row) if row.fields.get("asked") else JUDGED
    return {
        (arm, tag): PRESENT if tag in labelled else ABSENT
        for arm, labelled in found.items()
        for tag in _can_be_told(arm)
        if tag in asked
    }


def _tags(given: object, row: Labelled) -> frozenset[str]:
    listed = [] if given is None or given == NONE else [given] if isinstance(given, str) else given
    if not isinstance(listed, list):
        raise DataError(f"{row.where}: expected a list of tags or none, got {given!r:.80}. Fix or remove the row.")
    for tag in listed:
        if tag not in JUDGED:
            known = ", ".join(sorted(JUDGED))
            hint = did_you_mean(str(tag), sorted(JUDGED)) or f" There are: {known}."
            raise DataError(f"{row.where}: {tag!r} is not a tag that a judge gives.{hint}")
    return frozenset(listed)


def _can_be_told(arm: str) -> Iterator[str]:
    """Return the tags that a judge without the image can give, in the taxonomy's order."""
    return (tag for tag in BIT if tag in JUDGED and (tag not in BY_LOOKING or hides_image(arm)))


def item_of(row: Labelled) -> Item:
    """Make the item of a row, with its options and the correct one."""
    options, answer = row.options, row.fields.get("answer")
    texts = [option.text for option in options]
    place = texts.index(answer) if answer in texts else LETTERS.find(answer) if isinstance(answer, str) else -1
    if not answer or not 0 <= place < len(options):
        raise DataError(
            f"{row.where}: expected in `answer` the letter or the text of the right option, got {answer!r}. Some tags "
            "need to know whether a response was right. Fix or remove the row."
        )
    context = str(row.fields.get("context") or "")
    return Item(id=row.where, question=row.question, context=context, options=options, answer=place)


def _request(row: Labelled, turned: bool) -> Request:
    shown = _in_order(exhibits(row), turned)
    return Request("", rubric.render(item_of(row), shown, attached=False), rubric.SYSTEM, settings=JUDGED_AT)


def _in_order(shown: Sequence[Exhibit], turned: bool) -> list[Exhibit]:
    return list(reversed(shown) if turned else shown)


def _read(answer: str, row: Labelled, turned: bool) -> Mapping[Part, str] | None:
    shown = _in_order(exhibits(row), turned)
    said = read_opinions(answer, shown, attached=False)
    if said is None:
        return None
    item, parser = item_of(row), parser_named(USUAL[CHOICE])
    grades: dict[str, Any] = {each.arm: grade_reply(Response(each.text), item, parser)[0] for each in shown}
    blind = next((arm for arm in grades if hides_image(arm)), "")
    found: dict[Part, str] = {}
    for each, opinion in zip(shown, said, strict=True):
        other = grades.get(blind if each.arm == ORIGINAL.name else ORIGINAL.name)
        grade = grades[each.arm]
        same = other is not None and grade.choice is not None and other.choice == grade.choice
        bits = tags(opinion, grade.outcome, arm=each.arm, same=same)
        found |= {(each.arm, tag): PRESENT if bits & BIT[tag] else ABSENT for tag in _can_be_told(each.arm)}
    return found


RATIONALES = LabelledQuestion(
    name="rationale",
    version=rubric.VERSION,
    opinions=1,
    people=people,
    request=_request,
    read=_read,
    undecided=ABSENT,
    worth={PRESENT: 1.0, ABSENT: 0.0},
    one_by_one=False,
)
