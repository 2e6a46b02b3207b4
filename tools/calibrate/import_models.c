/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate --import-perfmodel: entries of a profile from StarPU's performance models. */
#include <math.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "common/escape.h"
#include "common/input.h"
#include "common/message.h"

enum { RUNS_MOST = 64 }; /* largest weight of the executions of a profile entry */

/* Get the features of a kernel. */
static hs_status kernel_features(const char *kernel, hs_features *features)
{
    hs_builder       *b = NULL;
    hs_instance      *in = NULL;
    hs_feature_index *index = NULL;
    hs_task           row = {
                  .struct_size = sizeof row, .id = "a", .cpu = 1, .gpu = 1, .kernel = kernel, .count = 1};
    hs_status st = hs_builder_create(&b);

    if (st == HS_OK)
        st = hs_builder_set_workers(b, 1, 1);
    if (st == HS_OK)
        st = hs_builder_add_row(b, &row);
    if (st == HS_OK)
        st = hs_builder_finish(b, &in, NULL);
    if (st == HS_OK)
        st = hs_feature_index_create(in, &index);
    if (st == HS_OK)
        hs_feature_index_get(index, 0, HS_CPU, features);
    hs_feature_index_free(index);
    hs_instance_free(in);
    hs_builder_free(b);
    return st;
}

/*
 * Find the features of a codelet. A codelet with the name of a built-in kernel is that kernel if
 * its bytes are those of the kernel's matrices; otherwise the size is the number of bytes.
 */
static hs_status codelet_features(const hs_starpu_timing *timing, hs_features *features)
{
    hs_features kernel;
    char        name[sizeof timing->model + 32];
    double      n;
    hs_status   st;

    hs_features_init(&kernel);
    hs_features_init(features);
    strcpy(features->key, timing->model);
    features->size = timing->bytes;
    features->flops = timing->flops;
    if (strchr(timing->model, ':'))
        return HS_OK;
    snprintf(name, sizeof name, "%s:1", timing->model);
    st = kernel_features(name, &kernel);
    n = st == HS_OK && kernel.bytes_in > 0 ? round(sqrt(timing->bytes / kernel.bytes_in)) : 0;
    if (n < 1 || n > UINT32_MAX || kernel.bytes_in * n * n != timing->bytes)
        return st;
    snprintf(name, sizeof name, "%s:%.0f", timing->model, n);
    st = kernel_features(name, &kernel);
    if (st != HS_OK || kernel.bytes_in != timing->bytes)
        return st;
    kernel.what = 0;
    *features = kernel;
    return HS_OK;
}

static hs_status add_timing(const hs_starpu_timing *timing, hs_cost *cost)
{
    hs_cost_entry entry;
    hs_status     st;

    hs_cost_entry_init(&entry);
    st = codelet_features(timing, &entry.features);
    if (st != HS_OK || timing->samples < 1)
        return st;
    entry.type = timing->type;
    entry.level = HS_COST_LEVEL_HISTORY;
    entry.runs = fmin(timing->samples, RUNS_MOST);
    entry.mean = entry.least = timing->mean; /* StarPU does not record the least time */
    entry.m2 = entry.runs * timing->deviation * timing->deviation;
    return hs_cost_merge(cost, &entry);
}

/* Add the times of a file of models. Return 0, or an exit code after a message. */
static int add_file(const char *path, hs_cost *cost)
{
    hs_starpu_models *models = NULL;
    hs_starpu_timing  timing;
    hs_error          error = {0};
    input             in;
    size_t            cursor = 0, added = 0;
    int               code = input_open(path, &in);
    hs_status         st;

    if (code)
        return code;
    st = hs_starpu_models_read(in.fd, &models, &error);
    hs_starpu_timing_init(&timing);
    while (st == HS_OK && hs_starpu_models_next(models, &cursor, &timing)) {
        st = add_timing(&timing, cost);
        if (st == HS_EINVAL)
            snprintf(error.why, sizeof error.why,
                     "model '%s' has a time, deviation or size that a profile cannot hold; correct "
                     "or remove it",
                     timing.model);
        added++;
    }
    code = input_status(&in, st, &error);
    input_close(&in);
    hs_starpu_models_free(models);
    if (!code && added == 0) {
        message("%s: it has no times; expected the output of starpu_perfmodel_recdump", path);
        code = EXIT_USAGE;
    }
    return code;
}

/* Count the entries with executions. */
static size_t count_entries(const hs_cost *cost)
{
    hs_cost_entry entry;
    size_t        count = 0;

    hs_cost_entry_init(&entry);
    for (size_t i = 0; hs_cost_entry_at(cost, i, &entry); i++)
        count += entry.runs > 0;
    return count;
}

int calibrate_read_models(const char *const *paths, size_t count, hs_cost **out)
{
    hs_cost *cost = NULL;
    int      code = hs_cost_create(&cost) == HS_OK ? EXIT_OK : message_status(HS_ENOMEM, paths[0]);

    for (size_t i = 0; i < count && !code; i++)
        code = add_file(paths[i], cost);
    if (!code)
        *out = cost;
    else
        hs_cost_free(cost);
    return code;
}

int calibrate_import(times_profile *p, hs_cost *models)
{
    hs_error  error = {0};
    size_t    entries = count_entries(models);
    hs_status st = profile_replace_entries(p, models, &error);

    if (st == HS_OK)
        st = profile_trim(p, &error);
    if (st != HS_OK)
        return profile_refused(st, &error);
    printf("%s: %zu entr%s from StarPU's performance models\n", SHOWN(p->path), entries,
           entries == 1 ? "y" : "ies");
    return EXIT_OK;
}
