/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_LAW_H
#define TEST_PROPERTY_LITERAL_LAW_H

#include <string.h>

#include "literal_clock.h"

/* The shared state of the literal policies: tasks of each worker, completion times, replicas. */

enum { NOBODY = -1, TASKS = GRAPH_TASKS, WORKERS = 2 * GRAPH_WORKERS };

typedef enum state { BLOCKED, READY, TAKEN, DONE } state;

typedef struct lane {
    int    task, ahead; /* task that the worker has started; prefetched task */
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
    int                       node[TASKS]; /* node on which the finished task ran */
    int                       fifo[TASKS]; /* ready tasks in the order in which they became ready */
    size_t                    ready;
    hs_rank                   rank;
    double                    b[TASKS];
    int64_t                   moment[TASKS]; /* sequence number of a task's becoming ready,
                                                negative */
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

static inline bool law_has_name(const law *l, const char *name)
{
    return strcmp(l->rules->name, name) == 0;
}

static inline int worker_count(const law *l)
{
    return (int)(l->s->m + l->s->k);
}

/* Return the i-th worker: GPUs first, lower numbers first. */
static inline int worker_at(const law *l, int order)
{
    return (order + (int)l->s->m) % worker_count(l);
}

static inline bool is_gpu(const law *l, int worker)
{
    return worker >= (int)l->s->m;
}

/* Return the time of the worker's first decision. */
static inline double available_at(const law *l, int worker)
{
    return l->settings->available ? l->settings->available[worker] : 0;
}

/* Return whether the worker is available and runs nothing. */
static inline bool is_idle(const law *l, int worker)
{
    return l->lane[worker].task < 0 && available_at(l, worker) <= l->now;
}

static inline uint32_t node_of(const law *l, int worker)
{
    return hs_instance_memory_node(l->s->in, (unsigned)worker);
}

static inline double time_on(const law *l, int worker, int task)
{
    return is_gpu(l, worker) ? l->s->q[task] : l->s->p[task];
}

static inline double true_time(const law *l, int worker, int task)
{
    return hs_instance_time(l->rules->truth, (size_t)task, is_gpu(l, worker) ? HS_GPU : HS_CPU);
}

/* literal_rank.c */
double law_min_time(const graph_sample *s, size_t task);
int    law_compare_ranks(const law *l, int a, int b);
bool   law_has_higher_rank(const law *l, int a, int b);
bool   law_rank_is_path_length(const law *l);

/* literal_arrival.c */
double law_arrival(law *l, int task, int worker);
double law_longest_transfer(law *l, int task, int worker);
double law_awaited_bytes(law *l, int task, int worker);
void   law_start_transfers(law *l, int task, int worker);
double law_planned_arrival(law *l, int task, int worker);

/* literal_clock.c */
void   law_remove_from_fifo(law *l, int task);
void   law_start_at(law *l, int worker, int task, double start);
void   law_start_now(law *l, int worker, int task);
double law_end_of_running(const law *l, int worker);
double law_end_of_prefetched(const law *l, int worker);
void   law_abort_task(law *l, int worker, int task);

/* literal_choice.c */
void law_assign_types(law *l);
bool law_one_worker_acts(law *l);
bool law_one_worker_prefetches(law *l);

/* literal_queue.c */
bool law_dynamic_step(law *l);
bool law_rank_step(law *l);
bool law_dmda_step(law *l);
bool law_plan_step(law *l);
bool law_start_own_task(law *l, int worker);
void law_read_plan(law *l);

/* literal_late.c */
bool   law_steal_step(law *l);
double law_next_steal_time(const law *l);
void   law_simulate_plan(const graph_sample *s, const hs_schedule *plan, double *due);

#endif
