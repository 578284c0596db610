"""FakeModel: a function as a model."""

import asyncio

import numpy as np
import pytest

from snellen.errors import RejectedError
from snellen.images import encode
from snellen.models.base import Response, check_sent
from snellen.models.fake import FakeModel
from snellen.prompts import Request

IMAGE = encode(np.zeros((2, 2), np.uint8))


def answer(function, request):
    """The fake's reply."""
    return asyncio.run(FakeModel(function).answer(request))


def test_it_answers_with_the_functions_word():
    """The function sees the request itself, and its word is the text."""
    request = Request("fake/function", "A or B?")
    assert answer(lambda got: str(got is request), request) == Response("True")


def test_images_are_on_the_receipt():
    """Every image of the request is acknowledged, in order."""
    request = Request("fake/function", "?", images=(IMAGE, IMAGE))
    check_sent(request, answer(lambda got: "B", request))


def test_a_whole_response_is_left_alone():
    """A function that gives a Response decides everything, a missing receipt included."""
    request = Request("fake/function", "?", images=(IMAGE,))
    said = Response("B", finish="length")
    assert answer(lambda got: said, request) is said
    with pytest.raises(RejectedError, match="says that it sent 0"):
        check_sent(request, said)


def test_an_error_is_passed_on():
    """What the function raises reaches the caller."""

    def fail(request):
        raise RejectedError("no")

    with pytest.raises(RejectedError, match="no"):
        answer(fail, Request("fake/function", "?"))


def test_a_function_without_a_text_is_named():
    """Forgetting to return is said in one line."""
    with pytest.raises(TypeError, match="expected the function to return a text or a Response, got None"):
        answer(lambda request: None, Request("fake/function", "?"))
