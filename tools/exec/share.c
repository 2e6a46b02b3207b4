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

/* What a share takes from the whole. */
typedef struct share_part {
    const plan *whole;
    uint32_t   *task; /* the tasks of the share */
    size_t      tasks;
    uint32_t   *number, *worker; /* by task and worker: number in the share, or HS_NONE */
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
    part->number = checked_calloc(n + 1, sizeof *part->number);
    for (size_t i = 0; i < n; i++) {
        part->number[i] = HS_NONE;
        if (owner[i] == share.index - 1)
            part->task[part->tasks++] = (uint32_t)i;
    }
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
            if (part->number[e->task] != HS_NONE)
                placed[used++] = (hs_placement){.start = e->start,
                                                .end = e->end,
                                                .task = part->number[e->task],
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
    hs_status status = exec_share_instance(p->in, part->task, part->tasks, part->cpus, part->gpus,
                                           part->number, &in, &error);

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

int exec_take_share(plan *p, exec_share share, bool *empty)
{
    share_part part = {.whole = p};
    uint32_t *owner = NULL;
    int        code = exec_share_owners(p, share.count, false, &owner);

    if (code)
        return code;
    take_workers(&part, share);
    take_tasks(&part, share, owner);
    *empty = part.tasks == 0;
    if (!*empty)
        code = replace(p, &part);
    free(owner);
    free(part.task);
    free(part.number);
    free(part.worker);
    return code;
}
