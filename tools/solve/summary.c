/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve --summary: statistics of many instances per algorithm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "solve/solve.h"

summary *solve_summary_create(const solve_request *request)
{
    const char **names = checked_calloc(request->algorithm_count, sizeof *names);
    summary     *s;

    for (size_t i = 0; i < request->algorithm_count; i++)
        names[i] = request->algorithms[i].name;
    s = summary_create(request->algorithm_count, names);
    free(names);
    return s;
}

/* Add the makespans of an instance over its best bound; algorithms without a result get NaN. */
void solve_summary_add(const solve_request *request, const solve_result *result, summary *s)
{
    double *value = checked_calloc(request->algorithm_count, sizeof *value);

    for (size_t i = 0; i < request->algorithm_count; i++) {
        value[i] = NAN;
        for (size_t k = 0; k < result->algorithm_count; k++)
            if (strcmp(result->algorithms[k].name, request->algorithms[i].name) == 0)
                value[i] = solve_ratio(result->algorithms[k].value, result->bound.value);
    }
    summary_add(s, value);
    free(value);
}

void solve_summary_print(const solve_request *request, const summary *s)
{
    switch (request->format) {
    case SOLVE_TEXT:
        summary_text(s, "makespan / bound", stdout);
        break;
    case SOLVE_CSV:
        summary_csv(s, stdout);
        break;
    case SOLVE_JSON:
        summary_json(s, stdout);
        break;
    }
    output_flush();
}
