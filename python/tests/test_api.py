# SPDX-License-Identifier: BSD-3-Clause
"""The package has every public name of the library, and its documentation is true."""

import doctest
import glob
import inspect
import itertools
import os
import re
import shutil
import subprocess
import sys
import unittest

import hybridsched as hs
from common import InFolder, SOURCE, has
from hybridsched import _errors
from hybridsched._hs import ffi, lib

# Values of the words in braces of getattr(lib, f"hs_...{word}...")
PLACES = {"what": ("algorithm", "policy"), "format": ("dot", "starpu", "stg", "wfcommons")}


def headers(profile=False):
    """Return the text of the public headers that the package declares."""
    texts = []
    for path in glob.glob(os.path.join(SOURCE, "include/hybridsched/*.h")):
        name = os.path.basename(path)
        if name in ("device.h", "plugin.h") or name == "profile.h" and not (
                profile or hs.features()["profile"]):
            continue
        with open(path, encoding="utf-8") as file:
            texts.append(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL))
    return "\n".join(texts)


def called():
    """Return the functions of the library that the package calls."""
    texts = []
    for path in glob.glob(os.path.join(SOURCE, "python/hybridsched/*.py")):
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    text = "\n".join(texts)
    names = set(re.findall(r"\blib\.(hs_\w+)", text))
    names |= {name + "_init_sized" for name in re.findall(r'\bstruct\("(hs_\w+)"', text)}
    for template in re.findall(r'getattr\(lib, f"(hs_[^"]*)"', text):
        places = re.findall(r"\{(\w+)\}", template)
        for words in itertools.product(*(PLACES[place] for place in places)):
            names.add(template.format(**dict(zip(places, words))))
    return names


class API(InFolder):
    def test_every_function_of_the_headers_is_there(self):
        names = set(re.findall(r"HS_API\b[^;(]*?\b(hs_\w+)\s*\(", headers()))
        self.assertGreater(len(names), 200)
        self.assertEqual(sorted(name for name in names if not hasattr(lib, name)), [])

    def test_functions_that_the_package_does_not_call_are_listed(self):
        with open(os.path.join(SOURCE, "python/not-reached.txt"), encoding="utf-8") as file:
            listed = re.findall(r"\bhs_[a-z_]+\b(?!\()", "".join(
                line for line in file if line.startswith("    ")))
        self.assertEqual(len(listed), len(set(listed)))
        names = set(re.findall(r"HS_API\b[^;(]*?\b(hs_\w+)\s*\(", headers(profile=True)))
        self.assertGreater(len(names & called()), 150)
        self.assertEqual(sorted(names - called()), sorted(listed))

    def test_every_struct_of_the_headers_is_there(self):
        names = set(re.findall(r"^\} (hs_\w+);", headers(), flags=re.MULTILINE))
        self.assertGreater(len(names), 30)
        for name in names:
            self.assertGreater(ffi.sizeof(name), 0, name)

    def test_constants(self):
        self.assertEqual(lib.HS_NONE, 2**32 - 1)
        self.assertEqual(lib.HS_MAX_TASKS, 2**31)
        self.assertEqual(ffi.string(lib.HS_VERSION_STRING).decode(), hs.__version__)

    def test_every_status_has_an_exception_of_its_own(self):
        names = set(ffi.typeof("hs_status").elements.values()) - {"HS_OK"}
        self.assertEqual(names, set(_errors.CLASSES))
        self.assertEqual(len(set(_errors.CLASSES.values())), len(names))
        for cls in _errors.CLASSES.values():
            self.assertIn(cls.__name__, hs.__all__)

    def test_exceptions_are_those_of_python_too(self):
        for cls, base in ((hs.InvalidTime, ValueError), (hs.NoWorker, ValueError),
                          (hs.InvalidGraph, ValueError), (hs.DuplicateId, ValueError),
                          (hs.InvalidArgument, ValueError), (hs.NoMemory, MemoryError),
                          (hs.InputOutput, OSError)):
            self.assertTrue(issubclass(cls, base) and issubclass(cls, hs.Error), cls)

    def test_a_status_that_the_package_does_not_know_is_an_error(self):
        self.assertIs(type(_errors.failure(-999, "new")), hs.Error)

    def test_everything_public_has_a_docstring(self):
        for name in hs.__all__:
            self.assertTrue(inspect.getdoc(getattr(hs, name)), name)

    @unittest.skipUnless(has("pandas"), "pandas is missing")
    def test_examples_of_the_docstrings(self):
        result = doctest.testmod(hs)
        self.assertGreater(result.attempted, 30)
        self.assertEqual(result.failed, 0)

    def test_optional_packages_are_imported_when_used(self):
        code = ("import sys, hybridsched; print([name for name in ('pandas', 'networkx', 'tqdm', "
                "'IPython', 'matplotlib') if name in sys.modules])")
        found = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
        self.assertEqual(found.stdout, b"[]\n")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is missing")
    def test_types(self):
        done = subprocess.run(
            ["mypy", "--cache-dir", os.devnull, "--config-file", "pyproject.toml", "hybridsched"],
            cwd=os.path.join(SOURCE, "python"), stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(has("mypy.stubtest"), "mypy is missing")
    def test_types_are_those_of_the_objects(self):
        done = subprocess.run(
            [sys.executable, "-m", "mypy.stubtest", "--concise", "--mypy-config-file",
             os.path.join(SOURCE, "python/pyproject.toml"), "hybridsched"],
            env={**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(hs.__file__))},
            stdout=subprocess.PIPE, text=True)
        lines = done.stdout.splitlines()
        # In modules with an underscore, it complains of the types that they import.
        public = [line for line in lines if re.match(r"hybridsched\.(?!_)|hybridsched ", line)]
        self.assertEqual(public, [])
        self.assertTrue(all(line.startswith("hybridsched._") for line in lines), done.stdout)


if __name__ == "__main__":
    unittest.main()
