"""Every test starts without the settings and keys of whoever runs it; one server of organisms serves them all."""

import gc
import inspect
import os
import re
import signal
import subprocess
import sys
import tempfile
from functools import cache, lru_cache, wraps
from itertools import count
from pathlib import Path
from random import Random
from uuid import uuid4

import hypothesis
import pytest
import pytest_randomly
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol
from xdist.scheduler import LoadScopeScheduling

from browser import Browser
from inspect_logs import write_logs
from installed import CORE_ONLY, hide_extras, lacks_packages
from parts import PROGRAMS, describe_missing, require
from plug_ins import ENTRY_POINTS, WARD, install
from rows import merge_rows

# What is started in the background of a shell ignores Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# spaCy would seed torch around every test, and fail in one that hides torch: draws here have seeds of their own.
pytest_randomly.entrypoint_reseeds = []
# Arrays are small here: threads of the BLAS took ten times the processor time in `stress/image_dependence/guesser.py`.
# Workers and commands that the tests start inherit it; a process that has NumPy already does not mind.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Clusters that tests start listen on the loopback address alone; Ray reads it when it is imported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# What commands print is as wide as a test says, not as the terminal was when they were imported.
os.environ.pop("COLUMNS", None)
if CORE_ONLY:
    hide_extras()
    PROGRAMS.update(dict.fromkeys(PROGRAMS))
OUTSIDE = ("SNELLEN_", "OPENAI_", "ANTHROPIC_", "AWS_", "AZURE_", "GOOGLE_", "VERTEX_")
"""How the variables begin by which programs outside are told of servers, keys and settings."""
OWN = tempfile.TemporaryDirectory(prefix="snellen-tests-")
"""Where what users allow is remembered; gone at the end."""


class TogetherByFixtures(LoadScopeScheduling):
    """What is made once for many tests is made by one worker: a folder with fixtures stays whole, else a file does."""

    def _split_scope(self, nodeid):
        return _made_together(self.config.rootpath / nodeid.split("::")[0])

    def _assign_work_unit(self, node):
        """What waits for other processes comes first, so that no worker waits for it at the end."""
        if "ray" in self.workqueue:
            self.workqueue.move_to_end("ray", last=False)
        super()._assign_work_unit(node)

    def mark_test_complete(self, node, item_index, duration=0):
        """What is done is forgotten: it was counted again after every test."""
        unit = self._split_scope(self.registered_collections[node][item_index])
        super().mark_test_complete(node, item_index, duration)
        if all(self.assigned_work[node][unit].values()):
            del self.assigned_work[node][unit]


STARTED_ONCE = {
    "ray": r"^import ray$|connect\(\"ray\"\)",
    "torch": r"^ *(import|from) torch",
    "inspect": r"inspect_ai.* import |def logged\(inspect_logs",
    "browser": r"^def \w+\([^)]*\bbrowser\b",
}
"""What takes seconds to import or to start, and the lines of tests that use it: one worker runs them all."""


@cache
def _made_together(file):
    own = file.parent / "conftest.py"
    whole = own.exists() and own != Path(__file__)
    files = [each for each in (file.parent.glob("*.py") if whole else [file]) if each.suffix == ".py"]
    text = "\n".join(each.read_text("utf-8") for each in files)
    used = (name for name, lines in STARTED_ONCE.items() if re.search(lines, text, re.M))
    return next(used, str(file.parent if whole else file))


class FromTheEnd(pytest.Dir):
    """A folder whose last file comes first."""

    def collect(self):
        """What is in it, backwards."""
        return reversed(list(super().collect()))


def pytest_collect_directory(path, parent):
    """Every second worker begins at the end: what one has compiled by then, the other need not compile again."""
    second = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    return FromTheEnd.from_parent(parent, path=path) if second and not (path / "__init__.py").exists() else None


def pytest_ignore_collect(collection_path):
    """With the core alone, a file that imports more is left out."""
    return True if CORE_ONLY and collection_path.suffix == ".py" and lacks_packages(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With the core alone, a test that meets a package that is missing is skipped."""
    report = yield
    missing = ("is needed for this. Install it with", "No module named ")
    if CORE_ONLY and report.failed and any(words in report.longreprtext for words in missing):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, "Skipped: it needs more than the core")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """A file without a prompt has no examples to look for in it: finding none took a tenth of collecting."""
    found = yield
    examples = file_path.suffix != ".py" or b">>>" in file_path.read_bytes()
    return [each for each in found if examples or not isinstance(each, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    """The rows of a table are one test."""
    return merge_rows(collector, name, obj) if name.startswith("test_") and inspect.isfunction(obj) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The order is the same wherever a worker began."""
    items.sort(key=lambda item: (item.path, isinstance(item, pytest.DoctestItem)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """The last lines say which parts are missing."""
    yield
    for line in describe_missing(report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(line, yellow=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """How tests are dealt out to workers."""
    return TogetherByFixtures(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is made while collecting stays to the end, so no search for garbage goes through it, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_runtest_protocol(item, nextitem):
    """A worker tells how a test went, and of setting up and tearing down where `--durations` would: half the talk."""
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration >= 0.005:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """No key, no endpoint, no SNELLEN_ setting, no proxy from outside reaches a test (no fixture: each costs time).

    Nor does what somebody has allowed before, be it another test.
    """
    for name in list(os.environ):
        if name.startswith(OUTSIDE) or name.lower().endswith(("_proxy", "_api_key", "_base_url")):
            del os.environ[name]
    os.environ["XDG_CONFIG_HOME"] = f"{OWN.name}/{uuid4().hex}"


@pytest.fixture
def ward(tmp_path, monkeypatch):
    """The package of examples/plugin, installed."""
    from snellen.reading import parser_named

    install(tmp_path / "site", "snellen-ward", ENTRY_POINTS)
    for folder in (tmp_path / "site", WARD):
        monkeypatch.syspath_prepend(folder)
    yield
    for module in [name for name in sys.modules if name.partition(".")[0] == "ward"]:
        sys.modules.pop(module)
    parser_named.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def drawn_once():
    """A worker makes, draws and encodes a phantom once for all of its studies; what is `__wrapped__` does it anew."""
    from snellen.benchmarks import phantoms
    from snellen.benchmarks.phantoms.phantom import Phantom
    from snellen.images import Image

    drawn, encoded = Phantom.draw, Image.encoded
    pixels = lru_cache(maxsize=200)(drawn)
    file = lru_cache(maxsize=1000)(lambda phantom, *how, **looked: encoded(Image(phantom), *how, **looked))

    @wraps(drawn)
    def draw(phantom):
        return pixels(phantom).copy()

    @wraps(encoded)
    def encode(image, *how, **looked):
        plain = isinstance(image.source, Phantom) and not image.steps
        return file(image.source, *how, **looked) if plain else encoded(image, *how, **looked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Phantom, "draw", draw)
        patch.setattr(Image, "encoded", encode)
        for place, name in (
            (phantoms, "_stream"), (phantoms, "detections"), (phantoms.pathway, "pathways"),
            (phantoms.premises, "pairs"), (phantoms.reports, "reports"),
        ):  # fmt: skip
            patch.setattr(place, name, _remember_stream(getattr(place, name)))
        yield


def _remember_stream(make):
    """An endless stream of items that goes on where the last who read it stopped; what was read is kept."""
    streams = lru_cache(maxsize=100)(lambda *how: ([], make(*how)))

    @wraps(make)
    def stream(*how):
        kept, rest = streams(*how)
        for at in count():
            if at == len(kept):
                kept.append(next(rest))
            yield kept[at]

    return stream


@pytest.fixture(scope="session", autouse=True)
def unconverted():
    """Reports draw no PNG and no PDF, which takes a fifth of their time; `converted` gives what draws them."""
    from snellen.report.figures import folder

    convert = folder._convert
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "_convert", lambda svg, **how: how["format"].encode())
        yield convert


@pytest.fixture
def converted(unconverted, monkeypatch):
    """Drawings become PNG and PDF as users have them."""
    monkeypatch.setattr("snellen.report.figures.folder._convert", unconverted)


@pytest.fixture(scope="session", autouse=True)
def same_letters():
    """Every canary shows the same letters: who guesses hits those of an earlier chart once in 15,000 runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("snellen.sight.witness.SystemRandom", lambda: Random(0))
        yield


@pytest.fixture(scope="module")
def no_groups():
    """Studies are measured as a whole, not for each category again: for modules that say nothing of categories."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("snellen.scoring.results.findings_by_group", lambda tests, table: ())
        yield


@pytest.fixture
def no_page(monkeypatch):
    """Runs draw no page of a report: for tests that read what is printed and the tables."""
    from snellen.report.figures.standalone import Figures
    from snellen.report.page import RenderedReport

    monkeypatch.setattr("snellen.report.page.render_page", lambda results, store: RenderedReport("", Figures(), {}))


# Neither a deadline nor the speed of drawing counts: a busy machine is no fault of the code.
hypothesis.settings.register_profile(
    "ours",
    deadline=None,
    max_examples=20,
    derandomize="CI" in os.environ,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ours")


@pytest.fixture(scope="session")
def served():
    """The address of `snellen serve`, in a process of its own."""
    command = [sys.executable, "-u", "-m", "snellen", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/v1", line):
                break
        yield found.group()
        process.terminate()


@pytest.fixture(scope="session")
def inspect_logs(served, tmp_path_factory):
    """The folder of the logs that Inspect wrote of the organisms."""
    return write_logs(served, tmp_path_factory.mktemp("inspect"), tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def browser():
    """The one headless browser of a worker; without Chromium, tests that use it are skipped."""
    require("chromium")
    with Browser() as opened:
        yield opened
