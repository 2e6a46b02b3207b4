/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/data.h"

#include <math.h>
#include <stdlib.h>

#include "core/graph/told.h"
#include "support/hash.h"

static uint32_t *home_of(const hsi_data *data, uint64_t hash)
{
    return &data->slot[(size_t)hash & (data->slots - 1)];
}

static uint32_t *slot_of(const hsi_data *data, const char *name, size_t length, uint64_t hash)
{
    size_t at = (size_t)hash & (data->slots - 1);

    for (; data->slot[at]; at = (at + 1) & (data->slots - 1)) {
        size_t number = data->slot[at] - 1;

        if (hsi_data_name_length(data, number) == length &&
            hsi_same_bytes(hsi_data_name(data, number), name, length))
            break;
    }
    return &data->slot[at];
}

/* A table that is at most half full with one more. */
static hs_status make_room(hsi_data *data)
{
    hsi_data larger = *data;

    if (2 * (data->count + 1) <= data->slots)
        return HS_OK;
    larger.slots = data->slots ? 2 * data->slots : 64;
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return HS_ENOMEM;
    for (size_t i = 0; i < data->count; i++) {
        hsi_text name = {hsi_data_name(data, i), hsi_data_name_length(data, i)};

        *slot_of(&larger, name.at, name.length, hsi_data_hash(data, name)) = (uint32_t)(i + 1);
    }
    free(data->slot);
    *data = larger;
    return HS_OK;
}

uint64_t hsi_data_hash(const hsi_data *data, hsi_text name)
{
    return hsi_hash(name.at, name.length, data->seed);
}

uint64_t hsi_data_expect(const hsi_data *data, hsi_text name)
{
    uint64_t hash = hsi_data_hash(data, name);

    if (data->slots > 0)
        __builtin_prefetch(home_of(data, hash));
    return hash;
}

void hsi_data_approach(const hsi_data *data, uint64_t hash)
{
    uint32_t held = data->slots > 0 ? *home_of(data, hash) : 0;

    if (held > 0)
        __builtin_prefetch(&((const size_t *)data->at.data)[held - 1]);
}

hs_status hsi_data_enter(hsi_data *data, hsi_text name, uint64_t hash, size_t *number)
{
    double    usual = NAN;
    uint32_t *slot;
    hs_status st = make_room(data);

    if (st != HS_OK)
        return st;
    slot = slot_of(data, name.at, name.length, hash);
    if (*slot) {
        *number = *slot - 1;
        return HS_OK;
    }
    if (data->count == HSI_MOST_DATA)
        return HS_ETOOBIG;
    if (hsi_vector_reserve(&data->text, name.length + 1) ||
        hsi_vector_reserve(&data->at, sizeof data->text.size) ||
        hsi_vector_reserve(&data->bytes, sizeof usual))
        return HS_ENOMEM;
    (void)hsi_vector_append(&data->at, &data->text.size, sizeof data->text.size);
    (void)hsi_vector_append(&data->text, name.at, name.length);
    (void)hsi_vector_append(&data->text, "", 1);
    (void)hsi_vector_append(&data->bytes, &usual, sizeof usual);
    *number = data->count++;
    *slot = (uint32_t)data->count;
    return HS_OK;
}

void hsi_data_close(hsi_data *data)
{
    hsi_vector_free(&data->text);
    hsi_vector_free(&data->at);
    hsi_vector_free(&data->bytes);
    free(data->slot);
    *data = (hsi_data){0};
}
