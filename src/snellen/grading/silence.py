"""Replies without an answer: the model cannot tell, declines the task, or finds the image too poor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.grading.verdicts import Outcome, Reading

_PICTURE = (
    r"(?:image|picture|photo|photograph|figure|scan|x-?ray|radiograph|ecg|ekg|mri|ct|slide|visual|attachment|file|"
    r"tracing|"
    r"immagin\w|foto\w*|figura|radiografia|tracciato|imagen|imágenes|radiografía|bild\w*|aufnahme|röntgenbild|cliché|"
    r"radiographie|imagem)"
)
_CANNOT = (
    r"(?:can(?:no|')t|can not|could(?:n't| not)|(?:am|'m|are|is|was) (?:not able|unable)(?: to)?|unable to|"
    r"not able to|"
    r"do(?:n't| not) have (?:the )?(?:ability|capability|access|means) (?:to|of)|not possible(?: for me)? to|"
    r"impossible to|"
    r"won't(?: be able to)?|no way to)"
)
_SEE = r"(?:see|view|access|open|display|look at|perceive|visuali[sz]e|observe|examine|inspect|deduce|receive)"
_TELL = (
    r"(?:determin\w+|tell|know|say|conclude|identify|interpret|analy[sz]e|assess|evaluate|answer|ascertain|decide|"
    r"confirm|"
    r"make (?:a|an)|process|read|discern|choose|select|reliably)"
)

_QUALITY: Sequence[str] = (
    rf"{_PICTURE}s?\b[^.\n]{{0,60}}?\b(?:too )?(?:blurr\w+|low[- ](?:resolution|quality)|poor(?:ly)?|unreadable|"
    rf"illegible|"
    r"too (?:dark|bright|small|noisy|grainy)|grainy|corrupted|distorted|pixelated|degraded|ungradable|non-?diagnostic|"
    r"not (?:clear|sharp|legible|readable|of (?:sufficient|adequate|diagnostic))|unclear|insufficient quality|"
    r"inadequate quality)",
    r"(?:poor|low|insufficient|inadequate|suboptimal|bad) (?:image |picture |technical |diagnostic )?(?:quality|"
    r"resolution)",
    r"(?:quality|resolution) (?:of (?:the|this) \S+ )?(?:is |are |was )?(?:too |very )?(?:poor|low|insufficient|"
    r"inadequate|bad)",
    rf"{_CANNOT} (?:\w+ ){{0,3}}?(?:see|read|view|make out) [^.\n]{{0,40}}?clearly",
    r"qualità (?:\S+ ){0,3}?(?:scarsa|bassa|insufficiente|scadente)|(?:troppo|molto) (?:sfocat|scur|sgranat)\w+|"
    r"sfocat\w|illeggibil\w",
    r"(?:mala|baja|pobre|insuficiente) calidad|calidad (?:\S+ ){0,3}?(?:mala|baja|insuficiente|pobre)|borros\w|"
    r"ilegible",
    r"(?:mauvaise|faible) qualité|qualité (?:\S+ ){0,3}?(?:insuffisante|mauvaise|médiocre|faible)|trop (?:floue?|"
    r"sombre)|illisible",
    r"(?:schlechte|mangelhafte|unzureichende|geringe)\w? (?:bild)?qualität|"
    r"(?:bild)?qualität (?:\S+ ){0,3}?(?:schlecht|unzureichend|gering|mangelhaft|zu)"
    r"|verschwommen|unscharf|unleserlich",
    r"(?:图像|图片|影像|照片|画质|质量)[^。\n]{0,12}?(?:模糊|太差|较差|不清|过低|太低|不佳|欠佳|无法辨认)|模糊不清",
)
_UNSEEN: Sequence[str] = (
    rf"\bno (?:\w+ ){{0,2}}?{_PICTURE}s?\b(?: \w+){{0,4}}? (?:provided|attached|uploaded|visible|available|included|"
    rf"present|shown|"
    r"given|shared|received|supplied|here)",
    rf"{_PICTURE}s?\b(?: \w+){{0,4}}? (?:is|are|was|were|seems?|appears?|has|have)(?: to be| been)?(?: completely|"
    rf" entirely)? (?:missing|"
    r"n't|not (?:been )?(?:provided|attached|visible|available|included|displayed|shown|loading|uploaded|present|"
    r"accessible)|"
    r"absent|blank|empty|black)",
    rf"(?:do(?:n't| not)|did(?:n't| not)|can(?:'t|not)) (?:\w+ ){{0,2}}?(?:see|find|have|"
    rf"receive) (?:\w+ ){{0,4}}?{_PICTURE}",
    rf"{_PICTURE}s?\b(?: \w+){{0,3}}? (?:does not|doesn't|do not|don't) (?:contain|show|display|include) (?:any|"
    rf"anything|visible)\b",
    rf"{_CANNOT} (?:\w+ ){{0,3}}?{_SEE}\b",
    rf"without (?:\w+ ){{0,5}}?{_PICTURE}",
    rf"(?:please|could you|can you|if you) (?:\w+ ){{0,3}}?(?:provide|upload|share|attach|describe|"
    rf"send) (?:\w+ ){{0,5}}?(?:{_PICTURE}|description|"
    r"details|information|context)",
    r"(?:n't|not) (?:\w+ ){0,4}?enough (?:\w+ )?(?:information|data|details?|context)|"
    rf"\bi (?:would )?need (?:the|an|to have the) (?:\w+ )?{_PICTURE}|need to (?:see|view|look at) (?:\w+ "
    rf"){{0,3}}?{_PICTURE}s?\b(?!ing)",
    r"\b(?:(?:not enough|insufficient|inadequate) (?:\w+ ){0,2}?(?:information|data|details?|context|evidence)|"
    r"(?:lack(?:s|ing)?(?: of)?|no) (?:\w+ ){0,2}?(?:information|data|context)\b)",
    r"(?:can(?:no|')t|can not|could not|couldn't) be (?:\w+ )?(?:determined|answered|assessed|ascertained|"
    r"established|identified|evaluated|told)",
    r"\bi(?: (?:do not|don't|really don't) know\b|(?:'m| am) (?:not (?:sure|certain)|unsure|uncertain)\b)|"
    r"hard to (?:say|tell)\b",
    r"(?:need|require)s? (?:more|additional|further) (?:information|details|images?|context|data)|in(?:determinate|"
    r"conclusive)\b|undetermined\b",
    r"^\W{0,9}(?:unknown|unclear|not sure|unsure|uncertain|cannot tell|not visible|n/?a|undecidable|idk)\W{0,9}$",
    # Italian
    r"non (?:posso|riesco a|sono in grado di|è possibile|si può) (?:\w+ ){0,2}?(?:vedere|visualizzare|determinare|"
    r"stabilire|dire|"
    r"rispondere|identificare|valutare|interpretare|analizzare|osservare|accedere|leggere)|"
    r"non vedo (?:\w+ ){0,2}?immagin\w|"
    r"nessuna immagine|alcuna immagine|non determinabil\w|non è (?:presente|visibile|disponibile) (?:\w+ "
    r"){0,2}?immagin\w|immagine (?:\w+ ){0,3}?(?:non (?:è )?(?:visibile|presente|disponibile|fornita|allegata|"
    r"mostra)|mancante|"
    r"assente|vuota|bianca)|informazioni (?:\w+ )?(?:insufficienti|non sufficienti)|non (?:lo so|saprei|so\b)|"
    r"senza (?:\w+ ){0,3}?immagin\w|"
    r"non (?:è stata|è) (?:\w+ )?(?:fornita|allegata)|non ho (?:\w+ ){0,2}?(?:informazioni|accesso)",
    # Spanish and Portuguese
    r"no (?:puedo|es posible|se puede|soy capaz de|logro) (?:\w+ ){0,2}?(?:ver|visualizar|determinar|decir|responder|"
    r"identificar|evaluar|"
    r"interpretar|analizar|acceder|observar|saber)|no veo (?:\w+ ){0,2}?imagen|no (?:hay|se ha|se proporcion\w+|"
    r"tengo) (?:\w+ ){0,4}?imagen|"
    r"imagen (?:\w+ ){0,3}?(?:no (?:está|es)|falta|vacía|en blanco)|información (?:\w+ ){0,2}?insuficiente|"
    r"no (?:lo sé|sé\b|sabría)|"
    r"no hay suficiente|sin (?:\w+ ){0,3}?imagen|falta (?:de )?información|não (?:posso|consigo|"
    r"é possível) (?:\w+ ){0,2}?(?:ver|"
    r"visualizar|determinar|responder|identificar)|não sei",
    # French
    r"(?:ne (?:peux|puis|suis|vois)|n'(?:arrive|est|ai|y a)|il n'y a)(?: \S+){0,3}? (?:pas|aucune?|"
    r"impossible)(?: \S+){0,4}? (?:voir|visualiser|déterminer|"
    r"dire|répondre|identifier|évaluer|interpréter|analyser|accéder|image|d'image|informations?)|"
    r"impossible de (?:\w+ ){0,2}?(?:déterminer|"
    r"répondre|dire|voir|savoir)|aucune image|image (?:\w+ ){0,3}?(?:manquante|absente|vide|n'est pas)|"
    r"informations? (?:\w+ )?insuffisantes?|"
    r"je ne sais pas|sans (?:\S+ ){0,3}?image",
    # German
    r"kann (?:\S+ ){0,8}?nicht (?:\S+ ){0,3}?(?:sehen|erkennen|beurteilen|bestimmen|beantworten|sagen|feststellen|"
    r"anzeigen|öffnen|analysieren|"
    r"interpretieren|beantwortet|bestimmt|festgestellt)|kein(?:e[nms]?)? (?:\w+ ){0,2}?(?:bild|aufnahme|röntgenbild|"
    r"abbildung)|bild (?:\w+ ){0,3}?(?:fehlt|"
    r"nicht (?:vorhanden|sichtbar|angehängt|verfügbar)|leer)|(?:nicht genug|nicht genügend|unzureichende|zu wenig\w*|"
    r"fehlende) (?:\w+ )?"
    r"informationen|ich weiß (?:es )?nicht|ohne (?:\S+ ){0,3}?bild|nicht möglich",
    # Chinese, Japanese
    r"(?:无法|不能|没法|難以|难以)(?:\S{0,6}?)(?:看到|查看|查看|确定|判断|回答|识别|看见|访问|打开|得出|分析|解读)|"
    r"没有(?:提供|看到|收到|附|上传)?\S{0,4}?(?:图|影像|照片)|"
    r"(?:图片|图像|影像)\S{0,6}?(?:缺失|空白|未提供|没有提供|不可见|无法显示)|未提供\S{0,4}?(?:图|影像)|信息不足|"
    r"资料不足|不知道|不清楚|不确定|請提供|请提供|请上传|"
    r"わかりません|画像が(?:ありません|見えません)|判断できません",
)
_DECLINES: Sequence[str] = (
    rf"{_CANNOT} (?:\w+ ){{0,3}}?(?:assist|help|comply|fulfil\w*|engage|participate|support|diagnos(?:e|ing)|"
    rf"(?:provide|give|offer|make) (?:\w+ ){{0,4}}?"
    r"(?:advice|diagnos[ie]s|opinion|recommendations?|interpretations?|assessment|assistance)|(?:interpret|"
    r"analy[sz]e|read) (?:\w+ ){0,2}?medical)",
    r"(?:choose|prefer|rather) not (?:to )?(?:answer|respond|say)|not (?:appropriate for me|qualified|licensed|"
    r"permitted|allowed|comfortable|"
    r"authori[sz]ed|a (?:doctor|physician|radiologist|medical professional|substitute|licensed))\b",
    r"\bi (?:(?:must|have to|need to|will have to) )?(?:decline|refuse)\b|against (?:my|the|our|"
    r"openai\S*) (?:\w+ )?(?:polic|guidelin|rules|"
    r"programming)|medical advice\b",
    r"(?:consult|contact|speak (?:to|with)|seek)\w* (?:\w+ ){0,4}?(?:doctor|physician|radiologist|professional|"
    r"healthcare|specialist|provider)",
    r"as an ai\b[^.\n]{0,60}?(?:cannot|can't|not|unable)|(?:sorry|apologi[sz]e)\b[^.\n]{0,40}?\b(?:can't|cannot|"
    r"unable)\b",
    r"non posso (?:\w+ ){0,3}?(?:aiutar\w*|assister\w*|fornire|formulare|dare|fare (?:una )?diagnosi)|"
    r"non sono un medico|consult\w+ un medico|"
    r"rivolg\w+ a un|mi dispiace[^.\n]{0,30}?non (?:posso|sono)|mi rifiuto",
    r"no puedo (?:\w+ ){0,3}?(?:ayudar\w*|asistir\w*|proporcionar|ofrecer|dar|hacer (?:un )?diagnóstico|"
    r"diagnosticar)|no soy (?:un )?médico|"
    r"consult\w+ (?:a|con) (?:un|su)|lo siento[^.\n]{0,30}?no puedo|não posso (?:\w+ ){0,2}?(?:ajudar|fornecer)|"
    r"desculpe[^.\n]{0,30}?não",
    r"ne (?:peux|puis) pas (?:\S+ ){0,3}?(?:aider|assister|fournir|donner|poser (?:de|un) diagnostic|diagnostiquer|"
    r"établir)|ne suis pas médecin|"
    r"consult\w+ un (?:médecin|professionnel)|(?:désolée?|excuse)[^.\n]{0,40}?(?:ne (?:peux|puis)|pas en mesure)",
    r"kann (?:\S+ ){0,4}?nicht (?:helfen|weiterhelfen|unterstützen)|"
    r"kann (?:\S+ ){0,3}?keine? (?:\S+ ){0,2}?(?:diagnose|medizinisch\w*|beratung|auskunft)|"
    r"bin kein arzt|(?:arzt|ärztin|fachperson) (?:auf|konsult)|tut mir leid[^.\n]{0,40}?(?:nicht|kein)|"
    r"konsultieren sie",
    r"(?:无法|不能|不可以)\S{0,4}?(?:提供|协助|帮助|给出)\S{0,6}?(?:医疗|诊断|建议|医学|帮助)?|我不是医生|请咨询|"
    r"咨询\S{0,4}?医生|抱歉\S{0,6}?(?:无法|不能)|お手伝いできません",
)

_UNTOLD: Sequence[str] = (
    rf"{_CANNOT} (?:\w+ ){{0,4}}?{_TELL}\b",
    r"(?:^|\. )\W{0,9}unknown\b",
    r"不好说|很难说",
)
# The last phrase of each kind is Chinese, so that plain ASCII replies can do without it.


def _compiled(phrases: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(phrase, re.MULTILINE) for phrase in phrases)


_KINDS = (
    (Outcome.FLAGGED_QUALITY, "quality-phrase", _compiled(_QUALITY)),
    (Outcome.ABSTAINED, "abstention-phrase", _compiled(_UNSEEN)),
    (Outcome.REFUSED, "refusal-phrase", _compiled(_DECLINES)),
    (Outcome.ABSTAINED, "abstention-phrase", _compiled(_UNTOLD)),
)
_LONG = 700
_HEAD, _TAIL = 300, 400


def read_silence(low: str) -> tuple[Reading, int] | None:
    """Why a reply in lower case holds no answer, and where it says so.

    What says most comes first: an image too poor, then something missing, then a refusal, then "I cannot tell". Long
    replies are searched at both ends: in the middle of an argument, "cannot determine" is about the argument.
    """
    ends = low if len(low) <= _LONG else f"{low[:_HEAD]}\n{low[-_TAIL:]}"
    for outcome, rule, patterns in _KINDS:
        usable = patterns[:-1] if ends.isascii() else patterns
        found = next(filter(None, (pattern.search(ends) for pattern in usable)), None)
        if found:
            return Reading(rule, silence=outcome, evidence=found.group().strip()[:120]), found.start()
    return None
