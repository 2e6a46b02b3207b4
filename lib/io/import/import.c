/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/builder.h"
#include "support/sized.h"

void hs_import_settings_init_sized(hs_import_settings *settings, size_t size)
{
    static const hs_import_settings defaults = {.cpus = 20, .gpus = 4};

    hsi_sized_init(settings, size, &defaults, sizeof defaults);
}

static bool is_sound(const hs_import_settings *o)
{
    return o->cpus <= HS_MAX_WORKERS && o->gpus <= HS_MAX_WORKERS && hs_unit_name(o->unit) &&
           o->least_time >= 0 && isfinite(o->least_time);
}

static hs_status take_settings(hsi_import *r, const hs_import_settings *settings)
{
    char      shown[HSI_SHOWN];
    hsi_text  bad;
    hs_status st;

    hs_import_settings_init(&r->settings);
    if (settings && !hsi_sized_copy_in(&r->settings, sizeof r->settings, settings))
        return HS_EINVAL;
    if (!is_sound(&r->settings))
        return HS_EINVAL;
    st = hsi_speedup_parse(&r->speedup, r->settings.speedup, &bad);
    if (st == HS_EINVAL)
        hsi_import_fail(&r->text, NULL,
                        "the speed-up rule %s; expected [NAME=]FACTOR, a number "
                        "above 0 or 'none'",
                        hsi_import_quote(bad, shown));
    return st;
}

hs_status hsi_import_open(hsi_import *importer, int fd, const hs_import_settings *settings)
{
    hs_status st;

    *importer = (hsi_import){.text = {.error = &importer->error}};
    st = take_settings(importer, settings);
    if (st == HS_OK)
        st = hs_builder_create(&importer->builder);
    return st == HS_OK ? hsi_import_text_open(&importer->text, fd, &importer->error) : st;
}

hs_status hsi_import_close(hsi_import *importer, hs_status status, hs_error *error)
{
    int saved_errno = errno;

    hsi_import_text_close(&importer->text);
    hs_builder_free(importer->builder);
    hsi_speedup_free(&importer->speedup);
    hsi_words_free(&importer->tasks);
    hsi_vector_free(&importer->places);
    hsi_vector_free(&importer->edges);
    errno = saved_errno;
    return hsi_import_copy_error(status, &importer->error, error);
}

hs_status hsi_import_check_time(hsi_import *importer, const char *position, const char *name,
                                double *time)
{
    if (*time >= 0 && *time < importer->settings.least_time)
        *time = importer->settings.least_time;
    if (*time > 0)
        return HS_OK;
    return hsi_import_fail(&importer->text, position,
                           "%s is %g; expected a time above 0 (a least time, where "
                           "one is given, is taken instead)",
                           name, *time);
}

hs_status hsi_import_gpu_time(hsi_import *importer, const char *position, hsi_text name, double cpu,
                              double *gpu)
{
    double factor = hsi_speedup_of(&importer->speedup, name);
    char   shown[HSI_SHOWN];

    if (factor < 0)
        return hsi_import_fail(&importer->text, position,
                               "no speed-up rule says how long %s takes on a GPU; "
                               "expected one, such as 10, NAME=10 or none",
                               hsi_import_quote(name, shown));
    *gpu = factor > 0 ? cpu / factor : INFINITY;
    if (*gpu > 0)
        return HS_OK;
    return hsi_import_fail(&importer->text, position, "the time of %s on a GPU rounds to 0",
                           hsi_import_quote(name, shown));
}

hs_status hsi_import_add_task(hsi_import *importer, const char *position, hsi_text id,
                              hs_task *task)
{
    char      name[HS_MAX_ID + 1];
    size_t    place = (size_t)(position - importer->text.at);
    hs_status st;

    if (id.length == 0 || id.length > HS_MAX_ID)
        return hsi_import_fail(&importer->text, position,
                               "a task's name of %zu bytes; expected 1 to %u", id.length,
                               HS_MAX_ID);
    memcpy(name, id.at, id.length);
    name[id.length] = '\0';
    task->id = name;
    if (hsi_vector_append(&importer->places, &place, sizeof place))
        return HS_ENOMEM;
    st = hs_builder_add_row(importer->builder, task);
    task->id = NULL;
    importer->rows += st == HS_OK;
    return st;
}

hs_status hsi_import_add_edge(hsi_import *importer, const char *position, size_t later,
                              size_t earlier, double bytes)
{
    hsi_foreign_edge edge = {(uint32_t)later, (uint32_t)earlier, bytes,
                             (size_t)(position - importer->text.at)};

    return hsi_vector_append(&importer->edges, &edge, sizeof edge) ? HS_ENOMEM : HS_OK;
}

/* Order edges by later row, then earlier row, then position in the text. */
static int compare_edges(const void *a, const void *b)
{
    const hsi_foreign_edge *x = a, *y = b;

    if (x->later != y->later)
        return x->later < y->later ? -1 : 1;
    if (x->earlier != y->earlier)
        return x->earlier < y->earlier ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static size_t edge_count(const hsi_import *r)
{
    return r->edges.size / sizeof(hsi_foreign_edge);
}

void hsi_import_sort_edges(hsi_import *importer)
{
    if (edge_count(importer) > 1)
        qsort(importer->edges.data, edge_count(importer), sizeof(hsi_foreign_edge), compare_edges);
}

bool hsi_import_has_edge(const hsi_import *importer, size_t later, size_t earlier)
{
    const hsi_foreign_edge *edge = importer->edges.data;
    size_t                  low = 0, high = edge_count(importer);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (edge[middle].later < later ||
            (edge[middle].later == later && edge[middle].earlier < earlier))
            low = middle + 1;
        else
            high = middle;
    }
    return low < edge_count(importer) && edge[low].later == later && edge[low].earlier == earlier;
}

void hsi_import_merge_edges(hsi_import *importer)
{
    hsi_foreign_edge *edge = importer->edges.data;
    size_t            count = edge_count(importer), kept = 0;

    hsi_import_sort_edges(importer);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || edge[i].later != edge[kept - 1].later ||
            edge[i].earlier != edge[kept - 1].earlier)
            edge[kept++] = edge[i];
    importer->edges.size = kept * sizeof *edge;
}

void hsi_import_set_workers(hsi_import *importer, uint64_t cpus, uint64_t gpus)
{
    if (!importer->settings.has_cpus)
        importer->settings.cpus = (unsigned)(cpus < HS_MAX_WORKERS ? cpus : HS_MAX_WORKERS);
    if (!importer->settings.has_gpus)
        importer->settings.gpus = (unsigned)(gpus < HS_MAX_WORKERS ? gpus : HS_MAX_WORKERS);
    importer->settings.has_cpus = importer->settings.has_gpus = 1;
}

static const char *quote_row(const hsi_import *r, size_t row, char shown[HSI_SHOWN])
{
    return hsi_import_quote(r->tasks.word[row], shown);
}

static hs_status add_edges(hsi_import *r)
{
    const hsi_foreign_edge *edge = r->edges.data;
    char                    later[HSI_SHOWN], earlier[HSI_SHOWN];
    hs_status               st = HS_OK;

    hsi_import_sort_edges(r);
    for (size_t i = 0; i < edge_count(r) && st == HS_OK; i++) {
        const char *at = r->text.at + edge[i].at;

        if (edge[i].later == edge[i].earlier)
            return hsi_import_fail(&r->text, at, "task %s comes after itself",
                                   quote_row(r, edge[i].later, later));
        if (i > 0 && edge[i].later == edge[i - 1].later && edge[i].earlier == edge[i - 1].earlier)
            return hsi_import_fail(&r->text, at,
                                   "task %s comes after %s twice; expected each "
                                   "edge once",
                                   quote_row(r, edge[i].later, later),
                                   quote_row(r, edge[i].earlier, earlier));
        st = hs_builder_add_predecessor(r->builder, edge[i].later, edge[i].earlier, 0,
                                        edge[i].bytes);
    }
    return st;
}

/* Report the row that the builder refused, in the words of the builder. */
static hs_status refuse_row(hsi_import *r, const hs_error *error)
{
    const size_t *place = r->places.data;
    size_t        row = (size_t)error->line - 1;

    return hsi_import_fail(&r->text, r->text.at + (row < r->rows ? place[row] : 0), "%s",
                           error->why);
}

hs_status hsi_import_finish(hsi_import *importer, const char *format, hs_instance **out)
{
    hs_error  error = {0};
    hs_status st = add_edges(importer);

    if (st != HS_OK)
        return st;
    st =
        hs_builder_set_workers(importer->builder, importer->settings.cpus, importer->settings.gpus);
    if (st == HS_OK && !hsi_nodes_have(&hsi_builder_rows(importer->builder)->nodes,
                                       importer->settings.cpus, importer->settings.gpus))
        hsi_builder_drop_nodes(importer->builder);
    if (st == HS_OK)
        st = hs_builder_add_note(importer->builder, "imported", format);
    if (st == HS_OK && importer->speedup.rules.size)
        st = hs_builder_add_note(importer->builder, "speedup", importer->settings.speedup);
    if (st == HS_OK)
        st = hs_builder_finish(importer->builder, out, &error);
    return error.line || (st == HS_EINVAL && error.why[0]) ? refuse_row(importer, &error) : st;
}
