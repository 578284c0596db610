"""ZeroShot: a contrastive model that answers with the choice nearest to the image."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, RejectedError, StudyError
from snellen.images import EncodedImage, decode
from snellen.items import LETTERS
from snellen.models.base import ZERO_SHOT, Model, Response, receipt
from snellen.models.clip.towers import Features, Prepared, open_towers
from snellen.prompts import Request, Settings
from snellen.prompts.offered import Offer, offer

PLACE = "{label}"
TEMPLATE = f"the diagnosis of this medical image is: {PLACE}"
"""Prompt for each choice. The paper on artefacts names the type of image: `… of this X-rays image is: {label}`."""
VERSION = "1"
"""Increased whenever the same weights would answer differently."""
_KEPT = 4096


class ZeroShot(Model):
    """Compares the image with each choice in `template`: softmax of scale × cosine similarity.

    Of the question it reads the choices alone. Several images count as one: the mean of their features, brought back to
    length one. Each image and each text is encoded once. With `batch`, images that wait together are encoded
    together, for a GPU's sake; the last digits of a response may then depend on what else was asked.
    """

    reads_letters = False
    takes_examples = False

    def __init__(
        self, model: str, *, pretrained: str = "", template: str = TEMPLATE, device: str = "", batch: int = 1
    ) -> None:
        if template.count(PLACE) != 1:
            raise StudyError(f"clip/{model}: the template needs one {PLACE}, where a choice is put. Got {template!r}.")
        if not isinstance(batch, int) or batch < 1:
            raise StudyError(f"clip/{model}: expected a batch of 1 image or more, got {batch!r}.")
        own = (("pretrained", pretrained, ""), ("template", template, TEMPLATE))
        self.name = f"clip/{model}" + "".join(f",{name}={value}" for name, value, usual in own if value != usual)
        self._towers = open_towers(model, pretrained=pretrained, device=str(device))
        decides = hashlib.sha256(f"{self._towers.digest}\n{template}".encode()).hexdigest()
        self.revision = f"{VERSION}+{decides[:16]}"
        self._template, self._batch = template, batch
        self._text_features = lru_cache(maxsize=_KEPT)(self._read)
        self._seen: OrderedDict[str, Features] = OrderedDict()
        self._waiting: deque[EncodedImage] = deque()
        self._thread: ThreadPoolExecutor | None = None

    async def answer(self, request: Request) -> Response:
        """Return the nearest choice and the probabilities, computed in a thread."""
        started = time.perf_counter()
        asked = self._offer(request)
        if self._batch > 1:
            self._waiting.extend(image for image in request.images if image.sha256 not in self._seen)
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="snellen-clip")
        probabilities = await asyncio.get_running_loop().run_in_executor(
            self._thread, self.probabilities, request.images, asked.choices
        )
        return Response(
            word_answer(asked, probabilities, wanted=f"{request.system}\n{request.text}"),
            finish=ZERO_SHOT,
            latency=time.perf_counter() - started,
            served_by=self._towers.served_by,
            sent=tuple(receipt(image) for image in request.images),
        )

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return all settings, because the model answers with probabilities."""
        return tuple(settings.chosen)

    async def close(self) -> None:
        """End the thread; a later question starts another one."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None

    def probabilities(self, images: Sequence[EncodedImage], labels: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each label, given the images."""
        mean = np.mean([self._image_features(image) for image in images], axis=0)
        seen = mean / np.linalg.norm(mean)
        logits = self._towers.scale * np.array([seen @ self._text_features(label) for label in labels])
        odds = np.exp(logits - logits.max())
        shares: NDArray[np.float64] = odds / odds.sum()
        return shares

    def _offer(self, request: Request) -> Offer:
        """Return the choices of the request; RejectedError without image or choices."""
        if not request.images:
            raise RejectedError(f"{self.name} compares an image with words, but the request has no image.")
        asked = offer(request.text)
        if not asked.choices:
            raise RejectedError(
                f"{self.name} needs options to choose from, but none can be read from the request. Ask a question with "
                "options, by a prompt that lists them, such as letter or detection."
            )
        return asked

    def _read(self, label: str) -> Features:
        # One label at a time, so that its features do not depend on the others.
        features: Features = self._towers.read([self._template.replace(PLACE, label)])[0]
        return features

    def _image_features(self, image: EncodedImage) -> Features:
        if image.sha256 not in self._seen:
            self._see(image)
        self._seen.move_to_end(image.sha256)
        return self._seen[image.sha256]

    def _see(self, image: EncodedImage) -> None:
        """Encode an image, together with waiting ones up to a batch."""
        try:
            pictures = {image.sha256: self._prepare_image(image)}
        except ImageError as error:
            raise RejectedError(f"{self.name} cannot be shown this image: {error}") from error
        while self._waiting and len(pictures) < self._batch:
            other = self._waiting.popleft()
            if other.sha256 in self._seen or other.sha256 in pictures:
                continue
            try:
                pictures[other.sha256] = self._prepare_image(other)
            except ImageError:
                continue  # the error is raised when that image's own request is answered
        self._seen.update(zip(pictures, self._towers.see(list(pictures.values())), strict=True))
        while len(self._seen) > _KEPT:
            self._seen.popitem(last=False)

    def _prepare_image(self, image: EncodedImage) -> Prepared:
        return self._towers.prepare(decode(image.data, name=f"of sha256 {image.sha256[:12]}…"))


def word_answer(asked: Offer, probabilities: NDArray[np.float64], *, wanted: str) -> str:
    """Return the most probable choice on one line, and all probabilities on the next.

    `wanted` is the whole prompt: if it asks for [[X]] or <answer>, the letter is in that form. The probabilities are in
    the order of the choices but without their names, so that no parser takes one for an answer.

    >>> print(word_answer(Offer(("tumour", "normal")), np.array([0.25, 0.75]), wanted=""))
    Conclusion: normal
    Probabilities, in the order of the choices: 0.2500, 0.7500
    """
    likeliest = int(np.argmax(probabilities))
    answer = _by_letter(LETTERS[likeliest], wanted) if asked.lettered else f"Conclusion: {asked.choices[likeliest]}"
    shares = ", ".join(f"{share:.4f}" for share in probabilities)
    return f"{answer}\nProbabilities, in the order of the choices: {shares}"


def _by_letter(letter: str, wanted: str) -> str:
    if "[[" in wanted:
        return f"[[{letter}]]"
    return f"<answer>{letter}</answer>" if "<answer>" in wanted else f"Answer: {letter}"
