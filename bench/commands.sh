#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measure what a profile is worth for commands without times: 200 commands, each a call of one of four
# programs that sleep, on 2 CPUs and an emulated GPU. Three runs share a profile, and a fourth has the
# true times. Prints the achieved makespan of each in seconds, its ratio to that with true times, and
# how many lines of the profile have an argument of a command, by strings(1).
#
#   bench/commands.sh [SCALE]     takes hsched-exec from PATH; with SCALE 1, the default, about 40 s
set -e
scale=${1:-1}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-commands.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# table TIMES: print the table, with times if TIMES is 1; they vary by a fifth around those of each
# program.
table()
{
    awk -v times="$1" -v scale="$scale" 'BEGIN {
        print "# cpus 2\n# gpus 1"
        print "id," (times ? "cpu,gpu," : "") "cpu_command,gpu_command"
        split("filter 0.9 0.06 render 0.5 0.1 encode 0.2 0.25 pack 0.1 0.8", program, " ")
        for (i = 0; i < 200; i++) {
            at = 3 * (i % 4) + 1
            name = program[at]
            cpu = scale * program[at + 1] * (0.8 + 0.4 * (i * 7 % 11) / 10)
            gpu = scale * program[at + 2] * (0.8 + 0.4 * (i * 7 % 11) / 10)
            printf "job%d,%s./%s %g in/private-%d,./%s %g in/private-%d\n", i,
                times ? cpu "," gpu "," : "", name, cpu, i, name, gpu, i
        }
    }'
}

# run NAME TABLE OPTION...: run a table, and print its achieved makespan.
run()
{
    name=$1
    shift
    hsched-exec --emulate-gpus --allow=commands -q --report "$name.json" "$@" 2>messages ||
        { cat messages >&2; exit 1; }
    sed -n 's/^ *"achieved_makespan": \([^,]*\),$/\1/p' "$name.json"
}

for program in filter render encode pack; do
    printf '#!/bin/sh\nexec sleep "$1"\n' >$program
    chmod +x $program
done
table 0 >jobs.csv
table 1 >true.csv
known=$(run true true.csv)
printf '%-12s %10s %10s\n' run achieved ratio
printf '%-12s %10.2f %10.3f\n' 'true times' "$known" 1
for number in 1 2 3; do
    achieved=$(run "$number" --profile=times.db jobs.csv)
    printf '%-12s %10.2f %10.3f\n' "$number" "$achieved" \
        "$(echo "$achieved $known" | awk '{ print $1 / $2 }')"
done
printf 'lines with arguments in the profile: %d\n' "$(strings times.db | grep -c -e private -e in/)"
