"""Responses in the page's browser, for as many items as fit.

The *browser* is the part of the page in which readers look through responses. Items are chosen by a hash of their id. A
chosen item has all its responses in the page, of every condition, model and repeat, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import orjson
from markupsafe import Markup
from numpy.typing import NDArray

from snellen.conditions.labels import arm_effects
from snellen.items import Item
from snellen.reading.columns import NOTHING
from snellen.reading.open.judged import GRADES, JudgedAnswers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.components import Fold, Note, Part
from snellen.report.evidence.acts import Act, list_acts
from snellen.report.evidence.album import FULL, Album, some_of
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.evidence.reply_kinds import BY_LABEL, BY_OUTCOME, codes
from snellen.report.evidence.sampling import item_ranks, mark_changed
from snellen.report.evidence.tags import columns, tags_at
from snellen.report.sections.outcome_bars import count_acts
from snellen.report.sheet import zip_files
from snellen.report.words.arms import arm_label, arm_words
from snellen.report.words.numbers import shorten_text
from snellen.runtime import visible
from snellen.scoring.flow import follow_study
from snellen.scoring.responses import place_shown
from snellen.store import StoredItem, StoredResponse
from snellen.stress.taxonomy import BIT, MODES

MOST_RESPONSES = 20_000
MOST_CHARACTERS = 8_000_000
"""Characters of all texts together before compression; equal texts count once."""
LIMITS = (8000, 4000, 2000, 1000, 500)
"""Possible limits of text length. The longest with which the linked items fill at most half of the room is used."""
LONGEST_QUOTE = 160
"""Number of characters quoted of the evidence for a reading; shorter responses need no quote."""
BATCH = 8000
"""Approximate number of responses loaded from the store at once."""

KINDS = (*BY_OUTCOME.values(), *BY_LABEL.values())
"""Kinds of responses, in the order of the browser's numbers."""
UNHEARD, HEARD, DOUBTS, DOUBTS_NOT = range(4)
"""Judge's opinion on a response: none; on its rationale only; admits or doubts; neither."""
_MODE_BITS = sum(BIT[tag.name] for tag in MODES)


class ItemPlace(NamedTuple):
    """A benchmark, and the place of an item in it."""

    benchmark: str
    ordinal: int


Found = dict[ArmAddress, dict[int, StoredResponse]]
"""Responses to an item by their places in the grades."""


@dataclass(frozen=True)
class PackedResponses:
    """Content of the browser, with counts of its and the study's items and responses."""

    items: int
    of_items: int
    responses: int
    of_responses: int
    limit: int
    record: Mapping[str, Any]
    images: tuple[str, ...]
    partly: int = 0
    """Number of items that have only the responses to which the page links."""

    def archive(self, album: Album) -> Markup:
        """Return the browser's files as a zip: JSON, and images that the page does not embed itself."""
        elsewhere = {picture.sha256 for picture in album.embedded}
        images, files = [], {}
        for picture in map(album.small, self.images):
            ending = "png" if picture.media_type == "image/png" else "jpg"
            file = f"images/{picture.short}.{ending}" if picture.data and picture.sha256 not in elsewhere else ""
            images.append({
                "sha256": picture.sha256, "about": picture.about, "problem": visible(picture.problem), "file": file,
                "type": picture.media_type, "width": picture.width, "height": picture.height,
            })  # fmt: skip
            if file:
                files[file] = picture.data
        left_out = sum(album.small(sha256).problem == FULL for sha256 in self.images)
        record = orjson.dumps({**self.record, "images": images, "images_left_out": left_out})
        return Markup(zip_files({"responses.json": record, **files}))  # noqa: S704 - base64


def pack(evidence: Evidence, shown: Mapping[str, int | None]) -> PackedResponses:
    """Pack the responses of shown and linked items, and of others that fit."""
    answered = _by_hash(evidence)
    wanted = {ItemPlace(name, ordinal) for name, ordinal in shown.items() if ordinal is not None}
    linked: Linked = {}
    for address, place in evidence.led_to:
        item = ItemPlace(address.benchmark, int(evidence.grades(address).ordinal[place]))
        linked.setdefault(item, {}).setdefault(address, set()).add(place)
    wanted |= linked.keys()
    whole, partly = _with_room(evidence, [item for item in answered if item in wanted], linked)
    first = {**_load_found(evidence, whole), **_load_found(evidence, partly, linked)}
    others = [item for item in answered if item not in wanted]
    size = max(1, BATCH * len(others) // max(1, _total(evidence)))
    batches = (others[start : start + size] for start in range(0, len(others), size))
    packing = _Packing(evidence, _limit(first.values()))
    for item, replies in first.items():
        packing.add(item, replies)
    for item, replies in chain.from_iterable(_load_found(evidence, some).items() for some in batches):
        if packing.full:
            break
        packing.add(item, replies)
    return replace(packing.pack_responses(of_items=len(answered)), partly=len(partly))


Linked = dict[ItemPlace, dict[ArmAddress, set[int]]]
"""Places of the responses to an item to which the page links."""


def _with_room(
    evidence: Evidence, items: Sequence[ItemPlace], linked: Linked
) -> tuple[list[ItemPlace], list[ItemPlace]]:
    """Split items into those with all responses and those with only linked ones."""
    counts: dict[str, NDArray[Any]] = {}
    for address in evidence.anchors:
        ordinals, size = evidence.grades(address).ordinal, len(evidence.table(address).items)
        counts[address.benchmark] = counts.get(address.benchmark, 0) + np.bincount(ordinals, minlength=size)
    room = MOST_RESPONSES
    whole, partly = [], []
    for item in sorted(items, key=lambda item: item in linked):
        count = int(counts[item.benchmark][item.ordinal])
        if item in linked and count > room:
            partly.append(item)
        else:
            whole.append(item)
            room -= count
    return whole, partly


def _by_hash(evidence: Evidence) -> list[ItemPlace]:
    """Answered items, ordered by hash and alternating between benchmarks."""
    answered: dict[str, set[int]] = {}
    ranks: dict[str, list[int]] = {}
    for (_, benchmark), table in evidence.results.tables.items():
        ordinals = [grades.ordinal for grades in table.arms.values()]
        answered.setdefault(benchmark, set()).update(np.unique(np.concatenate(ordinals)).tolist() if ordinals else ())
        if benchmark not in ranks:
            ranks[benchmark] = item_ranks(table).tolist()
    turns = [
        (turn, at, ItemPlace(name, ordinal))
        for at, (name, those) in enumerate(answered.items())
        for turn, ordinal in enumerate(sorted(those, key=lambda each: (ranks[name][each], each)))
    ]
    return [item for *_, item in sorted(turns)]


def _total(evidence: Evidence) -> int:
    return sum(len(evidence.grades(address)) for address in evidence.anchors)


def _load_found(evidence: Evidence, items: Sequence[ItemPlace], only: Linked | None = None) -> dict[ItemPlace, Found]:
    """Load all responses to these items, or only some, at once."""
    found: dict[ItemPlace, Found] = {item: {} for item in items}
    for address in evidence.anchors:
        ordinals = [item.ordinal for item in items if item.benchmark == address.benchmark]
        if only is None:
            places = np.flatnonzero(np.isin(evidence.grades(address).ordinal, ordinals)).tolist()
        else:
            places = sorted(place for item in items for place in only[item].get(address, ()))
        evidence.load_asked(address.benchmark, address.arm).read(ordinals)
        for place, reply in evidence.replies(address, places).items():
            found[ItemPlace(address.benchmark, reply.ordinal)].setdefault(address, {})[place] = reply
    return found


def _limit(items: Iterable[Found]) -> int:
    """Longest text limit with which these items fill at most half of the room."""
    replies = [reply for item in items for those in item.values() for reply in those.values()]
    lengths = np.array([length for reply in replies for length in (len(reply.text), len(reply.reasoning))])
    fitting = (limit for limit in LIMITS if np.minimum(lengths, limit).sum() <= MOST_CHARACTERS // 2)
    return next(fitting, LIMITS[-1])


class Texts:
    """The browser's texts, each once, with visible hidden characters and cut to a length."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.shown: list[str] = []
        self.left_off: dict[str, int] = {}
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Return the number of a text."""
        if text not in self._places:
            self._places[text] = at = len(self.shown)
            if len(text) > self.limit:
                self.left_off[str(at)] = len(text) - self.limit
            self.shown.append(visible(text[: self.limit]))
            self.size += len(self.shown[at])
        return self._places[text]


class PackedRow(NamedTuple):
    """A response as numbers; most refer to lists elsewhere in the record."""

    group: int
    run: int
    kind: int
    moved: int
    choice: int
    text: int
    reasoning: int
    rule: int
    quote: str
    end: int
    modes: list[int] | int
    judge: int
    acts: int
    """Acts of the response, as bits."""
    opinions: list[list[int]] | int
    """For each judge of an open answer: its number, opinions of each grade, and unread ones."""


class _ArmColumns(NamedTuple):
    """Columns of all responses of a model under a condition."""

    chosen: NDArray[Any]
    right: NDArray[Any]
    rules: list[int]
    """Numbers of the parser's rules in the browser."""
    rule: NDArray[Any]
    kinds: NDArray[Any]
    moved: NDArray[Any]
    tagged: list[NDArray[Any]]
    """Failure modes as bits, by source: rule or judge."""
    judged: NDArray[Any]
    acts: NDArray[Any]
    answers: JudgedAnswers | None
    """Opinions on open answers. None if no judge was asked."""


class _Packing:
    """Content of the browser, built item by item."""

    def __init__(self, evidence: Evidence, limit: int) -> None:
        self._evidence = evidence
        self._texts = Texts(limit)
        addresses = list(evidence.anchors)
        self._groups = {address: at for at, address in enumerate(addresses)}
        self._models: dict[str, int] = {}
        self._benchmarks: dict[str, int] = {}
        self._conditions: dict[str, int] = {}
        self._arms: dict[str, dict[str, ArmAddress]] = {}
        """Conditions of each benchmark, each with the address of one model."""
        for address in addresses:
            _number(self._models, address.model)
            _number(self._benchmarks, address.benchmark)
            _number(self._conditions, address.arm)
            self._arms.setdefault(address.benchmark, {}).setdefault(address.arm, address)
        self._columns: dict[ArmAddress, _ArmColumns] = {}
        self._items: dict[ItemPlace, dict[str, Any]] = {}
        self._rows: dict[ItemPlace, list[PackedRow]] = {}
        self._responses = 0
        self._images: dict[str, int] = {}
        self._rules: dict[tuple[str, str], int] = {}
        self._modes: dict[tuple[str, str, str, str], int] = {}
        self._tagged: dict[tuple[int, ...], list[int]] = {}
        self._ends: dict[str, int] = {}
        self._judges: dict[str, int] = {}

    @property
    def full(self) -> bool:
        """True if there is no room for another item."""
        return self._responses >= MOST_RESPONSES or self._texts.size >= MOST_CHARACTERS

    def add(self, item: ItemPlace, replies: Found) -> None:
        """Add an item with its responses."""
        arms = self._arms[item.benchmark]
        original = self._evidence.table(next(iter(arms.values()))).items[item.ordinal]
        words = self._words(original)
        asked = {
            str(self._conditions[arm]): self._describe_changes(
                found, self._evidence.item(address, item.ordinal), original, words
            )
            for arm, address in arms.items()
            if (found := self._evidence.load_asked(item.benchmark, arm).get(item.ordinal)) is not None
        }
        about = {"id": visible(original.id), "benchmark": self._benchmarks[item.benchmark], "ordinal": item.ordinal}
        self._items[item] = {**about, **words, "asked": asked}
        self._rows[item] = [
            self._row(address, at, reply) for address, those in replies.items() for at, reply in those.items()
        ]
        self._responses += len(self._rows[item])

    def _words(self, item: Item) -> dict[str, Any]:
        place = self._texts.place
        return {
            "question": place(item.question),
            "context": place(item.context),
            "options": [place(option.text) for option in item.options],
            "answer": item.answer if isinstance(item.answer, int) else NOTHING,
            "references": [place(reference) for reference in item.references],
        }

    def _describe_changes(
        self, asked: StoredItem, item: Item, original: Item, words: Mapping[str, Any]
    ) -> dict[str, Any]:
        if asked.inapplicable is not None:
            return {"inapplicable": visible(asked.inapplicable)}
        own = self._words(item) if item is not original else words
        changed = {name: value for name, value in own.items() if value != words[name]}
        for name, text in (("prompt", asked.text), ("system", asked.system)):
            if text:
                changed[name] = self._texts.place(text)
        if asked.images:
            changed["images"] = [_number(self._images, sha256) for sha256 in some_of(asked.images)]
            if len(asked.images) > len(changed["images"]):
                changed["images_sent"] = len(asked.images)
        return changed

    def _row(self, address: ArmAddress, at: int, reply: StoredResponse) -> PackedRow:
        found, table = self._load_columns(address), self._evidence.table(address)
        answers, opinions = found.answers, []
        for place, judge in enumerate(answers.judges if answers else ()):
            if answers and (answers.counts[at, place].any() or answers.unread[at, place]):
                grades = answers.counts[at, place].tolist()
                opinions.append([_number(self._judges, judge), *grades, int(answers.unread[at, place])])
        original, item = table.items[reply.ordinal], self._evidence.item(address, reply.ordinal)
        choice = place_shown(original, item, int(found.chosen[at]), right=bool(found.right[at]))
        tagged = tuple(int(bits[at]) for bits in found.tagged)
        if any(tagged) and tagged not in self._tagged:
            tags = tags_at(self._evidence, address, at, MODES)
            modes = ((each.tag.name, each.tag.means, each.by, each.words) for each in tags)
            self._tagged[tagged] = [_number(self._modes, each) for each in modes]
        evidence = ""
        if len(reply.text) > LONGEST_QUOTE:
            evidence = self._evidence.grade_response(address, reply).evidence
        return PackedRow(
            group=self._groups[address],
            run=reply.replicate,
            kind=int(found.kinds[at]),
            moved=int(found.moved[at]),
            choice=NOTHING if choice is None else choice,
            text=self._texts.place(reply.text),
            reasoning=self._texts.place(reply.reasoning),
            rule=found.rules[found.rule[at]],
            quote=visible(shorten_text(evidence, LONGEST_QUOTE)),
            end=_number(self._ends, reply.finish),
            modes=self._tagged.get(tagged, 0),
            judge=int(found.judged[at]),
            acts=int(found.acts[at]),
            opinions=0 if answers is None else opinions,
        )

    def _load_columns(self, address: ArmAddress) -> _ArmColumns:
        if address not in self._columns:
            grades, table = self._evidence.grades(address), self._evidence.table(address)
            rules = [_number(self._rules, (table.parser, rule)) for rule in grades.rules]
            kinds = codes(grades) + (0 if grades.admissions is None else len(BY_OUTCOME))
            judged = np.full(len(grades), UNHEARD, dtype=np.uint8)
            if grades.rationales is not None:
                judged[grades.rationales.heard] = HEARD
            if grades.admissions is not None:
                judged[grades.admissions.flagged == 1] = DOUBTS
                judged[grades.admissions.flagged == 0] = DOUBTS_NOT
            said = [bits & _MODE_BITS for bits in columns(self._evidence, address).values()]
            self._columns[address] = _ArmColumns(
                chosen=grades.chosen,
                right=grades.is_(Outcome.CORRECT),
                rules=rules,
                rule=grades.rule,
                kinds=kinds.astype(np.uint8),
                moved=mark_changed(grades, table.arms.get(self._evidence.baselines.get(address.arm, ""))),
                tagged=said,
                judged=judged,
                acts=list_acts(table, address.arm),
                answers=grades.of(JudgedAnswers),
            )
        return self._columns[address]

    def pack_responses(self, *, of_items: int) -> PackedResponses:
        """Pack the responses, sorted by item, condition, model and repeat."""
        addresses = list(self._groups)

        def order(row: PackedRow) -> tuple[int, int, int]:
            address = addresses[row.group]
            return self._conditions[address.arm], self._models[address.model], row.run

        items = sorted(self._items, key=lambda each: (self._benchmarks[each.benchmark], each.ordinal))
        ordered = [(at, row) for at, item in enumerate(items) for row in sorted(self._rows[item], key=order)]
        words = arm_words(self._evidence.results)
        record = {
            "texts": self._texts.shown,
            "left_off": self._texts.left_off,
            "models": list(map(visible, self._models)),
            "benchmarks": list(map(visible, self._benchmarks)),
            "conditions": [self._condition(arm, words.get(arm, "")) for arm in self._conditions],
            "groups": [
                {
                    "anchor": self._evidence.anchors[each],
                    "model": self._models[each.model],
                    "benchmark": self._benchmarks[each.benchmark],
                    "condition": self._conditions[each.arm],
                    "responses": len(self._evidence.grades(each)),
                }
                for each in addresses
            ],
            "kinds": [kind._asdict() for kind in KINDS],
            "acts": [{"name": str(act.name).lower(), "bit": int(act), "words": act.words} for act in Act],
            "rules": [
                {
                    "rule": visible(rule),
                    "parser": visible(parser),
                    "words": visible(parser_named(parser).rule_words(rule)),
                    "unsure": parser_named(parser).unsure(rule),
                }
                for parser, rule in self._rules
            ],
            "modes": [dict(zip(("name", "means", "by", "words"), each, strict=True)) for each in self._modes],
            "ends": list(map(visible, self._ends)),
            "judges": list(map(visible, self._judges)),
            "grades": [str(each) for each in GRADES],
            "items": [self._items[item] for item in items],
            "responses": {
                "item": [at for at, _ in ordered],
                **{name: [row[place] for _, row in ordered] for place, name in enumerate(PackedRow._fields)},
            },
            "first_run": 0 if self._evidence.imported else 1,
            "several_runs": any(self._evidence.grades(address).repeated for address in addresses),
            "of_items": of_items,
            "of_responses": _total(self._evidence),
        }
        return PackedResponses(
            len(items), of_items, len(ordered), _total(self._evidence), self._texts.limit, record, tuple(self._images)
        )

    def _condition(self, arm: str, words: str) -> dict[str, str]:
        known = not self._evidence.imported or not arm_effects(arm).sends_image
        return {
            "name": visible(arm),
            "label": visible(arm_label(arm)),
            "words": visible(words),
            "baseline": visible(arm_label(self._evidence.baselines.get(arm, ""))),
            "no_image": "No image was sent." if known else "The image is not in the imported file.",
        }


def _number(known: dict[Any, int], name: Any) -> int:
    return known.setdefault(name, len(known))


def draw_responses(evidence: Evidence, responses: PackedResponses) -> Fold:
    """Draw the browser of responses, and a table of acts that works without scripts."""
    held, there = responses.responses, responses.of_responses
    second = follow_study(evidence.results).second
    first = f"{there:,} first responses" if second else f"{there:,} responses"
    if held == there:
        said = f"All {first} to {responses.of_items:,} items are in this page, each with its question and how it was "
        said += "read."
    else:
        whole = responses.items - responses.partly
        partly = (
            f", and for {responses.partly:,} more items only the responses that this page links to"
            if responses.partly
            else ""
        )
        said = (
            f"{held:,} of {first} are in this page, each with its question and how it was read: every "
            f"response to {whole:,} of {responses.of_items:,} items{partly}. The items were chosen by a hash of their "
            "id and include those that this page links to. All numbers of this report use all "
            f"{there:,} responses, which are in responses.sqlite."
        )
    if second:
        said += (
            f" The {second:,} second responses, to questions asked a second time to see whether the model is "
            "steady, are in responses.sqlite."
        )
    printed = "The responses are not printed; open this page on a screen to read them."
    parts: tuple[Part, ...] = (
        Note(said),
        Note(printed, look="print-only"),
        NO_SCRIPT,
        *([BROWSER] if held else []),
        count_acts(evidence),
    )
    return Fold("All responses", parts, f"{first}, each with its question and how it was read", "rows", "chapter")


NO_SCRIPT = Markup(
    '<noscript><p class="warning">The responses are shown by JavaScript, which is off here. They are in '
    "responses.sqlite beside this page; <code>snellen export OUT</code> writes them to a table, where OUT is the "
    "folder of that file.</p></noscript>"
)
BROWSER = Markup('<details id="browse" class="browse" hidden><summary>Browse the responses</summary></details>')
