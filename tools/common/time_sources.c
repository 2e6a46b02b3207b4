/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/time_sources.h"

#include <stdio.h>
#include <string.h>

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

time_sources time_sources_of(const hs_instance *in)
{
    time_sources sources = {0};

    for (size_t i = 0; i < hs_instance_tasks(in); i++) {
        hs_cost_source worst = worst_source(in, i);

        sources.count[worst]++;
        sources.guesses += hs_cost_is_guess(worst);
    }
    return sources;
}

void time_sources_text(const time_sources *sources, char text[TIME_SOURCES_TEXT])
{
    static const char *const from[] = {[HS_COST_TASK] = "the same task", [HS_COST_HISTORY] =
                                       "history", [HS_COST_POWER] = "size", [HS_COST_LEARNED] =
                                       "work and bytes", [HS_COST_ROOFLINE] = "the machine's rates"};
    size_t used = 0;

    text[0] = '\0';
    for (hs_cost_source source = HS_COST_TASK; source <= HS_COST_ROOFLINE; source++)
        if (sources->count[source] > 0 && used < TIME_SOURCES_TEXT)
            used += (size_t)snprintf(text + used, TIME_SOURCES_TEXT - used, "%s%zu from %s",
                                     used > 0 ? ", " : "", sources->count[source], from[source]);
    if (used == 0 && sources->guesses == 0)
        strcpy(text, "all given");
    if (sources->guesses > 0 && used < TIME_SOURCES_TEXT)
        snprintf(text + used, TIME_SOURCES_TEXT - used, "%s%zu guessed", used > 0 ? ", " : "",
                 sources->guesses);
}
