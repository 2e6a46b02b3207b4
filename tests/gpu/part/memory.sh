# SPDX-License-Identifier: BSD-3-Clause
# Measurements of matrices larger than the GPU's memory, and of host memory. Sourced by
# tests/gpu/run.

# ---- pages of the host ----------------------------------------------------------------------------

# Write a row for each way to obtain memory when its last line arrives.
pages_row() { # line of bench_gpu_pages
    case $1 in *-release,*) ;; *) return 0 ;; esac
    kind=${1%%-*}
    case $kind in
    alloc) what=cudaHostAlloc ;;
    *) what="$kind pages, registered" ;;
    esac
    row "$what" "obtained at $(page_figure obtain) GB/s, $(page_figure huge) % in huge pages, in $(page_figure in), out $(page_figure out) GB/s; read by the host across columns: $(page_figure read) ns an element" "" ""
}

page_figure() { # which
    calc %.2f "$(field "$work/pages.csv" 3 "$kind-$1")"
}

part_pages() {
    begin_rows "Host memory for shared matrices" "$pages_size MiB, copied in tiles of $shared_tile; medians of 5."
    due "host memory" || return 0
    ours_by_line "$work/pages.csv" pages_row bench_gpu_pages "$pages_size" "$shared_tile" ||
        broken "host memory" "$work/pages.csv.log"
}

# ---- matrices larger than their share of the GPU's memory -----------------------------------------

# Print bytes of some tiles, and not fewer than QR needs for a task.
bytes_of_tiles() { # expression: how many
    calc %.0f "8 * $shared_tile ^ 2 * (($1) > 6 ? int($1) : 6)"
}

# Run a graph with memory for every tile, for half and for a quarter of the tiles, and verify it.
in_shares() { # family, tiles, expression: tiles of the matrix
    make_plans "$1" "$2" || return 0
    in_half tiled_row "$1, GPU only, all tiles fit" "$2" --no-verify "$gpu.plan"
    in_half tiled_row "$1, GPU only, half of them" "$2" --no-verify \
        --gpu-memory="$(bytes_of_tiles "$3 / 2")" "$gpu.plan"
    in_half tiled_row "$1, GPU only, a quarter of them" "$2" "" \
        --gpu-memory="$(bytes_of_tiles "$3 / 4")" "$gpu.plan"
    in_half tiled_row "$1, by its plan, a quarter of them" "$2" --no-verify \
        --gpu-memory="$(bytes_of_tiles "$3 / 4")" "$plan"
}

gpu_memory() { # GiB
    sed -n 's/^ *memory *\([0-9.]*\) GiB.*/\1/p' "$work/devices" | head -n 1
}

available_memory() { # GiB
    awk '/^MemAvailable:/ { printf "%.1f", $2 / 1048576 }' /proc/meminfo
}

# Print how many tiles each way a lower triangle has that takes a twentieth more than the GPU's memory.
tiles_beyond() { # GiB
    awk -v gib="$1" -v tile="$shared_tile" 'BEGIN {
        for (n = 1; n * (n + 1) / 2 * 8 * tile * tile <= 1.05 * gib * 2 ^ 30; n++) continue
        print n
    }'
}

# A graph for the GPU by a plan, and one for CPUs and the GPU by a live policy.
larger_than_gpu() {
    what="cholesky, larger than the GPU's memory"
    due "$what" || return 0
    size=$(tiles_beyond "$(gpu_memory)")
    needed=$(calc %.1f "$size * ($size + 1) / 2 * 8 * $shared_tile ^ 2 / 2 ^ 30")
    if [ "$size" -gt "$larger_most" ]; then
        row "$what" "not possible: $size by $size tiles are more than $larger_most by $larger_most" "" ""
        return
    fi
    if [ "$(met "$(calc %.2f "1.1 * $needed + 2")" '<=' "$(available_memory)")" = missed ]; then
        row "$what" "not possible: it needs $needed GiB of the host, which has $(available_memory) GiB available" "" ""
        return
    fi
    gpu=$work/larger-gpu.csv
    graph=$work/larger-graph.csv
    { generated "$gpu" cholesky "$size" 0 1 && generated "$graph" cholesky "$size" "$workers" 1 &&
        ours hsched-solve -a heft -o "$gpu.plan" "$gpu"; } >"$work/larger.log" 2>&1 || {
        broken "$what" "$work/larger.log"
        return
    }
    row "$what" "$needed GiB, and the GPU has $(gpu_memory) GiB" "" ""
    in_half tiled_row "cholesky, larger than the GPU's memory, GPU only" "$size" --no-verify "$gpu.plan"
    tiled_row "cholesky, larger than the GPU's memory, heteroprio:min" "$size" --no-verify \
        --policy heteroprio:min "$graph"
}

part_memory() {
    begin_rows "Matrices larger than their share of the GPU's memory" "Tiles of $shared_tile; --gpu-memory is as much as
half or a quarter of the matrix takes, and at least six tiles. Tiles that are not used go home for others."
    tiles_are_calibrated cholesky lu qr "cholesky, larger than the GPU's memory" || return 0
    in_shares cholesky "$shared_few" "$shared_few * ($shared_few + 1) / 2"
    in_shares lu "$shared_checked" "$shared_checked ^ 2"
    in_shares qr "$shared_checked" "$shared_checked ^ 2"
    larger_than_gpu
}
