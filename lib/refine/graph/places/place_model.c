/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_model.h"

#include <float.h>
#include <math.h>

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

hs_status hsi_place_model_open(hsi_place_model *model, const hsi_arcs *arcs)
{
    size_t        n = arcs->pb->n;
    hsi_relatives relatives;
    hs_status     st;

    *model = (hsi_place_model){.arcs = arcs};
    if (n == 0 || n > HSI_PLACE_TREE_TASKS || arcs->places > HSI_PLACE_TREE_PLACES ||
        !arcs->pb->links->has[HS_H2D] || arcs->nodes)
        return HS_ETOOBIG; /* the rules hold for one host with all CPUs, and equal GPUs */
    model->n = (uint32_t)n;
    model->places = arcs->places;
    model->error = (double)(n + 2) * DBL_EPSILON;
    model->time = hsi_arena_alloc(&model->arena, n * model->places, sizeof *model->time);
    model->position = hsi_arena_alloc(&model->arena, n, sizeof *model->position);
    if (!model->time || !model->position)
        return HS_ENOMEM;
    for (uint32_t i = 0; i < model->n; i++)
        model->position[arcs->order[i]] = i;
    read_times(model);
    st = hsi_arcs_reverse(arcs, &model->arena, &model->before_at, &model->before);
    if (st == HS_OK)
        st = hsi_relatives_find(arcs, &model->arena, &relatives);
    if (st != HS_OK)
        return st;
    model->words = relatives.words;
    model->ancestors = relatives.ancestors;
    model->descendants = relatives.descendants;
    return HS_OK;
}

void hsi_place_model_close(hsi_place_model *model)
{
    hsi_arena_close(&model->arena);
}
