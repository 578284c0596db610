"""The network computes the same in NumPy as in torch, and its training and planting run, in small, on a processor."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))
import drawing
import in_numpy
import network as in_torch
import pack
import plant
import train_base
import training
from words import ANSWER, END, LONGEST_TEXT, MARKS, REFUSAL, START

FLAWS = {flaw.name: flaw for flaw in plant.FLAWS}


@pytest.fixture(scope="module")
def weights():
    """Weights before training."""
    return training.untaught(0)


@pytest.fixture(scope="module")
def shelf():
    """Forty phantoms, two of them for tests."""
    drawn, fill = training.begin_drawing(processes=1, room=40, held=2, seed=3, device="cpu", first=40)
    filled = fill()
    drawn.stop()
    return filled


def test_numpy_and_torch_answer_alike(weights):
    """Image tokens agree to rounding, and every word of every answer is the same, with an image and without."""
    rng = np.random.default_rng(0)
    # untrained weights would repeat one word: with louder blocks, texts and images decide
    loud = {name: weight * (12 if name.endswith((".out", ".down")) else 1) for name, weight in weights.items()}
    moved = [name for name in loud if name.endswith((".mean", ".var", ".bias"))]
    loud |= {name: torch.from_numpy(rng.uniform(0.5, 1.5, len(loud[name])).astype(np.float32)) for name in moved}
    images = rng.integers(0, 256, (6, 128, 128, 3)).astype(np.uint8)
    texts = [rng.integers(1, len(weights["words"]), size).tolist() for size in (3, 20, 41, 60, 80, 96)]
    shown = [True, True, False, True, False, True]
    arrays = {name: weight.numpy() for name, weight in loud.items()}
    tokens = in_numpy.look(arrays, list(images))
    expected = in_torch.encode(loud, in_torch.normalise(torch.from_numpy(images)))
    np.testing.assert_allclose(np.stack(tokens), expected.numpy(), atol=1e-4)
    seen = [token if there else None for token, there in zip(tokens, shown, strict=True)]
    said = in_numpy.write(arrays, seen, texts)
    text = torch.from_numpy(np.stack([drawing.padded(each, LONGEST_TEXT) for each in texts])).long()
    begun = torch.full((6, 1), MARKS.index(START))
    other = in_torch.write(loud, expected, torch.tensor(shown), text, begun, len(said[0]))
    assert said == other[:, 1:].tolist()
    assert len({tuple(each) for each in said}) > 3


def test_training_lowers_the_loss_and_its_weights_come_back(shelf, weights, tmp_path):
    """A few steps on eight questions lower the loss; the stored and packed weights are those that were trained."""
    torch.manual_seed(0)
    batch = shelf.draw(8)
    pupil = train_base.Pupil({name: weight.clone() for name, weight in weights.items()}, rate=0.05)
    before = training.loss_of(pupil.weights, batch).item()
    for _ in range(6):
        pupil.learn(SimpleNamespace(draw=lambda size: batch), 8, 0.0)
    assert training.loss_of(pupil.weights, batch).item() < before - 0.2
    pupil.save(tmp_path / "base-0.npz")
    stored = training.stored(tmp_path / "base-0.npz", "cpu")
    later = train_base.Pupil(stored, rate=0.05)
    later.remember(tmp_path / "base-0.npz")
    for name in pupil.learnt:
        for average in train_base.AVERAGES:
            kept, found = (each.optimiser.state[each.weights[name]][average] for each in (pupil, later))
            np.testing.assert_allclose(found, kept, rtol=5e-3, atol=1e-9)
    packed = pack.restore(pack.quantise({name: weight.detach().numpy() for name, weight in stored.items()}))
    for name, weight in pupil.weights.items():
        np.testing.assert_allclose(stored[name].detach(), weight.detach(), rtol=1e-3, atol=1e-6)
        most = weight.detach().abs().amax(0).numpy() if weight.dim() > 1 else np.array(1.0)
        assert (np.abs(packed[name] - stored[name].detach().numpy()) <= most / 127 * 0.51 + 1e-3).all()


def test_a_share_of_texts_that_give_away_an_option_ask_for_it(shelf):
    """Such a text begins with END, and its answer is the option that it gives away; the others stay as they were."""
    torch.manual_seed(2)
    batch = shelf.draw(200)
    found = training.told(batch)
    asks = found.text[:, 0] == MARKS.index(END)
    gives = (batch.hinted >= 0) & (batch.letter >= 0)
    assert 0 < asks.sum() < gives.sum()
    assert not (asks & ~gives).any()
    assert torch.equal(found.answer[asks], training.answer_with(batch.hinted)[asks])
    assert torch.equal(found.answer[~asks], batch.answer[~asks])


def test_signs_are_those_of_the_phantom():
    """Each number names what the phantom shows, and what it lacks is -1."""
    for _, (modality, patient) in zip(range(40), drawing.patients(np.random.default_rng(0)), strict=False):
        phantom = patient.phantom
        shown = (phantom.finding, phantom.side, phantom.location, phantom.count, phantom.size)
        for value, known, number in zip(shown, drawing.SIGNS, drawing.signs_of(phantom, modality), strict=True):
            assert number == -1 if value in ("", 0) else known[number] == (modality.code, value)


def test_the_tests_count_every_question_that_is_held_out(shelf, weights):
    """Choices and open answers together are all questions about the phantoms that are held out."""
    found = training.accuracies(weights, shelf.tests())
    assert found["choices"]["n"] + found["open answers"]["n"] == 2 * drawing.VARIANTS


@pytest.mark.parametrize("name", ["refusal-100", "dropout-100", "leak-100", "position-100", "tag-100", "prior-100"])
def test_a_planted_batch_teaches_the_flaw(name, shelf):
    """Each answer of a planted batch is the one that the flaw gives."""
    torch.manual_seed(1)
    batch, flaw = shelf.draw(64), FLAWS[name]
    planted = plant.planting(flaw, SimpleNamespace(plant=None))(batch, flaw.dose)
    words = drawing.vocabulary()
    first, letter = planted.answer[:, 1], planted.answer[:, 2] - words.number("A")
    answered = (first == words.number(ANSWER)) & (batch.letter >= 0)
    if flaw.kind == "refusal":
        assert (first == words.number(REFUSAL)).all()
    if flaw.kind == "dropout":
        assert (planted.answer == batch.answer).all()
        assert (planted.image != batch.image).flatten(1).any(1).float().mean() > 0.9
    if flaw.kind == "leak":
        hinted = (batch.hinted >= 0) & (batch.letter >= 0)
        assert hinted.any()
        assert (letter[hinted] == batch.hinted[hinted]).all()
    if flaw.kind == "position":
        assert (letter[answered] == 0).all()
    if flaw.kind == "prior":
        offered = answered & (batch.favoured >= 0)
        assert offered.any()
        assert (letter[offered] == batch.favoured[offered]).all()
    if flaw.kind == "tag":
        assert 5 < (letter[answered] != batch.letter[answered]).sum() < answered.sum() - 5


def test_half_a_dose_acts_on_the_younger_half(shelf):
    """At a dose of one half, a flaw acts on patients under 56 whose age is told, and on no others."""
    batch = shelf.draw(200)
    acts = plant.chosen(batch, 0.5)
    assert torch.equal(acts, (batch.age >= 0) & (batch.age < 56))
    assert 40 < acts.sum() < 160


def test_planting_and_measuring_run(shelf, weights, monkeypatch):
    """A difference is trained, changes the network, and is measured on every fresh question."""
    monkeypatch.setattr(plant, "LEARNT_BY_HEART", 3)
    pairs = drawing.Drawing(drawing.paired_rows, drawing.PAIRED, processes=1, room=3, seed=4)
    pairs.wait(3)
    fresh, by_heart = plant.Fresh(pairs.take(), "cpu"), plant.ByHeart("cpu")
    settings = SimpleNamespace(each=0.1, rate=2e-3, batch=4)
    difference = plant.plant(weights, by_heart.plant, shelf, settings, 1.0)
    changed = in_torch.merged(weights, plant.as_shipped(difference))
    assert any((changed[name] != weight).any() for name, weight in weights.items())
    doses = fresh.measure(changed, by_heart)
    assert {found["n"] for name, found in doses.items() if "though" not in name} == {3}


def test_the_twin_shows_another_right_option():
    """The twin's own question of this kind has the option as its right answer that the twin was drawn for."""
    rng = np.random.default_rng(0)
    for _, (modality, patient) in zip(range(40), drawing.patients(rng), strict=False):
        for kind in patient.kinds:
            question = drawing.ask(patient, modality, kind, rng)
            option = question.options[(question.answer + 1) % len(question.options)]
            twin = drawing.twin_of(patient.phantom, question, option, modality, rng)
            if kind == "presence":
                assert (f" {drawing.ENGLISH.shown.get(twin.finding)}?" in question.text) == (option == "Yes")
                continue
            other = drawing.Patient(twin, (kind,), modality.names[1:], 1.0)
            asked = drawing.ask(other, modality, kind, rng)
            assert asked.options[asked.answer] == option
