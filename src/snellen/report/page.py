"""The page: everything of a study gathered, and put into one HTML file that loads nothing from anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from snellen.conditions.labels import arm_effects
from snellen.grading.outcomes import Outcome
from snellen.report.archive import archived
from snellen.report.chapter import draw, opened
from snellen.report.evidence.evidence import Evidence
from snellen.report.evidence.people import people
from snellen.report.evidence.reply_kinds import BY_LABEL
from snellen.report.figures.dumbbells import key
from snellen.report.figures.marks import PATTERNS, axis_words, share_axis, swatch
from snellen.report.figures.palette import model_dot
from snellen.report.figures.standalone import Figures
from snellen.report.sections import account
from snellen.report.sections.by_group import FEW, breakdowns
from snellen.report.sections.clinicians import clinicians
from snellen.report.sections.first_screen import describe_trust, list_tables
from snellen.report.sections.graders import graded_by, graders
from snellen.report.sections.headline import headline, short_names
from snellen.report.sections.limits import limits
from snellen.report.sections.many_models import orders
from snellen.report.sections.one_case import draw_case
from snellen.report.sections.outcome_bars import count_acts, draw_outcomes
from snellen.report.sections.parsers import admission_parser, comparisons, differences, parsers
from snellen.report.sections.questions import questions, reruns
from snellen.report.sections.repeats import repeats
from snellen.report.sections.responses import pack
from snellen.report.sections.rules import examples, rule_tables
from snellen.report.sections.side_by_side import most_typical, side_by_side
from snellen.report.sections.summary import draw_with_without
from snellen.report.sections.tests import boards, sections
from snellen.report.sections.what_it_sees import sights
from snellen.report.sheet import policy, scripts, styles, templates
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label, arm_words
from snellen.report.words.glossary import rule_words
from snellen.scoring.results import COLUMNS, Results
from snellen.scoring.writing import as_csv
from snellen.store import Store
from snellen.stress.taxonomy import ONLY_A_JUDGE

STYLES = ("tokens", "page", "first", "figures", "marks", "chapters", "responses", "narrow", "print")
SCRIPTS = ("archive", "downloads", "responses", "page")
LONGEST_TABLE = 12
"""A table of more lines than this is folded."""
QUOTED = 240
"""Characters quoted of a response in the case of the first screen."""
LONGEST_REPLY = 600
"""Characters shown of a response that is quoted."""


def render(results: Results, store: Store, *, note: Markup | None = None) -> str:
    """The whole page, with a note at its top if there is one. Equal results make an equal page."""
    return rendered(results, store, note=note)[0]


def rendered(results: Results, store: Store, *, note: Markup | None = None) -> tuple[str, Figures]:
    """The whole page, and its figures, which it also carries as files."""
    style, script = styles(STYLES), scripts(SCRIPTS)
    template = _environment().get_template("page.html.jinja")
    evidence = Evidence(results, store)
    gathered = _gathered(evidence, store)
    page = template.render(
        style=style,
        script=script,
        policy=policy(style, script),
        note=note,
        files=archived({**evidence.figures.files(), "results.csv": as_csv(COLUMNS, results.rows())}),
        **gathered,
    )
    return page, evidence.figures


def _gathered(evidence: Evidence, store: Store) -> Mapping[str, Any]:
    results = evidence.results
    # What will be shown is chosen first, so that every arm's responses are taken out of the store once.
    chapters = opened(evidence)
    typical = {name: most_typical(evidence, name) for name in evidence.benchmarks}
    decided = examples(evidence)
    responses = pack(evidence, typical)
    differing = differences(evidence)
    seen = sights(evidence)
    shown = [side_by_side(evidence, name, ordinal) for name, ordinal in typical.items()]
    tests = sections(evidence)
    everywhere = _everywhere(evidence)
    told = draw(chapters, evidence, tests, _environment(), everywhere)
    told_in = {anchor: each.short for each in told for anchor in each.covered}
    parts: dict[str, list[Any]] = {
        "cases": [draw_case(evidence, each) for each in shown if each is not None],
        "outcomes": list(draw_outcomes(evidence)),
        "with_without": list(draw_with_without(evidence)),
        "sights": seen,
        "reruns": reruns(evidence, tests),
        "repeats": repeats(evidence),
        "breakdowns": breakdowns(evidence),
    }
    asked = questions(evidence, tests, told_in)
    reviewed = clinicians(evidence)
    scores = [each for each in tests if each.test.scores and each.anchor not in told_in]
    return {
        **everywhere,
        **parts,
        # runs are counted from 1; imported ones are called as their file calls them
        "first_run": 0 if results.study.get("imported") else 1,
        "headline": headline(evidence),
        "first": [*list_tables(evidence, tests), *describe_trust(evidence)],
        "orders": orders(evidence),
        "boards": boards(evidence, tests),
        "tests": tests,
        "questions": asked,
        "told": told,
        "counted": count_acts(evidence),
        "scores": scores,
        "scores_in": [each for each in told if any(test.test.scores and test.anchor in each.covered for test in tests)],
        "with_options": bool(evidence.benchmarks),
        "clinicians": reviewed,
        "contents": _list_contents(parts, reviewed=reviewed is not None),
        "parsers": parsers(evidence),
        "graders": graders(evidence),
        "graded_by": _graded_by(evidence),
        "comparisons": comparisons(evidence),
        "differing": differing,
        "rule_tables": rule_tables(evidence, decided),
        "responses": responses,
        "cited": list(dict.fromkeys(each.paper for each in told if each.paper)),
        "citation": CITATION.format(version=version("snellen")),
        **_accounted(evidence, store),
    }


def _graded_by(evidence: Evidence) -> list[str]:
    """Who graded answers in words; which benchmark, where there are several."""
    names = sorted(evidence.open_questions)
    said = {name: graded_by(evidence, name) for name in names}
    if len({tuple(each) for each in said.values()}) < 2:
        return [begun for name in names[:1] for begun in _told("Answers in words", said[name])]
    return [begun for name in names for begun in _told(f"Answers in words to {name}", said[name])]


def _told(what: str, sentences: Sequence[str]) -> list[str]:
    """Sentences, the first of which says what they are about."""
    return [f"{what}: {each[0].lower()}{each[1:]}" if at == 0 else each for at, each in enumerate(sentences)]


def _everywhere(evidence: Evidence) -> Mapping[str, Any]:
    """What the templates of chapters know as well as those of the page."""
    results = evidence.results
    return {
        "legend_of": [each for each in wording.OUTCOME_WORDS if evidence.reports or each is not Outcome.SCORED],
        "study": results.study,
        "several": evidence.several,
        "short": short_names(results),
        "album": evidence.album,
        "model_dot": lambda model: model_dot(evidence.place(model)),
        "arms": arm_words(results),
        "imported": results.study.get("imported", []),
        "admission_parser": admission_parser(evidence),
        "admission_agreement": wording.missing_image_agreement(),
    }


def _accounted(evidence: Evidence, store: Store) -> Mapping[str, Any]:
    results = evidence.results
    accounting = account.accounting(evidence)
    doubted: dict[str, list[str]] = {}
    for _, found in results.by_model():
        if said := results.doubts(found):
            doubted.setdefault(said, []).append(f"{found[0].model} on {found[0].benchmark}")
    return {
        "people": people(results.study),
        "delivery": results.delivery,
        "reported_as": results.reported_as,
        "doubted": doubted,
        "accounting": accounting,
        "limits": limits(evidence, accounting),
        "sources": account.sources(results),
        "left_out": results.left_out,
        "unscored": results.unscored,
        "wordings": account.wordings(evidence, store),
        "judge_wordings": account.judge_wordings(results, store),
        "methods": account.methods(results),
        "particulars": [
            *account.particulars(results.study, unused=_unused(evidence)),
            *(("spent", f"{each.model}: {each.words}") for each in results.spent if each.told),
            *(("images as sent", each) for sent in results.pictures.values() for each in sent.sentences()),
        ],
        "replies": sum(
            len(grades) for table in results.tables.values() for grades in table.with_repeats().arms.values()
        ),
    }


def _unused(evidence: Evidence) -> frozenset[str]:
    """The parsers that a study names and that had nothing to read."""
    idle = {"parser": not evidence.with_options, "admissions_by": not evidence.own_questions}
    return frozenset(name for name, unused in idle.items() if unused)


def _list_contents(parts: Mapping[str, Sequence[Any]], *, reviewed: bool) -> list[tuple[str, str]]:
    """The parts of the page that its head leads to, in their order."""
    found = [("summary", "Results")]
    found += [("figure-1", "What each model does")] if parts["outcomes"] else []
    found += [("typical", "One case")] if parts["cases"] else []
    found.append(("chapters", "Chapters"))
    found += [("clinicians", "Clinicians")] if reviewed else []
    return [*found, ("rows", "Responses"), ("methods", "Methods"), ("cite", "Cite")]


def demoted(html: str) -> Markup:
    """A part of the page with its headings one level down.

    >>> demoted(Markup("<h2>Title</h2><h3 class='x'>Part</h3>"))
    Markup("<h3>Title</h3><h4 class='x'>Part</h4>")
    """
    return Markup(_HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", html))  # noqa: S704 - escaped already


_HEADING = re.compile(r"(</?h)([2-5])\b")

CITATION = """@software{{snellen,
  title = {{Snellen: an eye exam for medical vision-language models}},
  author = {{{{The Snellen authors}}}},
  version = {{{version}}}
}}"""


@cache
def _environment() -> Environment:
    """Where templates come from; they are compiled once."""
    environment = templates()
    environment.filters.update(
        demoted=demoted,
        shortened=wording.shortened,
        excerpt=wording.excerpt,
        arm=arm_label,
        begun=wording.begun,
    )
    environment.globals.update(
        only_a_judge=ONLY_A_JUDGE,
        outcome_words=wording.OUTCOME_WORDS,
        status_class=wording.STATUS_CLASS,
        status_mark=wording.STATUS_MARK,
        swatch=swatch,
        kind_of=lambda part: "" if isinstance(part, Markup) else type(part).__name__.lower(),
        quoted_characters=QUOTED,
        sends_image=lambda arm: arm_effects(arm).sends_image,
        claims_agreement=wording.claims_parser_agreement(),
        rule_words=rule_words,
        few_items=FEW,
        longest_table=LONGEST_TABLE,
        label_kinds=tuple(BY_LABEL.values()),
        dumbbell_key=key,
        patterns=tuple(PATTERNS.values()),
        share_axis=share_axis() + axis_words("Responses (%)"),
        longest_reply=LONGEST_REPLY,
    )
    return environment
