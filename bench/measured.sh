#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much hsched-exec --measured mends: 120 commands, which sleep, of four programs, on 4 CPUs and
# an emulated GPU, where the table says 1 s of each, on each type. Then the table with the times that
# were measured, and what a run of that measures; and beside them the table with the true times.
# First the rows name a kernel, which is what they have in common; then they do not, and it is their
# program. It prints the makespans in seconds, achieved and predicted, and the ratio of what was
# achieved to that with true times.
#
#   bench/measured.sh       takes hsched-exec from PATH, and 90 s
set -e
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-measured.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# table ESTIMATES KERNELS: seconds of a program on a CPU and on the GPU, within a fifth.
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
