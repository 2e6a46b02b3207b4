#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that tests/watch.sh reports a waiting test, stays silent while processes come and go, and
# exits with the test's status.
set -u

watch="sh ${srcdir:-.}/tests/watch.sh"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
wrong=0

is_so() # what, command...
{
    what=$1
    shift
    "$@" || {
        echo "WRONG: $what"
        wrong=1
    }
}

HS_HANG=2 $watch sh -c 'for i in 1 2 3 4 5; do sleep 1; done' >"$scratch/log" 2>&1 9>"$scratch/busy" &
busy=$!
HS_HANG=2 $watch sh -c 'printf waiting_test:3 >"$HS_RUNNING"; sleep 5; exit 7' >>"$scratch/log" 2>&1 9>"$scratch/hang"
is_so "the status is the test's" [ $? = 7 ]
wait $busy
is_so "a test that goes on has no report" [ ! -s "$scratch/busy" ]
is_so "the report names the function" grep -q '^hang: .*: waiting_test:3: ' "$scratch/hang"
is_so "the report has the process that waits" grep -q '^  process [0-9]*: sleep 5' "$scratch/hang"
is_so "the report has where its thread waits" grep -q '^  thread [0-9]*, sleep: S .*, waits in ' "$scratch/hang"
is_so "one report" [ "$(grep -c '^hang: ' "$scratch/hang")" = 1 ]
is_so "the log has the time" grep -q '^took [0-9]* seconds' "$scratch/log"
[ $wrong = 0 ] || cat "$scratch/hang" "$scratch/busy"
exit $wrong
