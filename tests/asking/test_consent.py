"""Consent: no image goes to another machine before a person has allowed it for this host and these images."""

import io
import sys
from dataclasses import replace

import pytest

from snellen.asking.consent import ask_in_terminal
from snellen.cli import main
from snellen.errors import ConsentError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.study import Study, judge
from strategies import items, picture

ITEMS = Benchmark("ward", items(4))
ELSEWHERE = "https://api.example.org/v1"


class Line:
    """A person who says the same to every question, and remembers the questions."""

    def __init__(self, says=True):
        self.says, self.heard = says, []

    def __call__(self, question):
        self.heard.append(question)
        return self.says


def model(at=ELSEWHERE, name="far/model"):
    """A function that is asked at an address, and counts how often."""
    made = FakeModel(lambda request: made.asked.append(request) or "Answer: A", name=name)
    made.asked, made.at = [], at
    return made


def study(tmp_path, *models, **how):
    how = {"benchmarks": [ITEMS], "tests": ["image-needed"], "repeat": False, **how}
    return Study(models=models, out=tmp_path / "out", **how)


def test_host_model_and_number_are_named_once_and_remembered(tmp_path):
    """One question for one host, before the first request; a resumed study asks no more, more images or hosts do."""
    far, person = model(), Line()
    study(tmp_path, far, limit=2).ask(consent=person)
    assert person.heard[0].startswith(
        "Images are about to leave this machine, to api.example.org (far/model): 2 images of ward."
    )
    study(tmp_path, far, limit=2, tests=["image-needed", "option-order"]).ask(consent=person)
    assert len(person.heard) == 1
    study(tmp_path, far).ask(consent=person)
    assert "4 images of ward" in person.heard[1]
    study(tmp_path, far, limit=3, tests=["option-order"]).ask(consent=person)
    assert len(person.heard) == 2
    study(tmp_path, far, model("http://192.168.1.7/v1", "near/model")).ask(consent=person)
    assert len(person.heard) == 3
    assert "to 192.168.1.7 (near/model): 4 images" in person.heard[2]


def test_other_images_are_asked_for_again(tmp_path):
    """A consent holds for the images that it was given for, and for no other benchmark or example."""
    person = Line()
    other = Benchmark("clinic", tuple(replace(item, id=f"c{item.id}", images=(picture(99),)) for item in items(2)))
    example = replace(items(9)[8], images=(picture(200, 16),))
    study(tmp_path, model()).ask(consent=person)
    study(tmp_path, model(), benchmarks=[ITEMS, other], examples=[example]).ask(consent=person)
    assert [("of ward" in said, "of clinic" in said, "of the examples" in said) for said in person.heard] == [
        (True, False, False),
        (False, True, True),
    ]
    assert "1 image of clinic and 1 image of the examples" in person.heard[1]


@pytest.mark.parametrize(("says", "message"), [(False, "^Nothing was sent"), (None, "Allow it with --yes")])
def test_without_consent_nothing_is_sent_or_stored(tmp_path, says, message):
    """A no, and nobody to ask, both end the run before the first request, with no trace in the folder."""
    far = model()
    with pytest.raises(ConsentError, match=message):
        study(tmp_path, far).ask(consent=Line(says))
    assert (far.asked, Store.is_in(tmp_path / "out")) == ([], False)


@pytest.mark.parametrize("at", ["", "http://127.0.0.1:8000/v1", "http://localhost/v1", "http://[::1]:80/v1"])
def test_what_stays_on_this_machine_needs_no_consent(tmp_path, at):
    """A model in this process, and a server of this machine."""
    here, person = model(at), Line(False)
    study(tmp_path, here).ask(consent=person)
    assert (len(here.asked), person.heard) == (8, [])


def test_words_need_no_consent(tmp_path):
    """A model that takes no images, questions without images, and conditions that remove them."""
    person = Line(False)
    far = model()
    study(tmp_path, far, text_only=["far/model"]).ask(consent=person)
    study(tmp_path, far, benchmarks=[Benchmark("words", items(3, images=False))], tests=["option-order"]).ask(
        consent=person
    )
    assert person.heard == []
    assert far.asked


def test_a_study_that_is_answered_asks_nobody(tmp_path):
    """No image leaves any more; a server at a new address is only asked in words who it is."""
    person, far = Line(False), model()
    study(tmp_path, model(""), limit=3).ask(consent=person)
    study(tmp_path, far, limit=3).ask(consent=person)
    assert person.heard == []
    assert [(len(request.images), request.text) for request in far.asked] == [(0, "Reply with the word OK.")]


def test_a_judge_elsewhere_is_shown_images_after_consent(tmp_path):
    """The same rule for the images that a judge sees beside the rationales; what is judged by words alone is free."""
    study(tmp_path, model(""), tests=["image-needed", "rationale"]).ask(consent=Line(False))
    far, person = model(name="far/judge"), Line()
    with pytest.raises(ConsentError, match=r"to api\.example\.org"):
        judge(tmp_path / "out", far, consent=Line(None))
    judge(tmp_path / "out", far, unsure=True, consent=Line(False))
    judge(tmp_path / "out", far, limit=3, consent=person)
    judge(tmp_path / "out", far, consent=person)
    judge(tmp_path / "out", far, limit=2, consent=person)
    assert len(person.heard) == 2, "the first three are not all, and all hold for some"
    assert "(far/judge): 3 images of ward" in person.heard[0]
    assert any(request.images for request in far.asked)


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("typed", "meant"), [("y\n", True), (" YES \n", True), ("\n", False), ("", False), ("n\n", False)]
)
def test_only_yes_is_a_yes(monkeypatch, typed, meant):
    """No is what a line without words means, and the end of the input."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stderr", shown)
    assert ask_in_terminal("Send them?") is meant
    assert shown.getvalue() == "Send them? [y/N] "
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert ask_in_terminal("Send them?") is None


def test_the_command_refuses_where_nobody_can_be_asked(tmp_path, monkeypatch, capsys):
    """Exit status 1 and the sentence; `--yes` is how a script allows it."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://203.0.113.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    words = ["exam", "--model", "openai/m", "--benchmark", "phantoms:items=3", "--tests", "image-needed"]
    monkeypatch.setattr(sys, "argv", ["snellen", *words, "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "to 203.0.113.1 (openai/m): 3 images of phantoms:items=3" in said
    assert "Nothing was sent. Allow it with --yes" in said
    assert not (tmp_path / "out").exists()


def test_a_model_that_names_its_host_itself_is_asked_about(tmp_path):
    """As one that is reached through another library, whatever holds it."""

    class Through(FakeModel):
        host = "openai (through Inspect)"

    with pytest.raises(ConsentError, match=r"to openai \(through Inspect\) \(inspect/openai/m\): 4 images"):
        study(tmp_path, Through(str, name="inspect/openai/m")).ask(consent=Line(None))


def test_yes_asks_nobody(tmp_path):
    """What a script allows is remembered as well."""
    person, far = Line(None), model()
    study(tmp_path, far, tests=["image-needed"], yes=True).ask(consent=person)
    study(tmp_path, far, tests=["option-order"]).ask(consent=person)
    assert (len(far.asked), person.heard) == (12, [])
