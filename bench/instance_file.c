/* SPDX-License-Identifier: BSD-3-Clause */
#include "instance_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/pages.h"

const struct layout layouts[] = {
    {"17-digits", NO_IDS, false, 17, false},
    {"17-digits-ids", COUNTED, false, 17, false},
    {"17-digits-shuffled-ids", SHUFFLED, false, 17, false},
    {"6-decimals", NO_IDS, false, 6, false},
    {"6-decimals-ids", COUNTED, false, 6, false},
    {"6-decimals-shuffled-ids", SHUFFLED, false, 6, false},
    {"17-digits-ids-kernels", COUNTED, true, 17, false},
    {"6-decimals-ids-graph", COUNTED, false, 6, true},
};

const size_t layout_count = sizeof layouts / sizeof *layouts;

void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void put_time(FILE *f, uint64_t *state, int digits)
{
    double value = 0.001 + (double)(random_bits(state) >> 11) * 0x1p-53 * 300;

    if (digits == 17)
        fprintf(f, "%.17g", value);
    else
        fprintf(f, "%.*f", digits, value);
}

/* Return distinct numbers for distinct i below 2^32, in scattered order. */
static uint32_t shuffled_index(size_t index)
{
    return (uint32_t)index * 2654435769u;
}

/* Advance to the next task of a Cholesky factorisation: its row, column and step. */
static void next_tiles(unsigned at[3], unsigned tiles)
{
    if (++at[1] <= at[0])
        return;
    at[1] = at[2];
    if (++at[0] < tiles)
        return;
    at[0] = at[1] = at[2] = (at[2] + 1) % tiles;
}

static unsigned tiles_of(size_t tasks)
{
    size_t tiles = 1;

    while (tiles * (tiles + 1) * (tiles + 2) / 6 < tasks)
        tiles++;
    return (unsigned)tiles;
}

/*
 * Write the tiles of a task. In its own step a tile is factored or solved for; in earlier steps it
 * is updated.
 */
static void put_tiles(FILE *f, const unsigned at[3])
{
    if (at[1] == at[2] && at[0] == at[2])
        fprintf(f, ",A-%u-%u:rw", at[0], at[1]);
    else if (at[1] == at[2])
        fprintf(f, ",A-%u-%u:r;A-%u-%u:rw", at[2], at[2], at[0], at[1]);
    else if (at[0] == at[1])
        fprintf(f, ",A-%u-%u:r;A-%u-%u:rw", at[0], at[2], at[0], at[1]);
    else
        fprintf(f, ",A-%u-%u:r;A-%u-%u:r;A-%u-%u:rw", at[0], at[2], at[1], at[2], at[0], at[1]);
}

void make_file(const char *path, const struct layout *layout, size_t tasks)
{
    uint64_t state = 1;
    unsigned at[3] = {0, 0, 0}, tiles = tiles_of(tasks);
    FILE    *f = fopen(path, "w");

    if (!f)
        fail(path);
    fprintf(f, "# hybridsched instance 1\n# cpus 20\n# gpus 4\n%scpu,gpu%s%s\n",
            layout->ids ? "id," : "", layout->has_kernels ? ",priority,kernel" : "",
            layout->is_graph ? ",data" : "");
    for (size_t i = 0; i < tasks; i++) {
        if (layout->ids)
            fprintf(f, "task-%zu,", layout->ids == COUNTED ? i : shuffled_index(i));
        put_time(f, &state, layout->digits);
        putc(',', f);
        put_time(f, &state, layout->digits);
        if (layout->has_kernels)
            fprintf(f, ",%d,%s", (int)(random_bits(&state) % 100), i % 2 ? "dgemm:960" : "dtrsm");
        if (layout->is_graph) {
            put_tiles(f, at);
            next_tiles(at, tiles);
        }
        putc('\n', f);
    }
    if (fclose(f))
        fail(path);
}

/* Allocate as the library allocates large blocks, so that the freed pages have equal size. */
double touch_memory(size_t size)
{
    char  *memory = hsi_large_pages_alloc(size);
    double sum = 0;

    if (!memory)
        fail("touch");
    for (size_t i = 0; i < size; i += 4096)
        ((volatile char *)memory)[i] = 1;
    sum += memory[size / 2];
    free(memory);
    return sum;
}
