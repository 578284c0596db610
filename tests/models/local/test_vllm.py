"""vLLM's offline engine, against a stand-in with its documented signatures; no real engine was ever started here."""

import sys
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import orjson
import pytest

from snellen.errors import MissingExtraError, RejectedError, StudyError, UnusableModelError
from snellen.models import open_model
from snellen.models.base import check_sent
from snellen.prompts import Example, Request, Settings


@dataclass
class SamplingParams:
    """The fields of vLLM's that are set."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    max_tokens: int | None = 16
    seed: int | None = None
    stop: list[str] | None = None
    logprobs: int | None = None
    presence_penalty: float = 0.0


@dataclass
class LLM:
    """An engine that writes how it was asked, thinks first, and fails on a question that holds "broken"."""

    model: str
    dtype: str = "auto"
    revision: str | None = None
    seed: int = 0
    tensor_parallel_size: int = 1
    calls: list = field(default_factory=list)

    def get_tokenizer(self):
        return SimpleNamespace(chat_template="{% if enable_thinking %}")

    def get_default_sampling_params(self):
        return SamplingParams(temperature=0.6, top_k=20)

    def chat(self, messages, sampling_params=None, use_tqdm=True, lora_request=None, chat_template=None,
             chat_template_content_format="auto", add_generation_prompt=True, continue_final_message=False,
             tools=None, chat_template_kwargs=None, mm_processor_kwargs=None):  # fmt: skip
        """One output for each conversation."""
        self.calls.append((messages, sampling_params, chat_template_kwargs))
        if any("broken" in str(message["content"]) for each in messages for message in each):
            raise ValueError("the prompt is broken")
        return [self.output(each) for each in sampling_params]

    def output(self, params):
        likely = {7: SimpleNamespace(logprob=-0.1, rank=1, decoded_token="B")}
        written = SimpleNamespace(
            text="<think>hm</think>\nAnswer: B",
            token_ids=[7],
            logprobs=[likely] if params.logprobs else None,
            finish_reason="length",
        )
        return SimpleNamespace(prompt_token_ids=[1, 2, 3], outputs=[written])


@pytest.fixture
def vllm(monkeypatch):
    """The stand-in, where vLLM would be."""
    module = ModuleType("vllm")
    module.__spec__ = ModuleSpec("vllm", None)
    module.LLM, module.SamplingParams, module.__version__ = LLM, SamplingParams, "0.15.0"
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.delenv("VLLM_BASE_URL", raising=False)


@pytest.fixture
def folder(tmp_path):
    """What stands for a saved model."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def test_the_engine_is_asked_together(vllm, folder, answers, picture):
    """Requests that wait are one call, each with its own settings over the model's; thoughts stay apart."""
    model = open_model(f"vllm/{folder},tensor_parallel_size=2", extra_body={"presence_penalty": 0.5})
    example = Example("One?", (picture(1),), "Answer: A")
    first = Request("m", "A or B?", "Be brief.", (picture(),), examples=(example,))
    second = Request("m", "Why?", settings=Settings(temperature=0, max_tokens=5, stop=("END",), seed=4), replicate=3)
    third = Request("m", "How?", settings=Settings(logprobs=1))
    came = answers(model, first, second, third)
    check_sent(first, came[0])
    assert {(each.text, each.reasoning, each.finish, each.usage[:2]) for each in came} == {
        ("Answer: B", "hm", "length", (3, 1))
    }
    assert orjson.loads(came[2].logprobs)[0]["token"] == "B"
    [(messages, params, _)] = model._engine.calls
    assert model._engine.tensor_parallel_size == 2
    assert [message["role"] for message in messages[0]] == ["system", "user", "assistant", "user"]
    urls = [part["image_url"]["url"] for at in (1, 3) for part in messages[0][at]["content"] if "image_url" in part]
    assert urls == [f"data:image/png;base64,{image.base64.decode()}" for image in first.every_image]
    assert (params[0].temperature, params[0].top_k, params[0].max_tokens) == (0.6, 20, 1024)
    assert params[0].presence_penalty == 0.5
    assert (params[1].temperature, params[1].max_tokens, params[1].stop, params[1].seed) == (0, 5, ["END"], 7)
    assert params[0].seed != params[2].seed


def test_one_bad_request_fails_alone(vllm, folder, answers):
    """Where a batch fails, it is computed in halves, and only the request at fault is refused."""
    came = answers(open_model(f"vllm/{folder}"), *(Request("m", text) for text in ("One?", "broken", "Two?", "Three?")))
    assert [type(each) is RejectedError for each in came] == [False, True, False, False]
    assert "the prompt is broken" in str(came[1])


def test_effort(vllm, folder, answers):
    """A template that can only turn thinking off is told so for no effort, and refuses any other."""
    model = open_model(f"vllm/{folder}")
    off, low = (Request("m", "Why?", settings=Settings(reasoning_effort=effort)) for effort in ("none", "low"))
    assert answers(model, off)[0].text == "Answer: B"
    assert model._engine.calls[0][2] == {"enable_thinking": False}
    assert type(answers(model, low)[0]) is RejectedError


def test_the_engine_or_the_server(vllm, folder, monkeypatch):
    """An address means the server; without one and without vLLM, the install line."""
    assert open_model("vllm/m", base_url="http://gpu.example.org:8000/v1").host == "gpu.example.org"
    monkeypatch.setenv("VLLM_BASE_URL", "http://127.0.0.1:8000/v1")
    assert open_model("vllm/m").at == "http://127.0.0.1:8000/v1"
    monkeypatch.delenv("VLLM_BASE_URL")
    with pytest.raises(StudyError, match="Did you mean 'tensor_parallel_size'"):
        open_model(f"vllm/{folder},tensor_parallel=2")
    with pytest.raises(UnusableModelError, match="There is no folder"):
        open_model("vllm/no/such/folder")
    monkeypatch.delitem(sys.modules, "vllm")
    with pytest.raises(MissingExtraError, match=r"snellen\[vllm\]"):
        open_model(f"vllm/{folder}")


def test_other_files_are_another_model(vllm, folder):
    """Weights, settings and precision are in the revision; notes are not."""
    before = open_model(f"vllm/{folder}").revision
    (folder / "README.md").write_text("notes")
    assert open_model(f"vllm/{folder}").revision == before
    assert open_model(f"vllm/{folder},dtype=float16").revision != before
    (folder / "model.safetensors").write_bytes(b"weightz")
    assert open_model(f"vllm/{folder}").revision != before
