"""Roles of words about an image, and the shapes of responses.

A *shape* has one letter for each word, by its role in the language of the response.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from snellen.reading.language.cleaning import lower_keeping_offsets
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
"""Names of all roles; each is one letter in a shape."""

LETTER = {name: chr(0x80 + place) for place, name in enumerate(ROLES)} | {
    "other": OTHER, "stop": STOP, "query": QUERY, "comma": COMMA, "colon": COLON, "bullet": BULLET,
}  # fmt: skip

_ALPHABET = Alphabet(
    LETTER,
    # Patterns treat words of the question like other words unless they name "asked", and a shade like a finding.
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
    """Return one pattern from lines of role names; a shape begins with a stop.

    In addition to `Notation`: "..3" is up to three words of any role within the sentence, "%3" up to three that do not
    concern medicine or help, "~3" up to three words of one phrase (no preposition, no new clause), "-3" up to three
    that leave the sentence a plain statement, "=3" up to three nouns. "^" is the beginning of a clause, "^^" of a
    sentence or list entry, "^." of a sentence, and "<pic>" any kind of image.

    >>> shape = "".join(LETTER[role] for role in "stop i cannot see the picture stop".split())
    >>> bool(pattern("<cannot> ..2 see ~3 <pic>").search(shape))
    True
    """
    return _NOTATION.pattern(*lines)


_MOST_REMEMBERED = 30_000


class Lexicon(dict[str, str]):
    """Words of one language with the letters of their roles. The letters of other words are cached.

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
        letter = self._guess_letter(word)
        if len(self) < _MOST_REMEMBERED:
            self[word] = letter
        return letter

    def _guess_letter(self, word: str) -> str:
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
"""Lexicons of the languages that separate words by spaces."""
_ALL_LEXICONS = [*LEXICONS, Lexicon(roles.ROLES["zh"])]
_CHINESE = len(LEXICONS)
_BRIEF = 20
"""A text with at most this many words and signs has too few common words to reveal its language."""
_HEADING = 4
"""A line with fewer words is an answer rather than a heading."""
_REPEATED = 5
"""A response may repeat a sentence of its question that has at least this many words and signs."""
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
    """The shape of a sentence, with the indexes of its first word and its end."""

    shape: str
    start: int
    stop: int


class ShapedReply(NamedTuple):
    """A lower-case response with its words, signs, sentences and their joined shapes."""

    text: str
    token: re.Pattern[str]
    tokens: list[str]
    shape: str
    sentences: list[ShapedSentence]

    @property
    def length(self) -> int:
        """Number of words in the response."""
        return sum(token[0].isalnum() for token in self.tokens)

    def heads(self, sentence: ShapedSentence) -> bool:
        """Return whether a sentence is a heading: it ends in a colon, or has several words and its own line."""
        if sentence.shape.rstrip(STOP).endswith(COLON):
            return True
        if self.tokens[sentence.start : sentence.stop][1:2] == [")"] and len(self.tokens[sentence.start]) == 1:
            return False  # "B) Left lung" is an answer.
        # This is called for each part of a long sentence, so it counts only as many words as needed.
        words = (place for place in range(sentence.start, sentence.stop) if self.tokens[place][0].isalpha())
        return self.tokens[sentence.stop - 1] == "\n" and len(list(islice(words, _HEADING))) == _HEADING

    def sentence(self, place: int) -> tuple[ShapedSentence, int]:
        """Return the sentence at a position of the shape, and the word's index."""
        end = 0
        for sentence in self.sentences:
            begin, end = end, end + len(sentence.shape)
            if place < end:
                # The shape of a sentence begins with the stop before it.
                return sentence, sentence.start + max(place - begin - 1, 0)
        raise IndexError(place)

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return the offsets of a range of words in the original text."""
        places = [found.span() for found in islice(self.token.finditer(self.text), start, stop)]
        # A line break was added before the text.
        return (places[0][0] - 1, places[-1][1] - 1) if places else (0, 0)

    def words(self, start: int, stop: int) -> str:
        """Return the text of a range of words."""
        begin, end = self.span(start, stop)
        return _PADDED.sub("• ", self.text[begin + 1 : end + 1])


def shape_response(said: str, question: str = "") -> ShapedReply:
    """Convert a cleaned response to a shape, without repetitions of the question."""
    text = _WRAPPED.sub(" ", _BULLET.sub(_mark_bullet, f"\n{lower_keeping_offsets(said)}\n")).replace("_", " ")
    han = not text.isascii() and len(_HAN.findall(text)) * 4 > len(text)
    token = _HAN_TOKEN if han else _TOKEN
    tokens = token.findall(text)
    asked = _parse_question(question, token)
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


class _ParsedQuestion(NamedTuple):
    """A question's words, longer sentences and number of common words in each language."""

    tokens: list[str]
    words: frozenset[str]
    sentences: list[list[str]]
    common: list[int]


@lru_cache(maxsize=8192)
def _parse_question(question: str, token: re.Pattern[str]) -> _ParsedQuestion:
    tokens = token.findall(question.lower())
    words = frozenset(tokens)
    ends = [0, *(place for place, token in enumerate(tokens, 1) if _SIGNS.get(token, "") in (STOP, QUERY))]
    sentences = [tokens[start : end - 1] for start, end in pairwise(ends) if end - start >= _REPEATED]
    return _ParsedQuestion(tokens, words, sentences, [len(common & words) for common in _COMMON])


@lru_cache(maxsize=8192)
def _asked_about(question: str, token: re.Pattern[str], tongue: int) -> tuple[dict[str, str], bool]:
    """Return the letters of a question's words for one language. Also return whether the question is open.

    Plurals of its nouns are included. An open question asks what or which, and offers no choices.
    """
    asked, words = _parse_question(question, token).tokens, _ALL_LEXICONS[tongue]
    shape = "".join(map(words.__getitem__, asked))
    nouns = [token for token, letter in zip(asked, shape, strict=True) if letter in _NOUNS]
    graded = [asked[place] for place in _find_asked_grades(shape)]
    many = {f"{noun}s": _ASKED_MANY for noun in nouns} | {f"{noun}es": _ASKED_MANY for noun in nouns}
    opens = LETTER["what"] in shape and _OFFERS.isdisjoint(shape)
    return many | dict.fromkeys(asked, "") | dict.fromkeys((*nouns, *graded), _ASKED), opens


def _find_asked_grades(shape: str) -> list[int]:
    """Return the places of "blurred" and "enough" in a question. Responses with these words answer, not doubt."""
    if _GRADES.isdisjoint(shape):
        return []
    questions = (found for found in _SENTENCE.finditer(shape) if found.group().endswith(QUERY))
    return [place for found in questions for place in range(*found.span()) if shape[place] in _GRADES]


def _mark_bullet(found: re.Match[str]) -> str:
    """Replace a bullet or number of a list by one sign; nothing else moves."""
    return "\n•".ljust(len(found.group()))


def _own(tokens: list[str], sentences: list[ShapedSentence], asked: _ParsedQuestion) -> list[ShapedSentence]:
    """Return the sentences that are not repeated from the question.

    A repeated sentence stays if it says that there is no image, unless the response repeats the whole question. A
    question repeated as a statement is an answer and stays.
    """
    question = _join_tokens(asked.tokens)
    repeated = [
        sentence
        for sentence in sentences
        if sentence.stop - sentence.start >= _REPEATED
        and _join_tokens(tokens[sentence.start : sentence.stop]) in question
    ]
    whole = question.rstrip(f" {_ENDS}")
    echo = not {STOP, QUERY}.isdisjoint(whole.split()) and whole in _join_tokens(tokens)
    said = () if echo else filter(_denies, repeated)
    dropped = frozenset(repeated).difference(said)
    return [sentence for sentence in sentences if sentence not in dropped]


def _join_tokens(tokens: list[str]) -> str:
    """Join words and signs to one text, with the same full stop for every script."""
    return f" {' '.join([_SIGNS.get(token, token) for token in tokens])} "


def _denies(sentence: ShapedSentence) -> bool:
    """Return whether a sentence states that an image is blank, missing, not visible, or similar."""
    return (
        sentence.shape.endswith(STOP)
        and not (_DENYING.isdisjoint(sentence.shape) or _IMAGES.isdisjoint(sentence.shape))
        and LETTER["ask"] not in sentence.shape
    )


def _echoes(tokens: list[str], sentence: ShapedSentence, known: frozenset[str]) -> bool:
    """Return whether a sentence adds no content: only small words and words of the question."""
    words = zip(tokens[sentence.start : sentence.stop], sentence.shape[1:], strict=True)
    return all(token in known or letter in _SMALL for token, letter in words)


def _tongue(said: frozenset[str], asked: _ParsedQuestion, *, brief: bool) -> int:
    """Return the index of a response's language, by common words of response and question. `brief`: all words count."""
    shared = [2 * len(common & said) + count for common, count in zip(_COMMON, asked.common, strict=True)]
    if brief:
        shared = [
            count + len(said) - sum(map("".join(map(words.__getitem__, said)).count, _UNKNOWN))
            for count, words in zip(shared, LEXICONS, strict=True)
        ]
    return shared.index(max(shared))
