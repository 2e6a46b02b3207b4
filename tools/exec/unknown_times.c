/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: tables with unknown times run with guesses, and the run learns the times. */
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

/* Return the number of tasks with a guessed time on a type that has workers. */
static size_t count_guesses(const hs_instance *in)
{
    const unsigned workers[] = {hs_instance_cpus(in), hs_instance_gpus(in)};
    size_t         count = 0;

    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        count += (workers[HS_CPU] && hs_cost_is_guess(hs_instance_source(in, i, HS_CPU))) ||
                 (workers[HS_GPU] && hs_cost_is_guess(hs_instance_source(in, i, HS_GPU)));
    return count;
}

int exec_fill_unknown_times(exec_job *job, exec_request *request, bool has_policy)
{
    hs_instance *filled = NULL;
    plan        *p = &job->plan;
    hs_status    status;

    if (p->s || hs_instance_unknown(p->in) == 0)
        return EXIT_OK;
    status = hs_instance_fill(p->in, NULL, &filled);
    if (status != HS_OK)
        return message_status(status, p->path);
    hs_instance_free(p->in);
    p->in = filled;
    job->guesses = count_guesses(filled);
    if (job->guesses == 0)
        return EXIT_OK;
    if (!has_policy) {
        request->policy = "explore";
        request->settings.decide.policy = hs_policy_find(request->policy);
    }
    if (!request->quiet)
        message("%s: %zu of %zu task%s %s no known time; %s", p->path, job->guesses,
                hs_instance_tasks(filled), plural(hs_instance_tasks(filled)),
                job->guesses == 1 ? "has" : "have",
                strcmp(hs_policy_name(request->settings.decide.policy), "explore") == 0
                    ? "the policy explore learns the times during the run"
                    : "they count as 1 s; without --policy the run learns them");
    return EXIT_OK;
}
