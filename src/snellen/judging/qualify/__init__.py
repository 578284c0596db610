"""Qualification: parsers and judges compared with raters' labels, row by row.

`choices` and `quality` define rows, labels and readings for their kind of parser. `judge` asks a judge the question of
a parser. `judge_agreement` compares a judge with raters on the questions of `open_answers` and `rationales`.
`judged_responses` asks a judge a plug-in's question about the responses of a study.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.plugins import Members, resolve_names

if TYPE_CHECKING:
    from snellen.judging.qualify.held import qualify as qualify
    from snellen.judging.qualify.held import qualify_file as qualify_file
    from snellen.judging.qualify.held import write_rows as write_rows
    from snellen.judging.qualify.judge import judge_rows as judge_rows
    from snellen.judging.qualify.judge_agreement import keep as keep
    from snellen.judging.qualify.judge_agreement import qualify_judge as qualify_judge
    from snellen.judging.qualify.judge_agreement import qualify_judge_file as qualify_judge_file
    from snellen.judging.qualify.judged_responses import judge_responses as judge_responses
    from snellen.judging.qualify.labelled_question import LabelledQuestion as LabelledQuestion
    from snellen.judging.qualify.qualification import Labelled as Labelled
    from snellen.judging.qualify.qualification import Qualification as Qualification
    from snellen.judging.qualify.qualification import find_label as find_label
    from snellen.judging.qualify.text import agreement_as_text as agreement_as_text
    from snellen.judging.qualify.text import as_text as as_text
    from snellen.judging.qualify.text import judged_as_text as judged_as_text
    from snellen.judging.qualify.text import judged_responses_as_text as judged_responses_as_text

MEMBERS: Members = {
    "open-answer": "snellen.judging.qualify.open_answers:OPEN_ANSWERS",
    "rationale": "snellen.judging.qualify.rationales:RATIONALES",
    "mismatch": "snellen.judging.qualify.labelled_question:MISMATCHES",
    "premise": "snellen.judging.qualify.labelled_question:PREMISES",
}
"""Questions to a judge that raters have answered too, by command-line name."""

__all__, __getattr__ = resolve_names(
    __name__,
    {
        "held": ("qualify", "qualify_file", "write_rows"),
        "judge": ("judge_rows",),
        "judge_agreement": ("keep", "qualify_judge", "qualify_judge_file"),
        "judged_responses": ("judge_responses",),
        "labelled_question": ("LabelledQuestion",),
        "qualification": ("Labelled", "Qualification", "find_label"),
        "text": ("agreement_as_text", "as_text", "judged_as_text", "judged_responses_as_text"),
    },
)
__all__ += ["MEMBERS", "judge_agreement"]
