/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest of an instance, as hsched-formats(5) defines it: FNV-1a over the
 * canonical bytes of each task, finished so that all bits count, and summed, so
 * that the order of the tasks does not matter.
 */
#include "core/digest.h"
#include "core/store.h"

/* So many zeros (< 16), of which one is a multiplication by the prime. */
static uint64_t add_zeros(uint64_t h, int bytes)
{
    uint64_t factor = 1, power = HSI_FNV_PRIME;

    for (; bytes > 0; bytes >>= 1, power *= power)
        factor *= bytes & 1 ? power : 1;
    return h * factor;
}

static uint64_t task_digest(const hs_instance *in, size_t task, const hs_task *row)
{
    char     name[HS_MAX_ID + 16];
    uint64_t h = HSI_FNV_BASIS;

    h = hsi_digest_bytes(h, name, hs_instance_name(in, task, name, sizeof name) + 1);
    h = hsi_digest_double(h, row->cpu);
    h = hsi_digest_double(h, row->gpu);
    if (!row->priority && !row->restartable && !row->kernel && !row->cpu_command &&
        !row->gpu_command)
        return hsi_digest_finish(add_zeros(h, 8 + 1 + 3));
    h = hsi_digest_number(h, (uint64_t)row->priority, 8);
    h = hsi_digest_number(h, (uint64_t)row->restartable, 1);
    h = hsi_digest_string(h, row->kernel);
    h = hsi_digest_string(h, row->cpu_command);
    h = hsi_digest_string(h, row->gpu_command);
    return hsi_digest_finish(h);
}

uint64_t hs_instance_digest(const hs_instance *in)
{
    static const char magic[] = "hybridsched-instance-1";
    uint64_t          sum = hsi_digest_bytes(HSI_FNV_BASIS, magic, sizeof magic);
    size_t            row, task = 0;

    sum = hsi_digest_number(sum, in->cpus, 4);
    sum = hsi_digest_number(sum, in->gpus, 4);
    sum = hsi_digest_number(sum, (uint64_t)in->store->unit, 1);
    sum = hsi_digest_finish(sum);
    for (row = 0; row < in->store->rows; row++) {
        size_t  end = task + hsi_store_count(in->store, row);
        hs_task content;

        hs_instance_row(in, row, &content);
        for (; task < end; task++)
            sum += task_digest(in, task, &content);
    }
    return hsi_digest_finish(sum);
}
