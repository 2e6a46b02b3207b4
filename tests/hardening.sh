#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that the programs and libraries of this build have the protections that configure lists in
# HS_HARDENING.
LC_ALL=C
export LC_ALL

command -v "${READELF:=readelf}" >/dev/null || { echo "skipped: readelf is not installed"; exit 77; }
[ -n "${HS_HARDENING:-}" ] || { echo "skipped: configured without hardening"; exit 77; }
case " ${CC:-} ${CFLAGS:-} " in *-fsanitize=*) echo "skipped: a sanitizer changes what is linked"; exit 77 ;; esac

failed=0
listed() { case " $HS_HARDENING " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# must PATTERN PROTECTION FILE: check that the description of the file matches the pattern.
must() {
    printf '%s\n' "$described" | grep -q -e "$1" || { echo "$3: no $2"; failed=1; }
}

# check FILE TYPE
check() {
    described=$("$READELF" -W --file-header --program-headers --dynamic --syms "$1") || exit 99
    must "^  Type: *DYN" "position-independent code" "$1"
    must 'GNU_STACK .* RW ' "stack without execution" "$1"
    if listed relro; then
        must GNU_RELRO "RELRO" "$1"
        must '(FLAGS_1).*NOW\|BIND_NOW' "binding at the start" "$1"
    fi
    if listed stack-protector; then
        must '__stack_chk_fail' "stack protector" "$1"
    fi
    if listed fortify; then
        must '__[a-z]*_chk\>' "function of FORTIFY_SOURCE" "$1"
    fi
    [ "$2" = library ] || must '(FLAGS_1).*PIE' "PIE" "$1"
    checked=$((${checked:-0} + 1))
}

for library in .libs/libhybridsched*.so .libs/hybridsched-*.so; do
    [ ! -f "$library" ] || check "$library" library
done
if listed pie; then
    for tool in bench calibrate check exec gen solve; do
        program=.libs/hsched-$tool # libtool's script in this folder starts it
        [ -f "$program" ] || program=hsched-$tool
        check "$program" program
    done
fi
echo "$checked files checked for: $HS_HARDENING"
exit $failed
