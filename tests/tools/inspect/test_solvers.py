"""Solvers on one sample: what they change of its messages, and what they refuse."""

import asyncio

import pytest
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentDocument,
    ContentImage,
    ContentReasoning,
    ContentText,
    ContentVideo,
    ModelName,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolCall

from snellen.errors import DataError
from snellen.images import decode
from snellen.models.inspect_ai import data_uri
from snellen.tools.inspect import asked_under, blank, degraded, removed, shuffled
from snellen.tools.inspect.solvers import _decode_data_uri
from strategies import picture


def state(*images, words="What is shown?", sample="1", **metadata):
    """A sample with these images before its words."""
    shown = [ContentImage(image=image, detail="high") for image in images]
    message = ChatMessageUser(content=[*shown, *([ContentText(text=words)] if words else [])])
    asked = [ChatMessageSystem(content="Be brief."), message]
    return TaskState(ModelName("mockllm/m"), sample, 1, asked, list(asked), metadata=metadata)


def after(solver, given):
    """The sample as a solver leaves it."""
    return asyncio.run(solver(given, None))


def references(given):
    """What refers to the images of the last message."""
    return [part.image for part in given.messages[-1].content if part.type == "image"]


@pytest.fixture
def two():
    """Two images as data URIs."""
    return [data_uri(picture(value).encoded()) for value in (100, 200)]


def test_removed(two):
    """The words stay, the images go, and what the dataset gave is left alone."""
    given = state(*two)
    left = after(removed(None), given)
    assert references(left) == []
    assert [message.text for message in left.messages] == ["Be brief.", "What is shown?"]
    assert left.metadata["arm"] == "image-removed"
    assert len(given.input[-1].content) == 3
    first = after(removed(None, which="first"), state(*two))
    assert (references(first), first.metadata["arm"]) == (two[1:], "image-removed:which=first")


def test_blank_and_degraded(two):
    """An image that is not chosen stays as it was; the others have the size they had."""
    left = after(blank(None, fill="grey", which="last"), state(*two))
    assert references(left)[0] == two[0]
    pixels, before = (decode(_decode_data_uri(uri), name="it") for uri in (references(left)[1], two[1]))
    assert pixels.shape[:2] == before.shape[:2]
    assert len({*pixels.ravel().tolist()}) == 1
    assert left.messages[-1].content[1].detail == "high"
    once, again, other = (references(after(degraded(None, "noise", "strong", seed=n), state(*two))) for n in (1, 1, 2))
    assert once == again
    assert not {*once} & {*other, *two}


def test_what_cannot_be_changed_is_an_error(two):
    """No image, one at an address, one that is no image, one that is not there, a message that is nothing else."""
    cases = {
        "it has no image": (removed(None), state()),
        "Snellen downloads nothing": (blank(None), state("https://example.org/x.png")),
        "is not a readable image": (degraded(None), state("data:image/png;base64,AAAA")),
        "cannot be read": (blank(None), state("nowhere.png")),
        "one of its messages has no content but the image": (removed(None), state(two[0], words="")),
        "already has the condition 'image-blank'": (removed(None), state(two[0], arm="image-blank")),
    }
    for words, (solver, given) in cases.items():
        with pytest.raises(DataError, match=f"Sample '1' .*{words}"):
            after(solver, given)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (ContentVideo(video="data:video/mp4;base64,AAAA", format="mp4"), "a video"),
        (ContentDocument(document="scan.pdf"), r"a document \(application/pdf\)"),
        (ContentText(text="![x](data:image/png;base64,AAAA)"), "an image inside its text"),
    ],
)
def test_what_shows_it_beside_the_image_is_not_sent_as_if_it_were_gone(two, part, words):
    """Nothing is asked under a condition that would hold for a part of what is shown."""
    given = state(two[0])
    given.messages[-1].content.append(part)
    with pytest.raises(DataError, match=f"Sample '1' .*it also shows {words}, which would be sent unchanged"):
        after(removed(None), given)
    given = state(two[0])
    given.messages[-1].content.append(ContentDocument(document="history.txt"))
    assert references(after(removed(None), given)) == []


SPEAKERS = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
    "tool": ChatMessageTool,
}


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_an_image_is_changed_whoever_shows_it(two, speaker):
    """An example in a system message or an earlier turn shows no image under a condition that takes images away."""
    example = SPEAKERS[speaker](content=[ContentText(text="An example."), ContentImage(image=two[1])])

    def given():
        asked = state(two[0])
        asked.messages.insert(0, example)
        asked.input.insert(0, example)
        return asked

    others = [
        Sample(id=str(n), input=[message, ChatMessageUser(content=[ContentImage(image=uri)])])
        for n, (message, uri) in enumerate(((example, two[0]), (example, data_uri(picture(3).encoded()))), 1)
    ]
    for solver in (removed(None), blank(None), degraded(None)):
        left = after(solver, given())
        shown = {
            part.image
            for message in left.messages
            for part in message.content
            if not isinstance(part, str) and part.type == "image"
        }
        assert not shown & {*two}
        assert [message.role for message in left.messages] == [speaker, "system", "user"]
    with pytest.raises(DataError, match="has as many images, all different"):
        after(shuffled(None, dataset=MemoryDataset(others)), given())


def test_an_image_in_the_call_of_a_tool_is_not_sent_as_if_it_were_gone(two):
    """Neither in what a model asked a tool, nor in what it thought."""
    call = ToolCall(id="1", function="look", arguments={"at": two[1]})
    for message in (
        ChatMessageAssistant(content="I look.", tool_calls=[call]),
        ChatMessageAssistant(content=[ContentReasoning(reasoning=f"It is {two[1]}")]),
    ):
        given = state(two[0])
        given.messages.insert(1, message)
        with pytest.raises(DataError, match="it also shows an image inside its text"):
            after(removed(None), given)


def test_an_image_at_an_address_can_be_removed():
    """To take it away nobody needs to see it."""
    assert references(after(removed(None), state("https://example.org/x.png"))) == []


def test_another_attempt_is_not_a_second_change(two):
    """A sample that failed after its images were changed comes back with its own; one that is changed does not."""
    solver = degraded(None)
    left = after(solver, state(*two))
    retried = state(*two, **left.metadata)
    assert references(after(solver, retried)) == references(left)
    with pytest.raises(DataError, match="Remove the second"):
        after(solver, left)


def test_as_it_is(two):
    """The original is a condition too: nothing changes, and its name is noted."""
    left = after(asked_under("original", then=None), state(*two))
    assert (references(left), left.metadata) == (two, {"arm": "original"})


def test_shuffled_keeps_to_other_patients(two, tmp_path):
    """An image is lent by another patient, as often as needed; a file travels as its bytes."""
    file = tmp_path / "third.png"
    file.write_bytes(picture(3).encoded().data)
    shown = {"a": (two[0], "1"), "b": (two[1], "1"), "c": (str(file), "2")}
    samples = [
        Sample(id=name, input=[ChatMessageUser(content=[ContentImage(image=uri)])], metadata={"cluster": patient})
        for name, (uri, patient) in shown.items()
    ]
    for seed in range(4):
        solver = shuffled(then=None, dataset=MemoryDataset(samples), seed=seed)
        lent = {name: references(after(solver, state(uri, sample=name)))[0] for name, (uri, _) in shown.items()}
        assert lent["a"] == lent["b"] == data_uri(picture(3).encoded())
        assert lent["c"] in two
    alone = shuffled(then=None, dataset=MemoryDataset(samples[:2]))
    with pytest.raises(DataError, match="no sample of another patient"):
        after(alone, state(two[0], sample="a"))


def test_another_solver_answers(two):
    """It is handed the sample as changed."""
    seen = []

    async def answering(given, generate):
        seen.append((references(given), given.metadata["arm"]))
        return given

    after(removed(answering), state(*two))
    assert seen == [([], "image-removed")]
