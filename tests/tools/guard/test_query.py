"""Query: what a body asks, and the same asked without the image, about another, and in other words."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.images import encode
from snellen.tools.guard.query import REWORDINGS, read_query

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD", "detail": "high"}}
ASKED = [{"type": "text", "text": "Which?"}, IMAGE, {"type": "text", "text": "A or B?"}]


def body(content=None, **more):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": content or ASKED}]
    return json.dumps({"model": "m", "messages": messages, **more}).encode()


def test_without_image():
    """Everything stays but the images and how the response is to be delivered."""
    query = read_query(body(temperature=0.5, seed=3, stream=True, stream_options={"include_usage": True}, store=True))
    assert (query.images, query.unfit, query.question) == (1, "", "Which?\n\nA or B?")
    assert (query.streams, query.usage_streamed) == (True, True)
    texts = [ASKED[0], ASKED[2]]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": texts}]
    assert json.loads(query.without_image()) == {"model": "m", "messages": messages, "temperature": 0.5, "seed": 3}


def test_message_of_an_image_alone():
    """A message that held nothing but the image is left out, since servers refuse empty ones."""
    sent = {"model": "m", "messages": [{"role": "user", "content": [IMAGE]}, {"role": "user", "content": "Which?"}]}
    asked = json.loads(read_query(json.dumps(sent).encode()).without_image())
    assert asked["messages"] == [{"role": "user", "content": "Which?"}]


def test_stand_in_takes_the_place_of_the_image():
    """Only the image's content changes: place, detail and words are the same."""
    other = encode(np.zeros((4, 4), np.uint8))
    asked = json.loads(read_query(body()).with_image(other))["messages"][1]["content"]
    url = f"data:image/png;base64,{other.base64.decode()}"
    assert asked == [ASKED[0], {"type": "image_url", "image_url": {"url": url, "detail": "high"}}, ASKED[2]]


def test_reworded_keeps_image_and_words():
    """Other words stand before the same question; the image stays."""
    asked = json.loads(read_query(body()).reword(1))["messages"][1]["content"]
    assert asked == [{"type": "text", "text": REWORDINGS[1] + "Which?"}, IMAGE, ASKED[2]]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (body(n=2), "several replies"),
        (body(tools=[{"type": "function"}]), "tools"),
        (body([IMAGE]), "no words"),
        (body([*ASKED, {"type": "input_audio", "input_audio": {}}]), "other parts"),
        (body([*ASKED, "words"]), "other parts"),
        (body([{"type": "text", "text": "x" * 60_000}, IMAGE]), "too long"),
        (json.dumps({"messages": [*json.loads(body())["messages"], {"role": "assistant", "content": "B"}]}).encode(),
         "earlier turns"),
    ],
)  # fmt: skip
def test_unfit(raw, why):
    """What cannot be compared is told with its reason, and its images are counted all the same."""
    query = read_query(raw)
    assert (query.unfit, query.images) == (why, 1)


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5), lambda inner: (
    st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "n", "image_url", "tools"]), inner)
)))  # fmt: skip
def test_any_json_is_understood_or_left_to_the_upstream(sent):
    """No body makes the guard fail, and whatever it takes for fit can be asked without the image."""
    for raw in (sent, {"messages": sent}, {"messages": [{"role": "user", "content": sent}]}):
        query = read_query(json.dumps(raw).encode())
        if query is not None and not query.unfit:
            assert json.loads(query.without_image())["messages"]
            query.reword(0)


@pytest.mark.parametrize(
    "part", [{"image_url": "data:image/png;base64,AA"}, {"type": "image_embeds", "image_embeds": "x"}, {"type": "file"}]
)
def test_images_in_forms_that_only_some_servers_know(part):
    """They are counted and told as not compared, so that they neither pass for words nor go up without a line."""
    words = {"type": "text", "text": "Which?"}
    body = {"model": "m", "messages": [{"role": "user", "content": [words, part]}]}
    query = read_query(json.dumps(body).encode())
    assert (query.images, query.unfit) == (1, "other parts")
