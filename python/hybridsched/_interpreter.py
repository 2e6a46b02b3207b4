# SPDX-License-Identifier: BSD-3-Clause
"""A refusal of sub-interpreters, before anything else is imported."""

from __future__ import annotations

import importlib


def is_main() -> bool:
    """Return whether this is the main interpreter of the process."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13; before
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return bool(module.get_current() == module.get_main())
    return True


if not is_main():
    raise ImportError("hybridsched works only in the main interpreter of a process, as numpy does: import "
                      "it there (in mod_wsgi: WSGIApplicationGroup %{GLOBAL})")
