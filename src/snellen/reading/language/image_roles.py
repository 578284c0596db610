"""Roles of words in talk of an image (denies, sees, asks, names an image), patterns in them, and responses as shapes.

A shape has one letter for each word, by the role it plays in the language of the response.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from snellen.reading.language.cleaning import lowered
from snellen.reading.language.patterns import Alphabet, Notation, RolePattern
from snellen.reading.language.words import roles
from snellen.runtime import regex

OTHER, STOP, QUERY, COMMA, COLON, BULLET = "x", ".", "?", ",", ":", "#"
_SIGNS = {
    ".": STOP, "!": STOP, ";": STOP, "\n": STOP, "。": STOP, "！": STOP, "；": STOP, "?": QUERY, "？": QUERY,
    "¿": BULLET, "¡": BULLET, ",": COMMA, "，": COMMA, "(": COMMA, ")": COMMA, "、": COMMA, ":": COLON, "：": COLON,
    "•": BULLET,
}  # fmt: skip

_NAMES = (
    "not cannot no without able can may see analyse tell get given visible load through fail send give describe "
    "ask if suppose need want i we you the a in picture pictures study flaw show is be there it have usually do "
    "to sure unsure hard guess maybe blur poor enough more different info help decline medical doctor consult "
    "sorry text bot only sight forget blank what message answer yes but or and people thanks kind finding your "
    "here number this plural unseeing every many adverb available seeing of instance when inthe so rules move "
    "analysing ing asked asked-many done anatomy shade "
)
ROLES = tuple(_NAMES.split())
"""The names of all roles; each is one letter of a sentence's shape."""

LETTER = {name: chr(0x80 + place) for place, name in enumerate(ROLES)} | {
    "other": OTHER, "stop": STOP, "query": QUERY, "comma": COMMA, "colon": COLON, "bullet": BULLET,
}  # fmt: skip

_ALPHABET = Alphabet(
    LETTER,
    # A word that the question has too is still just a word where nothing is asked of it, and a shade is a finding.
    {
        OTHER: LETTER["asked"] + LETTER["anatomy"],
        LETTER["plural"]: LETTER["asked-many"],
        LETTER["finding"]: LETTER["shade"],
    },
)
_ENDS = STOP + QUERY


def _except(names: str = "", signs: str = "") -> str:
    return f"[^{_ENDS}{signs}{_ALPHABET.letters(names) if names else ''}]"


_NOTATION = Notation(
    _ALPHABET,
    families={
        "<pic>": ("picture|pictures|study",),
        "<sure>": ("picture|pictures",),
        "<cannot>": ("cannot", "can not", "not ..1 can", "not ..2 able", "no able", "without ..2 able"),
        "<inthe>": ("in|of <the>", "inthe"),
        "<in>": ("in|of|inthe",),
        "<the>": ("the|your|this",),
        "<see>": ("see|seeing",),
    },
    gaps={
        "..": _except(),
        "~": f"(?:{_except('in|inthe|of|but|more|different|show', COMMA + COLON)}|"
        f",(?={_ALPHABET.any_of('see|analyse|tell|or|and')}))",
        "-": _except("may|if|when|usually|need|suppose|show|cannot|to"),
        "%": _except("medical|help|doctor|rules|consult|people"),
        "=": _ALPHABET.any_of(
            "other|plural|ing|finding|number|kind|people|adverb|picture|pictures|study|message|medical"
        ),
    },
    starts={
        "^": [re.escape(sign) for sign in _ENDS + COMMA + COLON + BULLET]
        + list(_ALPHABET.letters("but|and|sorry|or|if|when")),
        "^^": [re.escape(sign) for sign in _ENDS + COLON + BULLET],
        "^.": [re.escape(sign) for sign in _ENDS],
    },
    end=f"(?=[{_ENDS}])",
)


def pattern(*lines: str) -> RolePattern:
    """One pattern out of lines of role names, any of which may match the shape of a text; a shape begins with a stop.

    Beside what every notation has: "..3" is up to three words of any role within the sentence, "%3" up to three that
    are not of medicine or help, "~3" up to three words of one phrase (no preposition, no new clause), "-3" up to three
    that leave the sentence a plain statement, "=3" up to three nouns, "^" where a clause begins, "^^" where a sentence
    or an entry of a list begins, "^." where a sentence begins, "<pic>" any kind of image.

    >>> shape = "".join(LETTER[role] for role in "stop i cannot see the picture stop".split())
    >>> bool(pattern("<cannot> ..2 see ~3 <pic>").search(shape))
    True
    """
    return _NOTATION.pattern(*lines)


_MOST_REMEMBERED = 30_000


class Lexicon(dict[str, str]):
    """The words of one language with the letters of their roles; words it does not list are remembered as found.

    A listed word may be a stem ("upload*") or an ending ("*bild").
    """

    def __init__(self, roles: Mapping[str, str]) -> None:
        super().__init__(_SIGNS)
        self._stems: dict[str, str] = {}
        self._endings: dict[str, str] = {}
        for role, words in roles.items():
            for word in words.split():
                kept = self._stems if word.endswith("*") else self._endings if word.startswith("*") else self
                kept[word.strip("*")] = LETTER[role]
        self._lengths = sorted({len(stem) for stem in self._stems}, reverse=True)

    def __missing__(self, word: str) -> str:
        letter = self._guessed(word)
        if len(self) < _MOST_REMEMBERED:
            self[word] = letter
        return letter

    def _guessed(self, word: str) -> str:
        if word[0].isdigit():
            return LETTER["number"]
        for length in self._lengths:
            if length <= len(word) and (letter := self._stems.get(word[:length])):
                return letter
        for ending, letter in self._endings.items():
            if word.endswith(ending):
                return letter
        return OTHER


_PRONOUN = r"(?:vous|tu|je|moi|nous|ils?|elles?|on|l[ae]s?|ce)\b"
_TOKEN = regex(
    rf"s'(?=il )|e\.g\.?|i\.e\.?|\w+(?:-(?!{_PRONOUN})\w+)*(?:'(?:t|s|m|re|ve|ll|d)(?!\w))?|"
    r"[.!?;](?=[\s\"')\]]|$)|[。！？；¿¡，、：,():\n•]"
)
_BULLET = regex(r"\n[ \t]{0,12}(?:[-–•·+>]|\d{1,2}[.)])[ \t]{1,4}")
_PADDED = regex("• +")
_WRAPPED = regex(r"\n(?<=[^\n.:;!?]{50}\n)(?=[^\W\d])")
_SENTENCE = regex(rf"[^{STOP}{QUERY}]+[{STOP}{QUERY}]")
_HAN = regex("[\u3040-\u30ff\u3400-\u9fff]")
_HAN_WORDS = "|".join(
    sorted((word for words in roles.ROLES["zh"].values() for word in words.split()), key=len, reverse=True)
)
_HAN_TOKEN = regex(
    rf"(?:{_HAN_WORDS})|(?:(?!{_HAN_WORDS})[\u3400-\u9fff]){{1,2}}|[a-z0-9]+(?:-[a-z0-9]+)*|[.!?;。！？；，、：,():\n•]"
)
_COMMON = list(roles.COMMON.values())
LEXICONS = [Lexicon(roles.ROLES[language]) for language in roles.SPACED]
"""The words of the languages that set words apart by spaces."""
_ALL_LEXICONS = [*LEXICONS, Lexicon(roles.ROLES["zh"])]
_CHINESE = len(LEXICONS)
_BRIEF = 20
"""A text of no more words and signs has too few common words to be known by them alone."""
_HEADING = 4
"""A line of fewer words is rather an answer than a heading."""
_REPEATED = 5
"""A response may repeat a sentence of its question that has this many words and signs."""
_ASKED, _ASKED_MANY = LETTER["asked"], LETTER["asked-many"]
_NOUNS = frozenset((OTHER, LETTER["anatomy"]))
_GRADES = frozenset((LETTER["enough"], LETTER["blur"]))
_OFFERS = frozenset((LETTER["or"], LETTER["number"], COMMA, COLON, STOP))
_SMALL = frozenset(
    LETTER[role] for role in ("the", "this", "your", "a", "is", "in", "of", "inthe", "stop", "comma", "bullet")
)
_DENYING = frozenset(LETTER[role] for role in ("no", "not", "cannot", "fail", "blank", "shade"))
_IMAGES = frozenset(LETTER[role] for role in ("picture", "pictures", "study"))
_UNKNOWN = frozenset(OTHER + LETTER["plural"] + LETTER["ing"] + LETTER["anatomy"])


class ShapedSentence(NamedTuple):
    """The shape of a sentence, and where it begins and ends among the words of the response."""

    shape: str
    start: int
    stop: int


class ShapedReply(NamedTuple):
    """A response in lower case, the words and signs in it, its sentences, and their shapes one after the other."""

    text: str
    token: re.Pattern[str]
    tokens: list[str]
    shape: str
    sentences: list[ShapedSentence]

    @property
    def length(self) -> int:
        """How many words a response has."""
        return sum(token[0].isalnum() for token in self.tokens)

    def heads(self, sentence: ShapedSentence) -> bool:
        """Whether a sentence is a heading: it ends in a colon, or has some words and a line of its own."""
        if sentence.shape.rstrip(STOP).endswith(COLON):
            return True
        if self.tokens[sentence.start : sentence.stop][1:2] == [")"] and len(self.tokens[sentence.start]) == 1:
            return False  # "B) Left lung" is an answer.
        # A long sentence is asked for each of its parts, so that no more words are counted than are needed.
        words = (place for place in range(sentence.start, sentence.stop) if self.tokens[place][0].isalpha())
        return self.tokens[sentence.stop - 1] == "\n" and len(list(islice(words, _HEADING))) == _HEADING

    def sentence(self, place: int) -> tuple[ShapedSentence, int]:
        """The sentence to which a place of the reply's shape belongs, and the word of the reply that stands there."""
        end = 0
        for sentence in self.sentences:
            begin, end = end, end + len(sentence.shape)
            if place < end:
                # A sentence's shape begins with the stop before it.
                return sentence, sentence.start + max(place - begin - 1, 0)
        raise IndexError(place)

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """The places in the text, as it was given, of the words from one to another."""
        places = [found.span() for found in islice(self.token.finditer(self.text), start, stop)]
        # The text begins with a line break of its own.
        return (places[0][0] - 1, places[-1][1] - 1) if places else (0, 0)

    def words(self, start: int, stop: int) -> str:
        """What the response says from one of its words to another."""
        begin, end = self.span(start, stop)
        return _PADDED.sub("• ", self.text[begin + 1 : end + 1])


def shaped(said: str, question: str = "") -> ShapedReply:
    """A cleaned response made ready to be read; what it merely repeats of the question is left out of its shape."""
    text = _WRAPPED.sub(" ", _BULLET.sub(_bulleted, f"\n{lowered(said)}\n")).replace("_", " ")
    han = not text.isascii() and len(_HAN.findall(text)) * 4 > len(text)
    token = _HAN_TOKEN if han else _TOKEN
    tokens = token.findall(text)
    asked = _asked(question, token)
    listed = frozenset(tokens)
    tongue = _CHINESE if han else _tongue(listed, asked, brief=len(tokens) <= _BRIEF)
    words, (known, open_question) = _ALL_LEXICONS[tongue], _asked_about(question, token, tongue)
    about = {token: known[token] for token in listed.intersection(known)}
    shape = "".join([about.get(token) or words[token] for token in tokens])
    sentences = [ShapedSentence(STOP + found.group(), *found.span()) for found in _SENTENCE.finditer(shape)]
    if any(map(listed.issuperset, asked.sentences)):
        sentences = _own(tokens, sentences, asked)
    if open_question:
        sentences = [
            sentence for sentence in sentences if not _echoes(tokens, sentence, asked.words) or _denies(sentence)
        ]
    return ShapedReply(text, token, tokens, "".join([sentence.shape for sentence in sentences]), sentences)


class _Asked(NamedTuple):
    """The words and signs of a question, its longer sentences, and how many common words of each language are in it."""

    tokens: list[str]
    words: frozenset[str]
    sentences: list[list[str]]
    common: list[int]


@lru_cache(maxsize=8192)
def _asked(question: str, token: re.Pattern[str]) -> _Asked:
    """A question made ready for the responses that share it."""
    tokens = token.findall(question.lower())
    words = frozenset(tokens)
    ends = [0, *(place for place, token in enumerate(tokens, 1) if _SIGNS.get(token, "") in (STOP, QUERY))]
    sentences = [tokens[start : end - 1] for start, end in pairwise(ends) if end - start >= _REPEATED]
    return _Asked(tokens, words, sentences, [len(common & words) for common in _COMMON])


@lru_cache(maxsize=8192)
def _asked_about(question: str, token: re.Pattern[str], tongue: int) -> tuple[dict[str, str], bool]:
    """The letters of a question's words in responses of a language, and of plurals where the question asks about one.

    And whether the question asks what or which, and offers nothing to choose from.
    """
    asked, words = _asked(question, token).tokens, _ALL_LEXICONS[tongue]
    shape = "".join(map(words.__getitem__, asked))
    nouns = [token for token, letter in zip(asked, shape, strict=True) if letter in _NOUNS]
    graded = [asked[place] for place in _graded(shape)]
    many = {f"{noun}s": _ASKED_MANY for noun in nouns} | {f"{noun}es": _ASKED_MANY for noun in nouns}
    opens = LETTER["what"] in shape and _OFFERS.isdisjoint(shape)
    return many | dict.fromkeys(asked, "") | dict.fromkeys((*nouns, *graded), _ASKED), opens


def _graded(shape: str) -> list[int]:
    """The places of "blurred" and "enough" where they are what is asked: to say so is then an answer and no doubt."""
    if _GRADES.isdisjoint(shape):
        return []
    questions = (found for found in _SENTENCE.finditer(shape) if found.group().endswith(QUERY))
    return [place for found in questions for place in range(*found.span()) if shape[place] in _GRADES]


def _bulleted(found: re.Match[str]) -> str:
    """One sign for every bullet or number before an entry of a list; nothing else moves."""
    return "\n•".ljust(len(found.group()))


def _own(tokens: list[str], sentences: list[ShapedSentence], asked: _Asked) -> list[ShapedSentence]:
    """The sentences that do not stand in the question; a question that comes back as a statement is an answer.

    That there is no image may be repeated from the question and still be said, unless all of the question is repeated.
    """
    question = _joined(asked.tokens)
    repeated = [
        sentence
        for sentence in sentences
        if sentence.stop - sentence.start >= _REPEATED and _joined(tokens[sentence.start : sentence.stop]) in question
    ]
    whole = question.rstrip(f" {_ENDS}")
    echo = not {STOP, QUERY}.isdisjoint(whole.split()) and whole in _joined(tokens)
    said = () if echo else filter(_denies, repeated)
    dropped = frozenset(repeated).difference(said)
    return [sentence for sentence in sentences if sentence not in dropped]


def _joined(tokens: list[str]) -> str:
    """Words and signs as one text; a full stop is the same in every script."""
    return f" {' '.join([_SIGNS.get(token, token) for token in tokens])} "


def _denies(sentence: ShapedSentence) -> bool:
    """Whether a sentence states that an image is blank, missing or not to be seen, or something like it."""
    return (
        sentence.shape.endswith(STOP)
        and not (_DENYING.isdisjoint(sentence.shape) or _IMAGES.isdisjoint(sentence.shape))
        and LETTER["ask"] not in sentence.shape
    )


def _echoes(tokens: list[str], sentence: ShapedSentence, known: frozenset[str]) -> bool:
    """Whether a sentence has no word of its own beside the small ones: it answers nothing."""
    words = zip(tokens[sentence.start : sentence.stop], sentence.shape[1:], strict=True)
    return all(token in known or letter in _SMALL for token, letter in words)


def _tongue(said: frozenset[str], asked: _Asked, *, brief: bool) -> int:
    """The language a response is in, by common words in it and its question; of a brief one, by all."""
    shared = [2 * len(common & said) + count for common, count in zip(_COMMON, asked.common, strict=True)]
    if brief:
        shared = [
            count + len(said) - sum(map("".join(map(words.__getitem__, said)).count, _UNKNOWN))
            for count, words in zip(shared, LEXICONS, strict=True)
        ]
    return shared.index(max(shared))
