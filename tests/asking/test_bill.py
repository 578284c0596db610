"""The bill: before the first request, at the stop, and afterwards."""

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from snellen.asking.bill import bill, bill_plan
from snellen.asking.progress import ProgressBar
from snellen.asking.run import RunProgress
from snellen.asking.spent import find_spending
from snellen.cli.asking import conduct, show_bill
from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Benchmark
from snellen.models.base import Response, Usage, receipt
from snellen.models.batching import Batching, BatchResult, BatchState
from snellen.models.fake import FakeModel
from snellen.models.image_tokens import rule_of
from snellen.models.prices import FREE, Price
from snellen.models.request_tokens import input_tokens
from snellen.prompts import Settings
from snellen.scoring.result_files import record_results
from snellen.store import Store
from snellen.study import Study, rescore
from strategies import items

pytestmark = pytest.mark.usefixtures("no_groups")

PRICE = Price(10.0, 20.0, "your own")


class Vendor(FakeModel):
    """A model that is billed: it counts 1,000 tokens read with an image, 800 without, and 50 written."""

    at = "https://api.vendor.example/v1"

    def __init__(self, name="openai/gpt-4o", read=lambda request: 1000 if request.images else 800):
        super().__init__(self._reply, name=name)
        self.asked, self.read = 0, read

    def _reply(self, request):
        self.asked += 1
        sent = tuple(map(receipt, request.images))
        usage = Usage(self.read(request), 50)
        return Response("Answer: B", usage=usage, served_by="vendor-1", sent=sent)


def pictured(count=12, size=(600, 800)):
    """Items with an image of one size each."""
    rng = np.random.default_rng(0)
    shown = [Image(rng.integers(0, 255, size, dtype=np.uint8)) for _ in range(3)]
    return Benchmark("pictured", tuple(replace(item, images=(shown[n % 3],)) for n, item in enumerate(items(count))))


def study(tmp_path, *models, **changes):
    given = {
        "benchmarks": [pictured()],
        "tests": ["image-needed", "option-order"],
        "out": tmp_path,
        "canary": False,
        "yes": True,
        "repeat": False,
    }
    return Study(models=models or [Vendor()], **{**given, **changes})


OWN = {"prices": {"openai/gpt-4o": {"input": 10, "output": 20}}}


def test_the_whole_grid_is_priced_before_the_first_request(tmp_path):
    """Requests, image tokens by the vendor's rule at the size as sent, and money; nothing is asked, nothing written."""
    model = Vendor()
    planned = study(tmp_path / "out", model, **OWN, settings=Settings(max_tokens=100))
    (told,) = bill_plan(planned.plan())
    # original, image removed and options shuffled, of which two show the image
    assert (told.requests, told.answered, told.to_ask, told.with_images) == (36, 0, 36, 24)
    assert told.rule == rule_of("openai/gpt-4o")
    each = told.rule.tokens(800, 600)
    assert told.images.low == 24 * each
    assert told.written.high == 36 * 100
    assert told.cost.low == pytest.approx((told.read.low * 10 + told.written.low * 20) / 1e6)
    assert told.cost.low < told.cost.high
    assert model.asked == 0
    assert not (tmp_path / "out").exists()


def test_images_are_priced_at_the_size_as_sent(tmp_path):
    """Scaling down makes images cheaper in the estimate as it does on the bill."""
    cheap, dear = (bill_plan(study(tmp_path, image_side=side, **OWN).plan())[0].images.low for side in (400, 0))
    rule = rule_of("openai/gpt-4o")
    assert (cheap, dear) == (24 * rule.tokens(400, 300), 24 * rule.tokens(800, 600))


def test_examples_are_paid_for_with_every_request(tmp_path):
    """Their words, replies and images are in the price."""
    example = replace(pictured().items[0], id="solved", images=(Image(np.zeros((512, 512), np.uint8)),), cluster="")
    plain, shown = (bill_plan(study(tmp_path, **OWN, examples=given).plan())[0] for given in ((), (example,)))
    assert shown.requests == plain.requests
    assert shown.images.low - plain.images.low == pytest.approx(255 * plain.requests)
    assert shown.text.low > plain.text.low


def test_what_is_answered_is_not_billed_again(tmp_path):
    """After a run nothing is left to pay; with more repetitions only the new ones are, at the stored length."""
    model = Vendor()
    study(tmp_path, model, **OWN).ask(lambda progress: None)
    (told,) = bill_plan(study(tmp_path, model, **OWN).plan())
    assert (told.requests, told.answered, told.to_ask) == (36, 36, 0)
    assert told.cost == (0, 0)
    (more,) = bill_plan(study(tmp_path, model, **OWN, epochs=2).plan())
    assert (more.requests, more.answered, more.to_ask) == (72, 36, 36)
    assert more.written == pytest.approx((36 * 50 * 0.8, 36 * 50 * 1.25))
    assert "50 on average in 36 stored responses" in more.length_from


def test_an_unknown_price_is_said_and_never_zero(tmp_path):
    """It has no cost, and a budget is refused with how to give one; local models are free."""
    planned = study(tmp_path, Vendor("openai/mystery"), FakeModel(lambda request: "B"))
    unknown, free = bill_plan(planned.plan())
    assert (unknown.price, unknown.cost) == (None, None)
    assert unknown.read.low > 0
    assert (free.price, free.cost) == (FREE, (0, 0))
    with pytest.raises(StudyError, match=r'"openai/mystery" = \{input = 2.5, output = 10\}'):
        study(tmp_path, Vendor("openai/mystery"), budget=5).ask(lambda progress: None)
    assert list(tmp_path.iterdir()) == []


def test_the_budget_stops_the_study_and_a_larger_one_goes_on(tmp_path):
    """Nothing is sent beyond it, nothing counts as failed, and what is stored counts towards the next budget."""
    model = Vendor(read=lambda request: round(input_tokens(request, rule_of("openai/gpt-4o")).low))
    given = {**OWN, "settings": Settings(max_tokens=50)}
    progress = study(tmp_path, model, budget=0.15, **given).ask(lambda progress: None)
    with Store.open(tmp_path) as store:
        (stored,) = find_spending(store, store.studies.record())
    assert 0.12 < stored.cost <= 0.15
    assert 0 < model.asked == stored.responses < 36
    assert progress.failed == 0
    assert "the budget of $0.15" in progress.unusable["openai/gpt-4o"]
    before = model.asked
    study(tmp_path, model, budget=0.15, **given).ask(lambda progress: None)
    assert model.asked - before <= 1
    done = study(tmp_path, model, budget=5, **given).ask(lambda progress: None)
    assert (model.asked, done.unusable) == (36, {})


class Desk(Batching):
    """A batch API in memory: everything is answered as soon as it is handed in."""

    most_requests, most_bytes = 10, 10**9

    def __init__(self, model):
        self.model, self.handed_in = model, []

    def size(self, request):
        return 1

    async def submit(self, tag, lines):
        self.handed_in.append(lines)
        return str(len(self.handed_in) - 1)

    async def find(self, tag, *, since, requests):
        return ""

    async def state(self, batch):
        return BatchState(ended=True, done=1, total=1)

    async def results(self, batch):
        for line in self.handed_in[int(batch)]:
            yield BatchResult(line.custom_id, await self.model.answer(line.request))


def test_a_batch_costs_half_and_keeps_to_the_budget(tmp_path):
    """The plan and what was spent have the price of a batch; what the budget does not allow is not handed in."""
    model = Vendor(read=lambda request: round(input_tokens(request, rule_of("openai/gpt-4o")).low))
    model.at, model.batching = "https://api.openai.com/v1", Desk(model)
    given = {"settings": Settings(max_tokens=50)}
    (whole,), (half,) = (bill_plan(study(tmp_path, model, batch=batch, **given).plan()) for batch in (False, True))
    assert half.cost == pytest.approx((whole.cost.low / 2, whole.cost.high / 2))
    progress = study(tmp_path, model, batch=True, budget=0.02, **given).ask(lambda progress: None)
    assert "the budget of $0.02" in progress.unusable["openai/gpt-4o"]
    handed_in = sum(map(len, model.batching.handed_in))
    assert 10 < handed_in == model.asked == progress.done < 36
    with Store.open(tmp_path) as store:
        (stored,) = find_spending(store, store.studies.record())
    assert stored.cost == pytest.approx(half.price.cost_of_tokens(stored.read, stored.written))
    assert 0.01 < stored.cost <= 0.02
    study(tmp_path, model, batch=True, budget=5, **given).ask(lambda progress: None)
    assert model.asked == 36


def test_money_and_sample_stand_in_results_and_report(tmp_path):
    """What was spent is told by the stored counts: in results.json, in the report, and again after a rescoring."""
    changes = {**OWN, "sample": 5, "tests": ["option-order"]}
    done = study(tmp_path, Vendor(), FakeModel(lambda request: "B"), **changes).run(lambda progress: None)
    for results in (
        record_results(done),
        json.loads((tmp_path / "results.json").read_text()),
        record_results(rescore(tmp_path)),
    ):
        paid, free = results["spent"]
        assert paid["cost_usd"] == pytest.approx(10 * 0.011)
        assert (paid["responses"], paid["input_tokens"], paid["output_tokens"]) == (10, 10_000, 500)
        assert (free["cost_usd"], free["not_counted"]) == (0, 10)
        assert results["study"]["sources"]["pictured"]["about"]["sample"] == "5 of 12 items, drawn at random, seed 0"
    page = (tmp_path / "report.html").read_text()
    assert "$0.11; 10,000 tokens read and 500 written for 10 responses, at $10 read and $20 written" in page
    assert "5 of 12 items, drawn at random, seed 0" in page


def test_arms_that_ask_the_same_are_billed_once(tmp_path):
    """The bill agrees with the plan's own count, which has shared requests once."""
    few = pictured(4, size=(60, 80))
    planned = study(tmp_path, **OWN, benchmarks=[few], tests=["standard"]).plan()
    (told,) = bill(planned, {"openai/gpt-4o": PRICE})
    assert told.requests == sum(count.requests - count.shared for count in planned.counts())


def test_the_plan_prints_money_prices_and_what_is_assumed(tmp_path, capsys):
    """Each model with its cost, its price and the rule for its images; unknown prices with how to give them."""
    planned = study(tmp_path, Vendor(), Vendor("openai/mystery"), FakeModel(lambda request: "B"), **OWN)
    show_bill(bill_plan(planned.plan()), budget=0.01)
    said = " ".join(capsys.readouterr().out.split())
    assert "openai/gpt-4o: $10 read and $20 written per million tokens (your own)." in said
    assert "24 images: 85, and 170 for each tile of 512 × 512 pixels. Tokens written: assumed, 5 to 300 each." in said
    assert "openai/mystery: price not known. 24 images: no published rule for image tokens" in said
    assert '"openai/mystery" = {input = 2.5, output = 10}' in said
    assert ", plus the cost of openai/mystery." in said
    show_bill(bill_plan(study(tmp_path, **OWN).plan()), budget=0.01)
    assert (
        "Budget $0.01, including what is already spent. It is not enough by this estimate." in capsys.readouterr().out
    )
    show_bill([])
    assert capsys.readouterr().out == "No charge: every model runs on this machine.\n"


def test_a_server_on_this_machine_may_be_a_gateway(tmp_path, capsys):
    """It is not said to run its models, and --prices is offered; with a price of its own it is billed."""
    gateway = {"name": "openai/behind", "base_url": "http://localhost:4000/v1"}
    how = {"benchmarks": [pictured(2, size=(60, 80))], "tests": ["image-needed"], "out": tmp_path}
    conduct(Study(models=[gateway, "organism/blind"], **how), dry_run=True)
    said = " ".join(capsys.readouterr().out.split())
    assert "No charge is counted for openai/behind: the server is on this machine. If it is a gateway" in said
    assert "every model runs on this machine" not in said
    conduct(Study(models=[gateway], **how, prices={"openai/behind": {"input": 2.5, "output": 10}}), dry_run=True)
    said = " ".join(capsys.readouterr().out.split())
    assert "No charge" not in said
    assert "openai/behind: $2.5 read and $10 written per million tokens (your own)." in said


def test_a_cost_that_was_scaled_up_says_so(tmp_path, capsys, monkeypatch):
    """Of a large benchmark some items are priced, and the terminal tells; of a small one all are, and it does not."""
    show_bill(bill_plan(study(tmp_path, **OWN).plan()))
    assert "are estimated from" not in capsys.readouterr().out
    monkeypatch.setattr("snellen.asking.bill.BILLED_ON", 1)
    show_bill(bill_plan(study(tmp_path, **OWN).plan()))
    assert "are estimated from" in capsys.readouterr().out


def test_money_stands_in_the_line_of_progress():
    """Beside rate and time left, as soon as anything is counted."""
    screen = StringIO()
    bar = ProgressBar(
        Console(file=screen, width=200, force_terminal=False), spent=lambda: "$3.50 of $20.00 · 1.2M tokens"
    )
    bar._next_line = 0.0
    bar(RunProgress(awaited={"openai/a": 10}))
    assert "asked 0 of 10 · starting · $3.50 of $20.00 · 1.2M tokens" in screen.getvalue()


def test_a_budget_holds_over_runs_where_nobody_counts(tmp_path):
    """Responses whose tokens the server does not count are taken at their most by the next run too."""

    class Uncounted(Vendor):
        """Counts nothing."""

        def _reply(self, request):
            return replace(super()._reply(request), usage=Usage())

    model = Uncounted()
    how = {"models": [model], "benchmarks": [Benchmark("b", items(4))], "tests": ["image-needed"], "out": tmp_path}
    for _ in range(3):
        Study(
            **how, prices={model.name: {"input": 100.0, "output": 100.0}}, settings={"max_tokens": 3000},
            budget=1.0, canary=False, yes=True,
        ).ask(lambda progress: None)  # fmt: skip
        assert 0 < model.asked <= 3
