#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Print the version of the source tree in the current folder, without a newline:
#
#   version.sh NUMBERS
#
# - in a release tarball, what `make dist` wrote to .tarball-version;
# - in a clone, that of the last tag vX.Y.Z; after the tag also the number of commits since and the
#   commit: 0.1.0+12.g1234567;
# - in a clone without such a tag, for example a shallow one, NUMBERS+gCOMMIT;
# - else NUMBERS.
set -u
numbers=$1

if [ -f .tarball-version ]; then
    version=$(cat .tarball-version)
elif [ ! -e .git ]; then
    version=$numbers
elif tag=$(git describe --tags --abbrev=7 --match 'v[0-9]*.[0-9]*.[0-9]*' HEAD 2>/dev/null); then
    version=$(echo "${tag#v}" | sed 's/-\([0-9]*\)-\(g[0-9a-f]*\)$/+\1.\2/')
elif commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    version=$numbers+g$commit
else
    version=$numbers
fi
printf %s "$version"
