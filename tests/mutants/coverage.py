# SPDX-License-Identifier: BSD-3-Clause
"""Which lines of lib/ each test runs, recorded by gcov in a file with one JSON object a line: first
the digests of the sources and their lines with code, then each test with its seconds and lines."""

import hashlib
import json
import os
import subprocess

from tree import read

FLAGS = "-O0 --coverage"


def digest(path):
    return hashlib.sha256(read(path)).hexdigest()


def files_of(tree, kind):
    return [os.path.join(folder, name) for folder, _, names in os.walk(tree.build + "/lib")
            for name in names if name.endswith(kind)]


def gcov(tree, kind):
    """Return {file: {line: count}} for the objects of lib/ that have a file of a kind."""
    names = files_of(tree, kind)
    found = {}
    if not names:
        return found
    output = subprocess.run(["gcov", "--json-format", "--stdout"] + names, cwd=tree.build,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    for document in output.splitlines():
        for file in json.loads(document)["files"]:
            name = os.path.relpath(os.path.join(tree.build, file["file"]), tree.source)
            if name.startswith("lib/") and name.endswith(".c"):
                counts = found.setdefault(name, {})
                for line in file["lines"]:
                    number = line["line_number"]
                    counts[number] = counts.get(number, 0) + line["count"]
    return found


def forget(tree):
    for name in files_of(tree, ".gcda"):
        os.unlink(name)


def record(tree, path, tests, rounds):
    """Record the tests that the file does not have yet, in a tree built with FLAGS."""
    if not os.path.exists(path):
        forget(tree)
        lines = {name: sorted(counts) for name, counts in gcov(tree, ".gcno").items()}
        digests = {name: digest(os.path.join(tree.source, name)) for name in lines}
        append(path, {"digests": digests, "lines": lines})
    known = Coverage(path).tests
    for test in tests:
        if test in known:
            continue
        forget(tree)
        passed = tree.passes(test, rounds)
        lines = {name: sorted(line for line, count in counts.items() if count)
                 for name, counts in (gcov(tree, ".gcda") if passed else {}).items()}
        append(path, {"test": test, "passed": passed, "seconds": round(tree.took, 3),
                      "lines": {name: run for name, run in lines.items() if run}})
        print("%-9s %s (%.2f s)" % ("recorded" if passed else "LEFT OUT", test, tree.took), flush=True)


def append(path, item):
    with open(path, "a") as file:
        file.write(json.dumps(item, separators=(",", ":")) + "\n")


class Coverage:
    """The content of such a file."""

    def __init__(self, path):
        self.tests, self.run = {}, {}
        self.share = {} # (test, file): how much of what the test runs is in the file
        with open(path) as file:
            first = json.loads(next(file))
            self.digests = first["digests"]
            self.lines = {name: set(lines) for name, lines in first["lines"].items()}
            for row in map(json.loads, file):
                test, total = row["test"], sum(map(len, row["lines"].values()))
                self.tests[test] = row["seconds"]
                for name, lines in row["lines"].items():
                    self.share[test, name] = len(lines) / total
                    for line in lines:
                        self.run.setdefault((name, line), []).append(test)

    def has(self, name, path):
        """Return whether the file was recorded as it is now."""
        return self.digests.get(name) == digest(path)

    def tests_of(self, name, line):
        """Return the tests that run a line. Those that soon notice a mistake come first: quick ones
        that run little besides the file. A line without code belongs to the statement above it."""
        lines = self.lines.get(name, ())
        while line > 0 and line not in lines:
            line -= 1
        return sorted(self.run.get((name, line), ()),
                      key=lambda test: (self.tests[test] + 0.3) / self.share[test, name])
