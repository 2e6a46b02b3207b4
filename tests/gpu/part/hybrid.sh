# SPDX-License-Identifier: BSD-3-Clause
# Measurements of independent tasks on CPUs and the GPU together. Sourced by tests/gpu/run.

# Make a plan for some workers and run it as often as time allows, at most three times. Print a line
# for each run: achieved, predicted, bound.
runs_of() { # name, instance, cpus, gpus, mode
    plan=$work/$1-$3-$4.plan
    log=$work/$1-$3-$4.log
    ours hsched-solve -t "$solve_seconds" -j "$cores" -m "$3" -k "$4" -o "$plan" "$2" >"$log" 2>&1 || return 1
    for repeat in $repeats; do
        report=$work/$1-$3-$4-$5-$repeat.json
        if [ "$repeat" -gt 1 ] && [ "$(left)" -lt "$share" ]; then break; fi
        ours hsched-exec -q --no-verify $reserve --gpu-mode="$5" --report="$report" "$plan" \
            2>"$log" || return 1
        echo "$(number "$report" achieved_makespan)" "$(number "$report" predicted_makespan)" \
            "$(number "$report" area_bound_measured)"
    done
}

achieved_by() { # name, instance, cpus, gpus; empty if it cannot be done
    runs_of "$1" "$2" "$3" "$4" streams >"$work/runs" || return 1
    cut -d ' ' -f 1 "$work/runs" | median
}

hybrid_mode() { # family, instance, mode
    if ! runs_of "$1" "$2" "$workers" 1 "$3" >"$work/runs"; then
        broken "$1, $3" "$log"
        return 1
    fi
    achieved=$(cut -d ' ' -f 1 "$work/runs" | median)
    by_plan=$(awk '{ print ($2 + 0 > 0 ? $1 / $2 : 999) }' "$work/runs" | median)
    by_bound=$(awk '{ print ($3 + 0 > 0 ? $1 / $3 : 999) }' "$work/runs" | median)
    row "$1, $3: achieved" "$(calc %.2f "$achieved") ms, $size by $size tiles" "" ""
    row "$1, $3: over the plan's" "$(calc %.3f "$by_plan")" "<= 1.05" "$(met "$by_plan" '<=' 1.05)"
    row "$1, $3: over the area bound of the measured times" "$(calc %.3f "$by_bound")" "<= 1.10" "$(met "$by_bound" '<=' 1.10)"
}

# Compare with the whole family on the CPUs, and on the GPU if each of its tasks can run there.
compare() { # family, instance, achieved
    if cpu=$(achieved_by "$1" "$2" "$cores" 0); then
        row "$1: CPUs only" "$(calc %.2f "$cpu") ms" "> $(calc %.2f "$3") ms" "$(met "$cpu" '>=' "$3")"
    else
        broken "$1, CPUs only" "$work/$1-$cores-0.log"
    fi
    if grep -v '^#' "$2" | grep -q ',inf'; then
        row "$1: GPU only" "not possible: it lacks a kernel" "" ""
    elif gpu=$(achieved_by "$1" "$2" 0 1); then
        row "$1: GPU only" "$(calc %.2f "$gpu") ms" "> $(calc %.2f "$3") ms" "$(met "$gpu" '>=' "$3")"
    else
        broken "$1, GPU only" "$work/$1-0-1.log"
    fi
}

# Print the milliseconds on the CPUs alone without any idle time.
cpu_time_of() { # instance
    awk -F, -v cpus="$cores" '
        /^#/ { next }
        !column { for (i = 1; i <= NF; i++) at[$i] = i; column = 1; next }
        { sum += $at["cpu"] * ("count" in at && $at["count"] > 0 ? $at["count"] : 1) }
        END { print sum / cpus }' "$1"
}

# Generate an instance of a size at which a run on the CPUs alone (the slowest run) takes a twelfth
# of the family's time.
generate() { # family, seconds
    for size in $tiles; do
        ours hsched-gen "$1" "$size" --kernels "$work/kernels-here.csv" -m "$workers" -k 1 \
            -o "$instance" 2>"$work/gen.log" || return 1
        [ "$(met "$(cpu_time_of "$instance")" '<=' "$(calc %.0f "1000 * $2 / 12")")" = missed ] || return 0
    done
}

hybrid_family() { # family, seconds
    instance=$work/$1.csv
    if ! generate "$1" "$2"; then
        broken "$1" "$work/gen.log"
        return
    fi
    share=$(($2 / 3))
    hybrid_mode "$1" "$instance" streams || return
    streams=$achieved
    hybrid_mode "$1" "$instance" graph
    compare "$1" "$instance" "$streams"
}

part_hybrid() {
    begin_rows "CPUs and the GPU together" "The tasks of factorisations of tiles of $tile, without their
dependencies, on a GPU and cores but the one that drives it, $workers; copies are part of the times, results are not verified; medians of the runs.
The times were calibrated here."
    if ! calibrated "$work/kernels-here.csv" "$calibrate_repeats" --sizes "$tile" >"$work/calibrate.log" 2>&1; then
        broken calibration "$work/calibrate.log"
        name_rest cholesky lu qr
        return
    fi
    listing "The calibration:" "$work/kernels-here.csv"
    begin_rows "Factorisations" "Each of its tasks once."
    end=$deadline
    families=3
    for family in cholesky lu qr; do
        say "hybrid: $family"
        deadline=$end
        allowed=$(($(left) / families))
        deadline=$(($(now) + allowed))
        due "$family" || continue
        hybrid_family "$family" "$allowed"
        families=$((families - 1))
    done
}
