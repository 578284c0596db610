"""By which revision a store knows a model: a server that moves is the same one, unless it reports another model."""

import sqlite3

import pytest

from models.recording import Answer, recording
from models.wires.openai import says
from snellen.asking.requests import count_answered
from snellen.errors import StudyError, UnusableModelError
from snellen.items import Benchmark
from snellen.study import Study, rescore
from strategies import items


def study(out, url, **more):
    """Two questions, each with its image and without, of a model at an address."""
    entry = {"name": "openai/m", "base_url": f"{url}/v1", **more}
    return Study(models=[entry], benchmarks=[Benchmark("b", items(2))], tests=["image-needed"], out=out, canary=False)


def quiet(progress):
    """Show nothing."""


@pytest.fixture
def asked(tmp_path):
    """A folder with all four responses of a model that its server calls m-2026."""
    with recording(Answer(says("A", model="m-2026"))) as server:
        assert study(tmp_path, server.url).ask(quiet).done == 4
    return tmp_path


def test_a_server_that_moved_is_not_asked_again(asked):
    """At another port one short question shows that it is the same model; the next time not even that."""
    with recording(Answer(says("A", model="m-2026"))) as server:
        progress = study(asked, server.url).ask(quiet)
        assert (progress.done, len(server.sent)) == (0, 1)
        assert "stored responses are used" in progress.remarks["openai/m"]
        moved = study(asked, server.url)
        assert (count_answered(moved.plan()), moved.ask(quiet).done, len(server.sent)) == (4, 0, 1)


def test_a_server_that_reports_another_model_is_another(asked):
    """Everything is asked of it, and both are kept apart; each address leads to its own afterwards."""
    with recording(Answer(says("B", model="m-2027"))) as server:
        progress = study(asked, server.url).ask(quiet)
        assert (progress.done, len(server.sent)) == (4, 5)
        assert "'m-2027', the earlier one reported 'm-2026'" in progress.remarks["openai/m"]
        again = study(asked, server.url)
        assert (count_answered(again.plan()), again.ask(quiet).done) == (4, 0)
        assert again.plan().models[0].revision == "served as m-2027"
        tables = rescore(asked).readings["lenient"]
        assert {key[0] for key in tables} == {"openai/m"}


def test_the_user_says_that_it_is_another(asked):
    """With a revision of its own nothing stored counts, and nobody needs to be asked who it is."""
    with recording(Answer(says("B", model="m-2026"))) as server:
        assert study(asked, server.url, revision="quantised").ask(quiet).done == 4
        assert len(server.sent) == 4


def test_a_folder_of_an_earlier_version(asked):
    """There the address was the revision: it is found by it, and a move is recognised as any other."""
    with sqlite3.connect(asked / "responses.sqlite") as connection:
        ((address,),) = connection.execute("SELECT address FROM addresses").fetchall()
        connection.execute("DELETE FROM addresses")
        connection.execute("UPDATE models SET revision = ?", (address,))
    assert count_answered(study(asked, address.removesuffix("/v1")).plan()) == 4
    with recording(Answer(says("A", model="m-2026"))) as server:
        assert study(asked, server.url).ask(quiet).done == 0


def test_one_model_stands_twice(tmp_path):
    """With labels, at two servers, each told something else; both names are in the results."""
    with recording(Answer(says("A"))) as one, recording(Answer(says("B"))) as two:
        entries = [
            {"name": "openai/m", "as": "plain", "base_url": f"{one.url}/v1"},
            {"name": "openai/m", "as": "told", "base_url": f"{two.url}/v1", "system": "You are a radiologist."},
        ]
        both = Study(
            models=entries, benchmarks=[Benchmark("b", items(2))], tests=["image-needed"], out=tmp_path, canary=False
        )
        assert both.ask(quiet).done == 8
    told = [sent.body["messages"][0] for sent in two.sent]
    assert all(each["content"].startswith("You are a radiologist.") for each in told)
    assert not any(b"radiologist" in sent.raw for sent in one.sent)
    assert {sent.body["model"] for sent in (*one.sent, *two.sent)} == {"m"}
    results = rescore(tmp_path)
    assert {model for model, _ in results.readings["lenient"]} == {"plain", "told"}
    assert not any(each.served_by for each in results.delivery), "m is what was asked, whatever it is called here"


def test_a_label_that_stands_for_another_model(tmp_path):
    """What one model answered under a label does not count for another that is given the same label."""
    with recording(answering=lambda sent: Answer(says("A", model=sent.body["model"]))) as server:
        for name in ("openai/old", "openai/new"):
            assert study(tmp_path, server.url, name=name, **{"as": "ours"}).ask(quiet).done == 4
    assert [sent.body["model"] for sent in server.sent] == [*["old"] * 4, *["new"] * 4]


def test_a_server_that_cannot_be_asked_who_it_is(asked):
    """It is remarked, and the next run asks again: an address is known only once somebody answered there."""
    loading = [Answer({"error": {"message": "loading"}}, 401)]
    with recording(answering=lambda sent: (loading or [Answer(says("B", model="m-2027"))])[0]) as server:
        assert "could not be asked which model it is" in study(asked, server.url).ask(quiet).remarks["openai/m"]
        loading.clear()
        assert study(asked, server.url).ask(quiet).done == 4


def test_a_server_that_does_not_say_who_it_is(asked):
    """It is taken for the same, and that is remarked."""
    with recording(Answer({**says("B"), "model": None})) as server:
        progress = study(asked, server.url).ask(quiet)
    assert (progress.done, len(server.sent)) == (0, 1)
    assert "does not say which model it is" in progress.remarks["openai/m"]


def test_names_and_headers_that_cannot_be_used(tmp_path, monkeypatch):
    """A label that nobody could see is refused; a key or header that cannot be sent is named, and never shown."""
    with pytest.raises(StudyError, match="expected label to be text of one line"):
        study(tmp_path, "http://127.0.0.1:9", **{"as": " "})
    monkeypatch.setenv("OPENAI_API_KEY", "half-a-key\nanother-half")
    with pytest.raises(UnusableModelError, match=r"cannot be sent\. Check OPENAI_API_KEY\.$"):
        study(tmp_path, "http://127.0.0.1:9").plan()
    with pytest.raises(UnusableModelError, match=r"cannot be sent\. Check headers in \[\[models\]\]\.$"):
        study(tmp_path, "http://127.0.0.1:9", headers={"X": "a\nb"}).plan()
