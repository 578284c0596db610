"""hf/…: a model that Hugging Face's transformers runs in this process, from a folder or from the hub.

hf/models/my-vlm
hf/google/medgemma-4b-it,device=cuda,batch=16
hf/Qwen/Qwen2.5-VL-3B-Instruct,revision=main,dtype=bfloat16

Vision-language models are shown images; models of words alone are text-only. Draws are made for each request by a
generator of its own, so that no draw depends on what else is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson
import PIL.Image

from snellen.errors import MissingExtraError, RejectedError, StudyError, UnusableModelError
from snellen.images import EncodedImage, decode
from snellen.models.base import Response, Usage
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
from snellen.models.server import turns
from snellen.prompts import Request, Settings

EXTRA = "hf"
VERSION = "1"
"""Raised whenever the same weights would answer differently."""
SETTINGS = ("batch", "device", "dtype", "extra_body", "revision")
OURS = ("do_sample", "max_new_tokens", "num_beams", "num_return_sequences", "temperature", "top_p")
"""Arguments of generate that the study's own settings stand for, or that one reply leaves no room for."""
_IMPORTING = threading.Lock()


def open_hf(line: str, **settings: Any) -> HF:
    """The model of a line such as `models/my-vlm,batch=4`; settings given by name count before the line's."""
    model, named = read_line(line, SETTINGS, settings, example="hf/models/my-vlm,device=cpu")
    return HF(model, **named)


class HF(LocalModel):
    """A model of transformers. Up to `batch` requests of one kind are padded on the left and computed together.

    `device` is auto, cpu, cuda or cuda:1, by default a GPU where there is one; auto spreads it over several. `dtype` is
    as transformers names it, by default that of the weights on a GPU and float32 elsewhere. `extra_body` holds more
    arguments of generate. The weights are loaded with the first request.
    """

    def __init__(
        self,
        model: str,
        *,
        device: str = "",
        dtype: str = "",
        batch: int = 8,
        revision: str = "",
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = self.spec = f"hf/{model}"
        super().__init__(batch=batch)
        transformers, torch = _imported()
        folder = folder_of(self.name, model)
        if folder is not None and revision:
            raise StudyError(
                f"{self.name} is a folder and has no revision {revision!r}; that is for models of the hub."
            )
        self._extra = dict(extra_body or {})
        if ours := [name for name in self._extra if name in OURS]:
            raise StudyError(f"{self.name}: extra_body holds {ours[0]}, which the study's settings are for.")
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._dtype = dtype or ("float32" if self._device == "cpu" else "auto")
        self._source = _Source(self.name, str(folder or model), {"revision": revision} if revision else {})
        config = self._source.read(transformers.AutoConfig, local_files_only=folder is not None)
        sees = config.model_type in transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
        self.text_only = not sees
        known = folder_digest(folder) if folder else str(getattr(config, "_commit_hash", None) or "unknown commit")
        self.revision = revision_of(VERSION, known[:16], self._dtype, self._extra)

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Where nothing is drawn, the share of words to draw from and the seed change nothing."""
        return tuple(name for name in ("seed", "top_p") if name in settings.chosen) if settings.temperature == 0 else ()

    def _check(self, request: Request) -> None:
        if self.text_only and request.every_image:
            raise RejectedError(f"{self.name} is a model of words alone and takes no image.")

    def _together(self, request: Request) -> Hashable:
        # a processor may refuse rows with images beside rows without
        return request.settings, len(request.every_image)

    @cached_property
    def _loaded(self) -> _Loaded:
        return _load(self._source, text_only=self.text_only, device=self._device, dtype=self._dtype, extra=self._extra)

    def _computed(self, requests: Sequence[Request]) -> Sequence[Response]:
        return self._loaded.answers(requests)


@dataclass(frozen=True)
class _Source:
    """Where a model's files are: a folder, or a name on the hub with a revision."""

    name: str
    place: str
    options: Mapping[str, Any]

    def read(self, kind: Any, **more: Any) -> Any:
        """What one of transformers' Auto classes reads there; code of the model's own is never run."""
        try:
            return kind.from_pretrained(self.place, **self.options, **more)
        except Exception as error:
            said = " ".join(str(error).split())[:300]
            raise UnusableModelError(
                f"{self.name} could not be loaded: {said} (Code that a model brings along is not run here: serve such "
                "a model, and ask it by vllm/… with base_url.)"
                if "trust_remote_code" in said
                else f"{self.name} could not be loaded: {said}"
            ) from error


@dataclass(frozen=True)
class _Loaded:
    """A loaded model: `processor` makes tensors of words and images, `network` continues them."""

    name: str
    network: Any
    processor: Any
    text_only: bool
    defaults: Any
    """How it generates unless it is told otherwise."""
    served_by: str

    @property
    def tokenizer(self) -> Any:
        """What makes tokens of words."""
        return getattr(self.processor, "tokenizer", self.processor)

    @cached_property
    def template(self) -> str:
        """Its chat template."""
        found = getattr(self.processor, "chat_template", None) or getattr(self.tokenizer, "chat_template", None)
        found = found.get("default") if isinstance(found, Mapping) else found
        if not isinstance(found, str):
            raise UnusableModelError(f"{self.name} has no chat template: it can be asked nothing as a conversation.")
        return found

    def answers(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests of one kind."""
        import torch

        settings = requests[0].settings
        inputs = self._inputs(requests)
        given = int(inputs["input_ids"].shape[1])
        config, draws = self._generation(requests, given)
        with torch.inference_mode():
            written = self.network.generate(
                **inputs,
                generation_config=config,
                logits_processor=[draws],
                **({"tokenizer": self.tokenizer} if settings.stop else {}),
            )
        return [
            self._response(row, inputs["input_ids"][at], inputs["attention_mask"][at], config, settings, draws.told(at))
            for at, row in enumerate(written[:, given:].tolist())
        ]

    def _inputs(self, requests: Sequence[Request]) -> Any:
        texts = [self._text(request) for request in requests]
        images = [[_picture(image) for image in request.every_image] for request in requests]
        shown = {"images": images} if any(images) else {}
        begins = self.tokenizer.bos_token
        own = self.text_only or (begins and texts[0].startswith(begins))
        inputs = self.processor(
            text=texts, **shown, padding=True, return_tensors="pt", **({"add_special_tokens": False} if own else {})
        )
        if shown and not any(name.startswith("pixel_values") for name in inputs):
            raise RejectedError("its processor made nothing of the image")
        return inputs.to(self.network.device)

    def _text(self, request: Request) -> str:
        """The conversation as its chat template writes it."""
        messages = [{"role": "system", "content": self._content(request.system, ())}] if request.system else []
        for text, images, reply in turns(request):
            messages.append({"role": "user", "content": self._content(text, images)})
            if reply:
                messages.append({"role": "assistant", "content": self._content(reply, ())})
        effort = effort_words(self.name, self.template, request.settings)
        text = self.processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **effort)
        return str(text)

    def _content(self, text: str, images: Sequence[EncodedImage]) -> Any:
        if self.text_only:
            return text
        return [*({"type": "image"} for _ in images), {"type": "text", "text": text}]

    def _generation(self, requests: Sequence[Request], given: int) -> tuple[Any, Draws]:
        """How the requests are continued, and what chooses each token."""
        settings = requests[0].settings
        config = deepcopy(self.defaults)
        longest = settings.max_tokens or config.max_new_tokens or NEW_TOKENS
        limit = getattr(self.network.config.get_text_config(), "max_position_embeddings", None)
        if limit is not None and given >= limit:
            raise RejectedError(f"it takes {limit:,} tokens, and the request has {given:,}")
        config.max_new_tokens = longest if limit is None else min(longest, limit - given)
        config.max_length = None
        config.stop_strings = list(settings.stop) if settings.stop else None
        drawn = config.do_sample if settings.temperature is None else settings.temperature > 0
        warpers = _warpers(config, settings) if drawn else []
        seeds = [draw_seed(request) for request in requests] if drawn else []
        config.do_sample, config.num_beams = False, 1
        config.temperature = config.top_p = config.top_k = config.min_p = None
        return config, Draws(warpers, seeds, settings.logprobs, self.tokenizer)

    def _response(
        self, row: list[int], asked: Any, mask: Any, config: Any, settings: Settings, told: Callable[[int], str]
    ) -> Response:
        ends = {config.pad_token_id, *_listed(config.eos_token_id)} - {None}
        length = next((at for at, token in enumerate(row) if token in ends), len(row))
        text = self.tokenizer.decode(row[:length], skip_special_tokens=True)
        stopped = [text.index(sign) for sign in settings.stop or () if sign in text]
        finish = "stop" if length < len(row) or stopped or len(row) < config.max_new_tokens else "length"
        thought, said = thoughts_apart(text[: min(stopped)] if stopped else text)
        sign = getattr(self.network.config, "image_token_id", None)
        return Response(
            text=said.strip(),
            finish=finish,
            reasoning=thought,
            usage=Usage(
                int(mask.sum()),
                min(length + 1, len(row)),
                None if sign is None else int((asked == sign).sum()),
            ),
            served_by=self.served_by,
            logprobs=told(length),
        )


@dataclass
class Draws:
    """Chooses each token of each row: the likeliest, or one drawn by the row's own generator; keeps what it saw.

    The largest of log-probabilities plus Gumbel noise is a draw by these probabilities. Log-probabilities are told as
    they are before temperature and top_p.
    """

    warpers: Sequence[Any]
    seeds: Sequence[int]
    top: int | None
    tokenizer: Any
    _generators: list[Any] = field(default_factory=list)
    _kept: list[tuple[list[int], list[float], list[list[int]], list[list[float]]]] = field(default_factory=list)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with all but the chosen token of each row ruled out."""
        import torch

        known = torch.log_softmax(scores.float(), dim=-1)
        chosen = self._drawn(input_ids, known) if self.seeds else known.argmax(dim=-1)
        if self.top is not None:
            best = known.topk(max(self.top, 1), dim=-1)
            own = known.gather(1, chosen[:, None])[:, 0]
            self._kept.append((chosen.tolist(), own.tolist(), best.indices.tolist(), best.values.tolist()))
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _drawn(self, input_ids: Any, known: Any) -> Any:
        import torch

        if not self._generators:
            self._generators = [torch.Generator(known.device).manual_seed(seed) for seed in self.seeds]
        for warp in self.warpers:
            known = warp(input_ids, known)
        noise = [
            torch.empty_like(row).exponential_(generator=own) for row, own in zip(known, self._generators, strict=True)
        ]
        return (known - torch.stack(noise).log()).argmax(dim=-1)

    def told(self, row: int) -> Callable[[int], str]:
        """The log-probabilities of a row's first tokens as JSON in the form of chat completions."""
        return lambda length: (
            orjson.dumps([self._place(row, *kept) for kept in self._kept[:length]]).decode() if self._kept else ""
        )

    def _place(
        self, row: int, chosen: list[int], own: list[float], best: list[list[int]], values: list[list[float]]
    ) -> dict[str, Any]:
        others = zip(best[row], values[row], strict=True)
        return {
            "token": self.tokenizer.decode([chosen[row]]),
            "logprob": own[row],
            "top_logprobs": [
                {"token": self.tokenizer.decode([token]), "logprob": value} for token, value in others if self.top
            ],
        }


def _imported() -> tuple[Any, Any]:
    """The packages transformers and torch, the one door to both; where one is missing, the install line."""
    with _IMPORTING:
        try:
            import torch
            import transformers
            import transformers.models.auto.modeling_auto
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name).partition(".")[0], EXTRA) from error
        except RuntimeError as error:
            raise UnusableModelError(
                f"transformers does not load: {error}. If torchvision says so, it was built for another torch: install "
                "both from one index."
            ) from error
    return transformers, torch


def _load(source: _Source, *, text_only: bool, device: str, dtype: str, extra: Mapping[str, Any]) -> _Loaded:
    """The model with its weights, ready to answer."""
    transformers, _ = _imported()
    transformers.utils.logging.disable_progress_bar()  # a run has a bar of its own
    kind = transformers.AutoModelForCausalLM if text_only else transformers.AutoModelForImageTextToText
    processor = source.read(transformers.AutoTokenizer if text_only else transformers.AutoProcessor)
    spread = {"device_map": "auto"} if device == "auto" else {}
    network = source.read(kind, dtype=dtype, **spread)
    try:
        network = network.eval() if spread else network.to(device).eval()
    except Exception as error:
        raise UnusableModelError(f"{source.name} does not fit on {device}: {error}") from error
    served_by = f"transformers {transformers.__version__} on {network.device.type}"
    loaded = _Loaded(source.name, network, processor, text_only, network.generation_config, served_by)
    loaded.tokenizer.padding_side = "left"
    if loaded.tokenizer.pad_token is None:
        loaded.tokenizer.pad_token = loaded.tokenizer.eos_token
    if loaded.defaults.pad_token_id is None:
        loaded.defaults.pad_token_id = loaded.tokenizer.pad_token_id
    if unknown := loaded.defaults.update(**extra):
        raise UnusableModelError(f"{source.name}: extra_body holds {next(iter(unknown))!r}, which generate has not.")
    return loaded


def _warpers(config: Any, settings: Settings) -> list[Any]:
    """What makes some tokens more or less likely before one is drawn."""
    from transformers.generation import logits_process as by

    heat = config.temperature if settings.temperature is None else settings.temperature
    share = config.top_p if settings.top_p is None else settings.top_p
    return [
        *([by.TemperatureLogitsWarper(float(heat))] if heat and heat != 1 else []),
        *([by.TopKLogitsWarper(config.top_k)] if config.top_k else []),
        *([by.TopPLogitsWarper(float(share))] if share is not None and share < 1 else []),
        *([by.MinPLogitsWarper(config.min_p)] if config.min_p is not None else []),
    ]


def _picture(image: EncodedImage) -> Any:
    pixels = decode(image.data, name=f"of sha256 {image.sha256[:12]}…")
    return PIL.Image.fromarray(pixels).convert("RGB")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
