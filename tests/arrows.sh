#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check that each folder of the library includes only headers of the folders below it, so that no
# two folders depend on each other. Check that only the files of its folder include a private header.

below() {
    case $1 in
    support) ;;
    core) echo support ;;
    data) echo support ;;
    glpk | algorithm | io) echo core support ;;
    bound) echo glpk core support ;;
    refine) echo algorithm bound core support ;;
    registry) echo policy refine algorithm bound core support ;;
    policy) echo data core support ;;
    generate) echo core support ;;
    picture) echo io core support ;;
    cost) echo core support ;;
    exec) echo data core support ;; # a library of its own
    profile) echo core support ;;   # headers alone: a library of its own
    *) echo "arrows: lib/$1 is not known here" >&2 ;;
    esac
}

cd "${srcdir:-.}/lib" || exit 99
failed=0
for folder in */; do
    folder=${folder%/}
    allowed=$(below "$folder" 2>&1)
    case $allowed in arrows:*) failed=1 && echo "$allowed" ;; esac
    for other in $(grep -rhoE '#include "[a-z]+/' "$folder" | sed 's/.*"//; s,/,,' | sort -u); do
        case " $folder $allowed " in
        *" $other "*) ;;
        *)
            failed=1
            echo "arrows: lib/$folder must not include lib/$other:"
            grep -rn "#include \"$other/" "$folder" | sed 's/^/  /'
            ;;
        esac
    done
done

# A header NAME_private.h is for the files of its folder only.
for header in $(find . -name '*_private.h' | sed 's,^\./,,'); do
    others=$(grep -rln "#include \"$header\"" . | sed 's,^\./,,' | grep -v "^${header%/*}/[^/]*$")
    if [ "$others" ]; then
        failed=1
        echo "arrows: only files of lib/${header%/*} may include lib/$header, not" $others
    fi
done

# The dispatcher and the policies know rows and their data, but no matrix.
if grep -rn matrix exec/run policy; then
    failed=1
    echo "arrows: lib/exec/run and lib/policy must not know matrices; see lib/exec/client/client.h"
fi
exit $failed
