"""Refusing: what is wrong with somebody's settings, said by Inspect's command line in one sentence."""

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
    """The same function; an error of ours becomes one that Inspect prints as a sentence."""

    @wraps(make)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return make(*args, **kwargs)
        except SnellenError as error:
            raise PrerequisiteError(escape(str(error))) from error

    return made
