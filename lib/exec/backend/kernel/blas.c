/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#ifdef HAVE_OPENBLAS

#include "exec/backend/kernel/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/backend/kernel/kernel.h"

hsi_blas_functions hsi_blas;

/* Guards hsi_blas and the variables here; kernels read hsi_blas without it, once it is set. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool            is_open;
static unsigned        reserved; /* number of buffers mapped by hsi_blas_reserve() */

/* OpenBLAS's functions that allocate and free work buffers; NULL: this OpenBLAS has none. */
static void *(*take_buffer)(int);
static void (*give_buffer)(void *);

/*
 * Load a library while this thread may use one core only: OpenBLAS starts a thread for each further
 * core that the loading thread may use. At the end of the program it waits for these threads, which
 * never end where the limit of address space leaves no room for their buffers.
 */
static void *load(const char *file)
{
    cpu_set_t before[16], one[16];
    int       cpu = sched_getcpu(), is_narrow = 0;
    void     *loaded;

    if (cpu >= 0 && sched_getaffinity(0, sizeof before, before) == 0) {
        CPU_ZERO_S(sizeof one, one);
        CPU_SET_S((size_t)cpu, sizeof one, one);
        is_narrow = sched_setaffinity(0, sizeof one, one) == 0;
    }
    loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (is_narrow)
        sched_setaffinity(0, sizeof before, before);
    return loaded;
}

static bool find(void *library, const char *name, void *out)
{
    *(void **)out = dlsym(library, name);
    return *(void **)out != NULL;
}

static bool find_all(void *blas, void *lapacke)
{
    (void)lapacke;
#define X(member, name) &&find(blas, #name, &hsi_blas.member)
    return 1 HSI_CBLAS_MAP(X)
#undef X
#define X(member, name) &&find(lapacke, #name, &hsi_blas.member)
        HSI_LAPACKE_MAP(X);
#undef X
}

/* Some builds of OpenBLAS contain LAPACKE. */
static void *load_lapacke(void *blas)
{
#ifdef HAVE_LAPACKE
    return dlsym(blas, "LAPACKE_dpotrf_work") ? blas : load(HS_LAPACKE_FILE);
#else
    return blas;
#endif
}

static hs_status open_libraries(hs_error *error)
{
    void *blas = load(HS_OPENBLAS_FILE), *lapacke = blas ? load_lapacke(blas) : NULL;

    if (!lapacke || !find_all(blas, lapacke))
        return hsi_error_set(
            error, HS_ERESOURCE,
            "OpenBLAS or LAPACKE cannot be loaded (%.300s): install them, or raise "
            "the limit of address space (ulimit -v)",
            dlerror());
    take_buffer = (void *(*)(int))dlsym(blas, "blas_memory_alloc");
    give_buffer = (void (*)(void *))dlsym(blas, "blas_memory_free");
    return HS_OK;
}

static void set_one_thread(void)
{
    if (hsi_blas.get_num_threads() != 1)
        hsi_blas.set_num_threads(1);
}

hs_status hsi_blas_open(hs_error *error)
{
    hs_status st = HS_OK;

    pthread_mutex_lock(&lock);
    if (!is_open) {
        st = open_libraries(error);
        is_open = st == HS_OK;
    }
    if (is_open)
        set_one_thread();
    pthread_mutex_unlock(&lock);
    return st;
}

void hsi_blas_one_thread(void)
{
    pthread_mutex_lock(&lock);
    if (is_open)
        set_one_thread();
    pthread_mutex_unlock(&lock);
}

unsigned hsi_blas_reserved(void)
{
    unsigned count;

    pthread_mutex_lock(&lock);
    count = reserved;
    pthread_mutex_unlock(&lock);
    return count;
}

hs_status hsi_blas_reserve(unsigned threads)
{
    void   **buffer = calloc(threads, sizeof *buffer);
    unsigned i;

    if (!buffer)
        return HS_ENOMEM;
    pthread_mutex_lock(&lock);
    for (i = 0; i < threads && take_buffer && give_buffer; i++)
        buffer[i] = take_buffer(0);
    reserved = i > reserved ? i : reserved;
    while (i-- > 0)
        give_buffer(buffer[i]);
    pthread_mutex_unlock(&lock);
    free(buffer);
    return HS_OK;
}

#else

#include "exec/backend/kernel/kernel.h"

/* A build without OpenBLAS has no kernels that need it: each function succeeds and does nothing. */
hs_status hsi_blas_open(hs_error *error)
{
    (void)error->why;
    return HS_OK;
}

void hsi_blas_one_thread(void)
{
}

unsigned hsi_blas_reserved(void)
{
    return 0;
}

hs_status hsi_blas_reserve(unsigned threads)
{
    (void)threads;
    return HS_OK;
}

#endif
