"""A network learns, and goes on where it was interrupted."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.tools.audit.superguesser.lora import AdaptedModel, load_base, with_adapters
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.training import Lessons, mean_loss, train
from snellen.tools.audit.superguesser.wording import QuestionTokenizer, batch_at, pad_sequences
from tiny_model import SHORT, asked

RECIPE = Recipe(precision="fp32", batch=8, epochs=2, learning_rate=1e-3, validate_every=3)
HARDWARE = Hardware(device="cpu", micro_batch=4, save_every=100)


@pytest.fixture
def lessons(saved):
    """Twenty questions and four to watch on."""
    taught = [
        each.lesson for each in QuestionTokenizer(SHORT, saved.tokenizer).ask([asked(number) for number in range(24)])
    ]
    return Lessons(taught[:20], taught[20:])


@pytest.fixture
def fresh(saved):
    """A function that makes the untrained network."""
    return lambda: with_adapters(load_base(saved.folder, RECIPE, HARDWARE), RECIPE, HARDWARE)


def weights(network):
    return {name: each.detach().numpy().copy() for name, each in network.adapters().items()}


def assert_same(one, other, tolerance=0.0):
    for name, each in one.items():
        np.testing.assert_allclose(other[name], each, rtol=tolerance, atol=tolerance, err_msg=name)


def test_an_interrupted_training_ends_at_the_same_weights(lessons, fresh, tmp_path, monkeypatch):
    """Ctrl-C in the middle of the fourth of six steps; then the same call again."""
    whole, cut = fresh(), fresh()
    (tmp_path / "whole").mkdir()
    history = train(whole, lessons, RECIPE, HARDWARE, tmp_path / "whole")
    assert [step.number for step in history] == [1, 2, 3, 4, 5, 6]

    loss, calls = AdaptedModel.loss, []

    def interrupted(self, batch):
        calls.append(batch)
        if len(calls) == 8:  # 2, 2 and 1 micro batches, one look at the validation, and 2 of the fourth step
            raise KeyboardInterrupt
        return loss(self, batch)

    monkeypatch.setattr(AdaptedModel, "loss", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(cut, lessons, RECIPE, HARDWARE, tmp_path)
    monkeypatch.setattr(AdaptedModel, "loss", loss)
    other = fresh()
    seen = []
    resumed = train(other, lessons, RECIPE, HARDWARE, tmp_path, watch=seen.append)
    assert [step.number for step in seen] == [4, 5, 6]
    assert [step._replace(seconds=0) for step in resumed] == [step._replace(seconds=0) for step in history]
    assert_same(weights(whole), weights(other), 1e-7)
    assert not np.allclose(next(iter(weights(whole).values())), next(iter(weights(fresh()).values())))

    finished = fresh()
    train(finished, lessons, RECIPE, HARDWARE, tmp_path, watch=lambda step: pytest.fail("nothing is left to do"))
    assert_same(weights(other), weights(finished))


def test_the_micro_batch_changes_nothing_but_the_rounding(lessons, fresh, tmp_path):
    """A step's gradient is that of its whole batch."""
    made = []
    for size in (8, 3):
        network = fresh()
        (folder := tmp_path / str(size)).mkdir()
        train(network, lessons, RECIPE, replace(HARDWARE, micro_batch=size), folder)
        made.append(weights(network))
    assert_same(*made, tolerance=1e-3)


def test_one_step_is_one_of_adamw_with_both_learning_rates_on_the_clipped_mean_gradient(lessons, fresh, tmp_path):
    """The first step by hand: AdamW moves each weight by its rate times g / (|g| + ε)."""
    network, moved = fresh(), fresh()
    batch = [lessons.training[place] for place in batch_at(0, 20, RECIPE)]
    (network.loss(pad_sequences(batch)) / sum(each.answer for each in batch)).backward()
    length = sum(float((each.grad**2).sum()) for each in network.adapters().values()) ** 0.5
    before = weights(moved)
    with pytest.raises(KeyboardInterrupt):
        train(moved, lessons, RECIPE, HARDWARE, tmp_path, watch=_stop)
    after = weights(moved)
    for name, each in network.adapters().items():
        gradient = each.grad.numpy() * min(1, 1 / length)
        rate = RECIPE.learning_rate * (16 if "lora_B" in name else 1)
        by_hand = before[name] - rate * gradient / (np.abs(gradient) + 1e-8)
        certain = np.abs(gradient) > 1e-6
        np.testing.assert_allclose(after[name][certain], by_hand[certain], rtol=1e-3, atol=rate * 1e-2, err_msg=name)


def _stop(step):
    raise KeyboardInterrupt


def test_the_validation_loss_is_looked_at_every_so_many_steps(lessons, fresh, tmp_path):
    """And at the end."""
    network = fresh()
    history = train(network, lessons, replace(RECIPE, validate_every=4), HARDWARE, tmp_path)
    assert [step.validation_loss is not None for step in history] == [False, False, False, True, False, True]
    assert history[-1].validation_loss == pytest.approx(mean_loss(network, lessons.validation, HARDWARE), rel=1e-5)


def test_another_training_is_not_gone_on_with(lessons, fresh, tmp_path):
    """Other questions, settings or another base: the folder is refused."""
    short = replace(RECIPE, epochs=1)
    train(fresh(), lessons, short, HARDWARE, tmp_path)
    for others, recipe, base in (
        (Lessons(lessons.training[1:]), short, ""),
        (lessons, replace(short, rank=4), ""),
        (lessons, short, "another"),
    ):
        with pytest.raises(StudyError, match="another --out"):
            train(fresh(), others, recipe, HARDWARE, tmp_path, base=base)


def test_a_loss_that_is_no_number_stops_the_training(lessons, fresh, tmp_path):
    """It is not trained on in silence."""
    import torch

    network = fresh()
    with torch.no_grad():
        next(iter(network.adapters().values())).fill_(float("nan"))
    with pytest.raises(StudyError, match="loss is nan at step 1"):
        train(network, lessons, RECIPE, HARDWARE, tmp_path)
