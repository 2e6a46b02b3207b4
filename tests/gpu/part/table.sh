# SPDX-License-Identifier: BSD-3-Clause
# The table, and the arithmetic of its figures. Sourced by tests/gpu/run.

row() { # what, measured, wanted, met
    printf '| %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" >>"$table"
}

begin_rows() { # title, text
    printf '\n## %s\n\n%s\n\n| | measured | wanted | |\n|---|---|---|---|\n' "$1" "$2" >>"$table"
}

listing() { # title, file...
    {
        printf '\n%s\n\n' "$1"
        shift
        sed 's/^/    /' "$@"
    } >>"$table"
}

met() { # value, "<=" or ">=", limit
    awk -v value="$1" -v how="$2" -v limit="$3" \
        'BEGIN { print (how == "<=" ? value + 0 <= limit + 0 : value + 0 >= limit + 0) ? "met" : "missed" }'
}

calc() { # format, expression
    awk "BEGIN { printf \"$1\", $2 }"
}

smaller() {
    awk -v a="$1" -v b="$2" 'BEGIN { print (a + 0 < b + 0 ? a : b) }'
}

median() {
    sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# Print a field of the row that begins so.
field() { # file, number, start of the line
    awk -F, -v number="$2" -v start="$3," 'index($0, start) == 1 { print $number; exit }' "$1" 2>/dev/null
}

number() { # report, name
    tr ',{}' '\n\n\n' <"$1" | sed -n "s/^ *\"$2\": *//p" | head -n 1
}

# Write the row of a measurement that failed, or was ended because its time was up.
broken() { # what, log
    failed=1
    if is_over; then
        say "$1 was cut short"
        row "$1" "**cut short**: its time was up" "" ""
        return
    fi
    say "$1 failed:"
    tail -n 20 "$2" >&2
    row "$1" "**failed**: $(tail -n 1 "$2" | tr '|' '/')" "" ""
}

not_run() { # what
    failed=1
    say "$1 was not run"
    row "$1" "**not run**: no time was left" "" ""
}

# Tell whether time is left for this measurement.
due() { # what
    is_over || return 0
    not_run "$1"
    return 1
}

# Name the measurements that a part leaves out because its time is up.
name_rest() { # what...
    is_over || return 0
    for rest in "$@"; do
        not_run "$rest"
    done
}

# Name the measurements of a program for which time ran out.
name_missing() { # program, file of its rows, start of a row...
    program=$1
    file=$2
    shift 2
    is_over || return 0
    for start in "$@"; do
        [ -n "$(field "$file" 1 "$start")" ] || not_run "$program: $(echo "$start" | sed 's/,/, /g')"
    done
}

head_of_table() {
    device=$(sed -n 's/^gpu0 *//p' "$work/devices" | head -n 1)
    processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    {
        echo "# hybridsched on a GPU"
        if [ -n "$fake$quick" ]; then
            echo
            echo "**Not figures: ${fake:+made with a fake of CUDA${quick:+, }}${quick:+at small sizes}.**"
        fi
        echo
        echo "- versions: $(tr '\n' ';' <"$work/versions" | sed 's/;$//; s/;/; /g')"
        echo "- date: $(date -u '+%Y-%m-%d %H:%M UTC')"
        echo "- GPU: $device"
        if [ -z "$fake" ] && command -v nvidia-smi >/dev/null; then
            echo "- card: $(timeout 20 nvidia-smi --query-gpu=name,memory.total,power.limit,clocks.max.sm \
                --format=csv,noheader 2>&1 | head -n 1)"
        fi
        echo "- cores: $cores, of ${processor:-an unknown kind}; $(uname -sr)"
        echo "- hybridsched $(tr '\n' ';' <"$here/about" | sed 's/;$//; s/;/; /g')"
    } >"$table"
}
