"""The page of a cleaned benchmark: removed items, accuracies and ranks before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from snellen.report.components import (
    Cell,
    Facts,
    Fold,
    Link,
    Note,
    Part,
    Row,
    Section,
    Table,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.drawing import Page, draw_page
from snellen.report.figures.forests import row_of_estimate
from snellen.report.figures.marks import axis_title, scale, titled_axis
from snellen.report.words.numbers import count, figure, with_interval
from snellen.runtime import counted
from snellen.tools.audit.bclean import Bclean, models_compromising, sentences

ITEMS_SHOWN = 200
"""Number of removed items that the page lists; removed.csv lists all."""
COUNTS = ("right", "it alone", "wrong", "no answer", "not asked or failed")


def render(cleaned: Bclean, about: Mapping[str, Any]) -> str:
    """Draw the page. The only text of the benchmark on it are item ids."""
    first, *others = sentences(cleaned)
    asked = cleaned.asked
    kept = f"{counted(len(asked.items), 'item')}, {len(cleaned.kept_items):,} kept"
    relative = "A cleaned benchmark is relative to its models: others may know what these do not."
    page = Page(
        title=f"B-Clean of {asked.benchmark}",
        headline=first,
        meta=f"{asked.benchmark}, cleaned: {kept} · {counted(len(asked.models), 'model')} · "
        f"{str(about.get('created', ''))[:10]}",
        summary=[*(Note(each) for each in (*others, relative)), draw_models(cleaned)],
        parts=[Section("Details", tuple(_list_folds(cleaned, about)), "details")],
        contents=[Link("Results", "summary"), Link("Details", "details"), Link("Methods", "methods")],
        scripts=("page",),
    )
    return draw_page(page)


def draw_models(cleaned: Bclean) -> Table:
    """Draw the table of how many items each model answers without the image."""
    rows = (
        replace(write_row(model, *map(count, found.values())), model=model)
        for model, found in models_compromising(cleaned).items()
    )
    columns = name_columns("without the image", numbers=COUNTS)
    return Table(columns, tuple(rows), "Items that each model answers without the image")


def draw_accuracies(cleaned: Bclean) -> Iterator[Table]:
    """Draw accuracy and rank of each model on all, kept and uncompromised items."""
    if not cleaned.accuracies:
        return
    whole = scale([each.whole for each in cleaned.accuracies], "share", reference=float(cleaned.asked.chance.mean()))
    rows = []
    for each in cleaned.accuracies:
        named = (("all items", each.whole), ("kept", each.kept), ("not compromised", each.clean))
        for (on, estimate), rank in zip(named, each.ranks, strict=True):
            placed = f"{rank.value:.0f} ({rank.low:.0f} to {rank.high:.0f})" if isfinite(rank.value) else "–"
            row = row_of_estimate(on, estimate, whole, f"rank {placed}")
            rows.append(replace(row, model=each.model, heading=each.model))
    note = (
        f"Guessing scores {figure(whole.reference or 0.0, 'share')} (the dashed line). On items that the rule keeps, "
        "every guess without the image was wrong, so a model that repeats its guesses falls below guessing there; the "
        "accuracy on items that are not compromised is corrected for that. Ranks have simultaneous 95% intervals."
    )
    axis = titled_axis(whole, axis_title("accuracy with the image", "share"))
    columns = name_columns("on", "drawn", "accuracy, 95% interval, rank")
    yield Table(columns, tuple(rows), look="drawn", note=note, axis=axis)


def draw_pairs(cleaned: Bclean) -> Iterator[Table]:
    """Draw the difference of each pair of models, and whether their order changes."""
    rows = []
    for each in cleaned.pairs:
        found = (each.whole, each.kept, each.clean)
        said = (with_interval(one, "points") if isfinite(one.low) else figure(one.value, "points") for one in found)
        cells = (Cell(words, how=one.method) for words, one in zip(said, found, strict=True))
        says = Cell(each.kept_says), Cell(each.clean_says)
        rows.append(Row(Cell(f"{each.second} minus {each.first}"), (*cells, *says)))
    columns = ("second minus first", "all items", "kept", "not compromised", "order, by the rule", "order, corrected")
    note = "An order changes or stays only if both differences are beyond chance, at 5% over all pairs."
    if rows:
        yield Table(name_columns(*columns), tuple(rows), note=note)


def draw_removed(cleaned: Bclean) -> Iterator[Part]:
    """Draw the removed items, each with the reason and the models that answered it."""
    rows = tuple(
        write_row(rich("`{}`", each.item_id), each.reason, "; ".join(each.models), f"{each.right:,} of {each.asked:,}",
                  f"{each.posterior:.2f}" if isfinite(each.posterior) else "–")
        for each in cleaned.removed[:ITEMS_SHOWN]
    )  # fmt: skip
    if rows:
        yield Table(name_columns("item", "why", "models", "right of asked", "posterior"), rows)
    if (left := len(cleaned.removed) - ITEMS_SHOWN) > 0:
        yield quiet(f"{left:,} more are in removed.csv.")


def _list_folds(cleaned: Bclean, about: Mapping[str, Any]) -> Iterator[Fold]:
    method = Note(
        "The rule is that of the Mirage paper (Section 7.9). The posterior is by a mixture: an item is compromised for "
        "a model if its favourite answer without the image is the key for another reason than luck; if it is not, "
        "every option is the favourite with the same chance, however often it is repeated. Intervals of corrected "
        "numbers are by a bootstrap over patients in which everything is estimated anew."
    )
    facts = Facts(tuple((name, str(value)) for name, value in about.items()))
    folds: tuple[tuple[str, str, str, Iterable[Part]], ...] = (
        ("Accuracy before and after", "with ranks", "accuracy", draw_accuracies(cleaned)),
        ("Order of the models", counted(len(cleaned.pairs), "pair"), "order", draw_pairs(cleaned)),
        ("Removed items", counted(len(cleaned.removed), "item"), "removed", draw_removed(cleaned)),
        ("Methods", "the rule, the correction, settings", "methods", [*map(Note, cleaned.notes), method, facts]),
    )  # fmt: skip
    for title, result, anchor, parts in folds:
        if drawn := tuple(parts):
            yield Fold(title, drawn, result, anchor, "chapter", open=anchor == "accuracy")
