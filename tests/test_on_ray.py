"""A study on a real Ray cluster of several nodes: the same store as on one machine, whatever is killed meanwhile."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import ray

from image_files import png
from snellen.asking.plan import Plan
from snellen.asking.requests import PlanSource
from snellen.asking.run import ask_all, run
from snellen.cluster import Need, RunPlace, _try, address_of, connect
from snellen.conditions import ImageDegraded
from snellen.errors import ClusterError, PluginError, StudyError
from snellen.images import Image
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.replicated import Replicated, itself
from snellen.perturb.artefacts import ARTEFACTS
from snellen.prompts import PROMPTS, Settings
from snellen.store import Store
from snellen.stress import stress_test
from snellen.tools.degrade import Task, degrade_folder
from strategies import items

# The port of a killed node refuses at once, and one that is merely slow has a minute to answer, three times.
# A worker starts when it has work and stays for more of it: to start one takes seconds.
SYSTEM = {
    "health_check_initial_delay_ms": 200,
    "health_check_period_ms": 200,
    "health_check_timeout_ms": 60_000,
    "health_check_failure_threshold": 3,
    "enable_worker_prestart": False,
    "prestart_worker_first_driver": False,
    "num_workers_soft_limit": 8,
    "idle_worker_killing_time_threshold_ms": 600_000,
}


@pytest.fixture(scope="module")
def started():
    """The cluster that `--on ray` starts, with a head without CPUs, and two nodes with one each, all on loopback."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.worker.print_to_stdstream", lambda *_, **__: None)  # a page for each killed node
        patch.setattr("ray._private.services._build_python_executable_command_memory_profileable", idle_agent)
        for program in ("start_monitor", "start_log_monitor"):  # nothing grows, nobody reads the logs
            patch.setattr(f"ray._private.node.Node.{program}", lambda node: None)
        patch.setattr(ray, "init", partial(ray.init, num_cpus=0, _system_config=SYSTEM))
        with connect("ray"):
            made = Cluster()
            made.head_node = ray._private.worker._global_node
            made.redis_address, made.global_state = made.head_node.redis_address, ray._private.state.state
            made.small = {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1"}
            for _ in range(2):
                made.add_node(**made.small)
            yield made
            for node in list(made.worker_nodes):
                made.remove_node(node, allow_graceful=False)


def idle_agent(component, *_, **__):
    """The command by which Ray starts a program of its own; the agents of a node do nothing."""
    script = Path(__file__).with_name("idle_ray_agent.py")
    return [sys.executable, "-S", str(script)] if "agent" in component else [sys.executable]


@pytest.fixture
def cluster(started):
    """The cluster once its head has noticed which nodes an earlier test has killed."""
    there = {node.node_id for node in started.list_all_nodes()}
    while {node["NodeID"] for node in ray.nodes() if node["Alive"]} != there or ray.cluster_resources()["CPU"] != 2:
        time.sleep(0.1)
    return started


def planned(seconds=0.0, note=None, held=None):
    """120 requests to a model whose answer depends on the request alone; it goes to its replicas whole.

    Each process that answers leaves its number in the folder `note`; as long as there is a file `held`, it answers
    only 40 times, and what came together with the 41st waits as well.
    """
    asked = []

    def reply(request):
        asked.append(request.key)
        while held is not None and held.exists() and len(asked) > 40:
            time.sleep(0.05)
        if note is not None:
            (note / str(os.getpid())).touch()
        time.sleep(seconds)
        return f"Answer: {'ABCD'[request.key[0] % 4]}"

    model = FakeModel(reply, name="fake/slow", revision="1")
    tests = (stress_test("image-needed").design, stress_test("option-order").design)
    return Plan((Benchmark("b", items(40)),), (model,), tests, PROMPTS["letter"], Settings(temperature=0))


def on_ray(cluster, plan, out, watch=lambda progress: None, *, replicas=2):
    """Run a plan of one model on the cluster; how it went."""
    place = RunPlace(f"ray://{cluster.address}")
    model = plan.models[0]
    need = Need(model.name, replicas, num_cpus=1)
    place.needs.append(need)
    with place.connect(), Store.open(out, write=True) as store:
        asked = Replicated(model, partial(itself, model), place, need, connections=8)
        progress = ask_all([asked], PlanSource(plan, store, place), store, watch=watch)
    assert place.remarks == []
    return progress


def rows(out):
    """All that is stored of the answers: each cell with its key and words."""
    with closing(sqlite3.connect(out / "responses.sqlite")) as store:
        keys = store.execute("SELECT count(*), count(DISTINCT key) FROM responses").fetchone()
        assert keys[0] == keys[1]
        return store.execute(
            "SELECT m.name, a.name, t.ordinal, t.replicate, hex(r.key), r.text, r.finish, r.delivered, v.text, v.images"
            " FROM trials t JOIN responses r ON r.id = t.response JOIN models m ON m.id = t.model "
            "JOIN arms a ON a.id = t.arm JOIN variants v ON v.arm = t.arm AND v.ordinal = t.ordinal ORDER BY 1, 2, 3, 4"
        ).fetchall()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What the plan's store holds where it ran in this process."""
    out = tmp_path_factory.mktemp("here")
    with Store.open(out, write=True) as store:
        run(planned(), store)
    return rows(out)


@pytest.mark.timeout(1200)
def test_whatever_is_killed_nothing_is_lost_or_doubled(cluster, undisturbed, tmp_path):
    """The process that asks is killed. A later run asks the rest; of it a replica and two nodes are killed.

    The moments are drawn by seeds, and other replicas and nodes take their places.
    """
    out, held, note = tmp_path / "out", tmp_path / "held", tmp_path / "note"
    held.touch()
    note.mkdir()
    kill_driver(cluster, out, held)
    before = stored(out)
    draws = [random.Random(seed) for seed in range(2)]
    moments = [5, *(20 + number * 25 + draw.randrange(10) for number, draw in enumerate(draws))]

    def kill(progress):
        if moments and progress.done >= moments[0]:
            if moments.pop(0) == 5:
                return os.kill(int(next(note.iterdir()).name), signal.SIGKILL)
            nodes = cluster.list_all_nodes()[1:]
            cluster.remove_node(nodes[draws.pop(0).randrange(len(nodes))], allow_graceful=False)
            cluster.add_node(**cluster.small)
        return None

    progress = on_ray(cluster, planned(0.02, note), out, kill)
    assert not moments
    assert progress.unusable == {}
    assert len(list(note.iterdir())) >= 2  # the process killed, and at least one that took its place
    assert progress.done + progress.failed == len({row[4] for row in undisturbed}) - before
    if progress.failed:  # a request that was lost three times is left to the next run
        on_ray(cluster, planned(), out)
    assert rows(out) == undisturbed


def kill_driver(cluster, out, held):
    """Ask in a process of its own, and kill that once some responses are stored."""
    program = (
        "import sys; from pathlib import Path; from types import SimpleNamespace; from test_on_ray import *\n"
        "import snellen.cluster; snellen.cluster.ANSWERS_WITHIN = 250\n"
        "on_ray(SimpleNamespace(address=sys.argv[1]), planned(held=Path(sys.argv[3])), Path(sys.argv[2]), replicas=1)"
    )
    path = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    command = [sys.executable, "-c", program, cluster.address, str(out), str(held)]
    driver = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})
    while not (out / "responses.sqlite").exists() or stored(out) < 20:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()


def test_a_full_object_store_holds_nothing_up(cluster, tmp_path):
    """What is under way is larger than the object store of a node: Ray writes to the disk, and all is answered."""
    noise = np.random.default_rng(0).integers(0, 256, (24, 2000, 2000), dtype=np.uint8)
    for number, pixels in enumerate(noise):
        (tmp_path / f"{number}.png").write_bytes(png(pixels, compress_level=0))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) > cluster.small["object_store_memory"]
    large = Benchmark(
        "large", [replace(item, images=(Image(tmp_path / f"{i}.png"),)) for i, item in enumerate(items(24))]
    )
    plan = replace(planned(), benchmarks=(large,), tests=(stress_test("image-needed").design,))
    progress = on_ray(cluster, plan, tmp_path / "there", replicas=1)
    assert (progress.failed, progress.unusable) == (0, {})
    with Store.open(tmp_path / "here", write=True) as store:
        run(plan, store)
    assert rows(tmp_path / "there") == rows(tmp_path / "here")


def test_a_study_has_the_same_results_as_on_one_machine(cluster, tmp_path):
    """Stored responses and every number of the results are the same, whatever ran where."""
    from snellen import Study

    named = [{"name": "organism/grounded", "replicas": 2}, {"name": "organism/random"}]
    how = {"models": named, "benchmarks": ["phantoms:leak=0.5"], "limit": 6, "epochs": 2}
    how |= {"tests": ("image-needed", "option-order", "unknown-option")}
    how |= {"canary": False}  # its letters are drawn afresh
    progress = Study(**how, on=f"ray://{cluster.address}", out=tmp_path / "there").ask(lambda progress: None)
    assert progress.remarks == {}
    here = Study(**how, out=tmp_path / "here")
    assert here.ask(lambda progress: None).remarks == {
        "organism/grounded": "replicas, num_cpus and num_gpus work only with --on ray; the model ran in one process."
    }
    assert rows(tmp_path / "there") == rows(tmp_path / "here")
    for name in ("there", "here"):
        Study(**how, out=tmp_path / name).score()
    one, other = (undated(json.loads((tmp_path / name / "results.json").read_text())) for name in ("there", "here"))
    assert one == other


def test_degraded_copies_are_the_same_as_on_one_machine(cluster, tmp_path):
    """Copies and lines are those of one process, under every artefact; a second run finds all done."""
    (tmp_path / "images" / "sub").mkdir(parents=True)
    for number, pixels in enumerate(np.random.default_rng(0).integers(0, 256, (5, 40, 32), dtype=np.uint8)):
        (tmp_path / "images" / ("sub" if number % 2 else "") / f"{number}.png").write_bytes(png(pixels))
    every = tuple(ImageDegraded(name) for name in ARTEFACTS)
    alone, there = (Task(tmp_path / "images", tmp_path / name, every) for name in ("alone", "there"))
    degrade_folder(alone, workers=1)
    assert degrade_folder(there, on=f"ray://{cluster.address}").copies == 5 * len(ARTEFACTS)
    assert made(there.out) == made(alone.out)
    assert degrade_folder(there, on=f"ray://{cluster.address}").copies == 0


def made(out):
    """Every copy, and the lines of the manifest in one order."""
    copies = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.png")}
    lines = map(json.loads, (out / "manifest.jsonl").read_text().splitlines())
    return copies, sorted(lines, key=lambda row: (row.get("image", ""), row.get("artefact", "")))


def undated(record):
    """Results without what tells one run from another: times and folders."""
    if isinstance(record, dict):
        return {name: undated(value) for name, value in record.items() if name not in ("created", "latency", "out")}
    return [undated(each) for each in record] if isinstance(record, list) else record


def test_what_a_cluster_cannot_do_is_said_before_anything_is_asked(cluster, tmp_path, monkeypatch):
    """One sentence each: too few GPUs or CPUs, other versions, another cluster."""
    address = f"ray://{cluster.address}"
    with pytest.raises(ClusterError, match=r"asks for 4 GPUs \(hf/x: 2 replicas × 2\); the cluster has 0\."):
        enter(address, Need("hf/x", 2, num_gpus=2))
    with pytest.raises(ClusterError, match=r"asks for 3 CPUs \(hf/x: 3 replicas × 1\); the cluster has 2\."):
        enter(address, Need("hf/x", 3, num_cpus=1))
    with pytest.raises(ClusterError, match=r"a replica asks for 2 CPUs; the largest node of the cluster has 1"):
        enter(address, Need("hf/x", 1, num_cpus=2))
    with pytest.raises(ClusterError, match="connected to another Ray cluster"):
        enter("ray://127.0.0.1:1")
    monkeypatch.setattr("snellen.cluster._versions", lambda: {"Python": "3.9", "Snellen": version("snellen")})
    with pytest.raises(ClusterError, match=r"has Python 3\.\d+ and this machine Python 3\.9: both must be the same"):
        enter(address)


def enter(address, *needs):
    """Connect, and nothing else."""
    with connect(address, needs=needs):
        pass


def test_a_model_that_cannot_be_sent_is_told_before_anything_is_planned(tmp_path):
    """The sentence names the model, what of it cannot be sent, and what to do; no benchmark is loaded."""
    from snellen import Study

    model = FakeModel(lambda request: "B")
    study = Study(benchmarks=("not-there",), models=(model,), tests=("image-needed",), out=tmp_path / "out", on="ray")
    with pytest.raises(PluginError, match="not-there"):  # a function without a name can be sent
        study.plan()
    model.lock = threading.Lock()
    with pytest.raises(StudyError) as raised:
        replace(study).plan()
    assert str(raised.value) == (
        "fake/function cannot be sent to its replicas on the cluster: its attribute 'lock' (of type lock) cannot be "
        "pickled: cannot pickle '_thread.lock' object. Create it in `answer`, at the first use, or "
        "leave out `on`."
    )
    assert not (tmp_path / "out").exists()


def test_an_address_that_does_not_answer_is_given_up(monkeypatch):
    """In a bounded time, with one sentence that holds no password."""
    monkeypatch.setattr("snellen.cluster.ANSWERS_WITHIN", 3.0)
    with pytest.raises(ClusterError, match=r"No Ray cluster answers at 127\.0\.0\.1:1( within 3 s)?\. Is its head"):
        _try("127.0.0.1:1")
    for wrong in ("ray://me:secret@host:1", "dask", "ray://", "ray://host", "ray:secret"):
        with pytest.raises(ClusterError, match="Expected --on ray") as raised:
            address_of(wrong)
        assert "secret" not in str(raised.value)


def stored(out):
    """How many responses are stored."""
    with closing(sqlite3.connect(out / "responses.sqlite")) as store:
        try:
            return store.execute("SELECT count(*) FROM responses").fetchone()[0]
        except sqlite3.OperationalError:
            return 0
