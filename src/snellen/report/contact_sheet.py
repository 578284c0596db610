"""Contact sheet: what a benchmark holds, in numbers, and some of its items as they would be asked, on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from snellen.datasets.published import Published
from snellen.errors import ImageError
from snellen.images import Image, preview
from snellen.items import LETTERS, Benchmark, Item
from snellen.report.evidence.album import some_of
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import shortened
from snellen.runtime import counted

STYLES = ("tokens", "page", "contact", "narrow", "print")
SIDE = 360
MOST_NAMED = 8
"""Values of one column that are named."""

Fact = tuple[str, str]


class Thumbnail(NamedTuple):
    """An image made small, what it is among several, or why it cannot be shown."""

    address: str
    role: str
    problem: str = ""


class ShownItem(NamedTuple):
    """An item on the sheet: itself, its images, and its options with whether each is right."""

    item: Item
    images: tuple[Thumbnail, ...]
    left_out: int
    options: tuple[tuple[str, str, bool], ...]


def facts_of(benchmark: Benchmark) -> list[Fact]:
    """What can be counted of a benchmark, a line each."""
    items = benchmark.items
    kinds: Counter[str] = Counter(item.kind for item in items)
    choices = [item for item in items if item.kind == "choice"]
    images = Counter(len(item.images) for item in items)
    patients = {item.cluster for item in items if item.cluster}
    lines = [
        ("items", f"{len(items):,}: {_counts(kinds)}"),
        ("options", _counts(Counter(f"{len(item.options)} options" for item in choices))),
        (
            "right answer",
            _counts(Counter(item.letter if item.answer is not None else "none" for item in choices), alphabetical=True),
        ),
        ("images an item", _counts(Counter({counted(n, "image"): count for n, count in images.items()}))),
        ("patients", f"{len(patients):,} named" if patients else "not named; every item counts as one"),
        ("categories", _counts(Counter(item.category for item in items if item.category))),
        ("modalities", _counts(Counter(_told(item, "modality") for item in items if _told(item, "modality")))),
        ("languages", _counts(Counter(item.language for item in items))),
        ("left out", f"{counted(len(benchmark.broken), 'row')} cannot be used" if benchmark.broken else ""),
    ]
    return [(name, said) for name, said in lines if said]


def facts_published(told: Published) -> list[Fact]:
    """What is known of a published benchmark, a line each, whether or not it is here."""
    splits = ", ".join(f"{name} ({count:,})" if count else name for name, count in told.splits.items())
    lines = [
        ("asks", told.asks),
        ("access", f"{told.tier}: {told.get}"),
        ("licence", told.licence),
        ("splits", splits),
        ("questions", ", ".join(told.kinds)),
        ("modalities", told.modalities),
        ("not independent", told.clusters),
        ("prompt", told.prompt),
        ("cite", told.citation),
        (
            "schema",
            "not verified: written from a description of the files, unknown columns are refused" * told.unverified,
        ),
    ]
    return [(name, said) for name, said in lines if said]


def contact_sheet(benchmark: Benchmark, chosen: Iterable[Item], told: Published | None = None) -> str:
    """The page: what is known, what was counted, and the chosen items with their images, options and answers."""
    style = styles(STYLES)
    environment = templates()
    environment.filters.update(shortened=shortened)
    return environment.get_template("contact_sheet.html.jinja").render(
        style=style,
        policy=policy(style, ""),
        name=benchmark.name,
        title=told.title if told else benchmark.name,
        published=facts_published(told) if told else [],
        counted=facts_of(benchmark),
        guesses=list(benchmark.about.get("guesses", ())),
        broken=[(row.item_id, row.reason) for row in benchmark.broken[:MOST_NAMED]],
        items=[_shown(item) for item in chosen],
        total=len(benchmark),
    )


def _shown(item: Item) -> ShownItem:
    spread = some_of(item.images)
    options = tuple((LETTERS[at], each.text, at == item.answer) for at, each in enumerate(item.options))
    return ShownItem(item, tuple(map(_thumbnail, spread)), len(item.images) - len(spread), options)


def _thumbnail(image: Image) -> Thumbnail:
    try:
        small = preview(image.encoded().data, SIDE, name=image.name)
    except ImageError as error:
        return Thumbnail("", image.role, str(error))
    return Thumbnail(f"data:{small.media_type};base64,{small.base64.decode()}", image.role)


def _told(item: Item, name: str) -> str:
    return str(item.metadata.get(name) or "")


def _counts(counter: Counter[str], *, alphabetical: bool = False) -> str:
    """How often each value occurs, the commonest first; the rest in one number."""
    ordered = sorted(counter.items()) if alphabetical else counter.most_common()
    named = ", ".join(f"{value} {count:,}" for value, count in ordered[:MOST_NAMED])
    rest = sum(count for _, count in ordered[MOST_NAMED:])
    return f"{named}, {len(ordered) - MOST_NAMED} more {rest:,}" if rest else named
