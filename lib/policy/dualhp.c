/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DualHP for tasks that become ready over time: whenever some do, all ready tasks that no worker
 * has taken are assigned to types anew, by a guess of when all of them could end; the workers of a
 * type then take its tasks by rank.
 *
 * Waiting tasks are in three arrays, by decreasing rho = p/q, by decreasing rank, and by number.
 * Newly ready tasks are merged into each, and taken ones are dropped. An assignment costs
 * O(waiting) for each guess that forces other tasks than the guess before it, which are few, and
 * O(log waiting) for any other guess.
 *
 * Sums over GPUs run from the most accelerated task down, sums over CPUs from the least accelerated
 * up; both begin with the remaining work of the type's workers and its forced tasks.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/order.h"
#include "policy/policy.h"
#include "policy/ranking.h"
#include "policy/worker_states.h"
#include "support/ratio.h"
#include "support/sort.h"

enum {
    NOT_WAITING = 2
}; /* entry of type[] for a task that no worker should take: already
      taken, or not ready */

typedef struct dualhp_state {
    hs_policy        *policy;
    hsi_problem       pb; /* priorities are ranks */
    hsi_ranking       ranking;
    hsi_worker_states states;
    unsigned char
        *type; /* indexed by task: the hs_type assigned to a waiting task, or NOT_WAITING */
    unsigned char *retired; /* indexed by worker */
    unsigned       in_service[2];
    uint32_t      *by_rho, *by_rank, *by_number; /* waiting tasks, and tasks taken since the last
                                                    assignment */
    size_t count;
    size_t
        next[2]; /* indexed by hs_type: index in by_rank before which no task of the type waits */
    uint32_t *news, *scratch;
    /* The guess, and sums that hold for any guess in [from, below). */
    double  remaining[2]; /* indexed by hs_type: remaining work of its workers */
    double *available;    /* by worker: earliest start of a task */
    double *p, *q;        /* times of the waiting tasks, in the order of by_rho */
    double  least, from, below;
    double  forced[2];
    double *gpu_before, *cpu_after;
} dualhp_state;

static void dualhp_free(void *state)
{
    dualhp_state *d = state;

    hsi_states_close(&d->states);
    hsi_problem_close(&d->pb);
    hsi_ranking_close(&d->ranking);
    free(d->type);
    free(d->retired);
    free(d->available);
    free(d->by_rho);
    free(d->by_rank);
    free(d->by_number);
    free(d->news);
    free(d->scratch);
    free(d->p);
    free(d->q);
    free(d->gpu_before);
    free(d->cpu_after);
    free(d);
}

static hs_status allocate_arrays(dualhp_state *d)
{
    size_t n = d->pb.n + 1;

    d->type = malloc(n);
    d->retired = calloc((size_t)d->pb.m + d->pb.k, 1);
    d->available = calloc((size_t)d->pb.m + d->pb.k, sizeof *d->available);
    d->by_rho = malloc(n * sizeof *d->by_rho);
    d->by_rank = malloc(n * sizeof *d->by_rank);
    d->by_number = malloc(n * sizeof *d->by_number);
    d->news = malloc(n * sizeof *d->news);
    d->scratch = malloc(n * sizeof *d->scratch);
    d->p = malloc(n * sizeof *d->p);
    d->q = malloc(n * sizeof *d->q);
    d->gpu_before = malloc(n * sizeof *d->gpu_before);
    d->cpu_after = malloc(n * sizeof *d->cpu_after);
    return d->type && d->retired && d->available && d->by_rho && d->by_rank && d->by_number &&
                   d->news && d->scratch && d->p && d->q && d->gpu_before && d->cpu_after
               ? HS_OK
               : HS_ENOMEM;
}

static hs_status dualhp_create(void *data, hs_policy *policy, const hs_instance *estimates,
                               const hs_schedule *plan, const hs_policy_settings *settings,
                               void **out)
{
    dualhp_state *d = calloc(1, sizeof *d);
    hs_status     st;

    (void)data, (void)plan;
    if (!d)
        return HS_ENOMEM;
    d->policy = policy;
    st = hsi_problem_of_tasks(estimates, &policy->token, &d->pb);
    if (st == HS_OK)
        st = hsi_ranking_open(&d->ranking, estimates, &d->pb, settings->rank, HS_RANK_MIN);
    if (st == HS_OK)
        st = hsi_states_open(&d->states, &d->pb, estimates, settings->tolerance);
    if (st == HS_OK)
        st = allocate_arrays(d);
    if (st != HS_OK) {
        dualhp_free(d);
        return st;
    }
    for (size_t i = 0; i < d->pb.n && !hsi_poll_at_iteration(d->pb.token, i); i++)
        d->type[i] = NOT_WAITING;
    d->in_service[HS_CPU] = d->pb.m;
    d->in_service[HS_GPU] = d->pb.k;
    for (unsigned w = 0; settings->available && w < d->pb.m + d->pb.k; w++)
        d->available[w] = settings->available[w];
    *out = d;
    return HS_OK;
}

static int has_higher_rho(const void *context, uint32_t a, uint32_t b)
{
    const dualhp_state *d = context;
    double              rho_a = d->pb.p[a] / d->pb.q[a], rho_b = d->pb.p[b] / d->pb.q[b];
    int                 sign = 0;

    if (rho_a != rho_b)
        return rho_a > rho_b;
    if (d->pb.p[a] != d->pb.p[b] || d->pb.q[a] != d->pb.q[b])
        sign = hsi_compare_ratios(d->pb.p[a], d->pb.q[a], d->pb.p[b], d->pb.q[b]);
    return sign ? sign > 0 : a < b;
}

static int has_higher_rank(const void *context, uint32_t a, uint32_t b)
{
    const dualhp_state *d = context;
    int64_t             rank_a = hsi_priority_of(&d->pb, a), rank_b = hsi_priority_of(&d->pb, b);

    return rank_a != rank_b ? rank_a > rank_b : hsi_task_comes_first(&d->pb, a, b);
}

static int is_smaller(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

/*
 * Merge the newly ready tasks into a sorted array, without the tasks taken since. Return the new
 * length; after a cancel request the array is unchanged or useless, and the policy is not used
 * again.
 */
static size_t merge_ready(dualhp_state *d, uint32_t *sorted, size_t new_count, hsi_before before)
{
    size_t kept = 0, count;

    if (hsi_sort_indices_polling(d->news, d->scratch, new_count, before, d, d->pb.token))
        return d->count;
    for (size_t i = 0; i < d->count; i++)
        if (d->type[sorted[i]] != NOT_WAITING)
            sorted[kept++] = sorted[i];
    count = kept + new_count;
    while (new_count > 0 && !hsi_poll_after_work(d->pb.token, 1)) { /* merge from the end, so that
                                                                  no second array is needed */
        bool is_news = kept == 0 || !before(d, d->news[new_count - 1], sorted[kept - 1]);

        sorted[kept + new_count - 1] = is_news ? d->news[new_count - 1] : sorted[kept - 1];
        new_count -= (size_t)is_news;
        kept -= (size_t)!is_news;
    }
    return count;
}

static void add_ready(dualhp_state *d, size_t new_count)
{
    size_t count;

    (void)merge_ready(d, d->by_rho, new_count, has_higher_rho);
    (void)merge_ready(d, d->by_rank, new_count, has_higher_rank);
    count = merge_ready(d, d->by_number, new_count, is_smaller);
    for (size_t i = 0; i < new_count && !hsi_poll_after_work(d->pb.token, 1); i++)
        d->type[d->news[i]] = HS_CPU;
    d->count = count;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Sum up the remaining work of each type's workers, by worker number. Return the total, an upper
 * limit of the guess. A task past its estimate by at most the tolerance has no remaining work. */
static double sum_remaining(dualhp_state *d, double now)
{
    double high = 0;

    d->remaining[HS_CPU] = d->remaining[HS_GPU] = 0;
    for (unsigned w = 0; w < d->pb.m + d->pb.k; w++) {
        double end = hsi_states_expected_end_with_prefetched(&d->states, w, now);
        double rest = larger(larger(end, d->available[w]) - now, 0);

        d->remaining[hsi_states_type(&d->states, w)] += rest;
        high += rest;
    }
    return high;
}

/* Compute the sums for a guess, adding as the algorithm for independent tasks does. */
static void sum_work_for_guess(dualhp_state *d, double guess)
{
    double gpu = 0, cpu = 0, from = 0, below = INFINITY;
    double forced_gpu = d->remaining[HS_GPU], forced_cpu = d->remaining[HS_CPU];

    for (size_t i = 0; i < d->count; i++) {
        double p = d->p[i], q = d->q[i];

        hsi_poll_at_iteration(d->pb.token, i + 1);
        d->gpu_before[i] = gpu;
        forced_gpu += p > guess ? q : 0;
        gpu += p <= guess && q <= guess ? q : 0;
        from = larger(from, larger(p <= guess ? p : 0, q <= guess ? q : 0));
        below = smaller(below, smaller(p > guess ? p : INFINITY, q > guess ? q : INFINITY));
    }
    d->gpu_before[d->count] = gpu;
    d->cpu_after[d->count] = 0;
    for (size_t i = d->count; i > 0; i--) {
        double p = d->p[i - 1], q = d->q[i - 1];

        forced_cpu += q > guess ? p : 0;
        hsi_poll_at_iteration(d->pb.token, i);
        cpu += p <= guess && q <= guess ? p : 0;
        d->cpu_after[i - 1] = cpu;
    }
    d->from = from;
    d->below = below;
    d->forced[HS_CPU] = forced_cpu;
    d->forced[HS_GPU] = forced_gpu;
}

/* Return the index in by_rho at which the GPUs are full. */
static size_t find_split(const dualhp_state *d, double guess)
{
    double room = d->pb.k * guess;
    size_t low = 0, high = d->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (d->forced[HS_GPU] + d->gpu_before[middle] < room)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_assignment_needed(const dualhp_state *d)
{
    return !d->pb.token->cancelled;
}

static int is_guess_accepted(dualhp_state *d, double guess)
{
    if (guess < d->least)
        return 0;
    if (guess < d->from || guess >= d->below)
        sum_work_for_guess(d, guess);
    if (d->forced[HS_GPU] > d->pb.k * guess)
        return 0;
    return d->forced[HS_CPU] + d->cpu_after[find_split(d, guess)] <= d->pb.m * guess;
}

static double bisect_guess(dualhp_state *d, double high)
{
    double low = 0;

    high = smaller(high, DBL_MAX); /* sums may overflow: tasks with an infinite time still stay
                                      on their only type */
    while (!is_guess_accepted(d, high) && high < DBL_MAX &&
           is_assignment_needed(d)) { /* rounding errors alone lead here */
        low = high;
        high = smaller(2 * high, DBL_MAX);
    }
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high || !is_assignment_needed(d))
            return high;
        if (is_guess_accepted(d, middle))
            high = middle;
        else
            low = middle;
    }
}

static void collect_unassigned(dualhp_state *d)
{
    d->below = -1;
    d->least = 0;
    for (size_t i = 0; i < d->count && !hsi_poll_at_iteration(d->pb.token, i + 1); i++) {
        d->p[i] = d->pb.p[d->by_rho[i]];
        d->q[i] = d->pb.q[d->by_rho[i]];
        d->least = larger(d->least, smaller(d->p[i], d->q[i]));
    }
}

/* Add the shorter time of each task, by number, in the order of the algorithm for independent
 * tasks. */
static double sum_shorter_times(const dualhp_state *d, double sum)
{
    for (size_t i = 0; i < d->count && !hsi_poll_at_iteration(d->pb.token, i + 1); i++)
        sum += smaller(d->pb.p[d->by_number[i]], d->pb.q[d->by_number[i]]);
    return sum;
}

static bool can_run(const dualhp_state *d, hs_type type, uint32_t task)
{
    return !isinf(type == HS_GPU ? d->pb.q[task] : d->pb.p[task]);
}

/* Reassign tasks of a type without workers in service to the other type, if that can run them. */
static void leave_types_without_workers(dualhp_state *d)
{
    for (size_t i = 0; i < d->count; i++) {
        uint32_t task = d->by_rank[i];
        hs_type  type = (hs_type)d->type[task], other = type == HS_GPU ? HS_CPU : HS_GPU;

        if (d->type[task] != NOT_WAITING && !d->in_service[type] && d->in_service[other] &&
            can_run(d, other, task))
            d->type[task] = (unsigned char)other;
    }
    d->next[HS_CPU] = d->next[HS_GPU] = 0;
}

static void assign_types(dualhp_state *d, double now, hs_wake *wake)
{
    double guess;
    size_t split;

    collect_unassigned(d);
    guess = bisect_guess(d, sum_shorter_times(d, sum_remaining(d, now)));
    split = is_guess_accepted(d, guess) ? find_split(d, guess) : 0;
    for (size_t i = 0; i < d->count && !hsi_poll_at_iteration(d->pb.token, i + 1); i++) {
        bool on_gpu = d->p[i] > guess || (d->q[i] <= guess && i < split);

        d->type[d->by_rho[i]] = on_gpu ? HS_GPU : HS_CPU;
    }
    d->next[HS_CPU] = d->next[HS_GPU] = 0;
    if ((d->pb.m && !d->in_service[HS_CPU]) || (d->pb.k && !d->in_service[HS_GPU]))
        leave_types_without_workers(d);
    hs_wake_all(wake);
}

static void dualhp_ready(void *state, const uint32_t *tasks, size_t count, double now,
                         hs_wake *wake)
{
    dualhp_state *d = state;

    if (count == 0)
        return;
    for (size_t i = 0; i < count && !hsi_poll_after_work(d->pb.token, 1); i++) {
        hsi_ranking_number_ready(&d->ranking, tasks[i]);
        d->news[i] = tasks[i];
    }
    if (is_assignment_needed(d))
        add_ready(d, count);
    if (is_assignment_needed(d))
        assign_types(d, now, wake);
}

/* Return true and the task of the highest rank that waits for the worker's type, and take it. */
static bool take_highest_rank(dualhp_state *d, unsigned worker, uint32_t *task)
{
    hs_type type = hsi_states_type(&d->states, worker);
    size_t *next = &d->next[type];

    while (*next < d->count && d->type[d->by_rank[*next]] != type)
        ++*next;
    if (*next == d->count)
        return false;
    *task = d->by_rank[(*next)++];
    d->type[*task] = NOT_WAITING;
    return true;
}

static void dualhp_next(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    dualhp_state *d = state;
    uint32_t      task;

    (void)wake;
    hs_decide_wait(out, INFINITY);
    if (d->retired[worker])
        return;
    if (!hsi_states_pending_decision(&d->states, worker, out) &&
        take_highest_rank(d, worker, &task))
        hs_decide_start(out, task);
    if (out->kind == HS_DECIDE_START)
        hsi_states_record_start(&d->states, worker, out->task,
                                hs_policy_start_transfers(d->policy, out->task, worker, now));
}

static void dualhp_ahead(void *state, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    dualhp_state *d = state;
    uint32_t      task;

    (void)wake;
    if (!take_highest_rank(d, worker, &task))
        return;
    hs_decide_start(out, task);
    hsi_states_record_prefetch(&d->states, worker, task,
                               hs_policy_start_transfers(d->policy, task, worker, now));
}

static int dualhp_waiting(void *state, unsigned worker, uint32_t *task)
{
    dualhp_state *d = state;

    return hsi_states_get_prefetched(&d->states, worker, task);
}

static void dualhp_ended(void *state, unsigned worker, uint32_t task, hs_ending how, double now,
                         hs_wake *wake)
{
    dualhp_state *d = state;

    if (hsi_states_record_end(&d->states, worker, task, how, now, wake))
        dualhp_ready(d, &task, 1, now, wake);
}

static void dualhp_skip(void *state, uint32_t task)
{
    dualhp_state *d = state;

    d->type[task] = NOT_WAITING;
}

static void dualhp_retire(void *state, unsigned worker, hs_wake *wake)
{
    dualhp_state *d = state;

    if (d->retired[worker])
        return;
    d->retired[worker] = 1;
    d->in_service[hsi_states_type(&d->states, worker)]--;
    leave_types_without_workers(d);
    hs_wake_all(wake);
}

static int dualhp_stranded(void *state, uint32_t *task)
{
    dualhp_state *d = state;

    if (d->in_service[HS_CPU] && d->in_service[HS_GPU])
        return 0;
    for (size_t i = 0; i < d->count; i++) {
        *task = d->by_rank[i];
        if (d->type[*task] == NOT_WAITING || d->in_service[d->type[*task]])
            continue;
        d->type[*task] = NOT_WAITING;
        return 1;
    }
    return 0;
}

const hs_policy_kind hsi_policy_dualhp = {
    .struct_size = sizeof(hs_policy_kind),
    .name = "dualhp",
    .summary = "bisects a guess of the end, divides ready tasks between the types; each type "
               "runs tasks by rank",
    .create = dualhp_create,
    .free = dualhp_free,
    .next = dualhp_next,
    .ended = dualhp_ended,
    .mark_done = dualhp_skip,
    .retire = dualhp_retire,
    .take_stranded = dualhp_stranded,
    .supports_graphs = true,
    .supported_ranks = 1 << HS_RANK_MIN | 1 << HS_RANK_AVG | 1 << HS_RANK_GIVEN | 1 << HS_RANK_FIFO,
    .groups_endings = true,
    .add_ready = dualhp_ready,
    .prefetch = dualhp_ahead,
    .peek = dualhp_waiting,
    .accepts_arrivals = true,
};
