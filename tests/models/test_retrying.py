"""Retrying: how often it asks, and how long it waits in between."""

import asyncio

import pytest

from snellen.errors import RejectedError, TransientError, UnusableModelError
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.models.retrying import Retrying
from snellen.prompts import Request

REQUEST = Request("fake/function", "A or B?")


class Scripted:
    """A model that goes through a list of errors and then answers; waits are noted, not waited."""

    def __init__(self, *errors, **settings):
        self.errors, self.asked, self.waits = list(errors), 0, []
        self.model = Retrying(FakeModel(self.speak), sleep=self.sleep, **settings)

    def speak(self, request):
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "B"

    async def sleep(self, seconds):
        self.waits.append(seconds)

    def answer(self):
        return asyncio.run(self.model.answer(REQUEST))


def test_first_success_is_returned_at_once():
    """Where nothing fails, nothing is waited for."""
    scripted = Scripted()
    assert scripted.answer() == Response("B")
    assert (scripted.asked, scripted.waits) == (1, [])


def test_waits_grow_twofold_up_to_the_longest():
    """Without a wish of the server each wait is between half and all of 1, 2, 4… seconds, at most the longest."""
    scripted = Scripted(*[TransientError("busy")] * 5, longest_wait=6.0)
    assert scripted.answer().text == "B"
    assert len(scripted.waits) == 5
    for wait, limit in zip(scripted.waits, (1, 2, 4, 6, 6), strict=True):
        assert limit / 2 <= wait <= limit


@pytest.mark.parametrize(("wish", "expected"), [(7.0, 7.0), (900.0, 120.0)])
def test_the_servers_wish_is_granted(wish, expected):
    """A wait the server asks for is waited, cut at the longest."""
    scripted = Scripted(TransientError("busy", retry_after=wish))
    scripted.answer()
    assert scripted.waits == [pytest.approx(expected, abs=0.5)]


def test_a_wish_of_zero_is_no_wait():
    """Retry-After: 0 means now."""
    scripted = Scripted(TransientError("busy", retry_after=0.0))
    scripted.answer()
    assert (scripted.asked, scripted.waits) == (2, [])


def test_a_wish_holds_back_other_requests_too():
    """A request that starts while the server wants quiet waits as well."""
    scripted = Scripted(TransientError("busy", retry_after=50.0))

    async def both():
        await scripted.model.answer(REQUEST)
        scripted.waits.clear()
        await scripted.model.answer(REQUEST)

    asyncio.run(both())
    assert scripted.waits == [pytest.approx(50, abs=0.5)]


def test_last_error_is_raised():
    """After the last attempt its own error is raised, and nothing is waited for in vain."""
    errors = [TransientError(f"busy {i}") for i in range(3)]
    scripted = Scripted(*errors, attempts=3)
    with pytest.raises(TransientError, match="busy 2"):
        scripted.answer()
    assert (scripted.asked, len(scripted.waits)) == (3, 2)


@pytest.mark.parametrize("error", [RejectedError("no"), UnusableModelError("never"), ValueError("bug")])
def test_what_will_not_change_is_not_asked_again(error):
    """Only transient errors are worth another try."""
    scripted = Scripted(error)
    with pytest.raises(type(error)):
        scripted.answer()
    assert (scripted.asked, scripted.waits) == (1, [])


def test_cancelling_while_waiting():
    """A cancelled run does not ask again."""
    scripted = Scripted(TransientError("busy"))

    async def forever(seconds):
        await asyncio.Event().wait()

    model = Retrying(FakeModel(scripted.speak), sleep=forever)

    async def main():
        task = asyncio.create_task(model.answer(REQUEST))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert scripted.asked == 1


def test_it_is_the_model_it_holds():
    """Name and revision are the held model's, and closing closes it."""
    held = FakeModel(lambda request: "B", name="fake/held")
    held.revision = "7"
    closed = []

    async def close():
        closed.append(True)

    held.close = close
    model = Retrying(held)
    asyncio.run(model.close())
    assert (model.name, model.revision, closed) == ("fake/held", "7", [True])
