#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that tests/watch.sh reports a waiting test, stays silent while processes start and end, and
# exits with the test's status.
#
# The watcher looks at the processes, then sleeps. Here its PATH has another `sleep`, which returns
# when the processes are ready for the next look. So nothing depends on the speed of the machine.
set -u
unset HS_HANG

watch="sh ${srcdir:-.}/tests/watch.sh"
SLEEP=$(command -v sleep) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
LOOKS=$scratch/looks READY=$scratch/ready NEXT=$scratch/next
export SLEEP LOOKS READY NEXT
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

fake_sleep() # commands of the script
{
    mkdir -p "$scratch/bin"
    printf '#!/bin/sh\n%s\n' "$1" >"$scratch/bin/sleep"
    chmod +x "$scratch/bin/sleep"
}

looks() { wc -l <"$LOOKS"; }

wait_for() # command...
{
    until "$@"; do
        "$SLEEP" 0.02
    done
}

# Scene 1: another process runs at each of 30 looks. A report needs twelve equal looks.
mkfifo "$READY" "$NEXT"
cat >"$scratch/busy-test" <<'SCENE'
child=
for look in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    read -r line <"$READY"
    [ -z "$child" ] || kill "$child"
    wait
    "$SLEEP" 1000 &
    child=$!
    echo go >"$NEXT"
done
kill "$child"
SCENE
fake_sleep 'echo ready >"$READY"; read -r line <"$NEXT"'
PATH=$scratch/bin:$PATH $watch sh "$scratch/busy-test" >"$scratch/log" 2>&1 9>"$scratch/busy"
exec 5<>"$READY" 6<>"$NEXT" # end a last sleep of the watcher
echo go >&6
is_so "a test that goes on has no report" [ ! -s "$scratch/busy" ]

# Scene 2: one process waits. The report is awaited, then 24 more looks.
cat >"$scratch/hanging-test" <<'SCENE'
printf waiting_test:3 >"$HS_RUNNING"
"$SLEEP" 1000 &
name=
until [ "$name" = sleep ]; do # by builtin commands, which start no process
    read -r name <"/proc/$!/comm"
done
echo $! >"$READY"
wait
exit 7
SCENE
rm "$READY"
fake_sleep 'until [ -s "$READY" ]; do "$SLEEP" 0.02; done; echo look >>"$LOOKS"'
: >"$LOOKS"
PATH=$scratch/bin:$PATH $watch sh "$scratch/hanging-test" >>"$scratch/log" 2>&1 9>"$scratch/hang" &
test=$!
wait_for grep -q '^  process .* 1000' "$scratch/hang"
reported=$(looks)
wait_for eval '[ "$(looks)" -ge $((reported + 24)) ]'
kill "$(cat "$READY")"
wait $test
is_so "the status is the test's" [ $? = 7 ]
is_so "the report names the function" grep -q '^hang: .*: waiting_test:3: ' "$scratch/hang"
is_so "the report comes within a minute" grep -q ' for 50 seconds$' "$scratch/hang"
is_so "the report has the process that waits" grep -q '^  process [0-9]*: .*sleep 1000' "$scratch/hang"
is_so "the report has where its thread waits" grep -q '^  thread [0-9]*, sleep: .*, waits in ' "$scratch/hang"
is_so "one report" [ "$(grep -c '^hang: ' "$scratch/hang")" = 1 ]
is_so "the log has the time" grep -q '^took [0-9]* seconds' "$scratch/log"
[ $wrong = 0 ] || cat "$scratch/hang" "$scratch/busy"
exit $wrong
