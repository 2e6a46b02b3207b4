/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a run over MPI: open the module for MPI, and describe the ranks. */
#include "config.h" /* cpu_set_t */

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/error_text.h"
#include "exec/machine/module.h"
#include "exec/ranks/ranks.h"
#include "support/hash.h"

/* A machine and the processors that a rank may use there. */
typedef struct place {
    char     host[256];
    uint64_t cpus; /* digest of the affinity mask */
} place;

static void find_place(place *here)
{
    enum { MOST = 1 << 16 };
    const size_t bytes = CPU_ALLOC_SIZE(MOST);
    cpu_set_t   *set = CPU_ALLOC(MOST);

    *here = (place){.cpus = 0};
    gethostname(here->host, sizeof here->host - 1);
    if (set) {
        CPU_ZERO_S(bytes, set);
        if (sched_getaffinity(0, bytes, set) == 0)
            here->cpus = hsi_hash((const char *)set, bytes, 0);
    }
    CPU_FREE(set);
}

hs_status hsi_mpi_find_neighbours(hs_mpi *mpi, hs_error *error)
{
    place     here, *all = calloc(mpi->ranks, sizeof *all);
    hs_status st;

    if (!all)
        return HS_ENOMEM;
    find_place(&here);
    st = hsi_mpi_share(mpi, &here, all, sizeof here, error);
    mpi->before = mpi->beside = 0;
    for (unsigned r = 0; r < mpi->ranks && st == HS_OK; r++)
        if (all[r].cpus == here.cpus && strcmp(all[r].host, here.host) == 0) {
            mpi->before += r < mpi->rank;
            mpi->beside++;
        }
    free(all);
    return st;
}

static hs_status find_table(hs_mpi *mpi, hs_error *error)
{
    void                    *file = hsi_module_load("hybridsched-mpi.so");
    hsi_mpi_module_function *table;

    if (!file)
        return hsi_error_set(error, HS_ERESOURCE, "the module for MPI cannot be opened (%.300s)",
                             dlerror());
    *(void **)&table = dlsym(file, HSI_MPI_MODULE_SYMBOL); /* the file stays loaded */
    mpi->ops = table ? table(HSI_MPI_ABI) : NULL;
    dlclose(file);
    return mpi->ops ? HS_OK
                    : hsi_error_set(error, HS_ERESOURCE,
                                    "the module for MPI is for another version of the library");
}

hs_status hs_mpi_open(hs_mpi **out, hs_error *error)
{
    hs_error  fault = {0};
    hs_mpi   *mpi = out ? calloc(1, sizeof *mpi) : NULL;
    hs_status st;

    if (!mpi)
        return hsi_error_copy_to_caller(error, out ? HS_ENOMEM : HS_EINVAL, &fault);
    st = find_table(mpi, &fault);
    if (st == HS_OK &&
        !mpi->ops->open(&mpi->state, &mpi->rank, &mpi->ranks, &mpi->most_tag, fault.why)) {
        st = HS_ERESOURCE;
        mpi->state = NULL;
    }
    if (st == HS_OK)
        st = hsi_mpi_find_neighbours(mpi, &fault);
    if (st == HS_OK)
        *out = mpi;
    else
        free(mpi); /* leave MPI open: other ranks may be waiting in a call */
    return hsi_error_copy_to_caller(error, st, &fault);
}

void hs_mpi_close(hs_mpi *mpi)
{
    if (!mpi)
        return;
    mpi->ops->close(mpi->state);
    free(mpi);
}

unsigned hs_mpi_rank(const hs_mpi *mpi)
{
    return mpi ? mpi->rank : 0;
}

unsigned hs_mpi_ranks(const hs_mpi *mpi)
{
    return mpi ? mpi->ranks : 1;
}

unsigned hs_mpi_neighbours(const hs_mpi *mpi)
{
    return mpi ? mpi->beside : 1;
}

void hs_mpi_abort(hs_mpi *mpi, int code)
{
    if (mpi)
        mpi->ops->abort(mpi->state, code);
}

hs_status hsi_mpi_share(const hs_mpi *mpi, const void *mine, void *all, size_t bytes,
                        hs_error *error)
{
    return mpi->ops->share(mpi->state, mine, all, bytes, error->why) ? HS_OK : HS_EIO;
}

hs_status hs_mpi_most(const hs_mpi *mpi, int mine, int *most, hs_error *error)
{
    hs_error  fault = {0};
    int      *all;
    hs_status st;

    if (!mpi || !most)
        return hsi_error_copy_to_caller(error, HS_EINVAL, &fault);
    all = calloc(mpi->ranks, sizeof *all);
    st = all ? hsi_mpi_share(mpi, &mine, all, sizeof mine, &fault) : HS_ENOMEM;
    for (unsigned r = 0; r < mpi->ranks && st == HS_OK; r++)
        mine = all[r] > mine ? all[r] : mine;
    if (st == HS_OK)
        *most = mine;
    free(all);
    return hsi_error_copy_to_caller(error, st, &fault);
}
