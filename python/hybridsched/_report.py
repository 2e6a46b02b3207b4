# SPDX-License-Identifier: BSD-3-Clause
"""Results of calls: what is known of a schedule beside its entries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """How a schedule was made.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm, with its rank: ``"heft:min"``; empty if unknown.
    bound : float
        Lower bound on every makespan; 0 if none was computed.
    bound_name : str
        Name of the bound.
    optimal : bool
        Whether the makespan was proved to be optimal, as exact sums of the times. A search proves
        this without a certificate; `hybridsched.prove` makes one.
    certified : float
        Largest exact sum of the times of a worker, rounded up; 0 if unknown.
    limit_reached : bool
        Whether the limit of time or iterations ended the search.
    interrupted : bool
        Whether Ctrl-C or the progress callback ended the search.
    iterations : int
        Iterations of the search.
    members : tuple of str
        Algorithms of the portfolio of ``best`` that ended.
    found_by : str
        What found the schedule of ``best`` or ``exact``: an algorithm of the portfolio, a step of
        the search, or ``"start"``; empty for other algorithms.
    seconds : float
        Duration of the call.
    seed : int
        Seed of the search.
    """

    algorithm: str = ""
    bound: float = 0.0
    bound_name: str = ""
    optimal: bool = False
    certified: float = 0.0
    limit_reached: bool = False
    interrupted: bool = False
    iterations: int = 0
    members: tuple[str, ...] = ()
    found_by: str = ""
    seconds: float = 0.0
    seed: int = 0
