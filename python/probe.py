# SPDX-License-Identifier: BSD-3-Clause
"""Tell configure whether this Python can build and use the package.

    probe.py PREFIX

prints the path of the interpreter, the folder of Python.h, and the folder for packages below
PREFIX, as ${prefix}/...; or writes to standard error what is missing, and exits with 1.
"""

import os
import site
import sys
import sysconfig


def missing():
    if sys.version_info < (3, 9):
        yield "version 3.9"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        yield "a build with the GIL, which the package needs"
    for name in ("cffi", "numpy"):
        try:
            __import__(name)
        except ImportError:
            yield name
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        yield "Python.h"


def package_folder(prefix):
    """Return the first folder of this Python below the prefix, else the usual one there."""
    for folder in site.getsitepackages():
        if folder.startswith(prefix + "/lib"):
            return folder[len(prefix):]
    return "/lib/python%d.%d/site-packages" % sys.version_info[:2]


lacks = list(missing())
if lacks:
    sys.exit(", ".join(lacks))
print(sys.executable)
print(sysconfig.get_path("include"))
print("${prefix}" + package_folder(sys.argv[1].rstrip("/")))
