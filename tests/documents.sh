#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs every command in the documents named below, as a reader would, and compares the output.
#
#   documents.sh [DOCUMENT...]
#
# A block that opens with ```console holds commands ("$ ", continued by "> ") and their output.
# The blocks of a document run in order, in a folder that is empty at first. The document's output
# must occur in the command's output, line by line and in order; the document may leave lines out
# ("..."). Numbers and spaces are ignored, because times differ between runs. "$ cat FILE" creates
# FILE if it does not exist.
#
# These comments steer the check:
#   <!-- new folder -->      the commands below begin in an empty folder
#   <!-- status 1 -->        the last command of the next block exits with 1
#   <!-- needs: COMMAND -->  skip the blocks below if COMMAND fails; no COMMAND ends this
#   <!-- data: FILE NAME --> copy FILE of the source tree to the current folder as NAME
#   <!-- run: COMMAND -->    run COMMAND instead of the next command, which takes too long

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
PATH=$(pwd)/.libs:$(pwd):$PATH
LD_LIBRARY_PATH=$(pwd)/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LC_ALL=C
unset CUDA_VISIBLE_DEVICES
export srcdir PATH LD_LIBRARY_PATH LC_ALL

scratch=$(mktemp -d "${TMPDIR:-/tmp}/documents.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Use the Python that configure found, with the package of the build folder; or one with pandas.
if [ -n "${PYTHON:-}" ] && [ -f python/package/stamp ]; then
    mkdir "$scratch/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$PYTHON" >"$scratch/bin/python3"
    chmod +x "$scratch/bin/python3"
    PATH=$scratch/bin:$PATH
    PYTHONPATH=$(pwd)/python/package${PYTHONPATH:+:$PYTHONPATH}
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
elif ! python3 -c 'import pandas' 2>/dev/null && /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
    mkdir "$scratch/bin"
    ln -s /usr/bin/python3 "$scratch/bin/python3"
    PATH=$scratch/bin:$PATH
fi

# split DOCUMENT: write step N as N.command, N.shown, N.status and N.needs to $scratch/steps.
split()
{
    awk -v folder="$scratch/steps" '
        function finish() {
            if (!open) return
            open = 0
            close(base ".command"); close(base ".shown")
        }
        function start(text) {
            finish()
            open = 1
            base = sprintf("%s/%03d", folder, ++count)
            print (instead != "" ? instead : text) >(base ".command")
            instead = ""
            printf "" >(base ".shown")
            print 0 >(base ".status"); close(base ".status")
            print needs >(base ".needs"); close(base ".needs")
            print chapter + 0 >(base ".chapter"); close(base ".chapter")
        }
        !inside && /^<!-- new folder -->$/ { chapter++ }
        !inside && /^<!-- status [0-9]+ -->$/ { status = $3 }
        !inside && /^<!-- needs:.*-->$/ { needs = $0; gsub(/^<!-- needs: *| *-->$/, "", needs) }
        !inside && /^<!-- run:.*-->$/ { instead = $0; gsub(/^<!-- run: *| *-->$/, "", instead) }
        !inside && /^<!-- data:.*-->$/ { start("cp \"$srcdir/" $3 "\" " $4); finish() }
        !inside && /^```console$/ { inside = 1; next }
        inside && /^```$/ {
            if (status) print status >(base ".status")
            close(base ".status")
            status = inside = 0
            finish()
            next
        }
        !inside { next }
        /^\$ / { start(substr($0, 3)); more = 1; next }
        /^> / && more { print substr($0, 3) >(base ".command"); next }
        { more = 0; print >(base ".shown") }
    ' "$1"
}

# Print standard input with one sign for each number and one space between words.
normalise()
{
    sed -E 's/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/#/g; s/[[:space:]]+/ /g; s/ $//' "$1"
}

# shown_occurs SHOWN GOT: each line of SHOWN but "..." occurs in GOT, in order; print the first that
# does not.
shown_occurs()
{
    normalise "$1" | grep -vE '^ ?(\.\.\.)?$' >"$scratch/want"
    normalise "$2" >"$scratch/have"
    awk 'FILENAME == ARGV[1] { want[++count] = $0; next }
         found < count && $0 == want[found + 1] { found++ }
         END { if (found < count) { print "no such line in the output: " want[found + 1]; exit 1 } }
    ' "$scratch/want" "$scratch/have"
}

# run_step BASE: run the command in the current folder; print what is wrong.
run_step()
{
    file=$(sed -n 's/^cat \([^ |<>]*\)$/\1/p' "$1.command")
    if [ -n "$file" ] && [ ! -e "$file" ]; then
        cp "$1.shown" "$file"
        return 0
    fi
    sh "$1.command" >"$scratch/got" 2>&1 </dev/null
    status=$?
    if [ $status -ne "$(cat "$1.status")" ]; then
        echo "exits with $status, not $(cat "$1.status")"
        return 1
    fi
    shown_occurs "$1.shown" "$scratch/got"
}

# run_document DOCUMENT: count passed, failed and skipped steps.
run_document()
{
    rm -rf "$scratch/steps" "$scratch/folder"
    mkdir "$scratch/steps" "$scratch/folder"
    split "$1"
    for command in "$scratch"/steps/*.command; do
        [ -e "$command" ] || { echo "$1: no command found"; failed=$((failed + 1)); break; }
        base=${command%.command}
        needs=$(cat "$base.needs")
        mkdir -p "$scratch/folder/$(cat "$base.chapter")"
        cd "$scratch/folder/$(cat "$base.chapter")" || exit 99
        if [ -n "$needs" ] && ! sh -c "$needs" >/dev/null 2>&1; then
            echo "$(basename "$1"): skipped, for lack of '$needs': $(head -n 1 "$command")"
            skipped=$((skipped + 1))
        elif why=$(run_step "$base"); then
            passed=$((passed + 1))
        else
            echo "$(basename "$1"): $(cat "$command")"
            echo "    $why"
            sed 's/^/    | /' "$scratch/got"
            failed=$((failed + 1))
        fi
    done
}

passed=0 failed=0 skipped=0
if [ $# -eq 0 ]; then
    set -- "$srcdir/README.md" "$srcdir"/doc/*.md
fi
for document in "$@"; do
    run_document "$document"
done
echo "documents: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
