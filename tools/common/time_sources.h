/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_TIME_SOURCES_H
#define TOOLS_TIME_SOURCES_H

#include <hybridsched/cost.h>

/** Where the times of an instance's tasks come from, each by its least accurate time. */
typedef struct time_sources {
    size_t count[HS_COST_NONE + 1]; /* tasks by hs_cost_source */
    size_t guesses;                 /* tasks with a guessed time */
} time_sources;

/** Count the tasks by source; only times on types with workers count. */
time_sources time_sources_of(const hs_instance *in);

/** Write the counts of times that were not given, e.g. "120 from history, 60 from size"; without such
    times "all given". */
enum { TIME_SOURCES_TEXT = 256 };
void time_sources_text(const time_sources *sources, char text[TIME_SOURCES_TEXT]);

#endif
