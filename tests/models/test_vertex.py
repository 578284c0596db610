"""Vertex AI: where a model is asked, and the login of Google Cloud."""

import asyncio
import threading

import google.auth
import pytest
from google.auth.credentials import Credentials
from google.auth.exceptions import DefaultCredentialsError, TransportError

from models.recording import Answer, recording
from models.wires.google import says
from snellen.errors import MissingExtraError, TransientError, UnusableModelError
from snellen.models import google as backend
from snellen.models import open_model
from snellen.models.google import Vertex
from snellen.prompts import Request


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """A server on the loopback stands for one elsewhere."""
    monkeypatch.setattr(Vertex, "host", "aiplatform.googleapis.com")


class Login(Credentials):
    """Credentials whose token is valid while there is one; a renewal may fail."""

    def __init__(self, *failures):
        super().__init__()
        self._quota_project_id = "billed"
        self.failures, self.renewed_by = list(failures), []

    @property
    def valid(self):
        return self.token is not None

    def refresh(self, transport):
        self.renewed_by.append(threading.current_thread())
        if self.failures:
            raise self.failures.pop()
        self.token = f"ya29.token-{len(self.renewed_by)}"


def answered(*between, answer=None):
    """What was sent in several requests to a model that logs in by itself, between which something happens."""

    async def ask(url):
        asked = Vertex("gemini-3-flash", project="clinic", base_url=url)
        try:
            await asked.answer(Request("m", "A or B?"))
            for happens in between:
                happens()
                await asked.answer(Request("m", "A or B?"))
        finally:
            await asked.close()

    with recording(answer or Answer(says())) as server:
        asyncio.run(ask(server.url))
        return server.sent


def test_the_login_is_found_and_renewed(monkeypatch):
    """A token is fetched off the event loop, used until it is old, and then renewed; who pays is told."""
    login = Login()
    monkeypatch.setattr(google.auth, "default", lambda scopes: (login, "clinic"))
    sent = answered(lambda: None, lambda: setattr(login, "token", None))
    tokens = [each.headers["Authorization"] for each in sent]
    assert tokens == ["Bearer ya29.token-1", "Bearer ya29.token-1", "Bearer ya29.token-2"]
    assert {each.headers["x-goog-user-project"] for each in sent} == {"billed"}
    assert threading.main_thread() not in login.renewed_by


def test_no_login(monkeypatch):
    """Without a login nothing is asked, and it is said how to get one; a network that fails is worth another try."""

    def none(scopes):
        raise DefaultCredentialsError("Your default credentials were not found.")

    monkeypatch.setattr(google.auth, "default", none)
    with pytest.raises(UnusableModelError, match="gcloud auth application-default login"):
        answered()
    failing = Login(TransportError("no network", retryable=True))
    monkeypatch.setattr(google.auth, "default", lambda scopes: (failing, None))
    with pytest.raises(TransientError, match="no network"):
        answered()


def test_a_token_is_not_shown(monkeypatch):
    """A server that quotes the token in its error does not bring it into ours."""
    monkeypatch.setattr(google.auth, "default", lambda scopes: (Login(), None))
    echo = Answer({"error": {"code": 403, "message": "ya29.token-1 may not", "status": "PERMISSION_DENIED"}}, 403)
    with pytest.raises(UnusableModelError, match=r"the login of Google Cloud.*\[hidden\] may not"):
        answered(answer=echo)


def test_places(monkeypatch):
    """The address follows from the place; a resource names its own, and a project is needed."""
    with pytest.raises(UnusableModelError, match="Set GOOGLE_CLOUD_PROJECT"):
        open_model("vertex/gemini-3-flash")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "clinic")
    assert open_model("vertex/gemini-3-flash").address == "https://aiplatform.googleapis.com, login of Google Cloud"
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "eu")
    assert open_model("vertex/gemini-3-flash").at == "https://aiplatform.eu.rep.googleapis.com"
    tuned = open_model("vertex/projects/7/locations/europe-west4/endpoints/9")
    assert tuned.at == "https://europe-west4-aiplatform.googleapis.com"
    assert tuned.path(Request("m", "?")) == "/v1beta1/projects/7/locations/europe-west4/endpoints/9:generateContent"


def test_a_token_needs_no_package(monkeypatch):
    """Without google-auth a token is enough; without a token the extra is named."""
    monkeypatch.setattr(backend, "find_spec", lambda name: None)
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "clinic")
    with pytest.raises(MissingExtraError, match=r"snellen\[vertex\]"):
        open_model("vertex/gemini-3-flash")
    monkeypatch.setenv("VERTEX_ACCESS_TOKEN", "ya29.token")
    assert open_model("vertex/gemini-3-flash").address.endswith("key from VERTEX_ACCESS_TOKEN")
