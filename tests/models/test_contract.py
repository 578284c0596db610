"""What every backend that is asked over HTTP keeps to, each against a server that answers as its provider does."""

import asyncio
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models import wires
from models.recording import Answer, recording
from snellen.errors import BusyError, ModelError, OutageError, RejectedError, TransientError, UnusableModelError
from snellen.images import encode
from snellen.models.base import CUT_OFF, FILTERED, check_sent
from snellen.prompts import Example, Request, Settings

KEY = "key-of-the-contract"
WIRES = [import_module(f"models.wires.{module.name}").WIRE for module in iter_modules(wires.__path__)]
ASKED = Settings(temperature=0.5, max_tokens=9, stop=("END",))


@pytest.fixture(params=WIRES, ids=lambda wire: wire.name)
def wire(request, monkeypatch):
    """Each backend in turn, with no proxy of the machine's in the way."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return request.param


def picture(seed=0):
    """A small noisy PNG."""
    return encode(np.random.default_rng(seed).integers(0, 256, (9, 9), dtype=np.uint8))


def question(**more):
    """The contract's question: a system message, an image, settings."""
    return Request("m", "A or B?", **{"system": "Be brief.", "images": (picture(),), "settings": ASKED, **more})


def answer(model, request, server):
    """The response to one request."""

    async def once():
        server.asking = asyncio.get_running_loop()
        try:
            return await model.answer(request)
        finally:
            await model.close()

    return asyncio.run(once())


def asked(wire, *answers, request=None, **reach):
    """The response to the contract's question, and what the server was sent."""
    with recording(*answers) as server:
        model = wire.opened(server.url, **{"key": KEY, **reach})
        return answer(model, request or question(), server), server.sent


def failed(wire, *answers, **reach):
    """The error that comes of an answer; it never holds the key."""
    with recording(*answers) as server:
        model = wire.opened(server.url, **{"key": KEY, **reach})
        with pytest.raises(ModelError) as caught:
            answer(model, question(), server)
    assert KEY not in str(caught.value)
    assert len(server.sent) == 1
    return caught.value


def test_what_is_sent_and_read(wire):
    """Words, image and settings arrive; text, finish, counts and the serving model come back, with the receipts."""
    request = question()
    response, (sent,) = asked(wire, Answer(wire.says("Answer: B", wire.finishes["stop"])), request=request)
    check_sent(request, response)
    assert (response.text, response.usage.input_tokens, response.usage.output_tokens) == ("Answer: B", 7, 2)
    assert response.finish.lower() not in CUT_OFF | FILTERED
    assert response.served_by in ("m", "")
    assert wire.images(sent.body) == [request.images[0].base64.decode()]
    assert b"A or B?" in sent.raw
    assert b"Be brief." in sent.raw


def test_as_the_vendors_own_client(wire):
    """The body is, field by field, that of the vendor's own client for the same question."""
    if wire.sdk is None:
        pytest.skip("this provider has no client of its own here")
    request = question()
    with recording(Answer(wire.says("B", wire.finishes["stop"]))) as server:
        wire.sdk(server.url, request.images[0].base64.decode())
        answer(wire.opened(server.url, key=KEY), request, server)
    theirs, ours = server.sent
    expected = {name: value for name, value in theirs.body.items() if name not in wire.ignores}
    assert wire.meant(ours.body) == wire.meant(expected)
    assert (ours.method, ours.path.partition("?")[0]) == (theirs.method, theirs.path.partition("?")[0])


def test_examples_come_first(wire):
    """Worked examples stand before the question as turns of their own, images and all."""
    example = Example("One?", (picture(1),), "Answer: A")
    request = question(examples=(example,))
    response, (sent,) = asked(wire, Answer(wire.says("B", wire.finishes["stop"])), request=request)
    check_sent(request, response)
    assert wire.images(sent.body) == [image.base64.decode() for image in request.every_image]
    places = [sent.raw.index(text) for text in (b"One?", b"Answer: A", b"A or B?")]
    assert places == sorted(places)


def test_cut_off_and_filtered(wire):
    """A reply that ends at the limit or is held back says so, with no words or some; neither is a failed call."""
    for kind, known in (("length", CUT_OFF), ("filtered", FILTERED)):
        for text in ("Because of the", ""):
            response, _ = asked(wire, Answer(wire.says(text, wire.finishes[kind])))
            assert (response.text, response.finish.lower() in known) == (text, True), (kind, response.finish)


def test_thinking_and_tools(wire):
    """Reasoning stays apart from the text; a call of a tool is no answer."""
    if wire.reasoning:
        response, _ = asked(wire, Answer(wire.reasoning()))
        assert (response.text, response.reasoning) == ("B", "because")
    if wire.tool_call:
        error = failed(wire, Answer(wire.tool_call()))
        assert type(error) is TransientError
        assert "a call of a tool" in str(error)


def test_an_empty_reply_is_a_reply(wire):
    """One that the model ended itself and that says nothing is a response; of any other, nobody knows what it is."""
    response, _ = asked(wire, Answer(wire.says("", wire.finishes["stop"])))
    assert (response.text, response.is_empty) == ("", True)


STATUSES = {
    **dict.fromkeys((301, 401, 403, 404), UnusableModelError),
    **dict.fromkeys((400, 413, 418, 422), RejectedError),
    **dict.fromkeys((408, 409, 425, 500, 504), TransientError),
    **dict.fromkeys((429, 529), BusyError),
    **dict.fromkeys((502, 503), OutageError),
}


def test_statuses(wire):
    """Each status is what it is: no key, no such model, this request alone, worth another try, or too often."""
    body = {"error": {"message": f"it said {KEY} and why", "type": "some_error"}, "message": f"{KEY} and why"}
    for status, kind in STATUSES.items():
        error = failed(wire, Answer(body, status))
        assert (type(error), error.status) == (kind, status)
        assert f"answered {status}" in str(error)
        assert "and why" in str(error)
        assert getattr(error, "retry_after", None) is None
        assert getattr(error, "reached", True)


def test_a_wait_is_heard(wire):
    """Retry-After is passed on."""
    for status, kind in ((429, BusyError), (503, OutageError)):
        error = failed(wire, Answer({"error": {"message": "slow down"}}, status, {"Retry-After": "7"}))
        assert (type(error), error.retry_after) == (kind, 7.0)


def test_broken_replies(wire):
    """What is cut, late, empty or no JSON is worth another try, and never an answer."""
    whole = wire.says("B", wire.finishes["stop"])
    for bad in (Answer(whole, cut=True), Answer(b"<html>"), Answer(b""), Answer([]), Answer({}), Answer({"error": {}})):
        assert isinstance(failed(wire, bad), TransientError)
    assert isinstance(failed(wire, Answer(whole, late=True)), TransientError)


def test_another_model_answers(wire):
    """The name that the server reports is kept as it says it."""
    response, _ = asked(wire, Answer(wire.says("B", wire.finishes["stop"], model="quite-another")))
    assert response.served_by in ("quite-another", "")


def test_own_headers_and_fields(wire):
    """Headers and fields of the user's own go with every request, and are told apart by the revision."""
    with recording(Answer(wire.says("B", wire.finishes["stop"]))) as server:
        model = wire.opened(server.url, key=KEY, headers={"X-Team": "eyes"}, extra_body={"custom_field": 3})
        plain = wire.opened(server.url, key=KEY)
        answer(model, question(), server)
    (sent,) = server.sent
    assert (sent.headers["X-Team"], sent.body["custom_field"]) == ("eyes", 3)
    assert model.revision != plain.revision
    assert "eyes" not in model.revision


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1), system=st.text(max_size=20), images=st.integers(0, 3))
def test_any_words(wire, text, system, images):
    """Whatever stands in words, the body is the JSON it stands for, with every image at its place."""
    request = replace(question(), text=text, system=system, images=tuple(map(picture, range(images))))
    model = wire.opened("http://127.0.0.1:9", key=KEY)
    body = orjson.loads(b"".join(model.parts(request)))
    assert wire.images(body) == [image.base64.decode() for image in request.images]
