# SPDX-License-Identifier: BSD-3-Clause
# One check of tests/gpu/flow.sh and flow-steps.sh, which source this and exit with $wrong.

wrong=0

check() { # what, command...
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "WRONG: $what"
        wrong=1
    fi
}

# Show what a command has written if its exit status is not the one expected.
is_status() { # expected, status, file...
    [ "$2" -ne "$1" ] || return 0
    echo "exit status $2, not $1"
    shift 2
    cat "$@"
    return 1
}
