/* SPDX-License-Identifier: BSD-3-Clause */
/* The table behind an hs_cost: items of equal executions, keys, and hash indexes of both. */
#include "cost/cost_table.h"

#include <stdlib.h>

#include "support/hash.h"

static uint64_t hash_number(uint64_t hash, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return hsi_hash_mix(hash ^ bits, 0xa0761d6478bd642fu);
}

static uint64_t hash_key(hs_type type, const char *name)
{
    return hsi_hash(name, strlen(name), type);
}

static uint64_t hash_item(hs_type type, hs_cost_level level, uint32_t key, uint64_t what,
                          const hsi_sample *features)
{
    uint64_t hash = hsi_hash_mix(what + type * 2 + level + 1, key + 0x9e3779b97f4a7c15u);

    hash = hash_number(hash, features->size);
    hash = hash_number(hash, features->flops);
    hash = hash_number(hash, features->bytes_in);
    return hash_number(hash, features->bytes_out) ^ hash >> 29;
}

/* Return the features that tell items of a level apart. */
static hsi_sample item_features(hs_cost_level level, const hs_features *features)
{
    if (level == HS_COST_LEVEL_TASK)
        return (hsi_sample){.size = features->size};
    return (hsi_sample){.size = features->size,
                        .flops = features->flops,
                        .bytes_in = features->bytes_in,
                        .bytes_out = features->bytes_out};
}

static bool is_same_item(const hsi_cost_item *item, hs_type type, hs_cost_level level, uint32_t key,
                         uint64_t what, const hsi_sample *features)
{
    const hsi_sample *own = &item->features;

    return item->type == type && item->level == level && item->key == key && item->what == what &&
           own->size == features->size && own->flops == features->flops &&
           own->bytes_in == features->bytes_in && own->bytes_out == features->bytes_out;
}

/* Put a number into the first empty slot of its hash. */
static void fill_slot(hsi_slots *slots, uint64_t hash, uint32_t number)
{
    size_t at = hash & (slots->size - 1);

    while (slots->slot[at] != HS_NONE)
        at = (at + 1) & (slots->size - 1);
    slots->slot[at] = number;
}

typedef uint64_t hash_function(const hs_cost *cost, size_t number);

static uint64_t hash_of_item(const hs_cost *cost, size_t number)
{
    const hsi_cost_item *item = (const hsi_cost_item *)cost->items.data + number;

    return hash_item(item->type, item->level, item->key, item->what, &item->features);
}

static uint64_t hash_of_key(const hs_cost *cost, size_t number)
{
    const hsi_cost_key *key = (const hsi_cost_key *)cost->keys.data + number;

    return hash_key(key->type, key->name);
}

/* Make room for one more number beside `count` numbers; -1: out of memory. */
static int grow_slots(const hs_cost *cost, hsi_slots *slots, size_t count, hash_function *hash)
{
    hsi_slots larger = {.size = slots->size ? 2 * slots->size : 64};

    if (2 * (count + 1) <= slots->size)
        return 0;
    larger.slot = malloc(larger.size * sizeof *larger.slot);
    if (!larger.slot)
        return -1;
    memset(larger.slot, 0xff, larger.size * sizeof *larger.slot);
    for (size_t i = 0; i < count; i++)
        fill_slot(&larger, hash(cost, i), (uint32_t)i);
    free(slots->slot);
    *slots = larger;
    return 0;
}

static uint32_t find_key(const hs_cost *cost, hs_type type, const char *name)
{
    const hsi_slots *slots = &cost->key_slots;
    size_t           at = hash_key(type, name), count;
    hsi_cost_key    *keys = hsi_cost_keys(cost, &count);

    for (; slots->size; at++) {
        uint32_t number = slots->slot[at & (slots->size - 1)];

        if (number == HS_NONE)
            break;
        if (keys[number].type == type && strcmp(keys[number].name, name) == 0)
            return number;
    }
    return HS_NONE;
}

static uint32_t find_item(const hs_cost *cost, hs_type type, hs_cost_level level, uint32_t key,
                          uint64_t what, const hsi_sample *features)
{
    const hsi_slots *slots = &cost->item_slots;
    size_t           at = hash_item(type, level, key, what, features), count;
    hsi_cost_item   *items = hsi_cost_items(cost, &count);

    for (; slots->size; at++) {
        uint32_t number = slots->slot[at & (slots->size - 1)];

        if (number == HS_NONE)
            break;
        if (is_same_item(&items[number], type, level, key, what, features))
            return number;
    }
    return HS_NONE;
}

hsi_cost_key *hsi_cost_find_key(const hs_cost *cost, hs_type type, const char *name)
{
    uint32_t number = find_key(cost, type, name);

    return number == HS_NONE ? NULL : (hsi_cost_key *)cost->keys.data + number;
}

hsi_cost_item *hsi_cost_find_item(const hs_cost *cost, const hsi_cost_key *key,
                                  hs_cost_level level, const hs_features *features)
{
    hsi_sample own = item_features(level, features);
    uint64_t   what = level == HS_COST_LEVEL_TASK ? features->what : 0;
    uint32_t   number = find_item(cost, key->type, level,
                                  (uint32_t)(key - (hsi_cost_key *)cost->keys.data), what, &own);

    return number == HS_NONE ? NULL : (hsi_cost_item *)cost->items.data + number;
}

/* Find or create a key; HS_NONE: out of memory. */
static uint32_t make_key(hs_cost *cost, hs_type type, const char *name)
{
    hsi_cost_key key = {.type = type, .first = HS_NONE};
    uint32_t     number = find_key(cost, type, name);
    size_t       count;

    if (number != HS_NONE)
        return number;
    (void)hsi_cost_keys(cost, &count);
    memcpy(key.name, name, strlen(name) + 1);
    if (count >= HS_NONE || grow_slots(cost, &cost->key_slots, count, hash_of_key) ||
        hsi_vector_append(&cost->keys, &key, sizeof key))
        return HS_NONE;
    fill_slot(&cost->key_slots, hash_key(type, name), (uint32_t)count);
    return (uint32_t)count;
}

hsi_cost_item *hsi_cost_make_item(hs_cost *cost, hs_type type, hs_cost_level level,
                                  const hs_features *features)
{
    bool          by_task = level == HS_COST_LEVEL_TASK;
    hsi_cost_item item = {.level = level,
                          .type = type,
                          .key = make_key(cost, type, features->key),
                          .next_of_key = HS_NONE,
                          .what = by_task ? features->what : 0,
                          .features = item_features(level, features)};
    uint32_t      number;
    size_t        count;

    if (item.key == HS_NONE)
        return NULL;
    number = find_item(cost, type, level, item.key, item.what, &item.features);
    if (number != HS_NONE)
        return (hsi_cost_item *)cost->items.data + number;
    (void)hsi_cost_items(cost, &count);
    if (count >= HS_NONE || grow_slots(cost, &cost->item_slots, count, hash_of_item) ||
        hsi_vector_append(&cost->items, &item, sizeof item))
        return NULL;
    fill_slot(&cost->item_slots, hash_of_item(cost, count), (uint32_t)count);
    if (!by_task) {
        hsi_cost_key *key = (hsi_cost_key *)cost->keys.data + item.key;

        ((hsi_cost_item *)cost->items.data)[count].next_of_key = key->first;
        key->first = (uint32_t)count;
    }
    return (hsi_cost_item *)cost->items.data + count;
}
