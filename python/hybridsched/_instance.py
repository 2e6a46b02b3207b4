# SPDX-License-Identifier: BSD-3-Clause
"""Instances: tasks with a time on a CPU and a time on a GPU, and the numbers of workers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _table
from ._errors import check, check_described, failure
from ._library import Path, content, ffi, lib, memory_file, save, struct, text, written

if TYPE_CHECKING:
    import networkx
    import pandas

    from ._profile import Profile
    from ._schedule import Schedule


def _column(values: Any, kind: Any) -> Any:
    """Return a contiguous array of one dimension, without a copy where possible."""
    array = np.ascontiguousarray(values, dtype=kind)
    if array.ndim != 1:
        raise ValueError(f"expected one dimension, not {array.ndim}")
    return array


def _priorities(values: Any) -> Any:
    """Return priorities as an array of int64, after a check that the conversion keeps them."""
    given = np.asarray(values)
    with np.errstate(invalid="ignore"):
        array = given.astype(np.int64, copy=False)
    wrong: Any = np.flatnonzero(array != given) if array is not given else ()
    if len(wrong):
        raise ValueError(f"priority: element {wrong[0]} is {given.flat[wrong[0]]}; expected a "
                         "whole number from -2**63 to 2**63 - 1")
    return array


class Instance:
    """Tasks and workers. Immutable; threads may share an instance.

    Parameters
    ----------
    cpu, gpu : array of float
        Time of each task on a CPU and on a GPU, above 0; ``inf`` where it cannot run. Contiguous
        arrays of float64 are used without a copy, so they must not change afterwards.
    cpus, gpus : int
        Numbers of workers.
    priority : array of int, optional
        Priorities of the tasks, larger is more urgent.

    Examples
    --------
    >>> import hybridsched as hs
    >>> inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
    >>> hs.solve(inst, "exact").makespan
    4.0
    """

    __slots__ = ("_handle", "_kept", "__weakref__")
    _handle: Any
    _kept: Any

    def __init__(self, cpu: Any, gpu: Any, *, cpus: int, gpus: int, priority: Any = None) -> None:
        kept = [_column(cpu, np.float64), _column(gpu, np.float64)]
        if priority is not None:
            kept.append(_column(_priorities(priority), np.int64))
        if len({len(array) for array in kept}) != 1:
            raise ValueError(f"arrays of {', '.join(str(len(array)) for array in kept)} elements: "
                             "expected one element for each task")
        out = ffi.new("hs_instance **")
        status = lib.hs_instance_wrap(
            len(kept[0]), ffi.from_buffer("double[]", kept[0]),
            ffi.from_buffer("double[]", kept[1]),
            ffi.from_buffer("int64_t[]", kept[2]) if priority is not None else ffi.NULL,
            _workers(cpus, "cpus"), _workers(gpus, "gpus"), out)
        if status != lib.HS_OK:
            raise failure(status, _array_fault(status, kept[0], kept[1], cpus, gpus))
        self._set(out[0], kept)

    def _set(self, handle: Any, kept: Any) -> None:
        object.__setattr__(self, "_handle", ffi.gc(handle, lib.hs_instance_free))
        object.__setattr__(self, "_kept", kept)

    @classmethod
    def _own(cls, handle: Any, kept: Any = None) -> Instance:
        """Return the Instance that owns a handle of the library; ``kept`` lives as long."""
        made = cls.__new__(cls)
        made._set(handle, kept)
        return made

    @classmethod
    def _from_text(cls, content: bytes) -> Instance:
        out = ffi.new("hs_instance **")
        error = ffi.new("hs_error *")
        with memory_file(content) as fd:
            check_described(lib.hs_instance_read(fd, ffi.NULL, out, error), error)
        return cls._own(out[0])

    @classmethod
    def from_frame(cls, frame: Any, *, cpus: int, gpus: int, unit: str = "s",
                   links: Optional[Mapping[str, tuple[float, float]]] = None,
                   data_bytes: Optional[Mapping[str, float]] = None,
                   data_memory: Optional[Mapping[str, str]] = None,
                   **columns: str) -> Instance:
        """Build an instance from a table: a pandas DataFrame, or a mapping of columns.

        The columns are those of hsched-formats(5): cpu, gpu, id, priority, count, kernel,
        cpu_command, gpu_command, restartable, timeout, size, flops, guess, after, data. NaN and
        None are empty cells, ``inf`` means that a task cannot run on a type, ``"?"`` that the time is
        unknown. An empty time beside a given one means that the task cannot run on that type.

        Parameters
        ----------
        frame : DataFrame or mapping of str to sequence
            Unless ``columns`` are named, every column of the frame must be one of the above.
        cpus, gpus : int
            Numbers of workers.
        unit : {"s", "ms", "us", "ns"}
            Unit of the times.
        links : mapping, optional
            Latency and bytes per second of the links "h2d", "d2h" and "d2d" of a task graph.
        data_bytes : mapping, optional
            Sizes of the data that the column ``data`` names.
        data_memory : mapping, optional
            Memories that have data at the start: "gpu0", or "host1" of the second node. Other data
            is on the first host.
        **columns : str
            Names of the frame's columns, where they have other names: ``cpu="t_cpu"``. If columns
            are named, the frame may have further columns, which are ignored.

        Examples
        --------
        >>> import hybridsched as hs
        >>> table = {"job": ["a", "b"], "t_cpu": [3, 5], "t_gpu": [1, None]}
        >>> inst = hs.Instance.from_frame(table, cpus=1, gpus=1, id="job", cpu="t_cpu",
        ...                               gpu="t_gpu")
        >>> hs.solve(inst).makespan
        5.0
        """
        header = _table.header(_workers(cpus, "cpus"), _workers(gpus, "gpus"), unit, links,
                               data_bytes, data_memory)
        rows = _table.Rows(frame, columns)
        out = ffi.new("hs_instance **")
        error = ffi.new("hs_error *")
        with memory_file(header + rows.text()) as fd:
            status = lib.hs_instance_read(fd, ffi.NULL, out, error)
        if status != lib.HS_OK:
            raise rows.failure(status, error, header.count(b"\n"))
        return cls._own(out[0])

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph[Any], *, cpus: int, gpus: int,
                      cpu: str = "cpu", gpu: str = "gpu", bytes: str = "bytes", unit: str = "s",
                      links: Optional[Mapping[str, tuple[float, float]]] = None) -> Instance:
        """Build an instance from a directed graph of networkx: a task for each node.

        Parameters
        ----------
        graph : networkx.DiGraph
            An edge leads from a task to a task that needs its result.
        cpus, gpus : int
            Numbers of workers.
        cpu, gpu, bytes : str
            Names of the nodes' attributes with the times, and of the edges' attribute with the
            bytes that move along the edge. Other attributes of nodes are columns of
            :meth:`from_frame` if they have such names, and ignored otherwise.
        unit, links
            As for :meth:`from_frame`.
        """
        from ._graph import node_table

        return cls.from_frame(node_table(graph, cpu, gpu, bytes), cpus=cpus, gpus=gpus, unit=unit,
                              links=links)

    @classmethod
    def from_saga(cls, network: Any, task_graph: Any) -> Instance:
        """Build an instance from a network and a task graph of SAGA (anrg-saga 2).

        An instance has two types of workers, and a memory for all CPUs and for each GPU. So only
        these networks become an instance, exactly: nodes of one or two speeds; in one of the two
        groups infinite edges, its nodes are the CPUs; one speed of the edges between the groups,
        and one of those between GPUs. A first or last task of cost 0 without data is left out.

        Parameters
        ----------
        network : saga.Network
            Nodes with a name and a speed, edges with a source, a target and a speed.
        task_graph : saga.TaskGraph
            Tasks with a name and a cost, dependencies with a source, a target and a size.

        Raises
        ------
        InvalidArgument
            A ValueError that says what an instance cannot express.
        """
        from ._foreign import from_saga

        return from_saga(network, task_graph)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """Return the tasks as a directed graph of networkx: a node for each task.

        Nodes have the attributes cpu, gpu (``"?"`` if unknown) and priority, edges have bytes.
        Dependencies that follow from common data are edges, too. :meth:`from_networkx` reverses
        this, except for data.
        """
        from ._graph import to_networkx

        return to_networkx(self)

    @property
    def cpus(self) -> int:
        """Number of CPUs."""
        return int(lib.hs_instance_cpus(self._handle))

    @property
    def gpus(self) -> int:
        """Number of GPUs."""
        return int(lib.hs_instance_gpus(self._handle))

    @property
    def unit(self) -> str:
        """Unit of the times: s, ms, us or ns."""
        return text(lib.hs_unit_name(lib.hs_instance_unit(self._handle)))

    @property
    def unknown(self) -> int:
        """Number of rows with an unknown time."""
        return int(lib.hs_instance_unknown(self._handle))

    @property
    def guesses(self) -> int:
        """Number of rows with a time that :meth:`fill` guessed, on a type that has workers."""
        workers = {lib.HS_CPU: self.cpus, lib.HS_GPU: self.gpus}
        return len({row for row, kind, source in self._sources()
                    if workers[kind] and lib.hs_cost_is_guess(source)})

    def _without_idle_unknowns(self) -> Instance:
        """Return the instance with guesses for unknown times that matter to no schedule.

        These are times on a type without workers. If another time is unknown, return self.
        """
        if not self.unknown or (self.cpus and self.gpus):
            return self
        filled = self.fill()
        return filled if filled.guesses == self.guesses else self

    def _sources(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over the times: row, type (0: CPU, 1: GPU), hs_cost_source."""
        handle, last = self._handle, None
        row_of, source_of = lib.hs_instance_row_of, lib.hs_instance_source
        for task in range(len(self)):
            row = row_of(handle, task)
            if row != last:
                yield row, lib.HS_CPU, source_of(handle, task, lib.HS_CPU)
                yield row, lib.HS_GPU, source_of(handle, task, lib.HS_GPU)
            last = row

    def sources(self) -> dict[str, list[str]]:
        """Return where the times come from, in the order of :meth:`frame`: "cpu" and "gpu".

        "given": they are the instance's own. :meth:`fill` predicted the others: from executions of
        the same "task", of tasks with the same features ("history"), by a law of the size
        ("power") or of work and bytes ("learned"), by the rates of the machine ("roofline"); or
        guessed them, from other sizes ("key"), from other keys ("least"), or as 1 s ("none").
        """
        found: dict[str, list[str]] = {"cpu": [], "gpu": []}
        for _, kind, source in self._sources():
            found["gpu" if kind == lib.HS_GPU else "cpu"].append(
                text(lib.hs_cost_source_name(source)))
        return found

    def fill(self, profile: Union[Profile, Path, None] = None, *, retime: bool = False) -> Instance:
        """Return an instance without unknown times.

        Parameters
        ----------
        profile : Profile or path, optional
            Measured times, from which the unknown ones are predicted. What they do not tell is
            guessed; without a profile every unknown time is guessed as 1 s.
        retime : bool
            Whether given times are replaced, too, where the profile tells the time.

        Examples
        --------
        >>> import hybridsched as hs
        >>> known = hs.Profile()
        >>> for size in (10, 20, 40, 80):
        ...     known.observe("sort", "cpu", 0.5 * size, size=size)
        >>> jobs = {"kernel": ["sort", "scan"], "size": [60, 60], "cpu": ["?", "?"]}
        >>> inst = hs.Instance.from_frame(jobs, cpus=1, gpus=0).fill(known)
        >>> inst.sources()["cpu"], inst.guesses
        (['power', 'least'], 1)
        >>> round(hs.solve(inst, "lpt").makespan, 6)
        35.0
        """
        from ._profile import opened

        known = opened(profile, must_exist=True)
        out = ffi.new("hs_instance **")
        function = lib.hs_instance_retime if retime else lib.hs_instance_fill
        if known is None:
            check(function(self._handle, ffi.NULL, out))
        else:
            with known._lock:
                check(function(self._handle, known._cost, out))
        return Instance._own(out[0], self)

    @property
    def has_graph(self) -> bool:
        """Whether tasks depend on each other."""
        return bool(lib.hs_instance_has_graph(self._handle))

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Lines ``# key value`` of the file that have no meaning for the library."""
        found: list[tuple[str, str]] = []
        value = ffi.new("const char **")
        while key := lib.hs_instance_note(self._handle, len(found), value):
            found.append((text(key), text(value[0])))
        return found

    @property
    def links(self) -> dict[str, tuple[float, float]]:
        """Latency and bytes per second of each link, as :meth:`from_frame` takes them."""
        latency, bandwidth = ffi.new("double *"), ffi.new("double *")
        return {name: (latency[0], bandwidth[0]) for number, name in enumerate(_table.LINKS)
                if lib.hs_instance_link(self._handle, number, latency, bandwidth)}

    @property
    def data_bytes(self) -> dict[str, float]:
        """Size in bytes of each data item that tasks share."""
        found: dict[str, float] = {}
        while name := lib.hs_instance_handle_name(self._handle, len(found)):
            found[text(name)] = lib.hs_instance_handle_bytes(self._handle, len(found))
        return found

    @property
    def data_memory(self) -> dict[str, str]:
        """Memory that has each data item at the start, unless it is that of the first host."""
        hosts = lib.hs_instance_nodes(self._handle)
        nodes = {name: lib.hs_instance_handle_memory_node(self._handle, number)
                 for number, name in enumerate(self.data_bytes)}
        return {name: f"host{node}" if node < hosts else f"gpu{node - hosts}"
                for name, node in nodes.items() if node > 0}

    @property
    def digest(self) -> int:
        """64-bit digest of workers, unit and tasks, independent of the order of the tasks."""
        return int(lib.hs_instance_digest(self._handle))

    def __len__(self) -> int:
        """Return the number of tasks, copies of rows with a count included."""
        return int(lib.hs_instance_tasks(self._handle))

    def name(self, task: int) -> str:
        """Return the name of a task: its id, ``id#3`` for a copy, ``t7`` without an id."""
        if not 0 <= task < len(self):
            raise IndexError(f"task {task} of {len(self)}")
        size = 64
        while True:
            buffer = ffi.new("char[]", size)
            length = lib.hs_instance_name(self._handle, task, buffer, size)
            if length < size:
                return text(buffer)
            size = length + 1

    def names(self) -> list[str]:
        """Return the names of all tasks."""
        buffer, size = ffi.new("char[]", lib.HS_MAX_ID + 16), lib.HS_MAX_ID + 16
        named, string, handle = lib.hs_instance_name, ffi.string, self._handle
        found = []
        for task in range(len(self)):
            named(handle, task, buffer, size)
            found.append(string(buffer).decode("utf-8", "surrogateescape"))
        return found

    def with_workers(self, cpus: int, gpus: int) -> Instance:
        """Return an instance with the same tasks on other workers; it shares the memory."""
        out = ffi.new("hs_instance **")
        check(lib.hs_instance_with_workers(self._handle, _workers(cpus, "cpus"),
                                           _workers(gpus, "gpus"), out))
        return Instance._own(out[0], self._kept)

    def text(self) -> bytes:
        """Return the instance as a file in memory, see hsched-formats(5)."""
        return written(lib.hs_instance_write, self._handle)

    def save(self, path: Path) -> None:
        """Write the instance to a file, see hsched-formats(5)."""
        save(path, self.text())

    def dot(self) -> str:
        """Return the graph in Graphviz's language; :func:`import_file` reads it."""
        with memory_file() as fd:
            check(lib.hs_dot_write(fd, self._handle))
            return content(fd).decode("utf-8", "surrogateescape")

    def frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas DataFrame with the columns of the file.

        ``attrs`` has the other arguments of :meth:`from_frame`: cpus, gpus, unit, links,
        data_bytes and data_memory. A column with an unknown time has objects, with ``"?"`` for that time.

        Examples
        --------
        >>> import hybridsched as hs
        >>> inst = hs.generate("gamma", 5, cpus=2, gpus=1)
        >>> frame = inst.frame()
        >>> hs.Instance.from_frame(frame, **frame.attrs).digest == inst.digest
        True
        """
        import pandas

        frame = pandas.DataFrame(_table.columns(self.text()))
        frame.attrs = {"cpus": self.cpus, "gpus": self.gpus, "unit": self.unit}
        if links := self.links:
            frame.attrs["links"] = links
        if sizes := self.data_bytes:
            frame.attrs["data_bytes"] = sizes
        if memory := self.data_memory:
            frame.attrs["data_memory"] = memory
        return frame

    def __reduce__(self) -> Any:
        return Instance._from_text, (self.text(),)

    def __copy__(self) -> Instance:
        return self

    def __deepcopy__(self, memo: Any) -> Instance:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an Instance is immutable: '{name}' cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Instance is immutable: '{name}' cannot be deleted")

    def __eq__(self, other: object) -> bool:
        """Return whether the files of both instances are equal."""
        if not isinstance(other, Instance):
            return NotImplemented
        return self is other or self.digest == other.digest and self.text() == other.text()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        graph = ", a graph" if self.has_graph else ""
        unknown = f", {self.unknown} rows with unknown times" if self.unknown else ""
        return (f"<Instance: {len(self)} tasks{graph}, {self.cpus} CPUs, {self.gpus} GPUs, times "
                f"in {self.unit}{unknown}>")


def _workers(count: int, what: str) -> int:
    """Return a number of workers of one type, after a check of its range."""
    number = int(count)
    if number != count or not 0 <= number <= lib.HS_MAX_WORKERS:
        raise ValueError(f"{what}={count!r}: expected a whole number from 0 to "
                         f"{lib.HS_MAX_WORKERS}")
    return number


def _array_fault(status: int, cpu: Any, gpu: Any, cpus: int, gpus: int) -> str:
    """Describe the first task that hs_instance_wrap() refuses; empty: no single task."""
    if status == lib.HS_ETIME:
        for array, kind in ((cpu, "CPU"), (gpu, "GPU")):
            wrong = np.flatnonzero(~(array > 0))
            if len(wrong):
                task = wrong[0]
                return (f"task {task}: the {kind} time {array[task]} is not positive; expected a "
                        "number above 0, or inf where the task cannot run")
    if status == lib.HS_EWORKER and cpus + gpus > 0:
        least = np.minimum(cpu if cpus else np.inf, gpu if gpus else np.inf)
        wrong = np.flatnonzero(np.isinf(least))
        if len(wrong):
            return f"task {wrong[0]}: none of {cpus} CPUs and {gpus} GPUs can run it"
    if status == lib.HS_EINVAL and cpus + gpus == 0:
        return "no CPU and no GPU: nothing could run"
    return ""


def read(path: Path, *, cpus: Optional[int] = None, gpus: Optional[int] = None,
         ignore_unknown: bool = False) -> Instance | Schedule:
    """Read an instance or a plan.

    Parameters
    ----------
    path : path
        A file described in hsched-formats(5).
    cpus, gpus : int, optional
        Numbers of workers, instead of the file's.
    ignore_unknown : bool
        Whether unknown columns are ignored instead of refused.

    Returns
    -------
    Instance or Schedule
        What the file contains.
    """
    from ._schedule import read_plan

    settings = struct("hs_read_settings")
    settings.ignore_unknown = ignore_unknown
    if cpus is not None:
        settings.has_cpus, settings.cpus = 1, _workers(cpus, "cpus")
    if gpus is not None:
        settings.has_gpus, settings.gpus = 1, _workers(gpus, "gpus")
    out = ffi.new("hs_instance **")
    error = ffi.new("hs_error *")
    with open(path, "rb") as file:
        status = lib.hs_instance_read(file.fileno(), settings, out, error)
        if status == lib.HS_EKIND:
            file.seek(0)
            return read_plan(file.fileno(), settings, os.fspath(path))
        check_described(status, error, os.fspath(path))
    return Instance._own(out[0])
