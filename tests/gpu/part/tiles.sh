# SPDX-License-Identifier: BSD-3-Clause
# Measurements of factorisations on tiles shared by CPUs and the GPU. Sourced by tests/gpu/run.

# Write the row of a cuSOLVER kernel when its last line arrives.
factor_row() { # line of bench_gpu_factor
    case $1 in
    what,* | potrf-copied,*) return 0 ;;
    *-copied,* | *-copied-lower,*) ;;
    *) return 0 ;;
    esac
    kernel=${1%%-copied*}
    n=$(echo "$1" | cut -d , -f 2)
    lower=$(field "$work/factor.csv" 4 "$kernel-copied-lower,$n")
    row "cuSOLVER alone: $kernel, n = $n" "resident $(calc %.0f "$(field "$work/factor.csv" 4 "$kernel,$n")") GFLOP/s, copied $(calc %.0f "$(field "$work/factor.csv" 4 "$kernel-copied,$n")")${lower:+, copied without its upper half $(calc %.0f "$lower")}" "" ""
}

# Each family's kernel, whole.
cusolver_alone() {
    due "cuSOLVER alone" || return 0
    few=$((shared_few * shared_tile))
    ours_by_line "$work/factor.csv" factor_row bench_gpu_factor -t "$shared_tile" "potrf:$few" \
        "getrf:$few" "getrf-unpivoted:$few" "geqrf:$few" "potrf:$((shared_many * shared_tile))" ||
        broken "cuSOLVER alone" "$work/factor.csv.log"
}

# Print what a family on tiles is compared with: it copies and computes as much.
fair_kernel() { # family
    case $1 in
    cholesky) echo potrf-copied-lower ;;
    lu) echo getrf-unpivoted-copied ;;
    qr) echo geqrf-copied ;;
    esac
}

# Print what was copied between host and GPU; nothing where there is no GPU.
copies_of() { # report
    to=$(number "$1" to_gpus_bytes)
    home=$(number "$1" to_host_bytes)
    [ -z "$to" ] || printf ', %.2f GB to the GPU, %.2f GB home' "$(calc %.6f "$to / 1e9")" "$(calc %.6f "${home:-0} / 1e9")"
}

# Run a graph once; write its speed next to cuSOLVER's with as many copies.
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
    kernel=$(fair_kernel "${what%%,*}")
    bare=$(field "$work/factor.csv" 4 "$kernel,$order")
    right="not verified"
    [ -n "$checked" ] ||
        right="right: relative residual $(calc %.1e "$(number "$work/$name.json" relative_residual)")"
    row "$what, n = $order" "$(calc %.0f "$gflops") GFLOP/s${bare:+, $(calc %.2f "$gflops / $bare") x $kernel of cuSOLVER}$(copies_of "$work/$name.json"); $right" "" ""
}

# Give a row at most half of the remaining time, so that a hanging row leaves time for later rows.
in_half() {
    in_share 1 2 "$@"
}

# Results of this run used by two parts; a kept folder may have results of an earlier run.
planned=" "
tiles_calibrated=
rm -f "$work/factor.csv"

# Make graphs and plans of a family: for the GPU and CPUs, for the GPU alone, and for the CPUs
# alone.
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

# Run a family by its plan, by a live policy, on the GPU alone and on the CPUs alone.
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
are part of the times, the way home of the last tiles is not. The times were calibrated here, resident. Beside
cuSOLVER alone on the whole matrix: with the copies of as many tiles, and, as tiled LU does not exchange rows, without
pivots."
    tiles_are_calibrated "cuSOLVER alone" cholesky lu qr || return 0
    in_half cusolver_alone
    tiled cholesky "$shared_few" ""
    for family in lu qr; do
        tiled "$family" "$shared_checked" ""
        tiled "$family" "$shared_few" --no-verify
    done
    tiled cholesky "$shared_many" --no-verify
    listing "The calibration:" "$work/kernels-tiles.csv"
}

# Run a graph with streams, then with CUDA graphs.
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
