"""Section on how responses were read: parsers, their differences, and their rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from snellen.items import LETTERS
from snellen.reading import grade
from snellen.reading.columns import Integers
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.components import (
    Cell,
    Facts,
    Fold,
    Note,
    Part,
    Quote,
    Quotes,
    Row,
    Section,
    Table,
    Words,
    fold_if_long,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, outcome_counts, row_anchor
from snellen.report.evidence.reply_kinds import LABEL_WORDS, codes
from snellen.report.evidence.sampling import Candidates, first_by_hash
from snellen.report.figures.forests import number_to_tenths
from snellen.report.sections.graders import list_graders
from snellen.report.words.arms import arm_label, page_words
from snellen.report.words.numbers import (
    OUTCOME_WORDS,
    claims_parser_agreement,
    count,
    excerpt,
    missing_image_agreement,
    shorten_text,
)
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.stress.table import Grades
from snellen.stress.table import Table as Graded

CLAIMS = "claims"
PLAIN = "lenient"
"""The reference parser; it distinguishes outcomes that published parsers count as one."""
RULES = (
    "How many responses each rule decided, over all models. Each number links to one such response. “Right” is how "
    "often the rule was right on responses that a language model labelled by reading; some rules were made with these "
    "responses. A rule is unsure if (right + 1) / (labelled + 2) is under 90%."
)


def draw_parsers(evidence: Evidence, shown: Examples, differences: Sequence[Difference]) -> Section:
    """Draw what each parser accepts, how parsers differ, and how often rules applied."""
    results = evidence.results
    parts: list[Part] = [Facts(tuple(_list_parsers(evidence)))]
    if evidence.with_options and len(results.readings) > 1:
        compared = (
            "A published score depends on what its parser takes for an answer. Here the same responses are read in "
            f"{len(results.readings)} ways; “{results.study['parser']}” is the one that counts on the rest of this "
            "page. These tables have one decimal, for comparison with printed tables."
        )
        parts = [Note(compared), *parts, *_compare_parsers(evidence)]
    if differences:
        chosen = quiet("A few of every kind, chosen by a hash of the item's id and the model's name.")
        total = sum(len(evidence.grades(address)) for address in evidence.with_options)
        folds = [
            Fold(f"{count(each.number)} of {count(total)} responses: {each.words}",
                 (Quotes(tuple(_quote(evidence, *example, each) for example in each.examples)),),
                 open=each is differences[0])
            for each in differences
        ]  # fmt: skip
        parts.append(Section("Responses on which the parsers differ", (chosen, *folds)))
    if rules := tuple(draw_rules(evidence, shown)):
        parts.append(Section("The rules that decided", (quiet(RULES), *rules)))
    return Section("How the responses were read", tuple(parts), "parsers")


def _list_parsers(evidence: Evidence) -> Iterator[tuple[Words, Words]]:
    """Yield every parser and judge that read responses, with a description."""
    study = evidence.results.study
    for name in evidence.results.readings if evidence.with_options else ():
        counts = " the one that counts here" if name == study["parser"] else ""
        yield rich("`{}`{}", name, counts), parser_named(name).words
    yield from list_graders(evidence)
    tables = evidence.results.tables.values()
    if any(grades.rationales is not None for table in tables for grades in table.arms.values()):
        told = f"{parser_named(CLAIMS).words} {claims_parser_agreement()}"
        yield rich("`{}` for what responses say they see", CLAIMS), told
    if evidence.own_questions:
        name = study["admissions_by"]
        about = f"{parser_named(name).words} {missing_image_agreement()}"
        yield rich("`{}` for questions that came without an image", name), about


# The same responses by several parsers ---------------------------------------------------------------------------


def _find_plain(evidence: Evidence) -> str:
    """Name of the reference parser: the lenient one, or else the study's own."""
    return PLAIN if PLAIN in evidence.results.readings else str(evidence.results.study["parser"])


def _compare_parsers(evidence: Evidence) -> Iterator[Part]:
    """Draw accuracies and changes by every parser, for each benchmark with options."""
    results = evidence.results
    found = (*results.findings, *results.beside)
    for benchmark in dict.fromkeys(address.benchmark for address in evidence.with_options):
        here = [each for each in found if each.benchmark == benchmark]
        on = f" on {benchmark}" if evidence.several else ""
        yield fold_if_long(_draw_scores(evidence, benchmark, here, on), f"Accuracy by parser{on}")
        changes = _draw_changes(evidence, here, on)
        if changes.rows:
            yield fold_if_long(changes, f"Change in accuracy by parser, and what each would conclude{on}")


def _draw_scores(evidence: Evidence, benchmark: str, found: Sequence[Finding], on: str) -> Table:
    """Table of accuracies by parser, and of outcomes by the reference parser."""
    results, plain = evidence.results, _find_plain(evidence)
    addresses = [each for each in evidence.anchors if each.benchmark == benchmark]
    tables = results.readings[plain]
    counts = {each: outcome_counts(tables[each.model, benchmark].arms[each.arm]) for each in addresses}
    outcomes = [each for each in Outcome if any(numbers[each] for numbers in counts.values())]
    rows = tuple(
        write_row(f"{address.model}, {arm_label(address.arm)}",
                  *(_score_cell(evidence, address, parser, found) for parser in results.readings),
                  *(count(numbers[each]) for each in outcomes),
                  Cell(count(sum(numbers.values())), to=evidence.anchors[address]), model=address.model)
        for address, numbers in counts.items()
    )  # fmt: skip
    scores = (f"accuracy, {parser}" for parser in results.readings)
    numbers = (*(OUTCOME_WORDS[each] for each in outcomes), "all responses")
    columns = name_columns("model, condition", *scores, numbers=numbers)
    unknown = {Outcome.TRUNCATED} if evidence.results.study.get("unknown_ends") else set()
    known = {*outcomes, Outcome.UNCLEAR, Outcome.SCORED, *unknown}
    never = [OUTCOME_WORDS[each] for each in Outcome if each not in known]
    note = f"Outcomes are as read by “{plain}”. No response had these outcomes: {', '.join(never)}." if never else ""
    return Table(columns, rows, f"Accuracy by parser{on}", note=note)


def _score_cell(evidence: Evidence, address: ArmAddress, parser: str, found: Sequence[Finding]) -> Cell:
    of_it = [each for each in found if each.parser == parser and each.model == address.model]
    measures = (each.measure(address.arm, "accuracy") for each in of_it)
    measure = next((each for each in measures if each is not None), None)
    return Cell("–") if measure is None else number_to_tenths(measure, evidence.anchors[address]).cell()


def _draw_changes(evidence: Evidence, found: Sequence[Finding], on: str) -> Table:
    keys = dict.fromkeys(
        (each.model, each.test.name, measure.arm)
        for each in found
        for measure in each.measures
        if measure.name == "difference"
    )
    by_parser = {(each.parser, each.model, each.test.name): each for each in found}
    parsers = evidence.results.readings
    rows = tuple(
        write_row(f"{model}, {test}, {arm_label(arm)}",
                  *(_change_cell(evidence, by_parser.get((parser, model, test)), arm) for parser in parsers),
                  model=model)
        for model, test, arm in keys
    )  # fmt: skip
    columns = name_columns("model, test, condition", *(f"change, {parser}" for parser in parsers))
    return Table(columns, rows, f"Change in accuracy by parser, and what each would conclude{on}")


def _change_cell(evidence: Evidence, finding: Finding | None, arm: str) -> Cell:
    measure = finding.measure(arm, "difference") if finding else None
    if finding is None or measure is None:
        return Cell("–")
    anchor = evidence.anchors[ArmAddress(finding.model, finding.benchmark, arm)]
    arms, decides = [each.arm for each in finding.measures if each.name == "difference"], finding.verdict.rests_on
    deciding = decides.arm if decides is not None and decides.arm in arms else arms[0]
    verdict = Cell(status=finding.verdict.status, note=page_words(finding.verdict.sentence))
    return Cell(lines=(number_to_tenths(measure, anchor).cell(), *([verdict] if arm == deciding else [])))


# Responses on which parsers differ -------------------------------------------------------------------------------

EXAMPLES = 3
"""Number of example responses for each kind of difference."""
QUOTED = 160
"""Number of characters quoted of the evidence for a reading."""

Mask = NDArray[np.bool_]
_DECLINED = (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY)
_ANSWERED = (Outcome.CORRECT, Outcome.WRONG)

KINDS: dict[str, Callable[[Grades, Grades], Mask]] = {
    "{strict} reads no answer, and {plain} reads one": lambda strict, plain: (
        strict.is_(Outcome.UNPARSED) & plain.is_(*_ANSWERED)
    ),
    "{strict} counts as wrong or unread what {plain} reads as declining or as “cannot tell”": lambda strict, plain: (
        strict.is_(Outcome.WRONG, Outcome.UNPARSED) & plain.is_(*_DECLINED)
    ),
    "both read an answer, and not the same one": lambda strict, plain: (
        strict.is_(*_ANSWERED) & plain.is_(*_ANSWERED) & (strict.chosen != plain.chosen)
    ),
    "{strict} reads an answer, and {plain} reads none": lambda strict, plain: (
        strict.is_(*_ANSWERED) & plain.is_(Outcome.UNPARSED, Outcome.TRUNCATED)
    ),
}


class Difference(NamedTuple):
    """One kind of difference between two parsers: description, count and examples."""

    strict: str
    plain: str
    words: str
    number: int
    examples: tuple[tuple[ArmAddress, int], ...]


def choose_differences(evidence: Evidence) -> list[Difference]:
    """Find differences of other parsers from the reference parser, with examples."""
    plain = _find_plain(evidence)
    found = []
    for strict in evidence.results.readings:
        for words, differ in KINDS.items() if strict != plain else ():
            places = _find_places(evidence, strict, plain, differ)
            if number := sum(map(len, places.values())):
                named = words.format(strict=f"“{strict}”", plain=f"“{plain}”")
                examples = tuple(first_by_hash(evidence, places, EXAMPLES))
                found.append(Difference(strict, plain, named, number, examples))
    chosen = [example for each in found for example in each.examples]
    evidence.lead_to(chosen)
    for address, place in chosen:
        evidence.expect(address, [place])
    return found


def _find_places(evidence: Evidence, strict: str, plain: str, differ: Callable[[Grades, Grades], Mask]) -> Candidates:
    """Places of the responses on which two parsers differ in one way."""
    found = {}
    for address in evidence.with_options:
        one, two = (
            evidence.results.readings[parser][address.model, address.benchmark].arms[address.arm]
            for parser in (strict, plain)
        )
        found[address] = np.flatnonzero(differ(one, two))
    return found


def _quote(evidence: Evidence, address: ArmAddress, place: int, difference: Difference) -> Quote:
    saying = evidence.sayings(address, [place])[place]
    item, reply, parsers = saying.item, saying.reply, (difference.strict, difference.plain)
    read = [
        saying.grade if saying.grade.parser == parser else grade(reply.text, reply.finish, item, parser)
        for parser in parsers
    ]
    notes = []
    for each in read:
        option = "" if each.choice is None else f", option {LETTERS[each.choice]}"
        source = f", from “{shorten_text(each.evidence, QUOTED)}”" if each.evidence else ""
        words, rule = OUTCOME_WORDS[each.outcome], parser_named(each.parser).rule_words(each.rule)
        notes.append(rich("`{}`: {}{}, by the rule “{}”{}", each.parser, words, option, rule, source))
    run = reply.replicate + (0 if evidence.imported else 1)  # imported repeats keep the number of their file
    about = f"{arm_label(address.arm)}, item {item.id}, run {run}"
    note, said = Markup("<br>").join(notes), excerpt(reply.text, read[1].evidence)
    return Quote(address.model, "", about, said, row_anchor(evidence, address, place), address.model, note=note)


# The rules that decided ----------------------------------------------------------------------------------------------


ENDS = {
    "No answer could be read": (Outcome.UNPARSED,),
    "Cut off before there was an answer": (Outcome.TRUNCATED,),
    "The response is empty": (Outcome.EMPTY,),
    "It declined, or said that it cannot tell": (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY),
    "An answer was read": (Outcome.CORRECT, Outcome.WRONG, Outcome.UNCLEAR, Outcome.SCORED),
}
"""Groups of outcomes that rules lead to, in the order shown."""
LABELLED = {f"It {words}": label for label, words in LABEL_WORDS.items()}
"""Labels of responses without an image, by their words, in the order shown."""

_SHIFT = 1 << 16


class Decided(NamedTuple):
    """A rule and its outcome, on one benchmark under one condition."""

    end: str
    rule: str
    benchmark: str
    arm: str


Examples = dict[Decided, tuple[ArmAddress, int]]


def choose_examples(evidence: Evidence) -> Examples:
    """Choose one linked response for each rule and outcome."""
    places: dict[Decided, dict[ArmAddress, Integers]] = {}
    for address in evidence.anchors:
        grades = evidence.grades(address)
        for (end, rule), those in _by_rule(grades).items():
            places.setdefault(Decided(end, rule, address.benchmark, address.arm), {})[address] = those
    found = {decided: first_by_hash(evidence, those, 1)[0] for decided, those in places.items()}
    evidence.lead_to(found.values())
    return found


def draw_rules(evidence: Evidence, shown: Examples) -> Iterator[Fold]:
    """Draw each parser's rules on each benchmark, and how often each rule decided.

    Links exist only for the study's own parser. Judges have no rules.
    """
    own = evidence.results.study["parser"]
    for parser, tables in evidence.results.readings.items():
        for benchmark in evidence.results.benchmarks:
            read = [table for (_, name), table in tables.items() if name == benchmark and not table.by_judges]
            if read:
                table = _draw_table(evidence, read, shown if parser == own else {})
                on = f" on {benchmark}" if len(evidence.results.benchmarks) > 1 else ""
                yield Fold(f"{counted(len(table.rows) - 1, 'rule')} of “{read[0].parser}”{on}", (table,))


def _draw_table(evidence: Evidence, read: Sequence[Graded], shown: Examples) -> Table:
    """Table with one row per rule, grouped by outcome. Unreadable responses come first."""
    parser, benchmark = read[0].parser, read[0].benchmark
    arms = tuple(dict.fromkeys(arm for table in read for arm in table.arms))
    counts: dict[tuple[str, str], Counter[str]] = {}
    for table in read:
        for arm, grades in table.arms.items():
            for key, those in _by_rule(grades).items():
                counts.setdefault(key, Counter())[arm] += len(those)
    ends, reads = list(LABELLED if benchmark in evidence.own_questions else ENDS), parser_named(parser)
    rows = []
    for end, rule in sorted(counts, key=lambda key: (ends.index(key[0]), -counts[key].total())):
        cells = []
        for arm in arms:
            found = shown.get(Decided(end, rule, benchmark, arm))
            to = "" if found is None else row_anchor(evidence, *found)
            cells.append(Cell(count(counts[end, rule][arm]), to=to))
        head = Cell(rich("{} `{}`", reads.rule_words(rule), rule))
        right, n = reads.counted.get(rule, (0, 0))
        known = [f"{count(right)} of {count(n)}"] if reads.counted and rule not in reads.formal else []
        labelled = ", ".join([*known, *(["unsure"] if reads.unsure(rule) else [])])
        rows.append(write_row(head, labelled, *cells, heading=end))
    totals = (Cell(count(sum(len(table.arms[arm]) for table in read if arm in table.arms))) for arm in arms)
    rows.append(Row(Cell("all responses"), (Cell(), *totals), look="total"))
    return Table(name_columns("rule", "right, of those labelled", numbers=map(arm_label, arms)), tuple(rows))


def _by_rule(grades: Grades) -> dict[tuple[str, str], Integers]:
    """Places of the responses that each rule decided, by outcome."""
    if not len(grades):
        return {}
    names = list(ENDS if grades.admissions is None else LABELLED)
    ends = codes(grades)
    if grades.admissions is None:
        groups = [grades.is_(*outcomes) for outcomes in ENDS.values()]
        ends = np.select(groups, range(len(ENDS)), default=0).astype(np.int64)
    keys = ends * _SHIFT + grades.rule
    order = np.argsort(keys, kind="stable")
    found, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        (names[key // _SHIFT], grades.rules[key % _SHIFT]): part.astype(np.int64)
        for key, part in zip(found.tolist(), parts, strict=True)
    }
