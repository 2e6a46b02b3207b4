# SPDX-License-Identifier: BSD-3-Clause
# What the cases' scripts share.

# Runs a command; the seconds in its CSV, JSON or table become T. Keeps its status.
no_seconds()
{
    "$@" >no_seconds.out
    status=$?
    sed -e 's/,[0-9]*\.[0-9]\{6\}$/,T/' -e 's/"seconds": [0-9.]*}/"seconds": T}/' \
        -e 's/ [ ]*[0-9]*\.[0-9]\{6\}$/ T/' no_seconds.out
    rm no_seconds.out
    return $status
}

# "ran: STATUS" after what the command printed, for cases of several commands.
try()
{
    "$@"
    echo "status $?"
}

# Runs a command that measures; its numbers with a decimal point, and what machine it is, go.
no_measures()
{
    "$@" >no_measures.out
    status=$?
    sed -e 's/ on .*: medians/ on HERE: medians/' -e 's/^\(# quartiles [^ ]*\) .*/\1 Q Q/' \
        -e 's/^\([a-z0-9.:]*\),[0-9.e+-]*,/\1,T,/' no_measures.out
    rm no_measures.out
    return $status
}

# plan_of NAME CPUS GPUS <ROWS: makes NAME.plan of rows id,cpu,gpu,kernel,cpu_command, in
# milliseconds, each task where and when heft puts it.
plan_of()
{
    {
        printf '# hybridsched instance 1\n# cpus %s\n# gpus %s\n# unit ms\n' "$2" "$3"
        echo 'id,cpu,gpu,kernel,cpu_command'
        cat
    } >"$1.csv"
    hsched-solve "$1.csv" -a heft -o "$1.plan" >/dev/null
}

# Runs a plan, be there cores and GPUs enough or not; of the summary only the first line is
# shown, for the rest is measured.
run_plan()
{
    hsched-exec --oversubscribe --emulate-gpus "$@" >run_plan.out
    status=$?
    sed 1q run_plan.out
    rm run_plan.out
    return $status
}

# on_fake SETTINGS COMMAND...: where the module for GPUs finds a fake of CUDA's libraries, which
# is as SETTINGS say (see tests/fakecuda/fake.h). A build without a toolkit has a module of the
# fake's own.
on_fake()
{
    fake_settings=$1
    shift
    fake=$BUILD/tests/fakecuda/.libs
    if [ -f "$BUILD/.libs/hybridsched-cuda.so" ]; then
        fake=$(pwd)/fake
        [ -d "$fake" ] || sh "$DATA/../../fakecuda/stand-in" "$BUILD" "$fake" \
            "$BUILD/.libs/hybridsched-cuda.so"
    fi
    FAKECUDA=$fake_settings LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}

# Every character that controls a terminal: C0 but NUL, DEL, C1, what turns the direction of
# writing or ends lines; and first one of each, for messages cut long texts short.
controls()
{
    printf '\033\302\233\342\200\256\177'
    for byte in 01 02 03 04 05 06 07 10 11 12 13 14 15 16 17 20 21 22 23 24 25 26 27 \
        30 31 32 33 34 35 36 37 177; do
        printf "\\$byte"
    done
    for byte in 200 201 202 203 204 205 206 207 210 211 212 213 214 215 216 217 \
        220 221 222 223 224 225 226 227 230 231 232 233 234 235 236 237; do
        printf "\\302\\$byte"
    done
    printf '\330\234\342\200\216\342\200\217'
    for byte in 250 251 252 253 254 255 256; do
        printf "\\342\\200\\$byte"
    done
    for byte in 246 247 250 251; do
        printf "\\342\\201\\$byte"
    done
    printf 'x'
}

# Runs a command that has controls() to show: what it prints if it does not, or as they are.
tame()
{
    "$@" >tame.out 2>&1
    status=$?
    if well_formed harmless tame.out >/dev/null &&
        grep -q '\\x1B\\xC2\\x9B\\xE2\\x80\\xAE' tame.out; then
        echo "status $status, tame"
    else
        echo "status $status, not tame:"
        cat -v tame.out
    fi
}
