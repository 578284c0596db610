"""A provider: a model behind a server of the ward's own, which takes and gives JSON."""

from types import MappingProxyType
from typing import Any

from snellen import Request, Response
from snellen.models.client.provider import MARK, Access, Provider
from snellen.models.client.replies import TEXT, check_words


class WardServer(Provider):
    """A model that is asked by POST /say at WARD_URL, with the key in WARD_KEY."""

    provider = "ward-server"
    access = Access("", "WARD_URL", ("WARD_KEY",), example="http://ward:8000")
    expects = "an object with `says`"
    fields = MappingProxyType({"says": TEXT, "ended": TEXT})
    needs_key = False

    def path(self, request: Request) -> str:
        """The same for every request."""
        return "/say"

    def body(self, request: Request) -> dict[str, Any]:
        """The request; MARK stands for the base64 of each image, in their order."""
        text = "\n\n".join(filter(None, (request.system, request.text)))
        return {"model": self._model, "text": text, "images": [MARK] * len(request.images), **request.settings.chosen}

    def read(self, reply: dict[str, Any]) -> Response:
        """What it says, and why it ended."""
        check_words(reply["says"], reply["ended"])
        return Response(reply["says"], reply["ended"])
