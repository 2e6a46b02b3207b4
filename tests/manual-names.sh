#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compare names in the manual with the headers and the tools. Each hs_ and HS_ name, argument or
# member and option of the pages exists, and a page describes each public function, macro and option.

srcdir=${srcdir:-.}
headers="$srcdir/include/hybridsched/*.h include/hybridsched/version.h"
tools="bench calibrate check exec gen solve"
LC_ALL=C
export LC_ALL

scratch=$(mktemp -d "${TMPDIR:-/tmp}/manual-names.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0

# report FILE TEXT: fail if the file has lines, and print them under the text.
report()
{
    [ -s "$1" ] || return 0
    failed=1
    echo "$2"
    sed 's/^/  /' "$1"
}

# Print the name before the first parenthesis of each exported function, and of each inline function
# and macro. A function NAME_sized belongs to a macro NAME.
functions()
{
    # shellcheck disable=SC2086
    { cat $headers | sed 's/#define HS_API.*//' | tr '\n' ' ' | sed 's/HS_API/\
&/g'; echo; } | sed -n 's/^HS_API[^(;]*[ *]\(hs_[a-z0-9_]*\)(.*/\1/p' | sed 's/_sized$//'
    # shellcheck disable=SC2086
    sed -n 's/^static inline .*[ *]\(hs_[a-z0-9_]*\)(.*/\1/p; s/^#define \(hs_[a-z0-9_]*\).*/\1/p' $headers
}

# Print all identifiers of the headers, and the constants that HS_STATUS_MAP makes.
identifiers()
{
    # shellcheck disable=SC2086
    grep -ohE '[A-Za-z_][A-Za-z0-9_]*' $headers
    sed -n 's/^ *X(\([A-Z0-9]*\),.*/HS_\1/p' "$srcdir/include/hybridsched/status.h"
}

functions | sort -u >"$scratch/functions"
identifiers | sort -u >"$scratch/identifiers"
[ "$(wc -l <"$scratch/functions")" -ge 100 ] || { echo "no functions found in the headers"; exit 99; }

# The text of a page without comments and without escapes.
pages()
{
    cat "$@" | sed 's/^\.\\".*//; s/\\&//g; s/\\-/-/g; s/\\e/\\/g'
}

pages "$srcdir"/man/*.[1357] | grep -oE '(hs|HS)_[A-Za-z0-9_]+' | sort -u >"$scratch/named"
comm -23 "$scratch/named" "$scratch/identifiers" >"$scratch/unknown"
report "$scratch/unknown" "in the manual, but in no header:"

pages "$srcdir"/man/*.3 | grep -oE '(^\.| )F[an] [^.(]*' | sed 's/.*F[an] //' |
    grep -oE '[A-Za-z_][A-Za-z0-9_]+' | grep -vxE 'No|Ns|Fa|Fn|Pq|Po|Pc' | sort -u >"$scratch/named"
comm -23 "$scratch/named" "$scratch/identifiers" | grep -vE '^(poll|setrlimit)$' >"$scratch/unknown"
report "$scratch/unknown" "an argument or a function of the manual, but in no header:"

pages "$srcdir"/man/*.3 | grep -oE 'Fn [a-z0-9_]*' | cut -c4- | sort -u >"$scratch/named"
comm -23 "$scratch/functions" "$scratch/named" >"$scratch/missing"
report "$scratch/missing" "in a header, but in no page:"

# Print the long options on standard input, which is a page.
options_of_page()
{
    pages - | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/Fl -/--/' | sort -u
}

: >"$scratch/options"
for tool in $tools; do
    ./hsched-$tool --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u >"$scratch/help"
    [ -s "$scratch/help" ] || { echo "hsched-$tool --help names no options"; exit 99; }
    cat "$scratch/help" >>"$scratch/options"
    options_of_page <"$srcdir/man/hsched-$tool.1" >"$scratch/page"
    comm -23 "$scratch/help" "$scratch/page" >"$scratch/missing"
    report "$scratch/missing" "an option of hsched-$tool, but not in hsched-$tool(1):"
    grep '^\.It' "$srcdir/man/hsched-$tool.1" | options_of_page >"$scratch/page"
    comm -13 "$scratch/help" "$scratch/page" | grep -vE '^--(perturb|wrong|late|overhead|machine|tile)$' >"$scratch/unknown"
    report "$scratch/unknown" "in hsched-$tool(1), but no option of hsched-$tool:"
done
sort -u "$scratch/options" >"$scratch/help"
cat "$srcdir"/man/*.[1357] | options_of_page >"$scratch/page"
comm -13 "$scratch/help" "$scratch/page" | grep -vE '^--(perturb|wrong|late|overhead|machine|tile)$' >"$scratch/unknown"
report "$scratch/unknown" "in the manual, but no option of any tool:"

# The output of groff or mandoc must have no warning.
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error "$srcdir"/man/*.[1357] >"$scratch/warnings" 2>&1
elif command -v groff >/dev/null; then
    for page in "$srcdir"/man/*.[1357]; do
        groff -mandoc -Tutf8 -ww "$page" 2>&1 >"$scratch/rendered" | sed "s,^,${page##*/}: ,"
    done >"$scratch/warnings"
fi
report "$scratch/warnings" "warnings about the markup of the manual:"

echo "manual-names: $(wc -l <"$scratch/functions") functions, $(wc -l <"$scratch/help") options"
exit $failed
