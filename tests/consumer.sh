#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that knows only `pkg-config --cflags --libs hybridsched` builds and
# runs against an installed copy: the C example of README.md, and as C++.
set -eu
: "${srcdir:=.}" "${CC:=cc}" "${MAKE:=make}"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() { echo "consumer: $*" >&2; exit 1; }

"$MAKE" -s install DESTDIR="$root" >"$root/install.log" 2>&1 || {
    cat "$root/install.log"
    fail "make install failed"
}
pc=$(find "$root" -name hybridsched.pc)
[ -n "$pc" ] || fail "no pkg-config file was installed"
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$root"
flags=$(pkg-config --cflags --libs hybridsched)
lib=$(dirname "${pc%/*}")

sed -n '/^```c$/,/^```$/p' "$srcdir/README.md" | sed '/^```/d' >"$root/example.c"
[ "$(wc -l <"$root/example.c")" -ge 15 ] || fail "README.md has no C example"
# shellcheck disable=SC2086
$CC ${CFLAGS:-} -Wall -Wextra -Werror "$root/example.c" -o "$root/example" $flags ||
    fail "the example of README.md does not compile"
LD_LIBRARY_PATH="$lib" "$root/example" >"$root/example.out" || fail "the example failed"
diff - "$root/example.out" <<'EXPECTED' || fail "the example printed something else"
makespan 6, at least 6
cpu0: task 2 from 0 to 6
gpu0: task 0 from 0 to 2
gpu0: task 1 from 2 to 5
EXPECTED

# Headers stand alone, each of them.
for header in "$srcdir"/include/hybridsched/*.h; do
    name=${header##*/}
    echo "#include <hybridsched/$name>" >"$root/alone.c"
    # shellcheck disable=SC2046
    $CC ${CFLAGS:-} -Wall -Wextra -Werror -c "$root/alone.c" -o "$root/alone.o" \
        $(pkg-config --cflags hybridsched) || fail "$name does not stand alone"
done
echo "consumer: 1 passed, 0 failed"
