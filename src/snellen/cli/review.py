"""The commands `snellen review …`: cases drawn from a study, links for raters, their server, and what they said."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from snellen.cli.loading import WholeLines
from snellen.cli.options import (
    FILE,
    OLD_FILE,
    OUT,
    STUDY,
    FilePath,
    FiniteRange,
    Int64Range,
    complain,
    option,
    tell,
)
from snellen.errors import StudyError
from snellen.runtime import counted, provenance, visible

if TYPE_CHECKING:
    from snellen.scoring.results import Results
    from snellen.store import Store
    from snellen.tools.review.ballots import Ballots, Rater, ReviewedCase
    from snellen.tools.review.drawing import Plan
    from snellen.tools.review.results import Reviewed
    from snellen.tools.review.server import Place


class _ReviewGroup(WholeLines):
    """A group whose first command may be left out: `snellen review OUT` is `snellen review open OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put in the command that was left out."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


DATABASE = option(
    "--database URL",
    help="PostgreSQL database of its own for the votes, postgresql://USER:PASSWORD@HOST/NAME [default: a file in OUT].",
)


@click.group("review", cls=_ReviewGroup)
def review_command() -> None:
    """Let clinicians judge responses and questions in a browser. They do not learn whose responses these are.

    `snellen review OUT` draws cases from a study, prints a personal link for each rater, and serves them until Ctrl-C
    (the same as `snellen review open OUT`). Votes are saved at once. `results` gives what was said back to the study
    and its report. A --database needs the extra `postgres`.

    \b
    snellen review --demo
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review status OUT
    snellen review results OUT
    """  # noqa: D301 - the backslash keeps the lines below it apart


@review_command.command("open")
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
@option(
    "--task TASK...",
    "tasks",
    help="What is judged: verdict, rationale, profile, reference, missing-image, quality, mismatch, premise, honest; "
    "repeat for more.",
)
@option(
    "--benchmark BENCHMARK",
    help="Open questions to annotate before any model is asked, such as cases without reference answers; OUT is new.",
)
@option("--rater NAME...", "raters", help="Who reads.")
@option("--settler NAME...", "settlers", help="Who decides where raters disagree.")
@option("--each N", type=Int64Range(1), help="Cases of each stratum [default: the task's own].")
@option("--raters N", "readers", type=Int64Range(1), help="Raters of a case [default: the task's own].")
@option(
    "--overlap SHARE",
    type=FiniteRange(0, 1),
    default=1.0,
    help="Share of the cases that so many raters read; the others are read by one.",
)
@option("--seed", default=0, help="Seed of the draw.")
@STUDY
@option("--host", default="127.0.0.1", help="Address to listen on; any other needs TLS.")
@option("--port", type=Int64Range(0, 65535), default=8002, help="Port to listen on; 0: any.")
@option("--tls-cert", type=OLD_FILE, help="Certificate (PEM).")
@option("--tls-key", type=OLD_FILE, help="Its key, if in another file.")
@option("--insecure", is_flag=True, help="Serve beyond this computer without TLS.")
@DATABASE
@option("--days N", type=FiniteRange(0, 3650, min_open=True), default=14.0, help="Days for which a link counts.")
@option("--demo", is_flag=True, help="Show what a review comes to: phantoms, organisms and simulated raters.")
def review_open_command(folder: str | None, demo: bool, **options: Any) -> None:
    """Draw cases, invite raters and serve them until Ctrl-C. What is there already is neither drawn nor changed.

    Cases and links of earlier calls stay: without --task and --rater the server just goes on. It listens on 127.0.0.1
    only unless told otherwise. Whoever has a link votes in that rater's name; `snellen review revoke OUT NAME` takes it
    back at once.

    \b
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review OUT --benchmark cases/ --task reference --rater anna --rater bert --settler carla
    snellen review OUT --host 0.0.0.0 --tls-cert review.pem --tls-key review.key
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.tools.review.drawing import Plan

    take = options.pop
    plan = Plan(each=take("each"), raters=take("readers"), overlap=take("overlap"), seed=take("seed"))
    invited = Invited(raters=take("raters"), settlers=take("settlers"), days=take("days"))
    address = Address(
        host=take("host"), port=take("port"), certificate=take("tls_cert"), key=take("tls_key"),
        insecure=take("insecure"),
    )  # fmt: skip
    if demo:
        show_demo(folder or "review-demo", address)
        return
    if folder is None:
        raise click.UsageError("Which study? snellen review OUT, where OUT is the --out of an exam; or --demo.")
    run_review(folder, take("tasks"), plan, invited, address, **options)


@dataclass(frozen=True, kw_only=True)
class Invited:
    """Who is to read and who is to settle, and for how many days their links count."""

    raters: tuple[str, ...] = ()
    settlers: tuple[str, ...] = ()
    days: float = 14.0

    def __post_init__(self) -> None:
        from snellen.tools.review.ballots import called

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
        from snellen.listening import is_loopback

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
    from snellen.files import create_folder
    from snellen.store import Store
    from snellen.store.study_names import chosen
    from snellen.tools.review.ballots import Ballots, is_address

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


def run_review(
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
    from snellen.listening import is_loopback
    from snellen.tools.review.server import Images, Review, serve
    from snellen.tools.review.tasks import task_named

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
    tell("Stopped. Every vote is kept; the same command goes on, and links stay as they are.")


def _store_questions(folder: str, benchmark: str) -> tuple[str, int]:
    """Store a benchmark's open questions for a review: the name of their study, and how many items there are."""
    from snellen.benchmarks import load
    from snellen.tools.review.questions import store_questions

    loaded = load(benchmark, keep_unreadable=True)
    return store_questions(folder, loaded, provenance()), len(loaded)


def _counts(rater: Rater) -> bool:
    return rater.revoked is None and rater.expires > time.time()


def _draw(found: Opened, task: str, plan: Plan) -> None:
    from snellen.tools.review.drawing import drawn
    from snellen.tools.review.tasks import task_named

    made = drawn(found.store, found.study, task_named(task), plan)
    new = found.ballots.add_review(task, made.record, made.cases)
    known = len(made.cases) - new
    before = (
        f" ({counted(known, 'case')} of this plan {'was' if known == 1 else 'were'} there already, for as many raters "
        "as planned then)"
        if known
        else ""
    )
    tell(f"{task}: {counted(new, 'new case')}{before}.")


def _invite(ballots: Ballots, invited: Invited, url: str) -> list[tuple[str, str]]:
    """The names and links of those who have none yet; a link that counts is not made again, so that it stays good."""
    from snellen.tools.review.ballots import called

    known = {rater.name: rater for rater in ballots.raters()}
    links = []
    for settles, names in ((False, invited.raters), (True, invited.settlers)):
        for name in map(called, names):
            if name in known and _counts(known[name]) and known[name].settles == settles:
                until, again = _day(known[name].expires), f"snellen review revoke OUT {name!r}, and this again"
                tell(f"{name} has a link until {until}. For a new one: {again}.")
                continue
            links.append((name, f"{url}/enter/{ballots.invite(name, settles=settles, days=invited.days)}"))
    return links


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment):%Y-%m-%d %H:%M}"


def _say(found: Opened, place: Place, links: Sequence[tuple[str, str]], address: Address) -> None:
    from snellen.listening import is_loopback

    for name, link in links:
        # Not wrapped: a link that is broken over two lines cannot be clicked.
        print(f"{visible(name)}: {link}", flush=True)
    if links:
        tell(
            f"Each link is personal and shown only now. It counts for {_days(found.ballots)}. Whoever has it votes in "
            "that name."
        )
    print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
    if is_loopback(address.host):
        tell("Only this computer reaches it. --host with --tls-cert and --tls-key lets others in.")
    elif place.tls is None:
        complain("Links and cases travel unencrypted (--insecure).")


def _days(ballots: Ballots) -> str:
    last = max(rater.expires for rater in ballots.raters())
    return counted(max(1, round((last - time.time()) / 86_400)), "day")


def show_demo(folder: str, address: Address) -> None:
    """Review organisms with simulated raters, show what came out beside what was planted, and serve what is left."""
    from snellen.listening import is_loopback
    from snellen.tools.review import demo
    from snellen.tools.review.server import Images, Review, serve

    place = address.taken()
    with place.socket:
        made = demo.demo(folder)
        tell(*made.sentences)
        with opened(folder, demo.NAME, None) as found:
            print(f"{demo.YOU}: {place.url}/enter/{made.token}", flush=True)
            print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
            review = Review(found.ballots, Images(found.store), tls=place.tls is not None, tell=complain)
            serve(review.app(local=is_loopback(address.host)), place)
    tell(f"Stopped. For what came out, your votes included: snellen review results {folder}")


FILE_OUT = click.argument("file", metavar="FILE", type=FILE)


@review_command.command("status")
@OUT
@STUDY
@DATABASE
def review_status_command(folder: str, **where: Any) -> None:
    """Show how far a review is: cases, raters, and whether enough has been read."""
    from snellen.cli.terminal import print_table
    from snellen.tools.review.ballots import AGREED, DIFFERS, OPEN, SETTLED
    from snellen.tools.review.stopping import enough
    from snellen.tools.review.tasks import task_named

    with opened(folder, **where) as found:
        ballots = found.ballots
        rows, said = [], []
        for task in ballots.reviews():
            cases = ballots.read(task)
            states = [each.state for each in cases]
            counts = (str(states.count(state)) for state in (OPEN, AGREED, DIFFERS, SETTLED))
            rows.append((task, str(len(cases)), *counts))
            said.append(f"{task}: {enough(cases, task_named(task)).sentence}")
            said += [f"{task}: {sentence}" for sentence in _missing(cases, ballots.raters())]
        print_table(("task", "cases", "open", "agreed", "differing", "settled"), rows, title="Cases")
        people = [(rater, ballots.progress(rater)) for rater in ballots.raters()]
        votes = [
            (rater.name, "yes" if rater.settles else "", str(far.done), str(far.left), _link(rater))
            for rater, far in people
        ]
        print_table(("rater", "settles", "done", "left", "link"), votes, title="Raters")
        tell(*said)


@review_command.command("results")
@OUT
@STUDY
@DATABASE
def review_results_command(folder: str, study: str | None, database: str | None) -> None:
    """Show agreement and what was settled, give it back to the study, and write its report again. Sends nothing."""
    from snellen.cli.terminal import working
    from snellen.report.publishing import publish
    from snellen.store import Store
    from snellen.tools.review.returning import give_back
    from snellen.tools.review.stopping import enough

    name, reviews = _read(folder, study, database)
    with Store.open(folder) as store:
        asked = bool(store.studies.record(name)["models"])
    for plan, found in reviews:
        tell(*found.sentences, enough(found.cases, found.task).sentence)
        tell(*give_back(folder, name, found, plan=plan).sentences)
    if not asked:
        labels = f"snellen review labels {folder} FOLDER/items.jsonl --task reference"
        tell(f"No model was asked. For a benchmark with these answers: {labels}")
        return
    with working():
        written = publish(folder, study=name)
    tell(*_describe_marks(written))
    tell(f"The report of {name} has them: {written.folder / 'report.html'}")


@review_command.command("export")
@OUT
@FILE_OUT
@option("--blind", is_flag=True, help="Leave out what the cases are about, and all votes.")
@STUDY
@DATABASE
def review_export_command(folder: str, file: Path, blind: bool, **where: Any) -> None:
    """Write cases and votes to FILE: .csv, or .json for Label Studio."""
    from snellen.tools.review import exchange

    with opened(folder, **where) as found:
        count = exchange.export(found.ballots, file, blind=blind)
    tell(f"{counted(count, 'case')} written to {file}.")


@review_command.command("import")
@OUT
@click.argument("file", metavar="FILE", type=OLD_FILE)
@STUDY
@DATABASE
def review_import_command(folder: str, file: Path, **where: Any) -> None:
    """Take over votes that were made elsewhere from FILE: .csv, or .json of Label Studio."""
    from snellen.tools.review import exchange

    with opened(folder, **where) as found:
        count = exchange.import_votes(found.ballots, file)
    tell(f"{counted(count, 'new vote')} taken over from {file}.")


@review_command.command("revoke")
@OUT
@click.argument("name", metavar="NAME")
@STUDY
@DATABASE
def review_revoke_command(folder: str, name: str, **where: Any) -> None:
    """Take a rater's link back: it is refused from the next request on. Votes stay."""
    with opened(folder, **where) as found:
        if not found.ballots.revoke(name):
            names = ", ".join(rater.name for rater in found.ballots.raters())
            raise StudyError(f"Nobody called {name!r} was invited. Invited were: {names or 'nobody'}.")
    tell(f"The link of {name} counts no more. What {name} voted stays.")


@review_command.command("subset")
@OUT
@FILE_OUT
@option("--benchmark NAME", help="Items of this benchmark alone.")
@STUDY
@DATABASE
def review_subset_command(folder: str, file: Path, benchmark: str | None, **where: Any) -> None:
    """Write the ids of the items whose image is essential by the median of their raters (task profile) to FILE."""
    from snellen.tools.review.returning import write_subset

    _, [(_, found)] = _read(folder, task="profile", **where)
    count = write_subset(found, file, benchmark)
    tell(f"{counted(count, 'item')} that need the image, written to {file}.")


@review_command.command("labels")
@OUT
@FILE_OUT
@option("--task TASK", required=True, help="The task; profile and honest have no rows for it.")
@STUDY
@DATABASE
def review_labels_command(folder: str, file: Path, task: str, **where: Any) -> None:
    """Write settled labels to FILE.jsonl, for `snellen parser qualify`; of reference answers, a benchmark file."""
    from snellen.tools.review.returning import write_labelled_rows, write_references

    name, [(_, found)] = _read(folder, task=task, **where)
    write = write_references if task == "reference" else write_labelled_rows
    count = write(folder, name, found, file)
    left_out = len(found.cases) - count
    others = f" {counted(left_out, 'case')} without a settled answer {_are(left_out)} left out." if left_out else ""
    tell(f"{counted(count, 'settled case')} written to {file}.{others}")


def _missing(cases: Sequence[ReviewedCase], raters: Sequence[Rater]) -> Iterator[str]:
    """Which cases nobody who was invited can bring further, and whom to invite."""
    from snellen.tools.review.ballots import DIFFERS, OPEN

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


def _describe_marks(found: Results) -> Iterator[str]:
    """The marks that use labels of the review, with those that change first."""
    from snellen.scoring.labelled_marks import list_labelled_marks
    from snellen.stress.verdicts.sentences import QUESTIONS

    for each in sorted(list_labelled_marks(found), key=lambda each: not each.changes):
        before, after = each.without.verdict, each.found.verdict
        became = f"{before.status.words} → {after.status.words}" if each.changes else f"stays {after.status.words}"
        why = after.numbers or after.meaning
        yield f"{QUESTIONS[each.found.test.name]} {each.found.model} on {each.found.benchmark}: {became}, {why}."


def _read(
    folder: str, study: str | None, database: str | None, *, task: str | None = None
) -> tuple[str, list[tuple[dict[str, Any], Reviewed]]]:
    """The study's name, and the plan of each task, or of the one that is named, with what was said to it."""
    from snellen.tools.review.results import reviewed
    from snellen.tools.review.tasks import task_named

    with opened(folder, study, database) as found:
        plans = found.ballots.reviews()
        if task is not None and task_named(task).name not in plans:
            raise StudyError(f"The review in {folder} does not ask for {task}. It asks for: {', '.join(plans)}.")
        chosen_ = plans if task is None else {task: plans[task]}
        read = [(plan, reviewed(found.ballots.read(name), task_named(name))) for name, plan in chosen_.items()]
        return str(found.study["name"]), read


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
