"""What `snellen parser qualify` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from snellen.judging.qualify.judge import Judged
from snellen.judging.qualify.judge_agreement import JudgeAgreement
from snellen.judging.qualify.judged_responses import JudgedResponses
from snellen.judging.qualify.qualification import Qualification, Read
from snellen.judging.qualify.quality import AS_PUBLISHED, BESIDE, QUALITY, beside
from snellen.reading.parsers import parser_named
from snellen.runtime import counted, visible
from snellen.stats import Estimate


def as_text(done: Qualification, most: int = 10) -> str:
    """The result for a terminal: agreement, κ, rules, confusion matrix, and the first rows that differ."""
    parts = [
        f"Parser {done.parser}: {done.agreement.n} rows",
        _agreement(done),
        _table(("rule", "agree", "rows"), [(rule, *counts) for rule, counts in done.by_rule.items()]),
        _confusion(done, "parser"),
    ]
    if done.differing:
        shown = [_difference(row) for row in done.differing[:most]]
        parts.append(f"{len(done.differing)} rows differ, the first {len(shown)}:\n" + "\n".join(shown))
    for title, question in _beside(done):
        parts += [title, _agreement(question), _confusion(question, "parser")]
    return "\n\n".join(parts)


def _beside(done: Qualification) -> Iterator[tuple[str, Qualification]]:
    """Other questions that the same rows answer."""
    parser = parser_named(done.parser)
    for title, answer_of in parser.question.coarser if parser.question else ():
        yield title, done.simplify(answer_of)
    if parser.kind in (QUALITY, AS_PUBLISHED):
        for field, title in BESIDE.items():
            if (question := beside(done, field)) is not None:
                yield title, question


def judged_as_text(judged: Judged) -> str:
    """A judge beside the parser, on the rows that the judge gave a verdict on; what it gave none on is counted."""
    rows = len(judged.answers)
    heading = (
        f"Judge {visible(judged.judge)} on the same question: a verdict on {len(judged.by_judge.rows)} of {rows} rows"
        f"\n{judged.unread} answers could not be read, {judged.failed} rows got no answer; neither counts as either"
    )
    if not judged.by_judge.rows:
        return f"{heading}\n\nNo verdict, so no agreement."
    parts = [heading, _compared(judged.by_judge, judged.by_parser), _confusion(judged.by_judge, "judge")]
    of_quality = parser_named(judged.question.parser).kind in (QUALITY, AS_PUBLISHED)
    for field, title in BESIDE.items() if of_quality else ():
        by_judge, by_parser = beside(judged.by_judge, field, judged.given), beside(judged.by_parser, field)
        if by_judge is not None and by_parser is not None:
            parts += [title, _compared(by_judge, by_parser)]
    return "\n\n".join(parts)


def agreement_as_text(done: JudgeAgreement) -> str:
    """A judge held against people, for a terminal: agreement, itself, biases, and whether it qualifies."""
    heading = (
        f"Judge {visible(done.judge)}, question {done.question.name!r}: {len(done.rows)} rows, asked "
        f"{counted(done.opinions, 'time')} each{' and once in the other order' * done.question.turns}\n"
        f"{len(done.graded)} rows have a grade (what most opinions say); {counted(done.unread, 'answer')} could not be "
        f"read, {counted(done.failed, 'call')} failed"
    )
    if not done.pairs:
        return f"{heading}\n\n{_gate(done)}"
    parts = [heading, _how_far(done), _crossed(done.confusion, "judge")]
    if done.by_label:
        parts.append(_table(("tag", "Cohen's κ"), [(name, _known(each)) for name, each in done.by_label.items()]))
    if done.unanimous is not None and done.own_agreement is not None:
        parts.append(
            f"With itself: all {done.opinions} opinions agree in {done.unanimous}\n"
            f"Fleiss' κ of its opinions  {_known(done.own_agreement)}"
        )
    lines = [f"{'!' if bias.found else ' '} {name}: {bias.sentence}" for name, bias in done.biases.items()]
    about = "Biases, in judge minus people (! where the 95% CI leaves out 0: by chance, one in 20 at most)"
    if not done.question.one_by_one:
        about = "Biases (! where the 95% CI leaves out 0)"
    return "\n\n".join([*parts, visible(about + "\n" + "\n".join(lines)), _gate(done)])


def judged_responses_as_text(done: JudgedResponses) -> str:
    """How often judges give each label, by model and arm, and whether they agree with people."""
    counts = Counter((row["judge"], row["model"], row["arm"], row["grade"] or "not readable") for row in done.rows)
    table = _table(("judge", "model", "arm", done.question.name, "n"), ((*key, n) for key, n in counts.items()))
    known = [f"{judge}: {_qualified_words(why_not)}" for judge, why_not in done.qualified.items()]
    return "\n".join((table, *known, f"Each response with its opinions: {done.file}"))


def _qualified_words(why_not: str | None) -> str:
    if why_not is None:
        return "nobody has compared it with people (snellen parser qualify judge)"
    return f"not qualified: {why_not}" if why_not else "qualified"


def _how_far(done: JudgeAgreement) -> str:
    rows = [("agreement", str(done.agreement)), ("Cohen's κ, labels as they are", _known(done.kappa))]
    rows += [(f"Cohen's κ, correct or not, {name}", _known(each)) for name, each in done.treatments.items()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {number}" for name, number in rows)


def _known(kappa: Estimate) -> str:
    return f"not defined ({kappa.method}, n={kappa.n})" if isnan(kappa.value) else str(kappa)


def _gate(done: JudgeAgreement) -> str:
    if done.why_not:
        return f"not qualified: {done.why_not}"
    return f"qualified: κ is at least {done.kappa.low:.2f} (lower 95% bound), {done.threshold:g} is required"


def _compared(by_judge: Qualification, by_parser: Qualification) -> str:
    rows = [(name, done.agreement, done.kappa) for name, done in (("judge", by_judge), ("parser", by_parser))]
    return _table(("", "agreement", "Cohen's κ"), rows)


def _agreement(done: Qualification) -> str:
    return f"agreement  {done.agreement}\nCohen's κ  {done.kappa}"


def _difference(row: Read) -> str:
    said = f"people {row.label}, parser {row.predicted} ({row.rule})"
    return f"{row.where}: {said}: {_excerpt(row.fields['response'])}"


def _confusion(done: Qualification, who: str) -> str:
    return _crossed(done.confusion, who)


def _crossed(confusion: Mapping[tuple[str, str], int], who: str) -> str:
    used = {name for pair in confusion for name in pair}
    names = [*sorted(name for name in used if len(name) == 1), *sorted(name for name in used if len(name) > 1)]
    rows = [(name, *(confusion.get((name, other), 0) or "·" for other in names)) for name in names]
    return f"people (rows) and {who} (columns)\n" + _table(("", *names), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )


def _excerpt(text: str) -> str:
    words = visible(" ".join(text.split()))
    return words if len(words) <= 100 else f"{words[:48]} … {words[-48:]}"
