/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve --profile and --partition: predictions for unknown times, and divided products. */
#include <pthread.h>

#include "common/escape.h"
#include "common/message.h"
#include "solve/solve.h"

/* Predictions change the models of the profile: a key is fitted when it is first needed. */
static pthread_mutex_t profile_in_use = PTHREAD_MUTEX_INITIALIZER;

/* Predict the unknown times, without a profile by guesses. */
static hs_status predict(const solve_request *request, const hs_instance *in, hs_instance **filled)
{
    hs_status status;

    pthread_mutex_lock(&profile_in_use);
    status = hs_instance_fill(in, request->times ? request->times->known : NULL, filled);
    pthread_mutex_unlock(&profile_in_use);
    return status;
}

/* Without a profile, a time may be unknown only on a type without workers. */
static int report_guesses(const solve_request *request, const solve_result *result)
{
    size_t guesses = result->sources.guesses, tasks = hs_instance_tasks(result->in);

    if (guesses == 0)
        return EXIT_OK;
    if (!request->times) {
        message("%s: %zu task%s an unknown time; give --profile=FILE, with the times that "
                "hsched-exec --profile=FILE measured",
                result->path, guesses, guesses == 1 ? " has" : "s have");
        return EXIT_USAGE;
    }
    message("%s: the times of %zu of %zu task%s are guesses; run the table by hsched-exec "
            "--profile=%s to measure them",
            result->path, guesses, tasks, plural(tasks), request->times->path);
    return EXIT_OK;
}

int solve_fill(const solve_request *request, solve_result *result)
{
    hs_instance *filled = NULL;
    hs_status    status;

    if (hs_instance_unknown(result->in) == 0 &&
        (!request->times || time_sources_of(result->in).guesses == 0))
        return EXIT_OK;
    status = predict(request, result->in, &filled);
    if (status != HS_OK)
        return message_status(status, result->path);
    hs_instance_free(result->in);
    result->in = filled;
    result->filled = request->times != NULL;
    result->sources = time_sources_of(filled);
    return report_guesses(request, result);
}

/* Say which rows were divided; the instances have equal rows. */
static void report_parts(const solve_result *result, const hs_instance *divided)
{
    size_t  rows = 0, tasks = 0;
    hs_task before, after;

    for (size_t row = 0; row < hs_instance_rows(divided); row++) {
        hs_instance_row(result->in, row, &before);
        hs_instance_row(divided, row, &after);
        if (after.count == before.count)
            continue;
        rows++;
        tasks += after.count;
    }
    if (rows > 0)
        message("%s: --partition divides %zu row%s into %zu tasks", result->path, rows,
                plural(rows), tasks);
    else
        message("%s: --partition divides nothing: no row dgemm:N or sgemm:N that may be divided "
                "takes longer, the number of parts is limited to 1, or a part would have fewer "
                "than 64 columns",
                result->path);
}

int solve_partition(const solve_request *request, solve_result *result)
{
    hs_instance *divided = NULL;
    hs_status    status;

    if (!(request->part_time > 0))
        return EXIT_OK;
    pthread_mutex_lock(&profile_in_use);
    status = hs_instance_partition(result->in, request->times ? request->times->known : NULL,
                                   request->part_time, request->most_parts, &divided);
    pthread_mutex_unlock(&profile_in_use);
    if (status != HS_OK)
        return message_status(status, result->path);
    report_parts(result, divided);
    hs_instance_free(result->in);
    result->in = divided;
    return EXIT_OK;
}
