"""The headline: who was examined on what, and the most important thing that was found, in one sentence.

What was found is told by the first rule that has anything to say. What speaks against a model or a benchmark comes
before what speaks for one, and a sentence names a model only for what was found of that model on that benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from snellen.items import part_of, whole_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.report.words.numbers import begun
from snellen.runtime import counted
from snellen.scoring.findings import Finding
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Measure, Status
from snellen.stress.conclusions import TOLERATED, percent, points
from snellen.stress.taxonomy import unseen

NEEDS = ("image-needed", "blank-image")
USED, ORDER, RATIONALE = "image-used", "option-order", "rationale"
NAMED = 3
"""So many models or benchmarks are named; of more, the others are counted."""


@dataclass(frozen=True)
class Headline:
    """The title of a report, what was found, and what that means."""

    title: str
    found: str
    meaning: str
    status: Status


def headline(evidence: Evidence) -> Headline:
    """The title and the sentence of a study."""
    results = evidence.results
    found, meaning, status = next(told for rule in RULES if (told := rule(results)) is not None)
    invented = _invents(results)
    if invented is not None and " findings " not in found:
        meaning = f"{meaning}. {invented[0]}"
    return Headline(_title(results), found, meaning, status)


def questions(results: Results, benchmark: str) -> int:
    """How many questions of a benchmark the study asks."""
    return max(table.questions_asked for (_, name), table in results.tables.items() if name == benchmark)


def short_names(results: Results) -> dict[str, str]:
    """The models as titles and lists call them: without their provider, where that leaves them apart."""
    names = [name for name, _ in results.study["models"]]
    short = [name.rpartition("/")[2] for name in names]
    return dict(zip(names, short if len(set(short)) == len(short) else names, strict=True))


def _title(results: Results) -> str:
    models = listed(list(short_names(results).values()))
    names = list(dict.fromkeys(name for _, name in results.tables))
    asked = {name: _asked(results, name) for name in names if whole_of(name) == name or whole_of(name) not in names}
    if len(asked) == 1:
        return f"{models} on {', '.join(next(iter(asked.items())))}"
    return f"{models} on {listed([f'{name} ({number})' for name, number in asked.items()])}"


def _asked(results: Results, benchmark: str) -> str:
    """How many questions a benchmark has, how many of them are open where it has both kinds, and how many reports."""
    kinds = {name: table.kind for (_, name), table in results.tables.items()}
    number = questions(results, benchmark)
    if kinds[benchmark] == "report":
        return counted(number, "report")
    open_part, reports = (part_of(benchmark, kind) for kind in ("open", "report"))
    in_words = questions(results, open_part) if open_part != benchmark and open_part in kinds else 0
    said = counted(number + in_words, "question") + (f", {in_words:,} of them open" if in_words else "")
    return f"{said}, and {counted(questions(results, reports), 'report')}" if reports in kinds else said


def listed(names: Sequence[str]) -> str:
    """Names in a row; of many, the first and how many more.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    names = list(dict.fromkeys(names))
    shown = names if len(names) <= NAMED else [*names[:NAMED], f"{len(names) - NAMED} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


Told = tuple[str, str, Status]


def _not_delivered(results: Results) -> Told | None:
    against = [each for each in results.delivery if each.status is Arrival.CONTRADICTED]
    lost = [each.model for each in against if not each.mislabelled]
    if against and not lost:
        meaning = "Nothing can be concluded from conditions that are not what they are called"
        return "What was sent contradicts the names of the conditions", meaning, Status.WITHHELD
    if not lost:
        return None
    meaning = "What came back says nothing of what a model does with an image"
    return f"The images seem not to have reached {listed(lost)}", meaning, Status.WITHHELD


def _does_not_need(results: Results) -> Told | None:
    """A score that is kept without the image: under the condition that most such verdicts rest on."""
    failed = [(each, arm) for each in _ended(results, Status.FAIL, *NEEDS) if (arm := _arm(each))]
    if not failed:
        return None
    arms = [arm for _, arm in failed]
    arm = max(dict.fromkeys(arms), key=arms.count)
    findings = _on_one([each for each, under in failed if under == arm])
    without = next(each.in_words for each in findings[0].test.compared if each.name == arm)
    accuracy = _range([each.estimate.value for each in _measures(findings, "accuracy", arm)])
    tables = [each.test.restrict_table(results.tables[each.model, each.benchmark]) for each in findings]
    chance = _range([float(table.chance[table.asked].mean()) for table in tables])
    kept = f"{_plural(findings, 'keeps', 'keep')} {accuracy} accuracy {without}{_on(results, findings)}"
    meaning = "Most of this score does not show that the image was looked at"
    found = f"{_who(results, findings)} {kept} (guessing: {chance}){_describing(results, findings, arm)}"
    return found, meaning, Status.FAIL


def _ignores(results: Results) -> Told | None:
    failed = _on_one(_ended(results, Status.FAIL, USED))
    if not failed:
        return None
    uses = _plural(failed, "does not use", "do not use")
    return f"{_who(results, failed)} {uses} the image{_on(results, failed)}", _each(failed), Status.FAIL


def _hangs_on_order(results: Results) -> Told | None:
    failed = _on_one(_ended(results, Status.FAIL, ORDER))
    if not failed:
        return None
    gives = _plural(failed, "gives", "give")
    found = f"{_who(results, failed)} {gives} other answers when the options are reordered{_on(results, failed)}"
    return found, _each(failed), Status.FAIL


def _fails(results: Results) -> Told | None:
    """Any other test that some model fails: the first of the study."""
    failed = _ended(results, Status.FAIL)
    same = _on_one([each for each in failed if each.test.name == failed[0].test.name]) if failed else []
    if not same:
        return None
    fails = f"{_plural(same, 'fails', 'fail')} {_called(same[0])}{_on(results, same)}"
    return f"{_who(results, same)} {fails}", _each(same), Status.FAIL


def _invents(results: Results) -> Told | None:
    """Findings that were not shown are described, by more than are tolerated, surely."""
    told = [each for each in results.findings if family(each) == RATIONALE and _invented(each)]
    if not told:
        return None
    told = _on_one(told)
    rates = _range([_invented(each)[0].estimate.value for each in told])
    said = f"{_who(results, told)} {_plural(told, 'describes', 'describe')} findings in {rates} of the responses"
    meaning = "As read by rules; no verdict is drawn from it"
    return f"{said} where no image was shown{_on(results, told)}", meaning, Status.REPORTED


def _guesses(results: Results) -> Told | None:
    """No model that was asked with and without the image is shown to be better than chance with it."""
    asked = [each for each in results.findings if family(each) in NEEDS]
    above = [(each, each.measure(each.test.baseline.name, "above_chance")) for each in asked]
    guessing = [each for each, measure in above if measure is not None and measure.estimate.low <= 0]
    if not guessing or len(guessing) < len(asked):
        return None
    is_not = _plural(guessing, "is", "are")
    meaning = f"Whether {_plural(guessing, 'it looks', 'they look')} cannot be told from this score"
    found = f"{_who(results, guessing)} {is_not} not shown to be better than guessing with the image"
    return found, meaning, Status.INCONCLUSIVE


def _needs(results: Results) -> Told | None:
    passed = _on_one(_ended(results, Status.PASS, *NEEDS))
    falls = [each for finding in passed for each in finding.measures if each.name == "difference" and unseen(each.arm)]
    if not falls:
        return None
    lost = _range([-each.estimate.value for each in falls], points)
    loses = f"{_plural(passed, 'loses', 'lose')} {lost} of accuracy{_on(results, passed)}"
    return f"Without the image {_who(results, passed)} {loses}", "Most of this score needs the image", Status.PASS


def _passes(results: Results) -> Told | None:
    """Any other test that some model passes: the first of the study."""
    passed = _ended(results, Status.PASS, USED) or _ended(results, Status.PASS)
    same = _on_one([each for each in passed if each.test.name == passed[0].test.name]) if passed else []
    if not same:
        return None
    uses = _plural(same, "uses", "use") + " the image"
    passes = uses if family(same[0]) == USED else f"{_plural(same, 'passes', 'pass')} {_called(same[0])}"
    return f"{_who(results, same)} {passes}{_on(results, same)}", _each(same), Status.PASS


def _scores(results: Results) -> Told | None:
    """The accuracy of the models, where no test had anything to compare."""
    undecided = [each.verdict for each in results.findings if each.verdict.status is Status.INCONCLUSIVE]
    if any(each.rests_on is not None for each in undecided):
        return None
    scored = [f"{model} {said}" for model, name in results.tables if (said := results.accuracy(model, name))]
    if not scored:
        return None
    meaning = undecided[0].meaning if undecided else "No test ended in pass or fail"
    return f"Accuracy: {listed(scored)}", begun(meaning), Status.REPORTED


def _nothing_settled(results: Results) -> Told:
    asked = sum(questions(results, name) for name in dict.fromkeys(name for _, name in results.tables))
    found = f"Nothing is settled by {asked:,} question{'' if asked == 1 else 's'}"
    return found, "No test ended in pass or fail", Status.INCONCLUSIVE


RULES: tuple[Callable[[Results], Told | None], ...] = (
    _not_delivered, _does_not_need, _ignores, _hangs_on_order, _fails, _invents, _guesses, _needs, _passes, _scores,
    _nothing_settled,
)  # fmt: skip
"""What may be most important, in that order; the last always has something to say."""


def _ended(results: Results, status: Status, *families: str) -> list[Finding]:
    """The findings with a verdict, of all tests or of some families."""
    ended = [each for each in results.findings if each.verdict.status is status]
    return [each for each in ended if family(each) in families] if families else ended


def _called(finding: Finding) -> str:
    """A test by its question, where it has a short one."""
    return f"the test “{finding.test.label}”" if finding.test.label else f"the test {finding.test.name}"


def _on_one(findings: Sequence[Finding]) -> list[Finding]:
    """Those of one benchmark: of the one that most of them are on."""
    names = [each.benchmark for each in findings]
    first = max(dict.fromkeys(names), key=names.count, default="")
    return [each for each in findings if each.benchmark == first]


def _on(results: Results, findings: Sequence[Finding]) -> str:
    """The benchmark, where the study has several."""
    several = len({name for _, name in results.tables}) > 1
    return f" on {findings[0].benchmark}" if several else ""


def _arm(finding: Finding) -> str:
    return finding.verdict.rests_on.arm if finding.verdict.rests_on is not None else ""


def _measures(findings: Sequence[Finding], name: str, arm: str) -> list[Measure]:
    return [measure for each in findings if (measure := each.measure(arm, name)) is not None]


def _invented(finding: Finding) -> list[Measure]:
    found = (each for each in finding.measures if each.name == "described_rate" and unseen(each.arm))
    told = [each for each in found if each.estimate.low > TOLERATED]
    return sorted(told, key=lambda each: each is not finding.verdict.rests_on)


def _describing(results: Results, findings: Sequence[Finding], arm: str) -> str:
    """How many responses under an arm describe findings, where all these models surely do so more than is tolerated."""
    places = {(each.model, each.benchmark) for each in findings}
    told = {
        (each.model, each.benchmark): measure.estimate.value
        for each in results.findings
        for measure in _invented(each)
        if family(each) == RATIONALE and measure.arm == arm and (each.model, each.benchmark) in places
    }
    if told.keys() != places:
        return ""
    return f"; {_range(list(told.values()))} of these responses describe findings that were not shown"


def _who(results: Results, findings: Sequence[Finding]) -> str:
    """The models of some findings: "Both models", "All 5 models", or by name."""
    models = list(dict.fromkeys(each.model for each in findings))
    every = len(results.study["models"])
    if len(models) == every and every > 1:
        return "Both models" if every == 2 else f"All {every} models"
    return listed(models)


def _plural(findings: Sequence[Finding], one: str, many: str) -> str:
    return one if len({each.model for each in findings}) == 1 else many


def _each(findings: Sequence[Finding]) -> str:
    """The numbers of a verdict; with its model, where there are several."""
    numbers = [begun(each.verdict.numbers or each.verdict.meaning) for each in findings]
    if len(findings) == 1:
        return numbers[0]
    told = [f"{each.model}: {said}" for each, said in zip(findings[:NAMED], numbers[:NAMED], strict=True)]
    return ". ".join([*told, *([f"And {len(findings) - NAMED} more"] if len(findings) > NAMED else [])])


def _range(values: Sequence[float], words: Callable[[float], str] = percent) -> str:
    """One number, or the least and the most.

    >>> _range([0.8, 0.802]), _range([0.5, 0.8])
    ('80%', '50% to 80%')
    """
    least, most = words(min(values)), words(max(values))
    return least if least == most else f"{least} to {most}"
