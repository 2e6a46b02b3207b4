# SPDX-License-Identifier: BSD-3-Clause
"""What this build of the library has, and what it is without."""

from __future__ import annotations

from typing import Any

from ._instance import Instance
from ._library import ffi, lib, struct, text


def features() -> dict[str, Any]:
    """Return what this build of the library has.

    Keys: version; glpk (the bounds allocation, configuration, mip, paths and work-paths; the
    library is then under the GPL); kernels (built-in kernels that need OpenBLAS and LAPACKE);
    profile (files of measured times). What is False raises :class:`Unsupported` where it is used,
    with a message that says how to get it.

    Examples
    --------
    >>> import hybridsched as hs
    >>> sorted(hs.features())
    ['glpk', 'kernels', 'profile', 'version']
    """
    return {"version": text(lib.hs_library_version_string()), "glpk": bool(lib.hs_has_glpk()),
            "kernels": _runs("dpotrf:8"), "profile": hasattr(lib, "hs_profile_open")}


def _runs(kernel: str) -> bool:
    """Return whether the library has a kernel for CPUs, and can load what the kernel needs."""
    instance = Instance.from_frame({"kernel": [kernel], "cpu": [1.0], "gpu": ["inf"]}, cpus=1, gpus=0)
    settings = struct("hs_exec_settings")
    settings.decide.policy = lib.hs_policy_find(b"heteroprio")
    settings.place.oversubscribe = True
    out = ffi.new("hs_exec **")
    status = lib.hs_exec_create(instance._handle, ffi.NULL, settings, out, ffi.NULL)
    lib.hs_exec_free(out[0])
    return bool(status == lib.HS_OK)
