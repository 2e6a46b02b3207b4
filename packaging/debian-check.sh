#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build the Debian packages from a release tarball, and check them by lintian, which must find no error.
#
#   debian-check.sh TARBALL FOLDER     FOLDER is emptied; DEB_BUILD_OPTIONS (nocheck): see Debian policy
set -eu
[ $# = 2 ] && [ -f "$1" ] || { echo "usage: debian-check.sh TARBALL FOLDER" >&2; exit 2; }
for tool in dpkg-buildpackage dh dh_python3 lintian; do
    command -v $tool >/dev/null || {
        echo "debian: skipped: $tool is missing (Debian: debhelper dh-python dpkg-dev lintian)"
        exit 77
    }
done
: "${DEB_BUILD_OPTIONS=nocheck parallel=$(nproc)}"
export DEB_BUILD_OPTIONS
tarball=$(cd "$(dirname "$1")" && pwd)/${1##*/}
rm -rf "$2"
mkdir -p "$2/source"
cd "$2"
tar xf "$tarball" -C source --strip-components=1
version=$(sed -n '1s/^hybridsched (\(.*\)-[^-]*).*/\1/p' source/debian/changelog)
cp "$tarball" "hybridsched_$version.orig.tar.${tarball##*.}"
(cd source && dpkg-buildpackage -us -uc) >build.log 2>&1 || {
    tail -n 50 build.log
    echo "debian: dpkg-buildpackage failed, see $2/build.log" >&2
    exit 1
}
status=0
lintian --fail-on error ./*.changes >lintian.log 2>&1 || status=$?
cat lintian.log
[ $status = 0 ] || { echo "debian: lintian found errors" >&2; exit 1; }
echo "debian: $(ls ./*.deb | wc -l) packages, no errors by lintian"
