"""LoRA: a frozen language model with small trainable matrices, by transformers and peft."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MethodType
from typing import Any
from uuid import uuid4

from snellen.files import create_folder
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.wording import Padded


@dataclass(frozen=True)
class AdaptedModel:
    """A language model with adapters, on its device."""

    model: Any
    device: Any

    def logits(self, batch: Padded) -> Any:
        """Compute the network's scores of the answers' tokens: a row per token of an answer.

        The output head runs only at these places. At all places it would take a tenth of the work and much memory.
        """
        import torch

        tokens = torch.from_numpy(batch.tokens).to(self.device)
        at = torch.from_numpy(batch.at).to(self.device)
        head = self.model.get_output_embeddings()
        chosen = head.register_forward_pre_hook(lambda _, given: (given[0].flatten(0, 1)[at][None],))
        try:
            found = self.model(input_ids=tokens, use_cache=False).logits[0]
        finally:
            chosen.remove()
        return found.float()

    def loss(self, batch: Padded) -> Any:
        """Sum −log p over the answer's tokens."""
        import torch

        targets = torch.from_numpy(batch.targets).to(self.device)
        return torch.nn.functional.cross_entropy(self.logits(batch), targets, reduction="sum")

    def adapters(self) -> dict[str, Any]:
        """The trainable parameters, by name."""
        return {name: each for name, each in self.model.named_parameters() if each.requires_grad}


def load_base(folder: Path, recipe: Recipe, hardware: Hardware) -> Any:
    """Load the language model of a folder in the recipe's precision.

    Nothing is downloaded, and no code of the folder runs.
    """
    import torch
    import transformers

    dtype = {"bf16": torch.bfloat16, "fp32": torch.float32}[recipe.precision]
    shown = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()  # ours is the only one
    try:
        base = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, local_files_only=True, trust_remote_code=False
        )
    finally:
        if shown:
            transformers.utils.logging.enable_progress_bar()
    return base.to(torch.device(hardware.device or ("cuda" if torch.cuda.is_available() else "cpu")))


def with_adapters(base: Any, recipe: Recipe, hardware: Hardware) -> AdaptedModel:
    """Freeze the base and add LoRA to all linear layers except the output head.

    The adapters are kept in 32 bits and multiplied in the base's precision (mixed precision).
    """
    import peft
    import torch

    device = next(base.parameters()).device
    sizes = {"r": recipe.rank, "lora_alpha": recipe.alpha, "lora_dropout": recipe.dropout}
    config = peft.LoraConfig(**sizes, target_modules="all-linear", task_type="CAUSAL_LM")
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(recipe.seed)
        with warnings.catch_warnings():
            # peft 0.21 asks transformers 5.23 for it by the old name.
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
            model = peft.get_peft_model(base, config)
    forward = _lean_forward()
    for layer in model.modules():
        if isinstance(layer, peft.tuners.lora.Linear) and isinstance(layer.base_layer, torch.nn.Linear):
            layer.forward = MethodType(forward, layer)
    if hardware.checkpointing:
        inner = model.base_model.model
        # The name since transformers 5.23, and the one before.
        enable = getattr(inner, "activation_checkpointing_enable", None) or inner.gradient_checkpointing_enable
        enable({"use_reentrant": False})
    if hardware.compiled:
        repeated = set(model.base_model.model._no_split_modules or ())
        for block in model.base_model.model.modules():
            if type(block).__name__ in repeated:
                block.compile()
    return AdaptedModel(model, device)


def parameter_groups(network: AdaptedModel, recipe: Recipe) -> list[dict[str, Any]]:
    """Group the parameters for LoRA+: matrices B learn `lora_plus_ratio` times as fast as A."""
    named = network.adapters().items()
    second = [each for name, each in named if "lora_B" in name]
    first = [each for name, each in named if "lora_B" not in name]
    return [{"params": first, "faster": 1.0}, {"params": second, "faster": recipe.lora_plus_ratio}]


def save_adapters(network: AdaptedModel, folder: Path) -> None:
    """Save the trained matrices in peft's format, for any tool."""
    beside = folder.with_name(f".{uuid4().hex}.part")
    create_folder(beside)
    network.model.save_pretrained(beside, save_embedding_layers=False)
    if folder.exists():
        shutil.rmtree(folder)
    beside.replace(folder)


@cache
def frozen_with_lora() -> Any:
    """Make the function y = x Wᵀ + b + s · x Aᵀ Bᵀ with W and b frozen.

    Sums are made in place, and gradients of frozen weights are never computed. So the adapter costs little more than
    reading x and y once.
    """
    import torch

    class FrozenWithLora(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, weight: Any, bias: Any, first: Any, second: Any, scaling: float) -> Any:
            a, b = first.to(x.dtype), (second * scaling).to(x.dtype)
            rows = x.reshape(-1, x.shape[-1])
            narrow = rows @ a.t()
            result = torch.nn.functional.linear(rows, weight, bias)
            result = result.addmm_(narrow, b.t())
            ctx.save_for_backward(rows, narrow, weight, a, b)
            ctx.scaling = scaling
            ctx.wants_x = x.requires_grad
            ctx.kept_as = first.dtype
            return result.view(*x.shape[:-1], weight.shape[0])

        @staticmethod
        def backward(ctx: Any, given: Any) -> Any:
            rows, narrow, weight, a, b = ctx.saved_tensors
            wide = given.reshape(-1, given.shape[-1])
            back = wide @ b
            for_x = None
            if ctx.wants_x:
                for_x = (wide @ weight).addmm_(back, a).view(*given.shape[:-1], weight.shape[1])
            for_first = (back.t() @ rows).to(ctx.kept_as)
            for_second = (wide.t() @ narrow).to(ctx.kept_as) * ctx.scaling
            return for_x, None, None, for_first, for_second, None

    return FrozenWithLora.apply


def _lean_forward() -> Callable[[Any, Any], Any]:
    """Make a faster forward pass of a linear layer with one adapter than peft's."""
    apply = frozen_with_lora()

    def forward(self: Any, x: Any) -> Any:
        if self.disable_adapters or self.merged:
            return self.base_layer(x)
        name = self.active_adapters[0]
        base, first, second = self.base_layer, self.lora_A[name].weight, self.lora_B[name].weight
        return apply(x, base.weight, base.bias, first, second, self.scaling[name])

    return forward
