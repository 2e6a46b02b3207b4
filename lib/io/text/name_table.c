/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/name_table.h"

#include <stdlib.h>

#include "support/hash.h"

#define ROW_BITS UINT64_C(0xffffffff)

/* From the upper half alone: it is all that a slot keeps of its hash. */
static size_t home(const struct hsi_name_table *table, uint64_t hash)
{
    return (size_t)(hash >> 32) & table->mask;
}

static hs_status grow(struct hsi_name_table *table)
{
    struct hsi_name_table larger = {.used = table->used, .seed = table->seed};

    larger.mask = table->slots ? table->mask * 2 + 1 : 255;
    if (larger.mask > ROW_BITS)
        return HS_ENOMEM;
    larger.slots = calloc(larger.mask + 1, sizeof *larger.slots);
    if (!larger.slots)
        return HS_ENOMEM;
    if (!table->slots)
        larger.seed = hsi_hash_mix((uintptr_t)table ^ (uintptr_t)larger.slots, 0x5851f42d4c957f2d);
    for (size_t i = 0; table->slots && i <= table->mask; i++) {
        size_t at = home(&larger, table->slots[i]);

        if (!table->slots[i])
            continue;
        while (larger.slots[at])
            at = (at + 1) & larger.mask;
        larger.slots[at] = table->slots[i];
    }
    free(table->slots);
    *table = larger;
    return HS_OK;
}

static int is_name(const hsi_strings *ids, size_t row, hsi_text name)
{
    const char *id = hsi_strings_get(ids, row);

    return id && strncmp(id, name.at, name.length) == 0 && id[name.length] == '\0';
}

hs_status hsi_name_table_expect(struct hsi_name_table *table, size_t more)
{
    while (!table->slots || table->used + more > table->mask / 2 + 1)
        if (grow(table) != HS_OK)
            return HS_ENOMEM;
    return HS_OK;
}

uint64_t hsi_name_table_hash(const struct hsi_name_table *table, hsi_text name)
{
    uint64_t hash = hsi_hash(name.at, name.length, table->seed);

    __builtin_prefetch(&table->slots[home(table, hash)], 1);
    return hash;
}

size_t hsi_name_table_at(struct hsi_name_table *table, const hsi_strings *ids, hsi_text name,
                         uint64_t hash, size_t next)
{
    size_t at;

    for (at = home(table, hash); table->slots[at]; at = (at + 1) & table->mask) {
        uint64_t slot = table->slots[at];
        size_t   row = (size_t)(slot & ROW_BITS) - 1;

        if ((slot ^ hash) >> 32 == 0 && is_name(ids, row, name))
            return row;
    }
    table->slots[at] = (hash & ~ROW_BITS) | (uint64_t)(next + 1);
    table->used++;
    return next;
}

hs_status hsi_name_table_enter(struct hsi_name_table *table, const hsi_strings *ids,
                               hsi_text name, size_t next, size_t *row)
{
    if (hsi_name_table_expect(table, 1) != HS_OK)
        return HS_ENOMEM;
    *row = hsi_name_table_at(table, ids, name, hsi_name_table_hash(table, name), next);
    return HS_OK;
}

void hsi_name_table_close(struct hsi_name_table *table)
{
    free(table->slots);
    table->slots = NULL;
}
