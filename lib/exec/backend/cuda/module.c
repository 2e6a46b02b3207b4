/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry point of the module, and the bodies that it creates of rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/cuda/cuda.h"

static hs_status unknown(const char *kernel, hs_error *error)
{
    char                   list[192] = "";
    const hsi_cuda_kernel *k;
    size_t                 used = 0, i;

    for (i = 0; (k = hsi_cuda_kernel_at(i)) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", k->name);
    return hsi_error_set(error, HS_ERESOURCE, "kernel '%.64s' is not for GPUs; those that are: %s",
                         kernel, list);
}

/* Read a kernel like "dgemm:960". The backend of CPUs words the message for an invalid size. */
static hs_status read_kernel(const char *kernel, hsi_cuda_body *body, hs_error *error)
{
    const char             *colon = strchr(kernel, ':');
    const hsi_kernel_entry *entry = hsi_kernel_find(kernel, strcspn(kernel, ":"));
    int                     most;

    body->cuda = entry ? hsi_cuda_kernel_find(entry->name) : NULL;
    if (!body->cuda)
        return unknown(kernel, error);
    if (!colon || !hsi_kernel_read_size(entry, colon + 1, &body->size))
        return hsi_kernel_describe_bad_size(kernel, entry, error);
    body->kernel = entry->kernel;
    most = body->cuda->launch == hsi_cuda_tpqrt ? HSI_CUDA_STACK_MOST : HSI_CUDA_SIZE_MOST;
    if (body->size.n > most)
        return hsi_error_set(
            error, HS_ERESOURCE,
            "kernel '%.64s' is not for GPUs: the largest size there is %d, of fewer "
            "than 2^31 elements",
            kernel, most);
    body->n = body->size.n;
    return HS_OK;
}

static hs_status fits(const hs_backend_options *options, const char *kernel,
                      const hsi_cuda_body *body, hs_error *error)
{
    double needed = hsi_cuda_body_bytes(body);

    if (options->device_memory == 0 || needed <= options->device_memory)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE,
                         "kernel '%.64s' needs %.3g GiB of memory on its GPU, which has %.3g",
                         kernel, needed / 0x1p30, options->device_memory / 0x1p30);
}

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    hsi_cuda_body body = {.base = {&hsi_backend_cuda}};
    hs_status     st;

    *out = NULL;
    if (type != HS_GPU || !hsi_row_runs_kernel(options, row, type))
        return HS_OK;
    st = read_kernel(row->kernel, &body, error);
    if (st == HS_OK)
        st = fits(options, row->kernel, &body, error);
    return st == HS_OK ? hsi_body_copy_to_heap(&body, sizeof body, out) : st;
}

const hs_backend hsi_backend_cuda = {
    .struct_size = sizeof(hs_backend),
    .name = "cuda",
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = hsi_cuda_open,
    .worker_close = hsi_cuda_close,
    .run = hsi_cuda_run_task,
    .devices = hsi_cuda_devices,
    .prepare = hsi_cuda_prepare,
    .stream = hsi_cuda_stream,
    .depth = hsi_cuda_most_in_flight,
    .submit = hsi_cuda_submit,
    .collect = hsi_cuda_collect,
    .time_copies = hsi_cuda_time_copies,
};

/*
 * Set the number of hardware queues before the driver starts. The default is 8. Streams that share
 * a queue wait for each other. Each stream context, the clock and each stream context of graphs has
 * a stream, and the libraries have further ones.
 */
void hsi_cuda_ask_for_queues(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

HS_API const hs_backend *hs_backend_module(unsigned abi);

const hs_backend *hs_backend_module(unsigned abi)
{
    hsi_cuda_ask_for_queues();
    return abi == HS_BACKEND_ABI ? &hsi_backend_cuda : NULL;
}
