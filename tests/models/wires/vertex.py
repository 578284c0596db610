"""Gemini by Vertex AI, tried with Google's own client."""

from dataclasses import replace

from models.wires.google import WIRE as GOOGLE
from models.wires.google import asked
from snellen.models.google import Vertex


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    from google import genai
    from google.genai import types
    from google.oauth2.credentials import Credentials

    options = types.HttpOptions(base_url=url, api_version="v1beta1")
    login = Credentials(token="key-of-the-contract")
    place = {"project": "clinic", "location": "europe-west4"}
    with genai.Client(vertexai=True, credentials=login, http_options=options, **place) as client:
        return asked(client, image)


WIRE = replace(
    GOOGLE,
    name="vertex",
    opened=lambda url, **reach: Vertex("m", project="clinic", location="europe-west4", base_url=url, **reach),
    sdk=by_sdk,
)
