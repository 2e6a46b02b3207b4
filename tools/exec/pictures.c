/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: pictures of the run beside the prediction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"

typedef struct views {
    hs_picture     picture;
    hs_named_bound bound;
    char          *title;
} views;

/* Return the largest of the bounds in the plan's header. */
static const hs_named_bound *best_bound(const hs_plan_info *info)
{
    const hs_named_bound *best = NULL;

    for (unsigned i = 0; i < info->bound_count; i++)
        if (!best || info->bounds[i].value > best->value)
            best = &info->bounds[i];
    return best;
}

static hs_status set_up(views *v, const exec_job *job, const exec_measured *m)
{
    const char *policy = job->request->policy;
    size_t      size = strlen(job->plan.path) + strlen(policy) + sizeof ": ";

    v->title = malloc(size);
    if (!v->title)
        return HS_ENOMEM;
    snprintf(v->title, size, "%s: %s", job->plan.path, policy);
    hs_picture_init(&v->picture);
    v->picture.title = v->title;
    v->picture.predicted = job->guesses > 0 ? NULL : job->predicted;
    /* the bound holds for the whole plan, not for a part of the tasks */
    if (job->report.resumed + job->report.left_out == 0)
        v->picture.predicted_bound = best_bound(&job->plan.info);
    v->picture.policy = policy;
    v->picture.failures = m->failures;
    v->picture.failure_count = m->failure_count;
    v->picture.transfers = m->transfers;
    v->picture.transfer_count = m->transfer_count;
    v->picture.waits = m->waits;
    v->picture.wait_count = m->wait_count;
    if (isfinite(m->bound)) {
        v->bound = (hs_named_bound){"area", m->bound};
        v->picture.bound = &v->bound;
    }
    return HS_OK;
}

hs_status exec_write_picture(exec_picture_writer *write, int fd, const exec_job *job,
                             const exec_measured *m, double width)
{
    views     v = {0};
    hs_status status = set_up(&v, job, m);

    v.picture.width = width;
    if (status == HS_OK)
        status = write(fd, job->plan.in, m->happened, &v.picture, NULL);
    free(v.title);
    return status;
}
