/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of cost models, in the order in which they are asked. */
#include "cost/models.h"

#include <math.h>
#include <stdlib.h>

static bool from_item(const hsi_cost_item *item, hs_prediction *p)
{
    if (!item || item->all.runs == 0)
        return false;
    p->time = item->all.mean;
    p->spread = hsi_statistics_spread(&item->all);
    p->runs = (uint64_t)item->all.runs;
    return true;
}

static bool from_level(const hsi_cost_query *q, hs_cost_level level, hs_prediction *p)
{
    return q->key && from_item(hsi_cost_find_item(q->cost, q->key, level, q->features), p);
}

static bool predict_task(const hsi_cost_query *q, hs_prediction *p)
{
    return q->features->what && from_level(q, HS_COST_LEVEL_TASK, p);
}

static bool predict_history(const hsi_cost_query *q, hs_prediction *p)
{
    return from_level(q, HS_COST_LEVEL_HISTORY, p);
}

static bool set(hs_prediction *p, double time, double spread, double runs)
{
    p->time = time;
    p->spread = spread;
    p->runs = (uint64_t)runs;
    return time > 0 && time < INFINITY;
}

static bool predict_power(const hsi_cost_query *q, hs_prediction *p)
{
    if (!q->key || !q->key->laws.has_power)
        return false;
    return set(p, hsi_power_law_time(&q->key->laws.power, q->sample.size),
               q->key->laws.power.spread, q->key->runs);
}

static bool predict_log_linear(const hsi_cost_query *q, hs_prediction *p)
{
    if (!q->key || !q->key->laws.has_log_linear)
        return false;
    return set(p, hsi_log_linear_time(&q->key->laws.log_linear, &q->sample),
               q->key->laws.log_linear.spread, q->key->runs);
}

bool hsi_cost_prefers_learned(const hsi_cost_query *q)
{
    return q->key && q->key->laws.prefers_log_linear &&
           hsi_log_linear_time(&q->key->laws.log_linear, &q->sample) > 0;
}

static bool predict_roofline(const hsi_cost_query *q, hs_prediction *p)
{
    const hsi_cost_rates *rates = hsi_cost_rates_of(q->cost, q->type);
    double                flops = q->sample.flops;
    double                bytes = q->sample.bytes_in + q->sample.bytes_out, rate, time;

    if (!(rates->flops > 0 && rates->bytes > 0) || !(flops > 0 || bytes > 0))
        return false;
    rate = q->key && q->key->laws.rate > 0 ? q->key->laws.rate : rates->flops;
    time = fmax(flops / rate, bytes / rates->bytes);
    return set(p, q->type == HS_GPU ? time + rates->launch : time, NAN,
               q->key ? q->key->runs : 0);
}

static bool predict_key(const hsi_cost_query *q, hs_prediction *p)
{
    if (!q->key || q->key->items == 0)
        return false;
    return set(p, exp(q->key->log_sum / (double)q->key->items), NAN, q->key->runs);
}

static bool predict_least(const hsi_cost_query *q, hs_prediction *p)
{
    return set(p, hsi_cost_rates_of(q->cost, q->type)->least, NAN, 0);
}

static bool predict_one_second(const hsi_cost_query *q, hs_prediction *p)
{
    (void)q;
    return set(p, 1, NAN, 0);
}

static const hsi_cost_model models[] = {
    {"task", HS_COST_TASK, predict_task},
    {"history", HS_COST_HISTORY, predict_history},
    {"power", HS_COST_POWER, predict_power},
    {"learned", HS_COST_LEARNED, predict_log_linear},
    {"roofline", HS_COST_ROOFLINE, predict_roofline},
    {"key", HS_COST_KEY, predict_key},
    {"least", HS_COST_LEAST, predict_least},
    {"none", HS_COST_NONE, predict_one_second},
};

const hsi_cost_model *hsi_cost_model_at(size_t index)
{
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

const char *hs_cost_source_name(hs_cost_source source)
{
    if (source == HS_COST_GIVEN)
        return "given";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].source == source)
            return models[i].name;
    return NULL;
}

bool hs_cost_is_guess(hs_cost_source source)
{
    return source >= HS_COST_KEY;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the median of operations per second over samples with work; 0: none, or no memory. */
static double median_rate(const hsi_sample *samples, size_t count)
{
    double *rates = malloc(count * sizeof *rates), median = 0;
    size_t  found = 0;

    for (size_t i = 0; rates && i < count; i++)
        if (samples[i].flops > 0)
            rates[found++] = samples[i].flops / samples[i].seconds;
    if (found > 0) {
        qsort(rates, found, sizeof *rates, compare_doubles);
        median = (rates[(found - 1) / 2] + rates[found / 2]) / 2;
    }
    free(rates);
    return median;
}

/* Collect the items of a key with executions; NULL: out of memory. The caller frees the array. */
static hsi_sample *collect_samples(const hs_cost *cost, const hsi_cost_key *key, size_t *count)
{
    const hsi_cost_item *items = cost->items.data;
    hsi_sample          *samples = calloc(key->items + 1, sizeof *samples);

    *count = 0;
    for (uint32_t i = key->first; samples && i != HS_NONE; i = items[i].next_of_key) {
        if (items[i].all.runs == 0)
            continue;
        samples[*count] = items[i].features;
        samples[*count].seconds = items[i].all.mean;
        samples[*count].weight = items[i].all.runs;
        ++*count;
    }
    return samples;
}

/*
 * Return whether the log-linear law, of four parameters, fits the samples better than the power
 * law, of three: by the mean squared error for each degree of freedom. The power law is one of
 * samples with a size.
 */
static bool prefers_log_linear(const hsi_cost_laws *laws, const hsi_sample *samples, size_t count)
{
    double power = laws->power.spread, log_linear = laws->log_linear.spread;
    size_t sized = 0;

    for (size_t i = 0; i < count; i++)
        sized += samples[i].size > 0;
    if (!laws->has_power || !laws->has_log_linear || count <= 4)
        return false;
    return sized <= 3 || log_linear * log_linear / (double)(count - 4) * (double)count <
                             power * power / (double)(sized - 3) * (double)sized;
}

void hsi_cost_fit_key(hs_cost *cost, hsi_cost_key *key)
{
    hsi_cost_laws *laws = &key->laws;
    hsi_sample    *samples;
    size_t         count;

    if (key->runs < 2 * key->fitted_runs || key->items == 0)
        return;
    samples = collect_samples(cost, key, &count);
    if (!samples)
        return;
    laws->has_power = hsi_fit_power_law(samples, count, &laws->power);
    laws->has_log_linear = hsi_fit_log_linear(samples, count, &laws->log_linear);
    laws->prefers_log_linear = prefers_log_linear(laws, samples, count);
    laws->rate = median_rate(samples, count);
    key->fitted_runs = key->runs;
    free(samples);
}

/* Include a measured kernel in the rates of its type. */
static void include_kernel(const hsi_cost_item *item, bool is_copy, hsi_cost_rates *rates)
{
    double seconds = item->all.mean;

    if (is_copy)
        rates->bytes = fmax(rates->bytes,
                            (item->features.bytes_in + item->features.bytes_out) / seconds);
    else
        rates->flops = fmax(rates->flops, item->features.flops / seconds);
    if (rates->launch == 0 || seconds < rates->launch)
        rates->launch = seconds;
}

static void include_key(const hs_cost *cost, const hsi_cost_key *key, hsi_cost_rates *rates)
{
    const hsi_cost_item *items = cost->items.data;
    bool                 is_copy = strcmp(key->name, "copy") == 0;
    double               mean;

    if (key->items == 0)
        return;
    mean = exp(key->log_sum / (double)key->items);
    if (rates->least == 0 || mean < rates->least)
        rates->least = mean;
    if (!is_copy && strcmp(key->name, "dgemm") != 0)
        return;
    for (uint32_t i = key->first; i != HS_NONE; i = items[i].next_of_key)
        if (items[i].all.runs > 0)
            include_kernel(&items[i], is_copy, rates);
}

const hsi_cost_rates *hsi_cost_rates_of(hs_cost *cost, hs_type type)
{
    hsi_cost_rates *rates = &cost->rates[type];
    size_t          count;
    hsi_cost_key   *keys = hsi_cost_keys(cost, &count);

    if (rates->current)
        return rates;
    *rates = (hsi_cost_rates){.current = true};
    for (size_t i = 0; i < count; i++)
        if (keys[i].type == type)
            include_key(cost, &keys[i], rates);
    return rates;
}
