/* SPDX-License-Identifier: BSD-3-Clause */
#include "refine/graph/time_windows.h"

#include <math.h>
#include <string.h>

static const double room = 1e-12; /* relative margin for rounding errors of sums */

static double time_on(const hsi_windows *w, uint32_t task, int type)
{
    return type == HS_CPU ? w->arcs->pb->p[task] : w->arcs->pb->q[task];
}

/* Return the transfer time of an arc between types; 0 between GPUs, since both may be the same
 * GPU. */
static double move_time(const hsi_windows *w, const hsi_arc *arc, int from, int to)
{
    return from == to ? 0 : w->arcs->move[HS_LINKS * arc->move + (from == HS_CPU ? HS_H2D : HS_D2H)];
}

static void find_sets(hsi_windows *w)
{
    const hsi_arcs *arcs = w->arcs;

    for (uint32_t place = w->n; place-- > 0;) {
        uint32_t task = arcs->order[place];

        for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
            const hsi_arc *arc = &arcs->after[i];

            w->follow[task] |= 1ull << arc->task | w->follow[arc->task];
            w->lead[arc->task] |= 1ull << task;
            for (int type = HS_CPU; type <= HS_GPU; type++)
                w->leaving[task][type] =
                    fmax(w->leaving[task][type], hsi_longest_arc_transfer(arcs, arc, type));
        }
    }
}

/* Sort by insertion, since tasks are few. Infinite times are sorted correctly. */
static void sort_by_ratio(hsi_windows *w)
{
    const hsi_problem *pb = w->arcs->pb;

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t at = i;

        for (; at > 0; at--) {
            uint32_t other = w->by_ratio[at - 1];

            if (pb->p[other] / pb->q[other] >= pb->p[i] / pb->q[i])
                break;
            w->by_ratio[at] = other;
        }
        w->by_ratio[at] = i;
    }
}

hs_status hsi_windows_open(hsi_windows *w, const hsi_arcs *arcs)
{
    hs_status st;

    memset(w, 0, sizeof *w);
    if (arcs->pb->n > HSI_SCHEDULE_TREE_TASKS)
        return HS_ETOOBIG;
    w->arcs = arcs;
    w->n = (uint32_t)arcs->pb->n;
    st = hsi_arcs_reverse(arcs, &w->arena, &w->before_at, &w->before);
    if (st != HS_OK)
        return st;
    find_sets(w);
    sort_by_ratio(w);
    for (uint32_t task = 0; task < w->n; task++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            w->initial[task][type] = hsi_earliest_initial_data(arcs, task, (hs_type)type);
    return HS_OK;
}

void hsi_windows_close(hsi_windows *w)
{
    hsi_arena_close(&w->arena);
}

/* Return the CPU time that the tasks of a set need, cut at will, if GPUs have `gpus` time for them;
 * INFINITY: the tasks of GPUs alone need more. `open`: types that each task may use, or NULL. */
static double need_of_cpus(const hsi_windows *w, uint64_t set, double gpus, int (*open)[2])
{
    const hsi_problem *pb = w->arcs->pb;
    double             need = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t task = w->by_ratio[i];
        double   p = pb->p[task], q = pb->q[task];

        if (!(set >> task & 1))
            continue;
        if (open && !open[task][HS_CPU])
            p = INFINITY;
        if (isinf(p))
            gpus -= q;
        else if (isinf(q) || (open && !open[task][HS_GPU]))
            need += p;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t task = w->by_ratio[i];
        double   p = pb->p[task], q = pb->q[task];

        if (!(set >> task & 1) || isinf(p) || isinf(q) ||
            (open && !(open[task][HS_CPU] && open[task][HS_GPU])))
            continue;
        if (gpus >= q) {
            gpus -= q;
        } else {
            need += gpus > 0 ? p * (1 - gpus / q) : p;
            gpus = fmin(gpus, 0);
        }
    }
    return gpus < 0 ? INFINITY : need;
}

/* Return the least time that the tasks of a set take on idle workers, cut at will. */
static double span_of(const hsi_windows *w, uint64_t set)
{
    const hsi_problem *pb = w->arcs->pb;
    double             low = 0, high = 0;

    for (uint32_t task = 0; task < w->n; task++)
        if (set >> task & 1)
            high += fmin(pb->p[task], pb->q[task]);
    for (int step = 0; step < 40; step++) {
        double middle = low + (high - low) / 2;

        if (need_of_cpus(w, set, pb->k * middle, NULL) > pb->m * middle)
            low = middle;
        else
            high = middle;
    }
    return low * (1 - room);
}

static double least_tail(const hsi_windows *w, uint32_t task)
{
    double cpu = w->open[task][HS_CPU] ? w->tail[task][HS_CPU] : INFINITY;
    double gpu = w->open[task][HS_GPU] ? w->tail[task][HS_GPU] : INFINITY;

    return fmin(cpu, gpu);
}

/* Return the least time from a task's end to the end of the graph, by the loads of its successors:
 * for each tail length, the successors with a tail at least as long run before it. */
static double tail_of_loads(const hsi_windows *w, uint32_t task)
{
    double longest = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        uint64_t set = 0;
        double   tail;

        if (!(w->follow[task] >> i & 1))
            continue;
        tail = least_tail(w, i);
        for (uint32_t j = 0; j < w->n; j++)
            if (w->follow[task] >> j & 1 && least_tail(w, j) >= tail)
                set |= 1ull << j;
        longest = fmax(longest, tail + span_of(w, set));
    }
    return longest;
}

/* Return the longest path after a task, over the types open for its successors. */
static double tail_of_paths(const hsi_windows *w, uint32_t task, int type)
{
    const hsi_arcs *arcs = w->arcs;
    double          longest = 0;

    for (size_t i = arcs->after_at[task]; i < arcs->after_at[task + 1]; i++) {
        const hsi_arc *arc = &arcs->after[i];
        double         length = INFINITY;

        for (int to = HS_CPU; to <= HS_GPU; to++)
            if (w->open[arc->task][to])
                length = fmin(length, move_time(w, arc, type, to) + time_on(w, arc->task, to) +
                                          w->tail[arc->task][to]);
        longest = fmax(longest, length);
    }
    return longest;
}

static void find_tails(hsi_windows *w)
{
    for (uint32_t place = w->n; place-- > 0;) {
        uint32_t task = w->arcs->order[place];
        double   loads = tail_of_loads(w, task);

        for (int type = HS_CPU; type <= HS_GPU; type++)
            w->tail[task][type] = fmax(loads, tail_of_paths(w, task, type));
    }
}

/* Return the arrival of an arc's data: as decided, or the earliest possible one. */
static double earliest_arrival(const hsi_windows *w, const hsi_partial *partial, const hsi_arc *arc,
                               int type)
{
    double arrival = INFINITY;

    if (partial->done >> arc->task & 1)
        return partial->end[arc->task] +
               move_time(w, arc, (int)hsi_type_at(w->arcs, partial->place[arc->task]), type);
    for (int from = HS_CPU; from <= HS_GPU; from++)
        if (w->open[arc->task][from])
            arrival = fmin(arrival, w->head[arc->task][from] + time_on(w, arc->task, from) +
                                        move_time(w, arc, from, type));
    return arrival;
}

/* Return when the first worker of a type is free, not before the latest start. */
static double first_free(const hsi_windows *w, const hsi_partial *partial, int type)
{
    const hsi_problem *pb = w->arcs->pb;
    uint32_t           from = type == HS_CPU ? 0 : pb->m, count = type == HS_CPU ? pb->m : pb->k;
    double             first = INFINITY;

    for (uint32_t i = from; i < from + count; i++)
        first = fmin(first, partial->free_at[i]);
    return fmax(first, partial->last);
}

/* Compute earliest starts and open types. Return false if a task has no window on either type. */
static bool find_heads(hsi_windows *w, const hsi_partial *partial)
{
    double free_at[2] = {first_free(w, partial, HS_CPU), first_free(w, partial, HS_GPU)};

    for (uint32_t place = 0; place < w->n; place++) {
        uint32_t task = w->arcs->order[place];

        if (partial->done >> task & 1)
            continue;
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            double head = fmax(free_at[type], w->initial[task][type]);

            for (size_t i = w->before_at[task]; i < w->before_at[task + 1]; i++)
                head = fmax(head, earliest_arrival(w, partial, &w->before[i], type));
            w->head[task][type] = head;
            w->open[task][type] =
                head + time_on(w, task, type) + w->tail[task][type] < w->cutoff * (1 + room);
        }
        if (!w->open[task][HS_CPU] && !w->open[task][HS_GPU])
            return false;
    }
    return true;
}

/* Return the time that workers of a type have between `begin` and the cutoff minus `tail`. */
static double time_left(const hsi_windows *w, const hsi_partial *partial, int type, double begin,
                        double tail)
{
    const hsi_problem *pb = w->arcs->pb;
    uint32_t           from = type == HS_CPU ? 0 : pb->m, count = type == HS_CPU ? pb->m : pb->k;
    double             sum = 0;

    for (uint32_t i = from; i < from + count; i++)
        sum += fmax(0, w->cutoff - tail - fmax(begin, partial->free_at[i]));
    return sum * (1 + 100 * room) + room * w->cutoff;
}

static bool loads_fit(hsi_windows *w, const hsi_partial *partial, double tail)
{
    uint64_t set = 0;
    double   begin[2] = {INFINITY, INFINITY};

    for (uint32_t task = 0; task < w->n; task++) {
        if (partial->done >> task & 1 || least_tail(w, task) < tail)
            continue;
        set |= 1ull << task;
        for (int type = HS_CPU; type <= HS_GPU; type++)
            if (w->open[task][type])
                begin[type] = fmin(begin[type], w->head[task][type]);
    }
    return need_of_cpus(w, set, time_left(w, partial, HS_GPU, begin[HS_GPU], tail), w->open) <=
           time_left(w, partial, HS_CPU, begin[HS_CPU], tail);
}

bool hsi_windows_can_complete(hsi_windows *w, const hsi_partial *partial)
{
    double done = -1;

    if (!find_heads(w, partial))
        return false;
    for (uint32_t task = 0; task < w->n; task++) {
        double tail = least_tail(w, task);

        if (partial->done >> task & 1 || tail == done)
            continue;
        if (!loads_fit(w, partial, tail))
            return false;
        done = tail;
    }
    return true;
}

static void open_all(hsi_windows *w)
{
    for (uint32_t task = 0; task < w->n; task++)
        for (int type = HS_CPU; type <= HS_GPU; type++)
            w->open[task][type] = isfinite(time_on(w, task, type));
}

static uint64_t count_open(const hsi_windows *w)
{
    uint64_t count = 0;

    for (uint32_t task = 0; task < w->n; task++)
        count += (uint64_t)(w->open[task][HS_CPU] + w->open[task][HS_GPU]);
    return count;
}

/* Closing types lengthens tails, which may close more types: repeat until stable. */
bool hsi_windows_set_cutoff(hsi_windows *w, const hsi_partial *empty_schedule, double cutoff)
{
    uint64_t before;

    w->cutoff = cutoff;
    open_all(w);
    do {
        before = count_open(w);
        find_tails(w);
        if (!hsi_windows_can_complete(w, empty_schedule))
            return false;
    } while (count_open(w) < before);
    return true;
}

double hsi_windows_largest_refuted(hsi_windows *w, const hsi_partial *empty_schedule, double low,
                                   double high)
{
    const double near_enough = 1e-9;

    while (high - low > near_enough * high) {
        double middle = low + (high - low) / 2;

        if (!(middle > low))
            break; /* low and high are neighbours among the numbers of nine digits */
        if (hsi_windows_set_cutoff(w, empty_schedule, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}
