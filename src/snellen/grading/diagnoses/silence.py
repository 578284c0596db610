"""Diagnoses that say there is none: undetermined, declined, without an image, or left to a doctor."""

from __future__ import annotations

import re

from snellen.grading.silence import read_silence

_LABEL = re.compile(
    r"[\W_]{0,20}(?:(?:the|my|final|primary|main|most|likely|probable|working|clinical) ){0,3}"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|impression|conclusion|answer|诊断)"
    r"\s{0,2}(?::|is\b|è|es\b)"
)
_CLAUSE_END = re.compile(r"[,;:(\n]|\.\s|\s-{1,3}\s")
_NOTHING = re.compile(
    r"\W*(?:none|nil|null|n/? ?a|tbd|no|yes|unknown|undetermined|indeterminate|inconclusive|uncertain|unclear|"
    r"unspecified|undefined|pending|deferred|withheld|unavailable|non-?diagnostic|undiagnosed|error|"
    r"not (?:yet )?(?:available|applicable|determined|determinable|specified|possible|provided|established|given|"
    r"sure|known|diagnosed|diagnosable|assessed|evaluable|visible|certain|found)|"
    r"no (?:data|answer|response|result|input|content)|"
    r"nessun[ao]?|sconosciut[ao]|indeterminat[ao]|"
    r"non (?:disponibile|determinabile|determinat[ao]|applicabile|nota|specificata)|"
    r"ningun[ao]|desconocid[ao]|indeterminad[ao]|no (?:disponible|determinad[ao]|especificad[ao]|aplica)|"
    r"aucune?|inconnue?|indéterminée?|non (?:déterminée?|spécifiée?|précisée?|applicable)|"
    r"keine?|unbekannt|unklar|keine angabe|"
    r"nicht (?:verfügbar|bestimmbar|möglich|feststellbar|beurteilbar|diagnostizierbar)|"
    r"无|未知|不详|不明|暂无|待定|不确定|不适用|未确定|未诊断|无诊断|无结果)\W*"
)
_STUDY = (
    r"(?:images?|imaging|pictures?|photos?|photographs?|scans?|x-?rays?|radiographs?|ecg|ekg|mri|tracings?|slides?|"
    r"attachments?|files?|uploads?|data|information)"
)
_WHO = (
    r"(?:doctor|physician|\w{0,20}ologist|clinician|professional|specialist|provider|healthcare|expert|"
    r"medic[oi]|médic[oa]s?|médecin|\w{0,20}ologue|\w{0,20}olog[oa]|specialista|especialista|spécialiste|"
    r"arzt|ärztin|\w{0,20}ologen)"
)
_TEST = r"(?:evaluation|assessment|examination|review|consultation|interpretation|correlation|biopsy|testing|work-?up)"
_DECLINED = re.compile(
    r"\bnothing (?:\w+ ){0,2}?(?:diagnose|interpret|see|assess|analy[sz]e)|\bnon-?diagnostic\b|"
    r"\bno (?:\w+ ){0,3}?(?:diagnos[ie]s|impression|conclusion|interpretation)\b|"
    r"\bdiagnos[ie]s (?:\w+ ){0,3}?(?:not|cannot|can't|impossible|pending|deferred|withheld|unavailable|"
    r"inconclusive|undetermined|indeterminate|unknown|unclear|uncertain)\b|"
    r"\b(?:unable|not able|inability|impossible|not possible|cannot|can't|could not|insufficient) "
    r"(?:\w+ ){0,4}?(?:diagnos\w+|determin\w+|provide|interpret|assess|evaluate|conclude|identify|establish|"
    r"analy[sz]e|view|see|offer|give|make|render)|"
    rf"\b(?:no (?:\w+ ){{0,2}}?|(?:missing|absent|unavailable|insufficient|inadequate) (?:\w+ )?|"
    rf"without (?:\w+ ){{0,3}}?){_STUDY}\b|"
    rf"\b{_STUDY} (?:\w+ ){{0,2}}?(?:not|missing|absent|unavailable|required|needed|unreadable)\b|"
    rf"\b(?:consult|see|visit|seek|contact|ask|speak|refer|referral|defer)\w{{0,4}} (?:[\w-]+ ){{0,5}}?{_WHO}\b|"
    r"\b(?:seek|get) (?:\w+ ){0,3}?(?:attention|care|help|advice)\b|"
    r"\b(?:schedule|book|make) (?:\w+ ){0,2}?(?:appointment|visit)\b|"
    rf"\b(?:upload|attach|send|share|submit|resend|reupload)\b (?:\w+ ){{0,4}}?{_STUDY}\b|"
    rf"\b{_TEST} (?:\w+ ){{0,5}}?(?:needed|required|recommended|necessary|advised|warranted|pending)\b|"
    r"\b(?:requires?|needs?|awaiting|pending|recommend\w{0,3}) "
    rf"(?:\w+ ){{0,5}}?(?:{_TEST}|images?|information)\b|"
    # Italian and Spanish
    r"\b(?:nessuna|senza|alcuna|impossibile) (?:\w+ ){0,3}?(?:diagnosi|immagin\w)|"
    r"\bdiagnosi (?:\w+ ){0,2}?(?:non|impossibile)\b|\bimpossibile (?:\w+ )?(?:\w+are|\w+ire)\b|"
    rf"\b(?:consult|rivolg|contatt|acud|visit)\w{{0,6}} (?:[\w-]+ ){{0,3}}?{_WHO}\b|"
    r"\bsin (?:\w+ ){0,2}?(?:diagnóstico|imagen)|"
    r"\b(?:ningún|imposible) (?:\w+ ){0,3}?(?:diagn[oó]stic\w+|determinar)|"
    # French and German
    r"\b(?:pas de|aucune?|sans|impossible) (?:\S+ ){0,4}?(?:diagnosti\w+|image|déterminer|établir|poser)|"
    r"\b(?:keine|ohne) (?:\w+ ){0,2}?(?:diagnose|bild\w{0,3})|\bdiagnose (?:\w+ ){0,2}?nicht\b|"
    r"\bnicht (?:möglich|beurteilbar)|\b(?:arzt|ärztin|hautarzt) (?:aufsuchen|konsultieren|fragen)|"
    # Chinese
    r"无法|不能(?!排除)|未提供|没有(?:提供|图|影)|无图|未见图|请(?:咨询|就医|提供|上传)|咨询[^\s,.]{0,8}医|就医|建议就诊"
)


def is_silent(content: str) -> bool:
    """Whether a text says anywhere that no diagnosis is made."""
    return _silence(_unlabelled(content)) is not None


def before_silence(content: str) -> str | None:
    """What a diagnosis says before its first clause declines to make one; None where that clause does not.

    >>> before_silence("Diagnosis: unable to determine, possibly melanoma")
    ''
    >>> before_silence("Melanoma; please consult a dermatologist") is None
    True
    """
    clause = _CLAUSE_END.split(_unlabelled(content), maxsplit=1)[0]
    place = _silence(clause)
    return None if place is None else clause[:place]


def _unlabelled(content: str) -> str:
    """A diagnosis in lower case, without "final diagnosis:" before it."""
    # An indeterminate nodule is a finding; whatever is only indeterminate is met by `_NOTHING`.
    low = content.lower().replace("indeterminate ", "")
    label = _LABEL.match(low)
    return (low[label.end() :] if label else low).strip()


def _silence(low: str) -> int | None:
    """Where a text in lower case says that there is no diagnosis."""
    if _NOTHING.fullmatch(low):
        return 0
    declined, silence = _DECLINED.search(low), read_silence(low)
    places = [declined.start()] if declined else []
    return min([*places, silence[1]] if silence else places, default=None)
