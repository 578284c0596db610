"""Azure OpenAI: where a deployment is asked, by which key, and what its filter answers."""

import pytest

from models.recording import Answer, answered
from models.wires.openai import says
from snellen.errors import RejectedError, UnusableModelError
from snellen.models import open_model
from snellen.models.openai import Azure
from snellen.prompts import Settings


def at(answer, *, below="", key="key-of-a-test"):
    """The response of a deployment at an address, and what was sent."""
    return answered(lambda url: Azure("gpt 4o", base_url=url + below, key=key), answer)


@pytest.mark.parametrize(
    ("below", "version", "path"),
    [
        ("", "", "/openai/v1/chat/completions"),
        ("/openai/v1/", "2024-10-21", "/openai/v1/chat/completions"),
        ("/openai", "2024-10-21", "/openai/deployments/gpt%204o/chat/completions?api-version=2024-10-21"),
        ("", "2024-10-21", "/openai/deployments/gpt%204o/chat/completions?api-version=2024-10-21"),
        ("?api-version=1", "2024-10-21", "/openai/deployments/gpt%204o/chat/completions?api-version=1"),
        (
            "/openai/deployments/d/chat/completions?api-version=1",
            "",
            "/openai/deployments/d/chat/completions?api-version=1",
        ),
    ],
)
def test_place(below, version, path, monkeypatch):
    """The v1 interface is asked unless a version is set; an address may hold its path, or all of it."""
    if version:
        monkeypatch.setenv("AZURE_OPENAI_API_VERSION", version)
    _, sent = at(says(), below=below)
    assert sent.path.replace("gpt 4o", "gpt%204o") == path


def test_keys(monkeypatch):
    """A key goes in a header of its own, a token of Entra ID as a bearer's; without either nothing is asked."""
    _, sent = at(says())
    assert (sent.headers["api-key"], sent.headers.get("Authorization")) == ("key-of-a-test", None)
    _, sent = at(says(), key="eyJ0eXAi.e30.c2ln")
    assert (sent.headers.get("api-key"), sent.headers["Authorization"]) == (None, "Bearer eyJ0eXAi.e30.c2ln")
    with pytest.raises(UnusableModelError, match="Set AZURE_OPENAI_ENDPOINT or base_url, as in https://RESOURCE"):
        open_model("azure/gpt-4o")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://clinic.openai.azure.com")
    with pytest.raises(UnusableModelError, match="Set AZURE_OPENAI_API_KEY or AZURE_OPENAI_AD_TOKEN"):
        open_model("azure/gpt-4o")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "key-of-azure")
    assert open_model("azure/gpt-4o").address == "https://clinic.openai.azure.com, key from AZURE_OPENAI_API_KEY"


def test_a_prompt_that_the_filter_holds_back():
    """A 400 by the content filter is a filtered response, any other a request that was refused."""
    held = {"error": {"code": "content_filter", "message": "The response was filtered.", "status": 400}}
    response, _ = at(Answer(held, 400))
    assert (response.text, response.finish) == ("", "content_filter")
    with pytest.raises(RejectedError):
        at(Answer({"error": {"code": "BadRequest", "message": "No images."}}, 400))


def test_a_deployment_that_reasons_by_its_name():
    """A deployment that is named after a model that reasons is sent no temperature, and says so."""
    chosen = Settings(temperature=0.0)
    reach = {"base_url": "https://clinic.openai.azure.com", "key": "key-of-a-test"}
    assert Azure("gpt-5-mini", **reach).untaken(chosen) == ("temperature",)
    assert Azure("radiology", **reach).untaken(chosen) == ()
