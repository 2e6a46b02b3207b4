/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/experience.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The class of a kernel's name: known so far, or new while there is room. */
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

static void classify(hsi_experience *x, const hs_instance *in)
{
    const char *names[HSI_CLASSES];
    size_t      rows = hs_instance_rows(in), task = 0, i;
    unsigned    count = 0;

    for (i = 0; i < rows; i++) {
        hs_task  row;
        uint32_t copies;

        hs_task_init(&row);
        hs_instance_row(in, i, &row);
        copies = row.count ? row.count : 1;
        memset(&x->class_of[task], row.kernel ? class_of(names, &count, row.kernel) : 0, copies);
        task += copies;
    }
}

hs_status hsi_experience_open(hsi_experience *x, const hs_instance *estimates, double tolerance)
{
    *x = (hsi_experience){.tolerance = tolerance};
    x->class_of = calloc(hs_instance_tasks(estimates) + 1, 1);
    x->of[HS_CPU] = calloc(HSI_CLASSES, sizeof **x->of);
    x->of[HS_GPU] = calloc(HSI_CLASSES, sizeof **x->of);
    if (!x->class_of || !x->of[HS_CPU] || !x->of[HS_GPU]) {
        hsi_experience_close(x);
        return HS_ENOMEM;
    }
    classify(x, estimates);
    return HS_OK;
}

void hsi_experience_close(hsi_experience *x)
{
    free(x->class_of);
    free(x->of[HS_CPU]);
    free(x->of[HS_GPU]);
    *x = (hsi_experience){0};
}

#define MOST 256.0 /* more is held for that: sums stay finite */

/* Four an octave, from 2^-8 on; the first and the last take in what lies beyond. */
static unsigned bin_of(double ratio)
{
    int    exponent, bin;
    double mantissa = frexp(ratio, &exponent); /* in [0.5, 1) */

    bin = 4 * (exponent + 7) + (int)(8 * (mantissa - 0.5));
    return bin < 0 ? 0 : bin < HSI_RATIO_BINS ? (unsigned)bin : HSI_RATIO_BINS - 1;
}

static void add(hsi_ratios *r, double ratio, int wrong)
{
    unsigned bin = bin_of(ratio);

    r->count++;
    r->wrong += (uint64_t)wrong;
    r->sum += ratio;
    r->bin[bin].count++;
    r->bin[bin].sum += ratio;
}

int hsi_experience_add(hsi_experience *x, hs_type type, uint32_t task, double ratio)
{
    hsi_ratios *all = x->of[type], *own = &all[x->class_of[task]];
    int         wrong = fabs(ratio - 1) > x->tolerance;

    ratio = wrong ? fmin(ratio, MOST) : 1;
    add(all, ratio, wrong);
    if (own != all)
        add(own, ratio, wrong);
    return x->of[HS_CPU]->wrong > 0 || x->of[HS_GPU]->wrong > 0 || own->count == 1 ||
           all->count == 1;
}

double hsi_ratios_beyond(const hsi_ratios *r, double ratio)
{
    uint64_t count = 0;
    double   sum = 0;
    unsigned i;

    for (i = 0; i < HSI_RATIO_BINS; i++)
        if (hsi_ratios_bin(r, i) > ratio) {
            count += r->bin[i].count;
            sum += r->bin[i].sum;
        }
    return count ? sum / (double)count : 0;
}
