"""A frozen language model with adapters."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.tools.audit.superguesser.lora import load_base, parameter_groups, with_adapters
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.wording import QuestionTokenizer, pad_sequences
from tiny_model import SHORT, asked

RECIPE = Recipe(precision="fp32", seed=3)


@pytest.fixture
def network(saved):
    """The tiny model with adapters that do something: B is not 0."""
    import torch

    made = with_adapters(load_base(saved.folder, RECIPE, Hardware(device="cpu")), RECIPE, Hardware())
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for each in made.adapters().values():
            each.copy_(torch.randn(each.shape, generator=drawn) * 0.1)
    return made


@pytest.fixture
def questions(saved):
    """Two questions of different length."""
    items = [asked(0), replace(asked(1), context="Which lesion ? green lesion")]
    return [each.lesson for each in QuestionTokenizer(SHORT, saved.tokenizer).ask(items)]


def test_the_loss_is_that_of_the_answers_tokens_alone(network, questions):
    """Against a loop over tokens, one question at a time, without padding and with the logits of all places."""
    import torch

    by_hand = 0.0
    for each in questions:
        logits = network.model(input_ids=torch.tensor([each.tokens])).logits[0].log_softmax(-1)
        for place in range(len(each.tokens) - each.answer, len(each.tokens)):
            by_hand -= logits[place - 1, each.tokens[place]].item()
    assert network.loss(pad_sequences(questions)).item() == pytest.approx(by_hand, rel=1e-5)


def test_what_stands_in_the_padding_changes_nothing(network, questions):
    """Causal attention sees only what stands before."""
    one, other = (network.logits(pad_sequences(questions, fill=fill)).detach().numpy() for fill in (0, 5))
    np.testing.assert_array_equal(one, other)


def test_our_forward_pass_is_pefts(network, questions):
    """Loss and every gradient."""
    found = []
    for _ in range(2):
        network.model.zero_grad()
        loss = network.loss(pad_sequences(questions))
        loss.backward()
        found.append((loss.item(), {name: each.grad.clone() for name, each in network.adapters().items()}))
        for layer in network.model.modules():
            layer.__dict__.pop("forward", None)
    (ours, our_gradients), (theirs, their_gradients) = found
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert max(float(each.abs().max()) for each in their_gradients.values()) > 0.1
    for name, each in their_gradients.items():
        np.testing.assert_allclose(our_gradients[name], each, rtol=1e-3, atol=1e-4, err_msg=name)


def test_all_linear_layers_but_the_head_have_adapters_and_nothing_else_learns(network):
    """Seven a block, in 32 bits; the base is frozen."""
    import torch

    linear = [
        name
        for name, each in network.model.get_base_model().named_modules()
        if isinstance(each, torch.nn.Linear) and "lora_" not in name
    ]
    inside = [name for name in linear if not name.startswith("lm_head")]
    assert len(inside) == 2 * 7
    assert len(linear) == len(inside) + 1
    assert len(network.adapters()) == 2 * len(inside)
    assert all("lora_" in name and each.shape.count(8) for name, each in network.adapters().items())


def test_b_learns_sixteen_times_faster_than_a(network):
    """The groups are those of peft's own LoRA+."""
    import torch
    from peft.optimizers import create_loraplus_optimizer

    theirs = create_loraplus_optimizer(
        network.model, torch.optim.AdamW, lr=5e-5, loraplus_lr_ratio=16, loraplus_weight_decay=0.0
    )
    rates = {id(each): group["lr"] for group in theirs.param_groups for each in group["params"]}
    ours = {
        id(each): 5e-5 * group["faster"] for group in parameter_groups(network, Recipe()) for each in group["params"]
    }
    assert ours == pytest.approx(rates)
    assert len(set(ours.values())) == 2


def test_memory_can_be_saved_without_another_gradient(saved, network, questions):
    """Activations that are computed again give the same."""
    hardware = Hardware(device="cpu", checkpointing=True)
    other = with_adapters(load_base(saved.folder, RECIPE, hardware), RECIPE, hardware)
    other.model.load_state_dict(network.model.state_dict())
    gradients = []
    for each in (network, other):
        each.model.train()
        each.loss(pad_sequences(questions)).backward()
        gradients.append([one.grad for one in each.adapters().values()])
    for one, two in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)


def test_the_same_seed_gives_the_same_adapters_and_leaves_the_global_state_alone(saved):
    """The first draws are the seed's own."""
    import torch

    before = torch.get_rng_state()
    made = [
        with_adapters(load_base(saved.folder, recipe, Hardware(device="cpu")), recipe, Hardware()).adapters()
        for recipe in (RECIPE, RECIPE, Recipe(precision="fp32", seed=4))
    ]
    assert torch.equal(before, torch.get_rng_state())
    first = [next(iter(each.values())) for each in made]
    assert torch.equal(first[0], first[1])
    assert not torch.equal(first[0], first[2])
