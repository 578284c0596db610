"""The parser's error that verdicts allow for: a file of measured rates, and what rule 3 takes from it."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from snellen.stats import wilson
from snellen.stress.verdicts.honest import parser_errors

ACTS = json.loads(files("snellen.stress.verdicts").joinpath("parser_error.json").read_text(encoding="utf-8"))["acts"]
ENOUGH = 50


def rates(act):
    """Every rate of an act: the worst, overall, and by model and language."""
    groups = [*act["by_model"], *act["by_language"], *act.get("with_image", ()), act["overall"], act]
    return [each[name] for each in groups for name in ("false", "missed") if name in each]


@pytest.mark.parametrize("act", ACTS)
def test_every_rate_is_its_count_with_an_interval_no_narrower_than_wilsons(act):
    """Responses to one question are a cluster, which can only widen the interval."""
    assert len(rates(ACTS[act])) > 10
    for rate in rates(ACTS[act]):
        alone = wilson(rate["wrong"], rate["n"])
        assert rate["value"] == pytest.approx(alone.value, abs=1e-4)
        assert rate["low"] <= alone.low + 1e-4
        assert rate["high"] >= alone.high - 1e-4
        if rate["method"] == "wilson":
            assert (rate["low"], rate["high"]) == pytest.approx((alone.low, alone.high), abs=1e-4)


@pytest.mark.parametrize("name", ["false", "missed"])
@pytest.mark.parametrize("act", ACTS)
def test_the_verdicts_use_the_upper_end_overall_or_of_a_group_that_is_clearly_worse(act, name):
    """Clearly: at least fifty responses, and the whole interval above the overall rate."""
    found = ACTS[act]
    groups = [each[name] for each in (*found["by_model"], *found["by_language"]) if name in each]
    worse = [each for each in groups if each["n"] >= ENOUGH and each["low"] > found["overall"][name]["value"]]
    assert found[name]["high"] == max(each["high"] for each in (found["overall"][name], *worse))
    assert getattr(parser_errors()[act], name) == found[name]["high"]


def test_the_models_add_up_to_all():
    """No labelled response is counted twice or left out."""
    for act in ACTS.values():
        for name in ("false", "missed"):
            some = [each[name] for each in act["by_model"] if name in each]
            assert sum(each["wrong"] for each in some) == act["overall"][name]["wrong"]
            assert sum(each["n"] for each in some) == act["overall"][name]["n"]
