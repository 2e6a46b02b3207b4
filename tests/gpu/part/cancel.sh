# SPDX-License-Identifier: BSD-3-Clause
# Measurements of stopped tasks and their remains. Sourced by tests/gpu/run.

part_spoliations() {
    begin_rows "Spoliations" "Tasks of all kernels go to and fro between $spoliation_workers CPUs and the GPU, since
their estimates are wrong; every result is verified."
    due spoliations || return 0
    if ! ours gpu_spoliations -t "$(calc %.0f "0.8 * $(left)")" -m "$spoliation_workers" \
        -n "$spoliation_size" "$spoliations" >"$work/spoliations.csv" 2>"$work/spoliations.log"; then
        broken spoliations "$work/spoliations.log"
        return
    fi
    IFS=, read -r to from rounds tasks by_gpu <<END
$(tail -n 1 "$work/spoliations.csv")
END
    row "from CPUs to the GPU" "$to" "" ""
    row "from the GPU to CPUs" "$from" ">= 1" "$(met "$from" '>=' 1)"
    row "in all" "$((to + from)), in $rounds runs of $tasks tasks, $by_gpu done by the GPU" \
        ">= $spoliations, nothing left behind" "$(met $((to + from)) '>=' "$spoliations")"
    grep -E '^(before|after|growth): ' "$work/spoliations.log" >"$work/census"
    listing "What there was before and after:" "$work/census"
}

part_storm() {
    begin_rows "A storm of cancellations" "Tasks of all kernels, of up to $storm_largest by $storm_largest, straight at the
module: each is told to stop at a random moment of its time, within 20 ms. What is done all the same is verified."
    due storm || return 0
    if ! ours gpu_storm -t "$(calc %.0f "0.8 * $(left)")" -n "$storm_largest" "$storm" \
        >"$work/storm.csv" 2>"$work/storm.log"; then
        broken storm "$work/storm.log"
        return
    fi
    IFS=, read -r runs aborted finished worst growth <<END
$(tail -n 1 "$work/storm.csv")
END
    row "runs" "$runs: $aborted stopped, $finished done" ">= $storm" "$(met "$runs" '>=' "$storm")"
    row "from the word to stop until nothing of it runs" "$worst ms at most" "<= 100 ms" "$(met "$worst" '<=' 100)"
    row "memory of the GPU" "$growth KiB more in a tenth of the runs" "<= 1024 KiB" "$(met "$growth" '<=' 1024)"
}
