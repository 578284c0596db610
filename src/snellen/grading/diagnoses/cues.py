"""The words that turn what stands around them in a diagnosis: that deny it, set it aside, lead to it or end it."""

from __future__ import annotations

import re
from enum import Enum

from snellen.grading.diagnoses.words import words

_SHORTHAND = tuple(
    (re.compile(pattern), full)
    for pattern, full in (
        (r"\bvs\.?(?!\w)", "versus"),
        (r"\br/o\b", "rule out"),
        (r"\bw/o\b", "without"),
        (r"\bw/", "with "),
        (r"\bc/w\b", "consistent with"),
        (r"\bs/p\b", "status post"),
        (r"\bh/o\b", "history of"),
        (r"\bd/t\b", "due to"),
        (r"\be\.g\.?|\bi\.e\.?", "such as"),
        (r"\bd\.?dx\b", "differential"),
        (r"\ba\. ?fib", "a fib"),
        (r"\ba-v\b", "av"),
        (r"\bh\. ?pylori", "helicobacter pylori"),
        (r"\bcan(?:not| not|'t) be (?:\w+ )?(?:excluded|ruled out|determined|confirmed|established)", "notexcluded"),
        (r"\b(?:can(?:not| not|'t)|could not|do(?:es)? not|not) (?:\w+ )?(?:exclude|rule out)\b", "rule out"),
        (r"\bcan(?: not|'t)", "cannot"),
        (r"n't\b", " not"),
        (r"[&+]", " and "),
        (
            r"\d{1,3}[- ]year[- ]old|\d[\d.,]{0,8} ?(?:[x×] ?\d[\d.,]{0,8} ?){0,2}(?:mm|cm|ms|msec|bpm|%|years?|"
            r"yrs?)(?!\w)",
            " ",
        ),
        (r"(?:^|\n)\s{0,8}(?:[-•·]|\(?\d{1,2}[.)]|[a-h][.)])\s", "\n"),
        (r"\s\(?\d{1,2}[.)]\s", "\n"),
    )
)


class Cue(Enum):
    """What words do to the statements around them."""

    DENY = (
        "no|not|without|negative for|absence of|lack of|free of|nor|neither|rather than|instead of|as opposed to|"
        "unlike|excluding|nessun|nessuna|senza|assenza di|sin|ausencia de|sans|pas de|aucun|aucune|kein|keine|"
        "ohne|无|未见|没有"
    )
    DENY_BEFORE = (
        "ruled out|unlikely|excluded|absent|not seen|not identified|not present|not evident|not detected|"
        "not visualized|less likely|not likely|not suspected|除外"
    )
    ASIDE_BEFORE = "notexcluded|not excluded|not ruled out|待排|不能排除"
    ASIDE = (
        "rule out|exclude|cannot|could not|unable to|history of|status post|risk of|risk for|risk factor|"
        "recommend|recommended|recommendation|require|requiring|required|need|needing|needed|follow up|followup|"
        "biopsy to|biopsy for|biopsy is|biopsy recommended|biopsy needed|excision|clinical correlation|correlate|"
        "correlation|such as|if|please|consult|refer|referral|monitor|monitoring|pending|await|awaiting|"
        "confidence|rationale|reasoning|note|explanation|management|treatment|plan|evaluate|evaluation|mimic|"
        "mimicking|warrant|warranting|warranted|should|advise|advised|next step|rule|排除"
    )
    ALTERNATIVE = "versus|differential diagnosis|differential|alternatively"
    RETURN = "but|however|although|though|except for|except|otherwise|apart from|aside from|other than|yet|但"
    FIRM = (
        "consistent with|compatible with|suggestive of|suggest|suggesting|indicative of|indicate|indicating|"
        "keeping with|in keeping with|in line with|concerning for|concern for|suspicious for|suspicious of|"
        "suspicion of|suspicion for|worrisome for|characteristic of|typical of|typical for|classic for|"
        "diagnostic of|diagnostic for|diagnosis is|diagnosis of|diagnosis|impression|conclusion|represent|"
        "representing|reflect|reflecting|reveal|revealing|show|showing|demonstrate|demonstrating|confirm|"
        "confirming|due to|secondary to|caused by|related to|attributable to|in favor of|favor|favoring|point to|"
        "pointing to|compatibile con|compatible con|compatible avec|vereinbar mit|suggestivo di|sugestivo de|"
        "evocateur de|符合|提示|考虑"
    )
    LOOSE = (
        "likely|probable|probably|possible|possibly|presumably|presumed|suspected|suspect|favored|consider|"
        "considered|probabile|sospetto|vermutlich|verdacht auf|可能|疑似"
    )
    BREAK = (
        "with|and|or|plus|including|associated with|accompanied by|involving|affecting|located|in|on|at|by|from|"
        "for|over|along|within|during|which|superimposed on|complicated by|as well as|con|avec|mit|e|y|et|und|伴"
    )
    PLAIN = "in situ"


_CUES = {tuple(words(cue)): kind for kind in Cue for cue in kind.value.split("|")}
_LONGEST_CUE = max(map(len, _CUES))


def written_out(text: str) -> str:
    """A text in plain lower case with its shorthand written out, sizes left out, and a line for each point of a list.

    >>> written_out("dysplastic nevus 5 x 4 mm, r/o melanoma")
    'dysplastic nevus  , rule out melanoma'
    """
    for pattern, full in _SHORTHAND:
        text = pattern.sub(full, text)
    return text


def cue_at(tokens: list[str], place: int) -> tuple[Cue | None, int]:
    """The longest cue that begins at a place and where it ends; without one, the next place."""
    for length in range(_LONGEST_CUE, 0, -1):
        if cue := _CUES.get(tuple(tokens[place : place + length])):
            return cue, place + length
    return None, place + 1
