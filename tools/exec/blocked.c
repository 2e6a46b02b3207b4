/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: tasks not run because a predecessor failed. */
#include "common/escape.h"
#include "exec/exec.h"

int exec_blocked_next(const exec_job *job, uint32_t *next, uint32_t *failed)
{
    if (job->report.blocked == 0)
        return 0;
    while (*next < hs_instance_tasks(job->plan.in))
        if (hs_exec_is_blocked(job->exec, (*next)++, failed))
            return 1;
    return 0;
}

void exec_blocked_print(FILE *out, const exec_job *job)
{
    enum { MOST = 16 };
    char     name[HS_MAX_ID + 16];
    uint64_t printed = 0;
    uint32_t next = 0, failed;

    while (printed < MOST && exec_blocked_next(job, &next, &failed)) {
        hs_instance_name(job->plan.in, next - 1, name, sizeof name);
        fprintf(out, "  not run: %s, since ", SHOWN(name));
        hs_instance_name(job->plan.in, failed, name, sizeof name);
        fprintf(out, "%s failed\n", SHOWN(name));
        printed++;
    }
    if (job->report.blocked > printed)
        fprintf(out, "  and %llu more for such reasons\n",
                (unsigned long long)(job->report.blocked - printed));
}

void exec_blocked_json(FILE *out, const exec_job *job)
{
    char     name[HS_MAX_ID + 16];
    uint32_t next = 0, failed;
    int      any = 0;

    json_format(out, ",\n  \"blocked_tasks\": [");
    while (exec_blocked_next(job, &next, &failed)) {
        hs_instance_name(job->plan.in, next - 1, name, sizeof name);
        json_format(out, any++ ? ",\n    {\"task\": %s" : "\n    {\"task\": %s", name);
        hs_instance_name(job->plan.in, failed, name, sizeof name);
        json_format(out, ", \"failed\": %s}", name);
    }
    fputs(any ? "\n  ]" : "]", out);
}
