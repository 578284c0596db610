"""Cluster: work on many machines through Ray. The only file that imports it."""

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
"""Seconds that an address has to answer."""
STARTS_WITHIN = 120.0
"""Seconds that each node has to say which versions it runs."""
OWN_OBJECT_STORE = 2**30
"""Bytes of the object store of a cluster of our own; what is in flight is bounded, and Ray takes them as needed."""
OWN = "local"
"""The address of a cluster of our own, in Ray's words."""
T = TypeVar("T")
R = TypeVar("R")
_ADDRESS = re.compile(r"auto|(?:\w[\w.-]*|\[[0-9a-fA-F:.]+\]):\d{1,5}", re.ASCII)


@dataclass(frozen=True)
class Need:
    """What workers of one kind ask of a cluster: how many, and CPUs and GPUs of each."""

    name: str
    replicas: int = 1
    num_cpus: float = 0
    num_gpus: float = 0

    def told(self, kind: str) -> str:
        """What it asks of CPUs or GPUs, in words.

        >>> Need("hf/x", replicas=2, num_gpus=2).told("GPU")
        'hf/x: 2 replicas × 2'
        """
        return f"{self.name}: {counted(self.replicas, 'replica')} × {self.of(kind):g}"

    def of(self, kind: str) -> float:
        """The CPUs or GPUs of one of them."""
        return self.num_gpus if kind == "GPU" else self.num_cpus


def address_of(on: str) -> str:
    """The address that `--on` names: "local" for a cluster of our own, "auto" for the one of this machine.

    >>> address_of("ray"), address_of("ray://10.0.0.1:6379"), address_of("ray://auto")
    ('local', '10.0.0.1:6379', 'auto')
    """
    if on == "ray":
        return OWN
    scheme, _, address = on.partition("://")
    port = address.rpartition(":")[2]
    possible = _ADDRESS.fullmatch(address) and (address == "auto" or 0 < int(port) < 2**16)
    if scheme != "ray" or not possible:  # what came may hold a password, and is not quoted
        raise ClusterError(
            "Expected --on ray for a cluster of its own on this machine, --on ray://HOST:PORT for the one whose head "
            "listens there, or --on ray://auto for the one that this machine belongs to."
        )
    return address


@contextmanager
def connected(on: str, *, needs: Sequence[Need] = ()) -> Iterator[Cluster]:
    """A cluster for the length of a block; ClusterError where nobody answers, versions differ or it is too small."""
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
    """What of something keeps it from being sent to a worker, in words; empty where all of it can be sent."""
    pickler = _ray("").cloudpickle.Pickler
    if not (whole := _refused(pickler, thing)):
        return ""
    for name, value in getattr(thing, "__dict__", {}).items():
        if said := _refused(pickler, value):
            return f"its attribute {name!r} (of type {type(value).__name__}) cannot be pickled: {said}"
    return f"it cannot be pickled: {whole}"


def _refused(pickler: Any, thing: Any) -> str:
    """Why pickle refuses something; nothing is kept of what it makes, which may be as large as a model's weights."""
    try:
        pickler(_Nowhere(), protocol=5).dump(thing)
    except Exception as error:  # whatever an object from elsewhere raises while it is taken apart
        return " ".join(str(error).split())[:200] or type(error).__name__
    return ""


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, data: Any) -> int:
        return memoryview(data).nbytes


class Place:
    """Where a study runs: a cluster that is connected for the length of a run, and what is needed of it."""

    def __init__(self, on: str) -> None:
        self.on = on
        self.needs: list[Need] = []
        self.cluster: Cluster | None = None
        self.remarks: list[str] = []
        """What is to be said once the run is over."""
        self.alive: dict[str, int] = {}
        """How many replicas of each model run."""

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Connect it for the length of a block."""
        self.remarks = []
        with connected(self.on, needs=self.needs) as self.cluster:
            try:
                yield
            finally:
                self.cluster = None

    @property
    def host(self) -> str:
        """What to call the machines that images go to; empty where all of them are this one."""
        return f"the Ray cluster at {self.cluster.address}" if self.cluster and self.cluster.elsewhere else ""

    @property
    def state(self) -> str:
        """How many of the replicas that are needed run, in words."""
        wanted = sum(need.replicas for need in self.needs)
        return f"{sum(self.alive.values())} of {counted(wanted, 'replica')}" if wanted else ""


class Shared(NamedTuple):
    """Something that was put into the cluster once, for many calls; a worker fetches it once."""

    reference: Any

    @property
    def value(self) -> Any:
        """The thing itself, on whichever machine."""
        name = self.reference.hex()
        if name not in _FETCHED:
            while len(_FETCHED) >= FETCHED_AT_MOST:
                _FETCHED.pop(next(iter(_FETCHED)))
            _FETCHED[name] = _ray_here().get(self.reference)
        return _FETCHED[name]


_FETCHED: dict[str, Any] = {}
FETCHED_AT_MOST = 2
"""So many shared things a worker holds."""


class Cluster:
    """A cluster that is connected."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote: dict[tuple[Callable[..., Any], float], Any] = {}

    @property
    def address(self) -> str:
        """Where its head listens."""
        return str(self._ray.get_runtime_context().gcs_address)

    @property
    def nodes(self) -> list[Mapping[str, Any]]:
        """The nodes that are alive."""
        return [node for node in self._ray.nodes() if node["Alive"]]

    def total(self, kind: str) -> float:
        """How many CPUs or GPUs it has, or may have where it grows by itself."""
        now = float(self._ray.cluster_resources().get(kind, 0))
        return max(now, float(_most_resources().get(kind, 0)))

    @property
    def cpus(self) -> int:
        """How many CPUs it has now, at least 1."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def elsewhere(self) -> bool:
        """Whether some of its nodes are other machines, or may be."""
        here = self._ray.util.get_node_ip_address()
        return bool(_most_resources()) or any(node["NodeManagerAddress"] != here for node in self.nodes)

    def check_size(self, needs: Sequence[Need]) -> None:
        """Refuse what no node, or not the whole cluster, has room for."""
        for kind in ("GPU", "CPU"):
            wanted = sum(need.replicas * need.of(kind) for need in needs)
            if wanted > (there := self.total(kind)):
                asking = "; ".join(need.told(kind) for need in needs if need.of(kind))
                raise ClusterError(f"The study asks for {wanted:g} {kind}s ({asking}); the cluster has {there:g}.")
            largest = max((float(node["Resources"].get(kind, 0)) for node in self.nodes), default=0.0)
            for need in needs:
                if need.of(kind) > max(largest, float(_most_resources().get(kind, 0))):
                    raise ClusterError(
                        f"{need.name}: a replica asks for {need.of(kind):g} {kind}s; the largest node of the cluster "
                        f"has {largest:g}."
                    )

    def check_versions(self) -> None:
        """Refuse a cluster with a node that runs another Python or Snellen than this machine, or none."""
        here = _versions()
        asked = {node["NodeID"]: (_host(node), self._asked_of(node)) for node in self.nodes}
        waited_for = [reference for _, reference in asked.values()]
        ready, _ = self._ray.wait(waited_for, num_returns=len(waited_for), timeout=STARTS_WITHIN)
        for number, (host, reference) in asked.items():
            try:
                there = self._value(reference) if reference in ready else None
            except LostError as error:
                if "TaskUnschedulableError" in str(error) or number not in [node["NodeID"] for node in self.nodes]:
                    continue  # the node has gone in the meantime
                there = None
            if there is None:
                raise ClusterError(f"The node {host} of the cluster did not start a worker in {STARTS_WITHIN:g} s.")
            for name, ours in here.items():
                if there[name] != ours:
                    raise ClusterError(
                        f"The node {host} of the cluster has {_versioned(name, there[name])} and this machine "
                        f"{_versioned(name, ours)}: both must be the same. Install {name} {ours} there."
                    )

    def map(
        self,
        function: Callable[[T], R],
        batches: Iterable[T],
        *,
        in_flight: int | None = None,
        num_cpus: float = 1,
    ) -> Iterator[tuple[int, R]]:
        """What a function makes of each batch, in any order, with its number; at most `in_flight` at a time.

        A batch whose worker is lost is done again, up to three times. What the function raises is raised here.
        """
        remote = self._task(function, num_cpus)
        coming: dict[Any, int] = {}
        numbered = enumerate(batches)
        more = True
        try:
            while more or coming:
                while more and len(coming) < (in_flight or 2 * self.cpus):
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
        """What a function returns on some node; it takes no CPU of its own, so that replicas never keep it waiting."""
        return await self._awaited(self._task(function, 0).remote, *args)  # type: ignore[no-any-return]

    def share(self, thing: Any) -> Shared:
        """Put something into the cluster once; it is let go of with the last reference."""
        try:
            return Shared(self._ray.put(thing))
        except self._ray.exceptions.RayError as error:
            raise self._told(error) from error

    def start(self, kind: Callable[..., Any], *args: Any, need: Need) -> Actor:
        """A worker that stays, made by `kind(*args)` on some node that has room; what it needs is its own till it ends.

        All of its methods are coroutines. It is not started again where it is lost: who asked counts and decides.
        """
        options = {"max_restarts": 0, "max_task_retries": 0, "max_concurrency": 1000, "scheduling_strategy": "SPREAD"}
        made = self._ray.remote(kind).options(**options, num_cpus=need.num_cpus, num_gpus=need.num_gpus)
        return Actor(self, made.remote(*args))

    def end(self, handle: Any) -> None:
        """End a worker that stays, at once."""
        self._ray.kill(handle)

    async def _awaited(self, asked: Callable[..., Any], *args: Any) -> Any:
        try:
            return await asked(*args)
        except self._ray.exceptions.RayError as error:
            raise self._told(error) from error

    def _value(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise self._told(error) from error

    def _told(self, error: Any) -> BaseException:
        """What a function raised, or that its worker was lost."""
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
    """A worker that stays."""

    cluster: Cluster
    handle: Any

    async def call(self, method: str, *args: Any) -> Any:
        """What one of its methods returns; LostError where it is no more."""
        return await self.cluster._awaited(getattr(self.handle, method).remote, *args)

    def end(self) -> None:
        """End it at once."""
        self.cluster.end(self.handle)


def _ray(address: str) -> Any:
    """Ray itself, told before it is loaded to report nothing to anybody; one of our own hears this machine alone."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == OWN:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Ray's name for: listen on the loopback address
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray keeps one in the home folder
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise MissingExtraError("ray", extra="ray") from error
    if address == OWN and not ray.is_initialized():
        ray._raylet.Config.initialize("")  # where Ray was imported before, it has read the settings already
    return ray


def _ray_here() -> Any:
    """Ray in a process that it has started, or that is connected."""
    import ray

    return ray


def stand_in(folder: str) -> bool:
    """Let this worker stand where the study was started, so that the paths of its files mean the same; False where
    there is no such folder.
    """
    try:
        os.chdir(folder)
    except OSError:
        return False
    return True


def _versions() -> dict[str, str]:
    return {"Python": ".".join(platform.python_version_tuple()[:2]), "Snellen": version("snellen")}


def _asker() -> Callable[[], dict[str, str]]:
    """A function that says which versions a node runs; it travels whole, since Snellen may not be there."""

    def versions() -> dict[str, str]:
        import platform
        from importlib.metadata import PackageNotFoundError, version

        try:
            ours = version("snellen")
        except PackageNotFoundError:
            ours = ""
        return {"Python": ".".join(platform.python_version_tuple()[:2]), "Snellen": ours}

    return versions


def _versioned(name: str, number: str) -> str:
    return f"{name} {number}" if number else f"no {name}"


def _host(node: Mapping[str, Any]) -> str:
    return f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"


def _most_resources() -> Mapping[str, float]:
    """What a cluster that grows by itself may grow to, as its configuration says; nothing where it does not."""
    from ray._private.state import state

    grown = getattr(state, "get_max_resources_from_cluster_config", dict)  # no part of what Ray promises to keep
    return grown() or {}


def _connect(ray: Any, address: str) -> None:
    """Start a cluster of our own, or join the one at an address once it has answered."""
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
    """Connect from a process of its own first: Ray may wait for minutes, or end its process, where nobody answers."""
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
