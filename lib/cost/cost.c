/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured executions and predictions: the public interface of the cost models. */
#include <math.h>
#include <stdlib.h>

#include "cost/models.h"
#include "support/sized.h"

static const hs_features no_features = {.size = 0};
static const hs_prediction no_prediction = {.time = 1, .spread = NAN, .source = HS_COST_NONE};
static const hs_cost_entry no_entry = {.features = {.struct_size = sizeof(hs_features)}};
static const hs_power_law  no_law = {.a = 0};

void hs_features_init_sized(hs_features *features, size_t size)
{
    hsi_sized_init(features, size, &no_features, sizeof no_features);
}

void hs_prediction_init_sized(hs_prediction *prediction, size_t size)
{
    hsi_sized_init(prediction, size, &no_prediction, sizeof no_prediction);
}

void hs_cost_entry_init_sized(hs_cost_entry *entry, size_t size)
{
    hsi_sized_init(entry, size, &no_entry, sizeof no_entry);
}

void hs_power_law_init_sized(hs_power_law *law, size_t size)
{
    hsi_sized_init(law, size, &no_law, sizeof no_law);
}

hs_status hs_cost_create(hs_cost **out)
{
    if (!out)
        return HS_EINVAL;
    *out = calloc(1, sizeof **out);
    return *out ? HS_OK : HS_ENOMEM;
}

void hs_cost_free(hs_cost *cost)
{
    if (!cost)
        return;
    hsi_vector_free(&cost->items);
    hsi_vector_free(&cost->keys);
    free(cost->item_slots.slot);
    free(cost->key_slots.slot);
    free(cost);
}

static bool is_amount(double number)
{
    return number >= 0 && number < INFINITY;
}

static bool is_valid(hs_type type, const hs_features *f)
{
    return (type == HS_CPU || type == HS_GPU) && is_amount(f->size) && is_amount(f->flops) &&
           is_amount(f->bytes_in) && is_amount(f->bytes_out) &&
           memchr(f->key, '\0', sizeof f->key) != NULL;
}

/* Note in the key that an item's mean or number of executions has changed. */
static void update_key(hs_cost *cost, const hsi_cost_item *item, const hsi_statistics *before,
                       double more_runs)
{
    hsi_cost_key *key = (hsi_cost_key *)cost->keys.data + item->key;

    key->runs += more_runs;
    key->log_sum += log(item->all.mean);
    if (before->runs > 0)
        key->log_sum -= log(before->mean);
    else
        key->items++;
    cost->rates[item->type].current = false;
}

/* Observe an execution in the complete and in the fresh statistics of an item. */
static void observe_item(hs_cost *cost, hsi_cost_item *item, double seconds, int64_t date)
{
    hsi_statistics before = item->all;

    switch (hsi_statistics_observe(&item->all, seconds, date)) {
    case HSI_OBSERVED_STRANGE:
        item->fresh.strange++;
        return;
    case HSI_OBSERVED_RESTARTED:
        item->fresh = (hsi_statistics){0};
        item->restarted = true;
        break;
    case HSI_OBSERVED_WARM:
        item->fresh = (hsi_statistics){0};
        break;
    case HSI_OBSERVED_ADDED:
        break;
    }
    hsi_statistics_add(&item->fresh, seconds, date);
    if (item->level == HS_COST_LEVEL_HISTORY)
        update_key(cost, item, &before, 1);
}

hs_status hs_cost_observe(hs_cost *cost, hs_type type, const hs_features *features, double seconds,
                          int64_t date)
{
    hs_features    full = no_features;
    hsi_cost_item *item;
    size_t         task = 0;

    if (!cost || !features || !hsi_sized_copy_in(&full, sizeof full, features) ||
        !is_valid(type, &full) || !(seconds > 0 && seconds < INFINITY))
        return HS_EINVAL;
    if (full.what) {
        item = hsi_cost_make_item(cost, type, HS_COST_LEVEL_TASK, &full);
        if (!item)
            return HS_ENOMEM;
        task = (size_t)(item - (hsi_cost_item *)cost->items.data);
    }
    item = hsi_cost_make_item(cost, type, HS_COST_LEVEL_HISTORY, &full);
    if (!item)
        return HS_ENOMEM;
    observe_item(cost, item, seconds, date);
    if (full.what)
        observe_item(cost, (hsi_cost_item *)cost->items.data + task, seconds, date);
    return HS_OK;
}

void hs_cost_predict(hs_cost *cost, hs_type type, const hs_features *features,
                     hs_prediction *prediction)
{
    hs_cost_predict_from(cost, HS_COST_TASK, type, features, prediction);
}

void hs_cost_predict_from(hs_cost *cost, hs_cost_source first, hs_type type,
                          const hs_features *features, hs_prediction *prediction)
{
    hs_features    full = no_features;
    hs_prediction  p = no_prediction;
    hsi_cost_query query = {.cost = cost, .type = type, .features = &full};
    hs_cost_source worse = HS_COST_GIVEN; /* source that another one precedes */

    if (cost && hsi_sized_copy_in(&full, sizeof full, features) && is_valid(type, &full)) {
        query.sample = (hsi_sample){.size = full.size,
                                    .flops = full.flops,
                                    .bytes_in = full.bytes_in,
                                    .bytes_out = full.bytes_out};
        query.key = hsi_cost_find_key(cost, type, full.key);
        if (query.key)
            hsi_cost_fit_key(cost, query.key);
        if (first < HS_COST_POWER && hsi_cost_prefers_learned(&query))
            worse = HS_COST_POWER;
        for (size_t i = 0; hsi_cost_model_at(i); i++) {
            p.source = hsi_cost_model_at(i)->source;
            if (p.source >= first && p.source != worse && hsi_cost_model_at(i)->predict(&query, &p))
                break;
        }
    }
    hsi_sized_copy_out(prediction, &p, sizeof p);
}

static bool entry_at(const hs_cost *cost, size_t index, bool fresh, hs_cost_entry *entry)
{
    size_t                count;
    const hsi_cost_item  *item = hsi_cost_items(cost, &count);
    const hsi_statistics *s;
    hs_cost_entry         full = no_entry;

    if (index >= count)
        return false;
    item += index;
    s = fresh ? &item->fresh : &item->all;
    full.type = item->type;
    full.level = item->level;
    memcpy(full.features.key, ((hsi_cost_key *)cost->keys.data)[item->key].name, HS_MAX_KEY);
    full.features.what = item->what;
    full.features.size = item->features.size;
    full.features.flops = item->features.flops;
    full.features.bytes_in = item->features.bytes_in;
    full.features.bytes_out = item->features.bytes_out;
    full.runs = s->runs;
    full.mean = s->mean;
    full.m2 = s->m2;
    full.least = s->least;
    full.last = s->last;
    full.strange = s->strange;
    full.restarted = fresh && item->restarted;
    hsi_sized_copy_out(entry, &full, sizeof full);
    return true;
}

bool hs_cost_entry_at(const hs_cost *cost, size_t index, hs_cost_entry *entry)
{
    return entry_at(cost, index, false, entry);
}

bool hs_cost_fresh_at(const hs_cost *cost, size_t index, hs_cost_entry *entry)
{
    return entry_at(cost, index, true, entry);
}

void hs_cost_clear_fresh(hs_cost *cost)
{
    size_t         count;
    hsi_cost_item *items = hsi_cost_items(cost, &count);

    for (size_t i = 0; i < count; i++) {
        items[i].fresh = (hsi_statistics){0};
        items[i].restarted = false;
    }
}

static hsi_statistics statistics_of(const hs_cost_entry *entry)
{
    return (hsi_statistics){.runs = entry->runs,
                            .mean = entry->mean,
                            .m2 = entry->m2,
                            .least = entry->least,
                            .last = entry->last,
                            .strange = entry->strange};
}

static bool has_valid_statistics(const hs_cost_entry *entry)
{
    return is_amount(entry->runs) && is_amount(entry->m2) && is_amount(entry->least) &&
           (entry->runs == 0 || (entry->mean > 0 && entry->mean < INFINITY));
}

hs_status hs_cost_merge(hs_cost *cost, const hs_cost_entry *entry)
{
    hs_cost_entry  full = no_entry;
    hsi_cost_item *item;
    hsi_statistics before, more;

    if (!cost || !entry || !hsi_sized_copy_in(&full, sizeof full, entry) ||
        !is_valid(full.type, &full.features) || !has_valid_statistics(&full) ||
        (full.level != HS_COST_LEVEL_TASK && full.level != HS_COST_LEVEL_HISTORY))
        return HS_EINVAL;
    item = hsi_cost_make_item(cost, full.type, full.level, &full.features);
    if (!item)
        return HS_ENOMEM;
    before = item->all;
    more = statistics_of(&full);
    if (full.restarted && more.runs > 0)
        item->all = (hsi_statistics){0};
    hsi_statistics_merge(&item->all, &more);
    if (full.level == HS_COST_LEVEL_HISTORY && more.runs > 0)
        update_key(cost, item, &before, more.runs);
    return HS_OK;
}

void hs_cost_entry_merge(hs_cost_entry *into, const hs_cost_entry *from)
{
    hsi_statistics sum = statistics_of(into), more = statistics_of(from);

    if (from->restarted)
        sum = (hsi_statistics){0};
    hsi_statistics_append(&sum, &more);
    into->runs = sum.runs;
    into->mean = sum.mean;
    into->m2 = sum.m2;
    into->least = sum.least;
    into->last = sum.last;
    into->strange = sum.strange;
    into->restarted = into->restarted || from->restarted;
}

bool hs_cost_power_law(hs_cost *cost, hs_type type, const char *key, hs_power_law *law)
{
    hsi_cost_key *found = cost && key ? hsi_cost_find_key(cost, type, key) : NULL;

    if (!found)
        return false;
    hsi_cost_fit_key(cost, found);
    if (!found->laws.has_power)
        return false;
    hsi_sized_copy_out(law, &found->laws.power, sizeof found->laws.power);
    return true;
}
