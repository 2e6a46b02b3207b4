/* SPDX-License-Identifier: BSD-3-Clause */
/* Running mean and variance by Welford's update, merged by Chan's formula. */
#include "cost/statistics.h"

#include <float.h>
#include <math.h>

enum {
    TRUSTED_RUNS = 4,   /* executions from which on a new one may be strange */
    STRANGE_FACTOR = 3, /* ratio beyond which an execution is strange, or earlier ones were cold */
    STRANGE_RUNS = 4    /* consecutive strange executions that do not yet replace the entry */
};

static void limit_runs(hsi_statistics *s, double most)
{
    if (s->runs <= most)
        return;
    s->m2 *= most / s->runs;
    s->runs = most;
}

static void note_extremes(hsi_statistics *s, double least, int64_t last)
{
    if (s->runs == 0 || least < s->least)
        s->least = least;
    if (last > s->last)
        s->last = last;
}

void hsi_statistics_add(hsi_statistics *s, double seconds, int64_t date)
{
    double difference = seconds - s->mean;

    note_extremes(s, seconds, date);
    limit_runs(s, HSI_MOST_RUNS - 1);
    s->strange = 0;
    s->runs += 1;
    s->mean += difference / s->runs;
    s->m2 = fmin(s->m2 + difference * (seconds - s->mean), DBL_MAX);
}

static bool is_strange(const hsi_statistics *s, double seconds)
{
    return s->runs >= TRUSTED_RUNS &&
           (seconds > STRANGE_FACTOR * s->mean || seconds < s->mean / STRANGE_FACTOR);
}

/* Return whether the executions in `s` were cold: few, and all far longer than a later one. */
static bool was_cold(const hsi_statistics *s, double seconds)
{
    return s->runs > 0 && s->runs < TRUSTED_RUNS && seconds < s->least / STRANGE_FACTOR;
}

hsi_observed hsi_statistics_observe(hsi_statistics *s, double seconds, int64_t date)
{
    if (was_cold(s, seconds)) {
        *s = (hsi_statistics){0};
        hsi_statistics_add(s, seconds, date);
        return HSI_OBSERVED_WARM;
    }
    if (!is_strange(s, seconds)) {
        hsi_statistics_add(s, seconds, date);
        return HSI_OBSERVED_ADDED;
    }
    s->strange++;
    if (s->strange <= STRANGE_RUNS)
        return HSI_OBSERVED_STRANGE;
    *s = (hsi_statistics){0};
    hsi_statistics_add(s, seconds, date);
    return HSI_OBSERVED_RESTARTED;
}

void hsi_statistics_merge(hsi_statistics *into, const hsi_statistics *from)
{
    double runs = into->runs + from->runs, difference = from->mean - into->mean;

    into->strange = from->strange + (from->runs == 0 ? into->strange : 0);
    if (from->runs == 0)
        return;
    note_extremes(into, from->least, from->last);
    into->mean += difference * (from->runs / runs);
    into->m2 += from->m2 + difference * difference * (into->runs * from->runs / runs);
    into->m2 = fmin(into->m2, DBL_MAX);
    into->runs = runs;
    limit_runs(into, HSI_MOST_RUNS);
}

void hsi_statistics_append(hsi_statistics *into, const hsi_statistics *from)
{
    if (from->runs > 0 && was_cold(into, from->mean)) {
        *into = (hsi_statistics){0};
    } else if (from->runs > 0 && is_strange(into, from->mean)) {
        into->strange += from->strange + (uint64_t)from->runs;
        if (into->strange <= STRANGE_RUNS)
            return;
        *into = (hsi_statistics){0};
    }
    hsi_statistics_merge(into, from);
}

double hsi_statistics_spread(const hsi_statistics *s)
{
    return s->runs > 1 ? sqrt(s->m2 / (s->runs - 1)) / s->mean : NAN;
}
