"""Requests that are computed together: families whose beginning is read once, and ways that must give the same."""

import asyncio
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import UnusableModelError
from snellen.models import open_model
from snellen.models.base import Response
from snellen.models.hf.generation import TokenSampler, agree
from snellen.models.hf.loaded import Way
from snellen.models.hf.prefixes import TokenRow, families, neighbours
from snellen.models.local import LocalModel
from snellen.prompts import Request, Settings

GREEDY = Settings(temperature=0, max_tokens=8)
SHARED = Way(shared=True, replayed=False)
ARMS = ("A yes B no", "A no B yes", "Yes or no? Think first.")
ROWS = st.lists(
    st.builds(TokenRow, st.lists(st.integers(0, 1), min_size=1, max_size=9), st.sampled_from([(), ("x",), ("x", "y")])),
    min_size=1,
    max_size=9,
)


@given(ROWS)
def test_families(rows):
    """Each row is in one family, has its images and beginning, keeps a token of its own, and nothing is read twice."""
    found = families(rows, shortest=2)
    assert sorted(member for family in found for member in family.members) == list(range(len(rows)))
    read = 0
    for family in found:
        first = rows[family.members[0]]
        read += family.shared + sum(len(rows[each].tokens) - family.shared for each in family.members)
        for member in family.members:
            assert rows[member].images == first.images
            assert rows[member].tokens[: family.shared] == first.tokens[: family.shared]
            assert family.shared < len(rows[member].tokens)
    assert read <= sum(len(row.tokens) for row in rows)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=1, max_size=12), st.integers(1, 12))
def test_neighbours(sizes, number):
    """The first that waits is always among the chosen, which are as many as can be, each once."""
    chosen = neighbours(sizes, number)
    assert 0 in chosen
    assert len(set(chosen)) == len(chosen) == min(number, len(sizes))


@pytest.fixture
def arms(picture):
    """Three arms of three items, and one item alone."""

    def asked(item, arm):
        text = f"What does image number {item} show, {'really ' * item}and why? {ARMS[arm]}"
        return Request("m", text, images=(picture(item),), settings=GREEDY)

    return [*(asked(item, arm) for item in range(3) for arm in range(3)), asked(4, 0)]


def test_arms_of_an_item_are_read_once(seeing, arms, answers):
    """Once held against transformers' plain way, families are trusted, and every reply stays what it is alone."""
    model = open_model(f"hf/{seeing},device=cpu,batch=16")
    first = answers(model, *arms)
    loaded = model._loaded
    assert loaded.trusted == {SHARED: True}
    prepared = loaded.prepare(arms)
    asked = int(prepared.mask.sum())
    assert prepared.family.tolist()[:9] == [family for family in prepared.family.tolist()[:9:3] for _ in range(3)]
    assert prepared.read < 0.7 * asked
    alone = [answers(model, request)[0] for request in arms]
    for came in (first, answers(model, *arms)):
        assert [each.text for each in came] == [each.text for each in alone]
        assert [each.usage for each in came] == [each.usage for each in alone]
        assert [[image.sha256 for image in each.sent] for each in came] == [
            [image.sha256 for image in request.images] for request in arms
        ]


def test_a_wrong_way_is_not_taken(seeing, arms, answers, monkeypatch):
    """Where the beginnings are mixed up, the first batch shows it: they are read with each row from then on."""
    model = open_model(f"hf/{seeing},device=cpu,batch=16")
    loaded = model._loaded
    right = loaded.prepare
    monkeypatch.setattr(
        loaded,
        "prepare",
        lambda requests, **how: (
            made if (made := right(requests, **how)).family is None else made._replace(family=made.family.flip(0))
        ),
    )
    alone = [answers(model, request)[0].text for request in arms]
    for _ in range(2):
        assert [each.text for each in answers(model, *arms)] == alone
    assert loaded.trusted == {SHARED: False}
    assert right(arms).family is None


def test_drawn_arms(seeing, arms, answers):
    """Draws by a seed are the same in a family as alone."""
    model = open_model(f"hf/{seeing},device=cpu,batch=16")
    drawn = [replace(each, settings=replace(GREEDY, temperature=0.8), sample=str(at)) for at, each in enumerate(arms)]
    alone = [answers(model, request)[0].text for request in drawn]
    for _ in range(2):
        assert [each.text for each in answers(model, *drawn)] == alone


def test_padding_is_no_repetition(seeing, arms, answers):
    """A penalty on what a row has said before does not fall on its padding; beginnings are still read once."""
    model = open_model(f"hf/{seeing},device=cpu,batch=16", extra_body={"repetition_penalty": 1.8})
    alone = [answers(model, request)[0].text for request in arms]
    loaded = model._loaded
    said = next(each for each in alone[0] if each.isascii() and each.isprintable() and each not in arms[0].text)
    loaded.tokenizer.pad_token = said
    for _ in range(2):
        assert [each.text for each in answers(model, *arms)] == alone
    assert loaded.trusted == {SHARED: True}
    assert loaded.prepare(arms).family is not None


def test_padding_has_no_length(reading, answers):
    """A reply that must not end before its row has a length ends where it does alone."""
    ends = {"min_length": 12, "eos_token_id": [*range(150)]}
    model = open_model(f"hf/{reading},device=cpu,batch=16", extra_body=ends)
    asked = [Request("m", text, settings=GREEDY) for text in ("hello", "olleh", "a longer question, " * 4)]
    alone = [answers(model, request)[0] for request in asked]
    assert alone[0].usage.output_tokens > alone[2].usage.output_tokens
    together = answers(model, *asked)
    assert [(each.text, each.usage) for each in together] == [(each.text, each.usage) for each in alone]


def test_agreement():
    """Scores agree within the tolerance, as long as the same tokens were chosen before."""
    import torch

    scores = torch.randn(3, 50, generator=torch.Generator().manual_seed(0))

    def seen(*steps):
        return TokenSampler([], [], None, None, seen=[(each, each.argmax(-1)) for each in steps])

    far = scores.flip(-1)
    assert agree(seen(scores, far), seen(scores * 1.0001, far), tolerance=1e-3)
    assert not agree(seen(scores, far), seen(scores, scores), tolerance=1e-3)
    assert agree(seen(scores, far, far), seen(scores * 1.0001, far, far), tolerance=1e-3)
    assert not agree(seen(), seen(), tolerance=1e-3)


def test_packed_attention():
    """Heads that share keys are computed as tokens of one head; the result is that of attention as it is defined."""
    import torch

    from snellen.models.hf.generation import attend

    made = torch.Generator().manual_seed(0)
    query, key, value = (
        torch.randn(3, heads, length, 16, generator=made) for heads, length in ((8, 1), (2, 20), (2, 20))
    )
    mask = torch.rand(3, 1, 1, 20, generator=made) > 0.3
    mask[..., 0] = True
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key.repeat_interleave(4, 1)) / 4
    shares = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    wanted = torch.einsum("bhqk,bhkd->bqhd", shares, value.repeat_interleave(4, 1))
    torch.testing.assert_close(attend(query, key, value, mask, None), wanted, rtol=1e-5, atol=1e-5)


def test_a_long_request_cuts_no_other_reply(reading, answers):
    """Near the end of the context each reply has the room that it has alone."""
    model = open_model(f"hf/{reading},device=cpu,batch=16")
    long = replace(GREEDY, max_tokens=60)
    asked = [Request("m", letter * length, settings=long) for letter, length in zip("xyz", (9, 470, 490), strict=True)]
    alone = [answers(model, request)[0] for request in asked]
    assert alone[0].usage.output_tokens > alone[2].usage.output_tokens
    assert [(each.text, each.finish, each.usage) for each in answers(model, *asked)] == [
        (each.text, each.finish, each.usage) for each in alone
    ]


def test_tokens_before_a_stop_text(reading, answers):
    """A reply that a stop text ends has as many tokens beside a longer one as alone."""
    model = open_model(f"hf/{reading},device=cpu,batch=16")
    [whole] = answers(model, Request("m", "hello", settings=GREEDY))
    sign = next(each for each in whole.text[2:] if each.isprintable() and each != "\ufffd")
    stop = replace(GREEDY, max_tokens=40, stop=(sign,))
    asked = [Request("m", text, settings=stop) for text in ("hello", "another", "a third question")]
    alone = [answers(model, request)[0] for request in asked]
    assert len({each.usage.output_tokens for each in alone}) > 1
    assert [each.usage for each in answers(model, *asked)] == [each.usage for each in alone]


class Slow(LocalModel):
    """A model that computes until it is let go, and keeps how many batches were computed at once."""

    name, revision = "slow/model", "1"

    def __init__(self):
        super().__init__(batch=1)
        self.go, self.began, self.at_once, self.most = threading.Event(), threading.Event(), 0, 0

    def _batch_key(self, request):
        return 0

    def _prepare_batch(self, requests):
        return requests

    def _compute_batch(self, prepared):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.began.set()
        self.go.wait()
        self.at_once -= 1
        return [Response(text=each.text) for each in prepared]


def test_closed_while_it_computes():
    """Whoever still waits is told or answered, and what is asked next is computed after what is under way."""

    async def converse():
        model = Slow()
        waiting = [asyncio.ensure_future(model.answer(Request("m", str(number)))) for number in range(6)]
        await asyncio.to_thread(model.began.wait)
        await model.close()
        waiting.append(asyncio.ensure_future(model.answer(Request("m", "later"))))
        await asyncio.sleep(0.05)
        model.go.set()
        came = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 30)
        await model.close()
        return came, model.most

    came, most = asyncio.run(converse())
    assert all(isinstance(each, Response | UnusableModelError) for each in came)
    assert came[-1].text == "later"
    assert most == 1
