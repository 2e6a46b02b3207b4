/* SPDX-License-Identifier: BSD-3-Clause */
#include "solve/start.h"

#include <stdlib.h>

#include "common/input.h"
#include "common/memory.h"
#include "common/message.h"

/* The tasks of the plan by the numbers that they have in the instance; tasks match by name. */
static hs_status match(const hs_instance *plan, const hs_instance *in, uint32_t *number,
                       const char *path, int *code)
{
    char      name[HS_MAX_ID + 16];
    hs_index *index = NULL;
    hs_status status = hs_index_create(in, &index);
    size_t    count = hs_instance_tasks(plan);

    for (size_t i = 0; status == HS_OK && i < count && !*code; i++) {
        size_t length = hs_instance_name(plan, i, name, sizeof name), task;

        if (hs_index_find(index, name, length, &task)) {
            number[i] = (uint32_t)task;
        } else {
            message("%s: task %.120s is not in the instance", path, name);
            *code = EXIT_USAGE;
        }
    }
    hs_index_free(index);
    return status;
}

static hs_status renumber(const hs_schedule *s, const uint32_t *number, hs_schedule **out)
{
    unsigned      cpus = hs_schedule_cpus(s), gpus = hs_schedule_gpus(s);
    hs_placement *placements = checked_calloc(hs_schedule_size(s), sizeof *placements);
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

/* The plan as a schedule of the instance; it must be a valid one. */
static int adopt(const char *path, const hs_instance *plan, const hs_schedule *s,
                 const hs_instance *in, hs_schedule **out)
{
    uint32_t    *number = checked_calloc(hs_instance_tasks(plan), sizeof *number);
    hs_violation first;
    int          code = EXIT_OK;
    hs_status    status = match(plan, in, number, path, &code);

    if (status == HS_OK && !code)
        status = renumber(s, number, out);
    free(number);
    if (status != HS_OK) {
        message("%s: %s", path, hs_status_text(status));
        return exit_code(status);
    }
    if (!code && hs_schedule_check(in, *out, &first) != HS_OK) {
        message("%s: not a valid schedule of the instance: %s", path,
                hs_violation_text(first.kind));
        code = EXIT_USAGE;
    }
    return code;
}

int start_read(const char *path, const hs_instance *in, hs_schedule **out)
{
    hs_read_options reading;
    hs_diagnostic   why = {0};
    hs_instance    *plan = NULL;
    hs_schedule    *s = NULL;
    input           file;
    int             code = input_open(path, &file);

    if (code)
        return code;
    hs_read_options_init(&reading);
    reading.ignore_unknown = 1;
    code = input_status(&file, hs_plan_read(file.fd, &reading, &plan, &s, NULL, &why), &why);
    input_close(&file);
    if (!code)
        code = adopt(file.name, plan, s, in, out);
    hs_schedule_free(s);
    hs_instance_free(plan);
    return code;
}
