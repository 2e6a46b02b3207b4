/* SPDX-License-Identifier: BSD-3-Clause */
/* Literal versions of the policies whose idle workers choose a task from a common pool. */
#include <math.h>

#include "literal.h"
#include "literal_law.h"

static int compare_rho(const law *l, int a, int b)
{
    return literal_compare_ratios(l->s->p[a], l->s->q[a], l->s->p[b], l->s->q[b]);
}

static bool nearer_to_gpus(const law *l, int a, int b)
{
    int rho = compare_rho(l, a, b), rank = law_compare_ranks(l, a, b);

    if (rho)
        return rho > 0;
    if (rank == 0)
        return l->s->position[a] < l->s->position[b];
    return (rank > 0) == (l->s->p[a] >= l->s->q[a]);
}

/* Return whether explore prefers task a to b on w: smaller own time over other time, then rank. */
static bool is_explored_first(const law *l, int worker, int a, int b)
{
    const double *own = is_gpu(l, worker) ? l->s->q : l->s->p, *other = is_gpu(l, worker) ? l->s->p : l->s->q;
    double        x = isinf(own[a]) ? INFINITY : own[a] / other[a];
    double        y = isinf(own[b]) ? INFINITY : own[b] / other[b];

    return x != y ? x < y : law_has_higher_rank(l, a, b);
}

static int take_from_queue(const law *l, int worker)
{
    int found = NOBODY;

    for (size_t i = 0; law_has_name(l, "explore") && i < l->ready; i++)
        if (found == NOBODY || is_explored_first(l, worker, l->fifo[i], found))
            found = l->fifo[i];
    if (law_has_name(l, "explore"))
        return found == NOBODY || isinf(time_on(l, worker, found)) ? NOBODY : found;

    for (size_t i = 0; i < l->ready; i++)
        if (found == NOBODY || nearer_to_gpus(l, l->fifo[i], found) == is_gpu(l, worker))
            found = l->fifo[i];
    return found == NOBODY || isinf(time_on(l, worker, found)) ? NOBODY : found;
}

typedef struct prey {
    int    worker, task;
    double end;
} prey;

/* Set *out to the i-th candidate for spoliation by `worker`: the running (even i) or prefetched
 * (odd i) task of worker i / 2. Return false if `worker` cannot spoliate it. */
static bool candidate_at(const law *l, int worker, int i, prey *out)
{
    int victim = i / 2, second = i % 2, t;

    if (victim >= worker_count(l) || is_gpu(l, victim) == is_gpu(l, worker))
        return false;
    t = second ? l->lane[victim].ahead : l->lane[victim].task;
    if (t < 0 || !l->s->restartable[t] || isinf(time_on(l, worker, t)))
        return false;
    *out = (prey){victim, t,
                  second ? law_end_of_prefetched(l, victim) : law_end_of_running(l, victim)};
    return true;
}

static bool thief_ends_earlier(law *l, int worker, const prey *b)
{
    return law_arrival(l, b->task, worker) + time_on(l, worker, b->task) < b->end;
}

static bool considered_before(const law *l, const prey *a, const prey *b)
{
    int rank = law_compare_ranks(l, a->task, b->task);

    if (law_rank_is_path_length(l) && rank)
        return rank > 0;
    if (a->end != b->end)
        return a->end > b->end;
    return rank ? rank > 0 : a->task < b->task;
}

static bool spoliate_candidate(law *l, int worker, const prey *b)
{
    law_abort_task(l, b->worker, b->task);
    law_start_now(l, worker, b->task);
    return true;
}

static bool spoliate_best(law *l, int worker)
{
    prey best = {NOBODY, NOBODY, 0}, b;

    for (int i = 0; i < 2 * worker_count(l); i++)
        if (candidate_at(l, worker, i, &b) && thief_ends_earlier(l, worker, &b) &&
            (best.task < 0 || considered_before(l, &b, &best)))
            best = b;
    return best.task >= 0 && spoliate_candidate(l, worker, &best);
}

/* Return the candidate of highest rank; with `earlier_only` only tasks that `worker` would end
 * earlier, with `leave` only tasks of rho >= leave. */
static prey best_running_candidate(law *l, int worker, bool earlier_only, double leave)
{
    prey best = {NOBODY, NOBODY, 0}, b;

    for (int i = 0; i < 2 * worker_count(l); i++)
        if (candidate_at(l, worker, i, &b) &&
            (!earlier_only || thief_ends_earlier(l, worker, &b)) &&
            (leave == 0 ||
             literal_compare_ratios(l->s->p[b.task], l->s->q[b.task], leave, 1) >= 0) &&
            (best.task < 0 || law_has_higher_rank(l, b.task, best.task)))
            best = b;
    return best;
}

static bool is_in_band(const law *l, int task)
{
    double band = l->settings->parameters.band > 0 ? l->settings->parameters.band : 8;

    return !isinf(l->s->q[task]) &&
           literal_compare_ratios(l->s->p[task], l->s->q[task], band, 1) >= 0;
}

static int best_in_band(const law *l)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++)
        if (is_in_band(l, l->fifo[i]) && (found < 0 || law_has_higher_rank(l, l->fifo[i], found)))
            found = l->fifo[i];
    return found;
}

static int highest_rho(const law *l)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++) {
        int t = l->fifo[i], sign = found < 0 ? 1 : compare_rho(l, t, found);

        if (!isinf(l->s->q[t]) && (sign > 0 || (sign == 0 && law_has_higher_rank(l, t, found))))
            found = t;
    }
    return found;
}

static bool act_of_corrected_gpu(law *l, int worker)
{
    double leave = l->settings->parameters.leave > 0 ? l->settings->parameters.leave : 16;
    int    t = best_in_band(l);
    prey   b = best_running_candidate(l, worker, true, leave);

    if (b.task >= 0 && (t < 0 || law_has_higher_rank(l, b.task, t)))
        return spoliate_candidate(l, worker, &b);
    t = t < 0 ? highest_rho(l) : t;
    if (t >= 0) {
        law_start_now(l, worker, t);
        return true;
    }
    b = best_running_candidate(l, worker, true, 0);
    return b.task >= 0 && spoliate_candidate(l, worker, &b);
}

static double remaining_time(const law *l, int worker)
{
    if (l->lane[worker].ahead >= 0)
        return law_end_of_prefetched(l, worker) - l->now;
    if (l->lane[worker].task >= 0)
        return law_end_of_running(l, worker) - l->now;
    return fmax(available_at(l, worker) - l->now, 0);
}

static double remaining_of_type(const law *l, int gpus)
{
    double sum = 0;

    for (int w = 0; w < worker_count(l); w++)
        if (is_gpu(l, w) == gpus)
            sum += remaining_time(l, w);
    return sum;
}

/* Set order[] to the ready tasks by decreasing rho, then by index. */
static void sort_by_rho(const law *l, int *order)
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

/* Assign each ready task to a type for the guess (on_gpu[]); return true if the guess is
 * accepted. */
static bool try_guess(law *l, const int *order, double guess)
{
    double forced_gpu = remaining_of_type(l, 1), forced_cpu = remaining_of_type(l, 0), gpu = 0,
           cpu = 0;

    for (size_t i = 0; i < l->ready; i++) {
        int t = order[i];

        if (l->s->p[t] > guess && l->s->q[t] > guess)
            return false;
        if (l->s->p[t] > guess)
            forced_gpu += l->s->q[t];
    }
    for (size_t i = l->ready; i-- > 0;)
        if (l->s->q[order[i]] > guess)
            forced_cpu += l->s->p[order[i]];
    if (forced_gpu > l->s->k * guess)
        return false;
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

void law_assign_types(law *l)
{
    int    order[TASKS];
    double low = 0, high = 0;

    sort_by_rho(l, order);
    for (int w = 0; w < worker_count(l); w++)
        high += remaining_time(l, w);
    for (int t = 0; t < (int)l->s->n; t++)
        if (l->state[t] == READY)
            high += law_min_time(l->s, (size_t)t);
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

static int take_task_of_type(const law *l, int worker)
{
    int found = NOBODY;

    for (size_t i = 0; i < l->ready; i++)
        if (l->on_gpu[l->fifo[i]] == is_gpu(l, worker) &&
            (found < 0 || law_has_higher_rank(l, l->fifo[i], found)))
            found = l->fifo[i];
    return found;
}

static int choose_task(law *l, int worker)
{
    if (law_has_name(l, "dualhp"))
        return take_task_of_type(l, worker);
    if (law_has_name(l, "hp-corrected") && is_gpu(l, worker))
        return best_in_band(l) >= 0 ? best_in_band(l) : highest_rho(l);
    return take_from_queue(l, worker);
}

static bool act_of_worker(law *l, int worker)
{
    lane *a = &l->lane[worker];
    int   t = a->ahead;

    if (t >= 0) {
        a->ahead = NOBODY;
        law_start_now(l, worker, t);
        return true;
    }
    if (law_has_name(l, "hp-corrected") && is_gpu(l, worker))
        return act_of_corrected_gpu(l, worker);
    t = choose_task(l, worker);
    if (t >= 0) {
        law_start_now(l, worker, t);
        return true;
    }
    if (law_has_name(l, "heteroprio") || law_has_name(l, "explore"))
        return spoliate_best(l, worker);
    if (law_has_name(l, "hp-sp") && is_gpu(l, worker)) {
        prey b = best_running_candidate(l, worker, false, 0);

        return b.task >= 0 && spoliate_candidate(l, worker, &b);
    }
    return false;
}

bool law_one_worker_acts(law *l)
{
    for (int i = 0; i < worker_count(l); i++)
        if (is_idle(l, worker_at(l, i)) && act_of_worker(l, worker_at(l, i)))
            return true;
    return false;
}

bool law_one_worker_prefetches(law *l)
{
    for (int w = (int)l->s->m; l->s->links && w < worker_count(l); w++) {
        lane *a = &l->lane[w];
        int   t;

        if (a->task < 0 || a->start > l->now || a->ahead >= 0)
            continue;
        t = choose_task(l, w);
        if (t < 0)
            continue;
        a->there = law_arrival(l, t, w);
        law_start_transfers(l, t, w);
        law_remove_from_fifo(l, t);
        l->state[t] = TAKEN;
        a->ahead = t;
        return true;
    }
    return false;
}
