"""Ways in which a sentence declines, doubts, advises, speaks in general, or says what the picture shows."""

from __future__ import annotations

from snellen.grading.missing_shapes import pattern

DECLINES = pattern(
    "<cannot> ..4 help|consult|rules|answer",
    "<cannot> ..1 medical",
    "<cannot> ..2 give|do ~4 medical",
    "<cannot> ..2 a ~2 medical",
    "i ..2 <cannot> ..2 tell ~4 medical",
    "can no ~2 medical",
    "<cannot> ..4 analyse|analysing ~5 <pic>",
    "<cannot> ..4 tell ..3 people",
    "i ..2 not a ~2 doctor|medical",
    "i ..2 not ..1 give|do ~2 medical",
    "i ..2 not ..2 help",
    "i ..4 not ..3 tell|give|see ~3 people",
    "not ..1 tell ~2 people",
    "i ..3 not ..4 rules",
    "i ..3 decline",
    "decline ..1 not",
    "not rules",
    "rules <in>? i",
    "rules ..6 i ..2 not|cannot",
    "i ..1 rules",
    "not what i",
    "not <in> i $",
    "medical ~3 not ..3 i",
    "i not ~3 people",
)
"""It will not help, diagnose or name people, or may not."""
ADVISES = pattern(
    "consult ..6 doctor|medical",
    "may|ask|to|you ..4 doctor",
    "your ~2 doctor",
    "doctor ..2 may",
    "in a? ~2 doctor stop",
)
"""Somebody else should look at it."""

DOUBTS = pattern(
    "i ..2 not ..3 sure !medical",
    "not ..2 sure !other|plural|medical",
    "not ..3 sure stop|comma|query",
    "without sure",
    "sure ..1 i ..3 not",
    "<cannot> ..2 be ..2 sure",
    "unsure !other|plural",
    "i|it|this ..3 unsure",
    "hard ..2 to ..3 tell|see|analyse|give|be",
    "hard ..2 tell",
    "<cannot> ..4 tell",
    "can ~4 not ..1 tell",
    "i ..1 not tell",
    "^ not tell ..1 $",
    "guess",
    "maybe",
    "^ suppose",
    "<inthe> suppose",
    "we suppose",
    "^ if ~3 <pic> ~3 show|is|be",
    "^ if it|this ..1 is a|the ~4 <pic>",
    "^ if it|this ..1 show",
    "^ if it|this ~2 <pic>",
    "^ if it ..4 a ~2 <pic>",
    "more info ..3 need",
    "need ..3 more ..1 info",
    "need ..3 be sure",
    "without ..3 more ..1 info",
    "not ..3 enough ..1 info",
    "not enough <in>|to",
    "poor info",
    "^ ~4 <pic> ~3 is|be ..2 blur",
    "<pic> ..3 not ..3 enough",
    "poor flaw",
    "flaw ..3 is ..2 poor|finding to",
    "flaw not",
)
"""It cannot tell, is not sure, guesses, supposes what the picture is, needs to know more, or finds it too poor."""
WAVERS = pattern("^^ it|this ..1 can|may ..1 be ..8 or")

SHOWS = pattern(
    "<the> ~3 <pic> -5 show",
    "this ~3 <pic> -3 is|have|be",
    "your ~3 <pic> -3 is|have|be|show",
    "<inthe> ~3 <pic> -8 is|have|be|visible|show|there",
    "^ i|we can? see !if|when|to",
    "you can see",
    "you seeing",
    "ing to <the> ~2 <pic> -8 is|have",
    "answer is|colon !stop|query",
    "visible here",
    "^^ so comma? -12 number",
)
"""A picture shows something, something is in it or is seen, or this is the answer."""
"""It could be one thing or another."""
POINTS = pattern(
    "^^ you have a|no",
    "^^ this|it is|be",
    "^^ is|be a|the",
    "^^ this ~3 is|be|show|have",
    "here comma? the ~6 is|be|have",
    "^^ yes comma|stop",
)
"""This is something; yes."""
FINDS = pattern(
    "is adverb? ing",
    "visible",
    "is|be|have ..2 finding",
    "^^ ~1 finding",
    "^ there is|be a|no|number !kind",
    "^ there a|number",
    "^^ yes|no",
    "^^ number",
)
"""Something is there, is seen, has a colour, a side or a number, or is going on."""
PLACED = pattern("^^ -8 is adverb? visible", "^^ <the> =4 in|inthe|you|seeing|analysing ..8 is|have|be|show|plural")
SOFT = pattern(
    "^^ in other to",
    "^^ the message",
    "^^ ~2 <pic> can|may",
    "^^ other|study? pictures",
    "is to",
    "^^ see|analyse|tell|do|describe|send|give|get|ask|to",
    "if|when|usually|may|every",
    "you !have",
    "^^ a ~3 is a",
    "^^ the =2 is a ..4 kind",
    "^^ the =2 is a do",
)
"""Instructions, conditions, habits and definitions, whatever else they hold."""
"""A thing is told apart by where it is, or is seen; caution about it takes nothing away."""
GENERAL = pattern(
    "^^ ing|seeing|analysing ~5 is|have|show|can|may|plural",
    "^^ in other to",
    "^^ the message",
    "^^ a ~3 <pic>",
    "^^ other|study? pictures",
    "is to",
    "^^ see|analyse|tell|do|describe|send|give|get|ask|to",
    "you|if|when|usually|may|can|need|every",
    "<in> instance",
    "we|i ..2 may|need",
    "there ..2 many",
    "is a|the ..4 kind|study",
    "is a do",
    "^^ a ~4 is|show",
    "^^ other? plural is|have other? plural",
    "^^ other? plural ..1 is|have|show|load|plural|get|many !other|finding|plural",
    "^^ plural is|have ..1 other <in>",
    "^^ other other? is|have a|the|in|of|many|if",
)
"""Instructions, conditions, habits, definitions, and what things of a kind are like."""
TELLS = pattern("^^ it|the is|be", "^ there is|be|have", "^^ <the> ~5 is|have|be|show", "here|finding|number")
"""Something is said of a definite thing."""
VERB = pattern("is|have|be|show|visible|can|may|see|there|do|need|tell|analyse")
"""A sentence without any of these only names things."""
FILLER = pattern("^^ thanks", "^^ sure stop", "^^ i? ..1 sorry ..3 stop", "i ..4 want ..3 help")
"""Thanks, regrets and offers of help."""
