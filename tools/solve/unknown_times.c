/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve --profile and --partition: predictions for unknown times, and divided products. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* What --partition did. */
typedef struct parts {
    size_t rows, tasks; /* divided rows, and their tasks */
    size_t long_rows;   /* divided rows whose tasks take longer than TIME */
    bool   more_fit;    /* whether a larger MOST divides one of these rows further */
} parts;

enum { LEAST_COLUMNS = 64 }; /* of a part */

/* Return the number of columns of a task of the kernel NAME:N/B. */
static double columns_of(const char *kernel)
{
    return strtod(strchr(kernel, ':') + 1, NULL) / strtod(strchr(kernel, '/') + 1, NULL);
}

static void count_divided(const hs_task *row, double limit, parts *p)
{
    p->rows++;
    p->tasks += row->count;
    if (fmin(row->cpu, row->gpu) <= limit)
        return;
    p->long_rows++;
    p->more_fit = p->more_fit || columns_of(row->kernel) >= 2 * LEAST_COLUMNS;
}

/* Say which rows were divided; the instances have equal rows. `limit` is in their unit. */
static void report_parts(const solve_result *result, const hs_instance *divided, double limit)
{
    parts   p = {0};
    hs_task before, after;

    for (size_t row = 0; row < hs_instance_rows(divided); row++) {
        hs_instance_row(result->in, row, &before);
        hs_instance_row(divided, row, &after);
        if (after.count != before.count)
            count_divided(&after, limit, &p);
    }
    if (p.rows > 0)
        message("%s: --partition divides %zu row%s into %zu tasks", result->path, p.rows,
                plural(p.rows), p.tasks);
    else
        message("%s: --partition divides nothing: no row dgemm:N or sgemm:N that may be divided "
                "takes longer, the number of parts is limited to 1, or a part would have fewer "
                "than %d columns",
                result->path, LEAST_COLUMNS);
    if (p.long_rows > 0)
        message("%s: the tasks of %zu of these rows still take longer than the given time; %s",
                result->path, p.long_rows,
                p.more_fit ? "allow more tasks, as in --partition=TIME:MOST"
                           : "more tasks would have fewer than 64 columns each");
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
    report_parts(result, divided,
                 request->part_time / hs_unit_seconds(hs_instance_unit(divided)));
    hs_instance_free(result->in);
    result->in = divided;
    return EXIT_OK;
}
