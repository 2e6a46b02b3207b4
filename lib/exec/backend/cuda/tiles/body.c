/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/error.h"
#include "exec/backend/backends.h"
#include "exec/backend/cuda/tiles/tiles.h"

static hs_status body_create(const hs_backend_options *options, const hs_task *row, hs_type type,
                             hs_body **out, hs_error *error)
{
    const hsi_memory     *memory = options->data;
    const hsi_matrix_row *step = &memory->matrix->row[options->row];
    hsi_tiles_body        body = {.base = {&hsi_backend_tiles}, .row = step};
    int                   most;

    *out = NULL;
    if (type != HS_GPU || step->step == HSI_NO_STEP)
        return HS_OK;
    body.name = hsi_kernel_find(row->kernel, strcspn(row->kernel, ":"))->name;
    most = step->step == HSI_TPQRT ? HSI_CUDA_STACK_MOST : HSI_CUDA_SIZE_MOST;
    if (memory->matrix->tile > most)
        return hsi_error_set(
            error, HS_ERESOURCE,
            "kernel '%.64s' is not for GPUs: the largest size there is %d, of fewer "
            "than 2^31 elements",
            row->kernel, most);
    body.copies = memory->matrix->may_fail;
    return hsi_body_copy_to_heap(&body, sizeof body, out);
}

const hs_backend hsi_backend_tiles = {
    .abi = HS_BACKEND_ABI,
    .name = "cuda",
    .body_create = body_create,
    .body_free = hsi_body_free,
    .worker_open = hsi_tiles_open,
    .worker_close = hsi_tiles_close,
    .run = hsi_tiles_run,
};
