"""Ray clusters: run work on many machines. The only module that imports Ray."""

from __future__ import annotations

import os
import platform
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar

from snellen.errors import ClusterError, FullError, LostError, MissingExtraError
from snellen.runtime import counted

ANSWERS_WITHIN = 30.0
"""Seconds that we wait for an answer from an address."""
STARTS_WITHIN = 120.0
"""Seconds that we wait for each node to report its versions."""
OWN_OBJECT_STORE = 2**30
"""Bytes of the object store of a cluster that we start. Few objects are under way at once, so 1 GiB is enough."""
OWN = "local"
"""The address, in Ray's terms, of a cluster that we start ourselves."""
T = TypeVar("T")
R = TypeVar("R")
_ADDRESS = re.compile(r"auto|(?:\w[\w.-]*|\[[0-9a-fA-F:.]+\]):\d{1,5}", re.ASCII)


@dataclass(frozen=True)
class Need:
    """Workers of one kind: their number, and CPUs and GPUs of each."""

    name: str
    replicas: int = 1
    num_cpus: float = 0
    num_gpus: float = 0

    def describe(self, kind: str) -> str:
        """Format the CPUs or GPUs that these workers need.

        >>> Need("hf/x", replicas=2, num_gpus=2).describe("GPU")
        'hf/x: 2 replicas × 2'
        """
        return f"{self.name}: {counted(self.replicas, 'replica')} × {self.count_per_replica(kind):g}"

    def count_per_replica(self, kind: str) -> float:
        """Return the CPUs or GPUs of one worker."""
        return self.num_gpus if kind == "GPU" else self.num_cpus


def address_of(on: str) -> str:
    """Return the Ray address for `--on`: "local" starts a cluster, "auto" finds a running one.

    >>> address_of("ray"), address_of("ray://10.0.0.1:6379"), address_of("ray://auto")
    ('local', '10.0.0.1:6379', 'auto')
    """
    if on == "ray":
        return OWN
    scheme, _, address = on.partition("://")
    port = address.rpartition(":")[2]
    possible = _ADDRESS.fullmatch(address) and (address == "auto" or 0 < int(port) < 2**16)
    if scheme != "ray" or not possible:  # the text may hold a password, so the error does not quote it
        raise ClusterError(
            "Expected --on ray (start a cluster on this machine), ray://HOST:PORT (join the cluster with that head) or "
            "ray://auto (join the cluster of this machine)."
        )
    return address


@contextmanager
def connect(on: str, *, needs: Sequence[Need] = ()) -> Iterator[Cluster]:
    """Connect to a cluster for a block; ClusterError if it is unsuitable."""
    address = address_of(on)
    ray = _ray(address)
    there_before = ray.is_initialized()
    if not there_before:
        _connect(ray, address)
    elif address not in (OWN, "auto", Cluster(ray).address):
        raise ClusterError(f"This process is connected to another Ray cluster than the one at {address}.")
    try:
        cluster = Cluster(ray)
        cluster.check_size(needs)
        cluster.check_versions()
        yield cluster
    finally:
        if not there_before:
            ray.shutdown()


def unsendable(thing: Any) -> str:
    """Explain why a worker cannot receive an object; "" if it can."""
    pickler = _ray("").cloudpickle.Pickler
    if not (whole := _explain_refusal(pickler, thing)):
        return ""
    for name, value in getattr(thing, "__dict__", {}).items():
        if said := _explain_refusal(pickler, value):
            return f"its attribute {name!r} (of type {type(value).__name__}) cannot be pickled: {said}"
    return f"it cannot be pickled: {whole}"


def _explain_refusal(pickler: Any, thing: Any) -> str:
    """Return pickle's reason for refusing an object; "" if pickle accepts it."""
    try:
        pickler(_Nowhere(), protocol=5).dump(thing)
    except Exception as error:  # a foreign object may raise anything while it is pickled
        return " ".join(str(error).split())[:200] or type(error).__name__
    return ""


class _Nowhere:
    """File that discards what is written to it."""

    def write(self, data: Any) -> int:
        return memoryview(data).nbytes


class RunPlace:
    """Connection of one run to its cluster, and the workers that the run needs."""

    def __init__(self, on: str) -> None:
        self.on = on
        self.needs: list[Need] = []
        self.cluster: Cluster | None = None
        self.remarks: list[str] = []
        """Remarks to print when the run is over."""
        self.alive: dict[str, int] = {}
        """Number of running replicas of each model."""

    @contextmanager
    def connect(self) -> Iterator[None]:
        """Connect to the cluster for the length of a block."""
        self.remarks = []
        with connect(self.on, needs=self.needs) as self.cluster:
            try:
                yield
            finally:
                self.cluster = None

    @property
    def host(self) -> str:
        """Name of the cluster that receives images; "" if this machine does all work."""
        return f"the Ray cluster at {self.cluster.address}" if self.cluster and self.cluster.elsewhere else ""

    @property
    def state(self) -> str:
        """Number of running replicas among those needed, such as "2 of 4 replicas"."""
        wanted = sum(need.replicas for need in self.needs)
        return f"{sum(self.alive.values())} of {counted(wanted, 'replica')}" if wanted else ""


class Shared(NamedTuple):
    """Object stored in the cluster; each worker fetches it only once."""

    reference: Any

    @property
    def value(self) -> Any:
        """The object itself, fetched on first use on each machine."""
        name = self.reference.hex()
        if name not in _FETCHED:
            while len(_FETCHED) >= FETCHED_AT_MOST:
                _FETCHED.pop(next(iter(_FETCHED)))
            import ray  # here, the process is a worker

            _FETCHED[name] = ray.get(self.reference)
        return _FETCHED[name]


_FETCHED: dict[str, Any] = {}
FETCHED_AT_MOST = 2
"""Number of shared objects that a worker keeps in memory."""


class Cluster:
    """Connected Ray cluster."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote: dict[tuple[Callable[..., Any], float], Any] = {}

    @property
    def address(self) -> str:
        """Address of the cluster's head node."""
        return str(self._ray.get_runtime_context().gcs_address)

    @property
    def nodes(self) -> list[Mapping[str, Any]]:
        """Nodes that are alive."""
        return [node for node in self._ray.nodes() if node["Alive"]]

    def total(self, kind: str) -> float:
        """Return the number of CPUs or GPUs. If the cluster can grow, its full size counts."""
        now = float(self._ray.cluster_resources().get(kind, 0))
        return max(now, float(_most_resources().get(kind, 0)))

    @property
    def cpus(self) -> int:
        """Number of CPUs at the moment, at least 1."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def elsewhere(self) -> bool:
        """True if some nodes are other machines, or may be later."""
        here = self._ray.util.get_node_ip_address()
        return bool(_most_resources()) or any(node["NodeManagerAddress"] != here for node in self.nodes)

    def check_size(self, needs: Sequence[Need]) -> None:
        """Raise ClusterError if the workers need more than a node or the cluster has."""
        for kind in ("GPU", "CPU"):
            wanted = sum(need.replicas * need.count_per_replica(kind) for need in needs)
            if wanted > (there := self.total(kind)):
                asking = "; ".join(need.describe(kind) for need in needs if need.count_per_replica(kind))
                raise ClusterError(f"The study asks for {wanted:g} {kind}s ({asking}); the cluster has {there:g}.")
            largest = max((float(node["Resources"].get(kind, 0)) for node in self.nodes), default=0.0)
            for need in needs:
                wanted = need.count_per_replica(kind)
                if wanted > max(largest, float(_most_resources().get(kind, 0))):
                    raise ClusterError(
                        f"{need.name}: a replica asks for {wanted:g} {kind}s; the largest node of the cluster "
                        f"has {largest:g}."
                    )

    def check_versions(self) -> None:
        """Raise ClusterError if a node has another version of Python or Snellen."""
        here = _versions()
        asked = {node["NodeID"]: (_host(node), self._asked_of(node)) for node in self.nodes}
        waited_for = [reference for _, reference in asked.values()]
        ready, _ = self._ray.wait(waited_for, num_returns=len(waited_for), timeout=STARTS_WITHIN)
        for number, (host, reference) in asked.items():
            try:
                there = self._value(reference) if reference in ready else None
            except LostError as error:
                if "TaskUnschedulableError" in str(error) or number not in [node["NodeID"] for node in self.nodes]:
                    continue  # the node has left the cluster in the meantime
                there = None
            if there is None:
                raise ClusterError(f"The node {host} of the cluster did not start a worker in {STARTS_WITHIN:g} s.")
            for name, ours in here.items():
                if there[name] != ours:
                    raise ClusterError(
                        f"The node {host} of the cluster has {_format_version(name, there[name])} and this machine "
                        f"{_format_version(name, ours)}: both must be the same. Install {name} {ours} there."
                    )

    def map(self, function: Callable[[T], R], batches: Iterable[T]) -> Iterator[tuple[int, R]]:
        """Yield each batch's number and result, in any order.

        At most two batches per CPU run at a time. If the worker of a batch is lost, the batch runs again, up to three
        times. An error of the function is raised here.
        """
        remote = self._task(function, 1)
        coming: dict[Any, int] = {}
        numbered = enumerate(batches)
        more = True
        try:
            while more or coming:
                while more and len(coming) < 2 * self.cpus:
                    try:
                        number, batch = next(numbered)
                    except StopIteration:
                        more = False
                    else:
                        coming[remote.remote(batch)] = number
                if coming:
                    (first,), _ = self._ray.wait(list(coming), num_returns=1)
                    yield coming.pop(first), self._value(first)
        finally:
            for reference in coming:
                self._ray.cancel(reference, force=True)

    async def call(self, function: Callable[..., R], *args: Any) -> R:
        """Run a function on some node, without reserving a CPU."""
        return await self._await_task(self._task(function, 0).remote, *args)  # type: ignore[no-any-return]

    def share(self, thing: Any) -> Shared:
        """Store an object in the cluster once; it is freed with its last reference."""
        try:
            return Shared(self._ray.put(thing))
        except self._ray.exceptions.RayError as error:
            raise self._translate_error(error) from error

    def start(self, kind: Callable[..., Any], *args: Any, need: Need) -> Actor:
        """Start a worker `kind(*args)` that keeps running, on a node with room for it.

        All of its methods are coroutines. A lost worker is not restarted: the caller counts losses and decides.
        """
        options = {"max_restarts": 0, "max_task_retries": 0, "max_concurrency": 1000, "scheduling_strategy": "SPREAD"}
        made = self._ray.remote(kind).options(**options, num_cpus=need.num_cpus, num_gpus=need.num_gpus)
        return Actor(self, made.remote(*args))

    async def _await_task(self, asked: Callable[..., Any], *args: Any) -> Any:
        try:
            return await asked(*args)
        except self._ray.exceptions.RayError as error:
            raise self._translate_error(error) from error

    def _value(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise self._translate_error(error) from error

    def _translate_error(self, error: Any) -> BaseException:
        """Return the error that a function raised, or LostError if its worker was lost."""
        cause = getattr(error, "cause", None)
        if isinstance(error, self._ray.exceptions.RayTaskError) and isinstance(cause, Exception):
            return cause
        kind = type(error).__name__
        said = f"{kind}: {' '.join(str(error).split())[:300]}"
        return FullError(said) if kind in ("ObjectStoreFullError", "OutOfDiskError") else LostError(said)

    def _task(self, function: Callable[..., Any], num_cpus: float) -> Any:
        wanted = (function, num_cpus)
        if wanted not in self._remote:
            options = {"num_cpus": num_cpus, "max_retries": 3, "scheduling_strategy": "SPREAD"}
            self._remote[wanted] = self._ray.remote(function).options(**options)
        return self._remote[wanted]

    def _asked_of(self, node: Mapping[str, Any]) -> Any:
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        there = affinity(node["NodeID"], soft=False)
        return self._ray.remote(_asker()).options(num_cpus=0, scheduling_strategy=there).remote()


class Actor(NamedTuple):
    """Handle of a worker that keeps running."""

    cluster: Cluster
    handle: Any

    async def call(self, method: str, *args: Any) -> Any:
        """Return the result of a worker's method; LostError if the worker is lost."""
        return await self.cluster._await_task(getattr(self.handle, method).remote, *args)

    def end(self) -> None:
        """End the worker at once."""
        self.cluster._ray.kill(self.handle)


def _ray(address: str) -> Any:
    """Import Ray without telemetry. A cluster of our own accepts connections from this machine only."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == OWN:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # listen on the loopback address, despite its name
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray stores a token in the home folder
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise MissingExtraError("ray", extra="ray") from error
    if address == OWN and not ray.is_initialized():
        ray._raylet.Config.initialize("")  # if Ray was imported before, it has read its settings already
    return ray


def stand_in(folder: str) -> bool:
    """Change to the study's folder, so that relative paths work. Return False if it is missing."""
    try:
        os.chdir(folder)
    except OSError:
        return False
    return True


def _versions() -> dict[str, str]:
    return {"Python": ".".join(platform.python_version_tuple()[:2]), "Snellen": version("snellen")}


def _asker() -> Callable[[], dict[str, str]]:
    """Return a function that reports a node's versions, even if Snellen is not installed there."""

    def versions() -> dict[str, str]:
        import platform
        from importlib.metadata import PackageNotFoundError, version

        try:
            ours = version("snellen")
        except PackageNotFoundError:
            ours = ""
        return {"Python": ".".join(platform.python_version_tuple()[:2]), "Snellen": ours}

    return versions


def _format_version(name: str, number: str) -> str:
    return f"{name} {number}" if number else f"no {name}"


def _host(node: Mapping[str, Any]) -> str:
    return f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"


def _most_resources() -> Mapping[str, float]:
    """Return the configured limits of a cluster that can grow; empty for other clusters."""
    from ray._private.state import state

    grown = getattr(state, "get_max_resources_from_cluster_config", dict)  # not part of Ray's public interface
    return grown() or {}


def _connect(ray: Any, address: str) -> None:
    """Start a cluster, or join the cluster at an address if it answers."""
    quiet = {"log_to_driver": False, "configure_logging": False, "logging_level": "ERROR"}
    if address == OWN:
        ray.init(address=address, include_dashboard=False, object_store_memory=OWN_OBJECT_STORE, **quiet)
        return
    _try(address)
    ray.init(address=address, **quiet)


_TRIAL = """
import logging, sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, configure_logging=False, logging_level="ERROR")
except BaseException as error:
    while error.__cause__ is not None:
        error = error.__cause__
    print(f"{type(error).__name__}: {error}")
"""


def _try(address: str) -> None:
    """Test the connection in another process. Without an answer, Ray may hang for minutes or exit."""
    nobody = f"No Ray cluster answers at {address}"
    hint = "Is its head running, and is this machine one of its nodes (`ray start --address=HOST:PORT`)?"
    command = [sys.executable, "-P", "-c", _TRIAL, address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWERS_WITHIN)  # noqa: S603 - ours
    except subprocess.TimeoutExpired:
        raise ClusterError(f"{nobody} within {ANSWERS_WITHIN:g} s. {hint}") from None
    said = " ".join(done.stdout.split())
    if "Version mismatch" in said:
        raise ClusterError(f"The cluster at {address} has another Python or Ray than this machine. {said[:300]}")
    if "uthentication" in said:
        raise ClusterError(f"The cluster at {address} wants a token: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN.")
    if said or done.returncode:
        raise ClusterError(f"{nobody}. {hint}")
