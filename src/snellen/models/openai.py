"""OpenAI, Azure, and the many other servers with OpenAI's chat completions API, one line each."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import orjson

from snellen.errors import ModelError, UnusableModelError
from snellen.models.base import Response
from snellen.models.chat import OFFICIAL, ChatModel, OpenAIBatches, check_effort, find_fixed_settings, is_held_back
from snellen.models.client.provider import MARK, Access, turns
from snellen.models.client.replies import (
    TEXT,
    as_object,
    check_words,
    count_tokens,
    join_parts,
    read_list,
    read_object,
    read_texts,
)
from snellen.models.client.transport import ServerResponse
from snellen.prompts import Request, Settings

_LACKS = ("seed", "stop")
_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens", "logprobs": "top_logprobs"}
API_VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")


class OpenAI(ChatModel):
    """A model behind an OpenAI-compatible endpoint.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai"
    access = Access(OFFICIAL, "OPENAI_BASE_URL", ("OPENAI_API_KEY",))

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching = OpenAIBatches(self, "/v1/chat/completions")
        self.largest_side = 2048 if self._official else None
        self.longest_setting = "max_completion_tokens" if self._official else "max_tokens"

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the settings that official reasoning models refuse, such as another temperature than 1."""
        return find_fixed_settings(self._model, settings) if self._official else ()

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending an effort to a model that does not reason."""
        if self._official:
            check_effort(self.name, self._model, request.settings)

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error for a status. A flagged prompt counts as a filtered response and is not asked again."""
        if is_held_back(*self.code_and_message(reply)):
            return Response("", "content_filter")
        return super().error(reply)


class Azure(OpenAI):
    """A deployment of Azure OpenAI, by the name that it was given.

    The resource is `base_url` or AZURE_OPENAI_ENDPOINT, the key `key`, AZURE_OPENAI_API_KEY or a token of Entra ID in
    AZURE_OPENAI_AD_TOKEN. With AZURE_OPENAI_API_VERSION (or OPENAI_API_VERSION), or an address that holds an
    api-version, the dated interface is asked, otherwise v1.
    """

    provider = "azure"
    access = Access(
        "",
        "AZURE_OPENAI_ENDPOINT",
        ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
        "https://RESOURCE.openai.azure.com",
    )

    def __init__(self, model: str, *, api_version: str | None = None, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching, self.largest_side, self.longest_setting = None, 2048, "max_completion_tokens"
        self._version = api_version or next(filter(None, map(os.environ.get, API_VERSIONS)), "")
        if not self._key and not self._at.login and not reach.get("headers"):
            raise UnusableModelError(f"{self.name} needs a key. Set {self._key_words()}.")

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the settings that reasoning models refuse, if the deployment's name reveals one."""
        return find_fixed_settings(self._model, settings)

    def check(self, request: Request) -> None:
        """Accept all settings. The name of a deployment need not reveal whether its model reasons."""

    def path(self, request: Request) -> str:
        """Return the path of the dated interface or of v1, below the given address."""
        given = self._at.parts.path
        if given.endswith("/chat/completions"):
            return ""
        if given.endswith("/v1"):
            return "/chat/completions"
        below = "" if given.endswith("/openai") else "/openai"
        dated = "api-version=" in self._at.parts.query
        if not self._version and not dated:
            return f"{below}/v1/chat/completions"
        version = "" if dated else f"?api-version={quote(self._version)}"
        return f"{below}/deployments/{quote(self._model, safe='')}/chat/completions{version}"

    def login(self) -> dict[str, str]:
        """Return the header for the key; Azure has its own."""
        # A token of Entra ID is a JSON web token, which always begins like this; a key never does.
        if self._at.login or not self._key or self._key.startswith("eyJ"):
            return super().login()
        return {"api-key": self._key}


class OpenAIResponses(OpenAI):
    """A model that is asked by POST /responses; nothing is stored at the server.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai-responses"
    expects = "a response object"
    fields = MappingProxyType({"output": list, "output.0": dict, "status": TEXT, "model": TEXT})

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching = OpenAIBatches(self, "/v1/responses")

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the settings that are not sent: seed, stop, and those that reasoning models refuse."""
        return tuple(dict.fromkeys((*super().untaken(settings), *(name for name in _LACKS if name in settings.chosen))))

    def path(self, request: Request) -> str:
        """Return the path of the Responses API."""
        return "/responses"

    def body(self, request: Request) -> dict[str, Any]:
        """Return the turns, and the settings with the server's names."""
        asked: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            urls = (f"data:{image.media_type};base64,{MARK}" for image in images)
            seen = [{"type": "input_image", "detail": "auto", "image_url": url} for url in urls]
            asked.append({"role": "user", "content": [*seen, {"type": "input_text", "text": text}]})
            if reply:
                asked.append({"role": "assistant", "content": reply})
        told = {"instructions": request.system} if request.system else {}
        # Nothing is stored, because images may be of patients; by default everything is kept for 30 days.
        return {"model": self._model, "input": asked, **told, "store": False, **self._settings(request)}

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        given = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        chosen: dict[str, Any] = {_NAMES[name]: value for name, value in given.items() if name in _NAMES}
        if "logprobs" in given:
            chosen["include"] = ["message.output_text.logprobs"]
        if "reasoning_effort" in given:
            chosen["reasoning"] = {"effort": given["reasoning_effort"]}
        return chosen

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the messages of the output, and its reasoning separately."""
        items, finish = reply["output"], _read_finish(reply)
        if type(items) is not list:
            raise TypeError("expected a list")
        (served_by,) = read_texts(reply.get("model"))
        parts = [part for item in items for part in _read_parts(item, thoughts=False)]
        refusal = "".join(read_texts(*[part.get("refusal") for part in parts]))
        text = join_parts(parts) or refusal
        check_words(text, finish, tool_called=any(str(item.get("type")).endswith("_call") for item in items))
        usage = as_object(reply.get("usage"))
        likely = [each for part in parts for each in read_list(part.get("logprobs"))]
        return Response(
            text=text,
            finish="refusal" if refusal else finish,
            reasoning="\n\n".join(join_parts([part]) for item in items for part in _read_parts(item, thoughts=True)),
            usage=count_tokens(
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                None,
                as_object(usage.get("output_tokens_details")).get("reasoning_tokens"),
            ),
            served_by=served_by,
            logprobs=orjson.dumps(likely).decode() if likely else "",
        )


def _read_finish(reply: dict[str, Any]) -> str:
    """Return the finish reason: stop, or the server's word for an incomplete response."""
    (status,) = read_texts(reply.get("status"))
    if status == "incomplete":
        (reason,) = read_texts(read_object(reply.get("incomplete_details")).get("reason"))
        return reason or status
    if status == "failed":
        error = read_object(reply.get("error"))
        code, message = str(error.get("code")), str(error.get("message"))
        if is_held_back(code, message):
            return "content_filter"
        raise ValueError(f"its status is 'failed' ({code[:40]}): {message[:200]}")
    if status not in ("", "completed"):
        raise ValueError(f"its status is {status[:40]!r}: the response is not complete")
    return "stop"


def _read_parts(item: dict[str, Any], *, thoughts: bool) -> list[dict[str, Any]]:
    """Return the parts of an item that are thoughts, or those that are the answer."""
    kind = item.get("type")
    is_thought = kind == "reasoning" or item.get("phase") == "commentary"
    if is_thought is not thoughts or kind not in ("message", "reasoning"):
        return []
    parts = [part for name in ("summary", "content") for part in read_list(item.get(name))]
    return [{**part} for part in parts]


def _server(provider: str, address: str, *keys: str, needs_key: bool = True, **more: Any) -> type[ChatModel]:
    """Make the class of a server. Its variables are NAME_BASE_URL and NAME_API_KEY, or the given ones."""
    stem = provider.upper().replace("-", "_")
    access = Access(address, f"{stem}_BASE_URL", keys or (f"{stem}_API_KEY",))
    needed = f"a key in {' or '.join(access.key_variables)}" if needs_key else "no key"
    told = f"A model at {address}, or at {access.address_variable}; it needs {needed}."
    own = {"provider": provider, "access": access, "needs_key": needs_key, "__doc__": told, "__module__": __name__}
    return type(provider, (ChatModel,), {**own, **more})


# On this machine, unless the variable sets another address.
sglang = _server("sglang", "http://localhost:30000/v1", needs_key=False)
ollama = _server("ollama", "http://localhost:11434/v1", needs_key=False)
lmstudio = _server("lmstudio", "http://localhost:1234/v1", needs_key=False, lacks=("logprobs",))
llama_cpp = _server("llama-cpp", "http://localhost:8080/v1", needs_key=False)

# On the internet.
openrouter = _server("openrouter", "https://openrouter.ai/api/v1")
together = _server("together", "https://api.together.xyz/v1")
mistral = _server("mistral", "https://api.mistral.ai/v1", lacks=("logprobs",), renamed={"seed": "random_seed"})
xai = _server("xai", "https://api.x.ai/v1")
deepseek = _server("deepseek", "https://api.deepseek.com/v1", lacks=("seed",), efforts=("low", "high"))
groq = _server("groq", "https://api.groq.com/openai/v1", lacks=("logprobs",))
fireworks = _server("fireworks", "https://api.fireworks.ai/inference/v1")
nebius = _server("nebius", "https://api.tokenfactory.nebius.com/v1")
deepinfra = _server("deepinfra", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN")
cerebras = _server("cerebras", "https://api.cerebras.ai/v1")
nvidia = _server("nvidia", "https://integrate.api.nvidia.com/v1")
huggingface = _server("huggingface", "https://router.huggingface.co/v1", "HF_TOKEN")
moonshot = _server("moonshot", "https://api.moonshot.ai/v1")
dashscope = _server("dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1")
