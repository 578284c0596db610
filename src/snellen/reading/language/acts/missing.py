"""Find statements that the image is missing, and requests for it.

All parsers that need this decision share this module: those of choices, diagnoses, detections, claims and missing
images. The parser of missing images skips the ways in `UNSEEN`, because its labels count them as doubt.
A *way* is a kind of such statements. A *shape* has one letter for each word of a response (`language/image_roles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from snellen.reading.language.image_roles import LETTER, LEXICONS, ShapedReply, pattern, shape_response
from snellen.reading.language.patterns import word_set

CANNOT_SEE = pattern(
    "<cannot> ..5 <see> ~6 <pic> !flaw",
    "<cannot> ..5 <see> ..1 what|sight|your here|adverb|given|other? stop|comma|but|and",
    "<cannot> ..5 <see> ..1 what ..1 you",
    "<cannot> ..5 <see> what is? <inthe> ~3 <sure>",
    "<cannot> ..5 <see> ~6 you",
    "<cannot> ..3 <see> it? $",
    "^ i? <cannot> see it",
    "so i <cannot> see it",
    "<cannot> ..2 <see> or other stop",
    "<cannot> ..5 see the|this|your ~2 asked !in",
    "<cannot> it|the see $",
    "<cannot> %4 analyse|analysing|load %2 picture info",
    "<cannot> analyse|show <sure> stop|comma",
    "<cannot> analyse <sure> ..1 able",
    "bot ..6 <cannot> %6 <sure>",
    "bot ..8 not|no ~4 pictures",
    "<pic> ~2 is not ..2 i ..2 <see>|get|load|able|analyse",
    "not i? not? other? sight ..1 to see",
    "<cannot> %4 analyse|analysing %4 pictures !medical",
    "<cannot> ..5 analyse|analysing ~5 <the> ~2 <pic> given",
    "<cannot> ..5 analyse|analysing ~5 <sure> adverb",
    "<cannot> ..3 load|send ~4 <pic>",
    "^ ..1 <cannot> ..3 get ~4 <pic>",
    "i ..3 <cannot> ..3 get ~4 <pic>",
    "<cannot> ..3 describe|analyse|tell ~4 <pic> i ..2 not|cannot",
    "unseeing ..1 a? ~3 <pic>|what",
    "<pic> ..4 not ..4 can ..2 see|get",
    "<sure> comma? ..2 <cannot> ..2 see|get",
    "study comma? ..1 i <cannot> ..2 see|get",
    "study comma? <cannot> ..2 see|get $",
    "can ~6 <pic> ~3 not ..2 see|get",
    "can %5 <pic> ~3 not ..2 analyse",
    "^ ..1 <pic> can i not ..2 see|get|analyse|load",
    "can ~3 no ~3 <pic> ..3 see|get",
    "can %3 no %3 <pic> ..3 analyse",
    "no|not ..4 able comma? %4 <pic> ..3 see|analyse",
    "i ..2 have no see",
    "^ i? not the|it see $",
    "^ i not the|it see not $",
    "^ i see it|the not $",
    "^ i can it|the not see $",
    "^ i? unseeing it? $",
    "pictures ..3 i cannot ..1 see|analyse|get|load",
    "<cannot> of seeing",
    "<pic> is ..2 i ..1 able",
    "<pic> ~2 not ..2 i can",
    "i ..3 see|get|have ..2 no ~4 <pic> !flaw|<in>",
    "<pic>|it ..5 is unseeing to i",
    "see|get|have i ..1 no ~4 <pic> !flaw",
)
"""The model says that it cannot see, open or read images, or this one."""
NEEDED = pattern(
    "i ..3 need ..3 see|send ~5 <pic>",
    "i ..3 need ..3 see to? it|your|this|stop|comma",
    "i ..3 need you ..2 send|give|describe",
    "i ..3 have to see ~5 <pic>",
    "i ..3 need ~6 <pic>",
    "need ~4 <pic> ..6 and it ..1 not ..1 given",
    "i ..3 need ..2 info ..4 <sure>",
    "i ..4 want ..3 see ~6 <pic>",
    "i ..3 need ..2 to? see the|your|this|it",
    "i ..3 have to see the|your|this|it",
    "i ..3 have to have the|your|this ~3 asked|picture|study",
    "^ need what? see the|your|this",
    "^ need what i see",
    "may|need what i? see ~3 <pic>",
    "i may the|your ~2 <pic> stop|comma|to|in",
    "i|we may|need ~4 <pic> see",
    "^ ~2 <sure> is|be need",
    "need of? the|your|of ~1 <sure> stop",
    "^ need ..1 see? <sure>",
    "need i ~6 <pic>|see",
    "need ..1 i ..2 see",
    "need what? <in>? see to? ~5 <pic>",
    "<pic> may need ..3 given",
    "need it? what i the? see",
)
"""The model says that it would have to see the image."""
BLIND = pattern(
    "text ~1 bot",
    "bot ..3 only ..2 text",
    "i ..5 only ..4 text it? stop|comma|and",
    "i ..5 only ..4 text <in> ..2 message",
    "i ..3 <in> text only",
    "only text stop|comma|and",
    "only ..2 <in> ..2 text stop|comma|and|colon",
    "not ..3 what ..1 text",
    "message ..2 show|have|only ..1 text",
    "every i ..1 see|have|get ..1 is ..3 message|text",
    "only see|have|get ..2 text|message",
    "^ i? see|get only ~3 text|message",
    "^ i? see|get the? only ~3 text|message",
    "bot in|of text",
    "in the|your|this? text only",
    "bot other? text stop|comma|and",
    "^ i is a text stop|comma|and",
    "only text analyse|tell",
    "^ i? only ..3 analyse|see ~1 text stop|comma|and",
    "i ..1 not analyse|see what ..2 text",
    "text comma? not ~1 pictures",
    "i|bot ..3 no ~2 sight",
    "^ text only stop",
    "message ..4 text only",
    "^ i ..2 show|have no pictures",
    "not ..1 able ..2 sight",
    "not ..2 sure ..2 what picture|study",
)
"""The model says that it only handles text."""


NOT_RECEIVED = pattern(
    "not ..2 see|seeing|get ~6 <pic> !flaw|<in>",
    "not ..2 see|seeing|get ~6 <pic> <in> ..2 message|you|i",
    "i ..3 not ..2 have ~6 <pic> !flaw",
    "not i not? !rules ~4 <sure>",
    "i ..3 not ..2 have ~3 see ~5 <pic>",
    "i ..1 not have it !other|plural|number|finding",
    "^ not have visible|see ~4 <pic>",
    "we ..2 not have ~3 <sure>",
    "i ..1 not have a? info <in> <the> <sure>",
    "^ no is given stop|comma|so|but",
    "message not given stop|comma",
    "^ no is given to|in|inthe ..1 message|you|your|i",
    "not ~1 <in>? <the> <sure> comma ..3 <cannot>|i",
    "not ~1 <sure> comma ..2 <cannot>|i",
    "i <the> ~1 <pic> not",
    "i have <the> ~1 <pic> ..7 not get|given",
    "^ not <sure> i",
    "not move i",
    "i be ..3 <pic> ..1 not",
    "get|have no $",
    "no get|given ..1 <in>? ..1 message",
    "message ~4 not ..3 no $",
    "not ..2 given no",
    "no given $",
    "i|we ..2 not given <in> ~3 <sure>",
    "<the>|a <sure> this|it|what? is|be? not ..1 given|available|here",
    "<sure> not give stop|comma",
    "given not ..1 given",
    "here not ..3 no",
    "here what other? not",
    "^ ..1 message in no|not <sure>",
    "^ not other <sure> $",
    "a ~1 <pic> comma? this|it|what|the ..2 not ..2 given|here|available|visible",
    "^ ~4 <pic> ~1 not show $",
    "^ ~4 <pic> ~4 not tell it",
    "<pic> be|get ..2 fail|blank !<in>|other|plural|the|a",
    "send ..3 not ..3 move|load|given",
    "study ..2 not ..2 load|see|move !a|the|other|plural|no|this|your",
    "study ..3 unseeing",
    "<pic> unseeing",
    "no ~1 <sure> is|be visible comma|stop|to",
    "no is|be? visible ..1 <in>|to i",
    "not ..1 visible to i",
    "^ ..1 no move !<in> ..1 !number",
    "no move <in> ..2 message|it|you",
    "no here $",
    "no here <in>|stop|comma",
    "no here to ..1 see|analyse|describe|do",
    "^ here ..3 no $",
    "no here? <in>? i? to see",
    "no what|to see here? $",
    "what a|other? <sure> query",
    "^ what ~1 <sure> query",
    "^ in|to|other? what|the a? <sure> ..1 other|you|it ..2 query",
    "message ~1 not load|visible a ~1 <sure>",
    "<in> ..2 message ~2 not ~1 load|visible|move ~4 a|no",
    "i ..3 not ..2 see|get|have ..4 given",
    "i ..3 not ..2 have ..2 to see",
    "i ..3 not ..3 visible ~3 <pic>",
    "i no ~2 <pic>",
    "i be no ~2 <pic>",
    "i ..6 not ~1 pictures",
    "i ..4 not ..2 have ~4 sight",
    "not ..1 have of ~3 <sure>",
    "<pic> be i ..1 not",
    "<sure> -4 i ..2 not ..2 get|load|given",
    "there ..3 no|not ~4 <sure> !flaw|<in>",
    "there ..3 no|not ~3 study ..6 <in> ..2 message|it",
    "there ..2 no ..1 given !plural|other|kind",
    "there not a <in> ..2 message",
    "there not a ~3 <pic> <in> ..2 message",
    "there ..3 no|not ~3 <pic> in i to analyse|see|tell",
    "not there ..1 have? ..1 not? ~3 <sure> !flaw|<in>",
    "not there ..1 have? ..1 not? ~3 <sure> <in> ..2 message",
    "no ~3 <pic> !flaw|in ..4 given|load|get",
    "no ~3 <pic> ..1 move ..1 i|through|stop",
    "no ~2 <pic> ..2 <the> message",
    "no ~2 <pic> be ..3 move ..1 in ..1 message",
    "no ~3 <sure> ..3 available|here",
    "no ~3 <sure> have|is be",
    "no ~2 <sure> <in> i",
    "no ~3 <pic> ..3 <in> ..2 message|here",
    "no ~3 <pic> ..2 to ..1 see|analyse|tell",
    "no get|have|be ..2 given",
    "no ..2 move through",
    "no <in>? i? to see",
    "but ..1 no have|is ..2 given",
    "but ..1 no move|load",
    "but ..1 no ~3 <sure> !flaw|<in>|other|plural",
    "^ no ~2 <sure> stop|comma|query",
    "^ not <sure> stop|comma|query",
    "^ not <the>|a <sure> stop|comma|query",
    "not ~3 given ~3 <pic>",
    "you|we|i|there|it|stop|comma|but ..2 not ..2 send|give|load ~4 <pic>",
    "not ..2 see|be ~4 <sure> ..2 given",
    "^ ~4 <pic> ~6 not !need ..4 given|send|here",
    "^ ~4 <pic> ~6 not ..4 load|get !a|the|other|plural|no|this|your",
    "^ ~4 <pic> ~6 not ..2 move ..3 i|message|it|through",
    "^ ~4 <sure> ~6 not ..4 available",
    "^ ~4 <pic> ~6 not ..2 available ..1 i",
    "^ ~4 <pic> ~6 not ~4 visible <in>|to ..1 i",
    "^ ~4 <pic> ~6 not ~4 visible adverb|enough|here? stop|query",
    "^ ~4 <pic> ~6 not ..1 show through",
    "^ ~4 <pic> ..6 not ..3 <in> ..2 message",
    "^ ~4 <pic> ..3 not $",
    "^ ~4 <pic> ~5 cannot be ..2 given|available|visible|load|analyse|see",
    "<pic> ..2 not is $",
    "<pic> colon it not ..6 given",
    "<pic> comma? other|adverb? it have|is not be? adverb? given",
    "^ no other|medical? kind have|is be? given",
    "i ..3 not have see to ..5 kind info",
    "<sure> ~1 not ..2 load|given|get",
    "not ..4 move through",
    "fail ..2 to? load|send",
    "you ..4 not ..3 send|give|given|load ~6 <pic>",
    "you ..4 not ..3 send|given",
    "not ..3 you ..3 send|given",
    "<pic> ..1 not ..3 you ..2 send|given|get",
    "forget ..4 send|give|<pic>",
    "message ..5 not ..2 have|show|give ~4 <sure>",
    "<pic> ~5 is|be ~3 blank !<in>|other|plural|the|a",
    "<sure> be? is blank other stop|comma",
    "<sure> ~2 not show a|no? visible anatomy|info",
    "<sure> ~3 is|be in blank",
    "<the> ~2 <pic> comma what|it ..2 not is? be? adverb? given|visible|available|here",
    "no ~1 <sure> in analyse|see",
    "<pic> be to be blank <in> ..2 message",
    "blank ~3 <sure> !other|plural",
    "<sure> ~1 blank",
    "send ..4 blank|move",
    "without ..1 seeing",
    "without can? see !to|in",
    "without see to it|this|your",
    "without ..3 able ..2 see",
    "without ~2 see to ~4 <pic>",
    "without ..2 analysing ~5 <pic>",
    "without a|the|your|this|see|seeing|get|given|have ~5 <sure> !<in>|flaw",
    "without <sure> !<in>|flaw",
    "without a ~2 study comma? i <cannot>",
    "without <the> ~2 study in ..2 i",
    "without ..2 <the> ~3 study !<in>|flaw",
    "without <in> ~4 <sure>",
    "without a|the|your|this ~1 <sure> <in>",
    "not ..1 visible no $",
    "there ..3 no|not ..4 study ..2 given",
    "not ..1 given to|in|inthe ..1 your|message",
    "i is? ..1 not given a|no|the",
    "^ no ~2 study here",
    "message ..2 no ~3 <sure>",
    "i blank ~4 comma? ~2 <sure>",
    "<sure> get move !through|here",
    "no ~2 <sure> in it",
    "not in|inthe? what i get|given",
    "pictures ..5 not see|load $",
    "^ ~1 <sure> yes get|given $",
    "<sure> ..3 forget",
    "^ ..3 not have ..1 a|no ~1 <pic>",
    "message ..2 not ..2 have|show|give|given|load ~2 <pic>",
    "not i other? a|no <pic> !flaw|<in>",
    "not is? visible a|no ~1 <sure> stop|comma",
    "not is? visible a|no ~1 <sure> <in> ..1 message",
    "<pic> ..3 have get move",
    "<pic> is ~2 fail stop|comma|or|and|but|in|so",
    "<pic> ~3 not is|be picture $",
    "<pic>|asked not i the you get|given|send",
    "there is no to analyse|describe|tell $",
    "without other picture comma|stop",
    "^ no is visible|asked|given in stop|comma",
    "no given <in> i",
    "i not the i not get|given",
    "i not be? visible a|the|your|this|no|what|it|stop|comma",
    "i have not be visible a|the|your|this|no|what|it|stop|comma",
    "send ..4 fail",
    "if there have|is|be ..1 a ~1 <sure>",
    "have there be a ~2 <sure>",
)
"""The response says that no image was sent, received or loaded."""


SEND_IT = pattern(
    "ask ..6 send|give ~6 <pic> !to",
    "ask comma? send|give <the> ~2 <pic> to",
    "you have to give <the> ~2 see in here",
    "ask ..6 send !a|different|more",
    "<pic> ..8 ask ..2 give it",
    "^. ask give it",
    "^ ..1 send|give ~4 <pic> ..4 ask",
    "ask ..6 <pic> ..3 send|give",
    "can|may ..6 send|give ~6 <pic> ..4 query",
    "can|may ..6 send !a|different|more ..4 query",
    "can|may ..6 describe ..8 query",
    "can|may ..1 you ..6 send|give ~6 <pic>",
    "can|may ..1 you ..6 send !a|different|more",
    "if|when ..2 you ..5 send|give|given ~6 <pic> !to|in",
    "if|when ..2 you ..5 give ..2 <in> ~4 <pic>",
    "if|when ..2 you ..5 send !a|different|more",
    "if|when ..5 send|give ~5 <pic> ..3 comma",
    "if|when ~4 <pic> is|be|have ..2 given|here",
    "you ..2 need ..2 send|give ~6 <pic>",
    "you have to send|give ~6 <pic>",
    "you ..2 need ..2 describe",
    "you can|may ..3 send|give ~6 <pic> !to|in",
    "^^ only? send ~4 <pic> !to|in",
    "^. only? give ..1 <the> ~2 <pic> !to|in",
    "ask|if|when ..6 give ..5 info <in> ~3 <pic>",
    "ask|may|can you ..4 give ..5 info <in> ~3 <pic>",
    "give ..3 info or a ~2 <sure>",
    "can|may you ..3 show ..3 <sure>|it|i ..3 query",
    "can|may you it|the i show",
    "may you ask send",
    "can|may ..3 i the|it ..2 show|give ..2 query",
    "^^ i the can|may ..2 show|give|send",
    "can give see ..2 query",
    "^^ ..3 send|give it ..3 and|comma ..1 i",
    "^^ ..3 send|give ~3 <pic> ..3 and|comma ..1 i|you",
    "^^ other a? <pic> send|give",
    "^^ ask ..1 send",
    "^^ describe ~4 <in> i",
    "^^ describe ..1 i",
    "^^ describe ~5 and|comma ..4 help|do",
    "^^ tell i what ~5 be ..3 and",
    "^^ we i tell what ~4 be",
    "^^ show i ~3 <sure>",
    "^^ we see the ~1 <sure> ..1 stop",
    "other to send it|picture",
    "you ..4 <sure> ..2 given ..2 query",
    "there ..2 to be ~2 <sure> ..2 query",
    "you ..2 to send ~2 <sure>|what",
    "is ~2 <sure> ..4 given ..3 query",
    "you ..1 have|need ..1 show|give i",
    "^^ ..2 to? send|give ~3 <pic> colon",
    "ask ..3 send|give the|your|this ~2 asked",
    "ask ..6 describe",
    "if|when ..2 you|i ..4 describe",
    "if|when ..1 have|get ~3 <pic> !other",
    "if|when other|what|adverb? i? ..1 have|get ~3 <pic>",
    "if|when i ~3 <pic> have|get",
    "when i ..1 see <the> ~2 <pic> $",
    "^ get <pic> ..2 i",
    "if|when ~4 <pic> is|be|have ..2 available|visible",
    "can|may you ..4 describe",
    "you can ..3 describe",
    "ask|if|you ..6 give ..5 describe",
    "ask|if|when|you ..4 tell i ..2 what ..2 you|see|it|picture|study",
    "if|when i ..1 have|get ~4 <pic>",
    "if|when i ..1 can|may ..1 see ~4 <pic>",
    "if can? see|have|get ~3 <pic>",
    "if other ~2 <sure> here",
    "can|may you ..1 send|give the|your ~1 kind|asked|study query",
    "if|when i send <the> ~2 <pic>",
    "^ send i ..1 the|it",
    "comma i describe you|it|colon",
    "comma ..1 i to describe $",
)
"""The response asks for the image, or for a description instead."""
NOTHING_IN_IT = pattern(
    "there ..2 no visible <in> it",
    "there ..2 no visible <in> <the> ~1 <sure>",
    "not ..2 visible no $",
    "not there? it visible no $",
    "i see no anatomy",
    "<cannot> tell a info <in> <the> ~1 <sure>",
    "<in> ~1 <sure> ~2 not it usually|visible|see|tell a|no kind",
    "<sure> in tell|see|get not other? a|no",
    "<sure> ~2 not show ..1 info|anatomy !flaw|other|plural|finding",
    "<sure> ~2 not show no $",
    "^ ~3 <sure> ~1 is|be adverb|every|only? a? other? shade other? stop|comma|but|so",
    "<sure> is|be adverb|every? shade and ..1 not show a|no kind|anatomy",
    "^ ~3 <sure> ~1 is|be adverb|every|only? a? blank|shade? shade ~1 <sure>|kind|other stop|comma|but|so",
)
"""The response says that the image shows nothing."""
_NOT_VISIBLE = "not is|be? is|be? adverb|enough? adverb? visible !a|the|other|plural|no|kind|finding|this|your"
BARELY_SEEN = pattern(
    f"^ ~4 <pic> ~6 {_NOT_VISIBLE}",
    f"^ ~4 <pic> ~2 <in> <the>? ~2 <pic> ~2 {_NOT_VISIBLE}",
    "<pic> given|visible? comma|colon ..1 if|but not adverb|enough? visible",
    "<pic> given|visible? comma not adverb|enough? visible <in> <the>? ~1 <pic>",
    "not is|be adverb|enough? visible the ~1 <sure>",
    "but|if not adverb|enough? visible ..4 comma ~2 <pic>",
    "<cannot> ..2 <see> ..3 info <in> ~4 <pic>",
    "but|if ~4 <pic> ~2 not is|be enough other? to see",
    "but|if ~4 <pic> ~2 not show|other info",
)
"""The response says in passing that the image can hardly be seen."""
UNSEEN = ("nothing-in-it", "barely-seen")
"""Ways in which a response says that an image came, but (almost) nothing is visible in it."""
WAYS = (
    ("cannot-see", CANNOT_SEE),
    ("not-received", NOT_RECEIVED),
    ("send-it", SEND_IT),
    ("needed", NEEDED),
    ("blind", BLIND),
    ("nothing-in-it", NOTHING_IN_IT),
    ("barely-seen", BARELY_SEEN),
)
"""Named ways to say that the image is missing, in the order of search."""


_ASKS_FOR_SIGHT = pattern(
    "^^ ..4 see|visible ~3 <pic> given|send|other? query",
    "^^ can|see ..1 you ~4 <pic> see? query",
    "^^ ..3 get ~3 <pic> query",
    "^^ is|there ..2 a ~1 <pic> given query",
)


@lru_cache(maxsize=8192)
def asks_for_sight(question: str) -> bool:
    """Return whether a question asks if the image is visible. Then a mere "no" says that it is missing.

    >>> asks_for_sight("Can you see the attached image?"), asks_for_sight("Can you see a fracture in the image?")
    (True, False)
    """
    return _ASKS_FOR_SIGHT.search(shape_response(question).shape) is not None


class MissingImageStatement(NamedTuple):
    """A statement that the image is missing: its way, its offsets in the text, and its sentence."""

    way: str
    start: int
    end: int
    sentence: str


def says_missing(text: str, question: str = "") -> MissingImageStatement | None:
    """Find the first statement that the image is missing, or a request for it. None if there is none.

    Absent findings ("no fracture is visible") and poor image quality do not count.

    >>> says_missing("I'm sorry. I cannot see the image.").sentence
    'i cannot see the image.'
    >>> says_missing("No fracture is visible in the image.") is None
    True
    """
    return missing_in(shape_response(text, question))


def missing_in(reply: ShapedReply) -> MissingImageStatement | None:
    """Find the first statement in a shaped response that the image is missing."""
    return next(_find_all(reply, every=False), None)


def every_missing(text: str, question: str = "") -> list[MissingImageStatement]:
    """Find all statements that the image is missing."""
    return list(_find_all(shape_response(text, question), every=True))


def _find_all(reply: ShapedReply, *, every: bool) -> Iterator[MissingImageStatement]:
    for way, start, end in _find_ways(reply.shape):
        sentence, first = reply.sentence(start)
        while not reply.tokens[first][0].isalnum() and first + 1 < sentence.stop:
            first += 1
        _, last = reply.sentence(end - 1)
        yield MissingImageStatement(
            way, *reply.span(first, last + 1), reply.words(sentence.start, sentence.stop).strip()
        )
        if not every:
            return


@lru_cache(maxsize=4096)
def _find_ways(shape: str) -> tuple[tuple[str, int, int], ...]:
    """Return the ways found in a shape, with their positions. Cached, because many responses share a shape."""
    may = [(way, lines) for way, lines in WAYS if not lines.needs.isdisjoint(shape)]
    return tuple((way, *found.span()) for way, lines in may for found in lines.finditer(shape))


def may_say_missing(words: Iterable[str]) -> bool:
    """Return whether a line with these words may say that the image is missing. A quick check.

    >>> may_say_missing(["no", "image", "came"]), may_say_missing(["the", "image", "shows", "a", "fracture"])
    (True, False)
    """
    seen = set(map(_HINTS.__getitem__, words))
    return _BOTH in seen or (_DENIES in seen and _NAMES in seen)


_DENIES, _NAMES = 1, 2
_BOTH = _DENIES | _NAMES
_DENYING = frozenset(
    LETTER[role]
    for role in word_set(
        "not cannot no without unseeing blank fail forget need send give describe text want ask if when"
    )
)
_NAMING = frozenset(
    LETTER[role]
    for role in word_set("picture pictures study see seeing sight text message given load visible get analyse here you")
)
_MOST_REMEMBERED = 30_000


class _Hints(dict[str, int]):
    """Cache of flags by word: it may deny or request, and it may name image, sight or sending; in all languages."""

    def __missing__(self, word: str) -> int:
        letters = {lexicon[word] for lexicon in LEXICONS}
        hint = (_DENIES if letters & _DENYING else 0) | (_NAMES if letters & _NAMING else 0)
        if word >= "\u3040":  # Chinese does not separate words by spaces.
            hint = _BOTH
        if len(self) < _MOST_REMEMBERED:
            self[word] = hint
        return hint


_HINTS = _Hints(t=_DENIES)
"""If words are split at every sign, "don't" ends in a separate "t"."""
