/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the scatter plot of the page, measured against estimated times by task. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/page.h"
#include "exec/html/html.h"

/* Keys with a colour of their own; the last colour is of all other keys. */
enum { COLOURS = 7, SERIES_MOST = 2 * (COLOURS + 1) };

/* A finished task with an estimate. */
typedef struct point {
    const char *key;
    hs_type     type;
    unsigned    colour; /* index of the key's colour; COLOURS: the colour shared by all other keys */
    double      estimated, measured;
} point;

/* A key and the time that its tasks took. */
typedef struct key_time {
    const char *key;
    double      time;
} key_time;

static size_t collect_points(const page *p, point *points, size_t *guesses)
{
    const hs_instance *in = p->job->plan.in;
    size_t             count = 0;

    *guesses = 0;
    for (size_t i = 0; i < p->m->attempt_count; i++) {
        const exec_attempt *a = &p->m->attempts[i];
        double              estimated = hs_instance_time(in, a->task, a->type);
        bool is_guess = hs_cost_is_guess(hs_instance_source(in, a->task, a->type));

        if (!a->done)
            continue;
        *guesses += is_guess;
        if (!is_guess && estimated > 0 && isfinite(estimated) && a->time > 0)
            points[count++] = (point){.key = exec_key_name(p->job, p->m, a->task, a->type),
                                      .type = a->type,
                                      .estimated = estimated,
                                      .measured = a->time};
    }
    return count;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const point *)a)->key, ((const point *)b)->key);
}

static int longest_first(const void *a, const void *b)
{
    const key_time *x = a, *y = b;

    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return strcmp(x->key, y->key);
}

/* List the keys of points sorted by key, the one of the longest time first; return their number. */
static size_t list_keys(const point *points, size_t count, key_time *keys)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_key(&points[i - 1], &points[i]) != 0)
            keys[found++] = (key_time){.key = points[i].key};
        keys[found - 1].time += points[i].measured;
    }
    qsort(keys, found, sizeof *keys, longest_first);
    return found;
}

static unsigned colour_of(const key_time *keys, size_t count, const char *key)
{
    unsigned colour = 0;

    while (colour < COLOURS && colour < count && strcmp(keys[colour].key, key) != 0)
        colour++;
    return colour;
}

/* Copy the points of a colour and type to x and y; return their number. */
static size_t copy_points(const point *points, size_t count, unsigned colour, hs_type type,
                          double *x, double *y)
{
    size_t copied = 0;

    for (size_t i = 0; i < count; i++)
        if (points[i].colour == colour && points[i].type == type) {
            x[copied] = points[i].estimated;
            y[copied++] = points[i].measured;
        }
    return copied;
}

/* Add a series for each colour and type that has points; `x` and `y` receive their coordinates. */
static size_t make_series(const point *points, size_t count, const key_time *keys, double *x,
                          double *y, plot_series *series, char name[][HS_MAX_KEY + 16])
{
    size_t made = 0, used = 0;

    for (unsigned colour = 0; colour <= COLOURS; colour++)
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            size_t here = copy_points(points, count, colour, (hs_type)type, x + used, y + used);

            if (here == 0)
                continue;
            snprintf(name[made], sizeof name[made], "%s on %s",
                     colour < COLOURS ? keys[colour].key : "others",
                     exec_type_name((hs_type)type));
            series[made] = (plot_series){.name = name[made],
                                         .count = here,
                                         .x = x + used,
                                         .y = y + used,
                                         .square = type == HS_GPU,
                                         .colour = colour};
            made++;
            used += here;
        }
    return made;
}

static hs_status put_plot(const page *p, plot_series *series, size_t count, size_t guesses)
{
    char      x_name[32], y_name[32];
    plot_spec plot = {.kind = PLOT_POINTS,
                      .x_name = x_name,
                      .y_name = y_name,
                      .log_x = 1,
                      .log_y = 1,
                      .count = count,
                      .series = series,
                      .reference_name = "measured = estimated",
                      .width = 420};
    hs_status status;

    snprintf(x_name, sizeof x_name, "estimated (%s)", p->unit);
    snprintf(y_name, sizeof y_name, "measured (%s)", p->unit);
    fputs("<h2>Measured and estimated time of each task</h2>\n<div class=\"plots\">\n", p->out);
    status = page_plot(p->out, &plot);
    fputs("</div>\n", p->out);
    if (guesses > 0)
        fprintf(p->out, "<p class=\"key\">Without %zu task%s whose time%s guessed.</p>\n", guesses,
                guesses == 1 ? "" : "s", guesses == 1 ? " was" : "s were");
    return status;
}

hs_status html_scatter(const page *p)
{
    size_t      room = p->m->attempt_count + 1, count, key_count, guesses;
    point      *points = calloc(room, sizeof *points);
    key_time   *keys = calloc(room, sizeof *keys);
    double     *x = calloc(room, sizeof *x), *y = calloc(room, sizeof *y);
    plot_series series[SERIES_MOST];
    char        name[SERIES_MOST][HS_MAX_KEY + 16];
    hs_status   status = points && keys && x && y ? HS_OK : HS_ENOMEM;

    if (status == HS_OK && (count = collect_points(p, points, &guesses)) > 0) {
        qsort(points, count, sizeof *points, by_key);
        key_count = list_keys(points, count, keys);
        for (size_t i = 0; i < count; i++)
            points[i].colour = colour_of(keys, key_count, points[i].key);
        status = put_plot(p, series, make_series(points, count, keys, x, y, series, name), guesses);
    }
    free(points);
    free(keys);
    free(x);
    free(y);
    return status;
}
