"""Parsers held against people's labels, row by row, and a judge beside them where one can be asked the same.

`choices`, `missing_image` and `quality` hold what is a parser's own: what its rows need, which labels there are, what
it predicts.
"""

from __future__ import annotations

from snellen.qualify.held import qualify, qualify_file, write_rows
from snellen.qualify.judge import Judged, judge_rows
from snellen.qualify.missing_image import flagging
from snellen.qualify.qualification import Qualification, Read
from snellen.qualify.quality import beside
from snellen.qualify.text import as_text, judged_as_text

__all__ = [
    "Judged",
    "Qualification",
    "Read",
    "as_text",
    "beside",
    "flagging",
    "judge_rows",
    "judged_as_text",
    "qualify",
    "qualify_file",
    "write_rows",
]
