"""Find statements that the image is poor: blurred, noisy, cut off, spoilt by artefacts, or unreadable."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.parts import ResponsePart, Sentence
from snellen.runtime import regex

_PICTURE = (
    r"(?:image|picture|photo|photograph|figure|scan|x-?ray|radiograph|ecg|ekg|mri|ct|slide|visual|attachment|file|"
    r"tracing|"
    r"immagin\w|foto\w*|figura|radiografia|tracciato|imagen|imágenes|radiografía|bild\w*|aufnahme|röntgenbild|cliché|"
    r"radiographie|imagem)"
)
CANNOT = (
    r"(?:can(?:no|')t|can not|could(?:n't| not)|(?:am|'m|are|is|was) (?:not able|unable)(?: to)?|unable to|"
    r"not able to|"
    r"do(?:n't| not) have (?:the )?(?:ability|capability|access|means) (?:to|of)|not possible(?: for me)? to|"
    r"impossible to|"
    r"won't(?: be able to)?|no way to)"
)
_SPOILT = (
    r"(?:distorted|blurr(?:y|ed)|pixelated|grainy|unreadable|illegible|corrupted|degraded|ungrade?able|not grade?able|"
    r"uninterpretable|non-?diagnostic|too (?:dark|bright|noisy|poor))"
)
QUALITY: Sequence[str] = (
    rf"^\W*(?:(?:(?:the |my |final )?(?:answer|conclusion|verdict|result)(?: is)?|(?:the |this )?{_PICTURE}(?: is)?)"
    rf"\W+)?{_SPOILT}\W*$",
    r"\bquality\W{1,4}(?:poor|low|bad|insufficient|inadequate|ungrade?able)\b",
    rf"{_SPOILT} (?:image |picture )?quality\b",
    rf"{_PICTURE}s?\b(?: \w+){{0,4}}? (?:is|are|was|were|seems?|appears?|looks?|being|remains)\b[^.\n]{{0,30}}?\b(?:"
    r"blurr\w+|low[- ](?:resolution|quality)|unreadable|illegible|too (?:poor|dark|bright|small|noisy|grainy)|grainy|"
    r"poor(?:ly (?:visib|defin|expos|reproduc)\w+|[ -]quality|(?= (?:and|or|to)\b|[,.;]|$))|corrupted|distorted|"
    r"pixelated|degraded|ungradable|non-?diagnostic|"
    r"(?:not (?:clear|sharp|legible|readable|of (?:sufficient|adequate|diagnostic))|unclear)"
    r"(?! (?:whether|if|which|what|how|why))|insufficient quality|inadequate quality)",
    rf"(?:blurr\w+|grainy|unreadable|illegible|pixelated|unclear|low-resolution|(?:poor|low)[- ]quality) {_PICTURE}\b",
    r"(?:poor|low|insufficient|inadequate|suboptimal|bad) (?:image |picture |technical |diagnostic )?(?:quality|"
    r"resolution(?! of (?!the |this )))",
    r"(?:quality|resolution) (?:of (?:the|this) \S+ )?(?:is |are |was )?(?:too |very )?(?:poor|low|insufficient|"
    r"inadequate|bad)",
    rf"{CANNOT} (?:\w+ ){{0,3}}?(?:see|read|view|make out) [^.\n]{{0,40}}?\b(?:clearly|(?<= )well)\b",
    rf"(?<!if )(?<!if the )\b(?:it|this|quality|resolution|view|mammogram|{_PICTURE})\b[^.\n]{{0,50}}? "
    r"(?:(?:not|\w{2,5}n't) (?:\w+ )?(?:allow|permit|(?:good|clear|sharp|detailed) enough|"
    r"(?:sufficient|adequate|suitable)(?:ly \w+)? (?:for|to))\b|too \w+ to (?:\w+ )?(?:tell|say|determine|identify|"
    r"assess|answer|know|diagnose)\b)",
    r"(?:qualità|risoluzione|nitidezza) (?:\S+ ){0,4}?(?:scarsa|bassa|insufficiente|scadente|pessima|inadeguata)|"
    r"(?:scarsa|bassa|pessima|insufficiente) (?:qualità|risoluzione)|"
    r"(?:troppo|molto) (?:sfocat|scur|sgranat|buia)\w*|sfocat\w|sgranat\w|illeggibil\w|poco (?:nitid|chiar|"
    r"leggibil)\w+|immagin\w è (?:\w+ )?distort\w|"
    r"(?:qualità|immagine|risoluzione)[^.\n]{0,40}? non (?:\w+ )?(?:consent|permett|è (?:sufficient|adeguat|"
    r"abbastanza))\w*",
    r"(?:mala|baja|pobre|insuficiente) (?:calidad|resolución)|"
    r"(?:calidad|resolución) (?:\S+ ){0,4}?(?:mala|baja|insuficiente|pobre|deficiente)|borros\w|ilegible|"
    r"imagen está (?:\w+ )?(?:distorsionad|deformad)\w|"
    r"(?:calidad|imagen|resolución)[^.\n]{0,40}? no (?:\w+ )?(?:permite|es (?:suficiente|adecuada))",
    r"(?:mauvaise|faible) (?:qualité|résolution)|"
    r"(?:qualité|résolution) (?:\S+ ){0,4}?(?:insuffisante|mauvaise|médiocre|faible|basse)|trop (?:floue?|"
    r"sombre)|illisible|image est (?:\w+ )?(?:déformée?|distordue)|"
    r"(?:qualité|image|résolution)[^.\n]{0,40}? (?:ne (?:\S+ )?permet pas|n'est pas (?:\w+ )?(?:suffisante|adéquate))",
    r"(?:schlechte|mangelhafte|unzureichende|geringe|niedrige)\w? (?:bild)?(?:qualität|auflösung)|"
    r"(?:bild)?(?:qualität|auflösung) (?:\S+ ){0,3}?(?:schlecht|unzureichend|gering|mangelhaft|niedrig|zu)"
    r"|verschwommen|unscharf|unleserlich|bild ist (?:\w+ )?verzerrt|"
    r"(?:qualität|bild|auflösung|aufnahme)[^.\n]{0,40}? (?:reicht (?:\S+ ){0,2}?nicht|"
    r"nicht (?:aus|ausreichend|geeignet)|erlaubt kein|lässt kein)",
    r"(?:图像|图片|影像|照片|画质|质量|分辨率|清晰度)[^。\n]{0,12}?(?:模糊|太差|较差|很差|不清|过低|太低|较低|不足|失真|"
    r"不佳|欠佳|无法辨认)|模糊不清|看不清|(?:图像|图片|影像|质量)[^。\n]{0,12}?不足以",
)
"""Phrases that call the image poor: English ones first, then one entry for each other language."""

_HINT = regex("[SsakLPOlT8]|n.{0,2}[zo]")
POOR = pattern(
    # strong words, which suffice alone
    "spoilt",
    # "the image is blurred", "a blurred image"
    "picture =4 be ~4 spoilable|haze",
    "picture =2 spoilable",
    "picture ..4 not ..2 sound|good",
    "be spoilable by|due ~3 artefact|moving|bad|picture|quality",
    "^ this|it be ~3 spoilable $",
    "^ this|it be ~3 spoilable picture|quality|by|due|and|comma|with|or|so|too|the|a",
    "spoilable ~1 tell",
    "tell =6 be ~2 spoilable",
    "bad =3 tell|detail|spot",
    "detail be? finding ~1 due|by",
    "spoilable ~2 picture",
    "too|so spoilable",
    "picture be ~3 too bad|much|body",
    "quality ~4 be ~2 spoilable|bad",
    "quality =1 spoilable|bad",
    "quality quote? colon quote? spoilable|bad",
    "quality ..3 not ..2 good",
    "quality ..5 not let",
    "detail|body colon spoilable",
    "not ..2 good ..2 quality",
    "spoilable|bad picture|diagnosis|medical|tell|the|this|doctor? picture? quality",
    # the response contains nothing else
    "^ quote? spoilable quote? $",
    "concluding|choose be? colon? quote? spoilable quote? $",
    # artefacts
    "artefact",
    "picture|quality ~5 moving",
    "moving ~4 quality|artefact|detail|tell|spot|spoilable",
    "moving =2 the|this =1 picture",
    "be ~2 moving $",
    "bad|much|spoilable moving",
    "picture|quality|detail|body|tell|spoilable|bad|much|cannot|not ..6 due|by ~2 moving",
    "moving be ~1 bad|much|see|spoilable",
    "moving ~3 not? let|bad|cannot|tell",
    "too|so moving",
    "moving moving",
    "^ there? be? a? moving $",
    # details that cannot be seen
    "<cannot> ..4 spot ..6 detail",
    "detail|body ..8 <cannot> ..3 spot|see|tell",
    "detail|picture ..3 not ..2 spot|tell",
    "no ..3 detail ..6 spot",
    "<cannot> see ..3 detail|body",
    "<cannot> spot ..4 picture|body",
    "<cannot> see ..4 good",
    "picture ..6 <cannot> ..2 be ..2 tell",
    "picture ..4 not ..3 tell|good $",
    # requests for another image
    "repeat ~3 picture|quality",
    "picture ..3 need ..2 be? repeat",
    # missing parts of the image
    "detail|body|picture ~4 be ~2 out",
    "out the =1 picture|quality",
)
"""A sentence that may say that an image is poor."""
_DENIED = regex("[nNA][^;]{0,5}$|[hq][^;,]{0,3}$")
_GOOD = regex("(?<![sb])(?<![sb].)k[^;,sbSnNT]{0,4}?[oz]|(?<!n)(?<!n.)o[^;,sbS]{0,2}k")
_ELSE = pattern("spot|tell ~2 who", "not ~1 good|sound show|provide", "not show|provide ~2 good|sound")
"""Statements that a person's identity is unknown, or that something other than the image is not good."""


def flags(sentence: Sentence) -> bool:
    """Return whether a sentence says that this image is poor."""
    shape = sentence.shape
    if _HINT.search(shape) is None or sentence.general or sentence.part is ResponsePart.LESSON:
        return False
    return any(_holds(clause) for clause in shape.split(";"))


def _holds(clause: str) -> bool:
    found = POOR.search(clause)
    if found is None:
        return False
    if _ELSE.search(clause) is not None:
        return False
    return _DENIED.search(clause, 0, found.start()) is None and _GOOD.search(clause) is None
