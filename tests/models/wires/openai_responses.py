"""OpenAI's Responses, tried with OpenAI's own client."""

from models.recording import Wire
from snellen.models.openai import OpenAIResponses


def message(*parts):
    """A message of the model's."""
    return {"id": "msg-1", "type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def responded(*items, status="completed", reason=None, input_tokens=7, output_tokens=2, model="m"):
    """A response object of these items."""
    return {
        "id": "resp-1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": model,
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input_tokens + output_tokens,
        },
    }


def says(text="B", finish="stop", **more):
    """A response object with a text."""
    said = [message({"type": "output_text", "text": text, "annotations": []})] if text else []
    if finish == "stop":
        return responded(*said, **more)
    return responded(*said, status="incomplete", reason=finish, **more)


def reasoned():
    """A response object with a summary of the reasoning before the text."""
    thought = {"id": "rs-1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "because"}]}
    return responded(thought, message({"type": "output_text", "text": "B", "annotations": []}))


def called():
    """A response object that calls a tool."""
    return responded({"id": "fc-1", "type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"})


def images(body):
    """The base64 of every image."""
    contents = [turn["content"] for turn in body["input"] if isinstance(turn["content"], list)]
    parts = [part for content in contents for part in content if part["type"] == "input_image"]
    return [part["image_url"].partition(";base64,")[2] for part in parts]


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    from openai import OpenAI as Client  # takes seconds

    with Client(base_url=f"{url}/v1", api_key="key-of-the-contract", max_retries=0) as client:
        return client.responses.create(
            model="m",
            instructions="Be brief.",
            input=[
                {
                    "role": "user",
                    "content": [
                        {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{image}"},
                        {"type": "input_text", "text": "A or B?"},
                    ],
                }
            ],
            store=False,
            temperature=0.5,
            max_output_tokens=9,
        )


WIRE = Wire(
    name="openai-responses",
    opened=lambda url, **reach: OpenAIResponses("m", base_url=f"{url}/v1", **reach),
    says=says,
    images=images,
    finishes={"stop": "stop", "length": "max_output_tokens", "filtered": "content_filter"},
    sdk=by_sdk,
    reasoning=reasoned,
    tool_call=called,
)
