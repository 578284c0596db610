"""Witness: watches whether images reach the models while they are asked, and stops a model whose images do not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from snellen.models.base import Model, Response
from snellen.prompts import PROVIDER_DEFAULTS, Request, Settings
from snellen.sight.canary import Arrival, Canary, Fault
from snellen.sight.showing import show_charts
from snellen.sight.tokens import ENOUGH, PLACEHOLDER, Pair, compared, flat
from snellen.store import Store

MOST = 100
"""After so many pairs with nothing against them, no more are compared."""


@dataclass
class Counts:
    """The input tokens of one model, by the words that were sent with an image and without."""

    with_image: dict[int, Pair] = field(default_factory=dict)
    alone: dict[int, int] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    settled: bool = False
    """Whether images are in the count, so that nothing is compared any more."""

    def add(self, request: Request, response: Response) -> None:
        """Take in what was counted for one response."""
        tokens = response.usage.input_tokens
        if self.settled or tokens is None:
            return
        words = hash((request.system, request.text, request.replicate))
        if request.images:
            pixels = tuple(image.width * image.height for image in request.images)
            self.with_image.setdefault(words, Pair(tokens, 0, pixels, response.usage.image_tokens))
        elif tokens:  # a server that counts 0 for words counts nothing
            self.alone.setdefault(words, tokens)
        if words in self.with_image and words in self.alone:
            self.pairs.append(self.with_image.pop(words)._replace(without=self.alone[words]))
            added = {pair.added for pair in self.pairs}
            counted = any(pair.counted for pair in self.pairs)
            self.settled = (counted and (len(added) > 1 or max(added) >= PLACEHOLDER)) or len(self.pairs) > MOST

    def against(self, read: Canary | None) -> str:
        """What the counts show, where they speak against images having arrived; else nothing.

        Of a model that `read` letters they tell only what its server counted otherwise for the charts.
        """
        if self.settled or len(self.pairs) < ENOUGH:
            return ""
        if not any(pair.counted for pair in self.pairs) and (read is None or read.counts_images):
            return f"{compared(self.pairs)}: images are not in its count."
        if (same := flat(self.pairs)) is not None and (read is None or read.counts_by_size):
            return f"{compared(self.pairs)}: {same} tokens for every image, large or small, are those of a placeholder."
        return ""


class ImageWitness:
    """Shows letters to each model before its first image goes out, then compares the tokens that its server counts.

    A model whose images do not arrive is stopped, unless `accept_blind`. What it read of the letters is stored.
    """

    def __init__(
        self,
        store: Store,
        *,
        canary: bool = True,
        accept_blind: bool = False,
        settings: Settings = PROVIDER_DEFAULTS,
    ) -> None:
        self._store = store
        self._canary, self._accept_blind = canary, accept_blind
        self._settings = settings
        self._read: dict[str, Canary] = {}
        self._counts: defaultdict[str, Counts] = defaultdict(Counts)
        self.remarks: dict[str, str] = {}
        """What is to be borne in mind of models that are asked."""
        self.stopped: dict[str, str] = {}
        """The models that were not asked anything, and why."""

    async def before(self, model: Model, number: int) -> str:
        """Show the letters; why the model is not asked, or nothing."""
        if not self._canary or model.text_only or not model.reads_letters:
            return ""
        shown = await show_charts(model, self._settings)
        if shown is None:
            return ""
        self._store.studies.add_canary(number, replace(shown, accepted=self._accept_blind).record())
        return self._judge(model, shown)

    def _judge(self, model: Model, shown: Canary) -> str:
        if shown.read:
            self._read[model.name] = shown
        said = " ".join(shown.sentences)
        if shown.status is Arrival.UNKNOWN and model.address:
            self.remarks[model.name] = f"nothing shows yet that images reach it. {said}"
        if shown.status is not Arrival.CONTRADICTED:
            return ""
        faults = "; ".join(shown.faults)
        if self._accept_blind:
            self.remarks[model.name] = f"{faults}. {said} It is asked all the same, and no verdict is drawn."
            return ""
        instead = f"Ask it without images: --text-only {model.name}. " if Fault.REJECTED in shown.faults else ""
        self.stopped[model.name] = f"{faults}. {said} {instead}{how_to_go_on(model.name)}"
        return self.stopped[model.name]

    def heard(self, model: Model, request: Request, response: Response) -> str:
        """Compare what the server counts; why the model is not asked any more, or nothing."""
        if self._accept_blind:
            return ""
        counts = self._counts[model.name]
        counts.add(request, response)
        against = counts.against(self._read.get(model.name))
        return f"images seem not to reach it. {against} {how_to_go_on(model.name)}" if against else ""


def how_to_go_on(model: str) -> str:
    """What can be done about a model that was stopped."""
    return (
        f"Check what stands between here and the model; `snellen chart --model {model}` shows what it reads. "
        "--accept-blind asks it all the same and draws no verdict; --no-canary leaves out the letters before a run."
    )
