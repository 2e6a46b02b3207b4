/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest of an instance, as hsched-formats(5) defines it: FNV-1a over the
 * canonical bytes of each task, finished so that all bits count, and summed, so
 * that the order of the tasks does not matter.
 */
#include "core/store.h"

#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x00000100000001b3u

static uint64_t add_bytes(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size--)
        h = (h ^ *at++) * FNV_PRIME;
    return h;
}

/* So many zeros (< 16), of which one is a multiplication by the prime. */
static uint64_t add_zeros(uint64_t h, int bytes)
{
    uint64_t factor = 1, power = FNV_PRIME;

    for (; bytes > 0; bytes >>= 1, power *= power)
        factor *= bytes & 1 ? power : 1;
    return h * factor;
}

/* Little-endian on every machine. */
static uint64_t add_number(uint64_t h, uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        h = (h ^ (number & 0xff)) * FNV_PRIME;
    return h;
}

static uint64_t add_double(uint64_t h, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return add_number(h, bits, 8);
}

static uint64_t add_string(uint64_t h, const char *string)
{
    return add_bytes(h, string ? string : "", string ? strlen(string) + 1 : 1);
}

static uint64_t finish(uint64_t h)
{
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
}

static uint64_t task_digest(const hs_instance *in, size_t task, const hs_task *row)
{
    char     name[HS_MAX_ID + 16];
    uint64_t h = FNV_BASIS;

    h = add_bytes(h, name, hs_instance_name(in, task, name, sizeof name) + 1);
    h = add_double(h, row->cpu);
    h = add_double(h, row->gpu);
    if (!row->priority && !row->restartable && !row->kernel && !row->cpu_command &&
        !row->gpu_command)
        return finish(add_zeros(h, 8 + 1 + 3));
    h = add_number(h, (uint64_t)row->priority, 8);
    h = add_number(h, (uint64_t)row->restartable, 1);
    h = add_string(h, row->kernel);
    h = add_string(h, row->cpu_command);
    h = add_string(h, row->gpu_command);
    return finish(h);
}

uint64_t hs_instance_digest(const hs_instance *in)
{
    static const char magic[] = "hybridsched-instance-1";
    uint64_t          sum = add_bytes(FNV_BASIS, magic, sizeof magic);
    size_t            row, task = 0;

    sum = add_number(sum, in->cpus, 4);
    sum = add_number(sum, in->gpus, 4);
    sum = add_number(sum, (uint64_t)in->store->unit, 1);
    sum = finish(sum);
    for (row = 0; row < in->store->rows; row++) {
        size_t  end = task + hsi_store_count(in->store, row);
        hs_task content;

        hs_instance_row(in, row, &content);
        for (; task < end; task++)
            sum += task_digest(in, task, &content);
    }
    return finish(sum);
}
