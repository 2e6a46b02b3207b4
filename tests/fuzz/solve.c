/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Target of everything that computes: the bytes become a small instance, and each algorithm, bound
 * and certificate must keep its promises beside brute force.
 */

#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "property/brute_force.h"
#include "property/graph_brute_force.h"
#include "property/invariants.h"

enum { MOST_ROWS = 6, MOST_WORKERS = 3 };

void sample_fail(const sample *s, const char *format, ...)
{
    (void)s;
    FUZZ_REQUIRE(false, "%s", format);
    abort();
}

void graph_sample_fail(const graph_sample *s, const char *format, ...)
{
    (void)s;
    FUZZ_REQUIRE(false, "%s", format);
    abort();
}

/* The bytes of a fuzzing input that are not used yet. When none is left, take() returns 0. */
typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static unsigned take(bytes *b, unsigned count)
{
    return b->at < b->end ? *b->at++ % count : 0;
}

/* Return one of the usual times, or a time of eight bytes. */
static double take_time(bytes *b)
{
    static const double usual[] = {1,   2,   3,    4,    5,         7,         12,       30,
                                   0.1, 0.3, 0.7,  1e-9, 1e9,       1e150,     INFINITY, 1.0 / 3,
                                   10,  6,   1e-3, 99.9, 0x1p-1074, 0x1p-1022, 1e-150,   8};
    enum { USUAL = sizeof usual / sizeof *usual };
    unsigned byte = take(b, 256);
    double   time;

    if (byte < 240 || b->end - b->at < (ptrdiff_t)sizeof time)
        return usual[byte % USUAL];
    memcpy(&time, b->at, sizeof time);
    b->at += sizeof time;
    return time;
}

static void add_edges(bytes *b, hs_builder *builder, size_t rows)
{
    for (size_t to = 1; to < rows; to++)
        for (size_t from = 0; from < to; from++) {
            unsigned edge = take(b, 8);

            if (edge % 2)
                hs_builder_add_predecessor(builder, to, from, 0, edge / 2);
        }
}

static void add_data(bytes *b, hs_builder *builder, size_t rows)
{
    size_t handle;

    if (hs_builder_add_handle(builder, "x", &handle) != HS_OK)
        return;
    hs_builder_set_handle_bytes(builder, handle, take(b, 5));
    for (size_t row = 0; row < rows; row++) {
        unsigned mode = take(b, 4);

        if (mode)
            hs_builder_add_access(builder, row, handle, (hs_access_mode)mode);
    }
}

static void add_links(bytes *b, hs_builder *builder, unsigned cpus, unsigned gpus)
{
    unsigned links = take(b, 4);

    if (links == 0)
        return;
    hs_builder_set_link(builder, HS_H2D, take(b, 4), 1 + take(b, 3));
    hs_builder_set_link(builder, HS_D2H, take(b, 4), 0.5 + take(b, 3));
    if (links > 1)
        hs_builder_set_link(builder, HS_D2D, take(b, 3), 1);
    if (links == 3 && cpus > 0 && gpus > 0) {
        hs_builder_set_link(builder, HS_N2N, take(b, 3), 1 + take(b, 2));
        hs_builder_add_node(builder, "a", cpus, 0);
        hs_builder_add_node(builder, "b", 0, gpus);
    }
}

/* Return the instance of the bytes, or NULL if the library refuses it. */
static hs_instance *decode(bytes *b, bool *slow)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    unsigned     cpus = take(b, MOST_WORKERS + 1), gpus = take(b, MOST_WORKERS + 1);
    unsigned     shape = take(b, 256);
    size_t       rows = take(b, MOST_ROWS + 1);
    hs_task      task;

    FUZZ_REQUIRE(hs_builder_create(&builder) == HS_OK, "out of memory");
    hs_builder_set_workers(builder, cpus, gpus);
    for (size_t i = 0; i < rows; i++) {
        hs_task_init(&task);
        task.cpu = take_time(b);
        task.gpu = take_time(b);
        if (shape & 1)
            task.priority = (int64_t)take(b, 4) - 1;
        if (shape & 2)
            task.count = 1 + take(b, 2);
        task.restartable = shape & 4 && take(b, 2) ? HS_RESTART_NO : HS_RESTART_YES;
        if (isnan(task.cpu) || isnan(task.gpu) || hs_builder_add_row(builder, &task) != HS_OK)
            rows = 0;
    }
    if (shape & 8)
        add_edges(b, builder, rows);
    if (shape & 16)
        add_data(b, builder, rows);
    if (shape & 32)
        add_links(b, builder, cpus, gpus);
    *slow = (shape & 192) == 0;
    if (hs_builder_finish(builder, &in, NULL) != HS_OK)
        in = NULL;
    hs_builder_free(builder);
    return in;
}

/* Fill in the optimum of independent tasks, rounded up and down. */
static void find_optimum(invariants *v, const graph_sample *g)
{
    static double p[GRAPH_TASKS], q[GRAPH_TASKS];
    sample        s = {.n = g->n, .m = g->m, .k = g->k, .p = p, .q = q, .in = g->in};
    optimum       best;

    memcpy(p, g->p, sizeof p);
    memcpy(q, g->q, sizeof q);
    brute_force(&s, &best);
    v->low = best.makespan;
    while (exact_compare_double(&best.value, v->low) < 0)
        v->low = nextafter(v->low, 0);
    while (exact_compare_double(&best.value, v->low) > 0)
        v->low = nextafter(v->low, INFINITY);
    v->high = exact_compare_double(&best.value, v->low) == 0 ? v->low : nextafter(v->low, 0);
}

void fuzz_solve(const uint8_t *data, size_t size)
{
    static graph_sample g;
    bytes               b = {data, data + size};
    invariants          v = {.low = 0, .high = INFINITY};
    hs_instance        *in = decode(&b, &v.slow);
    const char         *broken;

    if (!in)
        return;
    v.in = in;
    g = (graph_sample){.in = in,
                       .n = hs_instance_tasks(in),
                       .m = hs_instance_cpus(in),
                       .k = hs_instance_gpus(in)};
    graph_sample_write_out(&g);
    if (g.n <= BRUTE_FORCE_TASKS && !hs_instance_has_graph(in)) {
        find_optimum(&v, &g);
    } else if (g.n <= GRAPH_BRUTE_FORCE_TASKS) {
        double best = graph_brute_force(&g);

        v.low = best * (1 - 1e-11);
        v.high = best * (1 + 1e-11);
    }
    broken = invariants_broken(&v);
    FUZZ_REQUIRE(!broken, "%s", broken);
    hs_instance_free(in);
}
