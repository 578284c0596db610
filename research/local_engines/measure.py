"""How fast hf/… computes, beside transformers' own ways: prefill, decode and whole requests.

    PYTHONPATH=src python research/local_engines/measure.py measured.json

The model has random weights, made by transformers' own classes: a CLIP eye and a language model of 28 layers, 2.8
billion parameters together. Replies have a fixed length, since random weights never end one. Needs a GPU; with --tiny
it runs anywhere, to see that it runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from snellen.images import encode
from snellen.models.hf import open_hf
from snellen.models.hf.loaded import PLAIN, Way
from snellen.prompts import Request, Settings

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<end>"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
SPECIAL = ["<end>", "<pad>", "<image>", "<system>", "<user>", "<assistant>"]
INSTRUCTIONS = (
    "Answer with the letter of the best option and nothing else.",
    "Think step by step, then answer with one letter.",
    "Answer with the letter of the best option. If the image is missing, say so.",
    "Name the finding first, then the letter.",
)


def synchronised() -> float:
    """The time, once the device has done all that it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def timed(call, repeats: int = 3) -> float:
    """The median of some repeats, after one that is not counted."""
    call()
    times = []
    for _ in range(repeats):
        started = synchronised()
        call()
        times.append(synchronised() - started)
    return median(times)


def matrix_rate(device: str, side: int) -> float:
    """FLOP/s of a large bf16 matrix product on random data."""
    one, other = (torch.randn(side, side, device=device, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        one @ other
    started = synchronised()
    for _ in range(10):
        one @ other
    return 10 * 2 * side**3 / (synchronised() - started)


def copy_rate(device: str, size: int) -> float:
    """Bytes/s of a copy on the device, read and written."""
    source = torch.empty(size, device=device, dtype=torch.uint8)
    into = torch.empty_like(source)
    return 2 * size / timed(lambda: into.copy_(source))


def saved_model(folder: Path, *, tiny: bool) -> None:
    """The model as transformers saves one."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={sign: at for at, sign in enumerate([*SPECIAL, *letters])}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<end>",
        pad_token="<pad>",
        additional_special_tokens=SPECIAL[2:],
        chat_template=TEMPLATE,
    )
    side, patch = (28, 14) if tiny else (336, 14)
    eye = transformers.CLIPVisionConfig(
        **(
            {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
            if tiny
            else {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}
        ),
        image_size=side,
        patch_size=patch,
    )
    words = transformers.Qwen2Config(
        **(
            {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
            if tiny
            else {"hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 28}
        ),
        num_attention_heads=4 if tiny else 16,
        num_key_value_heads=2,
        vocab_size=1000 if tiny else 151_936,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        eos_token_id=None,
        bos_token_id=None,
        pad_token_id=1,
    )
    config = transformers.LlavaConfig(vision_config=eye, text_config=words, image_token_index=2, image_token_id=2)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with torch.device(device):
        network = transformers.LlavaForConditionalGeneration(config).to(torch.bfloat16)
    network.generation_config = transformers.GenerationConfig(pad_token_id=1, eos_token_id=None)
    network.save_pretrained(folder / "seeing")
    prepares = transformers.CLIPImageProcessor(size={"shortest_edge": side}, crop_size={"height": side, "width": side})
    transformers.LlavaProcessor(
        prepares,
        tokenizer,
        patch_size=patch,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder / "seeing")
    with torch.device(device):
        reads = transformers.Qwen2ForCausalLM(words).to(torch.bfloat16)
    reads.generation_config = transformers.GenerationConfig(pad_token_id=1, eos_token_id=None)
    reads.save_pretrained(folder / "reading")
    tokenizer.save_pretrained(folder / "reading")


def asked(items: int, *, images: bool, tokens: int, arms: int = 1) -> list[Request]:
    """Requests about images of their own, each under several instructions."""
    random = np.random.default_rng(0)
    settings = Settings(temperature=0, max_tokens=tokens)
    requests = []
    for item in range(items):
        shown = ()
        if images:
            coarse = random.integers(0, 256, (32, 32), dtype=np.uint8)
            shown = (encode(np.kron(coarse, np.ones((16, 16), dtype=np.uint8))),)
        findings = random.permutation(["pleural effusion", "pneumothorax", "cardiomegaly", "consolidation"])
        options = " ".join(f"({letter}) {finding}" for letter, finding in zip("ABCD", findings, strict=True))
        question = f"Case {item}: which finding does this chest radiograph of an adult patient show? {options}"
        question = question if images else question + " Report: " + "no acute disease was seen before. " * 18
        requests += [
            Request("m", f"{question} {INSTRUCTIONS[arm]}", images=shown, settings=settings) for arm in range(arms)
        ]
    return requests


def flops(loaded, prepared) -> float:
    """Floating-point operations of a prefill: two for each parameter and token, and those of attention."""
    config = loaded.network.config
    words = config.get_text_config()
    lengths = prepared.mask.sum(-1).double()
    language = sum(
        each.numel() for name, each in loaded.network.named_parameters() if "vision" not in name and "embed" not in name
    )
    total = 2 * language * float(lengths.sum())
    total += 2 * 2 * words.num_hidden_layers * words.hidden_size * float((lengths**2).sum()) / 2
    total += 2 * words.vocab_size * words.hidden_size * len(lengths)
    if "pixel_values" in prepared.inputs:
        eye = config.vision_config
        patches = (eye.image_size // eye.patch_size) ** 2 + 1
        shown = len(prepared.inputs["pixel_values"])
        vision = sum(each.numel() for name, each in loaded.network.named_parameters() if "vision_tower" in name)
        total += shown * (2 * vision * patches + 2 * 2 * eye.num_hidden_layers * eye.hidden_size * patches**2)
    return total


def measure_passes(loaded, requests, long: int, rates: dict, ways, batches) -> list[dict]:
    """Prefill and decode of batches of some sizes, by some ways."""
    rows = []
    for batch in batches:
        for way in ways:
            prepared = loaded.prepare(requests[:batch], in_families=False)
            first = timed(partial(loaded._generate, prepared, way, longest=1))
            whole = timed(partial(loaded._generate, prepared, way, longest=long), repeats=2)
            read = int(prepared.mask.sum())
            step = (whole - first) / (long - 1)
            config = loaded.network.config.get_text_config()
            head = config.hidden_size // config.num_attention_heads
            kept = 2 * 2 * config.num_hidden_layers * config.num_key_value_heads * head * (read + batch * long / 2)
            weights = 2 * sum(p.numel() for n, p in loaded.network.named_parameters() if "vision" not in n)
            rows.append(
                {
                    "way": "replayed" if way.replayed else "plain generate",
                    "batch": batch,
                    "tokens read": read,
                    "prefill s": first,
                    "prefill tokens/s": read / first,
                    "images/s": len(prepared.inputs.get("pixel_values", ())) / first,
                    "prefill share of matrix rate": flops(loaded, prepared) / first / rates["matrix"],
                    "padded tokens": int(prepared.mask.numel()) - read,
                    "decode ms/step": 1000 * step,
                    "decode tokens/s": batch / step,
                    "decode share of copy rate": (weights + kept) / step / rates["copy"],
                }
            )
            print(rows[-1], flush=True)
    return rows


def whole_requests(model, requests, in_flight: int) -> float:
    """Seconds for all requests as a run asks them."""

    async def converse():
        gate = asyncio.Semaphore(in_flight)

        async def one(request):
            async with gate:
                return await model.answer(request)

        return await asyncio.gather(*map(one, requests))

    started = synchronised()
    asyncio.run(converse())
    return synchronised() - started


def plain_loop(loaded, requests, batch: int) -> float:
    """Seconds for all requests as transformers' documentation asks them: one batch after the other."""
    started = synchronised()
    for start in range(0, len(requests), batch):
        prepared = loaded.prepare(requests[start : start + batch], in_families=False)
        loaded._generate(prepared, PLAIN)
    return synchronised() - started


def continuous(loaded, requests, long: int) -> dict:
    """Continuous batching of transformers itself on the words of requests, if this version has it."""
    prepared = [loaded.prepare([request], in_families=False).tokens[0].tolist() for request in requests]
    config = transformers.GenerationConfig(max_new_tokens=long, do_sample=False, pad_token_id=1, eos_token_id=-1)
    try:
        loaded.network.generate_batch(inputs=prepared[:8], generation_config=config)
        started = synchronised()
        came = loaded.network.generate_batch(inputs=prepared, generation_config=config)
        seconds = synchronised() - started
        count = sum(len(each.generated_tokens) for each in came.values())
        return {"seconds": seconds, "tokens/s": count / seconds, "tokens": count}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:500]}


def main() -> None:
    """Measure, print, and write what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    tiny = given.tiny
    device = "cuda" if torch.cuda.is_available() else "cpu"
    long, batches = (12, (1, 4)) if tiny else (129, (1, 8, 64))
    rates = {
        "matrix": matrix_rate(device, 256 if tiny else 8192),
        "copy": copy_rate(device, 1 << (20 if tiny else 32)),
    }
    measured = {
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        **rates,
    }
    print(measured, flush=True)

    def keep() -> None:
        given.file.write_text(json.dumps(measured, indent=1))

    with tempfile.TemporaryDirectory() as made:
        saved_model(Path(made), tiny=tiny)
        print("saved", flush=True)
        batch = ",batch=4" if tiny else ""
        model = open_hf(f"{made}/seeing{batch}", dtype="bfloat16")
        loaded = model._loaded
        measured["parameters"] = sum(each.numel() for each in loaded.network.parameters())
        replays = [Way(shared=False, replayed=True)] if device == "cuda" else []
        single = asked(batches[-1], images=True, tokens=long)
        measured["with images"] = measure_passes(loaded, single, long, rates, [PLAIN, *replays], batches)
        keep()
        items, arms = (6, 2) if tiny else (96, 4)
        for name, tokens in (("letters", 4), ("texts", long)):
            several = asked(items, images=True, tokens=tokens, arms=arms)
            rows = {}
            rows[f"plain loop, batch {batches[-1]}"] = plain_loop(loaded, several, batches[-1])
            whole_requests(model, several[: 2 * model._batch], 10_000)
            rows["hf/…"] = whole_requests(model, several, model.connections or 64)
            prepared = loaded.prepare(several[: model._batch])
            rows["share read"] = prepared.read / int(prepared.mask.sum())
            rows["requests"] = len(several)
            measured[f"whole requests, {name} of {tokens} tokens"] = rows
            print(name, rows, {str(k): v for k, v in loaded.trusted.items()}, flush=True)
            keep()
        answers = {}
        alike = asked(min(16, batches[-1]), images=True, tokens=32)
        for way in [PLAIN, *replays]:
            prepared = loaded.prepare(alike, in_families=False)
            answers[way] = [each.text for each in loaded._generate(prepared, way)[0]]
        same = [one == other for one, other in zip(*answers.values(), strict=True)] if replays else []
        measured["same reply of 32 tokens"] = [sum(same), len(same)]
        measured["trusted"] = {str(way): held for way, held in loaded.trusted.items()}
        del model, loaded
        reader = open_hf(f"{made}/reading{batch}", dtype="bfloat16")
        words = asked(16 if tiny else 256, images=False, tokens=long)
        whole_requests(reader, words[: 2 * reader._batch], 10_000)
        measured["words alone"] = {
            "hf/… seconds": (ours := whole_requests(reader, words, reader.connections or 64)),
            "hf/… tokens/s": len(words) * long / ours,
            f"plain loop, batch {batches[-1]}": plain_loop(reader._loaded, words, batches[-1]),
            "requests": len(words),
            "trusted": {str(way): held for way, held in reader._loaded.trusted.items()},
        }
        print(measured["words alone"], flush=True)
        keep()
        measured["words alone"]["continuous batching"] = continuous(reader._loaded, words, long)
        print(measured["words alone"], flush=True)
        keep()


if __name__ == "__main__":
    sys.exit(main())
