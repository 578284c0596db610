"""GeminiModel: a model that speaks Google's generateContent, whoever serves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import FILTERED, Response, Usage
from snellen.models.endpoint import Reply
from snellen.models.fields import add_counts, check_words, count, counts, error_said, load_json, needed, optional
from snellen.models.server import MARK, ServerModel, turns
from snellen.prompts import Request, Settings

_NAMES = {"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "stop": "stopSequences"}
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576}
"""The tokens of thinking that an effort stands for where a model takes a budget: Gemini 2.5."""
_TAKES_BUDGET = re.compile(r"gemini-2\.5")
_ALWAYS_THINKS = re.compile(r"gemini-2\.5-pro")
_SAMPLES_BY_ITSELF = re.compile(r"gemini-(?:3\.5-flash-lite|3\.[6-9]|3\.\d\d|[4-9]|\d\d|.*-latest)")
"""From Gemini 3.6 Flash and 3.5 Flash-Lite on, Google ignores or refuses a temperature and top_p."""
_NEVER_THINKS = re.compile(r"gemini-(?:1|2\.0|pro-vision)|gemma-?[123]|medgemma|learnlm")


class GeminiModel(ServerModel):
    """A model that is asked by POST …:generateContent; images travel as inline data."""

    expects = "a Gemini reply"
    largest_side = 3072

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Temperature and top_p, where a model no longer takes them."""
        if not _SAMPLES_BY_ITSELF.search(self._model):
            return ()
        return tuple(name for name in ("temperature", "top_p") if name in settings.chosen)

    def _body(self, request: Request) -> dict[str, Any]:
        contents: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            seen = [{"inlineData": {"mimeType": image.media_type, "data": MARK}} for image in images]
            contents.append({"role": "user", "parts": [*seen, {"text": text}]})
            if reply:
                contents.append({"role": "model", "parts": [{"text": reply}]})
        told = {"systemInstruction": {"role": "user", "parts": [{"text": request.system}]}} if request.system else {}
        chosen = self._settings(request)
        return {"contents": contents, **told, **({"generationConfig": chosen} if chosen else {})}

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        given = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        chosen = {ours: given[name] for name, ours in _NAMES.items() if name in given}
        if "seed" in given:
            # a server that honours the seed would answer every repetition alike
            chosen["seed"] = given["seed"] + request.replicate
        if "logprobs" in given:
            chosen |= {"responseLogprobs": True, "logprobs": given["logprobs"]}
        if "reasoning_effort" in given:
            chosen["thinkingConfig"] = self._thinking(given["reasoning_effort"])
        return chosen

    def _thinking(self, effort: str) -> dict[str, Any]:
        if not _TAKES_BUDGET.search(self._model):
            return {"includeThoughts": True, "thinkingLevel": effort.upper()}
        budget = _BUDGETS[effort]
        return {"includeThoughts": True, "thinkingBudget": budget} if budget else {"thinkingBudget": 0}

    def _check(self, request: Request) -> None:
        """Refuse, unsent, an effort that the model cannot make: the answer would be to another experiment."""
        effort = request.settings.reasoning_effort
        if effort is None:
            return
        if _NEVER_THINKS.search(self._model):
            raise RejectedError(f"{self.name} has no reasoning effort to set; it was not asked.")
        takes_budget = _TAKES_BUDGET.search(self._model)
        if effort == "none" and (not takes_budget or _ALWAYS_THINKS.search(self._model)):
            raise RejectedError(f"{self.name} always thinks: its effort cannot be none; it was not asked.")
        if takes_budget and effort not in _BUDGETS:
            raise RejectedError(f"{self.name} has no reasoning effort {effort!r}; it was not asked.")

    def _read(self, reply: dict[str, Any]) -> Response:
        usage = _usage(counts(reply.get("usageMetadata")))
        served_by = optional(str, "modelVersion", reply.get("modelVersion")) or ""
        feedback = optional(dict, "promptFeedback", reply.get("promptFeedback")) or {}
        candidates = optional(list, "candidates", reply.get("candidates")) or []
        if not candidates and (blocked := optional(str, "blockReason", feedback.get("blockReason"))):
            held_back = blocked.lower() if blocked.lower() in FILTERED else "content_filter"
            return Response("", held_back, usage=usage, served_by=served_by)
        candidate = needed(dict, "candidates[0]", candidates[0] if candidates else None)
        content = optional(dict, "content", candidate.get("content")) or {}
        parts = [needed(dict, "part", part) for part in optional(list, "parts", content.get("parts")) or []]
        finish = (optional(str, "finishReason", candidate.get("finishReason")) or "").lower()
        text = "".join(_words(parts, thoughts=False))
        check_words(text, finish, tool_called=any("functionCall" in part for part in parts))
        return Response(
            text=text,
            finish=finish,
            reasoning="".join(_words(parts, thoughts=True)),
            usage=usage,
            served_by=served_by,
            logprobs=_logprobs(candidate.get("logprobsResult")),
        )

    def _error(self, reply: Reply) -> tuple[str, str]:
        """Code and message; the code is the reason that stands in the details, where there is one."""
        code, message = error_said(reply.content)
        reasons = (detail.get("reason") for detail in _details(reply))
        return next((reason for reason in reasons if isinstance(reason, str) and reason), code), message

    def _refusal(self, reply: Reply) -> ModelError:
        """As of any server; Google says a wait in the body, and by FAILED_PRECONDITION that it serves nobody here."""
        error = super()._refusal(reply)
        if isinstance(error, RejectedError) and error_said(reply.content)[0] == "FAILED_PRECONDITION":
            return UnusableModelError(str(error), status=error.status)
        if isinstance(error, TransientError) and error.retry_after is None:
            error.retry_after = next(filter(None, map(_delay, _details(reply))), None)
        return error


def _words(parts: list[dict[str, Any]], *, thoughts: bool) -> Iterator[str]:
    """The text of the parts that are thoughts, or of those that are not."""
    for part in parts:
        if bool(part.get("thought")) is thoughts:
            yield optional(str, "text", part.get("text")) or ""


def _usage(told: Mapping[str, Any]) -> Usage:
    """Tokens in our sense: what was thought counts to what was written."""
    details = told.get("promptTokensDetails")
    of_images = [
        each.get("tokenCount")
        for each in (details if isinstance(details, list) else ())
        if isinstance(each, dict) and each.get("modality") == "IMAGE"
    ]
    return Usage(
        count(told.get("promptTokenCount")),
        add_counts(map(told.get, ("candidatesTokenCount", "thoughtsTokenCount"))),
        add_counts(of_images),
        count(told.get("thoughtsTokenCount")),
    )


def _logprobs(given: Any) -> str:
    """The log-probabilities of a candidate's tokens as JSON, as they came; empty where there are none."""
    found = optional(dict, "logprobsResult", given)
    return orjson.dumps(found).decode() if found else ""


def _details(reply: Reply) -> list[dict[str, Any]]:
    """What an error of Google's says beside its message; empty where it is of another shape."""
    said = load_json(reply.content)
    said = said[0] if isinstance(said, list) and said else said
    error = said.get("error") if isinstance(said, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def _delay(detail: Mapping[str, Any]) -> float | None:
    """The wait in a detail such as {"retryDelay": "34.07s"}, in seconds."""
    said = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay")))
    return float(said[1]) if said else None
