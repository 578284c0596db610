"""Plain rows: the items of many rows at once, column by column, where these are such as most benchmarks have.

A row is plain whose question, answer and image are a text each and whose other columns decide nothing. What is made of
it is what `item_from` makes; a row that is not plain, or of which something is wrong, is left to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from snellen.benchmarks.answers import Keys, Parsed
from snellen.benchmarks.gallery import Gallery, holds_image, names_image_file
from snellen.benchmarks.image_roles import COLUMNS as ROLES
from snellen.benchmarks.printed_options import without_printed_options
from snellen.benchmarks.questions import (
    COUNTED_IMAGE,
    LETTERS_TAKEN_OFF,
    MAY_BE_LISTS,
    OPTIONS_IN_QUESTION,
    TEXTS,
    image_columns,
    there,
)
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import DEEPEST, LONGEST_TEXT, Item, Option, is_deeper, problem_of_options
from snellen.runtime import is_encodable

AT_ONCE = 500
"""Rows whose columns are looked at together."""

_WANT_A_LOOK = frozenset(("metadata", "kind", "choices", "task", "substitutes", "report", "radiology_report", *ROLES))
"""Columns that decide how others are read; whatever else has no meaning beside a question, options and an answer."""
_PARSED = frozenset((Parsed,))
_TEXT = frozenset((str,))
_TEXT_OR_NUMBER = frozenset((str, int, float))
_PLAIN = frozenset((str, int, float, bool))


class _Names(NamedTuple):
    """The columns of plain rows: what gives a row's image, id, question, answer and texts; these texts; all others."""

    read: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    texts: tuple[str, ...]
    others: tuple[str, ...]


@lru_cache(maxsize=1024)
def _names(columns: tuple[str, ...]) -> _Names | None:
    """What the columns of a plain row are; None where some want a look."""
    given = frozenset(columns)
    found = [given & each for each in ({"images", "image"}, {"id"}, {"question", "input"}, {"answer", "target"})]
    if "options" not in given or any(len(each) != 1 for each in found):
        return None
    texts = tuple(name for name in TEXTS if name in given)
    read = [*(next(iter(each)) for each in found), *texts]
    others = tuple(name for name in columns if name not in {"options", *read})
    if not _WANT_A_LOOK.isdisjoint(given) or not {*MAY_BE_LISTS}.isdisjoint(others) or image_columns(columns):
        return None
    return _Names(itemgetter(*read), texts, others)


class PlainRows:
    """Makes the items of plain rows of a table: their images are in a gallery, their answers written by its keys."""

    def __init__(self, gallery: Gallery, keys: Keys) -> None:
        self._gallery = gallery
        self._keys = keys
        self._usable: dict[int, tuple[Option, ...]] = {}

    def items(self, rows: Sequence[Mapping[str, Any]]) -> list[Item | None]:
        """The item of each row, found usable; None for a row that is not plain, or of which something is wrong."""
        columns = [there(row) for row in rows]
        if len(set(columns)) == 1 and (made := self._made(rows, columns[0])) is not None:
            return made
        alone = (self._made([row], names) for row, names in zip(rows, columns, strict=True))
        return [None if made is None else made[0] for made in alone]

    def _made(self, rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...]) -> list[Item | None] | None:
        """The items of rows with the same columns; None where one of the rows is not plain."""
        names = _names(columns)
        if names is None:
            return None
        offered = [row["options"] for row in rows]
        references, *written = zip(*map(names.read, rows), strict=True)
        ids, asked, answers, *texts = map(_as_texts, written)
        contexts = texts[0] if "context" in names.texts else ()
        if (
            not _PARSED.issuperset(map(type, offered))
            or not all(offered)
            or not _TEXT.issuperset(map(type, references))
            or not all((ids, asked, answers, *texts))
            or not all(map(str.strip, (*ids, *asked)))
            or any(each.lstrip().startswith("[") for each in (*references, *asked, *answers))
            or "<" in "".join(asked)  # it may stand for an image
            or max(map(len, (*asked, *contexts))) > LONGEST_TEXT
            or not is_encodable("".join((*ids, *asked, *contexts)))
            or not all(_decides_nothing(name, [row[name] for row in rows]) for name in names.others)
            or (pictures := self._gallery.listed_pictures(references)) is None
        ):
            return None
        metadata = [{name: row[name] for name in names.others} for row in rows]
        told = [dict(zip(names.texts, each, strict=True)) for each in zip(*texts, strict=True)] or [{}] * len(rows)
        return [self._item(*each) for each in zip(ids, asked, offered, answers, pictures, metadata, told, strict=True)]

    def _item(
        self,
        item_id: str,
        asked: str,
        options: Parsed,
        answer: str,
        images: tuple[Image, ...],
        metadata: dict[str, Any],
        texts: Mapping[str, str],
    ) -> Item | None:
        """The item of one row, whose steps are those of `item_from`; None where its options or its answer are wrong."""
        try:
            if self._keys.marked:
                options, taken_off = options.unmarked()
                if taken_off:
                    metadata[LETTERS_TAKEN_OFF] = True
            place = options.place(answer, self._keys)
            question = without_printed_options(asked, options.offered)
        except DataError:
            return None
        if question is not asked:
            metadata[OPTIONS_IN_QUESTION] = True
        if id(options.offered) not in self._usable:
            words = "".join([option.text for option in options.offered])
            if problem_of_options(options.offered) or not is_encodable(words) or "<" in words:
                return None
            self._usable[id(options.offered)] = options.offered
        return Item.of_fields(
            id=item_id,
            question=question,
            options=options.offered,
            answer=place,
            images=images,
            metadata=MappingProxyType(metadata),
            found_usable=True,
            **texts,
        )


def _as_texts(column: Sequence[Any]) -> Sequence[str]:
    """The values of a column as texts, numbers too; none where one is neither."""
    kinds = set(map(type, column))
    if kinds <= _TEXT:
        return column
    return [str(value) for value in column] if kinds <= _TEXT_OR_NUMBER else ()


def _decides_nothing(name: str, values: Sequence[object]) -> bool:
    """Whether the values of a column are metadata: none is an image, says where one is, or is too deep."""
    if COUNTED_IMAGE.fullmatch(name) and any(map(names_image_file, values)):
        return False
    texts = {value for value in values if type(value) is str}
    nested = [value for value in values if type(value) not in _PLAIN]
    return not any(map(holds_image, (*texts, *nested))) and not any(is_deeper(value, DEEPEST - 1) for value in nested)
