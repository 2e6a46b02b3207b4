#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check the version that m4/version.sh finds in clones, shallow clones, tarballs and plain folders, and
# that the version of this build begins with the numbers of HS_VERSION_HEX.

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
scratch=$(mktemp -d "${TMPDIR:-/tmp}/version.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0

# finds FOLDER PATTERN: the version of the folder matches the pattern of the shell.
finds() {
    found=$(cd "$1" && sh "$srcdir/m4/version.sh" 3.2.1)
    # shellcheck disable=SC2254
    case $found in
    $2) ;;
    *) echo "in $1: version '$found' instead of '$2'"; failed=1 ;;
    esac
}

hex=$(sed -n 's/^#define HS_VERSION_HEX *//p' include/hybridsched/version.h)
string=$(sed -n 's/^#define HS_VERSION_STRING *"\(.*\)"/\1/p' include/hybridsched/version.h)
numbers=$((hex >> 16)).$((hex >> 8 & 255)).$((hex & 255))
case $string in
"$numbers" | "$numbers"+*) ;;
*) echo "version.h: '$string' does not begin with $numbers"; failed=1 ;;
esac
for file in lib/hybridsched*.pc; do
    grep -qxF "Version: $string" "$file" || { echo "$file: not version $string"; failed=1; }
done

mkdir "$scratch/plain"
finds "$scratch/plain" 3.2.1
echo 1.0.2 >"$scratch/plain/.tarball-version"
finds "$scratch/plain" 1.0.2

command -v git >/dev/null || { echo "no git: clones not checked"; exit $failed; }
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
in_clone() {
    git -C "$scratch/clone" -c user.name=a -c user.email=a@b.example "$@" >/dev/null 2>&1 || exit 99
}
git init -q "$scratch/clone" || exit 99
mkdir "$scratch/clone/inner" # not a repository: the version of the clone is not that of the folder
hexes='[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
in_clone commit --allow-empty -m one
finds "$scratch/clone" "3.2.1+g$hexes"
finds "$scratch/clone/inner" 3.2.1
in_clone tag latest
finds "$scratch/clone" "3.2.1+g$hexes"
in_clone tag v1.4.0
finds "$scratch/clone" 1.4.0
in_clone commit --allow-empty -m two
in_clone commit --allow-empty -m three
finds "$scratch/clone" "1.4.0+2.g$hexes"
in_clone tag -m annotated -a v2.0.0
finds "$scratch/clone" 2.0.0
in_clone commit --allow-empty -m four
git clone -q --depth 1 "file://$scratch/clone" "$scratch/shallow" 2>/dev/null || exit 99
finds "$scratch/shallow" "3.2.1+g$hexes"
exit $failed
