"""Cases are drawn from a study by a seeded plan, and show what a task needs and nothing that tells whose they are."""

import re
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.judging.qualify import MEMBERS as QUESTIONS
from snellen.judging.qualify.held import qualify
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.study import Study
from snellen.tools.review.ballots import ReviewedCase, Vote
from snellen.tools.review.case import CasePassage
from snellen.tools.review.drawing import ENDED, UNAVAILABLE, DrawingPlan, draw_sample
from snellen.tools.review.results import summarise_review
from snellen.tools.review.returning import labelled_rows
from snellen.tools.review.tasks import TASKS
from strategies import picture

MODELS = ("openai/gpt-5", "acme/Zeta-Scan-9", "anthropic/claude-opus-4")
NAME = "Hostile-Set-7"
ENDS = {0: "", 1: "cut", 2: "held"}


def choice(number):
    return Item(
        f"{NAME}/choice_{number:04}",
        f"Is picture {number} normal?",
        (Option("Normal"), Option("Disease")),
        number % 2,
        (picture(number), Image(picture(99).source, role="prior")),
        context="Aged 50.",
        category="chest",
        metadata={"normal": "Normal"},
    )


def question(number):
    task = ("diagnosis", "treatment")[number % 2]
    return Item(
        f"{NAME}/open_{number:04}",
        f"What does scan {number} show?",
        answer="Gout",
        images=(picture(100 + number),),
        kind="open",
        metadata={"task": task, "answers": ["Gout", "Urate crystals"]},
    )


def says(name):
    """A model that names itself and all it should not know, and ends in several ways."""

    def answer(request):
        sent = tuple(receipt(image) for image in request.every_image)
        number = int(re.search(r"(?:picture|scan) (\d+)", request.text)[1])
        told = f"I am {name}, from {NAME}/choice_{number:04} or {NAME}/open_{number:04} ({NAME}), under image-removed."
        text = f"<think>As {name} I think.</think>{told} The joint is swollen, so it is gout.\n\nAnswer: A"
        if number in (1, 2) and "scan" in request.text:
            finish, text = ("length", text) if number == 1 else ("content_filter", "")
            return Response(text, finish=finish, sent=sent)
        return Response(text if number != 3 or "picture" in request.text else "", reasoning=f"{name} thinks", sent=sent)

    return FakeModel(answer, name=name)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A study of hostile names: questions with options and open ones, asked twice with and without their images."""
    out = tmp_path_factory.mktemp("hostile")
    items = (*map(choice, range(6)), *map(question, range(8)))
    tests = ("image-needed", "open-answers", "option-order")
    Study(models=tuple(map(says, MODELS)), benchmarks=[Benchmark(NAME, items)], tests=tests, out=out, epochs=2).ask(
        lambda progress: None
    )
    with Store.open(out) as store:
        yield store, store.studies.record()


def shown(case, title):
    return next((each.text for each in case.shown.passages if each.title.startswith(title)), None)


def draw(*given):
    return draw_sample(*given).cases


def arms_of(study):
    return sorted({arm for arms in study["arms"].values() for arm in arms})


def test_nothing_in_any_case_tells_whose_it_is(asked):
    """No case of any task under any condition holds a model, a maker, a benchmark, a condition or an item's id."""
    store, study = asked
    names = [
        *MODELS,
        "gpt-5",
        "zeta-scan-9",
        "zeta scan",
        "claude",
        "anthropic",
        "openai",
        NAME,
        "image-removed",
        "acme/",
    ]
    seen = Counter()
    for task in TASKS.values():
        for arms in [(), *((arm,) for arm in arms_of(study))]:
            try:
                cases = draw(store, study, task, DrawingPlan(each=50, arms=arms))
            except StudyError:
                continue
            for case in cases:
                written = orjson.dumps(case.shown.json).decode().casefold()
                found = [name for name in (*names, case.subject.item_id) if name.casefold() in written]
                assert found == [], (task.name, arms, case.subject)
                seen[task.name] += 1
    assert set(seen) == set(TASKS) - {"mismatch", "premise", "mend"}  # the study has no such questions


def test_how_many_cases_were_changed_is_told(asked):
    """Every response of this study names its model; a question names nothing."""
    store, study = asked
    told = draw_sample(store, study, TASKS["rationale"], DrawingPlan(each=4))
    assert told.record["blinded"] == len(told.cases) == sum(each["drawn"] for each in told.record["strata"])
    assert draw_sample(store, study, TASKS["profile"]).record["blinded"] == 0


def test_a_verdict_shows_question_reference_response_and_original_image(asked):
    """Whatever the condition, the image is the original's, so that the condition does not show."""
    store, study = asked
    both = [
        draw(store, study, TASKS["verdict"], DrawingPlan(each=99, arms=(arm,))) for arm in ("original", "image-removed")
    ]
    first, second = ({(each.subject.item_id, each.subject.model): each for each in cases} for cases in both)
    assert first.keys() == second.keys()
    for key, case in first.items():
        assert len(case.images) == len(case.shown.images) == 1
        assert case.images == second[key].images
        assert shown(case, "Reference answers") == "Gout\nUrate crystals"
        assert case.shown.task == "verdict"
    assert {len(each.images) for each in both[1]} == {1}


def test_a_verdict_is_of_open_questions_as_asked_thirty_of_each_task(asked):
    """By default the arm is `original`, the strata are the tasks, and all models come into it."""
    store, study = asked
    told = draw_sample(store, study, TASKS["verdict"])
    assert {each.subject.arm for each in told.cases} == {"original"}
    assert {name.rpartition(" · ")[2]: of for name, of in told.strata.items()} == {
        "diagnosis": (24, 24),
        "treatment": (24, 24),
    }
    assert told.plan.each == 30
    assert {each.wanted for each in told.cases} == {2}


def test_empty_cut_off_and_held_back_are_three_things_and_shown(asked):
    """A response that is not whole is shown as it is, and said to be so; what was thought is no part of it."""
    store, study = asked
    for case in draw(store, study, TASKS["verdict"], DrawingPlan(each=99)):
        number = int(case.subject.item_id[-4:])
        how = {1: "cut off", 2: "held back", 3: "empty"}.get(number)
        assert shown(case, "Note") == (ENDED[how] if how else None)
        assert ("swollen" in shown(case, "Response")) == (number not in (2, 3))
        assert "think" not in shown(case, "Response")


def test_a_rationale_comes_with_the_images_as_sent(asked):
    """Nothing was sent without the image, and nothing is shown; titles are the roles that the question told."""
    store, study = asked
    for case in draw(store, study, TASKS["rationale"], DrawingPlan(each=99)):
        wanted = [] if case.subject.arm == "image-removed" else ["Image 1", "Prior study"]
        assert [each.title for each in case.shown.images] == wanted
        assert case.shown.options[0].startswith("A. ")
        assert len(case.shown.options) == 2


def test_questions_are_shown_without_a_key_or_a_response(asked):
    """Profiles are of all questions, references of open ones; each stands once, and names no model."""
    store, study = asked
    profiles = draw(store, study, TASKS["profile"])
    references = draw(store, study, TASKS["reference"])
    assert len({each.subject.item_id for each in profiles}) == len(profiles) == 14
    assert sorted(each.subject.item_id for each in references) == [f"{NAME}/open_{n:04}" for n in range(8)]
    for case in (*profiles, *references):
        assert case.shown.passages == ()
        assert case.images
        assert case.subject[4:] == ("", "", "", 0, "")
    assert {each.wanted for each in profiles} == {3}


def test_labels_for_parsers_come_without_images(asked):
    """Missing images are those of arms that sent none; quality is of questions that have a normal option."""
    store, study = asked
    missing = draw(store, study, TASKS["missing-image"])
    assert {each.subject.arm for each in missing} == {"image-removed"}
    assert {each.subject.stratum for each in missing} == {f"{name} · image-removed" for name in MODELS}
    quality = draw(store, study, TASKS["quality"])
    assert all("normal?" in each.shown.question for each in quality)
    assert {case.images for case in (*missing, *quality)} == {()}


def test_the_same_seed_draws_the_same_and_more_draw_these_and_more(asked):
    """A larger plan holds the smaller one, so that a review can be extended."""
    store, study = asked
    few, again, more, other = (
        draw(store, study, TASKS["verdict"], DrawingPlan(each=each, seed=seed))
        for each, seed in ((5, 1), (5, 1), (9, 1), (5, 2))
    )
    assert few == again
    assert set(few) < set(more)
    assert few != other


@pytest.mark.parametrize("seed", range(5))
def test_items_come_first_then_models_and_a_second_run_last(asked, seed):
    """Four cases of four items are of four items; twelve are every model on each of them once; the rest are repeats."""
    store, study = asked
    four, twelve, all_ = (
        [
            each.subject
            for each in draw(store, study, TASKS["verdict"], DrawingPlan(each=each, seed=seed, by=("category",)))
            if each.subject.stratum == "diagnosis"
        ]
        for each in (4, 12, 24)
    )
    assert len({each.item_id for each in four}) == 4
    assert max(Counter(each.model for each in four).values()) == 2
    assert len({(each.item_id, each.model) for each in twelve}) == 12
    assert len(set(all_)) == 24


def test_the_order_of_cases_does_not_tell_their_strata(asked):
    """Numbers go by that order, and stand in files that are handed to raters."""
    store, study = asked
    strata = [each.subject.stratum for each in draw(store, study, TASKS["missing-image"])]
    assert strata != sorted(strata)


@pytest.mark.parametrize(("overlap", "shared"), [(0.0, 0), (0.25, 6), (0.5, 12), (1.0, 24)])
def test_the_overlap_is_the_share_of_cases_that_several_read(asked, overlap, shared):
    """The others get one reader."""
    store, study = asked
    cases = draw(store, study, TASKS["verdict"], DrawingPlan(each=12, overlap=overlap, raters=3))
    assert Counter(each.wanted for each in cases) == Counter({3: shared, 1: 24 - shared})


def test_a_study_without_the_image_says_so(asked):
    """Of an imported log without images nobody knows them: the case says that the image is not here."""
    store, study = asked
    part = next(name for name in study["arms"] if name.endswith("/open"))
    imported = {
        **study,
        "arms": {part: {"image-removed": study["arms"][part]["image-removed"]}},
        "benchmarks": {part: study["benchmarks"][part]},
        "imported": ["log"],
    }
    for case in draw(store, imported, TASKS["verdict"], DrawingPlan(arms=("image-removed",))):
        assert CasePassage("Image", UNAVAILABLE) in case.shown.passages
        assert case.images == ()


def test_what_cannot_be_drawn_is_told(asked):
    """A model or condition that is not there, strata that are none, and a study that has nothing for a task."""
    store, study = asked
    with pytest.raises(StudyError, match=r"no model 'openai/gpt-6'\. Did you mean 'openai/gpt-5'"):
        draw(store, study, TASKS["verdict"], DrawingPlan(models=("openai/gpt-6",)))
    with pytest.raises(StudyError, match="Cases can be drawn by benchmark, category, model, arm; got 'models'"):
        DrawingPlan(by=("models",))
    with pytest.raises(StudyError, match="overlap to be a share from 0 to 1, got 2"):
        DrawingPlan(overlap=2)
    without = {**study, "benchmarks": {}}
    with pytest.raises(StudyError, match="nothing for the task 'verdict', which is about responses to open"):
        draw(store, without, TASKS["verdict"])
    assert replace(DrawingPlan(), each=3).record["each"] == 3


@pytest.fixture(scope="module")
def pathway(tmp_path_factory):
    """Clinical cases, asked of a model with vision and of one that is told the report instead of the image."""
    out = tmp_path_factory.mktemp("pathway")
    models, tests = ["organism/grounded", "organism/reader"], ("pathway-answers", "mismatched-image", "false-premise")
    benchmarks = ["phantoms:task=pathway,items=24", "phantoms:task=premises,items=12"]
    Study(models=models, benchmarks=benchmarks, tests=tests, out=out).ask(lambda progress: None)
    with Store.open(out) as store:
        yield store, store.studies.record()


def test_answers_of_models_without_vision_are_drawn(pathway):
    """They stand under the report that replaced the image; a model with vision is drawn with its image alone."""
    store, study = pathway
    alone = draw(store, study, TASKS["verdict"], DrawingPlan(models=("organism/reader",)))
    assert {each.subject.arm for each in alone} >= {"report-for-image"}
    assert all("report" in each.shown.context for each in alone if each.subject.arm == "report-for-image")
    both = draw(store, study, TASKS["verdict"], DrawingPlan(each=200))
    assert {each.subject.arm for each in both if each.subject.model == "organism/grounded"} == {"original"}


def test_contradictions_and_premises_can_be_labelled(pathway):
    """With and without a contradiction or an image, so that a rater cannot tell from the task what is so."""
    store, study = pathway
    expected = {
        "mismatch": ["image-mismatched", "image-mismatched:donor=none"],
        "premise": ["image-removed", "original"],
    }
    for task, arms in expected.items():
        cases = draw(store, study, TASKS[task])
        assert sorted({each.subject.arm for each in cases}) == arms
        assert all(each.shown.response for each in cases)


def test_labels_of_contradictions_and_premises_are_rows_that_qualify_reads(pathway):
    """With what the parsers need to know of each question."""
    store, study = pathway
    for task, label in (("mismatch", "named"), ("premise", "corrects")):
        made = draw(store, study, TASKS[task])
        votes = tuple(Vote(0, name, False, {"label": label}, 1.0, 1.0) for name in ("Ann", "Bob"))
        cases = [ReviewedCase(at, task, each.subject, each.shown, 2, "", votes) for at, each in enumerate(made)]
        rows = labelled_rows(store, study, summarise_review(cases, TASKS[task]))
        assert len(qualify(task, rows).rows) == len(made) > 5
        assert all(row.get("shown_body_part") or row.get("premise") for row in rows)


def test_every_question_that_people_can_label_for_a_judge_has_a_task():
    """Else nobody could make the labels that qualify a judge."""
    assert {"verdict" if name == "open-answer" else name for name in QUESTIONS} <= set(TASKS)


def test_why_nothing_was_drawn_is_said(asked):
    """With how many responses were left out, and why."""
    store, study = asked
    with pytest.raises(StudyError, match=r"Responses left out: asked with an image: \d"):
        draw(store, study, TASKS["missing-image"], DrawingPlan(arms=("original",)))
