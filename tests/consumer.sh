#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Check an installed copy: programs that use only pkg-config build and run. These are the examples
# of README.md and the manual, in C, as C++ and with static libraries; and a plugin in C++.
set -eu
: "${srcdir:=.}" "${CC:=cc}" "${CXX:=c++}" "${MAKE:=make}"

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
cflags=$(pkg-config --cflags hybridsched)
lib=$(dirname "${pc%/*}")
bin=$(dirname "$(find "$root" -name hsched-exec -path '*/bin/*')")
doc=$(pkg-config --variable=docdir hybridsched)
case $doc in "$root"*) ;; *) doc=$root$doc ;; esac # not every pkg-config adds the root
for file in LICENSE README.md data/README.md doc/tutorial.md examples/starpu/README.md \
    examples/starpu/hybridsched_starpu.c examples/stencil/heat.c; do
    [ -f "$doc/$file" ] || fail "$file is not installed in ${doc#"$root"}"
done
strict="-Wall -Wextra -Wpedantic -Werror"

sed -n '/^```c$/,/^```$/p' "$srcdir/README.md" | sed '/^```/d' >"$root/readme.c"
[ "$(wc -l <"$root/readme.c")" -ge 15 ] || fail "README.md has no C example"
cat >"$root/readme.expected" <<'EXPECTED'
makespan 6, at least 6
cpu0: task 2 from 0 to 6
gpu0: task 0 from 0 to 2
gpu0: task 1 from 2 to 5
EXPECTED

# Print the first example of a manual page.
of_manual() {
    sed -n '/^\.Bd -literal/,/^\.Ed/{/^\.Ed/q; /^\.Bd/d; s/\\e/\\/g; p}' "$srcdir/man/$1"
}
of_manual libhybridsched.3 >"$root/library.c"
echo "11, and no schedule beats 11" >"$root/library.expected"
of_manual libhybridsched-exec.3 >"$root/manual.c"
cp "$doc/examples/embed.c" "$root/exec.c"
sed 1,2d "$root/exec.c" | diff "$root/manual.c" - || fail "the example of libhybridsched-exec(3) is not embed.c"
echo "1 + 4 + 9 = 14" >"$root/exec.expected"
echo "affine: 4" >"$root/simulate.expected"
echo "sum of the squares: 506" >"$root/threads.expected"
echo "success, sum: 8386560" >"$root/arrivals.expected"
echo "stopped: 1000 sequences reached 1" >"$root/functions.expected"
of_manual libhybridsched-profile.3 >"$root/profile.c"
echo "2.5 s" >"$root/profile.expected"
examples="readme library exec"
if pkg-config --exists hybridsched-profile; then
    examples="$examples profile"
else
    echo "consumer: this build has no profiles"
fi

# works WAY EXAMPLE COMPILE...: check that the example compiles and prints the expected output.
works() {
    way=$1 example=$2
    shift 2
    # shellcheck disable=SC2086
    "$@" -o "$root/$example" || fail "the example $example does not compile $way"
    LD_LIBRARY_PATH="$lib" "$root/$example" >"$root/out" || fail "the example $example failed $way"
    diff "$root/$example.expected" "$root/out" || fail "the example $example differs $way"
    passed=$((passed + 1))
}
passed=0

# shellcheck disable=SC2046,SC2086
for example in $examples; do
    case $example in
    exec | profile) module=hybridsched-$example ;;
    *) module=hybridsched ;;
    esac
    works "in C" $example $CC ${CFLAGS:-} $strict "$root/$example.c" \
        $(pkg-config --cflags --libs $module)
done

# The examples for runtime systems. The first three need libhybridsched-policy alone, and so no GLPK.
# shellcheck disable=SC2046,SC2086
runs_runtime() {
    from=$doc/examples/runtime
    of_manual libhybridsched-policy.3 >"$root/affine.c"
    sed 1,2d "$from/affine.c" | diff "$root/affine.c" - ||
        fail "the example of libhybridsched-policy(3) is not affine.c"
    works "in C" simulate $CC ${CFLAGS:-} $strict "$from/simulate.c" "$from/affine.c" \
        $(pkg-config --cflags --libs hybridsched-policy)
    works "in C" threads $CC ${CFLAGS:-} $strict "$from/threads.c" -pthread \
        $(pkg-config --cflags --libs hybridsched-policy)
    works "in C" arrivals $CC ${CFLAGS:-} $strict "$from/arrivals.c" -pthread \
        $(pkg-config --cflags --libs hybridsched-policy)
    works "in C" functions $CC ${CFLAGS:-} $strict "$from/functions.c" "$from/affine.c" \
        $(pkg-config --cflags --libs hybridsched-exec)
    mkdir "$root/alone"
    cp "$lib"/libhybridsched-policy.so* "$root/alone" 2>/dev/null || {
        echo "consumer: this build has no shared libraries"
        return
    }
    for example in simulate threads arrivals; do
        LD_LIBRARY_PATH="$root/alone" "$root/$example" >"$root/out" ||
            fail "examples/runtime/$example.c needs more than libhybridsched-policy"
        diff "$root/$example.expected" "$root/out" || fail "examples/runtime/$example.c differs alone"
        passed=$((passed + 1))
    done
}
runs_runtime

# The example of a plugin on the application's data, from the installed documentation: on CPUs, on an
# emulated device, on OpenCL devices, and on a GPU of CUDA.
heats() { # WAY MODULE...: check the result; with a module, the GPU has done some of the tasks
    way=$1
    shift
    "$root/heat" "$root/stencil.so" "$@" >"$root/out" ||
        fail "examples/stencil failed $way"
    grep -q "^500 tasks, $([ $# = 0 ] && echo 0 || echo '[1-9][0-9]*') on a GPU, the same as the loop; 82.3996 " \
        "$root/out" || fail "examples/stencil printed $way: $(cat "$root/out")"
    passed=$((passed + 1))
}
# shellcheck disable=SC2046,SC2086
runs_stencil() {
    from=$doc/examples/stencil parts= flags=$cflags libs=
    export LD_LIBRARY_PATH="$lib:$lib/hybridsched"
    case "$CC ${CFLAGS:-}" in
    *-fsanitize=*) opencl= ;; # the compiler in OpenCL is not instrumented
    *) opencl=$("$bin/hsched-exec" --devices opencl:all 2>/dev/null || true) ;;
    esac
    if [ -n "$opencl" ] && env -u PKG_CONFIG_SYSROOT_DIR pkg-config --exists OpenCL; then
        parts="$parts $from/stencil_opencl.c"
        flags="$flags $(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --cflags OpenCL)"
        libs="$libs $(env -u PKG_CONFIG_SYSROOT_DIR pkg-config --libs OpenCL)"
    else
        echo "consumer: no OpenCL, so examples/stencil is not run on it"
    fi
    cuda=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
    if [ -n "$cuda" ]; then
        "$cuda" -O2 -c -Xcompiler -fPIC $cflags "$from/stencil_cuda.cu" -o "$root/stencil_cuda.o" ||
            fail "examples/stencil/stencil_cuda.cu does not compile"
        parts="$parts $root/stencil_cuda.o"
        libs="$libs -L${cuda%/bin/nvcc}/lib64 -Wl,-rpath,${cuda%/bin/nvcc}/lib64 -lcudart -lstdc++"
    else
        echo "consumer: no nvcc, so examples/stencil is not compiled for CUDA"
    fi
    $CC ${CFLAGS:-} $strict -shared -fPIC "$from/stencil.c" $parts -o "$root/stencil.so" $flags \
        $libs || fail "examples/stencil does not compile as a plugin"
    $CC ${CFLAGS:-} $strict "$from/heat.c" -o "$root/heat" \
        $(pkg-config --cflags --libs hybridsched-exec) || fail "examples/stencil/heat.c does not compile"
    heats "on CPUs"
    heats "on an emulated device" emulated
    case $parts in *opencl*) heats "with OpenCL" opencl:all ;; esac
    if [ -n "$cuda" ] && "$bin/hsched-exec" --devices cuda >/dev/null 2>&1; then
        heats "with CUDA" cuda
    else
        echo "consumer: no GPU of CUDA, so examples/stencil is not run on one"
    fi
}
runs_stencil
unset LD_LIBRARY_PATH

# Each header compiles alone and leaves the program's macros defined.
stands_alone() { # compile...
    for header in "$srcdir"/include/hybridsched/*.h include/hybridsched/version.h; do
        name=${header##*/}
        [ "$name" != profile.h ] || pkg-config --exists hybridsched-profile || continue
        cat >"$root/alone.c" <<ALONE
#define X(x) x
#include <hybridsched/$name>
#ifndef X
#error a macro that the program had is gone
#endif
extern int alone;
ALONE
        "$@" -c "$root/alone.c" -o "$root/alone.o" || fail "$name does not stand alone: $*"
        sed -n 's/^ *# *define  *\([A-Za-z0-9_]*\).*/\1/p' "$header" |
            grep -vE '^(HS_|hs_|HYBRIDSCHED_)' && fail "$name defines a macro of another's name"
    done
    passed=$((passed + 1))
}
# shellcheck disable=SC2086
stands_alone $CC ${CFLAGS:-} $strict -std=c99 $cflags

# As C++.
in_cxx() {
    # shellcheck disable=SC2086
    stands_alone $CXX $strict -std=c++11 -x c++ $cflags
    # shellcheck disable=SC2046,SC2086
    works "as C++" readme $CXX ${CFLAGS:-} $strict -std=c++11 -x c++ "$root/readme.c" \
        -x none $(pkg-config --cflags --libs hybridsched)
    cat >"$root/plugin.cc" <<'PLUGIN'
#include <hybridsched/plugin.h>

HS_PLUGIN_FILE;

HS_PLUGIN_TASK(run)
{
    return hs_plugin_cancelled(task) ? HS_PLUGIN_ABORTED : HS_PLUGIN_DONE;
}

HS_PLUGIN_MODES(twice, HS_READ, HS_WRITE);

HS_PLUGIN_TASK(twice)
{
    const int *from = static_cast<const int *>(task->data[0].at);

    *static_cast<int *>(task->data[1].at) = 2 * *from;
    return task->data_count == 2 ? HS_PLUGIN_DONE : HS_PLUGIN_FAILED;
}

HS_PLUGIN_GPU_TASK(run)
{
    return HS_PLUGIN_HAS(task, stream) ? HS_PLUGIN_DONE : HS_PLUGIN_FAILED;
}

static size_t first; // data of the algorithm: the number of the algorithm that it runs

static hs_status first_algorithm(void *data, const hs_instance *in, const hs_settings *settings,
                                 hs_schedule **out)
{
    return hs_solve(hs_algorithm_at(*static_cast<size_t *>(data)), in, settings, out);
}

static hs_algorithm own_algorithm()
{
    hs_algorithm own = {};

    own.struct_size = sizeof own;
    own.name = "mine";
    own.summary = "the first";
    own.run = first_algorithm;
    own.data = &first;
    return own;
}

static const hs_algorithm        mine = own_algorithm();
static const hs_algorithm *const algorithms[] = {&mine, nullptr};
HS_PLUGIN_OFFER = {sizeof(hs_plugin_offer), algorithms, nullptr};
PLUGIN
    # shellcheck disable=SC2086
    $CXX ${CFLAGS:-} $strict -std=c++11 -shared -fPIC "$root/plugin.cc" -o "$root/plugin.so" \
        $cflags || fail "a plugin does not compile as C++"
    printf '# cpus 1\n# gpus 0\nid,cpu,gpu,kernel\na,1e-3,inf,plugin:./plugin.so:run\n' \
        >"$root/jobs.csv"
    printf '%s\n' '# cpus 1' '# gpus 0' '# data x 4' '# data y 4' cpu,gpu,kernel,data \
        '1e-3,inf,plugin:./plugin.so:twice,x:r;y:w' >"$root/data.csv"
    (
        cd "$root"
        LD_LIBRARY_PATH=$lib
        export LD_LIBRARY_PATH
        "$bin/hsched-solve" --plugin ./plugin.so --allow=plugins -a mine -o plan jobs.csv &&
            "$bin/hsched-exec" --allow=plugins --oversubscribe plan &&
            "$bin/hsched-exec" --allow=plugins --oversubscribe --policy=dynamic data.csv
    ) >"$root/out" 2>&1 || { cat "$root/out"; fail "a plugin in C++ does not run"; }
    passed=$((passed + 1))

    # Two files define policies: `first` starts the oldest ready task, `last` the newest.
    for kind in first last; do
        cat >"$root/$kind.cc" <<KIND
#include <hybridsched/policy.h>
#include <deque>

namespace {
struct state {
    std::deque<uint32_t> ready;
    unsigned            *starts; // the data of the kind
};

hs_status create(void *data, hs_policy *, const hs_instance *, const hs_schedule *,
                 const hs_policy_settings *, void **out)
{
    *out = new state{{}, static_cast<unsigned *>(data)};
    return HS_OK;
}

void destroy(void *own) { delete static_cast<state *>(own); }

void next(void *own, unsigned, double, hs_decision *out, hs_wake *)
{
    state *s = static_cast<state *>(own);

    if (s->ready.empty()) {
        hs_decide_wait(out, INFINITY);
        return;
    }
    ++*s->starts;
    hs_decide_start(out, s->ready.front());
    s->ready.pop_front();
}

void ended(void *, unsigned, uint32_t, hs_ending, double, hs_wake *) {}
void mark_done(void *, uint32_t) {}

void add_ready(void *own, const uint32_t *tasks, size_t count, double, hs_wake *wake)
{
    state *s = static_cast<state *>(own);

    for (size_t i = 0; i < count; i++)
        s->ready.insert(s->ready.$([ $kind = first ] && echo end || echo begin)(), tasks[i]);
    hs_wake_all(wake);
}
} // namespace

hs_policy_kind $kind(unsigned *starts);
hs_policy_kind $kind(unsigned *starts)
{
    hs_policy_kind kind = {};

    kind.struct_size = sizeof kind;
    kind.name = "$kind";
    kind.create = create;
    kind.free = destroy;
    kind.next = next;
    kind.ended = ended;
    kind.mark_done = mark_done;
    kind.groups_endings = true;
    kind.add_ready = add_ready;
    kind.data = starts;
    return kind;
}
KIND
    done
    cat >"$root/kinds.cc" <<'KINDS'
#include <hybridsched/policy.h>
#include <cstdio>

hs_policy_kind first(unsigned *starts), last(unsigned *starts);

static void simulate(const hs_policy_kind &kind, const hs_instance *in, const unsigned &starts)
{
    hs_schedule *s = nullptr;
    hs_error     error = {};
    size_t       count;

    if (hs_policy_simulate(&kind, in, nullptr, in, nullptr, &s, &error) == HS_OK)
        std::printf("%s: %u starts, task %u first\n", kind.name, starts,
                    hs_schedule_entries(s, 0, &count)->task);
    else
        std::printf("%s: %s\n", kind.name, error.why);
    hs_schedule_free(s);
}

int main()
{
    const double times[] = {1, 2, 3};
    unsigned     starts[] = {0, 0};
    hs_instance *in = nullptr;

    if (hs_instance_wrap(3, times, times, nullptr, 1, 0, &in) != HS_OK)
        return 1;
    simulate(first(&starts[0]), in, starts[0]);
    simulate(last(&starts[1]), in, starts[1]);
    hs_instance_free(in);
}
KINDS
    printf '%s\n' "first: 3 starts, task 0 first" "last: 3 starts, task 2 first" \
        >"$root/kinds.expected"
    # shellcheck disable=SC2046,SC2086
    works "as C++ in two files" kinds $CXX ${CFLAGS:-} $strict -std=c++11 "$root/kinds.cc" \
        "$root/first.cc" "$root/last.cc" $(pkg-config --cflags --libs hybridsched-policy)
}
if echo 'int main() { return 0; }' >"$root/main.cc" &&
    $CXX -std=c++11 "$root/main.cc" -o "$root/main" 2>"$root/log"; then
    in_cxx
else
    echo "consumer: no C++ compiler"
fi

# The installed Python package, and the same by pip from the sources.
imports() { # WAY FOLDER
    PYTHONPATH=$2 LD_LIBRARY_PATH=$lib "$PYTHON" -c '
import hybridsched as hs
print(hs.solve(hs.Instance([8, 9, 6], [2, 3, 5], cpus=1, gpus=1), "heteroprio").makespan)' \
        >"$root/out" || fail "the Python package does not run, $1"
    [ "$(cat "$root/out")" = 6.0 ] || fail "the Python package is wrong, $1: $(cat "$root/out")"
    passed=$((passed + 1))
}
module=$(find "$root" -name _hs.abi3.so)
case "$CC ${CFLAGS:-}" in *-fsanitize=*) module= ;; esac # Python has no sanitizer
if [ -n "$module" ]; then
    [ ! -e "${module%/*}/_hs.la" ] || fail "_hs.la is left beside the Python module"
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONDONTWRITEBYTECODE
    imports installed "$(dirname "${module%/*}")"
fi
if [ -n "$module" ] && "$PYTHON" -c 'import pip, setuptools, wheel' 2>"$root/log"; then
    mkdir "$root/python"
    (cd "$srcdir/python" && cp -R build_cffi.py setup.py pyproject.toml hybridsched "$root/python")
    chmod -R u+w "$root/python"
    "$PYTHON" -m pip -q install --no-index --no-build-isolation --no-deps --target "$root/target" \
        "$root/python" >"$root/log" 2>&1 || { cat "$root/log"; fail "pip install ./python failed"; }
    imports "by pip" "$root/target"
else
    echo "consumer: no Python package, or no pip"
fi

# Link the hybridsched libraries statically: pkg-config names their dependencies. A build with
# shared libraries only links their convenience libraries instead. Then link every library
# statically if the system has static versions, except libhybridsched-exec, which loads modules.
parts() { # FILE...: a library's parts, as a script of the linker
    printf 'GROUP ('
    printf ' %s' "$@"
    echo ' )'
}
if [ ! -f "$lib/libhybridsched.a" ]; then
    # shellcheck disable=SC2046
    parts $(find "$PWD/.libs" -name 'libhs_*.a' -type f) >"$lib/libhybridsched.a"
    cp "$lib/libhybridsched.a" "$lib/libhybridsched-exec.a"
    cp "$lib/libhybridsched.a" "$lib/libhybridsched-policy.a"
    cp "$lib/libhybridsched.a" "$lib/libhybridsched-profile.a"
fi
mkdir "$root/shared"
mv "$lib"/libhybridsched*.so* "$root/shared"
# shellcheck disable=SC2046,SC2086
works statically readme $CC ${CFLAGS:-} "$root/readme.c" \
    $(pkg-config --static --cflags --libs hybridsched)
# shellcheck disable=SC2046,SC2086
works statically exec $CC ${CFLAGS:-} "$root/exec.c" \
    $(pkg-config --static --cflags --libs hybridsched-exec)
# shellcheck disable=SC2046,SC2086
works statically simulate $CC ${CFLAGS:-} "$doc/examples/runtime/simulate.c" "$doc/examples/runtime/affine.c" \
    $(pkg-config --static --cflags --libs hybridsched-policy)
case $examples in *profile)
    # shellcheck disable=SC2046,SC2086
    works statically profile $CC ${CFLAGS:-} "$root/profile.c" \
        $(pkg-config --static --cflags --libs hybridsched-profile)
    ;;
esac
echo 'int main(void) { return 0; }' >"$root/main.c"
others=$(pkg-config --static --libs-only-l hybridsched | sed 's/-lhybridsched\(-policy\)*//g')
# shellcheck disable=SC2046,SC2086
if $CC ${CFLAGS:-} -static "$root/main.c" $others -o "$root/main" 2>"$root/log"; then
    works "statically with all libraries" readme $CC ${CFLAGS:-} -static "$root/readme.c" \
        $(pkg-config --static --cflags --libs hybridsched)
else
    echo "consumer: not all libraries exist for static linking"
fi
echo "consumer: $passed passed, 0 failed"
