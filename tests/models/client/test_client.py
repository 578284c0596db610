"""Client: how often it asks, and how long it waits in between."""

import asyncio
from dataclasses import replace

import pytest

from snellen.errors import BusyError, OutageError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import Response
from snellen.models.client.client import Client
from snellen.models.fake import FakeModel
from snellen.prompts import Request
from strategies import picture

REQUEST = Request("fake/function", "A or B?")


class Scripted:
    """A model that goes through a list of errors and then answers; waits are noted, and pass on its own clock."""

    def __init__(self, *errors, **settings):
        self.errors, self.asked, self.waits, self.now = list(errors), 0, [], 1000.0
        self.model = Client(FakeModel(self.speak), sleep=self.sleep, clock=lambda: self.now, **settings)

    def speak(self, request):
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "B"

    async def sleep(self, seconds):
        self.waits.append(seconds)
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)

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
    """A request that starts while the server wants quiet waits as well, and on, where it wants more meanwhile."""
    scripted = Scripted(TransientError("busy", retry_after=50.0), TransientError("busy", retry_after=70.0))

    async def both():
        await asyncio.gather(scripted.model.answer(REQUEST), scripted.model.answer(REQUEST))

    asyncio.run(both())
    assert (scripted.waits, scripted.asked) == ([50, 50, 70, 70], 4)


REFUSED = OutageError("cannot reach it.", reached=False)
LOADING = OutageError("it answered 503.", reached=True)


def test_a_server_that_was_never_reached_is_given_up_within_seconds():
    """Nobody listens at the address: a few tries, five seconds, and the error itself, without a word on waiting."""
    scripted = Scripted(*[REFUSED] * 100)
    with pytest.raises(UnusableModelError, match=r"^cannot reach it\.$"):
        scripted.answer()
    assert 2 <= scripted.asked <= 5
    assert sum(scripted.waits) <= 5


@pytest.mark.parametrize("error", [REFUSED, LOADING])
def test_a_server_that_goes_down_is_waited_for(error):
    """Nine minutes without anybody there cost no response, however many tries that takes, and the wait is spoken of."""
    scripted = Scripted()
    scripted.answer()
    said = []

    def speak(request):
        said.append(scripted.model.trouble)
        if scripted.now < 1000 + 540:
            raise error
        return "B"

    scripted.model._model = FakeModel(speak)
    assert scripted.answer().text == "B"
    assert len(said) > 15
    assert max(scripted.waits) <= 30
    assert (said[0], set(said[1:]), scripted.model.trouble) == ("", {str(error)}, "")


def test_a_server_that_stays_down_is_waited_for_ten_minutes():
    """Then the request has failed, and so has every later one at its first try, until the server answers again."""
    scripted = Scripted(*[LOADING] * 200)
    with pytest.raises(TransientError, match=r"answered 503\. It has not answered for 10 min\."):
        scripted.answer()
    assert 570 <= sum(scripted.waits) <= 600
    asked, scripted.now = scripted.asked, 1600.0
    with pytest.raises(TransientError):
        scripted.answer()
    assert scripted.asked == asked + 1
    scripted.errors.clear()
    scripted.answer()
    scripted.errors += [LOADING] * 20
    assert scripted.answer().text == "B"


def test_one_request_that_brings_the_server_down_does_not_end_the_model():
    """While others are answered, attempts count: six, then that request has failed and no more."""
    scripted = Scripted()

    def speak(request):
        if request is REQUEST:
            scripted.asked += 1
            raise LOADING
        return "B"

    async def main():
        model = Client(FakeModel(speak), sleep=scripted.sleep, clock=lambda: scripted.now)

        async def sleep(seconds):
            await model.answer(Request("fake/function", "another"))
            await scripted.sleep(seconds)

        model._sleep = sleep
        await model.answer(Request("fake/function", "another"))
        await model.answer(REQUEST)

    with pytest.raises(OutageError):
        asyncio.run(main())
    assert 6 <= scripted.asked <= 7


def test_time_outs_do_not_add_up_to_an_hour():
    """A server that takes requests and never answers: one more try after the first time-out, then it has failed."""
    scripted = Scripted()

    def hang(request):
        scripted.asked += 1
        scripted.now += 600
        raise TransientError("no response within 600 s.")

    scripted.model._model = FakeModel(hang)
    with pytest.raises(TransientError, match="no response"):
        scripted.answer()
    assert (scripted.asked, scripted.now) == (2, pytest.approx(1000 + 1200, abs=1))


def test_last_error_is_raised():
    """After the last attempt its own error is raised, and nothing is waited for in vain."""
    errors = [TransientError(f"busy {i}") for i in range(3)]
    scripted = Scripted(*errors, attempts=3)
    with pytest.raises(TransientError, match="busy 2"):
        scripted.answer()
    assert (scripted.asked, len(scripted.waits)) == (3, 2)


def test_a_server_error_to_the_first_images_is_no_reason_to_wait_long():
    """Twice while no image was ever answered, six times after; six times for words and for other statuses."""
    shown = replace(REQUEST, images=(picture(1).encoded(),))
    broken, other = (TransientError("no", status=status) for status in (500, 504))

    def asked(request, error, answered=None):
        scripted = Scripted(*[error] * 9)
        if answered:
            scripted.model._model, speaking = FakeModel(lambda request: "B"), scripted.model._model
            asyncio.run(scripted.model.answer(answered))
            scripted.model._model = speaking
        with pytest.raises(TransientError):
            asyncio.run(scripted.model.answer(request))
        return scripted.asked

    assert (asked(shown, broken), asked(shown, broken, shown), asked(shown, broken, REQUEST)) == (2, 6, 2)
    assert (asked(REQUEST, broken), asked(shown, other)) == (6, 6)


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

    model = Client(FakeModel(scripted.speak), sleep=forever)

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
    model = Client(held)
    asyncio.run(model.close())
    assert (model.name, model.revision, closed) == ("fake/held", "7", [True])


def test_being_refused_for_asking_too_much_is_hardly_a_failure():
    """While others are answered a request is refused three times as often as it may fail; else for ten minutes."""
    scripted = Scripted(*[BusyError("busy", status=429)] * 15)
    assert scripted.answer().text == "B"
    assert scripted.asked == 16
    asked = []

    def speak(request):
        if request is REQUEST:
            asked.append(request)
            raise BusyError("busy", status=429)
        return "B"

    model = Client(FakeModel(speak), clock=lambda: scripted.now)

    async def others(seconds):
        await model.answer(Request("fake/function", "another"))
        await scripted.sleep(seconds)

    model._sleep = others

    async def main():
        await model.answer(Request("fake/function", "another"))
        await model.answer(REQUEST)

    with pytest.raises(BusyError):
        asyncio.run(main())
    assert 18 <= len(asked) <= 19
