/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --share: the instance and the plan of a share. */
#include "exec/share.h"

#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"

exec_share exec_share_of(const char *option, const char *text)
{
    const char *slash = strchr(text, '/');
    char        index[24];
    exec_share  share;

    if (!slash || slash == text || (size_t)(slash - text) >= sizeof index)
        usage_error("%s: '%s' is not I/N, such as 3/8 for share 3 of 8, or all/8", option, text);
    memcpy(index, text, (size_t)(slash - text));
    index[slash - text] = '\0';
    share.count = (unsigned)parse_unsigned(option, slash + 1, 1, HS_MAX_WORKERS);
    share.index = strcmp(index, "all") == 0
                      ? 0
                      : (unsigned)parse_unsigned(option, index, 1, share.count);
    return share;
}

/* What a share takes from the whole: task -> number in the share, or HS_NONE; likewise workers. */
typedef struct share_part {
    const plan *whole;
    uint32_t   *task, *worker;
    size_t      tasks;
    unsigned    cpus, gpus;
} share_part;

/* Number the workers of the share; an instance keeps all its workers. */
static void take_workers(share_part *part, exec_share share)
{
    const hs_instance *in = part->whole->in;
    unsigned           cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in);

    part->worker = checked_calloc(cpus + gpus + 1, sizeof *part->worker);
    for (unsigned w = 0; w < cpus + gpus; w++) {
        bool is_in = !part->whole->s ||
                     exec_share_of_worker(in, w, share.count) == share.index - 1;

        part->worker[w] = is_in ? part->cpus + part->gpus : HS_NONE;
        part->cpus += is_in && w < cpus;
        part->gpus += is_in && w >= cpus;
    }
}

static void take_tasks(share_part *part, exec_share share, const uint32_t *owner)
{
    size_t n = hs_instance_tasks(part->whole->in);

    part->task = checked_calloc(n + 1, sizeof *part->task);
    for (size_t i = 0; i < n; i++)
        part->task[i] = owner[i] == share.index - 1 ? (uint32_t)part->tasks++ : HS_NONE;
}

static hs_status add_notes(const hs_instance *in, hs_builder *b)
{
    const char *key, *value;
    hs_status   status = HS_OK;

    for (size_t i = 0; status == HS_OK && (key = hs_instance_note(in, i, &value)); i++)
        status = hs_builder_add_note(b, key, value);
    return status;
}

/* Add the links within a node. */
static hs_status add_links(const hs_instance *in, hs_builder *b)
{
    static const hs_link links[] = {HS_H2D, HS_D2H, HS_D2D};
    double               latency, bandwidth;
    hs_status            status = HS_OK;

    for (size_t i = 0; status == HS_OK && i < sizeof links / sizeof *links; i++)
        if (hs_instance_link(in, links[i], &latency, &bandwidth))
            status = hs_builder_set_link(b, links[i], latency, bandwidth);
    return status;
}

/* Add the row of a task under the task's name. */
static hs_status add_row(const hs_instance *in, size_t task, hs_builder *b)
{
    char    name[HS_MAX_ID + 16];
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    hs_instance_name(in, task, name, sizeof name);
    row.id = name;
    row.count = 1;
    return hs_builder_add_row(b, &row);
}

/* Add the accesses and predecessors of a row, which is a single task. */
static hs_status add_edges(const share_part *part, size_t row, hs_builder *b)
{
    const hs_instance *in = part->whole->in;
    hs_status          status = HS_OK;
    size_t             other, handle;
    uint32_t           copy;
    hs_access_mode     mode;
    double             bytes;

    for (size_t i = 0; status == HS_OK && hs_instance_access(in, row, i, &handle, &mode); i++) {
        status = hs_builder_add_handle(b, hs_instance_handle_name(in, handle), &other);
        if (status == HS_OK)
            status = hs_builder_set_handle_bytes(b, other, hs_instance_handle_bytes(in, handle));
        if (status == HS_OK)
            status = hs_builder_add_access(b, part->task[row], other, mode);
    }
    for (size_t i = 0;
         status == HS_OK && hs_instance_predecessor(in, row, i, &other, &copy, &bytes); i++)
        status = hs_builder_add_predecessor(b, part->task[row], part->task[other], 0, bytes);
    return status;
}

static hs_status add_tasks(const share_part *part, hs_builder *b)
{
    const hs_instance *in = part->whole->in;
    size_t             n = hs_instance_tasks(in);
    hs_status          status = HS_OK;

    for (size_t i = 0; status == HS_OK && i < n; i++)
        if (part->task[i] != HS_NONE)
            status = add_row(in, i, b);
    for (size_t i = 0; status == HS_OK && hs_instance_has_graph(in) && i < n; i++)
        if (part->task[i] != HS_NONE)
            status = add_edges(part, i, b);
    return status;
}

static hs_status build_instance(const share_part *part, hs_instance **out, hs_error *error)
{
    const hs_instance *in = part->whole->in;
    hs_builder        *b = NULL;
    hs_status          status = hs_builder_create(&b);

    if (status == HS_OK)
        status = hs_builder_set_workers(b, part->cpus, part->gpus);
    if (status == HS_OK)
        status = hs_builder_set_unit(b, hs_instance_unit(in));
    if (status == HS_OK)
        status = add_notes(in, b);
    if (status == HS_OK)
        status = add_links(in, b);
    if (status == HS_OK)
        status = add_tasks(part, b);
    if (status == HS_OK)
        status = hs_builder_finish(b, out, error);
    hs_builder_free(b);
    return status;
}

/* Build the plan of the share's workers, without aborted entries of tasks of other shares. */
static hs_status build_plan(const share_part *part, hs_schedule **out)
{
    const hs_schedule *s = part->whole->s;
    size_t             room = hs_schedule_entry_count(s), used = 0, count;
    hs_placement      *placed = checked_calloc(room + 1, sizeof *placed);
    hs_status          status;

    for (unsigned w = 0; w < hs_schedule_cpus(s) + hs_schedule_gpus(s); w++) {
        const hs_entry *e = hs_schedule_entries(s, w, &count);

        for (; part->worker[w] != HS_NONE && count > 0; count--, e++)
            if (part->task[e->task] != HS_NONE)
                placed[used++] = (hs_placement){.start = e->start,
                                                .end = e->end,
                                                .task = part->task[e->task],
                                                .worker = part->worker[w],
                                                .state = e->state};
    }
    status = hs_schedule_build(part->cpus, part->gpus, used, placed, out);
    free(placed);
    return status;
}

/* Replace the whole by the share. */
static int replace(plan *p, const share_part *part)
{
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    hs_error     error = {0};
    hs_status    status = build_instance(part, &in, &error);

    if (status == HS_OK && p->s)
        status = build_plan(part, &s);
    if (status != HS_OK) {
        hs_instance_free(in);
        return message_status(status, p->path);
    }
    hs_instance_free(p->in);
    hs_schedule_free(p->s);
    p->in = in;
    p->s = s;
    p->info.bound_count = 0; /* bounds of the whole */
    return EXIT_OK;
}

/* Refuse a graph in which a row stands for several tasks. */
static int check_copies(const plan *p)
{
    if (!hs_instance_has_graph(p->in) || hs_instance_tasks(p->in) == hs_instance_rows(p->in))
        return EXIT_OK;
    message("%s: --share: a row of a task graph has a count above 1: write a row for each task",
            p->path);
    return EXIT_USAGE;
}

int exec_take_share(plan *p, exec_share share, bool *empty)
{
    share_part part = {.whole = p};
    uint32_t *owner = NULL;
    int       code = check_copies(p);

    if (!code)
        code = exec_share_owners(p, share.count, &owner);
    if (code)
        return code;
    take_workers(&part, share);
    take_tasks(&part, share, owner);
    *empty = part.tasks == 0;
    if (!*empty)
        code = replace(p, &part);
    free(owner);
    free(part.task);
    free(part.worker);
    return code;
}
