"""OpenAI's chat completions, tried with OpenAI's own client."""

from models.recording import Wire
from snellen.models.openai import OpenAI


def says(text="B", finish="stop", *, input_tokens=7, output_tokens=2, model="m"):
    """A completion."""
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish, "logprobs": None}
        ],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
        },
    }


def reasoned():
    """A completion with its reasoning beside it."""
    reply = says("B")
    reply["choices"][0]["message"]["reasoning_content"] = "because"
    return reply


def called():
    """A completion that calls a tool."""
    reply = says(None, "tool_calls")
    reply["choices"][0]["message"]["tool_calls"] = [
        {"id": "t", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    ]
    return reply


def images(body):
    """The base64 of every image."""
    contents = (message["content"] for message in body["messages"] if isinstance(message["content"], list))
    parts = [part for content in contents for part in content if part["type"] == "image_url"]
    return [part["image_url"]["url"].partition(";base64,")[2] for part in parts]


def completed(client, image, **limit):
    """The contract's question, sent by one of the vendor's clients."""
    shown = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}}
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [shown, {"type": "text", "text": "A or B?"}]},
    ]
    return client.chat.completions.create(model="m", messages=asked, temperature=0.5, **limit, stop=["END"])


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    from openai import OpenAI as Client  # takes seconds

    with Client(base_url=f"{url}/v1", api_key="key-of-the-contract", max_retries=0) as client:
        return completed(client, image, max_tokens=9)


WIRE = Wire(
    name="openai",
    opened=lambda url, **reach: OpenAI("m", base_url=f"{url}/v1", **reach),
    says=says,
    images=images,
    finishes={"stop": "stop", "length": "length", "filtered": "content_filter"},
    sdk=by_sdk,
    reasoning=reasoned,
    tool_call=called,
)
