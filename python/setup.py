# SPDX-License-Identifier: BSD-3-Clause
"""Build the package against the installed library; pyproject.toml has the rest."""

import os
import sys

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build_cffi import pkg_config  # noqa: E402


class StableABI(bdist_wheel):
    """A wheel for every CPython from 3.9 on."""

    def get_tag(self):
        return "cp39", "abi3", super().get_tag()[2]


version = pkg_config("--modversion", "hybridsched-exec")
setup(version=version[0] if version else "0", cffi_modules=["build_cffi.py:builder"],
      cmdclass={"bdist_wheel": StableABI})
