#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that each shared library exports every function of its headers and only names in hs_*, and
# libhybridsched-policy its internal symbols hsi_* for the other libraries. Check that it needs libc and
# libm alone, and that no other library contains one of its functions.

srcdir=${srcdir:-.}
of_exec="backend.h device.h exec.h plugin.h" # libhybridsched-exec
of_profile="profile.h"              # libhybridsched-profile
# The others are of libhybridsched-policy and libhybridsched.

[ -f .libs/libhybridsched.so ] || { echo "skipped: this build has no shared library"; exit 77; }
command -v "${NM:=nm}" >/dev/null || { echo "skipped: nm is not installed"; exit 77; }

scratch=$(mktemp -d "${TMPDIR:-/tmp}/exports.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# is_of HEADERS FILE: check that the file is one of the headers.
is_of() {
    case " $1 " in *" ${2##*/} "*) return 0 ;; *) return 1 ;; esac
}

# Symbols that a sanitizer or the linker adds begin with an underscore.
exported() {
    "$NM" -D --defined-only "$1" |
        awk '$2 != "A" { sub(/@.*/, "", $3); if ($3 !~ /^_/) print $3 }' | sort -u
}

# Print the name before the first parenthesis of each HS_API declaration.
promised() {
    cat "$@" | sed 's/#define HS_API.*//' | tr '\n' ' ' | sed 's/HS_API/\
&/g' | sed -n 's/^HS_API[^(;]*[ *]\(hs_[a-z0-9_]*\)(.*/\1/p' | sort -u
}

# If the linker supports version scripts, each symbol has its version in lib/hybridsched.map.
check_versions() { # library
    [ -n "${HS_SYMBOLS_LDFLAGS:-}" ] || return 0
    "$NM" -D --defined-only "$1" | grep ' hs_' | grep -v '@@HYBRIDSCHED_' || return 0
    failed=1
    echo "$1: without a version"
}

failed=0
names=hs_
compare() { # library header...
    library=$1
    shift
    exported ".libs/$library.so" >"$scratch/exported"
    promised "$@" >"$scratch/promised"
    grep -v "^$names" "$scratch/exported" >"$scratch/foreign"
    comm -13 "$scratch/exported" "$scratch/promised" >"$scratch/missing"
    comm -23 "$scratch/exported" "$scratch/promised" | grep '^hs_' >"$scratch/undeclared"
    for kind in foreign missing undeclared; do
        [ -s "$scratch/$kind" ] || continue
        failed=1
        case $kind in
        foreign) echo "$library: exported, but not hs_*:" ;;
        missing) echo "$library: in a header, but not exported:" ;;
        undeclared) echo "$library: exported, but in no header of its own:" ;;
        esac
        sed 's/^/  /' "$scratch/$kind"
    done
    check_versions ".libs/$library.so"
    [ -s "$scratch/promised" ] || { echo "$library: no declaration found"; failed=1; }
    echo "$library: $(wc -l <"$scratch/exported") exported, $(wc -l <"$scratch/promised") promised"
}

set -- include/hybridsched/version.h
for header in "$srcdir"/include/hybridsched/*.h; do
    is_of "$of_exec $of_profile" "$header" || set -- "$@" "$header"
done
# Each function of these headers is in one of two libraries.
exported .libs/libhybridsched.so >"$scratch/of_main"
exported .libs/libhybridsched-policy.so >"$scratch/of_policy"
compare_both() { # header...
    promised "$@" >"$scratch/both"
    for library in libhybridsched libhybridsched-policy; do
        [ $library = libhybridsched ] && other=of_policy names=hs_ || other=of_main names='hsi*_'
        comm -23 "$scratch/both" "$scratch/$other" | sed 's/.*/HS_API void &(void)/' >"$scratch/own.h"
        compare $library "$scratch/own.h"
    done
    names=hs_
}
compare_both "$@"

# check_twice LIBRARY: check that a library has no function that libhybridsched-policy exports.
check_twice() {
    [ -f ".libs/$1.so" ] || return 0
    "$NM" --defined-only ".libs/$1.so" | awk '$2 ~ /[TtDdRrBb]/ { print $3 }' | sort -u |
        comm -12 - "$scratch/of_policy" >"$scratch/twice"
    [ -s "$scratch/twice" ] || return 0
    failed=1
    echo "$1: contains symbols of libhybridsched-policy, too:"
    sed 's/^/  /' "$scratch/twice"
}
for library in libhybridsched libhybridsched-exec libhybridsched-profile; do
    check_twice $library
done

# The libraries that libhybridsched-policy needs.
if command -v "${READELF:=readelf}" >/dev/null; then
    "$READELF" -d .libs/libhybridsched-policy.so |
        sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$scratch/needed"
    # A sanitizer adds its own libraries.
    case "${CFLAGS:-}" in *-fsanitize*) ;; *)
        if grep -vE '^(libc|libm|libgcc_s|ld-linux.*)\.so' "$scratch/needed"; then
            failed=1
            echo "libhybridsched-policy: needs the libraries above; it must need libc and libm alone"
        fi
        ;;
    esac
    "$READELF" -d .libs/libhybridsched.so | grep -q 'NEEDED.*libhybridsched-policy\.so' || {
        failed=1
        echo "libhybridsched: does not link libhybridsched-policy"
    }
else
    echo "exports: readelf is not installed: the needed libraries are not checked"
fi

# compare_own LIBRARY HEADERS: compare a library that has these headers alone.
compare_own() {
    library=$1 own=$2
    set --
    for header in "$srcdir"/include/hybridsched/*.h; do
        is_of "$own" "$header" && set -- "$@" "$header"
    done
    compare "$library" "$@"
}
compare_own libhybridsched-exec "$of_exec"
[ ! -f .libs/libhybridsched-profile.so ] || compare_own libhybridsched-profile "$of_profile"

# Each struct of the headers begins with struct_size, or tests/unit/check_layouts.c has its layout.
cat "$srcdir"/include/hybridsched/*.h |
    awk '/^(typedef )?struct hs_[a-z_]+ \{$/ { name = $(NF - 1); getline; if (!/ struct_size;/) print name }' |
    sort -u >"$scratch/plain"
sed -n 's/^ *LAYOUT(\(hs_[a-z_]*\),.*/\1/p' "$srcdir/tests/unit/check_layouts.c" |
    sort -u >"$scratch/layouts"
[ -s "$scratch/plain" ] || { failed=1; echo "headers: no struct without struct_size found"; }
if ! cmp -s "$scratch/plain" "$scratch/layouts"; then
    failed=1
    echo "headers: structs that begin with struct_size (>) or are not in check_layouts.c (<):"
    diff "$scratch/plain" "$scratch/layouts" | sed -n 's/^[<>]/  &/p'
fi

# A module exports its tables alone.
check_module() { # module symbols
    [ -f ".libs/$1.so" ] || return 0
    exported ".libs/$1.so" >"$scratch/exported"
    # shellcheck disable=SC2046
    [ "$(echo $(cat "$scratch/exported"))" != "$2" ] || return 0
    failed=1
    echo "$1: exported, but not $2 alone:"
    sed 's/^/  /' "$scratch/exported"
}
check_module hybridsched-cuda "hs_backend_module hs_device_module"
check_module hybridsched-opencl hs_device_module
check_module hybridsched-mpi hs_mpi_module

exit $failed
