"""Blinding: names of models, makers, benchmarks, conditions, items and files taken out of a text before it is shown.

A name that means nothing else (GPT-5, Qwen2.5-VL, VQA-RAD) is taken out wherever it stands as a whole word. One that is
also a word of medicine or of daily life (Claude, Gemini, Falcon, a benchmark called "chest") is taken out only where it
stands as a name: with a version, as whose product somebody speaks, or beside "model", "dataset" and the like. So GPT,
the enzyme, Claude's syndrome and the angle phi stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

MODEL, BENCHMARK, CONDITION, ITEM, FILE = "[model]", "[benchmark]", "[condition]", "[item]", "[file]"
"""What stands in the place of a name."""
FAMILIES = (
    *("ChatGPT", "OpenAI", "Anthropic", "DeepSeek", "DeepMind", "Qwen", "QwQ", "QVQ", "MedGemma", "PaliGemma"),
    *("LLaVA", "InternVL", "InternLM", "MiniCPM", "MiniGPT", "Mixtral", "Pixtral", "Molmo", "Idefics", "CogVLM"),
    *("BiomedGPT", "HuatuoGPT", "PathChat", "RadFM", "CheXagent", "Med-PaLM", "MedPaLM", "Med-Flamingo", "Med-Gemini"),
    *("OpenFlamingo", "Lingshu", "Vicuna", "InstructBLIP", "SmolVLM", "GLM-4V", "ChatGLM", "Nemotron", "Kosmos-2"),
    *("xAI", "HuggingFace", "Hugging Face", "Mistral AI", "Moonshot AI", "Zhipu AI", "Meta AI", "Google AI", "MedVLM"),
)
"""Names of models and of those who make them that mean nothing else."""
FAMILIES_TOO = (
    *("Claude", "Gemini", "Gemma", "Llama", "LLaMA", "Mistral", "Grok", "Phi", "Falcon", "Orca", "PaLM", "Kimi", "GLM"),
    *("Ernie", "BLIP"),
)
"""Names of models that are also words, and taken out only where they stand as names: with a version, for one."""
MAKERS_TOO = (
    *("Google", "Meta", "Microsoft", "Amazon", "Alibaba", "Apple", "NVIDIA", "Nvidia", "Baidu", "Tencent", "ByteDance"),
    *("Nova", "Titan", "Command", "Copilot", "Bard", "Yi", "Aya", "Bing", "Doubao", "Hunyuan", "Moonshot", "Cohere"),
)
"""Names of makers, and of models that a number may follow in any text: taken out only where somebody speaks of them."""
WORDS_TOO = FAMILIES_TOO + MAKERS_TOO
_SPACED = (
    *("mini", "nano", "lite", "pro", "flash", "ultra", "turbo", "sonnet", "opus", "haiku", "vision", "instruct"),
    *("scout", "maverick", "thinking", "omni", "fast"),
)
_HYPHENED = (
    *_SPACED,
    *("micro", "plus", "max", "reasoning", "preview", "latest", "instant", "chat", "large", "medium", "small", "base"),
    *("experimental", "exp", "it", "vl", "med", "audio", "high", "low", "oss", "hf"),
)
"""What may follow the name of a family as part of a model's: after a space, and after a hyphen."""
PUBLISHED = (
    *("VQA-RAD", "SLAKE", "PathVQA", "PMC-VQA", "OmniMedVQA", "MedXpertQA", "MedXpertQA-MM", "MMMU-Med", "MMMU-Pro"),
    *(
        "MMMU",
        "ReXVQA",
        "MicroVQA",
        "MediConfusion",
        "EuropeMedQA",
        "MedQA",
        "MedMCQA",
        "PubMedQA",
        "MMLU",
        "Video-MME",
    ),
    *("Video-MMMU", "NEJM Image Challenge", "JAMA Clinical Challenge", "GMAI-MMBench", "MedFrameQA", "MMVP"),
)
"""Names of published benchmarks; each stands for itself in a response, whatever benchmark the study calls its own."""
ORDINARY = frozenset(
    (
        *("blind", "contrarian", "flagger", "grounded", "guessing", "mirage", "nearsighted", "positional", "pretender"),
        *("rambler", "random", "reader", "refuser", "memoriser", "normal", "model", "vision", "medical", "radiology"),
        *(
            "doctor",
            "expert",
            "assistant",
            "base",
            "baseline",
            "test",
            "local",
            "custom",
            "mine",
            "original",
            "default",
        ),
    )
)
"""Names of models that are words of daily life, taken out only with the provider before them: organism/blind."""
_VERSION = r"(?:[ \-_]?[vVrR]?\d+(?:[.\-_]\d+)*[a-zA-Z]{0,2}(?![\w.]*\d))"
_SIZE = r"\d+(?:\.\d+)?[bB](?:-?[aA]\d+[bB])?"
_DATE = r"\d{4,8}|\d{4}-\d\d-\d\d"
_TIER = rf"(?i:(?: (?:{'|'.join(_SPACED)}|{_SIZE})|[\-_:](?:{'|'.join(_HYPHENED)}|{_SIZE}|{_DATE}))(?!\w))"
_TAIL = rf"(?:{_VERSION}?{_TIER}*)"
_SURE_TAIL = rf"(?:{_VERSION}{_TIER}*|{_TIER}+)"
_BEFORE, _AFTER = r"(?<![\w/])", r"(?!\w)(?!\s*I?U/)"
_NO_LAB_VALUE = r"(?![\d.,]*\d)(?!\s*(?:I?U\b|u?kat|%))"
_GPT = (
    rf"{_BEFORE}(?:GPT|gpt)(?:[ \-]?[3-6](?:\.\d)?(?:[ovV]\b)?{_NO_LAB_VALUE}{_TIER}*|-(?:oss|image){_TIER}*){_AFTER}"
)
_O_SERIES = rf"{_BEFORE}o[134](?:-(?:mini|pro|preview|high)){_AFTER}"
_SPEAKS = (
    r"(?i:\b(?:I am|I['’]m|my name is|known as|called|named|as|developed by|made by|trained by|created by|built by|"
    r"powered by|a product of|according to|response (?:of|by|from)|answer (?:of|by|from)|model|assistant) "
    r"(?:an? (?:AI )?(?:model|assistant) (?:called |named |from |by )?)?)"
)
_IS_ONE = (
    r"(?i:(?:,? (?:an? )?(?:AI\b|large (?:multimodal |language )+model|language model|vision[- ]language model|"
    r"assistant\b|chatbot\b)|['’]s (?:model|assistant|AI)\b| (?:model|AI|chatbot|assistant|team)\b))"
)
_NOT_MEDICINE = r"(?!['’]?s? (?:syndrome|Bernard|sign|disease|stapler|muscle|angle|phenomenon)\b)(?!-Bernard)"
_SET = r"(?:data ?sets?|benchmarks?|corpus|collection|challenge|test set|exam)"
_ENDING = re.compile(r"\.(?:png|jpe?g|dcm|dicom|nii(?:\.gz)?|tiff?|webp|bmp|gif|svs|mp4|npy)\b", re.IGNORECASE)
_OUTSIDE = frozenset(" \t\n\r\f\v'\"“”<>()[]{}`|,;")
"""What does not belong to the name of a file."""
_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = re.compile(r"[\s\-_.:]+")


@dataclass(frozen=True)
class Blinder:
    """Takes the names of one study out of texts."""

    models: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """What servers called the models that answered."""
    ordinary: frozenset[str] = ORDINARY
    """Words that are names only with the provider before them."""

    @classmethod
    def of(cls, study: Mapping[str, Any], served_by: Iterable[str] = (), texts: Iterable[str] = ()) -> Blinder:
        """The one for a stored study; a word of its questions (`texts`) is not taken for the name of a model."""
        arms = dict.fromkeys(arm for each in study["arms"].values() for arm in each)
        models = tuple(dict.fromkeys(str(name) for name, _ in study["models"]))
        also = tuple(sorted(filter(None, served_by)))
        plain = {each for name in (*models, *also) if (each := name.rpartition("/")[2].casefold()).isalpha()}
        said = {word for text in texts for word in _WORD.findall(text.casefold()) if word in plain} if plain else set()
        return cls(models, tuple(study["benchmarks"]), tuple(arms), also, ORDINARY | said)

    def blind(self, text: str, item_id: str = "") -> str:
        """The text without names; `item_id` is the item that it belongs to.

        >>> Blinder(("openai/gpt-5",)).blind("I am GPT 5 by OpenAI. GPT 45 U/L, Claude's syndrome.")
        "I am [model] by [model]. GPT 45 U/L, Claude's syndrome."
        """
        if _is_a_name(item_id):
            text = re.sub(rf"(?<!\w){re.escape(item_id)}(?!\w)", ITEM, text)
        text = _without_files(text)
        for pattern, replaced in self._rules:
            text = pattern.sub(replaced, text)
        return text

    @cached_property
    def _rules(self) -> tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]:
        sure, careful = self._model_names()
        arms = [re.escape(arm) for arm in _longest_first(self.arms) if re.search(r"[-+:]", arm)]
        found: list[tuple[str, str, int]] = [
            (_either(sure, tail=_TAIL), MODEL, re.IGNORECASE),
            (_either(arms), CONDITION, re.IGNORECASE),
            *self._benchmark_rules(),
            (_either(map(re.escape, FAMILIES), tail=_TAIL), MODEL, re.IGNORECASE),
            (_GPT, MODEL, 0),
            (_O_SERIES, MODEL, 0),
        ]
        words = "|".join(re.escape(word) for word in WORDS_TOO)
        named = "|".join((words, *(f"(?i:{each})" for each in careful)))
        found += [
            (rf"{_BEFORE}(?:{'|'.join(FAMILIES_TOO)}){_SURE_TAIL}{_AFTER}", MODEL, 0),
            (rf"(?P<kept>{_SPEAKS}){_NAMED_BEFORE}(?:{named}){_TAIL}{_AFTER}{_NOT_MEDICINE}", rf"\g<kept>{MODEL}", 0),
            (rf"{_BEFORE}(?:{named}){_TAIL}(?={_IS_ONE})", MODEL, 0),
        ]
        if own := self._families_asked():
            found.append((rf"{_BEFORE}(?:{own}){_TAIL}{_AFTER}{_NOT_MEDICINE}", MODEL, 0))
        return tuple((re.compile(pattern, flags), replaced) for pattern, replaced, flags in found if pattern)

    def _model_names(self) -> tuple[list[str], list[str]]:
        """The spellings of the study's models: those that are taken out anywhere, and those only as names."""
        sure: list[str] = []
        careful: list[str] = []
        for name in _longest_first({*self.models, *self.also}):
            maker, _, own = name.rpartition("/")
            sure += [re.escape(name)] if maker else []
            if own.casefold() not in self.ordinary:
                (careful if _is_a_word(own) else sure).append(_spelt(own))
            for part in filter(None, maker.split("/")):
                (careful if part.isalpha() else sure).append(_spelt(part))
        return list(dict.fromkeys(sure)), list(dict.fromkeys(careful))

    def _families_asked(self) -> str:
        """The families with names that are words too, of which the study has a model."""
        names = " ".join((*self.models, *self.also)).casefold()
        return "|".join(re.escape(word) for word in WORDS_TOO if re.search(rf"\b{word.casefold()}", names))

    def _benchmark_rules(self) -> list[tuple[str, str, int]]:
        wholes = {part for name in self.benchmarks for part in (name, name.partition(":")[0], name.rpartition("/")[2])}
        names = _longest_first(part for part in wholes if len(part) > 1 and part not in ("open", "report"))
        plain = [_spelt(name) for name in names if name.isalpha()]
        known = [_spelt(name) for name in names if not name.isalpha()]
        rules = [
            (_either(known), BENCHMARK, re.IGNORECASE),
            (_either(map(_spelt, _longest_first(PUBLISHED))), BENCHMARK, 0),
        ]
        if plain:
            either = "|".join(plain)
            rules.append((rf"{_BEFORE}(?:{either})(?= {_SET}\b)", BENCHMARK, re.IGNORECASE))
        return rules


_NAMED_BEFORE = r"(?<![\w/-])"


def _without_files(text: str) -> str:
    """The text without the names of image files, folders included; in linear time, whatever the text."""
    found: list[str] = []
    kept = 0
    for ending in _ENDING.finditer(text):
        start = ending.start()
        while start > kept and text[start - 1] not in _OUTSIDE:
            start -= 1
        if start < ending.start():
            found += [text[kept:start], FILE]
            kept = ending.end()
    return "".join((*found, text[kept:]))


def _longest_first(names: Iterable[str]) -> list[str]:
    """So that no name hides a longer one that begins with it."""
    return sorted(filter(None, set(names)), key=lambda name: (-len(name), name))


def _either(patterns: Iterable[str], tail: str = "") -> str:
    """A pattern of any of them as a whole word; nothing where there are none."""
    either = "|".join(patterns)
    return rf"{_BEFORE}(?:{either}){tail}{_AFTER}" if either else ""


def _spelt(name: str) -> str:
    """A name with any hyphens, spaces, dots or nothing between its parts: gpt-5, GPT 5, gpt5."""
    parts = [part for part in _SEPARATORS.split(name) if part]
    return r"[\s\-_.:]?".join(map(re.escape, parts)) if parts else re.escape(name)


def _is_a_word(name: str) -> bool:
    """Whether a model's name could stand in a response without meaning the model."""
    return len(name) < 3 or name.capitalize() in WORDS_TOO or name.isdigit()


def _is_a_name(item_id: str) -> bool:
    """Whether an item's id could not be a number or a word of its own text."""
    return len(item_id) > 4 and re.search(r"[/\\_]|\d{4}", item_id) is not None
