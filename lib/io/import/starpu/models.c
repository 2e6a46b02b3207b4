/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance models of StarPU, as starpu_perfmodel_recdump writes them: workers, memory nodes,
 * transfers between nodes, and times of models by architecture and footprint.
 */
#include "io/import/starpu/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "io/import/starpu/recutils.h"
#include "io/import/word_table.h"
#include "io/text/field_value.h"
#include "support/sized.h"

/* Times of a model at a footprint, on the device of each type with the least number. */
typedef struct timing {
    double   mean[2]; /* us; INFINITY: not measured */
    uint64_t device[2];
    hsi_text model;
    double   size[2], flops[2], deviation[2], samples[2];
} timing;

typedef struct transfer {
    uint64_t from, to;
    double   latency, bandwidth;
} transfer;

enum { HOST = 1, DEVICE = 2, MOST_NODES = 4096 };

struct hs_starpu_models {
    struct hsi_import_text text;
    hsi_arena              arena;
    hsi_words              names;            /* names "MODEL FOOTPRINT" */
    hsi_vector             timings;          /* timing of each name */
    hsi_vector             transfers;        /* transfer: measured links between nodes */
    /* kind of each memory node: HOST, DEVICE, or 0: unknown */
    char                   node[MOST_NODES];
    uint64_t               workers[2];
    /* sums over transfers, in us and in s per megabyte */
    double latency[HS_LINKS], slowness[HS_LINKS];
    size_t measured[HS_LINKS];
};

static bool begins(hsi_text text, const char *with)
{
    return text.length >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

/* Return the type and number of an architecture such as cpu0 or cuda1_impl0; -1: unknown type. */
static int architecture(hsi_text name, uint64_t *device)
{
    static const char *const names[] = {"cpu", "cuda", "hip", "opencl"};

    for (int i = 0; i < 4; i++)
        if (begins(name, names[i])) {
            size_t start = strlen(names[i]), end = start;

            while (end < name.length && name.at[end] >= '0' && name.at[end] <= '9')
                end++;
            if (!hsi_text_to_whole(name.at + start, end - start, device))
                *device = 0;
            return i == 0 ? HS_CPU : HS_GPU;
        }
    return -1;
}

static hs_status take_workers(hs_starpu_models *m, const hsi_rec *r)
{
    hsi_text count = hsi_rec_get_value(r, "NbWorkers");
    uint64_t device, workers;
    int      type = architecture(hsi_rec_get_value(r, "Architecture"), &device);
    char     shown[HSI_SHOWN];

    if (!hsi_text_to_whole(count.at, count.length, &workers) || workers > HS_MAX_WORKERS)
        return hsi_import_fail(&m->text, count.at, "NbWorkers %s; expected a whole number up to %u",
                               hsi_import_quote(count, shown), HS_MAX_WORKERS);
    if (type == HS_CPU)
        m->workers[HS_CPU] += workers;
    else if (type == HS_GPU)
        /* several StarPU workers of a GPU are streams: count one */
        m->workers[HS_GPU] += workers > 0;
    return HS_OK;
}

static hs_status read_node(hs_starpu_models *m, const hsi_rec *r, const char *name, uint64_t *node)
{
    hsi_text value = hsi_rec_get_value(r, name);
    char     shown[HSI_SHOWN];

    if (value.at && hsi_text_to_whole(value.at, value.length, node) && *node < MOST_NODES)
        return HS_OK;
    return hsi_import_fail(&m->text, value.at ? value.at : r->start,
                           "%s %s; expected a whole "
                           "number below %d",
                           name, hsi_import_quote(value, shown), MOST_NODES);
}

static hs_status take_node(hs_starpu_models *m, const hsi_rec *r)
{
    hsi_text  name = hsi_rec_get_value(r, "Name");
    uint64_t  node;
    hs_status st = read_node(m, r, "MemoryNode", &node);

    if (st != HS_OK)
        return st;
    if (begins(name, "NUMA") || begins(name, "RAM") || begins(name, "CPU"))
        m->node[node] = HOST;
    else if (begins(name, "CUDA") || begins(name, "HIP") || begins(name, "OpenCL"))
        m->node[node] = DEVICE;
    return HS_OK;
}

/* Add a transfer, in megabytes per second and microseconds. */
static hs_status take_transfer(hs_starpu_models *m, const hsi_rec *r)
{
    transfer  t;
    hs_status st = read_node(m, r, "MemoryNodeSrc", &t.from);

    if (st == HS_OK)
        st = read_node(m, r, "MemoryNodeDst", &t.to);
    if (st == HS_OK)
        st = hsi_rec_get_number(r, "Bandwidth", &t.bandwidth);
    if (st == HS_OK)
        st = hsi_rec_get_number(r, "Latency", &t.latency);
    if (st != HS_OK || t.from == t.to || t.bandwidth == 0)
        return st;
    return hsi_vector_append(&m->transfers, &t, sizeof t) ? HS_ENOMEM : HS_OK;
}

/* Join the names of a model and a footprint, in the arena. */
static hs_status name_of(hsi_arena *arena, hsi_text model, hsi_text footprint, hsi_text *name)
{
    char *to = hsi_arena_alloc(arena, model.length + 1 + footprint.length, 1);

    if (!to)
        return HS_ENOMEM;
    memcpy(to, model.at, model.length);
    to[model.length] = ' ';
    memcpy(to + model.length + 1, footprint.at, footprint.length);
    *name = (hsi_text){to, model.length + 1 + footprint.length};
    return HS_OK;
}

static hs_status enter(hs_starpu_models *m, hsi_text model, hsi_text footprint, timing **out)
{
    timing    fresh = {{INFINITY, INFINITY}, {UINT64_MAX, UINT64_MAX}, .model = model};
    hsi_text  name;
    size_t    number;
    hs_status st = name_of(&m->arena, model, footprint, &name);

    if (st == HS_OK)
        st = hsi_words_find_or_add(&m->names, name, &number);
    if (st == HS_OK && number == m->timings.size / sizeof fresh &&
        hsi_vector_append(&m->timings, &fresh, sizeof fresh))
        st = HS_ENOMEM;
    if (st == HS_OK)
        *out = (timing *)m->timings.data + number;
    return st;
}

/* Parse an optional field of the record last read; `without` if it is missing or no number >= 0. */
static double optional_number(const hsi_rec *r, const char *name, double without)
{
    hsi_text text = hsi_rec_get_value(r, name);
    double   value;

    return text.at && hsi_text_to_number(text.at, text.length, &value) && value >= 0 ? value : without;
}

/* Add a timing; older files name the model in `Name`. */
static hs_status take_timing(hs_starpu_models *m, const hsi_rec *r)
{
    hsi_text  model = hsi_rec_get_value(r, "Model"), footprint = hsi_rec_get_value(r, "Footprint");
    double    mean;
    uint64_t  device;
    timing   *known;
    int       type = architecture(hsi_rec_get_value(r, "Architecture"), &device);
    hs_status st = hsi_rec_get_number(r, "Mean", &mean);

    if (!model.at)
        model = hsi_rec_get_value(r, "Name");
    if (st == HS_OK && (!model.at || !footprint.at))
        return hsi_import_fail(&m->text, r->start, "a timing without '%s'; expected it",
                               model.at ? "Footprint" : "Model");
    if (st != HS_OK || type < 0 || mean == 0)
        return st;
    st = enter(m, model, footprint, &known);
    if (st == HS_OK && device < known->device[type]) {
        known->device[type] = device;
        known->mean[type] = mean;
        known->size[type] = optional_number(r, "Size", 0);
        known->flops[type] = optional_number(r, "Flops", 0);
        known->deviation[type] = optional_number(r, "Stddev", 0);
        known->samples[type] = optional_number(r, "Samples", 1);
    }
    return st;
}

static hs_status take_record(hs_starpu_models *m, const hsi_rec *r)
{
    if (hsi_rec_get_value(r, "Mean").at)
        return take_timing(m, r);
    if (hsi_rec_get_value(r, "MemoryNodeSrc").at)
        return take_transfer(m, r);
    if (hsi_rec_get_value(r, "MemoryNode").at)
        return take_node(m, r);
    return hsi_rec_get_value(r, "NbWorkers").at ? take_workers(m, r) : HS_OK;
}

/* Return the link of a transfer; -1: none. */
static int link_of(const hs_starpu_models *m, const transfer *t)
{
    if (m->node[t->from] == HOST && m->node[t->to] == DEVICE)
        return HS_H2D;
    if (m->node[t->from] == DEVICE && m->node[t->to] == HOST)
        return HS_D2H;
    return m->node[t->from] == DEVICE && m->node[t->to] == DEVICE ? HS_D2D : -1;
}

static void add_up_transfers(hs_starpu_models *m)
{
    const transfer *t = m->transfers.data;

    for (size_t i = 0; i < m->transfers.size / sizeof *t; i++) {
        int link = link_of(m, &t[i]);

        if (link < 0)
            continue;
        m->latency[link] += t[i].latency;
        m->slowness[link] += 1 / t[i].bandwidth;
        m->measured[link]++;
    }
}

static hs_status read_models(hs_starpu_models *m)
{
    hsi_rec   r = {.text = &m->text, .at = m->text.at};
    int       found = 1;
    hs_status st;

    while ((st = hsi_rec_next_record(&r, &found)) == HS_OK && found &&
           (st = take_record(m, &r)) == HS_OK)
        ;
    hsi_rec_close(&r);
    add_up_transfers(m);
    return st;
}

hs_status hs_starpu_models_read(int fd, hs_starpu_models **out, hs_error *error)
{
    hs_starpu_models *m;
    hs_error          found = {0};
    hs_status         st;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    m = calloc(1, sizeof *m);
    if (!m)
        return hsi_import_copy_error(HS_ENOMEM, &found, error);
    st = hsi_import_text_open(&m->text, fd, &found);
    if (st == HS_OK)
        st = read_models(m);
    m->text.error = NULL;
    if (st == HS_OK)
        *out = m;
    else
        hs_starpu_models_free(m);
    return hsi_import_copy_error(st, &found, error);
}

void hs_starpu_models_free(hs_starpu_models *m)
{
    if (!m)
        return;
    hsi_import_text_close(&m->text);
    hsi_words_free(&m->names);
    hsi_vector_free(&m->timings);
    hsi_vector_free(&m->transfers);
    hsi_arena_close(&m->arena);
    free(m);
}

hs_status hsi_starpu_times(const hs_starpu_models *m, hsi_arena *arena, hsi_text model,
                           hsi_text footprint, double times[2])
{
    hsi_text  name;
    size_t    number;
    hs_status st = name_of(arena, model, footprint, &name);

    times[HS_CPU] = times[HS_GPU] = INFINITY;
    if (st != HS_OK)
        return st;
    number = hsi_words_find(&m->names, name);
    if (number != HSI_NO_WORD)
        memcpy(times, ((const timing *)m->timings.data)[number].mean, 2 * sizeof *times);
    return HS_OK;
}

void hs_starpu_timing_init_sized(hs_starpu_timing *to, size_t size)
{
    static const hs_starpu_timing none = {.type = HS_CPU};

    hsi_sized_init(to, size, &none, sizeof none);
}

bool hs_starpu_models_next(const hs_starpu_models *m, size_t *cursor, hs_starpu_timing *out)
{
    const timing    *all = m->timings.data;
    hs_starpu_timing full = {.type = HS_CPU};

    for (; *cursor / 2 < m->timings.size / sizeof *all; ++*cursor) {
        const timing *t = &all[*cursor / 2];
        int           type = (int)(*cursor % 2);

        if (isinf(t->mean[type]))
            continue;
        full.type = (hs_type)type;
        snprintf(full.model, sizeof full.model, "%.*s", (int)t->model.length, t->model.at);
        full.bytes = t->size[type];
        full.flops = t->flops[type];
        full.mean = 1e-6 * t->mean[type];
        full.deviation = 1e-6 * t->deviation[type];
        full.samples = t->samples[type];
        hsi_sized_copy_out(out, &full, sizeof full);
        ++*cursor;
        return true;
    }
    return false;
}

void hsi_starpu_workers(const hs_starpu_models *m, uint64_t *cpus, uint64_t *gpus)
{
    *cpus = m->workers[HS_CPU];
    *gpus = m->workers[HS_GPU];
}

bool hsi_starpu_link(const hs_starpu_models *m, hs_link link, double *latency, double *bandwidth)
{
    double count = (double)m->measured[link];

    if (count == 0)
        return false;
    *latency = m->latency[link] / count;
    *bandwidth = count / m->slowness[link] * 1e6;
    return true;
}
