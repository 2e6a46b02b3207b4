/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/data.h"

#include <math.h>
#include <stdlib.h>

#include "core/graph/relations.h"
#include "support/hash.h"

/* Return the upper part of a slot: bits of the hash, to avoid most comparisons of names. */
static uint32_t tag_of(const hsi_data *data, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~(uint32_t)(data->slots - 1);
}

static uint32_t *home_of(const hsi_data *data, uint64_t hash)
{
    return &data->slot[(size_t)hash & (data->slots - 1)];
}

/* Return the slot content of a name; 0: not in the table. */
static uint32_t find_name(const hsi_data *data, hsi_text name, uint64_t hash)
{
    size_t   mask = data->slots - 1, at = (size_t)hash & mask;
    uint32_t tag = tag_of(data, hash), held;

    for (; (held = data->slot[at]); at = (at + 1) & mask) {
        size_t number = (held & mask) - 1;

        if ((held & ~(uint32_t)mask) == tag && hsi_data_name_length(data, number) == name.length &&
            hsi_bytes_equal(hsi_data_name(data, number), name.at, name.length))
            break;
    }
    return held;
}

/* Enter a number that has no slot yet. */
static void put_in_table(hsi_data *data, uint64_t hash, size_t number)
{
    size_t mask = data->slots - 1, at = (size_t)hash & mask;

    while (data->slot[at])
        at = (at + 1) & mask;
    data->slot[at] = tag_of(data, hash) | (uint32_t)(number + 1);
}

static uint64_t hash_of(const hsi_data *data, hsi_text name)
{
    return hsi_hash(name.at, name.length, data->seed);
}

/* Double the table. */
static hs_status grow_table(hsi_data *data)
{
    hsi_data larger = *data;

    larger.slots = data->slots ? 2 * data->slots : 64;
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return HS_ENOMEM;
    for (size_t i = 0; i < data->count; i++) {
        hsi_text name = {hsi_data_name(data, i), hsi_data_name_length(data, i)};

        put_in_table(&larger, hash_of(data, name), i);
    }
    free(data->slot);
    *data = larger;
    return HS_OK;
}

/* Add a new name; the table stays at most half full. */
static hs_status add_name(hsi_data *data, hsi_text name, uint64_t hash)
{
    const double usual = NAN;

    if (2 * (data->count + 1) > data->slots && grow_table(data) != HS_OK)
        return HS_ENOMEM;
    if (data->count == HSI_MOST_DATA)
        return HS_ETOOBIG;
    if (hsi_vector_reserve(&data->text, name.length + 1) ||
        hsi_vector_reserve(&data->at, sizeof data->text.size) ||
        hsi_vector_reserve(&data->bytes, sizeof usual))
        return HS_ENOMEM;
    put_in_table(data, hash, data->count);
    (void)hsi_vector_append(&data->at, &data->text.size, sizeof data->text.size);
    (void)hsi_vector_append(&data->text, name.at, name.length);
    (void)hsi_vector_append(&data->text, "", 1);
    (void)hsi_vector_append(&data->bytes, &usual, sizeof usual);
    data->count++;
    return HS_OK;
}

/*
 * Hash names, and prefetch their slots and then the names in these slots: all of them lie far apart
 * in memory.
 */
static void prefetch_names(const hsi_data *data, const hsi_text *name, size_t count, uint64_t *hash)
{
    for (size_t i = 0; i < count; i++) {
        hash[i] = hash_of(data, name[i]);
        __builtin_prefetch(home_of(data, hash[i]));
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t held = *home_of(data, hash[i]) & (uint32_t)(data->slots - 1);

        if (held)
            __builtin_prefetch(hsi_data_name(data, held - 1));
    }
}

hs_status hsi_data_find_or_add(hsi_data *data, const hsi_text *name, size_t count, uint32_t *number)
{
    uint64_t  hash[HSI_DATA_BATCH];
    hs_status st = data->slots ? HS_OK : grow_table(data);

    if (st != HS_OK)
        return st;
    prefetch_names(data, name, count, hash);
    for (size_t i = 0; i < count && st == HS_OK; i++) {
        uint32_t held = find_name(data, name[i], hash[i]);

        number[i] = held ? (held & (uint32_t)(data->slots - 1)) - 1 : (uint32_t)data->count;
        if (!held)
            st = add_name(data, name[i], hash[i]);
    }
    return st;
}

hs_status hsi_data_set_memory(hsi_data *data, size_t number, uint32_t memory)
{
    const uint32_t first_host = 0;

    while (data->memory.size <= number * sizeof memory)
        if (hsi_vector_append(&data->memory, &first_host, sizeof first_host))
            return HS_ENOMEM;
    ((uint32_t *)data->memory.data)[number] = memory;
    return HS_OK;
}

void hsi_data_close(hsi_data *data)
{
    hsi_vector_free(&data->text);
    hsi_vector_free(&data->at);
    hsi_vector_free(&data->bytes);
    hsi_vector_free(&data->memory);
    free(data->slot);
    *data = (hsi_data){0};
}
