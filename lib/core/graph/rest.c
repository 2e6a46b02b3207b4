/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/rest.h"

#include <stdlib.h>
#include <string.h>

#include "core/builder.h"
#include "core/schedule_impl.h"

/* Construction of a rest. */
typedef struct work {
    const hs_instance   *in;
    const hs_graph      *graph; /* NULL: independent tasks */
    const unsigned char *skip;
    const uint32_t      *skip_worker;
    hsi_rest            *rest;
    hs_builder          *b;
    size_t              *first; /* first new row of each row, and the number of new rows */
    uint32_t            *left;  /* number of remaining tasks before each task, and of all */
    bool                *has;   /* by memory node: whether it has bytes of an old row */
    uint32_t             memories;
    bool                 has_links;
    size_t               pieces; /* handles made of bytes of done tasks */
} work;

static bool is_done(const work *w, size_t task)
{
    return w->skip[task];
}

/* Return the memory node that has what a done task made. */
static uint32_t memory_of(const work *w, size_t task)
{
    unsigned worker = w->skip_worker ? w->skip_worker[task] : HS_NONE;

    return worker < w->in->cpus + w->in->gpus ? hs_instance_memory_node(w->in, worker) : 0;
}

static hs_status set_memory(const work *w, size_t handle, uint32_t node)
{
    uint32_t hosts = (uint32_t)hs_instance_nodes(w->in);

    return node < hosts ? hs_builder_set_handle_memory(w->b, handle, HS_CPU, node)
                        : hs_builder_set_handle_memory(w->b, handle, HS_GPU, node - hosts);
}

/* Check that all predecessors of done tasks, through barriers too, are done. HS_EINVAL: they are
 * not. */
static hs_status check_order(const work *w)
{
    size_t vertices = w->graph ? w->graph->vertices : 0, count;
    bool   closed = true;
    bool  *open = calloc(vertices + 1, sizeof *open); /* vertices that are not done */

    if (!open)
        return HS_ENOMEM;
    for (size_t i = 0; closed && i < vertices; i++) {
        uint32_t        v = hsi_vertex_at_position(w->graph, i);
        const uint32_t *before = hsi_predecessors(w->graph, v, &count);

        for (size_t j = 0; j < count; j++)
            open[v] |= open[before[j]];
        if (hsi_is_barrier(w->graph, v))
            continue;
        closed = !(open[v] && is_done(w, v));
        open[v] = !is_done(w, v);
    }
    free(open);
    return closed ? HS_OK : HS_EINVAL;
}

static hs_status number_tasks(work *w)
{
    size_t    tasks = hs_instance_tasks(w->in);
    hsi_rest *rest = w->rest;
    uint32_t  count = 0;

    rest->tasks = tasks;
    rest->task = malloc((tasks + 1) * sizeof *rest->task);
    rest->number = malloc((tasks + 1) * sizeof *rest->number);
    w->first = calloc(hs_instance_rows(w->in) + 1, sizeof *w->first);
    w->left = calloc(tasks + 1, sizeof *w->left);
    w->memories = (uint32_t)hs_instance_nodes(w->in) + w->in->gpus + 1;
    w->has = calloc(w->memories, sizeof *w->has);
    if (!rest->task || !rest->number || !w->first || !w->left || !w->has)
        return HS_ENOMEM;
    for (uint32_t task = 0; task < tasks; task++) {
        w->left[task + 1] = w->left[task] + !is_done(w, task);
        rest->number[task] = is_done(w, task) ? HS_NONE : count;
        if (!is_done(w, task))
            rest->task[count++] = task;
    }
    return HS_OK;
}

static size_t first_of(const work *w, size_t row)
{
    return hsi_store_first_task(w->in->store, row);
}

static uint32_t count_of(const work *w, size_t row)
{
    return hsi_store_count(w->in->store, row);
}

/* Return the number of remaining tasks among the first `copies` of a row. */
static uint32_t count_left(const work *w, size_t row, uint32_t copies)
{
    size_t first = first_of(w, row);

    return w->left[first + copies] - w->left[first];
}

/* Return true if copy `copy` (from 1; 0: any copy) of a row is done. */
static bool has_done(const work *w, size_t row, uint32_t copy)
{
    return copy > 0 ? is_done(w, first_of(w, row) + copy - 1)
                    : count_left(w, row, count_of(w, row)) < count_of(w, row);
}

/* Return true if tasks of the row read bytes that done tasks made for them. */
static bool reads_pieces(const work *w, size_t row)
{
    size_t   before;
    uint32_t copy;
    double   bytes;

    for (size_t i = 0;
         w->has_links && hs_instance_predecessor(w->in, row, i, &before, &copy, &bytes); i++)
        if (bytes > 0 && has_done(w, before, copy))
            return true;
    return false;
}

static size_t new_rows(const work *w, size_t row)
{
    return w->first[row + 1] - w->first[row];
}

/* Add the remaining tasks of a row: one row with a count, or a row for each task. */
static hs_status add_row(work *w, size_t row, size_t *rows)
{
    uint32_t  left = count_left(w, row, count_of(w, row));
    bool      is_divided = left > 1 && reads_pieces(w, row);
    hs_task   task, plain;
    hs_status st = HS_OK;

    hs_instance_row(w->in, row, &task);
    hs_task_init(&plain);
    plain.cpu = task.cpu;
    plain.gpu = task.gpu;
    plain.priority = task.priority;
    plain.count = is_divided ? 1 : left;
    plain.restartable =
        hs_instance_is_restartable(w->in, first_of(w, row)) ? HS_RESTART_YES : HS_RESTART_NO;
    w->first[row] = *rows;
    *rows += is_divided ? left : left > 0;
    for (size_t i = w->first[row]; i < *rows && st == HS_OK; i++)
        st = hs_builder_add_row(w->b, &plain);
    return st;
}

static hs_status add_rows(work *w)
{
    size_t    rows = 0, row = 0;
    hs_status st = HS_OK;

    for (; row < hs_instance_rows(w->in) && st == HS_OK; row++)
        st = add_row(w, row, &rows);
    w->first[hs_instance_rows(w->in)] = rows;
    return st;
}

static hs_status add_machine(work *w)
{
    hs_status   st = hs_builder_set_workers(w->b, w->in->cpus, w->in->gpus);
    const char *name;
    unsigned    cpus, gpus;
    double      latency, bandwidth;

    if (st == HS_OK)
        st = hs_builder_set_unit(w->b, hs_instance_unit(w->in));
    for (size_t i = 0; st == HS_OK && (name = hs_instance_node(w->in, i, &cpus, &gpus)); i++)
        st = hs_builder_add_node(w->b, name, cpus, gpus);
    for (hs_link link = HS_H2D; link < HS_LINKS && st == HS_OK; link++)
        if (hs_instance_link(w->in, link, &latency, &bandwidth))
            st = hs_builder_set_link(w->b, link, latency, bandwidth);
    w->has_links = hs_instance_link(w->in, HS_H2D, &latency, &bandwidth);
    return st;
}

static hs_status add_handles(work *w)
{
    const char *name;
    size_t      same;
    hs_status   st = HS_OK;

    for (size_t i = 0; st == HS_OK && (name = hs_instance_handle_name(w->in, i)); i++) {
        st = hs_builder_add_handle(w->b, name, &same);
        if (st == HS_OK)
            st = hs_builder_set_handle_bytes(w->b, same, hs_instance_handle_bytes(w->in, i));
        if (st == HS_OK)
            st = set_memory(w, same, hs_instance_handle_memory_node(w->in, i));
        w->rest->handles++;
    }
    return st;
}

/* Move the handles to where done tasks left them, in the order of the program. */
static hs_status move_handles(const work *w)
{
    hs_status st = HS_OK;
    size_t    count;

    for (size_t task = 0; w->graph && task < hs_instance_tasks(w->in); task++) {
        const hs_access *access = hsi_accesses(w->graph, task, &count);

        for (size_t i = 0; is_done(w, task) && i < count && st == HS_OK; i++)
            if (access[i].mode & HS_WRITE)
                st = set_memory(w, access[i].data, memory_of(w, task));
    }
    return st;
}

/* Let a new row read bytes that done tasks have made for it, which are in a memory node. */
static hs_status add_piece(work *w, size_t new_row, uint32_t memory, double bytes)
{
    char      name[1 + sizeof w->pieces] = {0}; /* no other name begins with NUL */
    size_t    handle;
    hs_status st;

    memcpy(name + 1, &w->pieces, sizeof w->pieces);
    w->pieces++;
    st = hsi_builder_add_handle(w->b, (hsi_text){name, sizeof name}, &handle);
    if (st == HS_OK)
        st = hs_builder_set_handle_bytes(w->b, handle, bytes);
    if (st == HS_OK)
        st = set_memory(w, handle, memory);
    return st == HS_OK ? hs_builder_add_access(w->b, new_row, handle, HS_READ) : st;
}

/* Add the bytes of done copies of an old row to all new rows of `row`: a piece for each memory that
 * has some. The pieces of one memory would arrive together. */
static hs_status add_pieces(work *w, size_t row, size_t before, uint32_t copy, double bytes)
{
    size_t    from = first_of(w, before) + (copy > 0 ? copy - 1 : 0);
    size_t    to = copy > 0 ? from + 1 : from + count_of(w, before);
    hs_status st = HS_OK;

    if (bytes == 0 || !w->has_links || !has_done(w, before, copy))
        return HS_OK;
    memset(w->has, 0, w->memories * sizeof *w->has);
    for (size_t task = from; task < to; task++)
        if (is_done(w, task))
            w->has[memory_of(w, task)] = true;
    for (uint32_t m = 0; m < w->memories; m++)
        for (size_t i = w->first[row]; w->has[m] && i < w->first[row + 1] && st == HS_OK; i++)
            st = add_piece(w, i, m, bytes);
    return st;
}

/* Add a predecessor of a new row: the remaining copies of an old row, or one of them. */
static hs_status add_left(work *w, size_t new_row, size_t before, uint32_t copy, double bytes)
{
    uint32_t  at = copy > 0 ? count_left(w, before, copy) : 0;
    hs_status st = HS_OK;

    if (copy > 0 && new_rows(w, before) > 1)
        return hs_builder_add_predecessor(w->b, new_row, w->first[before] + at - 1, 1, bytes);
    for (size_t i = w->first[before]; i < w->first[before + 1] && st == HS_OK; i++)
        st = hs_builder_add_predecessor(w->b, new_row, i, at, bytes);
    return st;
}

/* Add an entry of `after` of an old row to its new rows. */
static hs_status add_predecessor(work *w, size_t row, size_t before, uint32_t copy, double bytes)
{
    hs_status st = add_pieces(w, row, before, copy, bytes);

    if (copy > 0 && has_done(w, before, copy))
        return st;
    for (size_t i = w->first[row]; i < w->first[row + 1] && st == HS_OK; i++)
        st = add_left(w, i, before, copy, bytes);
    return st;
}

static hs_status add_relations(work *w, size_t row)
{
    size_t         other;
    uint32_t       copy;
    double         bytes;
    hs_access_mode mode;
    hs_status      st = HS_OK;

    for (size_t i = 0; st == HS_OK && hs_instance_access(w->in, row, i, &other, &mode); i++)
        for (size_t j = w->first[row]; j < w->first[row + 1] && st == HS_OK; j++)
            st = hs_builder_add_access(w->b, j, other, mode);
    for (size_t i = 0; st == HS_OK && hs_instance_predecessor(w->in, row, i, &other, &copy, &bytes);
         i++)
        st = add_predecessor(w, row, other, copy, bytes);
    return st;
}

static hs_status build(work *w)
{
    hs_status st = hs_builder_create(&w->b);

    if (st == HS_OK)
        st = add_machine(w);
    if (st == HS_OK)
        st = add_rows(w);
    if (st == HS_OK)
        st = add_handles(w);
    if (st == HS_OK)
        st = move_handles(w);
    for (size_t row = 0; row < hs_instance_rows(w->in) && w->graph && st == HS_OK; row++)
        st = add_relations(w, row);
    return st == HS_OK ? hs_builder_finish(w->b, &w->rest->in, NULL) : st;
}

hs_status hsi_rest_open(hsi_rest *rest, const hs_instance *in, const unsigned char *skip,
                        const uint32_t *skip_worker)
{
    work      w = {.in = in, .skip = skip, .skip_worker = skip_worker, .rest = rest};
    hs_status st = hsi_require_known_times(in);

    *rest = (hsi_rest){0};
    if (st == HS_OK)
        st = hsi_graph_of(in, NULL, &w.graph);
    if (st == HS_OK)
        st = check_order(&w);
    if (st == HS_OK)
        st = number_tasks(&w);
    if (st == HS_OK)
        st = build(&w);
    free(w.first);
    free(w.left);
    free(w.has);
    hs_builder_free(w.b);
    if (st != HS_OK)
        hsi_rest_close(rest);
    return st;
}

void hsi_rest_close(hsi_rest *rest)
{
    hs_instance_free(rest->in);
    free(rest->task);
    free(rest->number);
    *rest = (hsi_rest){0};
}

void hsi_rest_rename(const hsi_rest *rest, hs_schedule *s)
{
    hs_transfer *transfer = s->transfers.data;

    for (size_t i = 0; i < hs_schedule_entry_count(s); i++)
        s->entries[i].task = rest->task[s->entries[i].task];
    for (size_t i = 0; i < s->transfers.size / sizeof *transfer; i++)
        if (transfer[i].data != HS_NONE && transfer[i].data >= rest->handles)
            transfer[i].data = HS_NONE;
}

hs_status hsi_rest_schedule(const hsi_rest *rest, const hs_schedule *whole, hs_schedule **out)
{
    unsigned      cpus = hs_schedule_cpus(whole), gpus = hs_schedule_gpus(whole);
    hs_placement *all = malloc((hs_schedule_entry_count(whole) + 1) * sizeof *all);
    size_t        count, size = 0;
    hs_status     st = all ? HS_OK : HS_ENOMEM;

    for (unsigned worker = 0; st == HS_OK && worker < cpus + gpus; worker++) {
        const hs_entry *e = hs_schedule_entries(whole, worker, &count);

        for (size_t i = 0; i < count && st == HS_OK; i++) {
            uint32_t task = e[i].task < rest->tasks ? rest->number[e[i].task] : HS_NONE;

            if (task == HS_NONE)
                st = HS_EINVAL;
            all[size++] = (hs_placement){e[i].start, e[i].end, task, worker, e[i].state};
        }
    }
    if (st == HS_OK)
        st = hs_schedule_build(cpus, gpus, size, all, out);
    free(all);
    return st;
}
