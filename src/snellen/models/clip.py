"""clip/…: contrastive image–text models, asked which of the offered choices lies nearest to the image.

They give probabilities and no words, so that they can neither flag a poor image nor refuse. A model is an architecture
that open_clip knows (with `pretrained`), a model on the Hugging Face hub, or a saved folder:

clip/ViT-B-32,pretrained=openai
clip/hf-hub:microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224
clip/models/my-clip
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import PIL.Image
from numpy.typing import NDArray

from snellen.errors import ImageError, MissingExtraError, RejectedError, StudyError, UnusableModelError
from snellen.images import EncodedImage, Pixels, decode
from snellen.items import LETTERS
from snellen.models.base import ZERO_SHOT, Response, receipt
from snellen.models.local import ThreadedModel, read_line
from snellen.plugins import did_you_mean
from snellen.prompts import Request
from snellen.prompts.offered import Offer, offer

Prepared = Any
"""An image as the image tower needs it: a tensor of three colours, resized, cropped and normalised."""
Features = NDArray[np.float64]
"""One row of length 1 (a unit vector) per image or text."""

HUB = "hf-hub:"
_IMPORTING = threading.Lock()


@dataclass(frozen=True)
class Towers:
    """A loaded model: `see` encodes images, `read` encodes texts, and `scale` is the factor for their similarity.

    `digest` is the hash of everything that decides the features: weights, architecture and preprocessing.
    """

    network: Any
    tokenizer: Any
    device: str
    digest: str
    served_by: str

    @cached_property
    def _transform(self) -> Any:
        from open_clip.transform import PreprocessCfg, image_transform_v2

        return image_transform_v2(PreprocessCfg(**self.network.visual.preprocess_cfg), is_train=False)

    def prepare(self, pixels: Pixels) -> Prepared:
        """Preprocess an image with open_clip's transform, by the model's own settings."""
        height, width = pixels.shape[:2]
        # scaling one side to the model's size would need endless memory, or leave nothing of the other side
        if max(height, width) > min(height, width) * np.min(self.network.visual.preprocess_cfg["size"]):
            raise ImageError(f"An image of {width} × {height} pixels is too narrow for this model.")
        return self._transform(PIL.Image.fromarray(pixels))

    @cached_property
    def scale(self) -> float:
        """Factor for similarities before the softmax."""
        return float(self.network.logit_scale.detach().exp())

    def see(self, pictures: Sequence[Prepared]) -> Features:
        """Return the features of images."""
        import torch

        with torch.inference_mode():
            batch = torch.stack(list(pictures)).to(self.device)
            return _array(self.network.encode_image(batch, normalize=True))

    def read(self, texts: Sequence[str]) -> Features:
        """Return the features of texts, truncated to the model's context by its tokenizer."""
        import torch

        with torch.inference_mode():
            tokens = self.tokenizer(list(texts)).to(self.device)
            return _array(self.network.encode_text(tokens, normalize=True))


def open_towers(model: str, *, pretrained: str = "", device: str = "") -> Towers:
    """Load a model by open_clip name, hub name or folder; prefers a GPU."""
    open_clip, torch = _import_packages()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    source, checkpoint = _source(model, pretrained, open_clip)
    own = checkpoint is None
    try:
        network = open_clip.create_model(
            source, pretrained or None, load_weights=own, require_pretrained=own, device=device
        )
        if checkpoint is not None:
            open_clip.load_checkpoint(network, str(checkpoint))
        tokenizer = open_clip.get_tokenizer(source)
        settings = (open_clip.get_model_config(source), network.visual.preprocess_cfg)
    except Exception as error:
        raise UnusableModelError(f"clip/{model}: the model could not be loaded: {error}") from error
    network.eval()
    digest = _digest(network.state_dict(), settings)
    return Towers(network, tokenizer, device, digest, f"open_clip {open_clip.__version__} on {device}")


def _import_packages() -> tuple[Any, Any]:
    """Import open_clip and torch; both open_clip and timm need a torchvision that loads."""
    with _IMPORTING:
        try:
            import open_clip
            import torch
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name), "clip") from error
        except RuntimeError as error:
            raise UnusableModelError(
                f"open_clip does not load: {error}. If the error names torchvision, it was built for another torch. "
                "Install both from one index; without a GPU, for example: pip install --force-reinstall torch "
                "torchvision --index-url https://download.pytorch.org/whl/cpu"
            ) from error
    return open_clip, torch


def _source(model: str, pretrained: str, open_clip: Any) -> tuple[str, Path | None]:
    """Return open_clip's name for the model, and its weights' file if the user named one."""
    known = open_clip.list_models()
    if model in known:
        if pretrained:
            return model, None
        tags = ", ".join(open_clip.list_pretrained_tags_by_model(model)) or "a file"
        raise UnusableModelError(
            f"clip/{model} is an architecture without weights. Name its weights with pretrained=: {tags}."
        )
    if pretrained:
        raise UnusableModelError(f"clip/{model} has its own weights. Remove pretrained={pretrained}.")
    path = Path(model).expanduser()
    if model.startswith(HUB) or path.is_dir():
        return model if model.startswith(HUB) else f"local-dir:{path}", None
    if path.is_file():
        return f"local-dir:{path.parent}", path
    raise UnusableModelError(
        f"clip/{model} is not an architecture of open_clip, a folder or a file.{did_you_mean(model, known)} A model of "
        f"the Hugging Face hub is named clip/{HUB}organisation/model."
    )


def _array(features: Any) -> Features:
    array: Features = features.float().cpu().numpy().astype(np.float64)
    return array


def _digest(weights: Any, settings: Any) -> str:
    import torch

    digest = hashlib.sha256(orjson.dumps(settings, option=orjson.OPT_SORT_KEYS))
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


PLACE = "{label}"
TEMPLATE = f"the diagnosis of this medical image is: {PLACE}"
"""Prompt for each choice. The paper on artefacts names the type of image: `… of this X-rays image is: {label}`."""
VERSION = "1"
"""Increased whenever the same weights would answer differently."""
_KEPT = 4096


SETTINGS = ("pretrained", "template", "device", "batch")


def open_clip_line(line: str, **settings: Any) -> ZeroShot:
    """Open a contrastive image–text model, such as `ViT-B-32,pretrained=openai`. Arguments override this text."""
    model, named = read_line(line, SETTINGS, settings, example="clip/ViT-B-32,pretrained=openai")
    return ZeroShot(model, **named)


class ZeroShot(ThreadedModel):
    """Compares the image with each choice in `template`: softmax of scale × cosine similarity.

    It reads only the choices of a question. Several images count as one: the mean of their features, brought back to
    length one. Each image and each text is encoded once. With `batch`, a GPU encodes waiting images together; the last
    digits of a response may then depend on the other images.
    """

    reads_letters = False
    takes_examples = False

    def __init__(
        self, model: str, *, pretrained: str = "", template: str = TEMPLATE, device: str = "", batch: int = 1
    ) -> None:
        if template.count(PLACE) != 1:
            raise StudyError(
                f"clip/{model}: expected one {PLACE} in the template, to be replaced by each option; got {template!r}."
            )
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

    async def answer(self, request: Request) -> Response:
        """Return the nearest choice and the probabilities, computed in a thread."""
        started = time.perf_counter()
        asked = self._offer(request)
        if self._batch > 1:
            self._waiting.extend(image for image in request.images if image.sha256 not in self._seen)
        probabilities = await self._compute(self.probabilities, request.images, asked.choices)
        return Response(
            word_answer(asked, probabilities, wanted=f"{request.system}\n{request.text}"),
            finish=ZERO_SHOT,
            latency=time.perf_counter() - started,
            served_by=self._towers.served_by,
            sent=tuple(receipt(image) for image in request.images),
        )

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
