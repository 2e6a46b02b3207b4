# SPDX-License-Identifier: BSD-3-Clause
# Factorisations on tiles that CPUs and the GPU share. Sourced by tests/gpu/run.

potrf_row() { # line of bench_gpu_potrf
    IFS=, read -r what n time gflops <<END
$1
END
    [ "$what" = what ] || row "cuSOLVER alone: $what, n = $n" \
        "$(calc %.4f "$time") s, $(calc %.0f "$gflops") GFLOP/s" "" ""
}

cusolver_alone() { # tiles...
    due "cuSOLVER alone" || return 0
    orders=
    for size in "$@"; do
        orders="$orders $((size * shared_tile))"
    done
    ours_by_line "$work/potrf.csv" potrf_row bench_gpu_potrf $orders ||
        broken "cuSOLVER alone" "$work/potrf.csv.log"
}

# One run of a graph: how fast, beside cuSOLVER's potrf with its copies where it is Cholesky.
tiled_row() { # what, tiles, "--no-verify" or nothing, argument of hsched-exec...
    what=$1
    order=$(($2 * shared_tile))
    checked=$3
    shift 3
    name=$(echo "$what-$order" | tr -c 'a-z0-9\n' -)
    due "$what, n = $order" || return 0
    if ! ours hsched-exec -q $checked $reserve --report="$work/$name.json" "$@" 2>"$work/$name.log"; then
        broken "$what, n = $order" "$work/$name.log"
        return
    fi
    gflops=$(number "$work/$name.json" gflops)
    bare=$(field "$work/potrf.csv" 4 "potrf-copied,$order")
    right="not verified"
    [ -n "$checked" ] ||
        right="right: relative residual $(calc %.1e "$(number "$work/$name.json" relative_residual)")"
    case $what in cholesky*) ;; *) bare= ;; esac
    row "$what, n = $order" "$(calc %.0f "$gflops") GFLOP/s${bare:+, $(calc %.2f "$gflops / $bare") x cuSOLVER with its copies}; $right" "" ""
}

# No row has more than half of the time that is left, so that one that hangs does not cost the others.
in_half() {
    in_share 1 2 "$@"
}

# What this run has made, which two parts use; a kept folder may have that of an earlier run.
planned=" "
tiles_calibrated=
rm -f "$work/potrf.csv"

# Graphs and plans of a family for the GPU and CPUs, for the GPU, and for the CPUs.
make_plans() { # family, tiles
    graph=$work/$1-$2-graph.csv
    plan=$work/$1-$2-graph.plan
    gpu=$work/$1-$2-gpu.csv
    cpus=$work/$1-$2-cpus.csv
    log=$work/$1-$2-graph.log
    case $planned in *" $1-$2 "*) return 0 ;; esac
    due "$1, $2 by $2 tiles" || return 1
    { generated "$graph" "$1" "$2" "$workers" 1 && generated "$gpu" "$1" "$2" 0 1 &&
        generated "$cpus" "$1" "$2" "$cores" 0 &&
        ours hsched-solve -t "$solve_seconds" -j "$cores" -o "$plan" "$graph" &&
        ours hsched-solve -a heft -o "$gpu.plan" "$gpu" &&
        ours hsched-solve -a heft -o "$cpus.plan" "$cpus"; } >"$log" 2>&1 || {
        broken "$1, $2 by $2 tiles" "$log"
        return 1
    }
    planned="$planned$1-$2 "
}

generated() { # file, family, tiles, cpus, gpus
    ours hsched-gen "$2" "$3" --graph --kernels "$work/kernels-tiles.csv" -m "$4" -k "$5" -o "$1"
}

tiles_are_calibrated() { # what is measured then...
    [ -z "$tiles_calibrated" ] || return 0
    if ! calibrated "$work/kernels-tiles.csv" "$calibrate_repeats" --resident --sizes "$shared_tile" \
        >"$work/calibrate-tiles.log" 2>&1; then
        broken calibration "$work/calibrate-tiles.log"
        name_rest "$@"
        return 1
    fi
    tiles_calibrated=yes
}

# By a plan, by a live policy, all on the GPU, all on the CPUs.
tiled() { # family, tiles, "--no-verify" or nothing
    make_plans "$1" "$2" || return 0
    in_half tiled_row "$1, by its plan" "$2" "$3" "$plan"
    in_half tiled_row "$1, heteroprio:min" "$2" --no-verify --policy heteroprio:min "$graph"
    in_half tiled_row "$1, GPU only" "$2" --no-verify "$gpu.plan"
    in_half tiled_row "$1, CPUs only" "$2" --no-verify --no-reserve "$cpus.plan"
}

# The host verifies for longer than the GPU computes, so the largest is not verified.
part_tiles() {
    begin_rows "Factorisations on shared tiles" "Tiles of $shared_tile, $workers cores and the GPU; copies to and fro
are part of the times, the way home of the last tiles is not. The times were calibrated here, resident."
    tiles_are_calibrated "cuSOLVER alone" cholesky lu qr || return 0
    in_half cusolver_alone "$shared_few" "$shared_many"
    tiled cholesky "$shared_few" ""
    for family in lu qr; do
        tiled "$family" "$shared_checked" ""
        tiled "$family" "$shared_few" --no-verify
    done
    tiled cholesky "$shared_many" --no-verify
    listing "The calibration:" "$work/kernels-tiles.csv"
}

# The same graph with streams and with CUDA graphs, one after the other.
graphs() { # family, tiles, "--no-verify" or nothing
    make_plans "$1" "$2" || return 0
    in_half tiled_row "$1, GPU only, as streams" "$2" --no-verify "$gpu.plan"
    in_half tiled_row "$1, GPU only, as graphs" "$2" "$3" --gpu-mode=graph "$gpu.plan"
    in_half tiled_row "$1, by its plan, as streams" "$2" --no-verify "$plan"
    in_half tiled_row "$1, by its plan, as graphs" "$2" "$3" --gpu-mode=graph "$plan"
}

part_graphs() {
    begin_rows "CUDA graphs on shared tiles" "Tiles of $shared_tile, $workers cores and the GPU; the same plans with
streams and with CUDA graphs. The times were calibrated here, resident."
    tiles_are_calibrated cholesky lu qr || return 0
    graphs cholesky "$shared_few" ""
    for family in lu qr; do
        graphs "$family" "$shared_checked" ""
        graphs "$family" "$shared_few" --no-verify
    done
}
