"""Replicas that are lost at any moment: every request is answered once, or its error says why not."""

import asyncio
import pickle
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from snellen import errors
from snellen.cluster import Need, RunPlace
from snellen.errors import FullError, LostError, ModelError, UnusableModelError
from snellen.models import replicated
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.models.replicated import Replica, Replicated
from snellen.prompts import Request


class FakeCluster:
    """Starts replicas in this process; `dies(request)` says whether one is lost with a request."""

    def __init__(self, *, dies=lambda request: False, opens=lambda: True, full=0, seed=0):
        self.dies, self.opens, self.full, self.random = dies, opens, full, random.Random(seed)
        self.calls = []
        self.started = 0

    def start(self, kind, *args, need):
        self.started += 1
        return FakeActor(self, kind(*args))


class FakeActor:
    def __init__(self, cluster, worker):
        self.cluster, self.worker, self.dead = cluster, worker, False

    async def call(self, method, *args):
        for _ in range(self.cluster.random.randrange(4)):
            await asyncio.sleep(0)
        if method == "answers":
            self.cluster.calls.append([each.text for each in args[0]])
            if self.cluster.full:
                self.cluster.full -= 1
                raise FullError("ObjectStoreFullError")
            self.dead = self.dead or any(map(self.cluster.dies, args[0]))
        if self.dead or (method == "open" and not self.cluster.opens()):
            raise LostError("ActorDiedError")
        return await getattr(self.worker, method)(*args)

    def end(self):
        self.dead = True


def model_on(cluster, *, replicas=2, model=None, connections=8):
    model = model or FakeModel(lambda request: f"to {request.text}")
    place = RunPlace("ray")
    place.cluster = cluster
    return Replicated(model, lambda: model, place, Need(model.name, replicas), connections=connections)


def answered(model, count):
    """What comes of so many requests that are asked at once."""

    async def all_of_them():
        asked = [model.answer(Request(model.name, str(number))) for number in range(count)]
        try:
            return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)
        finally:
            await model.close()

    return asyncio.run(all_of_them())


@example(31, 2, 20, 0.1)  # a batch is handed to a replica that is lost before it is asked
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 60), st.sampled_from([0.0, 0.02, 0.1]))
def test_every_request_is_answered_once_whatever_is_lost(seed, replicas, count, share):
    """Each request gets its own answer, or after three losses an error; nobody waits for ever."""
    lots = random.Random(seed)
    cluster = FakeCluster(dies=lambda request: lots.random() < share, seed=seed)
    came = answered(model_on(cluster, replicas=replicas), count)
    assert len(came) == count
    for number, each in enumerate(came):
        assert isinstance(each, ModelError) or each.text == f"to {number}"
    if not share:
        assert all(isinstance(each, Response) for each in came)
        assert sum(map(len, cluster.calls)) == count


def test_a_request_that_kills_its_replica_takes_no_other_with_it():
    """It goes alone the third time; the others are answered."""
    cluster = FakeCluster(dies=lambda request: request.text == "7")
    came = answered(model_on(cluster), 40)
    failed = [number for number, each in enumerate(came) if isinstance(each, ModelError)]
    assert failed == [7]
    assert "3 replicas were lost while they answered this request" in str(came[7])
    assert ["7"] in cluster.calls


def test_requests_that_wait_go_together_and_to_all_replicas():
    """What is asked in one moment is shared out in a few calls."""
    cluster = FakeCluster()
    answered(model_on(cluster, replicas=2, connections=64), 64)
    assert len(cluster.calls) <= 8
    assert max(map(len, cluster.calls)) == replicated.TOGETHER


def test_replicas_that_never_start_are_given_up():
    """After some deaths in a row with no answer, the model is unusable; nobody waits for ever."""
    cluster = FakeCluster(opens=lambda: False)
    came = answered(model_on(cluster), 3)
    assert {type(each) for each in came} == {UnusableModelError}
    assert "replicas in a row were lost" in str(came[0])
    assert cluster.started < 20


def test_a_full_object_store_is_waited_for():
    """It is an error that is worth asking again."""
    came = answered(model_on(FakeCluster(full=1), replicas=1), 1)
    assert isinstance(came[0], errors.BusyError)
    assert "object store of the cluster is full" in str(came[0])


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_whoever_waits_for_a_model_that_is_closed_is_told(seed, steps):
    """Asked, handed out or still waiting: each has its answer or an error; a question that comes later is answered."""
    model = model_on(FakeCluster(seed=seed), connections=4)

    async def closed_midway():
        asked = [asyncio.create_task(model.answer(Request(model.name, str(number)))) for number in range(30)]
        for _ in range(steps):
            await asyncio.sleep(0)
        closing = asyncio.create_task(model.close())
        came = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)
        await closing
        later = await asyncio.wait_for(model.answer(Request(model.name, "later")), 60)
        await model.close()
        return came, later

    came, later = asyncio.run(closed_midway())
    assert later.text == "to later"
    for number, each in enumerate(came):
        assert str(each) == f"{model.name} was closed before it answered." or each.text == f"to {number}"
    if 0 < steps < 3:
        assert all(isinstance(each, UnusableModelError) for each in came)


def test_another_revision_on_a_node_is_refused():
    """A response is known by its revision: a node with other weights must not answer."""
    model = FakeModel(lambda request: "B")
    there = FakeModel(lambda request: "A")
    there.revision = "other weights"
    place = RunPlace("ray")
    place.cluster = FakeCluster()
    came = answered(Replicated(model, lambda: there, place, Need(model.name), connections=4), 2)
    assert {type(each) for each in came} == {UnusableModelError}
    assert "another revision of the model (other weights)" in str(came[0])


def test_a_bug_of_a_model_is_told_with_its_place():
    """It is one request's error, as on one machine."""

    def reply(request):
        return 1 / int(request.text)

    came = answered(model_on(FakeCluster(), model=FakeModel(reply)), 1)
    assert "has a bug: ZeroDivisionError" in str(came[0])
    assert "test_replicated.py" in str(came[0])


def all_errors(kind=errors.SnellenError):
    return [kind, *(each for below in kind.__subclasses__() for each in all_errors(below))]


MADE = {
    errors.BrokenRowsError: lambda: errors.BrokenRowsError("b", [errors.BrokenRow("l", "i", "r")], 1),
    errors.UnusableImageError: lambda: errors.UnusableImageError("a.png", "is damaged"),
    errors.UndeliveredError: lambda: errors.UndeliveredError({"m": "why"}),
    errors.OutageError: lambda: errors.OutageError("down", reached=False, retry_after=2.0),
    errors.OverBudgetError: lambda: errors.OverBudgetError(1.0, 0.5, 0.6),
}


@pytest.mark.parametrize("kind", [each for each in all_errors() if each.__module__ == "snellen.errors"])
def test_every_error_can_be_sent_to_another_process(kind):
    """Its words and what it knows arrive."""
    error = MADE.get(kind, lambda: kind("said"))()
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))


def test_a_replica_says_why_its_model_cannot_be_opened():
    """Also where that is no error of ours."""

    def itself():
        raise ImportError("no torch here")

    opened = asyncio.run(Replica(itself, ".").open())
    assert str(opened) == "it cannot be opened: ImportError: no torch here"


def test_a_model_that_cannot_be_pickled():
    """What cannot be pickled is named, and not what Ray says of how it looked for it."""

    class Wraps(FakeCluster):
        def start(self, kind, *args, need):
            try:
                raise TypeError("cannot pickle '_thread.lock' object")
            except TypeError as error:
                raise TypeError("Could not serialize the argument partial(0x7f):\n====\nChecking") from error

    with pytest.raises(UnusableModelError, match=r"sent to a replica: cannot pickle '_thread\.lock' object$"):
        asyncio.run(model_on(Wraps()).answer(Request("m", "q")))
