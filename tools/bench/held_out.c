/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: measured times of a profile, predicted from its other times: all sizes of a sweep are
 * held out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"
#include "common/profile.h"

/* The profile with the times that serve predictions, and that with the times to predict. */
static struct {
    char         *path[2];
    times_profile profile[2];
    size_t        count; /* 0: no profile is open */
} files;

int bench_profile_open(const char *list)
{
    char path[4096];
    int  code = EXIT_OK;

    while (!code && list_next("--profile", &list, path, sizeof path)) {
        if (files.count == 2)
            usage_error("--profile: at most two files");
        files.path[files.count] = checked_strdup(path);
        code = profile_open(&files.profile[files.count], files.path[files.count], HS_PROFILE_READ,
                            1, NULL);
        if (!code)
            code = profile_load(&files.profile[files.count], false);
        files.count++;
    }
    return code;
}

void bench_profile_close(void)
{
    for (size_t i = 0; i < files.count; i++) {
        profile_close(&files.profile[i]);
        free(files.path[i]);
    }
    files.count = 0;
}

/* Return whether an entry has times of the kernel, by features. */
static bool is_of(const hs_cost_entry *e, const bench_held_out *of)
{
    return e->runs > 0 && e->level == HS_COST_LEVEL_HISTORY && e->type == of->type &&
           strcmp(e->features.key, of->key) == 0;
}

/* Return whether a size is one of the sweep's, which are all held out. */
static bool is_held_out(const bench_campaign *c, const bench_case *one, double size)
{
    const char *brace = strchr(one->family->recipe, '{');
    const char *next = c->sizes ? c->sizes : brace ? brace + 1 : NULL;
    char       *end;

    for (; next; next = *end == ',' ? end + 1 : NULL)
        if (strtod(next, &end) == size)
            return true;
    return size == one->held_out.size;
}

/* Create cost models without the held-out sizes of the kernel. */
static hs_status keep_others(const bench_campaign *c, const bench_case *one, const hs_cost *all,
                             hs_cost **out)
{
    const bench_held_out *of = &one->held_out;
    hs_status             status = hs_cost_create(out);
    hs_cost_entry         e;

    hs_cost_entry_init(&e);
    for (size_t i = 0; status == HS_OK && hs_cost_entry_at(all, i, &e); i++) {
        bool is_own = e.type == of->type && strcmp(e.features.key, of->key) == 0;

        if (e.runs > 0 && !(is_own && is_held_out(c, one, e.features.size)))
            status = hs_cost_merge(*out, &e);
    }
    return status;
}

/* Find the measured time to predict; false: there is none. */
static bool find_measured(const bench_held_out *of, const hs_cost *cost, hs_cost_entry *e)
{
    hs_cost_entry_init(e);
    for (size_t i = 0; hs_cost_entry_at(cost, i, e); i++)
        if (is_of(e, of) && e->features.size == of->size)
            return true;
    return false;
}

/* Return whether a prediction comes from the source of the estimates. */
static bool is_own_source(bench_estimates estimates, hs_cost_source source)
{
    switch (estimates) {
    case BENCH_ROOFLINE:
        return source == HS_COST_ROOFLINE;
    case BENCH_POWER:
        return source == HS_COST_POWER;
    case BENCH_LEARNED:
        return source == HS_COST_LEARNED;
    case BENCH_LAWS:
        return source == HS_COST_POWER || source == HS_COST_LEARNED;
    case BENCH_ONLINE:
        return source <= HS_COST_HISTORY;
    default:
        return false;
    }
}

/*
 * Return the relative error of an algorithm's estimate; NaN: its source cannot predict the time, or
 * it is a policy, whose estimates are those of the algorithms with plans.
 */
static double error_of(hs_cost *kept, const bench_algorithm *a, const hs_cost_entry *measured)
{
    bench_estimates estimates = a->manner == BENCH_LIVE ? BENCH_GIVEN : a->estimates;
    hs_cost *cost = estimates == BENCH_ONLINE ? files.profile[0].known : kept;
    double   seconds;

    if (estimates == BENCH_GIVEN || (estimates == BENCH_ONLINE && files.count < 2) ||
        !is_own_source(estimates, bench_predict(cost, estimates, measured->type,
                                                &measured->features, &seconds)))
        return NAN;
    return fabs(seconds - measured->mean) / measured->mean;
}

static void fill_row(const bench_case *one, const bench_algorithm *a, bench_row *row)
{
    *row = (bench_row){.label = checked_strdup(one->family->label),
                       .recipe = checked_strdup(one->recipe),
                       .algorithm = checked_strdup(a->name),
                       .version = checked_strdup(bench_version()),
                       .size = one->size,
                       .tasks = 1,
                       .makespan = NAN,
                       .bound = NAN,
                       .gap = NAN,
                       .optimal = NAN,
                       .acceleration = {NAN, NAN},
                       .idle = {NAN, NAN}};
    snprintf(row->platform, sizeof row->platform, "%s",
             one->held_out.type == HS_CPU ? "1+0" : "0+1");
}

int bench_measure_held_out(const bench_campaign *c, const bench_case *one, const char *wanted,
                           bench_row *rows)
{
    const times_profile *measured_in = &files.profile[files.count - 1];
    hs_cost             *kept = NULL;
    hs_cost_entry        measured;
    hs_status            status;

    if (!find_measured(&one->held_out, measured_in->known, &measured)) {
        message("%s: %s has no such time; measure it with hsched-calibrate --profile=%s "
                "--kernels=%s:%.0f",
                one->recipe, measured_in->path, measured_in->path, one->held_out.key,
                one->held_out.size);
        return EXIT_USAGE;
    }
    status = keep_others(c, one, files.profile[0].known, &kept);
    for (size_t a = 0; a < c->algorithm_count && status == HS_OK; a++) {
        if (!wanted[a])
            continue;
        fill_row(one, &c->algorithms[a], &rows[a]);
        rows[a].error = error_of(kept, &c->algorithms[a], &measured);
    }
    hs_cost_free(kept);
    return status == HS_OK ? EXIT_OK : message_status(status, one->recipe);
}
