# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the algorithms, bounds and policies of this build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._library import ffi, lib, registry, text
from ._settings import rank_names

if TYPE_CHECKING:
    import pandas


def algorithms(*, cpus: int = 20, gpus: int = 4) -> pandas.DataFrame:
    """Return the algorithms of this build as a DataFrame, indexed by name.

    Columns: guarantee (proved ratio to the optimum on these workers, for independent tasks;
    ``inf``: none), graphs, ranks, available, cost, source, summary.
    """
    import pandas

    return pandas.DataFrame([{
        "name": text(lib.hs_algorithm_name(entry)),
        "guarantee": lib.hs_algorithm_guarantee(entry, cpus, gpus, ffi.NULL),
        "graphs": bool(lib.hs_algorithm_supports_graphs(entry)),
        "ranks": rank_names(lib.hs_algorithm_supported_ranks(entry)),
        "available": bool(lib.hs_algorithm_supports_available(entry)),
        "cost": text(lib.hs_algorithm_cost(entry)),
        "source": text(lib.hs_algorithm_source(entry)),
        "summary": text(lib.hs_algorithm_summary(entry)),
    } for entry in registry(lib.hs_algorithm_at)]).set_index("name")


def bounds() -> pandas.DataFrame:
    """Return the lower bounds of this build as a DataFrame, indexed by name.

    Columns: certificate (whether :func:`bound` can record a proof), available, cost, source,
    summary.
    """
    import pandas

    return pandas.DataFrame([{
        "name": text(lib.hs_bound_name(entry)),
        "certificate": bool(lib.hs_bound_supports_certificate(entry)),
        "available": bool(lib.hs_bound_supports_available(entry)),
        "cost": text(lib.hs_bound_cost(entry)),
        "source": text(lib.hs_bound_source(entry)),
        "summary": text(lib.hs_bound_summary(entry)),
    } for entry in registry(lib.hs_bound_at)]).set_index("name")


def policies() -> pandas.DataFrame:
    """Return the policies of this build as a DataFrame, indexed by name.

    Columns: plan (whether it follows a plan), graphs, ranks, summary.
    """
    import pandas

    return pandas.DataFrame([{
        "name": text(lib.hs_policy_name(entry)),
        "plan": bool(lib.hs_policy_needs_plan(entry)),
        "graphs": bool(lib.hs_policy_supports_graphs(entry)),
        "ranks": rank_names(lib.hs_policy_supported_ranks(entry)),
        "summary": text(lib.hs_policy_summary(entry)),
    } for entry in registry(lib.hs_policy_at)]).set_index("name")
