#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the cases of the tools. Each folder in cases/ has a script `cmd` and its expected results,
# equal to the byte: stdout, stderr (no file: empty) and status (no file: 0). A script `needs`, if
# present, fails where the case does not apply.
#
#   run.sh [--update] [CASE... | --all TOOL]     --update records the present results
#
# --all: run each case whose name begins with TOOL. Each script beside this script does so for a
# tool, so that make check runs the tools in parallel.
#
# A case runs in an empty folder with the tools in PATH, shared files in $DATA, its own files in
# $CASE and built programs in $BUILD.

update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
cli=$srcdir/tests/cli
DATA=$cli/data
BUILD=$(pwd)
# With shared libraries, use the tools in .libs: libtool's wrapper scripts take ten times as long to
# start.
PATH=$BUILD/.libs:$BUILD:$PATH
LD_LIBRARY_PATH=$BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LC_ALL=C
export DATA BUILD PATH LD_LIBRARY_PATH LC_ALL

scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-cli.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Put the results of $CASE into $scratch/got.
run_case()
{
    mkdir "$scratch/got" "$scratch/work"
    (cd "$scratch/work" && sh -c '. "$1/helpers.sh"; . "$2/cmd"' sh "$cli" "$CASE") \
        >"$scratch/got/stdout" 2>"$scratch/got/stderr" </dev/null
    echo $? >"$scratch/got/status"
}

expected()
{
    if [ -f "$CASE/$1" ]; then
        echo "$CASE/$1"
    elif [ "$1" = status ]; then
        echo "$scratch/zero"
    else
        echo /dev/null
    fi
}

compare_case()
{
    same=yes
    for part in stdout stderr status; do
        diff -u "$(expected $part)" "$scratch/got/$part" >"$scratch/diff" && continue
        same=no
        echo "$(basename "$CASE"): $part differs"
        cat "$scratch/diff"
    done
    [ $same = yes ]
}

update_case()
{
    for part in stdout stderr status; do
        rm -f "$CASE/$part"
        [ ! -s "$scratch/got/$part" ] || cp "$scratch/got/$part" "$CASE/$part"
    done
    [ "$(cat "$CASE/status")" != 0 ] || rm "$CASE/status"
}

echo 0 >"$scratch/zero"
what=cli
if [ "$1" = --all ]; then
    what=$2
    for name in $(cd "$cli/cases" && ls); do
        [ -f "$cli/${name%%-*}.sh" ] || { echo "no script here runs $name"; exit 1; }
    done
    set -- $(cd "$cli/cases" && ls -d "$2"-*)
elif [ $# = 0 ]; then
    set -- $(cd "$cli/cases" && ls)
fi
passed=0 failed=0 skipped=0
for name; do
    CASE=$cli/cases/$name
    export CASE
    rm -rf "$scratch/got" "$scratch/work"
    if [ -f "$CASE/needs" ] && ! sh "$CASE/needs" >/dev/null 2>&1; then
        skipped=$((skipped + 1))
        continue
    fi
    run_case
    [ $update = no ] || update_case
    if compare_case; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done

[ $skipped = 0 ] || echo "$what: $skipped skipped: not for this build"
echo "$what: $passed passed, $failed failed"
[ $failed = 0 ]
