"""Azure OpenAI, tried with OpenAI's own client for it."""

from dataclasses import replace

from models.wires.openai import WIRE as OPENAI
from models.wires.openai import completed
from snellen.models.openai import Azure

VERSION = "2024-10-21"


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    from openai import AzureOpenAI  # takes seconds

    with AzureOpenAI(azure_endpoint=url, api_version=VERSION, api_key="key-of-the-contract", max_retries=0) as client:
        return completed(client, image, max_completion_tokens=9)


WIRE = replace(
    OPENAI,
    name="azure",
    opened=lambda url, **reach: Azure("m", base_url=url, api_version=VERSION, **reach),
    sdk=by_sdk,
)
