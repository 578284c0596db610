"""hf/…: a model that Hugging Face's transformers runs in this process.

hf/models/my-vlm
hf/google/medgemma-4b-it,device=cuda,batch=16
hf/Qwen/Qwen2.5-VL-3B-Instruct,revision=main,dtype=bfloat16

Vision-language models are shown images; language models are text-only. Each request has its own random
generator, so that no response depends on other requests.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

from snellen.errors import RejectedError, StudyError
from snellen.models.base import Response
from snellen.models.hf.loaded import Loaded, ModelFiles, Prepared, import_packages, load
from snellen.models.hf.prefixes import neighbours
from snellen.models.local import LocalModel, folder_digest, folder_of, read_line, revision_of
from snellen.prompts import Request

VERSION = "1"
"""Increased whenever the same weights would answer differently."""
SETTINGS = ("batch", "device", "dtype", "extra_body", "revision")
OURS = ("do_sample", "max_new_tokens", "num_beams", "num_return_sequences", "temperature", "top_p")
"""Arguments of generate that the study sets itself, or that do not fit one response."""
BATCH_ON_CPU, BATCH_ON_GPU = 8, 64
IN_FLIGHT = 3
"""Batches in flight on a GPU: one computed, one prepared, and one to choose from."""
LEADING = 48
"""Requests without an image count as one item's if they share this many first characters."""


def open_hf(line: str, **settings: Any) -> HF:
    """Open a model of transformers, such as `models/my-vlm,batch=4`. Arguments override this text."""
    model, named = read_line(line, SETTINGS, settings, example="hf/models/my-vlm,device=cpu")
    return HF(model, **named)


class HF(LocalModel[Prepared]):
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
        batch: int | None = None,
        revision: str = "",
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = self.spec = f"hf/{model}"
        transformers, torch = import_packages()
        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        on_cpu = self._device == "cpu"
        super().__init__(batch=batch if batch is not None else BATCH_ON_CPU if on_cpu else BATCH_ON_GPU)
        self.connections = None if on_cpu else IN_FLIGHT * self._batch
        folder = folder_of(self.name, model)
        if folder is not None and revision:
            raise StudyError(
                f"{self.name} is a folder; only a model of the Hugging Face hub has a revision, got {revision!r}."
            )
        self._extra = dict(extra_body or {})
        if ours := [name for name in self._extra if name in OURS]:
            raise StudyError(f"{self.name}: set {ours[0]} in the study's settings, not in extra_body.")
        self._dtype = dtype or ("float32" if on_cpu else "auto")
        self._source = ModelFiles(self.name, str(folder or model), {"revision": revision} if revision else {})
        config = self._source.read(transformers.AutoConfig, local_files_only=folder is not None)
        sees = config.model_type in transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
        self.text_only = not sees
        known = folder_digest(folder) if folder else str(getattr(config, "_commit_hash", None) or "unknown commit")
        self.revision = revision_of(VERSION, known[:16], self._dtype, self._extra)

    def _check(self, request: Request) -> None:
        if self.text_only and request.every_image:
            raise RejectedError(f"{self.name} is a text-only model and accepts no image.")

    def _batch_key(self, request: Request) -> Hashable:
        # a processor may refuse rows with images next to rows without
        return request.settings, len(request.every_image)

    def _choose_batch(self, requests: Sequence[Request]) -> Sequence[int]:
        sizes = [(len(each.text), _make_item_key(each)) for each in requests]
        return neighbours(sizes, self._batch)

    @cached_property
    def _loaded(self) -> Loaded:
        return load(self._source, text_only=self.text_only, device=self._device, dtype=self._dtype, extra=self._extra)

    def _prepare_batch(self, requests: Sequence[Request]) -> Prepared:
        return self._loaded.prepare(requests)

    def _compute_batch(self, prepared: Prepared) -> Sequence[Response]:
        return self._loaded.answers(prepared)


def _make_item_key(request: Request) -> Hashable:
    """Return a key that all requests about one item share: its images, or the first characters of its text."""
    images = tuple(image.sha256 for image in request.every_image)
    return images or request.text[:LEADING]
