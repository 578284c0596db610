"""One typical item, with the models' responses under several conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ne
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import Effects, OptionsShuffled
from snellen.conditions.degraded import STRENGTHS
from snellen.conditions.labels import arm_effects, read_label
from snellen.conditions.mismatch import is_contradictory
from snellen.items import LETTERS, Item
from snellen.report.components import Case, PagePicture, Pane, Quote
from snellen.report.evidence.acts import SHOWN, list_acts
from snellen.report.evidence.album import some_of
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, degrades, row_anchor
from snellen.report.evidence.sampling import item_ranks, mark_changed
from snellen.report.sections.headline import short_names
from snellen.report.words.arms import arm_label, way_words
from snellen.report.words.numbers import begun
from snellen.stress.base import Status
from snellen.stress.table import Grades, Table

TRIES = 10
"""Number of the most typical items that are tried until one has an image to show."""
IN_SIGHT = 4
"""Largest number of conditions that are shown."""
FIRST = [Effects(), Effects("none"), Effects("blank"), Effects("other", truth="changed"), OptionsShuffled().effects]
"""Effects of conditions to show if there are too many, most informative first."""

Scores = NDArray[np.float64]
Made = TypeVar("Made")


@dataclass(frozen=True)
class ArmPane:
    """One condition of the item, with the models' responses."""

    benchmark: str
    arm: str
    first: Saying
    sayings: Mapping[str, Saying]


def side_by_side(evidence: Evidence, benchmark: str, ordinal: int | None) -> list[ArmPane]:
    """Return an item under up to four informative conditions. Empty without an item."""
    if ordinal is None:
        return []
    tables = _tables(evidence, benchmark)
    panes = []
    for arm in _few(tables[0].arms, tables):
        sayings = {}
        for table in tables:
            address, places = ArmAddress(table.model, benchmark, arm), _places(table.arms[arm], ordinal)
            for saying in evidence.sayings(address, places).values():
                sayings[table.model] = saying
        if sayings:
            panes.append(ArmPane(benchmark, arm, next(iter(sayings.values())), sayings))

    def rank(pane: ArmPane) -> int:
        label = read_label(pane.arm)
        return FIRST.index(label.effects) if label.effects in FIRST and not label.ways else len(FIRST)

    return sorted(panes, key=rank)[:IN_SIGHT] if len(panes) > IN_SIGHT else panes


def most_typical(evidence: Evidence, benchmark: str) -> int | None:
    """Find the most typical item with images. None without responses."""
    tables = _tables(evidence, benchmark)
    candidates = typical(tables, evidence.baselines)
    if not candidates:
        return None
    arms = _few(evidence.results.study["arms"][benchmark], tables)

    def can_be_shown(ordinal: int) -> bool:
        asked = [found for arm in arms if (found := evidence.load_asked(benchmark, arm).get(ordinal)) is not None]
        sent = [sha256 for each in asked for sha256 in some_of(each.images)]
        return bool(sent) and all(evidence.album.picture(sha256).link for sha256 in sent)

    ordinal = next(filter(can_be_shown, candidates), candidates[0])
    for table in tables:
        for arm, grades in _few(table.arms, tables).items():
            evidence.expect(ArmAddress(table.model, benchmark, arm), _places(grades, ordinal))
    return ordinal


def _few(arms: Mapping[str, Made], tables: Sequence[Table]) -> dict[str, Made]:
    """Drop conditions that degrade the image, except a weak and a strong one: those under which least is right.

    >>> arms = "original", "degraded:noise,weak", "degraded:crop,weak", "degraded:crop,strong"
    >>> list(_few(dict.fromkeys(arms, 0), []))
    ['original', 'degraded:noise,weak', 'degraded:crop,strong']
    """

    def rank(arm: str) -> tuple[bool, float]:
        right = [np.nanmean(each.arms[arm].right()) for each in tables if len(each.arms.get(arm, ()))]
        return bool(read_label(arm).ways), float(np.sum(right))

    degraded = [arm for arm in arms if degrades(arm)]
    kept = {min((arm for arm in degraded if f",{strength}" in arm), key=rank, default="") for strength in STRENGTHS}
    return {arm: each for arm, each in arms.items() if arm not in degraded or arm in kept}


def _tables(evidence: Evidence, benchmark: str) -> list[Table]:
    return [table for (_, name), table in evidence.results.tables.items() if name == benchmark]


def _places(grades: Grades, ordinal: int) -> list[int]:
    """Places of the first response to an item in the grades."""
    return [int(at) for at in np.flatnonzero((grades.ordinal == ordinal) & _first_run(grades))]


def typical(tables: Sequence[Table], baselines: Mapping[str, str]) -> list[int]:
    """Order items by how usual their outcomes are.

    An outcome counts by its frequency under its condition, and so does a change of the choice.
    """
    items = tables[0].items
    total = np.zeros(len(items))
    for table in tables:
        for arm, grades in table.arms.items():
            movement = mark_changed(grades, table.arms.get(baselines.get(arm, "")))
            total += _frequency(grades, grades.outcome, len(items))
            total += _frequency(grades, movement.astype(np.uint8), len(items))
    order = np.lexsort((item_ranks(tables[0]), -np.round(total, 9)))
    return [int(ordinal) for ordinal in order[:TRIES] if total[ordinal] > 0]


def _frequency(grades: Grades, values: NDArray[np.uint8], items: int) -> Scores:
    """For each item, the share of first responses with the same value."""
    first = _first_run(grades)
    shares = np.bincount(values[first]) / max(1, int(first.sum()))
    found = np.zeros(items)
    found[grades.ordinal[first]] = shares[values[first]]
    return found


def _first_run(grades: Grades) -> NDArray[np.bool_]:
    """Mark the responses of the first repeat. Imported repeats may not start at 0."""
    return np.asarray(grades.replicate == grades.replicate.min(initial=np.iinfo(np.int64).max))


# The case as a part of the page --------------------------------------------------------------------------------------


MODELS = 3
"""Number of models that are quoted at once; the others are folded."""
TITLES = {"own": "With the image", "none": "No image", "blank": "Blank image", "other": "Another patient’s image"}


def draw_case(evidence: Evidence, shown: Sequence[ArmPane]) -> Case:
    """Draw the typical item of a benchmark under the most informative conditions."""
    first = shown[0].first
    quoted = _choose_models(evidence, shown)
    options = join_options(first.item)
    if first.item.references:
        options = f"Reference: {'; or: '.join(first.item.references)}"
    panes = tuple(_draw_pane(evidence, pane, first, quoted) for pane in shown)
    return Case(first.item.context, first.item.question, options, panes)


def _choose_models(evidence: Evidence, shown: Sequence[ArmPane]) -> list[str]:
    """Choose models that differ most on this item, preferably with decided verdicts."""
    there = dict.fromkeys(model for pane in shown for model in pane.sayings)
    marks = (each for each in evidence.results.marks if each.benchmark == shown[0].benchmark)
    marked = {each.model for each in marks if each.verdict.status in (Status.PASS, Status.FAIL)}
    some = [model for model in there if model in marked]
    done = {
        model: tuple(_find_act(evidence, pane, model)[0] if model in pane.sayings else "" for pane in shown)
        for model in (some if len(some) >= MODELS else there)
    }
    chosen: list[str] = []

    def distance(model: str) -> int:
        return min((sum(map(ne, done[model], done[each])) for each in chosen), default=0)

    while len(chosen) < min(MODELS, len(done)):
        chosen.append(max((each for each in done if each not in chosen), key=distance))
    return [model for model in done if model in chosen]


def _find_act(evidence: Evidence, pane: ArmPane, model: str) -> tuple[str, str, int]:
    """CSS class, name and place of the act of a response."""
    address, saying = ArmAddress(model, pane.benchmark, pane.arm), pane.sayings[model]
    grades = evidence.grades(address)
    place = grades.runs().index((saying.reply.ordinal, saying.reply.replicate))
    bits = int(list_acts(evidence.table(address), address.arm)[place])
    act = next(each for each in SHOWN if bits & each)
    return act.look, act.words, place


def _draw_pane(evidence: Evidence, pane: ArmPane, first: Saying, quoted: Sequence[str]) -> Pane:
    names, quotes = short_names(evidence.results), {}
    for model, saying in pane.sayings.items():
        look, words, place = _find_act(evidence, pane, model)
        chosen = f", chose {saying.letter}" if saying.letter else ""
        anchor = row_anchor(evidence, ArmAddress(model, pane.benchmark, pane.arm), place)
        outcome = f"{saying.about_fit or words}{chosen}"
        quotes[model] = Quote(names[model], look, outcome, saying.reply.text, anchor, model)
    return Pane(
        title_pane(pane.arm, pane.first),
        tuple(list_pictures(evidence, pane.first, pane.arm)),
        describe_missing(evidence, pane.first, pane.arm),
        tuple(_list_changes(pane.first, first)),
        tuple(each for model, each in quotes.items() if model in quoted),
        tuple(each for model, each in quotes.items() if model not in quoted),
    )


def title_pane(arm: str, saying: Saying) -> str:
    """Title of a pane: what the image is, if nothing else changes, or else the condition."""
    label = read_label(arm)
    usual = label.effects.text == label.effects.options == "own" and label.effects.truth != "contradicted"
    title = TITLES.get(label.effects.image, "") if usual and not is_contradictory(saying.item) else ""
    return ", ".join([title, *map(way_words, label.ways)]) if title else begun(arm_label(arm))


def _list_changes(saying: Saying, first: Saying) -> Iterator[str]:
    if saying.item.question != first.item.question:
        yield saying.item.question
    if saying.item.options != first.item.options:
        yield join_options(saying.item)
    if saying.item.references != first.item.references:
        yield f"Reference: {'; or: '.join(saying.item.references)}"
    elif saying.item.answer != first.item.answer and isinstance(saying.item.answer, int):
        yield f"This image shows: {saying.item.options[saying.item.answer].text}"


def join_options(item: Item) -> str:
    """Join the options on one line, with letters."""
    pairs = zip(LETTERS, (option.text for option in item.options), strict=False)
    return " · ".join(letter if text == letter else f"{letter} {text}" for letter, text in pairs)


def describe_missing(evidence: Evidence, saying: Saying, arm: str) -> str:
    """Explain why there is no image to show. "" if there is one."""
    if saying.asked.images:
        return evidence.album.picture(saying.asked.images[0]).problem
    unknown = evidence.imported and arm_effects(arm).sends_image
    return "The image is not in the imported file." if unknown else "no image was sent"


def list_pictures(evidence: Evidence, saying: Saying, arm: str) -> Iterator[PagePicture]:
    """Yield the images of a response that the page can show."""
    sent = saying.asked.images
    image = arm_effects(arm).image
    title = "as the benchmark has it" if image == "own" else TITLES.get(image, arm_label(arm)).lower()
    for at, sha256 in enumerate(evidence.album.choose_images(sent)[:2]):
        picture = evidence.album.picture(sha256)
        which = f", {at + 1} of {len(sent)}" if len(sent) > 1 else ""
        if picture.link:
            yield PagePicture(picture.short, picture.width, picture.height, f"Image of this case: {title}{which}")
