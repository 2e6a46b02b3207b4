/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/problem.h"

#include <math.h>

#include "core/instance_store.h"
#include "support/sort.h"

/* Return an array of infinite times; incomplete, and unused, after a cancel. */
static const double *all_infinite(hsi_arena *arena, size_t count, hsi_token *token)
{
    double *array = hsi_arena_alloc(arena, count, sizeof *array);
    size_t  i;

    for (i = 0; array && i < count && !hsi_poll_at_iteration(token, i); i++)
        array[i] = INFINITY;
    return array;
}

static hs_status replace_absent_types(hsi_problem *pb, hsi_arena *arena)
{
    if (pb->m == 0) {
        pb->p = all_infinite(arena, pb->n, pb->token);
        if (!pb->p)
            return HS_ENOMEM;
    }
    if (pb->k == 0) {
        pb->q = all_infinite(arena, pb->n, pb->token);
        if (!pb->q)
            return HS_ENOMEM;
    }
    return HS_OK;
}

/* Expand a column of 8 bytes per row to 8 bytes per task. */
static void *expand_column(const hsi_store *store, hsi_arena *arena, const void *column,
                           hsi_token *token)
{
    const uint64_t *from = column;
    uint64_t       *to = hsi_arena_alloc(arena, store->tasks, sizeof *to);
    size_t          row, task = 0;

    if (!to)
        return NULL;
    for (row = 0; row < store->rows; row++)
        for (; task < store->first[row + 1]; task++) {
            if (hsi_poll_at_iteration(token, task))
                return to;
            to[task] = from[row];
        }
    return to;
}

/* Expand the columns of the rows to the tasks; times of a type without workers are replaced
 * later. */
static hs_status expand_counts(const hsi_store *store, hsi_arena *arena, hsi_problem *pb)
{
    pb->n = store->tasks;
    pb->count = NULL;
    if (pb->m)
        pb->p = expand_column(store, arena, hsi_store_times(store, HSI_CPU), pb->token);
    if (pb->k)
        pb->q = expand_column(store, arena, hsi_store_times(store, HSI_GPU), pb->token);
    if (pb->priority)
        pb->priority = expand_column(store, arena, pb->priority, pb->token);
    return pb->p && pb->q && (pb->priority || !hsi_store_has(store, HSI_PRIORITY)) ? HS_OK
                                                                                   : HS_ENOMEM;
}

/* Find the restartable tasks. NULL stands for "all tasks", as in most instances. */
static hs_status find_restartable(const hs_instance *in, hsi_arena *arena, hsi_problem *pb)
{
    const hsi_store *store = in->store;
    unsigned char   *restartable;
    size_t           i;

    if (!hsi_store_has(store, HSI_RESTARTABLE) && !hsi_store_has(store, HSI_CPU_COMMAND) &&
        !hsi_store_has(store, HSI_GPU_COMMAND))
        return HS_OK;
    restartable = hsi_arena_alloc(arena, pb->n, 1);
    if (!restartable)
        return HS_ENOMEM;
    for (i = 0; i < pb->n && !hsi_poll_at_iteration(pb->token, i); i++)
        restartable[i] = (unsigned char)hs_instance_is_restartable(
            in, pb->count ? hsi_store_first_task(store, i) : i);
    pb->restartable = restartable;
    return HS_OK;
}

/* Open a view without memory of its own. HS_EUNKNOWN: an instance with unknown times has none. */
static hs_status open_rows(const hs_instance *in, hsi_token *token, hsi_problem *pb)
{
    const hsi_store *store = in->store;

    *pb = (hsi_problem){.n = store->rows,
                        .m = in->cpus,
                        .k = in->gpus,
                        .p = hsi_store_times(store, HSI_CPU),
                        .q = hsi_store_times(store, HSI_GPU),
                        .priority = hsi_store_priorities(store),
                        .count = hsi_store_counts(store),
                        .token = token};
    return hsi_require_known_times(in);
}

/* Open a view of rows that are reused: times are infinite for a type without workers. */
static void view_recycled_rows(const hs_instance *in, hsi_problem *pb)
{
    const hsi_recycled_rows *rows = in->store->recycled;

    pb->restartable = rows->restartable;
    pb->graph = rows->graph;
    pb->links = &in->store->relations->links;
    pb->nodes = hsi_several_nodes(in);
    pb->in = in;
}

static hs_status check_cancel(const hsi_problem *pb)
{
    return pb->token && pb->token->cancelled ? HS_ECANCELED : HS_OK;
}

static hs_status open_tasks(const hs_instance *in, hsi_arena *arena, int by_rows, hsi_token *token,
                            hsi_problem *pb)
{
    hs_status st;

    st = open_rows(in, token, pb);
    if (st != HS_OK)
        return st;
    if (in->store->recycled) {
        view_recycled_rows(in, pb);
        return HS_OK;
    }
    if (hsi_store_has_graph(in->store)) {
        by_rows = 0;
        pb->links = &in->store->relations->links;
        pb->nodes = hsi_several_nodes(in);
        pb->in = in;
        st = hsi_graph_of(in, token, &pb->graph);
        if (st != HS_OK)
            return st;
    }
    if (hsi_store_has(in->store, HSI_COUNT) && by_rows)
        pb->first = in->store->first;
    else if (hsi_store_has(in->store, HSI_COUNT))
        st = expand_counts(in->store, arena, pb);
    if (st == HS_OK)
        st = find_restartable(in, arena, pb);
    if (st == HS_OK)
        st = replace_absent_types(pb, arena);
    return st == HS_OK ? check_cancel(pb) : st;
}

hs_status hsi_problem_open_in(hsi_arena *arena, const hs_instance *in, int by_rows,
                              hsi_token *token, hsi_problem *pb)
{
    hs_status st = open_tasks(in, arena, by_rows, token, pb);

    pb->arena = arena;
    return st;
}

hs_status hsi_problem_of_tasks(const hs_instance *in, hsi_token *token, hsi_problem *pb)
{
    hsi_arena own = {0};
    hs_status st = open_tasks(in, &own, 0, token, pb);

    pb->own = own;
    if (st != HS_OK)
        hsi_problem_close(pb);
    return st;
}

hs_status hsi_problem_of_rows(const hs_instance *in, hsi_token *token, hsi_problem *pb)
{
    hs_status st;

    st = open_rows(in, token, pb);
    if (st == HS_OK)
        st = replace_absent_types(pb, &pb->own);
    if (st == HS_OK)
        st = check_cancel(pb);
    if (st != HS_OK)
        hsi_problem_close(pb);
    return st;
}

static int kind_before(const void *context, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = context;

    if (pb->p[a] != pb->p[b])
        return pb->p[a] < pb->p[b];
    if (pb->q[a] != pb->q[b])
        return pb->q[a] < pb->q[b];
    return a < b;
}

static bool are_same_kind(const hsi_problem *pb, uint32_t a, uint32_t b)
{
    return pb->p[a] == pb->p[b] && pb->q[a] == pb->q[b];
}

/* Sort the items by kind and count the kinds. */
static hs_status sort_kinds(const hsi_problem *pb, uint32_t *order, uint32_t *scratch,
                            size_t *count)
{
    size_t i;

    for (i = 0; i < pb->n; i++)
        order[i] = (uint32_t)i;
    if (hsi_sort_indices_polling(order, scratch, pb->n, kind_before, pb, pb->token))
        return HS_ECANCELED;
    *count = 0;
    for (i = 0; i < pb->n && !hsi_poll_after_work(pb->token, 16); i++)
        *count += i == 0 || !are_same_kind(pb, order[i - 1], order[i]);
    return check_cancel(pb);
}

static hs_status gather_kinds(const hsi_problem *pb, const uint32_t *order, size_t count,
                              hsi_problem *kinds, uint32_t *kind_of)
{
    double   *p = hsi_arena_alloc(&kinds->own, count, sizeof *p);
    double   *q = hsi_arena_alloc(&kinds->own, count, sizeof *q);
    uint32_t *copies = hsi_arena_alloc(&kinds->own, count, sizeof *copies);
    size_t    i, kind = 0;

    if (!p || !q || !copies)
        return HS_ENOMEM;
    for (i = 0; i < pb->n; i++) {
        uint32_t item = order[i];

        if (hsi_poll_after_work(pb->token, 16))
            return HS_ECANCELED;
        if (i == 0 || !are_same_kind(pb, order[i - 1], item)) {
            kind = kinds->n++;
            p[kind] = pb->p[item];
            q[kind] = pb->q[item];
            copies[kind] = 0;
        }
        copies[kind] += hsi_row_count(pb, item);
        if (kind_of)
            kind_of[item] = (uint32_t)kind;
    }
    kinds->p = p;
    kinds->q = q;
    kinds->count = copies;
    return HS_OK;
}

hs_status hsi_problem_of_kinds(const hsi_problem *pb, size_t most, hsi_problem *kinds,
                               uint32_t *kind_of)
{
    hsi_arena scratch = {0};
    uint32_t *order = hsi_arena_alloc(&scratch, 2 * pb->n, sizeof *order);
    hs_status st = HS_ENOMEM;
    size_t    count;

    *kinds = (hsi_problem){.m = pb->m, .k = pb->k};
    if (order) {
        st = sort_kinds(pb, order, order + pb->n, &count);
        if (st == HS_OK)
            st = count > most ? HS_ETOOBIG : gather_kinds(pb, order, count, kinds, kind_of);
    }
    hsi_arena_close(&scratch);
    if (st != HS_OK)
        hsi_problem_close(kinds);
    return st;
}

void hsi_problem_close(hsi_problem *pb)
{
    hsi_arena_close(&pb->own);
}

static bool is_whole(double time)
{
    return isinf(time) || (time == floor(time) && time <= 0x1p44);
}

bool hsi_problem_has_whole_times(const hsi_problem *pb)
{
    size_t i;

    for (i = 0; i < pb->n; i++)
        if (!is_whole(pb->p[i]) || !is_whole(pb->q[i]))
            return false;
    return true;
}
