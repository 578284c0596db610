"""Batches: handed in once, whatever kills the run, and fetched into the same store as single requests."""

import json
import re
import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from models.recording import Answer, recording
from models.wires import anthropic, google, openai
from snellen.asking.batch import BatchRun
from snellen.asking.requests import count_answered
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.anthropic import AnthropicBatches
from snellen.models.chat import OpenAIBatches
from snellen.models.fake import FakeModel
from snellen.models.google import GoogleBatches
from snellen.store import Writer
from snellen.store.batches import StoredBatches
from snellen.study import Study, rescore
from strategies import items


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Provider:
    """A batch API on the loopback: what was handed in, and how many looks it takes until that is answered."""

    looks: int = 1
    failing: frozenset[int] = frozenset()
    """Places in a batch of requests that the provider cannot answer."""
    broken: str = ""
    """Why every batch fails as a whole."""
    batches: list[dict] = field(default_factory=list)

    def made(self, requests, **more):
        """A new batch of (custom id, body)."""
        self.batches.append({"id": f"batch_{len(self.batches)}", "requests": requests, "looks": self.looks, **more})
        return self.batches[-1]

    def look(self, batch):
        """Whether it has ended by now."""
        batch["looks"] -= 1
        return batch["looks"] < 0


class OpenAIProvider(Provider):
    """Files and batches as OpenAI has them."""

    model = "openai/m"
    below = "/v1"

    def __call__(self, sent):
        """The reply to a request."""
        path = sent.path.partition("?")[0]
        if path == "/v1/files":
            (purpose, rows) = re.findall(rb'name="(?:purpose|file)".*?\r\n\r\n(.*?)\r\n--', sent.raw, re.S)
            assert purpose == b"batch"
            self.file = [json.loads(row) for row in rows.splitlines()]
            assert {row["url"] for row in self.file} == {"/v1/chat/completions"}
            return Answer({"id": "file-in"})
        if path == "/v1/batches" and sent.method == "POST":
            rows = [(row["custom_id"], row["body"]) for row in self.file]
            return Answer(self.shown(self.made(rows, metadata=sent.body["metadata"])))
        if path == "/v1/batches":
            return Answer({"data": [self.shown(each) for each in self.batches], "has_more": False})
        if found := re.fullmatch("/v1/batches/batch_(.*)", path):
            return Answer(self.shown(self.batches[int(found[1])], looking=True))
        (number, kind) = re.fullmatch("/v1/files/(.*)-(out|err)/content", path).groups()
        return Answer(b"\n".join(self.lines(self.batches[int(number)]["requests"], kind)))

    def shown(self, batch, *, looking=False):
        """A batch as the API shows it."""
        number = batch["id"].removeprefix("batch_")
        ended = looking and self.look(batch)
        files = {"output_file_id": f"{number}-out", "error_file_id": f"{number}-err"} if ended else {}
        if self.broken:
            files, ended = {"errors": {"data": [{"message": self.broken}]}}, True
        status = ("failed" if self.broken else "completed") if ended else "in_progress"
        count = {"total": len(batch["requests"]), "completed": 0, "failed": 0}
        return {"id": batch["id"], "status": status, "request_counts": count, "metadata": batch["metadata"], **files}

    def lines(self, requests, kind):
        """The file of replies, or of errors, in reverse order."""
        for at, (custom_id, _) in reversed(list(enumerate(requests))):
            if (at in self.failing) != (kind == "err"):
                continue
            body = {"error": {"message": "too large", "code": "bad"}} if kind == "err" else openai.says("Answer: A")
            status = 400 if kind == "err" else 200
            yield json.dumps({"custom_id": custom_id, "response": {"status_code": status, "body": body}}).encode()


class AnthropicProvider(Provider):
    """Message batches as Anthropic has them."""

    model = "anthropic/claude-sonnet-4-5"
    below = ""

    def __call__(self, sent):
        """The reply to a request."""
        path = sent.path.partition("?")[0]
        if path == "/v1/messages/batches" and sent.method == "POST":
            rows = [(row["custom_id"], row["params"]) for row in sent.body["requests"]]
            return Answer(self.shown(self.made(rows)))
        if path == "/v1/messages/batches":
            return Answer({"data": [self.shown(each) for each in self.batches], "has_more": False})
        if found := re.fullmatch("/v1/messages/batches/batch_([0-9]*)", path):
            return Answer(self.shown(self.batches[int(found[1])], looking=True))
        number = re.fullmatch("/v1/messages/batches/batch_(.*)/results", path)[1]
        return Answer(b"\n".join(self.lines(self.batches[int(number)]["requests"])))

    def shown(self, batch, *, looking=False):
        """A batch as the API shows it."""
        ended = looking and self.look(batch)
        counts = {"processing": 0 if ended else len(batch["requests"]), "succeeded": 0, "errored": 0}
        counts["succeeded"] = len(batch["requests"]) if ended else 0
        made = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        status = "ended" if ended else "in_progress"
        return {"id": batch["id"], "processing_status": status, "request_counts": counts, "created_at": made}

    def lines(self, requests):
        """The results, in reverse order."""
        for at, (custom_id, _) in reversed(list(enumerate(requests))):
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": "too large"}}
            result = {"type": "succeeded", "message": anthropic.says("Answer: A")}
            if at in self.failing:
                result = {"type": "errored", "error": error}
            yield json.dumps({"custom_id": custom_id, "result": result}).encode()


class GoogleProvider(Provider):
    """Batches as the Gemini API has them."""

    model = "google/gemini-2.5-flash"
    below = ""

    def __call__(self, sent):
        """The reply to a request."""
        path = sent.path.partition("?")[0]
        if path == "/v1beta/models/gemini-2.5-flash:batchGenerateContent":
            batch = sent.body["batch"]
            rows = [(row["metadata"]["key"], row["request"]) for row in batch["inputConfig"]["requests"]["requests"]]
            return Answer(self.shown(self.made(rows, name=batch["displayName"])))
        if path == "/v1beta/batches":
            return Answer({"operations": [self.shown(each) for each in self.batches]})
        number = re.fullmatch("/v1beta/batches/batch_(.*)", path)[1]
        return Answer(self.shown(self.batches[int(number)], looking=True))

    def shown(self, batch, *, looking=False):
        """A batch as the API shows it."""
        ended = looking and self.look(batch)
        state = "BATCH_STATE_SUCCEEDED" if ended else "BATCH_STATE_RUNNING"
        replies = {"inlinedResponses": {"inlinedResponses": list(self.lines(batch["requests"]))}} if ended else None
        about = {"displayName": batch["name"], "state": state, "batchStats": {"requestCount": "6"}}
        more = {"done": True, "response": replies} if ended else {}
        return {"name": f"batches/{batch['id']}", "metadata": about, **more}

    def lines(self, requests):
        """The replies, in reverse order."""
        for at, (custom_id, _) in reversed(list(enumerate(requests))):
            came = {"response": google.says("Answer: A")}
            if at in self.failing:
                came = {"error": {"code": 3, "message": "too large"}}
            yield {**came, "metadata": {"key": custom_id}}


PROVIDERS = [OpenAIProvider, AnthropicProvider, GoogleProvider]


@pytest.fixture(params=PROVIDERS, ids=lambda provider: provider.model)
def vendor(request, monkeypatch):
    """Each provider's batches in turn; nobody waits between two looks."""

    async def at_once(seconds):
        pass

    made = BatchRun.__init__
    monkeypatch.setattr(BatchRun, "__init__", lambda self, *args, **how: made(self, *args, **{**how, "sleep": at_once}))
    return request.param


def study(out, server, vendor, **more):
    """Three questions with and without their image, in batches."""
    entry = {"name": vendor.model, "base_url": f"{server.url}{vendor.below}", "api_key_env": "BATCH_KEY"}
    return Study(**{
        "models": [entry], "benchmarks": [Benchmark("b", items(3))], "tests": ["image-needed"], "out": out,
        "canary": False, "batch": True, **more,
    })  # fmt: skip


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("BATCH_KEY", "key-of-the-batch")


def quiet(progress):
    """Show nothing."""


def test_one_batch_answers_everything(tmp_path, vendor):
    """Six requests are one batch; their responses are scored as any, and nothing is asked again."""
    provider = vendor(looks=2)
    with recording(answering=provider) as server:
        progress = study(tmp_path, server, vendor).ask(quiet)
        assert (progress.done, progress.failed, len(provider.batches)) == (6, 0, 1)
        assert len({custom_id for custom_id, _ in provider.batches[0]["requests"]}) == 6
        assert study(tmp_path, server, vendor).ask(quiet).done == 0
        assert study(tmp_path, server, vendor, batch=False).ask(quiet).done == 0
        assert len(provider.batches) == 1
    (table,) = rescore(tmp_path).readings["lenient"].values()
    assert all(arm.missing == 0 for arm in table.arms.values())


def test_the_same_body_as_a_single_request(tmp_path, vendor):
    """Each request of a batch is what would have been sent alone."""
    provider = vendor()
    with recording(answering=provider) as server:
        asked = study(tmp_path, server, vendor)
        asked.ask(quiet)
    bodies = [body for _, body in provider.batches[0]["requests"]]
    assert sum("base64" in json.dumps(body) or "inlineData" in json.dumps(body) for body in bodies) == 3


def test_a_budget_holds_for_batches(tmp_path, vendor):
    """What may cost more than is left is not handed in; what is handed in counts as spent once it is answered."""
    provider, most = vendor(), {"input": 10.0, "output": 50.0}
    with recording(answering=provider) as server:
        asked = study(tmp_path, server, vendor, budget=0.01, settings={"max_tokens": 100})
        priced = [{**vars_of(asked.models[0]), "price": most}]
        progress = study(tmp_path, server, vendor, models=priced, budget=0.02, settings={"max_tokens": 100}).ask(quiet)
        assert 0 < progress.done < 6
        assert "the budget of $0.02" in progress.unusable[vendor.model]
        rest = study(tmp_path, server, vendor, models=priced, budget=5, settings={"max_tokens": 100}).ask(quiet)
        assert rest.done == 6 - progress.done


def vars_of(entry):
    """An entry as its table."""
    return {"name": entry.name, "base_url": entry.base_url, "api_key_env": entry.api_key_env}


def killed_at(monkeypatch, number):
    """Let the process end at the so-manieth step of a run; returns the steps that were taken."""
    steps = []

    def step(name):
        steps.append(name)
        if len(steps) == number:
            raise Killed(name)

    def around(owner, name, *, is_async=False):
        original = getattr(owner, name)

        def sync(self, *args, **how):
            step(f"before {name}")
            made = original(self, *args, **how)
            step(f"after {name}")
            return made

        async def not_sync(self, *args, **how):
            step(f"before {name}")
            made = await original(self, *args, **how)
            step(f"after {name}")
            return made

        monkeypatch.setattr(owner, name, not_sync if is_async else sync)

    for name in ("add", "note"):
        around(StoredBatches, name)
    around(Writer, "store_response")
    for owner in BATCHES:
        for name in ("submit", "state"):
            around(owner, name, is_async=True)
    return steps


BATCHES = [OpenAIBatches, AnthropicBatches, GoogleBatches]


def test_killed_anywhere_nothing_is_handed_in_twice(tmp_path, vendor):
    """Whatever the last step was, the next run finds the batch, hands in nothing that is there, and has all answers."""
    number, ended = 0, False
    while not ended:
        number += 1 if vendor is PROVIDERS[0] else 3  # most steps are the same for all
        provider, out = vendor(looks=1), tmp_path / str(number)
        with recording(answering=provider) as server:
            with pytest.MonkeyPatch.context() as patch:
                steps = killed_at(patch, number)
                try:
                    study(out, server, vendor).ask(quiet)
                    ended = True
                except Killed:
                    pass
            study(out, server, vendor).ask(quiet)
            assert len(provider.batches) == 1, steps
            assert count_answered(study(out, server, vendor).plan()) == 6, steps
    assert number > 15


def test_what_the_provider_cannot_answer(tmp_path, vendor):
    """A request that failed is a failure with its reason, and handed in again by the next run; the others are kept."""
    provider = vendor(failing=frozenset({1, 4}))
    with recording(answering=provider) as server:
        progress = study(tmp_path, server, vendor).ask(quiet)
        assert (progress.done, progress.failed) == (4, 2)
        assert "too large" in progress.errors[vendor.model]
        provider.failing = frozenset()
        assert study(tmp_path, server, vendor).ask(quiet).done == 2
        assert [len(batch["requests"]) for batch in provider.batches] == [6, 2]


def test_a_batch_that_fails_as_a_whole(tmp_path):
    """Every request of it has failed, with the provider's reason; they can be asked again."""
    provider = OpenAIProvider(broken="the file is malformed")
    with recording(answering=provider) as server:
        progress = study(tmp_path, server, OpenAIProvider).ask(quiet)
        assert (progress.done, progress.failed) == (0, 6)
        assert "the file is malformed" in progress.errors["openai/m"]


def test_cut_by_the_providers_limits(tmp_path, vendor, monkeypatch):
    """No batch holds more requests than its provider takes."""
    provider = vendor()
    for owner in BATCHES:
        monkeypatch.setattr(owner, "most_requests", 4)
    with recording(answering=provider) as server:
        assert study(tmp_path, server, vendor).ask(quiet).done == 6
    assert [len(batch["requests"]) for batch in provider.batches] == [4, 2]


def test_a_model_without_a_batch_api(tmp_path):
    """It is named before anything is sent or made."""
    asked = Study(
        models=[FakeModel(lambda request: "A")], benchmarks=[Benchmark("b", items(2))], out=tmp_path / "o", batch=True
    )
    with pytest.raises(StudyError, match="There is no batch API for fake/function"):
        asked.ask(quiet)
    assert not (tmp_path / "o").exists()


def test_a_wrong_key_is_told_at_once(tmp_path, vendor):
    """It takes one request to know, and nothing is waited for."""
    with recording(Answer({"error": {"message": "no such key"}}, 401)) as server:
        progress = study(tmp_path, server, vendor).ask(quiet)
    assert "the key was not accepted" in progress.silent[vendor.model]
    assert len(server.sent) == 1


def handed_in_and_stopped(out, server, vendor, **more):
    """Hand a study's batch in, and stop before it is looked at."""
    with pytest.MonkeyPatch.context() as patch:
        killed_at(patch, 6)
        with pytest.raises(Killed, match="after note"):
            study(out, server, vendor, **more).ask(quiet)


def test_the_batch_of_another_study_is_left_to_that(tmp_path, vendor):
    """A study in the same folder waits for its own batch alone, and takes of a shared one what it asks."""
    provider = vendor()
    with recording(answering=provider) as server:
        handed_in_and_stopped(tmp_path, server, vendor)
        others = study(tmp_path, server, vendor, benchmarks=[Benchmark("c", items(5)[3:])], name="others")
        assert others.ask(quiet).done == 4
        fewer = study(tmp_path, server, vendor, benchmarks=[Benchmark("d", items(1))], name="fewer")
        assert fewer.ask(quiet).done == 2
        assert study(tmp_path, server, vendor).ask(quiet).done == 4
        assert [len(batch["requests"]) for batch in provider.batches] == [6, 4]


def test_single_requests_leave_to_a_batch_what_it_holds(tmp_path):
    """What is handed in is not asked and paid a second time; the run says how it is fetched."""
    provider = OpenAIProvider(looks=0)
    with recording(answering=provider) as server:
        handed_in_and_stopped(tmp_path, server, OpenAIProvider)
        progress = study(tmp_path, server, OpenAIProvider, batch=False).ask(quiet)
        assert (progress.done, progress.failed) == (0, 0)
        assert "An earlier batch will return 6 responses" in progress.remarks["openai/m"]
        assert study(tmp_path, server, OpenAIProvider).ask(quiet).done == 6


def test_what_is_handed_in_is_kept_when_the_rest_is_not_asked(tmp_path, vendor):
    """A budget that ends before what another batch holds does not lose the replies to that, which are paid."""
    provider, priced = vendor(), {"price": {"input": 10.0, "output": 50.0}, "api_key_env": "BATCH_KEY"}
    with recording(answering=provider) as server:
        models = [{"name": vendor.model, "base_url": f"{server.url}{vendor.below}", **priced}]
        how = {"models": models, "settings": {"max_tokens": 100}}
        handed_in_and_stopped(tmp_path, server, vendor, benchmarks=[Benchmark("late", items(5)[3:])], **how)
        all_five = study(tmp_path, server, vendor, benchmarks=[Benchmark("b", items(5))], budget=0.000001, **how)
        progress = all_five.ask(quiet)
        assert "the budget" in progress.unusable[vendor.model]
        assert (progress.done, len(provider.batches)) == (4, 1)


def test_a_batch_that_the_provider_has_no_more(tmp_path, vendor):
    """Its requests have failed, and the same command hands them in again."""
    provider, forgotten = vendor(), []

    def answering(sent):
        gone = sent.method == "GET" and any(number in sent.path for number in forgotten)
        return Answer({"error": {"message": "no such batch"}}, 404) if gone else provider(sent)

    with recording(answering=answering) as server:
        handed_in_and_stopped(tmp_path, server, vendor)
        forgotten.append("batch_0")
        progress = study(tmp_path, server, vendor).ask(quiet)
        assert progress.failed == 6
        assert "no longer has the batch" in progress.errors[vendor.model]
        assert study(tmp_path, server, vendor).ask(quiet).done == 6


def test_a_provider_that_cannot_be_asked_what_it_has(tmp_path, vendor):
    """Where nobody knows whether a batch arrived, nothing is handed in, and the model alone is given up."""
    provider, down = vendor(), []
    with recording(answering=lambda sent: Answer({}, 503) if down else provider(sent)) as server:
        with pytest.MonkeyPatch.context() as patch:
            killed_at(patch, 4)
            with pytest.raises(Killed, match="after submit"):
                study(tmp_path, server, vendor).ask(quiet)
        down.append(True)
        assert "cannot check whether" in study(tmp_path, server, vendor).ask(quiet).unusable[vendor.model]
        down.clear()
        assert study(tmp_path, server, vendor).ask(quiet).done == 6
        assert len(provider.batches) == 1


@pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider], ids=lambda provider: provider.model)
def test_results_that_are_odd(tmp_path, kind):
    """Lines that cannot be read, come twice or belong to nobody, and counts that are none, lose no reply."""
    provider = kind(looks=0)
    lines, shown = provider.lines, provider.shown

    def odd(*args):
        rows = list(lines(*args))
        ids = [json.loads(row)["custom_id"] for row in rows[:1]]
        strange = [{"custom_id": f"{ids[0][:-1]}²"}, {"custom_id": "1", "response": "x", "result": "x"}] if ids else []
        return [b"no JSON", b"[1]", *(json.dumps(row).encode() for row in strange), *rows, *rows]

    provider.lines = odd
    provider.shown = lambda *args, **how: {**shown(*args, **how), "request_counts": {"total": None, "completed": "x"}}
    with recording(answering=provider) as server:
        progress = study(tmp_path, server, kind).ask(quiet)
    assert (progress.done, progress.failed) == (6, 0)


def test_two_models_at_a_provider_without_tags(tmp_path, vendor):
    """A batch is not taken for another of as many requests, that of another model or somebody else's."""
    provider = vendor()
    with recording(answering=provider) as server:
        entry = {"name": vendor.model, "base_url": f"{server.url}{vendor.below}", "api_key_env": "BATCH_KEY"}
        both = {"models": [{**entry, "as": "one"}, {**entry, "as": "two"}]}
        with pytest.MonkeyPatch.context() as patch:
            killed_at(patch, 10)
            with pytest.raises(Killed, match="after submit"):
                study(tmp_path, server, vendor, **both).ask(quiet)
        somebody = [(f"theirs-{at}", body) for at, (_, body) in enumerate(provider.batches[0]["requests"])]
        theirs = {**provider.batches[0], "id": "batch_0", "requests": somebody, "name": "theirs", "metadata": None}
        provider.batches[:] = [theirs, *provider.batches]
        for at, batch in enumerate(provider.batches):
            batch["id"] = f"batch_{at}"
        with sqlite3.connect(tmp_path / "responses.sqlite") as connection:
            known = "batches/batch_1" if vendor is GoogleProvider else "batch_1"
            connection.execute("UPDATE batches SET provider_id = ? WHERE provider_id != ''", (known,))
        assert study(tmp_path, server, vendor, **both).ask(quiet).done == 12
        assert len(provider.batches) == 3
