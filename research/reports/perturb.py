"""Reports changed in known ways: kept, shuffled, negated, side-swapped, a sentence dropped, paraphrased.

A change is a function of a report and a random generator made from the report's id, so that every run makes the same.
Only a paraphrase keeps the meaning. Its rewordings were written from how radiologists write, without a look at the
words that our own metric knows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple


class Report(NamedTuple):
    """A report with its two sections, either of which may be empty."""

    id: str
    findings: str
    impression: str

    @property
    def text(self) -> str:
        """The report as a reference is written: each section under its heading."""
        named = (("FINDINGS", self.findings), ("IMPRESSION", self.impression))
        return "\n\n".join(f"{name}: {words}" for name, words in named if words)


def generator(report: Report, change: str, seed: int = 19) -> Random:
    """The random generator of one change of one report."""
    return Random(int.from_bytes(hashlib.sha256(f"{seed}/{change}/{report.id}".encode()).digest()[:8], "big"))


# ---- sentences

_SEEN = (
    r"(?:seen|identified|noted|visuali[sz]ed|demonstrated|present|evident|detected|appreciated|observed|visible|found)"
)

_END = re.compile(r"(?<![0-9])(?<=[.!?])\s+(?=[A-Z0-9(])|(?<=[0-9][.!?])\s+(?=[A-Z])")
_NUMBER = re.compile(r"^\s*(?:\(?\d{1,2}[.)]\s+)+")


def sentences(section: str) -> list[str]:
    """The sentences of a section, without the numbers of a list."""
    apart = re.sub(r"(?<=[a-z])\.(?=[A-Z][a-z])", ". ", section.strip())
    parts = re.split(r"(?:(?<=[.!?])|(?<=^))\s*\b\d{1,2}[.)]\s+(?=[A-Z])", apart)
    found = [each for part in parts for each in _END.split(part)]
    clean = (re.sub(r"(?<=[a-z]) \d$", "", _NUMBER.sub("", each).strip(" .")) for each in found)
    return [each for each in clean if re.search(r"[A-Za-z]", each)]


def _section(written: Sequence[str]) -> str:
    return " ".join(f"{_capital(each)}." for each in written)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _small(words: str) -> str:
    """A phrase for the middle of a sentence; abbreviations keep their capitals."""
    first = words.split(" ", 1)[0]
    return words if len(first) > 1 and first.isupper() else words[:1].lower() + words[1:]


_HEAD_ENDS = re.compile(
    r"(?i),|\b(?:of|in|at|within|with|to|for|on|along|over|overlying|projecting|involving|from|near|about|throughout|"
    r"suggest\w+|consistent|compatible|due|secondary|which|that|bilaterally|unchanged|seen|noted|identified)\b"
)
_ADJECTIVE = re.compile(r"(?i)^\S*(?:y|ed|al|ic|ar|ous|ive|ent|ild|ing)$")


def _head(phrase: str) -> str:
    """A phrase up to what is said further of its noun; of alternatives the last one, to which the verb belongs."""
    return re.split(r"\bor\b", _HEAD_ENDS.split(phrase)[0] or phrase)[-1].strip()


def _plural(phrase: str) -> bool:
    """Whether "are" follows a phrase."""
    if re.search(r",[^,]*,? and ", phrase):
        return True
    head = _head(phrase)
    first, both, _ = head.partition(" and ")
    if both and not _ADJECTIVE.match(first.split()[-1] if first else ""):
        return True
    last = (re.findall(r"[A-Za-z]+", head)[-1:] or ["x"])[0].lower()
    return bool(re.search(r"(?:[^sui]s|ies|ae|ces|mata)$", last)) and not re.search(r"(?:ness|pancreas)$", last)


def _be(phrase: str) -> str:
    return "are" if _plural(phrase) else "is"


# ---- shuffled, side-swapped, dropped


def shuffled(reports: Sequence[Report], seed: int = 19) -> dict[str, Report]:
    """To each report the report of another patient whose words are not the same."""
    order = sorted(reports, key=lambda each: hashlib.sha256(f"{seed}/{each.id}".encode()).hexdigest())
    given = {}
    for place, report in enumerate(order):
        others = (order[(place + step) % len(order)] for step in range(1, len(order)))
        given[report.id] = next(each for each in others if _letters(each.text) != _letters(report.text))
    return given


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


_OF_HEART = r"(?![ -](?:atri|ventric|heart|main\b|coronary|subclavian|brachiocephalic|innominate))"
_SIDE = re.compile(rf"\b(left|right)(?=\b|sided){_OF_HEART}", re.IGNORECASE)
_EITHER = re.compile(r"\b(left|right)\b", re.IGNORECASE)


def side_swapped(report: Report, random: Random) -> Report | None:
    """Left for right and right for left; None where no side is named but of a chamber or a vessel."""
    if not _SIDE.search(report.findings + " " + report.impression):
        return None
    return report._replace(findings=_SIDE.sub(_other, report.findings), impression=_SIDE.sub(_other, report.impression))


def _other(found: re.Match[str]) -> str:
    word = found[0]
    other = {"left": "right", "right": "left"}[word.lower()]
    return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other


def sentence_dropped(report: Report, random: Random) -> Report | None:
    """One sentence less, drawn from both sections; None where there is but one."""
    findings, impression = sentences(report.findings), sentences(report.impression)
    if len(findings) + len(impression) < 2:
        return None
    gone = random.randrange(len(findings) + len(impression))
    kept = [each for place, each in enumerate((*findings, *impression)) if place != gone]
    border = len(findings) - (gone < len(findings))
    return report._replace(findings=_section(kept[:border]), impression=_section(kept[border:]))


# ---- negated

_DEGREE = re.compile(
    r"\b(?:very |rather |quite )?(?:persistent|residual|stable|unchanged|mild(?:ly)?|minimal(?:ly)?|small|"
    r"slight(?:ly)?|moderate(?:ly)?|severe(?:ly)?|"
    r"marked(?:ly)?|large|tiny|minor|trace|massive|extensive|mild-to-moderate|moderate-to-severe)\s+(?:to\s+)?",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\b(?:may|might|could|possib\w+|probabl\w+|likely|suspect\w*|suggest\w*|question\w*|versus|vs|cannot|recommend\w*|"
    r"correlat\w+|maybe|consider\w*|comparison|compared|follow-?up|if|should|would|limited|exclude\w*|differential|"
    r"worrisome|concern\w*|examination|exam|views?|radiographs?|images?|notified|discussed|technique|otherwise|advised|note|evaluation|please|status|accounting)\b",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|appears?|shows?|demonstrates?|reveals?|remains?|contains?|overlies|"
    r"overlie|projects?|persists?|measures?|extends?|terminates?|does|do|lies|lie|represents?|reflects?)\b",
    re.IGNORECASE,
)
_SOUND = (
    r"(?:normal|clear|intact|unremarkable|within (?:the )?normal limits|within limits of normal|midline|stable|patent)"
)


def negated(report: Report, random: Random) -> Report | None:
    """Every clear statement turned round, from absent to present or from present to absent; None where none is."""
    findings, impression = sentences(report.findings), sentences(report.impression)
    turned = [turn_round(each) for each in (*findings, *impression)]
    if not any(turned):
        return None
    kept = [new or old for new, old in zip(turned, (*findings, *impression), strict=True)]
    return report._replace(findings=_section(kept[: len(findings)]), impression=_section(kept[len(findings) :]))


def turn_round(sentence: str) -> str | None:
    """A sentence that says the contrary; None where it states nothing clearly.

    >>> turn_round("There is no pleural effusion or pneumothorax")
    'Pleural effusion and pneumothorax are present'
    >>> turn_round("There is a small left pleural effusion"), turn_round("The lungs are clear")
    ('There is no left pleural effusion', 'The lungs are not clear')
    """
    said = re.sub(r"(?i)^specifically, ", "", sentence.strip(" ."))
    parts = re.split(r"(?i),? but |; |, (?=no )|, and (?=(?:there|no)\b)", said)
    if len(parts) > 1:
        turned = [turn_round(part) for part in parts]
        if any(turned):
            return _joined([new or old for new, old in zip(turned, parts, strict=True)])
        return None
    if _UNCLEAR.search(said):
        return None
    for rule in (_present_now, _absent_now):
        if turned_one := rule(said):
            return turned_one
    return None


def _joined(parts: Sequence[str]) -> str:
    return ". ".join(_capital(part) for part in parts)


def _and(phrase: str) -> str:
    return re.sub(r"\b(?:or|nor)\b", "and", re.sub(r"(?i)\b(?:any|definite|convincing|significant)\s+", "", phrase))


def _or(phrase: str) -> str:
    return re.sub(r"\band\b", "or", phrase)


_THERE = r"(?:there (?:is|are|was|were) )?"
_SURE = r"(?:radiographic |definite |convincing )?"


def _present_now(said: str) -> str | None:
    """What a sentence denies, affirmed."""
    if found := re.match(
        rf"(?i){_THERE}(?:no|negative for) {_SURE}evidence (?:of|for) (.+)$",
        said,
    ):
        return f"There is evidence of {_and(found[1])}"
    if found := re.match(
        rf"(?i)no (.+?)(?:,? (?:is|are|was|were))?(?: \w+ly)? {_SEEN}((?: (?:in|on|at|within) .+)?)$",
        said,
    ):
        what = _and(found[1])
        return f"{_capital(what)} {_be(what)} seen{found[2]}"
    if found := re.match(
        r"(?i)(?:there (?:is|are|was|were|has been|have been) )?no (.+?)(?: (?:seen|identified|noted))?$", said
    ):
        what = _and(found[1])
        if _FINITE.search(what) or re.match(r"(?i)(?:\w+ ){0,2}(?:interval )?change\b", what):
            return None
        return f"{_capital(what)} {_be(what)} present"
    if found := re.match(r"(?i)negative for (.+)$", said):
        return f"Positive for {_and(found[1])}"
    if found := re.match(r"(?i)(.+?\b)(?:are|is) (?:\w+ and |grossly )?(?:free|clear) of (?:any )?(.+)$", said):
        return f"{_capital(found[1].strip())} {'show' if _plural(found[1]) else 'shows'} {_and(found[2])}"
    if found := re.match(r"(?i)(.+?\b(?:shows?|reveals?|demonstrates?|has|have|with)) no (.+)$", said):
        before, what = found[1], _and(found[2])
        return f"{_not_sound(before)} {what}"
    if found := re.match(r"(?i)(.+?) (?:is|are) without (?:any )?(?:evidence of )?(.+)$", said):
        return f"{_capital(found[1])} {'show' if _plural(found[1]) else 'shows'} {_and(found[2])}"
    if found := re.match(r"(?i)(.+?),? (?:and )?without (?:any )?(?:evidence of )?(.+)$", said):
        return f"{_not_sound(found[1])} with {_and(found[2])}"
    if found := re.match(r"(?i)(.+?\b(?:is|are|was|were|has|have|does|do)) not (.+)$", said):
        return f"{found[1]} {found[2]}"
    return None


def _not_sound(before: str) -> str:
    """A clause before its list, turned round too where it says that something is sound."""
    return re.sub(rf"(?i)\b(is|are) (?=(?:\w+ly )?{_SOUND}\b)", r"\1 not ", before, count=1)


_PART = r"size|silhouettes?|contours?|vascularity|vasculature|mediastinum|lungs|structures|spaces|hila|aorta|thorax"
_AS_BEFORE = re.compile(r"(?i)^(?:stable|unchanged|similar|the same|xxxx)\b")


_BARE = re.compile(rf"{_AS_BEFORE.pattern}|^(?:no|there|chest|hand|knee)\b|:")


def _absent_now(said: str) -> str | None:
    """What a sentence affirms, denied."""
    if found := re.match(
        r"(?i)(there (?:is|are|has been|have been)) (?:now |again )?(?:an? |the |some |multiple |several )?(.+)$", said
    ):
        return f"{_capital(found[1])} no {_or(_without_degree(found[2]))}"
    if found := re.match(rf"(?i)(.+?) (is|are|was|were) (?:again |also |incidentally )?({_SEEN})\b(.*)$", said):
        return f"{_capital(_without_degree(found[1]))} {found[2]} not {found[3]}{found[4]}"
    if found := re.match(r"(?i)(.+?) (is|are|was|were|remains?|appears?|appear) (.+)$", said):
        return _is_not(*found.groups())
    if found := re.match(rf"(?i)(.+?\b(?:{_PART})) ({_SOUND})$", said):
        return None if _AS_BEFORE.match(found[2]) else f"{_capital(found[1])} not {found[2]}"
    if found := re.match(r"(?i)(?:normal|unremarkable) (.+)$", said):
        return f"Abnormal {found[1]}"
    if found := re.match(r"(?i)(.+) of normal (.+)$", said):
        return f"{_capital(found[1])} of abnormal {found[2]}"
    if found := re.match(r"(?i)(?:well-expanded and )?clear (lungs.*)$", said):
        return f"{_capital(found[1])} not clear"
    if not _FINITE.search(said) and re.search(r"[a-z]{3}", said) and not _BARE.search(said):
        listed = re.sub(r"(?<!compatible)(?<!consistent)(?<!associated) with (?:an? )?", " or ", said)
        return f"No {_or(_small(_without_degree(listed)))}"
    return None


def _is_not(subject: str, verb: str, what: str) -> str | None:
    """A sentence with "is", denied; None for one that only compares, or whose verb is that of a clause."""
    if re.search(r"(?i)\b(?:which|that)$", subject):
        return None
    if _AS_BEFORE.match(what):
        turned = re.sub(r"(?i)\band (?:unremarkable|normal|clear|within normal limits)", "and abnormal", what)
        return f"{_capital(subject)} {verb} {turned}" if turned != what else None
    if re.match(r"(?i)(?:grossly )?unremarkable\b", what):
        return f"{_capital(subject)} {verb} {re.sub(r'(?i)^(?:grossly )?unremarkable', 'abnormal', what)}"
    if verb.lower().startswith("appear"):
        return (
            f"{_capital(subject)} {'does' if verb.lower().endswith('s') else 'do'} not appear {_without_degree(what)}"
        )
    verb = {"remain": "are", "remains": "is"}.get(verb.lower(), verb)
    return f"{_capital(subject)} {verb} not {_without_degree(what)}"


def _without_degree(phrase: str) -> str:
    return _DEGREE.sub("", phrase)


# ---- paraphrased


def paraphrased(report: Report, random: Random) -> Report:
    """The same findings in other words and in another order of sentences."""
    return report._replace(
        findings=_section(_reordered([reworded(each, random) for each in _split_all(report.findings)], random)),
        impression=_section(_reordered([reworded(each, random) for each in _split_all(report.impression)], random)),
    )


def changed_sentences(report: Report) -> tuple[int, int]:
    """How many sentences of a report its paraphrase words anew, and how many there are."""
    parts = [*_split_all(report.findings), *_split_all(report.impression)]
    random = generator(report, "paraphrased")
    new = [reworded(each, random) for each in parts]
    return sum(_letters(old) != _letters(other) for old, other in zip(parts, new, strict=True)), len(parts)


def _split_all(section: str) -> list[str]:
    return [part for each in sentences(section) for part in _split(each)]


_CLAUSE = r"(?:the )?(?:heart|lungs?|mediastin\w+|pleural|pulmonary|cardi\w+|trachea|aorta|bony|osseous|hila|there)\b"


def _split(sentence: str) -> list[str]:
    """The statements of a sentence that is several, as sentences of their own."""
    parts = re.split(
        rf"(?i), (?=no )|; |, and (?=there (?:is|are))| and (?={_CLAUSE}[^,]* (?:is|are|appear) )", sentence
    )
    whole = all(re.search(r"(?i)^no |\b(?:is|are|appears?) ", part) for part in parts)
    return [part.strip() for part in parts] if whole else [sentence]


_ATTACHED = re.compile(
    r"(?i)^(?:this|these|those|it|they|however|also|additionally|again|otherwise|otherwise,|the latter)\b"
)


def _reordered(written: Sequence[str], random: Random) -> list[str]:
    """The sentences in another order; one that speaks of the one before stays behind it."""
    groups: list[list[str]] = []
    for each in written:
        if groups and _ATTACHED.match(each):
            groups[-1].append(each)
        else:
            groups.append([each])
    random.shuffle(groups)
    return [each for group in groups for each in group]


def reworded(sentence: str, random: Random) -> str:
    """A sentence with the same meaning: another pattern where one fits, then other words."""
    said = re.sub(r"(?i)^specifically, |(?<= of) any\b", "", sentence.strip(" ."))
    for pattern in (_of_heart_size, _of_lungs, _of_soundness, _of_absence, _of_presence, _of_showing, _of_noun):
        if (found := pattern(said, random)) is not None:
            said = found
            break
    return _capital(_synonyms(said, random))


_ITEM = re.compile(r",\s*(?:or |and )?|\s+(?:or|nor)\s+")
_NOUN = re.compile(
    r"(?i)(?:effusions?|pneumothora(?:x|ces)|consolidations?|opacit(?:y|ies)|infiltrates?|edema|disease|nodules?|"
    r"mass(?:es)?|adenopathy|pneumonia|fluid|fractures?|air|congestion|abnormalit(?:y|ies)|process|findings?|granulomas?|"
    r"lesions?|atelectasis|cardiomegaly|widening|fluid collections?)$"
)


def _listed(phrase: str) -> list[str]:
    """The findings that a phrase lists, where it is a plain list of findings; else the phrase alone."""
    items = [each.strip() for each in _ITEM.split(phrase)]
    return items if len(items) > 1 and all(_NOUN.search(each) for each in items) else [phrase]


def _list(items: Sequence[str], last: str) -> str:
    if len(items) < 3:
        return f" {last} ".join(items)
    return f"{', '.join(items[:-1])}, {last} {items[-1]}"


_MORE = re.compile(r"(?i)\b(?:but|which|however|no|without|with|and)\b")
_NO_FINDING = re.compile(
    r"(?i)\b(?:comparisons?|change|priors?|radiographs?|films?|images?|views?)\b|^(?:chest|hand|knee)$"
)


def _of_absence(said: str, random: Random) -> str | None:
    """What is absent, in another of the ways to say so: "There is no X", "No X is seen", "Negative for X" …"""
    shapes = (
        rf"{_THERE}no {_SURE}(?:evidence|signs?) (?:of|for) (?:an? |any )?(.+)$",
        rf"no (.+?)(?: (?:is|are|was|were))? {_SEEN}$",
        rf"there (?:is|are|was|were) no (.+?)(?: {_SEEN})?$",
        r"no (.+)$",
        r"negative for (.+)$",
    )
    found = next((match for shape in shapes if (match := re.match(rf"(?i){shape}", said))), None)
    if found is None or _FINITE.search(found[1]) or _MORE.search(found[1]) or _NO_FINDING.search(found[1]):
        return None
    items = _listed(_small(found[1]))
    random.shuffle(items)
    what, one = _list(items, "or"), len(items) == 1 and not re.search(r"\bor\b", items[0])
    ways = [
        f"there {_be(items[-1])} no {what}",
        f"no {what} {_be(items[-1])} {random.choice(['seen', 'identified', 'demonstrated', 'observed', 'detected'])}",
        f"no evidence of {what}",
        f"there is no evidence of {what}",
        f"absence of {_list(items, 'and')}" if len(items) > 1 or one else f"there is absence of {what}",
        f"negative for {what}",
        f"the examination shows no {what}",
    ]
    if one:
        ways += [f"{what} {_be(what)} not seen", f"{what} {_be(what)} absent", f"{what} {_be(what)} not identified"]
    if len(items) == 2:
        ways += [f"neither {items[0]} nor {items[1]} is seen"]
    if len(items) > 1:
        ways += [f"{_list(items, 'and')} are absent", f"{_list(items, 'and')} are not seen"]
    return random.choice([way for way in ways if _letters(way) != _letters(said)])


_ARTICLE = re.compile(r"(?i)^(?:an?|the|some|several|multiple|few|\d+|two|three|both|bilateral)\b")


def _of_presence(said: str, random: Random) -> str | None:
    """What is present, in another of the ways to say so: "There is X", "X is present", "The examination shows X"."""
    shapes = (
        r"there (?:is|are|was|were) (?!no\b|not\b|been\b)(.+)$",
        rf"((?!no\b|there\b).+?) (?:is|are|was|were) (?:again |also )?{_SEEN}$",
    )
    found = next((match for shape in shapes if (match := re.match(rf"(?i){shape}", said))), None)
    if found is None or _FINITE.search(found[1]) or re.search(r"(?i)\b(?:no|not|without|which)\b", found[1]):
        return None
    what = re.sub(rf"(?i) {_SEEN}$", "", _small(found[1]))
    verb = random.choice(["seen", "identified", "noted", "present", "demonstrated"])
    ways = [
        f"there {_be(what)} {what}",
        f"{what} {_be(what)} {verb}",
        f"the examination shows {what}",
        f"note is made of {what}",
    ]
    return random.choice([way for way in ways if _letters(way) != _letters(said)])


def _of_showing(said: str, random: Random) -> str | None:
    """What something shows, as what is seen in it."""
    found = re.match(r"(?i)(?:the )?([a-z ]+?) (?:shows?|demonstrates?|reveals?) (.+)$", said)
    if (
        found is None
        or _FINITE.search(found[2])
        or re.search(r"(?i)\b(?:views?|exam\w*|radiographs?|images?)\b", found[1])
    ):
        return None
    where, what = _small(found[1]), _small(found[2])
    return random.choice([f"{what} {_be(what)} seen in the {where}", f"in the {where}, there {_be(what)} {what}"])


_COUNTED = re.compile(
    r"(?i)\b(?:effusion|nodule|opacity|mass|granuloma|hernia|catheter|density|fracture|infiltrate|pneumothorax|"
    r"calcification|consolidation|curvature|deformity|line|tube|pacemaker|shadow|lesion|collection)$"
)


def _of_noun(said: str, random: Random) -> str | None:
    """A finding without a verb, as a sentence with one."""
    if _FINITE.search(said) or re.search(
        r"(?i)\b(?:no|not|without|negative|xxxx|normal|clear|unremarkable|may)\b|:", said
    ):
        return None
    if len(said.split()) > 12 or not re.search(r"[a-z]{4}", said) or re.search(rf"(?i)\b{_SEEN}\b", said):
        return None
    if _NO_FINDING.search(said):
        return None
    what = _small(said)
    if _COUNTED.search(_head(what)) and not _ARTICLE.match(what):
        what = f"a {what}"
    return random.choice([f"there {_be(what)} {what}", f"{what} {_be(what)} noted", f"{what} {_be(what)} present"])


_HEART = re.compile(
    r"(?i)(?:(?:the )?(?:heart|cardiac) size(?: is| appears)? (?:normal|within (?:normal limits|limits of normal))|"
    r"(?:the )?heart (?:is|appears) (?:of )?normal(?: in)? size|normal (?:heart|cardiac) size|"
    r"(?:the )?heart is not enlarged|"
    r"the cardiac silhouette is (?:normal in size|not enlarged|of normal size))$"
)


def _of_heart_size(said: str, random: Random) -> str | None:
    ways = [
        "the heart is not enlarged",
        "cardiac size is within normal limits",
        "the cardiac silhouette is of normal size",
        "normal cardiac size",
        "the heart is normal in size",
        "there is no cardiac enlargement",
        "no cardiomegaly",
    ]
    return random.choice([way for way in ways if way != said.lower()]) if _HEART.match(said) else None


_LUNGS = re.compile(
    r"(?i)(?:(?:the |both )?lungs (?:are |appear )?(?:grossly )?clear(?: bilaterally)?|clear lungs(?: bilaterally)?)$"
)


def _of_lungs(said: str, random: Random) -> str | None:
    if re.match(r"(?i)(?:the )?lungs (?:are )?otherwise (?:are |appear )?clear$", said):
        return random.choice(["elsewhere the lungs are clear", "the remaining lungs are clear"])
    if re.match(r"(?i)(?:both lungs are clear and expanded|well-expanded and clear lungs)$", said):
        return random.choice(["the lungs are well expanded and clear", "both lungs are fully inflated and clear"])
    if re.match(r"(?i)(?:there are )?low lung volumes$", said):
        return random.choice(["the lungs are hypoinflated", "lung volumes are low", "hypoinflation of the lungs"])
    ways = ["clear lungs", "both lungs are clear", "the lung fields are clear", "the lungs appear clear on both sides"]
    return random.choice([way for way in ways if way != said.lower()]) if _LUNGS.match(said) else None


_SUBJECT = (
    r"(?:the |visuali[sz]ed )*(?:[a-z, -]+ )?(?:silhouettes?|contours?|mediastinum|vascularity|vasculature|structures?|"
    r"thorax|spine|soft tissues|spaces?|hila|aorta|abdomen|bones|skeleton)"
)
_SOUND_SAID = re.compile(
    rf"(?i)({_SUBJECT})(?: (?:is|are|appears?))?(?: grossly)? (normal|unremarkable|within (?:the )?normal limits)$"
)


def _of_soundness(said: str, random: Random) -> str | None:
    """What is sound, in another of the ways to say so: "X is normal", "X is unremarkable", "Normal X" …"""
    found = _SOUND_SAID.match(said)
    what = _small(found[1]) if found else None
    if found is None and (short := re.match(rf"(?i)(?:normal|unremarkable) ({_SUBJECT})$", said)):
        what = _small(short[1])
    if what is None or re.search(r"(?i)\b(?:otherwise|normal|no|stable|unchanged)\b", what):
        return None
    bare = re.sub(r"^the ", "", what)
    be = "are" if _plural(what) or " and " in what else "is"
    ways = [
        f"the {bare} {be} normal",
        f"the {bare} {be} within normal limits",
        f"the {bare} {be} unremarkable",
        f"normal {bare}",
        f"the {bare} {'show' if be == 'are' else 'shows'} no abnormality",
    ]
    return random.choice([way for way in ways if _letters(way) != _letters(said)])


_WORDS: tuple[tuple[str, ...], ...] = (
    ("cardiomegaly", "enlargement of the heart", "cardiac enlargement"),
    ("pleural effusions", "pleural fluid collections"),
    ("pleural effusion", "pleural fluid collection", "pleural fluid"),
    ("osseous structures", "bony structures", "skeletal structures"),
    ("osseous", "bony"),
    ("pulmonary edema", "oedema of the lungs"),
    ("pulmonary vasculature", "pulmonary vascularity"),
    ("cardiomediastinal silhouette", "heart and mediastinal silhouette", "cardiac and mediastinal silhouette"),
    ("mediastinal contours", "mediastinal outlines"),
    ("focal airspace consolidation", "focal air space consolidation", "localized airspace consolidation"),
    ("focal consolidation", "localized consolidation", "focal area of consolidation"),
    ("focal airspace disease", "focal air space disease", "localized airspace disease"),
    ("infiltrate", "airspace opacity"),
    ("infiltrates", "airspace opacities"),
    ("chronic obstructive pulmonary disease", "COPD"),
    ("emphysema", "emphysematous lung disease"),
    ("emphysematous changes", "changes of emphysema"),
    ("degenerative changes of the thoracic spine", "spondylotic changes of the thoracic spine"),
    ("thoracic spondylosis", "degenerative disease of the thoracic spine"),
    ("degenerative changes", "degenerative alterations"),
    ("tortuous aorta", "aortic tortuosity", "tortuosity of the aorta"),
    ("tortuous thoracic aorta", "tortuosity of the thoracic aorta"),
    ("low lung volumes", "reduced lung volumes", "small lung volumes"),
    ("hyperinflated", "hyperexpanded", "overinflated"),
    ("hyperinflation", "hyperexpansion", "overinflation"),
    ("hyperexpansion", "hyperinflation"),
    ("subsegmental atelectasis", "plate-like atelectasis", "linear atelectasis"),
    ("atelectasis", "partial collapse"),
    ("scarring", "scar"),
    ("calcified granuloma", "calcific granuloma", "calcified granulomatous nodule"),
    ("calcified granulomas", "calcific granulomas", "calcified granulomata"),
    ("hiatal hernia", "hiatus hernia"),
    ("elevated right hemidiaphragm", "elevation of the right hemidiaphragm"),
    ("elevated left hemidiaphragm", "elevation of the left hemidiaphragm"),
    ("elevation of the right hemidiaphragm", "raised right hemidiaphragm"),
    ("elevation of the left hemidiaphragm", "raised left hemidiaphragm"),
    ("blunting of the", "blunted appearance of the"),
    ("the heart is enlarged", "the cardiac silhouette is enlarged", "there is cardiomegaly"),
    ("enlarged heart", "enlarged cardiac silhouette", "cardiomegaly"),
    ("enlarged cardiac silhouette", "cardiomegaly"),
    ("the heart is mildly enlarged", "there is mild cardiomegaly", "the cardiac silhouette is mildly enlarged"),
    ("the trachea is midline", "the trachea is central", "the trachea is not deviated"),
    ("right lower lobe", "RLL", "lower lobe of the right lung"),
    ("left lower lobe", "LLL", "lower lobe of the left lung"),
    ("right upper lobe", "RUL", "upper lobe of the right lung"),
    ("left upper lobe", "LUL", "upper lobe of the left lung"),
    ("right middle lobe", "RML", "middle lobe of the right lung"),
    ("right base", "right lung base"),
    ("left base", "left lung base"),
    ("right lung base", "right base"),
    ("left lung base", "left base"),
    ("bibasilar", "bibasal", "bilateral basilar"),
    ("basilar", "basal"),
    ("bilaterally", "on both sides"),
    ("consistent with", "in keeping with", "compatible with"),
    ("compatible with", "consistent with", "in keeping with"),
    ("suggestive of", "suggesting"),
    ("suggesting", "suggestive of"),
    ("may represent", "could represent", "may be due to"),
    ("most likely", "most probably"),
    ("likely", "probably"),
    ("unchanged", "stable"),
    ("stable", "unchanged"),
    ("mildly", "slightly"),
    ("mild", "slight"),
    ("minimal", "slight"),
    ("severe", "marked"),
    ("markedly", "severely"),
    ("prior", "previous"),
    ("previous", "prior"),
    ("without evidence of", "with no evidence of", "without"),
    ("without", "with no"),
    ("are free of", "show no", "are clear of"),
    ("is free of", "shows no", "is clear of"),
    ("free intraperitoneal air", "pneumoperitoneum", "free air in the abdomen"),
    ("chest x-ray", "chest radiograph"),
    ("chest radiograph", "chest film"),
    ("secondary to", "due to", "caused by"),
    ("due to", "secondary to"),
    ("acute cardiopulmonary abnormality", "acute abnormality of heart or lungs", "acute cardiopulmonary process"),
    ("acute cardiopulmonary abnormalities", "acute abnormalities of heart or lungs"),
    ("acute cardiopulmonary disease", "acute cardiopulmonary abnormality", "acute disease of heart or lungs"),
    ("acute cardiopulmonary process", "acute cardiopulmonary disease"),
    ("acute cardiopulmonary findings", "acute cardiopulmonary abnormalities", "acute findings in heart or lungs"),
    ("active disease", "active process"),
    ("demonstrates", "shows", "reveals"),
    ("demonstrate", "show", "reveal"),
    ("has increased", "is larger than before", "has enlarged"),
    ("has resolved", "is no longer present", "has cleared"),
    ("within normal limits", "normal"),
    ("normal in size and contour", "of normal size and shape"),
    ("normal in size", "of normal size", "not enlarged"),
    ("normal chest", "unremarkable chest"),
    ("negative chest", "normal chest"),
    ("appears intact", "is intact"),
    ("appear intact", "are intact"),
    ("arthritic changes", "degenerative changes"),
)  # fmt: skip
_AS = {ways[0]: ways for ways in reversed(_WORDS)}
_ANY = re.compile(
    r"(?<![\w-])(?:" + "|".join(re.escape(words) for words in sorted(_AS, key=len, reverse=True)) + r")(?![\w-])",
    re.IGNORECASE,
)


_GOES_ON = re.compile(
    r" (?!(?:is|are|and|or|with|without|which|that|may|on|in|at|has|as|to|for|from|due|seen|noted)\b)\w"
)
_BEFORE_A_THING = re.compile(r"(?i)\b(?:an?|small|large|moderate|left|right|sided|loculated|layering|the)$")


def _synonyms(said: str, random: Random) -> str:
    """Each known term once as another one that fits its place; what has been put in is not changed again."""

    def other(found: re.Match[str]) -> str:
        ways = _AS[found[0].lower()][1:]
        if _GOES_ON.match(said, found.end()):  # before a noun, only what can stand before one
            ways = tuple(way for way in ways if " of the " not in way)
        if said[: found.start()].lower().endswith(("space ", "limits of ", "upper ")):
            return found[0]
        if _BEFORE_A_THING.search(said[: found.start()].rstrip(" -")):
            ways = tuple(way for way in ways if way != "pleural fluid")
        return random.choice(ways) if ways else found[0]

    new = _ANY.sub(other, said)
    new = re.sub(r"(?i)\ba(?= [aeiou])(?! (?:uni|one|use))", "an", new)
    return re.sub(r"(?i)\ban(?= [^aeiou\W])(?! (?:h|x|s-|l-|m-|f-|n-|r-|8))", "a", new)


CHANGES: dict[str, Callable[[Report, Random], Report | None]] = {
    "paraphrased": paraphrased,
    "sentence-dropped": sentence_dropped,
    "side-swapped": side_swapped,
    "negated": negated,
}
"""The changes of a report by itself; `self` leaves it and `shuffled` takes another patient's."""


def changed(reports: Sequence[Report]) -> dict[str, dict[str, Report]]:
    """By change, the changed reports by id; those that a change does not apply to are left out."""
    made = {"self": {each.id: each for each in reports}, "shuffled": shuffled(reports)}
    for name, change in CHANGES.items():
        new = ((each.id, change(each, generator(each, name))) for each in reports)
        made[name] = {id_: report for id_, report in new if report is not None}
    return made
