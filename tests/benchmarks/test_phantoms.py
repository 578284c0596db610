"""The phantom benchmark: what is asked, and that its text alone gives nothing away unless it is told to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from snellen.benchmarks import load as load_line
from snellen.benchmarks.phantoms import Phantom, load
from snellen.benchmarks.phantoms.catalogue import KINDS, MODALITIES, modality_named
from snellen.benchmarks.phantoms.patients import LAST_SEED
from snellen.benchmarks.phantoms.wording import WORDING
from snellen.errors import StudyError
from snellen.items import Item
from snellen.testing import check_dataset
from steps import lines_run

MANY = load(items=4800, seed=11).items
NAMES = [modality.name for modality in MODALITIES]


TASKS = {
    "questions": "ba011d155366cffe8dd1b0c5b37230dc1be192acea9b48d3eb8e618425e3aac4",
    "detection": "6e05f73504fa2ee0f12eada1a0f5d99f71ee725c15c652bafd23d429965cdb67",
    "diagnosis": "a3b7304fa453f53ec3833aa5e6c8c4298a41b35ce345529311b229a9fb502eea",
    "pathway": "9d61a446c55e3809239c9a2f7f4256339c056d1fddc62a5c2142814fd784a7b6",
    "report": "911889ecb3ad15309f779a1035624cd0664533f89c9b455ae36bb25f6773bea6",
    "premises": "48a38a6ca7d943c1e2624c72ff354be15d712fd14cbccd180bc556f15f0b7e36",
}
"""Each task, with the digest of its first 28 items: what was asked before is asked in the same words."""


@pytest.mark.parametrize("task", TASKS)
def test_the_items_of_a_task_are_those_of_before(task):
    """Usable, the same in two loads and in every version, each with an id of its own that names task and seed."""
    benchmark = load(task=task, items=28, seed=3)
    check_dataset(load(task=task, items=4), load(task=task, items=4))
    assert benchmark.digest == TASKS[task]
    named = "phantoms/3/" if task == "questions" else f"phantoms/{task}/3/"
    assert all(item.id.startswith(named) for item in benchmark)
    assert all(image.source.seed <= LAST_SEED for item in benchmark for image in item.images)
    settings = {"items": 28, "seed": 3, "leak": 0.0, "modality": "all"}
    assert benchmark.about == settings | ({"language": "en"} if task == "questions" else {"task": task})
    line = f"phantoms:task={task},items=8,seed=5,modality=oct"
    assert load_line(line).name == line


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**40), fewer=st.integers(1, 60), more=st.integers(0, 60), task=st.sampled_from([*TASKS]))
def test_an_item_depends_on_the_seed_and_its_place_only(seed, fewer, more, task):
    """A smaller benchmark is the beginning of a larger one, one modality has its items among all, and seeds differ."""
    few, many = (load(task=task, items=items, seed=seed).items for items in (fewer, fewer + more))
    assert few == many[:fewer]
    among_all = [item for item in many if "/oct-" in item.id]
    assert list(load(task=task, items=len(among_all) or 1, seed=seed, modality="oct"))[: len(among_all)] == among_all
    elsewhere = {item.images for item in load(task=task, items=fewer + more, seed=seed + 1) if item.images}
    assert not elsewhere & {item.images for item in many if item.images}


def test_tasks_share_no_id_and_no_patient():
    """Across tasks and seeds every id is one item's, and the images of one task are none of another's."""
    every = {(task, seed): load(task=task, items=200, seed=seed) for task in TASKS for seed in (0, 3)}
    ids = [item.id for benchmark in every.values() for item in benchmark]
    assert len(set(ids)) == len(ids)
    drawn = {of: {image.source.seed for item in each for image in item.images} for of, each in every.items()}
    drawn = {
        of: seeds for of, seeds in drawn.items() if of[0] != "diagnosis"
    }  # its patients are those of the detection
    assert len(set().union(*drawn.values())) == sum(map(len, drawn.values()))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        *((wrong, str(next(iter(wrong.values()))))
          for wrong in ({"items": 0}, {"seed": -1}, {"leak": 1.5}, {"leak": float("nan")}, {"modality": "ct"},
                        {"language": "la"})),
        ({"task": "triage"}, "no task 'triage'. Expected one of questions, detection, diagnosis, pathway, report"),
        *(({"task": task, "language": "it"}, f"{task} is asked in English only, got language='it'")
          for task in TASKS if task != "questions"),
        *(({"task": task, "leak": 0.5}, f"can leak answers, not {task}. Remove leak=0.5")
          for task in TASKS if task != "questions"),
        ({"task": "detection", "modality": "ct"}, "'ct'"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(wrong, said):
    """A setting that is out of range, or that a task cannot have, is named in the error."""
    with pytest.raises(StudyError, match=re.escape(said)):
        load(**wrong)


def options(item: Item) -> tuple[str, ...]:
    """The texts of an item's options."""
    return tuple(option.text for option in item.options)


def right(item: Item) -> str:
    """The text of the right option."""
    return item.options[int(item.answer)].text


def test_modalities_and_kinds_are_balanced():
    """Each modality has each kind of question equally often."""
    tally = Counter((item.category, item.metadata["question_kind"]) for item in MANY)
    assert tally == {(name, kind): len(MANY) // 24 for name in NAMES for kind in KINDS}


def test_patients_have_one_to_three_items_about_one_picture():
    """All items of a cluster share picture and vignette, and all three sizes occur."""
    patients = defaultdict(list)
    for item in MANY:
        patients[item.cluster].append(item)
    assert {len(items) for items in patients.values()} == {1, 2, 3}
    assert len({item.images for item in MANY}) == len(patients)
    assert all(len({(item.images, item.context) for item in items}) == 1 for items in patients.values())


def test_options_stand_in_canonical_order():
    """Words in the order of the alphabet, numbers and sizes ascending, yes before no."""
    fixed = {"count": ("1", "2", "3", "4", "5"), "size": ("Small", "Medium", "Large"), "presence": ("Yes", "No")}
    for item in MANY:
        kind = item.metadata["question_kind"]
        assert options(item) == fixed.get(kind, tuple(sorted(options(item))))
        assert kind not in ("finding", "location", "count") or len(options(item)) == 5


def test_the_answer_is_what_the_picture_shows():
    """Every item is usable, and its right option says what the phantom's own fields say."""
    words = WORDING["en"]
    for item in MANY:
        assert item.problem() is None
        phantom = item.images[0].source
        code = modality_named(phantom.modality).code
        said = {
            "finding": words.option[phantom.finding],
            "side": words.side[code].get(phantom.side),
            "location": words.option.get(phantom.location),
            "count": str(phantom.count),
            "size": words.option.get(phantom.size),
            "presence": "Yes" if words.shown.get(phantom.finding, "healthy") in item.question else "No",
        }
        assert right(item) == said[item.metadata["question_kind"]]
        assert item.metadata["finding"] == phantom.finding


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_every_position_is_equally_often_right(name, kind):
    """χ² over answer positions finds nothing, for each modality and kind."""
    asked = [item for item in MANY if item.category == name and item.metadata["question_kind"] == kind]
    tally = np.bincount([item.answer for item in asked], minlength=len(asked[0].options))
    assert chisquare(tally).pvalue > 1e-4


def test_every_question_text_is_even():
    """Whatever a question names, its answers come equally often: no text predicts its answer."""
    tally = defaultdict(Counter)
    for item in MANY:
        tally[item.question, options(item)][item.answer] += 1
    values = [
        chisquare([seen[place] for place in range(len(texts))]).pvalue
        for (_, texts), seen in tally.items()
        if sum(seen.values()) >= 40
    ]
    assert len(values) > 30
    assert min(values) > 0.01 / len(values)


def test_every_option_is_equally_often_right_when_offered():
    """How often an option is right, where it is offered, is one over the number of options."""
    offered, won, chance = Counter(), Counter(), {}
    for item in MANY:
        key = (item.category, item.metadata["question_kind"])
        for text in options(item):
            offered[*key, text] += 1
            chance[*key, text] = item.chance
        won[*key, right(item)] += 1
    scores = [
        (won[key] - offered[key] * chance[key]) / np.sqrt(offered[key] * chance[key] * (1 - chance[key]))
        for key in offered
    ]
    assert np.abs(scores).max() < 4.2


def _tokens(item: Item, option: str) -> list[str]:
    words = f"{item.context} {item.question}".lower().split()
    return [option, *(f"{option}&{word}" for word in set(words)), *(f"{option}&{text}" for text in options(item))]


def _guessed(train: list[Item], test: list[Item]) -> float:
    """The accuracy of a text-only classifier: smoothed odds that an option is right, given each word beside it."""
    seen, won = Counter(), Counter()
    for item in train:
        for option in options(item):
            tokens = [f"{item.metadata['question_kind']}:{token}" for token in _tokens(item, option)]
            seen.update(tokens)
            won.update(tokens if option == right(item) else ())
    hits = 0
    for item in test:
        base = np.log(item.chance)

        def score(option: str, item: Item = item, base: float = base) -> float:
            tokens = [f"{item.metadata['question_kind']}:{token}" for token in _tokens(item, option)]
            return sum(np.log((won[t] + 20 * item.chance) / (seen[t] + 20)) - base for t in tokens)

        hits += max(options(item), key=score) == right(item)
    return hits / len(test)


def test_a_text_classifier_learns_nothing():
    """Fitted on half the patients, a classifier of words and options is at chance on the other half."""
    chance = np.mean([item.chance for item in MANY[1200:2400]])
    noise = np.sqrt(chance * (1 - chance) / 1200)
    assert abs(_guessed(list(MANY[:1200]), list(MANY[1200:2400])) - chance) < 4 * noise


def test_a_text_classifier_finds_a_planted_hint():
    """The same classifier does learn when the vignette betrays the answer: it is not blind itself."""
    hinted = [
        Item(i.id, i.question, i.options, i.answer, context=f"hint-{right(i)}", metadata=i.metadata) for i in MANY
    ]
    assert _guessed(hinted[:1200], hinted[1200:2400]) > 0.4


@given(seed=st.integers(0, 1000), leak=st.floats(0, 1), items=st.integers(24, 200))
def test_the_share_of_leaked_items_keeps_to_the_dial(seed, leak, items):
    """However many items are taken, the leaked share is within a few items of what was asked for."""
    leaked = sum(item.metadata["leaked"] for item in load(items=items, seed=seed, leak=leak))
    assert abs(leaked - leak * items) <= (3 if 0 < leak < 1 else 0)


@settings(max_examples=10)
@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_raising_the_dial_only_adds_leaks(low, high):
    """Items leaked at a lower setting are leaked in the same words at a higher one; all else stays."""
    low, high = sorted((low, high))
    for less, more in zip(load(items=48, leak=low), load(items=48, leak=high), strict=True):
        assert less.question == more.question
        assert less.options == more.options
        assert less.images == more.images
        assert less.metadata["leaked"] <= more.metadata["leaked"]
        assert less.context == more.context or (not less.metadata["leaked"] and more.context.startswith(less.context))


def test_leaks_are_spread_over_modalities_and_kinds():
    """Half the items of each modality and kind are leaked when half of all are."""
    tally = Counter(
        (item.category, item.metadata["question_kind"])
        for item in load(items=1200, leak=0.5)
        if item.metadata["leaked"]
    )
    assert len(tally) == 24
    assert 18 <= min(tally.values()) <= max(tally.values()) <= 32


def test_a_leak_gives_the_answer_away():
    """A leaked text says the right option's words and no other option's; a yes/no leak says whether it is shown."""
    plain = load(items=240, seed=4)
    for item, without in zip(load(items=240, seed=4, leak=1.0), plain, strict=True):
        said = item.context.removeprefix(without.context).lower()
        if item.metadata["question_kind"] == "presence":
            assert ("does not show" in said) == (right(item) == "No")
            assert item.question.removesuffix("?").split(" show ")[1] in said
        else:
            assert right(item).lower() in said
            others = [text.lower() for text in options(item) if text != right(item)]
            assert not any(f": {text}." in said for text in others)


def test_giveaways_are_worded_in_several_ways():
    """Leaked sentences do not all begin alike."""
    openings = {
        leaked.context.removeprefix(plain.context).split(":")[0]
        for leaked, plain in zip(load(items=200, leak=1.0), load(items=200), strict=True)
    }
    assert len(openings) >= 4


def test_items_are_made_without_their_pictures(monkeypatch):
    """A thousand items take a few hundred lines of Python each, and no picture is drawn for them."""

    def drawn(self):
        raise AssertionError("a picture was drawn")

    monkeypatch.setattr(Phantom, "draw", drawn)
    load(items=24)
    assert lines_run(lambda: load(items=1000, seed=3)) < 500 * 1000


def test_videos_show_the_finding_in_all_frames_or_in_the_last_alone():
    """Every second item of a modality each; what is asked, and the patient, are those of the single images."""
    single, videos = load(items=16), load(items=16, frames=3)
    for at, (one, video) in enumerate(zip(single, videos, strict=True)):
        assert (one.question, one.answer, one.cluster) == (video.question, video.answer, video.cluster)
        assert [image.role for image in video.images] == ["frame 1 of 3", "frame 2 of 3", "frame 3 of 3"]
        shown = [image.source.finding for image in video.images]
        own = one.images[0].source
        assert shown == (["normal", "normal", own.finding] if at // 4 % 2 == 0 else [own.finding] * 3)
        assert video.images[-1].source == own
        assert {image.source.seed for image in video.images} == {own.seed}
    for wrong in ({"frames": 0}, {"frames": 3, "task": "report"}):
        with pytest.raises(StudyError, match="frames"):
            load(**wrong)
