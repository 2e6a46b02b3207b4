/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/generate.h>

#include "core/error.h"
#include "support/sized.h"

/* Limit on tiles, with far more tasks than HS_MAX_TASKS, so that count_tasks() cannot overflow. */
#define MOST_TILES (1u << 16)

/*
 * Tiled right-looking factorisations. Step k factors tile (k,k); applies the result to the tiles
 * right of it and below it; updates the remaining tiles. Cholesky works on the lower triangle: its
 * tiles (i,i) replace the tiles to the right. QR eliminates the tiles below one after another (flat
 * tree).
 *
 * As a graph, tasks access the tiles A-i-j. QR also has V-k-k, a copy of the reflectors of tile
 * (k,k), so that the elimination below does not wait for their application, and T-i-k. Dependencies
 * follow from the order of the rows.
 */
enum part { FACTOR, BELOW, SIDE, UPDATE, PARTS };

typedef struct factorisation {
    const char *name;
    struct {
        const char *id;        /* id of a row for all tasks of this part */
        const char *prefix;    /* prefix of the ids of single tasks */
        const char *operation; /* name in the kernel table; the prefix is tried next */
    } part[PARTS];
} factorisation;

static const factorisation kinds[] = {
    [HS_CHOLESKY] = {"cholesky",
                     {[FACTOR] = {"potrf", "potrf", "potrf"},
                      [BELOW] = {"trsm", "trsm", "trsm"},
                      [SIDE] = {"syrk", "syrk", "syrk"},
                      [UPDATE] = {"gemm", "gemm", "gemm"}}},
    [HS_LU] = {"lu",
               {[FACTOR] = {"getrf", "getrf", "getrf"},
                [BELOW] = {"trsm-below", "trsm", "trsm-below"},
                [SIDE] = {"trsm-right", "trsm", "trsm-right"},
                [UPDATE] = {"gemm", "gemm", "gemm"}}},
    [HS_QR] = {"qr",
               {[FACTOR] = {"geqrt", "geqrt", "geqrt"},
                [BELOW] = {"tpqrt", "tpqrt", "tpqrt"},
                [SIDE] = {"ormqr", "ormqr", "ormqr"},
                [UPDATE] = {"tpmqrt", "tpmqrt", "tpmqrt"}}},
};

enum matrix { A, V, T };
enum place { HERE, STEP_STEP, ROW_STEP, STEP_COLUMN, COLUMN_STEP }; /* position of a tile; HERE:
                                                                       the tile that the task is
                                                                       named after */

typedef struct tile_used {
    enum matrix    matrix;
    enum place     place;
    hs_access_mode mode;
} tile_used;

#define READS(matrix, place)   {matrix, place, HS_READ}
#define WRITES(matrix, place)  {matrix, place, HS_WRITE}
#define CHANGES(matrix, place) {matrix, place, HS_READ_WRITE}

/* Tiles in the order of the kernels' arguments; the last is {0}. */
static const tile_used tiles_used[][PARTS][5] = {
    [HS_CHOLESKY] = {[FACTOR] = {CHANGES(A, HERE)},
                     [BELOW] = {READS(A, STEP_STEP), CHANGES(A, HERE)},
                     [SIDE] = {READS(A, ROW_STEP), CHANGES(A, HERE)},
                     [UPDATE] = {READS(A, ROW_STEP), READS(A, COLUMN_STEP), CHANGES(A, HERE)}},
    [HS_LU] = {[FACTOR] = {CHANGES(A, HERE)},
               [BELOW] = {READS(A, STEP_STEP), CHANGES(A, HERE)},
               [SIDE] = {READS(A, STEP_STEP), CHANGES(A, HERE)},
               [UPDATE] = {READS(A, ROW_STEP), READS(A, STEP_COLUMN), CHANGES(A, HERE)}},
    [HS_QR] = {[FACTOR] = {CHANGES(A, HERE), WRITES(V, HERE), WRITES(T, HERE)},
               [BELOW] = {CHANGES(A, STEP_STEP), CHANGES(A, HERE), WRITES(T, HERE)},
               [SIDE] = {READS(V, STEP_STEP), READS(T, STEP_STEP), CHANGES(A, HERE)},
               [UPDATE] = {READS(A, ROW_STEP), READS(T, ROW_STEP), CHANGES(A, STEP_COLUMN),
                           CHANGES(A, HERE)}},
};

/* State of a generator run. */
typedef struct writer {
    hs_builder          *builder;
    const hs_tiled      *spec;
    const factorisation *kind;
    const hs_kernel     *kernel[PARTS];
    const char          *name[PARTS];   /* kernel's name in the precision of the spec */
    /* the name in single precision, which the writer owns; NULL: the table's name is used */
    char                *single[PARTS];
    size_t               rows;          /* rows added so far */
    size_t              *data[3]; /* handles of A, V and T by tile, plus 1 (0: not created yet) */
} writer;

static const hs_kernel *find_for(const hs_kernel_table *table, const char *factorisation_name,
                                 const char *operation)
{
    size_t i;

    for (i = 0; i < table->count; i++)
        if (strcmp(table->kernels[i].factorisation, factorisation_name) == 0 &&
            strcmp(table->kernels[i].operation, operation) == 0)
            return &table->kernels[i];
    return NULL;
}

/* Find a part's kernel: measurements for this factorisation before entries for all of them. */
static const hs_kernel *find_kernel(const writer *w, enum part part)
{
    const char *const owner[] = {w->kind->name, ""};
    const char *const operation[] = {w->kind->part[part].operation, w->kind->part[part].prefix};
    const hs_kernel  *found = NULL;
    int               i;

    for (i = 0; i < 4 && !found; i++)
        found = find_for(w->spec->table, owner[i / 2], operation[i % 2]);
    return found;
}

static hs_status find_kernels(writer *w, hs_error *error)
{
    int part;

    for (part = 0; part < PARTS; part++) {
        w->kernel[part] = find_kernel(w, (enum part)part);
        if (!w->kernel[part])
            return hsi_error_set(error, HS_EUNSUPPORTED,
                                 "kernel table '%s' has no kernel '%s'; the factorisation %s needs "
                                 "one",
                                 w->spec->table->name, w->kind->part[part].prefix, w->kind->name);
    }
    return HS_OK;
}

/*
 * Return whether the kernel's times must be halved: the spec asks for single precision, and the
 * table has only the double-precision kernel, assumed to take twice as long.
 */
static bool is_halved(const writer *w, const hs_kernel *kernel)
{
    return w->spec->single && kernel->kernel && kernel->kernel[0] == 'd';
}

static hs_status name_kernel(writer *w, enum part part)
{
    const hs_kernel *kernel = w->kernel[part];

    w->name[part] = kernel->kernel;
    if (!is_halved(w, kernel))
        return HS_OK;
    w->single[part] = strdup(kernel->kernel);
    if (!w->single[part])
        return HS_ENOMEM;
    w->single[part][0] = 's';
    w->name[part] = w->single[part];
    return HS_OK;
}

static hs_status name_kernels(writer *w)
{
    hs_status st = HS_OK;
    int       part;

    for (part = 0; part < PARTS && st == HS_OK; part++)
        st = name_kernel(w, (enum part)part);
    return st;
}

static hs_status add_row(writer *w, enum part part, const char *id, int64_t priority,
                         uint32_t count)
{
    const hs_kernel *kernel = w->kernel[part];
    double           factor = is_halved(w, kernel) ? 0.5 : 1;
    hs_task          task = {.struct_size = sizeof task};

    task.id = id;
    task.cpu = factor * kernel->cpu;
    task.gpu = factor * kernel->gpu;
    task.kernel = w->name[part];
    task.priority = priority;
    task.count = count;
    w->rows++;
    return hs_builder_add_row(w->builder, &task);
}

/* Add an access of the latest row to a tile. */
static hs_status use(writer *w, enum matrix matrix, unsigned row, unsigned column,
                     hs_access_mode mode)
{
    size_t   *known = &w->data[matrix][(size_t)row * w->spec->tiles + column];
    char      name[32];
    hs_status st = HS_OK;

    if (!*known) {
        snprintf(name, sizeof name, "%c-%u-%u", "AVT"[matrix], row, column);
        st = hs_builder_add_handle(w->builder, name, known);
        *known += st == HS_OK;
    }
    return st == HS_OK ? hs_builder_add_access(w->builder, w->rows - 1, *known - 1, mode) : st;
}

/* Add the accesses of the latest task, which belongs to `step`. */
static hs_status use_tiles(writer *w, enum part part, unsigned row, unsigned column, unsigned step)
{
    const unsigned   at[][2] = {[HERE] = {row, column},
                                [STEP_STEP] = {step, step},
                                [ROW_STEP] = {row, step},
                                [STEP_COLUMN] = {step, column},
                                [COLUMN_STEP] = {column, step}};
    const tile_used *tile = tiles_used[w->spec->kind][part];
    hs_status        st = HS_OK;

    for (; tile->mode && st == HS_OK; tile++)
        st = use(w, tile->matrix, at[tile->place][0], at[tile->place][1], tile->mode);
    return st;
}

/*
 * Add the task of `step` that writes tile (row, column). Its id has row, column and step, without
 * repetitions. Every dependency raises row + column + step, and some dependency raises it by just
 * 1, so the priority is the number of tasks on the longest path after the task.
 */
static hs_status add_task(writer *w, enum part part, unsigned row, unsigned column, unsigned step)
{
    const char *prefix = w->kind->part[part].prefix;
    int64_t     last = 3 * ((int64_t)w->spec->tiles - 1);
    int64_t     place = (int64_t)row + column + step;
    char        id[64];
    hs_status   st;

    if (part == FACTOR)
        snprintf(id, sizeof id, "%s-%u", prefix, step);
    else if (part == UPDATE)
        snprintf(id, sizeof id, "%s-%u-%u-%u", prefix, row, column, step);
    else if (row == column)
        snprintf(id, sizeof id, "%s-%u-%u", prefix, row, step);
    else
        snprintf(id, sizeof id, "%s-%u-%u", prefix, row, column);
    st = add_row(w, part, id, last - place, 1);
    return st == HS_OK && w->spec->graph ? use_tiles(w, part, row, column, step) : st;
}

/* Add a row of tiles below the factored tile. */
static hs_status add_tile_row(writer *w, unsigned row, unsigned step)
{
    bool      symmetric = w->spec->kind == HS_CHOLESKY;
    unsigned  end = symmetric ? row : w->spec->tiles, column;
    hs_status st = add_task(w, BELOW, row, step, step);

    for (column = step + 1; column < end && st == HS_OK; column++)
        st = add_task(w, UPDATE, row, column, step);
    if (symmetric && st == HS_OK)
        st = add_task(w, SIDE, row, row, step);
    return st;
}

static hs_status add_step(writer *w, unsigned step)
{
    unsigned  tiles = w->spec->tiles, i;
    hs_status st = add_task(w, FACTOR, step, step, step);

    if (w->spec->kind != HS_CHOLESKY)
        for (i = step + 1; i < tiles && st == HS_OK; i++)
            st = add_task(w, SIDE, step, i, step);
    for (i = step + 1; i < tiles && st == HS_OK; i++)
        st = add_tile_row(w, i, step);
    return st;
}

static hs_status add_steps(writer *w)
{
    hs_status st = HS_OK;
    unsigned  step;

    for (step = 0; step < w->spec->tiles && st == HS_OK; step++)
        st = add_step(w, step);
    return st;
}

/* Count the tasks of each part: sums of 1, r, r and r(r - 1)/2 or r^2 over r = 0 .. tiles - 1. */
static void count_tasks(const hs_tiled *spec, uint64_t count[PARTS])
{
    uint64_t n = spec->tiles, pairs = n * (n - 1) / 2;

    count[FACTOR] = n;
    count[BELOW] = count[SIDE] = pairs;
    if (spec->kind == HS_CHOLESKY)
        count[UPDATE] = n < 2 ? 0 : pairs * (n - 2) / 3;
    else
        count[UPDATE] = pairs * (2 * n - 1) / 3;
}

/* Add a row per part. Copies of one row share a priority, so no priority is given. */
static hs_status add_counts(writer *w, const uint64_t count[PARTS])
{
    hs_status st = HS_OK;
    int       part;

    for (part = 0; part < PARTS && st == HS_OK; part++)
        if (count[part])
            st = add_row(w, (enum part)part, w->kind->part[part].id, 0, (uint32_t)count[part]);
    return st;
}

static hs_status add_notes(const writer *w)
{
    const hs_tiled *spec = w->spec;
    char            command[4200];
    hs_status       st;

    snprintf(command, sizeof command, "hsched-gen %s %u --kernels %s -m %u -k %u%s%s",
             w->kind->name, spec->tiles, spec->table->name, spec->cpus, spec->gpus,
             spec->single ? " --precision single" : "",
             spec->compact ? " --compact"
             : spec->graph ? " --graph"
                           : "");
    st = hs_builder_add_note(w->builder, "generator", command);
    if (st == HS_OK && spec->table->source && *spec->table->source)
        st = hs_builder_add_note(w->builder, "source", spec->table->source);
    return st;
}

/* Return the bytes of a tile, if the kernel's name ends in the tile size: "dgemm:960". */
static double fake_bytes_of_tile(const writer *w)
{
    const char *kernel = w->name[UPDATE], *colon = kernel ? strchr(kernel, ':') : NULL;
    double      size = colon ? strtod(colon + 1, NULL) : 0;

    return size > 0 ? size * size * (*kernel == 's' ? 4 : 8) : 0;
}

static hs_status name_tiles(writer *w)
{
    size_t tiles = (size_t)w->spec->tiles * w->spec->tiles;
    int    i;

    for (i = A; i <= T; i++)
        if (!(w->data[i] = calloc(tiles, sizeof *w->data[i])))
            return HS_ENOMEM;
    return hs_builder_set_default_bytes(w->builder, fake_bytes_of_tile(w));
}

static hs_status write_down(writer *w)
{
    uint64_t  count[PARTS], tasks = 0;
    int       part;
    hs_status st;

    count_tasks(w->spec, count);
    for (part = 0; part < PARTS; part++)
        tasks += count[part];
    if (tasks > HS_MAX_TASKS)
        return HS_ETOOBIG;
    st = hs_builder_set_workers(w->builder, w->spec->cpus, w->spec->gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(w->builder, w->spec->table->unit);
    if (st == HS_OK)
        st = add_notes(w);
    if (st == HS_OK && w->spec->graph)
        st = name_tiles(w);
    if (st == HS_OK)
        st = w->spec->compact ? add_counts(w, count) : add_steps(w);
    return st;
}

static hs_status check(const hs_tiled *spec, hs_error *error)
{
    if (!spec->table || !spec->table->name || spec->kind < HS_CHOLESKY || spec->kind > HS_QR)
        return hsi_error_set(error, HS_EINVAL, "no such factorisation, or no kernel table");
    if (spec->compact && spec->graph)
        return hsi_error_set(error, HS_EINVAL,
                             "a graph in compact form; expected a row for each task of a graph");
    if (spec->tiles < 1)
        return hsi_error_set(error, HS_EINVAL, "no tile; expected at least one");
    if (spec->tiles > MOST_TILES)
        return hsi_error_set(error, HS_ETOOBIG, "%u tiles; expected at most %u", spec->tiles,
                             MOST_TILES);
    return HS_OK;
}

hs_status hs_generate_tiled(const hs_tiled *given, hs_instance **out, hs_error *error)
{
    hs_tiled  spec = {.struct_size = sizeof spec};
    writer    w = {.spec = &spec};
    hs_status st;

    if (!given || !out || !hsi_sized_copy_in(&spec, sizeof spec, given))
        return hsi_error_set_status(error, HS_EINVAL);
    st = check(&spec, error);
    if (st != HS_OK)
        return st;
    w.kind = &kinds[spec.kind];
    st = find_kernels(&w, error);
    if (st != HS_OK)
        return st;
    st = name_kernels(&w);
    if (st == HS_OK)
        st = hs_builder_create(&w.builder);
    if (st == HS_OK)
        st = write_down(&w);
    st = st == HS_OK ? hs_builder_finish(w.builder, out, error) : hsi_error_set_status(error, st);
    hs_builder_free(w.builder);
    for (int part = 0; part < PARTS; part++)
        free(w.single[part]);
    free(w.data[A]);
    free(w.data[V]);
    free(w.data[T]);
    return st;
}
