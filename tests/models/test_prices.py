"""Prices: by the host that bills; unknown is never free."""

from datetime import UTC, datetime
from importlib.metadata import version

import pytest

from snellen.errors import StudyError
from snellen.models import prices
from snellen.models.prices import FREE, Price, own_prices, price_of


def test_every_price_is_that_of_the_table_it_was_made_from():
    """For every name that genai-prices knows, ours is the same price, in a batch and not; hourly ones are left out."""
    from genai_prices import types
    from genai_prices.data import providers
    from genai_prices.data_snapshot import get_snapshot

    if prices._table()["from"] != f"genai-prices {version('genai-prices')}":
        pytest.skip("made from another version of genai-prices; make it again with research/prices/make.py")
    now, compared, batches = datetime.now(UTC), 0, 0
    for provider in (each for each in providers if each.id in prices._table()["providers"]):
        for model in provider.models:
            found = provider.find_model(model.id, all_providers=providers)
            if found is None:  # the table's own name for it is none that the vendor uses
                continue
            every = found.prices if isinstance(found.prices, list) else []
            if any(isinstance(each.constraint, types.TimeOfDateConstraint) for each in every):
                continue
            expected = found.get_prices(now)
            ours = prices._find_price(provider.id, model.id.lower(), batch=False)
            if None in (expected.input_mtok, expected.output_mtok) or getattr(expected, "requests_kcount", None):
                assert ours is None, (provider.id, model.id)
                continue
            base = [float(getattr(each, "base", each)) for each in (expected.input_mtok, expected.output_mtok)]
            assert [ours.input, ours.output] == base, (provider.id, model.id)
            used = types.Usage(input_tokens=300_000, output_tokens=7)
            theirs = get_snapshot().calc(used, model.id, provider.id, None, now)
            assert ours.cost_of_tokens(300_000, 7) == pytest.approx(float(theirs.total_price)), (provider.id, model.id)
            compared += 1
            if any(each.when == {"processing": "batch"} for each in found.price_variants or ()):
                batch = found.get_prices(now, {"processing": "batch"})
                ours = prices._find_price(provider.id, model.id.lower(), batch=True)
                assert ours.input == float(getattr(batch.input_mtok, "base", batch.input_mtok)), model.id
                batches += 1
    assert compared > 1500
    assert batches > 80


def test_the_host_is_who_bills():
    """The same name costs what the host charges for it; nobody knows what a server of one's own costs."""
    official = price_of("openai/gpt-4o", "api.openai.com")
    assert (official.input, official.output) == (2.5, 10.0)
    assert price_of("openai/gpt-4o", "gpu.hospital.example:8000") is None
    assert price_of("openai/anthropic/claude-sonnet-4.5", "openrouter.ai").input == 3.0
    assert price_of("openai/no-such-model-9", "api.openai.com") is None
    assert price_of("openai/gpt-4o", "") == FREE


def test_the_name_that_the_server_uses_is_looked_for_second():
    """A deployment's own name has no price; the model that the server says it is has one."""
    host = "clinic.openai.azure.com"
    assert price_of("azure/our-deployment", host) is None
    assert price_of("azure/our-deployment", host, served_by="gpt-4o-2024-08-06").input == 2.5


def test_a_batch_costs_what_the_vendor_charges_for_one():
    """Half, where the vendor says so; not known where nobody says what a batch costs."""
    for spec, host in (("openai/gpt-5.4-mini", "api.openai.com"), ("anthropic/claude-opus-4-5", "api.anthropic.com")):
        whole, half = price_of(spec, host), price_of(spec, host, batch=True)
        assert (half.input, half.output) == (whole.input / 2, whole.output / 2)
    assert price_of("openrouter/openai/gpt-4o", "openrouter.ai", batch=True) is None


def test_long_requests_cost_more_from_their_tier_on():
    """All tokens of a request above the limit cost the higher price, as vendors bill them."""
    price = Price(1.0, 2.0, tiers=((200_000, 3.0, 4.0),))
    assert price.cost_of_tokens(200_000, 0) == 0.2
    assert price.cost_of_tokens(200_001, 1_000_000) == pytest.approx(0.600003 + 4.0)


def test_prices_of_ones_own(tmp_path):
    """They are read from a table or a TOML file; anything but two numbers is refused with an example."""
    file = tmp_path / "prices.toml"
    file.write_text('"openai/mine" = {input = 0, output = 1.5}\n')
    assert own_prices(file) == own_prices({"openai/mine": {"input": 0, "output": 1.5}})
    assert own_prices(file)["openai/mine"][:2] == (0.0, 1.5)
    for wrong in (
        {"input": 1},
        {"input": 1, "output": -1},
        {"input": "1", "output": 2},
        3,
        {"input": 1, "output": True},
    ):
        with pytest.raises(StudyError, match="price of openai/mine in dollars per million tokens"):
            own_prices({"openai/mine": wrong})
    with pytest.raises(StudyError, match="cannot be read"):
        own_prices(tmp_path / "none.toml")
