"""The benchmarks of the Readiness paper: every stress test has questions to ask of each, with no column added."""

import csv
import json
from contextlib import suppress

import numpy as np
import pytest

from snellen import FakeModel
from snellen.errors import Inapplicable
from snellen.images import encode
from snellen.study import Study
from strategies import FINDINGS

QUESTION = {"chest": "What does this chest X-ray show?", "eye": "What does this fundus photograph show?"}
CASES = [(part, place) for place in range(4) for part in ("chest", "eye")]
"""Cases as all of these benchmarks have them: the part of the body, and which finding is right."""


def image(path, number):
    """A picture of its own for each case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(np.full((4, 4), 10 * number, np.uint8)).data)


def options(part, named):
    """The findings of a part under the names of the columns."""
    return dict(zip(named, FINDINGS[part], strict=False))


def write_nejm(folder):
    """The collected file: neither category nor modality nor body part, and the same question everywhere."""
    rows = [
        {
            "image_id": at,
            "question": "What is the diagnosis?",
            **options(part, [f"option_{letter}" for letter in "ABCDE"]),
            "correct_answer": "ABCDE"[place],
        }
        for at, (part, place) in enumerate(CASES)
    ]
    (folder / "image_challenge_dataset.json").write_text(json.dumps(rows))
    for at in range(len(rows)):
        image(folder / "images" / f"{at:04}.png", at)


def write_jama(folder):
    """What the scraper writes, with a field for each case."""
    rows = [
        {
            "link": f"https://jamanetwork.com/journals/jama/fullarticle/{at}",
            "question": QUESTION[part],
            **options(part, ("opa", "opb", "opc", "opd")),
            "answer_idx": "ABCD"[place],
            "field": part,
        }
        for at, (part, place) in enumerate(CASES)
    ]
    (folder / "jama_raw.json").write_text(json.dumps(rows))
    for at in range(len(rows)):
        image(folder / "images" / f"{at}.png", at)


def write_omnimedvqa(folder):
    """A modality, no body part, and one type of question."""
    rows = [
        {
            "question_id": f"q{at}",
            "question": QUESTION[part],
            **options(part, [f"option_{letter}" for letter in "ABCD"]),
            "gt_answer": FINDINGS[part][place],
            "image_path": f"Images/{at}.png",
            "question_type": "Disease Diagnosis",
            "modality_type": "X-Ray" if part == "chest" else "Fundus Photography",
        }
        for at, (part, place) in enumerate(CASES)
    ]
    file = folder / "QA_information" / "Open-access" / "set.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(rows))
    for at in range(len(rows)):
        image(folder / "Images" / f"{at}.png", at)


def write_pmc_vqa(folder):
    """Questions about figures: no metadata at all."""
    rows = [
        {
            "Figure_path": f"PMC{at}_F1.jpg",
            "Question": QUESTION[part],
            **options(part, [f"Choice {letter}" for letter in "ABCD"]),
            "Answer_label": "ABCD"[place],
        }
        for at, (part, place) in enumerate(CASES)
    ]
    with (folder / "test_clean.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    for at in range(len(rows)):
        image(folder / "images" / f"PMC{at}_F1.jpg", at)


def write_vqa_rad(folder):
    """Closed questions: yes or no, or one of two that the question names."""
    rows = [
        {
            "qid": at,
            "image_name": f"{at}.jpg",
            "image_organ": "CHEST",
            "image_case_url": f"https://medpix.nlm.nih.gov/case?id={at}",
            "question": "Is there an effusion?",
            "answer": ("yes", "no")[at % 2],
            "answer_type": "CLOSED",
            "question_type": "PRES",
        }
        for at in range(8)
    ]
    (folder / "VQA_RAD Dataset Public.json").write_text(json.dumps(rows))
    (folder / "testset.json").write_text(json.dumps(rows))
    for at in range(len(rows)):
        image(folder / "images" / f"{at}.jpg", at)


WRITTEN = {
    "nejm-image-challenge": write_nejm,
    "jama-challenge": write_jama,
    "omnimedvqa": write_omnimedvqa,
    "pmc-vqa": write_pmc_vqa,
    "vqa-rad": write_vqa_rad,
}
WITHOUT_T4 = {"vqa-rad": {"distractors", "distractors:image=removed", "unknown-option", "unknown-option:image=removed"}}
"""Yes and no have no unrelated stand-in. MIMIC-CXR, the sixth, asks for reports, which have no options at all."""


@pytest.mark.parametrize("name", WRITTEN)
def test_every_stress_test_asks_something(tmp_path, name):
    """T1 to T6, from the files as they are published."""
    WRITTEN[name](tmp_path)
    study = Study(
        models=[FakeModel(lambda request: "Answer: A")],
        benchmarks=[f"{name}:{tmp_path}"],
        tests=["readiness"],
        out=tmp_path / "out",
    )
    plan = study.plan()
    [benchmark] = plan.benchmarks
    arms = {arm.name: arm for arm in plan.arms_of(benchmark)}
    tests = plan.tests_of(benchmark)
    silent = {test.name for test in tests if not any(asks(plan, arms[arm.name]) for arm in test.compared)}
    assert silent == WITHOUT_T4.get(name, set())
    assert {test.name for test in tests} >= {*WITHOUT_T4["vqa-rad"], "image-needed", "option-order", "chain-of-thought"}
    assert {test.name for test in tests} >= {"visual-necessity", "visual-substitution", "robustness"}


def asks(plan, arm):
    """Whether a condition applies to some question."""
    [benchmark] = plan.benchmarks
    for item in benchmark:
        with suppress(Inapplicable):
            arm.vary(item, seed=plan.seed, pool=plan.pool_of(benchmark))
            return True
    return False
