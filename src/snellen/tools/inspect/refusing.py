"""Short messages for invalid settings on Inspect's command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from inspect_ai._util.error import PrerequisiteError  # what its command line prints without a traceback
from rich.markup import escape

from snellen.errors import SnellenError

Given = ParamSpec("Given")
Made = TypeVar("Made")


def refused_in_a_sentence(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Wrap a function so that Inspect prints our errors as a sentence, without a traceback."""

    @wraps(make)
    def make_or_refuse(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return make(*args, **kwargs)
        except SnellenError as error:
            raise PrerequisiteError(escape(str(error))) from error

    return make_or_refuse
