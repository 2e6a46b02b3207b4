# SPDX-License-Identifier: BSD-3-Clause
# Measurements of matrix products, copies, and the host's overhead for a task. Sourced by
# tests/gpu/run.

bare_row() { # line of bench_gpu_bare
    IFS=, read -r what count _ amount unit <<END
$1
END
    case $what in
    "#"* | what) ;;
    *) row "bare: $what" "$(calc %.2f "$amount") $unit, $count of them" "" "" ;;
    esac
}

gpu_row() { # line of bench_gpu
    IFS=, read -r what mode count time each _ gflops <<END
$1
END
    [ "$what" = what ] ||
        row "$what, $mode" "$count in $(calc %.4f "$time") s: $(calc %.2f "$each") us each, $(calc %.0f "$gflops") GFLOP/s" "" ""
}

# Print the lesser time of the two runs of bench_gpu_bare.
faster() { # start of the row
    smaller "$(field "$work/bare.csv" 3 "$1")" "$(field "$work/bare2.csv" 3 "$1")"
}

# Print the greater rate of the two runs.
rate() { # start of the row
    calc %.6f "$(field "$work/bare.csv" 4 "$1") * $(field "$work/bare.csv" 3 "$1") / $(faster "$1")"
}

percent() { # part, whole
    calc %.1f "100 * $1 / $2"
}

# Compare products with loops of the same products, with as many streams and equal copies.
throughput_rows() {
    one=$(rate dgemm)
    streams=$(rate dgemm-streams)
    copy=$(rate dgemm-streams-copy)
    moved=$(rate dgemm-streams-moved)
    copies=$(rate copies)
    copies_limit=$(calc %.4f "$one * $(faster dgemm) / $(faster copies)")
    limit=$(smaller "$one" "$copies_limit")
    row "bare, resident" "$(calc %.0f "$one") GFLOP/s by one stream, $(calc %.0f "$streams") by four, $(calc %.0f "$copy") by four with the copy that a task makes" "" ""
    row "bare, with copies" "$(calc %.0f "$moved") GFLOP/s by four streams" "" ""
    row "copies alone, both ways" "$(calc %.1f "$copies") GB/s, $(calc %.0f "$copies_limit") GFLOP/s at most" "" ""
    row "copies one way" "in $(calc %.1f "$(field "$work/bare.csv" 4 copies-in)"), out $(calc %.1f "$(field "$work/bare.csv" 4 copies-out)") GB/s" "" ""
    for mode in streams graph; do
        value=$(field "$work/gpu.csv" 7 "dgemm-resident,$mode")
        part=$(percent "$value" "$copy")
        row "resident, $mode" "$(calc %.0f "$value") GFLOP/s, $part % of four bare streams with the same copy; $(percent "$value" "$streams") % of four without it, $(percent "$value" "$one") % of one" \
            ">= 95 %" "$(met "$part" '>=' 95)"
    done
    for mode in streams graph; do
        value=$(field "$work/gpu.csv" 7 "dgemm-copied,$mode")
        part=$(percent "$value" "$limit")
        row "with copies, $mode" "$(calc %.0f "$value") GFLOP/s, $part % of one stream's products or the copies alone, whichever are slower; $(percent "$value" "$moved") % of four bare streams with the same copies" \
            ">= 93 %" "$(met "$part" '>=' 93)"
    done
}

# Compare the cost of a task with a loop of equal copies and products.
overhead_rows() {
    begin_rows "Host overhead" "$tiny dgemm of 16 by 16, resident: wall time over tasks, less that of a loop of the same
copies and products, and of bare graphs with the same nodes."
    for mode in streams graph; do
        value=$(field "$work/gpu.csv" 5 "tiny,$mode")
        bare=$(calc %.4f "1e6 * $(faster "tiny-$mode") / $tiny")
        less=$(calc %.2f "$value - $bare")
        wanted=6
        [ "$mode" = streams ] || wanted=1.5
        row "$mode" "$(calc %.2f "$value") us a task, bare $(calc %.2f "$bare") us: $less us" \
            "<= $wanted us" "$(met "$less" '<=' "$wanted")"
    done
}

# Run a program whose lines become rows; name the measurements for which time ran out.
bench() { # file, function for a line, what, "start of a row, ..." of all, program, argument...
    file=$1
    tell=$2
    what=$3
    starts=$4
    shift 4
    due "$what" || return 1
    if ! ours_by_line "$file" "$tell" "$@"; then
        broken "$what" "$file.log"
        name_missing "$what" "$file" $starts
        return 1
    fi
}

bare() { # file, function for a line, what
    bench "$1" "$2" "$3" "dgemm dgemm-streams dgemm-streams-copy dgemm-streams-moved copies copies-in copies-out tiny tiny-streams tiny-graph" \
        bench_gpu_bare "$products_count" "$tiny" "$product_largest"
}

tasks() {
    bench "$work/gpu.csv" gpu_row bench_gpu "dgemm-resident,streams dgemm-resident,graph tiny,streams
        tiny,graph dgemm-copied,streams dgemm-copied,graph" \
        bench_gpu "$products_count" "$tiny" "$product_largest"
}

# The loop runs before and after, because a GPU's clock rate varies; the second run adds no rows.
part_throughput() {
    begin_rows "Throughput" "$products_count dgemm, $product_sizes, in double precision; medians of 5 runs."
    in_share 1 4 bare "$work/bare.csv" bare_row bench_gpu_bare || bare_failed=yes
    in_share 2 3 tasks || tasks_failed=yes
    in_share 1 1 bare "$work/bare2.csv" : "bench_gpu_bare, again" || bare_failed=yes
    [ -z "${bare_failed:-}${tasks_failed:-}" ] || return 0
    begin_rows "Throughput, compared" "With the faster of the two runs of bench_gpu_bare."
    throughput_rows
    overhead_rows
    listing "As printed by bench_gpu_bare, before and after, and bench_gpu:" \
        "$work/bare.csv" "$work/bare2.csv" "$work/gpu.csv"
}
