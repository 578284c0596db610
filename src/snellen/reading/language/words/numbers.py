"""Numbers in words of several languages, and as digits."""

from __future__ import annotations

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_NUMBERS = read_lexicon("numbers").read_table("numbers")
_DIGITS = {word: number for number, words in _NUMBERS.items() for word in words.split()}
# "One" is usually a pronoun or an article, so it counts only after words such as "only".
_ONE = regex(
    r"(?<![^ ])((?:^|(?:only|just|exactly|is|solo|soltanto|solamente|n e|seulement|nur) ))"
    r"(?:one|uno|una|un|une|eine?r?)"
    r"(?![^ ])(?! (?:of|di|de|von)\b)"
)
_CHINESE = regex(r"(十[一二]|[零一二两三四五六七八九十])(?=[个處处枚颗条只张块根])")
_CHINESE_DIGITS = {"两": "2", "十一": "11", "十二": "12"}
_CHINESE_DIGITS |= {sign: str(number) for number, sign in enumerate("零一二三四五六七八九十")}
_JOINED = regex("(?<=[\u4e00-\u9fff])(?=[0-9])|(?<=[0-9])(?=[\u4e00-\u9fff])")


def in_digits(words: str) -> str:
    """Replace counts by digits in words without case and accents.

    >>> in_digits("ce ne sono quattro"), in_digits("this is one of two"), in_digits("可见三个结节")
    ('ce ne sono 4', 'this is one of 2', '可见 3 个结节')
    """
    if not words.isascii():
        words = _CHINESE.sub(lambda found: _CHINESE_DIGITS[found.group()], words)
        words = _JOINED.sub(" ", words)
    words = _ONE.sub(r"\g<1>1", words)
    return " ".join(_DIGITS.get(word, word) for word in words.split(" "))
