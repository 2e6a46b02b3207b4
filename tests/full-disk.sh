#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run the tools in file systems of a few kilobytes. When the disk is full, a tool must end with status 3 and
# a message that says so; each file must be absent or complete; and a run must continue from its journal
# once there is room.
#
# The file systems are mounted in a mount namespace of this script, which ends with it.
set -u
: "${srcdir:=.}"
if [ "${1:-}" != mounted ]; then
    unshare -rm true 2>/dev/null || { echo "skipped: this system does not let the test mount a file system"; exit 77; }
    exec unshare -rm sh "$0" mounted
fi
build=$(pwd)
PATH=$build:$PATH
export PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/full-disk.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir small whole || exit 99
failed=0 refused=0 done=0

fail() { # WORDS
    echo "full-disk: $*"
    sed 's/^/    /' err
    failed=1
}
room() { # KILOBYTES
    mount -t tmpfs -o "size=${1}k" none small || exit 99
}

# The tools write these files, always the same, into the folder $to.
files() {
    case $1 in
    gen) hsched-gen gamma -n 500 -m 2 -k 1 -s 1 -o "$to/a.csv" ;;
    solve) hsched-solve a.csv -a heft -b deadline -o "$to/a.plan" --gantt "$to/a.svg" --certificate "$to/a.cert" ;;
    table) hsched-gen jobs run-{1} -o "$to/jobs.csv" ::: $(seq 200) ;;
    check) hsched-check a.plan a.csv >"$to/check.txt" ;;
    esac
}

# expect_full NAME STATUS: check the end of a tool on a full disk.
expect_full() {
    [ "$2" = 3 ] || fail "$1: status $2 instead of 3"
    grep -q -e 'No space left on device' -e 'the disk is full' err || fail "$1: no message about the full disk"
    refused=$((refused + 1))
}

hsched-gen gamma -n 500 -m 2 -k 1 -s 1 -o a.csv && hsched-solve a.csv -a heft -o a.plan >out 2>err || exit 99
for name in gen solve table check; do
    to=whole
    files $name >out 2>err || { fail "$name: failed with room"; continue; }
    to=small
    for size in 4 8 16 64 256 1024; do
        room $size
        files $name >out 2>err
        status=$?
        if [ $status = 0 ]; then done=$((done + 1)); else expect_full "$name, $size kB" $status; fi
        for file in small/* small/.[!.]*; do
            # A shell's redirection is not the tool's file.
            [ -e "$file" ] && [ "$file" != small/check.txt ] || continue
            cmp -s "$file" "whole/${file#small/}" || fail "$name, $size kB: '${file#small/}' is not complete"
        done
        umount small
    done
    rm -f whole/*
done

# Commands: no task that is on record runs again.
for i in $(seq 300); do echo "echo $i >>ran.$i"; done >list
for size in 4 8 16; do
    rm -f ran.*
    room $size
    hsched-exec --commands=list -m 2 --oversubscribe --journal=small/journal >out 2>err
    expect_full "journal, $size kB" $?
    mount -o remount,size=1m small
    hsched-exec --commands=list -m 2 --oversubscribe --journal=small/journal --resume >out 2>err ||
        fail "journal, $size kB: the run did not continue"
    [ "$(ls ran.* | wc -l)" = 300 ] || fail "journal, $size kB: not every task ran"
    # Two workers: a task that each of them ended may not be on record.
    [ "$(cat ran.* | wc -l)" -le 302 ] || fail "journal, $size kB: tasks on record ran again"
    umount small
done

printf '%s\n' 'head -c 300000 /dev/zero | tr "\0" x' >list
room 64
hsched-exec --commands=list -m 1 --oversubscribe --show=tasks >small/out 2>err
expect_full "output of tasks" $?
hsched-exec --commands=list -m 1 --oversubscribe --joblog=small/joblog >out 2>err
expect_full joblog $?
if [ -f "$build/libhybridsched-profile.la" ]; then
    hsched-exec --commands=list -m 1 --oversubscribe --profile=small/times.db >out 2>err
    expect_full profile $?
fi
umount small

echo "full-disk: $refused refusals, $done complete"
[ $refused -gt 12 ] && [ $done -gt 4 ] || fail "too few disks were full, or too few had room"
exit $failed
