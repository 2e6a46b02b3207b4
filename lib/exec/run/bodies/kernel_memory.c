/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimate the memory that kernels need. A worker keeps the memory of the largest kernel that it
 * has run. With a plan, the sum takes the largest kernel of each worker's list: O(tasks). Without a
 * plan, the sum takes the largest tasks, one for each worker: O(rows log rows).
 */
#include "exec/run/bodies/bodies_private.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/kernel/kernel.h"
#include "exec/machine/limits.h"

static double bytes_of(const hsi_body *body)
{
    return body->body && body->body->backend == &hsi_backend_cpu ? hsi_cpu_body_bytes(body->body)
                                                                 : 0;
}

static double needed_by_plan(const hsi_bodies *bodies, const hsi_run_spec *spec)
{
    double   sum = 0;
    unsigned w;

    for (w = 0; w < spec->cpus; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(spec->plan, w, &count);
        double          most = 0;

        for (; count--; entry++)
            if (entry->state == HS_RUN)
                most = fmax(most, bytes_of(hsi_body_of(bodies, spec->in, entry->task, HS_CPU)));
        sum += most;
    }
    return sum;
}

typedef struct tasks {
    double bytes; /* bytes of each task */
    size_t count;
} tasks;

static int larger_first(const void *a, const void *b)
{
    const tasks *x = a, *y = b;

    return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/* Return the bytes for any order of the tasks; NaN: memory for the list is short. */
static double needed_by_any(const hsi_bodies *bodies, const hsi_run_spec *spec)
{
    size_t rows = bodies->rows, count = 0, i, left = spec->cpus;
    tasks *list = calloc(rows + 1, sizeof *list);
    double sum = 0;

    if (!list)
        return NAN;
    for (i = 0; i < rows; i++) {
        double  bytes = bytes_of(&bodies->list[2 * i + HS_CPU]);
        hs_task row;

        if (bytes == 0)
            continue;
        hs_instance_row(spec->in, i, &row);
        list[count++] = (tasks){bytes, row.count ? row.count : 1};
    }
    qsort(list, count, sizeof *list, larger_first);
    for (i = 0; i < count && left > 0; i++) {
        size_t taken = list[i].count < left ? list[i].count : left;

        sum += list[i].bytes * (double)taken;
        left -= taken;
    }
    free(list);
    return sum;
}

/* Return true if tasks of that type call OpenBLAS in the threads of their workers. */
static bool calls_blas(const hsi_bodies *bodies, hs_type type)
{
    size_t i;

    for (i = 0; i < bodies->rows; i++) {
        const hsi_body *body = &bodies->list[2 * i + type];

        if (body->body &&
            (hsi_run_data_calls_blas(bodies->data, bodies->backends[body->slot]) || bytes_of(body) > 0))
            return true;
    }
    return false;
}

/* Check a limit of address space (ulimit -v): it must leave room for the kernels' data, and for
 * the buffer, the stack and the heap of each worker's thread. */
static hs_status check_address_space(const hsi_bodies *bodies, const hsi_run_spec *spec,
                                     double kernels, hs_error *error)
{
    const double heap = 0x1p27, stack = 0x1p24;
    double       left = hsi_address_space_limit(), needed;
    unsigned     threads, reserved = hsi_blas_reserved();

    if (isinf(left))
        return HS_OK;
    threads = (calls_blas(bodies, HS_CPU) ? spec->cpus : 0) +
              (calls_blas(bodies, HS_GPU) ? spec->gpus : 0);
    if (threads == 0)
        return HS_OK;
    needed =
        kernels + (threads > reserved ? threads - reserved : 0) * (HSI_BLAS_BUFFER + heap + stack);
    if (needed <= left)
        return hsi_blas_reserve(threads);
    return hsi_error_set(
        error, HS_ERESOURCE,
        "kernels on %u worker%s need %.0f MiB of address space, but its limit leaves "
        "%.0f: use fewer workers, or raise the limit (ulimit -v)",
        threads, threads == 1 ? "" : "s", ceil(needed / 0x1p20), floor(left / 0x1p20));
}

hs_status hsi_bodies_check_memory(const hsi_bodies *bodies, const hsi_run_spec *spec,
                                  hs_error *error)
{
    double    needed = hs_policy_needs_plan(spec->settings.decide.policy)
                           ? needed_by_plan(bodies, spec)
                           : needed_by_any(bodies, spec);
    double    memory;
    hs_status st;

    if (isnan(needed))
        return HS_ENOMEM;
    st = check_address_space(bodies, spec, needed, error);
    if (st != HS_OK || needed < 0x1p28) /* reading the memory limit is slow */
        return st;
    memory = hsi_memory_limit();
    if (memory == 0 || needed <= memory)
        return HS_OK;
    return hsi_error_set(
        error, HS_ERESOURCE,
        "the kernels need up to %.1f GiB of memory on %u workers, but only %.1f GiB exist: "
        "use fewer workers",
        needed / 0x1p30, spec->cpus, memory / 0x1p30);
}
