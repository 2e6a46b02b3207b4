/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel copy:BYTES, which measures how fast a worker reads and writes memory. */
#include "exec/backend/kernel/kernel.h"

enum { PIECE_BYTES = 1 << 20 }; /* less than a millisecond */

static size_t copied_bytes(const hsi_job *job)
{
    return (size_t)job->n * (size_t)job->columns * hsi_kernel_element_bytes(job->kernel);
}

/* Return the bytes of the piece at an offset. */
static size_t piece_bytes(const hsi_job *job, size_t at)
{
    size_t left = copied_bytes(job) - at;

    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static void copy_predict(hsi_job *job)
{
    (void)job;
}

static void copy_compute(hsi_job *job)
{
    for (size_t at = 0; at < copied_bytes(job) && !hsi_job_is_stopped(job); at += PIECE_BYTES)
        memcpy((char *)job->out[0] + at, (const char *)job->in[0] + at, piece_bytes(job, at));
}

/* `want` is 0: any element that differs gives a large residual. */
static void copy_observe(hsi_job *job)
{
    for (size_t at = 0; at < copied_bytes(job) && !hsi_job_is_stopped(job); at += PIECE_BYTES)
        if (memcmp((const char *)job->out[0] + at, (const char *)job->in[0] + at,
                   piece_bytes(job, at)) != 0)
            hsi_element_set(job, job->got, 0, 1);
}

const hsi_kernel hsi_kernel_copy = {.inputs = 1,
                                    .outputs = 1,
                                    .overwrites = true,
                                    .predict = copy_predict,
                                    .compute = copy_compute,
                                    .observe = copy_observe};
