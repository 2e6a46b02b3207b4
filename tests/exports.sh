#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports hs_* and nothing else, and all that its headers promise.

srcdir=${srcdir:-.}
library=.libs/libhybridsched.so

[ -f "$library" ] || { echo "exports: no shared library in this build"; exit 77; }
command -v "${NM:=nm}" >/dev/null || { echo "exports: no nm"; exit 77; }

scratch=$(mktemp -d "${TMPDIR:-/tmp}/exports.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT

# What a sanitizer or a linker adds by itself begins with an underscore.
"$NM" -D --defined-only "$library" |
    awk '$2 != "A" { sub(/@.*/, "", $3); if ($3 !~ /^_/) print $3 }' | sort -u >"$scratch/exported"

# The name before the first parenthesis of each HS_API declaration.
cat "$srcdir"/include/hybridsched/*.h include/hybridsched/version.h |
    sed 's/#define HS_API.*//' | tr '\n' ' ' | sed 's/HS_API/\
&/g' | sed -n 's/^HS_API[^(;]*[ *]\(hs_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$scratch/promised"

grep -v '^hs_' "$scratch/exported" >"$scratch/foreign"
comm -13 "$scratch/exported" "$scratch/promised" >"$scratch/missing"
comm -23 "$scratch/exported" "$scratch/promised" | grep '^hs_' >"$scratch/undeclared"

failed=0
for kind in foreign missing undeclared; do
    [ -s "$scratch/$kind" ] || continue
    failed=1
    case $kind in
    foreign) echo "exported, but not hs_*:" ;;
    missing) echo "in a header, but not exported:" ;;
    undeclared) echo "exported, but in no header:" ;;
    esac
    sed 's/^/  /' "$scratch/$kind"
done
[ -s "$scratch/promised" ] || { echo "no declaration found in the headers"; failed=1; }
echo "exports: $(wc -l <"$scratch/exported") exported, $(wc -l <"$scratch/promised") promised"
exit $failed
