#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a test and report a hang. If no process of the test starts or ends for HS_HANG seconds (50),
# write the running function of the test and the places where its threads wait to descriptor 9, or to
# standard error if 9 is closed. The test continues, because a test has no time limit.
#
#   watch.sh TEST [ARGUMENT...]
#
# The log ends with the duration of the test. suite.h writes the name of the running
# function to the file $HS_RUNNING.
set -u

hang=${HS_HANG:-50}
interval=$(((hang + 11) / 12)) # seconds between two looks

# Print the descendants of process $1 without the descendants of process $2.
processes()
{
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$1" -v without="$2" '
        { pid = $1; sub(/.*\) [^ ]* /, ""); parent[pid] = $1 }
        function is_below(pid) {
            while (pid in parent && pid != top && pid != without)
                pid = parent[pid]
            return pid == top
        }
        END { for (pid in parent) if (pid != top && is_below(pid)) print pid }' | sort -n
}

threads()
{
    for thread in /proc/"$1"/task/*; do
        state=$(sed -n 's/^State:[[:space:]]*//p' "$thread/status")
        echo "  thread ${thread##*/}, $(cat "$thread/comm"): $state, waits in $(cat "$thread/wchan" || :)"
    done 2>/dev/null
    command -v gdb >/dev/null || return
    timeout 60 gdb -p "$1" -batch -nx -ex 'thread apply all backtrace' </dev/null 2>/dev/null |
        sed -n '/^Thread /p; /^#/p' | cut -c 1-200 | head -n 200
}

report()
{
    echo "hang: ${TEST}: $(cat "$HS_RUNNING"): no process has started or ended for $waited seconds"
    for pid in $1; do
        [ ! -r "/proc/$pid/cmdline" ] || echo "  process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
        threads "$pid"
    done
}

# Wait until process $1 has ended; report each set of waiting processes once.
watch()
{
    before="" waited=0
    while kill -0 "$1" 2>/dev/null; do
        sleep $interval >/dev/null 2>&1 9>&- # may outlive the test
        now=$(processes "$1" $$)
        if [ "$now" != "$before" ]; then
            before=$now waited=0
            continue
        fi
        waited=$((waited + interval))
        if [ $waited -ge "$hang" ] && [ $((waited - interval)) -lt "$hang" ]; then
            report "$now"
        fi
    done
}

if [ "$1" = --watch ]; then
    TEST=$3
    watch "$2"
    exit
fi

HS_RUNNING=$(mktemp) || exit 99
export HS_RUNNING
if (: >&9) 2>/dev/null; then
    sh "$0" --watch $$ "$*" >&9 2>&1 </dev/null 9>&- &
else
    sh "$0" --watch $$ "$*" >&2 </dev/null &
fi
watcher=$!
began=$(date +%s)
"$@" 9>&-
status=$?
kill $watcher
rm -f "$HS_RUNNING"
echo "took $(($(date +%s) - began)) seconds; processor time of this script, then of the test (user, system):"
times
exit $status
