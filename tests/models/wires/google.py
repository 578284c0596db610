"""Gemini by the Gemini API, tried with Google's own client."""

import re
from base64 import b64decode

from models.recording import Wire
from snellen.models.google import Google


def says(text="B", finish="STOP", *, input_tokens=7, output_tokens=2, model="m"):
    """A reply of generateContent."""
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": text}] if text else []},
                "finishReason": finish,
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": input_tokens,
            "candidatesTokenCount": output_tokens,
            "totalTokenCount": input_tokens + output_tokens,
        },
        "modelVersion": model,
        "responseId": "r-1",
    }


def with_parts(*parts, finish="STOP"):
    """A reply of these parts."""
    reply = says(finish=finish)
    reply["candidates"][0]["content"]["parts"] = list(parts)
    return reply


def images(body):
    """The base64 of every image."""
    parts = [part for content in body["contents"] for part in content["parts"] if "inlineData" in part]
    return [part["inlineData"]["data"] for part in parts]


def asked(client, image):
    """The contract's question, sent by the vendor's client."""
    from google.genai import types  # takes seconds

    seen = types.Part.from_bytes(data=b64decode(image), mime_type="image/png")
    return client.models.generate_content(
        model="m",
        contents=[types.Content(role="user", parts=[seen, types.Part.from_text(text="A or B?")])],
        config=types.GenerateContentConfig(
            system_instruction="Be brief.", temperature=0.5, max_output_tokens=9, stop_sequences=["END"]
        ),
    )


def by_sdk(url, image):
    """The same, by the Gemini API."""
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=url, api_version="v1beta")
    with genai.Client(api_key="key-of-the-contract", vertexai=False, http_options=options) as client:
        return asked(client, image)


def meant(value, name=""):
    """JSON as Google reads it: names in either spelling, base64 in either alphabet."""
    if isinstance(value, dict):
        camel = {key: re.sub(r"_(\w)", lambda found: found[1].upper(), key) for key in value}
        return {camel[key]: meant(each, camel[key]) for key, each in value.items()}
    if isinstance(value, list):
        return [meant(each) for each in value]
    return value.replace("-", "+").replace("_", "/") if name == "data" else value


WIRE = Wire(
    name="google",
    opened=lambda url, **reach: Google("m", base_url=url, **reach),
    says=says,
    images=images,
    finishes={"stop": "STOP", "length": "MAX_TOKENS", "filtered": "SAFETY"},
    sdk=by_sdk,
    reasoning=lambda: with_parts({"text": "because", "thought": True}, {"text": "B", "thoughtSignature": "c2ln"}),
    tool_call=lambda: with_parts({"functionCall": {"name": "look", "args": {}}}, finish="UNEXPECTED_TOOL_CALL"),
    meant=meant,
)
