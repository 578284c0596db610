"""Contents of diagnosis tags in the styles of models, written by hand, and the diagnosis that a person reads in them.

`NAMED` and `SILENT` grew with the rules. `LATER` and `LATER_SILENT` were written once the rules stood and before they
were tried on them, in two rounds: 4 of 134 and 4 of 90 were then read wrongly, and rules and table were mended.
"""

from __future__ import annotations

from rows import read_table

NAMED = read_table(__file__, "NAMED")

SILENT = read_table(__file__, "SILENT")

LATER = read_table(__file__, "LATER")

LATER_SILENT = read_table(__file__, "LATER_SILENT")
