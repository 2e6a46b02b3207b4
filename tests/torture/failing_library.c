/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A preloaded library in which one allocation or one dlopen fails. It counts the calls of the project's
 * code and of the C library on its behalf; third-party libraries get their memory, since some of them
 * end the process otherwise. Processes that the tool starts are not affected.
 */
#define _GNU_SOURCE
#include "failing_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static failing_state *state; /* NULL: count nothing */
static pid_t          counted_process;

/* Return whether the code at an address belongs to a library that is not tested. */
static bool is_foreign(const void *code)
{
    static const char *const foreign[] = {"libopenblas", "liblapack", "libblas", "libhwloc",
                                          "libglpk",     "libsqlite", "libgomp", "libgfortran",
                                          "ld-linux",    "libOpenCL", "libpocl", "libcuda"};
    Dl_info                  object;

    if (!dladdr(code, &object) || !object.dli_fname)
        return false;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(object.dli_fname, foreign[i]))
            return true;
    return false;
}

/* Count a call, and return whether it must fail. */
static bool must_fail(call_kind kind, const void *caller)
{
    if (!state || state->kind != (uint64_t)kind || getpid() != counted_process || is_foreign(caller))
        return false;
    return __atomic_add_fetch(&state->made, 1, __ATOMIC_RELAXED) == state->at;
}

static bool memory_fails(const void *caller)
{
    if (!must_fail(CALL_ALLOCATION, caller))
        return false;
    errno = ENOMEM;
    return true;
}

#pragma GCC visibility push(default)

void *malloc(size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = memory_fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);

    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

/* A library that does not exist sets the text of dlerror(), as any failure does. */
void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

    return next(must_fail(CALL_DLOPEN, __builtin_return_address(0)) ? "/failing/call" : file, mode);
}

#pragma GCC visibility pop

__attribute__((constructor)) static void open_state(void)
{
    const char *path = getenv(FAILING_STATE);
    int         fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void       *mapped = MAP_FAILED;

    if (fd >= 0) {
        mapped = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    unsetenv("LD_PRELOAD");
    unsetenv(FAILING_STATE);
    counted_process = getpid();
    if (mapped != MAP_FAILED)
        state = mapped;
}
