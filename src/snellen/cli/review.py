"""The commands `snellen review …`: draw cases, invite raters, serve pages, show results."""

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
    from snellen.tools.review.drawing import DrawingPlan
    from snellen.tools.review.results import Reviewed
    from snellen.tools.review.server import ServerAddress


class _ReviewGroup(WholeLines):
    """Group with a default command: `snellen review OUT` means `snellen review open OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


DATABASE = option(
    "--database URL",
    help="Separate PostgreSQL database for the votes, postgresql://USER:PASSWORD@HOST/NAME [default: a file in OUT].",
)


@click.group("review", cls=_ReviewGroup)
def review_command() -> None:
    """Let clinicians judge responses and questions in a browser. They do not learn whose responses these are.

    `snellen review OUT` draws cases from a study, prints a personal link for each rater, and serves them until Ctrl-C
    (the same as `snellen review open OUT`). Each vote is saved at once. `results` adds the labels to the study
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
    help="Raters' task: verdict, rationale, profile, reference, missing-image, quality, mismatch, premise, honest, "
    "mend; repeat for more.",
)
@option(
    "--benchmark BENCHMARK",
    help="Open questions to annotate before any model is asked, such as cases without reference answers; in a new OUT.",
)
@option("--rater NAME...", "raters", help="Rater to invite.")
@option("--settler NAME...", "settlers", help="Rater who decides if the others disagree.")
@option("--each N", type=Int64Range(1), help="Cases per stratum [default: the task's own].")
@option("--raters N", "readers", type=Int64Range(1), help="Raters per case [default: the task's own].")
@option(
    "--overlap SHARE",
    type=FiniteRange(0, 1),
    default=1.0,
    help="Share of the cases that all these raters read; the others are read by one.",
)
@option("--seed", default=0, help="Seed of the draw.")
@STUDY
@option("--host", default="127.0.0.1", help="Address to listen on; any address but the default needs TLS.")
@option("--port", type=Int64Range(0, 65535), default=8002, help="Port to listen on; 0 chooses a free one.")
@option("--tls-cert", type=OLD_FILE, help="Certificate (PEM).")
@option("--tls-key", type=OLD_FILE, help="Key of the certificate, if in another file.")
@option("--insecure", is_flag=True, help="Serve beyond this computer without TLS.")
@DATABASE
@option("--days N", type=FiniteRange(0, 3650, min_open=True), default=14.0, help="Days for which a link works.")
@option("--demo", is_flag=True, help="Show an example review of phantoms and organisms by simulated raters.")
def review_open_command(folder: str | None, demo: bool, **options: Any) -> None:
    """Draw cases, invite raters and serve them until Ctrl-C. Existing cases and votes are not changed.

    Cases and links of earlier calls are kept. Without --task and --rater the command only starts the server again. It
    listens on 127.0.0.1 unless --host is given. Anyone with a link votes in that rater's name; `snellen review revoke
    OUT NAME` disables it at once.

    \b
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review OUT --benchmark cases/ --task reference --rater anna --rater bert --settler carla
    snellen review OUT --host 0.0.0.0 --tls-cert review.pem --tls-key review.key
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.tools.review.drawing import DrawingPlan

    take = options.pop
    plan = DrawingPlan(each=take("each"), raters=take("readers"), overlap=take("overlap"), seed=take("seed"))
    invited = Invited(raters=take("raters"), settlers=take("settlers"), days=take("days"))
    address = ServerSettings(
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
    """Raters and settlers to invite, and the number of days for which their links work.

    A settler decides if the raters disagree.
    """

    raters: tuple[str, ...] = ()
    settlers: tuple[str, ...] = ()
    days: float = 14.0

    def __post_init__(self) -> None:
        from snellen.tools.review.ballots import normalise_name

        names = [normalise_name(name) for name in (*self.raters, *self.settlers)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise StudyError(f"Each rater gets one link, but {', '.join(twice)} is named twice.")


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Address, port and encryption of the server; StudyError for unencrypted access from outside, unless `insecure`."""

    host: str = "127.0.0.1"
    port: int = 8002
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        from snellen.listening import is_loopback

        if self.key and not self.certificate:
            raise StudyError("--tls-key needs a certificate: name it with --tls-cert.")
        if not is_loopback(self.host) and not self.certificate and not self.insecure:
            raise StudyError(
                f"Other computers can reach the review at {self.host}. Without TLS, the network can read links and "
                "cases. Name a certificate (--tls-cert, --tls-key), or allow this with --insecure."
            )

    def take_port(self) -> ServerAddress:
        """Start to listen on the port and return the address."""
        from snellen.tools.review.server import listen

        return listen(self.host, self.port, certificate=self.certificate, key=self.key)


class Opened(NamedTuple):
    """Opened review of a study: its store, record and ballots."""

    store: Store
    study: dict[str, Any]
    ballots: Ballots


@contextmanager
def open_review(folder: str, study: str | None, database: str | None, *, begin: bool = False) -> Iterator[Opened]:
    """Open the review of a study; StudyError if there is none, unless `begin` is set."""
    from snellen.files import create_folder
    from snellen.store import Store
    from snellen.store.study_names import choose_study
    from snellen.tools.review.ballots import Ballots, is_address

    if database is not None and not is_address(database):
        raise StudyError("Expected a database as postgresql://USER:PASSWORD@HOST/NAME.")
    with Store.open(folder) as store:
        record = store.studies.record(study)
        known = choose_study(store.studies.load_all(), record["name"], store.folder)
        nothing_yet = StudyError(
            f"There is no review of {known.name} in {'this database' if database else folder}. Start one (snellen "
            f"review {folder} --task verdict --rater NAME), or name its --database."
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
    plan: DrawingPlan,
    invited: Invited,
    address: ServerSettings,
    *,
    benchmark: str | None = None,
    study: str | None = None,
    database: str | None = None,
) -> None:
    """Draw the cases of tasks, invite raters, and serve until Ctrl-C.

    Existing cases and votes are kept. A `benchmark` adds questions that no model was asked, such as cases without
    reference answers; all are drawn.
    """
    from snellen.benchmarks import load
    from snellen.listening import is_loopback
    from snellen.tools.review.questions import store_questions
    from snellen.tools.review.server import Images, Review, serve
    from snellen.tools.review.tasks import task_named

    for task in tasks:
        task_named(task)
    if benchmark is not None:
        loaded = load(benchmark, keep_unreadable=True)
        study = store_questions(folder, loaded, provenance())
        plan = replace(plan, each=plan.each or len(loaded))
    with open_review(folder, study, database, begin=True) as found:
        for task in tasks:
            _draw(found, task, plan)
        if not found.ballots.reviews():
            raise StudyError(f"Which task? For example: snellen review {folder} --task verdict --rater NAME")
        place = address.take_port()
        with place.socket:
            links = _invite(found.ballots, invited, place.url)
            if not any(_counts(each) for each in found.ballots.raters()):
                raise StudyError(f"Which raters? For example: snellen review {folder} --rater NAME --rater OTHER")
            _say(found, place, links, address)
            app = Review(found.ballots, Images(found.store), tls=place.tls is not None, tell=complain)
            serve(app.app(local=is_loopback(address.host)), place)
    tell("Stopped. All votes and links are kept. Run the same command to continue.")


def _counts(rater: Rater) -> bool:
    return rater.revoked is None and rater.expires > time.time()


def _draw(found: Opened, task: str, plan: DrawingPlan) -> None:
    from snellen.tools.review.drawing import draw_sample
    from snellen.tools.review.tasks import task_named

    made = draw_sample(found.store, found.study, task_named(task), plan)
    new = found.ballots.add_review(task, made.record, made.cases)
    known, before = len(made.cases) - new, ""
    if known:
        were = f"{counted(known, 'case')} of this plan {'was' if known == 1 else 'were'} drawn before"
        before = f" ({were}; their number of raters does not change)"
    tell(f"{task}: {counted(new, 'new case')}{before}.")


def _invite(ballots: Ballots, invited: Invited, url: str) -> list[tuple[str, str]]:
    """Make links for raters without a valid one; return names and links."""
    from snellen.tools.review.ballots import normalise_name

    known = {rater.name: rater for rater in ballots.raters()}
    links = []
    for settles, names in ((False, invited.raters), (True, invited.settlers)):
        for name in map(normalise_name, names):
            if name in known and _counts(known[name]) and known[name].settles == settles:
                until, again = _day(known[name].expires), f"snellen review revoke OUT {name!r}, then this command again"
                tell(f"{name} already has a link until {until}. For a new one: {again}.")
                continue
            links.append((name, f"{url}/enter/{ballots.invite(name, settles=settles, days=invited.days)}"))
    return links


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment):%Y-%m-%d %H:%M}"


def _say(found: Opened, place: ServerAddress, links: Sequence[tuple[str, str]], address: ServerSettings) -> None:
    from snellen.listening import is_loopback

    for name, link in links:
        # Not wrapped: a link that is broken over two lines cannot be clicked.
        print(f"{visible(name)}: {link}", flush=True)
    if links:
        last = max(rater.expires for rater in found.ballots.raters())
        days = counted(max(1, round((last - time.time()) / 86_400)), "day")
        tell(
            f"Each link is personal and shown only now. It works for {days}. Anyone with it votes in that rater's name."
        )
    print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
    if is_loopback(address.host):
        tell("Only this computer can reach the review. For others, use --host with --tls-cert and --tls-key.")
    elif place.tls is None:
        complain("Links and cases are sent unencrypted (--insecure).")


def show_demo(folder: str, address: ServerSettings) -> None:
    """Review organisms with simulated raters, show the results, and serve the remaining cases."""
    from snellen.listening import is_loopback
    from snellen.tools.review import demo
    from snellen.tools.review.server import Images, Review, serve

    place = address.take_port()
    with place.socket:
        made = demo.demo(folder)
        tell(*made.sentences)
        with open_review(folder, demo.NAME, None) as found:
            print(f"{demo.YOU}: {place.url}/enter/{made.token}", flush=True)
            print(f"Raters are served at {place.url} (Ctrl-C ends it).", flush=True)
            review = Review(found.ballots, Images(found.store), tls=place.tls is not None, tell=complain)
            serve(review.app(local=is_loopback(address.host)), place)
    tell(f"Stopped. To see the results, your votes included: snellen review results {folder}")


FILE_OUT = click.argument("file", metavar="FILE", type=FILE)


@review_command.command("status")
@OUT
@STUDY
@DATABASE
def review_status_command(folder: str, **where: Any) -> None:
    """Show the progress of a review: cases, raters, and whether more votes are needed."""
    from snellen.cli.terminal import print_table
    from snellen.tools.review.ballots import AGREED, DIFFERS, OPEN, SETTLED
    from snellen.tools.review.stopping import enough
    from snellen.tools.review.tasks import task_named

    with open_review(folder, **where) as found:
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
        votes = []
        for rater in ballots.raters():
            far, link = ballots.progress(rater), f"{'until' if _counts(rater) else 'expired'} {_day(rater.expires)}"
            if rater.revoked is not None:
                link = f"revoked {_day(rater.revoked)}"
            votes.append((rater.name, "yes" if rater.settles else "", str(far.done), str(far.left), link))
        print_table(("rater", "settles", "done", "left", "link"), votes, title="Raters")
        tell(*said)


@review_command.command("results")
@OUT
@STUDY
@DATABASE
def review_results_command(folder: str, study: str | None, database: str | None) -> None:
    """Show agreement and settled labels, store them in the study, and rewrite its report. Sends nothing."""
    from snellen.cli.terminal import working
    from snellen.report.publishing import publish
    from snellen.store import Store
    from snellen.tools.review.returning import give_back
    from snellen.tools.review.stopping import enough

    name, reviews = read_reviews(folder, study, database)
    with Store.open(folder) as store:
        asked = bool(store.studies.record(name)["models"])
    for plan, found in reviews:
        tell(*found.sentences, enough(found.cases, found.task).sentence)
        tell(*give_back(folder, name, found, plan=plan).sentences)
    if not asked:
        what, write = "answers", f"snellen review labels {folder} FOLDER/items.jsonl --task reference"
        if {found.task.name for _, found in reviews} == {"mend"}:
            what, write = "corrections", f"snellen benchmark mend BENCHMARK --review {folder} --out NEW"
        tell(f"No model was asked. To write a benchmark with these {what}: {write}")
        return
    with working():
        written = publish(folder, study=name)
    tell(*_describe_marks(written))
    tell(f"The labels are in the report of {name}: {written.folder / 'report.html'}")


@review_command.command("export")
@OUT
@FILE_OUT
@option("--blind", is_flag=True, help="Leave out all votes, and which models and items the cases come from.")
@STUDY
@DATABASE
def review_export_command(folder: str, file: Path, blind: bool, **where: Any) -> None:
    """Write cases and votes to FILE: .csv, or .json for Label Studio."""
    from snellen.tools.review import exchange

    with open_review(folder, **where) as found:
        count = exchange.export(found.ballots, file, blind=blind)
    tell(f"{counted(count, 'case')} written to {file}.")


@review_command.command("import")
@OUT
@click.argument("file", metavar="FILE", type=OLD_FILE)
@STUDY
@DATABASE
def review_import_command(folder: str, file: Path, **where: Any) -> None:
    """Import votes that were made elsewhere from FILE: .csv, or .json of Label Studio."""
    from snellen.tools.review import exchange

    with open_review(folder, **where) as found:
        count = exchange.import_votes(found.ballots, file)
    tell(f"{counted(count, 'new vote')} imported from {file}.")


@review_command.command("revoke")
@OUT
@click.argument("name", metavar="NAME")
@STUDY
@DATABASE
def review_revoke_command(folder: str, name: str, **where: Any) -> None:
    """Disable a rater's link at once. The votes are kept."""
    with open_review(folder, **where) as found:
        if not found.ballots.revoke(name):
            names = ", ".join(rater.name for rater in found.ballots.raters())
            raise StudyError(f"No rater called {name!r} was invited. Invited: {names or 'none'}.")
    tell(f"The link of {name} no longer works. The votes of {name} are kept.")


@review_command.command("subset")
@OUT
@FILE_OUT
@option("--benchmark NAME", help="Only items of this benchmark.")
@STUDY
@DATABASE
def review_subset_command(folder: str, file: Path, benchmark: str | None, **where: Any) -> None:
    """Write the ids of the items whose image is essential (task profile) to FILE."""
    from snellen.tools.review.returning import write_subset

    _, [(_, found)] = read_reviews(folder, task="profile", **where)
    count = write_subset(found, file, benchmark)
    tell(f"{counted(count, 'item')} that need the image, written to {file}.")


@review_command.command("labels")
@OUT
@FILE_OUT
@option("--task TASK", required=True, help="Task whose labels to write; profile and honest cannot be written.")
@STUDY
@DATABASE
def review_labels_command(folder: str, file: Path, task: str, **where: Any) -> None:
    """Write settled labels to FILE.jsonl, for `snellen parser qualify`; for task reference, a benchmark file."""
    from snellen.tools.review.returning import write_labelled_rows, write_references

    name, [(_, found)] = read_reviews(folder, task=task, **where)
    write = write_references if task == "reference" else write_labelled_rows
    count = write(folder, name, found, file)
    left_out, others = len(found.cases) - count, ""
    if left_out:
        others = f" {counted(left_out, 'case')} without a settled answer {'is' if left_out == 1 else 'are'} left out."
    tell(f"{counted(count, 'settled case')} written to {file}.{others}")


def _missing(cases: Sequence[ReviewedCase], raters: Sequence[Rater]) -> Iterator[str]:
    """Describe the cases that need other raters, and whom to invite."""
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
            f"{counted(stuck[OPEN], 'case')} {'needs' if stuck[OPEN] == 1 else 'need'} another rater. Invite one with "
            "--rater NAME."
        )
    if stuck[DIFFERS]:
        yield (
            f"Raters differ on {counted(stuck[DIFFERS], 'case')}, and no settler is free. Invite one with --settler "
            "NAME."
        )


def _describe_marks(found: Results) -> Iterator[str]:
    """Describe the verdicts that use labels of the review, changed verdicts first."""
    from snellen.scoring.labelled_marks import list_labelled_marks
    from snellen.stress.verdicts.sentences import QUESTIONS

    for each in sorted(list_labelled_marks(found), key=lambda each: not each.changes):
        before, after = each.without.verdict, each.found.verdict
        became = f"{before.status.words} → {after.status.words}" if each.changes else f"stays {after.status.words}"
        why = after.numbers or after.meaning
        yield f"{QUESTIONS[each.found.test.name]} {each.found.model} on {each.found.benchmark}: {became}, {why}."


def read_reviews(
    folder: str, study: str | None, database: str | None, *, task: str | None = None
) -> tuple[str, list[tuple[dict[str, Any], Reviewed]]]:
    """Return the study's name, and the plan and results of each task."""
    from snellen.tools.review.results import summarise_review
    from snellen.tools.review.tasks import task_named

    with open_review(folder, study, database) as found:
        plans = found.ballots.reviews()
        if task is not None and task_named(task).name not in plans:
            raise StudyError(f"The review in {folder} has no task {task}. It has: {', '.join(plans)}.")
        chosen_ = plans if task is None else {task: plans[task]}
        read = [(plan, summarise_review(found.ballots.read(name), task_named(name))) for name, plan in chosen_.items()]
        return str(found.study["name"]), read
