/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of copies for reports. A copy lies between two events of its stream. The times of the
 * events are read when all work of the GPU has completed. A copy is not recorded if there is no
 * memory for the record or if the GPU broke.
 */
#include <math.h>
#include <stdlib.h>

#include "exec/backend/cuda/tiles/tiles.h"

struct hsi_tiles_copy {
    hsi_tiles_copy *next;
    hs_transfer     what; /* times in nanoseconds since memory->epoch, set by date() */
    cudaEvent_t     begin, end;
};

static bool make_event(hsi_tiles_gpu *gpu, cudaEvent_t *event)
{
    return CUDA(&gpu->fault, cudaEventCreateWithFlags, event, cudaEventDefault);
}

bool hsi_tiles_record_copy_begin(hsi_tiles_gpu *gpu, cudaStream_t stream, const hsi_move *move,
                                 size_t bytes, hsi_tiles_copy **out)
{
    hsi_tiles_copy *copy = gpu->memory->matrix->records ? calloc(1, sizeof *copy) : NULL;

    *out = copy;
    if (!copy)
        return true;
    copy->what = (hs_transfer){
        .bytes = (double)bytes, .data = (uint32_t)move->piece, .from = move->from, .to = move->to};
    copy->next = gpu->copies;
    gpu->copies = copy; /* in the list first, so that the events are destroyed */
    return make_event(gpu, &copy->begin) && make_event(gpu, &copy->end) &&
           CUDA(&gpu->fault, cudaEventRecord, copy->begin, stream);
}

bool hsi_tiles_record_copy_end(hsi_tiles_gpu *gpu, cudaStream_t stream, hsi_tiles_copy *copy)
{
    return !copy || CUDA(&gpu->fault, cudaEventRecord, copy->end, stream);
}

/* Set the times of a copy. Return false if its events have no times. */
static bool date(hsi_tiles_gpu *gpu, hsi_tiles_copy *copy)
{
    hsi_cuda_time *time = &gpu->time;
    int64_t        begin = hsi_cuda_time_of_event(time, &gpu->fault, time->current, copy->begin);
    int64_t        end = hsi_cuda_time_of_event(time, &gpu->fault, time->current, copy->end);

    copy->what.start = (double)(begin - gpu->memory->epoch);
    copy->what.end = (double)(end - gpu->memory->epoch);
    return begin && end;
}

static void destroy_events(const hsi_tiles_copy *copy)
{
    if (copy->begin)
        cudaEventDestroy(copy->begin);
    if (copy->end)
        cudaEventDestroy(copy->end);
}

void hsi_tiles_collect_copy_records(hsi_tiles_gpu *gpu)
{
    hsi_memory     *memory = gpu->memory;
    hsi_tiles_copy *copy;

    while ((copy = gpu->copies) != NULL) {
        bool dated = !gpu->broken && date(gpu, copy);

        gpu->copies = copy->next;
        destroy_events(copy);
        copy->next = dated ? memory->copies : NULL;
        if (dated)
            memory->copies = copy;
        else
            free(copy);
        memory->recorded += dated;
    }
}

void hsi_tiles_free_copy_records(hsi_memory *memory)
{
    hsi_tiles_copy *copy;

    while ((copy = memory->copies) != NULL) {
        memory->copies = copy->next;
        free(copy);
    }
    free(memory->transfers);
    memory->transfers = NULL;
    memory->recorded = 0;
}

static int by_target_and_start(const void *a, const void *b)
{
    const hs_transfer *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->data < y->data ? -1 : x->data > y->data;
}

const hs_transfer *hsi_tiles_transfers(hsi_memory *memory, int64_t start, size_t *count)
{
    const double          before = (double)(start - memory->epoch);
    const hsi_tiles_copy *copy;
    hs_transfer          *list = calloc(memory->recorded + 1, sizeof *list);

    *count = 0;
    free(memory->transfers);
    memory->transfers = list;
    for (copy = memory->copies; list && copy; copy = copy->next) {
        hs_transfer *t = &list[(*count)++];

        *t = copy->what;
        t->start = fmax(0, 1e-9 * (t->start - before));
        t->end = fmax(t->start, 1e-9 * (t->end - before));
    }
    if (list)
        qsort(list, *count, sizeof *list, by_target_and_start);
    return list;
}
