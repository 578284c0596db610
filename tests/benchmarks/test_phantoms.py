"""The phantom benchmark: what is asked, and that its text alone gives nothing away unless it is told to."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from snellen.benchmarks.phantoms import Phantom, load
from snellen.benchmarks.phantoms.catalogue import KINDS, MODALITIES, modality_named
from snellen.benchmarks.phantoms.patients import LAST_SEED
from snellen.benchmarks.phantoms.wording import WORDING
from snellen.errors import StudyError
from snellen.items import Item
from steps import lines_run

MANY = load(items=4800, seed=11).items
NAMES = [modality.name for modality in MODALITIES]


def options(item: Item) -> tuple[str, ...]:
    """The texts of an item's options."""
    return tuple(option.text for option in item.options)


def right(item: Item) -> str:
    """The text of the right option."""
    return item.options[int(item.answer)].text


def test_every_item_is_usable():
    """No item has a problem, and no two have the same id."""
    assert [item.problem() for item in MANY if item.problem()] == []
    assert len({item.id for item in MANY}) == len(MANY)


def test_ids_name_the_seed():
    """An id says which seed, modality and place it has."""
    assert [item.id for item in load(items=5, seed=7)] == [
        "phantoms/7/cxr-000000",
        "phantoms/7/mri-000000",
        "phantoms/7/oct-000000",
        "phantoms/7/fundus-000000",
        "phantoms/7/cxr-000001",
    ]


@given(seed=st.integers(0, 2**40), fewer=st.integers(1, 60), more=st.integers(0, 60), leak=st.floats(0, 1))
def test_a_smaller_benchmark_is_the_beginning_of_a_larger_one(seed, fewer, more, leak):
    """An item depends on the seed and its place only."""
    assert load(items=fewer, seed=seed, leak=leak).items == load(items=fewer + more, seed=seed, leak=leak).items[:fewer]


def test_one_modality_alone_has_the_same_items():
    """Asking for one modality gives the items it has among all."""
    among_all = [item for item in load(items=80, leak=0.4) if item.category == "OCT"]
    assert list(load(items=20, leak=0.4, modality="oct")) == among_all
    assert list(load(items=20, leak=0.4, modality="OCT")) == among_all


def test_seeds_differ():
    """Another seed gives other patients."""
    assert all(a.images != b.images for a, b in zip(load(items=40, seed=1), load(items=40, seed=2), strict=True))


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
    assert all(len({(item.images, item.context) for item in items}) == 1 for items in patients.values())


def test_different_patients_have_different_pictures():
    """No picture belongs to two patients."""
    assert len({item.images for item in MANY}) == len({item.cluster for item in MANY})


def test_options_stand_in_canonical_order():
    """Words in the order of the alphabet, numbers and sizes ascending, yes before no."""
    fixed = {"count": ("1", "2", "3", "4", "5"), "size": ("Small", "Medium", "Large"), "presence": ("Yes", "No")}
    for item in MANY:
        expected = fixed.get(item.metadata["question_kind"], tuple(sorted(options(item))))
        assert options(item) == expected


def test_five_options_for_finding_location_and_count():
    """The questions that can have five options have five."""
    five = [item for item in MANY if item.metadata["question_kind"] in ("finding", "location", "count")]
    assert {len(item.options) for item in five} == {5}


def test_the_answer_is_what_the_picture_shows():
    """The right option says what the phantom's own fields say."""
    words = WORDING["en"]
    for item in MANY:
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


def test_no_benchmark_uses_a_training_seed():
    """Phantom seeds stay at or below the last one reserved for benchmarks."""
    assert max(item.images[0].source.seed for item in MANY) <= LAST_SEED


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
    chance = np.mean([item.chance for item in MANY[2400:]])
    noise = np.sqrt(chance * (1 - chance) / 2400)
    assert abs(_guessed(list(MANY[:2400]), list(MANY[2400:])) - chance) < 4 * noise


def test_a_text_classifier_finds_a_planted_hint():
    """The same classifier does learn when the vignette betrays the answer: it is not blind itself."""
    hinted = [
        Item(i.id, i.question, i.options, i.answer, context=f"hint-{right(i)}", metadata=i.metadata) for i in MANY
    ]
    assert _guessed(hinted[:2400], hinted[2400:]) > 0.55


@given(seed=st.integers(0, 1000), leak=st.floats(0, 1), items=st.integers(24, 200))
def test_the_share_of_leaked_items_keeps_to_the_dial(seed, leak, items):
    """However many items are taken, the leaked share is within a few items of what was asked for."""
    leaked = sum(item.metadata["leaked"] for item in load(items=items, seed=seed, leak=leak))
    assert abs(leaked - leak * items) <= 3


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


def test_the_ends_of_the_dial_are_exact():
    """At 0 nothing is leaked, at 1 everything."""
    assert not any(item.metadata["leaked"] for item in load(items=200, leak=0.0))
    assert all(item.metadata["leaked"] for item in load(items=200, leak=1.0))


def test_leaks_are_spread_over_modalities_and_kinds():
    """Half the items of each modality and kind are leaked when half of all are."""
    tally = Counter(
        (item.category, item.metadata["question_kind"])
        for item in load(items=2400, leak=0.5)
        if item.metadata["leaked"]
    )
    assert len(tally) == 24
    assert 40 <= min(tally.values()) <= max(tally.values()) <= 60


def test_a_leak_gives_the_answer_away():
    """A leaked text says the right option's words and no other option's; a yes/no leak says whether it is shown."""
    plain = load(items=960, seed=4)
    for item, without in zip(load(items=960, seed=4, leak=1.0), plain, strict=True):
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


@pytest.mark.parametrize(
    "wrong",
    [{"items": 0}, {"seed": -1}, {"leak": 1.5}, {"leak": float("nan")}, {"modality": "ct"}, {"language": "la"}],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    """A setting out of range is named in the error."""
    with pytest.raises(StudyError, match=str(next(iter(wrong.values())))):
        load(**wrong)


def test_the_settings_are_kept():
    """The benchmark says how it was made."""
    assert load(items=3, seed=5, leak=0.25).about == {
        "items": 3,
        "seed": 5,
        "leak": 0.25,
        "modality": "all",
        "language": "en",
    }


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
