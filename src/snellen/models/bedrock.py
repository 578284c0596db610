"""bedrock/…: Amazon Bedrock's Converse, for any model that it serves."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models import aws
from snellen.models.address import bracketed, describe_origin, find_address
from snellen.models.base import Response, Usage
from snellen.models.claude import UNSUPPORTED, Claude
from snellen.models.endpoint import Reply
from snellen.models.fields import add_counts, check_words, count, counts, needed, optional, words
from snellen.models.server import MARK, NONE_MORE, Access, ServerModel, turns
from snellen.prompts import Request, Settings

LONG = 64 * 1024
"""Bytes from which on a request is signed beside the others: hashing it takes longer than handing it to a thread."""
_IN_HOST = re.compile(r"bedrock-runtime[\w-]*\.([a-z0-9-]+)\.")
_IN_ARN = re.compile(r"arn:[\w-]+:bedrock:([a-z0-9-]+):")
_WRONG_MODEL = re.compile("model identifier is invalid|on-demand throughput|model is not supported", re.IGNORECASE)
_READ = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
_NAMES = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP", "stop": "stopSequences"}


class Bedrock(ServerModel):
    """A model that is asked by POST /model/MODEL/converse in AWS's own region, named by AWS_REGION.

    AWS knows us by `key` or AWS_BEARER_TOKEN_BEDROCK, or else by a signature with the credentials of this machine.
    """

    provider = "bedrock"
    access = Access(
        "",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        ("AWS_BEARER_TOKEN_BEDROCK",),
        example="https://bedrock-runtime.us-east-1.amazonaws.com",
    )
    expects = "a reply of Converse"
    needs_key = False
    key_codes = ServerModel.key_codes | {
        *("UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException"),
        *("IncompleteSignature", "MissingAuthenticationTokenException"),
    }

    def __init__(self, model: str, *, base_url: str | None = None, **reach: Any) -> None:
        self._claude = Claude.named(model)
        by_token = reach.get("key") or reach.get("api_key_env") or os.environ.get(self.access.key_variables[0])
        try:
            given = base_url or find_address(self.access.address_variable)
            stated = next((found[1] for found in (_IN_HOST.search(given), _IN_ARN.match(model)) if found), "")
            self._region = stated or aws.region()
            self._credentials = None if by_token else aws.credentials()
        except ValueError as error:
            raise UnusableModelError(f"{self.provider}/{model}: {error}.") from error
        if not self._region and not (given and by_token):
            raise UnusableModelError(f"{self.provider}/{model} needs a region. Set AWS_REGION, as in us-east-1.")
        super().__init__(model, base_url=base_url, **reach)
        if self._official and not by_token and not self._credentials and not self._at.login:
            raise UnusableModelError(
                f"{self.name} needs credentials. Set {self._key_words()}. For single sign-on, roles and the "
                "credentials of a machine: pip install 'snellen[bedrock]'."
            )
        self._signer = aws.Credentials("", "")
        self.largest_side = self._claude.largest_side if self._claude else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Seeds and log-probabilities, and what the model itself does not take."""
        never = tuple(name for name in UNSUPPORTED if name in settings.chosen)
        if self._claude:
            return (*never, *self._claude.untaken(settings))
        if self._family == "nova-2" and settings.reasoning_effort == "high":
            return (*never, *(name for name in ("temperature", "top_p", "max_tokens") if name in settings.chosen))
        return never

    @property
    def _family(self) -> str:
        """The models beside Claude that take an effort, each in its own field."""
        return next((name for name in ("nova-2", "gpt-oss") if name in self._model), "")

    def _official_address(self) -> str:
        domain = "amazonaws.com.cn" if self._region.startswith("cn-") else "amazonaws.com"
        return f"https://bedrock-runtime.{self._region}.{domain}" if self._region else ""

    def _how_known(self, *, given: bool) -> str:
        if self._credentials and not self._key and not self._at.login:
            return f"signed by {describe_origin(self._credentials.named)}"
        return super()._how_known(given=given)

    def _key_words(self) -> str:
        return "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"

    async def _signed(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        source = self._credentials
        if source is None or self._key or self._at.login:
            return NONE_MORE
        try:
            now = source.current() if source.last else await asyncio.to_thread(source.current)
        except ValueError as error:
            raise UnusableModelError(f"{self.name}: {error}.") from error
        if now != self._signer:
            self._signer = now
            self._hide(*self._hidden, now.secret_key, now.token)
        at = self._at.parts
        query = "&".join(filter(None, (at.query, below.partition("?")[2])))
        target = at.path + below.partition("?")[0] + (f"?{query}" if query else "")
        usual = at.port in (None, 443 if at.scheme == "https" else 80)
        host = bracketed(at.hostname or "") + ("" if usual else f":{at.port}")
        vouched = {"Host": host, "Content-Type": "application/json"}
        place, at_once = (self._region, "bedrock"), sum(map(len, parts)) < LONG
        sign = partial(aws.signed, now, method, target, parts, headers=vouched, place=place, at=datetime.now(UTC))
        return sign() if at_once else await asyncio.to_thread(sign)

    def _path(self, request: Request) -> str:
        return f"/model/{quote(self._model, safe=aws.UNRESERVED)}/converse"

    def _check(self, request: Request) -> None:
        effort = request.settings.reasoning_effort
        problem = self._claude.problem(request.settings) if self._claude else ""
        if effort and not self._claude:
            known = {"nova-2": ("none", "low", "medium", "high"), "gpt-oss": ("low", "medium", "high")}
            levels = known.get(self._family, ())
            if not levels:
                problem = "has no reasoning effort that we know how to set; extra_body can hold its own field"
            elif effort not in levels:
                problem = f"has no effort {effort!r}: it has {', '.join(levels)}"
        if problem:
            raise RejectedError(f"{self.name} {problem}; it was not asked.")

    def _body(self, request: Request) -> dict[str, Any]:
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
        """The field by which the model is told an effort."""
        if effort is None:
            return {}
        if self._claude:
            return self._claude.thinking(effort)
        if self._family == "gpt-oss":
            return {"reasoning_effort": effort}
        if effort == "none":
            return {"reasoningConfig": {"type": "disabled"}}
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}

    def _read(self, reply: dict[str, Any]) -> Response:
        output = needed(dict, "output", reply.get("output"))
        message = needed(dict, "output.message", output.get("message"))
        blocks = [needed(dict, "content[]", block) for block in needed(list, "content", message.get("content"))]
        usage = counts(reply.get("usage"))
        finish = optional(str, "stopReason", reply.get("stopReason")) or ""
        text = words("content", blocks)
        check_words(text, finish, tool_called=any("toolUse" in block for block in blocks))
        thoughts = (_shown(block) for block in blocks)
        trace = optional(dict, "trace", reply.get("trace")) or {}
        router = optional(dict, "trace.promptRouter", trace.get("promptRouter")) or {}
        return Response(
            text=text,
            finish=finish,
            reasoning="\n\n".join(filter(None, thoughts)),
            usage=Usage(
                add_counts(map(usage.get, _READ)) if "inputTokens" in usage else None,
                count(usage.get("outputTokens")),
            ),
            served_by=optional(str, "invokedModelId", router.get("invokedModelId")) or "",
        )

    def _error(self, reply: Reply) -> tuple[str, str]:
        code, message = super()._error(reply)
        return reply.headers.get("x-amzn-errortype", "").partition(":")[0] or code, message

    def _refusal(self, reply: Reply) -> ModelError:
        _, message = self._error(reply)
        said = f"{self._at.shown} answered {reply.status}: {self._mask(message)[:300]}"
        if reply.status == 424:  # the model itself failed
            return TransientError(f"{self.name}: {said}", status=reply.status)
        if reply.status == 400 and _WRONG_MODEL.search(message):
            missing = f"no such model in {self._region}, or not by this name. Check its name and AWS_REGION"
            return UnusableModelError(f"{self.name}: {missing}. {said}", status=reply.status)
        return super()._refusal(reply)


def _shown(block: dict[str, Any]) -> str:
    """The reasoning in a block, where it is shown."""
    reasoning = optional(dict, "reasoningContent", block.get("reasoningContent")) or {}
    shown = optional(dict, "reasoningText", reasoning.get("reasoningText")) or {}
    return optional(str, "reasoningText.text", shown.get("text")) or ""
