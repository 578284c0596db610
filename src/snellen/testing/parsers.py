"""Contract of parsers: they read any text, and return a value per response in each column."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from itertools import cycle, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.models.base import Response
from snellen.reading.columns import ReadingColumns
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import OpenReading, Outcome, Reading
from snellen.reading.parsers import CHOICE, OPEN, REPORT, Parser, complete_parser
from snellen.testing.contract import explain_errors, list_answers, load_phantoms, require, require_name

HOSTILE = (
    "", " \n", "\x00\ufeff\u202e", "[[" * 500, "<answer>" * 200, "&lt;think&gt;" * 100, "\\boxed{", "(A) or (B)?",
    "答案是B。图像显示左侧胸腔积液。", "La risposta è la B.", "Ответ: А", "الجواب ب", "🅱️ 👍", "the image " * 500,
)  # fmt: skip
"""Texts that must not make a parser fail."""
USUAL = ("Answer: A", "Answer: B", "I cannot see an image.", "I cannot help with that.", "There is a mass.", "No.")
"""Responses that are read in addition to those given to the check."""
PHANTOMS = tuple(f"phantoms:{task}items=2" for task in ("", "task=pathway,", "task=premises,"))
"""Benchmarks whose items are used if none are given."""
PLACES = 24
"""Number of responses from which columns are made."""
ANY_TEXT = "A parser reads any text: return a record with the rule that says why nothing was found."


def check_parser(parser: Parser, replies: Iterable[str] = (), items: Iterable[Item] | None = None) -> None:
    """Check that a parser reads any text repeatably, with described rules, without the answer key.

    The parser reads each text, and hostile texts, as a response to each item. A parser of kind `choice` needs items
    with options, one of kind `missing-image` open questions, and one of kind `open` open questions with reference
    answers. Only parsers of open questions and reports may use the reference answer. Without items, suitable phantoms
    are used.
    """
    require(isinstance(parser, Parser), f"expected a Parser, got {parser!r}. Hand in Parser(name=…, read=…, …).")
    require_name(parser.name, "parser")
    with explain_errors(f"{parser.name}: its fields", "Compare them with docs/how-to/add-a-parser.md."):
        parser = complete_parser(parser)
    _check_words(parser)
    texts = tuple(dict.fromkeys((*HOSTILE, *USUAL, *replies)))
    for item in _choose_items(parser, items):
        before = copy.copy(vars(item))
        for text in texts:
            _check_read(parser, text, item)
        if parser.kind in (OPEN, REPORT):
            for text, reference in (*zip(texts, cycle(HOSTILE), strict=False), *product(USUAL, HOSTILE)):
                _read(parser, text, replace(item, answer=reference, metadata={}))
        require(before == vars(item), f"{parser.name} changed the item {item.id!r}. Look at it without changing it.")
        if parser.columns is not None:
            _check_columns(parser, texts, item)


def _check_words(parser: Parser) -> None:
    """Check that source, rules and counts are described in words."""
    said = f"{parser.name} needs `source` (who defined this answer format) and `about` (what it reads as an answer)."
    require(parser.source and parser.about, said)
    require(all(parser.rules.values()), f"{parser.name} has a rule without a description. Write one in `rules`.")
    unknown = (parser.weighs | parser.lasts | parser.formal | parser.counted.keys()) - parser.rules.keys()
    require(not unknown, f"{parser.name} names rules that `rules` does not describe: {', '.join(sorted(unknown))}.")
    counted = all(0 <= right <= n for right, n in parser.counted.values())
    require(counted, f"{parser.name} counts more responses as right than it read.")


def _choose_items(parser: Parser, items: Iterable[Item] | None) -> list[Item]:
    given = load_phantoms(PHANTOMS) if items is None else tuple(items)
    wanted = list(map(_as_report, given)) if parser.kind == REPORT else list(given)
    with explain_errors(f"{parser.name}: takes", "It is asked of every item of a benchmark: return True or False."):
        taken = [item for item in wanted if parser.takes(item) and (item.options or parser.kind != CHOICE)]
    require(taken, f"{parser.name} takes none of the {len(wanted)} items. Hand in items that it takes.")
    return taken


def _as_report(item: Item) -> Item:
    reference = "FINDINGS: Small left pleural effusion. No pneumothorax.\n\nIMPRESSION: Left pleural effusion."
    return item if item.kind == "report" else replace(item, kind="report", options=(), answer=reference)


def _read(parser: Parser, text: str, item: Item) -> Any:
    with explain_errors(f"{parser.name}: read", f"The response was {text[:60]!r}. {ANY_TEXT}"):
        return parser.read(Response(text), item)


def _check_read(parser: Parser, text: str, item: Item) -> None:
    told = f"what {parser.name} reads in {text[:60]!r}"
    read = _read(parser, text, item)
    _check_record(parser, read, told)
    require(
        read == _read(parser, text, item),
        f"Two readings of one text differ: {told}. Keep nothing between two responses.",
    )
    for answer in () if parser.kind in (OPEN, REPORT) else list_answers(item):
        keyed = _read(parser, text, replace(item, answer=answer))
        require(read == keyed, f"The answer key changes {told}. Read `item.options`, never `item.answer`.")
    if parser.kind == CHOICE:
        _check_choice(read, item, told)
    elif parser.kind == OPEN:
        require(isinstance(read, OpenReading), f"Expected an OpenReading, got {type(read).__name__}: {told}.")
        require((read.grade is None) != (read.silence is None), f"Expected either a `grade` or a `silence`: {told}.")
    if (rule := getattr(read, "rule", None)) is not None:
        named = parser.rule_words(rule) != rule
        require(named, f"The rule {rule!r} has no description: {told}. Write one in `rules`.")
        known = text.strip() or parser.kind not in (CHOICE, OPEN) or rule in parser.weighs
        require(known, f"The rule applies to a whole response: {told}. Name it in `weighs`.")
    _check_label(parser, read, told)
    if parser.outcome is not None:
        _check_graded(parser, text, item, read)


def _check_record(parser: Parser, read: Any, told: str) -> None:
    """Check that a graded record has its rule and the words that decided."""
    if parser.kind == CHOICE:
        require(isinstance(read, Reading), f"Expected a Reading, got {type(read).__name__}: {told}.")
    if parser.outcome is None:
        return
    rule, evidence = (getattr(read, name, None) for name in ("rule", "evidence"))
    need = f"Return a record with `rule` and `evidence`, two texts. Got {type(read).__name__}: {told}."
    require(hasattr(read, "rule") and hasattr(read, "evidence"), need)
    require(isinstance(rule, str) and rule, f"It names no rule: {told}. Name one of {', '.join(parser.rules)}.")
    require(isinstance(evidence, str), f"Expected `evidence` to be the words that decided, got {evidence!r}: {told}.")


def _check_choice(read: Reading, item: Item, told: str) -> None:
    require((read.choice is None) != (read.silence is None), f"Expected either a `choice` or a `silence`: {told}.")
    there = read.choice is None or 0 <= read.choice < len(item.options)
    require(there, f"There is no such option: {told}. The item has {len(item.options)}, counted from 0.")
    silence = read.silence is None or isinstance(read.silence, Outcome)
    require(silence, f"Expected `silence` to be an Outcome, got {read.silence!r}: {told}.")


def _check_label(parser: Parser, read: Any, told: str) -> None:
    if parser.question is not None:
        with explain_errors(f"{parser.name}: label_of", "Return a label for every record."):
            label = parser.question.label_of(read)
        labels = ", ".join(parser.question.labels)
        require(label in parser.question.labels, f"Expected one of its labels ({labels}), got {label!r} for {told}.")


def _check_graded(parser: Parser, text: str, item: Item, read: Any) -> None:
    """Check that the rule has a description and a truncated response is not wrong."""
    assert parser.outcome is not None
    with explain_errors(f"{parser.name}: outcome", "Return an Outcome for every record."):
        outcome = parser.outcome(read, item)
    require(
        isinstance(outcome, Outcome), f"{parser.name}: outcome gave {outcome!r}. Return an Outcome, as Outcome.WRONG."
    )
    for finish in ("stop", "", "length", "content_filter"):
        grade, _ = grade_reply(Response(text, finish), item, parser)
        words = parser.rule_words(grade.rule)
        require(
            words != grade.rule, f"{parser.name} has no description of the rule {grade.rule!r}. Write one in `rules`."
        )
        refused = finish != "content_filter" or grade.outcome is Outcome.REFUSED
        require(refused, f"{parser.name} grades a response that a content filter held back. Expected refused.")
        none = grade.outcome is not Outcome.TRUNCATED or grade.choice is None
        require(none, f"{parser.name} reads a choice in {text[:60]!r}, which was cut off. Expected none.")
        if finish == "length" and (not text.strip() or grade.rule in parser.weighs):
            require(
                grade.outcome is Outcome.TRUNCATED,
                f"{parser.name} grades {text[:60]!r}, which was cut off, {grade.outcome.value} by {grade.rule!r}.",
            )


def _check_columns(parser: Parser, texts: Sequence[str], item: Item) -> None:
    """Check that each column has one value per response, in the order of responses."""
    records = [_record(parser, Response(text), item) for text in texts]
    records = [*records[-PLACES:], *(_record(parser, Response("", each), item) for each in ("stop", "content_filter"))]
    columns = _make_columns(parser, dict(enumerate(records)))
    if columns is None:
        return
    arrays = _list_arrays(columns)
    for name, array in arrays.items():
        require(
            len(array) == len(records),
            f"Expected one place per response, got {len(array)} places for {len(records)} responses in the column "
            f"{name!r} of {parser.name}. A response without a record (None) needs a place too.",
        )
    alone = [_list_arrays(_make_columns(parser, {place: each})) for place, each in enumerate(records)]
    kept = np.arange(len(records)) % 2 == 0
    with explain_errors(f"{parser.name}: only", "Return the columns with the marked places only."):
        few = _list_arrays(columns.only(kept))
        none = _list_arrays(columns.only(np.zeros(len(records), dtype=np.bool_)))
    for name, array in arrays.items():
        _check_order(f"the column {name!r} of {parser.name}", array, np.concatenate([each[name] for each in alone]))
        require(
            len(few[name]) == kept.sum() and not len(none[name]),
            f"Expected `only` to return the marked places, got {len(few[name])} of {kept.sum()} in the column "
            f"{name!r} of {parser.name}.",
        )


def _check_order(column: str, array: NDArray[Any], alone: NDArray[Any]) -> None:
    """Check that a column's value for a response depends on that response alone."""
    numbers = len(set(map(repr, alone.tolist()))) == 1
    floats = array.dtype.kind == "f" == alone.dtype.kind
    require(
        numbers or np.array_equal(array, alone, equal_nan=floats),
        f"Expected the responses in their order, got another order in {column}. Iterate over `read.values()` once, "
        "without sorting.",
    )


def _record(parser: Parser, response: Response, item: Item) -> Any:
    """Return a response's record; None if the response was graded without one."""
    if parser.outcome is not None:
        return grade_reply(response, item, parser)[1]
    return parser.read(response, item)


def _make_columns(parser: Parser, records: Mapping[int, Any]) -> ReadingColumns | None:
    assert parser.columns is not None
    with explain_errors(
        f"{parser.name}: columns",
        "A record is None if its response needs no reading, such as an empty one.",
    ):
        return parser.columns({(0, place): record for place, record in records.items()}, {})


def _list_arrays(columns: ReadingColumns | None) -> dict[str, NDArray[Any]]:
    """Return a column record's arrays by name; for packed columns, an array of their length."""
    packed: Any = columns
    if isinstance(packed, Sized) and not hasattr(packed, "_asdict"):
        return {"length": np.zeros(len(packed))}
    named: dict[str, Any] = packed._asdict() if hasattr(packed, "_asdict") else getattr(packed, "__dict__", {})
    return {name: each for name, each in named.items() if isinstance(each, np.ndarray) and each.ndim}
