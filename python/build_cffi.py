# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of the C library for Python, made from its headers by the C preprocessor.

    build_cffi.py [--cc COMMAND] [-I FOLDER]... [--profile] OUTPUT.c

writes the C source of the extension module hybridsched._hs. setup.py imports builder().

HYBRIDSCHED_STATIC=yes in the environment links the library into the module, for wheels; pkg-config
must find a static library alone.
"""

import argparse
import os
import re
import shlex
import subprocess
import sysconfig
import tempfile

HEADERS = ["hybridsched/hybridsched.h", "hybridsched/exec.h"]
PROFILE = "hybridsched/profile.h"
LIBC_HEADERS = ["limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h"]

# Declarations for the package itself. The cancel flag is polled without the interpreter's lock.
OWN_DECLARATIONS = """
int hspy_cancelled(void *flag);
extern "Python" void hspy_progress(void *state, const hs_progress *progress);
extern "Python" void hspy_run_progress(void *state, const hs_exec_progress *progress);
extern "Python" double hspy_cost(void *state, const hs_queue_handle *handle,
                                 const hs_queue_task *task);
extern "Python" hs_status hspy_body_create(const hs_backend_options *options, const hs_task *row,
                                           hs_type kind, hs_body **out, hs_error *error);
extern "Python" hs_outcome hspy_run_task(hs_backend_worker *worker, const hs_body *body,
                                         hs_attempt *attempt);
"""
OWN_SOURCE = """
static int hspy_cancelled(void *flag) { return __atomic_load_n((int *)flag, __ATOMIC_RELAXED); }
"""

INLINE = re.compile(r"static inline [^;{]*\)\s*\{")
CONSTANT = re.compile(r"^\s*#\s*define\s+(HS_[A-Z0-9_]+)\s+(\S.*)$", re.MULTILINE)
INTEGER = re.compile(r"(?:\(u?int\d+_t\)|U?INT\d*_MAX|0x[0-9A-Fa-f]+|\d+|<<|[()uUlL\s])+")
STRING = re.compile(r'"[^"]*"')


def include_lines(headers):
    return "".join(f"#include <{header}>\n" for header in headers)


def preprocess(cc, folders, headers):
    """Return the text of the headers without attributes and without the headers of libc."""
    with tempfile.TemporaryDirectory() as empty:
        for header in LIBC_HEADERS:
            open(os.path.join(empty, header), "w").close()
        command = shlex.split(cc) + ["-E", "-P", "-U__GNUC__", "-nostdinc", "-I", empty]
        for folder in folders:
            command += ["-I", folder]
        done = subprocess.run(command + ["-x", "c", "-"], input=include_lines(headers), text=True,
                              stdout=subprocess.PIPE, check=True)
    return done.stdout


def cut_bodies(text):
    """Replace the bodies of inline functions by semicolons."""
    parts, end = [], 0
    for match in INLINE.finditer(text):
        parts.append(text[end:match.end() - 1].rstrip() + ";")
        depth, end = 1, match.end()
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
    return "".join(parts) + text[end:]


def find_header(folders, header):
    for folder in folders:
        path = os.path.join(folder, header)
        if os.path.isfile(path):
            return path
    return None


def constants(folders, left_out):
    """Declare the constant macros of the headers, integers and texts."""
    lines = []
    seen = set()
    for folder in folders:
        below = os.path.join(folder, "hybridsched")
        for name in sorted(os.listdir(below)) if os.path.isdir(below) else []:
            if not name.endswith(".h") or name in left_out:
                continue
            with open(os.path.join(below, name), encoding="utf-8") as header:
                found = CONSTANT.findall(header.read())
            for constant, value in found:
                value = value.split("/*")[0].strip()
                if constant in seen:
                    continue
                seen.add(constant)
                if INTEGER.fullmatch(value):
                    lines.append(f"#define {constant} ...\n")
                elif STRING.fullmatch(value):
                    lines.append(f"static char *const {constant};\n")
    return "".join(lines)


def declare(ffi, cc, folders, profile):
    """Fill a cffi.FFI with the declarations of the library."""
    headers = HEADERS + ([PROFILE] if profile else [])
    left_out = ["device.h", "export.h", "plugin.h"] + ([] if profile else ["profile.h"])
    ffi.cdef(cut_bodies(preprocess(cc, folders, headers)))
    ffi.cdef(constants(folders, left_out))
    ffi.cdef(OWN_DECLARATIONS)
    return include_lines(headers) + OWN_SOURCE


def pkg_config(*arguments):
    """Return the words that pkg-config prints; None if a package is missing."""
    command = shlex.split(os.environ.get("PKG_CONFIG", "pkg-config"))
    try:
        done = subprocess.run(command + list(arguments), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        raise SystemExit("hybridsched: pkg-config is missing; install it to build this package")
    return shlex.split(done.stdout) if done.returncode == 0 else None


def is_static():
    """Return whether the module is to contain the library."""
    return os.environ.get("HYBRIDSCHED_STATIC") == "yes"


def contains_glpk():
    """Return whether the module is to contain a library with GLPK, and so is under the GPL."""
    return is_static() and "-lglpk" in (pkg_config("--static", "--libs", "hybridsched") or [])


def builder():
    """Return the cffi.FFI that setuptools compiles against the installed library."""
    import cffi

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise SystemExit("hybridsched: the package needs the GIL, and this Python is a free-threaded "
                         "build: use another one")
    packages = ["hybridsched-exec"]
    if pkg_config("--exists", "hybridsched-profile") is not None:
        packages.append("hybridsched-profile")
    static = is_static()
    flags = pkg_config(*["--static"] * static, "--cflags", "--libs", *packages)
    if flags is None:
        raise SystemExit(
            "hybridsched: pkg-config finds no hybridsched-exec: install libhybridsched first "
            "(./configure && make && make install in its source tree), or add the folder of its "
            "hybridsched-exec.pc to PKG_CONFIG_PATH")
    folders = pkg_config("--variable=includedir", packages[0])
    profile = len(packages) > 1 and find_header(folders, PROFILE) is not None
    ffi = cffi.FFI()
    source = declare(ffi, os.environ.get("CC", "cc"), folders, profile)
    links = [flag for flag in flags if flag.startswith(("-L", "-l", "-Wl"))]
    if static:  # hide the library's symbols, drop debug information
        links = ["-Wl,--as-needed", "-Wl,--exclude-libs,ALL", "-s"] + links
    ffi.set_source(
        "hybridsched._hs", source, py_limited_api=True, include_dirs=folders,
        extra_compile_args=["-g0"], extra_link_args=links,
        runtime_library_dirs=[] if static else pkg_config("--variable=libdir", packages[0]))
    return ffi


def main():
    parser = argparse.ArgumentParser(description="Write the C source of hybridsched._hs.")
    parser.add_argument("--cc", default="cc", help="C compiler, with options")
    parser.add_argument("-I", dest="folders", action="append", default=[], metavar="FOLDER",
                        help="folder with hybridsched/hybridsched.h")
    parser.add_argument("--profile", action="store_true", help="declare profile.h, too")
    parser.add_argument("output")
    arguments = parser.parse_args()

    import cffi

    ffi = cffi.FFI()
    source = declare(ffi, arguments.cc, arguments.folders, arguments.profile)
    ffi.set_source("hybridsched._hs", source, py_limited_api=True)
    ffi.emit_c_code(arguments.output)


if __name__ == "__main__":
    main()
