/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-exec: tables with unknown times run with predictions or guesses, and the run learns the
 * times.
 */
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "common/time_sources.h"
#include "exec/exec.h"

/* Print how the unknown times were found, and the policy. */
static void print_sources(const exec_job *job, const exec_request *request,
                          const time_sources *sources)
{
    char text[TIME_SOURCES_TEXT];

    time_sources_text(sources, text);
    message("%s: %zu task%s: times: %s; policy %s", job->plan.path,
            hs_instance_tasks(job->plan.in), plural(hs_instance_tasks(job->plan.in)), text,
            request->policy);
}

/* Print how many tasks have no known time, and how the run deals with them. */
static void print_guesses(const exec_job *job, const exec_request *request)
{
    size_t tasks = hs_instance_tasks(job->plan.in);

    message("%s: %zu of %zu task%s %s no known time; %s", job->plan.path, job->guesses, tasks,
            plural(tasks), job->guesses == 1 ? "has" : "have",
            strcmp(hs_policy_name(request->settings.decide.policy), "explore") == 0
                ? "the policy explore learns the times during the run"
                : "unknown times count as 1 s; without --policy the run learns them");
}

int exec_fill_unknown_times(exec_job *job, exec_request *request, bool has_policy)
{
    hs_instance *filled = NULL;
    plan        *p = &job->plan;
    time_sources sources = time_sources_of(p->in);
    hs_status    status;

    if (p->s && request->retime) {
        message("%s: --retime needs an instance, because a plan has the times it was made with",
                p->path);
        return EXIT_USAGE;
    }
    job->guesses = sources.guesses;
    job->has_unknown = job->guesses > 0;
    if (p->s || (hs_instance_unknown(p->in) == 0 && !job->has_unknown && !request->retime))
        return EXIT_OK;
    status = (request->retime ? hs_instance_retime : hs_instance_fill)(
        p->in, exec_profile_known(request->times), &filled);
    if (status != HS_OK)
        return message_status(status, p->path);
    hs_instance_free(p->in);
    p->in = filled;
    job->has_unknown = true;
    sources = time_sources_of(filled);
    job->guesses = sources.guesses;
    request->settings.decide.cost = exec_profile_known(request->times);
    if (job->guesses > 0 && !has_policy) {
        request->policy = "explore";
        request->settings.decide.policy = hs_policy_find(request->policy);
    }
    if (!request->quiet && request->times)
        print_sources(job, request, &sources);
    else if (!request->quiet && job->guesses > 0)
        print_guesses(job, request);
    return EXIT_OK;
}
