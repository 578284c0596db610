"""Where a reply puts its diagnosis, and whether what stands there says that there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from snellen.grading.cleaning import cleaned, spoken
from snellen.grading.sight import notices_no_image
from snellen.grading.silence import read_silence

_LONGEST = 4_000
"""Of a longer diagnosis, only this many characters are read."""

_TAG = re.compile(
    r"(?:\\?[<\[{⟨〈＜【]|&(?:amp;){0,2}(?:lt|lang|#0?60|#x0?3c);|\\u003c|\$?\\langle\$?)[\s*_`]{0,4}(?P<close>[/\\]?)"
    r"[\s*_`]{0,4}(?:(?:final|primary|main|your)[\s_-])?(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|"
    r"诊断)"
    r"(?:\s{1,2}\w{1,20}\s?=\s?[\"'][^\"'<>\n]{0,60}[\"']){0,2}[\s*_`]{0,4}(?P<empty>/?)\s{0,2}"
    r"(?:\\?[>\]}⟩〉＞】]|&(?:amp;){0,2}(?:gt|rang|#0?62|#x0?3e);|\\u003e|\$?\\rangle\$?)",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[\W_]{0,20}(?:(?:the|my|final|primary|main|most|likely|probable|working|clinical) ){0,3}"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|impression|conclusion|answer|诊断)\s{0,2}(?::|is\b|"
    r"è|es\b)"
)
_ABOUT_TAGS = re.compile(
    r"\W{0,9}(?:tags?|and|o[rf]|\.{3}|…|here|(?:insert|your|the|put|enter|final)? ?diagnosis(?: here)?)\b\W{0,9}"
)
_CLAUSE_END = re.compile(r"[,;:(\n]|\.\s|\s-{1,3}\s")

_NOTHING = re.compile(
    r"\W*(?:none|nil|null|n/? ?a|tbd|no|yes|unknown|undetermined|indeterminate|inconclusive|uncertain|unclear|"
    r"unspecified|"
    r"undefined|pending|deferred|withheld|unavailable|non-?diagnostic|undiagnosed|error|"
    r"not (?:yet )?(?:available|applicable|determined|determinable|specified|possible|provided|established|given|"
    r"sure|known|"
    r"diagnosed|diagnosable|assessed|evaluable|visible|certain|found)|no (?:data|answer|response|result|input|"
    r"content)|"
    r"nessun[ao]?|sconosciut[ao]|indeterminat[ao]|non (?:disponibile|determinabile|determinat[ao]|applicabile|nota|"
    r"specificata)|"
    r"ningun[ao]|desconocid[ao]|indeterminad[ao]|no (?:disponible|determinad[ao]|especificad[ao]|aplica)|"
    r"aucune?|inconnue?|indéterminée?|non (?:déterminée?|spécifiée?|précisée?|applicable)|"
    r"keine?|unbekannt|unklar|nicht (?:verfügbar|bestimmbar|möglich|feststellbar|beurteilbar|diagnostizierbar)|"
    r"keine angabe|"
    r"无|未知|不详|不明|暂无|待定|不确定|不适用|未确定|未诊断|无诊断|无结果)\W*"
)
_WHO = (
    r"(?:doctor|physician|\w{0,20}ologist|clinician|professional|specialist|provider|healthcare|expert|medic[oi]|"
    r"médic[oa]s?|"
    r"médecin|\w{0,20}ologue|\w{0,20}olog[oa]|specialista|especialista|spécialiste|arzt|ärztin|\w{0,20}ologen)"
)
_STUDY = (
    r"(?:images?|imaging|pictures?|photos?|photographs?|scans?|x-?rays?|radiographs?|ecg|ekg|mri|tracings?|slides?|"
    r"attachments?|"
    r"files?|uploads?|data|information)"
)
_DECLINED = re.compile(
    r"\bnothing (?:\w+ ){0,2}?(?:diagnose|interpret|see|assess|analy[sz]e)|"
    r"\bno (?:\w+ ){0,3}?(?:diagnos[ie]s|impression|conclusion|interpretation)\b|\bnon-?diagnostic\b|"
    r"\bdiagnos[ie]s (?:\w+ ){0,3}?(?:not|cannot|can't|impossible|pending|deferred|withheld|unavailable|inconclusive|"
    r"undetermined|indeterminate|unknown|unclear|uncertain)\b|"
    rf"\bno (?:\w+ ){{0,2}}?{_STUDY}\b|\b{_STUDY} (?:\w+ ){{0,2}}?(?:not|missing|absent|unavailable|required|needed|"
    rf"unreadable)\b|"
    rf"\b(?:missing|absent|unavailable|insufficient|inadequate) (?:\w+ )?{_STUDY}\b|"
    rf"\bwithout (?:\w+ ){{0,3}}?{_STUDY}\b|"
    rf"\b(?:consult|see|visit|seek|contact|ask|speak|refer|referral|defer)\w{{0,4}} (?:[\w-]+ ){{0,5}}?{_WHO}\b|"
    r"\b(?:evaluation|assessment|examination|review|consultation|interpretation|correlation|biopsy|testing|work-?up) "
    r"(?:\w+ ){0,5}?(?:needed|required|recommended|necessary|advised|warranted|pending)\b|"
    r"\b(?:requires?|needs?|awaiting|pending|recommend\w{0,3}) (?:\w+ ){0,5}?(?:evaluation|assessment|examination|"
    r"review|"
    r"consultation|interpretation|correlation|biopsy|testing|work-?up|images?|information)\b|"
    r"\b(?:unable|not able|inability|impossible|not possible|cannot|can't|could not|"
    r"insufficient) (?:\w+ ){0,4}?(?:diagnos\w+|"
    r"determin\w+|provide|interpret|assess|evaluate|conclude|identify|establish|analy[sz]e|view|see|offer|give|make|"
    r"render)|"
    r"\b(?:nessuna|senza|alcuna|impossibile) (?:\w+ ){0,3}?(?:diagnosi|immagin\w)|diagnosi (?:\w+ ){0,2}?(?:non|"
    r"impossibile)\b|"
    r"impossibile (?:\w+ )?(?:\w+are|\w+ire)\b|"
    rf"\b(?:consult|rivolg|contatt|acud|visit)\w{{0,6}} (?:[\w-]+ ){{0,3}}?{_WHO}\b|"
    r"\bsin (?:\w+ ){0,2}?(?:diagnóstico|imagen)|\b(?:ningún|imposible) (?:\w+ ){0,3}?(?:diagn[oó]stic\w+|"
    r"determinar)|"
    r"\b(?:pas de|aucune?|sans|impossible) (?:\S+ ){0,4}?(?:diagnosti\w+|image|déterminer|établir|poser)|"
    r"\b(?:keine|ohne) (?:\w+ ){0,2}?(?:diagnose|bild\w{0,3})|diagnose (?:\w+ ){0,2}?nicht|nicht (?:möglich|"
    r"beurteilbar)|"
    r"\b(?:arzt|ärztin|hautarzt) (?:aufsuchen|konsultieren|fragen)|"
    r"无法|不能(?!排除)|未提供|没有(?:提供|图|影)|无图|请(?:咨询|就医|提供|上传)|咨询[^\s,.]{0,8}医|就医|建议就诊|未见图"
)


def tagged(text: str) -> str | None:
    r"""What stands in a reply's last complete diagnosis tag that holds something, without markup.

    Thinking does not count. Without a complete tag, what follows the last open one on its line does.

    >>> tagged("<diagnosis>Nevus</diagnosis> or rather &lt;Diagnosis&gt; **Melanoma** &lt;/Diagnosis&gt;")
    'Melanoma'
    >>> tagged("It is put in <diagnosis> tags.") is None
    True
    """
    said = spoken(text)
    tags = [tag for tag in _TAG.finditer(said) if not tag["empty"]]
    return next((content for raw in chain(_closed(said, tags), _open(said, tags)) if (content := _content(raw))), None)


def _closed(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """What stands between a tag and the one that closes it, the last first."""
    for opening, closing in reversed(list(pairwise(tags))):
        if closing["close"] and not opening["close"]:
            yield said[opening.end() : closing.start()][:_LONGEST]


def _open(said: str, tags: list[re.Match[str]]) -> Iterator[str]:
    """What follows a tag that nothing closes up to the next tag or the end of its line, the last first."""
    end = len(said)
    for tag in reversed(tags):
        if not tag["close"]:
            yield said[tag.end() : min(end, tag.end() + _LONGEST)].lstrip().partition("\n")[0]
        end = tag.start()


def _content(raw: str) -> str:
    """A tag's content as a person would see it; nothing where it is about tags, or a place to be filled in."""
    if not raw.strip():
        return ""
    content = cleaned(raw).strip()
    return "" if _ABOUT_TAGS.fullmatch(content.lower()) or not re.search(r"\w", content) else content


def declines(content: str) -> bool:
    """Whether a diagnosis begins by saying that there is none, or says anywhere that there was no image.

    >>> declines("Unable to determine without a biopsy"), declines("Melanoma; please consult a dermatologist")
    (True, False)
    """
    low = unlabelled(content)
    return _is_silent(_CLAUSE_END.split(low, maxsplit=1)[0]) or notices_no_image(low)


def is_silent(content: str) -> bool:
    """Whether a text says anywhere that no diagnosis is made."""
    return _is_silent(unlabelled(content))


def unlabelled(content: str) -> str:
    """A diagnosis in lower case, without "final diagnosis:" before it."""
    low = content.lower().replace("indeterminate ", "")
    label = _LABEL.match(low)
    return (low[label.end() :] if label else low).strip()


def _is_silent(low: str) -> bool:
    return bool(_NOTHING.fullmatch(low) or _DECLINED.search(low)) or read_silence(low) is not None
