/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: the entries of a processor in a profile, in an order to be shown. */
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "common/checked_memory.h"

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_key_and_features(const void *a, const void *b)
{
    const hs_features *x = &((const hs_cost_entry *)a)->features;
    const hs_features *y = &((const hs_cost_entry *)b)->features;
    int                order = strcmp(x->key, y->key);

    if (order == 0)
        order = compare_numbers(x->size, y->size);
    if (order == 0)
        order = compare_numbers(x->flops, y->flops);
    if (order == 0)
        order = compare_numbers(x->bytes_in, y->bytes_in);
    return order ? order : compare_numbers(x->bytes_out, y->bytes_out);
}

hs_status calibrate_entries_at(times_profile *p, size_t index, calibrate_entries *out,
                               hs_error *error)
{
    hs_cost_entry entry;
    size_t        count = 0;
    hs_status     st;

    *out = (calibrate_entries){.cost = NULL};
    st = profile_processor_at(p, index, &out->processor, &out->cost, error);
    if (st != HS_OK)
        return st;
    hs_cost_entry_init(&entry);
    while (hs_cost_entry_at(out->cost, count, &entry))
        count++;
    out->entries = checked_calloc(count, sizeof *out->entries);
    for (size_t i = 0; hs_cost_entry_at(out->cost, i, &entry); i++)
        if (entry.level == HS_COST_LEVEL_HISTORY && entry.runs > 0)
            out->entries[out->count++] = entry;
    qsort(out->entries, out->count, sizeof *out->entries, by_key_and_features);
    return HS_OK;
}

void calibrate_entries_free(calibrate_entries *e)
{
    hs_cost_free(e->cost);
    free(e->entries);
}
