"""The prompts of the Mirage paper: as printed, and with or without the benchmark's name."""

import re
from pathlib import Path

import pytest

from snellen.conditions import IMAGE_REMOVED, NO_IMAGE, ORIGINAL
from snellen.prompts import (
    ATTACHMENT_COUNTED,
    BARE,
    BENCHMARK_PROMPTS,
    MIRAGE,
    NAMED,
    PROMPTS,
    TOLD_TO_GUESS,
    UNNAMED,
    Arm,
    Settings,
)
from strategies import items

PAPERS = Path(__file__).parents[3] / "shared" / "papers"
ITEM = items(1)[0]


def paper():
    """The words of the paper, marks of its typesetting left out."""
    found = sorted(PAPERS.glob("003*"))
    if not found:
        pytest.skip("the paper is not here")
    return plain(found[0].read_text())


def plain(text):
    """Words and sentence marks only: brackets stand in formulas there."""
    return re.sub(r"\s+", " ", re.sub(r"[$\[\]*“”\"]|\\langle|\\rangle", "", text)).replace(" .", ".")


@pytest.mark.parametrize("prompt", BENCHMARK_PROMPTS, ids=lambda prompt: prompt.name)
def test_a_benchmarks_prompt_is_the_papers_word_for_word(prompt):
    """Each of the six prompts, with its benchmark's name, stands in the paper as it is sent."""
    asked = Arm(ORIGINAL).asked_by(MIRAGE, prompt.dataset)
    assert asked.name == prompt.name
    assert prompt.dataset in asked.system
    assert plain(asked.system) in paper()


def test_the_sentence_that_says_the_image_is_gone_is_the_papers():
    """Guess mode adds one sentence of the paper's to the system prompt, and nothing else."""
    plainly = Arm(IMAGE_REMOVED).asked_by(MIRAGE, "MicroVQA")
    told = Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS).asked_by(MIRAGE, "MicroVQA")
    assert told.user == plainly.user
    added = told.system.removeprefix(plainly.system)
    assert added.startswith(" However, the image has been removed")
    assert plain(added).strip() in paper()


def test_the_attachment_note_is_the_papers():
    """The line that counts an attachment which is not there."""
    assert ATTACHMENT_COUNTED.render(ITEM).text.startswith("number of image attachments: 1\n")
    assert "number of image attachments: 1" in paper()


def test_a_benchmark_without_a_prompt_of_its_own_is_named_in_the_general_one():
    """One's own benchmark is asked as the paper asks MedXpertQA-MM, by its own name."""
    own = Arm(ORIGINAL).asked_by(MIRAGE, "my-scans").system
    theirs = Arm(ORIGINAL).asked_by(MIRAGE, "MedXpertQA-MM").system
    assert own == theirs.replace("MedXpertQA-MM", "my-scans")


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=lambda prompt: prompt.name)
@pytest.mark.parametrize("dataset", ["VQA-RAD", "my-scans"])
def test_naming_changes_nothing_but_the_name(prompt, dataset):
    """With and without the name, any prompt is the same but for the words that name the benchmark."""
    named = Arm(IMAGE_REMOVED, rewording=NAMED).asked_by(prompt, dataset)
    unnamed = Arm(IMAGE_REMOVED, rewording=UNNAMED).asked_by(prompt, dataset)
    called = prompt.for_benchmark(dataset).dataset or dataset
    assert f" from the {called} dataset" in named.system
    assert "dataset" not in unnamed.system
    assert (named.user, named.translations) == (unnamed.user, unnamed.translations)
    left = named.system.replace(f" from the {called} dataset", "")
    assert left in (unnamed.system, f"{unnamed.system} The question is.".strip())


@pytest.mark.parametrize(
    "prompt", [BARE, ATTACHMENT_COUNTED, MIRAGE, *PROMPTS.values()], ids=lambda prompt: prompt.name
)
def test_no_place_for_a_name_is_ever_sent(prompt):
    """A prompt rendered as it is names no benchmark, and leaves no mark where the name would stand."""
    assert "{" not in prompt.render(ITEM).system


@pytest.mark.parametrize(
    "benchmark", ["VQA-RAD", "MedXpertQA-MM", "MicroVQA", "ReXVQA", "MMMU-Pro", "Video-MME", "Video-MMMU"]
)
def test_every_benchmark_of_the_paper_is_asked_for_an_answer_in_brackets(benchmark):
    """By its name, which the prompt says, and in the format that an example would show."""
    asked = Arm(ORIGINAL).asked_by(MIRAGE, benchmark)
    assert f"from the {benchmark} dataset" in asked.system
    assert "[[" in asked.system
    assert asked.reply_to(ITEM).startswith("[[")


def test_arms_are_called_by_what_they_change():
    """The name of an arm says what it does to the words."""
    assert Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS).name == "image-removed+guess"
    assert Arm(IMAGE_REMOVED, rewording=UNNAMED).name == "image-removed+unnamed"
    assert Arm(NO_IMAGE, BARE).name == "no-image+bare"
    high = Settings(reasoning_effort="high")
    assert Arm(ORIGINAL, settings=high, rewording=UNNAMED).in_words == "with the benchmark not named, at high effort"
    assert Arm(IMAGE_REMOVED, rewording=TOLD_TO_GUESS).in_words == "without the image, told to guess"
    assert Arm(ORIGINAL).in_words == "as asked"
