"""Watch image delivery during a run, and stop models that get no images."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from snellen.models.base import Model, Response
from snellen.prompts import PROVIDER_DEFAULTS, Request, Settings
from snellen.sight.canary import Arrival, Canary, Fault
from snellen.sight.showing import show_charts
from snellen.sight.tokens import ENOUGH, PLACEHOLDER, TokenPair, describe_counts, flat
from snellen.store import Store

MOST = 100
"""After this many pairs without evidence against delivery, no more pairs are compared."""


@dataclass
class Counts:
    """Input tokens of a model for each text, with and without an image."""

    with_image: dict[int, TokenPair] = field(default_factory=dict)
    alone: dict[int, int] = field(default_factory=dict)
    pairs: list[TokenPair] = field(default_factory=list)
    settled: bool = False
    """True if images are in the count or enough pairs were seen. Then no more pairs are compared."""

    def add(self, request: Request, response: Response) -> None:
        """Add the token counts of one response."""
        tokens = response.usage.input_tokens
        if self.settled or tokens is None:
            return
        words = hash((request.system, request.text, request.replicate))
        if request.images:
            pixels = tuple(image.width * image.height for image in request.images)
            self.with_image.setdefault(words, TokenPair(tokens, 0, pixels, response.usage.image_tokens))
        elif tokens:  # a server that counts 0 tokens for a text does not count tokens
            self.alone.setdefault(words, tokens)
        if words in self.with_image and words in self.alone:
            self.pairs.append(self.with_image.pop(words)._replace(without=self.alone[words]))
            added = {pair.added for pair in self.pairs}
            counted = any(pair.counted for pair in self.pairs)
            self.settled = (counted and (len(added) > 1 or max(added) >= PLACEHOLDER)) or len(self.pairs) > MOST

    def describe_doubt(self, read: Canary | None) -> str:
        """Describe the token counts if they show that images did not arrive; else return "".

        If the model read letters (`read`), the counts are evidence only if they also counted the charts.
        """
        if self.settled or len(self.pairs) < ENOUGH:
            return ""
        if not any(pair.counted for pair in self.pairs) and (read is None or read.counts_images):
            return f"{describe_counts(self.pairs)}: images are not in its count."
        if (same := flat(self.pairs)) is not None and (read is None or read.counts_by_size):
            return f"{describe_counts(self.pairs)}: every image, large or small, has {same} tokens, like a placeholder."
        return ""


class ImageWitness:
    """Show letters to each model before its first image, then watch token counts.

    A model whose images do not arrive is stopped, unless `accept_blind`. What it read in the letters is stored.
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
        """Warnings about models that are asked, by model."""
        self.stopped: dict[str, str] = {}
        """Reasons why models were not asked, by model."""

    async def check_model(self, model: Model, number: int) -> str:
        """Show the letters to a model; return the reason not to ask it, or ""."""
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
            self.remarks[model.name] = f"nothing shows yet that images reach the model. {said}"
        if shown.status is not Arrival.CONTRADICTED:
            return ""
        faults = "; ".join(shown.faults)
        if self._accept_blind:
            self.remarks[model.name] = f"{faults}. {said} The model is asked nevertheless; no verdict is given."
            return ""
        instead = f"Ask it without images: --text-only {model.name}. " if Fault.REJECTED in shown.faults else ""
        self.stopped[model.name] = f"{faults}. {said} {instead}{how_to_go_on(model.name)}"
        return self.stopped[model.name]

    def on_response(self, model: Model, request: Request, response: Response) -> str:
        """Compare the server's token counts; return the reason to stop asking the model, or ""."""
        if self._accept_blind:
            return ""
        counts = self._counts[model.name]
        counts.add(request, response)
        against = counts.describe_doubt(self._read.get(model.name))
        return f"images seem not to reach the model. {against} {how_to_go_on(model.name)}" if against else ""


def how_to_go_on(model: str) -> str:
    """Say what the user can do about a model that was stopped."""
    return (
        f"Check the server and any gateway before it; `snellen chart --model {model}` shows what the model reads. "
        "--accept-blind asks it nevertheless, without a verdict; --no-canary omits the letters before a run."
    )
