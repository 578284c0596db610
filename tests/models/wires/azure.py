"""Azure OpenAI, tried with OpenAI's own client for it."""

from dataclasses import replace

from models.wires.openai import WIRE as OPENAI
from snellen.models.openai import Azure

VERSION = "2024-10-21"


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    from openai import AzureOpenAI  # takes seconds

    with AzureOpenAI(azure_endpoint=url, api_version=VERSION, api_key="key-of-the-contract", max_retries=0) as client:
        return client.chat.completions.create(
            model="m",
            messages=[
                {"role": "system", "content": "Be brief."},
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}},
                        {"type": "text", "text": "A or B?"},
                    ],
                },
            ],
            temperature=0.5,
            max_completion_tokens=9,
            stop=["END"],
        )


WIRE = replace(
    OPENAI,
    name="azure",
    opened=lambda url, **reach: Azure("m", base_url=url, api_version=VERSION, **reach),
    sdk=by_sdk,
)
