"""Patterns of roles by which a sentence denies the image, declines, doubts, speaks in general, or states."""

from __future__ import annotations

import re

from snellen.grading.missing_roles import pattern

_PARTS = {
    "<pic>": ("picture|pictures|study",),
    "<sure>": ("picture|pictures",),
    "<cannot>": ("cannot", "can not", "not ..1 can", "not ..2 able", "no able", "without ..2 able"),
    "<the>": ("the|your|this",),
    "<see>": ("see|seeing",),
}


def _pattern(*lines: str) -> re.Pattern[str]:
    """One pattern out of lines; a line with "<name>" in it stands for one line for each part of that name."""
    made = list(lines)
    for name, choices in _PARTS.items():
        made = [line.replace(name, choice) for line in made for choice in (choices if name in line else ("",))]
    return pattern(*made)


CANNOT_SEE = _pattern(
    "<cannot> ..5 <see> ~6 <pic> !flaw",
    "@it <cannot> ..5 <see> ..1 what|sight|your",
    "<cannot> ..5 <see> ~6 you",
    "<cannot> ..3 <see> it? $",
    "<cannot> ..2 <see> or|and",
    "<cannot> ..5 <see> ..2 what ..3 in|of <the> ~3 <sure> $",
    "<cannot> ..5 analyse|seeing ~5 pictures",
    "<cannot> ..5 analyse|seeing ~5 <the> ~2 <pic> given",
    "<cannot> ..5 analyse|seeing ~5 <sure> adverb",
    "<cannot> ..3 load|send|get ~4 <pic>",
    "<cannot> ..3 describe|analyse|tell ~4 <pic> i ..2 not|cannot",
    "unseeing ..1 a? ~3 <pic>|what",
    "<pic> ..4 not ..4 can ..2 see|get",
    "<pic> comma? ..2 <cannot> ..2 see|get",
    "can ~6 <pic> ~3 not ..2 see|analyse|get",
    "can ~3 no ~3 <pic> ..3 see|analyse|get",
    "see|get|have ..2 no ~4 <pic> !flaw",
)
NOT_RECEIVED = _pattern(
    "not ..2 see|seeing|get ~6 <pic> !flaw|in|of",
    "not ..2 see|seeing|get ~6 <pic> in|of ..2 message",
    "not ..2 see|seeing|get ~4 <pic> in|of you",
    "i ..3 not ..2 have ~6 <pic> !flaw",
    "not ..1 have ~5 <sure> !flaw",
    "i ..3 not ..2 have ~3 see ~5 <pic>",
    "i ..3 not ..2 see|get|have ..4 given",
    "i ..3 not ..2 have ..2 to see",
    "i ..3 not ..3 visible ~3 <pic>",
    "i no ~2 <pic>",
    "not ..2 have ~4 sight",
    "there ..3 no|not ~4 <sure> !flaw|in|of",
    "there ..3 no|not ~3 study ..6 in|of ..2 message|it",
    "there ..2 no ..2 given",
    "not there ..1 have? ..1 not? ~3 <sure> !flaw",
    "no ~3 <pic> ..4 given|load|get",
    "no ~2 <pic> ..1 <the> message",
    "no ~3 <sure> ..3 available|here",
    "no get|have|be ..2 given",
    "but ..1 no is|have|load",
    "but ..1 no ~3 <sure>",
    "no ~3 <sure> have|is be",
    "no ~2 <sure> in|of i",
    "not ~3 given ~3 <pic>",
    "not ..2 send|give|load ~4 <pic>",
    "no ~3 <pic> ..3 in|of ..2 message|here",
    "no ~3 <pic> ..2 to ..1 see|analyse|tell",
    "^ no|not ~2 <sure> stop|comma|query",
    "no ..2 load through",
    "^ ~4 <pic> ~6 not ..4 given|load|get|send|here",
    "^ ~4 <sure> ~6 not ..4 available",
    "^ ~4 <pic> ~6 not ..2 available ..1 i",
    "^ ~4 <pic> ~6 not ..4 visible ..2 i|stop|query",
    "^ ~4 <pic> ~6 not ..1 show through",
    "^ ~4 <pic> ..6 not ..3 in|of ..2 message",
    "^ ~4 <pic> ..3 not $",
    "<pic> ..2 not is $",
    "<sure> ~1 not ..2 load|given|get",
    "<sure> -7 not ..2 load|given|get",
    "^ ~4 <pic> ~5 cannot be ..2 given|available|visible|load|analyse|see",
    "not ..4 load through",
    "fail ..2 to? load|send|see|give",
    "<pic> ~4 fail",
    "you ..4 not ..3 send|give|given|load ~6 <pic>",
    "you ..4 not ..3 send|given",
    "not ..3 you ..3 send|given",
    "<pic> ..1 not ..3 you ..2 send|given|get",
    "<pic> colon it not ..6 given",
    "forget ..4 send|give|<pic>",
    "message ..5 not ..2 have|show|give ~4 <sure>",
    "not ..2 see|be ~4 <sure> ..2 given",
    "<pic> ~5 is|be ..3 blank !in|of",
    "<pic> be to be blank",
    "blank ~1 <sure>",
    "<sure> ~1 blank",
    "without ..4 <see>",
    "without ~6 <pic> !in|of|flaw",
    "without in|of ~4 <sure>",
    "not ..4 visible no $",
)
SEND_IT = _pattern(
    "ask ..6 send|give ~6 <pic> !to",
    "ask ..6 send",
    "ask ..4 give it",
    "^ ..1 send|give ~4 <pic> ..4 ask",
    "ask ..6 <pic> ..3 send|give",
    "can|may ..6 send|give ~6 <pic> ..4 query",
    "can|may ..6 send ..4 query",
    "can|may ..6 describe ..8 query",
    "can|may ..1 you ..6 send|give ~6 <pic>",
    "can|may ..1 you ..6 send",
    "if ..2 you ..5 send|give|given ~6 <pic> !to",
    "if ..2 you ..5 give ..2 in|of ~4 <pic>",
    "if ..2 you ..5 send",
    "if ..5 send|give ~5 <pic> ..3 comma",
    "if ..4 <pic> ..3 given|here",
    "you ..2 need ..2 send|give ~6 <pic>",
    "you can|may ..3 send|give ~6 <pic> !to|in",
    "^^ only? send ~4 <pic> !to|in",
    "^. only? give ..1 <the> ~2 <pic> !to|in",
    "ask|if ..6 give ..5 info in|of ~3 <sure>",
    "ask|if ..6 describe",
    "can|may you ..4 describe",
    "you can ..3 describe",
    "ask|if|you ..6 give ..5 describe",
    "ask|if|you ..4 tell i ..2 what ..2 you|see|it|picture|study",
    "if i ..4 see|have|get ~5 <pic>",
    "if can? see|have|get ~3 <pic>",
)
NEEDED = _pattern(
    "i ..3 need ..3 see|send",
    "i ..3 have to see",
    "i ..3 need ~6 <pic>",
    "i ..3 need ..2 info ..4 <sure>",
    "need i ~6 <pic>|see",
    "<pic> ..2 may need",
    "i ..4 want ..3 see ~6 <pic>",
    "need in|of? see to? ~5 <pic>",
)
BLIND = _pattern(
    "text ..3 bot",
    "bot ..4 text $",
    "i ..5 only ..4 text",
    "only text $",
    "can|able ..2 only ..5 text",
    "only ..3 able ..4 text",
    "i ..3 in|of text only",
    "only ..2 in|of ..2 text",
    "i not ..1 what ..1 text",
    "no sight",
    "not ..1 able ..2 sight",
    "not ..2 sure ..2 what picture|study",
)
DENIALS = (
    ("cannot-see", CANNOT_SEE),
    ("not-received", NOT_RECEIVED),
    ("send-it", SEND_IT),
    ("needed", NEEDED),
    ("blind", BLIND),
)

DECLINES = _pattern(
    "<cannot> ..4 help|consult|decline|answer",
    "<cannot> ..1 medical",
    "<cannot> ..2 give|do ~4 medical",
    "i ..2 <cannot> ..2 tell ~4 medical",
    "can no ~2 medical",
    "<cannot> ..4 analyse|seeing ~5 <pic>",
    "<cannot> ..4 tell ..3 people",
    "i ..3 not ..4 doctor|medical|decline|people|help",
    "i ..6 decline",
    "not ..2 decline",
    "decline ..4 i",
    "decline ..2 not",
    "^^ decline",
    "not ..3 tell ~3 people",
    "not ..1 other i",
    "medical ~3 not ..4 i",
    "may i ..2 no",
)
ADVISES = _pattern("consult ..6 doctor|medical", "<the> ~2 doctor", "may|ask|to|can|do|you|in ..4 doctor", "doctor ..2 may|can")

DOUBTS = _pattern(
    "not ..3 sure",
    "sure ..3 not",
    "<cannot> ..2 be ..2 sure",
    "unsure !other|plural",
    "i|it|this ..3 unsure",
    "hard ..2 to ..3 tell|see|analyse|give|be",
    "hard ..2 tell",
    "<cannot> ..4 tell",
    "i ..1 not tell",
    "^ not tell ..1 $",
    "guess",
    "^ suppose",
    "in|of <the> suppose",
    "we suppose",
    "^ if ~3 <pic> ~3 show|is|be",
    "^ if it|this ..1 is|be|show",
    "more info ..3 need",
    "need ..3 more ..1 info",
    "without ..3 more ..1 info",
    "not ..3 enough ..1 info",
    "not enough in|to",
    "hard ..1 in|of sure",
    "^ if it ..8 show",
    "poor info",
    "^ ~4 <pic> ~3 is|be ..2 blur",
    "<pic> ..3 not ..3 enough",
    "poor flaw",
    "flaw ..3 is ..2 poor|finding to",
    "flaw ..4 not",
    "maybe",
    "need ..3 be sure",
    "can ~4 not ..1 tell",
    "^ if it|this ~2 <pic>",
)

WAVERS = _pattern("^^ it|this ..1 can|may ..1 be ..8 or")

SHOWS = _pattern(
    "<the> ~3 <pic> -5 show",
    "this ~3 <pic> -3 is|have|be",
    "your ~3 <pic> -3 is|have|be|show",
    "in|of <the> ~3 <pic> -8 is|have|be|visible|show|there",
    "^ i|we can? see !if|to",
    "you ..1 can? see",
    "answer is|colon",
    "visible here",
)
POINTS = _pattern(
    "^^ this|it is|be",
    "^^ is|be a|the",
    "^^ this ~3 is|be|show|have",
    "here comma? the ~6 is|be|have",
    "^^ yes comma|stop",
)
FINDS = _pattern(
    "visible",
    "is|be|have ..2 finding",
    "^^ ~1 finding",
    "^ there is|be a|no|number !kind",
    "^ there a|number",
    "^^ yes|no",
    "^^ number",
)
PLACED = _pattern("^^ <the> =4 in|you|seeing ..8 is|have|be|show|plural")
SOFT = _pattern(
    "^^ in other to",
    "^^ the message",
    "^^ ~2 <pic> can|may",
    "^^ other|study? pictures",
    "is to",
    "^^ see|analyse|tell|do|describe|send|give|get|ask|to",
    "you|if|usually|may|every",
    "^^ a ~3 is a",
)
GENERAL = _pattern(
    "^^ in other to",
    "^^ the message",
    "^^ a ~3 <pic>",
    "^^ other|study? pictures",
    "is to",
    "^^ see|analyse|tell|do|describe|send|give|get|ask|to",
    "you|if|usually|may|can|need|every",
    "in instance",
    "we|i ..2 may|need",
    "there ..2 many",
    "is a|the ..4 kind|study",
    "^^ a ~4 is|show",
    "^^ other? plural is|have other? plural",
    "^^ other? plural ..1 is|have|show|load|plural|get|many !other|finding|plural",
    "^^ plural is|have ..1 other in|of",
    "^^ other other? is|have a|the|in|of|many|if",
)
TELLS = _pattern("^^ it|the is|be", "^ there is|be|have", "^^ <the> ~5 is|have|be|show", "here|finding|number")
VERB = _pattern("is|have|be|show|visible|can|may|see|there|do|need|tell|analyse")
FILLER = _pattern("^^ thanks", "^^ sure stop", "^^ i? ..1 sorry ..3 stop", "i ..4 want ..3 help")
