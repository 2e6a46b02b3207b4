# SPDX-License-Identifier: BSD-3-Clause
"""Build the package against the installed library; pyproject.toml has the rest.

For a wheel that contains the library, see wheel.sh.
"""

import os
import sys

from setuptools import setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build_cffi import contains_glpk, pkg_config  # noqa: E402


class StableABI(bdist_wheel):
    """A wheel for every CPython from 3.9 on."""

    def get_tag(self):
        return "cp39", "abi3", super().get_tag()[2]


version = pkg_config("--modversion", "hybridsched-exec")
setup(version=version[0] if version else "0",
      license="GPL-3.0-or-later" if contains_glpk() else "BSD-3-Clause", cffi_modules=["build_cffi.py:builder"],
      cmdclass={"bdist_wheel": StableABI})
