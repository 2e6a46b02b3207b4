# SPDX-License-Identifier: BSD-3-Clause
"""Instances from other programs: files of other formats, and objects of SAGA."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any, Optional

from ._errors import InvalidArgument, check_described
from ._library import Path, encode, ffi, lib, near, struct
from ._table import UNITS
from ._instance import Instance, _workers

ENDINGS = {".stg": "stg", ".dot": "dot", ".gv": "dot", ".json": "wfcommons", ".rec": "starpu"}


def import_file(path: Path, format: Optional[str] = None, *, models: Optional[Path] = None,
                cpus: Optional[int] = None, gpus: Optional[int] = None,
                speedup: Optional[str] = None, least_time: float = 0, unit: str = "s",
                time: Optional[str] = None, bytes: Optional[str] = None) -> Instance:
    """Read an instance from a file of another program, as ``hsched-gen import`` does.

    Parameters
    ----------
    path : path
        A file described in hsched-gen(1).
    format : {"stg", "dot", "wfcommons", "starpu"}, optional
        A standard task graph; a graph of Graphviz; a workflow of WfCommons (JSON); the tasks.rec of
        StarPU. By default, the ending of the name decides: .stg, .dot, .gv, .json, .rec.
    models : path, optional
        For StarPU: the measured times, as starpu_perfmodel_recdump writes them.
    cpus, gpus : int, optional
        Numbers of workers, instead of the file's, or of 20 and 4.
    speedup : str, optional
        Rules ``[NAME=]FACTOR``, separated by commas, for GPU times that the file lacks: the GPU
        time is the CPU time over the factor of the first rule that matches the name of the task
        (``*``: any text). Factor ``none``: the task cannot run on GPUs.
    least_time : float
        Shorter times become this time; 0: a time of 0 is an error.
    unit : {"s", "ms", "us", "ns"}
        Unit of times, if the file has none.
    time, bytes : str, optional
        For DOT: names of the attributes with CPU times, and with bytes of edges.

    Examples
    --------
    >>> import hybridsched as hs
    >>> with open("graph.dot", "w") as file:
    ...     _ = file.write("digraph { a [cpu=2]; b [cpu=6]; a -> b }")
    >>> hs.import_file("graph.dot", speedup="b=3,none", cpus=1, gpus=1)
    <Instance: 2 tasks, a graph, 1 CPUs, 1 GPUs, times in s>
    """
    name = os.fspath(path)
    format = format or ENDINGS.get(os.path.splitext(name)[1].lower())
    if format is None:
        raise InvalidArgument(f"{name}: the name does not show the format: pass format=...")
    formats = sorted(set(ENDINGS.values()))
    if format not in formats:
        raise InvalidArgument(f"unknown format {format!r}{near(format, formats) or ';'} expected "
                              f"one of {', '.join(formats)}")
    if (models is not None) != (format == "starpu"):
        raise InvalidArgument("models: a tasks.rec of StarPU, and nothing else, needs the file that "
                              "starpu_perfmodel_recdump writes")
    if unit not in UNITS:
        raise InvalidArgument(f"unknown unit {unit!r}; expected one of {', '.join(UNITS)}")
    settings = struct("hs_import_settings")
    kept = [_optional(settings, "speedup", speedup), _optional(settings, "time", time),
            _optional(settings, "bytes", bytes)]
    settings.least_time, settings.unit = least_time, UNITS.index(unit)
    if cpus is not None:
        settings.has_cpus, settings.cpus = 1, _workers(cpus, "cpus")
    if gpus is not None:
        settings.has_gpus, settings.gpus = 1, _workers(gpus, "gpus")
    out, error = ffi.new("hs_instance **"), ffi.new("hs_error *")
    times = [_models(models)] if models is not None else []
    with open(name, "rb") as file:
        status = getattr(lib, f"hs_import_{format}")(file.fileno(), *times, settings, out, error)
    del kept
    check_described(status, error, name)
    return Instance._own(out[0])


def _optional(settings: Any, member: str, words: Optional[str]) -> Any:
    """Set a text of a struct, and return its memory; None leaves the default."""
    if words is None:
        return None
    kept = ffi.new("char[]", encode(words))
    setattr(settings, member, kept)
    return kept


def _models(path: Path) -> Any:
    out, error = ffi.new("hs_starpu_models **"), ffi.new("hs_error *")
    with open(path, "rb") as file:
        check_described(lib.hs_starpu_models_read(file.fileno(), out, error), error,
                        os.fspath(path))
    return ffi.gc(out[0], lib.hs_starpu_models_free)


class _Machines:
    """The machines of a network of SAGA: their speeds, and the speeds of the edges between them."""

    def __init__(self, network: Any) -> None:
        self.speeds = {node.name: float(node.speed) for node in network.nodes}
        self.edges = {frozenset((edge.source, edge.target)): float(edge.speed)
                      for edge in network.edges}
        for name, speed in self.speeds.items():
            if not 0 < speed < math.inf:
                raise InvalidArgument(f"node '{name}' of the network has speed {speed}; expected a "
                                      "number above 0")

    def edge(self, one: str, other: str) -> float:
        return self.edges.get(frozenset((one, other)), 0.0)

    def speed_between(self, left: Iterable[str], right: Iterable[str], what: str) -> Optional[float]:
        """Return the one speed of the edges from left to right; None without such edges."""
        found: dict[float, tuple[str, str]] = {}
        for one in left:
            for other in right:
                if one != other:
                    found.setdefault(self.edge(one, other), (one, other))
        for speed, (one, other) in found.items():
            if not speed > 0:
                raise InvalidArgument(f"no edge of a speed above 0 joins '{one}' and '{other}'")
        if len(found) > 1:
            listed = ", ".join(f"{speed:g} ('{one}' to '{other}')"
                               for speed, (one, other) in sorted(found.items()))
            raise InvalidArgument(f"the edges {what} have {len(found)} speeds: {listed}; expected "
                                  "one, because an instance has one link for all of them")
        return next(iter(found), None)


def from_saga(network: Any, task_graph: Any) -> Instance:
    """Build an instance from SAGA's objects; see :meth:`Instance.from_saga`."""
    machines = _Machines(network)
    speeds = sorted(set(machines.speeds.values()))
    if not speeds:
        raise InvalidArgument("the network has no nodes")
    if len(speeds) > 2:
        raise InvalidArgument(f"the network has {len(speeds)} speeds of nodes: "
                              f"{', '.join(f'{speed:g}' for speed in speeds)}; expected one or two, "
                              "because workers are CPUs or GPUs")
    groups = [[name for name, of in machines.speeds.items() if of == speed] for speed in speeds]
    shared = [group for group in groups if _share_memory(machines, group)]
    if not shared and len(groups) == 2:
        raise InvalidArgument(
            "the edges between the slower nodes are finite, and so are those between the faster "
            "ones; expected infinite edges in one group, because all CPUs share one memory")
    # Infinite edges tell more than the lack of edges in a group of one node.
    cpu_nodes = next((group for group in shared if len(group) > 1), shared[0] if shared else [])
    gpu_nodes: list[str] = next((group for group in groups if group is not cpu_nodes), [])
    return _instance(machines, task_graph, cpu_nodes, gpu_nodes)


def _share_memory(machines: _Machines, group: list[str]) -> bool:
    """Return whether all edges between nodes are infinite, so that they act as CPUs."""
    return all(math.isinf(machines.edge(one, other)) for one in group for other in group
               if one != other)


def _instance(machines: _Machines, task_graph: Any, cpu_nodes: list[str],
              gpu_nodes: list[str]) -> Instance:
    cpu, gpu = (machines.speeds[group[0]] if group else None for group in (cpu_nodes, gpu_nodes))
    costs, inputs = _tasks(task_graph)
    links = _links(machines.speed_between(cpu_nodes, gpu_nodes, "between the two groups"),
                   machines.speed_between(gpu_nodes, gpu_nodes, "between GPUs"))
    return Instance.from_frame(
        {"id": list(costs), "after": [inputs[name] or None for name in costs],
         **{kind: [cost / speed if speed else math.inf for cost in costs.values()]
            for kind, speed in (("cpu", cpu), ("gpu", gpu))}},
        cpus=len(cpu_nodes), gpus=len(gpu_nodes), links=links)


def _links(host: Optional[float], peer: Optional[float]) -> dict[str, tuple[float, float]]:
    """Return the links for a speed between CPUs and GPUs and one between GPUs; None: no such edge."""
    speeds = {speed for speed in (host, peer) if speed is not None}
    if not speeds or speeds == {math.inf}:
        return {}  # a graph without links has no transfer times
    if math.inf in speeds:
        raise InvalidArgument("some edges to GPUs are infinite and others are finite; expected the "
                              "same for all")
    to_host = (0.0, host if host is not None else min(speeds))  # without CPUs it is not used
    links = {"h2d": to_host, "d2h": to_host}
    if peer is not None:
        links["d2d"] = (0.0, peer)
    return links


def _tasks(task_graph: Any) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the costs of the tasks, and their inputs: names of tasks and sizes.

    Instances have no tasks without time. Of these, those that only begin or end the graph, without
    data, do not change any schedule and are left out.
    """
    costs = {task.name: float(task.cost) for task in sorted(task_graph.tasks, key=_name)}
    edges = sorted((edge.source, edge.target, float(edge.size)) for edge in task_graph.dependencies)
    idle = {name for name, cost in costs.items() if cost == 0}
    fixed = {name for one, other, size in edges if size for name in (one, other)}
    fixed |= {one for one, _, _ in edges} & {other for _, other, _ in edges}
    for name in sorted(idle & fixed):
        raise InvalidArgument(f"task '{name}' has cost 0; expected a cost above 0, except for a "
                              "first or last task without data")
    costs = {name: cost for name, cost in costs.items() if name not in idle}
    inputs: dict[str, dict[str, float]] = {name: {} for name in costs}
    for one, other, size in edges:
        if one in costs and other in costs:
            inputs[other][one] = size
    return costs, inputs


def _name(task: Any) -> str:
    return str(task.name)
