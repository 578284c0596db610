"""How fast the super-guesser trains at the paper's shape, as a share of what the card's matrix units do.

A randomly initialised Qwen2.5-3B, sequences of 2,048 random tokens, bf16, an effective batch of 256, LoRA as in the
paper. Work is counted as 4N FLOP a token: 2N forward and 2N backward to the activations, since the base is frozen; N is
the weights of all linear layers inside the blocks. Embeddings, the output head (computed for the answer's tokens
alone), attention, adapters and recomputed activations are not counted.

    python research/superguesser/measure.py --out measured.json --variant micro_tokens=16384,compiled=1
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np
import torch
import transformers

from snellen.tools.audit.superguesser.lora import frozen_with_lora, with_adapters
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.training import Lessons, train
from snellen.tools.audit.superguesser.wording import Lesson, micro_batches, pad_sequences

LENGTH = 2048
QWEN = {
    "hidden_size": 2048,
    "num_hidden_layers": 36,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "intermediate_size": 11008,
    "vocab_size": 151936,
    "max_position_embeddings": 32768,
    "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
    "tie_word_embeddings": True,
}
TINY = {
    **QWEN,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "vocab_size": 512,
}


def base_model(config: dict, device: str):
    """A Qwen2 with random weights in bf16, made on its device."""
    made = transformers.Qwen2Config(**config)
    made._attn_implementation = "sdpa"
    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            model = transformers.Qwen2ForCausalLM(made)
    finally:
        torch.set_default_dtype(before)
    model.model.rotary_emb.float()  # angles are computed in 32 bits; bf16 would round the frequencies
    frequencies = 1.0 / (1e6 ** (torch.arange(0, 128, 2, device=device).float() / 128))
    if model.model.rotary_emb.inv_freq.shape == frequencies.shape:
        model.model.rotary_emb.inv_freq.copy_(frequencies)
    return model


def linear_weights(model) -> int:
    """N: the weights of all linear layers inside the blocks."""
    layers = (each for each in model.model.modules() if isinstance(each, torch.nn.Linear))
    return sum(each.weight.numel() for each in layers)


def matrix_rate(device: str, size: int = 8192) -> float:
    """FLOP/s of a large bf16 matrix product on random numbers, the median of twenty."""
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(5):
        a @ b
    times = []
    for _ in range(20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        a @ b
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return 2 * size**3 / statistics.median(times)


def questions(count: int, length: int, vocabulary: int, *, spread: bool) -> list[Lesson]:
    """Random tokens with an answer of five at the end; of one length, or as lengths of real questions spread."""
    draw = np.random.default_rng(0)
    lengths = draw.lognormal(np.log(220), 0.45, count).clip(60, length).astype(int) if spread else [length] * count
    return [Lesson(tuple(draw.integers(0, vocabulary, each).tolist()), 5) for each in lengths]


def agrees(device: str) -> float:
    """How far the lean layer's gradients are from the same in 64 bits by autograd, relative to their size."""
    draw = torch.Generator().manual_seed(0)
    x, w, a, b, up = (
        torch.randn(*shape, generator=draw, dtype=torch.float64) * scale
        for shape, scale in (
            ((512, 2048), 1),
            ((1024, 2048), 0.02),
            ((8, 2048), 0.02),
            ((1024, 8), 0.02),
            ((512, 1024), 1),
        )
    )
    exact = [each.clone().requires_grad_() for each in (x, a, b)]
    (exact[0] @ w.T + 2 * exact[0] @ exact[1].T @ exact[2].T).backward(up)
    low = x.to(device, torch.bfloat16).requires_grad_()
    first, second = (each.to(device, torch.float32).requires_grad_() for each in (a, b))
    result = frozen_with_lora()(low, w.to(device, torch.bfloat16), None, first, second, 2.0)
    result.backward(up.to(device, torch.bfloat16))
    found = [each.grad.double().cpu() for each in (low, first, second)]
    return max(float((one - e.grad).norm() / e.grad.norm()) for one, e in zip(found, exact, strict=True))


def profile(network, batch) -> str:
    """The kernels that take longest in one forward and backward pass."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        network.loss(batch).backward()
        torch.cuda.synchronize()
    found = sorted(seen.key_averages(), key=lambda each: -each.self_device_time_total)
    whole = sum(each.self_device_time_total for each in found)
    lines = [f"{each.self_device_time_total / whole:6.1%} {each.count:5} {each.key[:110]}" for each in found[:25]]
    return "\n".join([f"one micro batch: {whole / 1000:.1f} ms on the card", *lines])


def measure(variant: dict, args: argparse.Namespace) -> dict:
    """Tokens a second and memory of one variant, over whole steps of 256 sequences; the first step is left out."""
    config = TINY if args.tiny else QWEN
    spread = bool(variant.pop("spread", 0))
    batch = int(variant.pop("batch", args.batch))
    profiled = variant.pop("profiled", 0)
    hardware = Hardware(device=args.device, save_every=10**9, **{"micro_batch": 32, **variant})
    recipe = Recipe(batch=batch, epochs=1, validation_share=0.0, validate_every=10**9)
    model = base_model(config, args.device)
    weights = linear_weights(model)
    network = with_adapters(model, recipe, hardware)
    taught = questions(batch * args.steps, args.length, config["vocab_size"], spread=spread)
    cuda = args.device == "cuda"
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        done = train(
            network, Lessons(taught), recipe, hardware, Path(folder), watch=lambda step: print(step, flush=True)
        )
        whole = time.perf_counter() - begun
    if profiled:
        print(profile(network, pad_sequences(taught[: hardware.micro_tokens // args.length or 1])))
    timed = done[1:] or done
    rate = sum(step.tokens for step in timed) / sum(step.seconds for step in timed)
    lengths = [len(each.tokens) for each in taught[:batch]]
    places = sum(-(-max(lengths[p] for p in part) // 8) * 8 * len(part) for part in micro_batches(lengths, hardware))
    return {
        "tokens_per_s": rate,
        "flop_per_s_at_4n": 4 * weights * rate,
        "n_linear_weights": weights,
        "trainable": sum(each.numel() for each in network.adapters().values()),
        "peak_memory_gib": torch.cuda.max_memory_allocated() / 2**30 if cuda else None,
        "steps_s": [round(step.seconds, 3) for step in done],
        "losses": [step.loss for step in done],
        "sequences": batch,
        "tokens_each_step": done[-1].tokens,
        "filling_share": 1 - sum(lengths) / places,
        "whole_s": whole,
    }


def main() -> None:
    """Measure the matrix rate, then each variant; write all of it after each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--variant", action="append", default=[], help="micro_tokens=16384,compiled=1,checkpointing=0")
    parser.add_argument("--out", type=Path, default=Path("measured.json"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--length", type=int, default=LENGTH)
    parser.add_argument("--limit", type=float, default=540, help="No variant begins after so many seconds.")
    parser.add_argument("--tiny", action="store_true", help="A small network, to try the script.")
    args = parser.parse_args()
    begun = time.perf_counter()
    made: dict = {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "device": torch.cuda.get_device_name() if args.device == "cuda" else "cpu",
        "matrix_flop_per_s": matrix_rate(args.device) if args.device == "cuda" else None,
        "gradient_error_bf16": agrees(args.device),
        "variants": {},
    }
    print(json.dumps(made), flush=True)
    for text in args.variant:
        if time.perf_counter() - begun > args.limit:
            made["variants"][text] = {"left_out": "no time left"}
            continue
        print("==", text, flush=True)
        variant = {name: int(value) for name, value in (each.split("=") for each in text.split(","))}
        for flag in ("compiled", "checkpointing"):
            variant[flag] = bool(variant.get(flag, 0))
        try:
            found = measure(variant, args)
            if made["matrix_flop_per_s"]:
                found["share_of_matrix_rate"] = found["flop_per_s_at_4n"] / made["matrix_flop_per_s"]
        except Exception as error:
            traceback.print_exc()
            found = {"failed": f"{type(error).__name__}: {error}"[:500]}
        made["variants"][text] = found
        args.out.write_text(json.dumps(made, indent=1))
        torch._dynamo.reset()
        gc.collect()
        if args.device == "cuda":
            torch.cuda.empty_cache()
    if args.device == "cuda":
        made["matrix_flop_per_s_after"] = matrix_rate(args.device)
        args.out.write_text(json.dumps(made, indent=1))
    for text, found in made["variants"].items():
        keys = ("tokens_per_s", "share_of_matrix_rate", "peak_memory_gib", "steps_s", "filling_share", "failed")
        print(text, {key: found[key] for key in keys if key in found})


if __name__ == "__main__":
    main()
