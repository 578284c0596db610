"""A loaded transformers model: prepare requests on the CPU and answer them.

A "family" is a group of requests with a common beginning, such as the questions about one image.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import PIL.Image

from snellen.errors import MissingExtraError, RejectedError, UnusableModelError
from snellen.images import EncodedImage, decode
from snellen.models.base import Response, Usage
from snellen.models.client.provider import turns
from snellen.models.hf.generation import UNRECORDED, TokenSampler, agree, replaying, warpers
from snellen.models.hf.prefixes import TokenRow, families
from snellen.models.local import NEW_TOKENS, draw_seed, effort_words, thoughts_apart
from snellen.prompts import Request, Settings

EXTRA = "hf"
WATCHED = 6
"""Tokens of a first batch whose scores are compared with those of transformers' plain method."""
FEWEST_TO_RECORD = 8
"""Responses with a lower token limit are computed without a recorded pass."""
TOLERANCES = {"float32": 1e-3, "float64": 1e-6}
HALF_TOLERANCE = 0.1
"""Largest difference between scores, in standard deviations; half precision has two to three digits."""
BY_PLACE = (
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "min_length",
    "sequence_bias",
    "bad_words_ids",
    "watermarking_config",
)
"""Options of generate that depend on positions, where padding would count. Rows in a batch then have equal length."""
BY_WORDS = ("repetition_penalty", "encoder_repetition_penalty")
"""Options of generate that depend on which tokens a row has, including its padding. 1 means no effect."""
EVEN = 64
"""The cache's number of columns is a multiple of this; kernels are fastest on such sizes."""
DECODING = 4
"""Threads that decode images."""
_IMPORTING = threading.Lock()


@dataclass(frozen=True)
class ModelFiles:
    """Location of a model's files: a folder, or a hub name with revision."""

    name: str
    place: str
    options: Mapping[str, Any]

    def read(self, kind: Any, **more: Any) -> Any:
        """Read files with one of transformers' Auto classes; never runs the model's own code."""
        try:
            return kind.from_pretrained(self.place, **self.options, **more)
        except Exception as error:
            said = " ".join(str(error).split())[:300]
            raise UnusableModelError(
                f"{self.name} could not be loaded: {said} (Snellen does not run the code in a model's "
                "folder. Serve the model yourself, and use vllm/… with base_url.)"
                if "trust_remote_code" in said
                else f"{self.name} could not be loaded: {said}"
            ) from error


class Prepared(NamedTuple):
    """Requests of one kind as tensors on the CPU, padded on the left, with masks.

    `inputs` is the model's first input. If `family` is not None, `inputs` has the common beginning of each family once,
    and `family` holds the family of each row. The beginning is in the first columns of its rows.
    """

    requests: Sequence[Request]
    tokens: Any
    mask: Any
    inputs: Any
    family: Any = None

    @property
    def read(self) -> int:
        """Number of tokens that the model reads; common beginnings count once."""
        if self.family is None:
            return int(self.mask.sum())
        columns = self.inputs["input_ids"].shape[1]
        return int(self.inputs["attention_mask"].sum() + self.mask[:, columns:].sum())


class Way(NamedTuple):
    """A method of computing a batch that differs from transformers' plain one."""

    shared: bool
    """True if the common beginnings of families are computed only once."""
    replayed: bool
    """True if the pass for one more token is recorded and replayed."""


PLAIN = Way(shared=False, replayed=False)


@dataclass
class Loaded:
    """A loaded model: `processor` makes tensors of text and images, `network` continues them.

    Any method but the plain one is trusted once it gave the same scores on a batch.
    """

    name: str
    network: Any
    processor: Any
    text_only: bool
    defaults: Any
    """The model's default generation settings."""
    served_by: str
    trusted: dict[Way, bool] = field(default_factory=dict)
    _processing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer."""
        return getattr(self.processor, "tokenizer", self.processor)

    @cached_property
    def template(self) -> str:
        """The model's chat template."""
        found = getattr(self.processor, "chat_template", None) or getattr(self.tokenizer, "chat_template", None)
        found = found.get("default") if isinstance(found, Mapping) else found
        if not isinstance(found, str):
            raise UnusableModelError(f"{self.name} has no chat template, so it cannot be used here.")
        return found

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(DECODING, thread_name_prefix="snellen-decoding")

    def prepare(self, requests: Sequence[Request], *, in_families: bool = True) -> Prepared:
        """Return the requests as tensors, in families if some have a common beginning."""
        texts = [self._text(request) for request in requests]
        ways = [Way(shared=True, replayed=each) for each in {False, self._on_one_gpu}]
        may_share = any(self.trusted.get(way) is not False for way in ways) and not self._by_place
        with self._processing:
            if in_families and may_share and len(requests) > 1:
                together = self._in_families(requests, texts)
                if together is not None:
                    return together
            inputs = self._inputs(requests, texts)
        return Prepared(requests, inputs["input_ids"], inputs["attention_mask"], inputs)

    def answers(self, prepared: Prepared) -> list[Response]:
        """Return the responses to requests of one kind."""
        lengths = prepared.mask.sum(-1).tolist() if self._by_place else [0] * len(prepared.requests)
        kinds = [*zip(self._rooms(prepared), lengths, strict=True)]
        if len(set(kinds)) > 1:
            return self._answer_by_kind(prepared.requests, kinds)
        way = self._way(prepared)
        if prepared.family is not None and not way.shared:
            prepared = self.prepare(prepared.requests, in_families=False)
        if way == PLAIN or self.trusted.get(way):
            return self._generate(prepared, way)[0]
        plain = self.prepare(prepared.requests, in_families=False) if way.shared else prepared
        responses, seen = self._generate(plain, PLAIN, watched=WATCHED)
        self._try(way, prepared, seen)
        return responses

    def _way(self, prepared: Prepared) -> Way:
        """Return the fastest method that is not known to be wrong."""
        longest = min(self._rooms(prepared))
        config = self.network.config.get_text_config(decoder=True)
        window = getattr(config, "sliding_window", None)
        if window is not None and prepared.tokens.shape[1] + longest > window:
            return PLAIN  # with a sliding window, padding between beginnings and ends would count
        shared, replayed = prepared.family is not None, longest >= FEWEST_TO_RECORD and self._on_one_gpu
        ways = (Way(shared, replayed), Way(shared, replayed=False), Way(shared=False, replayed=replayed))
        return next((way for way in ways if self.trusted.get(way) is not False), PLAIN)

    def _try(self, way: Way, prepared: Prepared, plain: TokenSampler) -> None:
        """Compare a method with the plain one, and remember whether it gave the same scores."""
        try:
            _, tried = self._generate(prepared, way, watched=WATCHED, longest=WATCHED)
        except Exception:
            self.trusted[way] = False
            return
        if not way.replayed or len(tried.seen) > UNRECORDED + 1 or not agree(plain, tried, tolerance=self._tolerance):
            self.trusted[way] = agree(plain, tried, tolerance=self._tolerance)

    @property
    def _tolerance(self) -> float:
        return TOLERANCES.get(str(self.network.dtype).removeprefix("torch."), HALF_TOLERANCE)

    @property
    def _on_one_gpu(self) -> bool:
        spread = set(getattr(self.network, "hf_device_map", {}).values())
        return self.network.device.type == "cuda" and len(spread) < 2

    @property
    def _by_place(self) -> bool:
        return any(getattr(self.defaults, name, None) for name in BY_PLACE)

    @property
    def _by_words(self) -> bool:
        return any(getattr(self.defaults, name, None) not in (None, 1) for name in BY_WORDS)

    def _answer_by_kind(self, requests: Sequence[Request], kinds: Sequence[Hashable]) -> list[Response]:
        """Answer requests that differ, such as in their token limits, one kind after another."""
        responses: dict[int, Response] = {}
        for kind in set(kinds):
            alike = [at for at, own in enumerate(kinds) if own == kind]
            written = self.answers(self.prepare([requests[at] for at in alike]))
            responses.update(zip(alike, written, strict=True))
        return [responses[at] for at in range(len(requests))]

    def _rooms(self, prepared: Prepared) -> list[int]:
        """Return the token limit of each response: as requested, or what the context has left."""
        longest = int(prepared.requests[0].settings.max_tokens or self.defaults.max_new_tokens or NEW_TOKENS)
        limit = getattr(self.network.config.get_text_config(), "max_position_embeddings", None)
        given = [int(each) for each in prepared.mask.sum(-1)]
        if limit is not None and max(given) >= limit:
            raise RejectedError(f"it accepts {limit:,} tokens, and the request has {max(given):,}")
        return [longest if limit is None else min(longest, limit - each) for each in given]

    def _generate(
        self, prepared: Prepared, way: Way, *, watched: int = 0, longest: int | None = None
    ) -> tuple[list[Response], TokenSampler]:
        """Return the responses, and the sampler that chose their tokens; `longest` limits their length."""
        import torch
        from transformers import BatchFeature

        settings = prepared.requests[0].settings
        config, draws = self._generation(prepared, watched)
        config.max_new_tokens = min(config.max_new_tokens, longest or config.max_new_tokens)
        given = int(prepared.tokens.shape[1])
        with torch.inference_mode(), replaying(self.network) if way.replayed else nullcontext():
            cache = {} if way == PLAIN else {"past_key_values": self._cache(way, given + config.max_new_tokens)}
            first = self._read_beginnings(prepared, *cache.values()) if prepared.family is not None else prepared.inputs
            if self._by_words:
                # Padding is replaced by each row's last token; the mask hides it.
                tokens = prepared.tokens.where(prepared.mask.bool(), prepared.tokens[:, -1:])
                first = BatchFeature({**first, "input_ids": tokens})
            written = self.network.generate(
                **first.to(self.network.device),
                **cache,
                generation_config=config,
                logits_processor=[draws],
                **({"tokenizer": self.tokenizer} if settings.stop else {}),
            )
        about = zip(prepared.tokens, prepared.mask, written[:, given:].tolist(), strict=True)
        return [
            self._response(row, asked, mask, config, settings, draws.format_logprobs(at))
            for at, (asked, mask, row) in enumerate(about)
        ], draws

    def _cache(self, way: Way, columns: int) -> Any:
        from transformers import DynamicCache, StaticCache

        config = self.network.config.get_text_config(decoder=True)
        if not way.replayed:
            return DynamicCache(config=config)
        return StaticCache(config=config, max_cache_len=-(-columns // EVEN) * EVEN)

    def _read_beginnings(self, prepared: Prepared, cache: Any) -> Any:
        """Fill the cache with common beginnings and return the rest of the rows."""
        import torch
        from transformers import BatchFeature

        once = deepcopy(self.defaults)
        once.max_new_tokens, once.max_length, once.do_sample, once.num_beams = 1, None, False, 1
        once.temperature = once.top_p = once.top_k = once.min_p = None
        self.network.generate(**prepared.inputs.to(self.network.device), past_key_values=cache, generation_config=once)
        family = prepared.family.to(self.network.device)
        cache.reorder_cache(family)
        for part in self.network.modules():
            if isinstance(turned := getattr(part, "rope_deltas", None), torch.Tensor):
                part.rope_deltas = turned[family]
        return BatchFeature({"input_ids": prepared.tokens, "attention_mask": prepared.mask})

    def _inputs(self, requests: Sequence[Request], texts: Sequence[str]) -> Any:
        every = {image.sha256: image for request in requests for image in request.every_image}
        pictures = dict(zip(every, self._threads.map(_picture, every.values()), strict=True))
        images = [[pictures[image.sha256] for image in request.every_image] for request in requests]
        shown = {"images": images} if any(images) else {}
        inputs = self.processor(
            text=list(texts), **shown, padding=True, return_tensors="pt", **self._special_tokens(texts[0])
        )
        if shown and not any(name.startswith("pixel_values") for name in inputs):
            raise RejectedError("its processor ignored the image")
        return inputs

    def _special_tokens(self, text: str) -> dict[str, bool]:
        """Return the arguments that switch off special tokens if the template already has them."""
        begins = self.tokenizer.bos_token
        return {"add_special_tokens": False} if self.text_only or (begins and text.startswith(begins)) else {}

    def _in_families(self, requests: Sequence[Request], texts: Sequence[str]) -> Prepared | None:
        """Return the requests in families with a common beginning; None if there are none."""
        import torch
        from transformers import BatchFeature

        words = self.tokenizer(list(texts), **self._special_tokens(texts[0]))["input_ids"]
        shown = [tuple(image.sha256 for image in request.every_image) for request in requests]
        found = families([TokenRow(*each) for each in zip(words, shown, strict=True)])
        if len(found) == len(requests):
            return None
        heads = [each.members[0] for each in found]
        inputs = self._inputs([requests[head] for head in heads], [texts[head] for head in heads])
        tokens, mask = inputs["input_ids"], inputs["attention_mask"]
        starts = (tokens.shape[1] - mask.sum(-1)).tolist()
        shared: list[int] = []
        for each, row, start in zip(found, tokens.tolist(), starts, strict=True):
            own = words[each.members[0]]
            shared.append(len(row) - start - len(own) + each.shared)
            if row[start + shared[-1] :] != own[each.shared :]:
                return None
        columns = max(shared)
        rest = max(len(words[member]) - each.shared for each in found for member in each.members)
        begun = {
            name: _cut(value, starts, shared, columns, self.tokenizer.pad_token_id if name == "input_ids" else 0)
            if value.shape[:2] == tokens.shape and value.ndim == 2
            else value
            for name, value in inputs.items()
        }
        family = torch.zeros(len(requests), dtype=torch.long)
        after = torch.full((len(requests), rest), self.tokenizer.pad_token_id)
        told = torch.zeros((len(requests), rest), dtype=mask.dtype)
        for at, each in enumerate(found):
            for member in each.members:
                own = words[member][each.shared :]
                family[member] = at
                after[member, rest - len(own) :] = torch.tensor(own)
                told[member, rest - len(own) :] = 1
        return Prepared(
            requests,
            torch.cat([begun["input_ids"][family], after], dim=1),
            torch.cat([begun["attention_mask"][family], told], dim=1),
            BatchFeature(begun),
            family,
        )

    def _text(self, request: Request) -> str:
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

    def _generation(self, prepared: Prepared, watched: int) -> tuple[Any, TokenSampler]:
        settings = prepared.requests[0].settings
        config = deepcopy(self.defaults)
        config.max_new_tokens = min(self._rooms(prepared))
        config.max_length = None
        config.disable_compile = True
        config.stop_strings = list(settings.stop) if settings.stop else None
        drawn = config.do_sample if settings.temperature is None else settings.temperature > 0
        by = warpers(config, settings) if drawn else []
        seeds = [draw_seed(request) for request in prepared.requests] if drawn else []
        config.do_sample, config.num_beams = False, 1
        config.temperature = config.top_p = config.top_k = config.min_p = None
        return config, TokenSampler(by, seeds, settings.logprobs, self.tokenizer, watched)

    def _response(
        self, row: list[int], asked: Any, mask: Any, config: Any, settings: Settings, told: Callable[[int], str]
    ) -> Response:
        last = config.eos_token_id
        ends = {config.pad_token_id, *(last if isinstance(last, list) else [last])} - {None}
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
                length + (length < len(row) and not stopped),
                None if sign is None else int((asked == sign).sum()),
            ),
            served_by=self.served_by,
            logprobs=told(length),
        )


def import_packages() -> tuple[Any, Any]:
    """Import transformers and torch, or raise with the install line."""
    with _IMPORTING:
        try:
            import torch
            import transformers
            import transformers.models.auto.modeling_auto
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name).partition(".")[0], EXTRA) from error
        except RuntimeError as error:
            raise UnusableModelError(
                f"transformers does not load: {error}. If the error names torchvision, it was built for another torch. "
                "Install both from one index."
            ) from error
    return transformers, torch


def load(source: ModelFiles, *, text_only: bool, device: str, dtype: str, extra: Mapping[str, Any]) -> Loaded:
    """Load a model with its weights, ready to answer."""
    transformers, _ = import_packages()
    transformers.utils.logging.disable_progress_bar()  # a run shows its own progress bar
    kind = transformers.AutoModelForCausalLM if text_only else transformers.AutoModelForImageTextToText
    processor = source.read(transformers.AutoTokenizer if text_only else transformers.AutoProcessor)
    spread = {"device_map": "auto"} if device == "auto" else {}
    network = source.read(kind, dtype=dtype, **spread)
    try:
        network = network.eval() if spread else network.to(device).eval()
    except Exception as error:
        raise UnusableModelError(f"{source.name} does not fit on {device}: {error}") from error
    served_by = f"transformers {transformers.__version__} on {network.device.type}"
    loaded = Loaded(source.name, network, processor, text_only, network.generation_config, served_by)
    loaded.tokenizer.padding_side = "left"
    if loaded.tokenizer.pad_token is None:
        loaded.tokenizer.pad_token = loaded.tokenizer.eos_token
    if loaded.defaults.pad_token_id is None:
        loaded.defaults.pad_token_id = loaded.tokenizer.pad_token_id
    if unknown := loaded.defaults.update(**extra):
        raise UnusableModelError(f"{source.name}: generate() has no option {next(iter(unknown))!r} (from extra_body).")
    return loaded


def _picture(image: EncodedImage) -> Any:
    pixels = decode(image.data, name=f"of sha256 {image.sha256[:12]}…")
    return PIL.Image.fromarray(pixels).convert("RGB")


def _cut(rows: Any, starts: Sequence[int], lengths: Sequence[int], columns: int, pad: int) -> Any:
    """Return the first values of each row from its start, padded on the left."""
    made = rows.new_full((len(rows), columns), pad)
    for row, start, length, into in zip(rows, starts, lengths, made, strict=True):
        into[columns - length :] = row[start : start + length]
    return made
