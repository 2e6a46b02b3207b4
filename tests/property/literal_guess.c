/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DualHP and DADA. Sums over GPUs follow the rho order, sums over CPUs the reverse order; DualHP
 * sums forced tasks separately.
 */
#include "literal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Return whether the guess is accepted; append its schedule to `out`. */
typedef int (*attempt)(const sample *s, const hs_settings *settings, double guess, plan *out);

static void bisect_guess(const sample *s, const hs_settings *settings, attempt try, plan *out)
{
    double low = 0, high = 0;
    plan   ignored = {0, 0, NULL};
    size_t i;

    for (i = 0; i < s->n; i++)
        high += fmin(s->p[i], s->q[i]);
    while (!try(s, settings, high, &ignored)) {
        low = high;
        high *= 2;
    }
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle == low || middle == high)
            break;
        ignored.count = 0;
        if (try(s, settings, middle, &ignored))
            high = middle;
        else
            low = middle;
    }
    try(s, settings, high, out);
    plan_free(&ignored);
}

static bool forces_a_task_both_ways(const sample *s, double guess)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (s->p[i] > guess && s->q[i] > guess)
            return true;
    return false;
}

/* Return the load of the forced (or free) tasks of a type, summed down the order for GPUs and up
 * the order for CPUs. */
static double load_of_type(const sample *s, const uint32_t *order, const unsigned char *type,
                           hs_type wanted, bool forced, double guess)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < s->n; i++) {
        uint32_t task = order[wanted == HS_GPU ? i : s->n - 1 - i];
        bool     is_forced = s->p[task] > guess || s->q[task] > guess;

        if (type[task] == wanted && is_forced == forced)
            sum += wanted == HS_GPU ? s->q[task] : s->p[task];
    }
    return sum;
}

static bool allocate_dualhp(const sample *s, const uint32_t *order, double guess,
                            unsigned char *type)
{
    double forced_gpu, forced_cpu, gpu = 0;
    size_t i;

    if (forces_a_task_both_ways(s, guess))
        return false;
    for (i = 0; i < s->n; i++)
        type[i] = s->p[i] > guess ? HS_GPU : HS_CPU;
    forced_gpu = load_of_type(s, order, type, HS_GPU, true, guess);
    if (forced_gpu > s->k * guess)
        return false;
    for (i = 0; i < s->n && forced_gpu + gpu < s->k * guess; i++) {
        uint32_t task = order[i];

        if (s->p[task] > guess || s->q[task] > guess)
            continue;
        type[task] = HS_GPU;
        gpu += s->q[task];
    }
    forced_cpu = load_of_type(s, order, type, HS_CPU, true, guess);
    return forced_cpu + load_of_type(s, order, type, HS_CPU, false, guess) <= s->m * guess;
}

static int try_dualhp(const sample *s, const hs_settings *settings, double guess, plan *out)
{
    unsigned char *type = literal_allocate(s->n, 1);
    uint32_t      *order = literal_allocate(s->n, sizeof *order);
    bool           accepted;

    (void)settings;
    literal_rho_order(s, true, order);
    accepted = allocate_dualhp(s, order, guess, type);
    if (accepted)
        literal_lpt_on(s, type, NULL, out);
    free(order);
    free(type);
    return accepted;
}

void literal_dualhp(const sample *s, const hs_settings *settings, plan *out)
{
    bisect_guess(s, settings, try_dualhp, out);
}

typedef struct build {
    const sample      *s;
    const hs_settings *settings;
    double             guess, alpha;
    uint32_t          *order;
    double            *loads;
    unsigned char     *placed;
    plan              *out;
} build;

static void place_task(build *b, uint32_t task, unsigned worker)
{
    plan_append(b->out, b->s, b->loads, task, worker);
    b->placed[task] = 1;
}

/* Grant affinities by decreasing score, then by task, within alpha times the guess. */
static void grant_wishes(build *b)
{
    size_t         count = b->settings->affinity_count, i, j;
    unsigned char *done = literal_allocate(count, 1);

    for (i = 0; i < count; i++) {
        const hs_affinity *wishes = b->settings->affinities, *wish;
        size_t             best = count;

        for (j = 0; j < count; j++) {
            if (done[j])
                continue;
            if (best == count || wishes[j].score > wishes[best].score ||
                (wishes[j].score == wishes[best].score && wishes[j].task < wishes[best].task))
                best = j;
        }
        done[best] = 1;
        wish = &wishes[best];
        if (b->loads[wish->worker] +
                (wish->worker < b->s->m ? b->s->p : b->s->q)[wish->task] <=
            b->alpha * b->guess)
            place_task(b, wish->task, wish->worker);
    }
    free(done);
}

static bool place_forced_on_gpus(build *b)
{
    const sample *s = b->s;
    double        load = 0;
    size_t        i;

    for (i = 0; i < s->n; i++) {
        uint32_t task = b->order[i];

        if (b->placed[task] || s->p[task] <= b->guess)
            continue;
        if (s->q[task] > b->guess)
            return false;
        load += s->q[task];
        place_task(b, task, least_loaded(s, b->loads, HS_GPU));
    }
    return load <= s->k * b->guess;
}

static void fill_gpus(build *b)
{
    const sample *s = b->s;
    size_t        i;

    for (i = 0; i < s->n && s->k; i++) {
        unsigned gpu = least_loaded(s, b->loads, HS_GPU);

        if (b->loads[gpu] >= (1 + b->alpha) * b->guess)
            break;
        if (!b->placed[b->order[i]] && s->q[b->order[i]] <= b->guess)
            place_task(b, b->order[i], gpu);
    }
}

static bool place_rest_on_cpus(build *b)
{
    const sample *s = b->s;
    uint32_t     *longest = literal_allocate(s->n, sizeof *longest);
    double        load = 0;
    size_t        i;

    for (i = s->n; i > 0; i--)
        if (!b->placed[b->order[i - 1]])
            load += s->p[b->order[i - 1]];
    literal_time_order(s->n, s->p, longest);
    if (load <= s->m * b->guess)
        for (i = 0; i < s->n; i++)
            if (!b->placed[longest[i]])
                place_task(b, longest[i], least_loaded(s, b->loads, HS_CPU));
    free(longest);
    return load <= s->m * b->guess;
}

static int try_dada(const sample *s, const hs_settings *settings, double guess, plan *out)
{
    build b = {.s = s, .settings = settings, .guess = guess, .out = out};
    bool  accepted;

    b.alpha = settings->affinity_count ? settings->parameters.alpha : 0;
    b.order = literal_allocate(s->n, sizeof *b.order);
    b.loads = literal_allocate(s->m + s->k, sizeof *b.loads);
    b.placed = literal_allocate(s->n, 1);
    literal_rho_order(s, true, b.order);
    if (b.alpha > 0)
        grant_wishes(&b);
    accepted = place_forced_on_gpus(&b);
    if (accepted) {
        fill_gpus(&b);
        accepted = place_rest_on_cpus(&b);
    }
    free(b.placed);
    free(b.loads);
    free(b.order);
    return accepted;
}

void literal_dada(const sample *s, const hs_settings *settings, plan *out)
{
    bisect_guess(s, settings, try_dada, out);
}
