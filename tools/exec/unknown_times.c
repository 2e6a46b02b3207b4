/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: tables with unknown times run with guesses, and the run learns the times. */
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "exec/exec.h"

/* Return the least accurate source of a task's times on the types that have workers. */
static hs_cost_source worst_source(const hs_instance *in, size_t task)
{
    const unsigned workers[] = {hs_instance_cpus(in), hs_instance_gpus(in)};
    hs_cost_source worst = HS_COST_GIVEN;

    for (int type = HS_CPU; type <= HS_GPU; type++) {
        hs_cost_source source = hs_instance_source(in, task, (hs_type)type);

        if (workers[type] > 0 && source > worst)
            worst = source;
    }
    return worst;
}

/* Return the number of tasks with a guessed time on a type that has workers. */
static size_t count_guesses(const hs_instance *in)
{
    size_t count = 0;

    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        count += hs_cost_is_guess(worst_source(in, i));
    return count;
}

/* Print how the unknown times were found, e.g. "120 from history, 60 from size, 120 guessed". */
static void print_sources(const exec_job *job, const exec_request *request)
{
    static const char *const from[] = {[HS_COST_TASK] = "the same task", [HS_COST_HISTORY] =
                                       "history", [HS_COST_POWER] = "size", [HS_COST_LEARNED] =
                                       "work and bytes", [HS_COST_ROOFLINE] = "the machine's rates"};
    const hs_instance *in = job->plan.in;
    size_t             count[HS_COST_NONE + 1] = {0}, used = 0;
    char               text[256] = "";

    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        count[worst_source(in, i)]++;
    for (hs_cost_source source = HS_COST_TASK; source <= HS_COST_ROOFLINE; source++)
        if (count[source] > 0 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu from %s",
                                     used > 0 ? ", " : "", count[source], from[source]);
    if (job->guesses > 0 && used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s%zu guessed", used > 0 ? ", " : "",
                 job->guesses);
    message("%s: %zu task%s: times: %s; policy %s", job->plan.path, hs_instance_tasks(in),
            plural(hs_instance_tasks(in)), text, request->policy);
}

int exec_fill_unknown_times(exec_job *job, exec_request *request, bool has_policy)
{
    hs_instance *filled = NULL;
    plan        *p = &job->plan;
    hs_status    status;

    if (p->s || hs_instance_unknown(p->in) == 0)
        return EXIT_OK;
    status = hs_instance_fill(p->in, exec_profile_known(request->times), &filled);
    if (status != HS_OK)
        return message_status(status, p->path);
    hs_instance_free(p->in);
    p->in = filled;
    job->has_unknown = true;
    job->guesses = count_guesses(filled);
    request->settings.decide.cost = exec_profile_known(request->times);
    if (job->guesses > 0 && !has_policy) {
        request->policy = "explore";
        request->settings.decide.policy = hs_policy_find(request->policy);
    }
    if (!request->quiet && request->times)
        print_sources(job, request);
    else if (!request->quiet)
        message("%s: %zu of %zu task%s %s no known time; %s", p->path, job->guesses,
                hs_instance_tasks(filled), plural(hs_instance_tasks(filled)),
                job->guesses == 1 ? "has" : "have",
                strcmp(hs_policy_name(request->settings.decide.policy), "explore") == 0
                    ? "the policy explore learns the times during the run"
                    : "they count as 1 s; without --policy the run learns them");
    return EXIT_OK;
}
