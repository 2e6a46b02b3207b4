#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check a wheel: it names its licence, links no library of hybridsched, and solves, draws and runs in an
# environment where nothing else is installed.
#
#   tests/wheel.sh FILE.whl     PYTHON: the interpreter that makes the environment
set -eu
: "${PYTHON:=python3}" "${srcdir:=.}"
[ $# = 1 ] && [ -f "$1" ] || { echo "wheel: give one wheel, from make wheel" >&2; exit 2; }
fail() { echo "wheel: $*" >&2; exit 1; }

wheel=$(cd "$(dirname "$1")" && pwd)/${1##*/}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/wheel.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
unset PYTHONPATH LD_LIBRARY_PATH PKG_CONFIG_PATH
case ${wheel##*/} in
hybridsched-*-cp39-abi3-*linux_*.whl) ;;
*) fail "${wheel##*/} is not for every CPython from 3.9 on" ;;
esac

# An environment with numpy and cffi: from the package index, or those of this system.
install() { # OPTION-OF-VENV OPTION-OF-PIP...
    rm -rf "$scratch/venv"
    "$PYTHON" -m venv $1 "$scratch/venv" >"$scratch/log" 2>&1 || {
        cat "$scratch/log"
        echo "wheel: skipped: $PYTHON cannot make environments (Debian: python3-venv)"
        exit 77
    }
    shift
    "$scratch/venv/bin/python" -m pip -q --disable-pip-version-check install "$@" "$wheel" \
        >"$scratch/log" 2>&1
}
if install --clear --retries 0 --timeout 15; then
    echo "wheel: installed with numpy and cffi of the package index"
elif install --system-site-packages --no-index --no-deps; then
    echo "wheel: no package index; installed beside numpy and cffi of this system"
else
    cat "$scratch/log"
    fail "pip cannot install ${wheel##*/}"
fi

mkdir "$scratch/empty"
cd "$scratch/empty"
cat >use.py <<'PYTHON'
import importlib.metadata, os, re, subprocess, sys
import hybridsched as hs
from hybridsched._hs import ffi, lib

folder = os.path.dirname(hs.__file__)
assert folder.startswith(sys.prefix), folder
features = hs.features()
meta = importlib.metadata.metadata("hybridsched")
licence = meta["License-Expression"] or meta["License"]
assert licence == ("GPL-3.0-or-later" if features["glpk"] else "BSD-3-Clause"), licence
texts = [str(file) for file in importlib.metadata.files("hybridsched") if "LICENSE" in str(file)]
assert len(texts) == 1 + features["glpk"], texts
assert meta["Version"] == hs.__version__, (meta["Version"], hs.__version__)

# The module contains the library, and hides its symbols.
with open(os.path.join(folder, "_hs.abi3.so"), "rb") as file:
    module = file.read()
assert b"libhybridsched" not in module
assert not any(line.split()[-1].startswith(b"/") and b"libhybridsched" in line
               for line in open("/proc/self/maps", "rb") if len(line.split()) > 5)

# Solve with every algorithm, bound, and draw.
inst = hs.generate("gamma", 12, cpus=2, gpus=1, seed=1)
graph = hs.generate("cholesky", 4, kernels="k40m-960", cpus=2, gpus=1, graph=True)
names = [ffi.string(lib.hs_algorithm_name(lib.hs_algorithm_at(i))).decode()
         for i in range(lib.hs_algorithm_count())]
for name in names:
    for instance in (inst, graph):
        try:
            s = hs.solve(instance, name, iterations=100)
        except (hs.DependentTasks, hs.TooBig):
            continue
        s.check()
print(len(names), "algorithms")
best = hs.solve(inst, "best", iterations=1000)
assert hs.bound(inst, "deadline").value <= best.makespan
assert "<svg" in str(best.gantt())
best.gantt("plan.svg")
assert os.path.getsize("plan.svg") > 1000
run = hs.run(best, emulate_cpus=True, emulate_gpus=True, oversubscribe=True, time_scale=1e-4)
assert run.ok, run.failures

# What is missing says how to get it.
assert not features["kernels"] and not features["profile"], features
job = hs.Instance.from_frame({"kernel": ["dgemm:8"], "cpu": [1.0], "gpu": ["inf"]}, cpus=1, gpus=0)
try:
    hs.run(job, oversubscribe=True)
except hs.Unsupported as error:
    assert "--with-openblas" in str(error), error
else:
    raise AssertionError("a kernel of OpenBLAS in a wheel without OpenBLAS")
if features["glpk"]:
    assert hs.bound(inst, "mip").value <= best.makespan * (1 + 1e-9)
else:
    try:
        hs.bound(inst, "mip")
    except hs.Unsupported as error:
        assert "WHEEL_GLPK" in str(error), error
    else:
        raise AssertionError("a bound of GLPK in a wheel without GLPK")
PYTHON
# Without compilers and pkg-config: only the environment is in PATH.
PATH=$scratch/venv/bin "$scratch/venv/bin/python" use.py || fail "the installed wheel does not work"
echo "wheel: ${wheel##*/} passed, $(wc -c <"$wheel") bytes"
