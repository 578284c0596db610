"""vllm/…: a model that vLLM runs, in this process or behind its server.

vllm/google/medgemma-4b-it,tensor_parallel_size=2      the offline engine (extra `vllm`)
VLLM_BASE_URL=http://gpu:8000/v1, or base_url          a server that runs already
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import orjson

from snellen.errors import MissingExtraError, UnusableModelError
from snellen.models.base import Model, Response, Usage
from snellen.models.chat import ChatModel
from snellen.models.client.address import find_address
from snellen.models.client.provider import Access, data_uri, turns
from snellen.models.local import (
    NEW_TOKENS,
    LocalModel,
    draw_seed,
    effort_words,
    folder_digest,
    folder_of,
    read_line,
    revision_of,
    thoughts_apart,
)
from snellen.prompts import Request

EXTRA = "vllm"
VERSION = "1"
"""Version of this adapter, increased whenever the same weights would answer differently."""
SETTINGS = (
    *("batch", "dtype", "extra_body", "gpu_memory_utilization", "max_model_len", "quantization", "revision"),
    "tensor_parallel_size",
)
OWN = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
"""Sampling settings that a model's files may contain."""
SERVED = ("base_url", "api_key_env", "headers", "key")
"""Settings that only a server has."""


class VLLMServer(ChatModel):
    """A model behind vLLM's server, at `base_url` or VLLM_BASE_URL."""

    provider = "vllm"
    access = Access("", "VLLM_BASE_URL", ("VLLM_API_KEY",))


def open_vllm(line: str, **settings: Any) -> Model:
    """Open a model on vLLM's server if its address is known, else offline."""
    if any(settings.get(name) for name in SERVED) or find_address("VLLM_BASE_URL"):
        return VLLMServer(line, **settings)
    model, named = read_line(line, SETTINGS, settings, example="vllm/models/my-vlm,tensor_parallel_size=2")
    return VLLM(model, **named)


class VLLM(LocalModel[Sequence[Request]]):
    """A model of vLLM's offline engine. Up to `batch` requests are handed over together; vLLM schedules them.

    The engine is started with the first request. `extra_body` holds more sampling parameters, all else is an argument
    of `vllm.LLM`.
    """

    def __init__(
        self,
        model: str,
        *,
        batch: int = 64,
        revision: str = "",
        dtype: str = "auto",
        extra_body: Mapping[str, Any] | None = None,
        **engine: Any,
    ) -> None:
        self.name = self.spec = f"vllm/{model}"
        super().__init__(batch=batch)
        if find_spec("vllm") is None:
            raise MissingExtraError("vllm", EXTRA)
        folder = folder_of(self.name, model)
        self._extra = dict(extra_body or {})
        self._engine_arguments = {
            **{"model": str(folder or model), "dtype": dtype, "revision": revision or None, "seed": 0},
            **engine,
        }
        known = folder_digest(folder) if folder else f"hub {revision or 'main'}"
        own = f"{dtype} {engine['quantization']}" if engine.get("quantization") else dtype
        self.revision = revision_of(VERSION, known, own, self._extra)

    @cached_property
    def _engine(self) -> Any:
        try:
            from vllm import LLM

            return LLM(**self._engine_arguments)
        except Exception as error:
            raise UnusableModelError(
                f"{self.name}: vLLM does not start: {' '.join(str(error).split())[:300]}"
            ) from error

    @cached_property
    def _served_by(self) -> str:
        from vllm import __version__

        return f"vllm {__version__}"

    def _batch_key(self, request: Request) -> Hashable:
        return request.settings.reasoning_effort

    def _prepare_batch(self, requests: Sequence[Request]) -> Sequence[Request]:
        return requests

    def _compute_batch(self, requests: Sequence[Request]) -> Sequence[Response]:
        template = str(getattr(self._engine.get_tokenizer(), "chat_template", "") or "")
        effort = effort_words(self.name, template, requests[0].settings)
        came = self._engine.chat(
            [list(_messages(request)) for request in requests],
            [self._sampling(request) for request in requests],
            use_tqdm=False,
            **({"chat_template_kwargs": effort} if effort else {}),
        )
        return [self._response(each) for each in came]

    def _sampling(self, request: Request) -> Any:
        """Return the parameters for vLLM: the model's, overridden by extra_body, then by the request."""
        from vllm import SamplingParams

        settings = request.settings
        own = self._engine.get_default_sampling_params()
        told = {
            "max_tokens": settings.max_tokens or NEW_TOKENS,
            "seed": draw_seed(request),
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop": list(settings.stop) if settings.stop else None,
            "logprobs": settings.logprobs,
        }
        ours = {name: value for name, value in told.items() if value is not None}
        return SamplingParams(**{**{name: getattr(own, name) for name in OWN}, **self._extra, **ours})

    def _response(self, came: Any) -> Response:
        output = came.outputs[0]
        thought, said = thoughts_apart(output.text)
        return Response(
            text=said.strip(),
            finish=output.finish_reason or "",
            reasoning=thought,
            usage=Usage(len(came.prompt_token_ids or ()) or None, len(output.token_ids)),
            served_by=self._served_by,
            logprobs=_format_logprobs(output.token_ids, output.logprobs),
        )


def _messages(request: Request) -> Iterator[dict[str, Any]]:
    """Yield the conversation in the form of chat completions, with images as data URIs."""
    if request.system:
        yield {"role": "system", "content": request.system}
    for text, images, reply in turns(request):
        parts = [{"type": "image_url", "image_url": {"url": data_uri(image)}} for image in images]
        yield {"role": "user", "content": [*parts, {"type": "text", "text": text}] if parts else text}
        if reply:
            yield {"role": "assistant", "content": reply}


def _format_logprobs(tokens: Sequence[int], places: Sequence[Mapping[int, Any]] | None) -> str:
    """Return the log-probabilities of a response's tokens as JSON in the form of chat completions."""
    if not places:
        return ""
    return orjson.dumps(
        [
            {
                "token": place[token].decoded_token,
                "logprob": place[token].logprob,
                "top_logprobs": [
                    {"token": each.decoded_token, "logprob": each.logprob}
                    for each in sorted(place.values(), key=lambda each: each.rank or 0)
                ],
            }
            for token, place in zip(tokens, places, strict=True)
        ]
    ).decode()
