"""Contact sheet: one page with facts about a benchmark and some of its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from snellen.benchmarks.published import Published
from snellen.errors import ImageError
from snellen.images import Image, preview
from snellen.items import LETTERS, Benchmark, Item
from snellen.report.components import Case, Cell, Facts, Link, Listing, Note, PagePicture, Pane, Section, rich
from snellen.report.drawing import Page, draw_page
from snellen.report.evidence.album import AlbumPicture, some_of
from snellen.report.words.numbers import shorten_text
from snellen.runtime import counted

SIDE = 360
MOST_NAMED = 8
"""Largest number of values of one column that are named."""

Fact = tuple[str, str]


def facts_of(benchmark: Benchmark) -> list[Fact]:
    """List the facts that can be counted from a benchmark."""
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
        ("images per item", _counts(Counter({counted(n, "image"): count for n, count in images.items()}))),
        ("patients", f"{len(patients):,} named" if patients else "not named; each item counts as one patient"),
        ("categories", _counts(Counter(item.category for item in items if item.category))),
        (
            "modalities",
            _counts(Counter(str(name) for item in items if (name := item.metadata.get("modality")))),
        ),
        ("languages", _counts(Counter(item.language for item in items))),
        ("left out", f"{counted(len(benchmark.broken), 'row')} cannot be used" if benchmark.broken else ""),
    ]
    return [(name, said) for name, said in lines if said]


def facts_published(told: Published) -> list[Fact]:
    """List facts about a published benchmark."""
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
            "not verified with the files, only with a description of them; unknown columns are refused"
            * told.unverified,
        ),
    ]
    return [(name, said) for name, said in lines if said]


def contact_sheet(benchmark: Benchmark, chosen: Iterable[Item], told: Published | None = None) -> str:
    """Draw a page with sample items, counts and facts about the benchmark."""
    thumbnails: dict[str, AlbumPicture] = {}
    items = tuple(draw_item(item, thumbnails) for item in chosen)
    intro = Note(
        "A sample spread over the categories. The right answer is marked; it is never sent to a model. Images are "
        "made small for this page.", look="quiet",
    )  # fmt: skip
    links = [Link("Contents", "summary"), Link("Items", "items"), Link("As published", "published")]
    page = Page(
        title=told.title if told else benchmark.name,
        headline=told.title if told else benchmark.name,
        meta=benchmark.name,
        summary=[Facts(tuple(facts_of(benchmark)))],
        parts=[
            *list_problems(benchmark),
            Section(f"{len(items):,} of {counted(len(benchmark), 'item')}", (intro, *items), "items"),
            *([Section("As published", (Facts(tuple(facts_published(told))),), "published")] if told else []),
        ],
        contents=links if told else links[:2],
        scripts=(),
        images=[each for each in thumbnails.values() if each.data],
    )
    return draw_page(page)


def list_problems(benchmark: Benchmark) -> Iterator[Section]:
    """Yield sections on guesses about the columns and on rows that cannot be used."""
    if guesses := benchmark.about.get("guesses", ()):
        yield Section("How columns were read", (Listing(tuple(map(Cell, guesses)), "dots"),), "guesses")
    if broken := benchmark.broken[:MOST_NAMED]:
        rows = (Cell(rich("`{}`: {}", shorten_text(row.item_id, 60), shorten_text(row.reason, 300))) for row in broken)
        yield Section("Rows that cannot be used", (Listing(tuple(rows), "dots"),), "broken")


def draw_item(item: Item, thumbnails: dict[str, AlbumPicture]) -> Section:
    """Draw an item with its images, its question, and its options or reference answers."""
    spread = some_of(item.images)
    panes = [_draw_image(each, at, len(item.images), thumbnails) for at, each in enumerate(spread, 1)]
    if left := len(item.images) - len(spread):
        panes.append(Pane(f"{left:,} more", (), "Not shown", (), ()))
    right = item.answer if item.options else None
    answers = tuple(
        Cell(rich("**{}** {}", LETTERS[at], shorten_text(each.text, 300)), n="✓ right answer" if at == right else "")
        for at, each in enumerate(item.options)
    )
    answers = answers or (Cell(shorten_text(" · ".join(item.references), 600), n="reference answer"),)
    case = Case(item.context, item.question, "", tuple(panes) or (Pane("Image", (), "No image", (), ()),))
    return Section(shorten_text(item.id, 80), (case, Listing(answers)), name=shorten_text(item.category, 60))


def _draw_image(image: Image, at: int, of: int, thumbnails: dict[str, AlbumPicture]) -> Pane:
    title = image.role or (f"Image {at} of {of}" if of > 1 else "Image")
    try:
        small = preview(image.encoded().data, SIDE, name=image.name)
    except ImageError as error:
        return Pane(title, (), "Not shown", (shorten_text(str(error), 200),), ())
    made = AlbumPicture(small.sha256, "", small.data, small.media_type, width=small.width, height=small.height)
    thumbnails[made.short] = made
    return Pane(title, (PagePicture(made.short, made.width, made.height, f"{title} of this item"),), "", (), ())


def _counts(counter: Counter[str], *, alphabetical: bool = False) -> str:
    """Count each value, most frequent first. The remaining values are one number."""
    ordered = sorted(counter.items()) if alphabetical else counter.most_common()
    named = ", ".join(f"{value} {count:,}" for value, count in ordered[:MOST_NAMED])
    rest = sum(count for _, count in ordered[MOST_NAMED:])
    return f"{named}, {len(ordered) - MOST_NAMED} more {rest:,}" if rest else named
