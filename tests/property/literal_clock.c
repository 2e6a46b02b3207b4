/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal_clock.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "literal.h"

enum { NOBODY = -1, TASKS = GRAPH_TASKS, WORKERS = 2 * GRAPH_WORKERS };

typedef enum state { BLOCKED, READY, TAKEN, DONE } state;

typedef struct lane {
    int    task, ahead; /* it holds; waits for it, chosen ahead */
    double start, there;
    int    queue[TASKS]; /* was assigned to it */
    size_t waiting;
    double estimate; /* when it will have done all it has, from its last assignment */
} lane;

typedef struct law {
    const graph_sample       *s;
    const literal_rules      *rules;
    const hs_policy_settings *settings;
    double                    now;
    lane                      lane[WORKERS];
    state                     state[TASKS];
    double                    done_at[TASKS];
    int                       node[TASKS]; /* where it was done */
    int                       fifo[TASKS]; /* ready, in the order in which they became so */
    size_t                    ready;
    hs_rank                   rank;
    double                    b[TASKS];
    int64_t                   moment[TASKS]; /* at which it became ready, counted backwards */
    int64_t                   moments;
    int                       on_gpu[TASKS];                            /* dualhp */
    double                    key[TASKS];                               /* d-rank */
    double                    piece[TASKS][TASKS][GRAPH_NODES];         /* copies; -1: none */
    double                    copy[TASKS + 1][GRAPH_DATA][GRAPH_NODES]; /* by writer + 1 */
    int                       list[WORKERS][TASKS];                     /* plan */
    size_t                    listed[WORKERS], at[WORKERS];
    hs_placement             *out;
    size_t                    count, most;
} law;

static int is_named(const law *l, const char *name)
{
    return strcmp(l->rules->name, name) == 0;
}

static int workers(const law *l)
{
    return (int)(l->s->m + l->s->k);
}

/* GPUs first, lower numbers first. */
static int worker_at(const law *l, int i)
{
    return (i + (int)l->s->m) % workers(l);
}

static int is_gpu(const law *l, int w)
{
    return w >= (int)l->s->m;
}

static uint32_t node_of(const law *l, int w)
{
    return is_gpu(l, w) ? (uint32_t)(w - (int)l->s->m + 1) : 0;
}

static double time_on(const law *l, int w, int t)
{
    return is_gpu(l, w) ? l->s->q[t] : l->s->p[t];
}

static double true_time(const law *l, int w, int t)
{
    return hs_instance_time(l->rules->truth, (size_t)t, is_gpu(l, w) ? HS_GPU : HS_CPU);
}

/* ---- ranks */

static double min_time(const graph_sample *s, size_t t)
{
    return fmin(s->p[t], s->q[t]);
}

static double mean_time(const graph_sample *s, size_t t)
{
    if (isinf(s->p[t]) || isinf(s->q[t]))
        return min_time(s, t);
    return (s->m * s->p[t] + s->k * s->q[t]) / (s->m + s->k);
}

static double mean_transfer(const graph_sample *s, size_t t, size_t next)
{
    double bytes = s->bytes[t][next], m = s->m, k = s->k;

    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (s->mode[next][d] & HS_READ && s->writer[next][d] == (int)t)
            bytes = fmax(bytes, s->size[d]);
    return (m * k *
                (hs_instance_transfer(s->in, 0, 1, bytes) +
                 hs_instance_transfer(s->in, 1, 0, bytes)) +
            k * (k - 1) * hs_instance_transfer(s->in, 1, 2, bytes)) /
           ((m + k) * (m + k));
}

void literal_ranks(const graph_sample *s, hs_rank rank, double *out)
{
    for (size_t place = s->n; place-- > 0;)
        for (size_t t = 0; t < s->n; t++) {
            double way = 0;

            if (s->position[t] != place)
                continue;
            for (size_t next = 0; next < s->n; next++)
                if (s->edge[t][next])
                    way = fmax(way,
                               (rank == HS_RANK_AVG ? mean_transfer(s, t, next) : 0) + out[next]);
            out[t] = (rank == HS_RANK_AVG ? mean_time(s, t) : min_time(s, t)) + way;
        }
}

void literal_next_ranks(const graph_sample *s, double *out)
{
    for (size_t t = 0; t < s->n; t++) {
        double way = 0;

        for (size_t next = 0; next < s->n; next++)
            if (s->edge[t][next])
                way = fmax(way, mean_transfer(s, t, next) + mean_time(s, next));
        out[t] = mean_time(s, t) + way;
    }
}

/* Sign of rank a - rank b. */
static int compare_ranks(const law *l, int a, int b)
{
    switch (l->rank) {
    case HS_RANK_GIVEN:
        return (l->s->priority[a] > l->s->priority[b]) - (l->s->priority[a] < l->s->priority[b]);
    case HS_RANK_FIFO:
        return (l->moment[a] > l->moment[b]) - (l->moment[a] < l->moment[b]);
    default:
        return (l->b[a] > l->b[b]) - (l->b[a] < l->b[b]);
    }
}

static int has_higher_rank(const law *l, int a, int b)
{
    int sign = compare_ranks(l, a, b);

    return sign ? sign > 0 : l->s->position[a] < l->s->position[b];
}

static int is_length(const law *l)
{
    return l->rank == HS_RANK_MIN || l->rank == HS_RANK_AVG;
}

/* ---- where data is */

static double earlier(double copy, double there)
{
    return copy >= 0 && copy < there ? copy : there;
}

static double bring_piece(law *l, int from, int t, uint32_t to, double now)
{
    uint32_t at = (uint32_t)l->node[from];

    return earlier(l->piece[from][t][to],
                   now + hs_instance_transfer(l->s->in, at, to, l->s->bytes[from][t]));
}

static double bring_data(law *l, int t, size_t d, uint32_t to, double now)
{
    int      writer = l->s->writer[t][d];
    uint32_t at = writer < 0 ? 0 : (uint32_t)l->node[writer];

    return earlier(l->copy[writer + 1][d][to],
                   now + hs_instance_transfer(l->s->in, at, to, l->s->size[d]));
}

static int makes_piece(const law *l, int from, int t)
{
    return l->s->edge[from][t] && l->s->bytes[from][t] > 0;
}

static double arrival(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t))
            last = fmax(last, bring_piece(l, from, t, to, l->now));
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[t][d] & HS_READ)
            last = fmax(last, bring_data(l, t, d, to, l->now));
    return last;
}

/* The longest single one that has not begun. */
static double longest_transfer(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   longest = 0;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t) && l->piece[from][t][to] < 0)
            longest = fmax(longest, hs_instance_transfer(l->s->in, (uint32_t)l->node[from], to,
                                                         l->s->bytes[from][t]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[t][d];

        if (l->s->mode[t][d] & HS_READ && l->copy[writer + 1][d][to] < 0)
            longest = fmax(longest, hs_instance_transfer(l->s->in,
                                                         writer < 0 ? 0 : (uint32_t)l->node[writer],
                                                         to, l->s->size[d]));
    }
    return longest;
}

static void start_transfers(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t))
            l->piece[from][t][to] = bring_piece(l, from, t, to, l->now);
    for (size_t d = 0; d < GRAPH_DATA; d++)
        if (l->s->mode[t][d] & HS_READ)
            l->copy[l->s->writer[t][d] + 1][d][to] = bring_data(l, t, d, to, l->now);
}

/* Plans know where everything goes. */
static double planned_arrival(law *l, int t, int w)
{
    uint32_t to = node_of(l, w);
    double   last = l->now;

    for (int from = 0; from < (int)l->s->n; from++)
        if (makes_piece(l, from, t))
            last = fmax(last,
                        l->done_at[from] + hs_instance_transfer(l->s->in, (uint32_t)l->node[from],
                                                                to, l->s->bytes[from][t]));
    for (size_t d = 0; d < GRAPH_DATA; d++) {
        int writer = l->s->writer[t][d];

        if (l->s->mode[t][d] & HS_READ)
            last = fmax(last, (writer < 0 ? 0 : l->done_at[writer]) +
                                  hs_instance_transfer(l->s->in,
                                                       writer < 0 ? 0 : (uint32_t)l->node[writer],
                                                       to, l->s->size[d]));
    }
    return last;
}

/* ---- what happens */

static void leave_fifo(law *l, int t)
{
    size_t i = 0;

    while (i < l->ready && l->fifo[i] != t)
        i++;
    if (i < l->ready)
        memmove(&l->fifo[i], &l->fifo[i + 1], (--l->ready - i) * sizeof *l->fifo);
}

static void hold_from(law *l, int w, int t, double start)
{
    leave_fifo(l, t);
    l->state[t] = TAKEN;
    l->lane[w].task = t;
    l->lane[w].start = start;
}

static void hold(law *l, int w, int t)
{
    double start = arrival(l, t, w);

    start_transfers(l, t, w);
    hold_from(l, w, t, start);
}

static void note(law *l, int w, int t, double start, double end, hs_state how)
{
    GRAPH_REQUIRE(l->s, l->count < l->most, "it never ends");
    l->out[l->count++] = (hs_placement){start, end, (uint32_t)t, (uint32_t)w, how};
}

static double end_of(const law *l, int w)
{
    return l->lane[w].task < 0 ? l->now : l->lane[w].start + time_on(l, w, l->lane[w].task);
}

static double true_end(const law *l, int w)
{
    return l->lane[w].start + true_time(l, w, l->lane[w].task);
}

static double end_of_ahead(const law *l, int w)
{
    return fmax(end_of(l, w), l->lane[w].there) + time_on(l, w, l->lane[w].ahead);
}

static int has_ended(const law *l, int w)
{
    const lane *a = &l->lane[w];

    return a->task >= 0 && a->start <= l->now && true_end(l, w) <= l->now;
}

static void all_that_ends(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int w = worker_at(l, i), t = l->lane[w].task;

        if (!has_ended(l, w))
            continue;
        note(l, w, t, l->lane[w].start, true_end(l, w), HS_RUN);
        l->state[t] = DONE;
        l->done_at[t] = l->now;
        l->node[t] = (int)node_of(l, w);
        l->lane[w].task = NOBODY;
    }
}

static int is_free(const law *l, int t)
{
    for (size_t from = 0; from < l->s->n; from++)
        if (l->s->edge[from][t] && l->state[from] != DONE)
            return 0;
    return l->state[t] == BLOCKED;
}

/* How many. */
static size_t all_that_becomes_ready(law *l)
{
    size_t before = l->ready;

    for (size_t place = 0; place < l->s->n; place++)
        for (int t = 0; t < (int)l->s->n; t++)
            if (l->s->position[t] == place && is_free(l, t)) {
                l->state[t] = READY;
                l->moment[t] = --l->moments;
                l->fifo[l->ready++] = t;
            }
    return l->ready - before;
}

static void give_up(law *l, int w, int t)
{
    lane *a = &l->lane[w];

    if (a->ahead == t) {
        a->ahead = NOBODY;
        return;
    }
    if (a->start < l->now)
        note(l, w, t, a->start, l->now, HS_ABORTED);
    a->task = NOBODY;
}

/* ---- heteroprio and its relatives */

static int compare_rho(const law *l, int a, int b)
{
    return literal_compare_ratios(l->s->p[a], l->s->q[a], l->s->p[b], l->s->q[b]);
}

static int nearer_to_gpus(const law *l, int a, int b)
{
    int rho = compare_rho(l, a, b), rank = compare_ranks(l, a, b);

    if (rho)
        return rho > 0;
    if (rank == 0)
        return l->s->position[a] < l->s->position[b];
    return (rank > 0) == (l->s->p[a] >= l->s->q[a]);
}

static int from_queue(const law *l, int w)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++)
        if (found == NOBODY || nearer_to_gpus(l, l->fifo[i], found) == is_gpu(l, w))
            found = l->fifo[i];
    return found == NOBODY || isinf(time_on(l, w, found)) ? NOBODY : found;
}

typedef struct prey {
    int    worker, task;
    double end;
} prey;

/* What others of the other type hold or have waiting; 0: no such. */
static int prey_at(const law *l, int w, int i, prey *out)
{
    int victim = i / 2, second = i % 2, t;

    if (victim >= workers(l) || is_gpu(l, victim) == is_gpu(l, w))
        return 0;
    t = second ? l->lane[victim].ahead : l->lane[victim].task;
    if (t < 0 || !l->s->restartable[t] || isinf(time_on(l, w, t)))
        return 0;
    *out = (prey){victim, t, second ? end_of_ahead(l, victim) : end_of(l, victim)};
    return 1;
}

static int ends_earlier(law *l, int w, const prey *b)
{
    return arrival(l, b->task, w) + time_on(l, w, b->task) < b->end;
}

static int considered_before(const law *l, const prey *a, const prey *b)
{
    int rank = compare_ranks(l, a->task, b->task);

    if (is_length(l) && rank)
        return rank > 0;
    if (a->end != b->end)
        return a->end > b->end;
    return rank ? rank > 0 : a->task < b->task;
}

static int take(law *l, int w, const prey *b)
{
    give_up(l, b->worker, b->task);
    hold(l, w, b->task);
    return 1;
}

static int spoliate(law *l, int w)
{
    prey best = {NOBODY, NOBODY, 0}, b;

    for (int i = 0; i < 2 * workers(l); i++)
        if (prey_at(l, w, i, &b) && ends_earlier(l, w, &b) &&
            (best.task < 0 || considered_before(l, &b, &best)))
            best = b;
    return best.task >= 0 && take(l, w, &best);
}

/* The highest rank that others hold; `earlier_only`, and with rho >= leave. */
static prey highest_held(law *l, int w, int earlier_only, double leave)
{
    prey best = {NOBODY, NOBODY, 0}, b;

    for (int i = 0; i < 2 * workers(l); i++)
        if (prey_at(l, w, i, &b) && (!earlier_only || ends_earlier(l, w, &b)) &&
            (leave == 0 ||
             literal_compare_ratios(l->s->p[b.task], l->s->q[b.task], leave, 1) >= 0) &&
            (best.task < 0 || has_higher_rank(l, b.task, best.task)))
            best = b;
    return best;
}

static int in_band(const law *l, int t)
{
    double band = l->settings->band > 0 ? l->settings->band : 8;

    return !isinf(l->s->q[t]) && literal_compare_ratios(l->s->p[t], l->s->q[t], band, 1) >= 0;
}

static int best_in_band(const law *l)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++)
        if (in_band(l, l->fifo[i]) && (found < 0 || has_higher_rank(l, l->fifo[i], found)))
            found = l->fifo[i];
    return found;
}

static int highest_rho(const law *l)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++) {
        int t = l->fifo[i], sign = found < 0 ? 1 : compare_rho(l, t, found);

        if (!isinf(l->s->q[t]) && (sign > 0 || (sign == 0 && has_higher_rank(l, t, found))))
            found = t;
    }
    return found;
}

static int corrected_gpu(law *l, int w)
{
    double leave = l->settings->leave > 0 ? l->settings->leave : 16;
    int    t = best_in_band(l);
    prey   b = highest_held(l, w, 1, leave);

    if (b.task >= 0 && (t < 0 || has_higher_rank(l, b.task, t)))
        return take(l, w, &b);
    t = t < 0 ? highest_rho(l) : t;
    if (t >= 0) {
        hold(l, w, t);
        return 1;
    }
    b = highest_held(l, w, 1, 0);
    return b.task >= 0 && take(l, w, &b);
}

/* ---- dualhp */

static double remaining(const law *l, int w)
{
    if (l->lane[w].ahead >= 0)
        return end_of_ahead(l, w) - l->now;
    return l->lane[w].task >= 0 ? end_of(l, w) - l->now : 0;
}

static double remaining_of(const law *l, int gpus)
{
    double sum = 0;

    for (int w = 0; w < workers(l); w++)
        if (is_gpu(l, w) == gpus)
            sum += remaining(l, w);
    return sum;
}

/* Ready tasks by decreasing rho, then index. */
static void by_rho(const law *l, int *order)
{
    for (size_t i = 0; i < l->ready; i++) {
        size_t at = i;

        for (; at > 0; at--) {
            int sign = compare_rho(l, l->fifo[i], order[at - 1]);

            if (sign < 0 || (sign == 0 && l->fifo[i] > order[at - 1]))
                break;
            order[at] = order[at - 1];
        }
        order[at] = l->fifo[i];
    }
}

/* 1, and who goes where. */
static int try_guess(law *l, const int *order, double guess)
{
    double forced_gpu = remaining_of(l, 1), forced_cpu = remaining_of(l, 0), gpu = 0, cpu = 0;

    for (size_t i = 0; i < l->ready; i++) {
        int t = order[i];

        if (l->s->p[t] > guess && l->s->q[t] > guess)
            return 0;
        if (l->s->p[t] > guess)
            forced_gpu += l->s->q[t];
    }
    for (size_t i = l->ready; i-- > 0;)
        if (l->s->q[order[i]] > guess)
            forced_cpu += l->s->p[order[i]];
    if (forced_gpu > l->s->k * guess)
        return 0;
    for (size_t i = 0; i < l->ready; i++) {
        int t = order[i], is_bound = l->s->p[t] > guess || l->s->q[t] > guess;

        l->on_gpu[t] = is_bound ? l->s->p[t] > guess : forced_gpu + gpu < l->s->k * guess;
        if (!is_bound && l->on_gpu[t])
            gpu += l->s->q[t];
    }
    for (size_t i = l->ready; i-- > 0;)
        if (l->s->q[order[i]] <= guess && !l->on_gpu[order[i]])
            cpu += l->s->p[order[i]];
    return forced_cpu + cpu <= l->s->m * guess;
}

static void assign_types(law *l)
{
    int    order[TASKS];
    double low = 0, high = 0;

    by_rho(l, order);
    for (int w = 0; w < workers(l); w++)
        high += remaining(l, w);
    for (int t = 0; t < (int)l->s->n; t++)
        if (l->state[t] == READY)
            high += min_time(l->s, (size_t)t);
    while (!try_guess(l, order, high)) {
        low = high;
        high *= 2;
    }
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (try_guess(l, order, middle))
            high = middle;
        else
            low = middle;
    }
    (void)try_guess(l, order, high);
}

static int of_type(const law *l, int w)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++)
        if (l->on_gpu[l->fifo[i]] == is_gpu(l, w) &&
            (found < 0 || has_higher_rank(l, l->fifo[i], found)))
            found = l->fifo[i];
    return found;
}

/* ---- who chooses for himself */

static int choose(law *l, int w)
{
    if (is_named(l, "dualhp"))
        return of_type(l, w);
    if (is_named(l, "hp-corrected") && is_gpu(l, w))
        return best_in_band(l) >= 0 ? best_in_band(l) : highest_rho(l);
    return from_queue(l, w);
}

static int act(law *l, int w)
{
    lane *a = &l->lane[w];
    int   t = a->ahead;

    if (t >= 0) {
        a->ahead = NOBODY;
        hold(l, w, t);
        return 1;
    }
    if (is_named(l, "hp-corrected") && is_gpu(l, w))
        return corrected_gpu(l, w);
    t = choose(l, w);
    if (t >= 0) {
        hold(l, w, t);
        return 1;
    }
    if (is_named(l, "heteroprio"))
        return spoliate(l, w);
    if (is_named(l, "hp-sp") && is_gpu(l, w)) {
        prey b = highest_held(l, w, 0, 0);

        return b.task >= 0 && take(l, w, &b);
    }
    return 0;
}

static int one_acts(law *l)
{
    for (int i = 0; i < workers(l); i++)
        if (l->lane[worker_at(l, i)].task < 0 && act(l, worker_at(l, i)))
            return 1;
    return 0;
}

static int one_looks_ahead(law *l)
{
    for (int w = (int)l->s->m; l->s->links && w < workers(l); w++) {
        lane *a = &l->lane[w];
        int   t;

        if (a->task < 0 || a->start > l->now || a->ahead >= 0)
            continue;
        t = choose(l, w);
        if (t < 0)
            continue;
        a->there = arrival(l, t, w);
        start_transfers(l, t, w);
        leave_fifo(l, t);
        l->state[t] = TAKEN;
        a->ahead = t;
        return 1;
    }
    return 0;
}

/* ---- queues */

static void enqueue(law *l, int w, int t)
{
    start_transfers(l, t, w);
    leave_fifo(l, t);
    l->state[t] = TAKEN;
    l->lane[w].queue[l->lane[w].waiting++] = t;
}

/* Of its queue, first in, first out or by rank. */
static int start_queued(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        lane  *a = &l->lane[w];
        size_t best = 0;
        int    t;

        if (a->task >= 0 || a->waiting == 0)
            continue;
        for (size_t j = 1; is_length(l) && j < a->waiting; j++)
            if (has_higher_rank(l, a->queue[j], a->queue[best]))
                best = j;
        t = a->queue[best];
        memmove(&a->queue[best], &a->queue[best + 1], (--a->waiting - best) * sizeof *a->queue);
        hold(l, w, t);
        return 1;
    }
    return 0;
}

static int dynamic_step(law *l)
{
    int    best = NOBODY, best_is_free = 0, is_free_worker = 0;
    double least = 0;

    if (start_queued(l))
        return 1;
    for (int w = 0; w < workers(l); w++)
        is_free_worker |= l->lane[w].task < 0;
    if (!is_free_worker || l->ready == 0)
        return 0;
    for (int pass = 0; pass < 2; pass++) /* free ones before busy ones */
        for (int i = 0; i < workers(l); i++) {
            int    w = worker_at(l, i);
            double end = l->lane[w].task < 0 ? l->now : end_of(l, w);

            if ((l->lane[w].task < 0) != (pass == 0))
                continue;
            for (size_t j = 0; j < l->lane[w].waiting; j++)
                end += time_on(l, w, l->lane[w].queue[j]);
            end += time_on(l, w, l->fifo[0]);
            if (isinf(end) || (best >= 0 && end >= least))
                continue;
            best = w;
            least = end;
            best_is_free = pass == 0;
        }
    if (best_is_free)
        hold(l, best, l->fifo[0]);
    else
        enqueue(l, best, l->fifo[0]);
    return 1;
}

static double available(const law *l, int w)
{
    const lane *a = &l->lane[w];

    return a->task >= 0 || a->waiting > 0 ? a->estimate : l->now;
}

static int goes_first(const law *l, int a, int b)
{
    const graph_sample *s = l->s;
    int                 sign;

    if (is_named(l, "d-rank"))
        return l->key[a] > l->key[b];
    if (isinf(s->p[a]) || isinf(s->q[a]) || isinf(s->p[b]) || isinf(s->q[b]))
        return (isinf(s->p[a]) || isinf(s->q[a])) && !(isinf(s->p[b]) || isinf(s->q[b]));
    sign = literal_compare_ratios(fmax(s->p[a], s->q[a]), fmin(s->p[a], s->q[a]),
                                  fmax(s->p[b], s->q[b]), fmin(s->p[b], s->q[b]));
    return sign > 0;
}

static unsigned waiting_to_start(const law *l)
{
    unsigned count = 0;

    for (int w = 0; w < workers(l); w++)
        count += (unsigned)l->lane[w].waiting + (l->lane[w].task >= 0 && l->lane[w].start > l->now);
    return count;
}

static int rank_step(law *l)
{
    unsigned threshold = l->settings->threshold ? l->settings->threshold : 2 * (unsigned)workers(l);
    int      t, best = NOBODY;
    double   least = 0;

    if (start_queued(l))
        return 1;
    if (l->ready == 0 || waiting_to_start(l) >= threshold)
        return 0;
    t = l->fifo[0];
    for (size_t i = 1; i < l->ready; i++)
        if (goes_first(l, l->fifo[i], t))
            t = l->fifo[i];
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        double end = available(l, w) + longest_transfer(l, t, w) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    enqueue(l, best, t);
    return 1;
}

static int dmda_step(law *l)
{
    int    t, best = NOBODY;
    double least = 0;

    if (l->ready == 0)
        return start_queued(l);
    t = l->fifo[0];
    for (int i = 0; i < workers(l); i++) {
        int    w = worker_at(l, i);
        double end = fmax(available(l, w), arrival(l, t, w)) + time_on(l, w, t);

        if (isinf(end) || (best >= 0 && end >= least))
            continue;
        best = w;
        least = end;
    }
    l->lane[best].estimate = least;
    enqueue(l, best, t);
    return 1;
}

/* ---- plan */

static int plan_step(law *l)
{
    for (int i = 0; i < workers(l); i++) {
        int w = worker_at(l, i), t;

        if (l->lane[w].task >= 0 || l->at[w] == l->listed[w])
            continue;
        t = l->list[w][l->at[w]];
        if (l->state[t] != READY)
            continue;
        l->at[w]++;
        hold_from(l, w, t, planned_arrival(l, t, w));
        return 1;
    }
    return 0;
}

static void read_plan(law *l)
{
    for (int w = 0; w < workers(l); w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(l->rules->plan, (unsigned)w, &count);

        for (size_t i = 0; i < count; i++)
            if (entry[i].state == HS_RUN)
                l->list[w][l->listed[w]++] = (int)entry[i].task;
    }
}

/* ---- the clock */

static int step(law *l)
{
    if (is_named(l, "dynamic"))
        return dynamic_step(l);
    if (is_named(l, "h-ratio") || is_named(l, "d-rank"))
        return rank_step(l);
    if (is_named(l, "dmda"))
        return dmda_step(l);
    if (is_named(l, "plan"))
        return plan_step(l);
    return one_acts(l) || one_looks_ahead(l);
}

/* When something happens next; infinity: never. */
static double next_time(const law *l)
{
    double next = INFINITY;

    for (int w = 0; w < workers(l); w++)
        if (l->lane[w].task >= 0)
            next = fmin(next, l->lane[w].start > l->now ? l->lane[w].start : true_end(l, w));
    return next;
}

static void begin(law *l)
{
    double none = -1;

    l->rank = l->settings->rank;
    if (l->rank == HS_RANK_DEFAULT && is_named(l, "dmda"))
        l->rank = HS_RANK_FIFO;
    else if (l->rank == HS_RANK_DEFAULT)
        l->rank =
            hs_instance_has_graph(l->s->in) || is_named(l, "dualhp") ? HS_RANK_MIN : HS_RANK_GIVEN;
    if (is_named(l, "dynamic") || is_named(l, "h-ratio") || is_named(l, "d-rank"))
        l->rank = HS_RANK_FIFO;
    if (is_length(l))
        literal_ranks(l->s, l->rank, l->b);
    literal_next_ranks(l->s, l->key);
    for (int w = 0; w < WORKERS; w++)
        l->lane[w] = (lane){.task = NOBODY, .ahead = NOBODY};
    for (size_t i = 0; i < sizeof l->piece / sizeof none; i++)
        ((double *)l->piece)[i] = none;
    for (size_t i = 0; i < sizeof l->copy / sizeof none; i++)
        ((double *)l->copy)[i] = none;
    if (is_named(l, "plan"))
        read_plan(l);
}

size_t literal_graph(const graph_sample *s, const literal_rules *rules, hs_placement *out,
                     size_t most)
{
    static const hs_policy_settings defaults = {.struct_size = sizeof defaults};
    static law                      l;

    l = (law){.s = s,
              .rules = rules,
              .settings = rules->settings ? rules->settings : &defaults,
              .out = out,
              .most = most};
    begin(&l);
    for (; !isinf(l.now); l.now = next_time(&l)) {
        size_t news;

        all_that_ends(&l);
        news = all_that_becomes_ready(&l);
        if (news > 0 && is_named(&l, "dualhp"))
            assign_types(&l);
        while (step(&l))
            ;
    }
    return l.count;
}
