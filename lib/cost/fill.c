/* SPDX-License-Identifier: BSD-3-Clause */
/* Replace unknown times of an instance, or given ones too, by predictions. */
#include <math.h>
#include <stdlib.h>

#include "core/builder.h"
#include "cost/fill.h"
#include "cost/models.h"

/* Predict the time of a row on a type, in seconds, and note its source. */
static double predict(hs_cost *cost, const hs_feature_index *index, size_t row,
                      const hs_task *task, hs_type type, unsigned char *source)
{
    hs_prediction prediction;
    hs_features   features;

    hs_prediction_init(&prediction);
    hsi_features_of_row(index, row, task, type, &features);
    hs_cost_predict(cost, type, &features, &prediction);
    *source = (unsigned char)prediction.source;
    return prediction.time;
}

/* The times that predictions replace: the unknown times, or also each given time with a prediction
 * from measurements. */
typedef enum fill_times { FILL_UNKNOWN, FILL_MEASURED } fill_times;

/*
 * Return the time of a row on a type, in the instance's unit, and note its source. An earlier guess
 * stays where there is no prediction.
 */
static double fill_time(const hs_instance *in, hs_cost *cost, const hs_feature_index *index,
                        size_t row, const hs_task *task, hs_type type, fill_times which,
                        unsigned char *source)
{
    const double  given = type == HS_CPU ? task->cpu : task->gpu;
    const double  second = 1 / hs_unit_seconds(hs_instance_unit(in));
    bool          was_guess = hs_cost_is_guess((hs_cost_source)*source);
    unsigned char found;
    double        time;

    if (isinf(given) || (!isnan(given) && !was_guess && which == FILL_UNKNOWN))
        return given;
    time = predict(cost, index, row, task, type, &found) * second;
    if (!isnan(given) && found > (was_guess ? HS_COST_ROOFLINE : HS_COST_LEARNED))
        return given;
    *source = found;
    return time;
}

static hs_status add_row(hs_builder *b, const hs_instance *in, hs_cost *cost,
                         const hs_feature_index *index, size_t row, fill_times which,
                         unsigned char source[2])
{
    hs_task task;
    double  cpu, gpu;

    hs_instance_row(in, row, &task);
    cpu = fill_time(in, cost, index, row, &task, HS_CPU, which, &source[HS_CPU]);
    gpu = fill_time(in, cost, index, row, &task, HS_GPU, which, &source[HS_GPU]);
    task.cpu = cpu;
    task.gpu = gpu;
    task.guess = hsi_guess_of(source);
    return hs_builder_add_row(b, &task);
}

hs_status hsi_copy_header(hs_builder *b, const hs_instance *in)
{
    const char *key, *value;
    hs_status   st = hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));

    if (st == HS_OK)
        st = hs_builder_set_unit(b, hs_instance_unit(in));
    for (size_t i = 0; st == HS_OK && (key = hs_instance_note(in, i, &value)); i++)
        st = hs_builder_add_note(b, key, value);
    return st;
}

static hs_status add_everything(hs_builder *b, const hs_instance *in, hs_cost *cost,
                                const hs_feature_index *index, fill_times which,
                                unsigned char *source)
{
    hs_status st = hsi_copy_header(b, in);

    for (size_t row = 0; st == HS_OK && row < hs_instance_rows(in); row++)
        st = add_row(b, in, cost, index, row, which, source + 2 * row);
    if (st == HS_OK && (hs_instance_has_graph(in) || in->store->relations || hsi_listed_nodes(in)))
        st = hs_builder_copy_graph(b, in);
    return st;
}

hs_guess hsi_guess_of(const unsigned char source[2])
{
    unsigned guess = 0;

    for (int type = HS_CPU; type <= HS_GPU; type++)
        guess |= (unsigned)hs_cost_is_guess((hs_cost_source)source[type]) << type;
    return (hs_guess)guess;
}

/* Return the source of a row's time on a type: the noted one, or what the column `guess` says. */
static hs_cost_source source_of(const hsi_store *store, size_t row, hs_type type)
{
    const unsigned char *guess = store->cells[HSI_GUESS].at.data;

    if (store->source)
        return (hs_cost_source)store->source[2 * row + type];
    return guess && guess[row] >> type & 1 && isfinite(hsi_store_times(store, (int)type)[row])
               ? HS_COST_NONE
               : HS_COST_GIVEN;
}

unsigned char *hsi_copy_sources(const hs_instance *in)
{
    size_t         rows = hs_instance_rows(in);
    unsigned char *source = calloc(rows + 1, 2);

    for (size_t i = 0; source && i < 2 * rows; i++)
        source[i] = (unsigned char)source_of(in->store, i / 2, (hs_type)(i % 2));
    return source;
}

static hs_status fill(const hs_instance *in, hs_cost *cost, fill_times which, hs_instance **out)
{
    hs_feature_index *index = NULL;
    hs_builder       *b = NULL;
    unsigned char    *source;
    hs_status         st;

    if (!in || !out)
        return HS_EINVAL;
    source = hsi_copy_sources(in);
    st = source ? hs_feature_index_create(in, &index) : HS_ENOMEM;
    if (st == HS_OK)
        st = hs_builder_create(&b);
    if (st == HS_OK)
        st = add_everything(b, in, cost, index, which, source);
    if (st == HS_OK)
        st = hs_builder_finish(b, out, NULL);
    if (st == HS_OK) {
        (*out)->store->source = source;
        source = NULL;
    }
    hs_builder_free(b);
    hs_feature_index_free(index);
    free(source);
    return st;
}

hs_status hs_instance_fill(const hs_instance *in, hs_cost *cost, hs_instance **out)
{
    return fill(in, cost, FILL_UNKNOWN, out);
}

hs_status hs_instance_retime(const hs_instance *in, hs_cost *cost, hs_instance **out)
{
    return fill(in, cost, FILL_MEASURED, out);
}

hs_cost_source hs_instance_source(const hs_instance *in, size_t task, hs_type type)
{
    return source_of(in->store, hs_instance_row_of(in, task), type);
}
