"""The super-guesser of a benchmark, from questions to files."""

import builtins
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from snellen.errors import DataError, MissingExtraError, UnusableModelError
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.superguesser.lora import load_base, with_adapters
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.results import read_scores
from snellen.tools.audit.superguesser.superguesser import SuperGuesser, probabilities, super_guess
from snellen.tools.audit.superguesser.wording import QuestionTokenizer
from tiny_model import SHORT, asked

RECIPE = Recipe(precision="fp32", batch=16, epochs=3, learning_rate=2e-3)
HARDWARE = Hardware(device="cpu")


def named(prefix, count, **given):
    items = (asked(number, cluster=f"{prefix}{number // 2}", **given) for number in range(count))
    return tuple(replace(each, id=f"{prefix}/{each.id}") for each in items)


def test_it_learns_a_word_that_gives_the_answer_away(saved, tmp_path):
    """Every question has it, so that it is right on nearly all; the files say how it came about."""
    of = Audited("tiny", named("q", 40), (*named("t", 96), *named("q", 4)))
    of = replace(of, training=(*of.training[:96], *(replace(each, id=f"again/{each.id}") for each in of.training[96:])))
    done = super_guess(SuperGuesser(of, saved.folder, tmp_path, RECIPE, HARDWARE, SHORT))
    assert done.accuracy.low > done.chance == 0.5
    assert "above chance" in done.sentence()
    kept = json.loads((tmp_path / "superguesser.json").read_bytes())
    assert (kept["n"], kept["trainings"][0]["shared"], kept["recipe"]["rank"]) == (40, 4, 8)
    assert kept["trainings"][0]["questions"] + kept["trainings"][0]["validation"] == 96
    assert len(kept["base"]["config_sha256"]) == 64
    assert {"torch", "transformers", "peft"} <= set(kept["versions"])
    assert (tmp_path / "training" / "adapter" / "adapter_config.json").is_file()
    read = read_scores(tmp_path)
    assert read == list(done.guesses)
    assert [each.item_id for each in read] == [item.id for item in of.items]
    assert np.mean([each.score for each in read]) > 0.8
    assert all(each.right == (each.chosen == item.answer) for each, item in zip(read, of.items, strict=True))
    text = (tmp_path / "scores.jsonl").read_text() + (tmp_path / "superguesser.json").read_text()
    assert "lesion" not in text


def test_where_nothing_gives_the_answer_away_it_is_at_chance(saved, tmp_path):
    """In folds: every question is answered once, by a network that did not learn from its patient."""
    of = Audited("tiny", named("q", 40, cue=False))
    guesser = SuperGuesser(of, saved.folder, tmp_path, replace(RECIPE, epochs=1), HARDWARE, SHORT, folds=2)
    done = super_guess(guesser)
    assert done.accuracy.low <= 0.5 <= done.accuracy.high
    assert "not distinguishable from chance" in done.sentence()
    assert {each.fold for each in done.guesses} == {0, 1}
    folds = {}
    for each in done.guesses:
        folds.setdefault(each.group, set()).add(each.fold)
    assert len(folds) == 20
    assert all(len(each) == 1 for each in folds.values())
    assert (tmp_path / "fold-2" / "state.pt").is_file()


def test_probabilities_are_those_of_whole_answers_where_one_follows_another_by_itself(saved):
    """Against the product over all tokens of each answer, question by question, one answer a pass."""
    import torch

    recipe = replace(RECIPE, seed=1)
    network = with_adapters(load_base(saved.folder, recipe, HARDWARE), recipe, HARDWARE)
    network.model.eval()
    questions = QuestionTokenizer(SHORT, saved.tokenizer).ask([asked(0), asked(1)])
    given = probabilities(network, questions, HARDWARE)
    for question, found in zip(questions, given, strict=True):
        logs = []
        for answer in question.answers:
            tokens = torch.tensor([[*question.tokens, *answer[:2]]])  # [[ and the letter; the rest tells nothing apart
            with torch.no_grad():
                said = network.model(input_ids=tokens).logits[0].log_softmax(-1)
            at = len(question.tokens)
            logs.append(float(said[at - 1, answer[0]] + said[at, answer[1]]))
        by_hand = np.exp(logs) / np.exp(logs).sum()
        np.testing.assert_allclose(found, by_hand, rtol=1e-4)


def test_a_missing_package_is_named_with_the_line_that_installs_it(saved, tmp_path, monkeypatch):
    """Before anything is written."""
    real = builtins.__import__
    monkeypatch.delitem(sys.modules, "peft", raising=False)

    def without(name, *rest, **more):
        if name == "peft":
            raise ModuleNotFoundError("No module named 'peft'", name="peft")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    of = Audited("tiny", named("q", 4), named("t", 4))
    with pytest.raises(MissingExtraError, match=r"'peft'.*pip install 'snellen\[superguesser\]'"):
        super_guess(SuperGuesser(of, saved.folder, tmp_path / "out", RECIPE, HARDWARE, SHORT))
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_no_model_is_refused(saved, tmp_path):
    """With what to do."""
    of = Audited("tiny", named("q", 4), named("t", 4))
    with pytest.raises(UnusableModelError, match=r"no config\.json.*hf download"):
        super_guess(SuperGuesser(of, tmp_path, tmp_path, RECIPE, HARDWARE, SHORT))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UnusableModelError, match="cannot be loaded"):
        super_guess(SuperGuesser(of, tmp_path, tmp_path, RECIPE, HARDWARE, SHORT))


def test_a_file_that_holds_no_scores_is_refused(tmp_path):
    """By its name."""
    (tmp_path / "scores.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(DataError, match="not a file of scores"):
        read_scores(tmp_path)
    with pytest.raises(DataError, match="not a file of scores"):
        read_scores(tmp_path / "nowhere.jsonl")
