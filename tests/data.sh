#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check data/values.csv: each instance of data/ is the output of its command, its plan is valid and
# has the stated makespan, its certificate proves the stated bound, and the algorithm with a bad
# makespan still has that makespan.
set -eu
data=$(cd "${srcdir:-.}/data" && pwd)
PATH=$(pwd):$PATH
export PATH LC_ALL=C
failed=0 seen=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hsched-data.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fail() { echo "data/$instance: $*" >&2; failed=$((failed + 1)); }
expect() { [ "$2" = "$3" ] || fail "$1 is $2, and values.csv says $3"; }
# header_of KEY FILE
header_of() { sed -n "s/^# $1 //p" "$2" | head -1; }
# makespan_of ALGORITHM: print its makespan and whether the makespan is proved optimal.
makespan_of()
{
    hsched-solve -a "$1" --format json "$data/$instance.csv" |
        tr ',{}' '\n\n\n' | sed -n 's/^ *"\(makespan\|optimal\)": //p' | tr '\n' ' '
}

# Features that this build lacks: exact arithmetic to check certificates, bounds for graphs.
gmp=yes glpk=no
! hsched-solve --list | grep -q '^  paths ' || glpk=yes
hsched-check --certificate /dev/null "$data/worst/hp-1-1-21.plan" 2>&1 | grep -q 'needs GMP' && gmp=no

check_proof()
{
    if [ $gmp = no ]; then
        hsched-check -q "$data/$instance.plan" "$data/$instance.csv" || fail "its plan is not valid"
        return
    fi
    hsched-check --certificate "$data/$instance.proof" "$data/$instance.plan" \
        "$data/$instance.csv" >"$scratch/check" || fail "its plan or its proof is not valid"
    proved=no
    grep -q '^certified: .*, optimal$' "$scratch/check" && proved=certificate
    [ "$optimal" = search ] || [ "$optimal" = no ] && [ $proved = no ] && proved=$optimal
    expect "what proves the optimum" $proved "$optimal"
}

# Instances found by a search take the algorithm too long.
check_origin()
{
    command=$(header_of generator "$data/$instance.csv")
    case $command in
    'hsched-gen adversary '*) ;;
    'hsched-gen '*)
        $command -o "$scratch/again.csv"
        cmp "$scratch/again.csv" "$data/$instance.csv" || fail "'$command' makes another instance"
        ;;
    *) fail "it does not say where it comes from" ;;
    esac
}

exec 3<"$data/values.csv"
read -r header <&3
expect header "$header" instance,makespan,certified,optimal,algorithm,algorithm_makespan
while IFS=, read -r instance makespan certified optimal algorithm badly <&3; do
    seen=$((seen + 1))
    check_proof
    check_origin
    expect 'the makespan of its plan' "$(header_of makespan "$data/$instance.plan")" "$makespan"
    expect 'what its proof proves' "$(sed -n 's/^value,\([^,]*\),.*/\1/p' "$data/$instance.proof")" \
        "$certified"
    [ "$optimal" != search ] || [ $glpk = no ] || expect 'the optimum' "$(makespan_of exact)" "$makespan true "
    [ -z "$algorithm" ] || expect "what $algorithm takes" \
        "$(makespan_of "$algorithm" | cut -d' ' -f1)" "$badly"
done
instance=values.csv
expect 'how many instances there are in folders' "$(ls "$data"/*/*.csv | wc -l)" $seen
echo "data: $seen instances, $failed wrong$([ $gmp = yes ] || echo '; certificates not checked')"
[ $failed = 0 ]
