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

from snellen.asking.plan import Plan
from snellen.asking.requests import PlanSource
from snellen.asking.run import ask_all, run
from snellen.cluster import Need, Place, _try, address_of, connected
from snellen.errors import ClusterError, PluginError, StudyError
from snellen.images import Image
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.replicated import Replicated, itself
from snellen.prompts import PROMPTS, Settings
from snellen.store import Store
from snellen.stress import stress_test
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
    """A head without CPUs and two nodes with one each, on the loopback address; this process is connected to it."""
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    small = {"object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1", "include_dashboard": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.worker.print_to_stdstream", lambda *_, **__: None)  # a page for each killed node
        unwatched = {"no_monitor": True, "include_log_monitor": False}  # nothing grows, nobody reads the logs
        head = {**small, **unwatched, "num_cpus": 0, "_system_config": SYSTEM}
        made = Cluster(initialize_head=True, head_node_args=head)
        made.small = small
        for _ in range(2):
            made.add_node(num_cpus=1, **small)
        ray.init(made.address, log_to_driver=False, configure_logging=False, logging_level="ERROR")
        yield made
        ray.shutdown()
        made.shutdown()


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
    place = Place(f"ray://{cluster.address}")
    model = plan.models[0]
    need = Need(model.name, replicas, num_cpus=1)
    place.needs.append(need)
    with place.connected(), Store.open(out, write=True) as store:
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


def test_a_killed_replica_loses_and_doubles_nothing(cluster, undisturbed, tmp_path):
    """Its process is killed while it answers; another one takes its place."""
    killed, note = [], tmp_path / "note"
    note.mkdir()

    def kill(progress):
        if progress.done > 20 and not killed:
            killed.append(int(next(note.iterdir()).name))
            os.kill(killed[0], signal.SIGKILL)

    progress = on_ray(cluster, planned(0.02, note), tmp_path / "out", kill)
    assert (progress.failed, progress.unusable) == (0, {})
    assert len(list(note.iterdir())) >= 2
    assert rows(tmp_path / "out") == undisturbed


@pytest.mark.timeout(1200)
def test_killed_nodes_lose_and_double_nothing(cluster, undisturbed, tmp_path):
    """Two nodes are killed at moments drawn by seeds, and others join."""
    draws = [random.Random(seed) for seed in range(2)]
    moments = [number * 40 + draw.randrange(5, 25) for number, draw in enumerate(draws)]

    def kill(progress):
        if moments and progress.done >= moments[0]:
            moments.pop(0)
            nodes = cluster.list_all_nodes()[1:]
            cluster.remove_node(nodes[draws.pop(0).randrange(len(nodes))], allow_graceful=False)
            cluster.add_node(num_cpus=1, **cluster.small)

    progress = on_ray(cluster, planned(0.02), tmp_path, kill)
    assert not moments
    assert progress.unusable == {}
    assert progress.done + progress.failed == len({row[4] for row in undisturbed})
    if progress.failed:  # a request that three nodes were killed with is left to the next run
        on_ray(cluster, planned(), tmp_path)
    assert rows(tmp_path) == undisturbed


def test_a_killed_driver_goes_on_where_it_was(cluster, undisturbed, tmp_path):
    """The process that asks is killed; a later run asks the rest, and nothing twice."""
    program = (
        "import sys; from pathlib import Path; from types import SimpleNamespace; from test_on_ray import *\n"
        "import snellen.cluster; snellen.cluster.ANSWERS_WITHIN = 250\n"
        "on_ray(SimpleNamespace(address=sys.argv[1]), planned(held=Path(sys.argv[3])), Path(sys.argv[2]))"
    )
    held = tmp_path / "held"
    held.touch()
    path = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    command = [sys.executable, "-c", program, cluster.address, str(tmp_path), str(held)]
    driver = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})
    while not (tmp_path / "responses.sqlite").exists() or stored(tmp_path) < 20:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    before = stored(tmp_path)
    progress = on_ray(cluster, planned(), tmp_path)
    assert (progress.done, progress.failed) == (len({row[4] for row in undisturbed}) - before, 0)
    assert rows(tmp_path) == undisturbed


def test_a_full_object_store_holds_nothing_up(cluster, tmp_path):
    """What is under way is larger than the object store of a node: Ray writes to the disk, and all is answered."""
    noise = np.random.default_rng(0).integers(0, 256, (24, 2000, 2000), dtype=np.uint8)
    large = Benchmark(
        "large", [replace(item, images=(Image(pixels),)) for item, pixels in zip(items(24), noise, strict=True)]
    )
    plan = replace(planned(), benchmarks=(large,))
    assert sum(len(item.images[0].read()) for item in large) > cluster.small["object_store_memory"]
    progress = on_ray(cluster, plan, tmp_path / "there")
    assert (progress.failed, progress.unusable) == (0, {})
    with Store.open(tmp_path / "here", write=True) as store:
        run(plan, store)
    assert rows(tmp_path / "there") == rows(tmp_path / "here")


def test_a_study_has_the_same_results_as_on_one_machine(cluster, tmp_path):
    """Stored responses and every number of the results are the same, whatever ran where."""
    from snellen import Study

    named = [{"name": "organism/grounded", "replicas": 2}, {"name": "organism/random"}]
    how = {"models": named, "benchmarks": ["phantoms:leak=0.5"], "limit": 12, "epochs": 2}
    how |= {"canary": False}  # its letters are drawn afresh
    progress = Study(**how, on=f"ray://{cluster.address}", out=tmp_path / "there").ask(lambda progress: None)
    assert progress.remarks == {}
    here = Study(**how, out=tmp_path / "here")
    assert here.ask(lambda progress: None).remarks == {
        "organism/grounded": "replicas, num_cpus and num_gpus count with --on ray; it ran in one process."
    }
    assert rows(tmp_path / "there") == rows(tmp_path / "here")
    for name in ("there", "here"):
        Study(**how, out=tmp_path / name).score()
    one, other = (undated(json.loads((tmp_path / name / "results.json").read_text())) for name in ("there", "here"))
    assert one == other


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
    with connected(address, needs=needs):
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
        "pickled: cannot pickle '_thread.lock' object. Make such things when they are first used, in `answer`, and not "
        "before; or leave out `on`."
    )
    assert not (tmp_path / "out").exists()


def test_an_address_that_does_not_answer_is_given_up(monkeypatch):
    """In a bounded time, with one sentence that holds no password."""
    monkeypatch.setattr("snellen.cluster.ANSWERS_WITHIN", 3.0)
    with pytest.raises(ClusterError, match=r"No Ray cluster answers at 127\.0\.0\.1:1( within 3 s)?\. Is its head"):
        _try("127.0.0.1:1")
    for wrong in ("ray://me:secret@host:1", "dask", "ray://", "ray://host", "ray:secret"):
        with pytest.raises(ClusterError, match="Expected --on ray for a cluster") as raised:
            address_of(wrong)
        assert "secret" not in str(raised.value)


def stored(out):
    """How many responses are stored."""
    with closing(sqlite3.connect(out / "responses.sqlite")) as store:
        try:
            return store.execute("SELECT count(*) FROM responses").fetchone()[0]
        except sqlite3.OperationalError:
            return 0
