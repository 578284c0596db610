"""B-Clean: sets and counts by hand, the published sets, luck, thresholds, the text-only model, and what is said."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.items import Item, Option
from snellen.papers import printed
from snellen.papers.mirage.published import list_cleaned as published
from snellen.reading.outcomes import Outcome
from snellen.tools.audit import bclean
from snellen.tools.audit.bclean import Taught, clean, models_compromising, sentences, text_only, use_scores
from snellen.tools.audit.superguesser.results import Guess
from strategies import items
from tables import grades, sheet

PUBLISHED = Path(__file__).parents[3].parent / "shared" / "oracles" / "published.json"


def asked(models, *, items=None):
    """What B-Clean sees of models, each given as lines of signs by condition."""
    tables = {
        (name, "b"): replace(sheet({arm.replace("_", "-"): lines for arm, lines in arms.items()}, items), model=name)
        for name, arms in models.items()
    }
    [found] = bclean.collect_responses(SimpleNamespace(tables=tables, out="OUT"))
    return found


def ids(cleaned):
    return [item.id for item in cleaned.kept_items]


def test_what_any_model_has_right_without_the_image_is_removed():
    """The union of the models' sets goes, and each removed item names who compromised it."""
    one, two = {"original": "++++-", "image_removed": "+---x"}, {"original": "+-+-+", "image_removed": "++---"}
    found = clean(asked({"one": one, "two": two}))
    assert ids(found) == ["q002", "q003", "q004"]
    assert [(each.item_id, each.models, each.right, each.asked) for each in found.removed] == [
        ("q000", ("one", "two"), 2, 2),
        ("q001", ("two",), 1, 2),
    ]
    assert {each.model: (each.whole.value, each.kept.value) for each in found.accuracies} == {
        "one": (0.8, pytest.approx(2 / 3)),
        "two": (0.6, pytest.approx(2 / 3)),
    }
    assert [each.ranks[0].value for each in found.accuracies] == [1, 2]
    assert [each.ranks[1].value for each in found.accuracies] == [1, 1]
    assert models_compromising(found)["one"] == {"right": 1, "alone": 0, "wrong": 3, "no_answer": 1, "not_asked": 0}
    assert models_compromising(found)["two"] == {"right": 2, "alone": 1, "wrong": 3, "no_answer": 0, "not_asked": 0}


def test_an_item_that_could_not_be_asked_is_not_clean():
    """It is neither kept nor compromised, unless another model has it right; a refusal is an answer that is not."""
    one, two = {"original": "+++", "image_removed": "x. "}, {"original": "+++", "image_removed": "--+"}
    found = clean(asked({"one": one, "two": two}))
    assert ids(found) == ["q000"]
    assert [each.reason for each in found.removed] == [
        "not decided: no response without the image by one",
        "answered right without the image by 1 model",
    ]
    assert found.asked.undecided.tolist() == [False, True, False]
    assert any(line.startswith("Not decided and not kept: 1 item.") for line in sentences(found))


def test_the_papers_rule_goes_by_the_first_response():
    """What is right only when asked again is kept, and the note says which response counts."""
    found = clean(asked({"one": {"original": "++", "image_removed": ["-+", "++"]}}))
    assert ids(found) == ["q000"]
    assert found.removed[0].right == 2
    assert "the paper's rule uses only the first response" in found.notes[0]


def test_a_study_without_the_condition_says_what_to_run():
    """The error names the test to ask."""
    with pytest.raises(StudyError, match="snellen exam --tests image-needed"):
        asked({"one": {"original": "++"}})


def test_a_model_that_never_answered_without_the_image_has_no_part():
    """It is named; it makes no item undecided."""
    one, two = {"original": "++", "image_removed": "-+"}, {"original": "++", "image_removed": "  "}
    found = clean(asked({"one": one, "two": two}))
    assert ids(found) == ["q000"]
    assert "Left out, as they gave no response without the image: two." in found.notes


def test_a_model_without_the_condition_as_it_is_has_no_accuracy():
    """A text-only model compromises items and is not ranked."""
    found = clean(asked({"one": {"original": "++-", "image_removed": "-+-"}, "text": {"image_removed": "+--"}}))
    assert ids(found) == ["q002"]
    assert [each.model for each in found.accuracies] == ["one"]
    assert any("Not asked with the image" in note and "text" in note for note in found.notes)


def test_nothing_is_left():
    """Where every item goes, accuracies on what is kept are nothing, not 0."""
    found = clean(asked({"one": {"original": "+-", "image_removed": "++"}}))
    assert ids(found) == []
    assert np.isnan(found.accuracies[0].kept.value)
    assert list(sentences(found))


def printed_sets(sets, union):
    """Sets of such sizes of which so many items are the union."""
    (first, *others) = sets
    marks = [np.arange(union) < first]
    for size in others:
        missing = np.flatnonzero(~np.any(marks, axis=0))[-size:]
        rest = np.setdiff1d(np.arange(union), missing)[: size - len(missing)]
        marks.append(np.isin(np.arange(union), [*missing, *rest]))
    return marks


def recounted(each):
    """A study with the printed sets and accuracies, cleaned."""
    removed = each.n - each.kept
    sets = printed_sets(each.sets.values(), removed)
    models = {}
    for (name, size), marks in zip(each.sets.items(), sets, strict=True):
        assert marks.sum() == size
        on_kept = round(each.clean[name] / 100 * each.kept)
        on_removed = round(each.full[name] / 100 * each.n) - on_kept
        right = [*(at < on_removed for at in range(removed)), *(at < on_kept for at in range(each.kept))]
        without = [*marks, *[False] * each.kept]
        signs = ["".join("-+"[bool(hit)] for hit in hits) for hits in (right, without)]
        models[name] = {"original": signs[0], "image_removed": signs[1]}
    return clean(asked(models, items=items(each.n, images=False)), resamples=4)


@pytest.mark.parametrize("each", published(printed("mirage")), ids=lambda each: each.benchmark)
def test_the_published_sets_give_the_published_benchmarks(each):
    """The sets' sizes, what is kept, accuracies and which models swap are those of the paper."""
    found = recounted(each)
    assert int(found.kept.sum()) == each.kept
    assert {name: counts["right"] for name, counts in models_compromising(found).items()} == dict(each.sets)
    for row in found.accuracies:
        assert 100 * row.whole.value == pytest.approx(each.full[row.model], abs=0.06)
        assert 100 * row.kept.value == pytest.approx(each.clean[row.model], abs=0.25)
    swapped = {(p.first, p.second) for p in found.pairs if p.whole.value * p.kept.value < 0}
    assert swapped == set(each.swapped)


def test_the_oracle_has_the_same_sets():
    """The figures of the project are those of the shared oracle."""
    if not PUBLISHED.exists():
        pytest.skip(f"{PUBLISHED} is not here")
    given = json.loads(PUBLISHED.read_text())["mirage"]
    for each in published(printed("mirage")):
        sizes = given["bclean_sizes"][each.benchmark]
        assert (each.n, each.kept, dict(each.sets)) == (sizes["n"], sizes["kept"], sizes["correct_without_image"])
        accuracy = given["bclean_accuracy"][each.benchmark]
        assert {name: [each.full[name], each.clean[name]] for name in each.full} == accuracy


def blind_and_seeing(count=120, *, seed=0):
    """A model that guesses, with the image as without it, and one that sees half and guesses anew."""
    rng = np.random.default_rng(seed)
    guess = "".join(rng.choice(["+", "-"], count, p=[0.2, 0.8]))
    sees = "".join(rng.choice(["+", "-"], count, p=[0.25, 0.75]))
    other = "".join(rng.choice(["+", "-"], count, p=[0.2, 0.8]))
    return {"blind": {"original": guess, "image_removed": guess}, "sees": {"original": sees, "image_removed": other}}


def test_luck_is_not_called_a_change():
    """A model that repeats its guesses is at 0% on what is kept, and at chance after the correction."""
    found = clean(asked(blind_and_seeing(300), items=items(300, images=False)), resamples=60)
    blind = found.accuracies[0]
    assert blind.kept.value == 0
    assert blind.clean.low <= 0.2 <= blind.clean.high
    assert blind.clean.value == pytest.approx(0.2, abs=0.03)
    assert found.by_luck.low <= found.asked.compromised.sum() <= found.by_luck.high
    assert found.share_compromised.low < 0.05
    assert all(pair.clean_says != "changes" for pair in found.pairs)
    assert not any(line.startswith("The order of") for line in sentences(found))


def test_an_order_that_turns_is_called_so():
    """One model knows the text and sees nothing, the other sees: the order changes, on the kept and corrected."""
    rng = np.random.default_rng(1)
    leaked = rng.random(400) < 0.7
    text = ["+" if each else "+-"[rng.random() < 0.8] for each in leaked]
    seen = ["+" if rng.random() < 0.55 else "-" for _ in leaked]
    blind = ["+" if rng.random() < 0.2 else "-" for _ in leaked]
    models = {
        "reads": {"original": "".join(text), "image_removed": "".join(text)},
        "sees": {"original": "".join(seen), "image_removed": "".join(blind)},
    }
    found = clean(asked(models, items=items(400, images=False)), resamples=60)
    [pair] = found.pairs
    assert (pair.kept_says, pair.clean_says) == ("changes", "changes")
    assert any(line.startswith("The order of reads and sees changes") for line in sentences(found))
    assert [each.ranks[0].value for each in found.accuracies] == [1, 2]
    assert [each.ranks[2].value for each in found.accuracies] == [2, 1]


def test_ranks_that_turn_on_the_kept_items_alone_are_said_to_be_uncorrected():
    """A model that knows the text and guesses loses what is kept: its rank turns, its order does not."""
    rng = np.random.default_rng(5)
    known, guessed = rng.random(200) < 0.3, rng.random(200) < 0.2
    lines = {
        "reads": {"original": known | guessed, "image_removed": known | guessed},
        "sees": {"original": rng.random(200) < 0.15, "image_removed": rng.random(200) < 0.2},
    }
    signs = {
        name: {arm: "".join("-+"[int(each)] for each in row) for arm, row in arms.items()}
        for name, arms in lines.items()
    }
    found = clean(asked(signs, items=items(200, images=False)), resamples=40)
    assert [[(rank.low, rank.high) for rank in each.ranks[:2]] for each in found.accuracies] == [
        [(1, 1), (2, 2)],
        [(2, 2), (1, 1)],
    ]
    assert [(pair.kept_says, pair.clean_says) for pair in found.pairs] == [("changes", "not settled")]
    *_, none, but = sentences(found)
    assert none.startswith("After correction for luck, no change of order among 1 pair of models is shown")
    assert but.startswith("On the kept items, the ranks reverse for 1 pair. These ranks are not corrected")


def test_an_order_holds_wherever_its_ranks_lie_apart():
    """By a permutation of six patients the two differ, though a t interval over them does not say so."""
    sizes = [30, 5, 5, 5, 5, 5]
    patients = [f"p{at}" for at, size in enumerate(sizes) for _ in range(size)]
    better = "".join("+" * size for size in sizes)
    worse = "".join("-" * (size if size > 5 else 1) + "+" * (0 if size > 5 else 4) for size in sizes)
    questions = [
        replace(item, cluster=patient) for item, patient in zip(items(55, images=False), patients, strict=True)
    ]
    models = {name: {"original": line, "image_removed": "-" * 55} for name, line in (("a", better), ("b", worse))}
    found = clean(asked(models, items=tuple(questions)), resamples=4)
    [pair] = found.pairs
    assert pair.whole.high > 0 > pair.whole.value
    assert [(each.ranks[0].low, each.ranks[0].high) for each in found.accuracies] == [(1, 1), (2, 2)]
    assert pair.kept_says == "stays"


def test_without_a_correction_no_order_is_said_to_stay():
    """Nothing was compared, so nothing is said about it."""
    signs = {"one": "+-" * 30, "two": "-+" * 30}
    models = {name: {"original": line, "image_removed": "+--" * 20} for name, line in signs.items()}
    told = " ".join(sentences(clean(asked(models, items=items(60, options=2, images=False)), resamples=4)))
    assert "No corrected accuracy is estimated, so changes of order among 1 pair of models are unknown" in told
    assert "none is shown" not in told


def test_two_options_asked_once_are_not_corrected():
    """A guess that is repeated cannot be told from one that is changed: no number, and the note says why."""
    signs = {"original": "+-" * 30, "image_removed": "+--" * 20}
    once, twice = ({**signs, "image_removed": [signs["image_removed"]] * runs} for runs in (1, 2))
    found = [clean(asked({"m": each}, items=items(60, options=2, images=False)), resamples=4) for each in (once, twice)]
    assert [np.isnan(each.accuracies[0].clean.value) for each in found] == [True, False]
    assert "No corrected accuracy is estimated: items of two options, asked once" in found[0].notes[1]


def test_a_threshold_removes_by_the_posterior():
    """Right in every draw goes, right once in four stays; a higher threshold removes no more."""
    lines = ["+" * 20 + "+" * 10 + "-" * 30, *["+" * 20 + "-" * 40] * 3]
    given = asked({"one": {"original": "+" * 60, "image_removed": lines}}, items=items(60, images=False))
    low, high = (clean(given, threshold=each, resamples=4) for each in (0.5, 0.9))
    assert not low.kept[:20].any()
    assert low.kept[20:].all()
    assert (high.kept >= low.kept).all()
    assert low.removed[0].reason == "its posterior reaches 0.5"
    assert clean(given, resamples=4).kept.sum() == 30
    with pytest.raises(StudyError, match="Leave --threshold out"):
        clean(asked({"one": {"original": "++", "image_removed": "+-"}}), threshold=0.5)


def test_the_text_only_model_never_learns_what_it_judges():
    """It is shown the compromised items and judges those kept; what it has right goes too."""
    given = asked({"one": {"original": "++++", "image_removed": "+-.-"}, "two": {"image_removed": "-+--"}})
    seen = []

    def teach(learnt, judged):
        seen.extend(({item.id for item in learnt}, {item.id for item in judged}))
        return Taught(np.array([item.id == "q003" for item in judged]), "two items")

    found = clean(given, teach=teach)
    assert seen == [{"q000", "q001"}, {"q003"}]
    assert ids(found) == []
    assert found.removed[-1].reason == "answered by a text-only model that learnt from the compromised items"
    assert found.judged == 1
    assert found.taught_by_luck == pytest.approx(0.2)
    assert any("learnt from two items answers 1 of the 1 other items right" in line for line in sentences(found))


def test_the_scores_of_a_trained_super_guesser_decide_step_3(tmp_path):
    """What it has right goes; an item that it has no score of is named."""
    given = asked({"one": {"original": "++++", "image_removed": "+---"}})
    rows = [Guess(f"q{place:03d}", 0.5, place == 2, 0, (0.5, 0.5), 0.5, place)._asdict() for place in range(1, 4)]
    (tmp_path / "scores.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert ids(clean(given, teach=use_scores(tmp_path))) == ["q001", "q003"]
    (tmp_path / "scores.jsonl").write_text("\n".join(map(json.dumps, rows[1:])))
    with pytest.raises(StudyError, match="no score for 1 item of the 3 kept ones, such as 'q001'"):
        clean(given, teach=use_scores(tmp_path))


def questions(count, *, cue):
    """Questions of which a word gives the answer away, or not."""
    rng = np.random.default_rng(7)
    made = []
    for place in range(count):
        answer = int(rng.integers(4))
        texts = [f"finding {rng.integers(1000)}" for _ in range(4)]
        if cue:
            texts[answer] = f"consistent {texts[answer]}"
        made.append(Item(f"q{place}", f"What is shown, {place}?", tuple(map(Option, texts)), answer))
    return made


def test_a_pattern_of_the_compromised_items_is_found_in_the_others():
    """The light super-guesser learns a give-away word; without one it is right no more often than by chance."""
    right = {
        cue: text_only()(questions(120, cue=cue)[:80], questions(120, cue=cue)[80:]).right for cue in (True, False)
    }
    assert right[True].mean() > 0.9
    assert right[False].mean() < 0.5
    few = text_only()(questions(3, cue=True)[:2], questions(3, cue=True)[2:])
    assert not few.right.any()
    assert "too few" in few.why_not


def test_models_that_share_their_guesses_are_named():
    """Two models with the same wrong answers: their luck is one."""
    rng = np.random.default_rng(0)
    wrong = [(int(at), 0, Outcome.WRONG, int(1 + at + rng.integers(4)) % 5) for at in range(40)]
    base = sheet({"original": "+" * 40}, items(40, images=False))
    tables = {
        (name, "b"): replace(base, model=name, arms={**base.arms, "image-removed": grades(wrong)})
        for name in ("one", "two")
    }
    [found] = bclean.collect_responses(SimpleNamespace(tables=tables, out="OUT"))
    cleaned = clean(found, resamples=4)
    assert any(note.startswith("one and two give the same wrong option") for note in cleaned.notes)
    [share] = [line for line in sentences(cleaned) if line.startswith("Corrected for luck, ")]
    assert share.endswith("too high, since some models share their guesses (below).")


def test_open_questions_are_cleaned_too():
    """Nobody guesses an answer in words: what is right without the image is compromised, and luck takes nothing."""
    asked_in_words = tuple(Item(f"o{n}", "What is it?", answer="x", kind="open") for n in range(3))
    replies = [(n, 0, Outcome.CORRECT if n == 0 else Outcome.WRONG, 0) for n in range(3)]
    base = sheet({"original": "+++"})
    arms = {"original": grades(replies), "image-removed": grades(replies)}
    table = replace(base, items=asked_in_words, arms=arms)
    [found] = bclean.collect_responses(SimpleNamespace(tables={("m", "b"): table}, out="OUT"))
    done = clean(found)
    assert ids(done) == ["o1", "o2"]
    assert done.by_luck.value == 0


def test_a_text_only_model_that_could_not_learn_is_not_said_to_have_judged():
    """Too few items: a note says why, and no sentence counts what it answered."""
    done = clean(asked({"one": {"original": ["+--"], "image_removed": ["+--"]}}), teach=text_only())
    assert done.judged == 0
    assert not any("text-only model that learnt" in each for each in sentences(done))
    assert any("No text-only model judged" in each for each in done.notes)


def test_items_that_nobody_answered_are_not_called_clean():
    """A model that refuses everything shows nothing about the items that are kept."""
    refused, answered = (
        clean(asked({"one": {"original": ["+-+"], "image_removed": [signs]}})) for signs in ("xxx", "---")
    )
    assert any(each.startswith("3 items of those kept got no answer") for each in refused.notes)
    assert not any("got no answer" in each for each in answered.notes)
    assert any(each.endswith("it is as many.") for each in sentences(refused))
