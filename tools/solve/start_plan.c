/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve --start: a plan as the initial schedule of the search. */
#include <stdlib.h>

#include "common/checked_memory.h"
#include "common/message.h"
#include "common/plan.h"
#include "solve/solve.h"

/*
 * Map the tasks of the plan to the instance's task numbers, by name. *code: an exit code after a
 * message about an unknown task.
 */
static hs_status match(const hs_instance *planned, const hs_instance *in, uint32_t *number,
                       const char *path, int *code)
{
    char      name[HS_MAX_ID + 16];
    hs_name_index *index = NULL;
    hs_status      status = hs_name_index_create(in, &index);
    size_t    count = hs_instance_tasks(planned);

    for (size_t i = 0; status == HS_OK && i < count && !*code; i++) {
        size_t length = hs_instance_name(planned, i, name, sizeof name), task;

        if (hs_name_index_find(index, name, length, &task)) {
            number[i] = (uint32_t)task;
        } else {
            message("%s: task %.120s is not in the instance", path, name);
            *code = EXIT_USAGE;
        }
    }
    hs_name_index_free(index);
    return status;
}

static hs_status renumber(const hs_schedule *s, const uint32_t *number, hs_schedule **out)
{
    unsigned      cpus = hs_schedule_cpus(s), gpus = hs_schedule_gpus(s);
    hs_placement *placements = checked_calloc(hs_schedule_entry_count(s), sizeof *placements);
    size_t        size = 0;
    hs_status     status;

    for (unsigned w = 0; w < cpus + gpus; w++) {
        size_t          count;
        const hs_entry *entries = hs_schedule_entries(s, w, &count);

        for (size_t i = 0; i < count; i++)
            placements[size++] = (hs_placement){entries[i].start, entries[i].end,
                                                number[entries[i].task], w, entries[i].state};
    }
    status = hs_schedule_build(cpus, gpus, size, placements, out);
    free(placements);
    return status;
}

/*
 * Convert the plan to a schedule of the instance and check it. Return 0, or an exit code after a
 * message.
 */
static int adopt(const char *path, const hs_instance *planned, const hs_schedule *s,
                 const hs_instance *in, hs_schedule **out)
{
    uint32_t    *number = checked_calloc(hs_instance_tasks(planned), sizeof *number);
    hs_error     error;
    int          code = EXIT_OK;
    hs_status    status = match(planned, in, number, path, &code);

    if (status == HS_OK && !code)
        status = renumber(s, number, out);
    free(number);
    if (status != HS_OK)
        return message_status(status, path);
    if (code)
        return code;
    status = hs_schedule_check(in, *out, &error);
    if (status == HS_OK)
        return EXIT_OK;
    if (status != HS_ESCHEDULE)
        return message_status(status, path);
    message("%s: not a valid schedule of the instance: %s", path, error.why);
    return EXIT_USAGE;
}

int solve_start(const char *path, const hs_instance *in, hs_schedule **out)
{
    hs_read_settings reading;
    plan            p = {.path = path};
    int             code;

    hs_read_settings_init(&reading);
    reading.ignore_unknown = 1;
    code = plan_read(&p, &reading);
    if (!code)
        code = adopt(p.path, p.in, p.s, in, out);
    plan_free(&p);
    return code;
}
