/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_LAW_H
#define TEST_PROPERTY_LITERAL_LAW_H

#include <string.h>

#include "literal_clock.h"

/* The shared state of the literal policies: tasks of each worker, completion times, replicas. */

enum { NOBODY = -1, TASKS = GRAPH_TASKS, WORKERS = 2 * GRAPH_WORKERS };

typedef enum state { BLOCKED, READY, TAKEN, DONE } state;

typedef struct lane {
    int    task, ahead; /* held task; prefetched task */
    double start, there;
    int    queue[TASKS]; /* assigned tasks */
    size_t waiting;
    double estimate; /* end of the assigned tasks, as estimated at the last assignment */
} lane;

typedef struct law {
    const graph_sample       *s;
    const literal_rules      *rules;
    const hs_policy_settings *settings;
    double                    now;
    lane                      lane[WORKERS];
    state                     state[TASKS];
    double                    done_at[TASKS];
    int                       node[TASKS]; /* node on which the task ran */
    int                       fifo[TASKS]; /* ready tasks in the order in which they became ready */
    size_t                    ready;
    hs_rank                   rank;
    double                    b[TASKS];
    int64_t                   moment[TASKS]; /* sequence number of becoming ready, negative */
    int64_t                   moments;
    int                       on_gpu[TASKS];                            /* dualhp: assigned type */
    double                    key[TASKS];                               /* d-rank: key */
    double                    piece[TASKS][TASKS][GRAPH_NODES];         /* arrivals; -1: none */
    double                    copy[TASKS + 1][GRAPH_DATA][GRAPH_NODES]; /* index: writer + 1 */
    int                       list[WORKERS][TASKS];                     /* plan: lists */
    size_t                    listed[WORKERS], at[WORKERS];
    double                    due[TASKS];                               /* plan+steal: due */
    hs_placement             *out;
    size_t                    count, most;
} law;

static inline bool is_named(const law *l, const char *name)
{
    return strcmp(l->rules->name, name) == 0;
}

static inline int workers(const law *l)
{
    return (int)(l->s->m + l->s->k);
}

/* Return the i-th worker: GPUs first, lower numbers first. */
static inline int worker_at(const law *l, int i)
{
    return (i + (int)l->s->m) % workers(l);
}

static inline bool is_gpu(const law *l, int w)
{
    return w >= (int)l->s->m;
}

static inline uint32_t node_of(const law *l, int w)
{
    return is_gpu(l, w) ? (uint32_t)(w - (int)l->s->m + 1) : 0;
}

static inline double time_on(const law *l, int w, int t)
{
    return is_gpu(l, w) ? l->s->q[t] : l->s->p[t];
}

static inline double true_time(const law *l, int w, int t)
{
    return hs_instance_time(l->rules->truth, (size_t)t, is_gpu(l, w) ? HS_GPU : HS_CPU);
}

/* literal_rank.c */
double law_min_time(const graph_sample *s, size_t t);
int    law_compare_ranks(const law *l, int a, int b);
bool   law_has_higher_rank(const law *l, int a, int b);
bool   law_is_length(const law *l);

/* literal_transfer.c */
double law_arrival(law *l, int t, int w);
double law_longest_transfer(law *l, int t, int w);
void   law_start_transfers(law *l, int t, int w);
double law_planned_arrival(law *l, int t, int w);

/* literal_clock.c */
void   law_leave_fifo(law *l, int t);
void   law_hold_from(law *l, int w, int t, double start);
void   law_hold(law *l, int w, int t);
double law_end_of(const law *l, int w);
double law_end_of_ahead(const law *l, int w);
void   law_give_up(law *l, int w, int t);

/* literal_choice.c */
void law_assign_types(law *l);
bool law_one_acts(law *l);
bool law_one_looks_ahead(law *l);

/* literal_queue.c */
bool law_dynamic_step(law *l);
bool law_rank_step(law *l);
bool law_dmda_step(law *l);
bool law_plan_step(law *l);
bool law_start_own(law *l, int w);
void law_read_plan(law *l);

/* literal_late.c */
bool   law_late_step(law *l);
double law_late_moment(const law *l);
void   law_rehearse(const graph_sample *s, const hs_schedule *plan, double *due);

#endif
