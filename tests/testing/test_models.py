"""Planted mistakes of models: each is found, with a sentence that says what to change."""

import asyncio
import time

import pytest

from snellen import Model, Response
from snellen.errors import UnusableModelError
from snellen.models.base import Usage, receipt
from snellen.testing import check_model
from strategies import picture

IMAGES = [picture(100, 64).encoded(), picture(7, 64).encoded()]


class Right(Model):
    """Says how many bytes it was sent."""

    def __init__(self):
        self.name = "mine/right"
        self.held = None

    async def answer(self, request):
        """A sentence about the images."""
        await asyncio.sleep(0)
        seen = [len(bytes(image.data)) for image in request.images]
        return Response(f"{len(seen)} images.\nAnswer: A", sent=tuple(map(receipt, request.images)))


class NoReceipt(Right):
    """Forgets the receipts."""

    async def answer(self, request):
        """Without `sent`."""
        return Response(f"{[image.data[:2] for image in request.images]}")


class NeverUsed(Right):
    """Signs for images that it never opens."""

    async def answer(self, request):
        """The same for all."""
        return Response("Answer: A", sent=tuple(receipt(image) for image in request.images))


class Hoarding(Right):
    """Signs again for the images of the request before."""

    async def answer(self, request):
        """With all images so far."""
        self.held = [*(self.held or ()), *request.images]
        return Response("Answer: A", sent=tuple(receipt(image) for image in self.held if image.data))


class Sleeping(Right):
    """Waits without letting others be asked."""

    async def answer(self, request):
        """After a while."""
        time.sleep(0.1)  # noqa: ASYNC251 - the fault that is looked for
        return await super().answer(request)


class Mixing(Right):
    """Keeps the request in itself while it waits."""

    async def answer(self, request):
        """By what is kept."""
        self.held = request
        await asyncio.sleep(0)
        return Response("Answer: A", sent=tuple(receipt(image) for image in self.held.images if image.data))


class Raising(Right):
    """Looks for the first image of every request."""

    async def answer(self, request):
        """By the first image."""
        return Response(str(request.images[0].data[:1]), sent=tuple(map(receipt, request.images)))


class Refusing(Right):
    """Has no key."""

    async def answer(self, request):
        """Nothing."""
        raise UnusableModelError("The key in MINE_API_KEY is wrong.")


class Plain(Right):
    """Its `answer` is no coroutine."""

    def answer(self, request):
        """At once."""
        return Response("Answer: A")


class Texts(Right):
    """Returns a text."""

    async def answer(self, request):
        """A text."""
        return "Answer: A"


class Miscounting(Right):
    """Counts tokens in halves."""

    async def answer(self, request):
        """With odd usage."""
        made = await super().answer(request)
        return Response(made.text, usage=Usage(1.5, 2), sent=made.sent)


class Unfinished(Right):
    """Cannot be closed."""

    async def close(self):
        """Raise."""
        raise RuntimeError("no session")


def with_fact(**facts):
    """A model that is right but for some of its facts."""
    model = Right()
    for name, value in facts.items():
        setattr(model, name, value)
    return model


def without_name():
    """A model that was given no name."""
    model = Right()
    del model.name
    return model


MISTAKES = {
    "no receipt": (NoReceipt, "gave 0 receipts for 2 images"),
    "a receipt for an image that was never used": (NeverUsed, "never read their bytes"),
    "a receipt for an image of another request": (Hoarding, "receipts for"),
    "a blocking answer": (Sleeping, "asyncio.to_thread"),
    "requests that are mixed up side by side": (Mixing, "side by side"),
    "no answer without an image": (Raising, "without an image.*IndexError"),
    "a model that cannot be reached": (Refusing, "The key in MINE_API_KEY is wrong"),
    "an answer that is no coroutine": (Plain, "async def answer"),
    "a text in place of a response": (Texts, "expected a Response, got str"),
    "tokens that are no counts": (Miscounting, "counts tokens"),
    "closing that raises": (Unfinished, "close raised RuntimeError: no session"),
    "a name without a provider": (lambda: with_fact(name="right"), "provider/model"),
    "a name that no command line can carry": (lambda: with_fact(name="mine/\nright"), "provider/model"),
    "no name": (without_name, "provider/model"),
    "a revision that is no text": (lambda: with_fact(revision=2), "`revision`"),
    "a class in place of a model": (lambda: Right, "expected a Model"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_named(mistake):
    """With what to change, and never by an exception from inside."""
    make, words = MISTAKES[mistake]
    with pytest.raises(AssertionError, match=words):
        check_model(make(), IMAGES)


def test_models_without_a_mistake_pass():
    """With images of its own, if none are given; one that takes words alone is sent none."""
    assert [len(each.sent) for each in check_model(Right(), IMAGES)][:2] == [0, 2]
    assert check_model(Right())
    assert not any(each.sent for each in check_model(with_fact(text_only=True), IMAGES))


def test_a_model_that_ignores_images_on_purpose_says_so():
    """As an organism does that is blind by design."""
    assert check_model(NeverUsed(), IMAGES, ignores_images=True)
