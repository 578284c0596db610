"""The parser's error (rule 3): how often it reads an act that is not there, and misses one that is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import orjson

from snellen.reading.columns import Floats
from snellen.stress.verdicts.responses import Responses, View


class ParserError(NamedTuple):
    """The largest rates that the validation's 95% intervals allow."""

    false: float
    """Responses without the act that are read as having it."""
    missed: float
    """Responses with the act that are read as not having it."""

    def least(self, read: Floats | float) -> Floats | float:
        """The least that a read share can be in truth."""
        return (read - self.false) / (1 - self.false)

    def most(self, read: Floats | float) -> Floats | float:
        """The most that a read share can be in truth."""
        return read / (1 - self.missed)


@cache
def parser_errors() -> Mapping[str, ParserError]:
    """By act, the worst error that its labelled responses allow."""
    text = files("snellen.stress.verdicts").joinpath("parser_error.json").read_bytes()
    rates = orjson.loads(text)["acts"]
    return {act: ParserError(each["false"]["high"], each["missed"]["high"]) for act, each in rates.items()}


def correct_by_labels(responses: Responses, view: View, act: str) -> tuple[Floats, float] | None:
    """Per item, what was read plus what labels of a random part say that it was wrong by; None without labels.

    Items whose responses came after the labelled ones were drawn have no value. Also the span of one labelled item, by
    which two unseen patients are added.
    """
    if view.labels is None or not (known := view.labels.has(act)).any():
        return None
    read, among = np.asarray(getattr(view, act), dtype=np.float64), view.labels.among
    wrong = np.where(known, getattr(view.labels, act) - read, 0.0)
    weight = int(among.sum()) / int(known.sum())
    return responses.average(view.ordinal[among], (read + weight * wrong)[among]), weight
