/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/places/place_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t values_of(const hsi_place_model *model)
{
    return (size_t)model->n * model->places;
}

/* Return the bytes of the arrays, which follow the structure. */
static size_t size_of_arrays(const hsi_place_model *model)
{
    return (2 * values_of(model) + model->n) * sizeof(double) +
           model->n * (model->words * sizeof(uint64_t) + sizeof(uint32_t));
}

hsi_place_state *hsi_place_state_alloc(const hsi_place_model *model)
{
    hsi_place_state *state = malloc(sizeof *state + size_of_arrays(model));

    if (!state)
        return NULL;
    state->head = (double *)(state + 1);
    state->tail = state->head + values_of(model);
    state->release = state->tail + values_of(model);
    state->order = (uint64_t *)(state->release + model->n);
    state->open = (uint32_t *)(state->order + model->n * model->words);
    state->named = 0;
    return state;
}

void hsi_place_state_clear(const hsi_place_model *model, hsi_place_state *state)
{
    memset(state->head, 0, size_of_arrays(model));
    state->named = model->arcs->initial ? ~0u : 0;
    for (uint32_t task = 0; task < model->n; task++)
        for (uint32_t place = 0; place < model->places; place++)
            if (isfinite(model->time[task * model->places + place]))
                state->open[task] |= 1u << place;
}

void hsi_place_state_copy(const hsi_place_model *model, hsi_place_state *to,
                          const hsi_place_state *from)
{
    memcpy(to->head, from->head, size_of_arrays(model));
    to->named = from->named;
}
