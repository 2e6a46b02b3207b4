/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of tasks. A row's name is its id, or t<row> without an id; the copies of a row have the
 * names ID#1, ID#2, ... Only ids are hashed; generated names are recognised by their form.
 */
#include "core/task_names.h"

#include <stdlib.h>

#include "support/hash.h"
#include "support/pages.h"

static bool is_same_name(const char *id, const char *name, size_t length)
{
    return strncmp(id, name, length) == 0 && strnlen(id, length + 1) == length;
}

static uint64_t hash_of(const hsi_names *names, const char *name, size_t length)
{
    return hsi_hash(name, length, names->seed);
}

/* Return the part of the hash that a slot stores, to avoid most comparisons of ids. */
static uint32_t tag_of(const hsi_names *names, uint64_t hash)
{
    return (uint32_t)hash & ~names->row_mask;
}

/* Return the preferred slot of a hash, from its high bits. */
static size_t home_of(const hsi_names *names, uint64_t hash)
{
    return (size_t)(((__uint128_t)hash * names->size) >> 64);
}

/* Find the slot of an id: its own, or the empty slot for it. */
static uint32_t *slot_of(const hsi_store *store, const hsi_names *names, const char *name,
                         size_t length, uint64_t hash)
{
    uint32_t tag = tag_of(names, hash), *slot;
    size_t   at = home_of(names, hash);

    for (; *(slot = &names->slot[at]); at = at + 1 < names->size ? at + 1 : 0) {
        size_t row = (*slot & names->row_mask) - 1;

        if ((*slot & ~names->row_mask) == tag &&
            is_same_name(hsi_store_text(store, HSI_ID, row), name, length))
            break;
    }
    return slot;
}

/*
 * Parse a whole number without leading zeros at the end of a name, after the character `before`;
 * return its start, or NULL.
 */
static const char *trailing_number(const char *name, size_t length, char before, uint64_t *number)
{
    const char *digits = name + length;
    size_t      i, count = 0;

    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9' && count < 11) {
        digits--;
        count++;
    }
    if (count == 0 || count > 10 || digits == name || digits[-1] != before)
        return NULL;
    if (digits[0] == '0' && count > 1)
        return NULL;
    *number = 0;
    for (i = 0; i < count; i++)
        *number = *number * 10 + (uint64_t)(digits[i] - '0');
    return digits;
}

/* Find the row of a name without a copy number. */
static bool find_hashed(const hsi_store *store, const hsi_names *names, const char *name,
                        size_t length, uint64_t hash, size_t *row)
{
    uint64_t number;

    if (names->slot) {
        uint32_t held = *slot_of(store, names, name, length, hash);

        if (held) {
            *row = (held & names->row_mask) - 1;
            return true;
        }
    }
    if (trailing_number(name, length, 't', &number) == name + 1 && number < store->rows &&
        !hsi_store_text(store, HSI_ID, number)) {
        *row = number;
        return true;
    }
    return false;
}

static bool find_row(const hsi_store *store, const hsi_names *names, const char *name,
                     size_t length, size_t *row)
{
    return find_hashed(store, names, name, length, names->slot ? hash_of(names, name, length) : 0,
                       row);
}

/* Find one copy of a row: the row and the number of the copy, from 1. */
static bool find_copy(const hsi_store *store, const hsi_names *names, const char *name,
                      size_t length, size_t *row, uint32_t *copy)
{
    uint64_t    number;
    const char *digits = trailing_number(name, length, '#', &number);

    if (!digits || number == 0)
        return false;
    if (!find_row(store, names, name, (size_t)(digits - 1 - name), row))
        return false;
    if (hsi_store_count(store, *row) < 2 || number > hsi_store_count(store, *row))
        return false;
    *copy = (uint32_t)number;
    return true;
}

hsi_text hsi_split_copy_name(hsi_text name, uint32_t *copy)
{
    uint64_t    number = 0;
    const char *digits = trailing_number(name.at, name.length, '#', &number);

    *copy = digits && number <= HS_MAX_TASKS ? (uint32_t)number : 0;
    return *copy ? (hsi_text){name.at, (size_t)(digits - 1 - name.at)} : name;
}

bool hsi_names_find_hashed(const hsi_store *store, const hsi_names *names, hsi_text name,
                           uint64_t hash, size_t *row, uint32_t *copy)
{
    *copy = 0;
    return find_hashed(store, names, name.at, name.length, hash, row) ||
           find_copy(store, names, name.at, name.length, row, copy);
}

bool hsi_names_find_row(const hsi_store *store, const hsi_names *names, hsi_text name, size_t *row,
                        uint32_t *copy)
{
    *copy = 0;
    return find_row(store, names, name.at, name.length, row) ||
           find_copy(store, names, name.at, name.length, row, copy);
}

uint64_t hsi_names_prefetch_slot(const hsi_names *names, hsi_text name)
{
    uint64_t hash;

    if (!names->slot)
        return 0;
    hash = hash_of(names, name.at, name.length);
    __builtin_prefetch(&names->slot[home_of(names, hash)]);
    return hash;
}

void hsi_names_prefetch_id(const hsi_store *store, const hsi_names *names, uint64_t hash)
{
    const size_t *at = store->cells[HSI_ID].at.data;
    uint32_t      held = names->slot ? names->slot[home_of(names, hash)] : 0;

    if (held)
        __builtin_prefetch((const char *)store->cells[HSI_ID].text.data +
                           at[(held & names->row_mask) - 1]);
}

bool hsi_names_find(const hsi_store *store, const hsi_names *names, const char *name, size_t length,
                    size_t *task)
{
    size_t   row;
    uint32_t copy;

    if (!hsi_names_find_row(store, names, (hsi_text){name, length}, &row, &copy) ||
        (copy == 0 && hsi_store_count(store, row) > 1))
        return false;
    *task = hsi_store_first_task(store, row) + (copy ? copy - 1 : 0);
    return true;
}

/* Return true if a given id equals the generated name of a task. */
static bool is_generated(const hsi_store *store, const hsi_names *names, const char *id,
                         size_t length)
{
    uint64_t number;
    size_t   row;
    uint32_t copy;

    if (trailing_number(id, length, 't', &number) == id + 1 && number < store->rows &&
        !hsi_store_text(store, HSI_ID, number))
        return true;
    return hsi_store_has(store, HSI_COUNT) && find_copy(store, names, id, length, &row, &copy);
}

/* Enter the id of a row. HS_EDUPLICATE: another row has the same id. */
static hs_status enter_row(const hsi_store *store, hsi_names *names, size_t row)
{
    const char *id = hsi_store_text(store, HSI_ID, row);
    size_t      length = hsi_store_text_length(store, HSI_ID, row);
    uint64_t    hash;
    uint32_t   *slot;

    if (!id) {
        names->missing++;
        return HS_OK;
    }
    hash = hash_of(names, id, length);
    slot = slot_of(store, names, id, length, hash);
    if (*slot)
        return HS_EDUPLICATE;
    *slot = tag_of(names, hash) | (uint32_t)(row + 1);
    return HS_OK;
}

/* Build a table with room for `room` rows, and enter the present rows. */
static hs_status build_table(const hsi_store *store, hsi_names *names, size_t room, size_t *row)
{
    hs_status st = HS_OK;

    hsi_names_free(names);
    names->size = room + room / 2 + 16;
    names->slot = hsi_large_pages_zeroed(names->size, sizeof *names->slot);
    if (!names->slot)
        return HS_ENOMEM;
    names->room = room;
    names->row_mask = 1;
    while (names->row_mask < room)
        names->row_mask = names->row_mask * 2 + 1;
    /* The addresses differ from run to run, hence the seed. */
    names->seed = hsi_hash_mix((uintptr_t)store ^ (uintptr_t)names->slot, 0x8ebc6af09c88c6e3u);
    for (size_t i = 0; i < store->rows && st == HS_OK; i++) {
        *row = i;
        st = enter_row(store, names, i);
    }
    return st;
}

/* Reject ids that equal the generated name of a task. */
static hs_status compare_with_generated(const hsi_store *store, const hsi_names *names, size_t *row)
{
    if (!names->missing && !hsi_store_has(store, HSI_COUNT))
        return HS_OK;
    for (*row = 0; *row < store->rows; ++*row) {
        const char *id = hsi_store_text(store, HSI_ID, *row);

        if (id && is_generated(store, names, id, strlen(id)))
            return HS_EDUPLICATE;
    }
    return HS_OK;
}

hs_status hsi_names_create(const hsi_store *store, hsi_names *names, size_t *row)
{
    hs_status st;

    memset(names, 0, sizeof *names);
    if (!hsi_store_has(store, HSI_ID))
        return HS_OK;
    st = build_table(store, names, store->rows, row);
    if (st == HS_OK)
        st = compare_with_generated(store, names, row);
    if (st != HS_OK)
        hsi_names_free(names);
    return st;
}

hs_status hsi_names_check_unique(const hsi_store *store, size_t *row)
{
    hsi_names names;
    hs_status st = hsi_names_create(store, &names, row);

    if (st == HS_OK)
        hsi_names_free(&names);
    return st;
}

hs_status hsi_names_prepare_insert(const hsi_store *store, hsi_names *names, hsi_text id,
                                   uint64_t *hash)
{
    size_t    row;
    hs_status st = HS_OK;

    if (store->rows >= names->room)
        st = build_table(store, names, 2 * store->rows + 256, &row);
    if (st != HS_OK)
        return st;
    *hash = hash_of(names, id.at, id.length);
    __builtin_prefetch(&names->slot[home_of(names, *hash)], 1);
    return HS_OK;
}

size_t hsi_names_insert(const hsi_store *store, hsi_names *names, hsi_text id, uint64_t hash)
{
    uint32_t *slot = slot_of(store, names, id.at, id.length, hash);

    if (!*slot)
        *slot = tag_of(names, hash) | (uint32_t)(store->rows + 1);
    return (*slot & names->row_mask) - 1;
}

void hsi_names_free(hsi_names *names)
{
    free(names->slot);
    *names = (hsi_names){0};
}

struct hs_name_index {
    const hsi_store *store;
    hsi_names        names;
};

hs_status hs_name_index_create(const hs_instance *in, hs_name_index **out)
{
    hs_name_index *index;
    hs_status      st;
    size_t         row;

    if (!in || !out)
        return HS_EINVAL;
    index = malloc(sizeof *index);
    if (!index)
        return HS_ENOMEM;
    index->store = in->store;
    st = hsi_names_create(in->store, &index->names, &row);
    if (st != HS_OK) {
        free(index);
        return st;
    }
    *out = index;
    return HS_OK;
}

void hs_name_index_free(hs_name_index *index)
{
    if (!index)
        return;
    hsi_names_free(&index->names);
    free(index);
}

int hs_name_index_find(const hs_name_index *index, const char *name, size_t length, size_t *task)
{
    return hsi_names_find(index->store, &index->names, name, length, task);
}
