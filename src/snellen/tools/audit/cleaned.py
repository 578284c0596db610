"""The folder of a cleaned benchmark: its items, a card, and all numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snellen.benchmarks.folder import save
from snellen.errors import StudyError
from snellen.files import folder_written_whole, write_whole
from snellen.items import Benchmark, Item
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
from snellen.runtime import counted, on_one_line, visible
from snellen.scoring.writing import estimate_as_json, finite, write_csv
from snellen.stats import Estimate
from snellen.store.records import TYPED, dump_json
from snellen.tools.audit.bclean import Bclean, BcleanResponses, ModelAccuracy, models_compromising, sentences

SCHEMA = 1
REMOVED_COLUMNS = ("item_id", "reason", "models", "right", "asked", "posterior")


def folder_name(benchmark: str) -> str:
    """Make a folder name that is safe as a path from a benchmark's name.

    >>> folder_name("phantoms:leak=0.5"), folder_name("../mine/open")
    ('phantoms-leak-0.5-clean', 'mine-open-clean')
    """
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", benchmark).strip("-._")
    return f"{plain[:80] or 'benchmark'}-clean"


def free_folder(folder: Path) -> Path:
    """Return the folder if it is missing or empty; raise StudyError otherwise."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return folder
    except OSError as error:
        raise StudyError(f"{folder} cannot be read: {error.strerror}.") from error
    raise StudyError(f"{folder} is there already, and nothing is overwritten. Remove it, or name another with --to.")


def write(cleaned: Bclean, folder: Path, about: Mapping[str, Any], items: Sequence[Item] | None = None) -> Path:
    """Write a cleaned benchmark into an empty folder.

    `items` are the kept items with their images. Without them, only the ids of the kept items are written.
    """
    free_folder(folder)
    ids = [item.id for item in cleaned.kept_items]
    removed = [
        each._asdict() | {"models": "; ".join(each.models), "posterior": _round(each.posterior)}
        for each in cleaned.removed
    ]
    with folder_written_whole(folder) as new:
        if items is not None and ids:
            save(items, new)
        write_whole(new / "kept.txt", "".join(f"{on_one_line(each)}\n" for each in ids).encode())
        write_csv(new / "removed.csv", REMOVED_COLUMNS, removed)
        record = as_json(cleaned, about)
        write_whole(new / "bclean.json", dump_json(record, TYPED | orjson.OPT_INDENT_2).encode())
        write_whole(new / "bclean.html", render(cleaned, about).encode())
        write_whole(new / "README.md", card(cleaned, about, with_items=items is not None and bool(ids)).encode())
    return folder


def as_given(asked: BcleanResponses, benchmark: Benchmark) -> BcleanResponses:
    """Replace the stored items with the benchmark's own, which have images. Raise StudyError if they differ."""
    items = []
    for item in asked.items:
        own = benchmark.by_id.get(item.id)
        if own is None:
            raise StudyError(
                f"{benchmark.name} has no item {item.id!r}, which the study asked. Name the benchmark that was asked."
            )
        if any(getattr(own, part) != getattr(item, part) for part in ("question", "context", "options", "answer")):
            raise StudyError(
                f"Item {item.id!r} of {benchmark.name} has another text or key than the one that was asked. Name the "
                "benchmark that was asked."
            )
        items.append(own)
    return replace(asked, items=tuple(items))


def _round(posterior: float) -> float | None:
    return round(posterior, 4) if isfinite(posterior) else None


def as_json(cleaned: Bclean, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all results as JSON values; NaN becomes null."""
    asked = cleaned.asked
    chances = () if cleaned.found is None else 1 - cleaned.found.clean
    by_model = () if cleaned.found is None else tuple(cleaned.found.by_model)
    return {
        "schema": SCHEMA,
        "about": dict(about),
        "benchmark": asked.benchmark,
        "items": len(asked.items),
        "conditions": {"with_image": asked.arms[0], "without_image": asked.arms[1]},
        "rule": "paper" if cleaned.threshold is None else "posterior",
        "threshold": cleaned.threshold,
        "most_draws": asked.draws,
        "union": int(asked.compromised.sum()),
        "kept": int(cleaned.kept.sum()),
        "undecided": int(asked.undecided.sum()),
        "by_luck": estimate_as_json(cleaned.by_luck),
        "share_compromised": estimate_as_json(cleaned.share_compromised),
        "text_only": {
            "judged": cleaned.judged,
            "removed": int(cleaned.taught.sum()),
            "by_luck": finite(cleaned.taught_by_luck),
            "learnt_from": cleaned.learnt_from,
        }
        if cleaned.judged
        else None,
        "models": models_compromising(cleaned),
        "accuracies": [_accuracy(each) for each in cleaned.accuracies],
        "pairs": [
            {
                "first": each.first,
                "second": each.second,
                "all": estimate_as_json(each.whole),
                "kept": estimate_as_json(each.kept),
                "clean": estimate_as_json(each.clean),
                "order_on_kept": each.kept_says,
                "order_on_clean": each.clean_says,
            }
            for each in cleaned.pairs
        ],
        "sentences": list(sentences(cleaned)),
        "notes": list(cleaned.notes),
        "kept_ids": [item.id for item in cleaned.kept_items],
        "removed": [{**each._asdict(), "posterior": finite(each.posterior)} for each in cleaned.removed],
        "posterior": {item.id: round(float(each), 5) for item, each in zip(asked.items, chances, strict=False)},
        "posterior_by_model": {
            model.model: np.round(row, 5).tolist() for model, row in zip(asked.models, by_model, strict=False)
        },
    }


def _accuracy(each: ModelAccuracy) -> dict[str, Any]:
    parts = {"all": each.whole, "kept": each.kept, "change": each.change, "clean": each.clean, "seen": each.seen}
    ranks = dict(zip(("all", "kept", "clean"), each.ranks, strict=True))
    return {
        "model": each.model,
        **{name: estimate_as_json(part) for name, part in parts.items()},
        "ranks": {name: estimate_as_json(rank) for name, rank in ranks.items()},
    }


def card(cleaned: Bclean, about: Mapping[str, Any], *, with_items: bool) -> str:
    """Write the dataset card: front matter for tools, then what was removed and why."""
    asked = cleaned.asked
    front = {
        "pretty_name": f"{asked.benchmark}, cleaned by B-Clean",
        "tags": ["b-clean", "mirage", "visual-question-answering"],
        "source_datasets": [asked.benchmark],
        "size_kept": int(cleaned.kept.sum()),
        "size_original": len(asked.items),
        "rule": "paper" if cleaned.threshold is None else f"posterior >= {cleaned.threshold:g}",
        "models": [each.model for each in asked.models],
        "created": about.get("created", ""),
    }
    # JSON is valid YAML, so names from outside need no other quoting.
    lines = ["---", *(f"{name}: {orjson.dumps(value).decode()}" for name, value in front.items()), "---", ""]
    lines += [f"# {_escape_markdown(asked.benchmark)}, cleaned", ""]
    lines += [*(_escape_markdown(each) for each in sentences(cleaned)), ""]
    lines += ["A cleaned set depends on its models: other models may answer items that these could not.", ""]
    lines += ["## What was removed, and by which models", ""]
    lines += ["| model | right without the image | only this model | wrong | no answer | not asked or failed |"]
    lines += ["|---|---|---|---|---|---|"]
    for model, counts in models_compromising(cleaned).items():
        lines += [f"| {_escape_markdown(model)} | {' | '.join(f'{count:,}' for count in counts.values())} |"]
    lines += [""]
    lines += ["`removed.csv` lists every removed item with the models that answered it right without the image."]
    lines += ["", "## Accuracy with the image", "", *_accuracy_rows(cleaned), ""]
    lines += [
        "All, kept: on items that every model answered, as published. Not compromised: estimated for items that no "
        "model can answer without the image, corrected for selecting on luck. Ranks have simultaneous 95% CIs.",
        "",
        *(f"- {_escape_markdown(each)}" for each in cleaned.notes),
        "",
        "## Settings",
        "",
        *(f"- {_escape_markdown(name)}: {_escape_markdown(str(value))}" for name, value in about.items()),
        "",
        "## Files",
        "",
        "- `items.jsonl`, `images/`: the kept items; `snellen exam --benchmark FOLDER` loads them"
        if with_items
        else "- no items: text and images were not given; `snellen benchmark clean OUT --benchmark SPEC` writes them",
        "- `kept.txt`: ids of the kept items, for `visual-necessity:items=kept.txt`",
        "- `removed.csv`: the others: why, by which models, how often right, the posterior",
        "- `bclean.json`: all of this, and the posterior of every item",
        "- `bclean.html`: the same as a page",
        "",
    ]
    return "\n".join(lines)


def _accuracy_rows(cleaned: Bclean) -> Iterator[str]:
    if not cleaned.accuracies:
        yield "No model was asked with the image."
        return
    yield "| model | all items | rank | kept | rank | not compromised | rank |"
    yield "|---|---|---|---|---|---|---|"
    for each in cleaned.accuracies:
        cells = zip((each.whole, each.kept, each.clean), each.ranks, strict=True)
        told = " | ".join(f"{share(one)} | {rank(two)}" for one, two in cells)
        yield f"| {_escape_markdown(each.model)} | {told} |"


def share(estimate: Estimate) -> str:
    """Format a share in percent with its interval.

    >>> share(Estimate(0.5, 0.4, 0.6, 100, "wilson"))
    '50.0% (40.0 to 60.0)'
    """
    if not isfinite(estimate.value):
        return "–"
    bounds = f" ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})" if isfinite(estimate.low) else ""
    return f"{100 * estimate.value:.1f}%{bounds}"


def rank(estimate: Estimate) -> str:
    """Format a rank with its interval, such as `2 (1–3)`."""
    if not isfinite(estimate.value):
        return "–"
    return f"{estimate.value:.0f} ({estimate.low:.0f}–{estimate.high:.0f})"


_MARKDOWN = re.compile(r"([\\`*_\[\]|#~!])")


def _escape_markdown(text: str) -> str:
    """Escape text for a Markdown page: one line, without markup, links or tags."""
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(visible(text).split()), quote=False))


ITEMS_SHOWN = 200
"""Number of removed items that the page lists; removed.csv lists all."""
COUNTS = ("right", "it alone", "wrong", "no answer", "not asked or failed")


def render(cleaned: Bclean, about: Mapping[str, Any]) -> str:
    """Draw the page. It shows no text of the benchmark except item ids."""
    first, *others = sentences(cleaned)
    asked = cleaned.asked
    kept = f"{counted(len(asked.items), 'item')}, {len(cleaned.kept_items):,} kept"
    relative = "A cleaned benchmark depends on its models: other models may answer items that these could not."
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
