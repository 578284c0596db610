"""Budget: a hard stop that counts, waits for what is in flight, and is never overshot by more than that."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import OverBudgetError, TransientError
from snellen.models.base import Response, Usage
from snellen.models.client.budget import Account, Budget
from snellen.models.client.client import Client
from snellen.models.fake import FakeModel
from snellen.models.prices import FREE, Price
from snellen.prompts import Request, Settings

PRICE = Price(1.0, 1.0, "a dollar for a million")
LIMIT = Settings(max_tokens=1000)


def request(number=0):
    return Request("fake/function", f"Question {number}", settings=LIMIT)


def budgeted(model, budget, price, **more):
    """A client of the model that asks once, with an account at the budget."""
    client = Client(model, attempts=1)
    client.account = Account(model.name, budget, price, **more)
    return client


class Slow(FakeModel):
    """Answers when it is told to; `usage` of each response is what the server counted."""

    def __init__(self, *usages):
        super().__init__(str)
        self.usages = list(usages)
        self.begun, self.gate = 0, asyncio.Event()

    async def answer(self, request):
        self.begun += 1
        await self.gate.wait()
        return Response("B", usage=self.usages.pop(0) if self.usages else Usage(100, 10))


async def asked(model, count):
    done = await asyncio.gather(*(model.answer(request(number)) for number in range(count)), return_exceptions=True)
    return [each for each in done if isinstance(each, Response)], [e for e in done if isinstance(e, OverBudgetError)]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1000)), min_size=1, max_size=30),
    st.floats(0.0005, 0.02),
)
def test_what_keeps_to_its_limit_is_never_overshot(counts, limit):
    """Where servers keep to the tokens that were asked for, the total never exceeds the limit; what fits is sent."""
    budget = Budget(limit)
    model = Slow(*(Usage(*count) for count in counts))
    model.gate.set()
    answered, refused = asyncio.run(asked(budgeted(model, budget, PRICE), len(counts)))
    assert len(answered) + len(refused) == len(counts)
    assert budget.spent == pytest.approx(sum(PRICE.cost_of_tokens(*each.usage[:2]) for each in answered))
    assert budget.total <= limit + 1e-12
    if refused:
        assert budget.total + PRICE.cost_of_tokens(50, 1000) > limit


def test_below_the_first_request_nothing_is_asked():
    """A budget that does not cover one request sends none, and says how much one may cost."""
    model = Slow()
    model.gate.set()
    answered, refused = asyncio.run(asked(budgeted(model, Budget(0.0005), PRICE), 3))
    assert (model.begun, answered, len(refused)) == (0, [], 3)
    assert "--budget" in str(refused[0])


def test_requests_wait_for_those_in_flight():
    """While some are in flight that may cost the rest, others wait; they go once those turn out cheap."""

    async def run():
        model, budget = Slow(), Budget(0.0025)
        coming = asyncio.ensure_future(asked(budgeted(model, budget, PRICE), 10))
        for _ in range(50):
            await asyncio.sleep(0)
        begun = model.begun
        model.gate.set()
        return begun, await coming

    begun, (answered, refused) = asyncio.run(run())
    assert begun == 2  # each holds back a thousand tokens and its question
    assert (len(answered), len(refused)) == (10, 0)


def test_several_models_share_one_budget():
    """What one model spends is not there for the other."""
    budget = Budget(0.0022)
    first, second = Slow(Usage(0, 1000), Usage(0, 1000)), Slow()
    first.gate.set()
    second.gate.set()
    assert len(asyncio.run(asked(budgeted(first, budget, PRICE), 2))[0]) == 2
    assert asyncio.run(asked(budgeted(second, budget, PRICE), 1))[0] == []
    assert second.begun == 0


def test_what_a_server_does_not_count_is_taken_at_its_most():
    """Without a count the whole of what was held back is spent; a failure costs nothing."""
    budget = Budget(1)
    model = Slow(Usage(None, None))
    model.gate.set()
    asyncio.run(asked(budgeted(model, budget, PRICE), 1))
    assert PRICE.cost_of_tokens(0, 1000) < budget.spent < PRICE.cost_of_tokens(100, 1000)

    def fails(request):
        raise TransientError("busy")

    before = budget.spent
    with pytest.raises(TransientError):
        asyncio.run(budgeted(FakeModel(fails), budget, PRICE).answer(request()))
    assert (budget.spent, budget._held, budget._in_flight) == (before, 0.0, 0)


def test_what_is_handed_in_is_held_back():
    """A batch takes what is left to the last cent, and more only where it is handed in already."""
    budget = Budget(1.0, before=0.25)
    budget.reserve(0.5)
    with pytest.raises(OverBudgetError):
        budget.reserve(0.5)
    budget.reserve(0.25)
    budget.reserve(0.5, anyway=True)
    assert (budget._held, budget._in_flight) == (1.25, 0)


def test_a_response_without_a_limit_may_be_as_long_as_the_longest():
    """What it may cost grows with the longest that came; a price of one side alone is a price."""
    model = Slow(Usage(10, 5000), Usage(10, 40))
    model.gate.set()
    client, plain = budgeted(model, Budget(), PRICE, in_batch=Price(0, 1)), Request("fake/function", "Question")
    assert 0 < client.account.reserve(plain).written.high < 5000
    for _ in range(2):
        asyncio.run(client.answer(plain))
        assert client.account.reserve(plain).written.high == 5000


def test_free_models_and_unknown_prices_are_let_through():
    """Neither spends anything that is known; of the second the line says that it may be more."""
    budget = Budget(None)
    model = Slow()
    model.gate.set()
    asyncio.run(asked(budgeted(model, budget, FREE), 2))
    assert (budget.total, budget.read, budget.unpriced) == (0.0, 200, False)
    asyncio.run(asked(budgeted(model, budget, PRICE), 1))
    asyncio.run(asked(budgeted(model, budget, None), 1))
    assert budget.words == "$0.00011 or more · 440 tokens"
