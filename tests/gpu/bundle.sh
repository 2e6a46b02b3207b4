#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Put into an archive (and a second archive for machines without xz) everything that tests/gpu/run
# needs on a machine with a GPU, CUDA's libraries and a C library. Called by `make gpu-bundle`, with
#
#   CC MAKE STRIP srcdir pkglibdir bindir libdir VERSION PROGRAMS
#
# Run in the build folder, whose config.h names the libraries opened at run time.
#
# Usage: bundle.sh ARCHIVE.tar.xz
set -eu

archive=$1
limit=$((60 * 1024 * 1024))
name=$(basename "$archive" .tar.xz)
work=$(mktemp -d "${TMPDIR:-/tmp}/gpu-bundle.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
root=$work/$name
mkdir -p "$root/bin" "$root/lib/hybridsched" "$root/lib/base" "$root/data"

# programs and libraries of hybridsched

$MAKE -s install DESTDIR="$work/installed" >"$work/install.log" 2>&1 || {
    cat "$work/install.log" >&2
    exit 1
}
cp "$work/installed$bindir"/hsched-* "$root/bin"
for library in "$work/installed$libdir"/libhybridsched*.so.[0-9]; do
    cp -L "$library" "$root/lib"
done
cp "$work/installed$pkglibdir/hybridsched-cuda.so" "$root/lib/hybridsched"
for program in $PROGRAMS; do
    if [ -x ".libs/$program" ]; then cp ".libs/$program" "$root/bin"; else cp "$program" "$root/bin"; fi
done
cp "$srcdir/tests/gpu/run" "$srcdir/tests/gpu/step" "$root"
cp -R "$srcdir/tests/gpu/part" "$root"
cp "$srcdir/LICENSE" "$srcdir/tests/gpu/README" "$root"
chmod -R u+w "$root"
chmod +x "$root/run" "$root/step"

# libraries needed by them

# Names as used by the loader. The first list is the C library's; the second list comes with CUDA or
# its driver.
is_system() {
    case $1 in
    ld-linux* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | \
        libresolv.so.* | libutil.so.* | linux-vdso.so.*) return 0 ;;
    esac
    return 1
}

is_cuda() {
    case $1 in
    libcuda.so.* | libcudart.so.* | libcublas.so.* | libcublasLt.so.* | libcusolver.so.* | \
        libcusparse.so.* | libnvJitLink.so.* | libnvrtc.so.*) return 0 ;;
    esac
    return 1
}

# The compiler's libraries: the machine's own versions are as good, and may be newer.
is_base() {
    case $1 in
    libgcc_s.so.* | libstdc++.so.*) return 0 ;;
    esac
    return 1
}

needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

find_library() { # of an object: a name
    LD_LIBRARY_PATH=$root/lib ldd "$1" | awk -v name="$2" '$1 == name && $3 ~ "^/" { print $3; exit }'
}

take() { # for an object: a name
    place=$root/lib
    if is_base "$2"; then place=$root/lib/base; fi
    [ ! -e "$place/$2" ] || return 0
    path=$(find_library "$1" "$2")
    if [ -z "$path" ]; then
        echo "gpu-bundle: $1 needs $2, which is not to be found" >&2
        exit 1
    fi
    cp -L "$path" "$place/$2"
    chmod u+w "$place/$2"
    found=$((found + 1))
}

# OpenBLAS and LAPACKE: no program is linked with them.
take_opened() {
    printf 'int main(void) { return 0; }\n' >"$work/opened.c"
    for file in $(sed -n 's/^#define HS_[A-Z]*_FILE "\(.*\)"$/\1/p' config.h); do
        case $file in
        /*)
            echo "gpu-bundle: the programs open $file, which another machine has not: configure" \
                "without a folder for it" >&2
            exit 1
            ;;
        esac
        $CC -o "$work/opened" "$work/opened.c" -Wl,--no-as-needed "-l:$file"
        take "$work/opened" "$file"
    done
}

: >"$work/cuda"
found=0
take_opened
found=1
while [ "$found" -gt 0 ]; do
    found=0
    for object in "$root"/bin/* "$root"/lib/*.so* "$root"/lib/*/*.so*; do
        [ -f "$object" ] || continue
        for library in $(needed "$object"); do
            if is_system "$library"; then continue; fi
            if is_cuda "$library"; then
                echo "$library" >>"$work/cuda"
            else
                take "$object" "$library"
            fi
        done
    done
done

# CUDA's libraries need each other: add every library that the loader looks for.
for object in "$root"/bin/* "$root"/lib/hybridsched/*; do
    for library in $(LD_LIBRARY_PATH=$root/lib ldd "$object" | awk '{ print $1 }'); do
        if is_cuda "$library"; then echo "$library" >>"$work/cuda"; fi
    done
done
sort -u "$work/cuda" >"$root/cuda-libraries"
for object in "$root"/bin/* "$root"/lib/*.so* "$root"/lib/*/*.so*; do
    [ ! -f "$object" ] || $STRIP --strip-unneeded "$object"
done

# description of the archive

# Print the newest version of the C library that any file requires.
c_library() {
    for object in "$root"/bin/* "$root"/lib/*.so* "$root"/lib/*/*.so*; do
        [ ! -f "$object" ] || objdump -T "$object"
    done | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\)).*/\1/p; s/.* GLIBC_\([0-9.]*\) .*/\1/p' |
        sort -uV | tail -n 1
}

source_of() {
    commit=$(cd "$srcdir" && git rev-parse --short=12 HEAD 2>/dev/null) || return 0
    [ -z "$(cd "$srcdir" && git status --porcelain -uno 2>/dev/null)" ] || commit="$commit, changed"
    echo "$commit"
}

{
    echo "version $VERSION"
    echo "source $(source_of)"
    echo "built $(date -u '+%Y-%m-%d')"
    echo "glibc $(c_library)"
} >"$root/about"

keep() { # archive, command that compresses
    (cd "$work" && tar --owner=0 --group=0 --sort=name -cf - "$name") | $2 >"$1.part"
    size=$(wc -c <"$1.part")
    if [ "$size" -gt "$limit" ]; then
        rm -f "$1.part"
        echo "gpu-bundle: $size bytes are more than $limit" >&2
        exit 1
    fi
    mv "$1.part" "$1"
    echo "$1: $size bytes; runs with glibc $(c_library) or newer and $(tr '\n' ' ' <"$root/cuda-libraries")"
}

keep "$archive" "xz -T0 -6"
keep "${archive%.xz}.gz" "gzip -9n"
