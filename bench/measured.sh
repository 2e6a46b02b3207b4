#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measure the benefit of hsched-exec --measured: 120 commands, each a call of one of four programs
# that sleep, on 4 CPUs and an emulated GPU, from a table that estimates every time as 1 s. Then the
# same from the table with the measured times, twice, and from the table with the true times. In the
# first series rows name a kernel, which groups them; in the second they are grouped by their
# program. Prints the achieved and the predicted makespans in seconds, and the ratio of the achieved
# makespan to the one achieved with true times.
#
#   bench/measured.sh       takes hsched-exec from PATH, and 90 s
set -e
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-measured.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# table WRONG KERNELS: print the table; times vary by a fifth around the seconds of each program.
table()
{
    awk -v wrong="$1" -v kernels="$2" 'BEGIN {
        print "# hybridsched instance 1\n# cpus 4\n# gpus 1\n# unit s"
        print "id,cpu,gpu,kernel,cpu_command,gpu_command"
        split("filter 0.9 0.06 render 0.5 0.1 encode 0.2 0.25 pack 0.1 0.8", program, " ")
        for (i = 0; i < 120; i++) {
            at = 3 * (i % 4) + 1
            name = program[at]
            cpu = program[at + 1] * (0.8 + 0.4 * (i * 7 % 11) / 10)
            gpu = program[at + 2] * (0.8 + 0.4 * (i * 7 % 11) / 10)
            printf "%s-%d,%g,%g,%s,./%s %g,./%s %g\n", name, i, wrong ? 1 : cpu, wrong ? 1 : gpu,
                kernels ? name : "", name, cpu, name, gpu
        }
    }'
}

run()
{
    hsched-exec --emulate-gpus --oversubscribe --allow=commands -q --report "$1.json" \
        --measured "$1.measured" "$1.csv" 2>messages || { cat messages >&2; exit 1; }
}

number()
{
    sed -n 's/^ *"'"$2"'": \([^,]*\),$/\1/p' "$1.json"
}

for program in filter render encode pack; do
    printf '#!/bin/sh\nexec sleep "$1"\n' >$program
    chmod +x $program
done
printf '%-10s %-10s %10s %10s %10s\n' 'alike by' times achieved predicted ratio
for kernels in 1 0; do
    table 1 $kernels >wrong.csv
    table 0 $kernels >true.csv
    run wrong
    mv wrong.measured once.csv
    run once
    mv once.measured twice.csv
    run twice
    run true
    for name in wrong once twice true; do
        printf '%-10s %-10s %10.2f %10.2f %10.3f\n' "$([ $kernels = 1 ] && echo kernel || echo program)" \
            $name "$(number $name achieved_makespan)" "$(number $name predicted_makespan)" \
            "$(echo "$(number $name achieved_makespan) $(number true achieved_makespan)" |
                awk '{ print $1 / $2 }')"
    done
done
