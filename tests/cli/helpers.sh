# SPDX-License-Identifier: BSD-3-Clause
# Functions shared by the scripts of cases.

# Run a command; replace seconds in its CSV, JSON or table by T. Returns its status.
no_seconds()
{
    "$@" >no_seconds.out
    status=$?
    sed -e 's/,[0-9]*\.[0-9]\{6\}$/,T/' -e 's/"seconds": [0-9.]*}/"seconds": T}/' \
        -e 's/ [ ]*[0-9]*\.[0-9]\{6\}$/ T/' no_seconds.out
    rm no_seconds.out
    return $status
}

# Replace the version of this build by VERSION.
no_version()
{
    version=$(sed -n 's/^#define HS_VERSION_STRING *"\(.*\)"/\1/p' "$BUILD/include/hybridsched/version.h")
    sed "s/ $version\$/ VERSION/"
}

# Run a command and print "status STATUS" after its output, for cases of several commands.
try()
{
    "$@"
    echo "status $?"
}

# Run a command that measures; remove numbers with a decimal point and the machine's description.
no_measures()
{
    "$@" >no_measures.out
    status=$?
    sed -e 's/ on .*: medians/ on HERE: medians/' -e 's/^\(# quartiles [^ ]*\) .*/\1 Q Q/' \
        -e 's/^\([a-z0-9.:]*\),[0-9.e+-]*,/\1,T,/' no_measures.out
    rm no_measures.out
    return $status
}

# plan_of NAME CPUS GPUS <ROWS: make NAME.plan by heft from rows id,cpu,gpu,kernel,cpu_command, with
# times in milliseconds.
plan_of()
{
    {
        printf '# hybridsched instance 1\n# cpus %s\n# gpus %s\n# unit ms\n' "$2" "$3"
        echo 'id,cpu,gpu,kernel,cpu_command'
        cat
    } >"$1.csv"
    hsched-solve "$1.csv" -a heft -o "$1.plan" >/dev/null
}

# Run a plan with --oversubscribe and --emulate-gpus. Print only the first line of the summary,
# because measured lines follow.
run_plan()
{
    hsched-exec --oversubscribe --emulate-gpus "$@" >run_plan.out
    status=$?
    sed 1q run_plan.out
    rm run_plan.out
    return $status
}

# on_fake SETTINGS COMMAND...: run the command with the fake CUDA libraries, configured by SETTINGS
# (see tests/fakecuda/fake.h). A build without a CUDA toolkit uses a module built for the fake.
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

# Print every character that controls a terminal: C0 but NUL, DEL, C1, direction marks and line
# separators. A sample of each kind comes first, because messages cut long texts.
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

# Run a command whose output contains controls(); print "tame" if every control character is
# escaped, else the output.
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
