"""Image used: by swapped images, else on the items that need the image; never by silence, never against a leak."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import FakeModel
from snellen.cli.asking import show_plan
from snellen.images import decode
from snellen.models.organisms import ORGANISMS
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings, mark_model
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.study import Study
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.guesser import TooLittle, guess_answers
from strategies import FINDINGS, picture
from studied import results_of
from tables import grades, rated

pytestmark = pytest.mark.usefixtures("no_groups")

TEST = stress_test("image-used:rating=needs")
OPTIONS = 5
SHOWN = {"+": 0, "n": 1, "-": 2}
"""The right answer to the item's own image, what the new image shows, and something else; any other sign is silence."""


def said(signs, key):
    """The grades of a line of signs; the right answer here is the item's own (key 0) or the one after it (key 1)."""
    replies = [
        (at, 0, Outcome.ABSTAINED, 0)
        if sign not in SHOWN
        else (at, 0, Outcome.CORRECT if SHOWN[sign] == key else Outcome.WRONG, (at + SHOWN[sign]) % OPTIONS)
        for at, sign in enumerate(signs)
    ]
    return replace(grades(replies), key=(np.arange(len(signs)) + key) % OPTIONS)


def asked(original, removed, swapped=None):
    """The table of these responses, all items being rated to need the image."""
    items = rated(len(original), options=OPTIONS)
    arms = {"original": said(original, 0), "image-removed": said(removed, 0)}
    arms |= {"image-substituted": said(swapped, 1)} if swapped else {}
    return Table("m", "b", items, arms)


def follows(*signs):
    """The verdict `follows` on these responses."""
    return mark_model(asked(*signs))[0].verdict


@pytest.mark.parametrize(
    ("original", "removed", "swapped", "status", "reason"),
    [
        ("+" * 60, "o" * 60, "n" * 60, Status.PASS, "follows-image"),
        ("+" * 60, "+" * 60, "n" * 60, Status.PASS, "follows-image"),
        ("+" * 60, "+" * 60, "+" * 60, Status.FAIL, "keeps-answer"),
        ("+" * 60, "o" * 60, "+" * 60, Status.FAIL, "keeps-answer"),
        ("+" * 60, "o" * 60, "+" * 40 + "-" * 20, Status.FAIL, "keeps-answer"),
        ("+" * 60, "o" * 60, "n" * 4 + "+" * 56, Status.FAIL, "keeps-answer"),
        ("+" * 60, "o" * 60, "n" * 32 + "+" * 28, Status.INCONCLUSIVE, "at-the-limit"),
        ("-" * 60, "-" * 60, "-" * 60, Status.INCONCLUSIVE, "not-shown-to-beat-guessing"),
        ("n" * 60, "n" * 60, "n" * 60, Status.INCONCLUSIVE, "not-shown-to-beat-guessing"),
        ("+-" * 6 + "-" * 48, "-" * 60, "-+" * 30, Status.INCONCLUSIVE, "not-shown-to-beat-guessing"),
        ("n" * 30 + "+" * 30, "o" * 60, "+" * 60, Status.INCONCLUSIVE, "knows-too-little"),
        ("+" * 60, "o" * 60, "o" * 60, Status.INCONCLUSIVE, "swaps-declined"),
        ("+" * 60, "o" * 60, "n" * 8 + "o" * 52, Status.INCONCLUSIVE, "swaps-declined"),
        ("o" * 60, "o" * 60, "o" * 60, Status.NOT_APPLICABLE, "answers-nothing"),
        ("+" * 60, "+" * 60, None, Status.INCONCLUSIVE, "swap-not-asked"),
    ],
)
def test_who_follows_a_swapped_image_follows_the_image(original, removed, swapped, status, reason):
    """Following passes; keeping the old answer fails; declining and a leak change nothing about either."""
    found = follows(original, removed, swapped)
    assert (found.status, found.reason) == (status, reason), found.sentence


@pytest.mark.parametrize(
    ("original", "removed", "swapped", "why"),
    [
        ("+" * 60, "o" * 60, "n" * 60, "100% follow a swapped image, 0% keep the old answer (n 60)"),
        ("+" * 60, "+" * 20 + "-" * 40, None, "0 of 60 questions"),
        ("+" * 20 + "-" * 40, "+" * 20 + "-" * 40, None, "wrong without the image, 0% (95% CI 0 to 9) are right"),
        ("+" * 60, "o" * 60, None, "fewer than 6 of these are answered under both conditions"),
        ("+" * 60, "+" * 55 + "-" * 5, None, "the image adds 8 points"),
    ],
)
def test_its_numbers_are_reported_without_a_verdict(original, removed, swapped, why):
    """By swapped images where there are any, else on the items that need the image."""
    [found] = findings([TEST], asked(original, removed, swapped))
    assert (found.verdict.status, why in found.verdict.sentence) == (Status.REPORTED, True), found.verdict.sentence


@given(st.lists(st.sampled_from("+n-o"), min_size=20, max_size=60), st.data())
def test_who_does_not_look_never_passes(text, data):
    """Whatever the text makes it answer, and wherever it falls silent without the image or with another one."""
    fallen = [data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text))) for _ in range(2)]
    removed, swapped = ("".join("o" if gone else each for each, gone in zip(text, off, strict=True)) for off in fallen)
    assert follows("".join(text), removed, swapped).status is not Status.PASS


LOOKING, NOT_LOOKING = ("grounded", "mirage", "positional", "rambler"), ("blind", "pretender", "refuser", "memoriser")


@pytest.mark.parametrize("leak", [0, 1])
def test_organisms_at_every_leak(tmp_path, leak):
    """Those that look pass, whatever the text gives away; those that read only the text never do."""
    models = [f"organism/{name}" for name in (*LOOKING, *NOT_LOOKING)]
    study = Study(
        models=models, benchmarks=(f"phantoms:items=48,leak={leak}",), tests=("image-used",), out=tmp_path / "out"
    )
    marks = [each for each in results_of(study).marks if each.test.name == "follows"]
    passed = {each.model.partition("/")[2] for each in marks if each.verdict.status is Status.PASS}
    assert passed == set(LOOKING)
    assert set(LOOKING + NOT_LOOKING) <= set(ORGANISMS)


def test_a_few_swapped_images_are_not_none():
    """Too few to decide by, they are counted."""
    few = grades([(0, 0, Outcome.CORRECT, 1)])
    items = rated(8, options=OPTIONS)
    arms = {"original": said("++++++++", 0), "image-removed": said("--------", 0)}
    arms["image-substituted"] = replace(few, key=(np.arange(8) + 1) % OPTIONS)
    [found] = findings([TEST], Table("m", "b", items, arms))
    assert found.verdict.sentence.startswith("Only 1 image swapped; ")
    del arms["image-substituted"]
    [found] = findings([TEST], Table("m", "b", items, arms))
    assert found.verdict.sentence.startswith("No images were swapped; ")


def look(request):
    """Reads the answer off the image: its grey is 40 times the place of the finding, and a little more."""
    shown = [int(decode(each.data, name="x").mean()) // 40 for each in request.images]
    return f"Answer: {'ABCDE'[shown[0]]}" if shown else "There is no image."


def test_a_table_without_modality_and_body_part_is_judged(tmp_path, capsys):
    """Images are swapped by text: who looks passes, who guesses is not decided, and a line names the columns to add."""
    rows = [["id", "question", *"ABCDE", "answer", "image"]]
    for at in range(60):
        (tmp_path / f"{at}.png").write_bytes(picture(40 * (at % 5) + at // 5).read())
        rows.append([at, "What does the image show?", *FINDINGS["chest"][:5], "ABCDE"[at % 5], f"{at}.png"])
    (tmp_path / "items.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    models = [FakeModel(look, name="fake/looks"), FakeModel(lambda request: "Answer: A", name="fake/blind")]
    study = Study(models=models, benchmarks=[tmp_path], tests=["image-used"], out=tmp_path / "out")
    show_plan(study.plan(), out_folder=tmp_path, answered=0)
    told = " ".join(capsys.readouterr().out.split())
    assert "60 of 60 items are matched with others by text and images only (image-used)." in told
    assert "To match them exactly, add the columns modality" in told
    results = results_of(study)
    statuses = {mark.model: mark.verdict.status for mark in results.marks if mark.test.name == "follows"}
    assert statuses == {"fake/looks": Status.PASS, "fake/blind": Status.INCONCLUSIVE}
    for finding in results.findings:
        note = "60 questions related to others by text and images: add the columns `modality`, `body_part`"
        assert finding.line()[2].endswith(note)


@pytest.mark.parametrize(
    ("count", "said"), [(39, "pass a screen that had too few questions to learn from"), (40, "need the image, chosen")]
)
def test_what_the_audit_cannot_learn_from_no_screen_says_of(count, said):
    """The audit and the screen need the same number of questions; with fewer, none is said to need its image."""
    items = tuple(replace(item, answer=at % OPTIONS) for at, item in enumerate(rated(count, options=OPTIONS)))
    arms = {
        arm: grades([(at, 0, outcome, items[at].answer) for at in range(count)])
        for arm, outcome in (("original", Outcome.CORRECT), ("image-removed", Outcome.WRONG))
    }
    tests = [stress_test("image-used"), stress_test("visual-necessity")]
    used, necessity = (each.verdict.numbers for each in findings(tests, Table("m", "b", items, arms)))
    assert isinstance(guess_answers(Audited("b", items)), TooLittle) == (count < 40)
    assert f"{count} of {count} questions {said}" in used
    assert ("questions that need the image" in necessity) == (count >= 40)
