# SPDX-License-Identifier: BSD-3-Clause
# Verification of events in graphs, kernels, and memory accesses. Sourced by tests/gpu/run.

# ---- events that graphs record -----------------------------------------------------------------------

probe_row() { # line of gpu_probe
    IFS=, read -r what event answer wanted <<END
$1
END
    [ "$what" != what ] || return 0
    verdict=missed
    [ "$answer" != "$wanted" ] || verdict=met
    row "$what; event $event" "$answer" "$wanted" "$verdict"
}

part_probe() {
    begin_rows "Events recorded inside a graph" "Asked right after the graph's launch; wanted: what the
module depends on."
    due "events recorded inside a graph" || return 0
    ours_by_line "$work/probe.csv" probe_row gpu_probe "$probe_size" ||
        broken "events recorded inside a graph" "$work/probe.csv.log"
}

# ---- kernels -------------------------------------------------------------------------------------------

kernel_row() { # line of gpu_kernels
    IFS=, read -r kernel all right checked why <<END
$1
END
    [ "$kernel" = kernel ] ||
        row "$kernel, sizes $sizes" "$checked verified, $right of $all right${why:+: $why}" "all" "$(met "$right" '>=' "$all")"
}

kernel_calls() { # kernel, smallest, largest
    sizes="from $2 to $3"
    due "$1, sizes $sizes" || return 0
    csv=$work/kernels-$1-$2.csv
    ours_by_line "$csv" kernel_row gpu_kernels -s "$2" "$3" "$1" && return
    log=$csv.log
    if [ ! -s "$log" ]; then tail -n 1 "$csv" >"$log"; fi
    broken "$1, sizes $sizes" "$log"
}

# Run every kernel at small sizes first.
part_kernels() {
    begin_rows "Kernels" "Three tasks of each size, as streams and as graphs, copied and resident. The CPU verifies
the first result of each size and way as it has landed in host memory; right: its residual is below that which CPUs
are held to."
    ours gpu_kernels -l >"$work/kernels"
    calls=$((2 * $(wc -l <"$work/kernels")))
    for range in "1 $kernel_middle" "$((kernel_middle + 1)) $kernel_largest"; do
        for kernel in $(cat "$work/kernels"); do
            in_share 1 "$calls" kernel_calls "$kernel" $range
            calls=$((calls - 1))
        done
    done
}

# ---- memory that is not theirs ---------------------------------------------------------------------------

find_sanitizer() {
    for checker in "$(command -v compute-sanitizer)" /usr/local/cuda*/bin/compute-sanitizer \
        /usr/local/cuda*/compute-sanitizer/compute-sanitizer /opt/nvidia/*/compute-sanitizer; do
        [ ! -x "$checker" ] || return 0
    done
    return 1
}

sanitized() { # what, program, argument...
    what=$1
    log=$work/memcheck-$2.log
    shift
    due "$what" || return 0
    if ours_under "$checker --error-exitcode 9" "$@" >"$log" 2>&1; then
        row "$what: errors" "0" "0" met
    else
        broken "$what" "$log"
    fi
}

sanitized_tiles() {
    graph=$work/memcheck.csv
    due "shared tiles" || return 0
    { calibrated "$work/kernels-memcheck.csv" 3 --resident --sizes "$sanitizer_tile" &&
        ours hsched-gen cholesky 4 --graph --kernels "$work/kernels-memcheck.csv" -m 0 -k 1 -o "$graph" &&
        ours hsched-solve -a heft -o "$graph.plan" "$graph"; } >"$work/memcheck-tiles.log" 2>&1 || {
        broken "shared tiles" "$work/memcheck-tiles.log"
        return
    }
    sanitized "shared tiles" hsched-exec -q $reserve "$graph.plan"
    sanitized "shared tiles, as graphs" hsched-exec -q $reserve --gpu-mode=graph "$graph.plan"
}

part_memcheck() {
    begin_rows "compute-sanitizer" "All kernels, at sizes up to 200, and a Cholesky factorisation on shared tiles:
accesses to memory that is not theirs."
    if ! find_sanitizer; then
        row "compute-sanitizer" "not on this machine" "" ""
        return
    fi
    in_share 2 3 sanitized "kernels" gpu_kernels 200
    sanitized_tiles
}
