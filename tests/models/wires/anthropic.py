"""Anthropic's Messages, tried with Anthropic's own client."""

from models.recording import Wire
from snellen.models.anthropic import Anthropic


def says(text="B", finish="end_turn", *, input_tokens=7, output_tokens=2, model="m"):
    """A message."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {
            "input_tokens": input_tokens - 3,
            "cache_creation_input_tokens": 1,
            "cache_read_input_tokens": 2,
            "output_tokens": output_tokens,
        },
    }


def reasoned():
    """A message with its thinking before it, shown and not shown."""
    reply = says("B")
    reply["content"][:0] = [
        {"type": "thinking", "thinking": "because", "signature": "c2lnbmVk"},
        {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "aGlkZGVu"},
    ]
    return reply


def called():
    """A message that calls a tool."""
    reply = says("", "tool_use")
    reply["content"] = [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]
    return reply


def images(body):
    """The base64 of every image."""
    contents = (message["content"] for message in body["messages"] if isinstance(message["content"], list))
    return [part["source"]["data"] for content in contents for part in content if part["type"] == "image"]


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client, whose own arguments no longer name a temperature."""
    from anthropic import Anthropic as Client  # takes seconds

    with Client(base_url=url, api_key="key-of-the-contract", max_retries=0) as client:
        return client.messages.create(
            model="m",
            system="Be brief.",
            messages=[
                {
                    "role": "user",
                    "content": [
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}},
                        {"type": "text", "text": "A or B?"},
                    ],
                },
            ],
            max_tokens=9,
            stop_sequences=["END"],
            extra_body={"temperature": 0.5},
        )


WIRE = Wire(
    name="anthropic",
    opened=lambda url, **reach: Anthropic("m", base_url=url, **reach),
    says=says,
    images=images,
    finishes={"stop": "end_turn", "length": "max_tokens", "filtered": "refusal"},
    sdk=by_sdk,
    reasoning=reasoned,
    tool_call=called,
)
