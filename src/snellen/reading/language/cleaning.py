"""Clean a response: remove thinking, markup, look-alike letters and invisible characters."""

from __future__ import annotations

import html
import re
import unicodedata

from snellen.items import LETTERS
from snellen.models.base import remove_guard_words
from snellen.runtime import regex

WINDOW = 16_000
"""Maximum characters read: a quarter from a response's beginning, the rest from its end."""

_THINKING = r"(?:think|thinking|thought|thoughts|reasoning|scratchpad)"
_THOUGHT_END = regex(rf"<\s?/\s?{_THINKING}\s?>|◁/think▷|\[/THINK\]", re.IGNORECASE)
_THOUGHT_START = regex(rf"<\s?{_THINKING}\s?>|◁think▷|\[THINK\]", re.IGNORECASE)

_ENDLESS_NUMBER = regex(r"&#\d{9,};?")
"""Character reference with too many digits: no such character exists, and Python refuses to parse long numbers."""
_INVISIBLE = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]")
_HIDDEN = bytes(code for code in range(256) if _INVISIBLE.match(chr(code)))
_LOOKALIKES = dict(zip("АВСЕНІЈКМОРЅТХавсеіјорѕхΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABCEHIJKMOPSTXabceijopsxABEZHIKMNOPTYX", strict=True))
_LONE_LOOKALIKE = regex(rf"(?<!\w)[{''.join(_LOOKALIKES)}](?!\w)")
_SIGNS = {
    **dict.fromkeys("‘’ʼ′´", "'"),
    **dict.fromkeys("“”„«»「」『』《》", '"'),
    **dict.fromkeys("【〔", "["),
    **dict.fromkeys("】〕", "]"),
    **dict.fromkeys("–‒−‑", "-"),
    **dict.fromkeys("—―", " - "),
    "、": ",",
    "。": ". ",
    **{chr(first + place): LETTERS[place] for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)},
}
_UNUSUAL = regex("[^\x00-\xaa\xac-\xb3\xb5-\xba\xbc-\xff]")

_BLOCK_TAG = regex(r"</?(?:br|p|div|li|ul|ol|h[1-6]|tr|table|html|body|pre)\b[^<>]{0,200}>", re.IGNORECASE)
_INLINE_TAG = regex(
    r"</?(?:b|i|u|em|strong|span|code|center|sup|sub|font|mark|small|td|th)\b[^<>]{0,200}>", re.IGNORECASE
)
_STRUCK = regex(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<\n]{1,200}</\1>")
_LATEX_FONT = regex(
    r"\\(?:text(?:bf|it|rm|sf|tt|up)?|math(?:bf|it|rm|sf|tt)|boldsymbol|operatorname|bf|rm)\s?\{([^{}\n]{0,200})\}"
)
_LATEX_REST = regex(r"\\(?:[()\[\],;!]|quad\b|displaystyle\b|checkmark\b|rightarrow\b|to\b)")
_TIMES = regex(r"\*(?<=[0-9)]\*)(?=[0-9(A-Za-z\\])")
"""An asterisk that multiplies: "6.04*10^3", "W360*39"; any other is markup."""
_DOLLAR_BETWEEN = regex(r"\$(?<=\w\$)(?=\w)")
_ESCAPED = regex(r"\\n(?!(?:abla|eq?|u|ot|i)\b)|\\[rt](?=[^a-z])")
"""A line break as written in JSON, unless it begins a LaTeX command."""
_LINE_MARK = regex(r"\n[ \t]{0,8}(?:#{1,6}|>{1,3})[ \t]{0,8}")


def cut_long(text: str) -> str:
    """Return both ends of a very long response; other responses unchanged."""
    text = remove_guard_words(text)
    if len(text) <= WINDOW:
        return text
    return text[: WINDOW // 4] + "\n…\n" + text[-WINDOW * 3 // 4 :]


def strip_thinking(text: str) -> str:
    """Return the text after the thinking; thinking that is never closed is kept."""
    if "<" not in text and "◁" not in text and "[" not in text:
        return text
    end = 0
    for closing in _THOUGHT_END.finditer(text):
        end = closing.end()
    rest = text[end:]
    opening = _THOUGHT_START.search(rest)
    if opening is None:
        return rest
    before, after = rest[: opening.start()], rest[opening.end() :]
    return f"{before}\n{after}"


def still_thinking(text: str) -> bool:
    """Return whether the response opened its thinking and never closed it."""
    ends = [closing.end() for closing in _THOUGHT_END.finditer(text)]
    return _THOUGHT_START.search(text, ends[-1] if ends else 0) is not None


def clean_text(text: str) -> str:
    r"""Return the response in plain letters, without markup; answer tags, double brackets and boxes stay.

    >>> clean_text("**Answer:** Ｂ<br>$\\textbf{(C)}$")
    'Answer: B\n(C)'
    """
    text = strip_thinking(cut_long(text))
    if "&" in text and ";" in text:
        text = html.unescape(_ENDLESS_NUMBER.sub("", text))
    if not text.isascii():
        text = _plain_letters(text)
    if _may_hide(text):
        text = _INVISIBLE.sub("", text)
    if "~~" in text or "<" in text:
        text = _INLINE_TAG.sub("", _BLOCK_TAG.sub("\n", _STRUCK.sub(" ", text)))
    if "\\" in text or "{,}" in text:
        text = _LATEX_REST.sub(" ", _LATEX_FONT.sub(r"\1", _LATEX_FONT.sub(r"\1", text.replace("{,}", ","))))
    if "*" in text:
        text = _TIMES.sub("×", text).replace("*", "")
    if "$" in text:
        text = _DOLLAR_BETWEEN.sub(" ", text).replace("$", "")
    text = text.replace("`", "").replace("__", "")
    return _LINE_MARK.sub("\n", f"\n{text}")[1:] if "#" in text or ">" in text else text


def with_line_ends(text: str) -> str:
    r"""Replace line breaks as written in JSON by real ones. Their letter "n" would join the next word.

    >>> with_line_ends(r"Clear.\nNo effusion, $\neq$")
    'Clear.\nNo effusion, $\\neq$'
    """
    return _ESCAPED.sub("\n", text) if "\\" in text else text


def _plain_letters(text: str) -> str:
    """Replace full-width, circled and look-alike letters by the Latin letters that they resemble."""
    unusual = _unusual(text)
    for sign in _SIGNS.keys() & unusual:
        text = text.replace(sign, _SIGNS[sign])
    if not unicodedata.is_normalized("NFKC", text):
        text = cut_long(unicodedata.normalize("NFKC", text))
    if unusual and any(map(_LOOKALIKES.__contains__, unusual)):
        text = _LONE_LOOKALIKE.sub(lambda found: _LOOKALIKES[found.group()], text)
    return text


def _may_hide(text: str) -> bool:
    """Return whether a text may have invisible characters."""
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:
        return not text.replace("\n", " ").isprintable()
    return len(raw.translate(None, _HIDDEN)) < len(raw)


def _unusual(text: str) -> set[str]:
    """Return the characters of a text that may need replacement. Few texts have any beyond Latin-1."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return set(_UNUSUAL.findall(text))
    return {sign for sign in "«´»" if sign in text}


def lower_keeping_offsets(text: str) -> str:
    """Return the text in lower case, with every character at its old position."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
