"""snellen review: cases drawn from a study, links for raters, the server that shows them, and what they said."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table as Grid

from snellen.benchmarks import load
from snellen.commands.complaining import complain
from snellen.commands.console import out
from snellen.commands.terminal import grading
from snellen.errors import StudyError
from snellen.files import create_folder
from snellen.listening import is_loopback
from snellen.report.publishing import publish
from snellen.runtime import counted, provenance, visible
from snellen.scoring.labelled_marks import list_labelled_marks
from snellen.scoring.results import Results
from snellen.store import Store
from snellen.store.study_names import chosen
from snellen.stress.verdicts.sentences import QUESTIONS
from snellen.tools.review.ballots import (
    AGREED,
    DIFFERS,
    OPEN,
    SETTLED,
    Ballots,
    Rater,
    ReviewedCase,
    called,
    is_address,
)
from snellen.tools.review.drawing import Plan, drawn
from snellen.tools.review.results import Reviewed, reviewed
from snellen.tools.review.tasks import task_named

if TYPE_CHECKING:
    from snellen.tools.review.server import Place


@dataclass(frozen=True, kw_only=True)
class Invited:
    """Who is to read and who is to settle, and for how many days their links count."""

    raters: tuple[str, ...] = ()
    settlers: tuple[str, ...] = ()
    days: float = 14.0

    def __post_init__(self) -> None:
        names = [called(name) for name in (*self.raters, *self.settlers)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise StudyError(f"Each rater has one link: {', '.join(twice)} is named twice.")


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the server listens; beyond this computer only encrypted, unless `insecure` allows it otherwise."""

    host: str = "127.0.0.1"
    port: int = 8002
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        if self.key and not self.certificate:
            raise StudyError("A key needs its certificate: name it with --tls-cert.")
        if not is_loopback(self.host) and not self.certificate and not self.insecure:
            raise StudyError(
                f"At {self.host} others than this computer reach the review, and without TLS whoever is in between "
                "reads links and cases. Name a certificate (--tls-cert, --tls-key), or allow it with --insecure."
            )

    def taken(self) -> Place:
        """The place, once it listens."""
        from snellen.tools.review.server import listen

        return listen(self.host, self.port, certificate=self.certificate, key=self.key)


class Opened(NamedTuple):
    """The review of a study: its folder, its record and its ballots."""

    store: Store
    study: dict[str, Any]
    ballots: Ballots


@contextmanager
def opened(folder: str, study: str | None, database: str | None, *, begin: bool = False) -> Iterator[Opened]:
    """The review of a study in a folder, or in a database; StudyError where there is none and none is begun."""
    if database is not None and not is_address(database):
        raise StudyError("Expected a database as postgresql://USER:PASSWORD@HOST/NAME.")
    with Store.open(folder) as store:
        record = store.studies.record(study)
        known = chosen(store.studies.all(), record["name"], store.folder)
        nothing_yet = StudyError(
            f"There is no review of {known.name} in {'this database' if database else folder}. Begin one (snellen "
            f"review {folder} --task verdict --rater NAME), or name the --database that it is in."
        )
        if database is None and not begin and not Ballots.are_in(known.folder):
            raise nothing_yet
        create_folder(store.studies.results_folder(known.name))
        identity = f"{known.name}, added {datetime.fromtimestamp(known.added, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
        with Ballots.open(database or known.folder, study=identity) as ballots:
            if not begin and not ballots.reviews():
                raise nothing_yet
            yield Opened(store, record, ballots)


def review(
    folder: str,
    tasks: Sequence[str],
    plan: Plan,
    invited: Invited,
    address: Address,
    *,
    benchmark: str | None = None,
    study: str | None = None,
    database: str | None = None,
) -> None:
    """Draw the cases of tasks, invite raters, and serve until Ctrl-C. What is there already stays as it is.

    A `benchmark` brings questions that no model was asked, such as cases without reference answers: all are drawn.
    """
    from snellen.tools.review.server import Images, Review, serve

    for task in tasks:
        task_named(task)
    if benchmark is not None:
        study, count = _store_questions(folder, benchmark)
        plan = replace(plan, each=plan.each or count)
    with opened(folder, study, database, begin=True) as found:
        for task in tasks:
            _draw(found, task, plan)
        if not found.ballots.reviews():
            raise StudyError(f"What is to be judged? For example: snellen review {folder} --task verdict --rater NAME")
        place = address.taken()
        with place.socket:
            links = _invite(found.ballots, invited, place.url)
            if not any(_counts(each) for each in found.ballots.raters()):
                raise StudyError(f"Who is to read? For example: snellen review {folder} --rater NAME --rater OTHER")
            _say(found, place, links, address)
            app = Review(found.ballots, Images(found.store), tls=place.tls is not None, tell=complain)
            serve(app.app(local=is_loopback(address.host)), place)
    out.print("Stopped. Every vote is kept; the same command goes on, and links stay as they are.")


def _store_questions(folder: str, benchmark: str) -> tuple[str, int]:
    """Store a benchmark's open questions for a review: the name of their study, and how many items there are."""
    from snellen.tools.review.questions import store_questions

    loaded = load(benchmark, keep_unreadable=True)
    return store_questions(folder, loaded, provenance()), len(loaded)


def _counts(rater: Rater) -> bool:
    return rater.revoked is None and rater.expires > time.time()


def _draw(found: Opened, task: str, plan: Plan) -> None:
    made = drawn(found.store, found.study, task_named(task), plan)
    new = found.ballots.add_review(task, made.record, made.cases)
    known = len(made.cases) - new
    before = (
        f" ({counted(known, 'case')} of this plan {'was' if known == 1 else 'were'} there already, for as many raters "
        "as planned then)"
        if known
        else ""
    )
    out.print(f"{task}: {counted(new, 'new case')}{before}.")


def _invite(ballots: Ballots, invited: Invited, url: str) -> list[tuple[str, str]]:
    """The names and links of those who have none yet; a link that counts is not made again, so that it stays good."""
    known = {rater.name: rater for rater in ballots.raters()}
    links = []
    for settles, names in ((False, invited.raters), (True, invited.settlers)):
        for name in map(called, names):
            if name in known and _counts(known[name]) and known[name].settles == settles:
                until, again = _day(known[name].expires), f"snellen review revoke OUT {name!r}, and this again"
                out.print(visible(f"{name} has a link until {until}. For a new one: {again}."))
                continue
            links.append((name, f"{url}/enter/{ballots.invite(name, settles=settles, days=invited.days)}"))
    return links


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment):%Y-%m-%d %H:%M}"


def _say(found: Opened, place: Place, links: Sequence[tuple[str, str]], address: Address) -> None:
    for name, link in links:
        # Not wrapped: a link that is broken over two lines cannot be clicked.
        print(f"{visible(name)}: {link}", flush=True)
    if links:
        out.print(
            f"Each link is personal and shown only now. It counts for {_days(found.ballots)}. Whoever has it votes in "
            "that name.",
        )
    print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
    if is_loopback(address.host):
        out.print("Only this computer reaches it. --host with --tls-cert and --tls-key lets others in.")
    elif place.tls is None:
        complain("Links and cases travel unencrypted (--insecure).")


def _days(ballots: Ballots) -> str:
    last = max(rater.expires for rater in ballots.raters())
    return counted(max(1, round((last - time.time()) / 86_400)), "day")


def status(folder: str, *, study: str | None = None, database: str | None = None) -> None:
    """Print how far a review is: cases by task and state, and each rater's votes."""
    from snellen.tools.review.stopping import enough

    with opened(folder, study, database) as found:
        ballots = found.ballots
        grid = Grid("task", "cases", "open", "agreed", "differing", "settled", title="Cases", title_justify="left")
        said = []
        for task in ballots.reviews():
            cases = ballots.read(task)
            states = [each.state for each in cases]
            counts = [str(states.count(state)) for state in (OPEN, AGREED, DIFFERS, SETTLED)]
            grid.add_row(task, str(len(cases)), *counts)
            said.append(f"{task}: {enough(cases, task_named(task)).sentence}")
            said += [f"{task}: {sentence}" for sentence in _missing(cases, ballots.raters())]
        out.print(grid)
        people = Grid("rater", "settles", "done", "left", "link", title="Raters", title_justify="left")
        for rater in ballots.raters():
            far = ballots.progress(rater)
            settles = "yes" if rater.settles else ""
            people.add_row(visible(rater.name), settles, str(far.done), str(far.left), _link(rater))
        out.print(people)
        for sentence in said:
            out.print(sentence)


def _missing(cases: Sequence[ReviewedCase], raters: Sequence[Rater]) -> Iterator[str]:
    """Which cases nobody who was invited can bring further, and whom to invite."""
    readers = {rater.name for rater in raters if _counts(rater) and not rater.settles}
    settlers = {rater.name for rater in raters if _counts(rater) and rater.settles}
    stuck = {OPEN: 0, DIFFERS: 0}
    for case in cases:
        if case.state in stuck:
            voted = {vote.rater for vote in case.votes}
            said = [vote for vote in case.votes if not vote.settles and vote.value is not None]
            others = settlers or (readers if len(said) <= case.wanted else set())
            free = readers if case.state == OPEN else others
            wanting = case.wanted - len(said) if case.state == OPEN else 1
            stuck[case.state] += len(free - voted) < wanting
    if stuck[OPEN]:
        yield (
            f"{_wait(stuck[OPEN])} for more raters than there are whose link counts and who have not voted on "
            f"{_them(stuck[OPEN])}. Invite another with --rater NAME."
        )
    if stuck[DIFFERS]:
        yield (
            f"Raters differ, and {_wait(stuck[DIFFERS])} for somebody who settles {_them(stuck[DIFFERS])}. Invite "
            "another with --settler NAME."
        )


def _wait(count: int) -> str:
    return f"{counted(count, 'case')} {'waits' if count == 1 else 'wait'}"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _link(rater: Rater) -> str:
    if rater.revoked is not None:
        return f"revoked {_day(rater.revoked)}"
    return f"{'until' if _counts(rater) else 'expired'} {_day(rater.expires)}"


def revoke(folder: str, name: str, *, study: str | None = None, database: str | None = None) -> None:
    """Take a rater's link back; it is refused from the next request on."""
    with opened(folder, study, database) as found:
        if not found.ballots.revoke(name):
            names = ", ".join(rater.name for rater in found.ballots.raters())
            raise StudyError(f"Nobody called {name!r} was invited. Invited were: {names or 'nobody'}.")
    out.print(visible(f"The link of {name} counts no more. What {name} voted stays."))


def results(folder: str, *, study: str | None = None, database: str | None = None) -> None:
    """Print what raters said, give it back to the study, and write its report again."""
    from snellen.tools.review.returning import give_back
    from snellen.tools.review.stopping import enough

    name, reviews = _read(folder, study, database)
    with Store.open(folder) as store:
        asked = bool(store.studies.record(name)["models"])
    for plan, found in reviews:
        for sentence in (*found.sentences, enough(found.cases, found.task).sentence):
            out.print(visible(sentence))
        for sentence in give_back(folder, name, found, plan=plan).sentences:
            out.print(visible(sentence))
    if not asked:
        labels = f"snellen review labels {folder} FOLDER/items.jsonl --task reference"
        out.print(f"No model was asked. For a benchmark with these answers: {labels}", soft_wrap=True)
        return
    with grading():
        written = publish(folder, study=name)
    for sentence in _describe_marks(written):
        out.print(visible(sentence))
    out.print(f"The report of {name} has them: {written.folder / 'report.html'}")


def _describe_marks(found: Results) -> Iterator[str]:
    """The marks that use labels of the review, with those that change first."""
    for each in sorted(list_labelled_marks(found), key=lambda each: not each.changes):
        before, after = each.without.verdict, each.found.verdict
        became = f"{before.status.words} → {after.status.words}" if each.changes else f"stays {after.status.words}"
        why = after.numbers or after.meaning
        yield f"{QUESTIONS[each.found.test.name]} {each.found.model} on {each.found.benchmark}: {became}, {why}."


def _read(
    folder: str, study: str | None, database: str | None, *, task: str | None = None
) -> tuple[str, list[tuple[dict[str, Any], Reviewed]]]:
    """The study's name, and the plan of each task, or of the one that is named, with what was said to it."""
    with opened(folder, study, database) as found:
        plans = found.ballots.reviews()
        if task is not None and task_named(task).name not in plans:
            raise StudyError(f"The review in {folder} does not ask for {task}. It asks for: {', '.join(plans)}.")
        chosen_ = plans if task is None else {task: plans[task]}
        read = [(plan, reviewed(found.ballots.read(name), task_named(name))) for name, plan in chosen_.items()]
        return str(found.study["name"]), read


def export(
    folder: str, file: Path, *, blind: bool = False, study: str | None = None, database: str | None = None
) -> None:
    """Write cases and votes to a file: CSV, or JSON for Label Studio."""
    from snellen.tools.review import exchange

    with opened(folder, study, database) as found:
        count = exchange.export(found.ballots, file, blind=blind)
    out.print(f"{counted(count, 'case')} written to {file}.")


def import_votes(folder: str, file: Path, *, study: str | None = None, database: str | None = None) -> None:
    """Take over votes from a file."""
    from snellen.tools.review import exchange

    with opened(folder, study, database) as found:
        count = exchange.import_votes(found.ballots, file)
    out.print(f"{counted(count, 'new vote')} taken over from {file}.")


def subset(
    folder: str, file: Path, *, benchmark: str | None = None, study: str | None = None, database: str | None = None
) -> None:
    """Write the items that need their image by the raters' median."""
    from snellen.tools.review.returning import write_subset

    _, [(_, found)] = _read(folder, study, database, task="profile")
    count = write_subset(found, file, benchmark)
    out.print(f"{counted(count, 'item')} that need the image, written to {file}.")


def labels(folder: str, file: Path, task: str, *, study: str | None = None, database: str | None = None) -> None:
    """Write settled labels for `snellen parser qualify`; of reference answers, a benchmark with them."""
    from snellen.tools.review.returning import write_labelled_rows, write_references

    name, [(_, found)] = _read(folder, study, database, task=task)
    write = write_references if task == "reference" else write_labelled_rows
    count = write(folder, name, found, file)
    left_out = len(found.cases) - count
    others = f" {counted(left_out, 'case')} without a settled answer {_are(left_out)} left out." if left_out else ""
    out.print(f"{counted(count, 'settled case')} written to {file}.{others}")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def demo(folder: str, address: Address) -> None:
    """Review organisms with simulated raters, show what came out beside what was planted, and serve what is left."""
    from snellen.tools.review import demo
    from snellen.tools.review.server import Images, Review, serve

    place = address.taken()
    with place.socket:
        made = demo.demo(folder)
        for sentence in made.sentences:
            out.print(sentence)
        with opened(folder, demo.NAME, None) as found:
            print(f"{demo.YOU}: {place.url}/enter/{made.token}", flush=True)
            print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
            review = Review(found.ballots, Images(found.store), tls=place.tls is not None, tell=complain)
            serve(review.app(local=is_loopback(address.host)), place)
    out.print(f"Stopped. For what came out, your votes included: snellen review results {folder}")
