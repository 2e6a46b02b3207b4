#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build a wheel that needs no installed library: the library is built again, static and without optional
# libraries, and linked into the extension module. `make wheel` sets the environment:
#
#   PYTHON MAKE CC srcdir   as in the Makefile
#   WHEEL_CFLAGS            options of the compiler (default: -O2 -g0)
#   WHEEL_GLPK              `yes`: with GLPK; the wheel is then under the GPL, and its metadata says so
#   AUDITWHEEL              command of auditwheel (default: auditwheel, else the module of PYTHON)
#
# The wheel is put into dist/. auditwheel gives it the tag of the oldest system on which it runs;
# without auditwheel it serves systems like this one.
set -eu
: "${MAKE:=make}" "${CC:=cc}" "${WHEEL_CFLAGS:=-O2 -g0}" "${WHEEL_GLPK:=no}"

die() { printf 'make wheel: %s\n' "$*" >&2; exit 1; }

[ -n "${PYTHON:-}" ] ||
    die "configure found no Python with cffi, numpy and Python.h; install them and configure again"
"$PYTHON" -c 'import cffi, setuptools, wheel' 2>/dev/null ||
    die "$PYTHON lacks cffi, setuptools or wheel; install them (Debian: python3-setuptools python3-wheel)"
command -v "${PKG_CONFIG:-pkg-config}" >/dev/null || die "pkg-config is missing; install it"
case $WHEEL_GLPK in
yes) glpk=--with-glpk name=glpk ;;
no) glpk=--without-glpk name=bsd ;;
*) die "WHEEL_GLPK=$WHEEL_GLPK: expected yes or no" ;;
esac

source=$(cd "$srcdir" && pwd)
mkdir -p "wheel/$name" dist
top=$(cd "wheel/$name" && pwd)
dist=$(cd dist && pwd)
rm -rf "$top/root" "$top/python" "$top/made" "$top/repaired"
mkdir -p "$top/build"

# The library. The module for GPUs is looked for where an installed library would have it.
cd "$top/build"
[ -f config.status ] || "$source/configure" --quiet --prefix="$top/root" --libdir="$top/root/lib" \
    --disable-shared --enable-static --with-pic --disable-dependency-tracking --disable-openmp $glpk \
    --without-gmp --without-openblas --without-lapacke --without-hwloc --without-cuda --without-opencl --without-mpi \
    --without-sqlite --without-check --without-python CC="$CC" CFLAGS="$WHEEL_CFLAGS" >configure.log ||
    die "configure failed, see $top/build/config.log"
"$MAKE" -s pkglibdir=/usr/local/lib/hybridsched install-libLTLIBRARIES \
    install-hsincludeHEADERS install-nodist_hsincludeHEADERS install-pkgconfigDATA >make.log 2>&1 ||
    { tail -n 20 make.log >&2; die "the library failed to build, see $top/build/make.log"; }

# The package.
mkdir "$top/python"
cd "$source/python"
cp -R build_cffi.py setup.py pyproject.toml hybridsched "$top/python"
cp "$source/LICENSE" "$top/python/LICENSE"
cd "$top/python"
chmod -R u+w .
if [ $WHEEL_GLPK = yes ]; then
    # The licence demands its text beside the program.
    [ -f "${GPL_TEXT:=/usr/share/common-licenses/GPL-3}" ] ||
        die "no text of the GPL, version 3, in $GPL_TEXT: set GPL_TEXT to a file with this text"
    cp "$GPL_TEXT" LICENSE.GPL-3
fi
PKG_CONFIG_PATH=$top/root/lib/pkgconfig HYBRIDSCHED_STATIC=yes CC=$CC \
    "$PYTHON" setup.py -q bdist_wheel --dist-dir "$top/made" >"$top/python.log" 2>&1 ||
    { tail -n 20 "$top/python.log" >&2; die "the package failed to build, see $top/python.log"; }
wheel=$(ls "$top"/made/*.whl)

if [ -z "${AUDITWHEEL:-}" ]; then
    if command -v auditwheel >/dev/null; then
        AUDITWHEEL=auditwheel
    elif "$PYTHON" -c 'import auditwheel' 2>/dev/null; then
        AUDITWHEEL="$PYTHON -m auditwheel"
    fi
fi
if [ -n "${AUDITWHEEL:-}" ]; then
    $AUDITWHEEL repair -w "$top/repaired" "$wheel" >"$top/auditwheel.log" 2>&1 ||
        { tail -n 20 "$top/auditwheel.log" >&2; die "auditwheel repair failed, see $top/auditwheel.log"; }
    wheel=$(ls "$top"/repaired/*.whl)
else
    echo "make wheel: auditwheel is missing; the wheel serves this system and newer ones only" >&2
fi
rm -f "$dist"/*.whl
cp "$wheel" "$dist"
echo "dist/${wheel##*/}"
