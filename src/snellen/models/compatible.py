"""Servers that speak OpenAI's chat completions: one line each, with an address and variables of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

from snellen.errors import RejectedError
from snellen.models.base import Response
from snellen.models.chat import ChatModel
from snellen.models.fields import words
from snellen.models.server import Access
from snellen.prompts import Request, Settings


class CompatibleModel(ChatModel):
    """A model behind one of these servers; what its documentation says that it lacks is not sent."""

    lacks: ClassVar[tuple[str, ...]] = ()
    renamed: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What the server calls a field of the request, where it has a name of its own."""
    efforts: ClassVar[tuple[str, ...]] = ()
    """The efforts that the server tells apart; empty where its documentation does not say that it changes any."""

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The settings that the server does not have."""
        return tuple(name for name in self.lacks if name in settings.chosen)

    def _check(self, request: Request) -> None:
        """Refuse, unsent, an effort that the server would take for another one."""
        effort = request.settings.reasoning_effort
        if effort and self.efforts and effort not in self.efforts:
            known = " and ".join(self.efforts)
            raise RejectedError(f"{self.name} knows the efforts {known}, and not {effort}; it was not asked.")

    def _settings(self, request: Request) -> dict[str, Any]:
        return {self.renamed.get(name, name): value for name, value in super()._settings(request).items()}

    def _read(self, reply: dict[str, Any]) -> Response:
        response = super()._read(reply)
        thoughts = response.reasoning or _thoughts(reply["choices"][0]["message"].get("content"))
        return replace(response, reasoning=thoughts)


def _thoughts(content: Any) -> str:
    """The thinking that stands among the parts of a message, as Mistral sends it."""
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "".join(words("thinking", part.get("thinking")) for part in parts if part.get("type") == "thinking")


def _server(provider: str, address: str, *keys: str, needs_key: bool = True, **more: Any) -> type[CompatibleModel]:
    """A server's class. Its variables are NAME_BASE_URL and NAME_API_KEY, or the keys given."""
    stem = provider.upper().replace("-", "_")
    access = Access(address, f"{stem}_BASE_URL", keys or (f"{stem}_API_KEY",))
    needed = f"a key in {' or '.join(access.key_variables)}" if needs_key else "no key"
    told = f"A model at {address}, or at {access.address_variable}; it needs {needed}."
    return type(
        provider,
        (CompatibleModel,),
        {
            **{"provider": provider, "access": access, "needs_key": needs_key, "__doc__": told, "__module__": __name__},
            **more,
        },
    )


# On this machine, unless the variable says another address.
sglang = _server("sglang", "http://localhost:30000/v1", needs_key=False)
ollama = _server("ollama", "http://localhost:11434/v1", needs_key=False)
lmstudio = _server("lmstudio", "http://localhost:1234/v1", needs_key=False, lacks=("logprobs",))
llama_cpp = _server("llama-cpp", "http://localhost:8080/v1", needs_key=False)

# Elsewhere.
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
