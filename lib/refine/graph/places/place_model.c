/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_model.h"

#include <float.h>
#include <math.h>

static hs_status alloc_model(hsi_place_model *model)
{
    size_t     n = model->n, arcs = model->arcs->after_at[n];
    hsi_arena *arena = &model->arena;

    model->time = hsi_arena_alloc(arena, n * model->places, sizeof *model->time);
    model->before_at = hsi_arena_alloc_zeroed(arena, n + 2, sizeof *model->before_at);
    model->before = hsi_arena_alloc(arena, arcs + 1, sizeof *model->before);
    model->ancestors = hsi_arena_alloc_zeroed(arena, n * model->words, sizeof *model->ancestors);
    model->descendants =
        hsi_arena_alloc_zeroed(arena, n * model->words, sizeof *model->descendants);
    return model->time && model->before_at && model->before && model->ancestors &&
                   model->descendants
               ? HS_OK
               : HS_ENOMEM;
}

static void read_times(hsi_place_model *model)
{
    for (uint32_t place = 0; place < model->places; place++) {
        uint32_t workers = hsi_worker_count_at(model->arcs, place);

        model->unary |= (uint32_t)(workers == 1) << place;
        for (uint32_t task = 0; task < model->n; task++)
            model->time[task * model->places + place] =
                workers > 0 ? hsi_task_time_at(model->arcs, task, place) : INFINITY;
    }
}

/* Sort the arcs by target: count them into before_at[target + 2], then fill from
 * before_at[target + 1], which thereby becomes the end of the target's arcs. */
static void reverse_arcs(hsi_place_model *model)
{
    const hsi_arcs *arcs = model->arcs;

    for (size_t i = 0; i < arcs->after_at[model->n]; i++)
        model->before_at[arcs->after[i].task + 2]++;
    for (uint32_t task = 2; task <= model->n; task++)
        model->before_at[task + 1] += model->before_at[task];
    for (uint32_t from = 0; from < model->n; from++)
        for (size_t i = arcs->after_at[from]; i < arcs->after_at[from + 1]; i++)
            model->before[model->before_at[arcs->after[i].task + 1]++] =
                (hsi_arc){from, arcs->after[i].move};
}

static void add_set(const hsi_place_model *model, uint64_t *sets, uint32_t to, uint32_t other)
{
    hsi_set_add(sets + to * model->words, other);
    for (size_t word = 0; word < model->words; word++)
        sets[to * model->words + word] |= sets[other * model->words + word];
}

static void find_relatives(hsi_place_model *model)
{
    const hsi_arcs *arcs = model->arcs;

    for (uint32_t i = 0; i < model->n; i++) {
        uint32_t task = arcs->order[i], last = arcs->order[model->n - 1 - i];

        for (size_t j = model->before_at[task]; j < model->before_at[task + 1]; j++)
            add_set(model, model->ancestors, task, model->before[j].task);
        for (size_t j = arcs->after_at[last]; j < arcs->after_at[last + 1]; j++)
            add_set(model, model->descendants, last, arcs->after[j].task);
    }
}

hs_status hsi_place_model_open(hsi_place_model *model, const hsi_arcs *arcs)
{
    size_t    n = arcs->pb->n;
    hs_status st;

    *model = (hsi_place_model){.arcs = arcs};
    if (n == 0 || n > HSI_PLACE_TREE_TASKS || arcs->places > HSI_PLACE_TREE_PLACES ||
        !arcs->pb->links->has[HS_H2D] || arcs->nodes)
        return HS_ETOOBIG; /* the rules hold for one host with all CPUs, and equal GPUs */
    model->n = (uint32_t)n;
    model->places = arcs->places;
    model->words = (n + 63) / 64;
    model->error = (double)(n + 2) * DBL_EPSILON;
    st = alloc_model(model);
    if (st != HS_OK)
        return st;
    read_times(model);
    reverse_arcs(model);
    find_relatives(model);
    return HS_OK;
}

void hsi_place_model_close(hsi_place_model *model)
{
    hsi_arena_close(&model->arena);
}
