"""FunctionModel: a function as a model."""

import asyncio
from functools import partial

import numpy as np
import pytest

from snellen.errors import RejectedError
from snellen.images import encode
from snellen.models.base import Response, check_sent
from snellen.models.fake import FakeModel, FunctionModel
from snellen.prompts import Request
from snellen.study import Study

IMAGE = encode(np.zeros((2, 2), np.uint8))


def answer(function, request):
    """The fake's reply."""
    return asyncio.run(FunctionModel(function).answer(request))


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
    with pytest.raises(RejectedError, match="it reports 0"):
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


def test_a_function_is_known_by_its_source_and_by_what_it_was_made_with():
    """Another body or another value in it is another revision; the same one is the same."""

    def says(word, add=""):
        return lambda request, also=add: word + also

    class Reads:
        def __call__(self, request):
            return "A"

    compiled = [{}, {}]
    for place, word in zip(compiled, "AB", strict=True):
        exec(f"def answer(request):\n    return {word!r}", place)
    functions = [
        *(says("A"), says("B"), says("A", "!"), partial(says, "A"), partial(says, "B"), Reads(), str.upper),
        *(each["answer"] for each in compiled), lambda request: "A", lambda request: "B",
    ]  # fmt: skip
    assert FunctionModel(says("A")).revision == FunctionModel(says("A")).revision
    assert len({FunctionModel(each).revision for each in functions}) == len(functions)
    assert FunctionModel(Reads(), revision="weights of May").revision == "weights of May"


def test_a_function_may_use_the_model_that_it_makes():
    """A value that is not there yet when the model is made is left out."""
    model = FunctionModel(lambda request: model.name)
    assert asyncio.run(model.answer(Request(model.name, "?"))).text == model.name


def test_another_function_of_the_same_name_is_asked_itself(tmp_path):
    """Stored answers of the function before do not count."""
    asked = []
    for word in ("A", "B"):

        def answer(request, word=word):
            asked.append(word)
            return word

        for _ in range(2):
            model = FunctionModel(answer, name="mine/model")
            Study(models=[model], benchmarks=["phantoms:items=2"], tests=["image-needed"], out=tmp_path).run()
    assert len(asked) == 2 * asked.count("A") > 0
    assert FakeModel is FunctionModel
