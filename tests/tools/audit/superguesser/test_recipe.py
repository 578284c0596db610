"""The recipe of the super-guesser."""

import pytest

from snellen.errors import StudyError
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe


def test_the_defaults_are_the_papers():
    """Mirage, section 7.8, number by number."""
    recipe = Recipe()
    assert (recipe.rank, recipe.alpha, recipe.dropout, recipe.lora_plus_ratio) == (8, 16, 0, 16)
    assert (recipe.epochs, recipe.learning_rate, recipe.max_grad_norm) == (3, 5e-5, 1.0)
    assert (recipe.batch, recipe.max_length, recipe.precision) == (32 * 8, 2048, "bf16")
    assert (recipe.validation_share, recipe.validate_every) == (0.1, 100)


@pytest.mark.usefixtures("saved")
def test_the_learning_rate_is_that_of_transformers_cosine_schedule_without_warm_up():
    """Step by step, against an implementation that is not ours."""
    import torch
    from transformers import get_cosine_schedule_with_warmup

    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=5e-5)
    schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=0, num_training_steps=37)
    for step in range(37):
        assert Recipe().learning_rate_at(step, 37) == pytest.approx(schedule.get_last_lr()[0], rel=1e-12)
        optimizer.step()
        schedule.step()


@pytest.mark.parametrize(("questions", "steps"), [(1, 3), (256, 3), (257, 6), (90_000, 3 * 352)])
def test_the_last_batch_of_an_epoch_may_be_smaller(questions, steps):
    """No question is dropped."""
    assert Recipe().steps(questions) == steps


def test_settings_that_cannot_be_are_refused():
    """With a sentence, before anything is loaded; a micro batch of 0 would never end."""
    for wrong in ({"dropout": 0.1}, {"precision": "fp8"}, {"epochs": 0}, {"max_length": 3}, {"validation_share": 0.9}):
        with pytest.raises(StudyError):
            Recipe(**wrong)
    with pytest.raises(StudyError, match="at least 1"):
        Hardware(micro_batch=0)
