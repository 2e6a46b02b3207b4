/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate --plot: measured means over the size, and the fitted laws, as SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/output.h"
#include "common/plot/plot.h"

enum { CURVE = 60, SERIES_MOST = 24, NAME = HS_MAX_KEY + 32 };

/* A key of a processor: a series with the memory of its points. */
typedef struct drawn_key {
    char    name[NAME];
    double *x, *y;
    size_t  count;
    double  runs;
    double  curve_x[CURVE], curve_y[CURVE];
    bool    has_law;
} drawn_key;

typedef struct drawing {
    drawn_key *keys;
    size_t     count, room;
    size_t     processors[2]; /* by type */
    size_t     sizeless;      /* keys without a size */
} drawing;

/* Compute points of the law of a key between its least and its largest size. */
static void add_law(const calibrate_entries *e, const char *name, drawn_key *key)
{
    double       low = key->x[0], ratio = key->x[key->count - 1] / low;
    hs_power_law law;

    hs_power_law_init(&law);
    key->has_law = hs_cost_power_law(e->cost, e->processor.type, name, &law);
    for (int i = 0; i < CURVE && key->has_law; i++) {
        key->curve_x[i] = low * pow(ratio, i / (double)(CURVE - 1));
        key->curve_y[i] = law.a * pow(key->curve_x[i], law.b) + law.c;
        key->has_law = key->curve_y[i] > 0 && isfinite(key->curve_y[i]);
    }
}

static void grow(drawing *d)
{
    size_t     room = 2 * d->room + 16;
    drawn_key *keys = checked_calloc(room, sizeof *keys);

    if (d->count > 0)
        memcpy(keys, d->keys, d->count * sizeof *keys);
    free(d->keys);
    d->keys = keys;
    d->room = room;
}

/* Add the entries from `first` to `end`, which have one key; those without a size are left out. */
static void add_key(drawing *d, const calibrate_entries *e, size_t first, size_t end)
{
    const hs_cost_entry *entry = &e->entries[first];
    const char          *type = e->processor.type == HS_CPU ? "CPU" : "GPU";
    size_t               number = d->processors[e->processor.type];
    drawn_key            key = {.count = 0};

    while (first < end && e->entries[first].features.size == 0)
        first++;
    d->sizeless += first == end;
    if (first == end)
        return;
    if (number == 1)
        snprintf(key.name, NAME, "%s, %s", entry->features.key, type);
    else
        snprintf(key.name, NAME, "%s, %s %zu", entry->features.key, type, number);
    key.x = checked_calloc(2 * (end - first), sizeof *key.x);
    key.y = key.x + (end - first);
    for (size_t i = first; i < end; i++) {
        key.x[key.count] = e->entries[i].features.size;
        key.y[key.count++] = e->entries[i].mean;
        key.runs += e->entries[i].runs;
    }
    add_law(e, entry->features.key, &key);
    if (d->count == d->room)
        grow(d);
    d->keys[d->count++] = key;
}

static void add_processor(drawing *d, const calibrate_entries *e)
{
    d->processors[e->processor.type]++;
    for (size_t first = 0, end; first < e->count; first = end) {
        const char *key = e->entries[first].features.key;

        for (end = first; end < e->count && strcmp(e->entries[end].features.key, key) == 0;)
            end++;
        add_key(d, e, first, end);
    }
}

static hs_status collect(times_profile *p, drawing *d, hs_error *error)
{
    calibrate_entries e;
    hs_status         st;

    for (size_t index = 0; (st = calibrate_history_entries(p, index, &e, error)) == HS_OK;
         index++) {
        add_processor(d, &e);
        calibrate_entries_free(&e);
    }
    calibrate_entries_free(&e);
    return st == HS_EINVAL ? HS_OK : st;
}

static int by_runs(const void *a, const void *b)
{
    const drawn_key *x = a, *y = b;

    if (x->runs != y->runs)
        return x->runs > y->runs ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const drawn_key *)a)->name, ((const drawn_key *)b)->name);
}

/* Order the keys by name; of too many, keep those with the most runs. Return the number to draw. */
static size_t choose_keys(const times_profile *p, drawing *d)
{
    size_t count = d->count < SERIES_MOST ? d->count : (size_t)SERIES_MOST;

    if (count < d->count) {
        qsort(d->keys, d->count, sizeof *d->keys, by_runs);
        message("%s: the plot has the %zu keys with the most runs, of %zu", p->path, count,
                d->count);
    }
    if (count > 0)
        qsort(d->keys, count, sizeof *d->keys, by_name);
    return count;
}

static int write_plot(const drawing *d, size_t count, const char *path)
{
    plot_series *series = checked_calloc(count, sizeof *series);
    plot_spec    plot = {.kind = PLOT_LINES,
                         .title = "Measured times and fitted laws",
                         .x_name = "size D",
                         .y_name = "time, s",
                         .log_x = 1,
                         .log_y = 1,
                         .count = count,
                         .series = series,
                         .width = 640};
    output      *file = NULL;
    int          code = output_open(path, &file);

    for (size_t i = 0; i < count; i++) {
        const drawn_key *key = &d->keys[i];

        series[i] = (plot_series){.name = key->name,
                                  .count = key->count,
                                  .x = key->x,
                                  .y = key->y,
                                  .dots = true,
                                  .curve_count = key->has_law ? CURVE : 0,
                                  .curve_x = key->curve_x,
                                  .curve_y = key->curve_y};
    }
    if (!code && output_stream(file)) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", output_stream(file));
        plot_write(output_stream(file), &plot);
    }
    if (!code)
        code = output_close(file, output_stream(file) ? HS_OK : HS_ENOMEM);
    free(series);
    return code;
}

int calibrate_plot_profile(times_profile *p, const char *path)
{
    drawing   d = {.keys = NULL};
    hs_error  error = {0};
    hs_status st = collect(p, &d, &error);
    size_t    count = st == HS_OK ? choose_keys(p, &d) : 0;
    int       code;

    if (st != HS_OK) {
        code = profile_refused(st, &error);
    } else if (count == 0) {
        message("%s: no time belongs to a size, so there is nothing to draw", p->path);
        code = EXIT_WORK;
    } else {
        if (d.sizeless > 0)
            message("%s: the plot leaves out %zu key%s without a size", p->path, d.sizeless,
                    plural(d.sizeless));
        code = write_plot(&d, count, path);
    }
    for (size_t i = 0; i < d.count; i++)
        free(d.keys[i].x);
    free(d.keys);
    return code;
}
