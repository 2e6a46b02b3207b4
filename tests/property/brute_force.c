/* SPDX-License-Identifier: BSD-3-Clause */
#include "brute_force.h"

#include <math.h>
#include <string.h>

/* Relative tolerance when rounded loads prune the search; leaves are compared by exact sums. */
#define DOUBT 1e-12

typedef struct search {
    const sample *s;
    const double *available;                /* time from which each worker is available; NULL: 0 for
                                               every worker */
    unsigned      order[BRUTE_FORCE_TASKS]; /* tasks by decreasing smaller time, the order of the
                                               search */
    unsigned      worker[BRUTE_FORCE_TASKS];
    double        load[BRUTE_FORCE_WORKERS];
    optimum      *best;
} search;

static void exact_makespan(const search *sr, exact *value)
{
    const sample *s = sr->s;
    exact         load[BRUTE_FORCE_WORKERS];
    unsigned      w;
    size_t        i;

    memset(load, 0, (s->m + s->k) * sizeof load[0]);
    for (w = 0; w < s->m + s->k && sr->available; w++)
        for (i = 0; i < s->n; i++)
            if (sr->worker[i] == w) {
                exact_add(&load[w], sr->available[w]);
                break;
            }
    for (i = 0; i < s->n; i++)
        exact_add(&load[sr->worker[i]], (sr->worker[i] < s->m ? s->p : s->q)[i]);
    *value = load[0];
    for (w = 1; w < s->m + s->k; w++)
        if (exact_compare(&load[w], value) > 0)
            *value = load[w];
}

static void take_leaf(search *sr, double makespan)
{
    exact value;

    exact_makespan(sr, &value);
    if (makespan < sr->best->makespan)
        sr->best->makespan = makespan;
    if (exact_compare(&value, &sr->best->value) < 0)
        sr->best->value = value;
}

/* Tell whether an earlier worker of the same type has an equivalent load, which makes trying this
 * worker redundant. Rounded loads prove equivalence only for whole times or idle workers. */
static bool seen_alike(const search *sr, unsigned worker)
{
    unsigned w = worker < sr->s->m ? 0 : sr->s->m;

    for (; w < worker; w++)
        if (sr->load[w] == sr->load[worker] && (sr->s->whole || sr->load[w] == 0))
            return true;
    return false;
}

static void place_task(search *sr, size_t depth, double makespan)
{
    const sample *s = sr->s;
    unsigned      w, task;

    if (s->whole ? makespan >= sr->best->makespan : makespan > sr->best->makespan * (1 + DOUBT))
        return;
    if (depth == s->n) {
        take_leaf(sr, makespan);
        return;
    }
    task = sr->order[depth];
    for (w = 0; w < s->m + s->k; w++) {
        double before = sr->load[w], time = (w < s->m ? s->p : s->q)[task];

        if (isinf(time) || seen_alike(sr, w))
            continue;
        sr->load[w] += time;
        sr->worker[task] = w;
        place_task(sr, depth + 1, fmax(makespan, sr->load[w]));
        sr->load[w] = before;
    }
}

static void sort_longest_first(search *sr)
{
    const sample *s = sr->s;
    unsigned      i, j;

    for (i = 0; i < s->n; i++) {
        for (j = i; j > 0; j--) {
            unsigned other = sr->order[j - 1];

            if (fmin(s->p[other], s->q[other]) >= fmin(s->p[i], s->q[i]))
                break;
            sr->order[j] = other;
        }
        sr->order[j] = i;
    }
}

void brute_force(const sample *s, optimum *out)
{
    brute_force_available(s, NULL, out);
}

void brute_force_available(const sample *s, const double *available, optimum *out)
{
    search   sr = {.s = s, .available = available, .best = out};
    unsigned w;

    REQUIRE(s, s->n <= BRUTE_FORCE_TASKS && s->m + s->k <= BRUTE_FORCE_WORKERS, "too large");
    out->makespan = INFINITY;
    memset(&out->value, 0xff, sizeof out->value);
    sort_longest_first(&sr);
    for (w = 0; w < s->m + s->k && available; w++)
        sr.load[w] = available[w];
    place_task(&sr, 0, 0);
}
