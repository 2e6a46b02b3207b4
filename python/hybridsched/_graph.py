# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs of networkx."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._errors import check
from ._library import ffi, lib
from ._table import TYPES, _cell, listed_name

if TYPE_CHECKING:
    import networkx

    from ._instance import Instance

FOREIGN = ("id", "cpu", "gpu", "after", "data")


def node_table(graph: networkx.DiGraph[Any], cpu: str, gpu: str, bytes: str) -> dict[str, Any]:
    """Return the columns of an instance, with a row for each node of a graph."""
    if not graph.is_directed() or graph.is_multigraph():
        raise ValueError("expected a networkx.DiGraph: a directed graph with at most one edge "
                         "between two nodes")
    nodes = list(graph.nodes(data=True))
    table: dict[str, Any] = {"id": [str(node) for node, _ in nodes]}
    present = {name for _, attributes in nodes for name in attributes}
    sources = {"cpu": cpu, "gpu": gpu,
               **{name: name for name in TYPES if name not in FOREIGN}}
    for name, source in sources.items():
        if source in present:
            table[name] = [attributes.get(source) for _, attributes in nodes]
    names = {node: listed_name(node) for node in graph if graph.succ[node]}
    table["after"] = [";".join(_edge(names[before], attributes.get(bytes))
                               for before, attributes in graph.pred[node].items())
                      for node, _ in nodes]
    return table


def _edge(name: str, bytes: Any) -> str:
    return f"{name}:{_cell(bytes)}" if bytes else name


def _time(handle: Any, task: int, kind: int) -> Any:
    """Return a time of a task; "?" if it is unknown."""
    time = lib.hs_instance_time(handle, task, kind)
    return "?" if math.isnan(time) else time


def to_networkx(instance: Instance) -> networkx.DiGraph[Any]:
    """Return the tasks and edges of an instance; barriers become edges between tasks."""
    import networkx

    tasks, names, handle = len(instance), instance.names(), instance._handle
    graph: networkx.DiGraph[Any] = networkx.DiGraph()
    graph.add_nodes_from(
        (name, {"cpu": _time(handle, task, lib.HS_CPU), "gpu": _time(handle, task, lib.HS_GPU),
                "priority": lib.hs_instance_priority(handle, task)})
        for task, name in enumerate(names))
    out = ffi.new("hs_graph **")
    check(lib.hs_instance_graph(handle, out))
    if not out[0]:
        return graph
    count, bytes = ffi.new("size_t *"), ffi.new("const double **")

    def before(vertex: int) -> list[tuple[int, float]]:
        """Return the predecessors of a vertex with the bytes of their edges."""
        found = lib.hs_graph_predecessors(out[0], vertex, count, bytes)
        sizes = ffi.unpack(bytes[0], count[0]) if bytes[0] else [0.0] * count[0]
        return list(zip(ffi.unpack(found, count[0]), sizes)) if count[0] else []

    for task in range(tasks):
        edges: dict[int, float] = {}
        seen = {task}
        waiting = before(task)
        while waiting:
            vertex, size = waiting.pop()
            if vertex < tasks:
                edges[vertex] = edges.get(vertex, 0) + size
            elif vertex not in seen:
                seen.add(vertex)
                waiting += [(other, max(size, inner)) for other, inner in before(vertex)]
        graph.add_edges_from((names[vertex], names[task], {"bytes": size})
                             for vertex, size in sorted(edges.items()))
    return graph
