# SPDX-License-Identifier: BSD-3-Clause
"""Generated instances: random times, factorisations, graphs by shape, applications, worst cases."""

from __future__ import annotations

from typing import Any, Optional

from ._errors import InvalidArgument, check_described
from ._library import Path, encode, ffi, lib, near, registry, sized, struct, text
from ._instance import Instance, _workers

FACTORISATIONS = ("cholesky", "lu", "qr")
SHAPES = ("chain", "fork-join", "layered", "random", "reduction", "topcuoglu")
LAWS = ("gamma", "uniform", "spread")
PROBLEMS = ("small", "medium", "large")
GAMMA = {"cpu_mean": 15.0, "cpu_cv": 0.2, "gpu_mean": 1.0, "gpu_cv": 1.0}
UNIFORM = {"cpu_range": (1.0, 100.0), "gpu_range": (1.0, 10.0), "integer": False}


class _Options:
    """Keyword arguments of generate(); each may be taken once, and all must be."""

    def __init__(self, family: str, given: dict[str, Any]) -> None:
        self.family, self.given, self.known = family, given, set[str]()

    def take(self, name: str, default: Any = None) -> Any:
        self.known.add(name)
        return self.given.pop(name, default)

    def finish(self) -> None:
        if self.given:
            name = next(iter(self.given))
            raise TypeError(f"generate({self.family!r}) has no argument '{name}'"
                            f"{near(name, self.known) or ';'} it has "
                            f"{', '.join(sorted(self.known)) or 'none'}")


def families() -> list[str]:
    """Return the families of :func:`generate`."""
    return ["gamma", "uniform", *_identical(), *FACTORISATIONS, *SHAPES,
            *(f"application-{text(lib.hs_application_name(entry))}"
              for entry in registry(lib.hs_application_at)),
            *(f"worst-{text(lib.hs_worst_name(entry))}" for entry in registry(lib.hs_worst_at))]


def _identical() -> list[str]:
    return [text(name) for name in registry(lib.hs_identical_name)]


def generate(family: str, size: Optional[int] = None, *, cpus: Optional[int] = None,
             gpus: Optional[int] = None, seed: int = 0, **options: Any) -> Instance:
    """Generate an instance; equal arguments give equal instances on every machine.

    The families, arguments and defaults are those of hsched-gen(1).

    Parameters
    ----------
    family : str
        One of :func:`families`: "gamma", "uniform", a family of P||Cmax, "cholesky", "lu", "qr",
        a shape of graphs such as "layered", "application-NAME" or "worst-NAME".
    size : int, optional
        Number of tasks; of tiles for a factorisation, of copies for an application, and the
        argument of a worst case.
    cpus, gpus : int, optional
        Numbers of workers; by default 20 and 4, those of the kernel table, or 1 and 1 for an
        application. Worst cases have workers of their own and ignore them.
    seed : int
        Seed of the random numbers. Factorisations, applications and worst cases have none and
        ignore it.
    **options
        gamma: cpu_mean, cpu_cv, gpu_mean, gpu_cv. uniform: cpu_range, gpu_range (pairs), integer.
        P||Cmax: cpu_range. Factorisations: kernels (a name or a file), compact, graph, single.
        Shapes: times ("gamma", "uniform" or "spread") with its options, or kernels; width, degree,
        alpha, ccr, bandwidth, mean, beta. Applications: problem ("small", "medium" or "large").

    Examples
    --------
    >>> import hybridsched as hs
    >>> hs.generate("cholesky", 4, kernels="mirage-960", graph=True)
    <Instance: 20 tasks, a graph, 9 CPUs, 3 GPUs, times in ms>
    """
    given = _Options(family, options)
    workers = (None if cpus is None else _workers(cpus, "cpus"),
               None if gpus is None else _workers(gpus, "gpus"))
    if family == "gamma":
        return _gamma(given, _tasks(size), workers, seed)
    if family == "uniform":
        return _uniform(given, _tasks(size), workers, seed)
    if family in FACTORISATIONS:
        return _tiled(given, _needed(size, "the number of tiles in a row"), workers)
    if family in SHAPES:
        return _shaped(given, _tasks(size), workers, seed)
    if family in _identical():
        return _p_cmax(given, _tasks(size), workers, seed)
    group, _, name = family.partition("-")
    if group == "application" and (entry := lib.hs_application_find(encode(name))):
        return _application(given, entry, 1 if size is None else size, workers)
    if group == "worst" and (entry := lib.hs_worst_find(encode(name))):
        return _worst(given, entry, _needed(size, "the argument of the worst case"))
    raise InvalidArgument(f"unknown family {family!r}{near(family, families()) or ';'} "
                          "hs.families() lists all")


def _tasks(size: Optional[int]) -> int:
    return 300 if size is None else size


def _needed(size: Optional[int], what: str) -> int:
    if size is None:
        raise TypeError(f"the second argument is missing: {what}")
    return size


def _made(function: Any, *arguments: Any) -> Instance:
    out, error = ffi.new("hs_instance **"), ffi.new("hs_error *")
    check_described(function(*arguments, out, error), error)
    return Instance._own(out[0])


def _common(spec: Any, tasks: int, workers: tuple[Optional[int], Optional[int]],
            seed: int) -> None:
    spec.tasks, spec.seed = tasks, seed
    spec.cpus = 20 if workers[0] is None else workers[0]
    spec.gpus = 4 if workers[1] is None else workers[1]


def _set_gamma(given: _Options, spec: Any) -> None:
    for name, default in GAMMA.items():
        setattr(spec, name, given.take(name, default))


def _set_uniform(given: _Options, spec: Any) -> None:
    spec.cpu_low, spec.cpu_high = given.take("cpu_range", UNIFORM["cpu_range"])
    spec.gpu_low, spec.gpu_high = given.take("gpu_range", UNIFORM["gpu_range"])
    spec.integer = given.take("integer", False)


def _gamma(given: _Options, tasks: int, workers: Any, seed: int) -> Instance:
    spec = sized("hs_gamma")
    _common(spec, tasks, workers, seed)
    _set_gamma(given, spec)
    given.finish()
    return _made(lib.hs_generate_gamma, spec)


def _uniform(given: _Options, tasks: int, workers: Any, seed: int) -> Instance:
    spec = sized("hs_uniform")
    _common(spec, tasks, workers, seed)
    _set_uniform(given, spec)
    given.finish()
    return _made(lib.hs_generate_uniform, spec)


def _p_cmax(given: _Options, tasks: int, workers: Any, seed: int) -> Instance:
    if workers[1]:
        raise InvalidArgument(f"{given.family!r} has CPUs only; expected gpus=0 or nothing")
    spec = sized("hs_identical")
    name = ffi.new("char[]", encode(given.family))
    spec.family, spec.tasks, spec.seed = name, tasks, seed
    spec.cpus = 20 if workers[0] is None else workers[0]
    spec.low, spec.high = given.take("cpu_range", (0, 0))
    given.finish()
    return _made(lib.hs_generate_identical, spec)


class _KernelTable:
    """A kernel table of the library, or from a file."""

    def __init__(self, name: Path) -> None:
        self.pointer = lib.hs_kernel_table_find(encode(name)) if isinstance(name, str) else None
        if self.pointer:
            return
        out, error = ffi.new("hs_kernel_table **"), ffi.new("hs_error *")
        try:
            with open(name, "rb") as file:
                status = lib.hs_kernel_table_read(file.fileno(), out, error)
        except FileNotFoundError:
            names = [text(table.name) for table in registry(lib.hs_kernel_table_at)]
            raise InvalidArgument(f"kernels={name!r} is no file and none of the tables "
                                  f"{', '.join(names)}{near(str(name), names)}") from None
        check_described(status, error, str(name))
        self.pointer = ffi.gc(out[0], lib.hs_kernel_table_free)


def _tiled(given: _Options, tiles: int, workers: Any) -> Instance:
    spec = sized("hs_tiled")
    kernels = given.take("kernels")
    spec.kind = FACTORISATIONS.index(given.family)
    spec.tiles = tiles
    for name in ("compact", "graph", "single"):
        setattr(spec, name, given.take(name, False))
    given.finish()
    if kernels is not None:
        table = _KernelTable(kernels)
        return _from_table(spec, table.pointer, workers)
    for entry in registry(lib.hs_kernel_table_at):
        names = {text(entry.kernels[i].factorisation) for i in range(entry.count)}
        if given.family in names or "" in names:
            return _from_table(spec, entry, workers)
    raise InvalidArgument(f"no built-in kernel table has the kernels of {given.family!r}")


def _from_table(spec: Any, table: Any, workers: Any) -> Instance:
    spec.table = table
    spec.cpus = table.cpus if workers[0] is None else workers[0]
    spec.gpus = table.gpus if workers[1] is None else workers[1]
    if spec.cpus + spec.gpus == 0:
        raise InvalidArgument("the kernel table does not say for how many workers it is; pass "
                              "cpus and gpus")
    return _made(lib.hs_generate_tiled, spec)


def _shaped(given: _Options, tasks: int, workers: Any, seed: int) -> Instance:
    spec = struct("hs_shaped")
    _common(spec, tasks, workers, seed)
    spec.shape = SHAPES.index(given.family)
    for name in ("width", "degree", "alpha", "ccr", "mean", "beta"):
        value = given.take(name)
        if value is not None:
            setattr(spec, name, value)
    spec.bandwidth = given.take("bandwidth", 1e10)
    _set_gamma(given, spec.gamma)
    _set_uniform(given, spec.uniform)
    times = given.take("times", "spread" if given.family == "topcuoglu" else "gamma")
    kernels = given.take("kernels")
    given.finish()
    if kernels is None:
        if times not in LAWS:
            raise InvalidArgument(f"times={times!r}: expected one of {', '.join(LAWS)}")
        spec.law = LAWS.index(times)
        return _made(lib.hs_generate_shaped, spec)
    table = _KernelTable(kernels)
    spec.law, spec.table = lib.HS_LAW_KERNELS, table.pointer
    if workers == (None, None) and table.pointer.cpus + table.pointer.gpus > 0:
        spec.cpus, spec.gpus = table.pointer.cpus, table.pointer.gpus
    return _made(lib.hs_generate_shaped, spec)


def _application(given: _Options, application: Any, copies: int, workers: Any) -> Instance:
    problem = given.take("problem", "small")
    given.finish()
    if problem not in PROBLEMS:
        raise InvalidArgument(f"problem={problem!r}: expected one of {', '.join(PROBLEMS)}")
    parts = ffi.new("hs_copies[1]")
    parts[0].application, parts[0].copies = application, copies
    cpus, gpus = (1 if count is None else count for count in workers)
    return _made(lib.hs_generate_applications, parts, 1, PROBLEMS.index(problem), cpus, gpus)


def _worst(given: _Options, family: Any, argument: int) -> Instance:
    given.finish()
    out, error = ffi.new("hs_instance **"), ffi.new("hs_error *")
    check_described(lib.hs_generate_worst(family, argument, out, ffi.NULL, ffi.NULL, error), error)
    return Instance._own(out[0])
