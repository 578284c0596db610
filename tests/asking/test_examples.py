"""Examples: shown before every question in the words of the prompt, and never one that is asked."""

import json
from dataclasses import replace

import pytest

from models.recording import Answer, recording
from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.prompts import Request
from snellen.store import Store
from snellen.study import Study
from strategies import items, picture

ASKED = Benchmark("asked", tuple(replace(item, cluster=f"patient {item.id}") for item in items(6)))
SOLVED = Item("solved", "What is this?", (Option("A lung"), Option("A heart")), 1, (picture(250, 16),), cluster="else")
WORDS = replace(SOLVED, id="words", images=(), question="Which is paired?", answer=0, cluster="")


def study(tmp_path, examples=(SOLVED,), heard=None, **how):
    """A study of a function that keeps what it was asked."""

    def answer(request):
        (heard if heard is not None else []).append(request)
        return "Answer: A"

    how = {"models": [FakeModel(answer)], "benchmarks": [ASKED], "tests": ["image-needed"], **how}
    return Study(examples=examples, out=tmp_path / "out", **how)


def test_every_question_comes_after_the_examples_with_their_images(tmp_path):
    """Also where the question's own image is removed: examples stay as they are, and stand in the store."""
    heard = []
    asked = study(tmp_path, (SOLVED, WORDS), heard)
    asked.ask()
    assert {bool(request.images) for request in heard} == {True, False}
    for request in heard:
        first, second = request.examples
        assert first.text.startswith("What is this?\n\nA. A lung\nB. A heart\n\nChoose one option.")
        assert [image.sha256 for image in first.images] == [picture(250, 16).encoded().sha256]
        assert (first.reply, second.reply, second.images) == ("Answer: B", "Answer: A", ())
    with Store.open(asked.out) as store:
        assert store.images.data(picture(250, 16).encoded().sha256) == picture(250, 16).encoded().data
        assert store.studies.record()["examples"] == ["solved", "words"]
    page = (asked.score().out / "report.html").read_text()
    assert "What is this?" in page
    assert "Example 1, with 1 image" in page


def test_a_server_sees_a_conversation_in_which_the_examples_were_answered(tmp_path, monkeypatch):
    """Question with image and reply, then the question that is asked; every image in its own message."""
    reply = {"choices": [{"message": {"content": "Answer: A"}, "finish_reason": "stop"}]}
    with recording(Answer(reply)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        study(tmp_path, models=["openai/m"], tests=["image-needed"], limit=1, canary=False).ask()
    with_image, without = sorted((sent.body["messages"] for sent in server.sent), key=lambda each: len(str(each)))[::-1]
    for messages, shown in ((with_image, 1), (without, 0)):
        assert [message["role"] for message in messages] == ["user", "assistant", "user"]
        images = [str(message["content"]).count("data:image/png;base64,") for message in messages]
        assert images == [1, 0, shown]
        assert messages[1]["content"] == "Answer: B"


def test_examples_are_part_of_the_request_and_of_the_study(tmp_path):
    """Other examples, other replies and other digests; without any, those that there were before."""
    plain, one = Request("m", "words"), study(tmp_path).plan()
    shown = replace(plain, examples=(one.arms_of(ASKED)[0].examples[0].encode_example(lambda image: image.encoded()),))
    other = replace(plain, examples=(shown.examples[0]._replace(reply="Answer: A"),))
    assert len({each.key for each in (plain, shown, other)}) == 3
    assert shown.address_to("n", "r", 1).examples == shown.examples
    plans = (one, study(tmp_path, ()).plan(), study(tmp_path, (WORDS,)).plan())
    assert len({plan.arms_of(ASKED)[0].digest("", 0) for plan in plans}) == 3
    assert "examples" not in plans[1].arms_of(ASKED)[0].record(0)


@pytest.mark.parametrize(
    ("example", "why"),
    [
        (replace(SOLVED, id="q001"), "the study asks an item with the id 'q001'"),
        (replace(SOLVED, images=(picture(1),)), "the study asks the item 'q001' with the same image"),
        (replace(SOLVED, cluster="patient q002"), "item 'q002' of the same patient or imaging study, 'patient q002'"),
    ],
)
def test_an_example_that_is_asked_is_refused(tmp_path, example, why):
    """By its id, by its image, by its patient."""
    with pytest.raises(StudyError, match=f"'{example.id}' cannot be shown: .*{why}"):
        study(tmp_path, (example,)).plan()


def test_a_question_without_an_image_is_known_by_its_words(tmp_path):
    """The order of the options makes no other question of it."""
    turned = replace(WORDS, id="other", options=WORDS.options[::-1], question="  which is PAIRED?")
    with pytest.raises(StudyError, match="the study asks the same question in the item 'words'"):
        study(tmp_path, (turned,), benchmarks=[Benchmark("b", (WORDS,))]).plan()


def test_a_file_that_holds_the_image_of_an_item_is_known_by_what_it_holds(tmp_path):
    """A copy under another name in another folder is the same image."""
    for folder in ("asked", "shown"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.png").write_bytes(picture(9).encoded().data)
        row = {"id": folder, "question": folder, "options": ["x", "y"], "answer": "A", "image": f"{folder}.png"}
        (tmp_path / folder / "items.jsonl").write_text(json.dumps(row))
    where = {"benchmarks": [tmp_path / "asked"]}
    with pytest.raises(StudyError, match="the study asks the item 'asked' with the same image"):
        study(tmp_path, [tmp_path / "shown" / "items.jsonl"], **where).plan()
    (tmp_path / "shown" / "shown.png").write_bytes(picture(10).encoded().data)
    assert [item.id for item in study(tmp_path, [tmp_path / "shown"], **where).plan().examples] == ["shown"]


def test_a_draw_leaves_out_what_is_asked_and_repeats_under_its_seed(tmp_path):
    """Of a benchmark that shares items with the one that is asked, only the others are drawn."""
    folder = {"benchmarks": ["phantoms:items=12"]}

    def drawn(**how):
        entry = {"benchmark": "phantoms:items=40", "number": 5}
        return [item.id for item in study(tmp_path, [entry], **folder, **how).plan().examples]

    asked = {item.id for item in study(tmp_path, (), **folder).plan().benchmarks[0]}
    assert drawn() == drawn()
    assert len(set(drawn())) == 5
    assert not asked & set(drawn())
    with pytest.raises(StudyError, match=r"from 'phantoms:items=12', got 0 of its 12 items"):
        study(tmp_path, [{"benchmark": "phantoms:items=12", "number": 1}], **folder).plan()


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([{"question": "?", "options": ["x", "y"], "answer": "C"}], "example 1 cannot be used: its answer 'C'"),
        ([{"question": "?", "options": ["x", "y"], "answer": "A", "image": "no.png"}], "'no.png' is not there"),
        ([{"benchmark": "phantoms", "number": 0}], "Expected 1 to 64 examples"),
        ([{"benchmark": "phantoms", "nummer": 2}], "no setting 'nummer'. Did you mean 'number'"),
        ([{"benchmark": "phantoms", "ids": ["q"]}], "has no item 'q'"),
        (["phantoms:seed=9"], "too many to show as examples"),
        ([SOLVED, SOLVED], "Two examples have the id 'solved'"),
        ([replace(SOLVED, kind="open", options=(), answer="A heart")], "are open questions, and this study asks none"),
        ([3], "Expected each of the examples to be a file, a row"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_examples_that_cannot_be_shown_are_refused(tmp_path, examples, message):
    """Each with what is wrong and what was expected."""
    with pytest.raises(StudyError, match=message):
        study(tmp_path, examples).plan()


def test_what_a_model_or_a_condition_cannot_take_is_said(tmp_path):
    """A model without eyes is shown no images, and an example without steps stands before no request for steps."""
    with pytest.raises(StudyError, match="organism/blind accepts no examples"):
        study(tmp_path, models=["organism/blind"]).plan()
    with pytest.raises(StudyError, match="fake/function takes no images, and the example 'solved' has one"):
        study(tmp_path, text_only=["fake/function"]).plan()
    assert study(tmp_path, (WORDS,), text_only=["fake/function"]).plan().examples == (WORDS,)
    with pytest.raises(StudyError, match="asks for steps before the answer, and the example 'words' shows none"):
        study(tmp_path, (WORDS,), tests=["chain-of-thought"]).plan()
    told = replace(WORDS, metadata={"rationale": "There are two of them."})
    arms = study(tmp_path, (told,), tests=["chain-of-thought"]).plan().arms_of(ASKED)
    assert {arm.examples[0].reply for arm in arms} == {"Answer: A", "There are two of them.\n\nAnswer: A"}


def test_examples_stand_before_the_questions_of_their_kind(tmp_path):
    """Beside a benchmark of another kind, which then has none."""
    words = Benchmark("words", tuple(replace(each, kind="open", options=(), answer="no") for each in items(4)))
    plan = study(tmp_path, benchmarks=[ASKED, words], tests=["image-needed", "open-answers"]).plan()
    assert [any(arm.examples for arm in plan.arms_of(each)) for each in plan.benchmarks] == [True, False]


def test_an_example_whose_image_cannot_be_sent_stops_the_run(tmp_path):
    """It is the example's fault, and no question goes out without it."""
    heard = []
    with pytest.raises(StudyError, match=r"image of the example 'What is this\?.* cannot be sent"):
        study(tmp_path, (replace(SOLVED, images=(Image(b"no image"),)),), heard).ask()
    assert heard == []


def test_a_study_file_has_examples_with_images_beside_it(tmp_path, monkeypatch):
    """Rows, and files, are found from where the study is."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    (tmp_path / "heart.png").write_bytes(picture(77).encoded().data)
    (tmp_path / "more.jsonl").write_text('{"id": "m", "question": "?", "options": ["x", "y"], "answer": "B"}')
    (tmp_path / "study.toml").write_text(
        'models = "openai/m"\nbenchmarks = "phantoms:items=4"\ntests = "image-needed"\n'
        '[[examples]]\nquestion = "What is this?"\noptions = ["A lung", "A heart"]\nanswer = "B"\nimage = "heart.png"\n'
        '[[examples]]\nbenchmark = "more.jsonl"\n'
    )
    read = Study.from_toml(tmp_path / "study.toml")
    for each in (read, replace(read, seed=1)):
        found = each.plan().examples
        assert [(item.id, item.letter, len(item.images)) for item in found] == [("example-1", "B", 1), ("m", "B", 0)]
        assert each.stem == "study"
