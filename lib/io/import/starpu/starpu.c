/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Import of a program run by StarPU, from its tasks.rec: jobs with dependencies and data accesses
 * in the order of submission, and measured times by model and footprint. A job without a model
 * takes no time and becomes a barrier.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "io/import/import.h"
#include "io/import/barrier_nodes.h"
#include "io/import/starpu/models.h"
#include "io/import/starpu/recutils.h"
#include "io/text/field_value.h"

typedef struct job {
    const char *at;
    hsi_text    id, name, model, footprint, depends_on, handles, modes, sizes;
    int64_t     priority;
    uint64_t    rank, order; /* MPI rank of the process; number in the order of submission */
} job;

/* A data access of the job being read. */
typedef struct use {
    size_t         data;
    hs_access_mode mode;
} use;

typedef struct reader {
    hsi_import              r;
    const hs_starpu_models *models;
    hsi_arena               arena;
    hsi_words               ids;     /* ids of jobs, in the order of the file */
    hsi_vector              jobs;    /* job, sorted by submission after all are read */
    hsi_words               handles; /* names of the data handles */
    hsi_vector              bytes;   /* double: size of each handle in bytes */
    /* size_t: per handle, the index (+ 1) of its use in the job being read */
    hsi_vector              seen;
    hsi_vector              uses;    /* use: data accesses of the job being read */
    hsi_vector              edges;   /* hsi_node_edge */
    size_t                  absent;  /* number of ignored dependencies on jobs not in the file */
} reader;

static hs_status refuse(reader *s, hsi_text value, const char *what, const char *expected)
{
    char shown[HSI_SHOWN];

    return hsi_import_fail(&s->r.text, value.at, "%s %s; expected %s", what,
                           hsi_import_quote(value, shown), expected);
}

static hs_status read_whole(reader *s, const hsi_rec *rec, const char *name, uint64_t *value)
{
    hsi_text text = hsi_rec_get_value(rec, name);

    *value = 0;
    if (!text.at || hsi_text_to_whole(text.at, text.length, value))
        return HS_OK;
    return refuse(s, text, name, "a whole number");
}

/* Read a signed whole number. */
static hs_status read_priority(reader *s, const hsi_rec *rec, int64_t *priority)
{
    hsi_text text = hsi_rec_get_value(rec, "Priority");
    bool     minus = text.length > 0 && *text.at == '-';
    uint64_t size = 0;

    if (text.at && (!hsi_text_to_whole(text.at + minus, text.length - (size_t)minus, &size) ||
                    size > INT64_MAX))
        return refuse(s, text, "Priority", "a whole number");
    *priority = minus ? -(int64_t)size : (int64_t)size;
    return HS_OK;
}

static hs_status take_job(reader *s, const hsi_rec *rec)
{
    job       j = {.at = rec->start};
    char      shown[HSI_SHOWN];
    size_t    number;
    hs_status st = read_priority(s, rec, &j.priority);

    if (st == HS_OK)
        st = read_whole(s, rec, "MPIRank", &j.rank);
    if (st == HS_OK)
        st = read_whole(s, rec, "SubmitOrder", &j.order);
    if (st != HS_OK)
        return st;
    j.id = hsi_rec_get_value(rec, "JobId");
    j.name = hsi_rec_get_value(rec, "Name");
    j.model = hsi_rec_get_value(rec, "Model");
    j.footprint = hsi_rec_get_value(rec, "Footprint");
    j.depends_on = hsi_rec_get_value(rec, "DependsOn");
    j.handles = hsi_rec_get_value(rec, "Handles");
    j.modes = hsi_rec_get_value(rec, "Modes");
    j.sizes = hsi_rec_get_value(rec, "Sizes");
    if (!j.id.at || j.id.length == 0)
        return hsi_import_fail(&s->r.text, j.at, "a job without 'JobId'; expected it");
    if (j.handles.length > 0 && !hsi_rec_get_value(rec, "SubmitOrder").at)
        return hsi_import_fail(&s->r.text, j.at,
                               "a job with 'Handles' and without 'SubmitOrder'; "
                               "expected it");
    if (j.model.at && !j.footprint.at)
        return hsi_import_fail(&s->r.text, j.at,
                               "a job with a 'Model' and without 'Footprint'; "
                               "expected it");
    st = hsi_words_find_or_add(&s->ids, j.id, &number);
    if (st == HS_OK && number < s->jobs.size / sizeof j)
        return hsi_import_fail(&s->r.text, j.id.at, "job %s is there twice",
                               hsi_import_quote(j.id, shown));
    return st == HS_OK && hsi_vector_append(&s->jobs, &j, sizeof j) ? HS_ENOMEM : st;
}

/* Read all jobs; records of other kinds have a field Control. */
static hs_status read_jobs(reader *s)
{
    hsi_rec   rec = {.text = &s->r.text, .at = s->r.text.at};
    int       found = 1;
    hs_status st;

    while ((st = hsi_rec_next_record(&rec, &found)) == HS_OK && found) {
        if (!hsi_rec_get_value(&rec, "Control").at && !hsi_rec_get_value(&rec, "%rec").at)
            st = take_job(s, &rec);
        if (st != HS_OK)
            break;
    }
    hsi_rec_close(&rec);
    return st;
}

/* Order jobs by submission; by place in the file if the order is unknown. */
static int compare_jobs(const void *a, const void *b)
{
    const job *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Sort the jobs, and number their ids in the new order. */
static hs_status sort_jobs(reader *s)
{
    const job *j = s->jobs.data;
    size_t     count = s->jobs.size / sizeof *j, number;
    hs_status  st = HS_OK;

    if (count > 1)
        qsort(s->jobs.data, count, sizeof *j, compare_jobs);
    hsi_words_free(&s->ids);
    for (size_t i = 0; i < count && st == HS_OK; i++)
        st = hsi_words_find_or_add(&s->ids, j[i].id, &number);
    return st;
}

/* Find the data of a handle. Handles are addresses, so processes have separate ones. */
static hs_status find_data(reader *s, uint64_t rank, hsi_text handle, size_t *data)
{
    size_t    known = s->handles.count, none = 0, length = handle.length + 24;
    double    bytes = 0;
    char     *name = hsi_arena_alloc(&s->arena, length, 1);
    hs_status st;

    if (!name)
        return HS_ENOMEM;
    if (rank)
        snprintf(name, length, "%.*s-%llu", (int)handle.length, handle.at,
                 (unsigned long long)rank);
    else
        snprintf(name, length, "%.*s", (int)handle.length, handle.at);
    st = hsi_words_find_or_add(&s->handles, (hsi_text){name, strlen(name)}, data);
    if (st == HS_OK && *data == known) {
        if (hsi_vector_append(&s->bytes, &bytes, sizeof bytes) ||
            hsi_vector_append(&s->seen, &none, sizeof none))
            return HS_ENOMEM;
        st = hs_builder_add_handle(s->r.builder, name, data);
    }
    return st;
}

/*
 * Parse an access mode: R, W, RW, with C (commutative, here in the order of submission); 0: scratch
 * memory; -1: invalid.
 */
static int access_mode(hsi_text mode)
{
    int access = 0;

    for (size_t i = 0; i < mode.length; i++)
        access |= mode.at[i] == 'R' ? HS_READ : mode.at[i] == 'W' ? HS_WRITE : 0;
    if (mode.length > 0 && mode.at[0] == 'X') /* 'X' in "REDUX": a reduction */
        access = HS_READ_WRITE;
    return access || hsi_text_is(mode, "S") ? access : -1;
}

static hs_status take_use(reader *s, const job *j, hsi_text handle, hsi_text mode, hsi_text size)
{
    use       u = {0};
    double    bytes, *known;
    size_t   *seen;
    int       access = access_mode(mode);
    hs_status st;

    if (access < 0)
        return refuse(s, mode, "mode", "R, W or RW, perhaps with C, or S or X");
    if (!hsi_text_to_number(size.at, size.length, &bytes) || bytes < 0)
        return refuse(s, size, "size", "a number of at least 0");
    if (access == 0)
        return HS_OK;
    st = find_data(s, j->rank, handle, &u.data);
    if (st != HS_OK)
        return st;
    known = (double *)s->bytes.data + u.data;
    *known = bytes > *known ? bytes : *known;
    seen = (size_t *)s->seen.data + u.data;
    u.mode = (hs_access_mode)access;
    if (*seen) {
        use *before = (use *)s->uses.data + *seen - 1;

        before->mode = (hs_access_mode)(before->mode | access);
        return HS_OK;
    }
    *seen = s->uses.size / sizeof u + 1;
    return hsi_vector_append(&s->uses, &u, sizeof u) ? HS_ENOMEM : HS_OK;
}

/* Read the accesses of a job; handles, modes and sizes are parallel lists. */
static hs_status read_uses(reader *s, const job *j)
{
    hsi_text  handles = j->handles, modes = j->modes, sizes = j->sizes, handle, mode, size;
    hs_status st = HS_OK;

    s->uses.size = 0;
    while (st == HS_OK && hsi_rec_next_word(&handles, &handle)) {
        if (!hsi_rec_next_word(&modes, &mode) || !hsi_rec_next_word(&sizes, &size))
            return refuse(s, handle, "handle", "a mode and a size for each handle");
        st = take_use(s, j, handle, mode, size);
    }
    if (st == HS_OK && (hsi_rec_next_word(&modes, &mode) || hsi_rec_next_word(&sizes, &size)))
        return hsi_import_fail(&s->r.text, j->at,
                               "a job with more modes or sizes than handles; "
                               "expected as many of each");
    return st;
}

static hs_status add_uses(reader *s)
{
    const use *u = s->uses.data;
    size_t    *seen = s->seen.data;
    hs_status  st = HS_OK;

    for (size_t i = 0; i < s->uses.size / sizeof *u && st == HS_OK; i++) {
        seen[u[i].data] = 0;
        st = hs_builder_add_access(s->r.builder, s->r.rows - 1, u[i].data, u[i].mode);
    }
    return st;
}

/* Name a task NAME-JOBID, or job-JOBID. */
static hs_status name_task(reader *s, const job *j, hsi_text *id)
{
    hsi_text name = j->name.length ? j->name : (hsi_text){"job", 3};
    char    *to = hsi_arena_alloc(&s->arena, name.length + 1 + j->id.length, 1);
    size_t   number;

    if (!to)
        return HS_ENOMEM;
    memcpy(to, name.at, name.length);
    to[name.length] = '-';
    memcpy(to + name.length + 1, j->id.at, j->id.length);
    *id = (hsi_text){to, name.length + 1 + j->id.length};
    return hsi_words_find_or_add(&s->r.tasks, *id, &number);
}

static hs_status read_times(reader *s, const job *j, hs_task *task)
{
    double    times[2];
    char      model[HSI_SHOWN], footprint[HSI_SHOWN];
    hs_status st = hsi_starpu_times(s->models, &s->arena, j->model, j->footprint, times);

    if (st != HS_OK)
        return st;
    if (isinf(times[HS_CPU]) && isinf(times[HS_GPU]))
        return hsi_import_fail(&s->r.text, j->model.at,
                               "the models have no time of %s at footprint "
                               "%s; expected one",
                               hsi_import_quote(j->model, model),
                               hsi_import_quote(j->footprint, footprint));
    task->cpu = times[HS_CPU];
    task->gpu = times[HS_GPU];
    return HS_OK;
}

static hs_status add_task(reader *s, const job *j)
{
    hs_task   task;
    hsi_text  id;
    size_t    before = s->r.tasks.count;
    hs_status st = name_task(s, j, &id);

    if (st == HS_OK && s->r.tasks.count == before)
        return refuse(s, j->id, "JobId", "names and ids that make names of their own");
    hs_task_init(&task);
    task.priority = j->priority;
    if (st == HS_OK)
        st = read_times(s, j, &task);
    if (st == HS_OK)
        st = read_uses(s, j);
    if (st == HS_OK)
        st = hsi_import_add_task(&s->r, j->at, id, &task);
    return st == HS_OK ? add_uses(s) : st;
}

/*
 * Read the dependencies of a job. Dependencies on jobs that StarPU left out of the file are counted
 * and ignored.
 */
static hs_status read_dependencies(reader *s, uint32_t later)
{
    const job *jobs = s->jobs.data;
    hsi_text   list = jobs[later].depends_on, word;

    while (hsi_rec_next_word(&list, &word)) {
        size_t         earlier = hsi_words_find(&s->ids, word);
        hsi_node_edge edge = {.later = later, .earlier = (uint32_t)earlier, .at = word.at};

        if (earlier == HSI_NO_WORD)
            s->absent++;
        else if (hsi_vector_append(&s->edges, &edge, sizeof edge))
            return HS_ENOMEM;
    }
    return HS_OK;
}

static hs_status add_jobs(reader *s, uint32_t *row)
{
    const job *jobs = s->jobs.data;
    size_t     count = s->jobs.size / sizeof *jobs;
    hs_status  st = HS_OK;

    for (uint32_t i = 0; i < count && st == HS_OK; i++) {
        row[i] = jobs[i].model.length ? (uint32_t)s->r.rows : HSI_NO_ROW;
        if (row[i] != HSI_NO_ROW)
            st = add_task(s, &jobs[i]);
        if (st == HS_OK)
            st = read_dependencies(s, i);
    }
    for (size_t d = 0; d < s->handles.count && st == HS_OK; d++)
        st = hs_builder_set_handle_bytes(s->r.builder, d, ((const double *)s->bytes.data)[d]);
    if (st != HS_OK)
        return st;
    st = hsi_import_add_edges_through_barriers(&s->r, s->edges.data,
                                               s->edges.size / sizeof(hsi_node_edge), count, row);
    hsi_import_merge_edges(&s->r);
    return st;
}

/* Set the workers, and the links if both directions were measured. */
static hs_status add_machine(reader *s)
{
    double    latency[HS_LINKS], bandwidth[HS_LINKS];
    int       there[HS_LINKS];
    uint64_t  cpus, gpus;
    hs_status st = hs_builder_set_unit(s->r.builder, HS_MICROSECONDS);

    hsi_starpu_workers(s->models, &cpus, &gpus);
    if (cpus + gpus > 0)
        hsi_import_set_workers(&s->r, cpus, gpus);
    for (int link = 0; link < HS_LINKS; link++)
        there[link] = hsi_starpu_link(s->models, (hs_link)link, &latency[link], &bandwidth[link]);
    for (int link = 0; link < HS_LINKS && there[HS_H2D] && there[HS_D2H] && st == HS_OK; link++)
        if (there[link])
            st = hs_builder_set_link(s->r.builder, (hs_link)link, latency[link], bandwidth[link]);
    return st;
}

static hs_status read_file(reader *s, hs_instance **out)
{
    char      absent[32];
    uint32_t *row;
    hs_status st = read_jobs(s);

    if (st == HS_OK)
        st = sort_jobs(s);
    if (st == HS_OK)
        st = add_machine(s);
    if (st != HS_OK)
        return st;
    row = malloc((s->ids.count + 1) * sizeof *row);
    st = row ? add_jobs(s, row) : HS_ENOMEM;
    free(row);
    snprintf(absent, sizeof absent, "%zu", s->absent);
    if (st == HS_OK && s->absent)
        st = hs_builder_add_note(s->r.builder, "absent-dependencies", absent);
    return st == HS_OK ? hsi_import_finish(&s->r, "StarPU", out) : st;
}

hs_status hs_import_starpu(int fd, const hs_starpu_models *models,
                           const hs_import_settings *settings, hs_instance **out, hs_error *error)
{
    reader        s = {.models = models};
    hs_status     st;

    if (!out || !models)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_import_open(&s.r, fd, settings);
    if (st == HS_OK)
        st = read_file(&s, out);
    hsi_arena_close(&s.arena);
    hsi_words_free(&s.ids);
    hsi_words_free(&s.handles);
    hsi_vector_free(&s.jobs);
    hsi_vector_free(&s.bytes);
    hsi_vector_free(&s.seen);
    hsi_vector_free(&s.uses);
    hsi_vector_free(&s.edges);
    return hsi_import_close(&s.r, st, error);
}
