"""bedrock/…: Amazon Bedrock's Converse API, for any model that it serves."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import Response
from snellen.models.claude import UNSUPPORTED, Claude
from snellen.models.client.address import describe_origin, find_address
from snellen.models.client.provider import MARK, NONE_MORE, Access, Provider, turns
from snellen.models.client.replies import (
    TEXT,
    add_counts,
    as_object,
    check_words,
    count_tokens,
    join_parts,
    read_object,
    read_texts,
)
from snellen.models.client.transport import ServerResponse
from snellen.prompts import Request, Settings

LONG = 64 * 1024
"""Requests of at least this many bytes are signed in a thread: hashing takes long."""
_IN_HOST = re.compile(r"bedrock-runtime[\w-]*\.([a-z0-9-]+)\.")
_IN_ARN = re.compile(r"arn:[\w-]+:bedrock:([a-z0-9-]+):")
_WRONG_MODEL = re.compile("model identifier is invalid|on-demand throughput|model is not supported", re.IGNORECASE)
_READ = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
_NAMES = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP", "stop": "stopSequences"}


class Bedrock(Provider):
    """A model that is asked by POST /model/MODEL/converse in AWS's own region, named by AWS_REGION.

    AWS knows us by `key` or AWS_BEARER_TOKEN_BEDROCK, or else by a signature with the credentials that AWS's own
    library finds on this machine (extra `bedrock`).
    """

    provider = "bedrock"
    access = Access(
        "",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        ("AWS_BEARER_TOKEN_BEDROCK",),
        example="https://bedrock-runtime.us-east-1.amazonaws.com",
    )
    expects = "a Converse response"
    fields = MappingProxyType(
        {"output": dict, "output.message": dict, "output.message.content": list, "stopReason": TEXT}
    )
    needs_key, signs = False, True
    key_codes = Provider.key_codes | {
        *("UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException"),
        *("IncompleteSignature", "MissingAuthenticationTokenException"),
    }

    def __init__(self, model: str, *, base_url: str | None = None, **reach: Any) -> None:
        self._claude = Claude.from_name(model)
        by_token = reach.get("key") or reach.get("api_key_env") or os.environ.get(self.access.key_variables[0])
        try:
            given = base_url or find_address(self.access.address_variable)
            stated = next((found[1] for found in (_IN_HOST.search(given), _IN_ARN.match(model)) if found), "")
            self._region = stated or find_region()
            self._credentials = None if by_token else find_credentials()
        except ValueError as error:
            raise UnusableModelError(f"{self.provider}/{model}: {error}.") from error
        if not self._region and not (given and by_token):
            raise UnusableModelError(f"{self.provider}/{model} needs a region. Set AWS_REGION, as in us-east-1.")
        super().__init__(model, base_url=base_url, **reach)
        if self._official and not by_token and not self._credentials and not self._at.login:
            raise UnusableModelError(
                f"{self.name} needs credentials. Set {self._key_words()}. Requests are signed by AWS's own library: "
                "pip install 'snellen[bedrock]'."
            )
        self._signer: object = None
        self.largest_side = self._claude.largest_side if self._claude else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the requested settings that the API or this model does not support."""
        never = tuple(name for name in UNSUPPORTED if name in settings.chosen)
        if self._claude:
            return (*never, *self._claude.untaken(settings))
        if self._family == "nova-2" and settings.reasoning_effort == "high":
            return (*never, *(name for name in ("temperature", "top_p", "max_tokens") if name in settings.chosen))
        return never

    @property
    def _family(self) -> str:
        """Model family other than Claude that accepts an effort. Each has its own field for it."""
        return next((name for name in ("nova-2", "gpt-oss") if name in self._model), "")

    def _official_address(self) -> str:
        domain = "amazonaws.com.cn" if self._region.startswith("cn-") else "amazonaws.com"
        return f"https://bedrock-runtime.{self._region}.{domain}" if self._region else ""

    def _how_known(self, *, given: bool) -> str:
        if self._credentials and not self._key and not self._at.login:
            method = self._credentials.method
            return f"signed by {describe_origin('AWS_ACCESS_KEY_ID') if method == 'env' else f'botocore ({method})'}"
        return super()._how_known(given=given)

    def _key_words(self) -> str:
        return "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"

    async def sign(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        """Return the headers with AWS's signature, made with the current credentials."""
        if self._credentials is None or self._key or self._at.login:
            return NONE_MORE
        at_once = sum(map(len, parts)) < LONG and not hasattr(self._credentials, "refresh_needed")
        try:
            return (
                self._sign(parts, below, method)
                if at_once
                else await asyncio.to_thread(self._sign, parts, below, method)
            )
        except ValueError as error:
            raise UnusableModelError(f"{self.name}: {error}.") from error

    def _sign(self, parts: Sequence[bytes], below: str, method: str) -> dict[str, str]:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.exceptions import BotoCoreError

        assert self._credentials is not None
        try:
            now = self._credentials.get_frozen_credentials()
        except BotoCoreError as error:
            raise ValueError(f"the AWS credentials cannot be renewed: {error}") from error
        if now != self._signer:
            self._signer = now
            self._hide(*self._hidden, now.secret_key, now.token or "")
        path, _, query = below.partition("?")
        at = self._at.parts
        whole = at._replace(
            netloc=at.netloc.rpartition("@")[2], path=at.path + path, query="&".join(filter(None, (at.query, query)))
        )
        headers = {"Content-Type": "application/json"}
        request = AWSRequest(method, whole.geturl(), data=b"".join(parts), headers=headers)
        SigV4Auth(now, "bedrock", self._region).add_auth(request)
        return dict(request.headers)

    def path(self, request: Request) -> str:
        """Return the path of the model."""
        return f"/model/{quote(self._model, safe='-._~')}/converse"

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending if the model lacks the effort or the settings."""
        effort = request.settings.reasoning_effort
        problem = self._claude.problem(request.settings) if self._claude else ""
        if effort and not self._claude:
            known = {"nova-2": ("none", "low", "medium", "high"), "gpt-oss": ("low", "medium", "high")}
            levels = known.get(self._family, ())
            if not levels:
                problem = "has no reasoning effort that Snellen can set; put the model's own field into extra_body"
            elif effort not in levels:
                problem = f"has no effort {effort!r}, only {', '.join(levels)}"
        if problem:
            raise RejectedError(f"{self.name} {problem}; it was not asked.")

    def body(self, request: Request) -> dict[str, Any]:
        """Return the messages, and the settings with Converse's names."""
        messages: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            kinds = (image.media_type.partition("/")[2] for image in images)
            shown = [{"image": {"format": kind, "source": {"bytes": MARK}}} for kind in kinds]
            messages.append({"role": "user", "content": [*shown, {"text": text}]})
            if reply:
                messages.append({"role": "assistant", "content": [{"text": reply}]})
        untaken, chosen = self.untaken(request.settings), request.settings.chosen
        limits = {ours: chosen[name] for name, ours in _NAMES.items() if name in chosen and name not in untaken}
        fields = {
            "system": [{"text": request.system}] if request.system else [],
            "inferenceConfig": limits,
            "additionalModelRequestFields": self._effort(request.settings.reasoning_effort),
        }
        return {"messages": messages, **{name: value for name, value in fields.items() if value}}

    def _effort(self, effort: str | None) -> dict[str, Any]:
        if effort is None:
            return {}
        if self._claude:
            return self._claude.thinking(effort)
        if self._family == "gpt-oss":
            return {"reasoning_effort": effort}
        if effort == "none":
            return {"reasoningConfig": {"type": "disabled"}}
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the text blocks, and the reasoning blocks separately."""
        blocks = reply["output"]["message"]["content"]
        if type(blocks) is not list:
            raise TypeError("expected a list")
        (finish,) = read_texts(reply.get("stopReason"))
        text = join_parts(blocks)
        check_words(text, finish, tool_called=any("toolUse" in block for block in blocks))
        thoughts = [read_object(read_object(each.get("reasoningContent")).get("reasoningText")) for each in blocks]
        router = read_object(read_object(reply.get("trace")).get("promptRouter"))
        usage = as_object(reply.get("usage"))
        return Response(
            text=text,
            finish=finish,
            reasoning="\n\n".join(filter(None, read_texts(*[each.get("text") for each in thoughts]))),
            usage=count_tokens(
                add_counts(*map(usage.get, _READ)) if "inputTokens" in usage else None,
                usage.get("outputTokens"),
                None,
                None,
            ),
            served_by=read_texts(router.get("invokedModelId"))[0],
        )

    def code_and_message(self, reply: ServerResponse) -> tuple[str, str]:
        """Return code and message of an error; AWS sends the code in a header."""
        code, message = super().code_and_message(reply)
        return reply.headers.get("x-amzn-errortype", "").partition(":")[0] or code, message

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error for a status; AWS's messages about models are recognised."""
        _, message = self.code_and_message(reply)
        said = f"{self._at.shown} answered {reply.status}: {self._mask(message)[:300]}"
        if reply.status == 424:  # the model itself failed
            return TransientError(f"{self.name}: {said}", status=reply.status)
        if reply.status == 400 and _WRONG_MODEL.search(message):
            missing = f"no such model in {self._region}, or not by this name. Check its name and AWS_REGION"
            return UnusableModelError(f"{self.name}: {missing}. {said}", status=reply.status)
        return super().error(reply)


def find_region() -> str:
    """Return the AWS region that this machine uses; empty if none is set."""
    variables = filter(None, map(os.environ.get, ("AWS_REGION", "AWS_DEFAULT_REGION")))
    return next(variables, "") or str(_ask_botocore(lambda session: session.get_config_variable("region")) or "")


def find_credentials() -> Any:
    """Return the credentials that botocore finds, from variables to the machine's role; None without botocore."""
    return _ask_botocore(lambda session: session.get_credentials())


def _ask_botocore(question: Callable[[Any], Any]) -> Any:
    try:
        from botocore.exceptions import BotoCoreError
        from botocore.session import get_session
    except ImportError:
        return None
    try:
        return question(get_session())
    except BotoCoreError as error:
        raise ValueError(f"AWS's own library finds no credentials: {error}") from error
