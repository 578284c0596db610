"""Find doubt in a response: it could not see well, presumes what the image shows, or is not sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from snellen.reading.language.sentences import Passages, passages
from snellen.runtime import regex

_PICTURE = (
    r"(?:immagin[ei]|figur[ae]|foto(?:grafi[ae])?|images?|pictures?|figures?|photo(?:graph)?s?|screenshot|"
    r"imagen|imágenes|bild(?:er|es)?|abbildung|aufnahme)"
)
_STUDY = r"(?:e[ck]g|elettrocardiogramma|tracciato|radiografia|radiogramma|rx|tc|rm|tabella|table|x-?ray|scan|tracing)"
_ANY = rf"(?:{_PICTURE}|{_STUDY})"
_GAP = r"(?:(?!mostra |mostrano |shows? |evidenzi|demonstrat)[^.;:,!?(\n])"
_WORDS = r"(?:[\w'-]+ )"


class Doubt(NamedTuple):
    """A pattern of doubt. It is tried only on text with one of its words and one of its parts of words."""

    words: frozenset[str]
    parts: tuple[str, ...]
    pattern: re.Pattern[str]
    chinese: bool

    def search(self, text: str) -> re.Match[str] | None:
        """Return the match in a text, or None."""
        for part in self.parts:
            if part in text:
                return self.pattern.search(text)
        return None


def _doubt(words: str, parts: str, pattern: str, *, chinese: bool = False) -> Doubt:
    return Doubt(frozenset(words.split()), tuple(parts.split("|")), regex(pattern), chinese)


_VEILED = (
    r"(?:visibil|visualizzabil|chiar|nitid|leggibil|sufficien|mostri|fornit|disponibil|visible|clear|sharp|legible|"
    r"available|shown|of (?:high|good))"
)
_DOUBTS = (
    _doubt(
        "sebbene anche benché although though while pur despite nonostante even",
        "sebbene|anche se|benché|although|though|while|pur |despite|nonostante|even if",
        # The response says in passing that it could not see well.
        rf"\b(?:sebbene|anche se|benché|although|though|while|pur|despite|nonostante|"
        rf"even if)\b (?:{_GAP}{{0,40}}?\b{_PICTURE}\b"
        rf"{_GAP}{{0,50}}?(?:\b(?:non|not)\b {_WORDS}{{0,3}}?{_VEILED}|n't|qualit|limit|\bbassa|\bpoor|\blow\b|"
        rf"blank|vuot|"
        rf"unclear|risoluz|resolution|challeng)|(?:non|not) (?:essendo )?{_WORDS}{{0,2}}?{_VEILED}|"
        r"(?:i|we) (?:can(?:no|')t|can not|am unable|do not|don't)\b[^.;\n]{0,40}(?:see|visuali[sz]e|view|access|"
        r"image|make out))",
    ),
    _doubt(
        "senza without ohne",
        "",
        rf"\bsenza (?:poter )?(?:vedere|visualizzare|un'|l')[^.;\n]{{0,30}}?{_PICTURE}|"
        rf"\bwithout (?:\w+ ){{0,4}}?{_PICTURE}\b|"
        r"\bohne das bild\b",
    ),
    _doubt(
        "devo dobbiamo dovrò posso i",
        "",
        r"\b(?:devo|posso solo|dobbiamo|dovrò) (?:quindi )?(?:basar|dedurre|ipotizzare|presumere|assumere)|"
        r"\bi (?:must|have to|need to|will|can only|would) (?:therefore )?(?:rely|base|infer|assume|presume|guess)\b",
    ),
    # The response presumes what the image shows.
    _doubt(
        "presume presumed presumes presuming presumably presumibile presumibili presumibilmente presumendo presumo "
        "presumiamo probabilmente probably likely verosimilmente dovrebbe should must deve",
        "",
        rf"\b{_ANY}\b[^.;\n]{{0,30}}?\b(?:presum\w+|probabilmente|probably|likely|verosimilmente|dovrebbe|should|"
        rf"must|deve) "
        r"(?:\w+ )?(?:mostr|presenta|show|evidenz|demonstr|reveal|con )|"
        r"\b(?:mostra(?:no)?|shows?|presenta) (?:\w+ )?(?:presum\w+|probabilmente|probably|verosimilmente)|"
        rf"\bpresum(?:ed|ibile|ibilmente|ably|endo|ing)\b[^.;\n]{{0,40}}?\b(?:{_ANY}|evidenza|sopraslivell\w+)\b",
    ),
    _doubt(
        "table tabella assuming assumendo supponendo ipotizzando",
        "",
        rf"\b(?:if|se) (?:the table|la tabella)\b|"
        rf"\b(?:assuming|assumendo|supponendo|ipotizzando) (?:che |that )?(?:the |la |l'|il ){_ANY}\b",
    ),
    # The response is not sure.
    _doubt(
        "sure certain uncertain uncertainty confident confidence confidently guess guessing hard difficult impossible "
        "tentative tentatively assume presume",
        "",
        r"\b(?:not|n't) (?:\w+ ){0,2}?(?:sure|certain\b|confident)|\buncertain|\b(?:educated|best|my|only a|"
        r"just a) guess\b|"
        r"\bi(?:'m| am)? (?:guess|guessing|assume|presume)\b|\bhad to guess\b|\blow confidence\b|\btentative|"
        r"\b(?:hard|difficult|impossible) to (?:say|tell|determine|be (?:sure|certain))",
    ),
    _doubt(
        "difficile incertezza sicuro sicura certo certa posso possiamo potrei tirando",
        "",
        r"\bdifficile (?:dire|stabilire|determinare)|\bcon (?:qualche |grande )?incertezza|\bnon (?:posso|possiamo) "
        r"(?:esser\w+|affermare|dire con) |\bnon sono (?:\w+ ){0,2}?(?:sicur|cert)[oa]\b|\bpotrei sbagliar|"
        r"\btirando a indovinare",
    ),
    _doubt(
        "estoy puede suis nicht",
        "",
        r"\bno estoy (?:\w+ )?segur[oa]|\bno se puede (?:asegurar|afirmar)|\bne suis pas (?:\w+ )?(?:sûre?|"
        r"certaine?)\b|\bnicht (?:ganz )?sicher\b",
    ),
    _doubt("", "", r"不(?:太)?确定|猜测|难以确定|推测", chinese=True),
)
_WIDE = regex("  +")
_WORDS_OF_DOUBT = frozenset().union(*(phrase.words for phrase in _DOUBTS))


def hedges(text: str) -> bool:
    """Return whether a response voices doubt.

    "The most likely diagnosis", a phrase of exam questions, is not doubt.

    >>> hedges("Although the image is not clearly visible, the context suggests A.")
    True
    >>> hedges("The most likely diagnosis is A.")
    False
    """
    return voices_doubt(passages(_WIDE.sub(" ", text)))


def voices_doubt(reply: Passages) -> bool:
    """Return whether a response, already split into passages, voices doubt."""
    for line in reply.lines:
        likely = reply.chinese or not _WORDS_OF_DOUBT.isdisjoint(line.words)
        if likely and _has_doubt(line.text, line.words, chinese=reply.chinese):
            return True
    return False


def _has_doubt(text: str, words: Sequence[str], *, chinese: bool) -> bool:
    """Return whether a text with these words has a phrase of doubt."""
    return any(
        phrase.search(text) for phrase in _DOUBTS if (chinese and phrase.chinese) or not phrase.words.isdisjoint(words)
    )
