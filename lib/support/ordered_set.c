/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/ordered_set.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    HALF = HSI_SET_BLOCK / 2,
    SPARE = 3, /* blocks in reserve: first, last, and one without a partner */
};

#define NO_BLOCK UINT32_MAX

typedef struct set_block {
    double   key[HSI_SET_BLOCK];
    uint32_t item[HSI_SET_BLOCK]; /* of a free block: item[0] is the next free set_block */
} set_block;

typedef struct set_entry {
    double   first; /* key of the first item */
    uint32_t block;
    uint16_t begin, end; /* occupied range of the set_block */
} set_entry;

typedef struct set_position {
    size_t   entry;
    unsigned at;
} set_position;

static set_entry *directory_of(const hsi_ordered_set *set)
{
    return (set_entry *)set->directory.data + set->first;
}

static set_block *block_of(const hsi_ordered_set *set, const set_entry *e)
{
    return (set_block *)set->blocks.data + e->block;
}

static unsigned size_of(const set_entry *e)
{
    return (unsigned)e->end - e->begin;
}

void hsi_set_open(hsi_ordered_set *set, hsi_before before, const void *context)
{
    *set = (hsi_ordered_set){.before = before, .context = context, .free_block = NO_BLOCK};
}

void hsi_set_close(hsi_ordered_set *set)
{
    hsi_vector_free(&set->blocks);
    hsi_vector_free(&set->directory);
    hsi_set_open(set, NULL, NULL);
}

static int reserve_bytes(hsi_vector *v, size_t bytes)
{
    return bytes <= v->capacity ? 0 : hsi_vector_reserve(v, bytes - v->size);
}

/*
 * Two neighbours have more than half a block together, so each block has more than a quarter on
 * average: n items need at most n / (HALF / 2) + SPARE blocks.
 */
int hsi_set_reserve(hsi_ordered_set *set, size_t count)
{
    size_t blocks = (count + HALF / 2 - 1) / (HALF / 2) + SPARE, entries;

    if (count <= set->room)
        return 0;
    set->directory.size = (set->first + set->used) * sizeof(set_entry);
    if (reserve_bytes(&set->blocks, blocks * sizeof(set_block)) ||
        reserve_bytes(&set->directory, blocks * sizeof(set_entry)))
        return -1;
    blocks = set->blocks.capacity / sizeof(set_block);
    entries = set->directory.capacity / sizeof(set_entry);
    set->room = ((blocks < entries ? blocks : entries) - SPARE) * (HALF / 2);
    return 0;
}

/*
 * Insert a new block at position i of the directory, shifting the shorter part. If takes at the
 * front have moved the directory to the end of its memory, shift the whole directory back.
 */
static set_entry *open_entry(hsi_ordered_set *set, size_t index)
{
    set_entry *all = set->directory.data, *dir = all + set->first;
    size_t     capacity = set->directory.capacity / sizeof *all;

    if (set->first > 0 && index < set->used - index) {
        memmove(dir - 1, dir, index * sizeof *dir);
        set->first--;
        dir--;
    } else {
        if (set->first + set->used == capacity) {
            memmove(all, dir, set->used * sizeof *dir);
            set->first = 0;
            dir = all;
        }
        memmove(dir + index + 1, dir + index, (set->used - index) * sizeof *dir);
    }
    set->used++;
    dir[index] = (set_entry){.block = set->free_block};
    if (set->free_block == NO_BLOCK) {
        dir[index].block = (uint32_t)(set->blocks.size / sizeof(set_block));
        set->blocks.size += sizeof(set_block);
    } else {
        set->free_block = block_of(set, &dir[index])->item[0];
    }
    return &dir[index];
}

static void close_entry(hsi_ordered_set *set, size_t index)
{
    set_entry *dir = directory_of(set);

    block_of(set, &dir[index])->item[0] = set->free_block;
    set->free_block = dir[index].block;
    set->used--;
    if (index < set->used - index) {
        memmove(dir + 1, dir, index * sizeof *dir);
        set->first++;
    } else {
        memmove(dir + index, dir + index + 1, (set->used - index) * sizeof *dir);
    }
}

static void copy_items(set_block *to, unsigned to_at, const set_block *from, unsigned at,
                       unsigned count)
{
    memmove(&to->key[to_at], &from->key[at], count * sizeof to->key[0]);
    memmove(&to->item[to_at], &from->item[at], count * sizeof to->item[0]);
}

static inline int is_before(const hsi_ordered_set *set, double key, uint32_t item, double other,
                            const uint32_t *other_item)
{
    return key != other ? key < other : set->before(set->context, item, *other_item);
}

/*
 * Find the place after the item if it is in the set, else after every smaller item. The set is not
 * empty.
 */
static set_position find_place(const hsi_ordered_set *set, double key, uint32_t item)
{
    const set_entry *dir = directory_of(set);
    const set_block *b;
    size_t           low = 0, high = set->used;
    unsigned         from, to;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        b = block_of(set, &dir[middle]);
        if (is_before(set, key, item, dir[middle].first, &b->item[dir[middle].begin]))
            high = middle;
        else
            low = middle;
    }
    b = block_of(set, &dir[low]);
    for (from = dir[low].begin, to = dir[low].end; from < to;) {
        unsigned middle = (from + to) / 2;

        if (is_before(set, key, item, b->key[middle], &b->item[middle]))
            to = middle;
        else
            from = middle + 1;
    }
    return (set_position){low, from};
}

static bool holds_item(const hsi_ordered_set *set, set_position place, uint32_t item)
{
    const set_entry *e = &directory_of(set)[place.entry];

    return place.at > e->begin && block_of(set, e)->item[place.at - 1] == item;
}

/*
 * Append an item after the last one. Starts a new block only when the last is full, so ascending
 * inserts fill the blocks.
 */
static void append_item(hsi_ordered_set *set, double key, uint32_t item)
{
    set_entry *e = set->used ? &directory_of(set)[set->used - 1] : open_entry(set, 0);
    set_block *b;

    if (size_of(e) == HSI_SET_BLOCK)
        e = open_entry(set, set->used);
    b = block_of(set, e);
    if (e->end == HSI_SET_BLOCK) {
        e->end = (uint16_t)size_of(e);
        copy_items(b, 0, b, e->begin, e->end);
        e->begin = 0;
    }
    b->key[e->end] = key;
    b->item[e->end++] = item;
    e->first = b->key[e->begin];
    set->count++;
}

/* Split a full block in halves and translate the place. */
static set_position split_block(hsi_ordered_set *set, set_position place)
{
    set_entry *right = open_entry(set, place.entry + 1), *left = right - 1;
    set_block *b = block_of(set, right);

    left->end = right->end = HALF;
    copy_items(b, 0, block_of(set, left), HALF, HALF);
    right->first = b->key[0];
    return place.at <= HALF ? place : (set_position){place.entry + 1, place.at - HALF};
}

/* Insert an item into its block by moving the fewer neighbours, if their side has room. */
static void insert_at(hsi_ordered_set *set, set_position place, double key, uint32_t item)
{
    set_entry *e = &directory_of(set)[place.entry];
    set_block *b;

    if (size_of(e) == HSI_SET_BLOCK) {
        place = split_block(set, place);
        e = &directory_of(set)[place.entry];
    }
    b = block_of(set, e);
    if (e->begin > 0 && (e->end == HSI_SET_BLOCK || place.at - e->begin < e->end - place.at)) {
        copy_items(b, e->begin - 1u, b, e->begin, place.at - e->begin);
        e->begin--;
        place.at--;
    } else {
        copy_items(b, place.at + 1, b, place.at, e->end - place.at);
        e->end++;
    }
    b->key[place.at] = key;
    b->item[place.at] = item;
    e->first = b->key[e->begin];
    set->count++;
}

void hsi_set_insert(hsi_ordered_set *set, double key, uint32_t item)
{
    set_position p = {0, 0};

    if (set->used > 0) {
        p = find_place(set, key, item);
        if (holds_item(set, p, item))
            return;
    }
    if (set->used == 0 || (p.entry == set->used - 1 && p.at == directory_of(set)[p.entry].end))
        append_item(set, key, item);
    else
        insert_at(set, p, key, item);
}

/* Append the items of block i + 1 to block i. */
static void join_blocks(hsi_ordered_set *set, size_t block)
{
    set_entry *left = directory_of(set) + block, *right = left + 1;
    set_block *b = block_of(set, left);

    copy_items(b, 0, b, left->begin, size_of(left));
    copy_items(b, size_of(left), block_of(set, right), right->begin, size_of(right));
    left->end = (uint16_t)(size_of(left) + size_of(right));
    left->begin = 0;
    close_entry(set, block + 1);
}

static bool can_join_blocks(const hsi_ordered_set *set, size_t block)
{
    const set_entry *dir = directory_of(set);

    return block > 0 && block + 2 < set->used &&
           size_of(&dir[block]) + size_of(&dir[block + 1]) <= HALF;
}

static void remove_at(hsi_ordered_set *set, set_position place)
{
    set_entry *e = &directory_of(set)[place.entry];
    set_block *b = block_of(set, e);

    if (place.at - e->begin < e->end - place.at - 1u) {
        copy_items(b, e->begin + 1u, b, e->begin, place.at - e->begin);
        e->begin++;
    } else {
        copy_items(b, place.at, b, place.at + 1, e->end - place.at - 1u);
        e->end--;
    }
    set->count--;
    if (size_of(e) == 0) {
        close_entry(set, place.entry);
        return;
    }
    e->first = b->key[e->begin];
    if (can_join_blocks(set, place.entry))
        join_blocks(set, place.entry);
    else if (place.entry > 0 && can_join_blocks(set, place.entry - 1))
        join_blocks(set, place.entry - 1);
}

bool hsi_set_remove(hsi_ordered_set *set, double key, uint32_t item)
{
    set_position p;

    if (set->used == 0)
        return false;
    p = find_place(set, key, item);
    if (!holds_item(set, p, item))
        return false;
    p.at--;
    remove_at(set, p);
    return true;
}

/* Return the key before and after a position; infinite past the ends. */
static double key_before(const hsi_ordered_set *set, set_position place)
{
    const set_entry *e = directory_of(set) + place.entry;

    if (place.at > e->begin)
        return block_of(set, e)->key[place.at - 1];
    return place.entry > 0 ? block_of(set, e - 1)->key[e[-1].end - 1] : -INFINITY;
}

static double key_after(const hsi_ordered_set *set, set_position place)
{
    const set_entry *e = directory_of(set) + place.entry;

    if (place.at + 1 < e->end)
        return block_of(set, e)->key[place.at + 1];
    return place.entry + 1 < set->used ? e[1].first : INFINITY;
}

bool hsi_set_change_key(hsi_ordered_set *set, double key, uint32_t item, double new_key)
{
    set_position p;
    set_entry   *e;

    if (set->used == 0)
        return false;
    p = find_place(set, key, item);
    if (!holds_item(set, p, item))
        return false;
    p.at--;
    if (!(key_before(set, p) < new_key && new_key < key_after(set, p)))
        return false;
    e = directory_of(set) + p.entry;
    block_of(set, e)->key[p.at] = new_key;
    e->first = block_of(set, e)->key[e->begin];
    return true;
}

uint32_t hsi_set_at(const hsi_ordered_set *set, hsi_set_end end, size_t index)
{
    const set_entry *e = directory_of(set);

    if (end == HSI_SET_FRONT) {
        for (; index >= size_of(e); e++)
            index -= size_of(e);
        return block_of(set, e)->item[e->begin + index];
    }
    for (e += set->used - 1; index >= size_of(e); e--)
        index -= size_of(e);
    return block_of(set, e)->item[e->end - 1 - index];
}

uint32_t hsi_set_remove_end(hsi_ordered_set *set, hsi_set_end end)
{
    uint32_t         item = hsi_set_at(set, end, 0);
    size_t           i = end == HSI_SET_FRONT ? 0 : set->used - 1;
    const set_entry *e = &directory_of(set)[i];

    remove_at(set, (set_position){i, end == HSI_SET_FRONT ? e->begin : e->end - 1u});
    return item;
}
