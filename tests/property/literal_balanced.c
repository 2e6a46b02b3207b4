/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BalancedEstimate and BalancedMakespan: Algorithms 1, 2 and 3 of Canon, Marchal and Vivien 2017,
 * line by line, with allocations copied as in the paper.
 *
 * Order of sums: type 1 is summed in the order of arrival, and a task that is moved back at once
 * restores the earlier sum; type 2 is summed from the end of the order, then in the order in which
 * tasks moved back.
 */
#include "literal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of an algorithm; tasks are identified by their position in the order. */
typedef struct state {
    const sample  *s;
    bool           switched; /* whether type 1 is the GPUs, instead of the CPUs */
    uint32_t      *order;
    double        *c1, *c2;
    unsigned       workers1, workers2;
    unsigned char *mu;       /* type of each task, 1 or 2 */
    double         sum1;     /* sum over type 1 */
    double         sum_back; /* sum over the tasks moved back to type 2 */
    size_t         next;     /* first position of a task that has not been moved yet */
} state;

typedef struct allocations {
    unsigned char *best, *inverse;
    bool           has_inverse;
} allocations;

static double mean_load(double sum, unsigned workers)
{
    return workers ? sum / workers : 0;
}

/* Return W2, the mean load of type 2, for order[next, n) and the tasks moved back. */
static double mean_load_after(const state *st, size_t next)
{
    double sum = 0;
    size_t i;

    for (i = st->s->n; i > next; i--)
        sum += st->c2[i - 1];
    return mean_load(sum + st->sum_back, st->workers2);
}

static double lambda(const state *st)
{
    double largest = fmax(mean_load(st->sum1, st->workers1), mean_load_after(st, st->next));
    size_t i;

    for (i = 0; i < st->s->n; i++)
        largest = fmax(largest, st->mu[i] == 1 ? st->c1[i] : st->c2[i]);
    return largest;
}

/* Return the first position of a longest task on type 1 that is faster on type 2; n: none. */
static size_t imax(const state *st)
{
    size_t i, found = st->s->n;

    for (i = 0; i < st->s->n; i++)
        if (st->mu[i] == 1 && st->c1[i] > st->c2[i] &&
            (found == st->s->n || st->c1[i] > st->c1[found]))
            found = i;
    return found;
}

static void sort_tasks(state *st)
{
    const sample *s = st->s;
    size_t        i;

    literal_rho_order(s, st->switched, st->order);
    for (i = 0; i < s->n; i++) {
        uint32_t task = st->order[i];

        st->c1[i] = st->switched ? s->q[task] : s->p[task];
        st->c2[i] = st->switched ? s->p[task] : s->q[task];
        st->mu[i] = (s->p[task] < s->q[task]) == !st->switched ? 1 : 2;
    }
    st->workers1 = st->switched ? s->k : s->m;
    st->workers2 = st->switched ? s->m : s->k;
    for (st->next = 0; st->next < s->n && st->mu[st->next] == 1; st->next++)
        ;
    st->sum1 = 0;
    for (i = 0; i < st->next; i++)
        st->sum1 += st->c1[i];
}

static void open_state(state *st, const sample *s)
{
    memset(st, 0, sizeof *st);
    st->s = s;
    st->order = literal_allocate(s->n, sizeof *st->order);
    st->c1 = literal_allocate(s->n, sizeof *st->c1);
    st->c2 = literal_allocate(s->n, sizeof *st->c2);
    st->mu = literal_allocate(s->n, 1);
    sort_tasks(st);
    if (mean_load(st->sum1, st->workers1) > mean_load_after(st, st->next)) {
        st->switched = true;
        sort_tasks(st);
    }
}

static void close_state(state *st)
{
    free(st->order);
    free(st->c1);
    free(st->c2);
    free(st->mu);
}

static unsigned char *copy_of(const state *st, unsigned char *to)
{
    memcpy(to, st->mu, st->s->n);
    return to;
}

/* Return L, the makespan of LPT on both types; `out` may be NULL. */
static double run_lpt(const state *st, const unsigned char *mu, plan *out)
{
    unsigned char *type = literal_allocate(st->s->n, 1);
    double         makespan;
    size_t         i;

    for (i = 0; i < st->s->n; i++)
        type[st->order[i]] = (mu[i] == 1) == !st->switched ? HS_CPU : HS_GPU;
    makespan = literal_lpt_on(st->s, type, NULL, out);
    free(type);
    return makespan;
}

static void move_task(state *st, size_t i)
{
    st->mu[i] = 1;
    st->sum1 += st->c1[i];
    st->next = i + 1;
}

/* Run lines 13 and 14 of the algorithm: move a dominating task back to type 2. */
static void move_back_dominating(state *st, size_t i, double sum1_before)
{
    size_t j = imax(st);

    if (j == st->s->n || lambda(st) != st->c1[j])
        return;
    st->mu[j] = 2;
    st->sum1 = j == i ? sum1_before : st->sum1 - st->c1[j];
    st->sum_back += st->c2[j];
}

static bool turns_round(const state *st, size_t i)
{
    if (mean_load(st->sum1, st->workers1) > mean_load_after(st, i))
        return false;
    return isinf(st->c1[i]) ||
           mean_load(st->sum1 + st->c1[i], st->workers1) > mean_load_after(st, i + 1);
}

static void algorithm_1(state *st, allocations *a)
{
    double best = lambda(st);
    size_t i;

    copy_of(st, a->best);
    for (i = st->next; i < st->s->n; i++) {
        double before = st->sum1;

        if (turns_round(st, i)) {
            copy_of(st, a->inverse);
            a->has_inverse = true;
        }
        if (isinf(st->c1[i]))
            break;
        move_task(st, i);
        if (lambda(st) < best) {
            best = lambda(st);
            copy_of(st, a->best);
        }
        move_back_dominating(st, i, before);
    }
    if (!a->has_inverse)
        copy_of(st, a->inverse);
}

void literal_balanced_estimate(const sample *s, const hs_settings *settings, plan *out)
{
    state       st;
    allocations a = {literal_allocate(s->n, 1), literal_allocate(s->n, 1), false};

    (void)settings;
    open_state(&st, s);
    algorithm_1(&st, &a);
    run_lpt(&st, run_lpt(&st, a.inverse, NULL) < run_lpt(&st, a.best, NULL) ? a.inverse : a.best,
            out);
    close_state(&st);
    free(a.best);
    free(a.inverse);
}

void literal_balanced_makespan(const sample *s, const hs_settings *settings, plan *out)
{
    state          st;
    unsigned char *best = literal_allocate(s->n, 1);
    double         least, now;
    size_t         i;

    (void)settings;
    open_state(&st, s);
    least = run_lpt(&st, copy_of(&st, best), NULL);
    for (i = st.next; i < s->n && !isinf(st.c1[i]); i++) {
        double before = st.sum1;

        move_task(&st, i);
        now = run_lpt(&st, st.mu, NULL);
        if (now < least) {
            least = now;
            copy_of(&st, best);
        }
        move_back_dominating(&st, i, before);
        now = run_lpt(&st, st.mu, NULL);
        if (now < least) {
            least = now;
            copy_of(&st, best);
        }
    }
    run_lpt(&st, best, out);
    close_state(&st);
    free(best);
}
