"""Blinding: removes names of models, makers, benchmarks, conditions, items and files from texts.

Unambiguous names (GPT-5, Qwen2.5-VL, VQA-RAD) are removed wherever they are whole words. Names that are also
medical or everyday words (Claude, Gemini, Falcon, a benchmark called "chest") are removed only if the context shows a
name: a version, a phrase such as "I am", or a word such as "model" or "dataset". So the enzyme GPT, Claude's syndrome
and the angle phi stay. Names are also found with other hyphens, bold print, look-alike letters, invisible characters
and spaced letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

MODEL, BENCHMARK, CONDITION, ITEM, FILE = "[model]", "[benchmark]", "[condition]", "[item]", "[file]"
"""Replacements for removed names."""
FAMILIES = (
    *("Chat GPT", "Open AI", "Anthropic", "Deep Seek", "Deep Mind", "Qwen", "QwQ", "QVQ", "MedGemma", "PaliGemma"),
    *("LLaVA", "InternVL", "InternLM", "MiniCPM", "MiniGPT", "Mixtral", "Pixtral", "Molmo", "Idefics", "CogVLM"),
    *("BiomedGPT", "HuatuoGPT", "PathChat", "RadFM", "CheXagent", "Med-PaLM", "MedPaLM", "Med-Flamingo", "Med-Gemini"),
    *("OpenFlamingo", "Lingshu", "Vicuna", "InstructBLIP", "SmolVLM", "GLM-4V", "ChatGLM", "Nemotron", "Kosmos-2"),
    *("xAI", "Hugging Face", "Mistral AI", "Moonshot AI", "Zhipu AI", "Meta AI", "Google AI", "MedVLM"),
    *("通义千问", "文心一言", "豆包", "深度求索", "智谱清言", "阿里云", "クロード", "ジェミニ", "클로드", "제미나이"),
    *("ЧатГПТ", "Клод", "Джемини"),
)
"""Unambiguous names of models and their makers; a space may also be a hyphen or missing."""
FAMILIES_TOO = (
    *("Claude", "Gemini", "Gemma", "Llama", "LLaMA", "Mistral", "Grok", "Phi", "Falcon", "Orca", "PaLM", "Kimi", "GLM"),
    *("Ernie", "BLIP", "Sonnet", "Opus", "Haiku"),
)
"""Model names that are also words, removed only if the context shows a name, such as a version."""
_IN_ANY_CASE = ("Claude", "Gemini", "Gemma", "Llama", "Mistral", "Grok", "Kimi")
"""Names in `FAMILIES_TOO` that are matched in any capitalisation."""
MAKERS_TOO = (
    *("Google", "Meta", "Microsoft", "Amazon", "Alibaba", "Apple", "NVIDIA", "Nvidia", "Baidu", "Tencent", "ByteDance"),
    *("Nova", "Titan", "Command", "Copilot", "Bard", "Yi", "Aya", "Bing", "Doubao", "Hunyuan", "Moonshot", "Cohere"),
)
"""Makers, and models with everyday names; a number after them does not prove that a model is meant.

They are removed only after or before words about a model, such as "I am".
"""
WORDS_TOO = FAMILIES_TOO + MAKERS_TOO
_SPACED = (
    *("mini", "nano", "lite", "pro", "flash", "ultra", "turbo", "sonnet", "opus", "haiku", "vision", "instruct"),
    *("scout", "maverick", "thinking", "omni", "fast"),
)
_HYPHENED = (
    *_SPACED,
    *("micro", "plus", "max", "reasoning", "preview", "latest", "instant", "chat", "large", "medium", "small", "base"),
    *("experimental", "exp", "it", "vl", "med", "audio", "high", "low", "oss", "hf", "codex"),
)
"""Words that may continue a model's name: after a space, and after a hyphen."""
PUBLISHED = (
    *("VQA-RAD", "SLAKE", "PathVQA", "PMC-VQA", "OmniMedVQA", "MedXpertQA", "MedXpertQA-MM", "MMMU-Med", "MMMU-Pro"),
    *("MMMU", "ReXVQA", "MicroVQA", "MediConfusion", "EuropeMedQA", "MedQA", "MedMCQA", "PubMedQA", "MMLU"),
    *("Video-MME", "Video-MMMU", "NEJM Image Challenge", "JAMA Clinical Challenge", "GMAI-MMBench", "MedFrameQA"),
    "MMVP",
)
"""Names of published benchmarks, removed in any study."""
ORDINARY = frozenset((
    *("blind", "contrarian", "flagger", "grounded", "guessing", "mirage", "nearsighted", "positional", "pretender"),
    *("rambler", "random", "reader", "refuser", "memoriser", "normal", "model", "vision", "medical", "radiology"),
    *("doctor", "expert", "assistant", "base", "baseline", "test", "local", "custom", "mine", "original", "default"),
))  # fmt: skip
"""Model names that are everyday words, removed only after the provider: organism/blind."""
_LETTER = r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter or digit that could continue a name.

Scripts without spaces between words are excluded: there, a name may directly follow or precede other characters.
"""
_VERSION = r"(?:[ \-_]?[vVrR]?\d+(?:[.\-_]\d+)*[a-zA-Z]{0,2}(?![\w.]*\d))"
_SIZE = r"\d+(?:\.\d+)?[bB](?:-?[aA]\d+[bB])?"
_DATE = r"\d{4,8}|\d{4}-\d\d-\d\d"
_TIER = rf"(?i:(?: (?:{'|'.join(_SPACED)}|{_SIZE})|[\-_:](?:{'|'.join(_HYPHENED)}|{_SIZE}|{_DATE}))(?!{_LETTER}))"
_TAIL = rf"(?:(?:\.\d+)*{_VERSION}?{_TIER}*)"
_SURE_TAIL = rf"(?:{_VERSION}{_TIER}*|{_TIER}+)"
_BEFORE, _AFTER = rf"(?<!{_LETTER})(?<!/)", rf"(?!{_LETTER})(?!\s*I?U/)"
_NO_LAB_VALUE = r"(?![\d.,]*\d)(?!\s*(?:I?U\b|u?kat|%))"
_GPT = (
    rf"{_BEFORE}(?:GPT|gpt|Gpt)(?:[ \-_]?[3-6](?:\.\d)?(?:[ovV](?!{_LETTER}))?{_NO_LAB_VALUE}{_TIER}*"
    rf"|-(?:oss|image){_TIER}*){_AFTER}"
)
_SPEAKS_AS_GPT = (
    r"(?P<kept>(?i:\b(?:I am|I['’]m|my name is|powered by|trained by|as)) (?i:an? )?)GPT(?=[.,;:!]? ?(?:I\b|an?\b|by\b|"
    r"made\b|developed\b|trained\b|from\b|model\b|and I\b|$))"
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
"""Characters that end a file name."""
_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = re.compile(r"[\s\-_.:]+")


@dataclass(frozen=True)
class Blinder:
    """Remover of the names of one study from texts."""

    models: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """Names under which servers reported the models."""
    ordinary: frozenset[str] = ORDINARY
    """Words that are names only after the provider."""

    @classmethod
    def from_study(cls, study: Mapping[str, Any], served_by: Iterable[str] = (), texts: Iterable[str] = ()) -> Blinder:
        """Build the blinder of a stored study.

        Words in `texts` count as ordinary words, not as names of models.
        """
        arms = dict.fromkeys(arm for each in study["arms"].values() for arm in each)
        models = tuple(dict.fromkeys(str(name) for name, _ in study["models"]))
        also = tuple(sorted(filter(None, served_by)))
        plain = {each for name in (*models, *also) if (each := name.rpartition("/")[2].casefold()).isalpha()}
        words = (word for text in texts for word in _WORD.findall(text.casefold()) if word in plain)
        ordinary = ORDINARY.union(words) if plain else ORDINARY
        return cls(models, tuple(study["benchmarks"]), tuple(arms), also, ordinary)

    def blind(self, text: str, item_id: str = "") -> str:
        """Return the text without names; `item_id` is the item that the text belongs to.

        >>> Blinder(("openai/gpt-5",)).blind("I am GPT 5 by OpenAI. GPT 45 U/L, Claude's syndrome.")
        "I am [model] by [model]. GPT 45 U/L, Claude's syndrome."
        """
        if _is_a_name(item_id):
            text = re.sub(rf"(?<!\w){re.escape(item_id)}(?!\w)", ITEM, text)
        text = _without_files(text)
        read, written = _normalise(text)
        if read != text:  # before the plain text, in which a part of such a name may look like a whole one
            for pattern, replaced in self._rules:
                read, written = _replace_matches(pattern, replaced, read, written)
            text = "".join(written)
        for pattern, replaced in self._rules:
            text = pattern.sub(rf"\g<kept>{replaced}" if "kept" in pattern.groupindex else replaced, text)
        return text

    @cached_property
    def _rules(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Return patterns and their replacements; a match's group `kept` stays in the text."""
        sure, careful = self._model_names()
        arms = [re.escape(arm) for arm in _longest_first(self.arms) if re.search(r"[-+:]", arm)]
        patterns: list[tuple[str, str, int]] = [
            (_join_patterns(sure, tail=_TAIL), MODEL, re.IGNORECASE),
            (_join_patterns(arms), CONDITION, re.IGNORECASE),
            *self._benchmark_rules(),
            (_join_patterns(map(_match_separators, FAMILIES), tail=_TAIL), MODEL, re.IGNORECASE),
            (_GPT, MODEL, 0),
            (_SPEAKS_AS_GPT, MODEL, 0),
            (_O_SERIES, MODEL, 0),
        ]
        words = "|".join(map(_match_case, WORDS_TOO))
        named = "|".join((words, *(f"(?i:{each})" for each in careful)))
        patterns += [
            (rf"{_BEFORE}(?:{'|'.join(map(_match_case, FAMILIES_TOO))}){_SURE_TAIL}{_AFTER}", MODEL, 0),
            (rf"(?P<kept>{_SPEAKS}){_NAMED_BEFORE}(?:{named}){_TAIL}{_AFTER}{_NOT_MEDICINE}", MODEL, 0),
            (rf"{_BEFORE}(?:{named}){_TAIL}(?={_IS_ONE})", MODEL, 0),
        ]
        if own := self._families_asked():
            patterns.append((rf"{_BEFORE}(?:{own}){_TAIL}{_AFTER}{_NOT_MEDICINE}", MODEL, 0))
        return tuple((re.compile(pattern, flags), replaced) for pattern, replaced, flags in patterns if pattern)

    def _model_names(self) -> tuple[list[str], list[str]]:
        """List patterns for the study's models: safe ones, and those that need context."""
        sure: list[str] = []
        careful: list[str] = []
        for name in _longest_first({*self.models, *self.also}):
            maker, _, own = name.rpartition("/")
            sure += [re.escape(name)] if maker else []
            if own.casefold() not in self.ordinary:
                (careful if _is_a_word(own) else sure).append(_match_separators(own))
            for part in filter(None, maker.split("/")):
                (careful if part.isalpha() else sure).append(_match_separators(part))
        return list(dict.fromkeys(sure)), list(dict.fromkeys(careful))

    def _families_asked(self) -> str:
        """Return the families, among the ambiguous ones, of which the study has a model."""
        names = " ".join((*self.models, *self.also)).casefold()
        return "|".join(_match_case(word) for word in WORDS_TOO if re.search(rf"\b{word.casefold()}", names))

    def _benchmark_rules(self) -> list[tuple[str, str, int]]:
        wholes = {part for name in self.benchmarks for part in (name, name.partition(":")[0], name.rpartition("/")[2])}
        names = _longest_first(part for part in wholes if len(part) > 1 and part not in ("open", "report"))
        plain = [_match_separators(name) for name in names if name.isalpha()]
        known = [_match_separators(name) for name in names if not name.isalpha()]
        rules = [
            (_join_patterns(known), BENCHMARK, re.IGNORECASE),
            (_join_patterns(map(_match_separators, _longest_first(PUBLISHED))), BENCHMARK, 0),
        ]
        if plain:
            either = "|".join(plain)
            rules.append((rf"{_BEFORE}(?:{either})(?= {_SET}\b)", BENCHMARK, re.IGNORECASE))
        return rules


_NAMED_BEFORE = r"(?<![\w/-])"


def _match_case(word: str) -> str:
    return f"(?i:{word})" if word in _IN_ANY_CASE else re.escape(word)


def _replace_matches(pattern: re.Pattern[str], replaced: str, read: str, written: list[str]) -> tuple[str, list[str]]:
    """Replace the matches of a pattern, both in the normalised text and in the original."""
    texts: list[str] = []
    letters: list[str] = []
    done = 0
    for match in pattern.finditer(read):
        start = match.end("kept") if "kept" in pattern.groupindex else match.start()
        texts += [read[done:start], replaced]
        letters += [*written[done:start], *replaced]
        done = match.end()
        letters[-1] += written[done - 1][1:]  # what follows the last letter and is not read: the end of bold print
    return "".join((*texts, read[done:])), letters + written[done:]


def _normalise(text: str) -> tuple[str, list[str]]:
    """Normalise a text; return it with the original characters of each normalised one.

    >>> _normalise("**GPT**\N{NON-BREAKING HYPHEN}4")
    ('GPT-4', ['**G', 'P', 'T**', '\N{NON-BREAKING HYPHEN}', '4'])
    """
    apart = {at for run in _APART.finditer(text) for at in range(*run.span()) if text[at] in " ."}
    read: list[str] = []
    written: list[str] = []
    before = ""
    for at, letter in enumerate(text):
        plain = "" if at in apart or (letter == "_" and _stands_at_a_border(text, at)) else _plain_letter(letter)
        if plain:
            read.append(plain)
            written.append(before + letter)
            before = ""
        elif written:
            written[-1] += letter
        else:
            before += letter
    return ("".join(read), written) if read else (text, list(text))


@cache
def _plain_letter(letter: str) -> str:
    """Return the plain letter that looks the same; empty if the letter is invisible."""
    if letter in "*`~" or unicodedata.category(letter) in ("Cf", "Mn"):
        return ""
    if unicodedata.category(letter) == "Pd" or letter == "\N{MINUS SIGN}":
        return "-"
    alone = unicodedata.normalize("NFKD", letter)
    plain = alone[0] if len(alone) == 1 or all(map(unicodedata.combining, alone[1:])) else letter
    return _ALIKE.get(plain, plain)


def _stands_at_a_border(text: str, at: int) -> bool:
    """Return whether an underscore is markup (_GPT-5_) and not part of a name (gpt_5)."""
    return not (text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum())


_APART = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-]{1,3}){2,}[^\W_](?![^\W_])")
"""Letters separated by spaces or full stops: G P T, G.P.T.-4."""
_ALIKE = {
    **dict(zip("АВЕЅІЈКМНОРСТХУԌаеѕіјорсхуԁԛԝһ", "ABESIJKMHOPCTXYGaesijopcxydqwh", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι", "ABEZHIKMNOPTYXoi", strict=True)),
}
"""Letters of other scripts that look like Latin ones."""


def _without_files(text: str) -> str:
    """Remove file names of images, with their folders; takes linear time."""
    pieces: list[str] = []
    kept = 0
    for ending in _ENDING.finditer(text):
        start = ending.start()
        while start > kept and text[start - 1] not in _OUTSIDE:
            start -= 1
        if start < ending.start():
            pieces += [text[kept:start], FILE]
            kept = ending.end()
    return "".join((*pieces, text[kept:]))


def _longest_first(names: Iterable[str]) -> list[str]:
    """Sort names by length, so that a longer one is matched before its beginning."""
    return sorted(filter(None, set(names)), key=lambda name: (-len(name), name))


def _join_patterns(patterns: Iterable[str], tail: str = "") -> str:
    """Join patterns into one that matches whole words; empty without patterns."""
    either = "|".join(patterns)
    return rf"{_BEFORE}(?:{either}){tail}{_AFTER}" if either else ""


def _match_separators(name: str) -> str:
    """Return a pattern for a name with any separators: gpt-5, GPT 5, gpt5."""
    parts = [part for part in _SEPARATORS.split(name) if part]
    return r"[\s\-_.:]?".join(map(re.escape, parts)) if parts else re.escape(name)


def _is_a_word(name: str) -> bool:
    """Return whether a model's name may be an ordinary word or number in a response."""
    return len(name) < 3 or name.capitalize() in WORDS_TOO or name.isdigit()


def _is_a_name(item_id: str) -> bool:
    """Return whether an item's id is distinctive enough to be removed from texts."""
    return len(item_id) > 4 and re.search(r"[/\\_]|\d{4}", item_id) is not None
