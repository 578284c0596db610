"""Text that `snellen parser qualify` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan

from snellen.judging.qualify.judge import JudgedRows
from snellen.judging.qualify.judge_agreement import JudgeAgreement
from snellen.judging.qualify.judged_responses import JudgedResponses
from snellen.judging.qualify.qualification import Qualification
from snellen.judging.qualify.quality import AS_PUBLISHED, BESIDE, QUALITY, qualify_field
from snellen.reading.parsers import parser_named
from snellen.runtime import counted, visible
from snellen.stats import Estimate


def as_text(done: Qualification, most: int = 10) -> str:
    """Format agreement, κ, rules, confusion matrix and first differences for a terminal."""
    parts = [
        f"Parser {done.parser}: {done.agreement.n} rows",
        _agreement(done),
        _table(("rule", "agree", "rows"), [(rule, *counts) for rule, counts in done.by_rule.items()]),
        _format_confusion(done.confusion, "parser"),
    ]
    if done.differing:
        shown = [
            f"{row.where}: people {row.label}, parser {row.predicted} ({row.rule}): {_excerpt(row.fields['response'])}"
            for row in done.differing[:most]
        ]
        parts.append(f"{len(done.differing)} rows differ, the first {len(shown)}:\n" + "\n".join(shown))
    for title, question in _iter_other_questions(done):
        parts += [title, _agreement(question), _format_confusion(question.confusion, "parser")]
    return "\n\n".join(parts)


def _iter_other_questions(done: Qualification) -> Iterator[tuple[str, Qualification]]:
    """Yield coarser or additional questions that the same rows answer."""
    parser = parser_named(done.parser)
    for title, answer_of in parser.question.coarser if parser.question else ():
        yield title, done.simplify(answer_of)
    if parser.kind in (QUALITY, AS_PUBLISHED):
        for field, title in BESIDE.items():
            if (question := qualify_field(done, field)) is not None:
                yield title, question


def judged_as_text(judged: JudgedRows) -> str:
    """Format a judge and the parser on the rows with a judge's opinion."""
    rows = len(judged.answers)
    heading = (
        f"Judge {visible(judged.judge)} on the same question: {len(judged.by_judge.rows)} of {rows} rows graded"
        f"\n{judged.unread} answers could not be read, {judged.failed} rows got no answer; none of these are counted"
    )
    if not judged.by_judge.rows:
        return f"{heading}\n\nThe judge graded no row, so there is no agreement."
    comparison = _format_comparison(judged.by_judge, judged.by_parser)
    parts = [heading, comparison, _format_confusion(judged.by_judge.confusion, "judge")]
    of_quality = parser_named(judged.question.parser).kind in (QUALITY, AS_PUBLISHED)
    for field, title in BESIDE.items() if of_quality else ():
        by_judge = qualify_field(judged.by_judge, field, judged.given)
        by_parser = qualify_field(judged.by_parser, field)
        if by_judge is not None and by_parser is not None:
            parts += [title, _format_comparison(by_judge, by_parser)]
    return "\n\n".join(parts)


def agreement_as_text(done: JudgeAgreement) -> str:
    """Format a judge's comparison with raters for a terminal."""
    heading = (
        f"Judge {visible(done.judge)}, question {done.question.name!r}: {len(done.rows)} rows, asked "
        f"{counted(done.opinions, 'time')} each{' and once in the other order' * done.question.turns}\n"
        f"{len(done.graded)} rows have a grade (what most opinions say); {counted(done.unread, 'answer')} could not be "
        f"read, {counted(done.failed, 'call')} failed"
    )
    if not done.pairs:
        return f"{heading}\n\n{_gate(done)}"
    parts = [heading, _how_far(done), _format_confusion(done.confusion, "judge")]
    if done.by_label:
        parts.append(
            _table(("tag", "Cohen's κ"), [(name, _format_kappa(each)) for name, each in done.by_label.items()])
        )
    if done.unanimous is not None and done.own_agreement is not None:
        parts.append(
            f"With itself: all {done.opinions} opinions agree in {done.unanimous}\n"
            f"Fleiss' κ of its opinions  {_format_kappa(done.own_agreement)}"
        )
    lines = [f"{'!' if bias.found else ' '} {name}: {bias.sentence}" for name, bias in done.biases.items()]
    about = "Biases, as the judge's grade minus people's (! if the 95% CI excludes 0: by chance, at most one in 20)"
    if not done.question.one_by_one:
        about = "Biases (! if the 95% CI excludes 0)"
    return "\n\n".join([*parts, visible(about + "\n" + "\n".join(lines)), _gate(done)])


def judged_responses_as_text(done: JudgedResponses) -> str:
    """Format the responses with each label by model and arm, and the judges' qualification."""
    counts = Counter((row["judge"], row["model"], row["arm"], row["grade"] or "not readable") for row in done.rows)
    table = _table(("judge", "model", "arm", done.question.name, "n"), ((*key, n) for key, n in counts.items()))
    known = [f"{judge}: {_qualified_words(why_not)}" for judge, why_not in done.qualified.items()]
    return "\n".join((table, *known, f"Each response with its opinions: {done.file}"))


def _qualified_words(why_not: str | None) -> str:
    if why_not is None:
        return "never compared with people (see snellen parser qualify judge)"
    return f"not qualified: {why_not}" if why_not else "qualified"


def _how_far(done: JudgeAgreement) -> str:
    rows = [("agreement", str(done.agreement)), ("Cohen's κ, all labels", _format_kappa(done.kappa))]
    rows += [(f"Cohen's κ, correct or not, {name}", _format_kappa(each)) for name, each in done.treatments.items()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {number}" for name, number in rows)


def _format_kappa(kappa: Estimate) -> str:
    return f"not defined ({kappa.method}, n={kappa.n})" if isnan(kappa.value) else str(kappa)


def _gate(done: JudgeAgreement) -> str:
    if done.why_not:
        return f"not qualified: {done.why_not}"
    return f"qualified: κ is at least {done.kappa.low:.2f} (lower 95% bound), {done.threshold:g} is required"


def _format_comparison(by_judge: Qualification, by_parser: Qualification) -> str:
    rows = [(name, done.agreement, done.kappa) for name, done in (("judge", by_judge), ("parser", by_parser))]
    return _table(("", "agreement", "Cohen's κ"), rows)


def _agreement(done: Qualification) -> str:
    return f"agreement  {done.agreement}\nCohen's κ  {done.kappa}"


def _format_confusion(confusion: Mapping[tuple[str, str], int], who: str) -> str:
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
