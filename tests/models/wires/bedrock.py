"""Bedrock's Converse, tried with AWS's own client."""

import boto3
from botocore.config import Config
from pybase64 import b64decode

from models.recording import Wire
from snellen.models.bedrock import Bedrock


def says(text="B", finish="end_turn", *, input_tokens=7, output_tokens=2, model="m"):
    """A reply; the model stands in it only where a prompt router chose one."""
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": text}] if text else []}},
        "stopReason": finish,
        "usage": {"inputTokens": input_tokens, "outputTokens": output_tokens, "totalTokens": 9},
        "metrics": {"latencyMs": 1},
        **({} if model == "m" else {"trace": {"promptRouter": {"invokedModelId": model}}}),
    }


def reasoned():
    """A reply with its reasoning before it, shown and not shown."""
    reply = says("B")
    reply["output"]["message"]["content"][:0] = [
        {"reasoningContent": {"reasoningText": {"text": "because", "signature": "c2lnbmVk"}}},
        {"reasoningContent": {"redactedContent": "aGlkZGVu"}},
    ]
    return reply


def called():
    """A reply that calls a tool."""
    reply = says("", "tool_use")
    reply["output"]["message"]["content"] = [{"toolUse": {"toolUseId": "t", "name": "look", "input": {}}}]
    return reply


def images(body):
    """The base64 of every image."""
    parts = [part for message in body["messages"] for part in message["content"] if "image" in part]
    return [part["image"]["source"]["bytes"] for part in parts]


def client(url, **more):
    """AWS's own client for a server on this machine."""
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="key-of-the-contract",
        config=Config(retries={"total_max_attempts": 1}, **more),
    )


def by_sdk(url, image):
    """The contract's question, sent by the vendor's client."""
    return client(url).converse(
        modelId="m",
        system=[{"text": "Be brief."}],
        messages=[
            {
                "role": "user",
                "content": [
                    {"image": {"format": "png", "source": {"bytes": b64decode(image)}}},
                    {"text": "A or B?"},
                ],
            },
        ],
        inferenceConfig={"temperature": 0.5, "maxTokens": 9, "stopSequences": ["END"]},
    )


WIRE = Wire(
    name="bedrock",
    opened=lambda url, **reach: Bedrock("m", base_url=url, **reach),
    says=says,
    images=images,
    finishes={"stop": "end_turn", "length": "max_tokens", "filtered": "guardrail_intervened"},
    sdk=by_sdk,
    reasoning=reasoned,
    tool_call=called,
)
