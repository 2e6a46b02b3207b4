/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/instance_store.h"

/* Return the class of a kernel's name; add the name if the table has room, else return 0. */
static unsigned char class_of(const char **names, unsigned *count, const char *name)
{
    unsigned i;

    for (i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return (unsigned char)(i + 1);
    if (*count + 1 == HSI_CLASSES)
        return 0;
    names[(*count)++] = name;
    return (unsigned char)*count;
}

static void classify_kernels(hsi_history *x, const hs_instance *in, hsi_token *token)
{
    const char *names[HSI_CLASSES];
    size_t      task = 0, i;
    unsigned    count = 0;

    if (!hsi_store_has(in->store, HSI_KERNEL))
        return;
    for (i = 0; i < in->store->rows && !hsi_poll_at_iteration(token, i); i++) {
        const char *kernel = hsi_store_text(in->store, HSI_KERNEL, i);
        uint32_t    copies = hsi_store_count(in->store, i);

        memset(&x->own_classes[task], kernel ? class_of(names, &count, kernel) : 0, copies);
        task += copies;
    }
}

hs_status hsi_history_open(hsi_history *history, const hs_instance *estimates, double tolerance,
                           hsi_token *token)
{
    *history = (hsi_history){.tolerance = tolerance};
    if (estimates->store->recycled)
        history->class_of = estimates->store->recycled->kernel;
    else
        history->class_of = history->own_classes = calloc(hs_instance_tasks(estimates) + 1, 1);
    history->of[HS_CPU] = calloc(HSI_CLASSES, sizeof **history->of);
    history->of[HS_GPU] = calloc(HSI_CLASSES, sizeof **history->of);
    if (!history->class_of || !history->of[HS_CPU] || !history->of[HS_GPU]) {
        hsi_history_close(history);
        return HS_ENOMEM;
    }
    if (history->own_classes)
        classify_kernels(history, estimates, token);
    return HS_OK;
}

void hsi_history_close(hsi_history *history)
{
    free(history->own_classes);
    free(history->of[HS_CPU]);
    free(history->of[HS_GPU]);
    *history = (hsi_history){0};
}

/* Return the bin of a ratio: four bins per octave from 2^-8 on; the first and last bins are
 * unbounded. */
static unsigned bin_of(double ratio)
{
    int    exponent, bin;
    double mantissa = frexp(ratio, &exponent); /* in [0.5, 1) */

    bin = 4 * (exponent + 7) + (int)(8 * (mantissa - 0.5));
    return bin < 0 ? 0 : bin < HSI_RATIO_BINS ? (unsigned)bin : HSI_RATIO_BINS - 1;
}

static void add_ratio(hsi_ratios *r, unsigned at, double ratio)
{
    struct hsi_ratio_bin *bin = &r->bin[at];

    r->count++;
    r->wrong += ratio != 1;
    bin->count++;
    bin->sum += ratio;
    bin->most = ratio > bin->most ? ratio : bin->most;
}

bool hsi_history_add(hsi_history *history, hs_type type, uint32_t task, double ratio)
{
    hsi_ratios *all = history->of[type], *own = &all[history->class_of[task]];
    bool        is_wrong = fabs(ratio - 1) > history->tolerance;
    unsigned    at;

    ratio = is_wrong ? fmin(ratio, HSI_RATIO_MOST) : 1;
    at = bin_of(ratio);
    if (is_wrong && !history->has_misestimates)
        history->has_misestimates = true;
    add_ratio(all, at, ratio);
    if (own != all)
        add_ratio(own, at, ratio);
    return history->has_misestimates || own->count == 1 || all->count == 1;
}

double hsi_ratios_bin_limit(const hsi_ratios *r, unsigned bin)
{
    double most = r->bin[bin].most;

    return most == 1 ? 1 : most * 1.25;
}

double hsi_ratios_expected(const hsi_ratios *r, double start, double estimate, double now)
{
    uint64_t count = 0;
    double   sum = 0;
    unsigned i;

    for (i = 0; i < HSI_RATIO_BINS; i++)
        if (now <= start + hsi_ratios_bin_limit(r, i) * estimate) {
            count += r->bin[i].count;
            sum += r->bin[i].sum;
        }
    return count ? sum / (double)count : 0;
}

/* Raise the ratio from the mean until the set of bins above it is stable. */
double hsi_ratios_pessimistic(const hsi_ratios *r)
{
    double   ratio, next = 0;
    unsigned i;

    if (r->count == 0)
        return 1;
    do {
        double weight = 0, sum = 0;

        ratio = next;
        for (i = 0; i < HSI_RATIO_BINS; i++) {
            double count = (double)r->bin[i].count;
            double times = r->bin[i].sum > ratio * count ? 3 : 1;

            weight += times * count;
            sum += times * r->bin[i].sum;
        }
        next = sum / weight;
    } while (next > ratio);
    return ratio;
}
