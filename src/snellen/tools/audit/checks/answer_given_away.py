"""Answer given away: the text names only the right option, or a case's diagnosis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from snellen.benchmarks.printed_options import find_printed
from snellen.items import Item
from snellen.perturb.polar import asks_for_misfit, is_polar, is_relative, refers_to_others
from snellen.perturb.words import SIGN, STOP, fold_spelling, simplify_text
from snellen.reading.language.negation import denied_words
from snellen.reading.language.sentences import sentences_of
from snellen.runtime import counted
from snellen.stats import proportion
from snellen.stress.conclusions import percent, rate_of
from snellen.tools.audit.audited import Audited, groups_of, narrative_of, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity, list_finding, shorten_quote
from snellen.tools.audit.random_keys import FEW_GROUPS, credit_p, severity_of

NAME = "answer-given-away"
_LONGEST = 20_000
"""Number of characters that are read at the beginning and at the end of a longer text."""
_PIECE = re.compile(rf"{SIGN.pattern}|(?:(?!{SIGN.pattern})[^\W_])+|[,;:()]")
_CAPITALS = re.compile(r"\b([A-Z]{2,6})s?\b")
_PLURAL = re.compile(r"(?:(?<=ss)es|(?<=[xh])es|(?<![sui])s)$")
_ENDED = re.compile(r"(?<=[a-z]{4})(?:ed|ing|e)$")
_BRACKETS = re.compile(r"\([^()]*\)")
_KNOWN = """
aaa abdominal aortic aneurysm; af atrial fibrillation; aki acute kidney injury; all acute lymphoblastic leukaemia; aml
acute myeloid leukaemia; ards acute respiratory distress syndrome; asd atrial septal defect; avm arteriovenous
malformation; bph benign prostatic hyperplasia; cabg coronary artery bypass graft; chf congestive heart failure; ckd
chronic kidney disease; cll chronic lymphocytic leukaemia; cml chronic myeloid leukaemia; copd chronic obstructive
pulmonary disease; ct computed tomography; dic disseminated intravascular coagulation; dka diabetic ketoacidosis; dvt
deep vein thrombosis; dvt deep venous thrombosis; ecg electrocardiogram; eeg electroencephalogram; gerd gastroesophageal
reflux disease; hcc hepatocellular carcinoma; ibd inflammatory bowel disease; ibs irritable bowel syndrome; itp immune
thrombocytopenic purpura; mi myocardial infarction; mri magnetic resonance imaging; ms multiple sclerosis; nsclc non
small cell lung cancer; orif open reduction and internal fixation; pcos polycystic ovary syndrome; pda patent ductus
arteriosus; pe pulmonary embolism; pid pelvic inflammatory disease; psp progressive supranuclear palsy; ra rheumatoid
arthritis; rcc renal cell carcinoma; sah subarachnoid haemorrhage; sle systemic lupus erythematosus; svt
supraventricular tachycardia; tb tuberculosis; tia transient ischaemic attack; uti urinary tract infection; vsd
ventricular septal defect
"""
"""Abbreviations with the names that they stand for."""
_STATED = re.compile(
    r"(?<!differential )\bdiagnos[ie]s(?: (?:is|was|of)\b| ?[:：=])|\bdiagnosed (?:with|as)\b"
    r"|\b(?:impression|assessment|conclusion) ?[:：=]|\b(?:consistent|compatible) with\b"
    r"|\bdiagnosi(?: (?:è|di)\b| ?[:：=])|\bdiagnosticat[oaie]\b|(?<!鉴别)诊断(?:为|是|[:：])|确诊",
    re.IGNORECASE,
)
"""Words that introduce a diagnosis, in English, Italian and Chinese."""
_LONGEST_NAME = 8
"""Maximum words of an option that is a name; a longer one is a sentence."""


class _Said(NamedTuple):
    """A sentence: stems of its meaningful words, their places, and which of them are denied."""

    text: str
    stems: tuple[str, ...]
    denied: tuple[bool, ...]


class _OptionMention(NamedTuple):
    """How an option is named, and in which sentence."""

    how: str
    sentence: str


def look(audited: Audited) -> Checked:
    """Find the right answer in the texts of questions with options and open questions."""
    choices = _look_at_choices(audited)
    told = [item for item in audited.items if item.kind == "open" and narrative_of(item)]
    if not told:
        return choices
    named = {item.id: text for item in told if (text := _names_reference(item))}
    sentences = {item.id: sentences_of(_cut(narrative_of(item))) for item in told if item.id not in named}
    stated = {item_id: text for item_id, said in sentences.items() if (text := next(filter(_STATED.search, said), ""))}
    findings = (
        *choices.findings,
        *_list_given(named, len(told), Severity.HIGH, "The text names the reference answer", "answer-named"),
        *_list_given(stated, len(told), Severity.MEDIUM, "The text states a diagnosis", "diagnosis-stated"),
    )
    lists = {**choices.lists, "answer-named": (*choices.lists.get("answer-named", ()), *named)}
    lists["diagnosis-stated"] = tuple(stated)
    return choices._replace(
        looked_at=choices.looked_at + len(told),
        findings=findings,
        cannot=choices.cannot if audited.choices else (),
        notes=(*choices.notes, "The text of an open question is its context, or its history and examination."),
        lists={name: ids for name, ids in lists.items() if ids},
    )


def _names_reference(item: Item) -> str:
    """Find a sentence of the narrative that names a reference answer without denying it."""
    said = [_read(sentence) for sentence in sentences_of(_cut(narrative_of(item)))]
    for reference in item.references:
        mention = None if is_relative(reference) else _find_spelled_out(_name(reference), said, {})
        if mention or (mention := _find_abbreviation(reference, said)):
            return mention.sentence
    return ""


def _list_given(found: Mapping[str, str], total: int, severity: Severity, what: str, file: str) -> tuple[Finding, ...]:
    sentence = f"{what}: {len(found):,} of {counted(total, 'open question')} with a text."
    fix = f"Read these texts. If one gives the case's own answer, remove it or leave the case out ({file}.txt)."
    flagged = [Flagged(item_id, f"{what}.", shorten_quote(text)) for item_id, text in found.items()]
    return list_finding(NAME, severity, sentence, fix, flagged, sure=0.6 if severity is Severity.HIGH else 0.4)


def _look_at_choices(audited: Audited) -> Checked:
    """Compare the only option that a text names with the key."""
    looked = [item for item in audited.choices if _can_leak(item)]
    if not looked:
        why = "No item has options that name something, so no text can give the right one away."
        return Checked(NAME, 0, cannot=(why,))
    mentions = {item.id: find_named_options(item) for item in looked}
    items = [item for item in looked if len(mentions[item.id]) == 1]
    given = [item for item in items if item.answer in mentions[item.id]]
    columns = {"answer_named": {item.id: float(item.answer in mentions[item.id]) for item in looked}}
    lists = {"answer-named": tuple(item.id for item in given)} if given else {}
    note = (
        f"{len(given):,} items name their right answer and no other option. Each is a candidate to be read: a text may "
        "name a thing without giving it as the answer."
    )
    notes = (note,) if given else ()
    groups = groups_of(items)
    count = int(groups.max(initial=-1)) + 1
    if count < FEW_GROUPS:
        why = (
            f"{len(items):,} of {len(looked):,} items, in {count} groups, name exactly one of their options in the text"
        )
        cannot = (f"It is unknown if texts name the right answer more often than a wrong one: {why}.",)
        return Checked(NAME, 0, cannot=cannot, notes=notes, columns=columns, lists=lists)
    finding, number = _contrast(items, mentions, groups, len(looked), audited.seed)
    return Checked(NAME, len(looked), (finding,), (number,), notes=notes, columns=columns, lists=lists)


def _can_leak(item: Item) -> bool:
    texts = [item.options[place].text for place in item.real_places]
    key = item.options[right_place(item)].text
    if is_polar(texts) or is_relative(key) or refers_to_others(key):
        return False
    last = sentences_of(_cut_options(item))[-1:] or [""]
    return not asks_for_misfit(last[0])


def _contrast(
    items: Sequence[Item],
    mentions: Mapping[str, Mapping[int, _OptionMention]],
    groups: np.ndarray,
    looked: int,
    seed: int,
) -> tuple[Finding, Number]:
    earned, keys = [], []
    for item in items:
        places = sorted(item.real_places, key=lambda at: item.options[at].text)
        earned.append([float(at in mentions[item.id]) for at in places])
        keys.append(places.index(right_place(item)))
    hits = [credit[key] for credit, key in zip(earned, keys, strict=True)]
    share = proportion(hits, groups)
    chance = float(np.mean([1 / len(credit) for credit in earned]))
    sentence = (
        f"If the text names exactly one option ({len(items):,} of {looked:,} items), this option is right in "
        f"{rate_of(share)}; chance is {percent(chance)}."
    )
    flagged = []
    for item in items:
        if (mention := mentions[item.id].get(right_place(item))) and share.value > chance:
            evidence = f"Its text names the right answer ({mention.how}) and no other option."
            flagged.append(Flagged(item.id, evidence, shorten_quote(mention.sentence)))
    fix = "Read the listed items; take the answer out of the text, or name the distractors there as well."
    p = credit_p(earned, keys, groups, seed=seed)
    finding = Finding(NAME, severity_of(share.value, chance), sentence, fix, tuple(flagged), p, sure=0.3)
    return finding, Number("named_option_accuracy", "the only option that the text names", share, chance)


def find_named_options(item: Item) -> dict[int, _OptionMention]:
    """Find the options that question or context name without denying them, by place."""
    said = [_read(sentence) for text in (item.context, _cut_options(item)) for sentence in sentences_of(_cut(text))]
    found: dict[int, _OptionMention] = {}
    wanted = {place: _name(item.options[place].text) for place in item.real_places}
    taken: dict[int, set[int]] = {}
    for place in sorted(wanted, key=lambda at: (-len(wanted[at]), item.options[at].text)):
        mention = _find_spelled_out(wanted[place], said, taken) or _find_abbreviation(item.options[place].text, said)
        if mention:
            found[place] = mention
    return found


def _cut_options(item: Item) -> str:
    """Return the question without a list of its options."""
    found = find_printed(item.question, [option.text for option in item.options])
    return item.question if found is None else item.question[: found.start] + item.question[found.end :]


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]}\n{text[-_LONGEST:]}"


def _find_spelled_out(
    wanted: tuple[str, ...], said: Sequence[_Said], taken: dict[int, set[int]]
) -> _OptionMention | None:
    """Find the words of an option in a row, outside longer names."""
    if not wanted:
        return None
    found = None
    for number, sentence in enumerate(said):
        used = taken.setdefault(number, set())
        for start in _starts(wanted, sentence.stems):
            places = range(start, start + len(wanted))
            if used.isdisjoint(places) and not any(sentence.denied[at] for at in places):
                used.update(places)
                found = found or _OptionMention("spelled out", sentence.text)
    return found


def _starts(wanted: tuple[str, ...], stems: tuple[str, ...]) -> Iterator[int]:
    first, length = wanted[0], len(wanted)
    return (
        at
        for at, each in enumerate(stems[: len(stems) - length + 1])
        if each == first and stems[at : at + length] == wanted
    )


def _find_abbreviation(option: str, said: Sequence[_Said]) -> _OptionMention | None:
    """Find the option's abbreviation in the text, or the name that the option abbreviates."""
    short = _short_of(option)
    long = _abbreviations().get(option.strip().casefold(), frozenset())
    for sentence in said:
        if short and not short.isdisjoint(_CAPITALS.findall(sentence.text)) and not any(sentence.denied):
            return _OptionMention("abbreviated", sentence.text)
        affirmed = (
            not any(sentence.denied[at : at + len(name)]) for name in long for at in _starts(name, sentence.stems)
        )
        if any(affirmed):
            return _OptionMention("written out", sentence.text)
    return None


@lru_cache(maxsize=2**14)
def _short_of(option: str) -> frozenset[str]:
    """List the abbreviations of an option: three or more initials, and known ones."""
    words = [word for word in re.findall(r"[^\W\d_]+", option) if word.casefold() not in STOP]
    initials = "".join(word[0] for word in words).upper()
    name = _stems(option)
    known = {short.upper() for short, names in _abbreviations().items() if name in names}
    return frozenset(known | ({initials} if 3 <= len(initials) <= 6 and initials.isascii() else set()))


@cache
def _abbreviations() -> Mapping[str, frozenset[tuple[str, ...]]]:
    """Return the known abbreviations with the words of their full names."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for line in _KNOWN.split(";"):
        short, name = line.strip().split(maxsplit=1)
        found.setdefault(short, set()).add(_stems(name))
    return {short: frozenset(names) for short, names in found.items()}


def _read(sentence: str) -> _Said:
    words = _PIECE.findall(simplify_text(sentence))
    denied = denied_words(words)
    kept = [(each, no) for word, no in zip(words, denied, strict=True) if (each := _stem(word))]
    return _Said(sentence, tuple(each for each, _ in kept), tuple(no for _, no in kept))


@lru_cache(maxsize=2**14)
def _name(option: str) -> tuple[str, ...]:
    """Extract the words of an option that names something; empty for labels, numbers, sentences."""
    option = _BRACKETS.sub(" ", option)
    words = _stems(option)
    pieces = filter(str.isalnum, _PIECE.findall(simplify_text(option)))
    labels = option.isascii() and any(len(word) == 1 or not word.isalpha() for word in pieces)
    tells = any(len(word) > 3 or not word.isascii() for word in words)
    capitals = any(word.casefold() in STOP for word in _CAPITALS.findall(option))  # AS would count as a stop word
    return words if tells and not labels and not capitals and len(words) <= _LONGEST_NAME else ()


@lru_cache(maxsize=2**14)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_stem, _PIECE.findall(simplify_text(text)))))


@lru_cache(maxsize=2**14)
def _stem(word: str) -> str:
    """Reduce a word to its stem in one spelling; empty for stop words.

    >>> [_stem(word) for word in ("fracture", "fractures", "fractured", "oedema", "edema", "observation", "observed")]
    ['fractur', 'fractur', 'fractur', 'edema', 'edema', 'observation', 'observ']
    """
    if word in STOP or not word[0].isalnum():
        return ""
    if len(word) < 5 or not word.isascii():
        return fold_spelling(word) if word.isascii() else word
    return _ENDED.sub("", _PLURAL.sub("", fold_spelling(word)))


CHECK = Check(NAME, "Does the text name the right answer?", look)
