# SPDX-License-Identifier: BSD-3-Clause
"""Policies under a virtual clock."""

from __future__ import annotations

from typing import Any, Optional

from ._errors import InvalidArgument, check_described
from ._library import Stop, ffi, lib, stoppable, struct, text
from ._report import Report
from ._settings import find_ranked, set_parameters
from ._instance import Instance
from ._schedule import Done, Schedule, _available, _done


def simulate(instance: Instance, policy: str, *, plan: Optional[Schedule] = None,
             truth: Optional[Instance] = None, tolerance: float = 0, available: Any = None,
             transfers: bool = False, done: Optional[Done] = None, **parameters: float) -> Schedule:
    """Simulate a policy: it decides by the instance's times, and tasks take the times of truth.

    Parameters
    ----------
    instance : Instance
        Tasks, workers, and the times that the policy sees.
    policy : str
        A name of :func:`policies`, with a rank if wanted: ``"heteroprio:min"``.
    plan : Schedule, optional
        A schedule of the instance, for a policy that follows a plan.
    truth : Instance, optional
        The same tasks and workers with the times that tasks take; by default the instance.
    tolerance : float
        Delay, relative to the estimate, up to which a task is not late.
    available : array of float, optional
        For each worker the time of its first decision.
    transfers : bool
        Whether to record the transfers of a graph.
    done : mapping, optional
        Tasks, by number or name, that were done before the start, and the worker that ran each,
        whose memory has its results: a number, ``"gpu0"``, or None for the memory of the host.
    **parameters : float
        Parameters of single policies: band, leave, ratio_tolerance, threshold.

    Examples
    --------
    >>> import hybridsched as hs
    >>> guess = hs.generate("gamma", 100, cpus=4, gpus=2, seed=1)
    >>> truth = hs.generate("gamma", 100, cpus=4, gpus=2, seed=2)
    >>> hs.simulate(guess, "heteroprio", truth=truth).makespan > 0
    True
    """
    kind, rank = find_ranked("policy", policy)
    if lib.hs_policy_needs_plan(kind) and plan is None:
        raise InvalidArgument(f"the policy {policy!r} follows a plan: pass plan=, a schedule of "
                              "the instance")
    instance = instance._without_idle_unknowns()
    real = instance if truth is None else truth._without_idle_unknowns()
    _check_truth(instance, real)
    stop, settings = Stop(), struct("hs_policy_settings")
    settings.cancel, settings.cancel_data = stop.function, stop.flag
    settings.tolerance, settings.rank, settings.transfers = tolerance, rank, transfers
    set_parameters(settings.parameters, parameters)
    times = _available(instance, available)
    settings.available = times
    settings.skip, settings.skip_worker = done_memory = _done(instance, done)
    out, error = ffi.new("hs_schedule **"), ffi.new("hs_error *")
    status, interrupt = stoppable(
        lambda: lib.hs_policy_simulate(
            kind, instance._handle, plan._handle if plan is not None else ffi.NULL, real._handle,
            settings, out, error), stop)
    del done_memory
    made = Schedule._own(out[0], real, Report(algorithm=policy)) if status == lib.HS_OK else None
    if interrupt:
        raise interrupt
    check_described(status, error, text(lib.hs_policy_name(kind)))
    assert made is not None
    return made


def _check_truth(instance: Instance, truth: Instance) -> None:
    """Refuse times of other tasks with a message that says what differs."""
    for what, one, other in (("tasks", len(instance), len(truth)),
                             ("CPUs", instance.cpus, truth.cpus),
                             ("GPUs", instance.gpus, truth.gpus)):
        if one != other:
            raise InvalidArgument(f"truth has {other} {what}, but the instance has {one}")
